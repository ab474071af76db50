/* lower_divide.c - the handlers and helpers of integer division and remainder. They emit a
 * floating-point reciprocal and then exact corrections in integers.
 *
 * 32 bits: the reciprocal r of b, scaled by 2^32 and rounded down, is refined once in integers:
 * r += hi(r * -(r * b)). Then q = hi(r * a) is at most two too small, and two conditional steps
 * make it exact. 64 bits: the same with two refinements; a branch sends operands that both fit
 * into 32 bits to the 32-bit sequence. Division by zero gives all ones, as on hardware.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers
 * lower_div() and lower_rem(); their contract is that of the handlers in lower.h. `d:` is the pair
 * of words d, d + 1. */
#include "ptx/lower/lower_float.h"
#include "ptx/lower/lower.h"

static struct lir_src reg(lir_vreg w) {
    return lir_reg(w);
}

/* Emits MUFU.RCP of b, converted to a float and rounded up. `scale`, added to the bits, multiplies
 * by a power of two and subtracts two ulps, so that the result is never too large. */
static lir_vreg scaled_reciprocal(struct lower *lo, mir_type type, struct lir_src b,
                                  uint32_t scale) {
    lir_vreg f = tmp(lo), r = tmp(lo), s = tmp(lo);
    struct lir_inst *in = emit1(lo, MIR_I2F, f, b);
    in->m.type = MIR_F32;
    in->m.type2 = (uint8_t)type;
    in->m.round = MIR_ROUND_UP;
    emit1(lo, MIR_MUFU, r, reg(f))->m.sub = MIR_MUFU_RCP;
    emit3(lo, MIR_IADD3, s, reg(r), lir_imm(scale), RZ_SRC);
    return s;
}

/* Emits d = the float f as an integer of `type`, rounded toward zero; 64 bits write d:. */
static void to_integer(struct lower *lo, lir_vreg d, mir_type type, lir_vreg f) {
    struct lir_inst *in = emit1(lo, MIR_F2I, d, reg(f));
    in->m.type = (uint8_t)type;
    in->m.type2 = MIR_F32;
    in->m.round = MIR_ROUND_ZERO;
    in->m.flags |= MIR_FTZ;
}

/* Emits d = the low word, or with `high` the high word, of a * b, plus c; unsigned. */
static struct lir_inst *imad(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b,
                             struct lir_src c, bool high) {
    struct lir_inst *in = emit3(lo, MIR_IMAD, d, a, b, c);
    in->m.type = MIR_U32;
    if (high) in->m.flags |= MIR_HI;
    return in;
}

/* Emits the unsigned division. It writes quot and rem several times, partly under guards, so
 * neither may be a register that a or b still reads. */
static void divide_u32(struct lower *lo, struct lir_src a, struct lir_src b, lir_vreg quot,
                       lir_vreg rem) {
    lir_vreg r0 = tmp(lo), e = tmp(lo), r1 = tmp(lo), q = quot ? quot : tmp(lo);
    lir_vreg m = rem ? rem : tmp(lo);
    to_integer(lo, r0, MIR_U32, scaled_reciprocal(lo, MIR_U32, b, 0x0ffffffe));
    imad(lo, e, lir_neg(reg(r0)), b, RZ_SRC, false);
    imad(lo, r1, reg(r0), reg(e), reg(r0), true);
    imad(lo, q, reg(r1), a, RZ_SRC, true);
    /* This instruction counts the division, since the compiler merges it with no other. */
    lower_tag(lo, imad(lo, m, lir_neg(reg(q)), b, a, false), MIR_SPECIAL_COUNTS);
    for (int step = 0; step < 2; step++) {
        struct value mv = value_of_word(reg(m)), bv = value_of_word(b);
        uint32_t p = compare_int(lo, MIR_CMP_GE, false, &mv, &bv);
        if (rem || step == 0) emit3(lo, MIR_IADD3, m, reg(m), lir_neg(b), RZ_SRC)->guard = lir_p(p);
        if (quot) emit3(lo, MIR_IADD3, q, reg(q), lir_imm(1), RZ_SRC)->guard = lir_p(p);
    }
    struct value bv = value_of_word(b), zero = value_of_word(RZ_SRC);
    uint32_t z = compare_int(lo, MIR_CMP_EQ, false, &bv, &zero);
    if (quot) emit1(lo, MIR_MOV, q, lir_imm(UINT32_MAX))->guard = lir_p(z);
    if (rem) emit1(lo, MIR_MOV, m, lir_imm(UINT32_MAX))->guard = lir_p(z);
}

