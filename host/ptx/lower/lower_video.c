/* lower_video.c - handlers of the scalar video instructions (vadd ... vset) and vmad. They emit
 * several instructions each, as ptxas does for GPUs without video instructions.
 *
 * PTX defines the operation on a part of each source: a byte, a half or the word. The result has
 * 34 bits. It is clamped to the part and type of the destination, then combined with a third
 * operand or inserted into it. The code here computes in pairs of words. lower_simd.c lowers the
 * instructions on two halves and four bytes.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. Static helpers that return a
 * source or a value emit code into new registers. `a:` is a pair of words, low word first. */
#include "ptx/lower/lower_video.h"
#include "ptx/lower/lower_short.h"

/* ---- modifiers and operands ----------------------------------------------------------------- */

/* Reads the modifiers of lo->inst into *v; `types` of them must be types. @return false:
 * reported. */
bool video_decode(struct lower *lo, struct video *v, unsigned types) {
    static const char *const compare[] = {"lt", "eq", "le", "gt", "ne", "ge"};
    static const mir_cmp cmp[] = {MIR_CMP_LT, MIR_CMP_EQ, MIR_CMP_LE,
                                  MIR_CMP_GT, MIR_CMP_NE, MIR_CMP_GE};
    *v = (struct video){.second = VIDEO_MERGE, .cmp = MIR_CMP_F};
    unsigned n = 0;
    for (uint32_t i = 0; i < lo->inst->n_mod; i++) {
        const char *w = ptx_words_text(lo->words, lo->inst->mod[i]);
        unsigned k = 0;
        while (k < 6 && strcmp(w, compare[k]) != 0) k++;
        if (k < 6)
            v->cmp = cmp[k];
        else if (n < 3 && (!strcmp(w, "u32") || !strcmp(w, "s32")))
            v->is_signed[n++] = w[0] == 's';
        else if (!strcmp(w, "sat"))
            v->sat = true;
        else if (!strcmp(w, "add"))
            v->second = VIDEO_ADD;
        else if (!strcmp(w, "min"))
            v->second = VIDEO_MIN;
        else if (!strcmp(w, "max"))
            v->second = VIDEO_MAX;
        else if (!strcmp(w, "wrap") || !strcmp(w, "clamp"))
            v->wrap = w[0] == 'w';
        else if (!strcmp(w, "po"))
            v->plus_one = true;
        else if (!strcmp(w, "shr7") || !strcmp(w, "shr15"))
            v->scale = w[3] == '7' ? 7 : 15;
        else
            n = 4;
    }
    if (n == types) return true;
    lower_unsupported(lo, "modifiers other than PTX describes");
    return false;
}

/* The operand without selector and sign. */
static struct ptx_operand plain(const struct ptx_operand *o) {
    struct ptx_operand p = *o;
    p.member = PTX_W_NONE;
    p.negated = false;
    return p;
}

/* The word of source o, without selector and sign. */
struct lir_src video_word(struct lower *lo, const struct ptx_operand *o) {
    struct ptx_operand p = plain(o);
    return src1(lo, &p, u32);
}
/* The destination o; always a temporary, because sources are read after parts are written. */
struct dest video_dest(struct lower *lo, const struct ptx_operand *o) {
    struct ptx_operand p = plain(o);
    struct dest d = dst(lo, &p, u32);
    if (d.real || p.kind == PTX_OPD_SINK) return d;
    d.real = d.word; /* sources are read after parts are written */
    d.word = tmp(lo);
    return d;
}
/* The text after the operand's dot; "" without one. */
const char *video_selector(const struct lower *lo, const struct ptx_operand *o) {
    return o->kind == PTX_OPD_NAME && o->member ? ptx_words_text(lo->words, o->member) : "";
}

/* Emits part i of s, extended to 32 bits. */
struct lir_src video_part(struct lower *lo, struct lir_src s, unsigned bits, unsigned i,
                          bool is_signed) {
    static const uint32_t half[2][2] = {{0x4410, 0x4432}, {0x9910, 0xbb32}};
    lir_vreg d = tmp(lo);
    if (bits == 32) return s;
    uint32_t sign = 8 | i, byte = is_signed ? sign << 12 | sign << 8 | sign << 4 | i : 0x4440 | i;
    emit3(lo, MIR_PRMT, d, s, lir_imm(bits == 8 ? byte : half[is_signed][i]), RZ_SRC);
    return lir_reg(d);
}

/* Emits `into` with its part i replaced by `part`. */
struct lir_src video_insert(struct lower *lo, struct lir_src part, struct lir_src into,
                            unsigned bits, unsigned i) {
    static const uint32_t byte[4] = {0x7650, 0x7604, 0x7054, 0x0654}, half[2] = {0x7610, 0x1054};
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_PRMT, d, part, lir_imm(bits == 8 ? byte[i] : half[i]), into);
    return lir_reg(d);
}

