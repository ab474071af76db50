/* matrix_test.c - whole matrix products by wmma, mma.sync, ldmatrix and related instructions,
 * compared with C.
 *
 * Data are small integers, whose products and sums are exact in every format, so that results are
 * compared bit by bit. One warp a test; matrices lie in global memory, and through shared memory
 * where an instruction wants that. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 32 };

struct shape {
    unsigned m, n, k;
};
struct format {
    const char *name;
    unsigned bits;
    bool is_float, is_signed;
};
static const struct format f16 = {"f16", 16, true, true}, bf16 = {"bf16", 16, true, true},
                           tf32 = {"tf32", 32, true, true}, f32 = {"f32", 32, true, true},
                           f64 = {"f64", 64, true, true}, s32 = {"s32", 32, false, true},
                           s8 = {"s8", 8, false, true}, u8 = {"u8", 8, false, false},
                           s4 = {"s4", 4, false, true}, b1 = {"b1", 1, false, false},
                           e4m3 = {"e4m3", 8, true, true}, e5m2 = {"e5m2", 8, true, true};

static unsigned random_small(unsigned *state, unsigned below) {
    *state = *state * 1664525 + 1013904223;
    return (*state >> 16) % below;
}

/* Encodes a small integer in a format. */
static uint64_t encode(const struct format *f, int v) {
    float x = (float)v;
    double d = v;
    uint32_t u;
    uint64_t w;
    memcpy(&u, &x, 4);
    memcpy(&w, &d, 8);
    if (!f->is_float) return (uint64_t)(int64_t)v & (UINT64_MAX >> (64 - f->bits));
    if (f->bits == 64) return w;
    if (f->bits == 32) return u;
    if (f == &bf16) return u >> 16;
    if (v == 0) return 0;
    if (f == &e4m3) return (u >> 24 & 128) | ((u >> 23 & 255) - 120) << 3 | (u >> 20 & 7);
    if (f == &e5m2) return (u >> 24 & 128) | ((u >> 23 & 255) - 112) << 2 | (u >> 21 & 3);
    return (u >> 16 & 0x8000) | ((u >> 23 & 255) - 112) << 10 | (u >> 13 & 1023);
}

/* Writes the integer v as element i of an array in the format. */
static void put(uint8_t *at, const struct format *f, unsigned i, int v) {
    uint64_t bits = encode(f, v);
    if (f->bits >= 8) {
        memcpy(at + i * f->bits / 8, &bits, f->bits / 8);
    } else {
        unsigned bit = i * f->bits;
        at[bit / 8] = (uint8_t)(at[bit / 8] | bits << bit % 8);
    }
}
static bool holds(const uint8_t *at, const struct format *f, unsigned i, int v) {
    uint64_t want = encode(f, v), got = 0;
    memcpy(&got, at + i * f->bits / 8, f->bits / 8);
    return got == want;
}

/* Writes a list of n registers from %<prefix><first> on, in braces. */
static void list(char *out, const char *prefix, unsigned first, unsigned n) {
    char *p = out;
    for (unsigned i = 0; i < n; i++) p += sprintf(p, "%s%%%s%u", i ? ", " : "{", prefix, first + i);
    sprintf(p, "}");
}
static const char *prefix_of(const struct format *f) {
    return f->bits == 64 ? "fd" : f == &f32 ? "f" : "r";
}

struct problem {
    struct shape s;
    const struct format *ab, *acc, *b_is; /* b_is: B's format, if it differs from A's */
    int a[MAX][128 * 2], b[128 * 2][MAX], c[MAX][MAX], d[MAX][MAX];
    bool count_xor;
    unsigned capability;       /* of the GPU; 0: 9.0 */
    const struct format *c_is; /* C's format, if it differs from D's */
};