/* Emits a move of an immediate to a register, because five instructions read it. */
static struct lir_src in_register(struct lower *lo, struct lir_src s) {
    if (s.kind == MIR_SRC_REG || s.kind == MIR_SRC_CONST) return s;
    lir_vreg w = tmp(lo);
    emit1(lo, MIR_MOV, w, s);
    return reg(w);
}

/* Emits quot = a / b and rem = the remainder; 0: not wanted. Works on magnitudes if signed and
 * sets the signs afterwards: the quotient's by both operands, the remainder's by a. */
void divide32(struct lower *lo, bool is_signed, struct lir_src a, struct lir_src b, lir_vreg quot,
              lir_vreg rem) {
    a = in_register(lo, a);
    b = in_register(lo, b);
    if (!is_signed) {
        divide_u32(lo, a, b, quot, rem);
        return;
    }
    lir_vreg ua = tmp(lo), ub = tmp(lo), q = quot ? tmp(lo) : 0, m = rem ? tmp(lo) : 0;
    emit1(lo, MIR_IABS, ua, a);
    emit1(lo, MIR_IABS, ub, b);
    divide_u32(lo, reg(ua), reg(ub), q, m);
    struct value zero = value_of_word(RZ_SRC);
    if (quot) { /* negative when the signs differ; division by zero stays all ones */
        lir_vreg x = tmp(lo), n = tmp(lo);
        emit3(lo, MIR_LOP3, x, a, b, RZ_SRC)->m.sub = LUT_A ^ LUT_B;
        struct value xv = value_of_word(reg(x));
        uint32_t p = compare_int(lo, MIR_CMP_LT, true, &xv, &zero);
        emit3(lo, MIR_IADD3, n, lir_neg(reg(q)), RZ_SRC, RZ_SRC);
        emit2(lo, MIR_SEL, quot, reg(n), reg(q))->psrc[0] = lir_p(p);
    }
    if (rem) { /* the sign of a */
        lir_vreg n = tmp(lo);
        struct value av = value_of_word(a);
        uint32_t p = compare_int(lo, MIR_CMP_LT, true, &av, &zero);
        emit3(lo, MIR_IADD3, n, lir_neg(reg(m)), RZ_SRC, RZ_SRC);
        emit2(lo, MIR_SEL, rem, reg(n), reg(m))->psrc[0] = lir_p(p);
    }
}

/* Emits d: = s:. */
static void move_pair(struct lower *lo, lir_vreg d, lir_vreg s) {
    struct value v = value_of_pair(s);
    move_value(lo, d, &v);
}

/* Emits one refinement of the reciprocal r: of b: r + hi(r * -(r * b)). @return a new pair. */
static lir_vreg refine64(struct lower *lo, lir_vreg r, const struct value *b) {
    lir_vreg t = tmp_pair(lo), e = tmp_pair(lo), h = tmp_pair(lo), next = tmp_pair(lo);
    struct value rv = value_of_pair(r);
    multiply64(lo, t, &rv, b);
    struct value tv = value_of_pair(t);
    negate64(lo, e, &tv);
    struct value ev = value_of_pair(e);
    multiply64_high(lo, false, h, &rv, &ev);
    struct value hv = value_of_pair(h);
    add64(lo, next, &rv, &hv);
    return next;
}

