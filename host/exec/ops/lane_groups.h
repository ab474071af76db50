/* lane_groups.h - divergence: which lanes of a warp run together. Private to exec/ops.
 *
 * All functions read and write the warp on its thread: its active lanes, pc, lane_pc, the masks of
 * waiting lanes and, where they return EX_STOP or EX_FAULT, its status. */
#ifndef HEDDLE_EXEC_LANE_GROUPS_H
#define HEDDLE_EXEC_LANE_GROUPS_H

#include "exec/warp/exec_state.h"

/* Chooses the lanes to run next: of those that can run, the ones with the lowest pc. Sets active
 * and pc. @return EX_JUMP; EX_STOP when the warp has ended or waits at a CTA barrier; EX_FAULT
 * (HEDDLE_ERR_BARRIER) when its lanes wait for each other. */
exec_code exec_choose(struct exec_warp *w);
/* The launch is cancelled: all live lanes go to an EXIT, whatever they wait for. */
void exec_leave(struct exec_warp *w);
/* The active lanes outside `gone` continue behind op; if there are none, exec_choose() picks
 * others. */
exec_code exec_go_on(struct exec_warp *w, const struct exec_op *op, uint32_t gone);
/* Sets lane_pc of these lanes, which do not run now. */
void exec_park(struct exec_warp *w, uint32_t lanes, uint32_t pc);
/* The active lanes have branched backwards to `target` while other lanes of the warp are elsewhere.
 * Counts the branch and switches to another group when its turn has come. @return EX_JUMP. */
exec_code exec_backward(struct exec_warp *w, uint32_t target);
/* Switches to another group that can run, if there is one; the active lanes resume at `pc` later.
 * @return EX_JUMP. */
exec_code exec_yield(struct exec_warp *w, uint32_t pc);
/* After lanes have left (exit, BREAK): releases lanes that waited for nobody else at a convergence
 * barrier or warp sync. */
void exec_recheck(struct exec_warp *w);
/* Brings the lanes of a member mask together at op, for operations over lanes. `members` holds the
 * member mask that each lane of `mask` names. @return EX_NEXT when all live members are in `mask`;
 * else the lanes of mask wait, and EX_MOVED (others run), EX_HELD or EX_FAULT. */
exec_code exec_gather(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                      const warp_reg *members);

#endif
