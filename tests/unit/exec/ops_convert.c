/* ops_convert.c - references of half precision and of conversions.
 *
 * Half-precision results are found by searching the format's values for the neighbours of the exact
 * result (in 113-bit arithmetic) and picking by distance. A function `void NAME(struct ref *)` is
 * the reference of operation NAME, for one lane: it sets the struct's outputs from its inputs
 * (ops.h). */
#include <fenv.h>
#include <math.h>

#include "ops.h"

__extension__ typedef __float128 quad;

static int flag(const struct ref *x, unsigned f) {
    return (x->inst->flags & f) != 0;
}
static float f32(uint64_t u) {
    uint32_t w = (uint32_t)u;
    float f;
    memcpy(&f, &w, 4);
    return f;
}
static double f64(uint64_t u) {
    double f;
    memcpy(&f, &u, 8);
    return f;
}

/* Returns the value of a half or bfloat16 with these bits. */
static double half_value(uint32_t h, bool bf16) {
    int m = bf16 ? 7 : 10, bias = bf16 ? 127 : 15, top = bf16 ? 255 : 31;
    int e = (int)(h >> m) & top;
    double f = (double)(h & ((1u << m) - 1)), r;
    if (e == top)
        r = f != 0 ? (double)NAN : (double)INFINITY;
    else if (e == 0)
        r = ldexp(f, 1 - bias - m);
    else
        r = ldexp(f + (double)(1 << m), e - bias - m);
    return h & 0x8000 ? -r : r;
}

/* Rounds x to 16 bits: finds its two neighbours among the format's values and picks one by the
 * rounding mode. `sticky` is the sign of the exact value minus x. */
static uint32_t half_bits(quad x, int sticky, bool negative_zero, bool bf16, unsigned round) {
    if (x != x) return 0x7fff;
    bool negative = x < 0 || (x == 0 && negative_zero);
    quad v = x < 0 ? -x : x;
    uint32_t sign = negative ? 0x8000 : 0, infinity = bf16 ? 0x7f80 : 0x7c00;
    uint32_t low = 0, high = infinity; /* half_value(low) <= v < half_value(high) */
    if (v >= (quad)half_value(infinity, bf16)) return sign | infinity;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if ((quad)half_value(middle, bf16) <= v)
            low = middle;
        else
            high = middle;
    }
    quad below = (quad)half_value(low, bf16);
    /* Above the largest finite value, round as if the next value were one step further. */
    quad above = high == infinity ? 2 * below - (quad)half_value(low - 1, bf16)
                                  : (quad)half_value(high, bf16);
    if (v == below) return sign | low;
    bool up, more = (sticky > 0) != negative;
    switch (round) {
    case MIR_ROUND_NEAREST:
        up = v - below > above - v || (v - below == above - v && (sticky ? more : low & 1));
        break;
    case MIR_ROUND_ZERO: up = false; break;
    case MIR_ROUND_DOWN: up = negative; break;
    default: up = !negative; break;
    }
    return sign | (up ? high : low);
}

