/* server_options.h - what the command passes to the CUDA server: GPUs, their address space, the
 * compiler, callbacks. */
#ifndef HEDDLE_CUDA_BASE_SERVER_OPTIONS_H
#define HEDDLE_CUDA_BASE_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config.h"
#include "common/error.h"
#include "cuda/base/address_space.h"
#include "mir/mir.h"
#include "sched/gpu.h"

/* Compiles `n` PTX texts (NUL-terminated, `bytes` without the NUL) into MIR and, if there are
 * several, links them. On success the caller owns *out. */
struct server_ptx {
    const char *text;
    size_t bytes;
};
typedef heddle_err (*server_compile_fn)(const struct config *config, struct mir_module **out,
                                        const struct server_ptx *ptx, unsigned n, const char *name,
                                        struct heddle_diag *diag);

struct server_options {
    const struct config *config; /* borrowed */
    struct address_space *space; /* borrowed */
    struct gpu *gpu;             /* borrowed: device 0 */
    struct gpu *const *more;     /* borrowed: devices 1.. */
    unsigned num_more;
    server_compile_fn compile;
    /* True for kernels to time (NULL: all): readable name, name in PTX, number from 0. */
    bool (*times)(void *user, const char *title, const char *name, uint64_t launch);
    void *times_user;
    /* Sees all bytes for a program before it gets them, and may replace them (NULL: nothing
     * does). */
    void (*answer)(void *user, void *bytes, uint32_t count);
    void *answer_user;
    bool strict_target; /* refuse PTX for a newer compute capability than the GPU's */
    bool quiet;         /* no notices on standard error; errors always */
};

#endif
