/* exec_mufu.c - the approximate functions of the special function unit.
 *
 * PTX states bounds, not values (ex2 and rcp within a unit or two in the last place, lg2 within
 * 2^-22, sin and cos within 2^-20.5). Here they are computed in double with nothing but IEEE
 * operations (add, multiply, fma, divide, square root) and polynomials of our own, so that every
 * host gives the same bytes; rounded to single they are nearly always the nearest value. Angles are
 * in radians. */
#include <math.h>

#include "exec/exec_ieee.h"
#include "exec/exec_operands.h"

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

/* 2^f for |f| <= 1/2: the exponential series in f ln 2, error below 2^-52. */
static double exp2_fraction(double f) {
    double t = f * 0x1.62e42fefa39efp-1, sum = 1.0;
    for (int n = 14; n >= 1; n--) sum = __builtin_fma(sum, t * inverse[n], 1.0);
    return sum;
}

static double exp2_double(double x) {
    if (x > 2000) return (double)INFINITY;
    if (x < -2000) return 0.0;
    double n = __builtin_rint(x);
    return ldexp(exp2_fraction(x - n), (int)n);
}

/* log2: m in [sqrt(1/2), sqrt(2)), then 2 artanh((m-1)/(m+1)) / ln 2 by its series. */
static double log2_double(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        e--;
    }
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int n = 27; n >= 1; n -= 2) sum = __builtin_fma(sum, s2, inverse[n]);
    return __builtin_fma(s * sum, 0x1.71547652b82fep+1, e);
}

/* sin (quarter 0) or cos (quarter 1) of x: x - n pi/2 in three parts, then Taylor series. */
static double sine_double(double x, unsigned quarter) {
    if (isinf(x)) return (double)NAN;
    if (__builtin_fabs(x) > 0x1p30) x = fmod(x, 0x1.921fb54442d18p+2); /* exact */
    double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    double r = __builtin_fma(n, -0x1.921fb54442d18p+0, x);
    r = __builtin_fma(n, -0x1.1a62633145c07p-54, r);
    double r2 = r * r, sum;
    quarter = (quarter + (unsigned)(int64_t)n) & 3;
    if (quarter & 1) {
        sum = 1;
        for (int k = 18; k >= 2; k -= 2) sum = __builtin_fma(sum, -r2 * term[k], 1.0);
    } else {
        sum = 1;
        for (int k = 19; k >= 3; k -= 2) sum = __builtin_fma(sum, -r2 * term[k], 1.0);
        sum *= r;
    }
    return quarter & 2 ? -sum : sum;
}

static double tanh_double(double x) {
    if (__builtin_fabs(x) < 1e-4) return x; /* off by x^3 / 3 */
    double e = exp2_double(x * (2 * 0x1.71547652b82fep+0));
    return isinf(e) ? 1.0 : (e - 1) / (e + 1);
}

static double function(unsigned sub, double x) {
    switch (sub) {
    case MIR_MUFU_RCP: return 1.0 / x;
    case MIR_MUFU_RSQ: return x == 0 ? 1.0 / x : 1.0 / __builtin_sqrt(x);
    case MIR_MUFU_SQRT: return __builtin_sqrt(x);
    case MIR_MUFU_LG2:
        return x < 0 ? (double)NAN : x == 0 ? -(double)INFINITY : isinf(x) ? x : log2_double(x);
    case MIR_MUFU_EX2: return exp2_double(x);
    case MIR_MUFU_SIN: return x == 0 ? x : sine_double(x, 0);
    case MIR_MUFU_COS: return sine_double(x, 1);
    default: return tanh_double(x);
    }
}

exec_code exec_op_MUFU(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (op->sub > MIR_MUFU_RSQ64H)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "function of MUFU");
    SRC1;
    bool ftz = op->flags & MIR_FTZ;
    row r = {0};
    EACH_SET(l, mask) {
        if (op->sub >= MIR_MUFU_RCP64H) { /* the high word of a double, subnormals as zeros */
            uint64_t in = (uint64_t)a->u[l] << 32;
            if (!(in & F64_INF)) in &= F64_SIGN;
            uint64_t d = f64_bits(function(op->sub - MIR_MUFU_RCP64H, f64_from(in)));
            if (!(d & F64_INF)) d &= F64_SIGN;
            r.u[l] = (uint32_t)(f64_canonical(d) >> 32);
            continue;
        }
        float x = f32_from(ftz ? f32_flush(a->u[l]) : a->u[l]);
        uint32_t d = F32_NAN;
        if (!isnan(x)) d = f32_canonical(f32_bits((float)function(op->sub, (double)x)));
        r.u[l] = ftz ? f32_flush(d) : d;
    }
    if (op->flags & MIR_SAT) EACH_CHUNK(k) r.v[k] = v_saturate(r.v[k]);
    row_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}
