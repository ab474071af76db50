/* lir_cleanup.c - common subexpressions, dead code, pseudo operations, operand forms. */
#include "ptx/ir/lir_passes.h"

#include <string.h>

/* ---- helpers of all passes ------------------------------------------------------------------ */

/* Words made since the last analysis are known to nobody. */
const struct lir_info *lir_word_info(const struct lir_fn *fn, lir_word w) {
    static const struct lir_info unknown = {.n_def = 2, .n_use = 2};
    return w < fn->n_known_words ? &fn->word_info[w] : &unknown;
}

const struct lir_info *lir_pred_info(const struct lir_fn *fn, uint32_t p) {
    static const struct lir_info unknown = {.n_def = 2, .n_use = 2};
    return p < fn->n_known_preds ? &fn->pred_info[p] : &unknown;
}

struct lir_inst *lir_def_of(const struct lir_fn *fn, lir_word w, unsigned n) {
    if (w == 0) return NULL;
    struct lir_inst *def = lir_word_info(fn, w)->def;
    if (!def || def->dst != w || lir_dst_words(def) != n || def->guard != LIR_PT) return NULL;
    for (unsigned k = 0; k < n; k++)
        if (!lir_word_info(fn, w + k)->single) return NULL;
    return def;
}

/* Is word w unwritten between two instructions of one block? Looks at a bounded distance. */
static bool unwritten(const struct lir_inst *from, const struct lir_inst *to, lir_word w) {
    enum { FAR = 200 };
    unsigned n = 0;
    if (from->block != to->block) return false;
    for (const struct lir_inst *in = from; in && in != to; in = in->next) {
        unsigned words = lir_dst_words(in);
        if (words && w >= in->dst && w < in->dst + words) return false;
        if (++n > FAR) return false;
        if (!in->next) return false; /* `to` stands before `from`: around a loop */
    }
    return true;
}

bool lir_sources_reach(const struct lir_fn *fn, const struct lir_inst *def,
                       const struct lir_inst *use) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_words(def, i);
        for (unsigned k = 0; k < n; k++)
            if (!lir_word_info(fn, def->src[i] + k)->single &&
                !unwritten(def, use, def->src[i] + k))
                return false;
    }
    for (unsigned i = 0; i < 3; i++)
        if (def->psrc[i] >> 1 && !lir_pred_info(fn, def->psrc[i] >> 1)->single) return false;
    return true;
}

struct lir_inst *lir_new_before(struct lir_fn *fn, struct lir_inst *at, unsigned op) {
    struct lir_inst *in = lir_inst_create(fn, op);
    in->m.ptx_line = at->m.ptx_line;
    in->m.loc = at->m.loc;
    lir_insert_before(at, in);
    return in;
}

/* ---- common subexpressions ------------------------------------------------------------------ */

/* Walks the dominator tree with a hash table whose entries are taken out on the way back. */
struct cse_entry {
    struct lir_inst *in;
    uint32_t hash, next; /* index + 1 of the next entry of the chain */
};

struct cse {
    struct lir_fn *fn;
    uint32_t *bucket; /* index + 1 */
    uint32_t mask;
    struct cse_entry *entry;
    uint32_t n, cap;
    bool changed;
};

static bool all_single(const struct lir_fn *fn, const struct lir_inst *in) {
    unsigned n = lir_dst_words(in);
    for (unsigned k = 0; k < n; k++)
        if (!fn->word_info[in->dst + k].single) return false;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        n = lir_src_words(in, i);
        for (unsigned k = 0; k < n; k++)
            if (!fn->word_info[in->src[i] + k].single) return false;
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1 && !fn->pred_info[in->psrc[i] >> 1].single) return false;
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && !fn->pred_info[in->pdst[i]].single) return false;
    return true;
}

static bool cse_candidate(const struct lir_fn *fn, const struct lir_inst *in) {
    if (in->guard != LIR_PT || !lir_is_pure(in)) return false;
    if ((in->dst == 0 && in->pdst[0] == 0) || in->pdst[1]) return false;
    return all_single(fn, in);
}

