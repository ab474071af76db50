// The common part of __half and __nv_bfloat16: HEDDLE_SMALL_FLOAT(TYPE, PAIR, NAME) defines the
// operators, and the functions that have the same name for both.
//
// The file that uses it first defines, for TYPE and for PAIR, on host and device:
//   heddle_NAME_add, _sub, _mul, _fma     one rounding each
//   heddle_to_float(TYPE), heddle_from_float(float, TYPE tag)   one rounding to nearest
#ifndef HEDDLE_DEVICE_DEVICE_SMALL_FLOATS_H
#define HEDDLE_DEVICE_DEVICE_SMALL_FLOATS_H

#include "cuda_runtime.h"

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((always_inline, nodebug))

HEDDLE_BOTH unsigned heddle_float_bits(float x) {
    unsigned bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
HEDDLE_BOTH float heddle_bits_float(unsigned bits) {
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
// x rounded to odd: a second rounding, to 22 bits or fewer, then gives the same as a single one.
HEDDLE_BOTH float heddle_double_to_odd(double x) {
    float f = (float)x;
    if ((double)f == x || x != x) return f;
    unsigned bits = heddle_float_bits(f);
    if (bits & 1) return f;
    bool away = (double)f > x ? x > 0 : x < 0;
    return heddle_bits_float(away ? bits - 1 : bits | 1);
}

// A 64-bit integer as a double whose further rounding gives the same as rounding the integer.
HEDDLE_BOTH double heddle_wide(unsigned long long i) {
    if (i >> 53) i = (i >> 11 | ((i & 0x7ff) != 0)) << 11;
    return (double)i;
}
HEDDLE_BOTH double heddle_wide(long long i) {
    return i < 0 ? -heddle_wide(0 - (unsigned long long)i) : heddle_wide((unsigned long long)i);
}

// heddle_NAME_add, _sub and _mul in float, for types without instructions; fma of a pair.
#define HEDDLE_SMALL_BY_FLOAT_1(T, P, NAME, name, op)                                 \
    HEDDLE_BOTH T heddle_##NAME##_##name(T a, T b) {                                  \
        return heddle_from_float(heddle_to_float(a) op heddle_to_float(b), a);        \
    }                                                                                 \
    HEDDLE_BOTH P heddle_##NAME##_##name(P a, P b) {                                  \
        return P(heddle_##NAME##_##name(a.x, b.x), heddle_##NAME##_##name(a.y, b.y)); \
    }
#define HEDDLE_SMALL_BY_FLOAT(T, P, NAME)                                                 \
    HEDDLE_SMALL_BY_FLOAT_1(T, P, NAME, add, +)                                           \
    HEDDLE_SMALL_BY_FLOAT_1(T, P, NAME, sub, -)                                           \
    HEDDLE_SMALL_BY_FLOAT_1(T, P, NAME, mul, *)                                           \
    HEDDLE_BOTH P heddle_##NAME##_fma(P a, P b, P c) {                                    \
        return P(heddle_##NAME##_fma(a.x, b.x, c.x), heddle_##NAME##_fma(a.y, b.y, c.y)); \
    }

#define HEDDLE_SMALL_BINARY(T, P, NAME, name, op)             \
    HEDDLE_BOTH T __h##name(T a, T b) {                       \
        return heddle_##NAME##_##name(a, b);                  \
    }                                                         \
    HEDDLE_BOTH P __h##name##2(P a, P b) {                    \
        return heddle_##NAME##_##name(a, b);                  \
    }                                                         \
    HEDDLE_BOTH T __h##name##_rn(T a, T b) {                  \
        return heddle_##NAME##_##name(a, b);                  \
    }                                                         \
    HEDDLE_BOTH P __h##name##2_rn(P a, P b) {                 \
        return heddle_##NAME##_##name(a, b);                  \
    }                                                         \
    HEDDLE_BOTH T __h##name##_sat(T a, T b) {                 \
        return heddle_saturate(heddle_##NAME##_##name(a, b)); \
    }                                                         \
    HEDDLE_BOTH T operator op(const T &a, const T &b) {       \
        return heddle_##NAME##_##name(a, b);                  \
    }                                                         \
    HEDDLE_BOTH P operator op(const P &a, const P &b) {       \
        return heddle_##NAME##_##name(a, b);                  \
    }                                                         \
    HEDDLE_BOTH T &operator op##=(T &a, const T &b) {         \
        return a = a op b;                                    \
    }                                                         \
    HEDDLE_BOTH P &operator op##=(P &a, const P &b) {         \
        return a = a op b;                                    \
    }

