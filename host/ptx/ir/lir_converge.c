/* lir_converge.c - divergence analysis, and convergence barriers where lanes meet again.
 * ptx_compile.c runs the pass (lir_converge) once per kernel, behind if-conversion.
 *
 * The lanes of a divergent branch could meet at its immediate post-dominator. BSSY stands in a
 * block C, BSYNC at the head of the meeting block R, such that C dominates R, R post-dominates C,
 * and neither can be passed twice without the other: then every lane that passes a BSSY reaches the
 * BSYNC exactly once or exits. Branches for which no such C exists, or for which the sixteen
 * barriers do not suffice, get none: results are correct without meeting, except those of
 * warp-synchronous instructions, which name their lanes.
 *
 * A branch is divergent if its predicate may differ between the lanes of a warp. A value may differ
 * if it comes from a thread number, a load, an atomic or another lane, if an operand may differ, or
 * if several definitions reach it and lanes may have passed different ones.
 *
 * All work space comes from fn->arena. Only place and drop_warpsync change instructions;
 * mark_diverged writes the blocks' `diverged`.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"

#include <string.h>

/* ---- divergence analysis -------------------------------------------------------------------- */

/* Results of the analysis so far; flags only ever become true. */
struct divergence {
    struct lir_fn *fn;
    bool *vreg, *pred; /* may differ between the lanes of a warp */
    bool *divergent;   /* [block] lanes of a warp may be in it at different times */
    bool *splits;      /* [block] its branch is divergent */
    uint32_t *walk;    /* [block] the last walk of mark_divergent that came by */
    uint32_t n_walks;
    bool changed; /* a flag became true in this round */
};

/* @return the result differs between lanes whatever the operands are: a thread or lane number, a
 * load, an atomic. */
static bool source_of_divergence(const struct lir_inst *in) {
    mir_mem m = lir_mem(in);
    if (in->m.op == MIR_S2R)
        return in->m.sub <= MIR_SR_TID_Z || in->m.sub == MIR_SR_LANEID ||
               (in->m.sub >= MIR_SR_LANEMASK_EQ && in->m.sub <= MIR_SR_LANEMASK_GE);
    return lir_traits(in) & MIR_DIVERGENT || m == MIR_MEM_LOAD || m == MIR_MEM_ATOM;
}

/* @return an operand, a predicate or the guard may differ between lanes. */
static bool operands_divergent(const struct divergence *v, const struct lir_inst *in) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_vregs(in, i);
        for (unsigned k = 0; k < n; k++)
            if (v->vreg[in->src[i] + k]) return true;
    }
    for (unsigned i = 0; i < 3; i++)
        if (v->pred[in->psrc[i] >> 1]) return true;
    return v->pred[in->guard >> 1];
}

/* Sets the flag, and v->changed if it was not set. */
static void mark(struct divergence *v, bool *what) {
    v->changed |= !*what;
    *what = true;
}

/* Marks the results of the instruction that may differ between lanes. */
static void inst_divergence(struct divergence *v, const struct lir_inst *in) {
    struct lir_fn *fn = v->fn;
    bool differs = source_of_divergence(in) || operands_divergent(v, in);
    bool divergent = v->divergent[in->block->id];
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++)
        if (differs || (divergent && fn->vreg_info[in->dst + k].n_def > 1))
            mark(v, &v->vreg[in->dst + k]);
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && (differs || (divergent && fn->pred_info[in->pdst[i]].n_def > 1)))
            mark(v, &v->pred[in->pdst[i]]);
}

/* Marks all blocks between a divergent branch at the end of `from` and its post-dominator
 * divergent. stack: room for all edges. */
static void mark_divergent(struct divergence *v, const struct lir_block *from,
                           struct lir_block **stack) {
    uint32_t depth = 0, now = ++v->n_walks;
    for (uint32_t i = 0; i < from->n_succ; i++) stack[depth++] = from->succ[i];
    while (depth) {
        struct lir_block *b = stack[--depth];
        if (b == from->ipdom || v->walk[b->id] == now) continue;
        v->walk[b->id] = now;
        mark(v, &v->divergent[b->id]);
        for (uint32_t i = 0; i < b->n_succ; i++)
            if (v->walk[b->succ[i]->id] != now) stack[depth++] = b->succ[i];
    }
}

