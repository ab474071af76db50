/* lir_unroll_open.c - unrolling of loops whose trip count is known only at run time, four
 * iterations at a time (lir_loop_open). Called by lir_unroll.c.
 *
 * Of a loop that goes on while a counter, stepped by a constant, is within a limit:
 *
 *     entry: bound = limit less three steps; if the counter is not within it, go to some
 *     four:  4 iterations; while the counter is within the bound, go to four
 *     after: if no iteration is left, go to the exit
 *     some:  if one iteration only is left, go to one
 *     two:   2 iterations; if no iteration is left, go to the exit
 *     one:   the original loop
 *
 * This is right for all values, ends of the range and endless loops included: where the sum for the
 * bound would overflow, or a loop until "not equal" steps over its limit, `one` does all the
 * iterations.
 *
 * The emit_* functions append instructions to block `b`, with the line and location of the loop's
 * branch, and return the vreg, predicate or instruction that they make.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_loop.h"

enum { MOST = 1 << 24 }; /* steps and offsets: the sums of a few must not overflow */

/* A 32-bit value in `low`, or a pair: two vregs, two constants or two immediates. */
struct operand {
    struct lir_src low, high;
    bool wide;
};

/* The loop, and the list to which new blocks are appended. */
struct opening {
    struct lir_loop *loop;
    struct loop_blocks *out;
};

/* The operand in vreg w, or in the pair at w. */
static struct operand of_vreg(lir_vreg w, bool wide) {
    return (struct operand){.low = lir_reg(w), .high = lir_reg(w ? w + 1 : 0), .wide = wide};
}

/* The operand with the immediate value v. */
static struct operand of_value(uint64_t v, bool wide) {
    return (struct operand){
        .low = lir_imm((uint32_t)v), .high = lir_imm((uint32_t)(v >> 32)), .wide = wide};
}

/* A new block at the end of o->out. */
static struct lir_block *new_block(struct opening *o) {
    struct lir_fn *fn = o->loop->fn;
    struct lir_block *b = lir_block_create(fn);
    *ARENA_PUSH(fn->arena, o->out->block, o->out->n, o->out->cap) = b;
    return b;
}

/* Appends blocks to o->out. */
static void put_all(struct opening *o, const struct loop_blocks *blocks) {
    struct lir_fn *fn = o->loop->fn;
    for (uint32_t i = 0; i < blocks->n; i++)
        *ARENA_PUSH(fn->arena, o->out->block, o->out->n, o->out->cap) = blocks->block[i];
}

/* ---- code ----------------------------------------------------------------------------------- */

/* Appends an instruction of the operation to `b`. */
static struct lir_inst *emit(struct opening *o, struct lir_block *b, unsigned op) {
    const struct lir_inst *bra = o->loop->latch->last;
    struct lir_inst *in = lir_inst_create(o->loop->fn, op);
    in->m.ptx_line = bra->m.ptx_line;
    in->m.loc = bra->m.loc;
    lir_append(b, in);
    return in;
}

/* The operand in vregs; appends MOVs to `b` if it is not there already. */
static struct operand in_vregs(struct opening *o, struct lir_block *b, struct operand a) {
    if (a.low.kind == MIR_SRC_REG) return a;
    lir_vreg w = lir_new_vregs(o->loop->fn, a.wide ? 2 : 1);
    for (unsigned k = 0; k < (a.wide ? 2u : 1u); k++) {
        struct lir_inst *m = emit(o, b, MIR_MOV);
        lir_set_dst(m, w + k);
        lir_set_src(m, 0, k ? a.high : a.low);
    }
    return of_vreg(w, a.wide);
}

/* a + plus. */
static struct operand emit_sum(struct opening *o, struct lir_block *b, struct operand a,
                               int64_t plus) {
    if (plus == 0) return a;
    a = in_vregs(o, b, a);
    struct lir_inst *in = emit(o, b, a.wide ? (unsigned)LIR_ADD64 : (unsigned)MIR_IADD3);
    lir_set_dst(in, lir_new_vregs(o->loop->fn, a.wide ? 2 : 1));
    lir_set_src(in, 0, a.low);
    lir_set_src(in, 1, lir_imm((uint32_t)plus));
    if (!a.wide) lir_set_src(in, 2, RZ_SOURCE);
    return of_vreg(in->dst, a.wide);
}

/* p = x cmp y and q; q = 0: true. A pair takes two comparisons. */
static uint32_t emit_test(struct opening *o, struct lir_block *b, struct operand x, unsigned cmp,
                          struct operand y, bool is_signed, uint32_t q) {
    uint32_t p = 0;
    for (unsigned k = 0; k < (x.wide ? 2u : 1u); k++) {
        bool high = k || !x.wide; /* the deciding half */
        struct lir_inst *in = emit(o, b, MIR_ISETP);
        in->m.cmp = (uint8_t)cmp;
        in->m.bop = MIR_AND;
        in->m.type = is_signed && high ? MIR_S32 : MIR_U32;
        if (k) {
            in->m.flags |= MIR_EX;
            in->psrc[1] = lir_p(p);
        }
        in->psrc[0] = high ? lir_p(q) : LIR_PT;
        in->pdst[0] = p = lir_new_pred(o->loop->fn);
        lir_set_src(in, 0, k ? x.high : x.low);
        lir_set_src(in, 1, k ? y.high : y.low);
    }
    return p;
}