// Comparisons: NAME is false with a NaN, NAMEu true. Of a pair: 1.0 or 0.0 for each part; hb: true
// if both parts compare.
#define HEDDLE_SMALL_COMPARE(T, P, name, op)                                 \
    HEDDLE_BOTH bool __h##name(T a, T b) {                                   \
        return heddle_to_float(a) op heddle_to_float(b);                     \
    }                                                                        \
    HEDDLE_BOTH bool __h##name##u(T a, T b) {                                \
        return __hisnan(a) || __hisnan(b) || __h##name(a, b);                \
    }                                                                        \
    HEDDLE_BOTH P __h##name##2(P a, P b) {                                   \
        return P(heddle_from_float(__h##name(a.x, b.x) ? 1.0f : 0.0f, T()),  \
                 heddle_from_float(__h##name(a.y, b.y) ? 1.0f : 0.0f, T())); \
    }                                                                        \
    HEDDLE_BOTH bool __hb##name##2(P a, P b) {                               \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                   \
    }                                                                        \
    HEDDLE_BOTH bool operator op(const T &a, const T &b) {                   \
        return __h##name(a, b);                                              \
    }                                                                        \
    HEDDLE_BOTH bool operator op(const P &a, const P &b) {                   \
        return __hb##name##2(a, b);                                          \
    }

// A function computed in float: hNAME(TYPE), h2NAME(PAIR). Device only.
#define HEDDLE_SMALL_FUNCTION(T, P, name, call) \
    HEDDLE_DEVICE T h##name(T a) {              \
        float x = heddle_to_float(a);           \
        return heddle_from_float(call, T());    \
    }                                           \
    HEDDLE_DEVICE P h2##name(P a) {             \
        return P(h##name(a.x), h##name(a.y));   \
    }

#define HEDDLE_SMALL_SHUFFLE(T, P, name, operand)                                          \
    HEDDLE_DEVICE T name(unsigned mask, T v, operand with, int width = 32) {               \
        return T(heddle_raw(), (unsigned short)name(mask, (unsigned)v.bits, with, width)); \
    }                                                                                      \
    HEDDLE_DEVICE P name(unsigned mask, P v, operand with, int width = 32) {               \
        return heddle_from_word(name(mask, heddle_word(v), with, width), P());             \
    }

