/* lir_alloc.h - what the files of the register allocator share. */
#ifndef PTX_LIR_ALLOC_H
#define PTX_LIR_ALLOC_H

#include "ptx/ir/lir.h"

/* Positions: an instruction with number p reads at 2p and writes at 2p + 1. A live interval is a
 * list of half-open segments [from, to) in rising order. `value` names what the register holds in a
 * segment, so that copies of one value may share a register though their intervals overlap. */
struct lir_segment {
    uint32_t from, to;
    uint32_t value;
};

struct lir_interval {
    struct lir_segment *s;
    uint32_t n, cap;
    uint32_t
        late; /* position of the last read by a memory instruction, which reads late; 0 = none */
};

struct lir_intervals {
    struct arena *arena;
    struct lir_interval *vreg; /* [fn->n_vregs] */
    struct lir_interval *pred; /* [fn->n_preds] */
    uint32_t n_positions;
};

/* Numbers the instructions and works out the live intervals of all vregs and predicates. */
void lir_intervals_build(struct lir_fn *fn, struct lir_intervals *l, struct arena *arena);
/* Do the live intervals meet in a segment where they hold different values? */
bool lir_intervals_conflict(const struct lir_interval *a, const struct lir_interval *b);
/* a becomes the union of both. */
void lir_interval_merge(struct arena *arena, struct lir_interval *a, const struct lir_interval *b);

/* Vregs that an instruction reads beside another one through the ports of the register file. */
struct lir_partner {
    lir_vreg vreg;
    uint32_t weight; /* 1, in loops more */
};
struct lir_banks {
    uint32_t *first, *filled; /* [vreg] partners of vreg w: from first[w], filled[w] of them */
    struct lir_partner *partner;
    bool *placed; /* [vreg] by the allocator: has its register */
};

void lir_banks_build(struct lir_fn *fn, struct lir_banks *b, struct arena *arena);
/* @return the bank of the vreg's partners that are fewer, 0: even registers, 1: odd; -1: either */
int lir_bank_wanted(const struct lir_fn *fn, const struct lir_banks *b, lir_vreg w,
                    const uint8_t *reg);

/* Joins vregs that copies connect, so that the copies vanish: renames them in the instructions and
 * merges their live intervals. */
void lir_coalesce(struct lir_fn *fn, struct lir_intervals *l);

/* Puts a group into local memory: stores behind definitions, loads before uses. */
void lir_spill_group(struct lir_fn *fn, lir_vreg group);
/* Puts a predicate into a vreg. */
void lir_spill_pred(struct lir_fn *fn, uint32_t pred);

#endif
