/* lane_groups.h - divergence: which lanes of a warp run together. Private to exec/ops.
 *
 * All functions read and write the warp: its active lanes, pc, lane_pc and status. */
#ifndef HEDDLE_EXEC_LANE_GROUPS_H
#define HEDDLE_EXEC_LANE_GROUPS_H

#include "exec/warp/exec_state.h"

/* Takes up lanes that can run, those with the lowest pc: sets active and pc. @return EX_JUMP, or
 * EX_STOP when the warp has ended or waits at a CTA barrier, or EX_FAULT when its lanes wait for
 * each other. */
exec_code exec_choose(struct exec_warp *w);
/* The active lanes not in `gone` go on behind op; when there are none, others. */
exec_code exec_go_on(struct exec_warp *w, const struct exec_op *op, uint32_t gone);
/* Sets the pc of lanes that do not run now. */
void exec_park(struct exec_warp *w, uint32_t lanes, uint32_t pc);
/* A group has branched backwards to `target` while other lanes of the warp are elsewhere. Counts,
 * and hands over to others when it is their turn. */
exec_code exec_backward(struct exec_warp *w, uint32_t target);
/* Lets another group run that can, and resumes this one at `pc` later. */
exec_code exec_yield(struct exec_warp *w, uint32_t pc);
/* After lanes have left (exit, BREAK): lanes that waited for nobody else may go on. */
void exec_recheck(struct exec_warp *w);
/* Brings the lanes of a member mask together at op, for operations over lanes; each lane of `mask`
 * names its own members.
 * @return EX_NEXT when all live ones are among `mask`; else EX_MOVED, EX_HELD or EX_FAULT. */
exec_code exec_gather(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                      const warp_reg *members);

#endif
