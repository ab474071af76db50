/* lir_passes.h - the passes over a function. lir_optimize.c and ptx_compile.c run them in order.
 *
 * Of each: what it needs, what it changes, what is still valid afterwards. "Control flow" is the
 * result of lir_cfg_build; no pass needs lir_analyze, those that use it call it first, and no pass
 * leaves its result valid. All passes keep the sum of PTX instruction counts and the source lines.
 * One thread per function; memory comes from the function's arena. */
#ifndef PTX_LIR_PASSES_H
#define PTX_LIR_PASSES_H

#include "ptx/ir/lir.h"

/* ---- while there are pseudo operations, and later ------------------------------------------- */

/* Copies and constants into the instructions that use them, constant folding. Needs control flow;
 * a branch may become constant or vanish, so control flow is stale if it returns true.
 * @return true: something changed (so do those below). */
bool lir_propagate(struct lir_fn *fn);
/* Several instructions into one. Needs and keeps control flow. */
bool lir_combine(struct lir_fn *fn);
/* Common subexpressions: equal pure instructions, the dominating one stays. Needs and keeps control
 * flow. */
bool lir_cse(struct lir_fn *fn);
/* Dead code: results that nobody reads; atomics without a reader become reductions. Needs and keeps
 * control flow. */
bool lir_dce(struct lir_fn *fn);
/* Unrolls innermost loops, in full or in part. Needs nothing, builds control flow. Call again for
 * the loops around them. @return true: at least one. */
bool lir_unroll(struct lir_fn *fn);
/* Joins a block with its only successor when that follows it and has no other predecessor. Needs
 * and keeps control flow. */
void lir_merge_blocks(struct lir_fn *fn);
/* Pseudo operations to MIR operations. Needs nothing, keeps control flow. */
void lir_expand(struct lir_fn *fn);

/* ---- after lir_expand ----------------------------------------------------------------------- */

/* What lir_combine must not do earlier, since other passes would no longer see through it. Needs
 * and keeps control flow. */
void lir_combine_late(struct lir_fn *fn);
/* Immediates and constants go to registers where the hardware takes none; no later pass may put
 * them back where they do not fit (lir_operand_fits). Needs nothing, keeps control flow. */
void lir_legalize(struct lir_fn *fn);
/* Accesses to adjacent places of shared and local memory into one. Needs and keeps control flow. */
void lir_vectorize(struct lir_fn *fn);
/* One load of a constant for all blocks, outside of loops. Needs nothing, builds control flow. */
void lir_hoist_constants(struct lir_fn *fn);

/* All of the above, in their order, and vregs numbered anew without gaps. */
void lir_optimize(struct lir_fn *fn);

/* ---- after lir_optimize --------------------------------------------------------------------- */

/* Short branches become guards. Needs nothing, builds control flow. */
void lir_if_convert(struct lir_fn *fn);
/* Convergence barriers (BSSY, BSYNC) where lanes that part meet again, WARPSYNC where lanes may
 * come apart. Notes in each block whether they may. Needs and keeps control flow. From here on,
 * blocks neither come nor go. */
void lir_converge(struct lir_fn *fn);
/* Updates of loop variables write the variable itself instead of a vreg that is then copied. Needs
 * nothing, builds control flow. */
void lir_tie_operands(struct lir_fn *fn);
/* The order of instructions inside blocks. latency: [class], cycles. Needs nothing, builds control
 * flow. */
void lir_schedule(struct lir_fn *fn, const uint8_t *latency);
/* Gives every vreg a register (spilling to local memory as needed) and every predicate one of
 * seven, in m.dst, m.src[].reg, ... of the instructions; copies that got one register for both
 * sides vanish. Needs nothing; lir_emit comes next. False: it does not fit in max_regs. */
bool lir_allocate(struct lir_fn *fn);

#endif
