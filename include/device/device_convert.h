// Conversions between float, double and integers with a stated rounding, and between a value and
// its bits. Suffixes: rn nearest even, rz towards zero, ru up, rd down.
#ifndef HEDDLE_DEVICE_DEVICE_CONVERT_H
#define HEDDLE_DEVICE_DEVICE_CONVERT_H

#include "device_sync.h"

// C(name, result type, result constraint, argument type, argument constraint, PTX conversion)
#define HEDDLE_CONVERT(name, to, tc, from, fc, ptx)                  \
    HEDDLE_DEVICE to name(from value) {                              \
        to result;                                                   \
        __asm__("cvt." ptx " %0, %1;" : "=" tc(result) : fc(value)); \
        return result;                                               \
    }
// Four roundings to an integer, four from an integer. PTX writes a rounding to an integer as .rni.
#define HEDDLE_TO_INTEGER(prefix, to, tc, from, fc, types)      \
    HEDDLE_CONVERT(prefix##_rn, to, tc, from, fc, "rni." types) \
    HEDDLE_CONVERT(prefix##_rz, to, tc, from, fc, "rzi." types) \
    HEDDLE_CONVERT(prefix##_ru, to, tc, from, fc, "rpi." types) \
    HEDDLE_CONVERT(prefix##_rd, to, tc, from, fc, "rmi." types)
#define HEDDLE_TO_FLOAT(prefix, to, tc, from, fc, types)       \
    HEDDLE_CONVERT(prefix##_rn, to, tc, from, fc, "rn." types) \
    HEDDLE_CONVERT(prefix##_rz, to, tc, from, fc, "rz." types) \
    HEDDLE_CONVERT(prefix##_ru, to, tc, from, fc, "rp." types) \
    HEDDLE_CONVERT(prefix##_rd, to, tc, from, fc, "rm." types)

HEDDLE_TO_INTEGER(__float2int, int, "r", float, "f", "s32.f32")
HEDDLE_TO_INTEGER(__float2uint, unsigned, "r", float, "f", "u32.f32")
HEDDLE_TO_INTEGER(__float2ll, long long, "l", float, "f", "s64.f32")
HEDDLE_TO_INTEGER(__float2ull, unsigned long long, "l", float, "f", "u64.f32")
HEDDLE_TO_INTEGER(__double2int, int, "r", double, "d", "s32.f64")
HEDDLE_TO_INTEGER(__double2uint, unsigned, "r", double, "d", "u32.f64")
HEDDLE_TO_INTEGER(__double2ll, long long, "l", double, "d", "s64.f64")
HEDDLE_TO_INTEGER(__double2ull, unsigned long long, "l", double, "d", "u64.f64")
HEDDLE_TO_FLOAT(__int2float, float, "f", int, "r", "f32.s32")
HEDDLE_TO_FLOAT(__uint2float, float, "f", unsigned, "r", "f32.u32")
HEDDLE_TO_FLOAT(__ll2float, float, "f", long long, "l", "f32.s64")
HEDDLE_TO_FLOAT(__ull2float, float, "f", unsigned long long, "l", "f32.u64")
HEDDLE_TO_FLOAT(__ll2double, double, "d", long long, "l", "f64.s64")
HEDDLE_TO_FLOAT(__ull2double, double, "d", unsigned long long, "l", "f64.u64")
HEDDLE_TO_FLOAT(__double2float, float, "f", double, "d", "f32.f64")
HEDDLE_CONVERT(__int2double_rn, double, "d", int, "r", "rn.f64.s32")
HEDDLE_CONVERT(__uint2double_rn, double, "d", unsigned, "r", "rn.f64.u32")
#undef HEDDLE_TO_INTEGER
#undef HEDDLE_TO_FLOAT
#undef HEDDLE_CONVERT

// The same bits under another type.
#define HEDDLE_BITS(name, to, from)                       \
    HEDDLE_DEVICE to name(from value) {                   \
        to result;                                        \
        __builtin_memcpy(&result, &value, sizeof result); \
        return result;                                    \
    }
HEDDLE_BITS(__float_as_int, int, float)
HEDDLE_BITS(__float_as_uint, unsigned, float)
HEDDLE_BITS(__int_as_float, float, int)
HEDDLE_BITS(__uint_as_float, float, unsigned)
HEDDLE_BITS(__double_as_longlong, long long, double)
HEDDLE_BITS(__longlong_as_double, double, long long)
#undef HEDDLE_BITS
HEDDLE_DEVICE int __double2loint(double v) {
    return (int)__double_as_longlong(v);
}
HEDDLE_DEVICE int __double2hiint(double v) {
    return (int)(__double_as_longlong(v) >> 32);
}
HEDDLE_DEVICE double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

#endif
