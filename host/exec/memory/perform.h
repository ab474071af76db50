/* perform.h - the effect of a posted or pending operation on memory. Private to exec/. */
#ifndef HEDDLE_EXEC_PERFORM_H
#define HEDDLE_EXEC_PERFORM_H

#include "exec/warp/exec_state.h"

/* Performs lanes of an operation on memory, in lane order; a result replaces the operation's data.
 * `clock`: the value that a clock register gets. Touches device memory, the CTA's shared memory,
 * the launch's exec_io and the operation only. Threads: the one that performs the operation's
 * sectors. */
void exec_inflight_perform(struct exec_inflight *s, struct exec_cta *cta, uint32_t lanes,
                           uint64_t clock);
/* @return why the atomic operation does not exist, as static text, or NULL: it exists. */
const char *exec_atomic_missing(const struct exec_op *op);

#endif
