/* lower_bits.c - handlers and helpers for logic, shifts, bit fields, bit counts and byte
 * permutation.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_short.h"
#include "ptx/lower/lower.h"

/* ---- building blocks ------------------------------------------------------------------------ */

/* Emits SHF: shifts the 64 bits high:low by `by`. `type` gives width and sign; `flags` choose
 * the direction (MIR_RIGHT) and the word of the result (MIR_HI). @return the instruction. */
static struct lir_inst *shift(struct lower *lo, lir_vreg d, struct lir_src low, struct lir_src by,
                              struct lir_src high, mir_type type, unsigned flags) {
    struct lir_inst *in = emit3(lo, MIR_SHF, d, low, by, high);
    in->m.type = (uint8_t)type;
    in->m.flags |= (uint16_t)flags;
    return in;
}

/* Emits d: = a: << by. */
static void shift_left64(struct lower *lo, lir_vreg d, const struct value *a, struct lir_src by) {
    if (by.kind == MIR_SRC_IMM && by.value < 64) {
        struct lir_inst *in = emit1(lo, LIR_SHL64, d, as_group(lo, a));
        in->m.imm = (int32_t)by.value;
        return;
    }
    shift(lo, d, a->w[0], by, RZ_SRC, MIR_U32, 0);
    shift(lo, d + 1, a->w[0], by, a->w[1], MIR_U64, MIR_HI);
}

/* Emits d: = a: >> by, arithmetic if signed. */
static void shift_right64(struct lower *lo, lir_vreg d, const struct value *a, struct lir_src by,
                          bool is_signed) {
    shift(lo, d, a->w[0], by, a->w[1], is_signed ? MIR_S64 : MIR_U64, MIR_RIGHT);
    shift(lo, d + 1, a->w[1], by, RZ_SRC, is_signed ? MIR_S32 : MIR_U32, MIR_RIGHT);
}

/* The low eight bits of a shift amount or field length; emits code unless it is a constant. */
static struct lir_src low_byte(struct lower *lo, struct lir_src s) {
    if (s.kind == MIR_SRC_IMM) return lir_imm(s.value & 0xff);
    return lop3(lo, LUT_A & LUT_B, s, lir_imm(0xff), RZ_SRC);
}

/* ---- logic ---------------------------------------------------------------------------------- */

/* LOP3's truth table of and, or, xor. */
static unsigned logic_table(ptx_word op) {
    return op == PTX_W_and_ ? LUT_A & LUT_B : op == PTX_W_or_ ? LUT_A | LUT_B : LUT_A ^ LUT_B;
}

/* and, or, xor of bits or predicates. */
void lower_logic(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    unsigned table = logic_table(lo->inst->op);
    if (!operands(lo, 3, 3)) return;
    if (t.cls == TY_PRED) {
        lir_pref a = src_pred(lo, opd(lo, 1)), b = src_pred(lo, opd(lo, 2));
        struct pdest d = dst_pred(lo, opd(lo, 0));
        struct lir_inst *in = emit(lo, MIR_PLOP3);
        in->pdst[0] = d.pred;
        in->psrc[0] = a;
        in->psrc[1] = b;
        in->m.sub = (uint8_t)table;
        finish_pred(lo, &d);
        return;
    }
    if (t.bits < 16 || t.bits > 64 || t.cls != TY_B) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    for (unsigned k = 0; k < d.n; k++)
        emit3(lo, MIR_LOP3, d.word + k, a.w[k], b.w[k], RZ_SRC)->m.sub = (uint8_t)table;
    finish(lo, &d);
}

/* not of bits or predicates. */
void lower_not(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2)) return;
    if (t.cls == TY_PRED) {
        lir_pref a = src_pred(lo, opd(lo, 1));
        struct pdest d = dst_pred(lo, opd(lo, 0));
        struct lir_inst *in = emit(lo, MIR_PLOP3);
        in->pdst[0] = d.pred;
        in->psrc[0] = lir_pnot(a);
        in->m.sub = LUT_A;
        finish_pred(lo, &d);
        return;
    }
    if (t.cls != TY_B || t.bits < 16 || t.bits > 64) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    for (unsigned k = 0; k < d.n; k++)
        emit3(lo, MIR_LOP3, d.word + k, a.w[k], RZ_SRC, RZ_SRC)->m.sub = (uint8_t)~LUT_A;
    finish(lo, &d);
}

