/* ptxas.h - runs NVIDIA's assembler on PTX and says what came out, kernel by kernel. */
#ifndef HEDDLE_CLI_PTXAS_H
#define HEDDLE_CLI_PTXAS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cubin.h"
#include "common/error.h"

struct ptxas_kernel {
    char *name; /* as in PTX (mangled) */
    uint32_t registers;
    uint32_t spill_bytes; /* stored and loaded again, each place once */
    struct cubin_kernel code;
};

struct ptxas_result {
    GArray *kernels; /* of struct ptxas_kernel, in the order of ptxas; NULL: none */
};

/* Assembles the PTX text for sm_75, the lowest architecture that recent versions write code for.
 * `program` is a path, or NULL: ptxas as the shell finds it. `file` stands in messages.
 * @return HEDDLE_OK, or an error with the reason in diag: HEDDLE_ERR_IO (no ptxas, no room for its
 * files), HEDDLE_ERR_PTX_UNSUPPORTED (ptxas refuses the text). */
heddle_err ptxas_run(const char *program, const char *file, const char *text,
                     struct ptxas_result *out, struct heddle_diag *diag);

/* Accepts what was never filled. */
void ptxas_result_clear(struct ptxas_result *r);

/* NULL: there is no such kernel. */
const struct ptxas_kernel *ptxas_find(const struct ptxas_result *r, const char *name);

#endif
