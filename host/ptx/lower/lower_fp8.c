/* lower_fp8.c - eight-bit floats for a machine that has none: conversions from and to single and
 * half precision, and TF32's rounding to even.
 *
 * e5m2 is the upper byte of a half. e4m3 has a bias of 7, no infinity, and one NaN, 0x7f, of
 * either sign. A conversion to an eight-bit float rounds to nearest even and clamps.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). Each helper emits code and returns its
 * result in a new register. lower_packed.c, lower_matrix.c and this file's lower_cvt_fp8() use
 * them; contracts: lower_packed.h. */
#include "ptx/lower/lower_float.h"
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_packed.h"
#include "ptx/lower/lower_short.h"

static const struct ty f16x2 = {TY_F, 32, true};

/* Emits a + b + c. */
static struct lir_src sum(struct lower *lo, struct lir_src a, struct lir_src b, struct lir_src c) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_IADD3, d, a, b, c);
    return lir_reg(d);
}
/* Emits a shift by a constant, to the right or left; zeros come in. */
static struct lir_src shifted(struct lower *lo, struct lir_src a, unsigned by, bool right) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_SHF, d, a, lir_imm(by));
    in->m.type = MIR_U32;
    if (right) in->m.flags |= MIR_RIGHT;
    return lir_reg(d);
}
/* Emits a & bits. */
static struct lir_src both(struct lower *lo, struct lir_src a, uint32_t bits) {
    return lop3(lo, LUT_A & LUT_B, a, lir_imm(bits), RZ_SRC);
}
/* Emits PRMT: each nibble of `how` selects a byte of b:a. */
static struct lir_src permuted(struct lower *lo, struct lir_src a, uint32_t how, struct lir_src b) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_PRMT, d, a, lir_imm(how), b);
    return lir_reg(d);
}
/* Emits p ? a : b. */
static struct lir_src chosen(struct lower *lo, uint32_t p, struct lir_src a, struct lir_src b) {
    lir_vreg d = tmp(lo);
    emit2(lo, MIR_SEL, d, a, b)->psrc[0] = lir_p(p);
    return lir_reg(d);
}
/* Emits a > b, unsigned. @return a new predicate. */
static uint32_t above(struct lower *lo, struct lir_src a, uint32_t b) {
    struct value x = value_of_word(a), y = value_of_word(lir_imm(b));
    return compare_int(lo, MIR_CMP_GT, false, &x, &y);
}
/* Emits op(a, b) in the float type `type`. */
static struct lir_src float_op(struct lower *lo, unsigned op, mir_type type, struct lir_src a,
                               struct lir_src b) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, op, d, a, b);
    in->m.type = (uint8_t)type;
    return lir_reg(d);
}

/* ---- to halves ------------------------------------------------------------------------------ */

/* Emits selects that replace a half of r by NaN where its byte in `magnitude` (at most 0x7f) is
 * above `most`. */
static struct lir_src with_nan(struct lower *lo, struct lir_src r, struct lir_src magnitude,
                               uint32_t most) {
    struct lir_src low = both(lo, magnitude, 0xffff), high = shifted(lo, magnitude, 16, true);
    r = chosen(lo, above(lo, low, most), permuted(lo, r, 0x3254, lir_imm(0x7fff)), r);
    return chosen(lo, above(lo, high, most), permuted(lo, r, 0x5410, lir_imm(0x7fff)), r);
}

/* Emits the two eight-bit floats in the lower or upper half of s as two halves of a word. */
struct lir_src lower_fp8_halves(struct lower *lo, struct lir_src s, bool e5m2, bool upper) {
    struct lir_src w = permuted(lo, s, upper ? 0x4342 : 0x4140, RZ_SRC);
    struct lir_src magnitude = both(lo, w, 0x007f007f);
    if (e5m2) return with_nan(lo, shifted(lo, w, 8, false), magnitude, 0x7c);
    /* read with the bias of a half (15), the value is 2^8 too small, subnormal or not */
    struct lir_src small = shifted(lo, magnitude, 7, false);
    struct lir_src r = float_op(lo, MIR_HMUL2, MIR_F16X2, small, lir_imm(0x5c005c00));
    struct lir_src sign = shifted(lo, both(lo, w, 0x00800080), 8, false);
    return with_nan(lo, lop3(lo, LUT_A | LUT_B, r, sign, RZ_SRC), magnitude, 0x7e);
}

/* ---- to eight bits -------------------------------------------------------------------------- */