/* cnot: d = a == 0 */
void lower_cnot(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2)) return;
    if (t.cls != TY_B || t.bits < 16 || t.bits > 64) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t), zero = {.w = {RZ_SRC, RZ_SRC}, .n = a.n};
    if (t.bits == 16) a.w[0] = extend(lo, a.w[0], 16, false);
    struct dest d = dst(lo, opd(lo, 0), t);
    uint32_t p = compare_int(lo, MIR_CMP_NE, false, &a, &zero);
    emit2(lo, MIR_SEL, d.word, RZ_SRC, lir_imm(1))->psrc[0] = lir_p(p);
    if (d.n == 2) emit1(lo, MIR_MOV, d.word + 1, RZ_SRC);
    finish(lo, &d);
}

/* lop3 d, a, b, c, table; with .or or .and also a predicate, d|p, ..., q. */
void lower_lop3(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 5, lo->mods.op ? 6 : 5)) return;
    const struct ptx_operand *table = opd(lo, 4);
    bool pred = lo->mods.op == PTX_W_or_ || lo->mods.op == PTX_W_and_;
    if (pred != (opd(lo, 0)->kind == PTX_OPD_PAIR) || (lo->mods.op && !pred) || t.bits != 32 ||
        table->kind != PTX_OPD_CONST || table->value.bits > 255) {
        lower_unsupported(lo, "the table must be a constant from 0 to 255");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), t), b = src1(lo, opd(lo, 2), t);
    struct lir_src c = src1(lo, opd(lo, 3), t);
    if (pred) { /* p = (d != 0) bop q */
        const struct ptx_operand *o = opd(lo, 0);
        lir_pref q = src_pred(lo, opd(lo, 5));
        struct pdest p = dst_pred(lo, o->sub[1]);
        struct value r = value_of_word(lop3(lo, (unsigned)table->value.bits, a, b, c));
        struct value zero = value_of_word(RZ_SRC);
        compare_int_into(lo, p.pred, 0, MIR_CMP_NE, false, &r, &zero,
                         lo->mods.op == PTX_W_or_ ? MIR_OR : MIR_AND, q);
        if (o->sub[0]->kind != PTX_OPD_SINK) {
            struct dest w = dst(lo, o->sub[0], t);
            move_value(lo, w.word, &r);
            finish(lo, &w);
        }
        finish_pred(lo, &p);
        return;
    }
    struct dest d = dst(lo, opd(lo, 0), t);
    emit3(lo, MIR_LOP3, d.word, a, b, c)->m.sub = (uint8_t)table->value.bits;
    finish(lo, &d);
}

/* ---- shifts --------------------------------------------------------------------------------- */

