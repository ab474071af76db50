// Exponentials, logarithms, powers, and the hyperbolic functions made of them.
//
// exp: x = n log 2 + r and a polynomial in r; the result is in two words where another function
// uses it. log: x = m 2^k, log m by a polynomial, or by atanh((m - 1) / (m + 1)) in two words.
#ifndef HEDDLE_DEVICE_DEVICE_MATH_EXP_H
#define HEDDLE_DEVICE_DEVICE_MATH_EXP_H

#include "device_math_poly.h"

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// Above the limits exp and exp2 are infinite, below the lower bounds they round to 0.
template <class T> HEDDLE_DEVICE T heddle_exp_limit() {
    return HEDDLE_IS_FLOAT(T) ? (T)89 : (T)710;
}
template <class T> HEDDLE_DEVICE T heddle_exp_lower() {
    return HEDDLE_IS_FLOAT(T) ? (T)-105 : (T)-746;
}
template <class T> HEDDLE_DEVICE T heddle_exp2_limit() {
    return HEDDLE_IS_FLOAT(T) ? (T)129 : (T)1025;
}
template <class T> HEDDLE_DEVICE T heddle_exp2_lower() {
    return HEDDLE_IS_FLOAT(T) ? (T)-151 : (T)-1076;
}

// exp(hi + lo) for |hi| <= log 2 / 2 and lo of at most a few ulp of hi; the two words are not yet
// normalized.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_exp_kernel(T hi, T lo) {
    T q = hi * hi * heddle_poly_exp(hi);
    heddle_dd<T> s = heddle_fast_sum((T)1, hi);
    s.lo += heddle_fma(lo, s.hi, q);
    return s;
}
// The same for any small lo, normalized.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_exp_reduced(T hi, T lo) {
    heddle_dd<T> r = heddle_two_sum(hi, lo);
    heddle_dd<T> e = heddle_exp_kernel(r.hi, r.lo);
    return heddle_fast_sum(e.hi, e.lo);
}

// x - n log 2 in two words, for the n that makes it smallest.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_exp_reduce(T x, T *n) {
    typedef heddle_const<T> c;
    *n = heddle_rint(x * c::log2e_hi());
    T first = heddle_fma(-*n, c::ln2_hi(), x);
    T hi = heddle_fma(-*n, c::ln2_lo(), first);
    return {hi, heddle_fma(-*n, c::ln2_lo(), first - hi)};
}

// exp(x + lo) = result * 2^*n.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_exp_parts(T x, T lo, int *n) {
    T count;
    heddle_dd<T> r = heddle_exp_reduce(x, &count);
    *n = (int)count;
    return heddle_exp_reduced(r.hi, r.lo + lo);
}

template <class T> HEDDLE_MATH T heddle_exp(T x) {
    if (x > heddle_exp_limit<T>()) return heddle_infinity<T>();
    if (x < heddle_exp_lower<T>()) return 0;
    T n;
    heddle_dd<T> r = heddle_exp_reduce(x, &n);
    heddle_dd<T> e = heddle_exp_kernel(r.hi, r.lo);
    return heddle_scale(e.hi + e.lo, (int)n);
}

// 2^(x + lo), x within the limits.
template <class T> HEDDLE_DEVICE T heddle_exp2_dd(T x, T lo) {
    typedef heddle_const<T> c;
    T n = heddle_rint(x), r = x - n;
    heddle_dd<T> t = heddle_product(r, c::ln2_hi());
    t.lo += heddle_fma(r, c::ln2_lo(), lo * c::ln2_hi());
    heddle_dd<T> e = heddle_exp_reduced(t.hi, t.lo);
    return heddle_scale(e.hi + e.lo, (int)n);
}
template <class T> HEDDLE_MATH T heddle_exp2(T x) {
    if (x > heddle_exp2_limit<T>()) return heddle_infinity<T>();
    if (x < heddle_exp2_lower<T>()) return 0;
    return heddle_exp2_dd(x, (T)0);
}

template <class T> HEDDLE_MATH T heddle_exp10(T x) {
    typedef heddle_const<T> c;
    if (x > (HEDDLE_IS_FLOAT(T) ? (T)39 : (T)309)) return heddle_infinity<T>();
    if (x < (HEDDLE_IS_FLOAT(T) ? (T)-46 : (T)-324.5)) return 0;
    T n = heddle_rint(x * (T)3.321928094887362);
    T r = heddle_fma(-n, c::lg2_hi(), x);
    heddle_dd<T> t = heddle_product(r, c::ln10_hi());
    t.lo += heddle_fma(r, c::ln10_lo(), -n * c::lg2_lo() * c::ln10_hi());
    heddle_dd<T> e = heddle_exp_reduced(t.hi, t.lo);
    return heddle_scale(e.hi + e.lo, (int)n);
}

