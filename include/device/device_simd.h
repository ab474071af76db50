// SIMD within a 32-bit word: __vNAME2 on two halves of 16 bits, __vNAME4 on four bytes.
//
// A GPU of sm_70 has no instructions for them; the code below is a loop over the lanes that the
// compiler unrolls. Suffixes: s signed, u unsigned; ss, us: saturated to the range of the lane.
#ifndef HEDDLE_DEVICE_DEVICE_SIMD_H
#define HEDDLE_DEVICE_DEVICE_SIMD_H

#include "device_integer.h"

// A lane of BITS as an int, and the range of such lanes.
template <int BITS, bool SIGNED> struct heddle_lane_of {
    enum {
        least = SIGNED ? -(1 << (BITS - 1)) : 0,
        most = SIGNED ? (1 << (BITS - 1)) - 1 : (1 << BITS) - 1,
        mask = (1 << BITS) - 1
    };
    __device__ static int take(unsigned word, int at) {
        unsigned lane = word >> at & mask;
        return SIGNED ? (int)(lane << (32 - BITS)) >> (32 - BITS) : (int)lane;
    }
    __device__ static int clamp(int v) { return v < least ? least : v > most ? most : v; }
};

// `lane` computes a lane from x (and y), and may use L::clamp; 1: one operand, 2: two.
#define HEDDLE_SIMD_X int x = L::take(a, at);
#define HEDDLE_SIMD_XY int x = L::take(a, at), y = L::take(b, at);
#define HEDDLE_SIMD_OF(name, bits, is_signed, operands, lanes, lane) \
    HEDDLE_DEVICE unsigned name operands {                           \
        typedef heddle_lane_of<bits, is_signed> L;                   \
        unsigned result = 0;                                         \
        _Pragma("unroll") for (int at = 0; at < 32; at += bits) {    \
            lanes result |= ((unsigned)(lane)&L::mask) << at;        \
        }                                                            \
        return result;                                               \
    }
#define HEDDLE_SIMD_1(name, is_signed, lane)                                      \
    HEDDLE_SIMD_OF(__##name##2, 16, is_signed, (unsigned a), HEDDLE_SIMD_X, lane) \
    HEDDLE_SIMD_OF(__##name##4, 8, is_signed, (unsigned a), HEDDLE_SIMD_X, lane)
#define HEDDLE_SIMD_2(name, is_signed, lane)                                                   \
    HEDDLE_SIMD_OF(__##name##2, 16, is_signed, (unsigned a, unsigned b), HEDDLE_SIMD_XY, lane) \
    HEDDLE_SIMD_OF(__##name##4, 8, is_signed, (unsigned a, unsigned b), HEDDLE_SIMD_XY, lane)
HEDDLE_SIMD_1(vabs, true, x < 0 ? -x : x)
HEDDLE_SIMD_1(vabsss, true, L::clamp(x < 0 ? -x : x))
HEDDLE_SIMD_1(vneg, true, -x)
HEDDLE_SIMD_1(vnegss, true, L::clamp(-x))
HEDDLE_SIMD_2(vabsdiffs, true, x < y ? y - x : x - y)
HEDDLE_SIMD_2(vabsdiffu, false, x < y ? y - x : x - y)
HEDDLE_SIMD_2(vadd, false, x + y)
HEDDLE_SIMD_2(vaddss, true, L::clamp(x + y))
HEDDLE_SIMD_2(vaddus, false, L::clamp(x + y))
HEDDLE_SIMD_2(vsub, false, x - y)
HEDDLE_SIMD_2(vsubss, true, L::clamp(x - y))
HEDDLE_SIMD_2(vsubus, false, L::clamp(x - y))
HEDDLE_SIMD_2(vavgs, true, (x + y + (x + y >= 0)) >> 1)
HEDDLE_SIMD_2(vavgu, false, (x + y + 1) >> 1)
HEDDLE_SIMD_2(vhaddu, false, (x + y) >> 1)
HEDDLE_SIMD_2(vmaxs, true, x > y ? x : y)
HEDDLE_SIMD_2(vmaxu, false, x > y ? x : y)
HEDDLE_SIMD_2(vmins, true, x < y ? x : y)
HEDDLE_SIMD_2(vminu, false, x < y ? x : y)

// Comparisons: a lane is all ones (vcmp) or 1 (vset) where it holds, else 0.
#define HEDDLE_SIMD_COMPARE(name, is_signed, holds)     \
    HEDDLE_SIMD_2(vcmp##name, is_signed, -(int)(holds)) \
    HEDDLE_SIMD_2(vset##name, is_signed, holds)
HEDDLE_SIMD_COMPARE(eq, false, x == y)
HEDDLE_SIMD_COMPARE(ne, false, x != y)
HEDDLE_SIMD_COMPARE(ges, true, x >= y)
HEDDLE_SIMD_COMPARE(geu, false, x >= y)
HEDDLE_SIMD_COMPARE(gts, true, x > y)
HEDDLE_SIMD_COMPARE(gtu, false, x > y)
HEDDLE_SIMD_COMPARE(les, true, x <= y)
HEDDLE_SIMD_COMPARE(leu, false, x <= y)
HEDDLE_SIMD_COMPARE(lts, true, x < y)
HEDDLE_SIMD_COMPARE(ltu, false, x < y)

// The sum of the absolute differences of all lanes.
#define HEDDLE_SIMD_SUM(name, bits, is_signed)                    \
    HEDDLE_DEVICE unsigned name(unsigned a, unsigned b) {         \
        typedef heddle_lane_of<bits, is_signed> L;                \
        unsigned sum = 0;                                         \
        _Pragma("unroll") for (int at = 0; at < 32; at += bits) { \
            HEDDLE_SIMD_XY                                        \
            sum += (unsigned)(x < y ? y - x : x - y);             \
        }                                                         \
        return sum;                                               \
    }
HEDDLE_SIMD_SUM(__vsads2, 16, true)
HEDDLE_SIMD_SUM(__vsads4, 8, true)
HEDDLE_SIMD_SUM(__vsadu2, 16, false)
HEDDLE_SIMD_SUM(__vsadu4, 8, false)
#undef HEDDLE_SIMD_OF
#undef HEDDLE_SIMD_X
#undef HEDDLE_SIMD_XY
#undef HEDDLE_SIMD_1
#undef HEDDLE_SIMD_2
#undef HEDDLE_SIMD_COMPARE
#undef HEDDLE_SIMD_SUM

#endif
