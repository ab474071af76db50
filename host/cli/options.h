/* options.h - reads the command line of a subcommand with GLib's parser. */
#ifndef HEDDLE_CLI_OPTIONS_H
#define HEDDLE_CLI_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

/* What the help says of a subcommand; texts are borrowed. */
struct cli_command {
    const char *name;      /* "heddle run" */
    const char *arguments; /* after the options, for the help; NULL: none */
    const char *summary;
    const char *examples; /* lines of help behind the options; NULL: none */
    void *user;           /* for options with a callback */
    bool options_first;   /* options end at the first argument: a program with options of its own */
};

/* Reads the options into the variables that `entries` points to and takes them out of argv. Prints
 * errors, and the help for --help.
 * @return false: there is nothing left to do, *status is the exit status; else *status is 0. */
bool cli_options(const struct cli_command *command, GOptionEntry *entries, int *argc, char ***argv,
                 int *status);

/* Removes the "--" that GLib in some cases leaves in front of a program. NULL is accepted. */
void cli_drop_dashes(gchar **program);

#endif
