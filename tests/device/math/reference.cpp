// reference.cpp - see reference.h. reference_NAME() computes NAME by MPFR; where MPFR lacks a
// function or differs from CUDA in a special case, the function here says how.
#include "reference.h"

#include <limits.h>
#include <math.h>

#define R MPFR_RNDN
#define PLAIN1(name, function)                                                \
    void reference_##name(mpfr_t r, mpfr_t *x, const reference_operands *o) { \
        function(r, x[0], R);                                                 \
    }
#define PLAIN2(name, function)                                                \
    void reference_##name(mpfr_t r, mpfr_t *x, const reference_operands *o) { \
        function(r, x[0], x[1], R);                                           \
    }
#define ROUND(name, function)                                                 \
    void reference_##name(mpfr_t r, mpfr_t *x, const reference_operands *o) { \
        function(r, x[0]);                                                    \
    }
PLAIN1(exp, mpfr_exp)
PLAIN1(exp2, mpfr_exp2)
PLAIN1(exp10, mpfr_exp10)
PLAIN1(expm1, mpfr_expm1)
PLAIN1(log2, mpfr_log2)
PLAIN1(log10, mpfr_log10)
PLAIN1(log, mpfr_log)
PLAIN1(log1p, mpfr_log1p)
PLAIN1(sin, mpfr_sin)
PLAIN1(cos, mpfr_cos)
PLAIN1(sincos_sine, mpfr_sin)
PLAIN1(sincos_cosine, mpfr_cos)
PLAIN1(tan, mpfr_tan)
PLAIN1(asin, mpfr_asin)
PLAIN1(acos, mpfr_acos)
PLAIN1(atan, mpfr_atan)
PLAIN1(sinh, mpfr_sinh)
PLAIN1(cosh, mpfr_cosh)
PLAIN1(tanh, mpfr_tanh)
PLAIN1(asinh, mpfr_asinh)
PLAIN1(acosh, mpfr_acosh)
PLAIN1(atanh, mpfr_atanh)
PLAIN1(sqrt, mpfr_sqrt)
PLAIN1(cbrt, mpfr_cbrt)
PLAIN1(erf, mpfr_erf)
PLAIN1(erfc, mpfr_erfc)
PLAIN1(tgamma, mpfr_gamma)
PLAIN1(fabs, mpfr_abs)
PLAIN1(rint, mpfr_rint)
PLAIN1(nearbyint, mpfr_rint)
PLAIN1(modf_rest, mpfr_frac)
ROUND(floor, mpfr_floor)
ROUND(ceil, mpfr_ceil)
ROUND(trunc, mpfr_trunc)
ROUND(modf_whole, mpfr_trunc)
ROUND(round, mpfr_round)
PLAIN2(pow, mpfr_pow)
PLAIN2(atan2, mpfr_atan2)
PLAIN2(hypot, mpfr_hypot)
PLAIN2(fmod, mpfr_fmod)
PLAIN2(remainder, mpfr_remainder)
PLAIN2(fmin, mpfr_min)
PLAIN2(fmax, mpfr_max)

