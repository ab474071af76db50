/* lir_steps.c - what changes evenly from turn to turn, and how many turns there are.
 *
 * Two walks over a turn. The first writes what words hold as sums of what they held when the turn
 * began and a constant: a word whose sum at the end is its own plus a constant is stepped. The
 * second derives from the steps how far every other result moves in a turn (its delta), through
 * operations that are linear modulo 2^32 or 2^64; so the result in turn k is that of turn 0 plus
 * k deltas, exactly. */
#include "ptx/lir_loop.h"

/* ---- operands ------------------------------------------------------------------------------- */

static bool immediate(const struct lir_inst *in, unsigned i, int64_t *value) {
    const struct mir_src *s = &in->m.src[i];
    if (s->kind == MIR_SRC_IMM && !s->mods)
        *value = (int32_t)s->value;
    else if (s->kind == MIR_SRC_REG && in->src[i] == 0 && !s->mods)
        *value = 0;
    else
        return false;
    return true;
}

static bool plain(const struct lir_inst *in) {
    return !in->m.flags && !in->pdst[0] && !in->pdst[1];
}

static bool renamed(const struct lir_loop *l, lir_word w) {
    return l->word[w].n_def == 1 && l->word[w].always;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static const struct loop_sum no_sum = {.part = LOOP_UNKNOWN};

static struct loop_sum sum_of_pair(const struct lir_loop *l, lir_word w) {
    struct loop_sum a = l->word[w].sum, b = l->word[w + 1].sum;
    if (a.part == LOOP_WORD && b.part == LOOP_WORD && b.root == a.root + 1 && !a.plus && !b.plus &&
        l->fn->group[a.root] == l->fn->group[b.root])
        return (struct loop_sum){.part = LOOP_LOW, .root = a.root};
    if (a.part == LOOP_LOW && b.part == LOOP_HIGH && a.root == b.root && a.plus == b.plus) return a;
    return no_sum;
}

static void sum_inst(struct lir_loop *l, const struct lir_inst *in) {
    unsigned n = lir_dst_words(in);
    struct loop_sum low = no_sum, high = no_sum;
    int64_t by;
    if (n && renamed(l, in->dst) && in->m.src[0].kind == MIR_SRC_REG && in->src[0] &&
        !in->m.src[0].mods) {
        if (in->m.op == MIR_MOV && n == 1) {
            low = l->word[in->src[0]].sum;
        } else if (in->m.op == MIR_IADD3 && plain(in) && in->m.src[2].kind == MIR_SRC_REG &&
                   in->src[2] == 0 && immediate(in, 1, &by)) {
            low = l->word[in->src[0]].sum;
            if (low.part != LOOP_WORD) low = no_sum;
            low.plus = (int32_t)(uint32_t)(low.plus + by);
        } else if (in->m.op == LIR_ADD64 && immediate(in, 1, &by)) {
            low = sum_of_pair(l, in->src[0]);
            if (__builtin_add_overflow(low.plus, by, &low.plus)) low = no_sum;
            high = low;
            if (high.part) high.part = LOOP_HIGH;
        }
    }
    for (unsigned k = 0; k < n; k++)
        l->word[in->dst + k].sum = k == 0 ? low : k == 1 ? high : no_sum;
}

/* ---- the test ------------------------------------------------------------------------------- */

static unsigned opposite(unsigned cmp) {
    switch (cmp) {
    case MIR_CMP_LT: return MIR_CMP_GE;
    case MIR_CMP_LE: return MIR_CMP_GT;
    case MIR_CMP_GT: return MIR_CMP_LE;
    case MIR_CMP_GE: return MIR_CMP_LT;
    case MIR_CMP_EQ: return MIR_CMP_NE;
    case MIR_CMP_NE: return MIR_CMP_EQ;
    default: return MIR_CMP_F;
    }
}

static unsigned exchanged(unsigned cmp) {
    switch (cmp) {
    case MIR_CMP_LT: return MIR_CMP_GT;
    case MIR_CMP_LE: return MIR_CMP_GE;
    case MIR_CMP_GT: return MIR_CMP_LT;
    case MIR_CMP_GE: return MIR_CMP_LE;
    default: return cmp;
    }
}

/* The comparison at the latch, when the walk comes to it. */
static void find_test(struct lir_loop *l, const struct lir_inst *in) {
    const struct lir_inst *bra = l->latch->last;
    uint32_t p = bra->guard >> 1;
    if (in->m.op != MIR_ISETP || in->pdst[0] != p || in->pdst[1] || in->m.flags ||
        in->psrc[0] != LIR_PT || l->pred[p].n_def != 1 || !l->pred[p].always)
        return;
    for (unsigned i = 0; i < 2; i++) {
        const struct mir_src *a = &in->m.src[i], *b = &in->m.src[1 - i];
        if (a->kind != MIR_SRC_REG || in->src[i] == 0 || a->mods || b->mods) continue;
        if (b->kind == MIR_SRC_REG && in->src[1 - i] && l->word[in->src[1 - i]].n_def) continue;
        struct loop_sum sum = l->word[in->src[i]].sum;
        if (sum.part != LOOP_WORD || !l->word[sum.root].n_def) continue;
        unsigned cmp = i ? exchanged(in->m.cmp) : in->m.cmp;
        l->test = (struct loop_test){.found = true,
                                     .counter = sum.root,
                                     .plus = (int32_t)sum.plus,
                                     .cmp = (uint8_t)(bra->guard & 1 ? opposite(cmp) : cmp),
                                     .is_signed = in->m.type == MIR_S32,
                                     .limit = lir_get_src(in, 1 - i)};
    }
}

/* ---- deltas --------------------------------------------------------------------------------- */

static const struct loop_delta no_delta = {.part = LOOP_UNKNOWN};

static struct loop_delta delta_of(const struct lir_loop *l, const struct lir_inst *in, unsigned i) {
    if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0)
        return (struct loop_delta){.part = LOOP_WORD}; /* the same in all turns */
    struct loop_delta a = l->word[in->src[i]].delta;
    if (lir_src_words(in, i) == 1) return a;
    if (lir_src_words(in, i) != 2) return no_delta;
    struct loop_delta b = l->word[in->src[i] + 1].delta;
    if (a.part == LOOP_WORD && b.part == LOOP_WORD && !a.by && !b.by) return a;
    if (a.part == LOOP_LOW && b.part == LOOP_HIGH && a.pair == b.pair) return a;
    return no_delta;
}