static bool is_bf16(mir_type t) {
    return t == MIR_BF16 || t == MIR_BF16X2;
}
static uint32_t flush16(const struct ref *x, uint32_t h) {
    uint32_t exponent = is_bf16(x->inst->type) ? 0x7f80 : 0x7c00;
    return flag(x, MIR_FTZ) && !(h & exponent) ? h & 0x8000 : h;
}
static void half_arithmetic(struct ref *x) {
    bool bf = is_bf16(x->inst->type);
    bool two = x->inst->type == MIR_F16X2 || x->inst->type == MIR_BF16X2;
    x->d[0] = 0;
    for (unsigned i = 0; i <= two; i++) {
        quad a = (quad)half_value(flush16(x, x->a >> (16 * i) & 0xffff), bf);
        quad b = (quad)half_value(flush16(x, x->b >> (16 * i) & 0xffff), bf);
        quad c = (quad)half_value(flush16(x, x->c >> (16 * i) & 0xffff), bf);
        quad r = x->inst->op == MIR_HADD2 ? a + b : x->inst->op == MIR_HMUL2 ? a * b : a * b + c;
        bool minus = signbit((double)r) != 0;
        quad big = x->inst->op == MIR_HADD2 ? a : x->inst->op == MIR_HMUL2 ? r : a * b;
        quad small = x->inst->op == MIR_HADD2 ? b : x->inst->op == MIR_HMUL2 ? 0 : c;
        quad rest = r - big, lost = (big - (r - rest)) + (small - rest);
        int sticky = lost > 0 ? 1 : lost < 0 ? -1 : 0;
        uint32_t h = flush16(x, half_bits(r, sticky, minus, bf, MIR_ROUND_NEAREST));
        if (flag(x, MIR_SAT)) {
            double v = half_value(h, bf);
            h = isnan(v) || v <= 0 ? 0 : v > 1 ? (bf ? 0x3f80 : 0x3c00) : h;
        }
        x->d[0] |= h << (16 * i);
    }
}
static int order(double a, double b) {
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}
static void hmnmx2(struct ref *x) {
    bool bf = is_bf16(x->inst->type), two = x->inst->type == MIR_F16X2;
    x->d[0] = 0;
    for (unsigned i = 0; i <= two; i++) {
        uint32_t h[2] = {x->a >> (16 * i) & 0xffff, x->b >> (16 * i) & 0xffff}, m;
        double a = half_value(h[0], bf), b = half_value(h[1], bf);
        if (isnan(a) && isnan(b))
            m = 0x7fff;
        else if (x->inst->sub == 1 && (isnan(a) || isnan(b)))
            m = 0x7fff;
        else if (isnan(a))
            m = h[1];
        else if (isnan(b))
            m = h[0];
        else if (a == b)
            m = (h[0] >> 15 == 1) == x->p ? h[0] : h[1];
        else
            m = (a < b) == x->p ? h[0] : h[1];
        x->d[0] |= m << (16 * i);
    }
}
static void hsetp2(struct ref *x) {
    bool bf = is_bf16(x->inst->type), t[2];
    for (unsigned i = 0; i < 2; i++) {
        int o = order(half_value(x->a >> (16 * i) & 0xffff, bf),
                      half_value(x->b >> (16 * i) & 0xffff, bf));
        bool r = x->inst->cmp == MIR_CMP_LT ? o == -1 : o != 0; /* LT, NEU */
        t[i] = x->inst->bop == MIR_AND ? r && x->p : r || x->p;
    }
    x->P = t[0];
    x->Q = t[1];
}

/* ---- conversions */

