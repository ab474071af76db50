// __half and __half2: IEEE half precision, on host and device.
//
// Sums, products and fma are instructions of the GPU; division, comparison and the functions
// convert to float and back. On the host everything is software.
#ifndef HEDDLE_DEVICE_CUDA_FP16_H
#define HEDDLE_DEVICE_CUDA_FP16_H

#include "device_small_floats.h"

HEDDLE_SMALL_TYPE(__half, __half2)
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

HEDDLE_BOTH float heddle_to_float(__half h) {
#if defined(__CUDA_ARCH__)
    float f;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
    return f;
#else
    unsigned sign = (h.bits & 0x8000u) << 16, rest = h.bits & 0x7fffu;
    if (rest >= 0x7c00) return heddle_bits_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    float magnitude = heddle_bits_float(rest << 13) * 0x1p112f;
    return sign ? -magnitude : magnitude;
#endif
}
HEDDLE_BOTH __half heddle_from_float(float f, __half) {
#if defined(__CUDA_ARCH__)
    unsigned short bits;
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(f));
    return __half(heddle_raw(), bits);
#else
    unsigned bits = heddle_float_bits(f), sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) return __half(heddle_raw(), 0x7fff);
    if (bits >= 0x477ff000u) return __half(heddle_raw(), (unsigned short)(sign | 0x7c00u));
    if (bits < 0x38800000u) {
        // Adding 1/2 leaves the units of a denormal half in the last bits, rounded.
        float shifted = heddle_bits_float(bits) + 0.5f;
        return __half(heddle_raw(),
                      (unsigned short)(sign | (heddle_float_bits(shifted) - 0x3f000000u)));
    }
    bits += 0xfff + (bits >> 13 & 1);
    return __half(heddle_raw(), (unsigned short)(sign | (bits - 0x38000000u) >> 13));
#endif
}

#if defined(__CUDA_ARCH__)
#define HEDDLE_HALF_OP(name, ptx)                                                  \
    HEDDLE_BOTH __half heddle_half_##name(__half a, __half b) {                    \
        __half r;                                                                  \
        __asm__(ptx ".f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); \
        return r;                                                                  \
    }                                                                              \
    HEDDLE_BOTH __half2 heddle_half_##name(__half2 a, __half2 b) {                 \
        __half2 r;                                                                 \
        unsigned x, y, z;                                                          \
        __builtin_memcpy(&x, &a, 4);                                               \
        __builtin_memcpy(&y, &b, 4);                                               \
        __asm__(ptx ".f16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));              \
        __builtin_memcpy(&r, &z, 4);                                               \
        return r;                                                                  \
    }
HEDDLE_HALF_OP(add, "add.rn")
HEDDLE_HALF_OP(sub, "sub.rn")
HEDDLE_HALF_OP(mul, "mul.rn")
#undef HEDDLE_HALF_OP
HEDDLE_BOTH __half heddle_half_fma(__half a, __half b, __half c) {
    __half r;
    __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
HEDDLE_BOTH __half2 heddle_half_fma(__half2 a, __half2 b, __half2 c) {
    __half2 r;
    unsigned x, y, z, w;
    __builtin_memcpy(&x, &a, 4);
    __builtin_memcpy(&y, &b, 4);
    __builtin_memcpy(&z, &c, 4);
    __asm__("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(w) : "r"(x), "r"(y), "r"(z));
    __builtin_memcpy(&r, &w, 4);
    return r;
}
#else
// The product is exact in a double; the sum is rounded to odd and then to half, which is as good as
// one rounding.
HEDDLE_BOTH __half heddle_half_fma(__half a, __half b, __half c) {
    double p = (double)heddle_to_float(a) * heddle_to_float(b), q = heddle_to_float(c);
    double sum = p + q, part = sum - p, lost = (p - (sum - part)) + (q - part);
    unsigned long long bits;
    __builtin_memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && lost == lost && !(bits & 1)) bits += (lost > 0) == (sum > 0) ? 1 : -1ull;
    __builtin_memcpy(&sum, &bits, sizeof sum);
    return heddle_from_float(heddle_double_to_odd(sum), a);
}
HEDDLE_SMALL_BY_FLOAT(__half, __half2, half)
#endif

HEDDLE_SMALL_FLOAT(__half, __half2, half)

HEDDLE_SMALL_NAMES(__half, __half2, half)

#endif
