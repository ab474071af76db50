/* fault.h - how operations and checks raise a fault. Private to exec/. */
#ifndef HEDDLE_EXEC_FAULT_H
#define HEDDLE_EXEC_FAULT_H

#include "exec/warp/exec_state.h"

/* Fills the CTA's fault for the first of `lanes` and stops the warp. `reason`: static text or NULL.
 * @return EX_FAULT. */
exec_code exec_raise(struct exec_warp *w, const struct exec_op *op, uint32_t lanes, heddle_err err,
                     const char *reason);

/* Adds the other side of a race to the CTA's fault. */
void exec_fault_other(struct exec_cta *cta, bool write, uint32_t thread, uint32_t pc);

#endif
