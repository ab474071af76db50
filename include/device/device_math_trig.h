// Trigonometric functions and their inverses.
//
// Arguments are reduced to |r| <= pi/4 in two words: by three constants that add up to pi/2 (Cody
// and Waite), and beyond that by the bits of 2/pi that matter (Payne and Hanek).
#ifndef HEDDLE_DEVICE_DEVICE_MATH_TRIG_H
#define HEDDLE_DEVICE_DEVICE_MATH_TRIG_H

#include "device_math_poly.h"

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

// The bits of 2/pi behind the binary point; the first word is zero.
static __device__ const unsigned long long heddle_two_over_pi[21] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
    0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
    0xf0cfbc209af4361dull};

HEDDLE_DEVICE unsigned long long heddle_bits_of_two_over_pi(int first) {
    unsigned long long a = heddle_two_over_pi[first >> 6], b = heddle_two_over_pi[(first >> 6) + 1];
    int shift = first & 63;
    return shift ? a << shift | b >> (64 - shift) : a;
}

// The quadrant of x (result) and the rest in it, for finite |x| >= 2. With x = M 2^E, bits of 2/pi
// whose product with 2^E is a multiple of 4 do not matter; the next 192 suffice for every double.
HEDDLE_MATH int heddle_reduce_far(double x, heddle_dd<double> *rest) {
    typedef unsigned long long word;
    word bits = heddle_bits(x);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    word m = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    int first = exponent - 2 + 64;
    word a0 = heddle_bits_of_two_over_pi(first), a1 = heddle_bits_of_two_over_pi(first + 64);
    word a2 = heddle_bits_of_two_over_pi(first + 128);
    word p0 = m * a2, p1 = __umul64hi(m, a2), p2 = __umul64hi(m, a1) + m * a0, low = m * a1;
    p1 += low;
    p2 += p1 < low;
    // Two bits of quadrant, then the fraction. A fraction above 1/2 is negative in the next
    // quadrant.
    int quadrant = (int)(p2 >> 62);
    p2 = p2 << 2 | p1 >> 62;
    p1 = p1 << 2 | p0 >> 62;
    p0 <<= 2;
    bool negative = p2 >> 63;
    if (negative) {
        quadrant++;
        p0 = ~p0, p1 = ~p1, p2 = ~p2;
    }
    int zeros = __clzll((long long)p2);
    if (zeros == 64) {
        zeros += __clzll((long long)p1);
        p2 = p1, p1 = p0, p0 = 0;
    }
    int shift = zeros & 63;
    if (shift) {
        p2 = p2 << shift | p1 >> (64 - shift);
        p1 = p1 << shift | p0 >> (64 - shift);
    }
    double high = __ull2double_rz(p2 & ~0x7ffull) * 0x1p-64;
    double tail = __ull2double_rz(p2 << 53 | p1 >> 11) * 0x1p-117;
    double scale = heddle_power_of_2<double>(-zeros);
    if (negative) scale = -scale;
    *rest = heddle_dd_mul(heddle_fast_sum(high * scale, tail * scale),
                          heddle_const<double>::pio2());
    return heddle_sign(1.0, x) < 0 ? (rest->hi = -rest->hi, rest->lo = -rest->lo, -quadrant)
                                   : quadrant;
}

HEDDLE_DEVICE int heddle_reduce(float x, heddle_dd<float> *rest) {
    typedef heddle_const<float> c;
    if (heddle_abs(x) > 65536.0f) {
        heddle_dd<double> far;
        int quadrant = heddle_reduce_far((double)x, &far);
        rest->hi = (float)far.hi;
        rest->lo = (float)(far.hi - rest->hi);
        return quadrant;
    }
    float n = heddle_rint(x * 0.636619772f);
    float r = heddle_fma(-n, c::pio2_hi(), x);
    rest->hi = heddle_fma(-n, c::pio2_third_hi(), heddle_fma(-n, c::pio2_lo(), r));
    rest->lo = 0;
    return (int)n;
}
HEDDLE_DEVICE int heddle_reduce(double x, heddle_dd<double> *rest) {
    typedef heddle_const<double> c;
    if (heddle_abs(x) > 1e9) return heddle_reduce_far(x, rest);
    double n = heddle_rint(x * 0.63661977236758134);
    double r = heddle_fma(-n, c::pio2_hi(), x);
    heddle_dd<double> p = heddle_product(n, c::pio2_lo());
    heddle_dd<double> s = heddle_two_sum(r, -p.hi);
    *rest = heddle_fast_sum(s.hi, heddle_fma(-n, c::pio2_third_hi(), s.lo - p.lo));
    return (int)n;
}

