/* ops_test.c - every PTX operation, compiled and executed, against C.
 *
 * Each row is an operation: PTX that computes %rd0 (64 bits) from the sources, and a C function of
 * the same three 64-bit values. Each source is available in every type: %rd1..3, %r1..3 (low
 * words), %h1..3 (low halves), %f1..3, %fd1..3. All rows run optimised, unoptimised and with
 * sixteen registers, over special values and random ones. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/float_bits.h"

typedef uint64_t u64;
typedef uint32_t u32;
typedef int32_t s32;
typedef int64_t s64;
typedef uint16_t u16;
typedef int16_t s16;

/* ---- values --------------------------------------------------------------------------------- */

static u64 of_f(float f) {
    return f != f ? 0x7fffffff : bits32(f); /* one NaN */
}
static u64 of_d(double d) {
    return d != d ? UINT64_C(0x7fffffffffffffff) : bits64(d);
}
static u64 canonical_f(u64 v) {
    return of_f(f32(v));
}
static u64 canonical_d(u64 v) {
    return of_d(f64(v));
}

/* Half precision computed in double, which is wide enough that one rounding is exact. */
static double h_of(u64 v) {
    u32 e = v >> 10 & 31, m = v & 1023;
    double d = e == 31  ? (m ? NAN : INFINITY)
               : e == 0 ? ldexp(m, -24)
                        : ldexp(1024.0 + m, (int)e - 25);
    return v >> 15 & 1 ? -d : d;
}
/* Rounds a double to a half: nearest even. */
static u64 of_h(double d) {
    if (d != d) return 0x7fff;
    u64 sign = signbit(d) ? 0x8000 : 0;
    d = fabs(d);
    if (d >= 65520.0) return sign | 0x7c00;
    if (d == 0) return sign;
    int e;
    frexp(d, &e);
    if (e < -13) e = -13;
    double q = nearbyint(ldexp(d, 11 - e));     /* eleven bits; fewer for subnormals */
    return sign | (u64)(q + ldexp(e + 13, 10)); /* a carry moves on into the exponent */
}

enum result { BITS, F32, F64, NEAR }; /* NaNs are all equal; NEAR: floats within 2^-20 */

struct row {
    const char *name, *ptx;
    enum result result;
    u64 (*want)(u64 a, u64 b, u64 c);
};

#define ROW(name, ptx, result, expr)       \
    static u64 name(u64 a, u64 b, u64 c) { \
        (void)a, (void)b, (void)c;         \
        return (u64)(expr);                \
    }
#include "ops_table.def"
#include "ops_more.def"
#undef ROW

static const struct row rows[] = {
#define ROW(name, ptx, result, expr) {#name, ptx, result, name},
#include "ops_table.def"
#include "ops_more.def"
#undef ROW
};

/* ---- sources -------------------------------------------------------------------------------- */

static const u64 special[] = {
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    UINT64_C(0x100000000),
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_C(0xffffffffffffffff),
    UINT64_C(0xfffffffffffffffe),
    0x3f800000,
    0xbf800000,
    0x40490fdb,
    0x7f800000,
    0xff800000,
    0x7fc00000,
    0x00800000,
    0x007fffff,
    0x00000001,
    0x7f7fffff,
    0x4b000000,
    0xc2c80000,
    0x34000000,
    0x0da24260,
    0x72000000,
    UINT64_C(0x3ff0000000000000),
    UINT64_C(0xbff0000000000000),
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0x7ff8000000000000),
    UINT64_C(0x0010000000000000),
    UINT64_C(0x000fffffffffffff),
    UINT64_C(0x7fefffffffffffff),
    UINT64_C(0x4330000000000000),
    UINT64_C(0x400921fb54442d18),
    UINT64_C(0x41dfffffffc00000),
    UINT64_C(0xc1e0000000000000),
    UINT64_C(0x0360000000000000),
    UINT64_C(0x1e56e1fc2f8f3597),
    UINT64_C(0x7c90000000000000),
};

static u64 random_bits(u64 *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    u64 x = *state >> 17;
    return x * UINT64_C(0x9e3779b97f4a7c15) ^ x >> 29;
}

/* Returns a random source value: a special value, random bits, a small number, an ordinary float or
 * double. */
static u64 source(u64 *state) {
    u64 k = random_bits(state), v = random_bits(state);
    switch (k % 8) {
    case 0:
    case 1: return special[v % (sizeof special / sizeof *special)];
    case 2: return v;
    case 3: return v & 0xffffffff;
    case 4: return v % 100;
    case 5: return of_f((float)((s64)v >> 40) / 1024.0f) | (v & 0xffffffff00000000);
    case 6: return of_d((double)((s64)v >> 20) / 4096.0);
    default: return (u64)((s64)v >> (k >> 8) % 64);
    }
}

