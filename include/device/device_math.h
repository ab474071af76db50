// Floating-point functions that a GPU has as instructions: roots, fma, rounding, min and max,
// reciprocals, and the fast approximations with two underscores; then those of device_math.def.
//
// Under -ffast-math the square root becomes the approximate one, and expf, sinf ... their fast
// forms, as with NVIDIA's compiler. A missing function does not compile in device code; heddle-cc
// names it.
#ifndef HEDDLE_DEVICE_DEVICE_MATH_H
#define HEDDLE_DEVICE_DEVICE_MATH_H

#include "device_math_forward.h"

#include <cmath>
#include <math.h>
#include <stdlib.h>

#include "device_convert.h"
#include "device_integer.h"

// With nvcc's --use_fast_math or clang's -ffast-math.
#if defined(__FAST_MATH__) && defined(__CUDA_FTZ)
#define HEDDLE_SQRTF __nvvm_sqrt_approx_ftz_f
#define HEDDLE_FTZ(name) name##_ftz_f
#define HEDDLE_FTZ_TEXT ".ftz"
#elif defined(__FAST_MATH__)
#define HEDDLE_SQRTF __nvvm_sqrt_approx_f
#define HEDDLE_FTZ(name) name##_f
#define HEDDLE_FTZ_TEXT ""
#else
#define HEDDLE_SQRTF __nvvm_sqrt_rn_f
#define HEDDLE_FTZ(name) name##_f
#define HEDDLE_FTZ_TEXT ""
#endif

// F1/F2/F3: the float function under its C name, its double twin, and CUDA's overload for float.
#define HEDDLE_F1(name, f32, f64)          \
    HEDDLE_DEVICE float name##f(float x) { \
        return f32;                        \
    }                                      \
    HEDDLE_DEVICE double name(double x) {  \
        return f64;                        \
    }                                      \
    HEDDLE_DEVICE float name(float x) {    \
        return f32;                        \
    }
#define HEDDLE_F2(name, f32, f64)                   \
    HEDDLE_DEVICE float name##f(float x, float y) { \
        return f32;                                 \
    }                                               \
    HEDDLE_DEVICE double name(double x, double y) { \
        return f64;                                 \
    }                                               \
    HEDDLE_DEVICE float name(float x, float y) {    \
        return f32;                                 \
    }
#define HEDDLE_F3(name, f32, f64)                             \
    HEDDLE_DEVICE float name##f(float x, float y, float z) {  \
        return f32;                                           \
    }                                                         \
    HEDDLE_DEVICE double name(double x, double y, double z) { \
        return f64;                                           \
    }                                                         \
    HEDDLE_DEVICE float name(float x, float y, float z) {     \
        return f32;                                           \
    }

HEDDLE_F1(sqrt, HEDDLE_SQRTF(x), __nvvm_sqrt_rn_d(x))
HEDDLE_F1(fabs, __builtin_fabsf(x), __builtin_fabs(x))
HEDDLE_F1(floor, __builtin_floorf(x), __builtin_floor(x))
HEDDLE_F1(ceil, __builtin_ceilf(x), __builtin_ceil(x))
HEDDLE_F1(trunc, __builtin_truncf(x), __builtin_trunc(x))
HEDDLE_F1(rint, __builtin_rintf(x), __builtin_rint(x))
HEDDLE_F1(nearbyint, __builtin_nearbyintf(x), __builtin_nearbyint(x))
HEDDLE_F2(fmin, __builtin_fminf(x, y), __builtin_fmin(x, y))
HEDDLE_F2(fmax, __builtin_fmaxf(x, y), __builtin_fmax(x, y))
HEDDLE_F2(copysign, __builtin_copysignf(x, y), __builtin_copysign(x, y))
HEDDLE_F3(fma, __builtin_fmaf(x, y, z), __builtin_fma(x, y, z))
#undef HEDDLE_F1
#undef HEDDLE_F2
#undef HEDDLE_F3

HEDDLE_DEVICE float abs(float x) {
    return __builtin_fabsf(x);
}
HEDDLE_DEVICE double abs(double x) {
    return __builtin_fabs(x);
}
// min and max of floating-point numbers, for host and device, as in CUDA; a number wins over a NaN.
#define HEDDLE_MIN_MAX(result, a_type, b_type, f)                          \
    static __inline__ __host__ __device__ result min(a_type x, b_type y) { \
        return __builtin_fmin##f(x, y);                                    \
    }                                                                      \
    static __inline__ __host__ __device__ result max(a_type x, b_type y) { \
        return __builtin_fmax##f(x, y);                                    \
    }
HEDDLE_MIN_MAX(float, float, float, f)
HEDDLE_MIN_MAX(double, double, double, )
HEDDLE_MIN_MAX(double, float, double, )
HEDDLE_MIN_MAX(double, double, float, )
#undef HEDDLE_MIN_MAX

// The instruction's approximation is what CUDA specifies here (2 ulp).
HEDDLE_DEVICE float rsqrtf(float x) {
    return HEDDLE_FTZ(__nvvm_rsqrt_approx)(x);
}
HEDDLE_DEVICE float rsqrt(float x) {
    return rsqrtf(x);
}

