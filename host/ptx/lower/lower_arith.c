/* lower_arith.c - values word by word, and integer arithmetic for all families of instructions.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). These functions report no errors and
 * ignore lo->guard: their instructions are unguarded. The contracts of the exported ones stand in
 * lower.h; `d:` is the pair of words d, d + 1. */
#include "ptx/lower/lower.h"

/* ---- values --------------------------------------------------------------------------------- */

struct value value_of_word(struct lir_src s) {
    return (struct value){.w = {s}, .n = 1};
}

struct value value_of_pair(lir_vreg w) {
    return (struct value){.w = {lir_reg(w), lir_reg(w + 1)}, .n = 2};
}

struct value value_imm64(uint64_t bits) {
    return (struct value){.w = {lir_imm((uint32_t)bits), lir_imm((uint32_t)(bits >> 32))}, .n = 2};
}

/* Emits moves of the words of v to d, d + 1, ... */
void move_value(struct lower *lo, lir_vreg d, const struct value *v) {
    for (unsigned i = 0; i < v->n; i++) emit1(lo, MIR_MOV, d + i, v->w[i]);
}

/* One source for a value of 2 or 4 words. Emits no code for adjacent registers, adjacent words
 * of a constant bank, or zeros; else moves to a new group. */
struct lir_src as_group(struct lower *lo, const struct value *v) {
    const struct lir_src *w = v->w;
    if (v->n == 1) return w[0];
    bool regs = true, consts = true, zeros = true;
    for (unsigned i = 0; i < v->n; i++) {
        regs &= w[i].kind == MIR_SRC_REG && w[i].value != 0 && w[i].value == w[0].value + i &&
                !w[i].mods;
        consts &= w[i].kind == MIR_SRC_CONST && w[i].bank == w[0].bank &&
                  w[i].value == w[0].value + 4 * i && !w[i].mods;
        zeros &= (w[i].kind == MIR_SRC_IMM || w[i].kind == MIR_SRC_REG) && w[i].value == 0;
    }
    /* adjacent words of one group, aligned as a pair or quad must be */
    if (regs && lo->fn->group[w[0].value] == lo->fn->group[w[0].value + v->n - 1] &&
        (w[0].value - lo->fn->group[w[0].value]) % v->n == 0)
        return w[0];
    if (consts && w[0].value % (4 * v->n) == 0) return w[0];
    if (zeros) return RZ_SRC;
    lir_vreg g = lir_new_vregs(lo->fn, v->n);
    move_value(lo, g, v);
    return lir_reg(g);
}

/* Emits an extension (bits: 8 or 16) even if the word is extended already: lir_combine sees all
 * definitions and removes those that are not needed. A constant is extended without code. */
struct lir_src extend(struct lower *lo, struct lir_src s, unsigned bits, bool is_signed) {
    if (bits >= 32) return s;
    if (s.kind == MIR_SRC_IMM) {
        uint32_t low = s.value << (32 - bits);
        return lir_imm(is_signed ? (uint32_t)((int32_t)low >> (32 - bits)) : low >> (32 - bits));
    }
    lir_vreg d = tmp(lo);
    if (is_signed) { /* replicate the sign byte */
        emit3(lo, MIR_PRMT, d, s, lir_imm(bits == 8 ? 0x8880 : 0x9910), RZ_SRC);
    } else {
        struct lir_inst *in = emit3(lo, MIR_LOP3, d, s, lir_imm(bits == 8 ? 0xff : 0xffff), RZ_SRC);
        in->m.sub = LUT_A & LUT_B;
    }
    return lir_reg(d);
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* Emits a LOP3 with this truth table. @return a new register. */
struct lir_src lop3(struct lower *lo, unsigned table, struct lir_src a, struct lir_src b,
                    struct lir_src c) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_LOP3, d, a, b, c)->m.sub = (uint8_t)table;
    return lir_reg(d);
}

/* ---- 64-bit arithmetic ---------------------------------------------------------------------- */

