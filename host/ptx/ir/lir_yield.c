/* lir_yield.c - YIELD in loops that spin. lir_converge() calls the pass once per kernel, behind its
 * convergence barriers.
 *
 * Lanes that have left a loop wait at its BSYNC for those that are still in it. If these spin on a
 * value that only the waiting lanes would write, they wait for ever. NVIDIA's compiler puts a YIELD
 * into such loops, and a BSYNC does not wait for lanes that have executed one. ptxas 13 does so for
 * compute capability 9.0 where lanes may leave the loop in different rounds, and what decides comes
 * from a volatile or strong load, or from an atomic, in the loop. (Below 9.0 also in counted loops
 * with such accesses, which need none.) */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"

/* What may depend on a read of what other threads write, in the loop at hand. */
struct spin {
    struct lir_fn *fn;
    bool *in_loop;     /* [block] */
    bool *vreg, *pred; /* the value depends on one */
    bool changed;
};

/* @return the result is what another thread may have written meanwhile. */
static bool reads_others(const struct lir_inst *in) {
    return lir_mem(in) == MIR_MEM_ATOM || (lir_mem(in) == MIR_MEM_LOAD && in->m.sem != MIR_WEAK);
}

static bool depends(const struct spin *s, const struct lir_inst *in) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        const unsigned n = lir_src_vregs(in, i);
        for (unsigned k = 0; k < n; k++)
            if (s->vreg[in->src[i] + k]) return true;
    }
    for (unsigned i = 0; i < 3; i++)
        if (s->pred[in->psrc[i] >> 1]) return true;
    return s->pred[in->guard >> 1];
}

static void mark(struct spin *s, bool *what) {
    s->changed |= !*what;
    *what = true;
}

/* Marks what the instruction writes, if that depends on such a read. */
static void pass_on(struct spin *s, const struct lir_inst *in) {
    if (!reads_others(in) && !depends(s, in)) return;
    const unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++) mark(s, &s->vreg[in->dst + k]);
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i]) mark(s, &s->pred[in->pdst[i]]);
}

/* @return lanes leave a loop by the branch at the end of `b`, and what decides depends on a read of
 * what others write in that loop. Overwrites what `s` holds. */
static bool spins(struct spin *s, const struct lir_block *b) {
    struct lir_fn *fn = s->fn;
    bool stays = false, leaves = false;
    for (uint32_t i = 0; i < b->n_succ; i++)
        *(b->succ[i] == b || lir_leads_to(fn, b->succ[i], b) ? &stays : &leaves) = true;
    if (!stays || !leaves) return false;
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        const struct lir_block *other = fn->blocks[i];
        s->in_loop[i] = other->reachable && lir_leads_to(fn, b, other) &&
                        lir_leads_to(fn, other, b);
    }
    for (uint32_t i = 0; i < fn->n_vregs; i++) s->vreg[i] = false;
    for (uint32_t i = 0; i < fn->n_preds; i++) s->pred[i] = false;
    do {
        s->changed = false;
        for (uint32_t i = 0; i < fn->n_rpo; i++)
            if (s->in_loop[fn->rpo[i]->id])
                for (const struct lir_inst *in = fn->rpo[i]->first; in; in = in->next)
                    pass_on(s, in);
    } while (s->changed);
    return s->pred[b->last->guard >> 1];
}

/* @return a cycle of the kernel may spin at all. */
static bool any_reads_others(const struct lir_fn *fn) {
    for (uint32_t i = 0; i < fn->n_rpo; i++)
        for (const struct lir_inst *in = fn->rpo[i]->first; in; in = in->next)
            if (fn->rpo[i]->loop_depth && reads_others(in)) return true;
    return false;
}

/* Inserts the YIELDs, each before the branch. `splits`: [block] its branch may divide a warp. */
void lir_yield(struct lir_fn *fn, const bool *splits) {
    if (!any_reads_others(fn)) return;
    struct spin s = {.fn = fn,
                     .in_loop = ARENA_ARRAY(fn->arena, bool, fn->n_blocks),
                     .vreg = ARENA_ARRAY(fn->arena, bool, fn->n_vregs),
                     .pred = ARENA_ARRAY(fn->arena, bool, fn->n_preds)};
    for (uint32_t i = 0; i < fn->n_rpo; i++) {
        const struct lir_block *b = fn->rpo[i];
        if (!b->loop_depth || !b->last || !splits[b->id] || !spins(&s, b)) continue;
        struct lir_inst *yield = lir_inst_create(fn, MIR_YIELD);
        yield->m.ptx_line = b->last->m.ptx_line;
        yield->m.loc = b->last->m.loc;
        lir_insert_before(b->last, yield);
    }
}
