/* options.h - the options of a command: rows of tables/options/ID.def, read with GLib's parser into
 * the members of a struct that is made from the same rows.
 *
 * A command declares its struct, and where the members are, so:
 *
 *     struct NAME_options {
 *     #define OPTION CLI_MEMBER
 *     #include "tables/options/NAME.def"
 *     };
 *     static const size_t places[] = {
 *     #define OPTION(...) CLI_PLACE(struct NAME_options, __VA_ARGS__)
 *     #include "tables/options/NAME.def"
 *     };
 *
 * All functions run on the main thread. */
#ifndef HEDDLE_CLI_OPTIONS_H
#define HEDDLE_CLI_OPTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* The C types of the members. An OPTIONAL that was given without a value is an empty text. */
typedef gboolean cli_value_FLAG;
typedef gint cli_value_INT;
typedef gdouble cli_value_REAL;
typedef gchar *cli_value_TEXT, *cli_value_PATH, *cli_value_OPTIONAL;
typedef gchar **cli_value_LIST, **cli_value_REST;

enum cli_type { CLI_FLAG, CLI_INT, CLI_REAL, CLI_TEXT, CLI_PATH, CLI_LIST, CLI_OPTIONAL, CLI_REST };
enum cli_level { CLI_MAIN, CLI_MORE, CLI_PASSED, CLI_HIDDEN };
enum cli_words {
    CLI_NOTHING,
    CLI_FILE,
    CLI_DIRECTORY,
    CLI_PROGRAM,
    CLI_VALUES,
    CLI_GPU,
    CLI_CAPABILITY,
    CLI_MEMORY,
    CLI_NETWORK,
    CLI_NODE,
    CLI_KEY,
    CLI_TERM,
    CLI_COLUMN,
    CLI_PAGE
};

/* A row; tables/options/README.md explains the columns. */
struct cli_option {
    const char *name; /* NULL: the end of the list */
    char letter;
    enum cli_type type;
    const char *value;
    enum cli_level level;
    enum cli_words words;
    const char *text, *more;
};
#define CLI_MEMBER(member, name, letter, type, value, level, words, text, more) \
    cli_value_##type member;
#define CLI_PLACE(owner, member, name, letter, type, value, level, words, text, more) \
    offsetof(owner, member),

/* A command: a row of tables/cli_commands.def. */
struct cli_command {
    const char *name, *arguments;
    bool options_first;
    const char *summary, *description, *examples, *status, *page;
    const struct cli_option *options; /* a row without a name ends them */
};

/* Reads the options into the members of *values, which hold the defaults, and takes them out of
 * argv; argv[0] is the command. `places`: of the members in the struct, a row each. Prints errors,
 * and the help for --help and --help-all. Whatever the result, cli_options_free() frees the texts.
 * @return false: there is nothing left to do, *status is the exit status; else *status is 0. */
bool cli_options(const struct cli_command *command, const size_t *places, void *values, int *argc,
                 char ***argv, int *status);

/* Frees the texts and lists that the members hold, and sets them to NULL. */
void cli_options_free(const struct cli_command *command, const size_t *places, void *values);

/* The options of *values that differ from those of *defaults, as "--NAME=VALUE" or "--NAME", in the
 * order of the rows, without the arguments. The caller frees the list with g_strfreev(). */
gchar **cli_options_given(const struct cli_command *command, const size_t *places,
                          const void *values, const void *defaults);

/* The number of the row of an option, by the name without dashes; -1: there is none. */
int cli_find_option(const struct cli_command *command, const char *name);

#endif
