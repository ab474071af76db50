/* fp8_test.c - conversions of eight-bit floats and of TF32. The reference searches the values of
 * all 256 codes for the nearest one. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 8, THREADS = 1024, CASES = BLOCKS * THREADS, RESULTS = 12 };

/* ---- codes and their values ------------------------------------------------------------------ */

/* Returns the value of an eight-bit float's code. */
static double value_of(unsigned code, bool e5m2) {
    unsigned bits = e5m2 ? 2 : 3, e = (code & 0x7f) >> bits, m = code & ((1u << bits) - 1);
    int bias = e5m2 ? 15 : 7;
    double v = e ? ldexp((double)(m + (1u << bits)), (int)e - bias - (int)bits)
                 : ldexp((double)m, 1 - bias - (int)bits);
    if (e5m2 ? (code & 0x7f) > 0x7c : (code & 0x7f) == 0x7f) return NAN;
    if (e5m2 && (code & 0x7f) == 0x7c) v = INFINITY;
    return code & 0x80 ? -v : v;
}

/* Returns the nearest finite code, of two the even one; for a NaN 0x7f. */
static unsigned code_of(double v, bool e5m2, bool relu) {
    if (isnan(v)) return 0x7f;
    if (relu && !(v > 0)) return 0;
    unsigned best = 0, last = e5m2 ? 0x7b : 0x7e;
    for (unsigned c = 0; c <= last; c++) {
        double d = fabs(value_of(c, e5m2) - fabs(v)), b = fabs(value_of(best, e5m2) - fabs(v));
        if (d < b || (d == b && !(c & 1))) best = c;
    }
    if (fabs(v) > value_of(last, e5m2)) best = last;
    return best | (signbit(v) ? 0x80 : 0);
}

static double half_value(unsigned h) {
    unsigned e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024.0 + m, (int)e - 25) : ldexp(m, -24);
    return h >> 15 ? -v : v;
}
/* Returns the half with the value of an eight-bit float; every such float is a half. */
static unsigned half_of(unsigned code, bool e5m2, bool relu) {
    double v = value_of(code, e5m2);
    if (isnan(v)) return 0x7fff;
    if (relu && !(v > 0)) return 0;
    for (unsigned h = 0; h < 0x7c01; h++)
        if (half_value(h) == fabs(v)) return h | (signbit(v) ? 0x8000 : 0);
    return 0xdead;
}