/* Emits the 64-bit sequence: q: = a / b and m: = the remainder, unsigned. q and m are written
 * last. */
static void divide_u64_long(struct lower *lo, const struct value *a, const struct value *b,
                            lir_vreg q, lir_vreg m) {
    lir_vreg r = tmp_pair(lo), q0 = tmp_pair(lo), t = tmp_pair(lo), m0 = tmp_pair(lo);
    to_integer(lo, r, MIR_U64, scaled_reciprocal(lo, MIR_U64, as_group(lo, b), 0x1ffffffe));
    lower_tag(lo, lo->cur->last, MIR_SPECIAL_COUNTS | MIR_SPECIAL_SLOW);
    r = refine64(lo, refine64(lo, r, b), b);
    struct value rv = value_of_pair(r);
    multiply64_high(lo, false, q0, &rv, a);
    struct value qv = value_of_pair(q0);
    multiply64(lo, t, &qv, b);
    struct value tv = value_of_pair(t);
    sub64(lo, m0, a, &tv);
    struct value one = value_imm64(1);
    for (int step = 0; step < 2; step++) {
        struct value mv = value_of_pair(m0);
        qv = value_of_pair(q0);
        uint32_t p = compare_int(lo, MIR_CMP_GE, false, &mv, b);
        lir_vreg less = tmp_pair(lo), more = tmp_pair(lo), m1 = tmp_pair(lo), q1 = tmp_pair(lo);
        sub64(lo, less, &mv, b);
        add64(lo, more, &qv, &one);
        for (unsigned k = 0; k < 2; k++) {
            emit2(lo, MIR_SEL, m1 + k, reg(less + k), reg(m0 + k))->psrc[0] = lir_p(p);
            emit2(lo, MIR_SEL, q1 + k, reg(more + k), reg(q0 + k))->psrc[0] = lir_p(p);
        }
        m0 = m1;
        q0 = q1;
    }
    move_pair(lo, q, q0);
    move_pair(lo, m, m0);
}

/* Emits a branch on the upper words of a and b, the 32-bit and the 64-bit sequence, and the
 * block where they join. Writes q: and m:. */
static void divide_u64(struct lower *lo, const struct value *a, const struct value *b, lir_vreg q,
                       lir_vreg m) {
    struct lir_block *slow = lir_block_create(lo->fn), *join = lir_block_create(lo->fn);
    lir_vreg high = tmp(lo);
    emit3(lo, MIR_LOP3, high, a->w[1], b->w[1], RZ_SRC)->m.sub = LUT_A | LUT_B;
    struct value hv = value_of_word(reg(high)), zero = value_of_word(RZ_SRC);
    uint32_t p = compare_int(lo, MIR_CMP_NE, false, &hv, &zero);
    struct lir_inst *bra = emit(lo, MIR_BRA);
    bra->guard = lir_p(p);
    bra->targets = ARENA_ARRAY(lo->arena, struct lir_block *, 1);
    bra->targets[0] = slow;
    bra->n_targets = 1;
    divide_u32(lo, a->w[0], b->w[0], q, m);
    emit1(lo, MIR_MOV, q + 1, RZ_SRC);
    emit1(lo, MIR_MOV, m + 1, RZ_SRC);
    bra = emit(lo, MIR_BRA);
    bra->targets = ARENA_ARRAY(lo->arena, struct lir_block *, 1);
    bra->targets[0] = join;
    bra->n_targets = 1;
    lower_start_block(lo, slow);
    divide_u64_long(lo, a, b, q, m);
    lower_start_block(lo, join);
}

/* Emits the magnitude of a. *sign receives a new word, all ones where a is negative, else 0.
 * @return a new pair. */
