/* lower_packed.c - forms that newer GPUs execute as one instruction and that are built of
 * several here: two 16-bit integers in a word, functions and comparisons of halves, conversions
 * to packed types, minima of three values or with the sign of a product, relu, the n-th set bit.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). Handlers of other files call the
 * exported functions; like a handler they lower the instruction at hand and report combinations
 * that are not supported. Static helpers return their result in a new register. */
#include "ptx/lower/lower_float.h"
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_packed.h"
#include "ptx/lower/lower_short.h"

/* ---- halves of words ------------------------------------------------------------------------ */

/* Emits the word of two lower halves. */
static struct lir_src join(struct lower *lo, struct lir_src low, struct lir_src high) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_PRMT, d, low, lir_imm(0x5410), high);
    return lir_reg(d);
}
/* Emits s >> 16, unsigned. */
static struct lir_src upper(struct lower *lo, struct lir_src s) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_SHF, d, s, lir_imm(16));
    in->m.flags |= MIR_RIGHT;
    in->m.type = MIR_U32;
    return lir_reg(d);
}
/* Emits half i of s, extended to 32 bits. */
static struct lir_src half_of(struct lower *lo, struct lir_src s, unsigned i, bool is_signed) {
    return extend(lo, i ? upper(lo, s) : s, 16, is_signed);
}
/* Emits max(a, b) or min(a, b) of 32-bit integers. */
static struct lir_src integer_minmax(struct lower *lo, struct lir_src a, struct lir_src b,
                                     bool is_signed, bool max) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_IMNMX, d, a, b);
    in->m.type = is_signed ? MIR_S32 : MIR_U32;
    in->psrc[0] = max ? LIR_NOT_PT : LIR_PT;
    return lir_reg(d);
}

/* add, min, max of .u16x2 and .s16x2; .relu */
void lower_packed_int(struct lower *lo) {
    struct mods *m = &lo->mods;
    bool is_signed = ty_is_signed(m->ty[0]), relu = mods_has_extra(m, PTX_W_relu);
    ptx_word op = lo->inst->op;
    if (!operands(lo, 3, 3)) return;
    if (m->n_ty != 1 || m->n_extra != relu || (m->seen & ~(uint32_t)(M_TYPE | M_EXTRA)) ||
        (relu && (!is_signed || op == PTX_W_add))) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), u32), b = src1(lo, opd(lo, 2), u32), r[2];
    struct dest d = dst(lo, opd(lo, 0), u32);
    for (unsigned i = 0; i < 2; i++) {
        struct lir_src x = half_of(lo, a, i, is_signed), y = half_of(lo, b, i, is_signed);
        if (op == PTX_W_add) {
            lir_vreg w = tmp(lo);
            emit3(lo, MIR_IADD3, w, x, y, RZ_SRC);
            r[i] = lir_reg(w);
        } else {
            r[i] = integer_minmax(lo, x, y, is_signed, op == PTX_W_max);
            if (relu) r[i] = integer_minmax(lo, r[i], RZ_SRC, true, true);
        }
    }
    emit3(lo, MIR_PRMT, d.word, r[0], lir_imm(0x5410), r[1]);
    finish(lo, &d);
}

/* ---- floats --------------------------------------------------------------------------------- */

/* Emits max(a, b) or min(a, b) of floats, or of their magnitudes; .NaN and .ftz by lo->mods. */
static struct lir_src minmax(struct lower *lo, struct lir_src a, struct lir_src b, struct ty t,
                             bool max, bool magnitudes) {
    lir_vreg d = tmp(lo);
    if (magnitudes) {
        a = lower_magnitude(lo, a, t);
        b = lower_magnitude(lo, b, t);
    }
    struct lir_inst *in = emit2(lo, ty_is_half(t) ? MIR_HMNMX2 : MIR_FMNMX, d, a, b);
    in->m.type = (uint8_t)ty_mir(t);
    in->m.sub = lo->mods.nan;
    if (lo->mods.ftz) in->m.flags |= MIR_FTZ;
    in->psrc[0] = max ? LIR_NOT_PT : LIR_PT;
    return lir_reg(d);
}

