/* lir_edit.h - changes one instruction in place, or adds one beside it. Results of lir_analyze are
 * stale afterwards. */
#ifndef PTX_LIR_EDIT_H
#define PTX_LIR_EDIT_H

#include "ptx/ir/lir.h"

#define RZ_SOURCE (lir_reg(0))

/* Turns the instruction into another operation without operands and results. It keeps its place,
 * guard, line, location and PTX count. */
void lir_reset(struct lir_inst *in, unsigned op);
/* Makes w the first vreg that the instruction writes; 0: none. */
void lir_set_dst(struct lir_inst *in, lir_vreg w);
/* Creates an instruction in front of `at`, with the same PTX line and location and a count of 0. */
struct lir_inst *lir_new_before(struct lir_fn *fn, struct lir_inst *at, unsigned op);
/* Exchanges operands 0 and 1 and adapts the operation (comparison, table, predicate) so that the
 * result stays the same. @return false: not possible, nothing has changed */
bool lir_swap(struct lir_inst *in);
/* lir_fold.c: replaces an instruction whose sources are constants, or that needs no computation, by
 * a simpler one, in place. May insert an instruction before it. Needs lir_analyze. @return true: it
 * changed */
bool lir_fold(struct lir_fn *fn, struct lir_inst *in);

#endif
