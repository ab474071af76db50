/* lir_liveness.c - liveness of vregs and predicates at both ends of each block, as bit sets. Called
 * by passes on the thread that compiles the function; they change nothing in it but its arena.
 *
 * A definition under a guard keeps the old value in the other lanes, so the vreg is live above it
 * too. Scratch vregs (lir_mark_scratch) are the exception.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_liveness.h"

#include <string.h>

/* Bit i of a set: set, test, clear. */
static void set(uint64_t *s, uint32_t i) {
    s[i / 64] |= UINT64_C(1) << i % 64;
}
static bool is_set(const uint64_t *s, uint32_t i) {
    return s[i / 64] >> i % 64 & 1;
}
static void clear(uint64_t *s, uint32_t i) {
    s[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* ---- what an instruction reads and writes --------------------------------------------------- */

enum { MOST_NAMES = 24 }; /* of vregs and predicates that an instruction reads, or writes */

/* The names (lir_liveness.name) that the instruction writes in all lanes that matter. @return how
 * many. */
static unsigned names_written(const struct lir_fn *fn, const struct lir_inst *in, uint32_t *name) {
    unsigned n = 0;
    const unsigned vregs = lir_dst_vregs(in);
    for (unsigned k = 0; k < vregs; k++)
        if (in->guard == LIR_PT || in->fresh || fn->scratch[in->dst + k]) name[n++] = in->dst + k;
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && (in->guard == LIR_PT || in->fresh || fn->pred_scratch[in->pdst[i]]))
            name[n++] = fn->n_vregs + in->pdst[i];
    return n;
}

/* The names that it reads. */
static unsigned names_read(const struct lir_fn *fn, const struct lir_inst *in, uint32_t *name) {
    unsigned n = 0;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        const unsigned vregs = lir_src_vregs(in, i);
        for (unsigned k = 0; k < vregs; k++) name[n++] = in->src[i] + k;
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1) name[n++] = fn->n_vregs + (in->psrc[i] >> 1);
    if (in->guard >> 1) name[n++] = fn->n_vregs + (in->guard >> 1);
    return n;
}

/* ---- at the ends of blocks ------------------------------------------------------------------ */

/* Work space: by name the last block that writes it, its id + 1, and that which reads it first. */
struct builder {
    struct lir_fn *fn;
    struct lir_liveness *l;
    uint32_t *writes, *needs;
    uint64_t **kill; /* [block id] what it writes */
};

/* Gives numbers to the names that a block reads before it writes them. */
static void number_names(struct builder *b, struct arena *arena) {
    struct lir_fn *fn = b->fn;
    struct lir_liveness *l = b->l;
    const uint32_t all = fn->n_vregs + fn->n_preds;
    uint32_t name[MOST_NAMES], any = 0;
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        for (const struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) {
            for (unsigned n = names_read(fn, in, name); n-- > 0;)
                if (b->writes[name[n]] != i + 1) {
                    any += !l->number[name[n]];
                    l->number[name[n]] = 1;
                }
            for (unsigned n = names_written(fn, in, name); n-- > 0;) b->writes[name[n]] = i + 1;
        }
    l->name = ARENA_ARRAY(arena, uint32_t, any);
    for (uint32_t k = 0; k < all; k++)
        if (l->number[k]) {
            l->name[l->n++] = k;
            l->number[k] = l->n;
        }
    l->n_longs = (l->n + 63) / 64;
    memset(b->writes, 0, all * sizeof *b->writes);
}

/* Fills the block's set `in` with what it reads before it writes it, and b->kill. */
static void look_at(struct builder *b, const struct lir_block *block) {
    const uint32_t id = block->id;
    uint32_t name[MOST_NAMES];
    for (const struct lir_inst *in = block->first; in; in = in->next) {
        for (unsigned n = names_read(b->fn, in, name); n-- > 0;)
            if (b->writes[name[n]] != id + 1) set(b->l->in[id], b->l->number[name[n]] - 1);
        for (unsigned n = names_written(b->fn, in, name); n-- > 0;) {
            b->writes[name[n]] = id + 1;
            if (b->l->number[name[n]]) set(b->kill[id], b->l->number[name[n]] - 1);
        }
    }
}

/* What is live at the head of block b's successors is live at its end, and at its head if it does
 * not write it. @return that is more than before. */
static bool pass_on(const struct builder *b, const struct lir_block *block) {
    uint64_t *out = b->l->out[block->id], *in = b->l->in[block->id];
    const uint64_t *kill = b->kill[block->id];
    uint64_t more = 0;
    for (uint32_t s = 0; s < block->n_succ; s++) {
        const uint64_t *next = b->l->in[block->succ[s]->id];
        for (uint32_t k = 0; k < b->l->n_longs; k++) out[k] |= next[k];
    }
    for (uint32_t k = 0; k < b->l->n_longs; k++) {
        const uint64_t through = out[k] & ~kill[k];
        more |= through & ~in[k];
        in[k] |= through;
    }
    return more != 0;
}

/* Fills *l with the sets of all blocks, at both ends, from `arena`: iterates over the blocks
 * backwards until no set changes. Needs lir_cfg_build. */
