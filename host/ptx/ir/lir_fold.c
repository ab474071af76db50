/* lir_fold.c - constant folding: instructions whose result is known, or that need no computation.
 * lir_propagate calls lir_fold for each instruction.
 *
 * Each fold_* function handles one operation. It reads the operands and, for constants, their
 * definitions (lir_analyze); it changes `in` in place, mostly into a MOV under the same guard, and
 * returns whether it did. Only fold_carry inserts an instruction.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"

#include <math.h>
#include <string.h>

/* @return operand i is an immediate, or a register with an immediate as its only definition; *v is
 * its value with modifiers applied. */
static bool constant(const struct lir_fn *fn, const struct lir_inst *in, unsigned i, uint32_t *v) {
    const struct mir_src *s = &in->m.src[i];
    if (s->kind == MIR_SRC_IMM) {
        *v = s->value;
    } else if (s->kind == MIR_SRC_REG && in->src[i] == 0) {
        *v = 0;
    } else if (s->kind == MIR_SRC_REG) {
        const struct lir_inst *d = lir_def_of(fn, in->src[i], 1);
        if (!d || d->m.op != MIR_MOV || d->m.src[0].kind != MIR_SRC_IMM || d->m.src[0].mods)
            return false;
        *v = d->m.src[0].value;
    } else {
        return false;
    }
    if (s->mods & MIR_SRC_NOT) *v = ~*v;
    if (s->mods & MIR_SRC_NEG) *v = -*v;
    return !(s->mods & MIR_SRC_ABS);
}

/* Makes `in` a MOV of `s` into the same vreg, under the same guard. @return true */
static bool to_mov(struct lir_inst *in, struct lir_src s) {
    lir_vreg d = in->dst;
    lir_pref guard = in->guard;
    lir_reset(in, MIR_MOV);
    in->guard = guard;
    lir_set_dst(in, d);
    lir_set_src(in, 0, s);
    return true;
}

/* The result of SHF `in` on the low word a, by n bits. */
static uint32_t shifted(const struct lir_inst *in, uint32_t a, uint32_t n) {
    if (in->m.flags & MIR_WRAP) n &= 31;
    bool big = n > 31;
    if (!(in->m.flags & MIR_RIGHT)) return big ? 0 : a << n;
    if (in->m.type == MIR_S32) { /* copies of the sign come in from the left */
        uint32_t by = big ? 31 : n, sign = 0 - (a >> 31);
        return a >> by | sign << 1 << (31 - by);
    }
    return big ? 0 : a >> n;
}

/* The result of PRMT: four bytes of a and c that `sel` selects; bit 3 of a selector replicates the
 * sign. */
static uint32_t permuted(uint32_t a, uint32_t sel, uint32_t c) {
    uint64_t bytes = (uint64_t)c << 32 | a;
    uint32_t d = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t s = sel >> 4 * i & 15;
        uint32_t b = (uint32_t)(bytes >> 8 * (s & 7)) & 0xff;
        if (s & 8) b = b & 0x80 ? 0xff : 0;
        d |= b << 8 * i;
    }
    return d;
}

