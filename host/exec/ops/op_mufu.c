/* op_mufu.c - executes MUFU, the approximate functions of the special function unit.
 *
 * The interpreter (run.c) calls exec_op_MUFU() on the thread that runs the warp. All lanes are
 * computed, active or not, in branch-free loops that compilers vectorise; NaN and infinite results
 * are corrected afterwards. It writes the result register in the lanes of `mask` and touches
 * nothing else. The other functions are pure, or replace the lanes of *v.
 *
 * PTX states error bounds, not values (ex2 and rcp within a unit or two in the last place, lg2
 * within 2^-22, sin and cos within 2^-20.5). This file computes them in double with IEEE operations
 * (add, multiply, fma, divide, square root) and its own polynomials alone, so that every host gives
 * the same bytes. Rounded to single, they are nearly always the nearest value. Angles are in
 * radians. */
#include <math.h>

#include "exec/check/fault.h"
#include "exec/warp/ieee.h"
#include "exec/warp/operand_macros.h"

/* 1/n, and 1/(k (k-1)) for the terms of sine and cosine. */
static const double inverse[] = {
    0,       1,       1. / 2,  1. / 3,  1. / 4,  1. / 5,  1. / 6,  1. / 7,  1. / 8,  1. / 9,
    1. / 10, 1. / 11, 1. / 12, 1. / 13, 1. / 14, 1. / 15, 1. / 16, 1. / 17, 1. / 18, 1. / 19,
    1. / 20, 1. / 21, 1. / 22, 1. / 23, 1. / 24, 1. / 25, 1. / 26, 1. / 27,
};
static const double term[] = {
    0,        0,        1. / 2,   1. / 6,   1. / 12,  1. / 20,  1. / 30,
    1. / 42,  1. / 56,  1. / 72,  1. / 90,  1. / 110, 1. / 132, 1. / 156,
    1. / 182, 1. / 210, 1. / 240, 1. / 272, 1. / 306, 1. / 342,
};

/* The lanes of an operand or of a result. */
struct lanes {
    double x[MIR_WARP_SIZE];
};

/* 2^n for n in -1022..1023. */
static double power_of_two(int32_t n) {
    return f64_from((uint64_t)(n + 1023) << 52);
}

/* 2^x: the exponential series in f ln 2 for the fraction |f| <= 1/2, error below 2^-52. Beyond
 * 2^1000 everything is infinite in single precision, or zero. */
static double exp2_of(double x) {
    const double most = 1000;
    x = x > most ? most : x;
    x = x < -most ? -most : x;
    double n = __builtin_rint(x), t = (x - n) * 0x1.62e42fefa39efp-1, sum = 1.0;
    for (int k = 14; k >= 1; k--) sum = __builtin_fma(sum, t * inverse[k], 1.0);
    return sum * power_of_two((int32_t)n);
}

/* log2 of a positive number: m in [sqrt(1/2), sqrt(2)), then 2 artanh((m-1)/(m+1)) / ln 2 by its
 * series. */
static double log2_of(double x) {
    uint64_t bits = f64_bits(x);
    int32_t e = (int32_t)(bits >> 52 & 0x7ff) - 1022;
    double m = f64_from((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1022) << 52);
    bool low = m < 0x1.6a09e667f3bcdp-1;
    m = low ? 2 * m : m;
    e = low ? e - 1 : e;
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int n = 27; n >= 1; n -= 2) sum = __builtin_fma(sum, s2, inverse[n]);
    return __builtin_fma(s * sum, 0x1.71547652b82fep+1, (double)e);
}

/* sin (quarter 0) or cos (quarter 1) of |x| <= 2^30. Subtracts n pi/2, with pi/2 in two parts, then
 * sums Taylor series. */
static double sine_of(double x, int32_t quarter) {
    double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    double r = __builtin_fma(n, -0x1.921fb54442d18p+0, x);
    r = __builtin_fma(n, -0x1.1a62633145c07p-54, r);
    double r2 = r * r, even = 1, odd = 1;
    quarter = (quarter + (int32_t)n) & 3;
    for (int k = 18; k >= 2; k -= 2) even = __builtin_fma(even, -r2 * term[k], 1.0);
    for (int k = 19; k >= 3; k -= 2) odd = __builtin_fma(odd, -r2 * term[k], 1.0);
    double sum = quarter & 1 ? even : odd * r;
    return quarter & 2 ? -sum : sum;
}

/* Replaces every lane x by sin x (quarter 0) or cos x (quarter 1). |x| above 2^30 is first reduced
 * by fmod; an infinity gives NaN. */
