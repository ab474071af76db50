/* access.h - forms of loads and stores that program.c chooses when it decodes a launch. Private to
 * exec/. */
#ifndef HEDDLE_EXEC_ACCESS_H
#define HEDDLE_EXEC_ACCESS_H

#include "exec/warp/exec_state.h"

/* @return the function of a load or store for a launch with checks: without fast paths. NULL for
 * all other operations: local memory is private to a thread, and atomics have no fast path. */
exec_fn exec_checked_access(const struct exec_op *op);
/* @return the function of an access to global or local memory that also writes the cache-warming
 * log (launch->warming). NULL: op is none. */
exec_fn exec_warming_access(const struct exec_op *op);

/* Sets `address` to the generic addresses (or offsets, by the operation's space) of the lanes of
 * mask; the other lanes repeat one of them. */
void exec_lane_addresses(const struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         uint64_t *address);

#endif