/* Fills A, B and C with random small integers and computes D in C. */
static void fill(struct problem *p, unsigned seed) {
    int low = !p->ab->is_signed ? 0 : -3;
    unsigned range = p->ab->bits == 1 ? 2 : 7;
    for (unsigned i = 0; i < p->s.m; i++)
        for (unsigned k = 0; k < p->s.k; k++) p->a[i][k] = low + (int)random_small(&seed, range);
    for (unsigned k = 0; k < p->s.k; k++)
        for (unsigned j = 0; j < p->s.n; j++) p->b[k][j] = low + (int)random_small(&seed, range);
    for (unsigned i = 0; i < p->s.m; i++)
        for (unsigned j = 0; j < p->s.n; j++) {
            int sum = p->c[i][j] = (int)random_small(&seed, 50) - 25;
            for (unsigned k = 0; k < p->s.k; k++)
                sum += p->ab->bits > 1 ? p->a[i][k] * p->b[k][j]
                       : p->count_xor  ? p->a[i][k] ^ p->b[k][j]
                                       : p->a[i][k] & p->b[k][j];
            p->d[i][j] = sum;
        }
}

static const char head[] = ".version 8.6\n.target sm_90\n.address_size 64\n"
                           ".shared .align 32 .b8 sm[16384];\n"
                           ".visible .entry k(.param .u64 p)\n{\n"
                           ".reg .b64 %rd<30>; .reg .b32 %r<120>; .reg .f32 %f<60>;\n"
                           ".reg .f64 %fd<60>; .reg .b16 %h<8>; .reg .pred %p<8>;\n"
                           "ld.param.u64 %rd1, [p]; mov.u32 %r100, %tid.x;\n"
                           "add.s64 %rd2, %rd1, 8192; add.s64 %rd3, %rd1, 16384;\n"
                           "add.s64 %rd4, %rd1, 24576; mov.u32 %r101, 24;\n";

/* Compiles `text` for a GPU of this capability (70: 7.0; 0: 9.0). */
static void open_for(struct run *r, const char *text, unsigned capability) {
    struct ptx_options o;
    ptx_options_default(&o);
    o.capability = capability ? capability : 90;
    run_open(r, text, &o);
}

/* Runs the kernel `text` on the problem's matrices and compares D with the product in C. Leading
 * dimensions are larger than the matrices. */
static void run(struct problem *p, bool a_col, bool b_col, bool c_col, unsigned pad,
                const char *text, const char *what) {
    struct run r;
    unsigned la = (a_col ? p->s.m : p->s.k) + pad, lb = (b_col ? p->s.k : p->s.n) + pad;
    unsigned lc = (c_col ? p->s.m : p->s.n) + pad;
    open_for(&r, text, p->capability);
    uint8_t *a = r.base, *b = a + 8192, *c = a + 16384, *d = a + 24576;
    memset(a, 0, 32768);
    for (unsigned i = 0; i < p->s.m; i++)
        for (unsigned k = 0; k < p->s.k; k++)
            put(a, p->ab, a_col ? k * la + i : i * la + k, p->a[i][k]);
    for (unsigned k = 0; k < p->s.k; k++)
        for (unsigned j = 0; j < p->s.n; j++)
            put(b, p->b_is ? p->b_is : p->ab, b_col ? j * lb + k : k * lb + j, p->b[k][j]);
    for (unsigned i = 0; i < p->s.m; i++)
        for (unsigned j = 0; j < p->s.n; j++)
            put(c, p->c_is ? p->c_is : p->acc, c_col ? j * lc + i : i * lc + j, p->c[i][j]);
    uint64_t base = (uint64_t)(uintptr_t)r.base;
    heddle_err e = run_kernel(&r, "k", 1, 32, &base, 8, 0);
    cr_assert_eq(e, HEDDLE_OK, "%s: %s", what, r.diag.text);
    for (unsigned i = 0; i < p->s.m; i++)
        for (unsigned j = 0; j < p->s.n; j++)
            cr_assert(holds(d, p->acc, c_col ? j * lc + i : i * lc + j, p->d[i][j]),
                      "%s: row %u, column %u is not %d", what, i, j, p->d[i][j]);
    run_close(&r);
}

/* ---- wmma ----------------------------------------------------------------------------------- */

static unsigned factor_words(const struct problem *p, bool is_a) {
    if (p->ab == &f16) return 8;
    unsigned elements = (is_a ? p->s.m : p->s.n) * p->s.k;
    return p->ab->bits == 64 ? 1 : elements * p->ab->bits / 1024;
}

