/* lower_float.c - handlers of single, double and half precision: single instructions, and sequences
 * for division, square root, reciprocal and the approximate functions.
 *
 * Correctly rounded division, square root and reciprocal, to nearest, have two paths. The fast path
 * refines an approximation with fused multiply-adds until the last rounding is right. Where the
 * exponents of the operands rule that out, one instruction, the slow path, computes the result.
 * Other rounding modes emit the slow path alone. Sequences may start new blocks.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls ptx_compile().
 * All functions append code to lo->cur and report errors in `lo`. The handlers (see lower.h) lower
 * the instruction at hand; integer ones pass floats to lower_float_x(). `d:` is a pair of words. */
#include "ptx/lower/lower_float.h"
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_packed.h"
#include "ptx/lower/lower_short.h"

/* Operand i as a source of type t: a pair or an immediate high word for doubles. */
static struct lir_src fsrc(struct lower *lo, unsigned i, struct ty t) {
    return t.bits == 64 ? src_f64(lo, opd(lo, i)) : src1(lo, opd(lo, i), t);
}

/* Sets type, rounding, .ftz and .sat of `in` from lo->mods; `contract` without rounding. */
static void set_mods(const struct lower *lo, struct lir_inst *in, struct ty t) {
    in->m.type = (uint8_t)ty_mir(t);
    in->m.round = (uint8_t)lo->mods.round;
    if (lo->mods.ftz) in->m.flags |= MIR_FTZ;
    if (lo->mods.sat) in->m.flags |= MIR_SAT;
    in->contract = !(lo->mods.seen & M_ROUND);
}

/* Reports a type or modifier that float arithmetic does not have. @return false: reported. */
static bool check_float(struct lower *lo, struct ty t) {
    bool ok = ty_is_float(t) && (t.bits != 64 || !(lo->mods.seen & (M_FTZ | M_SAT))) &&
              !lo->mods.integral && !(lo->mods.seen & (M_CC | M_MULMODE));
    if (!ok) lower_unsupported(lo, "%s", "");
    return ok;
}

/* ---- add, mul, fma -------------------------------------------------------------------------- */

/* add and sub. */
void lower_float_add(struct lower *lo, bool subtract) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 3, 3) || !check_float(lo, t)) return;
    struct lir_src a = fsrc(lo, 1, t), b = fsrc(lo, 2, t);
    struct dest d = dst(lo, opd(lo, 0), t);
    unsigned op = t.bits == 64 ? MIR_DADD : ty_is_half(t) ? MIR_HADD2 : MIR_FADD;
    set_mods(lo, emit2(lo, op, d.word, a, subtract ? lir_neg(b) : b), t);
    finish(lo, &d);
}

/* mul. */
void lower_float_mul(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 3, 3) || !check_float(lo, t)) return;
    struct lir_src a = fsrc(lo, 1, t), b = fsrc(lo, 2, t);
    struct dest d = dst(lo, opd(lo, 0), t);
    unsigned op = t.bits == 64 ? MIR_DMUL : ty_is_half(t) ? MIR_HMUL2 : MIR_FMUL;
    set_mods(lo, emit2(lo, op, d.word, a, b), t);
    finish(lo, &d);
}

