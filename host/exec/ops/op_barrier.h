/* op_barrier.h - CTA barriers, for the operations that end lanes. Private to exec/ops. */
#ifndef HEDDLE_EXEC_OP_BARRIER_H
#define HEDDLE_EXEC_OP_BARRIER_H

#include "exec/warp/exec_state.h"

/* A warp of the CTA has ended: barriers that wait for all live warps may be complete. */
void exec_barrier_exit(struct exec_cta *cta);
/* The warp arrives when all its live lanes stand at a CTA barrier. @return true if it now did. */
bool exec_barrier_check(struct exec_warp *w);

#endif
