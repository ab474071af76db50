/* op_barrier.h - CTA barriers, for exec_op_EXIT(). Private to exec/ops. Both functions read and
 * write the CTA's barriers and its warps, on the CTA's thread. */
#ifndef HEDDLE_EXEC_OP_BARRIER_H
#define HEDDLE_EXEC_OP_BARRIER_H

#include "exec/warp/exec_state.h"

/* A warp of the CTA has ended (live_warps is already less): releases barriers that are complete
 * without it. */
void exec_barrier_exit(struct exec_cta *cta);
/* The warp arrives at barrier w->bar_id if all its live lanes stand there, once. The last warp to
 * arrive releases all. @return true if the warp arrived in this call; then its lanes may already
 * run again (w->at_bar is 0). */
bool exec_barrier_check(struct exec_warp *w);

#endif