static uint32_t mix(uint32_t h, uint32_t v) {
    return (h ^ v) * 0x9e3779b1u ^ h >> 15;
}

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

static bool same(const struct lir_inst *a, const struct lir_inst *b) {
    const struct mir_inst *x = &a->m, *y = &b->m;
    if (x->op != y->op || x->type != y->type || x->type2 != y->type2 || x->cmp != y->cmp ||
        x->bop != y->bop || x->round != y->round || x->sub != y->sub || x->flags != y->flags ||
        a->contract != b->contract || x->imm != y->imm || x->width != y->width ||
        (a->dst == 0) != (b->dst == 0))
        return false;
    if (!a->pdst[0] && b->pdst[0]) return false; /* a carry that is not wanted there is here */
    for (unsigned i = 0; i < 3; i++)
        if (a->psrc[i] != b->psrc[i]) return false;
    if (!same_operand(a, 2, b, 2)) return false;
    return (same_operand(a, 0, b, 0) && same_operand(a, 1, b, 1)) ||
           (lir_is_commutative(a) && same_operand(a, 0, b, 1) && same_operand(a, 1, b, 0));
}

/* The duplicate becomes copies of the original, which propagation then removes. */
static void replace_with_copy(struct lir_fn *fn, struct lir_inst *in, const struct lir_inst *orig) {
    lir_word d = in->dst;
    unsigned n = lir_dst_words(in);
    uint32_t p = in->pdst[0];
    if (p) {
        struct lir_inst *copy = d ? lir_new_before(fn, in, MIR_PLOP3) : in;
        lir_reset(copy, MIR_PLOP3);
        copy->m.sub = 0xf0;
        copy->pdst[0] = p;
        copy->psrc[0] = lir_p(orig->pdst[0]);
        if (!d) return;
    }
    lir_word s = orig->dst;
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

static void cse_block(struct cse *c, struct lir_block *b) {
    for (struct lir_inst *in = b->first, *next; in; in = next) {
        next = in->next;
        if (!cse_candidate(c->fn, in)) continue;
        uint32_t h = cse_hash(in);
        bool constant = in->m.op == MIR_MOV; /* cheap: a copy near its use beats a long life */
        const struct lir_inst *found = NULL;
        for (uint32_t e = c->bucket[h & c->mask]; e && !found; e = c->entry[e - 1].next) {
            const struct lir_inst *o = c->entry[e - 1].in;
            if (c->entry[e - 1].hash == h && same(o, in) && (!constant || o->block == b)) found = o;
        }
        if (found) {
            replace_with_copy(c->fn, in, found);
            c->changed = true;
            continue;
        }
        if (constant && in->m.src[0].kind == MIR_SRC_REG) continue;
        *ARENA_PUSH(c->fn->arena, c->entry, c->n, c->cap) = (struct cse_entry){
            .in = in, .hash = h, .next = c->bucket[h & c->mask]};
        c->bucket[h & c->mask] = c->n;
    }
}

static void cse_leave(struct cse *c, uint32_t n) {
    while (c->n > n) {
        const struct cse_entry *e = &c->entry[--c->n];
        c->bucket[e->hash & c->mask] = e->next;
    }
}

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

/* ---- dead code ------------------------------------------------------------------------------ */

static void drop_uses(struct lir_fn *fn, const struct lir_inst *in) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_words(in, i);
        for (unsigned k = 0; k < n; k++) fn->word_info[in->src[i] + k].n_use--;
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1) fn->pred_info[in->psrc[i] >> 1].n_use--;
    if (in->guard >> 1) fn->pred_info[in->guard >> 1].n_use--;
}

/* Does the instruction read what it writes? Such a use alone does not keep it alive. */
static unsigned own_uses(const struct lir_inst *in, lir_word w) {
    unsigned uses = 0;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_words(in, i);
        uses += n && w >= in->src[i] && w < in->src[i] + n;
    }
    return uses;
}