#if defined(__CUDA__)
#define HEDDLE_SMALL_DEVICE(T, P)                                    \
    HEDDLE_SMALL_FUNCTION(T, P, sqrt, sqrtf(x))                      \
    HEDDLE_SMALL_FUNCTION(T, P, rsqrt, rsqrtf(x))                    \
    HEDDLE_SMALL_FUNCTION(T, P, rcp, 1.0f / x)                       \
    HEDDLE_SMALL_FUNCTION(T, P, exp, expf(x))                        \
    HEDDLE_SMALL_FUNCTION(T, P, exp2, exp2f(x))                      \
    HEDDLE_SMALL_FUNCTION(T, P, exp10, exp10f(x))                    \
    HEDDLE_SMALL_FUNCTION(T, P, log, logf(x))                        \
    HEDDLE_SMALL_FUNCTION(T, P, log2, log2f(x))                      \
    HEDDLE_SMALL_FUNCTION(T, P, log10, log10f(x))                    \
    HEDDLE_SMALL_FUNCTION(T, P, sin, sinf(x))                        \
    HEDDLE_SMALL_FUNCTION(T, P, cos, cosf(x))                        \
    HEDDLE_SMALL_FUNCTION(T, P, tanh, tanhf(x))                      \
    HEDDLE_SMALL_FUNCTION(T, P, floor, floorf(x))                    \
    HEDDLE_SMALL_FUNCTION(T, P, ceil, ceilf(x))                      \
    HEDDLE_SMALL_FUNCTION(T, P, trunc, truncf(x))                    \
    HEDDLE_SMALL_FUNCTION(T, P, rint, rintf(x))                      \
    HEDDLE_SMALL_SHUFFLE(T, P, __shfl_sync, int)                     \
    HEDDLE_SMALL_SHUFFLE(T, P, __shfl_up_sync, unsigned)             \
    HEDDLE_SMALL_SHUFFLE(T, P, __shfl_down_sync, unsigned)           \
    HEDDLE_SMALL_SHUFFLE(T, P, __shfl_xor_sync, int)                 \
    HEDDLE_DEVICE T __ldg(const T *from) {                           \
        return T(heddle_raw(), __ldg((const unsigned short *)from)); \
    }                                                                \
    HEDDLE_DEVICE P __ldg(const P *from) {                           \
        return heddle_from_word(__ldg((const unsigned *)from), P()); \
    }
#else
#define HEDDLE_SMALL_DEVICE(T, P)
#endif

// Marks the constructor from bits.
struct heddle_raw {};

// The members of both types. A float converts only explicitly, by name or by a cast.
#define HEDDLE_SMALL_TYPE(T, P)                                                           \
    struct __align__(2) T {                                                               \
        unsigned short bits;                                                              \
        T() = default;                                                                    \
        __host__ __device__ constexpr T(heddle_raw, unsigned short raw) : bits(raw) {}    \
        __host__ __device__ T(float f);                                                   \
        __host__ __device__ T(double d);                                                  \
        __host__ __device__ T(int i);                                                     \
        __host__ __device__ T(unsigned i);                                                \
        __host__ __device__ T(long long i);                                               \
        __host__ __device__ T(unsigned long long i);                                      \
        __host__ __device__ operator float() const;                                       \
    };                                                                                    \
    struct __align__(4) P {                                                               \
        T x, y;                                                                           \
        P() = default;                                                                    \
        __host__ __device__ constexpr P(const T &low, const T &high) : x(low), y(high) {} \
    };