/* shl, shr. Narrow sources of shr are extended first. */
void lower_shift(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    bool right = lo->inst->op == PTX_W_shr, is_signed = ty_is_signed(t);
    if (!operands(lo, 3, 3)) return;
    if (t.bits < 16 || t.bits > 64 || ty_is_float(t)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src by = src1(lo, opd(lo, 2), u32);
    if (t.bits == 64) {
        struct value a = src(lo, opd(lo, 1), t);
        struct dest d = dst(lo, opd(lo, 0), t);
        if (right)
            shift_right64(lo, d.word, &a, by, is_signed);
        else
            shift_left64(lo, d.word, &a, by);
        finish(lo, &d);
        return;
    }
    struct lir_src a = right ? src32(lo, opd(lo, 1), t) : src1(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    shift(lo, d.word, a, by, RZ_SRC, is_signed ? MIR_S32 : MIR_U32, right ? MIR_RIGHT : 0);
    finish(lo, &d);
}

/* Funnel shift. PTX clamps the amount to 32 or takes it modulo 32; the hardware shifts 64 bits. */
void lower_shf(struct lower *lo) {
    bool right = mods_has_extra(&lo->mods, PTX_W_r), left = mods_has_extra(&lo->mods, PTX_W_l);
    bool wrap = mods_has_extra(&lo->mods, PTX_W_wrap),
         clamp = mods_has_extra(&lo->mods, PTX_W_clamp);
    if (!operands(lo, 4, 4)) return;
    if (left == right || wrap == clamp || lo->mods.ty[0].bits != 32) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), u32), b = src1(lo, opd(lo, 2), u32);
    struct lir_src by = src1(lo, opd(lo, 3), u32);
    struct dest d = dst(lo, opd(lo, 0), u32);
    if (by.kind == MIR_SRC_IMM) {
        by.value = wrap ? by.value & 31 : by.value > 32 ? 32 : by.value;
    } else if (wrap) {
        by = lop3(lo, LUT_A & LUT_B, by, lir_imm(31), RZ_SRC);
    } else {
        lir_vreg n = tmp(lo);
        emit2(lo, MIR_IMNMX, n, by, lir_imm(32))->m.type = MIR_U32;
        by = lir_reg(n);
    }
    shift(lo, d.word, a, by, b, MIR_U64, right ? MIR_RIGHT : MIR_HI);
    finish(lo, &d);
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Emits d = op(a) as U32. @return d, a new register. */
static lir_vreg unary(struct lower *lo, unsigned op, struct lir_src a) {
    lir_vreg d = tmp(lo);
    emit1(lo, op, d, a)->m.type = MIR_U32;
    return d;
}

/* popc: ones of 32 or 64 bits, as a 32-bit count. */
void lower_popc(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2)) return;
    if (t.cls != TY_B || t.bits < 32 || t.bits > 64) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), u32);
    if (t.bits == 64) {
        lir_vreg l = unary(lo, MIR_POPC, a.w[0]), h = unary(lo, MIR_POPC, a.w[1]);
        emit3(lo, MIR_IADD3, d.word, lir_reg(l), lir_reg(h), RZ_SRC);
    } else {
        emit1(lo, MIR_POPC, d.word, a.w[0])->m.type = MIR_U32;
    }
    finish(lo, &d);
}

/* Emits the position of the leading one of 64 bits within its half, or -1. *high is set to a new
 * predicate, true where the upper half holds it. @return a new register. */
static lir_vreg leading_half(struct lower *lo, const struct value *a, uint32_t *high) {
    struct value h = value_of_word(a->w[1]), zero = value_of_word(RZ_SRC);
    *high = compare_int(lo, MIR_CMP_NE, false, &h, &zero);
    lir_vreg half = tmp(lo);
    emit2(lo, MIR_SEL, half, a->w[1], a->w[0])->psrc[0] = lir_p(*high);
    return unary(lo, MIR_FLO, lir_reg(half));
}

/* clz: 31 - position of the leading one, plus 32 if the upper half of 64 bits is 0. */
void lower_clz(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2)) return;
    if (t.cls != TY_B || t.bits < 32 || t.bits > 64) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), u32);
    if (t.bits == 64) {
        uint32_t high;
        lir_vreg f = leading_half(lo, &a, &high), base = tmp(lo);
        struct lir_inst *in = emit2(lo, MIR_SEL, base, RZ_SRC, lir_imm(32));
        in->psrc[0] = lir_p(high);
        emit3(lo, MIR_IADD3, d.word, lir_neg(lir_reg(f)), lir_imm(31), lir_reg(base));
    } else { /* FLO returns -1 for 0, so the result is 32 */
        lir_vreg f = unary(lo, MIR_FLO, a.w[0]);
        emit3(lo, MIR_IADD3, d.word, lir_neg(lir_reg(f)), lir_imm(31), RZ_SRC);
    }
    finish(lo, &d);
}

/* bfind: the position of the leading one (signed: of the leading bit unlike the sign), or -1.
 * .shiftamt: the shift that brings it to the top. */
