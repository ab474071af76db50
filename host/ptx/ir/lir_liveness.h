/* lir_liveness.h - which vregs and predicates are live where. */
#ifndef PTX_LIR_LIVE_H
#define PTX_LIR_LIVE_H

#include "ptx/ir/lir.h"

/* Bit sets over vregs and, behind them, over predicates; in the arena given. */
struct lir_liveness {
    uint64_t **out, **pred_out; /* [block id] at the end */
    uint64_t **in;              /* [block id] at the head */
    uint32_t n_longs, n_pred_longs;
};

void lir_liveness_build(struct lir_fn *fn, struct lir_liveness *live, struct arena *arena);
/* Steps a pair of sets upwards over one instruction. */
void lir_liveness_step(const struct lir_fn *fn, const struct lir_inst *in, uint64_t *vregs,
                       uint64_t *preds);
/* @return the register pressure: how many vregs are live at once at most, in the present order. */
uint32_t lir_max_pressure(struct lir_fn *fn, const struct lir_liveness *live);

#endif
