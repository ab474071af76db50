/* lir_edit.h - changing one instruction in place, or adding one beside it. Definitions and uses
 * (lir_analyze) are stale afterwards. */
#ifndef PTX_LIR_EDIT_H
#define PTX_LIR_EDIT_H

#include "ptx/ir/lir.h"

#define RZ_SOURCE (lir_reg(0))

/* Turns the instruction into another operation with no operands, keeping place, guard and count. */
void lir_reset(struct lir_inst *in, unsigned op);
void lir_set_dst(struct lir_inst *in, lir_vreg w);
/* Creates an instruction in front of `at` that belongs to the same PTX line. */
struct lir_inst *lir_new_before(struct lir_fn *fn, struct lir_inst *at, unsigned op);
/* Exchanges operands 0 and 1 where the meaning can be kept; false otherwise. */
bool lir_swap(struct lir_inst *in);
/* lir_fold.c: replaces an instruction whose sources are constants (or trivial) by a simpler one.
 * Needs lir_analyze. @return true: it did */
bool lir_fold(struct lir_fn *fn, struct lir_inst *in);

#endif