/* Tests one product by wmma: the text, the matrices, the comparison. `variable`: strides that the
 * compiler cannot know. */
static void wmma(struct problem *p, bool a_col, bool b_col, bool c_col, bool shared,
                 bool variable) {
    static char text[8192], what[400];
    const struct format *c_is = p->c_is ? p->c_is : p->acc;
    char a[200], b[200], c[200], d[200], shape[32], mma[200], space[20] = ".global";
    unsigned na = factor_words(p, true), nb = factor_words(p, false),
             pad = p->ab->bits < 8 ? 128
                   : variable      ? 16
                                   : 32;
    unsigned nc = c_is->bits == 16 ? 4 : p->s.m * p->s.n / 32;
    unsigned nd = p->acc->bits == 16 ? 4 : p->s.m * p->s.n / 32;
    const char *ab = p->ab->bits == 64 ? "fd" : "r";
    list(a, ab, 10, na);
    list(b, ab, 20, nb);
    list(c, prefix_of(c_is), 30, nc);
    list(d, prefix_of(p->acc), p->c_is ? 40 : 30, nd);
    if (shared) strcpy(space, ".shared");
    snprintf(shape, sizeof shape, "m%un%uk%u", p->s.m, p->s.n, p->s.k);
    if (p->ab == &f16)
        snprintf(mma, sizeof mma, "%s.%s.%s", shape, p->acc->name, c_is->name);
    else
        snprintf(mma, sizeof mma, "%s.%s.%s.%s.%s", shape, p->acc->name, p->ab->name, p->ab->name,
                 p->acc->name);
    const char *ac = a_col ? "col" : "row", *bc = b_col ? "col" : "row",
               *cc = c_col ? "col" : "row";
    unsigned la = (a_col ? p->s.m : p->s.k) + pad, lb = (b_col ? p->s.k : p->s.n) + pad;
    unsigned lc = (c_col ? p->s.m : p->s.n) + pad;
    const char *from[4] = {"%rd1", "%rd2", "%rd3", "%rd4"};
    if (shared) {
        static const char *const in_shared[4] = {"sm", "sm", "sm", "sm"};
        memcpy(from, in_shared, sizeof from);
    }
    snprintf(what, sizeof what, "wmma %s %s %s C %s%s%s", mma, ac, bc, cc, space,
             variable ? " stride in a register" : "");
    int n = snprintf(text, sizeof text, "%s", head);
    static const char copy[] =
        "mov.u32 %%r102, %%r100;\nL%u:\nmul.wide.u32 %%rd10, %%r102, 16; add.s64 %%rd10, %%rd10, "
        "%s;\nshl.b32 %%r103, %%r102, 4; mov.u32 %%r104, sm; add.s32 %%r103, %%r103, %%r104;\n"
        "%s\nadd.s32 %%r102, %%r102, 32; setp.lt.u32 %%p1, %%r102, 512; @%%p1 bra L%u;\n"
        "bar.sync 0;\n";
    static const char in[] = "ld.global.v4.u32 {%r105, %r106, %r107, %r108}, [%rd10];\n"
                             "st.shared.v4.u32 [%r103], {%r105, %r106, %r107, %r108};";
    static const char out[] = "ld.shared.v4.u32 {%r105, %r106, %r107, %r108}, [%r103];\n"
                              "st.global.v4.u32 [%rd10], {%r105, %r106, %r107, %r108};";
    const struct {
        const char *which, *col, *regs, *name;
        unsigned ld;
    } loads[3] = {
        {"a", ac, a, p->ab->name, la}, {"b", bc, b, p->ab->name, lb}, {"c", cc, c, c_is->name, lc}};
    for (unsigned i = 0; i < 3; i++) {
        if (shared)
            n += snprintf(text + n, sizeof text - n, copy, i,
                          i == 0   ? "%rd1"
                          : i == 1 ? "%rd2"
                                   : "%rd3",
                          in, i);
        n += snprintf(text + n, sizeof text - n, "mov.u32 %%r110, %u;\n", loads[i].ld);
        if (variable)
            n += snprintf(text + n, sizeof text - n,
                          "shl.b32 %%r111, %%r100, 31; and.b32 %%r111, %%r111, 1; "
                          "add.s32 %%r110, %%r110, %%r111;\n");
        n += snprintf(text + n, sizeof text - n,
                      "wmma.load.%s.sync.aligned.%s.%s%s.%s %s, [%s], %%r110;\nbar.sync 0;\n",
                      loads[i].which, loads[i].col, shape, space, loads[i].name, loads[i].regs,
                      from[i]);
    }
    const char *op = p->ab->bits == 1 ? p->count_xor ? "mma.xor.popc" : "mma.and.popc" : "mma";
    n += snprintf(text + n, sizeof text - n,
                  "wmma.%s.sync.aligned.%s.%s.%s %s, %s, %s, %s;\n"
                  "wmma.store.d.sync.aligned.%s.%s%s.%s [%s], %s, %u;\n",
                  op, ac, bc, mma, d, a, b, c, cc, shape, space, p->acc->name, from[3], d, lc);
    if (shared) n += snprintf(text + n, sizeof text - n, "bar.sync 0;\n");
    if (shared) n += snprintf(text + n, sizeof text - n, copy, 3, "%rd4", out, 3);
    snprintf(text + n, sizeof text - n, "ret;\n}\n");
    run(p, a_col, b_col, c_col, pad, text, what);
}