/* Emits d: = a: + b:. Puts an immediate second. One that is the sign extension of 32 bits stays
 * an operand; others go through as_group(). */
void add64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b) {
    const struct value *x = a, *y = b;
    if (x->w[0].kind == MIR_SRC_IMM) {
        x = b;
        y = a;
    }
    struct lir_src right = RZ_SRC;
    bool imm = y->w[0].kind == MIR_SRC_IMM && y->w[1].kind == MIR_SRC_IMM;
    int64_t v = imm ? (int64_t)((uint64_t)y->w[1].value << 32 | y->w[0].value) : 0;
    if (imm && v == (int32_t)v)
        right = lir_imm((uint32_t)v); /* sign-extended by the operation */
    else
        right = as_group(lo, y);
    emit2(lo, LIR_ADD64, d, as_group(lo, x), right);
}

/* d: = a: - b:, as a: + ~b: + 1: the carry of the low half is "no borrow". */
void sub64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b) {
    uint32_t p = lir_new_pred(lo->fn);
    struct lir_inst *in = emit3(lo, MIR_IADD3, d, a->w[0], lir_neg(b->w[0]), RZ_SRC);
    in->pdst[0] = p;
    struct lir_src nb = b->w[1];
    nb.mods ^= MIR_SRC_NOT;
    in = emit3(lo, MIR_IADD3, d + 1, a->w[1], nb, RZ_SRC);
    in->m.flags |= MIR_X;
    in->psrc[0] = lir_p(p);
    in->psrc[1] = LIR_NOT_PT;
}

/* d: = -a:. */
void negate64(struct lower *lo, lir_vreg d, const struct value *a) {
    struct value zero = value_imm64(0);
    zero.w[0] = zero.w[1] = RZ_SRC;
    sub64(lo, d, &zero, a);
}

/* d: = a * b + c:, 32-bit factors. */
struct lir_inst *imad_wide(struct lower *lo, lir_vreg d, bool is_signed, struct lir_src a,
                           struct lir_src b, struct lir_src c) {
    struct lir_inst *in = emit3(lo, MIR_IMAD, d, a, b, c);
    in->m.flags |= MIR_WIDE;
    in->m.type = is_signed ? MIR_S32 : MIR_U32;
    return in;
}

/* d = (high word of a * b) + c. */
struct lir_inst *imad_high(struct lower *lo, lir_vreg d, bool is_signed, struct lir_src a,
                           struct lir_src b, struct lir_src c) {
    struct lir_inst *in = emit3(lo, MIR_IMAD, d, a, b, c);
    in->m.flags |= MIR_HI;
    in->m.type = is_signed ? MIR_S32 : MIR_U32;
    return in;
}

/* d = low word of a * b + c. */
struct lir_inst *imad_low(struct lower *lo, lir_vreg d, struct lir_src a, struct lir_src b,
                          struct lir_src c) {
    struct lir_inst *in = emit3(lo, MIR_IMAD, d, a, b, c);
    in->m.type = MIR_U32;
    return in;
}

/* d: = the low 64 bits of a: * b:, from one wide product of the low words and two low products
 * for the upper word. */
void multiply64(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b) {
    lir_vreg p = tmp_pair(lo), t = tmp(lo);
    imad_wide(lo, p, false, a->w[0], b->w[0], RZ_SRC);
    imad_low(lo, t, a->w[0], b->w[1], lir_reg(p + 1));
    emit1(lo, MIR_MOV, d, lir_reg(p));
    imad_low(lo, d + 1, a->w[1], b->w[0], lir_reg(t));
}

/* Emits moves of low and high to a new pair. @return the pair. */
static lir_vreg pair_of(struct lower *lo, struct lir_src low, struct lir_src high) {
    lir_vreg p = tmp_pair(lo);
    emit1(lo, MIR_MOV, p, low);
    emit1(lo, MIR_MOV, p + 1, high);
    return p;
}

/* d: = the high 64 bits of a: * b:. Schoolbook: three partial products, each with the carry word
 * of the one before. */
