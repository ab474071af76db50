/* lir_cse.c - common subexpressions: of equal pure instructions, the one that dominates the others
 * stays and they become copies of its result. lir_optimize runs the pass (lir_cse).
 *
 * Operands of several words are common, too: where copies gather the same words into a group again,
 * the operand reads the group that holds them already.
 *
 * The pass walks the dominator tree with a hash table of the instructions seen on the path from the
 * root. When it leaves a block it takes that block's entries out again. Only unguarded instructions
 * take part whose vregs and predicates are all single.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"

#include <string.h>

/* An instruction that others may be copies of, or a group that operands may read. */
struct cse_entry {
    const struct lir_inst *in; /* that computes it; or the first that reads the group */
    lir_vreg group;            /* the operand's first vreg; 0: the instruction */
    unsigned n;                /* words of the operand */
    uint32_t hash, next;       /* index + 1 of the next entry of the chain */
};

/* State of the pass. */
struct cse {
    struct lir_fn *fn;
    uint32_t *bucket;        /* [hash & mask] index + 1 of the first entry of the chain */
    uint32_t mask;           /* number of buckets - 1 */
    struct cse_entry *entry; /* a stack: the block's entries on top */
    uint32_t n, cap;
    bool changed;
};

/* @return all vregs and predicates that it reads or writes are single. */
static bool all_single(const struct lir_fn *fn, const struct lir_inst *in) {
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++)
        if (!fn->vreg_info[in->dst + k].single) return false;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        n = lir_src_vregs(in, i);
        for (unsigned k = 0; k < n; k++)
            if (!fn->vreg_info[in->src[i] + k].single) return false;
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1 && !fn->pred_info[in->psrc[i] >> 1].single) return false;
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && !fn->pred_info[in->pdst[i]].single) return false;
    return true;
}

/* @return the instruction may be merged with an equal one. */
static bool cse_candidate(const struct lir_fn *fn, const struct lir_inst *in) {
    if (in->guard != LIR_PT || in->apart || !lir_is_pure(in)) return false;
    if ((in->dst == 0 && in->pdst[0] == 0) || in->pdst[1]) return false;
    return all_single(fn, in);
}

/* One step of the hash. */
static uint32_t mix(uint32_t h, uint32_t v) {
    return (h ^ v) * 0x9e3779b1u ^ h >> 15;
}

/* Hash of operation and operands; operands that may be exchanged give the same hash in both
 * orders. */
static uint32_t cse_hash(const struct lir_inst *in) {
    uint32_t h = mix(in->m.op, (uint32_t)in->m.flags << 16 | in->m.sub << 8 | in->m.type);
    h = mix(h, (uint32_t)in->m.imm);
    uint32_t v[3];
    for (unsigned i = 0; i < 3; i++) {
        v[i] = mix(1, in->src[i] + 31u * in->m.src[i].value);
        h = mix(h, in->psrc[i]);
    }
    /* operands that may be exchanged hash to the same */
    return lir_is_commutative(in) ? mix(mix(h, v[0] + v[1]), v[2])
                                  : mix(mix(mix(h, v[0]), v[1]), v[2]);
}

static bool same_operand(const struct lir_inst *a, unsigned i, const struct lir_inst *b,
                         unsigned k) {
    return a->src[i] == b->src[k] && memcmp(&a->m.src[i], &b->m.src[k], sizeof a->m.src[i]) == 0;
}

/* @return b may become a copy of a: the same operation on the same operands, exchanged where it
 * commutes. */
static bool same(const struct lir_inst *a, const struct lir_inst *b) {
    const struct mir_inst *x = &a->m, *y = &b->m;
    if (x->op != y->op || x->type != y->type || x->type2 != y->type2 || x->cmp != y->cmp ||
        x->bop != y->bop || x->round != y->round || x->sub != y->sub || x->flags != y->flags ||
        a->contract != b->contract || x->imm != y->imm || x->width != y->width ||
        (a->dst == 0) != (b->dst == 0))
        return false;
    if (!a->pdst[0] && b->pdst[0]) return false; /* b needs a carry that a does not write */
    for (unsigned i = 0; i < 3; i++)
        if (a->psrc[i] != b->psrc[i]) return false;
    if (!same_operand(a, 2, b, 2)) return false;
    return (same_operand(a, 0, b, 0) && same_operand(a, 1, b, 1)) ||
           (lir_is_commutative(a) && same_operand(a, 0, b, 1) && same_operand(a, 1, b, 0));
}

/* Makes `in` copies of the results of `orig`, which propagation then removes: a MOV for each vreg
 * and a PLOP3 for a predicate, some of them inserted beside it. */
static void replace_with_copy(struct lir_fn *fn, struct lir_inst *in, const struct lir_inst *orig) {
    lir_vreg d = in->dst;
    unsigned n = lir_dst_vregs(in);
    uint32_t p = in->pdst[0];
    if (p) {
        struct lir_inst *copy = d ? lir_new_before(fn, in, MIR_PLOP3) : in;
        lir_reset(copy, MIR_PLOP3);
        copy->m.sub = 0xf0;
        copy->pdst[0] = p;
        copy->psrc[0] = lir_p(orig->pdst[0]);
        if (!d) return;
    }
    lir_vreg s = orig->dst;
    lir_reset(in, MIR_MOV);
    lir_set_dst(in, d);
    lir_set_src(in, 0, lir_reg(s));
    for (unsigned k = n; k-- > 1;) {
        struct lir_inst *m = lir_inst_create(fn, MIR_MOV);
        m->m.ptx_line = in->m.ptx_line;
        m->m.loc = in->m.loc;
        lir_set_dst(m, d + k);
        lir_set_src(m, 0, lir_reg(s + k));
        lir_insert_after(in, m);
    }
}