/* ---- running -------------------------------------------------------------------------------- */

enum { THREADS = 256, CTAS = 4, N = THREADS * CTAS };

static const char frame[] =
    ".version 8.8\n.target sm_100\n.address_size 64\n"
    ".visible .entry t(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b64 %%rd<30>; .reg .b32 %%r<30>; .reg .b16 %%h<30>; .reg .f32 %%f<30>;\n"
    ".reg .f64 %%fd<30>; .reg .pred %%p<8>;\n"
    "mov.u32 %%r20, %%tid.x; mov.u32 %%r21, %%ctaid.x; mov.u32 %%r22, %%ntid.x;\n"
    "mad.lo.u32 %%r20, %%r21, %%r22, %%r20;\n"
    "ld.param.u64 %%rd20, [in]; ld.param.u64 %%rd21, [out];\n"
    "mad.wide.u32 %%rd20, %%r20, 24, %%rd20; mad.wide.u32 %%rd21, %%r20, 8, %%rd21;\n"
    "ld.global.u64 %%rd1, [%%rd20]; ld.global.u64 %%rd2, [%%rd20+8]; ld.global.u64 %%rd3, "
    "[%%rd20+16];\n"
    "cvt.u32.u64 %%r1, %%rd1; cvt.u32.u64 %%r2, %%rd2; cvt.u32.u64 %%r3, %%rd3;\n"
    "cvt.u16.u64 %%h1, %%rd1; cvt.u16.u64 %%h2, %%rd2; cvt.u16.u64 %%h3, %%rd3;\n"
    "mov.b32 %%f1, %%r1; mov.b32 %%f2, %%r2; mov.b32 %%f3, %%r3;\n"
    "mov.b64 %%fd1, %%rd1; mov.b64 %%fd2, %%rd2; mov.b64 %%fd3, %%rd3;\n"
    "mov.u64 %%rd0, 0; mov.u32 %%r0, 0; mov.b16 %%h0, 0;\n"
    "%s\n"
    "st.global.u64 [%%rd21], %%rd0;\nret;\n}\n";

static bool agree(const struct row *r, u64 got, u64 want) {
    if (got == want) return true;
    if (r->result != NEAR) return false;
    double x = f32(got), y = f32(want);
    return fabs(x - y) <= ldexp(fabs(y), -20) + 1e-37;
}

static u64 compared(const struct row *r, u64 v) {
    if (r->result == NEAR) return canonical_f(v);
    return r->result == F32 ? canonical_f(v) : r->result == F64 ? canonical_d(v) : v;
}

/* Compiles and runs one row with the options on N random sources, and compares all results. */
static void run_row(const struct row *row, const struct ptx_options *o, const char *how) {
    char text[8192];
    struct run r;
    u64 state = 12345;
    snprintf(text, sizeof text, frame, row->ptx);
    run_open(&r, text, o);
    u64 *in = (u64 *)r.base, *out = in + 3 * N;
    u64 params[2] = {(u64)(uintptr_t)in, (u64)(uintptr_t)out};
    for (unsigned i = 0; i < 3 * N; i++) in[i] = source(&state);
    heddle_err e = run_kernel(&r, "t", CTAS, THREADS, params, sizeof params, 0);
    cr_assert_eq(e, HEDDLE_OK, "%s (%s): %s", row->name, how, r.diag.text);
    for (unsigned i = 0; i < N; i++) {
        u64 a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        u64 want = compared(row, row->want(a, b, c)), got = compared(row, out[i]);
        cr_expect(agree(row, got, want), "%s (%s) of %#llx %#llx %#llx gives %#llx, not %#llx",
                  row->name, how, (unsigned long long)a, (unsigned long long)b,
                  (unsigned long long)c, (unsigned long long)got, (unsigned long long)want);
        if (!agree(row, got, want)) break;
    }
    run_close(&r);
}

static void run_all(const struct ptx_options *o, const char *how) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) run_row(&rows[i], o, how);
}

Test(ptx_ops, optimised) {
    struct ptx_options o;
    ptx_options_default(&o);
    run_all(&o, "optimised");
}

Test(ptx_ops, unoptimised) {
    struct ptx_options o;
    ptx_options_default(&o);
    o.no_optimize = true;
    run_all(&o, "unoptimised");
}

Test(ptx_ops, sixteen_registers) {
    struct ptx_options o;
    ptx_options_default(&o);
    o.no_optimize = true;
    o.max_regs = 16;
    run_all(&o, "sixteen registers");
}