/* Fills `v`: repeats over all blocks until no flag changes. */
static void find_divergence(struct divergence *v) {
    struct lir_fn *fn = v->fn;
    uint32_t edges = 1;
    for (uint32_t i = 0; i < fn->n_blocks; i++) edges += fn->blocks[i]->n_succ;
    struct lir_block **stack = ARENA_ARRAY(fn->arena, struct lir_block *, edges + 2);
    do {
        v->changed = false;
        for (uint32_t i = 0; i < fn->n_rpo; i++) {
            struct lir_block *b = fn->rpo[i];
            for (struct lir_inst *in = b->first; in; in = in->next) inst_divergence(v, in);
            struct lir_inst *t = b->last;
            if (!t || b->n_succ < 2 || v->splits[b->id] || !v->pred[t->guard >> 1]) continue;
            v->splits[b->id] = true;
            mark_divergent(v, b, stack);
            v->changed = true;
        }
    } while (v->changed);
}

/* ---- where barriers can stand --------------------------------------------------------------- */

/* Blocks between a BSSY and its BSYNC. */
struct region {
    struct lir_block *begin, *end; /* BSSY at the end of one, BSYNC at the head of the other */
    uint64_t *inside;              /* bit set of the blocks between, both included */
    uint32_t from, to;             /* words of it that hold blocks: from .. to-1 */
    unsigned number;               /* convergence barrier */
};

/* Regions found so far, and work space. */
struct converge {
    struct lir_fn *fn;
    struct region *region;
    uint32_t n, cap;
    uint32_t n_longs;         /* 64-bit words of a set of blocks */
    struct lir_block **stack; /* for reaches */
    uint64_t *scratch;        /* a set of blocks for find_begin */
    bool *cyclic;             /* [number in reverse post-order] the block may lie on a cycle */
};

/* @return `to` can be reached from the successors of `from` without passing `avoid`. Adds to `seen`
 * the blocks reached so, all of them if the answer is no, and does not walk on from those that are
 * in it already. NULL as `to` or `avoid`: none. */
static bool reaches(struct converge *c, const struct lir_block *from, const struct lir_block *to,
                    const struct lir_block *avoid, uint64_t *seen) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < from->n_succ; i++) c->stack[depth++] = from->succ[i];
    while (depth) {
        struct lir_block *b = c->stack[--depth];
        if (b == avoid || seen[b->id / 64] >> b->id % 64 & 1) continue;
        if (b == to) return true;
        seen[b->id / 64] |= UINT64_C(1) << b->id % 64;
        for (uint32_t i = 0; i < b->n_succ; i++) c->stack[depth++] = b->succ[i];
    }
    return false;
}

/* Empties a set of blocks. */
static void clear_set(const struct converge *c, uint64_t *set) {
    memset(set, 0, c->n_longs * sizeof *set);
}

/* Fills c->cyclic. A cycle leads back in reverse post-order at least once, by an edge from one of
 * its blocks or a later one to one of them or an earlier one. So blocks that no edge leads back
 * over lie on none, which spares straight code a walk through the rest of the kernel per branch. */
static void find_cyclic(struct converge *c) {
    struct lir_fn *fn = c->fn;
    c->cyclic = ARENA_ARRAY(fn->arena, bool, fn->n_rpo);
    uint32_t first = fn->n_rpo; /* the earliest target of the edges that lead back from here on */
    for (uint32_t i = fn->n_rpo; i-- > 0;) {
        const struct lir_block *b = fn->rpo[i];
        for (uint32_t k = 0; k < b->n_succ; k++)
            if (b->succ[k]->rpo < first) first = b->succ[k]->rpo;
        c->cyclic[i] = first <= i;
    }
}

/* @return every path from b to the exit passes a. */
static bool post_dominates(const struct lir_block *a, const struct lir_block *b) {
    while (b && b != a) b = b->ipdom;
    return b == a;
}

/* The nearest block, from `b` up the dominator tree, that forms a region with `end`; NULL if there
 * is none. Fills `inside` with the blocks between; overwrites `scratch`. */