/* Pushes an entry. */
static void cse_push(struct cse *c, struct cse_entry e) {
    e.next = c->bucket[e.hash & c->mask];
    *ARENA_PUSH(c->fn->arena, c->entry, c->n, c->cap) = e;
    c->bucket[e.hash & c->mask] = c->n;
}

/* ---- groups --------------------------------------------------------------------------------- */

/* What the copy that alone defines vreg w copies: a single vreg, or a constant; of no kind: w is
 * not such a copy. */
static struct lir_src gathered(const struct lir_fn *fn, lir_vreg w) {
    const struct lir_info *v = lir_vreg_info(fn, w);
    struct lir_src none = {.kind = MIR_SRC_NONE};
    if (!v->single || v->def->m.op != MIR_MOV) return none;
    const struct lir_src s = lir_get_src(v->def, 0);
    if (s.mods || (s.kind == MIR_SRC_REG && s.value && !lir_vreg_info(fn, s.value)->single))
        return none;
    return s;
}

/* @return both groups of n words hold the same. */
static bool same_group(const struct lir_fn *fn, lir_vreg a, lir_vreg b, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        const struct lir_src x = gathered(fn, a + k), y = gathered(fn, b + k);
        if (x.kind != y.kind || x.bank != y.bank || x.value != y.value) return false;
    }
    return true;
}

/* Operand i reads an equal group if there is one; else others may read its own. A group of
 * constants is cheap: one per block beats a long live interval. */
static void cse_operand(struct cse *c, struct lir_inst *in, unsigned i, unsigned n) {
    const lir_vreg w = in->src[i];
    uint32_t h = mix(2, n);
    bool constant = true;
    for (unsigned k = 0; k < n; k++) {
        const struct lir_src s = gathered(c->fn, w + k);
        if (s.kind == MIR_SRC_NONE) return;
        constant &= s.kind != MIR_SRC_REG || s.value == 0;
        h = mix(mix(h, s.kind), s.value);
    }
    for (uint32_t at = c->bucket[h & c->mask]; at; at = c->entry[at - 1].next) {
        const struct cse_entry *e = &c->entry[at - 1];
        if (e->hash != h || e->n != n || !e->group || !same_group(c->fn, e->group, w, n)) continue;
        if (constant && e->in->block != in->block) continue;
        if (e->group == w) return;
        in->src[i] = e->group;
        c->changed = true;
        return;
    }
    cse_push(c, (struct cse_entry){.in = in, .group = w, .n = n, .hash = h});
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* Replaces the block's duplicates, and pushes its other candidates. */
static void cse_block(struct cse *c, struct lir_block *b) {
    for (struct lir_inst *in = b->first, *next; in; in = next) {
        next = in->next;
        for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
            const unsigned n = lir_src_vregs(in, i);
            if (n > 1) cse_operand(c, in, i, n);
        }
        if (!cse_candidate(c->fn, in)) continue;
        uint32_t h = cse_hash(in);
        bool constant = in->m.op == MIR_MOV; /* cheap: one per block beats a long live interval */
        const struct lir_inst *found = NULL;
        for (uint32_t e = c->bucket[h & c->mask]; e && !found; e = c->entry[e - 1].next) {
            const struct lir_inst *o = c->entry[e - 1].in;
            if (c->entry[e - 1].hash == h && !c->entry[e - 1].group && same(o, in) &&
                (!constant || o->block == b))
                found = o;
        }
        if (found) {
            replace_with_copy(c->fn, in, found);
            c->changed = true;
            continue;
        }
        if (constant && in->m.src[0].kind == MIR_SRC_REG) continue;
        cse_push(c, (struct cse_entry){.in = in, .hash = h});
    }
}

/* Takes entries from the stack and out of their buckets until n are left. */
static void cse_leave(struct cse *c, uint32_t n) {
    while (c->n > n) {
        const struct cse_entry *e = &c->entry[--c->n];
        c->bucket[e->hash & c->mask] = e->next;
    }
}

/* Walks the dominator tree without recursion. @return it replaced an instruction */
bool lir_cse(struct lir_fn *fn) {
    struct cse c = {.fn = fn, .mask = 4095};
    lir_analyze(fn);
    c.bucket = ARENA_ARRAY(fn->arena, uint32_t, c.mask + 1);
    uint32_t *mark = ARENA_ARRAY(fn->arena, uint32_t, fn->n_blocks);
    struct lir_block *b = fn->rpo[0];
    for (;;) { /* down and up the dominator tree */
        mark[b->id] = c.n;
        cse_block(&c, b);
        if (b->dom_child) {
            b = b->dom_child;
            continue;
        }
        for (;;) {
            cse_leave(&c, mark[b->id]);
            if (b->dom_sibling) {
                b = b->dom_sibling;
                break;
            }
            b = b->idom;
            if (!b) return c.changed;
        }
    }
}
