/* cli.h - what all subcommands of `heddle` share, below them: errors, and where files lie. */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "common/memory.h"

enum { EXIT_HEDDLE = HEDDLE_EXIT_ERROR };

/* Where Heddle's files lie, found from the place of the executable. */
struct cli_paths {
    char lib[512];  /* libcudart.so.N */
    char gpus[512]; /* NAME.ini */
};
/* @return false: the executable's place is not known or too long for *out. */
bool cli_find_paths(struct cli_paths *out);

/* Makes GLib and Jansson follow common/memory.h: without memory they end the process as Heddle's
 * own code does. Comes first of all. */
void cli_begin(void);

/* "heddle: error: ..." on standard error. @return EXIT_HEDDLE. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
