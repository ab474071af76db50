/* options.c - reads a subcommand's options with GLib's parser, and prints their help and errors.
 * The cmd_*.c files call it on the main thread of `heddle`; it keeps nothing but GLib's program
 * name. */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* Prints the help. GLib writes "[OPTION...]" with a character that not every terminal has; this
 * writes "[OPTIONS]" instead. */
static void print_help(GOptionContext *context) {
    gchar *help = g_option_context_get_help(context, TRUE, NULL);
    gchar *bracket = strstr(help, "[OPTION"), *end = bracket ? strchr(bracket, ']') : NULL;
    if (end)
        printf("%.*s[OPTIONS%s", (int)(bracket - help), help, end);
    else
        fputs(help, stdout);
    g_free(help);
}

/* Parses argv with GLib into the variables of `entries` and takes the options out of *argc and
 * *argv. Prints errors on standard error, and the help for --help. Sets GLib's program name.
 * @return false: done, *status is the exit status (0 after --help); else *status is 0. */
bool cli_options(const struct cli_command *command, GOptionEntry *entries, int *argc, char ***argv,
                 int *status) {
    gboolean help = FALSE;
    GOptionEntry own[] = {{"help", 'h', 0, G_OPTION_ARG_NONE, &help, "print this text", NULL},
                          {NULL, 0, 0, 0, NULL, NULL, NULL}};
    GError *error = NULL;
    GOptionContext *context = g_option_context_new(command->arguments);
    g_set_prgname(command->name);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_set_strict_posix(context, command->options_first);
    g_option_context_set_summary(context, command->summary);
    g_option_context_set_description(context, command->examples);
    g_option_context_set_main_group(context,
                                    g_option_group_new(NULL, NULL, NULL, command->user, NULL));
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_main_entries(context, own, NULL);
    *status = 0;
    bool good = g_option_context_parse(context, argc, argv, &error);
    if (!good) {
        *status = cli_error("%s", error->message);
        g_error_free(error);
    } else if (help) {
        print_help(context);
        good = false;
    }
    g_option_context_free(context);
    return good;
}

/* Removes and frees a leading "--" of the list, in place. NULL is accepted. */
void cli_drop_dashes(gchar **program) {
    if (!program || !program[0] || strcmp(program[0], "--") != 0) return;
    g_free(program[0]);
    memmove(program, program + 1, sizeof *program * g_strv_length(program + 1) + sizeof *program);
}
