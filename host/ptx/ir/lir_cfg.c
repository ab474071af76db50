/* lir_cfg.c - the control-flow graph: edges, order, dominators, post-dominators, loops; and the
 * joining of blocks (lir_merge_blocks).
 *
 * Passes call lir_cfg_build and the queries on the thread that compiles the function. Each build
 * function fills the fields of lir_block that its name says, for all blocks, and overwrites what
 * was there; memory comes from fn->arena. They run in the order of lir_cfg_build, and each needs
 * the ones before it.
 *
 * Dominators by Cooper, Harvey and Kennedy's iteration over (reverse) post-order numbers.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"

#include <string.h>

/* ---- edges ---------------------------------------------------------------------------------- */

/* Adds the edge to both blocks unless it exists. from->succ must have room. */
static void add_edge(struct lir_fn *fn, struct lir_block *from, struct lir_block *to) {
    for (uint32_t i = 0; i < from->n_succ; i++)
        if (from->succ[i] == to) return;
    from->succ[from->n_succ++] = to;
    *ARENA_PUSH(fn->arena, to->pred, to->n_pred, to->cap_pred) = from;
}

/* Fills id, succ, pred and exits of all blocks, from the last instruction of each. */
static void build_edges(struct lir_fn *fn) {
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        struct lir_block *b = fn->blocks[i];
        b->id = i;
        b->n_succ = b->n_pred = 0;
        b->exits = false;
    }
    for (uint32_t i = 0; i < fn->n_blocks; i++) {
        struct lir_block *b = fn->blocks[i];
        struct lir_block *next = i + 1 < fn->n_blocks ? fn->blocks[i + 1] : NULL;
        struct lir_inst *t = b->last && lir_is_terminator(b->last) ? b->last : NULL;
        uint32_t most = 1 + (t ? t->n_targets : 0);
        b->succ = ARENA_ARRAY(fn->arena, struct lir_block *, most);
        if (t)
            for (uint32_t k = 0; k < t->n_targets; k++) add_edge(fn, b, t->targets[k]);
        if (t && (t->m.op == MIR_EXIT || t->m.op == MIR_RET || t->m.op == MIR_TRAP))
            b->exits = true;
        if (next && (!t || t->guard != LIR_PT)) add_edge(fn, b, next);
    }
}

/* Fills fn->rpo and the blocks' rpo and reachable, without recursion. Takes unreachable blocks out
 * of the layout and, in that case, builds the edges again. */
static void build_order(struct lir_fn *fn) {
    uint32_t n = fn->n_blocks;
    struct lir_block **stack = ARENA_ARRAY(fn->arena, struct lir_block *, n + 1);
    uint32_t *at = ARENA_ARRAY(fn->arena, uint32_t, n + 1);
    uint32_t depth = 0, done = n;
    fn->rpo = ARENA_ARRAY(fn->arena, struct lir_block *, n + 1);
    for (uint32_t i = 0; i < n; i++) fn->blocks[i]->reachable = false;
    stack[depth++] = fn->blocks[0];
    fn->blocks[0]->reachable = true;
    while (depth) {
        struct lir_block *b = stack[depth - 1];
        if (at[depth - 1] < b->n_succ) {
            struct lir_block *s = b->succ[at[depth - 1]++];
            if (!s->reachable) {
                s->reachable = true;
                at[depth] = 0;
                stack[depth++] = s;
            }
        } else {
            fn->rpo[--done] = b;
            depth--;
        }
    }
    fn->rpo += done;
    fn->n_rpo = n - done;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (fn->blocks[i]->reachable) fn->blocks[kept++] = fn->blocks[i];
    if (kept == n) {
        for (uint32_t i = 0; i < fn->n_rpo; i++) fn->rpo[i]->rpo = i;
        return;
    }
    fn->n_blocks = kept;
    build_edges(fn); /* without the edges from unreachable blocks */
    for (uint32_t i = 0; i < fn->n_rpo; i++) fn->rpo[i]->rpo = i;
}

