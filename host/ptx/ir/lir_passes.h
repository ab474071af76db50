/* lir_passes.h - helpers that the passes of lir.h share; private to lir_*.c. */
#ifndef PTX_LIR_PASSES_H
#define PTX_LIR_PASSES_H

#include "ptx/ir/lir.h"

#define RZ_SOURCE (lir_reg(0))

/* Is the block nothing but EXIT? */
bool lir_only_exits(const struct lir_block *b);
/* Replaces an instruction whose sources are constants (or trivial) by a simpler one. */
bool lir_fold(struct lir_fn *fn, struct lir_inst *in);

/* ---- lir_defuse.c ---- */

/* What the last lir_analyze knows of a vreg or predicate; of one made since, nothing. */
const struct lir_info *lir_vreg_info(const struct lir_fn *fn, lir_vreg w);
const struct lir_info *lir_pred_info(const struct lir_fn *fn, uint32_t p);
/* The instruction that defines exactly the group of n vregs at w, all single; NULL otherwise. */
struct lir_inst *lir_def_of(const struct lir_fn *fn, lir_vreg w, unsigned n);
/* May the sources of `def` be read at `use` with the same values? */
bool lir_sources_reach(const struct lir_fn *fn, const struct lir_inst *def,
                       const struct lir_inst *use);

/* ---- lir_edit.c ---- */

/* Turns the instruction into another operation with no operands, keeping place, guard and count. */
void lir_reset(struct lir_inst *in, unsigned op);
void lir_set_dst(struct lir_inst *in, lir_vreg w);
/* Creates an instruction in front of `at` that belongs to the same PTX line. */
struct lir_inst *lir_new_before(struct lir_fn *fn, struct lir_inst *at, unsigned op);
/* Exchanges operands 0 and 1 where the meaning can be kept; false otherwise. */
bool lir_swap(struct lir_inst *in);

/* ---- lir_memory.c ---- */

/* Loads, stores, reductions and atomics. */
bool lir_touches_memory(const struct lir_inst *in);
/* Everything else that orders memory, or must keep its place among such things. */
bool lir_orders_memory(const struct lir_inst *in);
/* Can two accesses touch the same byte, one of them writing, or must they keep their order? */
bool lir_may_conflict(const struct lir_fn *fn, const struct lir_inst *a, const struct lir_inst *b);

#endif
