/* lower_matrix.c - handlers of wmma and mma: emit the products of fragments tile by tile.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. lower_matrix.h describes
 * fragments and tiles. A product begins with a WARPSYNC of all lanes. */
#include "ptx/lower/lower_float.h"
#include "ptx/lower/lower_matrix.h"
#include "ptx/lower/lower_packed.h"
#include "ptx/lower/lower_short.h"

#include <string.h>

/* ---- products ------------------------------------------------------------------------------- */

enum { MX_MAX = 16 }; /* registers of a fragment, tiles of a result */

/* One product D = A * B + C. */
struct product {
    struct mx *x;
    unsigned mt, nt, kt;                                     /* tiles along m, n and k */
    enum mx_kind ab, acc;                                    /* types of A and B, and of the sums */
    struct value a[MX_MAX], b[MX_MAX], c[MX_MAX], d[MX_MAX]; /* registers of the fragments */
};

/* The registers of `tiles` tiles of accumulators. */
static unsigned fragment_words(enum mx_kind acc, unsigned tiles) {
    return acc == MX_F16 ? tiles : 2 * tiles;
}

/* Emits one tile, d = a * b + c. @return the lane's accumulators, one group of words. */
static lir_vreg tile(struct lower *lo, const struct product *p, const struct value *a,
                     const struct value *b, struct lir_src c) {
    struct mx *x = p->x;
    lir_vreg d = lir_new_vregs(lo->fn, p->acc == MX_F16 ? 1 : 2);
    unsigned op = mx_bits(p->ab) <= 8 ? MIR_IMMA : MIR_HMMA;
    struct lir_inst *in = emit(lo, op);
    if (op == MIR_HMMA) {
        in->m.type = p->acc == MX_F16 ? MIR_F16 : MIR_F32;
        in->m.type2 = p->ab == MX_F16 ? MIR_F16 : p->ab == MX_BF16 ? MIR_BF16 : MIR_TF32;
    } else {
        in->m.width = (uint8_t)mx_bits(p->ab);
        in->m.type = p->ab == MX_S8 || p->ab == MX_S4 ? MIR_S8 : MIR_U8;
        in->m.type2 = x->kind[2] == MX_S8 || x->kind[2] == MX_S4 ? MIR_S8 : MIR_U8;
        in->m.sub = (uint8_t)x->bits_op;
    }
    if (x->satfinite) in->m.flags |= MIR_SAT;
    in->dst = d;
    in->m.dst = 0;
    lir_set_src(in, 0, a->w[0]);
    lir_set_src(in, 1, b->w[0]);
    lir_set_src(in, 2, c);
    return d;
}

/* Emits a tile of doubles, c = a * b + c: each lane has two columns, each a separate chain of
 * additions. */
static void double_tile(struct lower *lo, const struct product *p, const struct value *a,
                        const struct value *b, struct value *c) {
    for (unsigned j = 0; j < 2; j++) {
        lir_vreg d = tmp_pair(lo);
        struct lir_inst *in = emit3(lo, MIR_DMMA, d, as_group(lo, a), as_group(lo, b),
                                    as_group(lo, &c[j]));
        in->m.sub = (uint8_t)j;
        in->m.round = (uint8_t)p->x->round;
        c[j] = value_of_pair(d);
    }
}

/* Emits the WARPSYNC and the products of p->a and p->b, added to p->c, tile by tile along k.
 * Fills p->d. */