/* fma, and mad of floats, which is fma on everything since sm_20. */
void lower_fma(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    bool relu = lo->mods.n_extra == 1 && lo->mods.extra[0] == PTX_W_relu && ty_is_half(t);
    if (!operands(lo, 4, 4) || !check_float(lo, t)) return;
    if (lo->mods.n_extra != relu || (relu && lo->mods.sat)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = fsrc(lo, 1, t), b = fsrc(lo, 2, t), c = fsrc(lo, 3, t);
    struct dest d = dst(lo, opd(lo, 0), t);
    unsigned op = t.bits == 64 ? MIR_DFMA : ty_is_half(t) ? MIR_HFMA2 : MIR_FFMA;
    if (relu) {
        lir_vreg w = tmp(lo);
        set_mods(lo, emit3(lo, op, w, a, b, c), t);
        emit1(lo, MIR_MOV, d.word, lower_relu(lo, lir_reg(w), t));
    } else {
        set_mods(lo, emit3(lo, op, d.word, a, b, c), t);
    }
    finish(lo, &d);
}

/* min, max; three operands and .xorsign go to lower_packed.c. */
void lower_float_minmax(struct lower *lo, bool max) {
    struct ty t = lo->mods.ty[0];
    if (lo->mods.n_extra || lo->inst->n_opd == 4) {
        lower_float_minmax_more(lo, max);
        return;
    }
    if (!operands(lo, 3, 3) || !check_float(lo, t)) return;
    if (t.bits == 64) {
        lower_minmax_f64(lo, max);
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), t), b = src1(lo, opd(lo, 2), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    unsigned op = ty_is_half(t) ? MIR_HMNMX2 : MIR_FMNMX;
    struct lir_inst *in = emit2(lo, op, d.word, a, b);
    set_mods(lo, in, t);
    in->m.sub = lo->mods.nan;
    in->psrc[0] = max ? LIR_NOT_PT : LIR_PT;
    finish(lo, &d);
}

/* abs and neg change bits only, except that .ftz also flushes subnormals. */
void lower_float_sign(struct lower *lo, bool abs) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2) || !check_float(lo, t)) return;
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    unsigned mod = abs ? MIR_SRC_ABS : MIR_SRC_NEG;
    if (t.bits == 64) {
        emit1(lo, MIR_MOV, d.word, a.w[0]);
        emit3(lo, MIR_LOP3, d.word + 1, a.w[1], lir_imm(abs ? 0x7fffffff : 0x80000000), RZ_SRC)
            ->m.sub = abs ? LUT_A & LUT_B : LUT_A ^ LUT_B;
    } else if (ty_is_half(t)) {
        uint32_t bits = t.packed ? 0x80008000 : 0x8000;
        emit3(lo, MIR_LOP3, d.word, a.w[0], lir_imm(abs ? ~bits : bits), RZ_SRC)->m.sub =
            abs ? LUT_A & LUT_B : LUT_A ^ LUT_B;
    } else {
        /* +(-0) would lose the sign of a zero, -0 + a keeps every a */
        struct lir_src s = a.w[0];
        s.mods ^= (uint8_t)mod;
        struct lir_inst *in = emit2(lo, MIR_FADD, d.word, s, lir_neg(RZ_SRC));
        set_mods(lo, in, t);
    }
    finish(lo, &d);
}

/* ---- single-precision sequences ------------------------------------------------------------- */

/* Emits d = a * b + c in single precision. */
static struct lir_inst *ffma(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b,
                             struct lir_src c) {
    struct lir_inst *in = emit3(lo, MIR_FFMA, d, a, b, c);
    in->m.type = MIR_F32;
    return in;
}

/* Emits d = MUFU function f (MIR_MUFU_...) of a. @return it. */
static struct lir_inst *mufu(struct lower *lo, lir_vreg d, unsigned f, struct lir_src a, bool ftz) {
    struct lir_inst *in = emit1(lo, MIR_MUFU, d, a);
    in->m.type = MIR_F32;
    in->m.sub = (uint8_t)f;
    if (ftz) in->m.flags |= MIR_FTZ;
    return in;
}

/* Emits a move of a constant to a register, because several instructions read it. */
static struct lir_src as_register(struct lower *lo, struct lir_src s) {
    if (s.kind == MIR_SRC_REG) return s;
    lir_vreg w = tmp(lo);
    emit1(lo, MIR_MOV, w, s);
    return lir_reg(w);
}

/* Emits the slow path. Unless `when` is PT, it is a block of its own and a branch skips it in lanes
 * where `when` is false. */
static void slow_path(struct lower *lo, unsigned op, struct ty t, unsigned sub, lir_vreg d,
                      struct lir_src a, struct lir_src b, lir_pref when) {
    struct lir_block *rest = when == LIR_PT ? NULL : lir_block_create(lo->fn);
    if (rest) lower_branch(lo, rest, lir_pnot(when));
    struct lir_inst *in = emit2(lo, op, d, a, b);
    set_mods(lo, in, t);
    in->m.sub = (uint8_t)sub;
    if (!rest) return;
    lower_tag(lo, in, MIR_SPECIAL_SLOW);
    lower_start_block(lo, rest);
}

/* Emits the slow path before the fast path and starts the block of the fast path.
 * @return the block where both join; the caller starts it. */