template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_sin_kernel(heddle_dd<T> r) {
    T z = r.hi * r.hi;
    T tail = heddle_fma(r.lo, heddle_fma(z, (T)-0.5, (T)1), r.hi * z * heddle_poly_sin(z));
    return heddle_fast_sum(r.hi, tail);
}
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_cos_kernel(heddle_dd<T> r) {
    heddle_dd<T> z = heddle_product(r.hi, r.hi);
    heddle_dd<T> w = heddle_fast_sum((T)1, (T)-0.5 * z.hi);
    T tail = heddle_fma(z.hi * z.hi, heddle_poly_cos(z.hi),
                        heddle_fma(-r.hi, r.lo, (T)-0.5 * z.lo));
    return heddle_fast_sum(w.hi, w.lo + tail);
}
// sin(r + quadrant pi / 2)
template <class T> HEDDLE_DEVICE T heddle_sin_quadrant(heddle_dd<T> r, int quadrant) {
    heddle_dd<T> s = quadrant & 1 ? heddle_cos_kernel(r) : heddle_sin_kernel(r);
    T result = s.hi + s.lo;
    return quadrant & 2 ? -result : result;
}

template <class T> HEDDLE_MATH T heddle_sin(T x) {
    if (!(heddle_abs(x) < heddle_infinity<T>())) return x - x;
    if (x == 0) return x;
    heddle_dd<T> r;
    int quadrant = heddle_reduce(x, &r);
    return heddle_sin_quadrant(r, quadrant);
}
template <class T> HEDDLE_MATH T heddle_cos(T x) {
    if (!(heddle_abs(x) < heddle_infinity<T>())) return x - x;
    heddle_dd<T> r;
    int quadrant = heddle_reduce(x, &r);
    return heddle_sin_quadrant(r, quadrant + 1);
}
template <class T> HEDDLE_MATH void heddle_sincos(T x, T *sine, T *cosine) {
    heddle_dd<T> r;
    bool finite = heddle_abs(x) < heddle_infinity<T>();
    int quadrant = finite ? heddle_reduce(x, &r) : (r.hi = x - x, r.lo = 0, 0);
    T s = heddle_sin_quadrant(r, quadrant), c = heddle_sin_quadrant(r, quadrant + 1);
    *sine = x == 0 ? x : s;
    *cosine = c;
}
template <class T> HEDDLE_MATH T heddle_tan(T x) {
    if (!(heddle_abs(x) < heddle_infinity<T>())) return x - x;
    if (x == 0) return x;
    heddle_dd<T> r;
    int quadrant = heddle_reduce(x, &r);
    heddle_dd<T> s = heddle_sin_kernel(r), c = heddle_cos_kernel(r);
    if (quadrant & 1) {
        heddle_dd<T> swap = s;
        s = {-c.hi, -c.lo};
        c = swap;
    }
    T q = s.hi / c.hi;
    T left = heddle_fma(-q, c.hi, s.hi) + (s.lo - q * c.lo);
    return q + left / c.hi;
}