static bool is_dead(const struct lir_fn *fn, const struct lir_inst *in) {
    unsigned n = lir_dst_words(in);
    if (lir_has_effect(in)) return false;
    for (unsigned k = 0; k < n; k++) {
        const struct lir_info *v = &fn->word_info[in->dst + k];
        if (v->n_use > (v->n_def == 1 ? own_uses(in, in->dst + k) : 0)) return false;
    }
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && fn->pred_info[in->pdst[i]].n_use) return false;
    return true;
}

static bool results_unused(const struct lir_fn *fn, const struct lir_inst *in) {
    unsigned n = lir_dst_words(in);
    for (unsigned k = 0; k < n; k++)
        if (fn->word_info[in->dst + k].n_use) return false;
    return n > 0;
}

/* An atomic whose old value nobody reads: a reduction, posted instead of pending. */
static bool weaken_atomic(const struct lir_fn *fn, struct lir_inst *in) {
    unsigned op = in->m.op;
    bool known = op == MIR_ATOM || op == MIR_ATOMG || op == MIR_ATOMS || op == MIR_SYS;
    if (!known || !results_unused(fn, in)) return false;
    lir_set_dst(in, 0);
    if (op == MIR_SYS) return true;
    if (in->m.sub != MIR_ATOM_CAS && in->m.sub != MIR_ATOM_EXCH)
        in->m.op = op == MIR_ATOMS ? MIR_REDS : MIR_RED;
    return true;
}

static bool trim(const struct lir_fn *fn, struct lir_inst *in) {
    bool changed = weaken_atomic(fn, in);
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && !fn->pred_info[in->pdst[i]].n_use) {
            in->pdst[i] = 0;
            changed = true;
        }
    /* a wide product whose high word nobody reads */
    if (in->m.op == MIR_IMAD && in->m.flags & MIR_WIDE && in->dst &&
        fn->word_info[in->dst + 1].n_use == 0 && !(in->m.src[2].mods)) {
        in->m.flags &= (uint16_t)~MIR_WIDE;
        changed = true;
    }
    if (in->m.op == LIR_EXT64 && fn->word_info[in->dst + 1].n_use == 0) {
        in->m.op = MIR_MOV;
        in->m.type = 0;
        changed = true;
    }
    return changed;
}

bool lir_dce(struct lir_fn *fn) {
    bool changed = false;
    lir_analyze(fn);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = fn->n_blocks; b-- > 0;)
            for (struct lir_inst *in = fn->blocks[b]->last, *prev; in; in = prev) {
                prev = in->prev;
                bool self = in->m.op == MIR_MOV && in->m.src[0].kind == MIR_SRC_REG &&
                            in->src[0] == in->dst && !in->m.src[0].mods;
                if (self || is_dead(fn, in)) {
                    drop_uses(fn, in);
                    lir_remove(in);
                    again = changed = true;
                } else {
                    changed |= trim(fn, in);
                }
            }
    }
    return changed;
}

/* ---- pseudo operations ---------------------------------------------------------------------- */

static struct lir_src half(struct lir_src s, unsigned k) {
    if (s.kind == MIR_SRC_REG && s.value) s.value += k;
    if (s.kind == MIR_SRC_CONST) s.value += 4 * k;
    if (s.kind == MIR_SRC_IMM) s.value = k ? 0 - (s.value >> 31) : s.value; /* the sign */
    return s;
}

static struct lir_inst *sum_before(struct lir_fn *fn, struct lir_inst *at, lir_word d,
                                   struct lir_src a, struct lir_src b) {
    struct lir_inst *in = lir_new_before(fn, at, MIR_IADD3);
    lir_set_dst(in, d);
    lir_set_src(in, 0, a);
    lir_set_src(in, 1, b);
    lir_set_src(in, 2, RZ_SOURCE);
    return in;
}

