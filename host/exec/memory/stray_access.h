/* stray_access.h - accesses to the padding between allocations, and reads of unwritten global
 * memory. Private to exec/. */
#ifndef HEDDLE_EXEC_STRAY_ACCESS_H
#define HEDDLE_EXEC_STRAY_ACCESS_H

#include "exec/memory/in_flight.h"

/* For an access about to be performed: notes the lanes of part->stray in the launch's findings, and
 * replaces addresses in the page before a device's memory by those where its bytes lie
 * (exec_memory_padding()), in `own` (the part's) and in `all` (the access's; may be the same). */
void exec_stray_access(struct exec_warp *w, const struct exec_op *op, const struct exec_part *part,
                       uint64_t *own, uint64_t *all);

/* EXEC_CHECK_INIT, for an access to global memory about to be performed: a lane that reads bytes
 * that nobody has written (device_memory.h) is a finding; what the access writes counts as written.
 * Lanes of part->stray are left out. @return EX_NEXT, or EX_FAULT: the launch keeps no findings. */
exec_code exec_unwritten_access(struct exec_warp *w, const struct exec_op *op,
                                const struct exec_part *part, const uint64_t *address);

#endif
