/* lir_passes.h - the passes over a function. lir_optimize.c and ptx_compile.c run them in order.
 *
 * Each comment says what the pass needs, what it changes, and what is still valid afterwards.
 * "Control flow" is the result of lir_cfg_build. No pass needs lir_analyze: those that use it call
 * it first, and none leaves its result valid. All passes keep the sum of PTX instruction counts and
 * the source lines. One thread per function; memory comes from the function's arena. */
#ifndef PTX_LIR_PASSES_H
#define PTX_LIR_PASSES_H

#include "ptx/ir/lir.h"

/* ---- while there are pseudo operations, and later ------------------------------------------- */

/* Puts copies and constants into the instructions that use them, and folds constants. Needs control
 * flow; a branch may become constant or vanish, so control flow is stale if it returns true.
 * @return something changed (the same holds for the passes below) */
bool lir_propagate(struct lir_fn *fn);
/* Combines several instructions into one. Needs and keeps control flow. */
bool lir_combine(struct lir_fn *fn);
/* Common subexpressions: of equal pure instructions, the dominating one stays. Needs and keeps
 * control flow. */
bool lir_cse(struct lir_fn *fn);
/* Removes dead code: results that nothing reads. Atomics without a reader become reductions. Needs
 * and keeps control flow. */
bool lir_dce(struct lir_fn *fn);
/* Gives each of several unrelated values of one vreg or predicate a name of its own. Needs and
 * keeps control flow. */
bool lir_split_webs(struct lir_fn *fn);
/* Results under a guard go to the vreg that keeps the old value in the other lanes, instead of one
 * that is then copied under the guard. Needs and keeps control flow. */
bool lir_join_guarded(struct lir_fn *fn);
/* Unrolls innermost loops, in full or in part. Needs nothing, builds control flow. Called again, it
 * unrolls the loops around them. @return it unrolled a loop */
bool lir_unroll(struct lir_fn *fn);
/* Joins a block with its only successor when that follows it and has no other predecessor. Needs
 * and keeps control flow. */
void lir_merge_blocks(struct lir_fn *fn);
/* Replaces pseudo operations by MIR operations. Needs nothing, keeps control flow. */
void lir_expand(struct lir_fn *fn);

/* ---- after lir_expand ----------------------------------------------------------------------- */

/* Combinations that lir_combine must not make earlier, since other passes would no longer see
 * through them. Needs and keeps control flow. */
void lir_combine_late(struct lir_fn *fn);
/* Moves immediates and constants to registers where the hardware takes none; no later pass may put
 * them back where they do not fit (lir_operand_fits). Needs nothing, keeps control flow. */
void lir_legalize(struct lir_fn *fn);
/* Merges accesses to adjacent places of shared and local memory. Needs and keeps control flow. */
void lir_vectorize(struct lir_fn *fn);
/* One load of a constant for all blocks, outside of loops. Needs nothing, builds control flow. */
void lir_hoist_constants(struct lir_fn *fn);

/* Runs all passes above in their order, and renumbers the vregs without gaps. Needs nothing, builds
 * control flow. */
void lir_optimize(struct lir_fn *fn);

/* ---- after lir_optimize --------------------------------------------------------------------- */

/* Guards in place of short branches. Needs control flow and keeps it. */
void lir_if_convert(struct lir_fn *fn);
/* Inserts convergence barriers (BSSY, BSYNC) where diverged lanes meet again, and removes WARPSYNC
 * where no lanes can be apart. Fills `diverged` of each block. Needs and keeps control flow. Later
 * passes neither add nor remove blocks. */
void lir_converge(struct lir_fn *fn);
/* Part of lir_converge: YIELD in loops that spin. `splits`: [block] its branch may divide a warp.
 * Needs and keeps control flow. */
void lir_yield(struct lir_fn *fn, const bool *splits);
/* Updates of loop variables write the variable itself instead of a vreg that is then copied. Needs
 * nothing, builds control flow. */
void lir_tie_operands(struct lir_fn *fn);
struct ptx_latency; /* ptx_control.h */
/* Of an order of instructions: the most vregs live at once in a block, and the limit from which the
 * scheduler saved some. */
struct lir_pressure {
    uint32_t most, limit;
};
/* Reorders the instructions inside blocks, so that at most `limit` vregs are live where that is
 * possible; 0: a limit that keeps warps in the SM. Needs nothing, builds control flow. */
struct lir_pressure lir_schedule(struct lir_fn *fn, const struct ptx_latency *latency,
                                 uint32_t limit);
/* Gives every vreg a register (spilling to local memory as needed) and every predicate one of
 * seven, in m.dst, m.src[].reg, ... of the instructions. Copies whose sides share a register
 * vanish. Fills fn->num_regs. Needs nothing; lir_emit comes next. @return false: the function does
 * not fit into max_regs */
bool lir_allocate(struct lir_fn *fn);
/* Schedules and allocates. Where the order had to save registers, does so again with all those that
 * cost the SM no warp. The same contract as lir_allocate. */
bool lir_place(struct lir_fn *fn, const struct ptx_latency *latency);

#endif