static struct lir_block *find_begin(struct converge *c, struct lir_block *b, struct lir_block *end,
                                    uint64_t *inside, uint64_t *scratch) {
    for (; b; b = b->idom) {
        if (b == end) return NULL;
        if (!lir_dominates(b, end) || !post_dominates(end, b)) continue;
        clear_set(c, inside);
        if (reaches(c, b, b, end, inside)) continue; /* b again without end */
        if (!c->cyclic[end->rpo]) return b;
        clear_set(c, scratch);
        if (reaches(c, end, end, b, scratch)) continue; /* end again without b */
        return b;
    }
    return NULL;
}

/* @return the regions share a block, so they need different barriers. */
static bool overlap(const struct region *a, const struct region *b) {
    uint32_t from = a->from > b->from ? a->from : b->from, to = a->to < b->to ? a->to : b->to;
    for (uint32_t i = from; i < to; i++)
        if (a->inside[i] & b->inside[i]) return true;
    return false;
}

/* Successors of a block, without those that only exit: lanes that exit meet no others. */
static unsigned ways(const struct lir_block *b) {
    unsigned n = 0;
    for (uint32_t i = 0; i < b->n_succ; i++) n += !lir_only_exits(b->succ[i]);
    return n;
}

/* Adds the region of a divergent branch to c->region, with a barrier number that no overlapping
 * region has. Adds none if it exists, is not possible, or all sixteen numbers are taken. */
static void add_region(struct converge *c, struct lir_block *branch) {
    struct lir_fn *fn = c->fn;
    struct lir_block *end = branch->ipdom;
    uint64_t *inside = ARENA_ARRAY(fn->arena, uint64_t, c->n_longs);
    if (!end || (end->first && end->first->m.op == MIR_EXIT && end->first->guard == LIR_PT)) return;
    struct lir_block *begin = find_begin(c, branch, end, inside, c->scratch);
    if (!begin) return;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->region[i].begin == begin && c->region[i].end == end) return;
    struct region r = {.begin = begin, .end = end, .inside = inside};
    inside[begin->id / 64] |= UINT64_C(1) << begin->id % 64;
    inside[end->id / 64] |= UINT64_C(1) << end->id % 64;
    r.to = c->n_longs;
    while (!inside[r.from]) r.from++;
    while (!inside[r.to - 1]) r.to--;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (overlap(&r, &c->region[i])) taken |= 1u << c->region[i].number;
    if (taken == (1u << MIR_NUM_CONVERGENCE) - 1)
        return; /* no barrier is left: lanes do not wait here */
    r.number = (unsigned)__builtin_ctz(~taken);
    *ARENA_PUSH(fn->arena, c->region, c->n, c->cap) = r;
}

/* Gives `in` the line and location of the block's first or last instruction. */
static void inherit_place(struct lir_inst *in, const struct lir_block *b, bool at_end) {
    const struct lir_inst *near = at_end ? b->last : b->first;
    if (!near) return;
    in->m.ptx_line = near->m.ptx_line;
    in->m.loc = near->m.loc;
}

