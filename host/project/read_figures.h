/* read_figures.h - a GPU's capabilities from the output of micro_capability (apps/microbench), or
 * of a program that prints the same lines:
 *
 *   micro_capability: NAME text                    the device's name
 *   micro_capability: VALUE key value unit how     a figure; how: the benchmark, free text
 *   micro_capability: PASS text                    the last line
 *
 * Keys and units are those of capabilities.def. Lines of others, such as those of `heddle run`, may
 * stand between them. */
#ifndef HEDDLE_PROJECT_READ_FIGURES_H
#define HEDDLE_PROJECT_READ_FIGURES_H

#include "project/capability.h"

/* Reads the output in file `path` into *c, all values with the status "measured" and the source
 * "ON, HOW", where `on` is the program and what it ran on. HEDDLE_ERR_IO: the file cannot be read.
 * HEDDLE_ERR_CONFIG, with the line: a line is malformed, its key or unit unknown, its value out of
 * range or there twice; the program failed, or its last line is missing. */
heddle_err read_figures(struct capability *c, const char *path, const char *on,
                        struct heddle_diag *diag);

#endif