static struct lir_inst *shift_before(struct lir_fn *fn, struct lir_inst *at, lir_word d,
                                     struct lir_src a, uint32_t by, struct lir_src c, mir_type type,
                                     unsigned flags) {
    struct lir_inst *in = lir_new_before(fn, at, MIR_SHF);
    lir_set_dst(in, d);
    lir_set_src(in, 0, a);
    lir_set_src(in, 1, lir_imm(by));
    lir_set_src(in, 2, c);
    in->m.type = (uint8_t)type;
    in->m.flags |= (uint16_t)flags;
    return in;
}

static void mov_before(struct lir_fn *fn, struct lir_inst *at, lir_word d, struct lir_src s) {
    struct lir_inst *in = lir_new_before(fn, at, MIR_MOV);
    lir_set_dst(in, d);
    lir_set_src(in, 0, s);
}

static void expand(struct lir_fn *fn, struct lir_inst *in) {
    struct lir_src a = lir_get_src(in, 0), b = lir_get_src(in, 1);
    lir_word d = in->dst;
    if (in->m.op == LIR_ADD64) {
        struct lir_inst *low = sum_before(fn, in, d, half(a, 0), half(b, 0));
        low->pdst[0] = lir_new_pred(fn);
        struct lir_inst *high = sum_before(fn, in, d + 1, half(a, 1), half(b, 1));
        high->m.flags |= MIR_X;
        high->psrc[0] = lir_p(low->pdst[0]);
        high->psrc[1] = LIR_NOT_PT;
    } else if (in->m.op == LIR_SHL64) {
        uint32_t n = (uint32_t)in->m.imm;
        /* the high word first: d may be a */
        if (n == 0) {
            mov_before(fn, in, d + 1, half(a, 1));
            mov_before(fn, in, d, half(a, 0));
        } else if (n >= 32) {
            shift_before(fn, in, d + 1, half(a, 0), n - 32, RZ_SOURCE, MIR_U32, 0);
            mov_before(fn, in, d, RZ_SOURCE);
        } else {
            shift_before(fn, in, d + 1, half(a, 0), n, half(a, 1), MIR_U64, MIR_HI);
            shift_before(fn, in, d, half(a, 0), n, RZ_SOURCE, MIR_U32, 0);
        }
    } else { /* LIR_EXT64 */
        if (in->m.type == MIR_S32)
            shift_before(fn, in, d + 1, a, 31, RZ_SOURCE, MIR_S32, MIR_RIGHT);
        else
            mov_before(fn, in, d + 1, RZ_SOURCE);
        mov_before(fn, in, d, a);
    }
    lir_remove(in);
}

void lir_expand(struct lir_fn *fn) {
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            if (in->m.op >= MIR_OP_COUNT) expand(fn, in);
        }
}

/* ---- operand forms -------------------------------------------------------------------------- */

static void to_register(struct lir_fn *fn, struct lir_inst *in, unsigned i) {
    struct lir_src s = lir_get_src(in, i);
    unsigned n = lir_operand_words(in, i);
    if (n == 0) n = 1;
    lir_word w = lir_new_words(fn, n);
    uint8_t mods = s.mods;
    s.mods = 0;
    for (unsigned k = 0; k < n; k++) {
        struct lir_src part = s;
        if (s.kind == MIR_SRC_CONST)
            part.value += 4 * k;
        else if (n == 2) /* an immediate double: the high word */
            part = k ? s : RZ_SOURCE;
        mov_before(fn, in, w + k, part);
    }
    struct lir_src r = lir_reg(w);
    r.mods = mods;
    lir_set_src(in, i, r);
}

static bool fits(const struct lir_inst *in, unsigned i) {
    struct lir_src s = lir_get_src(in, i);
    return s.kind == MIR_SRC_NONE || s.kind == MIR_SRC_REG ||
           (lir_operand_fits(in, i, s) && !(s.kind == MIR_SRC_IMM && s.mods));
}

void lir_legalize(struct lir_fn *fn) {
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            if (!fits(in, 0) && in->m.src[1].kind == MIR_SRC_REG) lir_swap(in);
            for (unsigned i = MIR_MAX_SRC; i-- > 0;)
                if (!fits(in, i)) to_register(fn, in, i);
        }
}
