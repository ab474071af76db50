/* lower_int.c - handlers of integer arithmetic: add, multiply, carry chains, min, max, abs, dot
 * products. Floats of the same instructions go to lower_float.c.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. A carry chain (add.cc, addc,
 * madc) reads and sets lo->carry, a predicate. */
#include "ptx/lower/lower_float.h"
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_short.h"
#include "ptx/lower/lower.h"

/* ---- add, sub ------------------------------------------------------------------------------- */

/* Emits a + b or a - b word by word. `takes` and `gives` say whether the first word reads and the
 * last one sets the chain's carry (borrow), lo->carry. */
static void add_chain(struct lower *lo, const struct dest *d, const struct value *a,
                      const struct value *b, bool subtract, bool takes, bool gives) {
    unsigned n = d->n;
    lir_pref carry = takes ? lo->carry ^ subtract : LIR_PT; /* subtract: carry = no borrow */
    for (unsigned k = 0; k < n; k++) {
        struct lir_src y = b->w[k];
        bool extended = takes || k > 0;
        if (subtract && extended)
            y.mods ^= MIR_SRC_NOT;
        else if (subtract)
            y = lir_neg(y);
        struct lir_inst *in = emit3(lo, MIR_IADD3, d->word + k, a->w[k], y, RZ_SRC);
        if (extended) {
            in->m.flags |= MIR_X;
            in->psrc[0] = carry;
            in->psrc[1] = LIR_NOT_PT;
        }
        if (k + 1 < n || gives) {
            in->pdst[0] = lir_new_pred(lo->fn);
            carry = lir_p(in->pdst[0]);
        }
    }
    if (gives) lo->carry = carry ^ subtract;
}

/* Emits 32-bit signed saturation: an overflow gives the largest magnitude with the sign of a. */
static void add_saturating(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b,
                           bool subtract) {
    lir_vreg r = tmp(lo), over = tmp(lo), sign = tmp(lo), limit = tmp(lo);
    emit3(lo, MIR_IADD3, r, a, subtract ? lir_neg(b) : b, RZ_SRC);
    /* overflow: a and b (subtract: a and ~b) have the same sign, and the result the opposite */
    unsigned sign_b = subtract ? (uint8_t)~LUT_B : LUT_B;
    emit3(lo, MIR_LOP3, over, a, b, lir_reg(r))->m.sub = (uint8_t)((LUT_A ^ LUT_C) &
                                                                   (sign_b ^ LUT_C));
    struct lir_inst *in = emit2(lo, MIR_SHF, sign, a, lir_imm(31));
    in->m.flags |= MIR_RIGHT;
    in->m.type = MIR_S32;
    emit3(lo, MIR_LOP3, limit, lir_reg(sign), lir_imm(0x7fffffff), RZ_SRC)->m.sub = LUT_A ^ LUT_B;
    struct value o = value_of_word(lir_reg(over)), z = value_of_word(RZ_SRC);
    uint32_t p = compare_int(lo, MIR_CMP_LT, true, &o, &z);
    emit2(lo, MIR_SEL, d, lir_reg(limit), lir_reg(r))->psrc[0] = lir_p(p);
}

/* Lowers add and sub of integers, with .sat and .cc. */
static void add_integer(struct lower *lo, bool subtract) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 3, 3)) return;
    if (t.bits == 8 || t.bits > 64 || (lo->mods.seen & (M_ROUND | M_FTZ))) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    if (lo->mods.sat) {
        if (t.bits != 32 || !ty_is_signed(t)) {
            lower_unsupported(lo, "saturation exists for .s32 alone");
            return;
        }
        add_saturating(lo, d.word, a.w[0], b.w[0], subtract);
    } else if (lo->mods.cc) {
        add_chain(lo, &d, &a, &b, subtract, false, true);
    } else if (t.bits == 64) {
        if (!subtract)
            add64(lo, d.word, &a, &b);
        else if (b.w[0].kind == MIR_SRC_IMM && b.w[1].kind == MIR_SRC_IMM) {
            struct value nb = value_imm64(-((uint64_t)b.w[1].value << 32 | b.w[0].value));
            add64(lo, d.word, &a, &nb);
        } else
            sub64(lo, d.word, &a, &b);
    } else {
        emit3(lo, MIR_IADD3, d.word, a.w[0], subtract ? lir_neg(b.w[0]) : b.w[0], RZ_SRC);
    }
    finish(lo, &d);
}

/* add, add.cc. */
void lower_add(struct lower *lo) {
    if (ty_is_float(lo->mods.ty[0]))
        lower_float_add(lo, false);
    else
        add_integer(lo, false);
}