// pi (x - n / 2) in two words, and n.
template <class T> HEDDLE_DEVICE int heddle_reduce_pi(T x, heddle_dd<T> *rest) {
    typedef heddle_const<T> c;
    T n = heddle_rint(2 * x);
    T r = heddle_fma(n, (T)-0.5, x);
    *rest = heddle_product(r, c::pi_hi());
    rest->lo = heddle_fma(r, c::pi_lo(), rest->lo);
    return (int)(long long)n;
}
template <class T> HEDDLE_MATH T heddle_sinpi(T x) {
    T a = heddle_abs(x);
    if (!(a < heddle_infinity<T>())) return x - x;
    if (a >= heddle_power_of_2<T>(heddle_ieee<T>::fraction) || heddle_trunc(x) == x) {
        return heddle_sign((T)0, x);
    }
    heddle_dd<T> r;
    int quadrant = heddle_reduce_pi(x, &r);
    return heddle_sin_quadrant(r, quadrant);
}
template <class T> HEDDLE_MATH T heddle_cospi(T x) {
    T a = heddle_abs(x);
    if (!(a < heddle_infinity<T>())) return x - x;
    if (a >= heddle_power_of_2<T>(heddle_ieee<T>::fraction + 1)) return 1;
    heddle_dd<T> r;
    int quadrant = heddle_reduce_pi(x, &r);
    return heddle_sin_quadrant(r, quadrant + 1) + (T)0;
}

// asin(sqrt(z)) in two words for z <= 1/4.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_asin_root(T z) {
    T s = heddle_root(z);
    T lost = s == 0 ? (T)0 : heddle_fma(-s, s, z) / (2 * s);
    return {s, heddle_fma(s * z, heddle_poly_asin(z), lost)};
}
template <class T> HEDDLE_MATH T heddle_asin(T x) {
    typedef heddle_const<T> c;
    T a = heddle_abs(x), z = x * x;
    if (x == 0) return x;
    if (a <= (T)0.5) return heddle_fma(x * z, heddle_poly_asin(z), x);
    if (!(a <= 1)) return heddle_nan<T>();
    heddle_dd<T> h = heddle_asin_root((1 - a) * (T)0.5);
    heddle_dd<T> s = heddle_fast_sum(c::pio2_hi(), -2 * h.hi);
    return heddle_sign(s.hi + (s.lo + heddle_fma((T)-2, h.lo, c::pio2_lo())), x);
}
template <class T> HEDDLE_MATH T heddle_acos(T x) {
    typedef heddle_const<T> c;
    T a = heddle_abs(x), z = x * x;
    if (a <= (T)0.5) {
        heddle_dd<T> s = heddle_fast_sum(c::pio2_hi(), -x);
        return s.hi + (s.lo + heddle_fma(-x * z, heddle_poly_asin(z), c::pio2_lo()));
    }
    if (!(a <= 1)) return heddle_nan<T>();
    heddle_dd<T> h = heddle_asin_root((1 - a) * (T)0.5);
    if (x > 0) return 2 * (h.hi + h.lo);
    heddle_dd<T> s = heddle_fast_sum(c::pio2_hi(), -h.hi);
    return 2 * (s.hi + (s.lo + (c::pio2_lo() - h.lo)));
}

// atan(t) for 0 <= t <= 1, or pi/2 - atan(t).
template <class T> HEDDLE_DEVICE T heddle_atan_kernel(T t, bool complement) {
    typedef heddle_const<T> c;
    T z = t * t, tail = t * z * heddle_poly_atan(z);
    if (!complement) return t + tail;
    heddle_dd<T> s = heddle_fast_sum(c::pio2_hi(), -t);
    return s.hi + (s.lo + (c::pio2_lo() - tail));
}
template <class T> HEDDLE_MATH T heddle_atan(T x) {
    T a = heddle_abs(x);
    return heddle_sign(heddle_atan_kernel(a > 1 ? 1 / a : a, a > 1), x);
}
template <class T> HEDDLE_MATH T heddle_atan2(T y, T x) {
    typedef heddle_const<T> c;
    if (heddle_is_nan(x) || heddle_is_nan(y)) return x + y;
    T a = heddle_abs(x), b = heddle_abs(y);
    bool steep = b > a;
    T big = steep ? b : a, small = steep ? a : b;
    T t = big == 0 ? (T)0 : small == big ? (T)1 : small / big;
    T angle = heddle_atan_kernel(t, steep);
    if (heddle_sign((T)1, x) < 0) angle = c::pi_hi() - (angle - c::pi_lo());
    return heddle_sign(angle, y);
}

#pragma float_control(pop)
#endif