static void products(struct lower *lo, struct product *p) {
    lower_meet(lo, lir_imm(UINT32_MAX));
    for (unsigned n = 0; n < p->nt; n++) {
        for (unsigned m = 0; m < p->mt; m++) {
            unsigned t = n * p->mt + m;
            if (p->acc == MX_F64) {
                struct value c[2] = {p->c[2 * t], p->c[2 * t + 1]};
                for (unsigned k = 0; k < p->kt; k++)
                    double_tile(lo, p, &p->a[k * p->mt + m], &p->b[n * p->kt + k], c);
                p->d[2 * t] = c[0];
                p->d[2 * t + 1] = c[1];
                continue;
            }
            bool half = p->acc == MX_F16;
            struct value pair = {
                .w = {p->c[half ? t : 2 * t].w[0], p->c[half ? t : 2 * t + 1].w[0]},
                .n = half ? 1 : 2};
            struct lir_src c = as_group(lo, &pair);
            lir_vreg d = 0;
            for (unsigned k = 0; k < p->kt; k++) {
                d = tile(lo, p, &p->a[k * p->mt + m], &p->b[n * p->kt + k], c);
                c = lir_reg(d);
            }
            p->d[half ? t : 2 * t] = value_of_word(lir_reg(d));
            if (!half) p->d[2 * t + 1] = value_of_word(lir_reg(d + 1));
        }
    }
}

/* Emits the conversion of accumulators in v from halves, two in a word, to floats. */
static void widen(struct lower *lo, struct value *v, unsigned tiles) {
    for (unsigned t = tiles; t-- > 0;) {
        lir_vreg upper = tmp(lo);
        struct lir_inst *in = emit2(lo, MIR_SHF, upper, v[t].w[0], lir_imm(16));
        in->m.flags |= MIR_RIGHT;
        in->m.type = MIR_U32;
        struct lir_src low = lower_float_to(lo, v[t].w[0], MIR_F32, MIR_F16, MIR_ROUND_NEAREST);
        v[2 * t + 1] = value_of_word(
            lower_float_to(lo, lir_reg(upper), MIR_F32, MIR_F16, MIR_ROUND_NEAREST));
        v[2 * t] = value_of_word(low);
    }
}
/* The reverse of widen(). */
static void narrow(struct lower *lo, struct value *v, unsigned tiles) {
    for (unsigned t = 0; t < tiles; t++) {
        lir_vreg d = tmp(lo);
        struct lir_src low = lower_float_to(lo, v[2 * t].w[0], MIR_F16, MIR_F32, MIR_ROUND_NEAREST);
        struct lir_src high = lower_float_to(lo, v[2 * t + 1].w[0], MIR_F16, MIR_F32,
                                             MIR_ROUND_NEAREST);
        emit3(lo, MIR_PRMT, d, low, lir_imm(0x5410), high);
        v[t] = value_of_word(lir_reg(d));
    }
}

static bool is_fp8(enum mx_kind k) {
    return k == MX_E4M3 || k == MX_E5M2;
}

/* Emits the conversion of eight-bit floats to halves, which hold them exactly. One step along k
 * becomes two: the lower bytes of the words, then the upper. The order along k changes, but in A
 * and B alike, so the products are the same. */
static void as_halves(struct lower *lo, struct value *v, unsigned lines, unsigned steps,
                      bool step_first, enum mx_kind kind) {
    struct value from[MX_MAX];
    memcpy(from, v, sizeof from);
    for (unsigned i = 0; i < lines; i++)
        for (unsigned k = 0; k < steps; k++)
            for (unsigned upper = 0; upper < 2; upper++) {
                unsigned to = step_first ? (2 * k + upper) * lines + i
                                         : 2 * (i * steps + k) + upper;
                struct lir_src s = from[step_first ? k * lines + i : i * steps + k].w[0];
                v[to] = value_of_word(lower_fp8_halves(lo, s, kind == MX_E5M2, upper));
            }
}

/* Reads the fragments, emits the product and writes the result. `wmma_halves`: registers of A and
 * of B if not 0, because fragments of halves always have eight in wmma. */
