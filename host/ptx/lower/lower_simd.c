/* lower_simd.c - handlers of video instructions on two halves or four bytes of a word: vadd2 ...
 * vset4. They emit the computation of each part in a separate word, where it cannot overflow.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. Static helpers that emit
 * return their result in a new register. */
#include "ptx/lower/lower_short.h"
#include "ptx/lower/lower_video.h"

/* A decoded instruction. */
struct simd {
    struct video v;
    unsigned parts, bits; /* 2 of 16 bits or 4 of 8 bits */
    unsigned from[2][4];  /* [source][part]: index of the part in {b, a} */
    bool used[4];         /* parts of the result that are written */
};

/* Reads the *n digits after .h or .b, written from the highest part down, into digit[], lowest
 * first. @return false: reported. */
static bool digits(struct lower *lo, const struct simd *s, const char *text, unsigned *n,
                   unsigned *digit) {
    char kind = s->parts == 2 ? 'h' : 'b';
    *n = (unsigned)strlen(text) - 1;
    if (text[0] != kind || *n < 1 || *n > s->parts) {
        lower_error(lo, "parts of a word are written as .%s, not '.%s'",
                    s->parts == 2 ? "h10" : "b3210", text);
        return false;
    }
    for (unsigned i = 0; i < *n; i++) digit[i] = (unsigned)(text[*n - i] - '0');
    return true;
}

/* Decodes the selectors of the sources into s->from and the mask of the destination into
 * s->used. @return false: reported. */
static bool decode(struct lower *lo, struct simd *s) {
    for (unsigned i = 0; i < 2; i++) {
        const char *text = video_selector(lo, opd(lo, i + 1));
        unsigned n;
        for (unsigned k = 0; k < s->parts; k++) s->from[i][k] = s->parts * i + k;
        if (!*text) continue;
        if (!digits(lo, s, text, &n, s->from[i])) return false;
        for (unsigned k = 0; k < s->parts; k++)
            if (n != s->parts || s->from[i][k] >= 2 * s->parts) {
                lower_error(lo, "'.%s' does not select %u parts of two words", text, s->parts);
                return false;
            }
    }
    const char *mask = video_selector(lo, opd(lo, 0));
    unsigned n = s->parts, digit[4] = {0, 1, 2, 3};
    if (*mask && !digits(lo, s, mask, &n, digit)) return false;
    for (unsigned k = 0; k < n; k++) {
        if (digit[k] >= s->parts || (k && digit[k] <= digit[k - 1])) {
            lower_error(lo, "'.%s' is no mask of %u parts", mask, s->parts);
            return false;
        }
        s->used[digit[k]] = true;
    }
    return true;
}

/* Emits max(a, b) or min(a, b), signed. */
static struct lir_src minmax(struct lower *lo, struct lir_src a, struct lir_src b, bool max) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_IMNMX, d, a, b);
    in->m.type = MIR_S32;
    in->psrc[0] = max ? LIR_NOT_PT : LIR_PT;
    return lir_reg(d);
}
/* Emits a + b + c. */
static struct lir_src sum(struct lower *lo, struct lir_src a, struct lir_src b, struct lir_src c) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_IADD3, d, a, b, c);
    return lir_reg(d);
}
/* Emits a >> by, arithmetic. */
static struct lir_src right(struct lower *lo, struct lir_src a, unsigned by) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_SHF, d, a, lir_imm(by));
    in->m.type = MIR_S32;
    in->m.flags |= MIR_RIGHT;
    return lir_reg(d);
}
/* Emits the average, rounded to nearest; ties go up if the sum is not negative. */
static struct lir_src average(struct lower *lo, struct lir_src a, struct lir_src b) {
    struct lir_src s = sum(lo, a, b, RZ_SRC);
    return right(lo, sum(lo, s, lir_imm(1), right(lo, s, 31)), 1);
}
/* Emits a cmp b as 1 or 0. */
static struct lir_src compare(struct lower *lo, struct lir_src a, struct lir_src b, mir_cmp cmp) {
    struct value x = value_of_word(a), y = value_of_word(b);
    uint32_t p = compare_int(lo, cmp, true, &x, &y);
    lir_vreg d = tmp(lo);
    emit2(lo, MIR_SEL, d, lir_imm(1), RZ_SRC)->psrc[0] = lir_p(p);
    return lir_reg(d);
}

