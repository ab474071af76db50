/* lir_coalesce.c - copy coalescing: both sides of a copy get one register, and the copy vanishes.
 * Called once by lir_allocate, between the placing of predicates and of vregs.
 *
 * A copy d = s may join the groups of d and s when the smaller group fits into the larger one at
 * the place that puts s on d, and no two vregs that then share a name hold different values at the
 * same time. Copies in the innermost loops are tried first.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_alloc.h"

#include <stdlib.h>

/* A copy d = s of the function. */
struct copy {
    lir_vreg d, s;
    uint32_t depth, order; /* loop depth; number in layout order */
};

struct coalesce {
    struct lir_fn *fn;
    struct lir_intervals *l;
    lir_vreg *alias; /* [vreg] the vreg it was joined to; itself if none; see find */
};

/* The vreg that `w` was joined to in the end. Shortens the chain of aliases on its way. */
static lir_vreg find(struct coalesce *c, lir_vreg w) {
    while (c->alias[w] != w) {
        c->alias[w] = c->alias[c->alias[w]];
        w = c->alias[w];
    }
    return w;
}

/* Order for qsort: deepest loop first, then layout order. */
static int copy_order(const void *x, const void *y) {
    const struct copy *a = x, *b = y;
    if (a->depth != b->depth) return a->depth > b->depth ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Joins the groups of d and s if the rules above allow it: changes c->alias, the live intervals,
 * and fn->scratch, which stays only if both were scratch. The instructions are renamed later. */
static void join(struct coalesce *c, lir_vreg d, lir_vreg s) {
    struct lir_fn *fn = c->fn;
    d = find(c, d);
    s = find(c, s);
    if (d == s) return;
    lir_vreg big = fn->group[d], small = fn->group[s], bw = d, sw = s;
    if (fn->group_size[small] > fn->group_size[big]) {
        lir_vreg t = big;
        big = small;
        small = t;
        bw = s;
        sw = d;
    }
    if (!lir_share_place(fn, d, s)) return;
    const unsigned size = fn->group_size[small];
    const uint32_t at = (bw - big) - (sw - small);
    for (unsigned k = 0; k < size; k++)
        if (lir_intervals_conflict(&c->l->vreg[big + at + k], &c->l->vreg[small + k])) return;
    for (unsigned k = 0; k < size; k++) {
        lir_interval_merge(c->l->arena, &c->l->vreg[big + at + k], &c->l->vreg[small + k]);
        c->l->vreg[small + k].n = 0;
        c->alias[small + k] = big + at + k;
        if (fn->scratch[small + k] != fn->scratch[big + at + k]) fn->scratch[big + at + k] = false;
    }
}

/* Collects all plain copies of the function, joins what it can (updating the live intervals in
 * `l`), then renames all operands and removes the copies whose sides have become one. Afterwards
 * `l` and lir_analyze are stale. */
void lir_coalesce(struct lir_fn *fn, struct lir_intervals *l) {
    struct coalesce c = {.fn = fn, .l = l};
    struct copy *copy = NULL;
    uint32_t n = 0, cap = 0;
    c.alias = ARENA_ARRAY(l->arena, lir_vreg, fn->n_vregs);
    for (uint32_t w = 0; w < fn->n_vregs; w++) c.alias[w] = w;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first; in; in = in->next)
            if (in->m.op == MIR_MOV && in->m.src[0].kind == MIR_SRC_REG && in->src[0] && in->dst &&
                !in->m.src[0].mods) {
                struct copy found = {
                    .d = in->dst, .s = in->src[0], .depth = fn->blocks[b]->loop_depth, .order = n};
                *ARENA_PUSH(l->arena, copy, n, cap) = found;
            }
    if (n) qsort(copy, n, sizeof *copy, copy_order);
    for (uint32_t i = 0; i < n; i++) join(&c, copy[i].d, copy[i].s);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            if (in->dst) in->dst = find(&c, in->dst);
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                if (in->src[i]) in->src[i] = find(&c, in->src[i]);
            if (in->m.op == MIR_MOV && in->m.src[0].kind == MIR_SRC_REG && in->src[0] == in->dst &&
                in->dst && !in->m.src[0].mods)
                lir_remove(in);
        }
}
