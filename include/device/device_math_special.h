// Roots and norms, error functions, gamma functions.
//
// Norms are sums of squares in two words; erfc is exp(-x^2) times a polynomial in
// (x - 4) / (x + 4); gamma is a polynomial around 2 with the recurrence, Stirling's series from 10
// on, the reflection below 0. The gamma functions and erfinv of a float are those of a double.
#ifndef HEDDLE_DEVICE_DEVICE_MATH_SPECIAL_H
#define HEDDLE_DEVICE_DEVICE_MATH_SPECIAL_H

#include "device_math_exp.h"
#include "device_math_trig.h"

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// The cube root of m 2^(3 k) is result * 2^k; x finite and > 0. Halley's iteration from a guess
// by the exponent, then Newton's step as the low word.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_cbrt_dd(T x, int *k) {
    int e;
    T m = heddle_split(x, &e);
    *k = (e + 3000) / 3 - 1000;
    m *= heddle_power_of_2<T>(e - 3 * *k);
    T y = (T)heddle_value(heddle_bits((float)m) / 3 + 0x2a510554u);
    for (int i = 0; i < 2; i++) {
        T cube = y * y * y;
        y -= y * ((cube - m) / (2 * cube + m));
    }
    heddle_dd<T> square = heddle_product(y, y);
    T over = heddle_fma(square.hi, y, -m) + square.lo * y;
    return heddle_fast_sum(y, -over / (3 * square.hi));
}
template <class T> HEDDLE_MATH T heddle_cbrt(T x) {
    T a = heddle_abs(x);
    if (!(a > 0 && a < heddle_infinity<T>())) return x;
    int k;
    heddle_dd<T> c = heddle_cbrt_dd(a, &k);
    return heddle_sign(heddle_scale(c.hi + c.lo, k), x);
}
// 1 / (d.hi + d.lo)
template <class T> HEDDLE_DEVICE T heddle_inverse(heddle_dd<T> d) {
    T q = 1 / d.hi;
    return heddle_fma(heddle_fma(-q, d.hi, (T)1) - q * d.lo, q, q);
}
template <class T> HEDDLE_MATH T heddle_rcbrt(T x) {
    T a = heddle_abs(x);
    if (!(a > 0 && a < heddle_infinity<T>())) return 1 / x;
    int k;
    heddle_dd<T> c = heddle_cbrt_dd(a, &k);
    return heddle_sign(heddle_scale(heddle_inverse(c), -k), x);
}

template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_root_dd(heddle_dd<T> s) {
    T h = heddle_root(s.hi);
    return {h, (heddle_fma(-h, h, s.hi) + s.lo) / (2 * h)};
}
template <class T> HEDDLE_DEVICE void heddle_add_square(heddle_dd<T> *sum, T x) {
    heddle_dd<T> p = heddle_product(x, x), s = heddle_two_sum(sum->hi, p.hi);
    *sum = {s.hi, sum->lo + (s.lo + p.lo)};
}
// sqrt(a^2 + b^2 + c^2 + d^2) or its inverse.
template <class T> HEDDLE_MATH T heddle_norm(T a, T b, T c, T d, bool inverse) {
    const T inf = heddle_infinity<T>();
    a = heddle_abs(a), b = heddle_abs(b), c = heddle_abs(c), d = heddle_abs(d);
    if (a == inf || b == inf || c == inf || d == inf) return inverse ? (T)0 : inf;
    if (heddle_is_nan(a + b + c + d)) return heddle_nan<T>();
    T m = a > b ? a : b;
    m = c > m ? c : m;
    m = d > m ? d : m;
    if (m == 0) return inverse ? inf : (T)0;
    typedef heddle_ieee<T> ieee;
    int e = (int)(heddle_bits(m) >> ieee::fraction) - ieee::bias;
    const int most = ieee::bias - 1, least = -(ieee::bias - 27);
    e = e > most ? most : e < least ? least : e;
    T scale = heddle_power_of_2<T>(-e);
    heddle_dd<T> sum = {0, 0};
    heddle_add_square(&sum, a * scale);
    heddle_add_square(&sum, b * scale);
    heddle_add_square(&sum, c * scale);
    heddle_add_square(&sum, d * scale);
    heddle_dd<T> h = heddle_root_dd(sum);
    return inverse ? heddle_scale(heddle_inverse(h), -e) : heddle_scale(h.hi + h.lo, e);
}
HEDDLE_MATH double heddle_rsqrt(double x) {
    if (!(x > 0 && x < heddle_infinity<double>())) {
        return x == 0 ? 1 / x : x > 0 ? 0.0 : heddle_nan<double>();
    }
    bool small = x < 0x1p-900;
    heddle_dd<double> s = {small ? x * 0x1p200 : x, 0};
    double r = heddle_inverse(heddle_root_dd(s));
    return small ? r * 0x1p100 : r;
}