static void run(struct lower *lo, struct product *p, enum mx_kind d, enum mx_kind c,
                unsigned wmma_halves) {
    unsigned na = p->mt * p->kt, nb = p->nt * p->kt, tiles = p->mt * p->nt;
    unsigned bits = mx_bits(p->ab);
    p->acc = d == MX_F16 && c == MX_F16 ? MX_F16 : d == MX_F16 ? c : d;
    if (na > MX_MAX || nb > MX_MAX || 2 * tiles > MX_MAX) {
        lower_unsupported(lo, "this shape");
        return;
    }
    if (!mx_fragment(lo, opd(lo, 1), wmma_halves ? wmma_halves : na, bits, p->a) ||
        !mx_fragment(lo, opd(lo, 2), wmma_halves ? wmma_halves : nb, bits, p->b) ||
        !mx_fragment(lo, opd(lo, 3), fragment_words(c, tiles), mx_bits(c), p->c))
        return;
    if (c == MX_F16 && p->acc != MX_F16) widen(lo, p->c, tiles);
    if (is_fp8(p->ab)) {
        as_halves(lo, p->a, p->mt, p->kt, true, p->x->kind[1]);
        as_halves(lo, p->b, p->nt, p->kt, false, p->x->kind[2]);
        p->kt *= 2;
        p->ab = MX_F16;
    }
    products(lo, p);
    if (d == MX_F16 && p->acc != MX_F16) narrow(lo, p->d, tiles);
    mx_result(lo, opd(lo, 0), fragment_words(d, tiles), mx_bits(d), p->d);
}

/* Is this shape of mma, or wmma.mma, supported for A and B of type ab? */
static bool known_shape(const struct mx *x, enum mx_kind ab, bool wmma) {
    unsigned step = mx_step(ab), kt = step ? x->k / step : 0;
    if (!step || x->k % step || x->m % 8 || x->n % 8) return false;
    if (!wmma) {
        bool small = x->m == 8 && kt == 1, big = x->m == 16 && (kt == 1 || kt == 2);
        if (ab == MX_F64) return x->n == 8 && (small || (x->m == 16 && kt <= 4 && kt != 3));
        return x->n == 8 && (big || (small && mx_bits(ab) <= 8));
    }
    if (mx_bits(ab) < 8 || ab == MX_F64) return x->m == 8 && x->n == 8 && kt == 1;
    if (ab == MX_TF32) return x->m == 16 && x->n == 16 && kt == 2;
    return x->k == 16 && x->m * x->n == 256;
}

/* Can products of type ab be summed in type acc? */
static bool accumulates(enum mx_kind ab, enum mx_kind acc) {
    switch (ab) {
    case MX_F16: return acc == MX_F16 || acc == MX_F32;
    case MX_E4M3:
    case MX_E5M2:
    case MX_BF16:
    case MX_TF32: return acc == MX_F32;
    case MX_F64: return acc == MX_F64;
    default: return acc == MX_S32;
    }
}

/* wmma.mma: with two types, A and B are f16 and the types are those of D and C. */
static void wmma_mma(struct lower *lo, struct mx *x) {
    if (x->n_kinds == 2) {
        x->kind[3] = x->kind[1];
        x->kind[1] = x->kind[2] = MX_F16;
        x->n_kinds = 4;
    }
    enum mx_kind ab = x->kind[1];
    bool narrow_bits = mx_bits(ab) < 8;
    if (x->n_kinds != 4 || x->n_layouts != 2 || x->kind[2] != ab || is_fp8(ab) ||
        !known_shape(x, ab, true) || !accumulates(ab, x->kind[0]) || !accumulates(ab, x->kind[3]) ||
        (ab == MX_B1) != (x->bits_op != 0) || (narrow_bits && (x->a_col || !x->b_col))) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct product p = {.x = x, .mt = x->m / 8, .nt = x->n / 8, .kt = x->k / mx_step(ab), .ab = ab};
    run(lo, &p, x->kind[0], x->kind[3], ab == MX_F16 ? 8 : 0);
}

/* wmma.load, wmma.mma, wmma.store: reads the modifiers, then lowers the one that they name; reports
 * any other form. */
