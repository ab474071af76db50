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

/* Is D or C one word for eight rows? */
static bool halves(const struct product *p) {
    return p->acc == MX_F16;
}

/* Emits d = a * b + c for one row tile or two, along one step or two of k: operands are groups of
 * as many words as there are. @return D's first word. */
static lir_vreg tile(struct lower *lo, const struct product *p, unsigned rows, unsigned steps,
                     const struct value *a, const struct value *b, struct lir_src c) {
    const bool integers = mx_bits(p->ab) <= 8;
    struct lir_src as = as_group(lo, a), bs = as_group(lo, b);
    lir_vreg d = lir_new_vregs(lo->fn, halves(p) ? rows : 2 * rows);
    struct lir_inst *in = emit(lo, integers     ? steps == 2 ? MIR_IMMA256 : MIR_IMMA128
                                   : steps == 2 ? MIR_HMMA256
                                                : MIR_HMMA128);
    if (integers) {
        in->m.width = (uint8_t)mx_bits(p->ab);
        in->m.type = p->ab == MX_S8 || p->ab == MX_S4 ? MIR_S8 : MIR_U8;
        in->m.type2 = p->x->kind[2] == MX_S8 || p->x->kind[2] == MX_S4 ? MIR_S8 : MIR_U8;
        in->m.sub = (uint8_t)((rows == 1 ? MIR_MMA_8_ROWS : 0) |
                              (p->x->bits_op == 1 ? MIR_MMA_XOR : 0) |
                              (p->x->bits_op == 2 ? MIR_MMA_AND : 0));
    } else {
        in->m.type = halves(p) ? MIR_F16 : MIR_F32;
        in->m.type2 = p->ab == MX_F16 ? MIR_F16 : p->ab == MX_BF16 ? MIR_BF16 : MIR_TF32;
    }
    if (p->x->satfinite) in->m.flags |= MIR_SAT;
    in->dst = d;
    in->m.dst = 0;
    lir_set_src(in, 0, as);
    lir_set_src(in, 1, bs);
    lir_set_src(in, 2, c);
    return d;
}

/* Emits the products of row tiles m to m + rows - 1 and column tile n along k, and stores the
 * result in p->d. */
static void chain(struct lower *lo, struct product *p, unsigned m, unsigned n, unsigned rows) {
    const unsigned words = halves(p) ? rows : 2 * rows;
    const unsigned at = (n * p->mt + m) * (halves(p) ? 1 : 2);
    struct value c = {.n = words};
    for (unsigned i = 0; i < words; i++) c.w[i] = p->c[at + i].w[0];
    for (unsigned k = 0; k < p->kt;) {
        const unsigned steps = rows == 2 && p->kt - k >= 2 ? 2 : 1;
        struct value a = {.n = rows * steps}, b = {.n = steps};
        for (unsigned i = 0; i < a.n; i++)
            a.w[i] = p->a[mx_a_at(p->mt, p->kt, m + i % rows, k + i / rows)].w[0];
        for (unsigned i = 0; i < steps; i++) b.w[i] = p->b[n * p->kt + k + i].w[0];
        struct lir_src before = as_group(lo, &c);
        lir_vreg d = tile(lo, p, rows, steps, &a, &b, before);
        for (unsigned i = 0; i < words; i++) c.w[i] = lir_reg(d + i);
        k += steps;
    }
    for (unsigned i = 0; i < words; i++) p->d[at + i] = value_of_word(c.w[i]);
}

/* The same for a row tile of doubles, each a pair of words. */
static void double_chain(struct lower *lo, struct product *p, unsigned m, unsigned n) {
    const unsigned at = 2 * (n * p->mt + m);
    struct value c = {.w = {p->c[at].w[0], p->c[at].w[1], p->c[at + 1].w[0], p->c[at + 1].w[1]},
                      .n = 4};
    for (unsigned k = 0; k < p->kt; k++) {
        struct lir_src a = as_group(lo, &p->a[mx_a_at(p->mt, p->kt, m, k)]);
        struct lir_src b = as_group(lo, &p->b[n * p->kt + k]), before = as_group(lo, &c);
        lir_vreg d = lir_new_vregs(lo->fn, 4);
        emit3(lo, MIR_DMMA, d, a, b, before)->m.round = (uint8_t)p->x->round;
        for (unsigned i = 0; i < 4; i++) c.w[i] = lir_reg(d + i);
    }
    for (unsigned i = 0; i < 2; i++)
        p->d[at + i] = (struct value){.w = {c.w[2 * i], c.w[2 * i + 1]}, .n = 2};
}