/* min and max of three values, or with .xorsign.abs: of magnitudes, with the product's sign. */
void lower_float_minmax_more(struct lower *lo, bool max) {
    struct mods *m = &lo->mods;
    struct ty t = m->ty[0];
    bool sign = mods_has_extra(m, PTX_W_xorsign), three = lo->inst->n_opd == 4;
    if (!operands(lo, 3, 4)) return;
    if (t.bits == 64 || (three && (sign || ty_is_half(t))) || m->n_extra != (sign ? 2u : 0u) ||
        (sign && m->extra[1] != PTX_W_abs)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), t), b = src1(lo, opd(lo, 2), t);
    struct lir_src r = minmax(lo, a, b, t, max, sign);
    if (three) r = minmax(lo, r, src1(lo, opd(lo, 3), t), t, max, false);
    if (sign) { /* a NaN keeps its own */
        struct lir_src x = lop3(lo, LUT_A ^ LUT_B, a, b, RZ_SRC);
        x = lop3(lo, (LUT_A & ~LUT_B & 0xff) | (LUT_C & LUT_B), r, lir_imm(lower_sign_bits(t)), x);
        if (m->nan && !ty_is_half(t)) {
            uint32_t p = lir_new_pred(lo->fn);
            struct lir_inst *in = emit2(lo, MIR_FSETP, 0, r, r);
            lir_vreg d = tmp(lo);
            in->m.type = MIR_F32;
            in->m.cmp = MIR_CMP_NAN;
            in->pdst[0] = p;
            emit2(lo, MIR_SEL, d, r, x)->psrc[0] = lir_p(p);
            x = lir_reg(d);
        }
        r = x;
    }
    struct dest d = dst(lo, opd(lo, 0), t);
    emit1(lo, MIR_MOV, d.word, r);
    finish(lo, &d);
}

/* tanh and ex2 (`function`: mir_mufu) of one or two halves: emits widening to single precision,
 * MUFU, and rounding to nearest. */
void lower_half_function(struct lower *lo, unsigned function) {
    struct ty t = lo->mods.ty[0];
    mir_type half = t.cls == TY_BF ? MIR_BF16 : MIR_F16;
    struct lir_src a = src1(lo, opd(lo, 1), t), r[2];
    struct dest d = dst(lo, opd(lo, 0), t);
    for (unsigned i = 0; i < (t.packed ? 2u : 1u); i++) {
        struct lir_src x = lower_float_to(lo, i ? upper(lo, a) : a, MIR_F32, half,
                                          MIR_ROUND_NEAREST);
        lir_vreg w = tmp(lo);
        struct lir_inst *in = emit1(lo, MIR_MUFU, w, x);
        in->m.type = MIR_F32;
        in->m.sub = (uint8_t)function;
        r[i] = lower_float_to(lo, lir_reg(w), half, MIR_F32, MIR_ROUND_NEAREST);
    }
    emit1(lo, MIR_MOV, d.word, t.packed ? join(lo, r[0], r[1]) : r[0]);
    finish(lo, &d);
}

/* set of one or two halves: the result of each comparison is all ones or 1.0. */
void lower_set_half(struct lower *lo, struct ty dt, struct ty st, lir_pref with, mir_bool bop) {
    struct mods *m = &lo->mods;
    bool both = st.packed;
    uint32_t p = lir_new_pred(lo->fn), q = both ? lir_new_pred(lo->fn) : 0;
    struct lir_src a = src1(lo, opd(lo, 1), st), b = src1(lo, opd(lo, 2), st);
    struct lir_inst *in = emit2(lo, MIR_HSETP2, 0, a, b);
    in->m.type = (uint8_t)ty_mir(st);
    in->m.cmp = (uint8_t)m->cmp;
    in->m.bop = (uint8_t)bop;
    if (m->ftz) in->m.flags |= MIR_FTZ;
    in->psrc[0] = with;
    in->pdst[0] = p;
    in->pdst[1] = q;
    uint32_t one = dt.cls == TY_BF                                 ? 0x3f80
                   : dt.cls == TY_F && dt.bits == 32 && !dt.packed ? 0x3f800000
                   : dt.cls == TY_F                                ? 0x3c00
                   : both || dt.bits == 16                         ? 0xffff
                                                                   : UINT32_MAX;
    struct dest d = dst(lo, opd(lo, 0), dt);
    lir_vreg low = both ? tmp(lo) : d.word;
    emit2(lo, MIR_SEL, low, RZ_SRC, lir_imm(one))->psrc[0] = lir_pnot(lir_p(p));
    if (both) {
        lir_vreg high = tmp(lo);
        emit2(lo, MIR_SEL, high, RZ_SRC, lir_imm(one))->psrc[0] = lir_pnot(lir_p(q));
        emit3(lo, MIR_PRMT, d.word, lir_reg(low), lir_imm(0x5410), lir_reg(high));
    }
    finish(lo, &d);
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* Emits the 32-bit integer operand o, clamped to the range of type `to`. */
static struct lir_src saturated(struct lower *lo, const struct ptx_operand *o, struct ty to,
                                bool is_signed) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit1(lo, MIR_I2I, d, src1(lo, o, u32));
    in->m.type = (uint8_t)ty_mir(to);
    in->m.type2 = is_signed ? MIR_S32 : MIR_U32;
    in->m.flags |= MIR_SAT;
    return lir_reg(d);
}