static double source(const struct ref *x) {
    switch (x->inst->type2) {
    case MIR_F64: return f64(x->a);
    case MIR_F16: return half_value(x->a & 0xffff, false);
    case MIR_BF16: return half_value(x->a & 0xffff, true);
    default: {
        float f = f32(x->a);
        if (flag(x, MIR_FTZ) && fpclassify(f) == FP_SUBNORMAL) f = copysignf(0, f);
        return (double)f;
    }
    }
}
static void set_round(const struct ref *x) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(modes[x->inst->round]);
}
static void result(struct ref *x, double v) {
    if (flag(x, MIR_SAT)) v = isnan(v) || v <= 0 ? 0 : v > 1 ? 1 : v;
    uint64_t u;
    float f;
    switch (x->inst->type) {
    case MIR_F64:
        memcpy(&u, &v, 8);
        if (isnan(v)) u = UINT64_C(0xfff8000000000000);
        x->d[0] = (uint32_t)u;
        x->d[1] = (uint32_t)(u >> 32);
        return;
    case MIR_F16: x->d[0] = half_bits((quad)v, 0, signbit(v), false, x->inst->round); return;
    case MIR_BF16: x->d[0] = half_bits((quad)v, 0, signbit(v), true, x->inst->round); return;
    case MIR_TF32: { /* nearest, ties away: add half of the last place kept and cut */
        uint32_t w;
        f = (float)v;
        memcpy(&w, &f, 4);
        if (isnan(f))
            w = 0x7fffffff;
        else if (!isinf(f))
            w = (w + 0x1000) & ~UINT32_C(0x1fff);
        x->d[0] = w;
        return;
    }
    default: {
        volatile double wide = v;
        set_round(x);
        f = (float)wide;
        fesetround(FE_TONEAREST);
        if (flag(x, MIR_FTZ) && fpclassify(f) == FP_SUBNORMAL) f = copysignf(0, f);
        memcpy(x->d, &f, 4);
        if (isnan(f)) x->d[0] = 0x7fffffff;
    }
    }
}
static void f2f(struct ref *x) {
    result(x, source(x));
}
static double integral(const struct ref *x, double v) {
    volatile double in = v, r;
    set_round(x);
    r = nearbyint(in);
    fesetround(FE_TONEAREST);
    return r;
}
static void frnd(struct ref *x) {
    struct mir_inst as = *x->inst;
    as.type2 = as.type;
    const struct mir_inst *old = x->inst;
    x->inst = &as;
    double v = integral(x, source(x));
    as.round = MIR_ROUND_NEAREST;
    result(x, v);
    x->inst = old;
}
static unsigned bits_of(mir_type t) {
    return t == MIR_U8 || t == MIR_S8     ? 8
           : t == MIR_U16 || t == MIR_S16 ? 16
           : t == MIR_U64 || t == MIR_S64 ? 64
                                          : 32;
}
static bool sign_of(mir_type t) {
    return t == MIR_S8 || t == MIR_S16 || t == MIR_S32 || t == MIR_S64;
}
static void f2i(struct ref *x) {
    unsigned n = bits_of(x->inst->type);
    bool sign = sign_of(x->inst->type);
    __extension__ typedef __int128 wide;
    wide one = 1, high = sign ? (one << (n - 1)) - 1 : (one << n) - 1;
    wide low = sign ? -(one << (n - 1)) : 0, r;
    double v = source(x);
    if (isnan(v)) {
        r = x->inst->type2 == MIR_F64 || n == 64 ? one << (n - 1) : 0;
        if (sign && r) r = low;
    } else {
        v = integral(x, v);
        r = v > 0x1p70 ? high : v < -0x1p70 ? low : (wide)v;
        r = r > high ? high : r < low ? low : r;
    }
    x->d[0] = (uint32_t)r;
    if (n == 64) x->d[1] = (uint32_t)(r >> 32);
}
static int64_t integer(const struct ref *x, mir_type t) {
    switch (t) {
    case MIR_U8: return (uint8_t)x->a;
    case MIR_S8: return (int8_t)x->a;
    case MIR_U16: return (uint16_t)x->a;
    case MIR_S16: return (int16_t)x->a;
    case MIR_U32: return (uint32_t)x->a;
    case MIR_S32: return (int32_t)x->a;
    default: return (int64_t)x->a;
    }
}
static void i2f(struct ref *x) {
    volatile int64_t s = integer(x, x->inst->type2);
    volatile uint64_t u = (uint64_t)s;
    bool big = x->inst->type2 == MIR_U64;
    if (x->inst->type == MIR_F32) {
        /* 80-bit floats hold every 64-bit integer: one rounding. */
        volatile long double exact = big ? (long double)u : (long double)s;
        set_round(x);
        volatile float f = (float)exact;
        fesetround(FE_TONEAREST);
        float value = f;
        memcpy(x->d, &value, 4);
    } else if (x->inst->type == MIR_F64) {
        volatile long double exact = big ? (long double)u : (long double)s;
        set_round(x);
        volatile double f = (double)exact;
        fesetround(FE_TONEAREST);
        double value = f;
        memcpy(x->d, &value, 8);
    } else {
        x->d[0] = half_bits(big ? (quad)u : (quad)s, 0, false, x->inst->type == MIR_BF16,
                            x->inst->round);
    }
}
static void i2i(struct ref *x) {
    int64_t v = integer(x, x->inst->type2);
    unsigned n = bits_of(x->inst->type);
    bool sign = sign_of(x->inst->type);
    int64_t low = sign ? -(INT64_C(1) << (n - 1)) : 0;
    int64_t high = sign ? (INT64_C(1) << (n - 1)) - 1 : (INT64_C(1) << n) - 1;
    if (flag(x, MIR_SAT)) v = v < low ? low : v > high ? high : v;
    struct ref cut = {.a = (uint64_t)v};
    x->d[0] = (uint32_t)integer(&cut, x->inst->type);
}