/* Tests a shape in all combinations of row and column layouts. `p`: the formats, and the GPU's
 * capability. */
static void wmma_in(struct problem p) {
    const struct format *ab = p.ab;
    for (unsigned way = 0; way < 8; way++) {
        bool a_col = way & 1, b_col = way & 2, c_col = way & 4;
        if (ab->bits < 8 && (a_col || !b_col)) continue;
        p.count_xor = c_col;
        fill(&p, 77 + way);
        wmma(&p, a_col, b_col, c_col, way % 3 == 0, false);
        wmma(&p, a_col, b_col, c_col, way % 3 == 1, true);
    }
}

static void wmma_layouts(struct shape s, const struct format *ab, const struct format *acc) {
    wmma_in((struct problem){.s = s, .ab = ab, .acc = acc});
}

static const struct shape squares[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};

Test(ptx_matrix, wmma_halves) {
    for (unsigned i = 0; i < 3; i++) {
        wmma_layouts(squares[i], &f16, &f32);
        wmma_layouts(squares[i], &f16, &f16);
        wmma_layouts(squares[i], &bf16, &f32);
    }
}
/* Volta's fragments, and sums of another format than C. */
Test(ptx_matrix, wmma_halves_on_volta) {
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned capability = 70; capability <= 80; capability += 10) {
            struct problem p = {.s = squares[i], .ab = &f16, .capability = capability};
            p.acc = &f32;
            wmma_in(p);
            p.c_is = &f16;
            wmma_in(p);
            p.acc = &f16;
            p.c_is = NULL;
            wmma_in(p);
            p.c_is = &f32;
            wmma_in(p);
        }
    }
}
Test(ptx_matrix, wmma_bytes) {
    for (unsigned i = 0; i < 3; i++) {
        wmma_layouts(squares[i], &s8, &s32);
        wmma_layouts(squares[i], &u8, &s32);
    }
}
Test(ptx_matrix, wmma_others) {
    wmma_layouts((struct shape){16, 16, 8}, &tf32, &f32);
    wmma_layouts((struct shape){8, 8, 4}, &f64, &f64);
    wmma_layouts((struct shape){8, 8, 32}, &s4, &s32);
    wmma_layouts((struct shape){8, 8, 128}, &b1, &s32);
}

/* ---- mma.sync: registers filled by the definition of the fragments --------------------------- */

