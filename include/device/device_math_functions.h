// The names of the math functions: expf, exp(double), exp(float), exp(integer), std::exp.
//
// device_math_exp.h, _trig.h, _special.h and _bits.h hold the algorithms.
#ifndef HEDDLE_DEVICE_DEVICE_MATH_FUNCTIONS_H
#define HEDDLE_DEVICE_DEVICE_MATH_FUNCTIONS_H

#include <type_traits>

#include "device_math_bits.h"
#include "device_math_special.h"

// Integer arguments are converted to double, as in C++.
template <class T, bool is_integer> struct heddle_promoted {};
template <class T> struct heddle_promoted<T, true> { typedef double type; };
#define HEDDLE_INTEGER(T) typename heddle_promoted<T, std::is_integral<T>::value>::type

#define HEDDLE_F1(name, f32, f64)                                \
    HEDDLE_MATH float name##f(float x) {                         \
        return f32;                                              \
    }                                                            \
    HEDDLE_MATH double name(double x) {                          \
        return f64;                                              \
    }                                                            \
    HEDDLE_MATH float name(float x) {                            \
        return name##f(x);                                       \
    }                                                            \
    template <class T> HEDDLE_MATH HEDDLE_INTEGER(T) name(T x) { \
        return name((double)x);                                  \
    }
#define HEDDLE_T1(name) HEDDLE_F1(name, heddle_##name(x), heddle_##name(x))
#define HEDDLE_D1(name) HEDDLE_F1(name, (float)heddle_##name((double)x), heddle_##name(x))
// Functions with a fast form.
#if defined(__FAST_MATH__)
#define HEDDLE_Q1(name) HEDDLE_F1(name, __##name##f(x), heddle_##name(x))
#else
#define HEDDLE_Q1 HEDDLE_T1
#endif

#define HEDDLE_F2(name, f32, f64)                                                             \
    HEDDLE_MATH float name##f(float x, float y) {                                             \
        return f32;                                                                           \
    }                                                                                         \
    HEDDLE_MATH double name(double x, double y) {                                             \
        return f64;                                                                           \
    }                                                                                         \
    HEDDLE_MATH float name(float x, float y) {                                                \
        return name##f(x, y);                                                                 \
    }                                                                                         \
    HEDDLE_MATH double name(float x, double y) {                                              \
        return name((double)x, y);                                                            \
    }                                                                                         \
    HEDDLE_MATH double name(double x, float y) {                                              \
        return name(x, (double)y);                                                            \
    }                                                                                         \
    template <class T, class U> HEDDLE_MATH typename heddle_pair<T, U>::type name(T x, U y) { \
        return name((double)x, (double)y);                                                    \
    }
// A pair of numbers of which at least one is an integer.
template <class T, class U>
struct heddle_pair
    : heddle_promoted<T, std::is_arithmetic<T>::value && std::is_arithmetic<U>::value &&
                             (std::is_integral<T>::value || std::is_integral<U>::value)> {};
#define HEDDLE_T2(name) HEDDLE_F2(name, heddle_##name(x, y), heddle_##name(x, y))

HEDDLE_Q1(exp)
HEDDLE_T1(exp2)
HEDDLE_Q1(exp10)
HEDDLE_T1(expm1)
HEDDLE_Q1(log)
HEDDLE_Q1(log2)
HEDDLE_Q1(log10)
HEDDLE_T1(log1p)
HEDDLE_Q1(sin)
HEDDLE_Q1(cos)
HEDDLE_Q1(tan)
HEDDLE_T1(sinpi)
HEDDLE_T1(cospi)
HEDDLE_T1(asin)
HEDDLE_T1(acos)
HEDDLE_T1(atan)
HEDDLE_T1(sinh)
HEDDLE_T1(cosh)
HEDDLE_T1(tanh)
HEDDLE_T1(asinh)
HEDDLE_T1(acosh)
HEDDLE_T1(atanh)
HEDDLE_T1(cbrt)
HEDDLE_T1(rcbrt)
HEDDLE_T1(erf)
HEDDLE_T1(erfc)
HEDDLE_T1(erfcx)
HEDDLE_D1(erfinv)
HEDDLE_T1(normcdf)
HEDDLE_D1(tgamma)
HEDDLE_D1(lgamma)
HEDDLE_T1(logb)
HEDDLE_T1(round)
#if defined(__FAST_MATH__)
HEDDLE_F2(pow, __powf(x, y), heddle_pow(x, y))
#else
HEDDLE_T2(pow)
#endif
HEDDLE_T2(atan2)
HEDDLE_F2(hypot, heddle_norm(x, y, 0.0f, 0.0f, false), heddle_norm(x, y, 0.0, 0.0, false))
HEDDLE_F2(rhypot, heddle_norm(x, y, 0.0f, 0.0f, true), heddle_norm(x, y, 0.0, 0.0, true))
HEDDLE_T2(fmod)
HEDDLE_T2(fdim)
HEDDLE_T2(nextafter)
#undef HEDDLE_F1
#undef HEDDLE_T1
#undef HEDDLE_D1
#undef HEDDLE_Q1
#undef HEDDLE_F2
#undef HEDDLE_T2

