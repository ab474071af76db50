/* options.h - the command line of a subcommand, by GLib's parser. */
#ifndef HEDDLE_CLI_OPTIONS_H
#define HEDDLE_CLI_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

struct cli_command {
    const char *name;      /* "heddle run" */
    const char *arguments; /* what follows the options, for the help; NULL: nothing */
    const char *summary;
    void *user;         /* for options that are read by a function */
    bool options_first; /* options end at the first argument, which is a program with its own */
};

/* Reads the options into the variables of `entries`; --help is answered here.
 * @return false: nothing is to be done, *status is the exit status. */
bool cli_options(const struct cli_command *command, GOptionEntry *entries, int *argc, char ***argv,
                 int *status);

/* GLib leaves the "--" in front of a program there in some cases: takes it away. */
void cli_drop_dashes(gchar **program);

#endif