/* Sum of operand i times a factor. */
static bool add_delta(const struct lir_loop *l, const struct lir_inst *in, unsigned i,
                      int64_t factor, int64_t *sum) {
    struct loop_delta d = delta_of(l, in, i);
    unsigned mods = in->m.src[i].mods;
    int64_t by;
    if (d.part == LOOP_UNKNOWN || (d.part == LOOP_HIGH && d.by)) return false;
    if (d.by && (mods & ~MIR_SRC_NEG || (d.part == LOOP_LOW && lir_src_words(in, i) != 2)))
        return false;
    if (mods & MIR_SRC_NEG) factor = -factor;
    return !__builtin_mul_overflow(d.by, factor, &by) && !__builtin_add_overflow(*sum, by, sum);
}

static bool all_even(const struct lir_loop *l, const struct lir_inst *in, unsigned from) {
    for (unsigned i = from; i < MIR_MAX_SRC; i++) {
        struct loop_delta d = delta_of(l, in, i);
        if (in->m.src[i].kind != MIR_SRC_NONE && (d.part == LOOP_UNKNOWN || d.by)) return false;
    }
    for (unsigned i = 0; i < 3; i++)
        if (l->pred[in->psrc[i] >> 1].n_def) return false;
    return true;
}

/* How far the result moves in a turn. */
static bool moves_by(const struct lir_loop *l, const struct lir_inst *in, int64_t *by) {
    int64_t factor;
    *by = 0;
    if (lir_is_pure(in) && all_even(l, in, 0)) return true;
    switch (in->m.op) {
    case LIR_ADD64: return add_delta(l, in, 0, 1, by) && add_delta(l, in, 1, 1, by);
    case LIR_SHL64: return in->m.imm < 32 && add_delta(l, in, 0, INT64_C(1) << in->m.imm, by);
    case MIR_IADD3:
        return plain(in) && add_delta(l, in, 0, 1, by) && add_delta(l, in, 1, 1, by) &&
               add_delta(l, in, 2, 1, by);
    case MIR_SHF:
        return (in->m.type == MIR_U32 || in->m.type == MIR_S32) &&
               !(in->m.flags & (MIR_RIGHT | MIR_HI)) && immediate(in, 1, &factor) && factor >= 0 &&
               factor < 32 && add_delta(l, in, 0, INT64_C(1) << factor, by);
    case MIR_LEA:
        return plain(in) && in->m.sub < 32 && add_delta(l, in, 0, INT64_C(1) << in->m.sub, by) &&
               add_delta(l, in, 1, 1, by);
    case MIR_IMAD:
        if (in->m.flags == MIR_WIDE) { /* the product as it is */
            struct loop_delta a = delta_of(l, in, 0), b = delta_of(l, in, 1);
            return a.part && b.part && !a.by && !b.by && add_delta(l, in, 2, 1, by);
        }
        return !in->m.flags && immediate(in, 1, &factor) && add_delta(l, in, 0, factor, by) &&
               add_delta(l, in, 2, 1, by);
    default: return false;
    }
}