/* Constant inputs of all zeros or ones go into the table; a table of one input becomes a copy. */
static bool fold_lop3(const struct lir_fn *fn, struct lir_inst *in) {
    static const unsigned var[3] = {0xf0, 0xcc, 0xaa}, shift[3] = {4, 2, 1};
    unsigned t = in->m.sub;
    uint32_t v[3];
    bool known[3], all = true, changed = false;
    if (in->pdst[0]) return false;
    for (unsigned i = 0; i < 3; i++) all &= known[i] = constant(fn, in, i, &v[i]);
    if (all) {
        uint32_t d = 0;
        for (unsigned bit = 0; bit < 32; bit++) {
            unsigned row = (v[0] >> bit & 1) << 2 | (v[1] >> bit & 1) << 1 | (v[2] >> bit & 1);
            d |= (uint32_t)(t >> row & 1) << bit;
        }
        return to_mov(in, lir_imm(d));
    }
    for (unsigned i = 0; i < 3; i++) {
        bool looks = ((t & var[i]) >> shift[i]) != (t & ~var[i] & 0xff);
        if (known[i] && looks && (v[i] == 0 || v[i] == UINT32_MAX)) {
            unsigned keep = v[i] ? t & var[i] : t & ~var[i];
            t = (v[i] ? keep | keep >> shift[i] : keep | keep << shift[i]) & 0xff;
            looks = false;
        }
        if (!looks && !(in->m.src[i].kind == MIR_SRC_REG && in->src[i] == 0)) {
            lir_set_src(in, i, RZ_SOURCE);
            changed = true;
        }
    }
    changed |= t != in->m.sub;
    in->m.sub = (uint8_t)t;
    if (t == 0 || t == 0xff) return to_mov(in, t ? lir_imm(UINT32_MAX) : RZ_SOURCE);
    for (unsigned i = 0; i < 3; i++)
        if (t == var[i] && !in->m.src[i].mods) return to_mov(in, lir_get_src(in, i));
    /* a register in operand 1 moves to operand 0 if the table ignores that */
    bool uses_a = ((t & 0xf0) >> 4) != (t & 0x0f);
    if (!uses_a && in->m.src[1].kind == MIR_SRC_REG && in->src[1]) return lir_swap(in) || changed;
    return changed;
}

/* A sum whose carry is known to be 0, of constants or of one operand with zeros: becomes a MOV; a
 * PLOP3 before it writes the carry predicate. */
static bool fold_carry(struct lir_fn *fn, struct lir_inst *in) {
    uint32_t v[3];
    uint64_t sum = 0;
    struct lir_src result;
    unsigned live = 0, last = 0;
    if (in->pdst[1] || in->m.flags & MIR_X || in->guard != LIR_PT || in->dst == 0) return false;
    for (unsigned i = 0; i < 3; i++) {
        if (in->m.src[i].mods) return false; /* -0 and ~0 + 1 carry */
        if (constant(fn, in, i, &v[i])) {
            sum += v[i];
        } else {
            live++;
            last = i;
        }
    }
    /* a carry known to be 1 cannot be expressed: as a carry, PT means none */
    if (live > 1 || (live && sum) || sum >> 32) return false;
    result = live ? lir_get_src(in, last) : lir_imm((uint32_t)sum);
    struct lir_inst *carry = lir_new_before(fn, in, MIR_PLOP3);
    carry->m.sub = 0xf0;
    carry->pdst[0] = in->pdst[0];
    carry->psrc[0] = LIR_NOT_PT;
    return to_mov(in, result);
}

/* Sums of constants, sums with zeros, and carries known to be 0. */
static bool fold_iadd3(struct lir_fn *fn, struct lir_inst *in) {
    uint32_t v[3], sum = 0;
    unsigned live = 0, last = 0;
    if (in->pdst[0]) return fold_carry(fn, in);
    if (in->pdst[1]) return false;
    if (in->m.flags & MIR_X) {
        /* without a carry it is a plain sum */
        if (in->psrc[0] != LIR_NOT_PT || in->psrc[1] != LIR_NOT_PT) return false;
        in->m.flags &= (uint16_t)~MIR_X;
        in->psrc[0] = in->psrc[1] = LIR_PT;
        return true;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (constant(fn, in, i, &v[i])) {
            sum += v[i];
        } else {
            live++;
            last = i;
        }
    }
    if (live == 0) return to_mov(in, lir_imm(sum));
    if (live == 1 && sum == 0 && !in->m.src[last].mods) return to_mov(in, lir_get_src(in, last));
    return false;
}

/* Products of constants, with 0 and with 1 (which becomes a sum). */
static bool fold_imad(const struct lir_fn *fn, struct lir_inst *in) {
    uint32_t a = 0, b = 0, c = 0;
    bool ka = constant(fn, in, 0, &a), kb = constant(fn, in, 1, &b), kc = constant(fn, in, 2, &c);
    if (in->m.flags & (MIR_HI | MIR_WIDE | MIR_X)) return false;
    if (ka && kb && kc) return to_mov(in, lir_imm(a * b + c));
    if ((ka && a == 0) || (kb && b == 0)) {
        if (in->m.src[2].mods) return false;
        return to_mov(in, lir_get_src(in, 2));
    }
    if (kb && b == 1 && in->m.src[0].kind == MIR_SRC_REG) {
        struct lir_src x = lir_get_src(in, 0), z = lir_get_src(in, 2);
        lir_vreg d = in->dst;
        lir_pref guard = in->guard;
        lir_reset(in, MIR_IADD3);
        in->guard = guard;
        lir_set_dst(in, d);
        lir_set_src(in, 0, x);
        lir_set_src(in, 1, z);
        lir_set_src(in, 2, RZ_SOURCE);
        return true;
    }
    return false;
}