void lower_bfind(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    bool amount = mods_has_extra(&lo->mods, PTX_W_shiftamt);
    if (!operands(lo, 2, 2)) return;
    if (lo->mods.n_extra > amount || ty_is_float(t) || t.bits < 32) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), u32);
    lir_vreg f = tmp(lo);
    if (ty_is_signed(t)) { /* find the leading bit that differs from the sign */
        lir_vreg s = tmp(lo);
        shift(lo, s, a.w[a.n - 1], lir_imm(31), RZ_SRC, MIR_S32, MIR_RIGHT);
        for (unsigned k = 0; k < a.n; k++)
            a.w[k] = lop3(lo, LUT_A ^ LUT_B, a.w[k], lir_reg(s), RZ_SRC);
    }
    if (t.bits == 64) {
        uint32_t high;
        lir_vreg half = leading_half(lo, &a, &high), base = tmp(lo);
        emit2(lo, MIR_SEL, base, lir_imm(32), RZ_SRC)->psrc[0] = lir_p(high);
        emit3(lo, MIR_IADD3, f, lir_reg(half), lir_reg(base), RZ_SRC);
    } else {
        emit1(lo, MIR_FLO, f, a.w[0])->m.type = MIR_U32;
    }
    if (amount) { /* -1 stays -1 */
        struct value fv = value_of_word(lir_reg(f)), none = value_of_word(lir_imm(UINT32_MAX));
        uint32_t p = compare_int(lo, MIR_CMP_EQ, false, &fv, &none);
        lir_vreg n = tmp(lo);
        emit3(lo, MIR_IADD3, n, lir_neg(lir_reg(f)), lir_imm(t.bits - 1), RZ_SRC);
        emit2(lo, MIR_SEL, d.word, lir_reg(f), lir_reg(n))->psrc[0] = lir_p(p);
    } else {
        emit1(lo, MIR_MOV, d.word, lir_reg(f));
    }
    finish(lo, &d);
}

/* brev: the bits of 32 or 64 bits in reverse order. */
void lower_brev(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2)) return;
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    if (t.bits == 64) {
        /* into temporaries: d may be a */
        lir_vreg l = unary(lo, MIR_BREV, a.w[1]), h = unary(lo, MIR_BREV, a.w[0]);
        emit1(lo, MIR_MOV, d.word, lir_reg(l));
        emit1(lo, MIR_MOV, d.word + 1, lir_reg(h));
    } else {
        emit1(lo, MIR_BREV, d.word, a.w[0])->m.type = MIR_U32;
    }
    finish(lo, &d);
}

/* ---- bit fields ----------------------------------------------------------------------------- */

/* Emits d = the low `bits` bits of a, extended to 32 bits. */
static void extend_bits(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src bits,
                        bool is_signed) {
    emit2(lo, MIR_SGXT, d, a, bits)->m.type = is_signed ? MIR_S32 : MIR_U32;
}

/* max(64 - n, 0); emits code unless n is a constant. */
static struct lir_src complement64(struct lower *lo, struct lir_src n) {
    if (n.kind == MIR_SRC_IMM) return lir_imm(n.value > 64 ? 0 : 64 - n.value);
    lir_vreg m = tmp(lo), c = tmp(lo);
    emit2(lo, MIR_IMNMX, m, n, lir_imm(64))->m.type = MIR_U32;
    emit3(lo, MIR_IADD3, c, lir_neg(lir_reg(m)), lir_imm(64), RZ_SRC);
    return lir_reg(c);
}

/* bfe d, a, at, n: bits [at, at + n) of a, extended. Amounts count modulo 256. */
void lower_bfe(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    bool is_signed = ty_is_signed(t);
    if (!operands(lo, 4, 4)) return;
    if (t.bits < 32 || t.bits > 64 || ty_is_float(t)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t);
    struct lir_src at = low_byte(lo, src1(lo, opd(lo, 2), u32));
    struct lir_src n = low_byte(lo, src1(lo, opd(lo, 3), u32));
    struct dest d = dst(lo, opd(lo, 0), t);
    if (t.bits == 32) {
        lir_vreg s = tmp(lo);
        shift(lo, s, a.w[0], at, RZ_SRC, is_signed ? MIR_S32 : MIR_U32, MIR_RIGHT);
        extend_bits(lo, d.word, lir_reg(s), n, is_signed);
    } else { /* shift the field up to the top, then down */
        lir_vreg s = tmp_pair(lo), u = tmp_pair(lo);
        struct lir_src c = complement64(lo, n);
        shift_right64(lo, s, &a, at, is_signed);
        struct value sv = value_of_pair(s);
        shift_left64(lo, u, &sv, c);
        struct value uv = value_of_pair(u);
        shift_right64(lo, d.word, &uv, c, is_signed);
    }
    finish(lo, &d);
}