/* sub, sub.cc. */
void lower_sub(struct lower *lo) {
    if (ty_is_float(lo->mods.ty[0]))
        lower_float_add(lo, true);
    else
        add_integer(lo, true);
}

/* addc and subc; set lo->carry again with .cc. */
void lower_addc(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 3, 3)) return;
    if (!ty_is_integer(t) || t.bits < 32 || t.bits > 64) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    add_chain(lo, &d, &a, &b, lo->inst->op == PTX_W_subc, true, lo->mods.cc);
    finish(lo, &d);
}

/* ---- mul, mad ------------------------------------------------------------------------------- */

/* Lowers mul and, with has_c, mad of integers: .lo, .hi and .wide of 16 and 32 bits, .lo and .hi
 * of 64 bits. */
static void multiply_integer(struct lower *lo, bool has_c) {
    struct ty t = lo->mods.ty[0];
    ptx_word mode = lo->mods.mulmode;
    bool is_signed = ty_is_signed(t), wide = mode == PTX_W_wide;
    if (!operands(lo, has_c ? 4 : 3, has_c ? 4 : 3)) return;
    bool sat = lo->mods.sat && has_c && mode == PTX_W_hi && ty_mir(t) == MIR_S32;
    if (t.bits < 16 || t.bits > 64 || !mode || (wide && t.bits == 64) ||
        (lo->mods.seen & (M_ROUND | M_FTZ)) || lo->mods.sat != sat) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct ty dt = t;
    if (wide) dt.bits = (uint8_t)(2 * t.bits);
    struct dest d = dst(lo, opd(lo, 0), dt);
    if (t.bits == 64) {
        struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
        lir_vreg p = has_c ? tmp_pair(lo) : d.word;
        if (mode == PTX_W_lo)
            multiply64(lo, p, &a, &b);
        else
            multiply64_high(lo, is_signed, p, &a, &b);
        if (has_c) {
            struct value c = src(lo, opd(lo, 3), t), v = value_of_pair(p);
            add64(lo, d.word, &v, &c);
        }
        finish(lo, &d);
        return;
    }
    struct lir_src a, b, c = RZ_SRC;
    bool narrow_lo = t.bits == 16 && mode == PTX_W_lo; /* upper halves do not affect the result */
    a = narrow_lo ? src1(lo, opd(lo, 1), t) : src32(lo, opd(lo, 1), t);
    b = narrow_lo ? src1(lo, opd(lo, 2), t) : src32(lo, opd(lo, 2), t);
    if (has_c) {
        struct value v = src(lo, opd(lo, 3), dt);
        c = as_group(lo, &v);
    }
    if (t.bits == 32 && wide)
        imad_wide(lo, d.word, is_signed, a, b, c);
    else if (sat) {
        lir_vreg h = tmp(lo);
        imad_high(lo, h, true, a, b, RZ_SRC);
        add_saturating(lo, d.word, lir_reg(h), c, false);
    } else if (t.bits == 32 && mode == PTX_W_hi)
        imad_high(lo, d.word, is_signed, a, b, c);
    else if (mode == PTX_W_hi) { /* 16 bits */
        lir_vreg p = tmp(lo), h = has_c ? tmp(lo) : d.word;
        imad_low(lo, p, a, b, RZ_SRC);
        struct lir_inst *in = emit2(lo, MIR_SHF, h, lir_reg(p), lir_imm(16));
        in->m.flags |= MIR_RIGHT;
        in->m.type = is_signed ? MIR_S32 : MIR_U32;
        if (has_c) emit3(lo, MIR_IADD3, d.word, lir_reg(h), c, RZ_SRC);
    } else {
        imad_low(lo, d.word, a, b, c);
    }
    finish(lo, &d);
}

/* mul. */
void lower_mul(struct lower *lo) {
    if (ty_is_float(lo->mods.ty[0]))
        lower_float_mul(lo);
    else
        multiply_integer(lo, false);
}

/* mad.lo.cc and madc: emits a product, then a step of the carry chain. */
static void multiply_chain(struct lower *lo, bool takes) {
    struct ty t = lo->mods.ty[0];
    bool high = lo->mods.mulmode == PTX_W_hi;
    if (!operands(lo, 4, 4)) return;
    if ((t.bits != 32 && t.bits != 64) || !lo->mods.mulmode || lo->mods.mulmode == PTX_W_wide) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t), c = src(lo, opd(lo, 3), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    lir_vreg p = lir_new_vregs(lo->fn, d.n);
    if (t.bits == 64 && high)
        multiply64_high(lo, ty_is_signed(t), p, &a, &b);
    else if (t.bits == 64)
        multiply64(lo, p, &a, &b);
    else if (high)
        imad_high(lo, p, ty_is_signed(t), a.w[0], b.w[0], RZ_SRC);
    else
        imad_low(lo, p, a.w[0], b.w[0], RZ_SRC);
    struct value v = t.bits == 64 ? value_of_pair(p) : value_of_word(lir_reg(p));
    add_chain(lo, &d, &v, &c, false, takes, lo->mods.cc);
    finish(lo, &d);
}

