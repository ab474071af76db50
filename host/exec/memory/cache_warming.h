/* cache_warming.h - the cache-warming log of kernel sampling: the lines of device memory that
 * functional launches access, in order. These lines would be in L2 if those launches had been
 * timed.
 *
 * A launch logs a line of 128 bytes once, at its first load, store, reduction or atomic on global
 * or local memory. Texture and surface accesses are not logged. Local memory has lines of its own:
 * word k of a warp's lanes is line k of its place on an SM.
 *
 * Owner: the GPU (sched/). Threads: one launch at a time, on one thread: the order is always the
 * same. */
#ifndef HEDDLE_EXEC_CACHE_WARMING_H
#define HEDDLE_EXEC_CACHE_WARMING_H

#include <stdint.h>

#include "common/error.h"
#include "exec/memory/device_memory.h"

enum { WARMING_LINE = 128 }; /* bytes */

struct exec_warming;

/* Sizes of the simulated GPU. */
struct exec_warming_options {
    uint32_t cache;         /* lines in L2; the log forgets older ones */
    uint32_t local_line;    /* number of the first line of local memory; device memory lies below */
    uint32_t sms, sm_warps; /* SMs, places for warps on each */
};
/* Creates an empty log for a memory, whose base and size it keeps. @return HEDDLE_ERR_NOMEM. */
heddle_err exec_warming_create(struct exec_warming **out, const struct exec_memory *memory,
                               const struct exec_warming_options *options);
/* Frees the log. Accepts NULL. */
void exec_warming_free(struct exec_warming *t);

/* Begins the next launch, which logs lines anew. Its threads have `local_bytes` of local memory
 * each. @return HEDDLE_ERR_NOMEM. */
heddle_err exec_warming_begin(struct exec_warming *t, uint32_t local_bytes);

/* Consecutive lines, by their number from the base of the memory. */
struct exec_warming_run {
    uint32_t first, count;
};
/* Empties the log. @return runs of the lines accessed since the last call: the latest `cache` of
 * them, each once, the latest last; accesses close in time are sorted by address. *count: number of
 * runs. They are valid until the next call of a function of this file. */
const struct exec_warming_run *exec_warming_take(struct exec_warming *t, uint32_t *count);

#endif