/* Decodes a selector of a scalar instruction: part *i of *bits bits. @return false: reported. */
static bool one_part(struct lower *lo, const char *text, unsigned *bits, unsigned *i) {
    *bits = 32;
    *i = 0;
    if (!*text) return true;
    *bits = text[0] == 'b' ? 8 : 16;
    *i = (unsigned)(text[1] - '0');
    if ((text[0] == 'b' || text[0] == 'h') && text[1] && !text[2] && *i < 32 / *bits) return true;
    lower_error(lo, "a part of a word is .b0 to .b3, .h0 or .h1, not '.%s'", text);
    return false;
}

/* ---- pairs of words ------------------------------------------------------------------------- */

/* Emits SHF: one word of the 64 bits high:low, shifted; type and flags as in MIR. */
static struct lir_src shifted(struct lower *lo, struct lir_src low, struct lir_src by,
                              struct lir_src high, mir_type type, unsigned flags) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit3(lo, MIR_SHF, d, low, by, high);
    in->m.type = (uint8_t)type;
    in->m.flags |= (uint16_t)flags;
    return lir_reg(d);
}
/* Emits a word of sign bits of s. */
static struct lir_src sign_of(struct lower *lo, struct lir_src s) {
    return shifted(lo, s, lir_imm(31), RZ_SRC, MIR_S32, MIR_RIGHT);
}
/* Emits s extended to a pair, by its sign or by zeros. */
static struct value wide(struct lower *lo, struct lir_src s, bool is_signed) {
    return (struct value){.w = {s, is_signed ? sign_of(lo, s) : RZ_SRC}, .n = 2};
}
/* Emits p ? a : b. */
static struct lir_src choose(struct lower *lo, uint32_t p, struct lir_src a, struct lir_src b) {
    lir_vreg d = tmp(lo);
    emit2(lo, MIR_SEL, d, a, b)->psrc[0] = lir_p(p);
    return lir_reg(d);
}
/* Emits p ? a: : b:. */
static struct value choose64(struct lower *lo, uint32_t p, const struct value *a,
                             const struct value *b) {
    return (struct value){.w = {choose(lo, p, a->w[0], b->w[0]), choose(lo, p, a->w[1], b->w[1])},
                          .n = 2};
}
/* Emits max(a:, b:) or min(a:, b:), signed. */
static struct value minmax(struct lower *lo, const struct value *a, const struct value *b,
                           bool max) {
    uint32_t p = compare_int(lo, max ? MIR_CMP_GT : MIR_CMP_LT, true, a, b);
    return choose64(lo, p, a, b);
}
/* Emits a: + b:. */
static struct value sum(struct lower *lo, const struct value *a, const struct value *b) {
    lir_vreg d = tmp_pair(lo);
    add64(lo, d, a, b);
    return value_of_pair(d);
}
/* Emits a: - b:. */
static struct value difference(struct lower *lo, const struct value *a, const struct value *b) {
    lir_vreg d = tmp_pair(lo);
    sub64(lo, d, a, b);
    return value_of_pair(d);
}
/* Emits |a:|. */
static struct value magnitude(struct lower *lo, const struct value *a) {
    struct value zero = value_imm64(0);
    lir_vreg d = tmp_pair(lo);
    negate64(lo, d, a);
    struct value minus = value_of_pair(d);
    return choose64(lo, compare_int(lo, MIR_CMP_LT, true, a, &zero), &minus, a);
}
/* Emits a: << by. */
static struct value shift_left(struct lower *lo, const struct value *a, struct lir_src by) {
    return (struct value){.w = {shifted(lo, a->w[0], by, RZ_SRC, MIR_U32, 0),
                                shifted(lo, a->w[0], by, a->w[1], MIR_U64, MIR_HI)},
                          .n = 2};
}
/* Emits a: >> by, arithmetic. */
static struct value shift_right(struct lower *lo, const struct value *a, struct lir_src by) {
    return (struct value){.w = {shifted(lo, a->w[0], by, a->w[1], MIR_S64, MIR_RIGHT),
                                shifted(lo, a->w[1], by, RZ_SRC, MIR_S32, MIR_RIGHT)},
                          .n = 2};
}

/* Emits the clamp of a: to the range of `bits` bits. */
static struct value clamp(struct lower *lo, const struct value *a, bool is_signed, unsigned bits) {
    int64_t most = (INT64_C(1) << (bits - is_signed)) - 1;
    struct value high = value_imm64((uint64_t)most);
    struct value low = value_imm64(is_signed ? (uint64_t)(-most - 1) : 0);
    struct value x = minmax(lo, a, &high, false);
    return minmax(lo, &x, &low, true);
}