/* Emits the operation of the instruction at hand on one part of each source. */
static struct lir_src one(struct lower *lo, const struct simd *s, struct lir_src a,
                          struct lir_src b) {
    lir_vreg d = tmp(lo);
    switch (lo->inst->op) {
    case PTX_W_vadd2:
    case PTX_W_vadd4: return sum(lo, a, b, RZ_SRC);
    case PTX_W_vsub2:
    case PTX_W_vsub4: return sum(lo, a, lir_neg(b), RZ_SRC);
    case PTX_W_vavrg2:
    case PTX_W_vavrg4: return average(lo, a, b);
    case PTX_W_vabsdiff2:
    case PTX_W_vabsdiff4:
        emit3(lo, MIR_VABSDIFF, d, a, b, RZ_SRC)->m.type = MIR_S32;
        return lir_reg(d);
    case PTX_W_vmin2:
    case PTX_W_vmin4: return minmax(lo, a, b, false);
    case PTX_W_vmax2:
    case PTX_W_vmax4: return minmax(lo, a, b, true);
    default: return compare(lo, a, b, s->v.cmp);
    }
}

/* Emits the clamp of a to the range of a part. */
static struct lir_src saturate(struct lower *lo, const struct simd *s, struct lir_src a,
                               bool is_signed) {
    int32_t most = (1 << (s->bits - is_signed)) - 1;
    a = minmax(lo, a, lir_imm((uint32_t)most), false);
    return minmax(lo, a, is_signed ? lir_imm((uint32_t)(-most - 1)) : RZ_SRC, true);
}

/* Lowers an instruction on `parts` parts; `sets`: vset, which compares. */
static void lower_simd(struct lower *lo, unsigned parts, bool sets) {
    struct simd s = {.parts = parts, .bits = 32 / parts};
    if (!operands(lo, 4, 4) || !video_decode(lo, &s.v, sets ? 2 : 3)) return;
    if ((s.v.second != VIDEO_MERGE && s.v.second != VIDEO_ADD) || sets != (s.v.cmp != MIR_CMP_F)) {
        lower_unsupported(lo, "modifiers other than PTX describes");
        return;
    }
    if (!decode(lo, &s)) return;
    struct lir_src word[2] = {video_word(lo, opd(lo, 1)), video_word(lo, opd(lo, 2))};
    struct lir_src r = video_word(lo, opd(lo, 3));
    struct dest d = video_dest(lo, opd(lo, 0));
    if (lo->failed) return;
    for (unsigned k = 0; k < parts; k++) {
        struct lir_src x[2];
        if (!s.used[k]) continue;
        for (unsigned i = 0; i < 2; i++) {
            unsigned at = s.from[i][k];
            x[i] = video_part(lo, word[at / parts], s.bits, at % parts, s.v.is_signed[i + !sets]);
        }
        struct lir_src t = one(lo, &s, x[0], x[1]);
        if (s.v.sat) t = saturate(lo, &s, t, s.v.is_signed[0]);
        r = s.v.second == VIDEO_ADD ? sum(lo, r, t, RZ_SRC) : video_insert(lo, t, r, s.bits, k);
    }
    emit1(lo, MIR_MOV, d.word, r);
    finish(lo, &d);
}

/* Instructions on two halves. */
void lower_simd2(struct lower *lo) {
    lower_simd(lo, 2, lo->inst->op == PTX_W_vset2);
}
/* Instructions on four bytes. */
void lower_simd4(struct lower *lo) {
    lower_simd(lo, 4, lo->inst->op == PTX_W_vset4);
}

/* vabsdiff4. With .add, and neither selectors nor .sat, it is one instruction of the hardware. */
void lower_vabsdiff4(struct lower *lo) {
    struct video v;
    if (!operands(lo, 4, 4) || !video_decode(lo, &v, 3)) return;
    bool selects = false;
    for (unsigned i = 0; i < 3; i++) selects |= *video_selector(lo, opd(lo, i)) != 0;
    if (selects || v.second != VIDEO_ADD || v.sat || v.is_signed[1] != v.is_signed[2]) {
        lower_simd4(lo);
        return;
    }
    struct lir_src a = video_word(lo, opd(lo, 1)), b = video_word(lo, opd(lo, 2));
    struct lir_src c = video_word(lo, opd(lo, 3));
    struct dest d = dst(lo, opd(lo, 0), u32);
    emit3(lo, MIR_VABSDIFF4, d.word, a, b, c)->m.type = v.is_signed[1] ? MIR_S8 : MIR_U8;
    finish(lo, &d);
}