template <class T> HEDDLE_MATH T heddle_expm1(T x) {
    if (x > heddle_exp_limit<T>()) return heddle_infinity<T>();
    if (x < -40) return -1;
    if (x == 0) return x;
    T n;
    heddle_dd<T> r = heddle_exp_reduce(x, &n);
    T q = heddle_fma(r.hi * r.hi, heddle_poly_exp(r.hi), heddle_fma(r.lo, r.hi, r.lo));
    if (n == 0) return r.hi + q;
    // Twice 2^(n-1) (1 + r) - 1/2, so that n = 1024 fits.
    T scale = heddle_power_of_2<T>((int)n - 1);
    bool large = n > heddle_ieee<T>::fraction;
    heddle_dd<T> s = heddle_two_sum(large ? scale : scale - (T)0.5, heddle_mul(scale, r.hi));
    if (large) s.lo -= (T)0.5;
    return 2 * (s.hi + heddle_fma(scale, q, s.lo));
}

// log(1 + f) - f for sqrt(1/2) <= 1 + f <= sqrt(2).
HEDDLE_DEVICE float heddle_log1p_tail(float f) {
    return f * f * heddle_fma(f, heddle_poly_log(f), -0.5f);
}
HEDDLE_DEVICE double heddle_log1p_tail(double f) {
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double rest = z * heddle_fma(z, 2 * heddle_poly_atanh(z), 0x1.5555555555555p-1);
    return heddle_fma(s, half + rest, -half);
}

// k log 2 + log(1 + f) + c
template <class T> HEDDLE_DEVICE T heddle_log_join(int k, T f, T c) {
    typedef heddle_const<T> con;
    T whole = heddle_mul((T)k, con::ln2_short_hi()), sum = whole + f;
    T lost = k == 0 ? (T)0 : f - (sum - whole);
    return sum + (heddle_fma((T)k, con::ln2_short_lo(), lost + c) + heddle_log1p_tail(f));
}

template <class T> HEDDLE_DEVICE bool heddle_log_special(T x, T *result) {
    if (x > 0 && x < heddle_infinity<T>()) return false;
    *result = x == 0 ? -heddle_infinity<T>() : x < 0 ? heddle_nan<T>() : x;
    return true;
}

template <class T> HEDDLE_MATH T heddle_log(T x) {
    T special;
    if (heddle_log_special(x, &special)) return special;
    int k;
    T f = heddle_split(x, &k) - 1;
    return heddle_log_join(k, f, (T)0);
}

template <class T> HEDDLE_MATH T heddle_log1p(T x) {
    if (x == 0 || heddle_is_nan(x) || x == heddle_infinity<T>()) return x;
    if (x <= -1) return x == -1 ? -heddle_infinity<T>() : heddle_nan<T>();
    if (x > (T)-0.29 && x < (T)0.4142) return x + heddle_log1p_tail(x);
    heddle_dd<T> u = heddle_two_sum((T)1, x);
    int k;
    T m = heddle_split(u.hi, &k);
    T lost = k > heddle_ieee<T>::fraction + 4 ? (T)0 : u.lo * heddle_power_of_2<T>(-k);
    return heddle_log_join(k, m - 1, lost / m);
}

HEDDLE_DEVICE float heddle_atanh_tail(float z) {
    return heddle_poly_atanh(z);
}
HEDDLE_DEVICE double heddle_atanh_tail(double z) {
    return heddle_poly_atanh_ext(z);
}
// log x = k log 2 + result: s = f / (2 + f), log m = 2 s (1 + z (1/3 + z M(z))), z = s^2.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_log_dd(T x, int *k) {
    typedef heddle_const<T> c;
    T f = heddle_split(x, k) - 1;
    T t = 2 + f, t_lo = f - (t - 2);
    T s = f / t;
    T s_lo = (heddle_fma(-s, t, f) - s * t_lo) * (T)0.5 * (1 - s);
    heddle_dd<T> z = heddle_product(s, s);
    z.lo = heddle_fma(2 * s, s_lo, z.lo);
    heddle_dd<T> q = heddle_fast_sum(c::third_hi(), z.hi * heddle_atanh_tail(z.hi));
    q.lo += c::third_lo();
    heddle_dd<T> d = heddle_dd_mul({s, s_lo}, heddle_dd_mul(z, q));
    heddle_dd<T> sum = heddle_fast_sum(s, d.hi);
    sum = heddle_fast_sum(sum.hi, sum.lo + (s_lo + d.lo));
    return {2 * sum.hi, 2 * sum.lo};
}
// log x and log2 x in two words.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_log_full(T x) {
    typedef heddle_const<T> c;
    int k;
    heddle_dd<T> l = heddle_log_dd(x, &k);
    l.lo = heddle_fma((T)k, c::ln2_short_lo(), l.lo);
    return heddle_dd_add(heddle_mul((T)k, c::ln2_short_hi()), l);
}
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_log2_full(T x) {
    int k;
    heddle_dd<T> l = heddle_log_dd(x, &k);
    return heddle_dd_add((T)k, heddle_dd_mul(l, heddle_const<T>::log2e()));
}