/* cvt.pack.sat: two narrowed integers in the low part, and c's low part above them. */
static void pack(struct lower *lo) {
    struct mods *m = &lo->mods;
    struct ty to = m->ty[0];
    bool has_c = m->n_ty == 3;
    if (!operands(lo, has_c ? 4 : 3, has_c ? 4 : 3)) return;
    if (!m->sat || m->n_ty < 2 || m->ty[1].bits != 32 || ty_is_float(m->ty[1]) ||
        (to.bits != 16 && to.bits != 8) || (to.bits == 8) != has_c) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = saturated(lo, opd(lo, 1), to, ty_is_signed(m->ty[1]));
    struct lir_src b = saturated(lo, opd(lo, 2), to, ty_is_signed(m->ty[1]));
    struct lir_src c = has_c ? src1(lo, opd(lo, 3), u32) : RZ_SRC;
    struct dest d = dst(lo, opd(lo, 0), u32);
    if (to.bits == 16) {
        emit3(lo, MIR_PRMT, d.word, b, lir_imm(0x5410), a);
    } else {
        lir_vreg w = tmp(lo);
        emit3(lo, MIR_PRMT, w, b, lir_imm(0x0040), a); /* bytes b, a */
        emit3(lo, MIR_PRMT, d.word, lir_reg(w), lir_imm(0x5410), c);
    }
    finish(lo, &d);
}

/* Lowers a cvt to a packed type, to TF32, of relu, or of eight-bit floats. @return false: none
 * of these, nothing is emitted; true: lowered, or reported. */
bool lower_cvt_more(struct lower *lo) {
    struct mods *m = &lo->mods;
    bool relu = mods_has_extra(m, PTX_W_relu), rna = mods_has_extra(m, PTX_W_rna);
    bool tf32 = mods_has_extra(m, PTX_W_tf32);
    struct ty t = m->ty[0];
    if (lo->inst->n_mod && lo->inst->mod[0] == PTX_W_pack) {
        pack(lo);
        return true;
    }
    if (lower_cvt_fp8(lo)) return true;
    if (m->n_extra != (unsigned)(relu + rna + tf32)) {
        lower_unsupported(lo, "%s", "");
        return true;
    }
    if (tf32) { /* the operation rounds ties away from zero */
        if (!operands(lo, 2, 2)) return true;
        bool zero = m->round == MIR_ROUND_ZERO, even = m->round == MIR_ROUND_NEAREST && !rna;
        if (m->n_ty != 1 || ty_mir(t) != MIR_F32 || relu || !(rna || zero || even)) {
            lower_unsupported(lo, "%s", "");
            return true;
        }
        struct lir_src r = src1(lo, opd(lo, 1), t);
        if (even) r = lower_tf32_even(lo, r);
        r = lower_float_to(lo, r, MIR_TF32, MIR_F32, rna ? MIR_ROUND_NEAREST : MIR_ROUND_ZERO);
        struct dest d = dst(lo, opd(lo, 0), u32);
        emit1(lo, MIR_MOV, d.word, r);
        finish(lo, &d);
        return true;
    }
    if (rna) {
        lower_unsupported(lo, "%s", "");
        return true;
    }
    if (!t.packed && !relu) return false;
    bool from_single = m->n_ty == 2 && ty_mir(m->ty[1]) == MIR_F32;
    if (!ty_is_float(t) || !from_single || (t.bits == 32 && !t.packed) || m->sat || m->ftz) {
        lower_unsupported(lo, "%s", "");
        return true;
    }
    if (!operands(lo, t.packed ? 3 : 2, t.packed ? 3 : 2)) return true;
    mir_type half = t.cls == TY_BF ? MIR_BF16 : MIR_F16;
    struct lir_src r = lower_float_to(lo, src1(lo, opd(lo, t.packed ? 2 : 1), m->ty[1]), half,
                                      MIR_F32, m->round);
    if (t.packed)
        r = join(lo, r,
                 lower_float_to(lo, src1(lo, opd(lo, 1), m->ty[1]), half, MIR_F32, m->round));
    if (relu) r = lower_relu(lo, r, t);
    struct dest d = dst(lo, opd(lo, 0), t);
    emit1(lo, MIR_MOV, d.word, r);
    finish(lo, &d);
    return true;
}