/* ---- dominators ----------------------------------------------------------------------------- */

/* The nearest common dominator of two blocks, as far as idom is known. */
static struct lir_block *intersect(struct lir_block *a, struct lir_block *b) {
    while (a != b) {
        while (a->rpo > b->rpo) a = a->idom;
        while (b->rpo > a->rpo) b = b->idom;
    }
    return a;
}

/* Builds the tree (dom_child, dom_sibling) and its depth-first numbers (dom_in, dom_out), so that
 * dominance is a comparison. */
static void number_dominator_tree(struct lir_fn *fn) {
    for (uint32_t i = 0; i < fn->n_rpo; i++) fn->rpo[i]->dom_child = fn->rpo[i]->dom_sibling = NULL;
    for (uint32_t i = fn->n_rpo; i-- > 1;) { /* backwards: children end up in order */
        struct lir_block *b = fn->rpo[i];
        b->dom_sibling = b->idom->dom_child;
        b->idom->dom_child = b;
    }
    uint32_t clock = 0;
    struct lir_block *b = fn->rpo[0];
    b->dom_in = clock++;
    for (;;) {
        if (b->dom_child) {
            b = b->dom_child;
            b->dom_in = clock++;
            continue;
        }
        b->dom_out = clock;
        while (!b->dom_sibling) {
            b = b->idom;
            if (!b) return;
            b->dom_out = clock;
        }
        b = b->dom_sibling;
        b->dom_in = clock++;
    }
}

/* Fills idom of all blocks (NULL at the entry) and the dominator tree. */
static void build_dominators(struct lir_fn *fn) {
    for (uint32_t i = 0; i < fn->n_rpo; i++) fn->rpo[i]->idom = NULL;
    struct lir_block *entry = fn->rpo[0];
    entry->idom = entry;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < fn->n_rpo; i++) {
            struct lir_block *b = fn->rpo[i], *d = NULL;
            for (uint32_t k = 0; k < b->n_pred; k++)
                if (b->pred[k]->idom) d = d ? intersect(d, b->pred[k]) : b->pred[k];
            if (d != b->idom) {
                b->idom = d;
                changed = true;
            }
        }
    }
    entry->idom = NULL;
    number_dominator_tree(fn);
}

/* @return whether every path from the entry to b passes a, by the depth-first numbers of the last
 * lir_cfg_build. */
bool lir_dominates(const struct lir_block *a, const struct lir_block *b) {
    return a->dom_in <= b->dom_in && b->dom_in < a->dom_out;
}

/* ---- post-dominators ------------------------------------------------------------------------ */

/* @return the block consists of one unguarded EXIT. */
bool lir_only_exits(const struct lir_block *b) {
    return b->first && b->first == b->last && b->first->m.op == MIR_EXIT &&
           b->first->guard == LIR_PT;
}

/* @return a path of at least one edge leads from `from` to `to`. */
bool lir_leads_to(struct lir_fn *fn, const struct lir_block *from, const struct lir_block *to) {
    bool *seen = ARENA_ARRAY(fn->arena, bool, fn->n_blocks);
    const struct lir_block **stack = ARENA_ARRAY(fn->arena, const struct lir_block *,
                                                 fn->n_blocks + 1);
    uint32_t n = 0;
    stack[n++] = from;
    while (n) {
        const struct lir_block *b = stack[--n];
        for (uint32_t i = 0; i < b->n_succ; i++) {
            const struct lir_block *s = b->succ[i];
            if (s == to) return true;
            if (seen[s->id]) continue;
            seen[s->id] = true;
            stack[n++] = s;
        }
    }
    return false;
}

/* @return post-dominators look at this edge. A lane that exits leaves every convergence barrier, so
 * a path that only exits does not keep the others from reconverging. */
static bool counts(const struct lir_block *from, const struct lir_block *to) {
    return from->n_succ < 2 || !lir_only_exits(to);
}

