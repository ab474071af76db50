/* ptxas.h - runs NVIDIA's assembler ptxas on PTX and counts the code of each kernel. */
#ifndef HEDDLE_CLI_PTXAS_H
#define HEDDLE_CLI_PTXAS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cubin.h"
#include "common/error.h"

/* ptxas's code of a kernel. */
struct ptxas_kernel {
    char *name; /* as in PTX (mangled) */
    uint32_t registers;
    uint32_t spill_bytes; /* spilled bytes, each location once */
    struct cubin_kernel code;
};

/* All kernels of a PTX text. */
struct ptxas_result {
    GArray *kernels; /* of struct ptxas_kernel, in ptxas's order; NULL: none */
};

/* Assembles the PTX text for sm_75, the oldest architecture that recent versions support, in a
 * temporary directory. `program`: path of ptxas, NULL: found on PATH; `file` stands in messages.
 * The caller clears *out. @return HEDDLE_OK, or an error with the reason in diag: HEDDLE_ERR_IO (no
 * ptxas, no room for its files), HEDDLE_ERR_PTX_UNSUPPORTED (ptxas refuses the text). */
heddle_err ptxas_run(const char *program, const char *file, const char *text,
                     struct ptxas_result *out, struct heddle_diag *diag);

/* Frees the kernels; accepts a result of zeros. */
void ptxas_result_clear(struct ptxas_result *r);

/* The kernel of that name; NULL: there is none. */
const struct ptxas_kernel *ptxas_find(const struct ptxas_result *r, const char *name);

#endif