static struct lir_block *slow_path_first(struct lower *lo, unsigned op, unsigned sub, lir_vreg d,
                                         struct lir_src a, lir_pref when) {
    struct lir_block *fast = lir_block_create(lo->fn), *rest = lir_block_create(lo->fn);
    lower_branch(lo, fast, lir_pnot(when));
    slow_path(lo, op, f32, sub, d, a, NO_SRC, LIR_PT);
    lower_tag(lo, lo->cur->last, MIR_SPECIAL_COUNTS | MIR_SPECIAL_SLOW);
    lower_branch(lo, rest, LIR_PT);
    lower_start_block(lo, fast);
    return rest;
}

/* Emits d = a / b, correctly rounded; to nearest, the slow path only where FCHK says so. */
static void divide_f32(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b) {
    a = as_register(lo, a);
    b = as_register(lo, b);
    if (lo->mods.round != MIR_ROUND_NEAREST) { /* only the slow path rounds in other modes */
        slow_path(lo, MIR_FDIVS, f32, 0, d, a, b, LIR_PT);
        return;
    }
    lir_vreg r = tmp(lo), e = tmp(lo), r1 = tmp(lo), q = tmp(lo), m = tmp(lo), q1 = tmp(lo);
    lir_vreg m1 = tmp(lo);
    uint32_t p = lir_new_pred(lo->fn);
    mufu(lo, r, MIR_MUFU_RCP, b, false)->apart = true;
    struct lir_inst *chk = emit2(lo, MIR_FCHK, 0, a, b);
    chk->pdst[0] = p;
    chk->m.type = MIR_F32;
    ffma(lo, e, lir_neg(b), lir_reg(r), lir_imm(0x3f800000));
    ffma(lo, r1, lir_reg(r), lir_reg(e), lir_reg(r));
    ffma(lo, q, a, lir_reg(r1), RZ_SRC);
    ffma(lo, m, lir_neg(b), lir_reg(q), a);
    ffma(lo, q1, lir_reg(r1), lir_reg(m), lir_reg(q));
    ffma(lo, m1, lir_neg(b), lir_reg(q1), a);
    lower_tag(lo, ffma(lo, d, lir_reg(r1), lir_reg(m1), lir_reg(q1)), MIR_SPECIAL_COUNTS);
    slow_path(lo, MIR_FDIVS, f32, 0, d, a, b, lir_p(p));
}

/* Emits t = (bits + bias) & mask. @return a new predicate, t `slow` limit (unsigned): true where
 * the slow path is needed. */
static uint32_t exponent_check(struct lower *lo, struct lir_src a, uint32_t bias, uint32_t mask,
                               mir_cmp slow, uint32_t limit) {
    lir_vreg t = tmp(lo);
    emit3(lo, MIR_IADD3, t, a, lir_imm(bias), RZ_SRC);
    struct lir_src s = lir_reg(t);
    if (mask != UINT32_MAX) s = lop3(lo, LUT_A & LUT_B, s, lir_imm(mask), RZ_SRC);
    struct value v = value_of_word(s), l = value_of_word(lir_imm(limit));
    return compare_int(lo, slow, false, &v, &l);
}

/* Emits d = 1 / a. The fast path (to nearest) needs a normal operand and a normal result: an
 * exponent of a from 2 to 251. */
static void reciprocal_f32(struct lower *lo, lir_vreg d, struct lir_src a) {
    a = as_register(lo, a);
    if (lo->mods.round != MIR_ROUND_NEAREST) {
        slow_path(lo, MIR_FSQRTS, f32, 1, d, a, NO_SRC, LIR_PT);
        return;
    }
    lir_vreg r = tmp(lo), e = tmp(lo);
    uint32_t p = exponent_check(lo, a, 0x01800000, 0x7f800000, MIR_CMP_LE, 0x01ffffff);
    struct lir_block *rest = slow_path_first(lo, MIR_FSQRTS, 1, d, a, lir_p(p));
    mufu(lo, r, MIR_MUFU_RCP, a, false)->apart = true;
    ffma(lo, e, lir_neg(a), lir_reg(r), lir_imm(0x3f800000));
    lower_tag(lo, ffma(lo, d, lir_reg(r), lir_reg(e), lir_reg(r)), MIR_SPECIAL_COUNTS);
    lower_start_block(lo, rest);
}

