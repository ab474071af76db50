/* help_man.c - manual pages and docs/commands.md, from the tables of commands and their options;
 * contracts in help.h. */
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "common/environment.h"

/* ---- groff */

/* Prints a text for groff: '-' as a minus, a backslash and a leading dot or quote as themselves. */
static void man_text(const char *text, FILE *out) {
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
        begins = *text == '\n';
    }
}

/* "heddle-config-new"; the caller frees it. */
static gchar *page_name(const struct cli_command *c) {
    gchar *name = c ? g_strconcat("heddle-", c->name, NULL) : g_strdup("heddle");
    return g_strdelimit(name, " ", '-');
}

static void man_head(const struct cli_command *c, const char *summary, FILE *out) {
    gchar *name = page_name(c), *upper = g_ascii_strup(name, -1);
    fprintf(out, ".TH \"");
    man_text(upper, out);
    fprintf(out, "\" 1 \"\" \"Heddle %s\" \"Heddle\"\n.SH NAME\n", HEDDLE_VERSION);
    man_text(name, out);
    fprintf(out, " \\- ");
    man_text(summary, out);
    fprintf(out, "\n.SH SYNOPSIS\n.B ");
    g_free(upper);
    g_free(name);
}

static void man_option(const struct cli_option *o, FILE *out) {
    gchar *name = help_option(o), *words = help_words(o, ", ");
    fprintf(out, ".TP\n.B ");
    man_text(name, out);
    fputc('\n', out);
    man_text(o->text, out);
    fprintf(out, ".\n");
    if (*o->more) {
        man_text(o->more, out);
        fputc('\n', out);
    }
    if (words && o->words != CLI_VALUES) {
        fprintf(out, "One of: ");
        man_text(words, out);
        fprintf(out, ".\n");
    }
    g_free(words);
    g_free(name);
}

static void man_examples(const char *examples, FILE *out) {
    if (!*examples) return;
    fprintf(out, ".SH EXAMPLES\n");
    gchar **lines = g_strsplit(examples, "\n", -1);
    for (gchar **l = lines; *l && **l; l++) {
        gchar **parts = g_strsplit(*l, "\t", 2);
        fprintf(out, ".TP\n.B ");
        man_text(parts[0], out);
        fputc('\n', out);
        man_text(parts[1] ? parts[1] : "", out);
        fprintf(out, "%s", parts[1] ? "\n" : "");
        g_strfreev(parts);
    }
    g_strfreev(lines);
}

/* The variables of the environment that Heddle reads. */
static void man_environment(FILE *out) {
    fprintf(out, ".SH ENVIRONMENT\n");
    for (unsigned i = 0; i < ENVIRONMENT_COUNT; i++) {
        fprintf(out, ".TP\n.B ");
        man_text(environment_rows[i].name, out);
        fputc('\n', out);
        man_text(environment_rows[i].meaning, out);
        fprintf(out, ".\n");
    }
}

/* The page of `heddle` itself. */
static void man_all(FILE *out) {
    man_head(NULL, "unmodified CUDA programs on a simulated NVIDIA GPU", out);
    fprintf(out, "heddle\n.I COMMAND\n[OPTIONS]\n.SH DESCRIPTION\n"
                 "Heddle runs a CUDA program, unmodified, on a simulated NVIDIA GPU and tells how "
                 "long every kernel would take there.\n.SH COMMANDS\n");
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++) {
        gchar *name = page_name(&cli_commands[i]);
        fprintf(out, ".TP\n.BR ");
        man_text(name, out);
        fprintf(out, " (1)\n");
        man_text(cli_commands[i].summary, out);
        fprintf(out, ".\n");
        g_free(name);
    }
    fprintf(out, ".SH OPTIONS\n.TP\n.B \\-h, \\-\\-help\nprint a short help.\n"
                 ".TP\n.B \\-\\-version\nprint the version.\n"
                 ".SH EXIT STATUS\n125: an error of Heddle's own; else what the command's page "
                 "says.\n");
    man_environment(out);
}