void reference_rsqrt(mpfr_t r, mpfr_t *x, const reference_operands *o) {
    mpfr_rec_sqrt(r, x[0], R);
    if (mpfr_zero_p(x[0])) mpfr_set_inf(r, mpfr_signbit(x[0]) ? -1 : 1);
}
void reference_rcbrt(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_cbrt(r, x[0], R);
    mpfr_ui_div(r, 1, r, R);
}
void reference_sinpi(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_sinpi(r, x[0], R);
}
void reference_cospi(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_cospi(r, x[0], R);
}
void reference_lgamma(mpfr_t r, mpfr_t *x, const reference_operands *) {
    int sign;
    mpfr_lgamma(r, &sign, x[0], R);
}
// exp(x^2) erfc(x): for large x by the asymptotic series; up to there, erfc stays in MPFR's range.
void reference_erfcx(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_t a, b;
    if (mpfr_cmp_d(x[0], 1e8) > 0) {
        // 1 / (x sqrt pi) (1 - 1 / (2 x^2) + 3 / (4 x^4)), the next term below 2^-119
        mpfr_inits2(400, a, b, (mpfr_ptr)0);
        mpfr_sqr(a, x[0], R);
        mpfr_ui_div(a, 1, a, R);
        mpfr_mul_d(b, a, 0.75, R);
        mpfr_sub_d(b, b, 0.5, R);
        mpfr_mul(b, b, a, R);
        mpfr_add_ui(b, b, 1, R);
        mpfr_const_pi(a, R);
        mpfr_sqrt(a, a, R);
        mpfr_mul(a, a, x[0], R);
        mpfr_div(r, b, a, R);
    } else {
        mpfr_inits2(400, a, b, (mpfr_ptr)0);
        mpfr_sqr(a, x[0], R);
        mpfr_exp(a, a, R);
        mpfr_erfc(b, x[0], R);
        mpfr_mul(r, a, b, R);
    }
    mpfr_clears(a, b, (mpfr_ptr)0);
}
void reference_normcdf(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_t a, b;
    mpfr_inits2(400, a, b, (mpfr_ptr)0);
    mpfr_sqrt_ui(a, 2, R);
    mpfr_div(a, x[0], a, R);
    mpfr_neg(a, a, R);
    mpfr_erfc(b, a, R);
    mpfr_div_2ui(r, b, 1, R);
    mpfr_clears(a, b, (mpfr_ptr)0);
}
// Newton's iteration on erfc(y) = 1 - |x|, from a starting value that is never too small.
void reference_erfinv(mpfr_t r, mpfr_t *x, const reference_operands *) {
    if (mpfr_nan_p(x[0]) || mpfr_cmpabs_ui(x[0], 1) > 0) return mpfr_set_nan(r);
    if (mpfr_cmpabs_ui(x[0], 1) == 0) return mpfr_set_inf(r, mpfr_sgn(x[0]));
    if (mpfr_zero_p(x[0])) {
        mpfr_set(r, x[0], R);
        return;
    }
    mpfr_t y, f, d, target;
    mpfr_inits2(400, y, f, d, target, (mpfr_ptr)0);
    mpfr_abs(target, x[0], R);
    bool small = mpfr_cmp_d(target, 0.5) < 0;
    mpfr_set_d(y, 0.88, R);
    mpfr_mul(y, y, target, R);
    if (!small) {
        mpfr_ui_sub(target, 1, target, R);
        mpfr_set_d(y, 0.4, R);
    }
    for (int i = 0; i < 60; i++) {
        // Newton on the convex erfc, or on erf from the left of its root: both approach from below.
        if (small) {
            mpfr_erf(f, y, R);
            mpfr_sub(f, target, f, R);
        } else {
            mpfr_erfc(f, y, R);
            mpfr_sub(f, f, target, R);
        }
        mpfr_sqr(d, y, R);
        mpfr_exp(d, d, R);
        mpfr_mul(f, f, d, R);
        mpfr_const_pi(d, R);
        mpfr_sqrt(d, d, R);
        mpfr_div_2ui(d, d, 1, R);
        mpfr_mul(f, f, d, R);
        mpfr_add(y, y, f, R);
        if (mpfr_zero_p(f) || mpfr_get_exp(f) < mpfr_get_exp(y) - 150) break;
    }
    mpfr_copysign(r, y, x[0], R);
    mpfr_clears(y, f, d, target, (mpfr_ptr)0);
}
void reference_logb(mpfr_t r, mpfr_t *x, const reference_operands *) {
    if (mpfr_nan_p(x[0])) {
        mpfr_set_nan(r);
    } else if (mpfr_regular_p(x[0])) {
        mpfr_set_si(r, mpfr_get_exp(x[0]) - 1, R);
    } else {
        mpfr_set_inf(r, mpfr_zero_p(x[0]) ? -1 : 1);
    }
}
void reference_ilogb_value(mpfr_t r, mpfr_t *x, const reference_operands *o) {
    reference_logb(r, x, o);
    if (mpfr_nan_p(r)) mpfr_set_si(r, INT_MIN, R);
    if (mpfr_inf_p(r)) mpfr_set_si(r, mpfr_sgn(r) > 0 ? INT_MAX : INT_MIN, R);
}
void reference_frexp_fraction(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_set(r, x[0], R);
    if (mpfr_regular_p(r)) mpfr_set_exp(r, 0);
}
void reference_frexp_exponent(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_set_si(r, mpfr_regular_p(x[0]) ? mpfr_get_exp(x[0]) : 0, R);
}
// The test keeps |x| below 2^62 here.
void reference_llrint_value(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_rint(r, x[0], R);
    if (mpfr_zero_p(r)) mpfr_set_zero(r, 1);
}
void reference_llround_value(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_round(r, x[0]);
    if (mpfr_zero_p(r)) mpfr_set_zero(r, 1);
}
void reference_nextafter(mpfr_t r, mpfr_t *, const reference_operands *o) {
    const double *v = o->value;
    double next = o->is_float ? (double)nextafterf((float)v[0], (float)v[1])
                              : nextafter(v[0], v[1]);
    mpfr_set_d(r, next, R);
}
// MPFR's NaN has no sign.
void reference_copysign(mpfr_t r, mpfr_t *x, const reference_operands *o) {
    mpfr_setsign(r, x[0], signbit(o->value[1]), R);
}
void reference_fdim(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_dim(r, x[0], x[1], R);
}
void reference_fma(mpfr_t r, mpfr_t *x, const reference_operands *) {
    mpfr_fma(r, x[0], x[1], x[2], R);
}
void reference_ldexp_value(mpfr_t r, mpfr_t *x, const reference_operands *) {
    double n = mpfr_get_d(x[1], R);
    if (!(fabs(n) < 5000)) n = 1;
    mpfr_mul_2si(r, x[0], (long)n, R);
}
void reference_remquo_quotient(mpfr_t r, mpfr_t *x, const reference_operands *) {
    if (!mpfr_number_p(x[0]) || mpfr_nan_p(x[1]) || mpfr_zero_p(x[1])) {
        mpfr_set_zero(r, 1);
        return;
    }
    mpfr_t rest;
    mpfr_init2(rest, 2300);
    long q;
    mpfr_remquo(rest, &q, x[0], x[1], R);
    mpfr_set_si(r, q < 0 ? -(-q & 7) : q & 7, R);
    if (mpfr_zero_p(r)) mpfr_set_zero(r, 1);
    mpfr_clear(rest);
}
static void norm(mpfr_t r, mpfr_t *x, int n, bool inverse) {
    mpfr_t sum, square;
    mpfr_inits2(400, sum, square, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    bool infinite = false;
    for (int i = 0; i < n; i++) {
        infinite |= mpfr_inf_p(x[i]) != 0;
        mpfr_sqr(square, x[i], R);
        mpfr_add(sum, sum, square, R);
    }
    if (infinite) mpfr_set_inf(sum, 1);
    inverse ? mpfr_rec_sqrt(r, sum, R) : mpfr_sqrt(r, sum, R);
    mpfr_clears(sum, square, (mpfr_ptr)0);
}
void reference_rhypot(mpfr_t r, mpfr_t *x, const reference_operands *) {
    norm(r, x, 2, true);
}
void reference_norm3d(mpfr_t r, mpfr_t *x, const reference_operands *) {
    norm(r, x, 3, false);
}
void reference_rnorm3d(mpfr_t r, mpfr_t *x, const reference_operands *) {
    norm(r, x, 3, true);
}
void reference_norm4d(mpfr_t r, mpfr_t *x, const reference_operands *) {
    norm(r, x, 4, false);
}
void reference_rnorm4d(mpfr_t r, mpfr_t *x, const reference_operands *) {
    norm(r, x, 4, true);
}

void reference_start() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
}