/* Loads element (line, k) of a factor: lane's word w, its part e. */
static void mma_mixed(struct shape s, const struct format *ab, const struct format *b_is,
                      const struct format *acc) {
    static char text[16384], what[128];
    struct problem p = {.s = s, .ab = ab, .b_is = b_is, .acc = acc, .count_xor = true};
    unsigned per = ab->bits >= 32 ? 1 : 32 / ab->bits, mt = s.m / 8, kt = s.k / (4 * per);
    unsigned tiles = mt, bytes = ab->bits == 64 ? 8 : 4, acc_bytes = acc->bits / 8;
    char a[200], b[200], c[200], d[200];
    const char *x = ab->bits == 64 ? "fd" : "r", *y = prefix_of(acc);
    const char *type = ab->bits == 64 ? "f64" : "b32", *ctype = acc->bits == 64 ? "f64" : "b32";
    fill(&p, 5);
    list(a, x, 10, mt * kt);
    list(b, x, 20, kt);
    list(c, y, 30, acc->bits == 16 ? tiles : 2 * tiles);
    list(d, y, 40, acc->bits == 16 ? tiles : 2 * tiles);
    int n = snprintf(text, sizeof text, "%sshr.u32 %%r1, %%r100, 2; and.b32 %%r2, %%r100, 3;\n",
                     head);
    /* A by rows, B by columns, both without gaps between lines, so that a lane's word is
     * contiguous */
    for (unsigned f = 0; f < 2; f++) {
        n += snprintf(text + n, sizeof text - n,
                      "mul.lo.u32 %%r3, %%r1, %u; mad.lo.u32 %%r3, %%r2, %u, %%r3;\n"
                      "cvt.u64.u32 %%rd6, %%r3; add.s64 %%rd6, %%rd6, %%rd%u;\n",
                      s.k * ab->bits / 8, bytes, f + 1);
        for (unsigned i = 0; i < (f ? kt : mt * kt); i++) {
            unsigned line = f ? 0 : i % mt * 8, step = f ? i : i / mt;
            n += snprintf(text + n, sizeof text - n, "ld.global.%s %%%s%u, [%%rd6+%u];\n", type, x,
                          (f ? 20 : 10) + i, line * s.k * ab->bits / 8 + step * 4 * bytes);
        }
    }
    n += snprintf(text + n, sizeof text - n,
                  "mul.lo.u32 %%r3, %%r1, %u; mad.lo.u32 %%r3, %%r2, %u, %%r3; cvt.u64.u32 %%rd6, "
                  "%%r3;\nadd.s64 %%rd7, %%rd6, %%rd3; add.s64 %%rd8, %%rd6, %%rd4;\n",
                  s.n * acc_bytes, 2 * acc_bytes);
    unsigned parts = acc->bits == 16 ? 1 : 2;
    for (unsigned i = 0; i < parts * tiles; i++)
        n += snprintf(text + n, sizeof text - n, "ld.global.%s %%%s%u, [%%rd7+%u];\n", ctype, y,
                      30 + i, i / parts * 8 * s.n * acc_bytes + i % parts * acc_bytes);
    n += snprintf(text + n, sizeof text - n,
                  "mma.sync.aligned.m%un%uk%u.row.col.%s.%s.%s.%s%s %s, %s, %s, %s;\n", s.m, s.n,
                  s.k, acc->name, ab->name, b_is->name, acc->name, ab->bits == 1 ? ".xor.popc" : "",
                  d, a, b, c);
    for (unsigned i = 0; i < parts * tiles; i++)
        n += snprintf(text + n, sizeof text - n, "st.global.%s [%%rd8+%u], %%%s%u;\n", ctype,
                      i / parts * 8 * s.n * acc_bytes + i % parts * acc_bytes, y, 40 + i);
    snprintf(text + n, sizeof text - n, "ret;\n}\n");
    snprintf(what, sizeof what, "mma m%un%uk%u %s %s", s.m, s.n, s.k, ab->name, acc->name);
    run(&p, false, true, false, 0, text, what);
}

static void mma(struct shape s, const struct format *ab, const struct format *acc) {
    mma_mixed(s, ab, ab, acc);
}

