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

#include <string.h>

/* What may depend on a read of what other threads write, in the loop at hand. */
struct spin {
    struct lir_fn *fn;
    struct lir_block **stack; /* room for all blocks */
    bool *before, *behind;    /* [block] leads to the branch at hand; can be reached from there */
    bool *vreg, *pred;        /* the value depends on such a read */
    bool changed;
};

/* Marks the blocks that lead to b or, `forward`, that can be reached from b; b itself only if it
 * lies on a cycle. */
static void mark_ways(struct spin *s, const struct lir_block *b, bool forward, bool *marks) {
    memset(marks, 0, s->fn->n_blocks * sizeof *marks);
    uint32_t depth = 0;
    for (const struct lir_block *from = b; from; from = depth ? s->stack[--depth] : NULL) {
        struct lir_block **next = forward ? from->succ : from->pred;
        const uint32_t n = forward ? from->n_succ : from->n_pred;
        for (uint32_t i = 0; i < n; i++) {
            if (marks[next[i]->id]) continue;
            marks[next[i]->id] = true;
            s->stack[depth++] = next[i];
        }
    }
}

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
    mark_ways(s, b, false, s->before);
    for (uint32_t i = 0; i < b->n_succ; i++)
        *(b->succ[i] == b || s->before[b->succ[i]->id] ? &stays : &leaves) = true;
    if (!stays || !leaves) return false;
    mark_ways(s, b, true, s->behind);
    memset(s->vreg, 0, fn->n_vregs * sizeof *s->vreg);
    memset(s->pred, 0, fn->n_preds * sizeof *s->pred);
    do {
        s->changed = false;
        for (uint32_t i = 0; i < fn->n_rpo; i++)
            if (s->before[fn->rpo[i]->id] && s->behind[fn->rpo[i]->id])
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
                     .stack = ARENA_ARRAY(fn->arena, struct lir_block *, fn->n_blocks),
                     .before = ARENA_ARRAY(fn->arena, bool, fn->n_blocks),
                     .behind = ARENA_ARRAY(fn->arena, bool, fn->n_blocks),
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
