/* perform.h - what a posted or pending operation does to memory. Private to exec/. */
#ifndef HEDDLE_EXEC_PERFORM_H
#define HEDDLE_EXEC_PERFORM_H

#include "exec/warp/exec_state.h"

/* Performs lanes of an operation on memory, in lane order; a result replaces the operation's data.
 * `clock`: what a clock register reads. Touches memory, the CTA's shared memory, the launch's
 * exec_io and the operation only. */
void exec_inflight_perform(struct exec_inflight *s, struct exec_cta *cta, uint32_t lanes,
                           uint64_t clock);
/* @return why the atomic operation does not exist, or NULL. */
const char *exec_atomic_missing(const struct exec_op *op);

#endif