// Approximations by special-function instructions; errors as in the PTX manual.
HEDDLE_DEVICE float __fdividef(float x, float y) {
    return HEDDLE_FTZ(__nvvm_div_approx)(x, y);
}
#if defined(__FAST_MATH__)
HEDDLE_DEVICE float fdividef(float x, float y) {
    return __fdividef(x, y);
}
#else
HEDDLE_DEVICE float fdividef(float x, float y) {
    return x / y;
}
#endif
HEDDLE_DEVICE double fdivide(double x, double y) {
    return x / y;
}
HEDDLE_DEVICE float fdivide(float x, float y) {
    return fdividef(x, y);
}
HEDDLE_DEVICE float __exp2f(float x) {
    return HEDDLE_FTZ(__nvvm_ex2_approx)(x);
}
HEDDLE_DEVICE float __log2f(float x) {
    return HEDDLE_FTZ(__nvvm_lg2_approx)(x);
}
HEDDLE_DEVICE float __sinf(float x) {
    return HEDDLE_FTZ(__nvvm_sin_approx)(x);
}
HEDDLE_DEVICE float __cosf(float x) {
    return HEDDLE_FTZ(__nvvm_cos_approx)(x);
}
HEDDLE_DEVICE float __expf(float x) {
    return __exp2f(x * 1.4426950408889634f);
}
HEDDLE_DEVICE float __exp10f(float x) {
    return __exp2f(x * 3.3219280948873623f);
}
HEDDLE_DEVICE float __logf(float x) {
    return __log2f(x) * 0.6931471805599453f;
}
HEDDLE_DEVICE float __log10f(float x) {
    return __log2f(x) * 0.3010299956639812f;
}
HEDDLE_DEVICE float __powf(float x, float y) {
    return __exp2f(y * __log2f(x));
}
HEDDLE_DEVICE float __tanf(float x) {
    return __fdividef(__sinf(x), __cosf(x));
}
HEDDLE_DEVICE float __saturatef(float x) {
    return HEDDLE_FTZ(__nvvm_saturate)(x);
}
HEDDLE_DEVICE void __sincosf(float x, float *sine, float *cosine) {
    *sine = __sinf(x);
    *cosine = __cosf(x);
}

// One operation with a stated rounding, never contracted into an fma. In PTX: clang drops the
// rounding of its own builtins where it is the default one, and may then contract.
#define HEDDLE_ROUNDED_1(name, type, c, ptx)            \
    HEDDLE_DEVICE type name(type x) {                   \
        type result;                                    \
        __asm__(ptx " %0, %1;" : "=" c(result) : c(x)); \
        return result;                                  \
    }
#define HEDDLE_ROUNDED_2(name, type, c, ptx)                      \
    HEDDLE_DEVICE type name(type x, type y) {                     \
        type result;                                              \
        __asm__(ptx " %0, %1, %2;" : "=" c(result) : c(x), c(y)); \
        return result;                                            \
    }
#define HEDDLE_ROUNDED_3(name, type, c, ptx)                                \
    HEDDLE_DEVICE type name(type x, type y, type z) {                       \
        type result;                                                        \
        __asm__(ptx " %0, %1, %2, %3;" : "=" c(result) : c(x), c(y), c(z)); \
        return result;                                                      \
    }
#define HEDDLE_ROUNDED(cuda, ptx)                                                    \
    HEDDLE_ROUNDED_2(__fadd_##cuda, float, "f", "add." ptx HEDDLE_FTZ_TEXT ".f32")   \
    HEDDLE_ROUNDED_2(__fsub_##cuda, float, "f", "sub." ptx HEDDLE_FTZ_TEXT ".f32")   \
    HEDDLE_ROUNDED_2(__fmul_##cuda, float, "f", "mul." ptx HEDDLE_FTZ_TEXT ".f32")   \
    HEDDLE_ROUNDED_2(__fdiv_##cuda, float, "f", "div." ptx HEDDLE_FTZ_TEXT ".f32")   \
    HEDDLE_ROUNDED_3(__fmaf_##cuda, float, "f", "fma." ptx HEDDLE_FTZ_TEXT ".f32")   \
    HEDDLE_ROUNDED_1(__frcp_##cuda, float, "f", "rcp." ptx HEDDLE_FTZ_TEXT ".f32")   \
    HEDDLE_ROUNDED_1(__fsqrt_##cuda, float, "f", "sqrt." ptx HEDDLE_FTZ_TEXT ".f32") \
    HEDDLE_ROUNDED_2(__dadd_##cuda, double, "d", "add." ptx ".f64")                  \
    HEDDLE_ROUNDED_2(__dsub_##cuda, double, "d", "sub." ptx ".f64")                  \
    HEDDLE_ROUNDED_2(__dmul_##cuda, double, "d", "mul." ptx ".f64")                  \
    HEDDLE_ROUNDED_2(__ddiv_##cuda, double, "d", "div." ptx ".f64")                  \
    HEDDLE_ROUNDED_3(__fma_##cuda, double, "d", "fma." ptx ".f64")                   \
    HEDDLE_ROUNDED_1(__drcp_##cuda, double, "d", "rcp." ptx ".f64")                  \
    HEDDLE_ROUNDED_1(__dsqrt_##cuda, double, "d", "sqrt." ptx ".f64")
HEDDLE_ROUNDED(rn, "rn")
HEDDLE_ROUNDED(rz, "rz")
HEDDLE_ROUNDED(ru, "rp")
HEDDLE_ROUNDED(rd, "rm")
#undef HEDDLE_ROUNDED
#undef HEDDLE_ROUNDED_1
#undef HEDDLE_ROUNDED_2
#undef HEDDLE_ROUNDED_3
#undef HEDDLE_FTZ_TEXT
#undef HEDDLE_SQRTF
#undef HEDDLE_FTZ

#include "device_math_functions.h"

#endif