/* Work space of build_post_dominators. */
struct post {
    uint32_t n;         /* blocks; node n is the virtual exit */
    uint32_t *order;    /* [node] post-order number from the exit backwards; higher is nearer */
    uint32_t *idom;     /* [node] its post-dominator, UINT32_MAX = not yet known */
    uint32_t *by_order; /* [n_order] block ids by post-order number */
    uint32_t n_order;   /* blocks numbered so far */
};

/* Walks backwards from block `start`, depth first, and numbers the blocks that it reaches in `p`.
 * stack, at: room for all blocks. */
static void post_walk(struct lir_fn *fn, struct post *p, struct lir_block *start, uint32_t *stack,
                      uint32_t *at) {
    uint32_t depth = 0;
    stack[depth] = start->id;
    at[depth++] = 0;
    p->order[start->id] = 0; /* visited; the number follows */
    while (depth) {
        struct lir_block *b = fn->blocks[stack[depth - 1]];
        if (at[depth - 1] < b->n_pred) {
            struct lir_block *q = b->pred[at[depth - 1]++];
            if (p->order[q->id] == UINT32_MAX && counts(q, b)) {
                p->order[q->id] = 0;
                stack[depth] = q->id;
                at[depth++] = 0;
            }
        } else {
            p->by_order[p->n_order] = b->id;
            p->order[b->id] = p->n_order++;
            depth--;
        }
    }
}

/* The nearest common post-dominator of nodes a and b, as far as p->idom is known. */
static uint32_t post_intersect(const struct post *p, uint32_t a, uint32_t b) {
    while (a != b) {
        while (p->order[a] < p->order[b]) a = p->idom[a];
        while (p->order[b] < p->order[a]) b = p->idom[b];
    }
    return a;
}