/* mad, mad.cc; of floats: fma. */
void lower_mad(struct lower *lo) {
    if (ty_is_float(lo->mods.ty[0]))
        lower_fma(lo);
    else if (lo->mods.cc)
        multiply_chain(lo, false);
    else
        multiply_integer(lo, true);
}

/* madc: reads lo->carry. */
void lower_madc(struct lower *lo) {
    multiply_chain(lo, true);
}

/* mul24, mad24: the low 24 bits of both factors. */
void lower_mul24(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    bool has_c = lo->inst->op == PTX_W_mad24, is_signed = ty_is_signed(t);
    if (!operands(lo, has_c ? 4 : 3, has_c ? 4 : 3)) return;
    if (t.bits != 32 || ty_is_float(t) ||
        (lo->mods.mulmode != PTX_W_lo && lo->mods.mulmode != PTX_W_hi) ||
        (lo->mods.sat && (!has_c || !is_signed || lo->mods.mulmode != PTX_W_hi))) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src f[2];
    for (unsigned k = 0; k < 2; k++) {
        lir_vreg w = tmp(lo);
        struct lir_inst *in = emit2(lo, MIR_SGXT, w, src1(lo, opd(lo, 1 + k), t), lir_imm(24));
        in->m.type = is_signed ? MIR_S32 : MIR_U32;
        f[k] = lir_reg(w);
    }
    struct lir_src c = has_c ? src1(lo, opd(lo, 3), t) : RZ_SRC;
    struct dest d = dst(lo, opd(lo, 0), t);
    if (lo->mods.mulmode == PTX_W_lo) {
        imad_low(lo, d.word, f[0], f[1], c);
    } else { /* bits 47..16 */
        lir_vreg p = tmp_pair(lo), h = tmp(lo);
        imad_wide(lo, p, is_signed, f[0], f[1], RZ_SRC);
        struct lir_inst *in = emit3(lo, MIR_SHF, h, lir_reg(p), lir_imm(16), lir_reg(p + 1));
        in->m.flags |= MIR_RIGHT;
        in->m.type = MIR_U64;
        if (lo->mods.sat)
            add_saturating(lo, d.word, lir_reg(h), c, false);
        else
            emit3(lo, MIR_IADD3, d.word, lir_reg(h), c, RZ_SRC);
    }
    finish(lo, &d);
}

/* ---- sad, min, max, abs, neg ---------------------------------------------------------------- */