/* The integer comparison of `in`, on constants. */
static bool compare_constants(const struct lir_inst *in, uint32_t a, uint32_t b) {
    bool less = in->m.type == MIR_S32 ? (int32_t)a < (int32_t)b : a < b;
    switch (in->m.cmp) {
    case MIR_CMP_LT: return less;
    case MIR_CMP_LE: return less || a == b;
    case MIR_CMP_GT: return !less && a != b;
    case MIR_CMP_GE: return !less;
    case MIR_CMP_EQ: return a == b;
    case MIR_CMP_NE: return a != b;
    default: return in->m.cmp == MIR_CMP_T;
    }
}

/* What operand i can be: value[0] where *p is true, value[1] where it is not. Of a constant both
 * are the same, and *p stays. @return false: it is neither a constant nor a SEL of constants */
static bool two_values(const struct lir_fn *fn, const struct lir_inst *in, unsigned i,
                       uint32_t value[2], lir_pref *p) {
    if (constant(fn, in, i, &value[0])) {
        value[1] = value[0];
        return true;
    }
    if (in->m.src[i].kind != MIR_SRC_REG || in->m.src[i].mods) return false;
    const struct lir_inst *def = lir_def_of(fn, in->src[i], 1);
    if (!def || def->m.op != MIR_SEL || !constant(fn, def, 0, &value[0]) ||
        !constant(fn, def, 1, &value[1]))
        return false;
    *p = def->psrc[0];
    return !(*p >> 1) || lir_pred_info(fn, *p >> 1)->single;
}

/* A comparison of constants, or of a constant with one of two by a predicate: becomes a PLOP3 that
 * writes true, false, the predicate or its opposite. */
static bool fold_isetp(const struct lir_fn *fn, struct lir_inst *in) {
    uint32_t a[2], b[2];
    lir_pref pa = LIR_PT, pb = LIR_PT;
    if ((in->m.flags & MIR_EX) || in->pdst[1] || in->psrc[0] != LIR_PT || in->m.bop != MIR_AND)
        return false;
    if (!two_values(fn, in, 0, a, &pa) || !two_values(fn, in, 1, b, &pb)) return false;
    if (pa != LIR_PT && pb != LIR_PT) return false;
    const lir_pref p = pa == LIR_PT ? pb : pa;
    const bool if_true = compare_constants(in, a[0], b[0]);
    const bool if_false = compare_constants(in, a[1], b[1]);
    uint32_t d = in->pdst[0];
    lir_pref guard = in->guard;
    lir_reset(in, MIR_PLOP3);
    in->guard = guard;
    in->m.sub = 0xf0;
    in->pdst[0] = d;
    in->psrc[0] = if_true == if_false ? (if_true ? LIR_PT : LIR_NOT_PT)
                                      : (if_true ? p : lir_pnot(p));
    return true;
}

/* An f32, given by its bits, as a 32-bit integer: saturating, NaN gives 0. */
static uint32_t float_to_int(uint32_t bits, bool is_signed, mir_round round) {
    float f;
    memcpy(&f, &bits, sizeof f);
    double x = f, least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    if (isnan(x)) return 0;
    switch (round) {
    case MIR_ROUND_NEAREST: x = rint(x); break; /* the host's mode is nearest even */
    case MIR_ROUND_ZERO: x = trunc(x); break;
    case MIR_ROUND_DOWN: x = floor(x); break;
    default: x = ceil(x); break;
    }
    x = x < least ? least : x > most ? most : x;
    return is_signed ? (uint32_t)(int32_t)x : (uint32_t)x;
}

