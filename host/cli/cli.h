/* cli.h - the `heddle` command: one function a subcommand. */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_HEDDLE = 125 }; /* exit status of an error of Heddle's own */

/* Where Heddle's files lie, found from the place of the executable. */
struct cli_paths {
    char lib[512];  /* libcudart.so.N */
    char gpus[512]; /* NAME.ini */
};
bool cli_find_paths(struct cli_paths *out);

/* argv[0] is the subcommand. @return the exit status. */
int cli_run(int argc, char **argv);
int cli_ptx(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_config(int argc, char **argv);
int cli_dram(int argc, char **argv);
int cli_import(int argc, char **argv); /* `heddle config import` */
int cli_sweep(int argc, char **argv);

/* "heddle: error: ..." on standard error. @return EXIT_HEDDLE. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