#define NO_P .pdst = {MIR_PT, MIR_PT}
#define FM (MIR_SRC_NEG | MIR_SRC_ABS)
#define HALF(o, t, fl, v) \
    { #o " " #t " " #fl, CASE(o, NO_P, .type = MIR_##t, .flags = fl), half_arithmetic, v, FM, 0, 0 }
#define ALL_HALF(o)                                                               \
    HALF(o, F16, 0, VALUES_F16), HALF(o, F16X2, 0, VALUES_F16),                   \
        HALF(o, F16X2, MIR_FTZ, VALUES_F16), HALF(o, F16X2, MIR_SAT, VALUES_F16), \
        HALF(o, BF16X2, 0, VALUES_BF16), HALF(o, BF16, 0, VALUES_BF16)
static const struct op_case halves[] = {
    ALL_HALF(HADD2),
    ALL_HALF(HMUL2),
    ALL_HALF(HFMA2),
    {"HMNMX2 f16x2", CASE(HMNMX2, NO_P, .type = MIR_F16X2), hmnmx2, VALUES_F16, FM, 0, 0},
    {"HMNMX2 f16x2 nan", CASE(HMNMX2, NO_P, .type = MIR_F16X2, .sub = 1), hmnmx2, VALUES_F16, FM, 0,
     0},
    {"HMNMX2 bf16", CASE(HMNMX2, NO_P, .type = MIR_BF16), hmnmx2, VALUES_BF16, FM, 0, 0},
    {"HSETP2 lt", CASE(HSETP2, .dst = MIR_RZ, .type = MIR_F16X2, .cmp = MIR_CMP_LT), hsetp2,
     VALUES_F16, FM, 0, 0},
    {"HSETP2 neu or",
     CASE(HSETP2, .dst = MIR_RZ, .type = MIR_BF16X2, .cmp = MIR_CMP_NEU, .bop = MIR_OR), hsetp2,
     VALUES_BF16, FM, 0, 0},
};
const struct op_case_list half_cases = {halves, sizeof halves / sizeof *halves};

#define V_F32 VALUES_F32, FM, 0, 0
#define V_F64 VALUES_F64, FM, 1, 0
#define V_F16 VALUES_F16, 0, 0, 0
#define V_BF16 VALUES_BF16, 0, 0, 0
#define V_INT VALUES_INT, 0, 0, 0
#define V_INT64 VALUES_INT, MIR_SRC_NEG, 1, 0
#define CONVERT(o, ref, to, from, rnd, fl, ...)                                            \
    {                                                                                      \
#o " " #to " " #from " " #rnd " " #fl,                                             \
            CASE(o, NO_P, .type = MIR_##to, .type2 = MIR_##from, .round = MIR_ROUND_##rnd, \
                 .flags = fl),                                                             \
            ref, __VA_ARGS__                                                               \
    }
#define MODES(o, ref, to, from, fl, ...)                  \
    CONVERT(o, ref, to, from, NEAREST, fl, __VA_ARGS__),  \
        CONVERT(o, ref, to, from, ZERO, fl, __VA_ARGS__), \
        CONVERT(o, ref, to, from, DOWN, fl, __VA_ARGS__), \
        CONVERT(o, ref, to, from, UP, fl, __VA_ARGS__)

static const struct op_case converts[] = {
    MODES(F2F, f2f, F32, F64, 0, V_F64),
    MODES(F2F, f2f, F16, F32, 0, V_F32),
    MODES(F2F, f2f, BF16, F32, 0, V_F32),
    MODES(F2F, f2f, F16, F64, 0, V_F64),
    CONVERT(F2F, f2f, F64, F32, NEAREST, 0, V_F32),
    CONVERT(F2F, f2f, F64, F16, NEAREST, 0, V_F16),
    CONVERT(F2F, f2f, F32, F16, NEAREST, 0, V_F16),
    CONVERT(F2F, f2f, F32, BF16, NEAREST, 0, V_BF16),
    CONVERT(F2F, f2f, F32, F32, NEAREST, MIR_SAT, V_F32),
    CONVERT(F2F, f2f, F32, F32, NEAREST, MIR_FTZ, V_F32),
    CONVERT(F2F, f2f, F32, F64, NEAREST, MIR_FTZ | MIR_SAT, V_F64),
    CONVERT(F2F, f2f, F64, F64, NEAREST, MIR_SAT, V_F64),
    CONVERT(F2F, f2f, TF32, F32, NEAREST, 0, V_F32),
    MODES(FRND, frnd, F32, F32, 0, V_F32),
    MODES(FRND, frnd, F64, F64, 0, V_F64),
    MODES(FRND, frnd, F16, F16, 0, V_F16),
    CONVERT(FRND, frnd, F32, F32, UP, MIR_FTZ, V_F32),
    CONVERT(FRND, frnd, F32, F32, NEAREST, MIR_SAT, V_F32),
    MODES(F2I, f2i, S32, F32, 0, V_F32),
    MODES(F2I, f2i, U32, F32, 0, V_F32),
    MODES(F2I, f2i, S64, F32, 0, V_F32),
    MODES(F2I, f2i, U64, F64, 0, V_F64),
    MODES(F2I, f2i, S64, F64, 0, V_F64),
    MODES(F2I, f2i, S32, F64, 0, V_F64),
    CONVERT(F2I, f2i, U32, F64, ZERO, 0, V_F64),
    CONVERT(F2I, f2i, S16, F32, ZERO, 0, V_F32),
    CONVERT(F2I, f2i, U16, F32, NEAREST, 0, V_F32),
    CONVERT(F2I, f2i, U8, F32, UP, 0, V_F32),
    CONVERT(F2I, f2i, S8, F64, DOWN, 0, V_F64),
    CONVERT(F2I, f2i, S32, F16, ZERO, 0, V_F16),
    CONVERT(F2I, f2i, U32, F32, UP, MIR_FTZ, V_F32),
    MODES(I2F, i2f, F32, S32, 0, V_INT),
    MODES(I2F, i2f, F32, U32, 0, V_INT),
    MODES(I2F, i2f, F32, S64, 0, V_INT64),
    MODES(I2F, i2f, F32, U64, 0, V_INT64),
    MODES(I2F, i2f, F64, S64, 0, V_INT64),
    MODES(I2F, i2f, F64, U64, 0, V_INT64),
    CONVERT(I2F, i2f, F64, S32, NEAREST, 0, V_INT),
    CONVERT(I2F, i2f, F64, U32, NEAREST, 0, V_INT),
    CONVERT(I2F, i2f, F32, S8, NEAREST, 0, V_INT),
    CONVERT(I2F, i2f, F32, U8, NEAREST, 0, V_INT),
    CONVERT(I2F, i2f, F32, S16, NEAREST, 0, V_INT),
    CONVERT(I2F, i2f, F32, U16, NEAREST, 0, V_INT),
    CONVERT(I2F, i2f, F16, S32, NEAREST, 0, V_INT),
    CONVERT(I2F, i2f, F16, U32, ZERO, 0, V_INT),
    CONVERT(I2F, i2f, BF16, U64, NEAREST, 0, V_INT64),
    CONVERT(I2F, i2f, BF16, S64, UP, 0, V_INT64),
#define INTEGERS(fl)                                     \
    CONVERT(I2I, i2i, S8, S32, NEAREST, fl, V_INT),      \
        CONVERT(I2I, i2i, U8, S32, NEAREST, fl, V_INT),  \
        CONVERT(I2I, i2i, S16, U32, NEAREST, fl, V_INT), \
        CONVERT(I2I, i2i, U16, S32, NEAREST, fl, V_INT), \
        CONVERT(I2I, i2i, S32, S8, NEAREST, fl, V_INT),  \
        CONVERT(I2I, i2i, U32, S16, NEAREST, fl, V_INT), \
        CONVERT(I2I, i2i, S32, U32, NEAREST, fl, V_INT)
    INTEGERS(0),
    INTEGERS(MIR_SAT),
};
const struct op_case_list convert_cases = {converts, sizeof converts / sizeof *converts};