// erfc(x + lo) and exp((x + lo)^2) erfc(x) for x >= 0.
template <class T> HEDDLE_DEVICE T heddle_erfcx_right(T x) {
    if (x > 1e8) return (T)0.56418958354775628695 / x;
    T p = heddle_poly_erfcx((x - 4) / (x + 4));
    T d = heddle_fma((T)2, x, (T)1), d_lo = x > (T)0.5 ? 1 - (d - 2 * x) : 2 * x - (d - 1);
    T inverse = 1 / d, q = p * inverse;
    return heddle_fma(heddle_fma(-q, d_lo, heddle_fma(-q, d, p)), inverse, q);
}
template <class T> HEDDLE_DEVICE T heddle_erfc_right(T x, T lo) {
    if (x > (HEDDLE_IS_FLOAT(T) ? (T)10.1 : (T)27.3)) return 0;
    heddle_dd<T> z = heddle_product(x, x);
    int n;
    heddle_dd<T> e = heddle_exp_parts(-z.hi, -heddle_fma(2 * x, lo, z.lo), &n);
    return heddle_scale((e.hi + e.lo) * 4 * heddle_erfcx_right(x), n - 2);
}
template <class T> HEDDLE_DEVICE T heddle_erf_small(T x) {
    return heddle_fma(x, heddle_poly_erf(x * x), x);
}
template <class T> HEDDLE_MATH T heddle_erf(T x) {
    T a = heddle_abs(x);
    if (x == 0) return x;
    if (a < 1) return heddle_erf_small(x);
    return heddle_is_nan(x) ? x : heddle_sign(1 - heddle_erfc_right(a, (T)0), x);
}
template <class T> HEDDLE_MATH T heddle_erfc(T x) {
    if (heddle_is_nan(x)) return x;
    if (x < (T)0.5 && x > -1) return 1 - heddle_erf_small(x);
    return x > 0 ? heddle_erfc_right(x, (T)0) : 2 - heddle_erfc_right(-x, (T)0);
}
template <class T> HEDDLE_MATH T heddle_erfcx(T x) {
    if (heddle_abs(x) < (T)0.5) return heddle_exp(x * x) * (1 - heddle_erf_small(x));
    if (!(x < 0)) return heddle_erfcx_right(x);
    heddle_dd<T> z = heddle_product(x, x);
    if (!(z.hi <= heddle_exp_limit<T>())) return heddle_infinity<T>();
    int n;
    heddle_dd<T> e = heddle_exp_parts(z.hi, z.lo, &n);
    return 2 * heddle_scale(e.hi + e.lo, n) - heddle_erfcx_right(-x);
}
template <class T> HEDDLE_MATH T heddle_normcdf(T x) {
    if (heddle_is_nan(x)) return x;
    if (x > 40) return 1;
    if (x < -40) return 0;
    heddle_dd<T> t = heddle_dd_scale(heddle_const<T>::sqrth(), -x);
    if (t.hi < (T)0.5 && t.hi > -1) return (T)0.5 - (T)0.5 * heddle_erf_small(t.hi);
    if (t.hi > 0) return (T)0.5 * heddle_erfc_right(t.hi, t.lo);
    return 1 - (T)0.5 * heddle_erfc_right(-t.hi, -t.lo);
}
HEDDLE_MATH double heddle_erfinv(double x) {
    double a = heddle_abs(x), p;
    if (!(a <= 1)) return heddle_nan<double>();
    if (a == 1) return heddle_sign(heddle_infinity<double>(), x);
    double w = -heddle_log((1 - a) * (1 + a));
    if (w < 6.25) {
        p = heddle_poly_erfinv_a(w - 3);
    } else {
        w = heddle_root(w);
        p = w < 4 ? heddle_poly_erfinv_b(w - 3.25) : heddle_poly_erfinv_c(w - 5);
    }
    return x * p;
}