/* Fills ipdom of all blocks; NULL: the virtual exit. */
static void build_post_dominators(struct lir_fn *fn) {
    uint32_t n = fn->n_blocks;
    struct post p = {.n = n};
    p.order = ARENA_ARRAY(fn->arena, uint32_t, n + 1);
    p.idom = ARENA_ARRAY(fn->arena, uint32_t, n + 1);
    p.by_order = ARENA_ARRAY(fn->arena, uint32_t, n + 1);
    bool *root = ARENA_ARRAY(fn->arena, bool, n + 1); /* has an edge to the virtual exit */
    uint32_t *stack = ARENA_ARRAY(fn->arena, uint32_t, n + 1),
             *at = ARENA_ARRAY(fn->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i <= n; i++) p.order[i] = p.idom[i] = UINT32_MAX;
    for (uint32_t i = n; i-- > 0;) root[i] = fn->blocks[i]->n_succ == 0;
    for (uint32_t i = n; i-- > 0;)
        if (root[i] && p.order[i] == UINT32_MAX) post_walk(fn, &p, fn->blocks[i], stack, at);
    /* the remaining blocks reach no exit: the last block of an endless loop counts as an exit */
    for (uint32_t i = fn->n_rpo; i-- > 0;) {
        struct lir_block *b = fn->rpo[i];
        if (p.order[b->id] != UINT32_MAX) continue;
        root[b->id] = true;
        post_walk(fn, &p, b, stack, at);
    }
    p.order[n] = p.n_order;
    p.idom[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = p.n_order; k-- > 0;) {
            struct lir_block *b = fn->blocks[p.by_order[k]];
            uint32_t d = root[b->id] ? n : UINT32_MAX;
            for (uint32_t s = 0; s < b->n_succ; s++) {
                uint32_t q = b->succ[s]->id;
                if (p.idom[q] == UINT32_MAX || !counts(b, b->succ[s])) continue;
                d = d == UINT32_MAX ? q : post_intersect(&p, d, q);
            }
            if (d != p.idom[b->id]) {
                p.idom[b->id] = d;
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++)
        fn->blocks[i]->ipdom = p.idom[i] < n ? fn->blocks[p.idom[i]] : NULL;
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* Raises loop_depth by one for every block of the natural loop with this header. mark: [block id]
 * stamp of the loop that last visited it. stack: room for all blocks. */
static void deepen_loop(struct lir_fn *fn, struct lir_block *header, uint32_t *mark, uint32_t stamp,
                        struct lir_block **stack) {
    uint32_t depth = 0;
    mark[header->id] = stamp;
    header->loop_depth++;
    for (uint32_t k = 0; k < header->n_pred; k++) {
        struct lir_block *p = header->pred[k];
        if (mark[p->id] != stamp && lir_dominates(header, p)) {
            mark[p->id] = stamp;
            stack[depth++] = p;
        }
    }
    while (depth) {
        struct lir_block *b = stack[--depth];
        b->loop_depth++;
        for (uint32_t k = 0; k < b->n_pred; k++)
            if (mark[b->pred[k]->id] != stamp) {
                mark[b->pred[k]->id] = stamp;
                stack[depth++] = b->pred[k];
            }
    }
    (void)fn;
}

/* Fills loop_depth of all blocks. Loops with the same header count as one. */
static void build_loops(struct lir_fn *fn) {
    uint32_t *mark = ARENA_ARRAY(fn->arena, uint32_t, fn->n_blocks);
    struct lir_block **stack = ARENA_ARRAY(fn->arena, struct lir_block *, fn->n_blocks + 1);
    for (uint32_t i = 0; i < fn->n_blocks; i++) fn->blocks[i]->loop_depth = 0;
    for (uint32_t i = 0; i < fn->n_rpo; i++) {
        struct lir_block *h = fn->rpo[i];
        for (uint32_t k = 0; k < h->n_pred; k++)
            if (lir_dominates(h, h->pred[k])) {
                deepen_loop(fn, h, mark, i + 1, stack);
                break;
            }
    }
}

/* Builds everything anew: the edges, the order (which drops unreachable blocks from the layout),
 * dominators, loops. The function has a block. */
void lir_cfg_build(struct lir_fn *fn) {
    build_edges(fn);
    build_order(fn);
    build_dominators(fn);
    build_post_dominators(fn);
    build_loops(fn);
}

/* Numbers the instructions in layout order, from 0, in in->pos. */
void lir_number(struct lir_fn *fn) {
    uint32_t pos = 0;
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        for (struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) in->pos = pos++;
}

/* Joins each block with its only successor when that follows it and has no other predecessor, and
 * removes jumps to the next block. Builds control flow again if it joined any. */
void lir_merge_blocks(struct lir_fn *fn) {
    bool changed = false;
    for (uint32_t i = 0; i + 1 < fn->n_blocks;) {
        struct lir_block *b = fn->blocks[i], *next = fn->blocks[i + 1];
        struct lir_inst *t = b->last && lir_is_terminator(b->last) ? b->last : NULL;
        if (t && t->m.op == MIR_BRA && t->guard == LIR_PT && t->targets[0] == next) {
            lir_remove(t); /* a jump to the next instruction */
            t = NULL;
        }
        if (!t && b->n_succ == 1 && b->succ[0] == next && next->n_pred == 1) {
            if (b->lost_count && next->first) {
                next->first->m.ptx_count = (uint16_t)(next->first->m.ptx_count + b->lost_count);
                b->lost_count = 0;
            }
            for (struct lir_inst *in = next->first, *after; in; in = after) {
                after = in->next;
                lir_append(b, in);
            }
            b->lost_count += next->lost_count;
            b->ghost += next->ghost;
            if (next->lost_count) {
                b->lost_line = next->lost_line;
                b->lost_loc = next->lost_loc;
            }
            memmove(fn->blocks + i + 1, fn->blocks + i + 2,
                    (fn->n_blocks - i - 2) * sizeof *fn->blocks);
            fn->n_blocks--;
            b->succ = next->succ;
            b->n_succ = next->n_succ;
            changed = true;
        } else {
            i++;
        }
    }
    if (changed) lir_cfg_build(fn);
}
