// Integer intrinsics: bit counts, byte permutation, funnel shifts, high and dot products, min, max.
#ifndef HEDDLE_DEVICE_DEVICE_INTEGER_H
#define HEDDLE_DEVICE_DEVICE_INTEGER_H

#include "device_sync.h"
#include "vector_types.h"

// Bits. __clz and __ffs are defined for 0: 32 (64) and 0.
HEDDLE_DEVICE int __popc(unsigned v) {
    return __builtin_popcount(v);
}
HEDDLE_DEVICE int __popcll(unsigned long long v) {
    return __builtin_popcountll(v);
}
HEDDLE_DEVICE int __clz(int v) {
    return v ? __builtin_clz((unsigned)v) : 32;
}
HEDDLE_DEVICE int __clzll(long long v) {
    return v ? __builtin_clzll((unsigned long long)v) : 64;
}
HEDDLE_DEVICE int __ffs(int v) {
    return __builtin_ffs(v);
}
HEDDLE_DEVICE int __ffsll(long long v) {
    return __builtin_ffsll(v);
}
HEDDLE_DEVICE unsigned __brev(unsigned v) {
    return __builtin_bitreverse32(v);
}
HEDDLE_DEVICE unsigned long long __brevll(unsigned long long v) {
    return __builtin_bitreverse64(v);
}
HEDDLE_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    unsigned result;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
    return result;
}
#define HEDDLE_FUNNEL(name, ptx)                                               \
    HEDDLE_DEVICE unsigned name(unsigned low, unsigned high, unsigned shift) { \
        unsigned result;                                                       \
        __asm__("shf." ptx ".b32 %0, %1, %2, %3;"                              \
                : "=r"(result)                                                 \
                : "r"(low), "r"(high), "r"(shift));                            \
        return result;                                                         \
    }
HEDDLE_FUNNEL(__funnelshift_l, "l.wrap")
HEDDLE_FUNNEL(__funnelshift_lc, "l.clamp")
HEDDLE_FUNNEL(__funnelshift_r, "r.wrap")
HEDDLE_FUNNEL(__funnelshift_rc, "r.clamp")
#undef HEDDLE_FUNNEL

// Products and sums
HEDDLE_DEVICE int __mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
HEDDLE_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
HEDDLE_DEVICE long long __mul64hi(long long a, long long b) {
    return __nvvm_mulhi_ll(a, b);
}
HEDDLE_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return __nvvm_mulhi_ull(a, b);
}
HEDDLE_DEVICE int __mul24(int a, int b) {
    return __nvvm_mul24_i(a, b);
}
HEDDLE_DEVICE unsigned __umul24(unsigned a, unsigned b) {
    return __nvvm_mul24_ui(a, b);
}
HEDDLE_DEVICE unsigned __sad(int a, int b, unsigned c) {
    return __nvvm_sad_i(a, b, c);
}
HEDDLE_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return __nvvm_sad_ui(a, b, c);
}
HEDDLE_DEVICE int __hadd(int a, int b) {
    return (int)(((long long)a + b) >> 1);
}
HEDDLE_DEVICE int __rhadd(int a, int b) {
    return (int)(((long long)a + b + 1) >> 1);
}
HEDDLE_DEVICE unsigned __uhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
HEDDLE_DEVICE unsigned __urhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

// c plus the products of the four bytes of a and b.
#define HEDDLE_DP4A(type, bytes, ptx)                                            \
    HEDDLE_DEVICE type __dp4a(type a, type b, type c) {                          \
        type result;                                                             \
        __asm__(ptx " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c)); \
        return result;                                                           \
    }                                                                            \
    HEDDLE_DEVICE type __dp4a(bytes a, bytes b, type c) {                        \
        type a_word, b_word;                                                     \
        __builtin_memcpy(&a_word, &a, sizeof a);                                 \
        __builtin_memcpy(&b_word, &b, sizeof b);                                 \
        return __dp4a(a_word, b_word, c);                                        \
    }
HEDDLE_DP4A(int, char4, "dp4a.s32.s32")
HEDDLE_DP4A(unsigned, uchar4, "dp4a.u32.u32")
#undef HEDDLE_DP4A

// Absolute values for the device, under the names of the C library.
HEDDLE_DEVICE int abs(int v) {
    return v < 0 ? -v : v;
}
HEDDLE_DEVICE long labs(long v) {
    return v < 0 ? -v : v;
}
HEDDLE_DEVICE long long llabs(long long v) {
    return v < 0 ? -v : v;
}

// min and max of integers, for host and device, as in CUDA. Mixed signs compare as unsigned.
#define HEDDLE_MIN_MAX(result, a_type, b_type)                             \
    static __inline__ __host__ __device__ result min(a_type a, b_type b) { \
        return (result)a < (result)b ? (result)a : (result)b;              \
    }                                                                      \
    static __inline__ __host__ __device__ result max(a_type a, b_type b) { \
        return (result)a > (result)b ? (result)a : (result)b;              \
    }
HEDDLE_MIN_MAX(int, int, int)
HEDDLE_MIN_MAX(unsigned, unsigned, unsigned)
HEDDLE_MIN_MAX(unsigned, int, unsigned)
HEDDLE_MIN_MAX(unsigned, unsigned, int)
HEDDLE_MIN_MAX(long, long, long)
HEDDLE_MIN_MAX(unsigned long, unsigned long, unsigned long)
HEDDLE_MIN_MAX(unsigned long, long, unsigned long)
HEDDLE_MIN_MAX(unsigned long, unsigned long, long)
HEDDLE_MIN_MAX(long long, long long, long long)
HEDDLE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
HEDDLE_MIN_MAX(unsigned long long, long long, unsigned long long)
HEDDLE_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef HEDDLE_MIN_MAX

// The same under names that say the type.
#define HEDDLE_NAMED_MIN_MAX(prefix, type)                                   \
    static __inline__ __host__ __device__ type prefix##min(type a, type b) { \
        return min(a, b);                                                    \
    }                                                                        \
    static __inline__ __host__ __device__ type prefix##max(type a, type b) { \
        return max(a, b);                                                    \
    }
HEDDLE_NAMED_MIN_MAX(u, unsigned)
HEDDLE_NAMED_MIN_MAX(ll, long long)
HEDDLE_NAMED_MIN_MAX(ull, unsigned long long)
#undef HEDDLE_NAMED_MIN_MAX

#endif