void help_print_man(const struct cli_command *c, FILE *out) {
    if (!c) {
        man_all(out);
        return;
    }
    man_head(c, c->summary, out);
    fprintf(out, "heddle %s\n[OPTIONS] ", c->name);
    man_text(c->arguments, out);
    fprintf(out, "\n.SH DESCRIPTION\n.nf\n");
    if (!strchr(c->description, '\n')) fprintf(out, ".fi\n");
    man_text(c->description, out);
    fprintf(out, "\n.fi\n.SH OPTIONS\n");
    for (const struct cli_option *o = c->options; o->name; o++)
        if (o->level != CLI_HIDDEN && *o->name) man_option(o, out);
    fprintf(out, ".TP\n.B \\-h, \\-\\-help, \\-\\-help\\-all\nprint a help that fits the screen, "
                 "or all of it.\n");
    fprintf(out, ".SH EXIT STATUS\n");
    man_text(*c->status ? c->status : "0", out);
    fprintf(out, ".\n125: an error of Heddle's own.\n");
    man_examples(c->examples, out);
    fprintf(out, ".SH SEE ALSO\n.BR heddle (1)");
    if (*c->page) {
        fprintf(out, ",\n");
        man_text(c->page, out);
    }
    fputc('\n', out);
}

/* ---- docs/commands.md */

/* A cell of a table in Markdown. */
static void cell(const char *text, FILE *out) {
    for (; *text; text++) {
        if (*text == '|' || *text == '*') fputc('\\', out);
        fputc(*text, out);
    }
}

static void page_command(const struct cli_command *c, FILE *out) {
    fprintf(out, "\n## heddle %s\n\n    heddle %s [OPTIONS]%s%s\n\n", c->name, c->name,
            *c->arguments ? " " : "", c->arguments);
    gchar **lines = g_strsplit(c->description, "\n  ", -1); /* a line of input is code */
    for (gchar **l = lines; *l; l++) {
        gchar **parts = l == lines ? NULL : g_strsplit(*l, "\n", 2);
        if (parts)
            fprintf(out, "\n    %s\n\n%s\n", parts[0], parts[1] ? parts[1] : "");
        else
            fprintf(out, "%s\n", *l);
        g_strfreev(parts);
    }
    g_strfreev(lines);
    fprintf(out, "\n| option | |\n|---|---|\n");
    for (const struct cli_option *o = c->options; o->name; o++) {
        if (o->level == CLI_HIDDEN || !*o->name) continue;
        gchar *name = help_option(o), *words = help_words(o, ", ");
        const bool listed = words && o->words != CLI_VALUES;
        gchar *text = g_strconcat(o->text, *o->more ? ". " : "", o->more,
                                  !listed    ? ""
                                  : *o->more ? " One of: "
                                             : ". One of: ",
                                  listed ? words : "", NULL);
        gchar **halves = g_strsplit(name, "|", -1); /* code in a table: only the bar is special */
        gchar *code = g_strjoinv("\\|", halves);
        fprintf(out, "| `%s` | ", code);
        cell(text, out);
        fprintf(out, " |\n");
        g_free(code);
        g_strfreev(halves);
        g_free(text);
        g_free(words);
        g_free(name);
    }
    if (*c->examples) {
        fprintf(out, "\nExamples:\n\n");
        lines = g_strsplit(c->examples, "\n", -1);
        for (gchar **l = lines; *l && **l; l++) {
            gchar **parts = g_strsplit(*l, "\t", 2);
            fprintf(out, "- `%s`%s%s\n", parts[0], parts[1] ? ": " : "", parts[1] ? parts[1] : "");
            g_strfreev(parts);
        }
        g_strfreev(lines);
    }
    if (*c->status) fprintf(out, "\nExit status: %s.\n", c->status);
    if (*c->page) {
        const char *page = c->page + strlen("docs/");
        fprintf(out, "\nMore: [%s](%s)\n", page, page);
    }
}

void help_print_page(FILE *out) {
    fprintf(out, "# Commands and their options\n\n"
                 "Made from `host/tables/cli_commands.def` and `host/tables/options`; a test fails "
                 "when page and tables differ.\n"
                 "`--help` of each command fits a screen, `--help-all` is all of it. The manual "
                 "pages (`man heddle-run`)\nand the completions for bash and zsh are made from the "
                 "same tables. A misspelt command or option gets a\nsuggestion. Exit status 125 is "
                 "an error of Heddle's own.\n\n| command | |\n|---|---|\n");
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++) {
        gchar *at = g_strdelimit(g_strdup(cli_commands[i].name), " ", '-');
        fprintf(out, "| [heddle %s](#heddle-%s) | %s |\n", cli_commands[i].name, at,
                cli_commands[i].summary);
        g_free(at);
    }
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++) page_command(&cli_commands[i], out);
    fprintf(out, "\n## Environment\n\n| variable | |\n|---|---|\n");
    for (unsigned i = 0; i < ENVIRONMENT_COUNT; i++)
        fprintf(out, "| `%s` | %s |\n", environment_rows[i].name, environment_rows[i].meaning);
}
