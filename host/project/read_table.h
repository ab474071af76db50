/* read_table.h - profiles written by hand or by any tool: comma-separated values, a row for each
 * launch.
 *
 * The first row that is no comment names the columns, `name` first. Each other column is a metric
 * of tables/project_metrics.def, or `gpu`, the GPU that the kernels ran on. An empty cell is an
 * unknown metric. Lines that begin with # are comments; empty lines are skipped. Launches count
 * from 0 in the order of the rows. */
#ifndef HEDDLE_PROJECT_READ_TABLE_H
#define HEDDLE_PROJECT_READ_TABLE_H

#include <stdbool.h>

#include "project/read_ncu.h"

/* Whether a text's first line of content begins as such a table does. */
bool read_table_begins(const char *text);

/* Replaces what is in `out` by the kernels of a file in memory, which is overwritten; text[size] is
 * NUL. `gpu` may be NULL. HEDDLE_ERR_CONFIG, with file and line: an unknown column, or one that is
 * there twice; a row whose cells are not as many as the columns; a cell that is no number, or
 * negative; rows of different GPUs; no row at all. `out` is empty then. */
heddle_err read_table_text(struct project_kernels *out, struct project_gpu *gpu, char *text,
                           size_t size, const char *file, struct heddle_diag *diag);

#endif
