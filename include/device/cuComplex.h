// Complex numbers under CUDA's C names: cuFloatComplex is a float2, cuDoubleComplex a double2.
//
// For host and device. Division and the absolute value scale their operands, so that neither
// overflows where the result does not.
#ifndef HEDDLE_DEVICE_CU_COMPLEX_H
#define HEDDLE_DEVICE_CU_COMPLEX_H

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_COMPLEX(result) static __inline__ __host__ __device__ result

// One set of functions; `f` is the suffix of the type's names, ABS and SQRT of C's.
#define HEDDLE_COMPLEX_FUNCTIONS(T, R, Name, f, ABS, SQRT)                           \
    HEDDLE_COMPLEX(T) make_cu##Name##Complex(R x, R y) {                             \
        T z;                                                                         \
        z.x = x;                                                                     \
        z.y = y;                                                                     \
        return z;                                                                    \
    }                                                                                \
    HEDDLE_COMPLEX(R) cuCreal##f(T z) {                                              \
        return z.x;                                                                  \
    }                                                                                \
    HEDDLE_COMPLEX(R) cuCimag##f(T z) {                                              \
        return z.y;                                                                  \
    }                                                                                \
    HEDDLE_COMPLEX(T) cuConj##f(T z) {                                               \
        return make_cu##Name##Complex(z.x, -z.y);                                    \
    }                                                                                \
    HEDDLE_COMPLEX(T) cuCadd##f(T a, T b) {                                          \
        return make_cu##Name##Complex(a.x + b.x, a.y + b.y);                         \
    }                                                                                \
    HEDDLE_COMPLEX(T) cuCsub##f(T a, T b) {                                          \
        return make_cu##Name##Complex(a.x - b.x, a.y - b.y);                         \
    }                                                                                \
    HEDDLE_COMPLEX(T) cuCmul##f(T a, T b) {                                          \
        return make_cu##Name##Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); \
    }                                                                                \
    HEDDLE_COMPLEX(T) cuCdiv##f(T a, T b) {                                          \
        R scale = 1 / (ABS(b.x) + ABS(b.y));                                         \
        R ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;    \
        R inverse = 1 / (bx * bx + by * by);                                         \
        return make_cu##Name##Complex((ax * bx + ay * by) * inverse,                 \
                                      (ay * bx - ax * by) * inverse);                \
    }                                                                                \
    HEDDLE_COMPLEX(R) cuCabs##f(T z) {                                               \
        R x = ABS(z.x), y = ABS(z.y);                                                \
        R large = x > y ? x : y, small = x > y ? y : x;                              \
        if (!(large > 0) || __builtin_isinf(large)) return x + y;                    \
        R ratio = small / large;                                                     \
        return large * SQRT(1 + ratio * ratio);                                      \
    }                                                                                \
    HEDDLE_COMPLEX(T) cuCfma##f(T a, T b, T c) {                                     \
        return cuCadd##f(cuCmul##f(a, b), c);                                        \
    }
HEDDLE_COMPLEX_FUNCTIONS(cuFloatComplex, float, Float, f, fabsf, sqrtf)
HEDDLE_COMPLEX_FUNCTIONS(cuDoubleComplex, double, Double, , fabs, sqrt)
#undef HEDDLE_COMPLEX_FUNCTIONS

HEDDLE_COMPLEX(cuComplex) make_cuComplex(float x, float y) {
    return make_cuFloatComplex(x, y);
}
HEDDLE_COMPLEX(cuDoubleComplex) cuComplexFloatToDouble(cuFloatComplex z) {
    return make_cuDoubleComplex(z.x, z.y);
}
HEDDLE_COMPLEX(cuFloatComplex) cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_cuFloatComplex((float)z.x, (float)z.y);
}
#undef HEDDLE_COMPLEX

#endif
