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

/* exec_raise() of one lane's access, op->width bytes at the address of the space. @return
 * EX_FAULT. */
exec_code exec_raise_access(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                            uint8_t space, uint64_t address, heddle_err err, const char *reason);

/* For checks whose findings need not end the launch, after exec_raise(): moves the fault of the
 * warp's CTA into the launch's list of findings (finding.h), and gives the warp back the status
 * that it had `before`. @return EX_NEXT: go on; EX_FAULT: there is no list, and the fault
 * stands. */
exec_code exec_found(struct exec_warp *w, exec_status before);

/* Adds the other side of a race or barrier to the CTA's fault: the thread, by number in a CTA, and
 * the instruction. */
void exec_fault_other(struct exec_cta *cta, bool write, uint32_t thread, uint32_t pc);

#endif