double reference_error(mpfr_function function, int arity, const reference_operands *operands,
                       double result) {
    const bool is_float = operands->is_float;
    static const double wrong = 1e30;
    const int bits = is_float ? 24 : 53, most = is_float ? 128 : 1024;
    const int least = is_float ? -149 : -1074;
    mpfr_t x[4], exact, difference;
    for (int i = 0; i < arity; i++) {
        mpfr_init2(x[i], 53);
        mpfr_set_d(x[i], operands->value[i], R);
    }
    mpfr_inits2(REFERENCE_BITS, exact, difference, (mpfr_ptr)0);
    function(exact, x, operands);

    double error;
    if (mpfr_nan_p(exact) || isnan(result)) {
        error = mpfr_nan_p(exact) && isnan(result) ? 0 : wrong;
    } else if (mpfr_inf_p(exact)) {
        error = isinf(result) && (result > 0) == (mpfr_sgn(exact) > 0) ? 0 : wrong;
    } else if (mpfr_zero_p(exact)) {
        error = result == 0 && !signbit(result) == !mpfr_signbit(exact) ? 0 : wrong;
    } else {
        long ulp = mpfr_get_exp(exact) - bits;
        // The bound of log gamma does not hold near its negative zeros; there the ulp of 1 counts.
        bool zeros = operands->value[0] < -2.26 &&
                     operands->value[0] > (is_float ? -10.01 : -23.01);
        if (function == reference_lgamma && zeros && ulp < 1 - bits) ulp = 1 - bits;
        if (ulp < least) ulp = least;
        if (ulp > most - bits) ulp = most - bits;
        if (isinf(result)) {
            mpfr_set_ui_2exp(difference, 1, most, R);
            if (result < 0) mpfr_neg(difference, difference, R);
            if (mpfr_cmpabs(exact, difference) >= 0) mpfr_set(difference, exact, R);
            if (mpfr_sgn(exact) != (result > 0 ? 1 : -1)) mpfr_set_d(difference, result, R);
        } else {
            mpfr_set_d(difference, result, R);
        }
        mpfr_sub(difference, difference, exact, R);
        mpfr_div_2si(difference, difference, ulp, R);
        error = fabs(mpfr_get_d(difference, R));
        if (result == 0 && !signbit(result) != (mpfr_sgn(exact) > 0)) error = wrong;
    }
    for (int i = 0; i < arity; i++) mpfr_clear(x[i]);
    mpfr_clears(exact, difference, (mpfr_ptr)0);
    return error;
}