/* ---- fns ------------------------------------------------------------------------------------ */

/* Emits p ? a : b. */
static struct lir_src select_word(struct lower *lo, lir_pref p, struct lir_src a,
                                  struct lir_src b) {
    lir_vreg d = tmp(lo);
    emit2(lo, MIR_SEL, d, a, b)->psrc[0] = p;
    return lir_reg(d);
}
/* Emits a + b. */
static struct lir_src add(struct lower *lo, struct lir_src a, struct lir_src b) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_IADD3, d, a, b, RZ_SRC);
    return lir_reg(d);
}
/* Emits op(a). */
static struct lir_src unary(struct lower *lo, unsigned op, struct lir_src a) {
    lir_vreg d = tmp(lo);
    emit1(lo, op, d, a);
    return lir_reg(d);
}
/* Emits a shifted by `by`, to the right or left; zeros come in. */
static struct lir_src shift(struct lower *lo, struct lir_src a, struct lir_src by, bool right) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_SHF, d, a, by);
    if (right) in->m.flags |= MIR_RIGHT;
    in->m.type = MIR_U32;
    return lir_reg(d);
}
/* Emits a cmp b. @return a new predicate. */
static lir_pref compare(struct lower *lo, mir_cmp cmp, bool is_signed, struct lir_src a,
                        struct lir_src b) {
    struct value x = value_of_word(a), y = value_of_word(b);
    return lir_p(compare_int(lo, cmp, is_signed, &x, &y));
}

/* fns: the n-th set bit of a mask from bit `base` on. Emits a binary search that counts bits; for
 * the downward direction it searches the mirrored mask. */
void lower_fns(struct lower *lo) {
    if (!operands(lo, 4, 4)) return;
    if (lo->mods.n_ty != 1 || lo->mods.ty[0].bits != 32) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src mask = src1(lo, opd(lo, 1), u32), base = src1(lo, opd(lo, 2), u32);
    struct lir_src n = src1(lo, opd(lo, 3), u32);
    lir_pref down = compare(lo, MIR_CMP_LT, true, n, RZ_SRC);
    lir_pref here = compare(lo, MIR_CMP_EQ, true, n, RZ_SRC);
    struct lir_src m = select_word(lo, down, unary(lo, MIR_BREV, mask), mask);
    struct lir_src from = select_word(lo, down, add(lo, lir_imm(31), lir_neg(base)), base);
    struct lir_src left = select_word(lo, down, add(lo, lir_neg(n), RZ_SRC), n);
    m = shift(lo, m, from, true);
    m = select_word(lo, here, lop3(lo, LUT_A & LUT_B, m, lir_imm(1), RZ_SRC), m);
    left = select_word(lo, here, lir_imm(1), left);
    lir_pref there = compare(lo, MIR_CMP_LE, false, left, unary(lo, MIR_POPC, m));
    struct lir_src at = RZ_SRC;
    for (unsigned width = 16; width; width /= 2) {
        struct lir_src part = lop3(lo, LUT_A & LUT_B, shift(lo, m, at, true),
                                   lir_imm((1u << width) - 1), RZ_SRC);
        struct lir_src bits = unary(lo, MIR_POPC, part);
        lir_pref beyond = compare(lo, MIR_CMP_GT, false, left, bits);
        left = select_word(lo, beyond, add(lo, left, lir_neg(bits)), left);
        at = select_word(lo, beyond, add(lo, at, lir_imm(width)), at);
    }
    at = add(lo, at, from);
    at = select_word(lo, down, add(lo, lir_imm(31), lir_neg(at)), at);
    at = select_word(lo, there, at, lir_imm(UINT32_MAX));
    lir_pref inside = compare(lo, MIR_CMP_LT, false, base, lir_imm(32));
    at = select_word(lo, inside, at, lir_imm(UINT32_MAX));
    struct dest d = dst(lo, opd(lo, 0), u32);
    emit1(lo, MIR_MOV, d.word, at);
    finish(lo, &d);
}