#define HEDDLE_SMALL_FLOAT(T, P, NAME)                                                            \
    __inline__ __host__ __device__ T::T(float f) : T(heddle_from_float(f, T(heddle_raw(), 0))) {} \
    __inline__ __host__ __device__ T::T(double d) : T(heddle_double_to_odd(d)) {}                 \
    __inline__ __host__ __device__ T::T(int i) : T((double)i) {}                                  \
    __inline__ __host__ __device__ T::T(unsigned i) : T((double)i) {}                             \
    __inline__ __host__ __device__ T::T(long long i) : T(heddle_wide(i)) {}                       \
    __inline__ __host__ __device__ T::T(unsigned long long i) : T(heddle_wide(i)) {}              \
    __inline__ __host__ __device__ T::operator float() const {                                    \
        return heddle_to_float(*this);                                                            \
    }                                                                                             \
    HEDDLE_BOTH bool __hisnan(T a) {                                                              \
        float f = heddle_to_float(a);                                                             \
        return (heddle_float_bits(f) & 0x7fffffffu) > 0x7f800000u;                                \
    }                                                                                             \
    HEDDLE_BOTH P __hisnan2(P a) {                                                                \
        return P(T(__hisnan(a.x) ? 1.0f : 0.0f), T(__hisnan(a.y) ? 1.0f : 0.0f));                 \
    }                                                                                             \
    HEDDLE_BOTH int __hisinf(T a) {                                                               \
        unsigned bits = heddle_float_bits(heddle_to_float(a));                                    \
        return (bits & 0x7fffffffu) != 0x7f800000u ? 0 : bits >> 31 ? -1 : 1;                     \
    }                                                                                             \
    HEDDLE_BOTH unsigned heddle_word(P a) {                                                       \
        return a.x.bits | (unsigned)a.y.bits << 16;                                               \
    }                                                                                             \
    HEDDLE_BOTH P heddle_from_word(unsigned word, P) {                                            \
        return P(T(heddle_raw(), (unsigned short)word),                                           \
                 T(heddle_raw(), (unsigned short)(word >> 16)));                                  \
    }                                                                                             \
    HEDDLE_BOTH T heddle_saturate(T a) {                                                          \
        float f = heddle_to_float(a);                                                             \
        return T(f > 1.0f ? 1.0f : f > 0.0f ? f : 0.0f);                                          \
    }                                                                                             \
    HEDDLE_SMALL_BINARY(T, P, NAME, add, +)                                                       \
    HEDDLE_SMALL_BINARY(T, P, NAME, sub, -)                                                       \
    HEDDLE_SMALL_BINARY(T, P, NAME, mul, *)                                                       \
    HEDDLE_BOTH T __hdiv(T a, T b) {                                                              \
        return T(heddle_to_float(a) / heddle_to_float(b));                                        \
    }                                                                                             \
    HEDDLE_BOTH P __h2div(P a, P b) {                                                             \
        return P(__hdiv(a.x, b.x), __hdiv(a.y, b.y));                                             \
    }                                                                                             \
    HEDDLE_BOTH T operator/(const T &a, const T &b) {                                             \
        return __hdiv(a, b);                                                                      \
    }                                                                                             \
    HEDDLE_BOTH P operator/(const P &a, const P &b) {                                             \
        return __h2div(a, b);                                                                     \
    }                                                                                             \
    HEDDLE_BOTH T &operator/=(T &a, const T &b) {                                                 \
        return a = a / b;                                                                         \
    }                                                                                             \
    HEDDLE_BOTH P &operator/=(P &a, const P &b) {                                                 \
        return a = a / b;                                                                         \
    }                                                                                             \
    HEDDLE_BOTH T __hfma(T a, T b, T c) {                                                         \
        return heddle_##NAME##_fma(a, b, c);                                                      \
    }                                                                                             \
    HEDDLE_BOTH P __hfma2(P a, P b, P c) {                                                        \
        return heddle_##NAME##_fma(a, b, c);                                                      \
    }                                                                                             \
    HEDDLE_BOTH T __hneg(T a) {                                                                   \
        return T(heddle_raw(), (unsigned short)(a.bits ^ 0x8000u));                               \
    }                                                                                             \
    HEDDLE_BOTH P __hneg2(P a) {                                                                  \
        return P(__hneg(a.x), __hneg(a.y));                                                       \
    }                                                                                             \
    HEDDLE_BOTH T __habs(T a) {                                                                   \
        return T(heddle_raw(), (unsigned short)(a.bits & 0x7fffu));                               \
    }                                                                                             \
    HEDDLE_BOTH P __habs2(P a) {                                                                  \
        return P(__habs(a.x), __habs(a.y));                                                       \
    }                                                                                             \
    HEDDLE_BOTH T operator-(const T &a) {                                                         \
        return __hneg(a);                                                                         \
    }                                                                                             \
    HEDDLE_BOTH P operator-(const P &a) {                                                         \
        return __hneg2(a);                                                                        \
    }                                                                                             \
    HEDDLE_BOTH T operator+(const T &a) {                                                         \
        return a;                                                                                 \
    }                                                                                             \
    HEDDLE_SMALL_COMPARE(T, P, eq, ==)                                                            \
    HEDDLE_SMALL_COMPARE(T, P, lt, <)                                                             \
    HEDDLE_SMALL_COMPARE(T, P, le, <=)                                                            \
    HEDDLE_SMALL_COMPARE(T, P, gt, >)                                                             \
    HEDDLE_SMALL_COMPARE(T, P, ge, >=)                                                            \
    HEDDLE_BOTH bool operator!=(const T &a, const T &b) {                                         \
        return !__heq(a, b);                                                                      \
    }                                                                                             \
    HEDDLE_BOTH bool __hne(T a, T b) {                                                            \
        return !__hisnan(a) && !__hisnan(b) && !__heq(a, b);                                      \
    }                                                                                             \
    HEDDLE_BOTH bool __hneu(T a, T b) {                                                           \
        return !__heq(a, b);                                                                      \
    }                                                                                             \
    HEDDLE_BOTH bool __hbne2(P a, P b) {                                                          \
        return __hne(a.x, b.x) && __hne(a.y, b.y);                                                \
    }                                                                                             \
    HEDDLE_BOTH T __hmax(T a, T b) {                                                              \
        return __hisnan(a) || __hgt(b, a) || (__heq(a, b) && a.bits >> 15) ? b : a;               \
    }                                                                                             \
    HEDDLE_BOTH T __hmin(T a, T b) {                                                              \
        return __hisnan(a) || __hlt(b, a) || (__heq(a, b) && b.bits >> 15) ? b : a;               \
    }                                                                                             \
    HEDDLE_BOTH P __hmax2(P a, P b) {                                                             \
        return P(__hmax(a.x, b.x), __hmax(a.y, b.y));                                             \
    }                                                                                             \
    HEDDLE_BOTH P __hmin2(P a, P b) {                                                             \
        return P(__hmin(a.x, b.x), __hmin(a.y, b.y));                                             \
    }                                                                                             \
    HEDDLE_BOTH float __low2float(P a) {                                                          \
        return heddle_to_float(a.x);                                                              \
    }                                                                                             \
    HEDDLE_BOTH float __high2float(P a) {                                                         \
        return heddle_to_float(a.y);                                                              \
    }                                                                                             \
    HEDDLE_SMALL_DEVICE(T, P)

