/* import.h - `heddle config import`: an SST/Balar configuration as a GPU's file.
 *
 * The format: sections in brackets, lines "key: value" or "key = value" (several of the first kind
 * may share a line), comments from # or ;. What every key becomes stands in import_keys.def. */
#ifndef HEDDLE_CLI_IMPORT_H
#define HEDDLE_CLI_IMPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/config.h"

/* Reads `path` and writes the GPU's file to `out`: values over those of `base`, which has been
 * loaded from the GPU of that name. Keys that are not known are named in `unknown` (a line each,
 * may be NULL) and stay in the file as comments; *num_unknown counts them.
 * @return HEDDLE_ERR_CONFIG for what cannot be read, with file and line. */
heddle_err import_write(const char *path, const char *base_name, const struct config *base,
                        FILE *out, FILE *unknown, unsigned *num_unknown, struct heddle_diag *diag);
/* The table as the page docs/import.md. */
void import_print_page(FILE *out);

#endif
