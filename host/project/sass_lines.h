/* sass_lines.h - which line of the PTX each machine instruction of a kernel comes from.
 *
 * ptxas -lineinfo writes this into the section .nv_debug_line_sass, a line table of DWARF 2 whose
 * lines are those of the PTX text, counted from 1. Pure functions. */
#ifndef HEDDLE_PROJECT_SASS_LINES_H
#define HEDDLE_PROJECT_SASS_LINES_H

#include "project/sass.h"

/* Sets lines[i] for each instruction of `code`, which sass_read() made of kernel `name` of the same
 * cubin; 0: of no line. HEDDLE_ERR_IO: the cubin has no line table, or a damaged one. */
heddle_err sass_lines(uint32_t *lines, const struct sass_code *code, const uint8_t *cubin,
                      size_t size, const char *name, struct heddle_diag *diag);

#endif
