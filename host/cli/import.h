/* import.h - `heddle config import`: converts an SST/Balar configuration into a GPU's file.
 *
 * The format has sections in brackets, lines "key: value" or "key = value" (several of the first
 * kind may share a line), and comments from # or ; on. import_keys.def lists what becomes of each
 * key. */
#ifndef HEDDLE_CLI_IMPORT_H
#define HEDDLE_CLI_IMPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/config.h"

/* Reads `path` and writes a GPU's file to `out`, with values that replace those of `base`, the
 * loaded configuration of the GPU `base_name`. Unknown keys become comments of the file; each gets
 * a line in `unknown` (may be NULL), and *num_unknown counts them. @return HEDDLE_ERR_CONFIG for
 * text that cannot be read, with file and line; HEDDLE_ERR_IO. */
heddle_err import_write(const char *path, const char *base_name, const struct config *base,
                        FILE *out, FILE *unknown, unsigned *num_unknown, struct heddle_diag *diag);
/* Prints the page docs/import.md, with the table of keys. */
void import_print_page(FILE *out);

#endif