void lir_liveness_build(struct lir_fn *fn, struct lir_liveness *l, struct arena *arena) {
    const uint32_t all = fn->n_vregs + fn->n_preds, blocks = fn->n_blocks;
    struct builder b = {.fn = fn,
                        .l = l,
                        .writes = ARENA_ARRAY(arena, uint32_t, all),
                        .kill = ARENA_ARRAY(arena, uint64_t *, blocks)};
    *l = (struct lir_liveness){.n_vregs = fn->n_vregs,
                               .number = ARENA_ARRAY(arena, uint32_t, all),
                               .in = ARENA_ARRAY(arena, uint64_t *, blocks),
                               .out = ARENA_ARRAY(arena, uint64_t *, blocks)};
    number_names(&b, arena);
    for (uint32_t i = 0; i < blocks; i++) {
        uint64_t *sets = ARENA_ARRAY(arena, uint64_t, 3 * (size_t)l->n_longs);
        l->in[i] = sets;
        l->out[i] = sets + l->n_longs;
        b.kill[i] = sets + 2 * (size_t)l->n_longs;
    }
    for (uint32_t r = 0; r < fn->n_rpo; r++) look_at(&b, fn->rpo[r]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = fn->n_rpo; r-- > 0;) changed |= pass_on(&b, fn->rpo[r]);
    }
}

/* ---- within a block ------------------------------------------------------------------------- */

struct lir_live_sets lir_live_sets_create(const struct lir_fn *fn, struct arena *arena) {
    struct lir_live_sets now = {.n_longs = (fn->n_vregs + 63) / 64,
                                .n_pred_longs = (fn->n_preds + 63) / 64};
    now.vregs = ARENA_ARRAY(arena, uint64_t, now.n_longs + now.n_pred_longs);
    now.preds = now.vregs + now.n_longs;
    return now;
}

void lir_live_sets_begin(struct lir_live_sets *now, const struct lir_liveness *l,
                         const struct lir_block *b) {
    memset(now->vregs, 0, (now->n_longs + now->n_pred_longs) * sizeof *now->vregs);
    for (uint32_t k = 0; k < l->n_longs; k++)
        for (uint64_t m = l->out[b->id][k]; m; m &= m - 1) {
            const uint32_t name = l->name[64 * k + (uint32_t)__builtin_ctzll(m)];
            if (name < l->n_vregs)
                set(now->vregs, name);
            else
                set(now->preds, name - l->n_vregs);
        }
}

/* Steps the two sets backwards over one instruction, from live behind it to live before it: removes
 * what it defines, then adds what it reads. */
void lir_live_sets_step(const struct lir_fn *fn, const struct lir_inst *in,
                        struct lir_live_sets *now) {
    uint32_t name[MOST_NAMES];
    for (unsigned n = names_written(fn, in, name); n-- > 0;)
        if (name[n] < fn->n_vregs)
            clear(now->vregs, name[n]);
        else
            clear(now->preds, name[n] - fn->n_vregs);
    for (unsigned n = names_read(fn, in, name); n-- > 0;)
        if (name[n] < fn->n_vregs)
            set(now->vregs, name[n]);
        else
            set(now->preds, name[n] - fn->n_vregs);
}

/* @return the most vregs live at once in the block; `now`: work space. */
static uint32_t pressure_of(const struct lir_fn *fn, const struct lir_block *b,
                            const struct lir_liveness *live, struct lir_live_sets *now) {
    uint32_t pressure = 0, most = 0;
    lir_live_sets_begin(now, live, b);
    for (uint32_t k = 0; k < now->n_longs; k++)
        pressure += (uint32_t)__builtin_popcountll(now->vregs[k]);
    for (const struct lir_inst *in = b->last; in; in = in->prev) {
        if (pressure > most) most = pressure;
        /* count only the vregs that the step can change */
        uint32_t name[MOST_NAMES], n = 0;
        unsigned vregs = lir_dst_vregs(in);
        for (unsigned k = 0; k < vregs; k++) name[n++] = in->dst + k;
        for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
            vregs = lir_src_vregs(in, i);
            for (unsigned k = 0; k < vregs; k++) name[n++] = in->src[i] + k;
        }
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = i + 1; k < n; k++)
                if (name[k] == name[i]) name[k--] = name[--n];
        for (uint32_t i = 0; i < n; i++) pressure -= is_set(now->vregs, name[i]);
        lir_live_sets_step(fn, in, now);
        for (uint32_t i = 0; i < n; i++) pressure += is_set(now->vregs, name[i]);
    }
    return pressure > most ? pressure : most;
}

/* @return the register pressure: the most vregs live at once, in the present order of instructions.
 * Walks each block backwards from its live set; work space from fn->arena. */
uint32_t lir_max_pressure(struct lir_fn *fn, const struct lir_liveness *live) {
    struct lir_live_sets now = lir_live_sets_create(fn, fn->arena);
    uint32_t most = 0;
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        const uint32_t pressure = pressure_of(fn, fn->blocks[b], live, &now);
        if (pressure > most) most = pressure;
    }
    return most;
}