/* bfi d, a, b, at, n: b with its bits [at, at + n) replaced by the low bits of a. */
void lower_bfi(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 5, 5)) return;
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
    struct lir_src at = low_byte(lo, src1(lo, opd(lo, 3), u32));
    struct lir_src n = low_byte(lo, src1(lo, opd(lo, 4), u32));
    struct dest d = dst(lo, opd(lo, 0), t);
    enum { MERGE = (LUT_A & LUT_B) | (~LUT_A & LUT_C & 0xff) }; /* mask ? shifted : b */
    if (t.bits == 32) {
        lir_vreg mask = tmp(lo), s = tmp(lo);
        emit2(lo, MIR_BMSK, mask, at, n);
        shift(lo, s, a.w[0], at, RZ_SRC, MIR_U32, 0);
        emit3(lo, MIR_LOP3, d.word, lir_reg(mask), lir_reg(s), b.w[0])->m.sub = MERGE;
    } else {
        lir_vreg ones = tmp_pair(lo), mask = tmp_pair(lo), s = tmp_pair(lo);
        struct value all = value_imm64(UINT64_MAX);
        shift_right64(lo, ones, &all, complement64(lo, n), false);
        struct value ov = value_of_pair(ones);
        shift_left64(lo, mask, &ov, at);
        shift_left64(lo, s, &a, at);
        for (unsigned k = 0; k < 2; k++)
            emit3(lo, MIR_LOP3, d.word + k, lir_reg(mask + k), lir_reg(s + k), b.w[k])->m.sub =
                MERGE;
    }
    finish(lo, &d);
}

/* Sets *wrap. Reports modifiers other than exactly one of .wrap and .clamp. @return false:
 * reported. */
static bool one_of(struct lower *lo, bool *wrap) {
    *wrap = mods_has_extra(&lo->mods, PTX_W_wrap);
    if (lo->mods.n_extra == 1 && (*wrap || mods_has_extra(&lo->mods, PTX_W_clamp))) return true;
    lower_unsupported(lo, "%s", "");
    return false;
}

/* bmsk d, a, b: a mask of b ones from bit a on. */
void lower_bmsk(struct lower *lo) {
    bool wrap;
    if (!operands(lo, 3, 3) || !one_of(lo, &wrap)) return;
    struct lir_src a = src1(lo, opd(lo, 1), u32), b = src1(lo, opd(lo, 2), u32);
    struct dest d = dst(lo, opd(lo, 0), u32);
    struct lir_inst *in = emit2(lo, MIR_BMSK, d.word, a, b);
    if (wrap) in->m.flags |= MIR_WRAP;
    finish(lo, &d);
}

/* szext d, a, n: the low n bits of a, extended. */
void lower_szext(struct lower *lo) {
    bool wrap;
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 3, 3) || !one_of(lo, &wrap)) return;
    struct lir_src a = src1(lo, opd(lo, 1), t), b = src1(lo, opd(lo, 2), u32);
    struct dest d = dst(lo, opd(lo, 0), t);
    if (wrap) b = lop3(lo, LUT_A & LUT_B, b, lir_imm(31), RZ_SRC);
    extend_bits(lo, d.word, a, b, ty_is_signed(t));
    finish(lo, &d);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* prmt d, a, b, selector: four bytes of b:a; a mode such as .f4e becomes m.sub. */
void lower_prmt(struct lower *lo) {
    static const ptx_word mode[] = {PTX_W_NONE, PTX_W_f4e, PTX_W_b4e, PTX_W_rc8,
                                    PTX_W_ecl,  PTX_W_ecr, PTX_W_rc16};
    unsigned sub = 0;
    if (!operands(lo, 4, 4)) return;
    for (unsigned i = 1; i < sizeof mode / sizeof *mode; i++)
        if (mods_has_extra(&lo->mods, mode[i])) sub = i;
    if (lo->mods.n_extra > (sub != 0)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), u32), b = src1(lo, opd(lo, 2), u32);
    struct lir_src selector = src1(lo, opd(lo, 3), u32);
    struct dest d = dst(lo, opd(lo, 0), u32);
    emit3(lo, MIR_PRMT, d.word, a, selector, b)->m.sub = (uint8_t)sub;
    finish(lo, &d);
}