/* sad: c + |a - b|. */
void lower_sad(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 4, 4)) return;
    if (t.bits > 64 || t.bits < 16 || ty_is_float(t)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (t.bits == 64) { /* c + max - min */
        struct value x = src(lo, opd(lo, 1), t), y = src(lo, opd(lo, 2), t);
        struct value z = src(lo, opd(lo, 3), t);
        uint32_t p = compare_int(lo, MIR_CMP_LT, ty_is_signed(t), &x, &y);
        lir_vreg big = tmp_pair(lo), small = tmp_pair(lo), sum = tmp_pair(lo);
        for (unsigned k = 0; k < 2; k++) {
            emit2(lo, MIR_SEL, big + k, y.w[k], x.w[k])->psrc[0] = lir_p(p);
            emit2(lo, MIR_SEL, small + k, x.w[k], y.w[k])->psrc[0] = lir_p(p);
        }
        struct value b64 = value_of_pair(big), s64 = value_of_pair(small);
        sub64(lo, sum, &b64, &s64);
        struct value difference = value_of_pair(sum);
        struct dest wide = dst(lo, opd(lo, 0), t);
        add64(lo, wide.word, &z, &difference);
        finish(lo, &wide);
        return;
    }
    struct lir_src a = src32(lo, opd(lo, 1), t), b = src32(lo, opd(lo, 2), t);
    struct lir_src c = src1(lo, opd(lo, 3), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    emit3(lo, MIR_VABSDIFF, d.word, a, b, c)->m.type = ty_is_signed(t) ? MIR_S32 : MIR_U32;
    finish(lo, &d);
}

/* min and max; .relu also clamps at 0. */
void lower_minmax(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    bool max = lo->inst->op == PTX_W_max;
    if (ty_is_float(t)) {
        lower_float_minmax(lo, max);
        return;
    }
    bool relu = lo->mods.n_extra == 1 && lo->mods.extra[0] == PTX_W_relu && ty_mir(t) == MIR_S32;
    if (!operands(lo, 3, 3)) return;
    if (t.bits < 16 || t.bits > 64 || (lo->mods.seen & (M_FTZ | M_NAN)) ||
        lo->mods.n_extra != relu) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (t.bits == 64) {
        struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
        struct dest d = dst(lo, opd(lo, 0), t);
        uint32_t p = compare_int(lo, max ? MIR_CMP_GT : MIR_CMP_LT, ty_is_signed(t), &a, &b);
        for (unsigned k = 0; k < 2; k++)
            emit2(lo, MIR_SEL, d.word + k, a.w[k], b.w[k])->psrc[0] = lir_p(p);
        finish(lo, &d);
        return;
    }
    struct lir_src a = src32(lo, opd(lo, 1), t), b = src32(lo, opd(lo, 2), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    struct lir_inst *in = emit2(lo, MIR_IMNMX, d.word, a, b);
    in->m.type = ty_is_signed(t) ? MIR_S32 : MIR_U32;
    in->psrc[0] = max ? LIR_NOT_PT : LIR_PT;
    if (relu) { /* not below zero */
        lir_vreg least = tmp(lo);
        in->dst = least;
        in = emit2(lo, MIR_IMNMX, d.word, lir_reg(least), RZ_SRC);
        in->m.type = MIR_S32;
        in->psrc[0] = LIR_NOT_PT;
    }
    finish(lo, &d);
}

/* abs. */
void lower_abs(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (ty_is_float(t)) {
        lower_float_sign(lo, true);
        return;
    }
    if (!operands(lo, 2, 2)) return;
    struct dest d = dst(lo, opd(lo, 0), t);
    if (t.bits == 64) { /* (a ^ s) - s with s the sign */
        struct value a = src(lo, opd(lo, 1), t);
        lir_vreg s = tmp(lo), x = tmp_pair(lo);
        struct lir_inst *in = emit2(lo, MIR_SHF, s, a.w[1], lir_imm(31));
        in->m.flags |= MIR_RIGHT;
        in->m.type = MIR_S32;
        for (unsigned k = 0; k < 2; k++)
            emit3(lo, MIR_LOP3, x + k, a.w[k], lir_reg(s), RZ_SRC)->m.sub = LUT_A ^ LUT_B;
        struct value xv = value_of_pair(x), sv = {.w = {lir_reg(s), lir_reg(s)}, .n = 2};
        sub64(lo, d.word, &xv, &sv);
    } else {
        emit1(lo, MIR_IABS, d.word, src32(lo, opd(lo, 1), t));
    }
    finish(lo, &d);
}

/* neg. */
void lower_neg(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (ty_is_float(t)) {
        lower_float_sign(lo, false);
        return;
    }
    if (!operands(lo, 2, 2)) return;
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    if (t.bits == 64)
        negate64(lo, d.word, &a);
    else
        emit3(lo, MIR_IADD3, d.word, lir_neg(a.w[0]), RZ_SRC, RZ_SRC);
    finish(lo, &d);
}

/* ---- dot products, differences -------------------------------------------------------------- */

/* Lowers dp4a (sub 0) and dp2a (sub 2): IDP of the signed or unsigned parts of a and b, plus c. */
static void dot_product(struct lower *lo, unsigned sub) {
    struct ty ta = lo->mods.ty[0], tb = lo->mods.ty[1];
    if (!operands(lo, 4, 4)) return;
    if (lo->mods.n_ty != 2 || ta.bits != 32 || tb.bits != 32 || ty_is_float(ta) ||
        ty_is_float(tb)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), ta), b = src1(lo, opd(lo, 2), tb);
    struct lir_src c = src1(lo, opd(lo, 3), ta);
    struct dest d = dst(lo, opd(lo, 0), ta);
    struct lir_inst *in = emit3(lo, MIR_IDP, d.word, a, b, c);
    in->m.type = ty_is_signed(ta) ? MIR_S8 : MIR_U8;
    in->m.type2 = ty_is_signed(tb) ? MIR_S8 : MIR_U8;
    in->m.sub = (uint8_t)sub;
    if (lo->mods.mulmode == PTX_W_hi) in->m.flags |= MIR_HI;
    finish(lo, &d);
}

/* dp4a: four products of bytes. */
void lower_dp4a(struct lower *lo) {
    dot_product(lo, 0);
}

/* dp2a: two products of a half and a byte; .hi takes the upper bytes. */
void lower_dp2a(struct lower *lo) {
    if (lo->mods.mulmode == PTX_W_wide || !lo->mods.mulmode)
        lower_unsupported(lo, "%s", "");
    else
        dot_product(lo, 2);
}
