// Parts shared by the math functions: the fields of a floating-point number, sums and products with
// their rounding errors, constants in two words. T is float or double throughout.
//
// A heddle_dd is an unevaluated sum hi + lo with |lo| of at most about an ulp of hi.
#ifndef HEDDLE_DEVICE_DEVICE_MATH_PARTS_H
#define HEDDLE_DEVICE_DEVICE_MATH_PARTS_H

#include "device_convert.h"

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

template <class T> struct heddle_ieee;
template <> struct heddle_ieee<float> {
    typedef unsigned bits;
    typedef int signed_bits;
    enum { fraction = 23, bias = 127, width = 32 };
};
template <> struct heddle_ieee<double> {
    typedef unsigned long long bits;
    typedef long long signed_bits;
    enum { fraction = 52, bias = 1023, width = 64 };
};

#define HEDDLE_MATH static __inline__ __device__
#define HEDDLE_IS_FLOAT(T) (sizeof(T) == 4)

HEDDLE_DEVICE unsigned heddle_bits(float x) {
    return __float_as_uint(x);
}
HEDDLE_DEVICE unsigned long long heddle_bits(double x) {
    return (unsigned long long)__double_as_longlong(x);
}
HEDDLE_DEVICE float heddle_value(unsigned bits) {
    return __uint_as_float(bits);
}
HEDDLE_DEVICE double heddle_value(unsigned long long bits) {
    return __longlong_as_double((long long)bits);
}

