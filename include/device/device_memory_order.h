// Atomic accesses with a memory order and a scope: __nv_atomic_load_n(p, order, scope) ...
//
// The names and the PTX are those of CUDA 12.8 and later. Clang's backend cannot select atomic
// loads, so everything here is inline PTX. Where order and scope are constants, one instruction is
// left after inlining. Types are integers of 4 and 8 bytes. Sequential consistency puts a fence.sc
// before the access.
#ifndef HEDDLE_DEVICE_DEVICE_MEMORY_ORDER_H
#define HEDDLE_DEVICE_DEVICE_MEMORY_ORDER_H

#include "device_sync.h"

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

// ACCESS() with the PTX word of the scope; the scope of a thread is treated as that of its block.
#define HEDDLE_BY_SCOPE(ACCESS)                                                           \
    if (scope == __NV_THREAD_SCOPE_SYSTEM) {                                              \
        ACCESS("sys");                                                                    \
    } else if (scope == __NV_THREAD_SCOPE_DEVICE || scope == __NV_THREAD_SCOPE_CLUSTER) { \
        ACCESS("gpu");                                                                    \
    } else {                                                                              \
        ACCESS("cta");                                                                    \
    }

#define HEDDLE_FENCE_SC(s) __asm__ volatile("fence.sc." s ";" ::: "memory")
#define HEDDLE_FENCE_ACQ_REL(s) __asm__ volatile("fence.acq_rel." s ";" ::: "memory")

HEDDLE_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    if (order == __NV_ATOMIC_SEQ_CST) {
        HEDDLE_BY_SCOPE(HEDDLE_FENCE_SC)
    } else if (order != __NV_ATOMIC_RELAXED) {
        HEDDLE_BY_SCOPE(HEDDLE_FENCE_ACQ_REL)
    }
}

HEDDLE_DEVICE void heddle_fence_if_sc(int order, int scope) {
    if (order == __NV_ATOMIC_SEQ_CST) {
        HEDDLE_BY_SCOPE(HEDDLE_FENCE_SC)
    }
}
#undef HEDDLE_FENCE_SC
#undef HEDDLE_FENCE_ACQ_REL

// Loads and stores; B is "b32" or "b64", C the constraint of the register.
#define HEDDLE_LD(sem, s, B, C) \
    __asm__ volatile("ld." sem "." s "." B " %0, [%1];" : "=" C(value) : "l"(from) : "memory")
#define HEDDLE_ST(sem, s, B, C) \
    __asm__ volatile("st." sem "." s "." B " [%0], %1;" ::"l"(to), C(value) : "memory")
#define HEDDLE_LD_RELAXED_32(s) HEDDLE_LD("relaxed", s, "b32", "r")
#define HEDDLE_LD_ACQUIRE_32(s) HEDDLE_LD("acquire", s, "b32", "r")
#define HEDDLE_ST_RELAXED_32(s) HEDDLE_ST("relaxed", s, "b32", "r")
#define HEDDLE_ST_RELEASE_32(s) HEDDLE_ST("release", s, "b32", "r")
#define HEDDLE_LD_RELAXED_64(s) HEDDLE_LD("relaxed", s, "b64", "l")
#define HEDDLE_LD_ACQUIRE_64(s) HEDDLE_LD("acquire", s, "b64", "l")
#define HEDDLE_ST_RELAXED_64(s) HEDDLE_ST("relaxed", s, "b64", "l")
#define HEDDLE_ST_RELEASE_64(s) HEDDLE_ST("release", s, "b64", "l")

