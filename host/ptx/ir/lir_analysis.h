/* lir_analysis.h - what passes ask about a function: control flow, definitions and uses, memory.
 *
 * Two results live in the function and its blocks until something changes under them. Control flow
 * (lir_cfg_build) is stale when a branch comes, goes or changes its target. Definitions and uses
 * (lir_analyze) are stale with every instruction that comes, goes or changes its operands; a pass
 * that edits as it goes must be right though counts of uses are too high. Everything else here
 * changes nothing. */
#ifndef PTX_LIR_ANALYSIS_H
#define PTX_LIR_ANALYSIS_H

#include "ptx/ir/lir.h"

/* ---- lir_cfg.c ------------------------------------------------------------------------------ */

/* Successors, predecessors, reverse post-order, dominators, post-dominators, loop depth;
 * unreachable blocks leave the layout. Post-dominators ignore ways that only exit. */
void lir_cfg_build(struct lir_fn *fn);
/* Does every way from the entry to b pass a? Needs lir_cfg_build. */
bool lir_dominates(const struct lir_block *a, const struct lir_block *b);
/* Is the block nothing but EXIT? */
bool lir_only_exits(const struct lir_block *b);
/* Numbers the instructions in layout order: in->pos. */
void lir_number(struct lir_fn *fn);

/* ---- lir_defuse.c --------------------------------------------------------------------------- */

/* Definitions and uses of all vregs and predicates, and which of them are single. Numbers the
 * instructions. Needs lir_cfg_build. */
void lir_analyze(struct lir_fn *fn);
/* What the last lir_analyze found out; of a vreg or predicate made since: nothing is known. */
const struct lir_info *lir_vreg_info(const struct lir_fn *fn, lir_vreg w);
const struct lir_info *lir_pred_info(const struct lir_fn *fn, uint32_t p);
/* The instruction that defines exactly the group of n vregs at w, all single; NULL otherwise. */
struct lir_inst *lir_def_of(const struct lir_fn *fn, lir_vreg w, unsigned n);
/* May the sources of `def` be read at `use` with the same values? */
bool lir_sources_reach(const struct lir_fn *fn, const struct lir_inst *def,
                       const struct lir_inst *use);

/* ---- lir_memory.c --------------------------------------------------------------------------- */

/* Loads, stores, reductions and atomics. */
bool lir_touches_memory(const struct lir_inst *in);
/* Everything else that orders memory, or must keep its place among such things. */
bool lir_orders_memory(const struct lir_inst *in);
/* Can two accesses touch the same byte, one of them writing, or must they keep their order? */
bool lir_may_conflict(const struct lir_fn *fn, const struct lir_inst *a, const struct lir_inst *b);

#endif
