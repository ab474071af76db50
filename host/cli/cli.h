/* cli.h - shared by all subcommands of `heddle`: error messages and installation paths. */
#ifndef HEDDLE_CLI_CLI_H
#define HEDDLE_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "common/memory.h"

enum { EXIT_HEDDLE = HEDDLE_EXIT_ERROR, EXIT_TIMEOUT = 124 /* as of timeout(1) */ };

/* Directories of Heddle's installation, derived from the path of the executable. */
struct cli_paths {
    char lib[512];          /* with libcudart.so.N and the timing cores */
    char gpus[512];         /* with NAME.ini */
    char capabilities[512]; /* with NAME.ini of hardware, for projection */
    char networks[512];     /* with NAME.ini of networks between nodes */
    char nodes[512];        /* with NAME.ini of nodes */
    char policies[512];     /* with NAME.c of plug-ins for the reference model */
    char include[512];      /* with their header */
};
/* Reads /proc/self/exe. @return false: it cannot be read, or is too long for *out. */
bool cli_find_paths(struct cli_paths *out);

/* Makes GLib and Jansson end the process when out of memory, as Heddle's own code does
 * (common/memory.h). To be called before any other function of the two. */
void cli_begin(void);

/* Columns of the terminal; where standard output is none, those of the variable COLUMNS, or 80. */
unsigned cli_width(void);

/* Prints "heddle: error: ..." on standard error. @return EXIT_HEDDLE. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
