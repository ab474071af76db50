/* ptx_target.h - compiles PTX for a simulated GPU: the compiler's options from the GPU's
 * parameters. Stateless: threads may compile at the same time. */
#ifndef PTX_PTX_TARGET_H
#define PTX_PTX_TARGET_H

#include <stddef.h>

#include "common/config.h"
#include "common/error.h"
#include "mir/mir.h"
#include "ptx/parse/ptx_link.h"
#include "ptx/ptx.h"

/* Sets what the GPU decides (latencies, registers, shared memory, capability), and the hint of
 * messages about what is not supported; the rest of *o stays. */
void ptx_target_options(const struct config *config, struct ptx_options *o);

/* Compiles n >= 1 texts for the GPU, and links them if there are several; kernels have no code
 * until mir_module_compile(). `name` stands in messages. On success the caller frees *out with
 * mir_module_free(). @return the error of ptx_link() or ptx_compile(), described in diag. */
heddle_err ptx_target_compile(const struct config *config, const struct ptx_piece *piece,
                              unsigned n, const char *name, struct mir_module **out,
                              struct heddle_diag *diag);

#endif