Test(ptx_matrix, mma_sync) {
    mma((struct shape){16, 8, 8}, &f16, &f32);
    mma((struct shape){16, 8, 16}, &f16, &f32);
    mma((struct shape){16, 8, 8}, &f16, &f16);
    mma((struct shape){16, 8, 16}, &f16, &f16);
    mma((struct shape){16, 8, 8}, &bf16, &f32);
    mma((struct shape){16, 8, 16}, &bf16, &f32);
    mma((struct shape){16, 8, 4}, &tf32, &f32);
    mma((struct shape){16, 8, 8}, &tf32, &f32);
    mma((struct shape){8, 8, 4}, &f64, &f64);
    mma((struct shape){16, 8, 4}, &f64, &f64);
    mma((struct shape){16, 8, 8}, &f64, &f64);
    mma((struct shape){16, 8, 16}, &f64, &f64);
    mma((struct shape){8, 8, 16}, &s8, &s32);
    mma((struct shape){16, 8, 16}, &u8, &s32);
    mma((struct shape){16, 8, 32}, &s8, &s32);
    mma((struct shape){8, 8, 32}, &s4, &s32);
    mma((struct shape){16, 8, 64}, &s4, &s32);
    mma((struct shape){8, 8, 128}, &b1, &s32);
    mma((struct shape){16, 8, 128}, &b1, &s32);
    mma((struct shape){16, 8, 256}, &b1, &s32);
    mma((struct shape){16, 8, 32}, &e4m3, &f32);
    mma((struct shape){16, 8, 32}, &e5m2, &f32);
    mma_mixed((struct shape){16, 8, 32}, &e4m3, &e5m2, &f32);
    mma_mixed((struct shape){16, 8, 32}, &e5m2, &e4m3, &f32);
}

/* ---- matrices of rows in shared memory ------------------------------------------------------- */

/* Four matrices of eight rows of eight halves, numbered; each lane stores its registers. */
static void rows(bool trans, bool store, bool move) {
    static char text[8192];
    struct run r;
    uint16_t in[4][8][8];
    const char *t = trans ? ".trans" : "";
    int n = snprintf(text, sizeof text,
                     "%smul.wide.u32 %%rd5, %%r100, 16; add.s64 %%rd6, %%rd5, %%rd1;\n"
                     "ld.global.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%rd6];\n"
                     "shl.b32 %%r5, %%r100, 4; mov.u32 %%r6, sm; add.s32 %%r5, %%r5, %%r6;\n",
                     head);
    if (store)
        n += snprintf(text + n, sizeof text - n,
                      "stmatrix.sync.aligned.m8n8.x4%s.shared.b16 [%%r5], {%%r1, %%r2, %%r3, %%r4};"
                      "\nbar.sync 0; ld.shared.v4.u32 {%%r11, %%r12, %%r13, %%r14}, [%%r5];\n",
                      t);
    else if (move)
        n += snprintf(text + n, sizeof text - n,
                      "movmatrix.sync.aligned.m8n8.trans.b16 %%r11, %%r1;\n"
                      "movmatrix.sync.aligned.m8n8.trans.b16 %%r12, %%r2;\n"
                      "movmatrix.sync.aligned.m8n8.trans.b16 %%r13, %%r3;\n"
                      "movmatrix.sync.aligned.m8n8.trans.b16 %%r14, %%r4;\n");
    else
        n += snprintf(text + n, sizeof text - n,
                      "st.shared.v4.u32 [%%r5], {%%r1, %%r2, %%r3, %%r4}; bar.sync 0;\n"
                      "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%%r11, %%r12, %%r13, %%r14}, "
                      "[%%r5];\n",
                      t);
    snprintf(text + n, sizeof text - n,
             "add.s64 %%rd6, %%rd5, %%rd2;\n"
             "st.global.v4.u32 [%%rd6], {%%r11, %%r12, %%r13, %%r14};\nret;\n}\n");
    open_for(&r, text, 0);
    uint64_t base = (uint64_t)(uintptr_t)r.base;
    for (unsigned i = 0; i < 256; i++) in[i / 64][i / 8 % 8][i % 8] = (uint16_t)(1000 + 7 * i);
    const uint16_t *out = (const uint16_t *)(const void *)(r.base + 8192);
    uint16_t *to = (uint16_t *)(void *)r.base;
    bool registers = store || move; /* the input is a lane's four registers, else rows */
    for (unsigned m = 0; m < 4; m++)
        for (unsigned row = 0; row < 8; row++)
            for (unsigned col = 0; col < 8; col++)
                to[registers ? (4 * row + col / 2) * 8 + 2 * m + col % 2
                             : (8 * m + row) * 8 + col] = in[m][row][col];
    cr_assert_eq(run_kernel(&r, "k", 1, 32, &base, 8, 0), HEDDLE_OK, "%s", r.diag.text);
    for (unsigned m = 0; m < 4; m++)
        for (unsigned row = 0; row < 8; row++)
            for (unsigned col = 0; col < 8; col++) {
                unsigned got = store ? out[(8 * m + row) * 8 + col]
                                     : out[(4 * row + col / 2) * 8 + 2 * m + col % 2];
                unsigned want = trans || move ? in[m][col][row] : in[m][row][col];
                cr_assert_eq(got, want, "matrix %u row %u column %u: %u, not %u (%s%s%s)", m, row,
                             col, got, want, store ? "store" : "load", t, move ? " move" : "");
            }
    run_close(&r);
}

