/* fault.h - how operations and checks raise a fault. Private to exec/. Threads: that of the warp's
 * CTA. */
#ifndef HEDDLE_EXEC_FAULT_H
#define HEDDLE_EXEC_FAULT_H

#include "exec/warp/exec_state.h"

/* Fills in the CTA's fault for the first of `lanes` (lane 0 if none) and sets the warp's status to
 * EXEC_FAULT. Overwrites an earlier fault. `reason`: static text or NULL. The caller may add an
 * address or a detail to cta->fault. @return EX_FAULT. */
exec_code exec_raise(struct exec_warp *w, const struct exec_op *op, uint32_t lanes, heddle_err err,
                     const char *reason);

/* Adds the other side of a race or barrier to the CTA's fault: the thread, by number in a CTA, and
 * the instruction. */
void exec_fault_other(struct exec_cta *cta, bool write, uint32_t thread, uint32_t pc);

#endif
