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

/* Steps the two sets backwards over one instruction, from live behind it to live before it: removes
 * what it defines, then adds what it reads. */
void lir_liveness_step(const struct lir_fn *fn, const struct lir_inst *in, uint64_t *vregs,
                       uint64_t *preds) {
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++)
        if (in->guard == LIR_PT || fn->scratch[in->dst + k]) clear(vregs, in->dst + k);
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && (in->guard == LIR_PT || fn->pred_scratch[in->pdst[i]]))
            clear(preds, in->pdst[i]);
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        n = lir_src_vregs(in, i);
        for (unsigned k = 0; k < n; k++) set(vregs, in->src[i] + k);
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1) set(preds, in->psrc[i] >> 1);
    if (in->guard >> 1) set(preds, in->guard >> 1);
}

/* Fills *l with the sets of all blocks, at both ends, from `arena`: iterates over the blocks
 * backwards until no set changes. Needs lir_cfg_build. */
void lir_liveness_build(struct lir_fn *fn, struct lir_liveness *l, struct arena *arena) {
    l->n_longs = (fn->n_vregs + 63) / 64;
    l->n_pred_longs = (fn->n_preds + 63) / 64;
    uint32_t all = l->n_longs + l->n_pred_longs;
    l->out = ARENA_ARRAY(arena, uint64_t *, fn->n_blocks);
    l->pred_out = ARENA_ARRAY(arena, uint64_t *, fn->n_blocks);
    uint64_t **in = ARENA_ARRAY(arena, uint64_t *, fn->n_blocks);
    uint64_t *now = ARENA_ARRAY(arena, uint64_t, all);
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        l->out[i] = ARENA_ARRAY(arena, uint64_t, all);
        l->pred_out[i] = l->out[i] + l->n_longs;
        in[i] = ARENA_ARRAY(arena, uint64_t, all);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = fn->n_rpo; r-- > 0;) {
            struct lir_block *b = fn->rpo[r];
            uint64_t *out = l->out[b->id];
            for (uint32_t s = 0; s < b->n_succ; s++)
                for (uint32_t k = 0; k < all; k++) out[k] |= in[b->succ[s]->id][k];
            memcpy(now, out, all * sizeof *now);
            for (const struct lir_inst *i = b->last; i; i = i->prev)
                lir_liveness_step(fn, i, now, now + l->n_longs);
            if (memcmp(now, in[b->id], all * sizeof *now)) {
                memcpy(in[b->id], now, all * sizeof *now);
                changed = true;
            }
        }
    }
    l->in = in;
}

/* @return the register pressure: the most vregs live at once, in the present order of instructions.
 * Walks each block backwards from its live set; work space from fn->arena. */
uint32_t lir_max_pressure(struct lir_fn *fn, const struct lir_liveness *live) {
    uint32_t all = live->n_longs + live->n_pred_longs, most = 0;
    uint64_t *now = ARENA_ARRAY(fn->arena, uint64_t, all);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        memcpy(now, live->out[b], all * sizeof *now);
        uint32_t pressure = 0;
        for (uint32_t k = 0; k < live->n_longs; k++)
            pressure += (uint32_t)__builtin_popcountll(now[k]);
        for (const struct lir_inst *in = fn->blocks[b]->last; in; in = in->prev) {
            if (pressure > most) most = pressure;
            /* count only the vregs that the step can change */
            uint32_t name[16], n = 0;
            unsigned vregs = lir_dst_vregs(in);
            for (unsigned k = 0; k < vregs; k++) name[n++] = in->dst + k;
            for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
                vregs = lir_src_vregs(in, i);
                for (unsigned k = 0; k < vregs; k++) name[n++] = in->src[i] + k;
            }
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t k = i + 1; k < n; k++)
                    if (name[k] == name[i]) name[k--] = name[--n];
            for (uint32_t i = 0; i < n; i++) pressure -= is_set(now, name[i]);
            lir_liveness_step(fn, in, now, now + live->n_longs);
            for (uint32_t i = 0; i < n; i++) pressure += is_set(now, name[i]);
        }
        if (pressure > most) most = pressure;
    }
    return most;
}