/* ---- the end and the sources of an instruction ---------------------------------------------- */

/* Emits what follows the operation: clamps t, combines it with c or inserts it into c, and writes
 * the destination. */
static void finish_scalar(struct lower *lo, struct value t, const struct video *v, bool is_signed) {
    unsigned bits, i;
    bool third = lo->inst->n_opd == 4;
    const char *part = video_selector(lo, opd(lo, 0));
    if (!one_part(lo, part, &bits, &i)) return;
    if (third != (*part || v->second != VIDEO_MERGE) || (*part && v->second != VIDEO_MERGE)) {
        lower_error(lo, "a third operand goes with .add, .min, .max or a part of the destination");
        return;
    }
    struct lir_src c = third ? video_word(lo, opd(lo, 3)) : RZ_SRC;
    struct dest d = video_dest(lo, opd(lo, 0));
    if (lo->failed) return;
    if (v->sat) {
        t = clamp(lo, &t, is_signed, bits);
    } else if (v->second == VIDEO_MIN || v->second == VIDEO_MAX) { /* 33 bits are kept */
        struct lir_src top = shifted(lo, t.w[1], lir_imm(31), RZ_SRC, MIR_U32, 0);
        t.w[1] = sign_of(lo, top);
    }
    struct lir_src r = t.w[0];
    if (v->second == VIDEO_ADD) {
        lir_vreg w = tmp(lo);
        emit3(lo, MIR_IADD3, w, r, c, RZ_SRC);
        r = lir_reg(w);
    } else if (v->second != VIDEO_MERGE) {
        struct value other = wide(lo, c, is_signed);
        r = minmax(lo, &t, &other, v->second == VIDEO_MAX).w[0];
    } else if (third) {
        r = video_insert(lo, r, c, bits, i);
    }
    emit1(lo, MIR_MOV, d.word, r);
    finish(lo, &d);
}

/* Emits source operand i (1 or 2): its selected part, extended to 64 bits. */
static struct value source(struct lower *lo, unsigned i, bool is_signed) {
    unsigned bits, k;
    if (!one_part(lo, video_selector(lo, opd(lo, i)), &bits, &k)) return value_imm64(0);
    return wide(lo, video_part(lo, video_word(lo, opd(lo, i)), bits, k, is_signed), is_signed);
}

/* ---- the instructions ----------------------------------------------------------------------- */

/* vadd, vsub, vabsdiff, vmin, vmax */
void lower_video(struct lower *lo) {
    struct video v;
    if (!operands(lo, 3, 4) || !video_decode(lo, &v, 3)) return;
    struct value a = source(lo, 1, v.is_signed[1]), b = source(lo, 2, v.is_signed[2]), t;
    if (lo->failed) return;
    switch (lo->inst->op) {
    case PTX_W_vadd: t = sum(lo, &a, &b); break;
    case PTX_W_vsub: t = difference(lo, &a, &b); break;
    case PTX_W_vabsdiff:
        t = difference(lo, &a, &b);
        t = magnitude(lo, &t);
        break;
    default: t = minmax(lo, &a, &b, lo->inst->op == PTX_W_vmax);
    }
    finish_scalar(lo, t, &v, v.is_signed[0]);
}

/* vshl, vshr: the amount is clamped to 32, or with .wrap taken modulo 32 */
void lower_video_shift(struct lower *lo) {
    struct video v;
    if (!operands(lo, 3, 4) || !video_decode(lo, &v, 3)) return;
    struct value a = source(lo, 1, v.is_signed[1]), b = source(lo, 2, false);
    if (v.is_signed[2]) lower_error(lo, "the amount of a shift is .u32");
    if (lo->failed) return;
    struct lir_src by;
    if (v.wrap) {
        by = lop3(lo, LUT_A & LUT_B, b.w[0], lir_imm(31), RZ_SRC);
    } else {
        lir_vreg w = tmp(lo);
        struct lir_inst *in = emit2(lo, MIR_IMNMX, w, b.w[0], lir_imm(32));
        in->m.type = MIR_U32;
        in->psrc[0] = LIR_PT;
        by = lir_reg(w);
    }
    if (lo->inst->op == PTX_W_vshr) {
        finish_scalar(lo, shift_right(lo, &a, by), &v, v.is_signed[0]);
    } else if (!v.sat) {
        finish_scalar(lo, shift_left(lo, &a, by), &v, v.is_signed[0]);
    } else { /* 33 bits shifted by 32 exceed 64: shift by 31, clamp, shift by 1 */
        unsigned bits, i;
        if (!one_part(lo, video_selector(lo, opd(lo, 0)), &bits, &i)) return;
        struct lir_src last = shifted(lo, by, lir_imm(5), RZ_SRC, MIR_U32, MIR_RIGHT);
        lir_vreg first = tmp(lo);
        emit3(lo, MIR_IADD3, first, by, lir_neg(last), RZ_SRC);
        struct value t = shift_left(lo, &a, lir_reg(first));
        t = clamp(lo, &t, v.is_signed[0], bits);
        finish_scalar(lo, shift_left(lo, &t, last), &v, v.is_signed[0]);
    }
}

