/* cache_warming.h - which lines of device memory launches have touched that were carried out in
 * function only, and in which order: what they would have left in L2 (kernel sampling).
 *
 * A line of 128 bytes is noted once a launch, at its first access to global or local memory by a
 * load, a store, a reduction or an atomic; fetches of textures and surfaces are not noted. Local
 * memory has lines of its own: word k of a warp's lanes is line k of its place on an SM. One launch
 * at a time, on one thread: the order is always the same. */
#ifndef HEDDLE_EXEC_CACHE_WARMING_H
#define HEDDLE_EXEC_CACHE_WARMING_H

#include <stdint.h>

#include "common/error.h"
#include "exec/memory/device_memory.h"

enum { TOUCHED_LINE = 128 }; /* bytes */

struct exec_touched;

struct exec_touched_options {
    uint32_t cache;         /* lines that it holds; older ones are forgotten */
    uint32_t local_line;    /* the first line of local memory; those of device memory lie below */
    uint32_t sms, sm_warps; /* SMs, places for warps on each */
};
heddle_err exec_touched_create(struct exec_touched **out, const struct exec_memory *memory,
                               const struct exec_touched_options *options);
void exec_touched_free(struct exec_touched *t);

/* The next launch begins, its threads with so much local memory: its accesses count anew.
 * @return HEDDLE_ERR_NOMEM. */
heddle_err exec_touched_begin(struct exec_touched *t, uint32_t local_bytes);

/* Consecutive lines, by their number from the base of the memory. */
struct exec_touched_run {
    uint32_t first, count;
};
/* What was touched last since the last call, as many lines as the cache holds, each once, the
 * latest at the end; accesses that lie close together in time are in order of address. The runs
 * are valid until the next call of a function here. */
const struct exec_touched_run *exec_touched_take(struct exec_touched *t, uint32_t *count);

#endif
