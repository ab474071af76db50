/* cli.h - what all subcommands of `heddle` share, below them: errors, and where files lie. */
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
/* @return false: the executable's place is not known or too long for *out. */
bool cli_find_paths(struct cli_paths *out);

/* "heddle: error: ..." on standard error. @return EXIT_HEDDLE. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
