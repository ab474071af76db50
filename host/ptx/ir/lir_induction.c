/* lir_induction.c - induction variables, the strides of other values, and trip counts. Part of
 * unrolling: lir_unroll.c calls lir_loop_induction for each loop that can be copied, then
 * lir_loop_trip_count.
 *
 * Two walks over one iteration. The first writes what each vreg holds as the value of some vreg at
 * the start of the iteration plus a constant (loop_vreg.sum). A vreg that ends as its own start
 * plus a constant is an induction variable. The second walk derives from these how much every other
 * result grows per iteration (its stride), through operations that are linear modulo 2^32 or 2^64.
 * The result in iteration k is then exactly that of iteration 0 plus k strides.
 *
 * The functions write only the tables of the loop `l`: vregs' sums and strides, instructions'
 * strides, the test. They change no instruction.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_loop.h"

/* ---- operands ------------------------------------------------------------------------------- */

/* @return operand i is an immediate or RZ, without modifiers; *value is it, sign-extended. */
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

/* @return no flags and no predicate results (no carry, no high part). */
static bool plain(const struct lir_inst *in) {
    return !in->m.flags && !in->pdst[0] && !in->pdst[1];
}

/* @return the loop writes w exactly once in every iteration. */
static bool renamed(const struct lir_loop *l, lir_vreg w) {
    return l->vreg[w].n_def == 1 && l->vreg[w].always;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static const struct loop_sum no_sum = {.part = LOOP_UNKNOWN};

/* The 64-bit sum in the pair at w: the unchanged pair of another vreg, or a low and a high half
 * that belong together; else no_sum. */
static struct loop_sum sum_of_pair(const struct lir_loop *l, lir_vreg w) {
    struct loop_sum a = l->vreg[w].sum, b = l->vreg[w + 1].sum;
    if (a.part == LOOP_WORD && b.part == LOOP_WORD && b.root == a.root + 1 && !a.plus && !b.plus &&
        l->fn->group[a.root] == l->fn->group[b.root])
        return (struct loop_sum){.part = LOOP_LOW, .root = a.root};
    if (a.part == LOOP_LOW && b.part == LOOP_HIGH && a.root == b.root && a.plus == b.plus) return a;
    return no_sum;
}

/* Writes the sums of the vregs that the instruction defines, from those of its operands. */
static void sum_inst(struct lir_loop *l, const struct lir_inst *in) {
    unsigned n = lir_dst_vregs(in);
    struct loop_sum low = no_sum, high = no_sum;
    int64_t by;
    if (n && renamed(l, in->dst) && in->m.src[0].kind == MIR_SRC_REG && in->src[0] &&
        !in->m.src[0].mods) {
        if (in->m.op == MIR_MOV && n == 1) {
            low = l->vreg[in->src[0]].sum;
        } else if (in->m.op == MIR_IADD3 && plain(in) && in->m.src[2].kind == MIR_SRC_REG &&
                   in->src[2] == 0 && immediate(in, 1, &by)) {
            low = l->vreg[in->src[0]].sum;
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
        l->vreg[in->dst + k].sum = k == 0 ? low : k == 1 ? high : no_sum;
}

/* ---- the test ------------------------------------------------------------------------------- */

/* The integer comparison that is true where `cmp` is false; F: there is none. */
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

/* The comparison that gives the same result with its operands exchanged. */
static unsigned exchanged(unsigned cmp) {
    switch (cmp) {
    case MIR_CMP_LT: return MIR_CMP_GT;
    case MIR_CMP_LE: return MIR_CMP_GE;
    case MIR_CMP_GT: return MIR_CMP_LT;
    case MIR_CMP_GE: return MIR_CMP_LE;
    default: return cmp;
    }
}

/* @return operand i is known to have the same value in all iterations: it has no modifiers, and is
 * a constant, RZ or a vreg that the loop never defines. False means not known: a modifier alone
 * gives false. */
static bool is_fixed(const struct lir_loop *l, const struct lir_inst *in, unsigned i) {
    if (in->m.src[i].mods) return false;
    return in->m.src[i].kind != MIR_SRC_REG || !in->src[i] || !l->vreg[in->src[i]].n_def;
}

/* @return the comparison is the only definition of predicate p and is combined with no other
 * predicate. */
static bool tests_alone(const struct lir_loop *l, const struct lir_inst *in, uint32_t p) {
    return in->m.op == MIR_ISETP && in->pdst[0] == p && !in->pdst[1] && in->psrc[0] == LIR_PT &&
           l->pred[p].n_def == 1 && l->pred[p].always;
}

/* @return low and high are two vregs of a pair, two constants, or two immediates. Turns RZ into an
 * immediate 0. */
static bool as_pair(struct lir_src *low, struct lir_src *high) {
    if (low->kind == MIR_SRC_REG && low->value == 0) *low = lir_imm(0);
    if (high->kind == MIR_SRC_REG && high->value == 0) *high = lir_imm(0);
    return low->kind == high->kind && (low->kind != MIR_SRC_REG || high->value == low->value + 1);
}

/* Fills l->test if `in` is the comparison for the latch's branch, and compares a sum of a vreg with
 * a value that the loop does not change. Reads the sums as they are at `in`. Pairs take two
 * comparisons: of the low words, then of the high ones, which uses the first one's result where
 * these are equal. */
static void find_test(struct lir_loop *l, const struct lir_inst *in) {
    const struct lir_inst *bra = l->latch->last, *low = in;
    bool wide = in->m.flags == MIR_EX;
    if (!tests_alone(l, in, bra->guard >> 1) || (in->m.flags && !wide)) return;
    if (wide) {
        low = in->prev;
        if (!low || !tests_alone(l, low, in->psrc[1] >> 1) || low->m.flags || in->psrc[1] & 1 ||
            low->m.cmp != in->m.cmp)
            return;
    }
    for (unsigned i = 0; i < 2; i++) {
        lir_vreg x = low->m.src[i].kind == MIR_SRC_REG && !low->m.src[i].mods ? low->src[i] : 0;
        if (!x || !is_fixed(l, low, 1 - i) || !is_fixed(l, in, 1 - i)) continue;
        if (wide && (in->m.src[i].kind != MIR_SRC_REG || in->m.src[i].mods || in->src[i] != x + 1))
            continue;
        struct loop_sum sum = wide ? sum_of_pair(l, x) : l->vreg[x].sum;
        if (sum.part != (wide ? LOOP_LOW : LOOP_WORD) || !l->vreg[sum.root].n_def) continue;
        struct lir_src limit = lir_get_src(low, 1 - i), high = lir_get_src(in, 1 - i);
        if (wide && !as_pair(&limit, &high)) continue;
        unsigned cmp = i ? exchanged(in->m.cmp) : in->m.cmp;
        l->test = (struct loop_test){.found = true,
                                     .wide = wide,
                                     .counter = sum.root,
                                     .plus = sum.plus,
                                     .cmp = (uint8_t)(bra->guard & 1 ? opposite(cmp) : cmp),
                                     .is_signed = in->m.type == MIR_S32,
                                     .limit = limit,
                                     .limit_high = high,
                                     .low = wide ? low->pdst[0] : 0};
    }
}

/* ---- strides -------------------------------------------------------------------------------- */

static const struct loop_stride no_stride = {.part = LOOP_UNKNOWN};

/* The stride of operand i, as a 32-bit word or a pair; LOOP_UNKNOWN if there is none. A stride of
 * 0: the same value in all iterations. */
static struct loop_stride stride_of(const struct lir_loop *l, const struct lir_inst *in,
                                    unsigned i) {
    if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0)
        return (struct loop_stride){.part = LOOP_WORD}; /* the same in all iterations */
    struct loop_stride a = l->vreg[in->src[i]].stride;
    if (lir_src_vregs(in, i) == 1) return a;
    if (lir_src_vregs(in, i) != 2) return no_stride;
    struct loop_stride b = l->vreg[in->src[i] + 1].stride;
    if (a.part == LOOP_WORD && b.part == LOOP_WORD && !a.by && !b.by) return a;
    if (a.part == LOOP_LOW && b.part == LOOP_HIGH && a.pair == b.pair) return a;
    return no_stride;
}

/* *sum += the stride of operand i times `factor`. @return false: unknown, or overflow */
static bool add_stride(const struct lir_loop *l, const struct lir_inst *in, unsigned i,
                       int64_t factor, int64_t *sum) {
    struct loop_stride d = stride_of(l, in, i);
    unsigned mods = in->m.src[i].mods;
    int64_t by;
    if (d.part == LOOP_UNKNOWN || (d.part == LOOP_HIGH && d.by)) return false;
    if (d.by && (mods & ~MIR_SRC_NEG || (d.part == LOOP_LOW && lir_src_vregs(in, i) != 2)))
        return false;
    if (mods & MIR_SRC_NEG) factor = -factor;
    return !__builtin_mul_overflow(d.by, factor, &by) && !__builtin_add_overflow(*sum, by, sum);
}

/* @return all operands from number `from` on, and all predicates read, are the same in all
 * iterations. */
static bool all_even(const struct lir_loop *l, const struct lir_inst *in, unsigned from) {
    for (unsigned i = from; i < MIR_MAX_SRC; i++) {
        struct loop_stride d = stride_of(l, in, i);
        if (in->m.src[i].kind != MIR_SRC_NONE && (d.part == LOOP_UNKNOWN || d.by)) return false;
    }
    for (unsigned i = 0; i < 3; i++)
        if (l->pred[in->psrc[i] >> 1].n_def) return false;
    return true;
}

/* @return the result's stride is known; *by is it. */
static bool moves_by(const struct lir_loop *l, const struct lir_inst *in, int64_t *by) {
    int64_t factor;
    *by = 0;
    if (lir_is_pure(in) && all_even(l, in, 0)) return true;
    switch (in->m.op) {
    case LIR_ADD64: return add_stride(l, in, 0, 1, by) && add_stride(l, in, 1, 1, by);
    case LIR_SHL64: return in->m.imm < 32 && add_stride(l, in, 0, INT64_C(1) << in->m.imm, by);
    case MIR_IADD3:
        return plain(in) && add_stride(l, in, 0, 1, by) && add_stride(l, in, 1, 1, by) &&
               add_stride(l, in, 2, 1, by);
    case MIR_SHF:
        return (in->m.type == MIR_U32 || in->m.type == MIR_S32) &&
               !(in->m.flags & (MIR_RIGHT | MIR_HI)) && immediate(in, 1, &factor) && factor >= 0 &&
               factor < 32 && add_stride(l, in, 0, INT64_C(1) << factor, by);
    case MIR_LEA:
        return plain(in) && in->m.sub < 32 && add_stride(l, in, 0, INT64_C(1) << in->m.sub, by) &&
               add_stride(l, in, 1, 1, by);
    case MIR_IMAD:
        if (in->m.flags == MIR_WIDE) { /* the product must not change */
            struct loop_stride a = stride_of(l, in, 0), b = stride_of(l, in, 1);
            return a.part && b.part && !a.by && !b.by && add_stride(l, in, 2, 1, by);
        }
        return !in->m.flags && immediate(in, 1, &factor) && add_stride(l, in, 0, factor, by) &&
               add_stride(l, in, 2, 1, by);
    default: return false;
    }
}

/* Writes the stride of the instruction's result into l->inst and its vregs' entries. */
static void stride_inst(struct lir_loop *l, const struct lir_inst *in) {
    unsigned n = lir_dst_vregs(in);
    struct loop_stride *d = &l->inst[in->pos - l->first_pos].stride;
    *d = no_stride;
    if (n == 0) return;
    if (in->m.op == MIR_MOV && n == 1 && renamed(l, in->dst) && in->guard == LIR_PT) {
        l->vreg[in->dst].stride = in->m.src[0].mods ? no_stride : stride_of(l, in, 0);
        return; /* a copy: a sum in its place would gain nothing */
    }
    bool known = n <= 2 && in->guard == LIR_PT && renamed(l, in->dst) && moves_by(l, in, &d->by);
    if (known) {
        bool pair = n == 2 && d->by;
        d->part = pair ? LOOP_LOW : LOOP_WORD;
        d->pair = in->dst;
        if (n == 1) d->by = (int32_t)(uint32_t)d->by;
    }
    for (unsigned k = 0; k < n; k++) {
        l->vreg[in->dst + k].stride = *d;
        if (d->part == LOOP_LOW && k) l->vreg[in->dst + k].stride.part = LOOP_HIGH;
    }
}

/* The stride of vreg w at the start of an iteration, from its sum at the end of one. */
static struct loop_stride initial_stride(const struct lir_loop *l, lir_vreg w) {
    const struct loop_vreg *v = &l->vreg[w];
    struct loop_stride d = {.part = v->sum.part, .pair = v->sum.root, .by = v->sum.plus};
    if (v->n_def == 0) return (struct loop_stride){.part = LOOP_WORD};
    if (v->sum.part == LOOP_UNKNOWN || !renamed(l, w)) return no_stride;
    if (v->sum.part == LOOP_HIGH) {
        bool own = v->sum.root + 1 == w && l->vreg[w - 1].sum.part == LOOP_LOW &&
                   l->vreg[w - 1].sum.root == w - 1 && l->vreg[w - 1].sum.plus == v->sum.plus;
        return own ? d : no_stride;
    }
    if (v->sum.root != w) return no_stride;
    if (v->sum.part == LOOP_LOW) {
        const struct loop_sum *high = &l->vreg[w + 1].sum;
        if (high->part != LOOP_HIGH || high->root != w || high->plus != v->sum.plus)
            return no_stride;
    }
    return d;
}

/* ---- both walks ----------------------------------------------------------------------------- */

/* Sets w's sum (`strides`: its stride) to what holds at the start of an iteration. */
static void begin(struct lir_loop *l, lir_vreg w, bool strides) {
    if (!strides)
        l->vreg[w].sum = (struct loop_sum){.part = LOOP_WORD, .root = w};
    else
        l->vreg[w].stride = initial_stride(l, w);
}

/* The same for all vregs that the loop reads or writes. */
static void begin_iteration(struct lir_loop *l, bool strides) {
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            unsigned n = lir_dst_vregs(in);
            for (unsigned k = 0; k < n; k++) begin(l, in->dst + k, strides);
            for (unsigned s = 0; s < MIR_MAX_SRC; s++) {
                n = lir_src_vregs(in, s);
                for (unsigned k = 0; k < n; k++) begin(l, in->src[s] + k, strides);
            }
        }
}

/* Runs both walks: fills the sums and strides of l->vreg, the strides of l->inst, and l->test,
 * which counts (found) only if its counter has a stride other than 0. Needs lir_loop_vregs. */
void lir_loop_induction(struct lir_loop *l) {
    l->test.found = false;
    begin_iteration(l, false);
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            find_test(l, in);
            sum_inst(l, in);
        }
    begin_iteration(l, true);
    if (l->test.found) {
        struct loop_stride step = l->vreg[l->test.counter].stride;
        l->test.step = step.by;
        l->test.found = step.part == (l->test.wide ? LOOP_LOW : LOOP_WORD) && step.by != 0;
    }
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) stride_inst(l, in);
}