Test(ptx_matrix, rows_of_halves) {
    for (unsigned i = 0; i < 4; i++) rows(i & 1, i & 2, false);
    rows(true, false, true);
}

/* ---- the code ------------------------------------------------------------------------------- */

/* A wmma of m16n16k16 with these types of D and C on a GPU of this capability; matrices in shared
 * memory, A by rows, B by columns, or with `across` the other way. */
static void product_code(struct run *r, unsigned capability, const char *acc, bool across) {
    static char text[4096];
    const char *ac = across ? "col" : "row", *bc = across ? "row" : "col";
    char c[200];
    list(c, acc[1] == '1' ? "r" : "f", 30, acc[1] == '1' ? 4 : 8);
    snprintf(text, sizeof text,
             "%swmma.load.a.sync.aligned.%s.m16n16k16.shared.f16 {%%r1, %%r2, %%r3, %%r4, %%r5, "
             "%%r6, %%r7, %%r8}, [sm], 24;\n"
             "wmma.load.b.sync.aligned.%s.m16n16k16.shared.f16 {%%r11, %%r12, %%r13, %%r14, %%r15, "
             "%%r16, %%r17, %%r18}, [sm+4096], 24;\n"
             "wmma.load.c.sync.aligned.row.m16n16k16.global.%s %s, [%%rd3], 16;\n"
             "wmma.mma.sync.aligned.%s.%s.m16n16k16.%s.%s %s, {%%r1, %%r2, %%r3, %%r4, %%r5, %%r6, "
             "%%r7, %%r8}, {%%r11, %%r12, %%r13, %%r14, %%r15, %%r16, %%r17, %%r18}, %s;\n"
             "wmma.store.d.sync.aligned.row.m16n16k16.global.%s [%%rd4], %s, 16;\nret;\n}\n",
             head, ac, bc, acc, c, ac, bc, acc, acc, c, c, acc, c);
    open_for(r, text, capability);
}

/* How many loads from shared memory of this operation and width, and products. */
static void check_code(unsigned capability, const char *acc, bool across, mir_op load,
                       unsigned loads, unsigned width, mir_op op, unsigned products) {
    struct run r;
    unsigned n = 0, copies = 0;
    product_code(&r, capability, acc, across);
    const struct mir_function *f = run_function(&r, "k");
    for (unsigned i = 0; i < f->num_inst; i++) {
        n += f->code[i].op == load && f->code[i].width == width;
        copies += f->code[i].op == MIR_MOV && f->code[i].src[0].kind == MIR_SRC_REG;
    }
    cr_expect_eq(n, loads, "%u %s: %u loads of %u bytes", capability, acc, n, width);
    cr_expect_eq(run_count(f, MIR_LDS) + run_count(f, MIR_LDSM), loads, "%u: %s", capability,
                 run_listing(f));
    cr_expect_eq(run_count(f, op), products, "%u: %s", capability, run_listing(f));
    cr_expect_eq(run_count(f, MIR_WARPSYNC), 0, "%u: %s", capability, run_listing(f));
    cr_expect_eq(copies, 0, "%u %s: %s", capability, acc, run_listing(f));
    run_close(&r);
}