/* Branch to `to` under the guard. */
static void emit_branch(struct opening *o, struct lir_block *b, lir_pref guard,
                        struct lir_block *to) {
    struct lir_inst *in = emit(o, b, MIR_BRA);
    in->guard = guard;
    in->n_targets = 1;
    in->targets = ARENA_ARRAY(o->loop->fn->arena, struct lir_block *, 1);
    in->targets[0] = to;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* The condition that four iterations are left: counter cmp limit - minus. The difference does not
 * overflow if limit safe_cmp safe. */
struct bound {
    unsigned cmp, safe_cmp;
    bool is_signed;
    int64_t minus;
    uint64_t safe;
};

/* Fills `b` from the loop's test. With the counter y, four iterations are left if y + plus + 2
 * steps is within the limit, for then the tests of the first three iterations pass. A test for "not
 * equal" becomes "below" or "above", by the sign of the step. @return false: the test has no such
 * bound */
static bool bound_of(const struct loop_test *t, struct bound *b) {
    bool up = t->step > 0;
    if (t->plus > MOST || t->plus < -MOST || t->step > MOST || t->step < -MOST) return false;
    bool is_signed = t->is_signed || t->cmp == MIR_CMP_NE;
    uint64_t least = !is_signed ? 0 : t->wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    *b = (struct bound){.cmp = t->cmp,
                        .safe_cmp = up ? MIR_CMP_GE : MIR_CMP_LE,
                        .is_signed = is_signed,
                        .minus = t->plus + 2 * t->step};
    b->safe = (up ? least : ~least) + (uint64_t)b->minus;
    if (t->cmp == MIR_CMP_NE) b->cmp = up ? MIR_CMP_LT : MIR_CMP_GT;
    bool way = up ? b->cmp == MIR_CMP_LT || b->cmp == MIR_CMP_LE
                  : b->cmp == MIR_CMP_GT || b->cmp == MIR_CMP_GE;
    /* the counter itself must not lie beyond the compared value */
    return way && (up ? t->plus >= 0 : t->plus <= 0);
}

/* The loop's own test, of the iteration whose counter was the present one less `back` steps. */
static uint32_t emit_own_test(struct opening *o, struct lir_block *b, unsigned back) {
    const struct loop_test *t = &o->loop->test;
    struct operand limit = {.low = t->limit, .high = t->limit_high, .wide = t->wide};
    struct operand x = emit_sum(o, b, of_vreg(t->counter, t->wide), t->plus - back * t->step);
    return emit_test(o, b, x, t->cmp, limit, t->is_signed, 0);
}

/* Appends the blocks that replace a loop of unknown trip count to `out`, the entry first; l->exit
 * must follow them. Makes the copies first, since they may fail; then the blocks in their order.
 * @return false: the test has no bound, lanes may leave elsewhere, or a copy failed; `out` is as
 * before */
bool lir_loop_open(struct lir_loop *l, struct loop_blocks *out) {
    const struct loop_test *t = &l->test;
    struct opening o = {.loop = l, .out = out};
    struct bound is;
    struct loop_blocks four = {0}, two = {0}, one = {0};
    if (!t->found || l->breaks || !bound_of(t, &is)) return false;
    if (!lir_loop_copy(l, 4, LOOP_COPY_AGAIN, &four) || !lir_loop_copy(l, 2, 0, &two) ||
        !lir_loop_copy(l, 1, LOOP_COPY_AGAIN, &one))
        return false;
    struct operand counter = of_vreg(t->counter, t->wide);
    struct operand limit = {.low = t->limit, .high = t->limit_high, .wide = t->wide};
    struct lir_block *entry = new_block(&o);
    limit = in_vregs(&o, entry, limit);
    struct operand bound = emit_sum(&o, entry, limit, -is.minus);
    uint32_t p = emit_test(&o, entry, limit, is.safe_cmp, of_value(is.safe, t->wide), is.is_signed,
                           0);
    p = emit_test(&o, entry, counter, is.cmp, bound, is.is_signed, p);
    put_all(&o, &four);
    struct lir_block *after = new_block(&o), *some = new_block(&o);
    emit_branch(&o, entry, lir_pnot(lir_p(p)), some);
    struct lir_block *end = four.block[four.n - 1];
    struct lir_inst *again = end->last;
    lir_unlink(again); /* it gets another test in place of its own */
    again->guard = lir_p(emit_test(&o, end, counter, is.cmp, bound, is.is_signed, 0));
    lir_append(end, again);
    emit_branch(&o, after, lir_pnot(lir_p(emit_own_test(&o, after, 1))), l->exit);
    emit_branch(&o, some, lir_pnot(lir_p(emit_own_test(&o, some, 0))), one.block[0]);
    put_all(&o, &two);
    struct lir_block *left = new_block(&o);
    emit_branch(&o, left, lir_pnot(lir_p(emit_own_test(&o, left, 1))), l->exit);
    put_all(&o, &one);
    four.block[0]->no_unroll = one.block[0]->no_unroll = true;
    return true;
}
