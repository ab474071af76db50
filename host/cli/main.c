/* main.c - the command `heddle`: calls the function of the command that the command line names.
 * Runs on the main thread, the only one until a command starts others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/revision.h"
#include "common/processors.h"

/* The functions of the commands, in the order of the table. */
static int (*const functions[CLI_NUM_COMMANDS])(int argc, char **argv) = {
#define COMMAND(id, ...) cli_##id,
#include "tables/cli_commands.def"
};

/* Writes out what is left for standard output. @return the status, or EXIT_HEDDLE after printing an
 * error: output got lost that a status of 0 would promise. */
static int flush_output(int status) {
    errno = 0;
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (good || status) return status;
    return cli_error("cannot write the output: %s", strerror(errno ? errno : EIO));
}

/* Says what is wrong with a command that is not in the table; "card" alone is the first word of
 * one.
 * @return EXIT_HEDDLE. */
static int no_command(const char *word) {
    const size_t length = strlen(word);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++)
        if (!strncmp(cli_commands[i].name, word, length) && cli_commands[i].name[length] == ' ')
            return cli_error("`heddle %s` is no command, but `heddle %s` is", word,
                             cli_commands[i].name);
    const char *close = cli_close_command(word);
    if (close)
        return cli_error("no command '%s', did you mean '%s'? `heddle --help` lists them", word,
                         close);
    return cli_error("no command '%s', `heddle --help` lists them", word);
}

/* `heddle help COMMAND`. @return the exit status. */
static int help(int argc, char **argv) {
    int words;
    if (argc < 2) {
        help_print_commands(stdout);
        return 0;
    }
    const struct cli_command *command = cli_find_command(argc, argv, &words);
    if (!command) return no_command(argv[1]);
    help_print(command, true, stdout);
    return 0;
}

/* Handles --version and --help, else calls the command's function. @return its exit status,
 * EXIT_HEDDLE without a known command. */
int main(int argc, char **argv) {
    int words;
    cli_begin();
    if (argc < 2) {
        help_print_commands(stderr);
        return EXIT_HEDDLE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("heddle %s (%s)\n", HEDDLE_VERSION, heddle_revision);
        return flush_output(0);
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "--help-all") || !strcmp(argv[1], "-h")) {
        help_print_commands(stdout);
        return flush_output(0);
    }
    if (!strcmp(argv[1], "help")) return flush_output(help(argc - 1, argv + 1));
    if (!processors())
        return cli_error("%s=%s: a number of 1 to 1024", PROCESSORS_VARIABLE,
                         getenv(PROCESSORS_VARIABLE));
    const struct cli_command *command = cli_find_command(argc, argv, &words);
    if (!command) return no_command(argv[1]);
    return flush_output(functions[command - cli_commands](argc - words, argv + words));
}