// log gamma(a) in two words by Stirling's series, a >= 10.
HEDDLE_DEVICE heddle_dd<double> heddle_stirling(double a) {
    heddle_dd<double> s = heddle_dd_scale(heddle_log_full(a), a - 0.5);
    s = heddle_dd_add(s.hi, {-a, s.lo});
    double w = 1 / a;
    heddle_dd<double> c = heddle_const<double>::hln2pi();
    return heddle_dd_sum(s, {c.hi, heddle_fma(w, heddle_poly_stirling(w * w), c.lo)});
}
// gamma(a) = result * 2^*n for 0 < a < 200.
HEDDLE_MATH double heddle_gamma_parts(double a, int *n) {
    *n = 0;
    if (a >= 10) {
        heddle_dd<double> l = heddle_stirling(a);
        heddle_dd<double> e = heddle_exp_parts(l.hi, l.lo, n);
        return e.hi + e.lo;
    }
    double product = 1, below = 1, t = a - 2;
    if (a < 0.5) {
        below = a * (1 + a);
        t = a;
    } else if (a < 1.5) {
        below = a;
        t = a - 1;
    }
    while (t > 0.5) {
        product *= t + 1;
        t -= 1;
    }
    return product * heddle_fma(t, heddle_poly_gamma(t), 1.0) / below;
}
HEDDLE_MATH double heddle_tgamma(double x) {
    double a = heddle_abs(x);
    int n;
    if (x == 0) return 1 / x;
    if (heddle_is_nan(x) || x > 172) return x + heddle_infinity<double>();
    if (a < 0x1p-60) return 1 / x;
    if (x > 0) {
        double g = heddle_gamma_parts(a, &n);
        return n ? heddle_scale(g, n) : g;
    }
    if (heddle_trunc(x) == x) return heddle_nan<double>();
    // A result that underflows has only the sign of its interval.
    double s = heddle_sinpi(a);
    if (a > 190) return s > 0 ? -0.0 : 0.0;
    double g = heddle_gamma_parts(a, &n);
    double r = -heddle_const<double>::pi_hi() / (a * s * g);
    return n ? heddle_scale(r, -n) : r;
}
// log gamma(a) in two words, a > 0: its parts may cancel, here or in the reflection.
HEDDLE_MATH heddle_dd<double> heddle_lgamma_right(double a) {
    if (a >= 10) {
        if (a > 2.6e305) return {heddle_infinity<double>(), 0};
        if (a > 0x1p60) return {a * (heddle_log(a) - 1), 0};
        return heddle_stirling(a);
    }
    if (a < 0.5) {
        return heddle_two_sum(heddle_fma(a, heddle_poly_lgamma(a), -heddle_log1p(a)),
                              -heddle_log(a));
    }
    double t = a - 2;
    if (a < 1.5) {
        t = a - 1;
        heddle_dd<double> l = heddle_log_full(a);
        return {heddle_fma(t, heddle_poly_lgamma(t), -l.hi), -l.lo};
    }
    if (t <= 0.5) return {t * heddle_poly_lgamma(t), 0};
    heddle_dd<double> product = {1, 0};
    while (t > 0.5) {
        product = heddle_dd_scale(product, t + 1);
        t -= 1;
    }
    heddle_dd<double> l = heddle_log_full(product.hi);
    l.lo += product.lo / product.hi;
    return heddle_dd_sum(l, {t * heddle_poly_lgamma(t), 0});
}
HEDDLE_MATH double heddle_lgamma(double x) {
    double a = heddle_abs(x);
    if (heddle_is_nan(x)) return x;
    if (x > 0) {
        heddle_dd<double> l = heddle_lgamma_right(a);
        return l.hi + l.lo;
    }
    if (heddle_trunc(x) == x) return heddle_infinity<double>();
    if (a < 0x1p-60) return -heddle_log(a);
    double s = heddle_abs(heddle_sinpi(a));
    heddle_dd<double> l = heddle_log_full(heddle_const<double>::pi_hi() / (a * s));
    heddle_dd<double> r = heddle_lgamma_right(a), sum = heddle_two_sum(l.hi, -r.hi);
    return sum.hi + (sum.lo + (l.lo - r.lo));
}

#pragma float_control(pop)
#endif