static void delta_inst(struct lir_loop *l, const struct lir_inst *in) {
    unsigned n = lir_dst_words(in);
    struct loop_delta *d = &l->inst[in->pos - l->first_pos].delta;
    *d = no_delta;
    if (n == 0) return;
    if (in->m.op == MIR_MOV && n == 1 && renamed(l, in->dst) && in->guard == LIR_PT) {
        l->word[in->dst].delta = in->m.src[0].mods ? no_delta : delta_of(l, in, 0);
        return; /* a copy of a name: nothing is gained by a sum */
    }
    bool known = n <= 2 && in->guard == LIR_PT && renamed(l, in->dst) && moves_by(l, in, &d->by);
    if (known) {
        bool pair = n == 2 && d->by;
        d->part = pair ? LOOP_LOW : LOOP_WORD;
        d->pair = in->dst;
        if (n == 1) d->by = (int32_t)(uint32_t)d->by;
    }
    for (unsigned k = 0; k < n; k++) {
        l->word[in->dst + k].delta = *d;
        if (d->part == LOOP_LOW && k) l->word[in->dst + k].delta.part = LOOP_HIGH;
    }
}

/* What is known of a word when a turn begins. */
static struct loop_delta step_of(const struct lir_loop *l, lir_word w) {
    const struct loop_word *v = &l->word[w];
    struct loop_delta d = {.part = v->sum.part, .pair = v->sum.root, .by = v->sum.plus};
    if (v->n_def == 0) return (struct loop_delta){.part = LOOP_WORD};
    if (v->sum.part == LOOP_UNKNOWN || !renamed(l, w)) return no_delta;
    if (v->sum.part == LOOP_HIGH) {
        bool own = v->sum.root + 1 == w && l->word[w - 1].sum.part == LOOP_LOW &&
                   l->word[w - 1].sum.root == w - 1 && l->word[w - 1].sum.plus == v->sum.plus;
        return own ? d : no_delta;
    }
    if (v->sum.root != w) return no_delta;
    if (v->sum.part == LOOP_LOW) {
        const struct loop_sum *high = &l->word[w + 1].sum;
        if (high->part != LOOP_HIGH || high->root != w || high->plus != v->sum.plus)
            return no_delta;
    }
    return d;
}

/* ---- both walks ----------------------------------------------------------------------------- */

static void begin(struct lir_loop *l, lir_word w, bool steps) {
    if (!steps)
        l->word[w].sum = (struct loop_sum){.part = LOOP_WORD, .root = w};
    else
        l->word[w].delta = step_of(l, w);
}

static void begin_turn(struct lir_loop *l, bool steps) {
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            unsigned n = lir_dst_words(in);
            for (unsigned k = 0; k < n; k++) begin(l, in->dst + k, steps);
            for (unsigned s = 0; s < MIR_MAX_SRC; s++) {
                n = lir_src_words(in, s);
                for (unsigned k = 0; k < n; k++) begin(l, in->src[s] + k, steps);
            }
        }
}

void lir_loop_steps(struct lir_loop *l) {
    l->test.found = false;
    begin_turn(l, false);
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            find_test(l, in);
            sum_inst(l, in);
        }
    begin_turn(l, true);
    if (l->test.found) {
        struct loop_delta step = l->word[l->test.counter].delta;
        l->test.step = (int32_t)step.by;
        l->test.found = step.part == LOOP_WORD && step.by != 0;
    }
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) delta_inst(l, in);
}

/* ---- turns ---------------------------------------------------------------------------------- */

/* Turns until `x`, stepped, is no longer less than `limit` (both in the type's range). */
static uint64_t turns_up(int64_t x, int64_t limit, int64_t step, int64_t most) {
    if (x >= limit) return 1;
    if (step <= 0) return 0; /* around the whole range */
    int64_t n = (limit - x + step - 1) / step;
    return x + n * step > most ? 0 : 1 + (uint64_t)n;
}

uint64_t lir_loop_turns(const struct lir_loop *l) {
    const struct loop_test *t = &l->test;
    uint32_t start, limit = t->limit.value;
    if (!t->found || !lir_loop_start(l, t->counter, &start)) return 0;
    if (t->limit.kind != MIR_SRC_IMM && !(t->limit.kind == MIR_SRC_REG && limit == 0)) return 0;
    uint32_t first = start + (uint32_t)t->plus;
    int64_t x = t->is_signed ? (int32_t)first : (int64_t)first;
    int64_t to = t->is_signed ? (int32_t)limit : (int64_t)limit;
    int64_t most = t->is_signed ? INT32_MAX : UINT32_MAX, least = t->is_signed ? INT32_MIN : 0;
    uint32_t way = t->step > 0 ? limit - first : first - limit;
    uint32_t by = t->step > 0 ? (uint32_t)t->step : 0 - (uint32_t)t->step;
    switch (t->cmp) {
    case MIR_CMP_LT: return turns_up(x, to, t->step, most);
    case MIR_CMP_LE: return turns_up(x, to + 1, t->step, most);
    case MIR_CMP_GT: return turns_up(-x, -to, -(int64_t)t->step, -least);
    case MIR_CMP_GE: return turns_up(-x, -to + 1, -(int64_t)t->step, -least);
    case MIR_CMP_NE: return way % by ? 0 : 1 + (uint64_t)way / by;
    case MIR_CMP_EQ: return x == to ? 2 : 1;
    default: return 0;
    }
}