static float float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* Rounds to TF32: ten bits of fraction, nearest even. */
static uint32_t tf32_of(uint32_t bits) {
    float f = float_of(bits);
    if (isnan(f)) return 0x7fffffff;
    if (isinf(f)) return bits;
    uint32_t down = bits & ~0x1fffu, up = down + 0x2000;
    double below = fabs((double)f) - fabs((double)float_of(down));
    double over = (up & 0x7fffffff) == 0x7f800000 ? ldexp(1, 128) : fabs((double)float_of(up));
    over -= fabs((double)f);
    return below < over || (below == over && !(down >> 13 & 1)) ? down : up;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static const char head[] =
    ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    ".reg .b64 %rd<4>; .reg .b32 %r<12>; .reg .b16 %h<4>; .reg .f32 %f<4>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x;\n"
    "mad.lo.u32 %r4, %r5, 1024, %r4; mul.wide.u32 %rd2, %r4, 56; add.u64 %rd1, %rd1, %rd2;\n"
    "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; mov.b32 %r1, %f1;\n"
    "cvt.u16.u32 %h1, %r1;\n";
/* The results, in this order; those of 16 bits come in %h0. */
static const char *const statements[RESULTS] = {
    "cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;",
    "cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2;",
    "cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %f1, %f2;",
    "cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %f1, %f2;",
    "cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;",
    "cvt.rn.satfinite.e5m2x2.f16x2 %h0, %r1;",
    "cvt.rn.satfinite.relu.e4m3x2.f16x2 %h0, %r1;",
    "cvt.rn.f16x2.e4m3x2 %r0, %h1;",
    "cvt.rn.f16x2.e5m2x2 %r0, %h1;",
    "cvt.rn.relu.f16x2.e4m3x2 %r0, %h1;",
    "cvt.rn.relu.f16x2.e5m2x2 %r0, %h1;",
    "cvt.rn.tf32.f32 %r0, %f1;",
};

/* Returns the text of the kernel, which computes all results of one case per thread. */
static const char *kernel(void) {
    static char text[4096];
    int n = snprintf(text, sizeof text, "%s", head);
    for (unsigned i = 0; i < RESULTS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s\n%sst.global.u32 [%%rd1+%u], %%r0;\n",
                      statements[i], strstr(statements[i], "%h0") ? "cvt.u32.u16 %r0, %h0; " : "",
                      8 + 4 * i);
    snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n");
    return text;
}

static void expect(const uint32_t in[2], const uint32_t *out, unsigned i, unsigned high,
                   unsigned low, unsigned bits) {
    uint32_t want = high << bits | low;
    cr_assert_eq(out[i], want, "result %u of %08x, %08x: %x, not %x", i, in[0], in[1], out[i],
                 want);
}

static unsigned half_table[2][2][256]; /* [e5m2][relu][code] */

/* Compares all results of one case, `w`: two inputs, then the results. */
static void check(const uint32_t *w) {
    const uint32_t *out = w + 2;
    double a = (double)float_of(w[0]), b = (double)float_of(w[1]);
    double high = half_value(w[0] >> 16), low = half_value(w[0] & 0xffff);
    for (unsigned i = 0; i < 4; i++)
        expect(w, out, i, code_of(a, i & 1, i & 2), code_of(b, i & 1, i & 2), 8);
    for (unsigned i = 0; i < 3; i++)
        expect(w, out, 4 + i, code_of(high, i == 1, i == 2), code_of(low, i == 1, i == 2), 8);
    for (unsigned i = 0; i < 4; i++)
        expect(w, out, 7 + i, half_table[i & 1][i >> 1][w[0] >> 8 & 255],
               half_table[i & 1][i >> 1][w[0] & 255], 16);
    expect(w, out, 11, 0, tf32_of(w[0]), 0);
}

static uint64_t seed = 7;
static uint32_t draw(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}
/* Returns a test value: the value of a code, the middle between two codes, or a neighbour of these;
 * any float; an end of a range. */
static uint32_t any_float(void) {
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0xffc12345, 0x7f800001, 1,          0x80000001, 0x7f7fffff,
                                       0x43e00000, 0x43e80000, 0x47600000, 0x47700000, 0x477fffff};
    uint32_t how = draw() % 8, r = draw();
    if (how == 0) return special[r % (sizeof special / sizeof *special)];
    if (how == 1) return r;
    bool e5m2 = how & 1;
    double x = value_of(r & 0x7f, e5m2), y = value_of((r + 1) & 0x7f, e5m2);
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y)) return r;
    float f = (float)(how < 5 ? (x + y) / 2 : x);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    bits += (r >> 8) % 3 - 1; /* may wrap below zero, which gives a NaN */
    return bits ^ (r >> 16 & 1) << 31;
}

/* Runs one set of cases, optimised or not (`way`), and checks them; the first eight sets hold all
 * halves and codes. */
static void round_of(unsigned way, unsigned number) {
    struct run r;
    struct ptx_options o;
    ptx_options_default(&o);
    o.no_optimize = way == 1;
    run_open(&r, kernel(), &o);
    uint64_t base = (uint64_t)(uintptr_t)r.base;
    uint32_t *words = (uint32_t *)(void *)r.base;
    for (unsigned i = 0; i < CASES; i++) {
        uint32_t *w = words + (RESULTS + 2) * i;
        w[0] = number < 8 ? (number * CASES + i) * 0x10001u : any_float(); /* all halves, codes */
        w[1] = any_float();
    }
    heddle_err e = run_kernel(&r, "k", BLOCKS, THREADS, &base, 8, 0);
    cr_assert_eq(e, HEDDLE_OK, "%s", r.diag.text);
    for (unsigned i = 0; i < CASES; i++) check(words + (RESULTS + 2) * i);
    run_close(&r);
}

Test(ptx_fp8, all) {
    for (unsigned e5m2 = 0; e5m2 < 2; e5m2++)
        for (unsigned relu = 0; relu < 2; relu++)
            for (unsigned c = 0; c < 256; c++) half_table[e5m2][relu][c] = half_of(c, e5m2, relu);
    for (unsigned n = 0; n < 12; n++) round_of(0, n);
    round_of(1, 0);
    round_of(1, 9);
}