HEDDLE_DEVICE float heddle_fma(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
HEDDLE_DEVICE double heddle_fma(double x, double y, double z) {
    return __builtin_fma(x, y, z);
}
// A product that the compiler never fuses with a sum.
HEDDLE_DEVICE float heddle_mul(float x, float y) {
    float p;
    __asm__("mul.rn.f32 %0, %1, %2;" : "=f"(p) : "f"(x), "f"(y));
    return p;
}
HEDDLE_DEVICE double heddle_mul(double x, double y) {
    double p;
    __asm__("mul.rn.f64 %0, %1, %2;" : "=d"(p) : "d"(x), "d"(y));
    return p;
}
HEDDLE_DEVICE float heddle_abs(float x) {
    return __builtin_fabsf(x);
}
HEDDLE_DEVICE double heddle_abs(double x) {
    return __builtin_fabs(x);
}
HEDDLE_DEVICE float heddle_sign(float x, float sign) {
    return __builtin_copysignf(x, sign);
}
HEDDLE_DEVICE double heddle_sign(double x, double sign) {
    return __builtin_copysign(x, sign);
}
HEDDLE_DEVICE float heddle_rint(float x) {
    return __builtin_rintf(x);
}
HEDDLE_DEVICE double heddle_rint(double x) {
    return __builtin_rint(x);
}
HEDDLE_DEVICE float heddle_trunc(float x) {
    return __builtin_truncf(x);
}
HEDDLE_DEVICE double heddle_trunc(double x) {
    return __builtin_trunc(x);
}
HEDDLE_DEVICE float heddle_root(float x) {
    float root;
    __asm__("sqrt.rn.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}
HEDDLE_DEVICE double heddle_root(double x) {
    return __nvvm_sqrt_rn_d(x);
}

template <class T> HEDDLE_DEVICE T heddle_infinity() {
    return (T)__builtin_inf();
}
template <class T> HEDDLE_DEVICE T heddle_nan() {
    return (T)__builtin_nan("");
}
HEDDLE_DEVICE bool heddle_is_nan(float x) {
    return (heddle_bits(x) & 0x7fffffffu) > 0x7f800000u;
}
HEDDLE_DEVICE bool heddle_is_nan(double x) {
    return (heddle_bits(x) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}

// 2^n for n in the range of normal numbers.
template <class T> HEDDLE_DEVICE T heddle_power_of_2(int n) {
    typedef heddle_ieee<T> ieee;
    return heddle_value((typename ieee::bits)(n + ieee::bias) << ieee::fraction);
}
// x 2^n with one rounding, for 1/4 <= |x| <= 4 and any n that exp and pow need.
template <class T> HEDDLE_DEVICE T heddle_scale(T x, int n) {
    int half = n >> 1;
    return x * heddle_power_of_2<T>(half) * heddle_power_of_2<T>(n - half);
}

// x = m 2^*e with sqrt(1/2) <= m < sqrt(2), for finite x > 0.
template <class T> HEDDLE_DEVICE T heddle_split(T x, int *e) {
    typedef heddle_ieee<T> ieee;
    typedef typename ieee::bits bits;
    int denormal = 0;
    if (x < heddle_power_of_2<T>(1 - ieee::bias)) {
        denormal = ieee::fraction + 1;
        x *= heddle_power_of_2<T>(denormal);
    }
    bits b = heddle_bits(x);
    typename ieee::signed_bits above = (typename ieee::signed_bits)(b - heddle_bits((T)0.70710678));
    int k = (int)(above >> ieee::fraction);
    *e = k - denormal;
    return heddle_value((bits)(b - ((bits)k << ieee::fraction)));
}

template <class T> struct heddle_dd { T hi, lo; };
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_two_sum(T a, T b) {
    T s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}
// For |a| >= |b| or a == 0.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_fast_sum(T a, T b) {
    T s = a + b;
    return {s, b - (s - a)};
}
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_product(T a, T b) {
    T p = heddle_mul(a, b);
    return {p, heddle_fma(a, b, -p)};
}
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_dd_mul(heddle_dd<T> a, heddle_dd<T> b) {
    heddle_dd<T> p = heddle_product(a.hi, b.hi);
    p.lo += heddle_fma(a.hi, b.lo, a.lo * b.hi);
    return heddle_fast_sum(p.hi, p.lo);
}
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_dd_scale(heddle_dd<T> a, T b) {
    heddle_dd<T> p = heddle_product(a.hi, b);
    p.lo = heddle_fma(a.lo, b, p.lo);
    return heddle_fast_sum(p.hi, p.lo);
}
// a + b for |a| >= |b.hi| or a == 0.
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_dd_add(T a, heddle_dd<T> b) {
    heddle_dd<T> s = heddle_fast_sum(a, b.hi);
    return heddle_fast_sum(s.hi, s.lo + b.lo);
}
template <class T> HEDDLE_DEVICE heddle_dd<T> heddle_dd_sum(heddle_dd<T> a, heddle_dd<T> b) {
    heddle_dd<T> s = heddle_two_sum(a.hi, b.hi);
    return heddle_fast_sum(s.hi, s.lo + (a.lo + b.lo));
}

// NAME_hi + NAME_lo, each rounded to T. The _short ones have few enough bits for an
// exact product with an exponent.
#define HEDDLE_CONSTANT(T, name, high, low)            \
    static __device__ __inline__ T name##_hi() {       \
        return high;                                   \
    }                                                  \
    static __device__ __inline__ T name##_lo() {       \
        return low;                                    \
    }                                                  \
    static __device__ __inline__ heddle_dd<T> name() { \
        return {high, low};                            \
    }
template <class T> struct heddle_const;
template <> struct heddle_const<float> {
    HEDDLE_CONSTANT(float, ln2, 0x1.62e430p-1f, -0x1.05c610p-29f)
    HEDDLE_CONSTANT(float, ln10, 0x1.26bb1cp+1f, -0x1.12aabap-25f)
    HEDDLE_CONSTANT(float, lg2, 0x1.344136p-2f, -0x1.ec10c0p-27f)
    HEDDLE_CONSTANT(float, log2e, 0x1.715476p+0f, 0x1.4ae0c0p-26f)
    HEDDLE_CONSTANT(float, log10e, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f)
    HEDDLE_CONSTANT(float, pi, 0x1.921fb6p+1f, -0x1.777a5cp-24f)
    HEDDLE_CONSTANT(float, third, 0x1.555556p-2f, -0x1.555556p-27f)
    HEDDLE_CONSTANT(float, hln2pi, 0x1.d67f1cp-1f, 0x1.0c97d6p-26f)
    HEDDLE_CONSTANT(float, sqrth, 0x1.6a09e6p-1f, 0x1.9fcef4p-27f)
    HEDDLE_CONSTANT(float, ln2_short, 0x1.62e400p-1f, 0x1.7f7d1cp-20f)
    HEDDLE_CONSTANT(float, lg2_short, 0x1.344000p-2f, 0x1.3509f8p-18f)
    HEDDLE_CONSTANT(float, pio2, 0x1.921fb6p+0f, -0x1.777a5cp-25f)
    HEDDLE_CONSTANT(float, pio2_third, -0x1.ee59dap-50f, 0)
};
template <> struct heddle_const<double> {
    HEDDLE_CONSTANT(double, ln2, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)
    HEDDLE_CONSTANT(double, ln10, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53)
    HEDDLE_CONSTANT(double, lg2, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59)
    HEDDLE_CONSTANT(double, log2e, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56)
    HEDDLE_CONSTANT(double, log10e, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57)
    HEDDLE_CONSTANT(double, pi, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53)
    HEDDLE_CONSTANT(double, third, 0x1.5555555555555p-2, 0x1.5555555555555p-56)
    HEDDLE_CONSTANT(double, hln2pi, 0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55)
    HEDDLE_CONSTANT(double, sqrth, 0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55)
    HEDDLE_CONSTANT(double, ln2_short, 0x1.62e42fefa3000p-1, 0x1.3de6af278ece6p-42)
    HEDDLE_CONSTANT(double, lg2_short, 0x1.34413509f7000p-2, 0x1.3fde623e2566bp-43)
    HEDDLE_CONSTANT(double, pio2, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54)
    HEDDLE_CONSTANT(double, pio2_third, -0x1.f1976b7ed8fbcp-110, 0)
};
#undef HEDDLE_CONSTANT

#pragma float_control(pop)
#endif