/* On Volta two loads of 16 bytes for each factor, or four of 8 bytes, and steps of HMMA.884: as
 * ptxas's code for sm_70. Later an LDSM for each, and two products of m16n8k16. */
Test(ptx_matrix, wmma_is_lowered_as_by_ptxas) {
    check_code(70, "f32", false, MIR_LDS, 4, 16, MIR_HMMA884, 16);
    check_code(72, "f32", true, MIR_LDS, 8, 8, MIR_HMMA884, 16);
    check_code(70, "f16", false, MIR_LDS, 4, 16, MIR_HMMA884H, 8);
    check_code(80, "f32", false, MIR_LDSM, 2, 16, MIR_HMMA256, 2);
    check_code(90, "f16", true, MIR_LDSM, 2, 16, MIR_HMMA256, 2);
}

/* LDSM loads a factor in shared memory as ptxas does: up to four matrices of 8 x 8 at once, two
 * lines of them. Bytes across k, words, and matrices elsewhere are loaded otherwise. */
Test(ptx_matrix, factors_in_shared_memory) {
    static const struct {
        const char *form;
        unsigned words, ldsm, others;
    } row[] = {{"a.sync.aligned.row.m16n16k16.shared.f16", 8, 1, 0},
               {"a.sync.aligned.col.m16n16k16.shared.bf16", 4, 1, 0},
               {"a.sync.aligned.row.m32n8k16.shared.f16", 8, 2, 0},
               {"b.sync.aligned.row.m32n8k16.shared.f16", 8, 1, 0},
               {"a.sync.aligned.row.m8n32k16.shared.f16", 8, 1, 0},
               {"b.sync.aligned.row.m8n32k16.shared.f16", 8, 2, 0},
               {"a.sync.aligned.row.m16n16k16.shared.s8", 2, 1, 0},
               {"b.sync.aligned.col.m16n16k16.shared.u8", 2, 1, 0},
               {"a.sync.aligned.row.m32n8k16.shared.s8", 4, 2, 0},
               {"b.sync.aligned.col.m32n8k16.shared.s8", 1, 1, 0},
               {"a.sync.aligned.row.m8n8k32.shared.s4", 1, 1, 0},
               {"a.sync.aligned.col.m16n16k16.shared.s8", 2, 0, 8},
               {"a.sync.aligned.row.m16n16k8.shared.tf32", 4, 0, 4},
               {"a.sync.aligned.row.m16n16k16.f16", 8, 0, 4}};
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct run r;
        static char text[4096];
        char to[200];
        list(to, "r", 11, row[i].words);
        int n = snprintf(text, sizeof text, "%swmma.load.%s %s, [%s], 64;\n", head, row[i].form, to,
                         strstr(row[i].form, "shared") ? "sm" : "%rd3");
        for (unsigned k = 0; k < row[i].words; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, "st.global.u32 [%%rd4+%u], %%r%u;\n",
                          4 * k, 11 + k);
        snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n");
        open_for(&r, text, 80);
        const struct mir_function *f = run_function(&r, "k");
        cr_expect_eq(run_count(f, MIR_LDSM), row[i].ldsm, "%s: %s", row[i].form, run_listing(f));
        cr_expect_eq(run_count(f, MIR_LDS) + run_count(f, MIR_LD), row[i].others, "%s: %s",
                     row[i].form, run_listing(f));
        run_close(&r);
    }
}

Test(ptx_matrix, volta_multiplies_no_bf16) {
    static char text[2048];
    struct mir_module *m;
    struct heddle_diag diag = {0};
    struct ptx_options o;
    ptx_options_default(&o);
    snprintf(
        text, sizeof text,
        "%swmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%%r1, %%r2, %%r3, %%r4}, [%%rd1];"
        "\nret;\n}\n",
        head);
    cr_assert_eq(ptx_compile(text, strlen(text), "t", &o, &m, &diag), HEDDLE_ERR_PTX_UNSUPPORTED);
    cr_expect(strstr(diag.text, "GPUs of compute capability 7.0 multiply no bf16"), "%s",
              diag.text);
}
