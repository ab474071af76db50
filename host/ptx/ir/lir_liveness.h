/* lir_liveness.h - which vregs and predicates are live where. */
#ifndef PTX_LIR_LIVE_H
#define PTX_LIR_LIVE_H

#include "ptx/ir/lir.h"

/* What is live at both ends of each block. Only few vregs and predicates ever are: those that some
 * block reads before it writes them. These have a number, in rising order, vregs first, and the
 * sets a bit for each number. */
struct lir_liveness {
    uint64_t **in, **out; /* [block id] at the head, at the end */
    uint32_t *number;     /* [vreg, then n_vregs + predicate] its number + 1; 0: it has none */
    uint32_t *name;       /* [number] the vreg, or n_vregs + the predicate */
    uint32_t n, n_longs;  /* numbers; 64-bit words of a set */
    uint32_t n_vregs;     /* fn->n_vregs when this was built */
};

/* Fills `live` for all blocks, in `arena`. Needs lir_cfg_build. Changes nothing in the function. */
void lir_liveness_build(struct lir_fn *fn, struct lir_liveness *live, struct arena *arena);

/* @return a vreg, or a predicate, is in a set of `live`. */
static inline bool lir_live_name(const struct lir_liveness *l, const uint64_t *set, uint32_t name) {
    const uint32_t at = l->number[name];
    return at && set[(at - 1) / 64] >> (at - 1) % 64 & 1;
}
static inline bool lir_live_vreg(const struct lir_liveness *l, const uint64_t *set, lir_vreg w) {
    return w < l->n_vregs && lir_live_name(l, set, w);
}
static inline bool lir_live_pred(const struct lir_liveness *l, const uint64_t *set, uint32_t p) {
    return lir_live_name(l, set, l->n_vregs + p);
}

/* A pair of bit sets with a bit for every vreg, and for every predicate: what is live within a
 * block. */
struct lir_live_sets {
    uint64_t *vregs, *preds;
    uint32_t n_longs, n_pred_longs; /* 64-bit words */
};
/* Empty sets, in `arena`. */
struct lir_live_sets lir_live_sets_create(const struct lir_fn *fn, struct arena *arena);
/* Makes the sets what is live at the end of the block. */
void lir_live_sets_begin(struct lir_live_sets *now, const struct lir_liveness *live,
                         const struct lir_block *b);
/* Steps the sets backwards over one instruction: from live behind it to live before it. */
void lir_live_sets_step(const struct lir_fn *fn, const struct lir_inst *in,
                        struct lir_live_sets *now);
/* @return the register pressure: the most vregs live at once, in the present order of
 * instructions. */
uint32_t lir_max_pressure(struct lir_fn *fn, const struct lir_liveness *live);

#endif