/* Emits d = sqrt(a). The fast path (to nearest) takes a from 2^-101 to the largest finite one. */
static void square_root_f32(struct lower *lo, lir_vreg d, struct lir_src a) {
    a = as_register(lo, a);
    if (lo->mods.round != MIR_ROUND_NEAREST) {
        slow_path(lo, MIR_FSQRTS, f32, 0, d, a, NO_SRC, LIR_PT);
        return;
    }
    lir_vreg r = tmp(lo), s = tmp(lo), h = tmp(lo), e = tmp(lo);
    uint32_t p = exponent_check(lo, a, 0xf3000000, UINT32_MAX, MIR_CMP_GT, 0x727fffff);
    struct lir_block *rest = slow_path_first(lo, MIR_FSQRTS, 0, d, a, lir_p(p));
    mufu(lo, r, MIR_MUFU_RSQ, a, false)->apart = true;
    emit2(lo, MIR_FMUL, s, a, lir_reg(r))->m.type = MIR_F32;
    emit2(lo, MIR_FMUL, h, lir_reg(r), lir_imm(0x3f000000))->m.type = MIR_F32;
    ffma(lo, e, lir_neg(lir_reg(s)), lir_reg(s), a);
    lower_tag(lo, ffma(lo, d, lir_reg(e), lir_reg(h), lir_reg(s)), MIR_SPECIAL_COUNTS);
    lower_start_block(lo, rest);
}

/* Emits p = (a cmp the float of these bits) and `with`. */
static struct lir_inst *fsetp(struct lower *lo, uint32_t p, mir_cmp cmp, struct lir_src a,
                              uint32_t bits, lir_pref with) {
    struct lir_inst *in = emit2(lo, MIR_FSETP, 0, a, lir_imm(bits));
    in->m.type = MIR_F32;
    in->m.cmp = (uint8_t)cmp;
    in->pdst[0] = p;
    in->psrc[0] = with;
    return in;
}

/* MUFU flushes subnormal operands and results to zero. Without .ftz, operands are scaled into the
 * normal range and results scaled back. The constants are the bits of powers of two, and of -24. */
static const struct scaling {
    uint8_t function;
    uint8_t abs;  /* MIR_SRC_ABS: compare the magnitude of the operand */
    uint8_t fine; /* comparison with `bound`: an operand, or a NaN, that passes is not scaled */
    uint32_t bound;
    uint32_t before, after; /* factor of the operand; factor or, of a logarithm, addend */
} scalings[] = {
    {MIR_MUFU_RSQ, MIR_SRC_ABS, MIR_CMP_GEU, 0x00800000, 0x4b800000, 0x45800000},
    {MIR_MUFU_SQRT, MIR_SRC_ABS, MIR_CMP_GEU, 0x00800000, 0x4b800000, 0x39800000},
    {MIR_MUFU_LG2, MIR_SRC_ABS, MIR_CMP_GEU, 0x00800000, 0x4b800000, 0xc1c00000},
    {MIR_MUFU_EX2, 0, MIR_CMP_GEU, 0xc2fc0000, 0x3f000000, 0}, /* 2^(x/2), squared */
    {MIR_MUFU_RCP, MIR_SRC_ABS, MIR_CMP_GEU, 0x00800000, 0x4b800000, 0x4b800000},
    {MIR_MUFU_RCP, MIR_SRC_ABS, MIR_CMP_LEU, 0x7e800000, 0x3e800000, 0x3e800000},
};

enum { SCALINGS = sizeof scalings / sizeof *scalings, MOST_OF_ONE = 2 }; /* of one function */

