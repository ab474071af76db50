/* lir_alloc.h - what the files of the register allocator share: lir_alloc.c, lir_banks.c,
 * lir_coalesce.c, lir_interval.c, lir_spill.c. Results live in the arena of the present round. */
#ifndef PTX_LIR_ALLOC_H
#define PTX_LIR_ALLOC_H

#include "ptx/ir/lir.h"

/* Part [from, to) of a live interval, in positions. An instruction with number p reads at position
 * 2p and writes at 2p + 1. `value` names what the register holds in the segment: copies of one
 * value may share a register though their intervals overlap. */
struct lir_segment {
    uint32_t from, to;
    uint32_t value;
};

/* Live interval of a vreg or a predicate: its segments in rising order. */
struct lir_interval {
    struct lir_segment *s;
    uint32_t n, cap;
    uint32_t
        late; /* position of the last read by a memory instruction, which reads late; 0 = none */
};

/* Live intervals of a function. */
struct lir_intervals {
    struct arena *arena;
    struct lir_interval *vreg; /* [fn->n_vregs] */
    struct lir_interval *pred; /* [fn->n_preds] */
    uint32_t n_positions;      /* all positions are below */
};

/* Works out the live intervals of all vregs and predicates, in `arena`. Rebuilds control flow and
 * lir_analyze. Gives the instructions new numbers (in->pos), with one number left free at the head
 * of each block. */
void lir_intervals_build(struct lir_fn *fn, struct lir_intervals *l, struct arena *arena);
/* @return the live intervals overlap in a segment where they hold different values. */
bool lir_intervals_conflict(const struct lir_interval *a, const struct lir_interval *b);
/* `a` becomes the union of both; memory from `arena`. */
void lir_interval_merge(struct arena *arena, struct lir_interval *a, const struct lir_interval *b);

/* A vreg that an instruction reads beside another one through the ports of the register file. */
struct lir_partner {
    lir_vreg vreg;
    uint32_t weight; /* 1 outside of loops, more in loops */
};
/* The partners of all vregs. */
struct lir_banks {
    uint32_t *first, *filled; /* [vreg] its partners: filled[w] of them, from partner[first[w]] */
    struct lir_partner *partner;
    bool *placed; /* [vreg] the allocator has given it a register */
};

/* Fills `b`, in `arena`. Needs loop depths (lir_cfg_build). */
void lir_banks_build(struct lir_fn *fn, struct lir_banks *b, struct arena *arena);
/* reg: [vreg] registers given so far. @return the bank with the smaller weight of partners of `w`,
 * 0: even registers, 1: odd; -1: either */
int lir_bank_wanted(const struct lir_fn *fn, const struct lir_banks *b, lir_vreg w,
                    const uint8_t *reg);

/* Joins vregs that copies connect: renames them in the instructions, merges their live intervals in
 * `l`, and removes the copies. Afterwards `l` and lir_analyze are stale. */
void lir_coalesce(struct lir_fn *fn, struct lir_intervals *l);

/* Moves groups to local memory: stores behind definitions, loads before uses. Constants are loaded
 * again instead. spilled: [fn->n_vregs] the groups, by their first vregs. Takes memory from
 * `arena`. Raises fn->local_bytes and fn->spill_bytes. Needs lir_analyze; afterwards it and all
 * live intervals are stale. */
void lir_spill_groups(struct lir_fn *fn, const bool *spilled, struct arena *arena);
/* Moves a predicate into a new vreg, with a SEL behind each definition and an ISETP before each
 * use. */
void lir_spill_pred(struct lir_fn *fn, uint32_t pred);

#endif