/* vset: 1 or 0. */
void lower_video_set(struct lower *lo) {
    struct video v;
    if (!operands(lo, 3, 4) || !video_decode(lo, &v, 2)) return;
    struct value a = source(lo, 1, v.is_signed[0]), b = source(lo, 2, v.is_signed[1]);
    if (v.cmp == MIR_CMP_F) lower_unsupported(lo, "no comparison");
    if (lo->failed) return;
    struct lir_src one = choose(lo, compare_int(lo, v.cmp, true, &a, &b), lir_imm(1), RZ_SRC);
    finish_scalar(lo, (struct value){.w = {one, RZ_SRC}, .n = 2}, &v, false);
}

/* ---- vmad ----------------------------------------------------------------------------------- */

/* Emits r = x + y + carry, 96 bits; carry is 0 or 1. */
static void add96(struct lower *lo, struct lir_src r[3], const struct lir_src x[3],
                  const struct lir_src y[3], struct lir_src carry) {
    for (unsigned i = 0; i < 3; i++) {
        struct value a = wide(lo, x[i], false), b = wide(lo, y[i], false);
        struct value c = wide(lo, carry, false), s = sum(lo, &a, &b);
        s = sum(lo, &s, &c);
        r[i] = s.w[0];
        carry = s.w[1];
    }
}

/* Emits the clamp of the 96-bit r to 32 bits. */
static struct lir_src saturate96(struct lower *lo, const struct lir_src r[3], bool is_signed) {
    struct lir_src sign = is_signed ? sign_of(lo, r[0]) : RZ_SRC;
    struct lir_src end = lir_imm(0xffffffff), zero = RZ_SRC;
    if (is_signed) end = lop3(lo, LUT_A ^ LUT_B, sign_of(lo, r[2]), lir_imm(0x7fffffff), RZ_SRC);
    struct lir_src x = lop3(lo, (LUT_A ^ LUT_C) | (LUT_B ^ LUT_C), r[1], r[2], sign);
    struct value odd = value_of_word(x), none = value_of_word(zero);
    return choose(lo, compare_int(lo, MIR_CMP_NE, false, &odd, &none), end, r[0]);
}

/* vmad: a * b + c without rounding; either the product or c may be negated. */
void lower_video_mad(struct lower *lo) {
    struct video v;
    if (!operands(lo, 4, 4) || !video_decode(lo, &v, 3)) return;
    bool minus = opd(lo, 1)->negated != opd(lo, 2)->negated, minus_c = opd(lo, 3)->negated;
    bool is_signed = v.is_signed[1] || v.is_signed[2];
    struct value a = source(lo, 1, v.is_signed[1]), b = source(lo, 2, v.is_signed[2]);
    struct lir_src c = video_word(lo, opd(lo, 3));
    struct dest d = video_dest(lo, opd(lo, 0));
    if ((minus && minus_c) ||
        (v.plus_one && (opd(lo, 1)->negated || opd(lo, 2)->negated || minus_c)))
        lower_error(lo, "either the product or the third operand is negated, and neither with .po");
    if (lo->failed) return;
    lir_vreg product = tmp_pair(lo);
    multiply64(lo, product, &a, &b);
    struct lir_src t[3] = {lir_reg(product), lir_reg(product + 1),
                           is_signed ? sign_of(lo, lir_reg(product + 1)) : RZ_SRC};
    enum { NOT_A = ~LUT_A & 0xff };
    for (unsigned i = 0; minus && i < 3; i++) t[i] = lop3(lo, NOT_A, t[i], RZ_SRC, RZ_SRC);
    if (minus_c) c = lop3(lo, NOT_A, c, RZ_SRC, RZ_SRC);
    is_signed = is_signed || minus || minus_c;
    struct lir_src top = is_signed ? sign_of(lo, c) : RZ_SRC, add[3] = {c, top, top}, r[3];
    add96(lo, r, t, add, lir_imm(minus || minus_c || v.plus_one));
    if (v.scale) {
        struct lir_src by = lir_imm(v.scale);
        for (unsigned i = 0; i < 2; i++) r[i] = shifted(lo, r[i], by, r[i + 1], MIR_U64, MIR_RIGHT);
        r[2] = shifted(lo, r[2], by, RZ_SRC, MIR_S32, MIR_RIGHT);
    }
    emit1(lo, MIR_MOV, d.word, v.sat ? saturate96(lo, r, is_signed) : r[0]);
    finish(lo, &d);
}