/* Emits d = MUFU function f of a, with the scalings of f unless .ftz is set. */
static void approximate_f32(struct lower *lo, lir_vreg d, unsigned f, struct lir_src a) {
    const struct scaling *used[MOST_OF_ONE];
    uint32_t fine[MOST_OF_ONE];
    unsigned n = 0;
    for (unsigned i = 0; i < SCALINGS && !lo->mods.ftz; i++)
        if (scalings[i].function == f) used[n++] = &scalings[i];
    if (n == 0) {
        mufu(lo, d, f, a, lo->mods.ftz);
        return;
    }
    lir_vreg x = tmp(lo), y = tmp(lo);
    emit1(lo, MIR_MOV, x, a);
    for (unsigned i = 0; i < n; i++) {
        struct lir_src compared = lir_reg(x);
        compared.mods = used[i]->abs;
        fine[i] = lir_new_pred(lo->fn);
        fsetp(lo, fine[i], used[i]->fine, compared, used[i]->bound, LIR_PT);
    }
    for (unsigned i = 0; i < n; i++) {
        struct lir_inst *in = emit2(lo, MIR_FMUL, x, lir_reg(x), lir_imm(used[i]->before));
        in->m.type = MIR_F32;
        in->guard = lir_pnot(lir_p(fine[i]));
    }
    mufu(lo, y, f, lir_reg(x), false);
    for (unsigned i = 0; i < n; i++) {
        uint32_t by = used[i]->after;
        struct lir_inst *in = emit2(lo, f == MIR_MUFU_LG2 ? MIR_FADD : MIR_FMUL, y, lir_reg(y),
                                    by ? lir_imm(by) : lir_reg(y));
        in->m.type = MIR_F32;
        in->guard = lir_pnot(lir_p(fine[i]));
    }
    emit1(lo, MIR_MOV, d, lir_reg(y));
}

/* ---- double-precision sequences ------------------------------------------------------------- */

/* Emits d: = a: * b: + c:. */
static struct lir_inst *dfma(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b,
                             struct lir_src c) {
    struct lir_inst *in = emit3(lo, MIR_DFMA, d, a, b, c);
    in->m.type = MIR_F64;
    return in;
}

/* A double in a pair of registers; emits moves unless it is in one. */
static struct lir_src pair_register(struct lower *lo, struct lir_src s) {
    if (s.kind == MIR_SRC_REG && s.value) return s;
    lir_vreg w = tmp_pair(lo);
    for (unsigned k = 0; k < 2; k++) {
        struct lir_src part = s;
        if (s.kind == MIR_SRC_CONST)
            part.value += 4 * k;
        else if (s.kind == MIR_SRC_IMM)
            part = k ? s : RZ_SRC; /* the immediate is the high word */
        emit1(lo, MIR_MOV, w + k, part);
    }
    return lir_reg(w);
}

static const uint32_t ONE_F64 = 0x3ff00000;

/* Emits a reciprocal of b, accurate to about the last bit: one cubic and one quadratic step. */
static lir_vreg refine_reciprocal(struct lower *lo, struct lir_src b) {
    lir_vreg r = tmp_pair(lo), e = tmp_pair(lo), e1 = tmp_pair(lo), r1 = tmp_pair(lo);
    lir_vreg e2 = tmp_pair(lo), r2 = tmp_pair(lo);
    mufu(lo, r + 1, MIR_MUFU_RCP64H, lir_reg(b.value + 1), false)->apart = true;
    emit1(lo, MIR_MOV, r, lir_imm(1));
    dfma(lo, e, lir_neg(b), lir_reg(r), lir_imm(ONE_F64));
    dfma(lo, e1, lir_reg(e), lir_reg(e), lir_reg(e));
    dfma(lo, r1, lir_reg(r), lir_reg(e1), lir_reg(r));
    dfma(lo, e2, lir_neg(b), lir_reg(r1), lir_imm(ONE_F64));
    dfma(lo, r2, lir_reg(r1), lir_reg(e2), lir_reg(r1));
    return r2;
}

/* Emits d: = a: / b:. To nearest, compares high words, as floats, to tell whether the sequence
 * stayed normal: the quotient not tiny, infinite or NaN, the dividend not so small that the
 * remainder underflows. */
static void divide_f64(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b) {
    a = pair_register(lo, a);
    b = pair_register(lo, b);
    if (lo->mods.round != MIR_ROUND_NEAREST) {
        slow_path(lo, MIR_DDIVS, f64, 0, d, a, b, LIR_PT);
        return;
    }
    lir_vreg r = refine_reciprocal(lo, b);
    lir_vreg q = tmp_pair(lo), m = tmp_pair(lo), t = tmp(lo);
    uint32_t p = lir_new_pred(lo->fn), fast = lir_new_pred(lo->fn);
    emit2(lo, MIR_DMUL, q, a, lir_reg(r))->m.type = MIR_F64;
    dfma(lo, m, lir_neg(b), lir_reg(q), a);
    lower_tag(lo, dfma(lo, d, lir_reg(r), lir_reg(m), lir_reg(q)), MIR_SPECIAL_COUNTS);
    struct lir_src high = lir_reg(a.value + 1), th;
    high.mods = MIR_SRC_ABS;
    fsetp(lo, p, MIR_CMP_GEU, high, 0x03600000, LIR_PT);
    ffma(lo, t, RZ_SRC, lir_reg(b.value + 1), lir_reg(d + 1));
    th = lir_reg(t);
    th.mods = MIR_SRC_ABS;
    fsetp(lo, fast, MIR_CMP_GT, th, 0x00100000, lir_p(p));
    slow_path(lo, MIR_DDIVS, f64, 0, d, a, b, lir_pnot(lir_p(fast)));
}