/* Emits the conversion of a single to an eight-bit float in the low byte; the other bytes are 0. */
static struct lir_src narrowed(struct lower *lo, struct lir_src s, bool e5m2) {
    unsigned drop = e5m2 ? 21 : 20, bias = (127 - (e5m2 ? 15 : 7)) << (e5m2 ? 2 : 3);
    uint32_t most = e5m2 ? 0x47600000 : 0x43e00000;   /* 57,344; 448 */
    uint32_t normal = e5m2 ? 0x38800000 : 0x3c800000; /* 2^-14, 2^-6: smallest normal value */
    uint32_t unit = e5m2 ? 0x43000000 : 0x46800000;   /* one ulp of it = one of a subnormal */
    struct lir_src a = both(lo, s, 0x7fffffff);
    lir_vreg least = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_IMNMX, least, a, lir_imm(most));
    in->m.type = MIR_U32;
    in->psrc[0] = LIR_PT;
    struct lir_src x = lir_reg(least), odd = both(lo, shifted(lo, x, drop, true), 1);
    struct lir_src r = sum(lo, x, lir_imm((1u << (drop - 1)) - 1), odd);
    r = sum(lo, shifted(lo, r, drop, true), lir_imm(-bias), RZ_SRC);
    struct lir_src tiny = sum(lo, float_op(lo, MIR_FADD, MIR_F32, x, lir_imm(unit)), lir_imm(-unit),
                              RZ_SRC);
    r = chosen(lo, above(lo, x, normal - 1), r, tiny);
    r = lop3(lo, LUT_A | LUT_B, r, both(lo, shifted(lo, s, 24, true), 0x80), RZ_SRC);
    return chosen(lo, above(lo, a, 0x7f800000), lir_imm(0x7f), r);
}

/* Emits s rounded to TF32, ties to even; a NaN stays as it is. */
struct lir_src lower_tf32_even(struct lower *lo, struct lir_src s) {
    struct lir_src odd = both(lo, shifted(lo, s, 13, true), 1);
    struct lir_src r = both(lo, sum(lo, s, lir_imm(0xfff), odd), ~0x1fffu);
    return chosen(lo, above(lo, both(lo, s, 0x7fffffff), 0x7f800000), s, r);
}

/* ---- the instruction ------------------------------------------------------------------------ */

/* Lowers a cvt with e4m3x2 or e5m2x2; see lower_packed.h. Reads lo->mods.extra. */
bool lower_cvt_fp8(struct lower *lo) {
    struct mods *m = &lo->mods;
    bool relu = mods_has_extra(m, PTX_W_relu), finite = mods_has_extra(m, PTX_W_satfinite);
    bool e5m2 = mods_has_extra(m, PTX_W_e5m2x2);
    if (!e5m2 && !mods_has_extra(m, PTX_W_e4m3x2)) return false;
    mir_type other = m->n_ty == 1 ? ty_mir(m->ty[0]) : MIR_TYPE_NONE;
    bool single = other == MIR_F32 && finite;
    if (m->n_extra != 1u + relu + finite || (other != MIR_F16X2 && !single) || m->sat || m->ftz ||
        !(m->seen & M_ROUND) || m->round != MIR_ROUND_NEAREST) {
        lower_unsupported(lo, "%s", "");
        return true;
    }
    if (!operands(lo, single ? 3 : 2, single ? 3 : 2)) return true;
    if (!finite) { /* only conversions to eight-bit floats have .satfinite */
        struct lir_src r = src1(lo, opd(lo, 1), (struct ty){TY_B, 16, false});
        r = lower_fp8_halves(lo, r, e5m2, false);
        if (relu) r = lower_relu(lo, r, f16x2);
        struct dest d = dst(lo, opd(lo, 0), f16x2);
        emit1(lo, MIR_MOV, d.word, r);
        finish(lo, &d);
        return true;
    }
    struct lir_src part[2]; /* low, high */
    struct lir_src a = src1(lo, opd(lo, 1), m->ty[0]);
    if (single) {
        part[0] = src1(lo, opd(lo, 2), f32);
        part[1] = a;
    } else {
        part[0] = lower_float_to(lo, a, MIR_F32, MIR_F16, MIR_ROUND_NEAREST);
        part[1] = lower_float_to(lo, shifted(lo, a, 16, true), MIR_F32, MIR_F16, MIR_ROUND_NEAREST);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (relu) part[i] = lower_relu(lo, part[i], f32);
        part[i] = narrowed(lo, part[i], e5m2);
    }
    struct dest d = dst(lo, opd(lo, 0), (struct ty){TY_B, 16, false});
    emit1(lo, MIR_MOV, d.word, permuted(lo, part[0], 0x7740, part[1]));
    finish(lo, &d);
    return true;
}
