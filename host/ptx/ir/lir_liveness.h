/* lir_liveness.h - which vregs and predicates are live where. */
#ifndef PTX_LIR_LIVE_H
#define PTX_LIR_LIVE_H

#include "ptx/ir/lir.h"

/* Bit sets over vregs followed by bit sets over predicates, in the arena given. A set of predicates
 * begins n_longs behind its set of vregs. */
struct lir_liveness {
    uint64_t **out, **pred_out;     /* [block id] at the end */
    uint64_t **in;                  /* [block id] at the head */
    uint32_t n_longs, n_pred_longs; /* 64-bit words of a set */
};

/* Fills `live` for all blocks. Needs lir_cfg_build. Changes nothing in the function. */
void lir_liveness_build(struct lir_fn *fn, struct lir_liveness *live, struct arena *arena);
/* Steps a pair of sets backwards over one instruction: from live behind it to live before it. */
void lir_liveness_step(const struct lir_fn *fn, const struct lir_inst *in, uint64_t *vregs,
                       uint64_t *preds);
/* @return the register pressure: the most vregs live at once, in the present order of
 * instructions. */
uint32_t lir_max_pressure(struct lir_fn *fn, const struct lir_liveness *live);

#endif