/* Emits d: = 1 / a:. To nearest, the fast path if the exponent of a is from 3 to 2,042: beyond, 1/a
 * may be subnormal. */
static void reciprocal_f64(struct lower *lo, lir_vreg d, struct lir_src a) {
    a = pair_register(lo, a);
    if (lo->mods.round != MIR_ROUND_NEAREST) {
        slow_path(lo, MIR_DSQRTS, f64, 1, d, a, NO_SRC, LIR_PT);
        return;
    }
    struct lir_src high = lop3(lo, LUT_A & LUT_B, lir_reg(a.value + 1), lir_imm(0x7fffffff),
                               RZ_SRC);
    uint32_t p = exponent_check(lo, high, 0u - 0x00300000, UINT32_MAX, MIR_CMP_GE,
                                0x7fb00000 - 0x00300000);
    lir_vreg r = refine_reciprocal(lo, a);
    for (unsigned k = 0; k < 2; k++) emit1(lo, MIR_MOV, d + k, lir_reg(r + k));
    slow_path(lo, MIR_DSQRTS, f64, 1, d, a, NO_SRC, lir_p(p));
}

/* Emits d: = sqrt(a:). To nearest, the fast path if a is at least 2^-970 and finite. */
static void square_root_f64(struct lower *lo, lir_vreg d, struct lir_src a) {
    a = pair_register(lo, a);
    if (lo->mods.round != MIR_ROUND_NEAREST) {
        slow_path(lo, MIR_DSQRTS, f64, 0, d, a, NO_SRC, LIR_PT);
        return;
    }
    lir_vreg r = tmp_pair(lo), rr = tmp_pair(lo), e = tmp_pair(lo), c = tmp_pair(lo);
    lir_vreg er = tmp_pair(lo), y = tmp_pair(lo), s = tmp_pair(lo), h = tmp_pair(lo);
    lir_vreg m = tmp_pair(lo);
    uint32_t p = exponent_check(lo, lir_reg(a.value + 1), 0xfcb00000, UINT32_MAX, MIR_CMP_GE,
                                0x7ca00000);
    mufu(lo, r + 1, MIR_MUFU_RSQ64H, lir_reg(a.value + 1), false)->apart = true;
    emit1(lo, MIR_MOV, r, RZ_SRC);
    /* y = r + r * e * (1/2 + 3/8 e), e = 1 - a r r: third order */
    emit2(lo, MIR_DMUL, rr, lir_reg(r), lir_reg(r))->m.type = MIR_F64;
    dfma(lo, e, lir_neg(a), lir_reg(rr), lir_imm(ONE_F64));
    lir_vreg half = tmp_pair(lo);
    emit1(lo, MIR_MOV, half, RZ_SRC);
    emit1(lo, MIR_MOV, half + 1, lir_imm(0x3fe00000));
    dfma(lo, c, lir_reg(e), lir_imm(0x3fd80000), lir_reg(half));
    emit2(lo, MIR_DMUL, er, lir_reg(r), lir_reg(e))->m.type = MIR_F64;
    dfma(lo, y, lir_reg(c), lir_reg(er), lir_reg(r));
    emit2(lo, MIR_DMUL, s, a, lir_reg(y))->m.type = MIR_F64;
    emit2(lo, MIR_DMUL, h, lir_reg(y), lir_imm(0x3fe00000))->m.type = MIR_F64;
    dfma(lo, m, lir_neg(lir_reg(s)), lir_reg(s), a);
    lower_tag(lo, dfma(lo, d, lir_reg(h), lir_reg(m), lir_reg(s)), MIR_SPECIAL_COUNTS);
    slow_path(lo, MIR_DSQRTS, f64, 0, d, a, NO_SRC, lir_p(p));
}

/* ---- div, rcp, sqrt ------------------------------------------------------------------------- */

