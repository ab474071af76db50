/* ptx_assemble.h - runs NVIDIA's assembler on PTX, for any instruction set that it knows.
 *
 * The program is part of NVIDIA's CUDA toolkit; Heddle needs it only where this header says so. */
#ifndef HEDDLE_PROJECT_PTX_ASSEMBLE_H
#define HEDDLE_PROJECT_PTX_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Assembles PTX for sm_`capability` (75, 80 ...) with ptxas's default options. `ptxas`: its path,
 * or NULL: as the shell finds it. `file` stands in messages. `lines`: with a line table
 * (sass_lines.h), which leaves the code as it is. On success *cubin is the caller's,
 * freed with free(). HEDDLE_ERR_IO: no ptxas, no room for its files; HEDDLE_ERR_PTX_UNSUPPORTED: it
 * refuses the text, and diag says why. */
heddle_err ptx_assemble(uint8_t **cubin, size_t *size, const char *ptxas, const char *file,
                        const char *text, unsigned capability, bool lines,
                        struct heddle_diag *diag);

/* The version of ptxas ("V13.0.88"), the caller's to free(). */
heddle_err ptx_assemble_version(char **version, const char *ptxas, struct heddle_diag *diag);

#endif