void multiply64_high(struct lower *lo, bool is_signed, lir_vreg d, const struct value *a,
                     const struct value *b) {
    lir_vreg p0 = tmp_pair(lo), p1 = tmp_pair(lo), p2 = tmp_pair(lo), p3 = tmp_pair(lo);
    imad_wide(lo, p0, false, a->w[0], b->w[0], RZ_SRC);
    imad_wide(lo, p1, false, a->w[0], b->w[1], lir_reg(pair_of(lo, lir_reg(p0 + 1), RZ_SRC)));
    imad_wide(lo, p2, false, a->w[1], b->w[0], lir_reg(pair_of(lo, lir_reg(p1), RZ_SRC)));
    imad_wide(lo, p3, false, a->w[1], b->w[1], lir_reg(pair_of(lo, lir_reg(p1 + 1), RZ_SRC)));
    struct value carry = {.w = {lir_reg(p2 + 1), RZ_SRC}, .n = 2}, high = value_of_pair(p3);
    if (!is_signed) {
        add64(lo, d, &high, &carry);
        return;
    }
    /* as unsigned, a negative factor is 2^64 too large: subtract the other one from the high
     * words */
    lir_vreg sum = tmp_pair(lo);
    add64(lo, sum, &high, &carry);
    for (int side = 0; side < 2; side++) {
        const struct value *x = side ? b : a, *y = side ? a : b;
        lir_vreg sign = tmp(lo), m = tmp_pair(lo), rest = side ? d : tmp_pair(lo);
        struct lir_inst *in = emit2(lo, MIR_SHF, sign, x->w[1], lir_imm(31));
        in->m.flags |= MIR_RIGHT;
        in->m.type = MIR_S32;
        for (unsigned k = 0; k < 2; k++)
            emit3(lo, MIR_LOP3, m + k, lir_reg(sign), y->w[k], RZ_SRC)->m.sub = LUT_A & LUT_B;
        struct value s = value_of_pair(sum), mv = value_of_pair(m);
        sub64(lo, rest, &s, &mv);
        sum = rest;
    }
}

/* ---- comparisons ---------------------------------------------------------------------------- */

/* Emits p = a cmp b of 32-bit integers. @return the instruction, to which the caller may add. */
static struct lir_inst *isetp(struct lower *lo, uint32_t p, mir_cmp cmp, bool is_signed,
                              struct lir_src a, struct lir_src b) {
    struct lir_inst *in = emit2(lo, MIR_ISETP, 0, a, b);
    in->m.type = is_signed ? MIR_S32 : MIR_U32;
    in->m.cmp = (uint8_t)cmp;
    in->pdst[0] = p;
    return in;
}

/* Emits p = (a cmp b) bop with, q (unless 0) = !(a cmp b) bop with. 64 bits: compares the low
 * words as unsigned, then the high words; the low result decides if the high words are equal. */
void compare_int_into(struct lower *lo, uint32_t p, uint32_t q, mir_cmp cmp, bool is_signed,
                      const struct value *a, const struct value *b, mir_bool bop, lir_pref with) {
    struct lir_inst *in;
    if (a->n == 2) {
        uint32_t low = lir_new_pred(lo->fn);
        isetp(lo, low, cmp, false, a->w[0], b->w[0]);
        in = isetp(lo, p, cmp, is_signed, a->w[1], b->w[1]);
        in->m.flags |= MIR_EX;
        in->psrc[1] = lir_p(low);
    } else {
        in = isetp(lo, p, cmp, is_signed, a->w[0], b->w[0]);
    }
    in->pdst[1] = q;
    in->m.bop = (uint8_t)bop;
    in->psrc[0] = with;
}

/* Emits a cmp b, 32 or 64 bits. @return a new predicate. */
uint32_t compare_int(struct lower *lo, mir_cmp cmp, bool is_signed, const struct value *a,
                     const struct value *b) {
    uint32_t p = lir_new_pred(lo->fn);
    compare_int_into(lo, p, 0, cmp, is_signed, a, b, MIR_AND, LIR_PT);
    return p;
}
