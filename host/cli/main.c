/* main.c - the command `heddle`: calls the function of the subcommand that argv[1] names. Runs on
 * the main thread, the only one until a subcommand starts others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "common/processors.h"

/* The subcommands, in the order of the help. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"run", cli_run, "run a CUDA program on the simulated GPU"},
    {"annotate", cli_annotate, "show what each source line of a run's kernels did"},
    {"report", cli_report, "write the report of a run as a page"},
    {"compare", cli_compare, "compare two runs"},
    {"project", cli_project, "project the kernels of a run to other GPUs"},
    {"sweep", cli_sweep, "run a program on every combination of parameters"},
    {"ptx", cli_ptx, "print the machine code (MIR) made from a PTX file"},
    {"config", cli_config, "print the parameters of a GPU, with their sources"},
    {"dram", cli_dram, "run a trace of addresses on a memory model alone"},
    {"compnet", cli_compnet, "run the figures of the paper on ComP-Net, beside its claims"},
    {"card", cli_card, "check an FPGA card"},
    {"doctor", cli_doctor, "say what is installed, what is missing, and how to get it"},
};
enum { NUM_COMMANDS = sizeof commands / sizeof commands[0] };

/* Prints the help of the command. */
static void usage(FILE *out) {
    fprintf(out, "Usage: heddle COMMAND [OPTIONS]\n\n"
                 "Unmodified CUDA programs on a simulated NVIDIA GPU.\n\nCommands:\n");
    for (int i = 0; i < NUM_COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
    fprintf(out, "\n`heddle COMMAND --help` explains a command. First steps:\n"
                 "  heddle doctor\n  heddle run -- ./program\n");
}

/* Writes out what is left for standard output. @return the status, or EXIT_HEDDLE after printing an
 * error: output got lost that a status of 0 would promise. */
static int flush_output(int status) {
    errno = 0;
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (good || status) return status;
    return cli_error("cannot write the output: %s", strerror(errno ? errno : EIO));
}

/* Handles --version and --help, else calls the subcommand with itself as argv[0]. @return its exit
 * status, EXIT_HEDDLE without a known subcommand. */
int main(int argc, char **argv) {
    cli_begin();
    if (argc < 2) {
        usage(stderr);
        return EXIT_HEDDLE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("heddle %s\n", HEDDLE_VERSION);
        return flush_output(0);
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return flush_output(0);
    }
    if (!processors())
        return cli_error("%s=%s: a number of 1 to 1024", PROCESSORS_VARIABLE,
                         getenv(PROCESSORS_VARIABLE));
    for (int i = 0; i < NUM_COMMANDS; i++)
        if (!strcmp(argv[1], commands[i].name))
            return flush_output(commands[i].run(argc - 1, argv + 1));
    return cli_error("no command '%s', `heddle --help` lists them", argv[1]);
}