void lower_wmma(struct lower *lo) {
    struct mx x;
    if (!mx_parse(lo, &x)) return;
    if (x.what == 'm') {
        if (operands(lo, 4, 4)) wmma_mma(lo, &x);
    } else if (x.what == 'd') {
        lower_wmma_store(lo, &x);
    } else if (x.what) {
        lower_wmma_load(lo, &x);
    } else {
        lower_unsupported(lo, "%s", "");
    }
}

/* mma.m8n8k4 of halves: four independent products per warp, one per quad pair, as on Volta. */
static void quad_pairs(struct lower *lo, struct mx *x) {
    enum mx_kind d = x->kind[0], c = x->kind[3], acc = d;
    unsigned words = d == MX_F16 ? 4 : 8;
    struct value a[2], b[2], cv[8], dv[8];
    if (d != c) {
        lower_unsupported(lo, "accumulators of two types");
        return;
    }
    if (!mx_fragment(lo, opd(lo, 1), 2, 16, a) || !mx_fragment(lo, opd(lo, 2), 2, 16, b) ||
        !mx_fragment(lo, opd(lo, 3), words, mx_bits(c), cv))
        return;
    struct value av = {.w = {a[0].w[0], a[1].w[0]}, .n = 2};
    struct value bv = {.w = {b[0].w[0], b[1].w[0]}, .n = 2};
    struct lir_src as = as_group(lo, &av), bs = as_group(lo, &bv);
    lower_meet(lo, lir_imm(UINT32_MAX));
    for (unsigned i = 0; i < 4; i++) {
        struct value pair = {.w = {cv[acc == MX_F16 ? i : 2 * i].w[0], RZ_SRC}, .n = 1};
        if (acc == MX_F32) {
            pair.w[1] = cv[2 * i + 1].w[0];
            pair.n = 2;
        }
        lir_vreg w = lir_new_vregs(lo->fn, pair.n);
        struct lir_inst *in = emit3(lo, MIR_HMMA, w, as, bs, as_group(lo, &pair));
        in->m.type = acc == MX_F16 ? MIR_F16 : MIR_F32;
        in->m.type2 = MIR_F16;
        in->m.sub = (uint8_t)(1 | x->a_col << 1 | x->b_col << 2 | i << 4);
        if (acc == MX_F16) {
            dv[i] = value_of_word(lir_reg(w));
        } else {
            dv[2 * i] = value_of_word(lir_reg(w));
            dv[2 * i + 1] = value_of_word(lir_reg(w + 1));
        }
    }
    mx_result(lo, opd(lo, 0), words, mx_bits(d), dv);
}

/* May one mma have A of type a and B of type b? */
static bool same_width(enum mx_kind a, enum mx_kind b) {
    return a == b || (mx_bits(a) == mx_bits(b) && (mx_bits(a) == 8 || mx_bits(a) == 4) &&
                      is_fp8(a) == is_fp8(b));
}

/* mma.sync, all shapes; m8n8k4 of halves goes to quad_pairs(). */
void lower_mma(struct lower *lo) {
    struct mx x;
    if (!mx_parse(lo, &x) || !operands(lo, 4, 4)) return;
    bool typed = x.n_kinds == 4 && x.n_layouts == 2;
    if (typed && x.m == 8 && x.n == 8 && x.k == 4 && x.kind[1] == MX_F16 && x.kind[2] == MX_F16 &&
        accumulates(MX_F16, x.kind[0]) && accumulates(MX_F16, x.kind[3])) {
        quad_pairs(lo, &x);
        return;
    }
    enum mx_kind ab = x.kind[1];
    if (!typed || x.a_col || !x.b_col || !same_width(ab, x.kind[2]) ||
        !known_shape(&x, ab, false) || !accumulates(ab, x.kind[0]) || x.kind[3] != x.kind[0] ||
        (ab == MX_B1) != (x.bits_op != 0) || (is_fp8(ab) && x.m != 16)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct product p = {.x = &x, .mt = x.m / 8, .nt = x.n / 8, .kt = x.k / mx_step(ab), .ab = ab};
    run(lo, &p, x.kind[0], x.kind[3], 0);
}