static struct value absolute64(struct lower *lo, const struct value *a, lir_vreg *sign) {
    lir_vreg s = tmp(lo), x = tmp_pair(lo), d = tmp_pair(lo);
    struct lir_inst *in = emit2(lo, MIR_SHF, s, a->w[1], lir_imm(31));
    in->m.flags |= MIR_RIGHT;
    in->m.type = MIR_S32;
    for (unsigned k = 0; k < 2; k++)
        emit3(lo, MIR_LOP3, x + k, a->w[k], reg(s), RZ_SRC)->m.sub = LUT_A ^ LUT_B;
    struct value xv = value_of_pair(x), sv = {.w = {reg(s), reg(s)}, .n = 2};
    sub64(lo, d, &xv, &sv);
    *sign = s;
    return value_of_pair(d);
}

/* d: = s ? -a: : a: for a sign word s of all ones or zeros */
static void apply_sign64(struct lower *lo, lir_vreg d, lir_vreg a, struct lir_src s) {
    lir_vreg x = tmp_pair(lo);
    for (unsigned k = 0; k < 2; k++)
        emit3(lo, MIR_LOP3, x + k, reg(a + k), s, RZ_SRC)->m.sub = LUT_A ^ LUT_B;
    struct value xv = value_of_pair(x), sv = {.w = {s, s}, .n = 2};
    sub64(lo, d, &xv, &sv);
}

/* Emits quot: = a: / b: and rem:; 0: not wanted. Works on magnitudes if signed. Starts new
 * blocks. */
void divide64(struct lower *lo, bool is_signed, const struct value *a, const struct value *b,
              lir_vreg quot, lir_vreg rem) {
    struct value av = *a, bv = *b;
    for (unsigned k = 0; k < 2; k++) {
        av.w[k] = in_register(lo, av.w[k]);
        bv.w[k] = in_register(lo, bv.w[k]);
    }
    lir_vreg q = tmp_pair(lo), m = tmp_pair(lo), sa = 0, sb = 0;
    if (is_signed) {
        av = absolute64(lo, &av, &sa);
        bv = absolute64(lo, &bv, &sb);
    }
    divide_u64(lo, &av, &bv, q, m);
    if (quot && is_signed) {
        lir_vreg s = tmp(lo);
        emit3(lo, MIR_LOP3, s, reg(sa), reg(sb), RZ_SRC)->m.sub = LUT_A ^ LUT_B;
        apply_sign64(lo, quot, q, reg(s));
    } else if (quot) {
        move_pair(lo, quot, q);
    }
    if (rem && is_signed)
        apply_sign64(lo, rem, m, reg(sa));
    else if (rem)
        move_pair(lo, rem, m);
}

/* ---- div, rem ------------------------------------------------------------------------------- */

/* Lowers div and rem of integers, by divide32() or divide64(); 16-bit operands are extended. */
static void divide_integer(struct lower *lo, bool remainder) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 3, 3)) return;
    if (!ty_is_integer(t) || t.bits < 16 || t.bits > 64 ||
        (lo->mods.seen & (M_ROUND | M_FTZ | M_APPROX))) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct dest d = dst(lo, lo->inst->opd[0], t);
    lir_vreg q = remainder ? 0 : d.word, r = remainder ? d.word : 0;
    if (t.bits == 64) {
        struct value a = src(lo, lo->inst->opd[1], t), b = src(lo, lo->inst->opd[2], t);
        divide64(lo, ty_is_signed(t), &a, &b, q, r);
    } else {
        struct lir_src a = src32(lo, lo->inst->opd[1], t), b = src32(lo, lo->inst->opd[2], t);
        /* into a temporary: the sequence writes its result before its last read of a and b */
        lir_vreg x = tmp(lo);
        divide32(lo, ty_is_signed(t), a, b, remainder ? 0 : x, remainder ? x : 0);
        emit1(lo, MIR_MOV, d.word, reg(x));
    }
    finish(lo, &d);
}

/* div: floats go to lower_float_div(). */
void lower_div(struct lower *lo) {
    if (ty_is_float(lo->mods.ty[0]))
        lower_float_div(lo);
    else
        divide_integer(lo, false);
}

/* rem: integers only. */
void lower_rem(struct lower *lo) {
    divide_integer(lo, true);
}