static void sines(struct lanes *v, int32_t quarter) {
    struct lanes y;
    for (unsigned l = 0; l < MIR_WARP_SIZE; l++) {
        double x = v->x[l];
        if (__builtin_fabs(x) > 0x1p30 && !isinf(x)) v->x[l] = fmod(x, 0x1.921fb54442d18p+2);
    }
    for (unsigned l = 0; l < MIR_WARP_SIZE; l++)
        y.x[l] = sine_of(isinf(v->x[l]) ? 0 : v->x[l], quarter);
    for (unsigned l = 0; l < MIR_WARP_SIZE; l++) {
        double x = v->x[l], s = quarter == 0 && x == 0 ? x : y.x[l];
        v->x[l] = isinf(x) ? (double)NAN : s;
    }
}

/* Replaces every lane x by log2 x: -infinity for 0, NaN for a negative x. */
static void logarithms(struct lanes *v) {
    struct lanes y;
    for (unsigned l = 0; l < MIR_WARP_SIZE; l++) y.x[l] = log2_of(v->x[l]);
    for (unsigned l = 0; l < MIR_WARP_SIZE; l++) {
        double x = v->x[l], s = isinf(x) ? x : y.x[l];
        s = x == 0 ? -(double)INFINITY : s;
        v->x[l] = x < 0 ? (double)NAN : s;
    }
}

/* Replaces every lane x by tanh x; below 1e-4 by x itself, which is off by x^3 / 3. */
static void hyperbolic_tangents(struct lanes *v) {
    for (unsigned l = 0; l < MIR_WARP_SIZE; l++) {
        double x = v->x[l], e = exp2_of(x * (2 * 0x1.71547652b82fep+0));
        v->x[l] = __builtin_fabs(x) < 1e-4 ? x : (e - 1) / (e + 1);
    }
}

/* Replaces every lane by its value of function `sub` (MIR_MUFU_RCP to MIR_MUFU_TANH). */
static void apply(unsigned sub, struct lanes *v) {
    switch (sub) {
    case MIR_MUFU_RCP:
        for (unsigned l = 0; l < MIR_WARP_SIZE; l++) v->x[l] = 1.0 / v->x[l];
        break;
    case MIR_MUFU_RSQ:
        for (unsigned l = 0; l < MIR_WARP_SIZE; l++)
            v->x[l] = 1.0 / (v->x[l] == 0 ? v->x[l] : __builtin_sqrt(v->x[l]));
        break;
    case MIR_MUFU_SQRT:
        for (unsigned l = 0; l < MIR_WARP_SIZE; l++) v->x[l] = __builtin_sqrt(v->x[l]);
        break;
    case MIR_MUFU_LG2: logarithms(v); break;
    case MIR_MUFU_EX2:
        for (unsigned l = 0; l < MIR_WARP_SIZE; l++) v->x[l] = exp2_of(v->x[l]);
        break;
    case MIR_MUFU_SIN: sines(v, 0); break;
    case MIR_MUFU_COS: sines(v, 1); break;
    default: hyperbolic_tangents(v);
    }
}

/* d = function sub of a, with FTZ and SAT as for other floats. RCP64H and RSQ64H take and give the
 * high word of a double, with subnormals as zeros. An unknown function raises
 * HEDDLE_ERR_PTX_UNSUPPORTED: exec_raise() fills in the CTA's fault, sets the warp's status and
 * returns EX_FAULT. */
exec_code exec_op_MUFU(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (op->sub > MIR_MUFU_RSQ64H)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "function of MUFU");
    SRC1;
    bool ftz = op->flags & MIR_FTZ;
    warp_reg r;
    struct lanes v;
    if (op->sub >= MIR_MUFU_RCP64H) { /* the high word of a double, subnormals as zeros */
        EACH_LANE(l) {
            uint64_t in = (uint64_t)a->u[l] << 32;
            if (!(in & F64_INF)) in &= F64_SIGN;
            v.x[l] = f64_from(in);
        }
        apply(op->sub - MIR_MUFU_RCP64H, &v);
        EACH_LANE(l) {
            uint64_t d = f64_bits(v.x[l]);
            if (!(d & F64_INF)) d &= F64_SIGN;
            r.u[l] = (uint32_t)(f64_canonical(d) >> 32);
        }
    } else {
        EACH_LANE(l) v.x[l] = (double)f32_from(ftz ? f32_flush(a->u[l]) : a->u[l]);
        apply(op->sub, &v);
        EACH_LANE(l) {
            bool nan = (a->u[l] & 0x7fffffff) > 0x7f800000;
            uint32_t d = nan ? F32_NAN : f32_canonical(f32_bits((float)v.x[l]));
            r.u[l] = ftz ? f32_flush(d) : d;
        }
    }
    if (op->flags & MIR_SAT) EACH_CHUNK(k) r.v[k] = v_saturate(r.v[k]);
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