/* Emits the WARPSYNC and the products of p->a and p->b, added to p->c. Fills p->d. */
static void products(struct lower *lo, struct product *p) {
    const unsigned rows = p->mt > 1 ? 2 : 1;
    lower_meet(lo, lir_imm(UINT32_MAX));
    for (unsigned n = 0; n < p->nt; n++) {
        if (p->acc == MX_F64)
            for (unsigned m = 0; m < p->mt; m++) double_chain(lo, p, m, n);
        else
            for (unsigned m = 0; m < p->mt; m += rows) chain(lo, p, m, n, rows);
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

/* Reads the fragments (A where the program has B, of a transpose), emits the product and writes the
 * result. `wmma_halves`: registers of A and of B if not 0, because fragments of halves always have
 * eight in wmma. */
static void run(struct lower *lo, struct product *p, enum mx_kind d, enum mx_kind c,
                unsigned wmma_halves) {
    unsigned na = p->mt * p->kt, nb = p->nt * p->kt, tiles = p->mt * p->nt;
    unsigned bits = mx_bits(p->ab);
    p->acc = d == MX_F16 && c == MX_F16 ? MX_F16 : d == MX_F16 ? c : d;
    if (na > MX_MAX || nb > MX_MAX || 2 * tiles > MX_MAX) {
        lower_unsupported(lo, "this shape");
        return;
    }
    if (!mx_fragment(lo, opd(lo, p->x->swapped ? 2 : 1), wmma_halves ? wmma_halves : na, bits,
                     p->a) ||
        !mx_fragment(lo, opd(lo, p->x->swapped ? 1 : 2), wmma_halves ? wmma_halves : nb, bits,
                     p->b) ||
        !mx_fragment(lo, opd(lo, 3), fragment_words(c, tiles), mx_bits(c), p->c))
        return;
    if (c == MX_F16 && p->acc != MX_F16) mx_widen(lo, p->c, tiles);
    if (is_fp8(p->ab)) {
        as_halves(lo, p->a, p->mt, p->kt, true, p->x->kind[1]);
        as_halves(lo, p->b, p->nt, p->kt, false, p->x->kind[2]);
        p->kt *= 2;
        p->ab = MX_F16;
    }
    products(lo, p);
    if (d == MX_F16 && p->acc != MX_F16) mx_narrow(lo, p->d, tiles);
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
    if (x->quads) {
        lower_quads_wmma(lo, x);
        return;
    }
    struct product p = {.x = x, .mt = x->m / 8, .nt = x->n / 8, .kt = x->k / mx_step(ab), .ab = ab};
    run(lo, &p, x->kind[0], x->kind[3], ab == MX_F16 ? 8 : 0);
}

/* Chooses the form of the fragments of a wmma: Volta's, or that of mma.sync. Reports a product that
 * Volta does not have and whose sums share the fragment of those that it has. @return false:
 * reported. */
static bool choose_form(struct lower *lo, struct mx *x) {
    const bool volta = lo->lm->capability >= 70 && lo->lm->capability < 75;
    const bool square = x->k == 16 && x->m * x->n == 256;
    for (unsigned i = 0; i < x->n_kinds; i++) {
        x->quads |= volta && square && (x->kind[i] == MX_F16 || x->kind[i] == MX_F32);
        if (volta && x->kind[i] == MX_BF16) {
            lower_unsupported(lo, "GPUs of compute capability %u.%u multiply no bf16",
                              lo->lm->capability / 10, lo->lm->capability % 10);
            return false;
        }
    }
    if (x->quads || x->m != 8 || x->n != 32) return true;
    x->swapped = true;
    x->m = 32;
    x->n = 8;
    if (x->what == 'm') {
        const bool a_col = x->a_col;
        x->a_col = !x->b_col;
        x->b_col = !a_col;
    } else {
        x->a_col = !x->a_col;
        x->what = x->what == 'a' ? 'b' : x->what == 'b' ? 'a' : x->what;
    }
    return true;
}

/* wmma.load, wmma.mma, wmma.store: reads the modifiers, then lowers the one that they name; reports
 * any other form. */
void lower_wmma(struct lower *lo) {
    struct mx x;
    if (!mx_parse(lo, &x) || !choose_form(lo, &x)) return;
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

/* May one mma have A of type a and B of type b? */
static bool same_width(enum mx_kind a, enum mx_kind b) {
    return a == b || (mx_bits(a) == mx_bits(b) && (mx_bits(a) == 8 || mx_bits(a) == 4) &&
                      is_fp8(a) == is_fp8(b));
}

/* mma.sync, all shapes; m8n8k4 of halves goes to lower_quads_mma(). */
void lower_mma(struct lower *lo) {
    struct mx x;
    if (!mx_parse(lo, &x) || !operands(lo, 4, 4)) return;
    bool typed = x.n_kinds == 4 && x.n_layouts == 2;
    if (typed && x.m == 8 && x.n == 8 && x.k == 4 && x.kind[1] == MX_F16 && x.kind[2] == MX_F16 &&
        accumulates(MX_F16, x.kind[0]) && accumulates(MX_F16, x.kind[3])) {
        lower_quads_mma(lo, &x);
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