template <class T> HEDDLE_MATH T heddle_log2(T x) {
    T special;
    if (heddle_log_special(x, &special)) return special;
    heddle_dd<T> l = heddle_log2_full(x);
    return l.hi + l.lo;
}
template <class T> HEDDLE_MATH T heddle_log10(T x) {
    typedef heddle_const<T> c;
    T special;
    if (heddle_log_special(x, &special)) return special;
    int k;
    heddle_dd<T> l = heddle_dd_mul(heddle_log_dd(x, &k), c::log10e());
    l.lo = heddle_fma((T)k, c::lg2_short_lo(), l.lo);
    l = heddle_dd_add(heddle_mul((T)k, c::lg2_short_hi()), l);
    return l.hi + l.lo;
}

template <class T> HEDDLE_MATH T heddle_pow(T x, T y) {
    if (y == 0 || x == 1) return 1;
    if (heddle_is_nan(x) || heddle_is_nan(y)) return x + y;
    const T inf = heddle_infinity<T>(), a = heddle_abs(x), b = heddle_abs(y);
    if (b == inf) return a == 1 ? (T)1 : (a > 1) == (y > 0) ? inf : (T)0;
    bool whole = heddle_trunc(y) == y;
    bool odd = whole && b < heddle_power_of_2<T>(heddle_ieee<T>::fraction + 1) &&
               ((long long)b & 1) != 0;
    bool negative = odd && heddle_sign((T)1, x) < 0;
    if (a == 0 || a == inf) {
        T limit = (a == 0) == (y > 0) ? (T)0 : inf;
        return negative ? -limit : limit;
    }
    if (x < 0 && !whole) return heddle_nan<T>();
    heddle_dd<T> l = heddle_log2_full(a);
    T e = heddle_mul(l.hi, y), result;
    if (e > heddle_exp2_limit<T>()) {
        result = inf;
    } else if (e < heddle_exp2_lower<T>()) {
        result = 0;
    } else {
        result = heddle_exp2_dd(e, heddle_fma(l.hi, y, -e) + l.lo * y);
    }
    return negative ? -result : result;
}

// (exp(a) + sign exp(-a)) / 2 for a >= 0.
template <class T> HEDDLE_DEVICE T heddle_half_sum(T a, T sign) {
    if (!(a <= heddle_exp_limit<T>() + 2)) return a + heddle_infinity<T>();
    int n;
    heddle_dd<T> e = heddle_exp_parts(a, (T)0, &n);
    T other = n > 60 ? (T)0 : sign * heddle_power_of_2<T>(-2 * n) / e.hi;
    heddle_dd<T> s = heddle_two_sum(e.hi, other);
    return heddle_scale(s.hi + (s.lo + e.lo), n - 1);
}
template <class T> HEDDLE_MATH T heddle_sinh(T x) {
    T a = heddle_abs(x), z = x * x;
    if (x == 0) return x;
    if (a < 1) return heddle_fma(x * z, heddle_poly_sinh(z), x);
    return heddle_sign(heddle_half_sum(a, (T)-1), x);
}
template <class T> HEDDLE_MATH T heddle_cosh(T x) {
    return heddle_half_sum(heddle_abs(x), (T)1);
}
template <class T> HEDDLE_MATH T heddle_tanh(T x) {
    T a = heddle_abs(x), z = x * x;
    if (x == 0) return x;
    if (a < (T)0.55) return heddle_fma(x * z, heddle_poly_tanh(z), x);
    if (a > 22) return heddle_sign((T)1, x);
    int n;
    heddle_dd<T> e = heddle_exp_parts(2 * a, (T)0, &n);
    T scale = heddle_power_of_2<T>(n);
    heddle_dd<T> d = heddle_fast_sum(scale * e.hi, (T)1);
    d.lo = heddle_fma(scale, e.lo, d.lo);
    T y = 2 / d.hi;
    y += heddle_fma(-y, d.lo, heddle_fma(-y, d.hi, (T)2)) * (T)0.5 * y;
    return heddle_sign(1 - y, x);
}

template <class T> HEDDLE_MATH T heddle_asinh(T x) {
    T a = heddle_abs(x), result;
    if (a > (HEDDLE_IS_FLOAT(T) ? (T)8192 : (T)268435456)) {
        result = heddle_log(a) + heddle_const<T>::ln2_hi();
    } else {
        T z = a * a;
        result = heddle_log1p(a + z / (1 + heddle_root(heddle_fma(a, a, (T)1))));
    }
    return heddle_sign(result, x);
}
template <class T> HEDDLE_MATH T heddle_acosh(T x) {
    if (x < 1) return heddle_nan<T>();
    if (x > (HEDDLE_IS_FLOAT(T) ? (T)8192 : (T)268435456)) {
        return heddle_log(x) + heddle_const<T>::ln2_hi();
    }
    T t = x - 1;
    return heddle_log1p(t + heddle_root(heddle_fma(t, t, 2 * t)));
}
template <class T> HEDDLE_MATH T heddle_atanh(T x) {
    T a = heddle_abs(x), t = 2 * a;
    if (a > 1) return heddle_nan<T>();
    if (a == 1) return heddle_sign(heddle_infinity<T>(), x);
    t = a < (T)0.5 ? heddle_fma(t, a / (1 - a), t) : t / (1 - a);
    return heddle_sign((T)0.5 * heddle_log1p(t), x);
}

#pragma float_control(pop)
#endif
