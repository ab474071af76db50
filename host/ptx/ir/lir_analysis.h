/* lir_analysis.h - what passes ask about a function: control flow, definitions and uses, memory.
 *
 * Two results are stored in the function and its blocks until they become stale. Control flow
 * (lir_cfg_build) becomes stale when a branch is added, removed or changes its target. Definitions
 * and uses (lir_analyze) become stale with every instruction that is added, removed or changes its
 * operands; a pass that edits while it uses them must stay correct when counts of uses are too
 * high. The other functions here change nothing. */
#ifndef PTX_LIR_ANALYSIS_H
#define PTX_LIR_ANALYSIS_H

#include "ptx/ir/lir.h"

/* ---- lir_cfg.c ------------------------------------------------------------------------------ */

/* Fills in the blocks: ids, successors, predecessors, dominators, post-dominators, loop depth; in
 * `fn`: the reverse post-order. Takes unreachable blocks out of the layout. Post-dominators ignore
 * paths that only exit. */
void lir_cfg_build(struct lir_fn *fn);
/* @return every path from the entry to b passes a. Needs lir_cfg_build. */
bool lir_dominates(const struct lir_block *a, const struct lir_block *b);
/* @return a path of at least one edge leads from `from` to `to`. Needs lir_cfg_build; takes work
 * space from fn->arena. */
bool lir_leads_to(struct lir_fn *fn, const struct lir_block *from, const struct lir_block *to);
/* @return the block consists of one unguarded EXIT. */
bool lir_only_exits(const struct lir_block *b);
/* Numbers the instructions in layout order, from 0: in->pos. */
void lir_number(struct lir_fn *fn);

/* ---- lir_defuse.c --------------------------------------------------------------------------- */

/* Fills fn->vreg_info and fn->pred_info: definitions and uses of all vregs and predicates, and
 * which of them are single. Numbers the instructions. Needs lir_cfg_build. */
void lir_analyze(struct lir_fn *fn);
/* @return the way to `use` always leads over `def`. Needs lir_analyze. */
bool lir_comes_first(const struct lir_inst *def, const struct lir_inst *use);
/* The result of the last lir_analyze. A vreg or predicate made since then counts as one with
 * several definitions and uses. */
const struct lir_info *lir_vreg_info(const struct lir_fn *fn, lir_vreg w);
const struct lir_info *lir_pred_info(const struct lir_fn *fn, uint32_t p);
/* The instruction that defines exactly the group of n vregs at w, all single; NULL otherwise. */
struct lir_inst *lir_def_of(const struct lir_fn *fn, lir_vreg w, unsigned n);
/* @return the sources of `def`, predicates included, hold the same values at `use` as at `def`. */
bool lir_sources_reach(const struct lir_fn *fn, const struct lir_inst *def,
                       const struct lir_inst *use);

/* ---- lir_memory.c --------------------------------------------------------------------------- */

/* @return the instruction is a load, store, reduction or atomic. */
bool lir_touches_memory(const struct lir_inst *in);
/* @return the instruction orders memory accesses otherwise (fence, barrier, clock, system call), or
 * must keep its place among them (exchange between lanes, pause, terminator). */
bool lir_orders_memory(const struct lir_inst *in);
/* @return two accesses must keep their order: they may touch the same byte and one writes, or both
 * are strong. Needs lir_analyze. */
bool lir_may_conflict(const struct lir_fn *fn, const struct lir_inst *a, const struct lir_inst *b);

#endif
