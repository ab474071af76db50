/* access.h - loads and stores in their checked and noting forms. Private to exec/. */
#ifndef HEDDLE_EXEC_ACCESS_H
#define HEDDLE_EXEC_ACCESS_H

#include "exec/warp/exec_state.h"

/* Loads and stores without their short ways, for a launch with checks; else NULL. */
exec_fn exec_checked_access(const struct exec_op *op);
/* Accesses to global and local memory that note what they touch (launch->warming); else NULL. */
exec_fn exec_warming_access(const struct exec_op *op);

/* Generic or shared addresses of the lanes of mask; the other lanes repeat one of them. */
void exec_lane_addresses(const struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         uint64_t *address);

#endif