/* F2I and I2F between f32 and 32-bit integers. */
static bool fold_conversion(const struct lir_fn *fn, struct lir_inst *in) {
    bool to_int = in->m.op == MIR_F2I;
    unsigned type = to_int ? in->m.type : in->m.type2, other = to_int ? in->m.type2 : in->m.type;
    uint32_t a, bits;
    if ((type != MIR_S32 && type != MIR_U32) || other != MIR_F32 || in->m.src[0].mods ||
        in->m.flags || in->m.type == in->m.type2 || !constant(fn, in, 0, &a))
        return false;
    if (to_int) return to_mov(in, lir_imm(float_to_int(a, type == MIR_S32, in->m.round)));
    if (in->m.round != MIR_ROUND_NEAREST) return false;
    float f = type == MIR_S32 ? (float)(int32_t)a : (float)a;
    memcpy(&bits, &f, sizeof bits);
    return to_mov(in, lir_imm(bits));
}

/* Replaces `in` by a simpler instruction, in place, if its result is known or needs no computation.
 * Dispatches on the operation; simple operations are folded here. Needs lir_analyze. @return `in`
 * changed */
bool lir_fold(struct lir_fn *fn, struct lir_inst *in) {
    uint32_t a = 0, b = 0, c = 0;
    switch (in->m.op) {
    case MIR_LOP3: return fold_lop3(fn, in);
    case MIR_IADD3: return fold_iadd3(fn, in);
    case MIR_IMAD: return fold_imad(fn, in);
    case MIR_F2I:
    case MIR_I2F: return fold_conversion(fn, in);
    case MIR_IABS:
        if (in->m.src[0].mods || !constant(fn, in, 0, &a)) return false;
        return to_mov(in, lir_imm(a >> 31 ? 0 - a : a));
    case MIR_ISETP: return fold_isetp(fn, in);
    case MIR_SHF:
        if (in->m.type != MIR_U32 && in->m.type != MIR_S32) return false;
        if (!constant(fn, in, 1, &b)) return false;
        if (constant(fn, in, 0, &a)) return to_mov(in, lir_imm(shifted(in, a, b)));
        if (b == 0 && !in->m.src[0].mods) return to_mov(in, lir_get_src(in, 0));
        return false;
    case MIR_PRMT:
        if (in->m.sub || !constant(fn, in, 1, &b)) return false;
        if (constant(fn, in, 0, &a) && constant(fn, in, 2, &c))
            return to_mov(in, lir_imm(permuted(a, b, c)));
        if ((b & 0xffff) == 0x3210) return to_mov(in, lir_get_src(in, 0));
        return false;
    case MIR_BAR: /* a constant barrier number becomes part of the instruction */
        if (in->m.src[0].kind == MIR_SRC_NONE || !constant(fn, in, 0, &a)) return false;
        in->m.imm = (int32_t)a;
        lir_set_src(in, 0, (struct lir_src){.kind = MIR_SRC_NONE});
        return true;
    case MIR_SGXT:
        if (!constant(fn, in, 0, &a) || !constant(fn, in, 1, &b)) return false;
        b = b > 32 ? 32 : b;
        a = b ? a << (32 - b) : 0;
        if (b == 0) return to_mov(in, RZ_SOURCE);
        return to_mov(in, lir_imm(in->m.type == MIR_S32 ? (uint32_t)((int32_t)a >> (32 - b))
                                                        : a >> (32 - b)));
    case MIR_BMSK:
        if (!constant(fn, in, 0, &a) || !constant(fn, in, 1, &b) || (in->m.flags & MIR_WRAP))
            return false;
        a = a > 32 ? 32 : a;
        b = b > 32 ? 32 : b;
        return to_mov(in, lir_imm((uint32_t)(((UINT64_C(1) << b) - 1) << a)));
    case MIR_SEL:
    case MIR_FSEL:
        if (in->m.src[0].mods || in->m.src[1].mods) return false;
        if (!(in->psrc[0] >> 1)) return to_mov(in, lir_get_src(in, in->psrc[0] & 1));
        if (in->m.src[0].kind == in->m.src[1].kind && in->src[0] == in->src[1] &&
            in->m.src[0].value == in->m.src[1].value && in->m.src[0].bank == in->m.src[1].bank)
            return to_mov(in, lir_get_src(in, 0));
        return false;
    default: return false;
    }
}