/* Inserts BSSY and BSYNC of a region. */
static void place(struct lir_fn *fn, const struct region *r) {
    struct lir_inst *bssy = lir_inst_create(fn, MIR_BSSY), *bsync = lir_inst_create(fn, MIR_BSYNC);
    bssy->m.sub = bsync->m.sub = (uint8_t)r->number;
    bssy->targets = ARENA_ARRAY(fn->arena, struct lir_block *, 1);
    bssy->targets[0] = r->end; /* for the listing; not an edge of the graph */
    bssy->n_targets = 1;
    inherit_place(bssy, r->begin, true);
    inherit_place(bsync, r->end, false);
    if (r->begin->last && lir_is_terminator(r->begin->last))
        lir_insert_before(r->begin->last, bssy);
    else
        lir_append(r->begin, bssy);
    /* behind the BSYNCs of inner regions, which were placed before */
    struct lir_inst *at = r->end->first;
    while (at && at->m.op == MIR_BSYNC) at = at->next;
    if (at)
        lir_insert_before(at, bsync);
    else
        lir_append(r->end, bsync);
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* Writes `diverged` of all blocks: the lanes of a warp may still be apart there, given the regions
 * that exist. */
static void mark_diverged(struct converge *c, const struct divergence *v) {
    struct lir_fn *fn = c->fn;
    uint64_t *seen = ARENA_ARRAY(fn->arena, uint64_t, c->n_longs); /* on walks without end */
    uint64_t *inner = ARENA_ARRAY(fn->arena, uint64_t, c->n_longs);
    for (uint32_t i = 0; i < fn->n_blocks; i++) fn->blocks[i]->diverged = false;
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        struct lir_block *b = fn->blocks[i], *end = NULL;
        if (!v->splits[i]) continue;
        for (uint32_t k = 0; k < c->n; k++)
            if (c->region[k].end == b->ipdom && c->region[k].inside[i / 64] >> i % 64 & 1)
                end = b->ipdom;
        if (!end) {
            reaches(c, b, NULL, NULL, seen);
            continue;
        }
        clear_set(c, inner);
        reaches(c, b, NULL, end, inner);
        for (uint32_t k = 0; k < c->n_longs; k++)
            for (uint64_t rest = inner[k]; rest; rest &= rest - 1)
                fn->blocks[64 * k + (uint32_t)__builtin_ctzll(rest)]->diverged = true;
    }
    for (uint32_t k = 0; k < fn->n_blocks; k++)
        if (seen[k / 64] >> k % 64 & 1) fn->blocks[k]->diverged = true;
}

/* @return the WARPSYNC makes all lanes meet. */
static bool meets_all(const struct lir_inst *in) {
    return in->guard == LIR_PT && in->m.src[0].kind == MIR_SRC_IMM &&
           in->m.src[0].value == UINT32_MAX;
}

/* Removes each WARPSYNC that only prepares the next instruction (sub 1, which becomes 0) where all
 * lanes are together: in blocks that they reach together, and behind another WARPSYNC of all lanes
 * in the same block. */
static void drop_warpsync(struct lir_fn *fn) {
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        bool together = !fn->blocks[i]->diverged;
        for (struct lir_inst *in = fn->blocks[i]->first, *next; in; in = next) {
            next = in->next;
            if (in->m.op != MIR_WARPSYNC) continue;
            const bool prepares = in->m.sub == 1, all = meets_all(in);
            if (prepares) in->m.sub = 0;
            if (prepares && together)
                lir_remove(in);
            else
                together |= all;
        }
    }
}

/* Analyses divergence, chooses regions (inner branches first), marks the blocks, and changes the
 * code. Definitions and uses are analysed anew; the flow of control does not change. */
void lir_converge(struct lir_fn *fn) {
    struct divergence v = {.fn = fn};
    struct converge c = {.fn = fn, .n_longs = (fn->n_blocks + 63) / 64};
    lir_analyze(fn);
    v.vreg = ARENA_ARRAY(fn->arena, bool, fn->n_vregs);
    v.pred = ARENA_ARRAY(fn->arena, bool, fn->n_preds);
    v.divergent = ARENA_ARRAY(fn->arena, bool, fn->n_blocks);
    v.splits = ARENA_ARRAY(fn->arena, bool, fn->n_blocks);
    v.walk = ARENA_ARRAY(fn->arena, uint32_t, fn->n_blocks);
    find_divergence(&v);
    uint32_t edges = 2;
    for (uint32_t i = 0; i < fn->n_blocks; i++) edges += fn->blocks[i]->n_succ;
    /* a block is pushed once per edge into it, and again when a walk begins anew */
    c.stack = ARENA_ARRAY(fn->arena, struct lir_block *, 2 * edges + fn->n_blocks);
    c.scratch = ARENA_ARRAY(fn->arena, uint64_t, c.n_longs);
    find_cyclic(&c);
    for (uint32_t i = fn->n_rpo; i-- > 0;) /* inner branches first */
        if (v.splits[fn->rpo[i]->id] && ways(fn->rpo[i]) > 1) add_region(&c, fn->rpo[i]);
    mark_diverged(&c, &v);
    drop_warpsync(fn);
    for (uint32_t i = 0; i < c.n; i++) place(fn, &c.region[i]);
    lir_yield(fn, v.splits);
}