/* div.approx, div.full and the rounded divisions of f32 and f64; reports other forms. */
void lower_float_div(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 3, 3) || !check_float(lo, t)) return;
    if (ty_is_half(t) || (t.bits == 64 && (lo->mods.seen & M_APPROX)) ||
        !(lo->mods.seen & (M_APPROX | M_ROUND))) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = fsrc(lo, 1, t), b = fsrc(lo, 2, t);
    struct dest d = dst(lo, opd(lo, 0), t);
    lir_vreg x = lir_new_vregs(lo->fn, d.n); /* written twice */
    if (lo->mods.seen & M_APPROX) {
        /* a * (1/b) within 2 ulp; .full scales b so that large divisors do not underflow */
        struct lir_src r = as_register(lo, b);
        lir_vreg inverse = tmp(lo);
        if (lo->mods.full) {
            struct lir_src high = r;
            high.mods = MIR_SRC_ABS;
            uint32_t big = lir_new_pred(lo->fn), small = lir_new_pred(lo->fn);
            lir_vreg quarter = tmp(lo), s1 = tmp(lo), sb = tmp(lo), sa = tmp(lo);
            fsetp(lo, big, MIR_CMP_GT, high, 0x7e800000, LIR_PT);   /* 2^126 */
            fsetp(lo, small, MIR_CMP_LT, high, 0x00800000, LIR_PT); /* 2^-126 */
            emit1(lo, MIR_MOV, quarter, lir_imm(0x3e800000));
            struct lir_inst *in = emit2(lo, MIR_FSEL, s1, lir_reg(quarter), lir_imm(0x3f800000));
            in->psrc[0] = lir_p(big);
            in = emit2(lo, MIR_FSEL, sb, lir_reg(s1), lir_imm(0x4b800000)); /* 2^24 */
            in->psrc[0] = lir_pnot(lir_p(small));
            emit2(lo, MIR_FMUL, sa, r, lir_reg(sb))->m.type = MIR_F32;
            mufu(lo, inverse, MIR_MUFU_RCP, lir_reg(sa), lo->mods.ftz);
            lir_vreg scaled = tmp(lo);
            emit2(lo, MIR_FMUL, scaled, as_register(lo, a), lir_reg(sb))->m.type = MIR_F32;
            a = lir_reg(scaled);
        } else {
            mufu(lo, inverse, MIR_MUFU_RCP, r, lo->mods.ftz);
        }
        set_mods(lo, emit2(lo, MIR_FMUL, x, lir_reg(inverse), a), f32);
    } else if (t.bits == 64) {
        divide_f64(lo, x, a, b);
    } else {
        divide_f32(lo, x, a, b);
    }
    for (unsigned k = 0; k < d.n; k++) emit1(lo, MIR_MOV, d.word + k, lir_reg(x + k));
    finish(lo, &d);
}

/* Lowers sqrt (root) or rcp, approximate or rounded, of singles and doubles. */
static void root_or_reciprocal(struct lower *lo, bool root) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2) || !check_float(lo, t)) return;
    bool approx64 = t.bits == 64 && lo->mods.approx;
    if (ty_is_half(t) || lo->mods.full || (approx64 && root) ||
        !(lo->mods.seen & (M_APPROX | M_ROUND))) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct ty st = approx64 ? f64 : t;
    struct lir_src a = approx64 ? src_f64(lo, opd(lo, 1)) : fsrc(lo, 1, st);
    struct dest d = dst(lo, opd(lo, 0), t);
    lir_vreg x = lir_new_vregs(lo->fn, d.n);
    if (approx64) { /* rcp.approx.ftz.f64 computes only the high word */
        a = pair_register(lo, a);
        emit1(lo, MIR_MOV, x, RZ_SRC);
        mufu(lo, x + 1, MIR_MUFU_RCP64H, lir_reg(a.value + 1), false);
    } else if (lo->mods.approx) {
        approximate_f32(lo, x, root ? MIR_MUFU_SQRT : MIR_MUFU_RCP, a);
    } else if (t.bits == 64) {
        if (root)
            square_root_f64(lo, x, a);
        else
            reciprocal_f64(lo, x, a);
    } else if (root) {
        square_root_f32(lo, x, a);
    } else {
        reciprocal_f32(lo, x, a);
    }
    for (unsigned k = 0; k < d.n; k++) emit1(lo, MIR_MOV, d.word + k, lir_reg(x + k));
    finish(lo, &d);
}

