// Functions that split numbers into parts or have exact results: frexp, ldexp, fmod, nextafter,
// round ...
#ifndef HEDDLE_DEVICE_DEVICE_MATH_BITS_H
#define HEDDLE_DEVICE_DEVICE_MATH_BITS_H

#include "device_math_parts.h"

#pragma float_control(precise, on, push)
#pragma clang fp contract(off)

template <class T> HEDDLE_DEVICE bool heddle_is_ordinary(T x) {
    return x != 0 && heddle_abs(x) < heddle_infinity<T>();
}
// floor(log2 |x|) for ordinary x.
template <class T> HEDDLE_DEVICE int heddle_exponent(T x) {
    typedef heddle_ieee<T> ieee;
    typename ieee::bits b = heddle_bits(heddle_abs(x));
    int denormal = 0;
    if (b >> ieee::fraction == 0) {
        denormal = ieee::fraction + 1;
        b = heddle_bits(heddle_abs(x) * heddle_power_of_2<T>(denormal));
    }
    return (int)(b >> ieee::fraction) - ieee::bias - denormal;
}

// x 2^n, in steps of which at most one rounds.
template <class T> HEDDLE_MATH T heddle_ldexp(T x, int n) {
    typedef heddle_ieee<T> ieee;
    const int up = ieee::bias, down = ieee::bias - 1 - ieee::fraction - 1;
    for (int i = 0; i < 2 && n > up; i++) {
        x *= heddle_power_of_2<T>(up);
        n -= up;
    }
    for (int i = 0; i < 2 && n < 1 - up; i++) {
        x *= heddle_power_of_2<T>(-down);
        n += down;
    }
    n = n > up ? up : n < 1 - up ? 1 - up : n;
    return x * heddle_power_of_2<T>(n);
}
template <class T> HEDDLE_MATH T heddle_frexp(T x, int *e) {
    if (!heddle_is_ordinary(x)) {
        *e = 0;
        return x;
    }
    typedef heddle_ieee<T> ieee;
    typedef typename ieee::bits bits;
    *e = heddle_exponent(x) + 1;
    if (*e < 2 - ieee::bias) x *= heddle_power_of_2<T>(ieee::fraction + 1);
    bits field = (bits)(2 * ieee::bias + 1) << ieee::fraction;
    return heddle_value(
        (bits)((heddle_bits(x) & ~field) | (bits)(ieee::bias - 1) << ieee::fraction));
}
template <class T> HEDDLE_DEVICE int heddle_ilogb(T x) {
    if (heddle_is_ordinary(x)) return heddle_exponent(x);
    return heddle_abs(x) == heddle_infinity<T>() ? 0x7fffffff : -0x7fffffff - 1;
}
template <class T> HEDDLE_DEVICE T heddle_logb(T x) {
    if (heddle_is_ordinary(x)) return (T)heddle_exponent(x);
    return x == 0 ? -heddle_infinity<T>() : heddle_is_nan(x) ? x : heddle_infinity<T>();
}
template <class T> HEDDLE_DEVICE T heddle_modf(T x, T *whole) {
    *whole = heddle_trunc(x);
    T rest = heddle_abs(x) == heddle_infinity<T>() ? (T)0 : x - *whole;
    return heddle_sign(rest, x);
}
template <class T> HEDDLE_DEVICE T heddle_round(T x) {
    T t = heddle_trunc(x);
    if (heddle_abs(x - t) >= (T)0.5) t += heddle_sign((T)1, x);
    return heddle_sign(t, x);
}
template <class T> HEDDLE_DEVICE T heddle_nextafter(T x, T y) {
    typedef typename heddle_ieee<T>::bits bits;
    if (heddle_is_nan(x) || heddle_is_nan(y)) return x + y;
    if (x == y) return y;
    if (x == 0) return heddle_sign(heddle_value((bits)1), y);
    bits b = heddle_bits(x);
    return heddle_value((bits)((x < y) == (x > 0) ? b + 1 : b - 1));
}
template <class T> HEDDLE_DEVICE T heddle_fdim(T x, T y) {
    if (heddle_is_nan(x) || heddle_is_nan(y)) return x + y;
    return x > y ? x - y : (T)0;
}

// |x| mod |y| for ordinary y and finite x, by long division on the fractions; the last bits of the
// quotient.
template <class T> HEDDLE_MATH T heddle_divide_rest(T x, T y, unsigned *quotient) {
    typedef heddle_ieee<T> ieee;
    const int step = 64 - (ieee::fraction + 1);
    *quotient = 0;
    x = heddle_abs(x), y = heddle_abs(y);
    if (x < y) return x;
    int ex = heddle_exponent(x), ey = heddle_exponent(y);
    const T unit = heddle_power_of_2<T>(ieee::fraction);
    unsigned long long mx = (unsigned long long)(heddle_ldexp(x, -ex) * unit);
    unsigned long long my = (unsigned long long)(heddle_ldexp(y, -ey) * unit);
    unsigned long long q = mx / my;
    mx -= q * my;
    *quotient = (unsigned)q;
    for (int left = ex - ey; left > 0;) {
        int bits = left < step ? left : step;
        mx <<= bits;
        q = mx / my;
        mx -= q * my;
        *quotient = bits < 32 ? *quotient << bits | (unsigned)q : (unsigned)q;
        left -= bits;
    }
    return heddle_ldexp((T)mx, ey - ieee::fraction);
}
template <class T> HEDDLE_DEVICE bool heddle_no_rest(T x, T y) {
    return !(heddle_abs(x) < heddle_infinity<T>()) || y == 0 || heddle_is_nan(y);
}
template <class T> HEDDLE_MATH T heddle_fmod(T x, T y) {
    if (heddle_no_rest(x, y)) return heddle_nan<T>();
    if (heddle_abs(y) == heddle_infinity<T>()) return x;
    unsigned quotient;
    return heddle_sign(heddle_divide_rest(x, y, &quotient), x);
}
template <class T> HEDDLE_MATH T heddle_remquo(T x, T y, int *quotient) {
    *quotient = 0;
    if (heddle_no_rest(x, y)) return heddle_nan<T>();
    if (heddle_abs(y) == heddle_infinity<T>()) return x;
    unsigned q;
    T rest = heddle_divide_rest(x, y, &q), b = heddle_abs(y);
    // The nearest multiple; of two, the even one.
    T other = b - rest;
    if (rest > other || (rest == other && (q & 1))) {
        rest = -other;
        q++;
    }
    bool opposite = (heddle_sign((T)1, x) < 0) != (heddle_sign((T)1, y) < 0);
    *quotient = opposite ? -(int)(q & 7) : (int)(q & 7);
    if (rest == 0) return heddle_sign(rest, x);
    return heddle_sign((T)1, x) < 0 ? -rest : rest;
}
template <class T> HEDDLE_MATH T heddle_remainder(T x, T y) {
    int quotient;
    return heddle_remquo(x, y, &quotient);
}

#pragma float_control(pop)
#endif