// The functions with the type in their names; N is half or bfloat16.
#define HEDDLE_SMALL_NAMES(T, P, N)                              \
    HEDDLE_BOTH T __float2##N(float f) {                         \
        return T(f);                                             \
    }                                                            \
    HEDDLE_BOTH T __float2##N##_rn(float f) {                    \
        return T(f);                                             \
    }                                                            \
    HEDDLE_BOTH T __double2##N(double d) {                       \
        return T(d);                                             \
    }                                                            \
    HEDDLE_BOTH float __##N##2float(T h) {                       \
        return heddle_to_float(h);                               \
    }                                                            \
    HEDDLE_BOTH P __float2##N##2_rn(float f) {                   \
        return P(T(f), T(f));                                    \
    }                                                            \
    HEDDLE_BOTH P __floats2##N##2_rn(float low, float high) {    \
        return P(T(low), T(high));                               \
    }                                                            \
    HEDDLE_BOTH P __float22##N##2_rn(float2 f) {                 \
        return P(T(f.x), T(f.y));                                \
    }                                                            \
    HEDDLE_BOTH float2 __##N##22float2(P h) {                    \
        float2 f = {heddle_to_float(h.x), heddle_to_float(h.y)}; \
        return f;                                                \
    }                                                            \
    HEDDLE_BOTH P __##N##2##N##2(T h) {                          \
        return P(h, h);                                          \
    }                                                            \
    HEDDLE_BOTH P __halves2##N##2(T low, T high) {               \
        return P(low, high);                                     \
    }                                                            \
    HEDDLE_BOTH P make_##N##2(T low, T high) {                   \
        return P(low, high);                                     \
    }                                                            \
    HEDDLE_BOTH T __low2##N(P h) {                               \
        return h.x;                                              \
    }                                                            \
    HEDDLE_BOTH T __high2##N(P h) {                              \
        return h.y;                                              \
    }                                                            \
    HEDDLE_BOTH P __low2##N##2(P h) {                            \
        return P(h.x, h.x);                                      \
    }                                                            \
    HEDDLE_BOTH P __high2##N##2(P h) {                           \
        return P(h.y, h.y);                                      \
    }                                                            \
    HEDDLE_BOTH P __lows2##N##2(P a, P b) {                      \
        return P(a.x, b.x);                                      \
    }                                                            \
    HEDDLE_BOTH P __highs2##N##2(P a, P b) {                     \
        return P(a.y, b.y);                                      \
    }                                                            \
    HEDDLE_BOTH P __lowhigh2highlow(P h) {                       \
        return P(h.y, h.x);                                      \
    }                                                            \
    HEDDLE_BOTH short __##N##_as_short(T h) {                    \
        return (short)h.bits;                                    \
    }                                                            \
    HEDDLE_BOTH unsigned short __##N##_as_ushort(T h) {          \
        return h.bits;                                           \
    }                                                            \
    HEDDLE_BOTH T __short_as_##N(short bits) {                   \
        return T(heddle_raw(), (unsigned short)bits);            \
    }                                                            \
    HEDDLE_BOTH T __ushort_as_##N(unsigned short bits) {         \
        return T(heddle_raw(), bits);                            \
    }                                                            \
    HEDDLE_BOTH T __int2##N##_rn(int i) {                        \
        return T(i);                                             \
    }                                                            \
    HEDDLE_BOTH T __uint2##N##_rn(unsigned i) {                  \
        return T(i);                                             \
    }                                                            \
    HEDDLE_BOTH T __ll2##N##_rn(long long i) {                   \
        return T(i);                                             \
    }                                                            \
    HEDDLE_BOTH T __ull2##N##_rn(unsigned long long i) {         \
        return T(i);                                             \
    }                                                            \
    HEDDLE_SMALL_DEVICE_NAMES(T, P, N)
