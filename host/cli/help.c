/* help.c - the help of commands on the terminal, from their tables; contracts in help.h. */
#include "cli/help.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/help_pages.h"
#include "project/terms.h"
#include "sweep/sweep_record.h"

enum { NAMES = 27 /* column of the options' texts */, INDENT = 2 };

/* ---- texts */

void help_wrap(const char *text, unsigned at, unsigned indent, FILE *out) {
    bool begins = true; /* a line */
    while (*text) {
        if (*text == '\n') {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            begins = true;
            text++;
            continue;
        }
        const size_t blanks = strspn(text, " "), n = strcspn(text + blanks, " \n");
        if (!begins && at + blanks + n > HELP_COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            begins = true;
            text += blanks;
            continue;
        }
        fprintf(out, "%.*s", (int)(blanks + n), text);
        at += (unsigned)(blanks + n);
        begins = false;
        text += blanks + n;
    }
    fputc('\n', out);
}

/* The words of a sweep's columns. */
static gchar *columns(const char *between) {
    GString *s = g_string_new(NULL);
    for (unsigned i = 0; i < SWEEP_NUM_COLUMNS; i++)
        g_string_append_printf(s, "%s%s", i ? between : "", sweep_columns[i].name);
    return g_string_free(s, FALSE);
}

gchar *help_words(const struct cli_option *o, const char *between) {
    gchar **words = o->words == CLI_VALUES ? g_strsplit(o->value, "|", -1)
                    : o->words == CLI_TERM ? g_strsplit(project_term_names(), ", ", -1)
                    : o->words == CLI_PAGE ? g_strsplit(HELP_PAGES, ", ", -1)
                                           : NULL;
    if (!words) return o->words == CLI_COLUMN ? columns(between) : NULL;
    gchar *all = g_strjoinv(between, words);
    g_strfreev(words);
    return all;
}

gchar *help_option(const struct cli_option *o) {
    const char *value = o->type == CLI_OPTIONAL ? g_intern_string("") : o->value;
    GString *s = g_string_new(NULL);
    if (o->letter) g_string_append_printf(s, "-%c, ", o->letter);
    g_string_append_printf(s, "--%s%s%s", o->name, *value ? " " : "", value);
    if (o->type == CLI_OPTIONAL) g_string_append_printf(s, "[=%s]", o->value);
    return g_string_free(s, FALSE);
}

/* ---- a command */

/* Prints an option: its name and text, with `all` what else is to say. */
static void print_option(const struct cli_option *o, bool all, FILE *out) {
    gchar *name = help_option(o), *words = all ? help_words(o, ", ") : NULL;
    const bool listed = words && o->words != CLI_VALUES;
    gchar *text = g_strconcat(o->text, all && *o->more ? ". " : "", all ? o->more : "",
                              !listed    ? ""
                              : *o->more ? " One of: "
                                         : ". One of: ",
                              listed ? words : "", NULL);
    const unsigned n = (unsigned)strlen(name) + INDENT;
    fprintf(out, "%*s%s", INDENT, "", name);
    if (n + 1 > NAMES)
        fprintf(out, "\n%*s", NAMES, "");
    else
        fprintf(out, "%*s", (int)(NAMES - n), "");
    help_wrap(text, NAMES, NAMES, out);
    g_free(text);
    g_free(words);
    g_free(name);
}

/* Prints the examples, each with what it is for. */
static void print_examples(const char *examples, FILE *out) {
    if (!*examples) return;
    fprintf(out, "\nExamples:\n");
    gchar **lines = g_strsplit(examples, "\n", -1);
    for (gchar **l = lines; *l; l++) {
        gchar **parts = **l ? g_strsplit(*l, "\t", 2) : NULL;
        if (!parts) continue;
        const unsigned n = (unsigned)strlen(parts[0]) + INDENT, what = parts[1] ? 2 : 0;
        fprintf(out, "%*s%s", INDENT, "", parts[0]);
        if (what && n + 2 + strlen(parts[1]) > HELP_COLUMNS)
            fprintf(out, "\n%*s%s\n", 2 * INDENT + 2, "", parts[1]);
        else
            fprintf(out, "%s%s\n", what ? "  " : "", what ? parts[1] : "");
        g_strfreev(parts);
    }
    g_strfreev(lines);
}

/* Prints the help; `examples`: with them. */
static void print_text(const struct cli_command *c, bool all, bool examples, FILE *out) {
    unsigned more = 0, told = 0;
    fprintf(out, "Usage: heddle %s [OPTIONS]%s%s\n\n", c->name, *c->arguments ? " " : "",
            c->arguments);
    help_wrap(c->description, 0, 0, out);
    fprintf(out, "\nOptions:\n");
    for (const struct cli_option *o = c->options; o->name; o++) {
        if (o->level == CLI_HIDDEN || !*o->name) continue;
        if (!all && o->level != CLI_MAIN) {
            more++;
            continue;
        }
        told += *o->more != '\0';
        print_option(o, all, out);
    }
    const struct cli_option help = {
        .name = "help", .letter = 'h', .text = "print this text", .more = "", .value = ""};
    print_option(&help, all, out);
    if (!all && (more || told)) {
        const struct cli_option rest = {.name = "help-all",
                                        .more = "",
                                        .value = "",
                                        .text = more ? "all options, and more about each"
                                                     : "more about each option"};
        print_option(&rest, all, out);
    }
    if (examples) print_examples(c->examples, out);
    if (all && *c->status) {
        fprintf(out, "\nExit status: ");
        help_wrap(c->status, 13, 13, out);
    }
    if (all && *c->page) fprintf(out, "\nMore: %s\n", c->page);
}

/* How many lines the help has. */
static unsigned count_lines(const struct cli_command *c, bool examples) {
    char *text = NULL;
    size_t size = 0;
    unsigned lines = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return HELP_LINES + 1; /* no memory for it: without examples */
    print_text(c, false, examples, f);
    if (fclose(f) == 0 && text)
        for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    free(text);
    return lines;
}

void help_print(const struct cli_command *command, bool all, FILE *out) {
    print_text(command, all, all || count_lines(command, true) <= HELP_LINES, out);
}

/* ---- all commands */

void help_print_commands(FILE *out) {
    fprintf(out, "Usage: heddle COMMAND [OPTIONS]\n\n"
                 "Unmodified CUDA programs on a simulated NVIDIA GPU.\n\nCommands:\n");
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++)
        fprintf(out, "  %-14s %s\n", cli_commands[i].name, cli_commands[i].summary);
    fprintf(out, "\n`heddle COMMAND --help` explains a command, `heddle --version` says which\n"
                 "Heddle this is. First steps: heddle doctor, heddle run -- ./program\n");
}