HEDDLE_MATH double rsqrt(double x) {
    return heddle_rsqrt(x);
}

// Functions with other operands: the float form under its C name, then both forms as overloads.
#define HEDDLE_OTHER(result32, result64, name, args32, args64, call) \
    HEDDLE_MATH result32 name##f args32 {                            \
        return call;                                                 \
    }                                                                \
    HEDDLE_MATH result64 name args64 {                               \
        return call;                                                 \
    }                                                                \
    HEDDLE_MATH result32 name args32 {                               \
        return call;                                                 \
    }
#define HEDDLE_FP(name, rest, call) \
    HEDDLE_OTHER(float, double, name, (float x, rest), (double x, rest), call)
#define HEDDLE_TO(type, name, call) HEDDLE_OTHER(type, type, name, (float x), (double x), call)
HEDDLE_OTHER(float, double, remquo, (float x, float y, int *q), (double x, double y, int *q),
             heddle_remquo(x, y, q))
HEDDLE_OTHER(float, double, remainder, (float x, float y), (double x, double y),
             heddle_remainder(x, y))
HEDDLE_OTHER(float, double, norm3d, (float x, float y, float z), (double x, double y, double z),
             heddle_norm(x, y, z, (decltype(x))0, false))
HEDDLE_OTHER(float, double, rnorm3d, (float x, float y, float z), (double x, double y, double z),
             heddle_norm(x, y, z, (decltype(x))0, true))
HEDDLE_OTHER(float, double, norm4d, (float x, float y, float z, float w),
             (double x, double y, double z, double w), heddle_norm(x, y, z, w, false))
HEDDLE_OTHER(float, double, rnorm4d, (float x, float y, float z, float w),
             (double x, double y, double z, double w), heddle_norm(x, y, z, w, true))
HEDDLE_FP(frexp, int *e, heddle_frexp(x, e))
HEDDLE_FP(ldexp, int n, heddle_ldexp(x, n))
HEDDLE_FP(scalbn, int n, heddle_ldexp(x, n))
HEDDLE_FP(scalbln, long n, heddle_ldexp(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n))
HEDDLE_FP(powi, int n, (decltype(x))heddle_pow((double)x, (double)n))
HEDDLE_OTHER(float, double, modf, (float x, float *whole), (double x, double *whole),
             heddle_modf(x, whole))
HEDDLE_TO(int, ilogb, heddle_ilogb(x))
HEDDLE_TO(long, lrint, __double2ll_rn((double)x))
HEDDLE_TO(long long, llrint, __double2ll_rn((double)x))
HEDDLE_TO(long, lround, (long)heddle_round(x))
HEDDLE_TO(long long, llround, (long long)heddle_round(x))
#undef HEDDLE_OTHER
#undef HEDDLE_FP
#undef HEDDLE_TO

#if defined(__FAST_MATH__)
HEDDLE_MATH void sincosf(float x, float *sine, float *cosine) {
    __sincosf(x, sine, cosine);
}
#else
HEDDLE_MATH void sincosf(float x, float *sine, float *cosine) {
    heddle_sincos(x, sine, cosine);
}
#endif
HEDDLE_MATH void sincos(float x, float *sine, float *cosine) {
    sincosf(x, sine, cosine);
}
HEDDLE_MATH void sincos(double x, double *sine, double *cosine) {
    heddle_sincos(x, sine, cosine);
}
HEDDLE_MATH void sincospif(float x, float *sine, float *cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
HEDDLE_MATH void sincospi(float x, float *sine, float *cosine) {
    sincospif(x, sine, cosine);
}
HEDDLE_MATH void sincospi(double x, double *sine, double *cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
HEDDLE_DEVICE float nanf(const char *) {
    return __uint_as_float(0x7fffffffu);
}
HEDDLE_DEVICE double nan(const char *) {
    return __longlong_as_double(0x7fffffffffffffffll);
}
#undef HEDDLE_INTEGER

#include "device_math_std.h"

#endif