/* ---- iterations ----------------------------------------------------------------------------- */

/* Iterations, one at least, of a loop that goes on while x is below `limit`; each iteration adds
 * `step`. 0: x would pass `most`, the end of its range. */
static uint64_t trip_count_up(int64_t x, int64_t limit, int64_t step, int64_t most) {
    if (x >= limit) return 1;
    if (step <= 0) return 0; /* it would wrap around the whole range */
    int64_t n = (limit - x + step - 1) / step;
    return x + n * step > most ? 0 : 1 + (uint64_t)n;
}

/* @return the source is an immediate or RZ; *value is its value. */
static bool constant(struct lir_src s, uint32_t *value) {
    *value = s.kind == MIR_SRC_IMM ? s.value : 0;
    return s.kind == MIR_SRC_IMM || (s.kind == MIR_SRC_REG && s.value == 0);
}

/* @return a 64-bit value is so far from the ends of its range that sums of a few do not
 * overflow. */
static bool is_near(int64_t v) {
    return v > -(INT64_C(1) << 56) && v < INT64_C(1) << 56;
}

/* @return the iterations of the loop, one at least, from its test and the constants that its
 * counter has before the loop; 0: not known before the kernel runs, or the counter would leave its
 * range. */
uint64_t lir_loop_trip_count(const struct lir_loop *l) {
    const struct loop_test *t = &l->test;
    uint32_t start[2] = {0, 0}, limit[2] = {0, 0};
    int64_t x, to, least, most;
    uint64_t way, by = t->step > 0 ? (uint64_t)t->step : 0 - (uint64_t)t->step;
    if (!t->found || !lir_loop_start(l, t->counter, &start[0]) || !constant(t->limit, &limit[0]))
        return 0;
    if (t->wide) {
        if (!lir_loop_start(l, t->counter + 1, &start[1]) || !constant(t->limit_high, &limit[1]))
            return 0;
        x = (int64_t)((uint64_t)start[1] << 32 | start[0]);
        to = (int64_t)((uint64_t)limit[1] << 32 | limit[0]);
        most = INT64_C(1) << 56;
        least = t->is_signed || t->cmp == MIR_CMP_NE ? -most : 0;
        if (!is_near(x) || !is_near(to) || !is_near(t->plus) || !is_near(t->step)) return 0;
        x += t->plus;
        if (x < least || to < least) return 0;
        way = (uint64_t)(t->step > 0 ? to - x : x - to);
        if (t->cmp == MIR_CMP_NE && (t->step > 0 ? to < x : x < to)) return 0;
    } else {
        uint32_t first = start[0] + (uint32_t)t->plus;
        x = t->is_signed ? (int32_t)first : (int64_t)first;
        to = t->is_signed ? (int32_t)limit[0] : (int64_t)limit[0];
        most = t->is_signed ? INT32_MAX : UINT32_MAX;
        least = t->is_signed ? INT32_MIN : 0;
        way = t->step > 0 ? limit[0] - first : first - limit[0];
    }
    switch (t->cmp) {
    case MIR_CMP_LT: return trip_count_up(x, to, t->step, most);
    case MIR_CMP_LE: return trip_count_up(x, to + 1, t->step, most);
    case MIR_CMP_GT: return trip_count_up(-x, -to, -t->step, -least);
    case MIR_CMP_GE: return trip_count_up(-x, -to + 1, -t->step, -least);
    case MIR_CMP_NE: return way % by ? 0 : 1 + way / by;
    case MIR_CMP_EQ: return x == to ? 2 : 1;
    default: return 0;
    }
}