// An atomic sum compares and swaps the word that holds the value.
#if defined(__CUDA__)
#define HEDDLE_SMALL_DEVICE_NAMES(T, P, N)                                                  \
    HEDDLE_DEVICE int __##N##2int_rz(T h) {                                                 \
        return __float2int_rz(heddle_to_float(h));                                          \
    }                                                                                       \
    HEDDLE_DEVICE int __##N##2int_rn(T h) {                                                 \
        return __float2int_rn(heddle_to_float(h));                                          \
    }                                                                                       \
    HEDDLE_DEVICE unsigned __##N##2uint_rz(T h) {                                           \
        return __float2uint_rz(heddle_to_float(h));                                         \
    }                                                                                       \
    HEDDLE_DEVICE unsigned __##N##2uint_rn(T h) {                                           \
        return __float2uint_rn(heddle_to_float(h));                                         \
    }                                                                                       \
    HEDDLE_DEVICE P atomicAdd(P *to, P value) {                                             \
        unsigned *word = (unsigned *)to, seen = *(volatile unsigned *)to, old;              \
        do {                                                                                \
            old = seen;                                                                     \
            seen = atomicCAS(word, old, heddle_word(heddle_from_word(old, value) + value)); \
        } while (seen != old);                                                              \
        return heddle_from_word(old, value);                                                \
    }                                                                                       \
    HEDDLE_DEVICE T atomicAdd(T *to, T value) {                                             \
        bool upper = ((unsigned long long)to & 2) != 0;                                     \
        unsigned *word = (unsigned *)((unsigned long long)to & ~3ull);                      \
        unsigned seen = *(volatile unsigned *)word, old;                                    \
        P pair;                                                                             \
        do {                                                                                \
            old = seen;                                                                     \
            pair = heddle_from_word(old, P());                                              \
            P next = upper ? P(pair.x, pair.y + value) : P(pair.x + value, pair.y);         \
            seen = atomicCAS(word, old, heddle_word(next));                                 \
        } while (seen != old);                                                              \
        return upper ? pair.y : pair.x;                                                     \
    }
#else
#define HEDDLE_SMALL_DEVICE_NAMES(T, P, N)
#endif

#endif
