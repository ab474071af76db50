/* commands.h - the commands of `heddle`: rows of tables/cli_commands.def with their options. Their
 * functions cli_ID() lie in the cmd_*.c files.
 *
 * main() calls a command's function, with the command's name as argv[0]. Each reads its options,
 * does the work, prints results on standard output and errors on standard error, and frees what it
 * made.
 * @return the exit status of the process: EXIT_HEDDLE (cli.h) for an error of Heddle's own. */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

#include "cli/options.h"

enum cli_command_id {
#define COMMAND(id, name, arguments, options_first, summary, description, examples, status, page) \
    CLI_COMMAND_##id,
#include "tables/cli_commands.def"
    CLI_NUM_COMMANDS
};
#define COMMAND(id, name, arguments, options_first, summary, description, examples, status, page) \
    int cli_##id(int argc, char **argv);
#include "tables/cli_commands.def"

extern const struct cli_command cli_commands[CLI_NUM_COMMANDS];
/* The row of a command: CLI(run). */
#define CLI(id) (&cli_commands[CLI_COMMAND_##id])

/* Finds the command that begins at argv[1]; *words: how many words its name has. @return NULL:
 * there is none. */
const struct cli_command *cli_find_command(int argc, char **argv, int *words);
/* A command that may be meant by a misspelt word; NULL: none. */
const char *cli_close_command(const char *word);

#endif