#define HEDDLE_ORDERED_ACCESS(type, bits)                                          \
    HEDDLE_DEVICE type __nv_atomic_load_n(const type *from, int order,             \
                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {  \
        type value;                                                                \
        heddle_fence_if_sc(order, scope);                                          \
        if (order == __NV_ATOMIC_RELAXED) {                                        \
            HEDDLE_BY_SCOPE(HEDDLE_LD_RELAXED_##bits)                              \
        } else {                                                                   \
            HEDDLE_BY_SCOPE(HEDDLE_LD_ACQUIRE_##bits)                              \
        }                                                                          \
        return value;                                                              \
    }                                                                              \
    HEDDLE_DEVICE void __nv_atomic_store_n(type *to, type value, int order,        \
                                           int scope = __NV_THREAD_SCOPE_SYSTEM) { \
        heddle_fence_if_sc(order, scope);                                          \
        if (order == __NV_ATOMIC_RELAXED) {                                        \
            HEDDLE_BY_SCOPE(HEDDLE_ST_RELAXED_##bits)                              \
        } else {                                                                   \
            HEDDLE_BY_SCOPE(HEDDLE_ST_RELEASE_##bits)                              \
        }                                                                          \
    }
HEDDLE_ORDERED_ACCESS(int, 32)
HEDDLE_ORDERED_ACCESS(unsigned, 32)
HEDDLE_ORDERED_ACCESS(long long, 64)
HEDDLE_ORDERED_ACCESS(unsigned long long, 64)
#undef HEDDLE_ORDERED_ACCESS
#undef HEDDLE_LD
#undef HEDDLE_ST

// Read-modify-write: SEM(order) picks the PTX word, the scope follows.
#define HEDDLE_RMW_SCOPED(sem, text, T, C)                                                \
    if (scope == __NV_THREAD_SCOPE_SYSTEM) {                                              \
        HEDDLE_RMW(sem, "sys", text, T, C);                                               \
    } else if (scope == __NV_THREAD_SCOPE_DEVICE || scope == __NV_THREAD_SCOPE_CLUSTER) { \
        HEDDLE_RMW(sem, "gpu", text, T, C);                                               \
    } else {                                                                              \
        HEDDLE_RMW(sem, "cta", text, T, C);                                               \
    }
#define HEDDLE_RMW_ORDERED(text, T, C)                                         \
    heddle_fence_if_sc(order, scope);                                          \
    if (order == __NV_ATOMIC_RELAXED) {                                        \
        HEDDLE_RMW_SCOPED("relaxed", text, T, C)                               \
    } else if (order == __NV_ATOMIC_ACQUIRE || order == __NV_ATOMIC_CONSUME) { \
        HEDDLE_RMW_SCOPED("acquire", text, T, C)                               \
    } else if (order == __NV_ATOMIC_RELEASE) {                                 \
        HEDDLE_RMW_SCOPED("release", text, T, C)                               \
    } else {                                                                   \
        HEDDLE_RMW_SCOPED("acq_rel", text, T, C)                               \
    }

#define HEDDLE_RMW(sem, s, text, T, C)                                 \
    __asm__ volatile("atom." sem "." s "." text "." T " %0, [%1], %2;" \
                     : "=" C(old)                                      \
                     : "l"(at), C(value)                               \
                     : "memory")
#define HEDDLE_ORDERED_RMW(name, type, text, T, C)                  \
    HEDDLE_DEVICE type name(type *at, type value, int order,        \
                            int scope = __NV_THREAD_SCOPE_SYSTEM) { \
        type old;                                                   \
        HEDDLE_RMW_ORDERED(text, T, C)                              \
        return old;                                                 \
    }
HEDDLE_ORDERED_RMW(__nv_atomic_fetch_add, int, "add", "s32", "r")
HEDDLE_ORDERED_RMW(__nv_atomic_fetch_add, unsigned, "add", "u32", "r")
HEDDLE_ORDERED_RMW(__nv_atomic_fetch_add, unsigned long long, "add", "u64", "l")
HEDDLE_ORDERED_RMW(__nv_atomic_exchange_n, int, "exch", "b32", "r")
HEDDLE_ORDERED_RMW(__nv_atomic_exchange_n, unsigned, "exch", "b32", "r")
HEDDLE_ORDERED_RMW(__nv_atomic_exchange_n, unsigned long long, "exch", "b64", "l")
#undef HEDDLE_ORDERED_RMW
#undef HEDDLE_RMW

// Compare and exchange: true if the memory held *expected; else *expected becomes the value found.
// One order serves both outcomes, which is the stronger choice.
#define HEDDLE_RMW(sem, s, text, T, C)                                \
    __asm__ volatile("atom." sem "." s ".cas." T " %0, [%1], %2, %3;" \
                     : "=" C(old)                                     \
                     : "l"(at), C(*expected), C(value)                \
                     : "memory")
#define HEDDLE_ORDERED_CAS(type, T, C)                                                         \
    HEDDLE_DEVICE bool __nv_atomic_compare_exchange_n(type *at, type *expected, type value,    \
                                                      bool weak, int order, int failure_order, \
                                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {  \
        type old;                                                                              \
        (void)weak, (void)failure_order;                                                       \
        HEDDLE_RMW_ORDERED("cas", T, C)                                                        \
        bool same = old == *expected;                                                          \
        *expected = old;                                                                       \
        return same;                                                                           \
    }
HEDDLE_ORDERED_CAS(int, "b32", "r")
HEDDLE_ORDERED_CAS(unsigned, "b32", "r")
HEDDLE_ORDERED_CAS(unsigned long long, "b64", "l")
#undef HEDDLE_ORDERED_CAS
#undef HEDDLE_RMW
#undef HEDDLE_RMW_ORDERED
#undef HEDDLE_RMW_SCOPED
#undef HEDDLE_BY_SCOPE

#endif
