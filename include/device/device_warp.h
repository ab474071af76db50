// Exchanges between the lanes of a warp: votes, ballots, matches, shuffles.
//
// Every function takes the mask of the lanes that take part; all of them must call it. A shuffle
// works within segments of `width` lanes (a power of two); a lane that reads outside its segment
// gets its own value.
#ifndef HEDDLE_DEVICE_DEVICE_WARP_H
#define HEDDLE_DEVICE_DEVICE_WARP_H

#include "device_sync.h"

HEDDLE_DEVICE int __all_sync(unsigned mask, int predicate) {
    return __nvvm_vote_all_sync(mask, predicate);
}
HEDDLE_DEVICE int __any_sync(unsigned mask, int predicate) {
    return __nvvm_vote_any_sync(mask, predicate);
}
HEDDLE_DEVICE int __uni_sync(unsigned mask, int predicate) {
    return __nvvm_vote_uni_sync(mask, predicate);
}
HEDDLE_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
    return __nvvm_vote_ballot_sync(mask, predicate);
}
// The lanes that execute this instruction together; others may have diverged.
HEDDLE_DEVICE unsigned __activemask(void) {
    unsigned mask;
    __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

// In PTX: clang 14 takes the result of the 64-bit match for 64 bits wide.
#define HEDDLE_MATCH(type, bits, c)                                                \
    HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, type value) {           \
        unsigned lanes;                                                            \
        __asm__ volatile("match.any.sync." bits " %0, %1, %2;"                     \
                         : "=r"(lanes)                                             \
                         : c(value), "r"(mask));                                   \
        return lanes;                                                              \
    }                                                                              \
    HEDDLE_DEVICE unsigned __match_all_sync(unsigned mask, type value, int *all) { \
        unsigned lanes;                                                            \
        __asm__ volatile("{ .reg .pred p; match.all.sync." bits " %0|p, %2, %3;"   \
                         " selp.s32 %1, 1, 0, p; }"                                \
                         : "=r"(lanes), "=r"(*all)                                 \
                         : c(value), "r"(mask));                                   \
        return lanes;                                                              \
    }
HEDDLE_MATCH(int, "b32", "r")
HEDDLE_MATCH(unsigned, "b32", "r")
HEDDLE_MATCH(long, "b64", "l")
HEDDLE_MATCH(unsigned long, "b64", "l")
HEDDLE_MATCH(long long, "b64", "l")
HEDDLE_MATCH(unsigned long long, "b64", "l")
HEDDLE_MATCH(float, "b32", "f")
HEDDLE_MATCH(double, "b64", "d")
#undef HEDDLE_MATCH

// The last operand of PTX shfl: segment mask in bits 8 to 12, clamp in bits 0 to 4. `up` clamps at
// lane 0 of the segment, the others at its last lane.
#define HEDDLE_SHUFFLE(name, mode, clamp, operand)                                               \
    HEDDLE_DEVICE int name(unsigned mask, int value, operand with, int width = 32) {             \
        return __nvvm_shfl_sync_##mode##_i32(mask, value, with, ((32 - width) << 8) | (clamp));  \
    }                                                                                            \
    HEDDLE_DEVICE unsigned name(unsigned mask, unsigned value, operand with, int width = 32) {   \
        return name(mask, (int)value, with, width);                                              \
    }                                                                                            \
    HEDDLE_DEVICE float name(unsigned mask, float value, operand with, int width = 32) {         \
        return __nvvm_shfl_sync_##mode##_f32(mask, value, with, ((32 - width) << 8) | (clamp));  \
    }                                                                                            \
    HEDDLE_DEVICE unsigned long long name(unsigned mask, unsigned long long value, operand with, \
                                          int width = 32) {                                      \
        unsigned low = name(mask, (unsigned)value, with, width);                                 \
        unsigned high = name(mask, (unsigned)(value >> 32), with, width);                        \
        return (unsigned long long)high << 32 | low;                                             \
    }                                                                                            \
    HEDDLE_DEVICE long long name(unsigned mask, long long value, operand with, int width = 32) { \
        return (long long)name(mask, (unsigned long long)value, with, width);                    \
    }                                                                                            \
    HEDDLE_DEVICE unsigned long name(unsigned mask, unsigned long value, operand with,           \
                                     int width = 32) {                                           \
        return (unsigned long)name(mask, (unsigned long long)value, with, width);                \
    }                                                                                            \
    HEDDLE_DEVICE long name(unsigned mask, long value, operand with, int width = 32) {           \
        return (long)name(mask, (unsigned long long)value, with, width);                         \
    }                                                                                            \
    HEDDLE_DEVICE double name(unsigned mask, double value, operand with, int width = 32) {       \
        unsigned long long bits;                                                                 \
        __builtin_memcpy(&bits, &value, sizeof bits);                                            \
        bits = name(mask, bits, with, width);                                                    \
        __builtin_memcpy(&value, &bits, sizeof bits);                                            \
        return value;                                                                            \
    }
HEDDLE_SHUFFLE(__shfl_sync, idx, 0x1f, int)
HEDDLE_SHUFFLE(__shfl_up_sync, up, 0, unsigned)
HEDDLE_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned)
HEDDLE_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int)
#undef HEDDLE_SHUFFLE

#endif