/* rcp. Drops .ftz of .approx.ftz.f64 from lo->mods. */
void lower_rcp(struct lower *lo) {
    if (lo->mods.approx && lo->mods.ty[0].bits == 64) { /* .approx.ftz.f64 */
        lo->mods.ftz = false;
        lo->mods.seen &= ~(uint32_t)M_FTZ;
    }
    root_or_reciprocal(lo, false);
}

/* sqrt. */
void lower_sqrt(struct lower *lo) {
    root_or_reciprocal(lo, true);
}

/* rsqrt.approx; for doubles with one refinement unless .ftz. */
void lower_rsqrt(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2)) return;
    if (t.cls != TY_F || t.packed || t.bits < 32 || !lo->mods.approx || lo->mods.full) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (t.bits == 32) {
        struct lir_src a = src1(lo, opd(lo, 1), t);
        struct dest d = dst(lo, opd(lo, 0), t);
        approximate_f32(lo, d.word, MIR_MUFU_RSQ, a);
        finish(lo, &d);
        return;
    }
    struct lir_src a = pair_register(lo, src_f64(lo, opd(lo, 1)));
    struct dest d = dst(lo, opd(lo, 0), t);
    lir_vreg r = tmp_pair(lo);
    emit1(lo, MIR_MOV, r, RZ_SRC);
    mufu(lo, r + 1, MIR_MUFU_RSQ64H, lir_reg(a.value + 1), false);
    if (lo->mods.ftz) {
        emit1(lo, MIR_MOV, d.word, lir_reg(r));
        emit1(lo, MIR_MOV, d.word + 1, lir_reg(r + 1));
    } else { /* one refinement; infinities, zeros and NaN keep the approximation */
        lir_vreg rr = tmp_pair(lo), e = tmp_pair(lo), c = tmp_pair(lo), er = tmp_pair(lo);
        lir_vreg y = tmp_pair(lo), half = tmp_pair(lo);
        uint32_t p = exponent_check(lo, lir_reg(a.value + 1), 0u - 0x00100000, UINT32_MAX,
                                    MIR_CMP_GE, 0x7ff00000 - 0x00100000);
        emit2(lo, MIR_DMUL, rr, lir_reg(r), lir_reg(r))->m.type = MIR_F64;
        dfma(lo, e, lir_neg(a), lir_reg(rr), lir_imm(ONE_F64));
        emit1(lo, MIR_MOV, half, RZ_SRC);
        emit1(lo, MIR_MOV, half + 1, lir_imm(0x3fe00000));
        dfma(lo, c, lir_reg(e), lir_imm(0x3fd80000), lir_reg(half));
        emit2(lo, MIR_DMUL, er, lir_reg(r), lir_reg(e))->m.type = MIR_F64;
        dfma(lo, y, lir_reg(c), lir_reg(er), lir_reg(r));
        for (unsigned k = 0; k < 2; k++)
            emit2(lo, MIR_SEL, d.word + k, lir_reg(r + k), lir_reg(y + k))->psrc[0] = lir_p(p);
    }
    finish(lo, &d);
}

/* ---- approximate functions ------------------------------------------------------------------ */

/* MUFU's sin and cos take their argument divided by two pi. One multiplication does that here, in
 * place of the instruction RRO. */
void lower_mufu(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    ptx_word op = lo->inst->op;
    if (!operands(lo, 2, 2)) return;
    if (ty_is_half(t) && lo->mods.approx && !lo->mods.full &&
        (op == PTX_W_ex2 || op == PTX_W_tanh)) {
        lower_half_function(lo, op == PTX_W_ex2 ? MIR_MUFU_EX2 : MIR_MUFU_TANH);
        return;
    }
    if (t.cls != TY_F || t.bits != 32 || t.packed || !lo->mods.approx || lo->mods.full) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    unsigned f = op == PTX_W_lg2   ? MIR_MUFU_LG2
                 : op == PTX_W_ex2 ? MIR_MUFU_EX2
                 : op == PTX_W_sin ? MIR_MUFU_SIN
                 : op == PTX_W_cos ? MIR_MUFU_COS
                                   : MIR_MUFU_TANH;
    approximate_f32(lo, d.word, f, a);
    finish(lo, &d);
}
