// __nv_bfloat16 and __nv_bfloat162: the upper half of a float, on host and device.
//
// sm_70 has no instructions for them: all arithmetic is float arithmetic with a rounding behind it.
#ifndef HEDDLE_DEVICE_CUDA_BF16_H
#define HEDDLE_DEVICE_CUDA_BF16_H

#include "device_small_floats.h"

HEDDLE_SMALL_TYPE(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HEDDLE_BOTH float heddle_to_float(__nv_bfloat16 b) {
    return heddle_bits_float((unsigned)b.bits << 16);
}
HEDDLE_BOTH __nv_bfloat16 heddle_from_float(float f, __nv_bfloat16) {
    unsigned bits = heddle_float_bits(f);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return __nv_bfloat16(heddle_raw(), 0x7fff);
    bits += 0x7fff + (bits >> 16 & 1);
    return __nv_bfloat16(heddle_raw(), (unsigned short)(bits >> 16));
}

HEDDLE_BOTH __nv_bfloat16 heddle_bfloat16_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    float f = __builtin_fmaf(heddle_to_float(a), heddle_to_float(b), heddle_to_float(c));
    return heddle_from_float(f, a);
}
HEDDLE_SMALL_BY_FLOAT(__nv_bfloat16, __nv_bfloat162, bfloat16)
HEDDLE_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, bfloat16)
HEDDLE_SMALL_NAMES(__nv_bfloat16, __nv_bfloat162, bfloat16)

#endif
