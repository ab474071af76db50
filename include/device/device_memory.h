// Loads and stores with a cache operator: __ldg, __ldcg, __stwt ...
//
// Only inline PTX can name the operator. The pointers are to global memory. Each function but __ldg
// is volatile and clobbers memory: it is performed where it stands, every time, so a loop may spin
// on it.
#ifndef HEDDLE_DEVICE_DEVICE_MEMORY_H
#define HEDDLE_DEVICE_DEVICE_MEMORY_H

#include "device_sync.h"
#include "vector_types.h"

// S(C type, PTX type, constraint, register type)
#define HEDDLE_MEMORY_SCALARS(S, ...)                           \
    S(char, s8, "r", unsigned, __VA_ARGS__)                     \
    S(signed char, s8, "r", unsigned, __VA_ARGS__)              \
    S(unsigned char, u8, "r", unsigned, __VA_ARGS__)            \
    S(short, s16, "h", unsigned short, __VA_ARGS__)             \
    S(unsigned short, u16, "h", unsigned short, __VA_ARGS__)    \
    S(int, s32, "r", unsigned, __VA_ARGS__)                     \
    S(unsigned, u32, "r", unsigned, __VA_ARGS__)                \
    S(long, s64, "l", unsigned long, __VA_ARGS__)               \
    S(unsigned long, u64, "l", unsigned long, __VA_ARGS__)      \
    S(long long, s64, "l", unsigned long, __VA_ARGS__)          \
    S(unsigned long long, u64, "l", unsigned long, __VA_ARGS__) \
    S(float, f32, "f", float, __VA_ARGS__)                      \
    S(double, f64, "d", double, __VA_ARGS__)
// V2/V4(C type, PTX type, constraint)
#define HEDDLE_MEMORY_VECTORS(V2, V4, ...) \
    V2(int2, s32, "r", __VA_ARGS__)        \
    V2(uint2, u32, "r", __VA_ARGS__)       \
    V2(float2, f32, "f", __VA_ARGS__)      \
    V2(longlong2, s64, "l", __VA_ARGS__)   \
    V2(ulonglong2, u64, "l", __VA_ARGS__)  \
    V2(double2, f64, "d", __VA_ARGS__)     \
    V4(int4, s32, "r", __VA_ARGS__)        \
    V4(uint4, u32, "r", __VA_ARGS__)       \
    V4(float4, f32, "f", __VA_ARGS__)

// P(C type, the unsigned type that is loaded in its place): vectors of 8- and 16-bit elements.
#define HEDDLE_MEMORY_PACKED(P, ...)       \
    P(char2, unsigned short, __VA_ARGS__)  \
    P(uchar2, unsigned short, __VA_ARGS__) \
    P(char4, unsigned, __VA_ARGS__)        \
    P(uchar4, unsigned, __VA_ARGS__)       \
    P(short2, unsigned, __VA_ARGS__)       \
    P(ushort2, unsigned, __VA_ARGS__)      \
    P(short4, uint2, __VA_ARGS__)          \
    P(ushort4, uint2, __VA_ARGS__)
#define HEDDLE_LOAD_P(type, as, name)                    \
    HEDDLE_DEVICE type name(const type *from) {          \
        as packed = name((const as *)from);              \
        type value;                                      \
        __builtin_memcpy(&value, &packed, sizeof value); \
        return value;                                    \
    }
#define HEDDLE_STORE_P(type, as, name)                    \
    HEDDLE_DEVICE void name(type *to, type value) {       \
        as packed;                                        \
        __builtin_memcpy(&packed, &value, sizeof packed); \
        name((as *)to, packed);                           \
    }

#define HEDDLE_LOAD_S(type, ptx, c, reg, name, op)             \
    HEDDLE_DEVICE type name(const type *from) {                \
        reg value;                                             \
        __asm__ volatile("ld.global." op "." #ptx " %0, [%1];" \
                         : "=" c(value)                        \
                         : "l"(from)                           \
                         : "memory");                          \
        return (type)value;                                    \
    }
#define HEDDLE_LOAD_V2(type, ptx, c, name, op)                          \
    HEDDLE_DEVICE type name(const type *from) {                         \
        type value;                                                     \
        __asm__ volatile("ld.global." op ".v2." #ptx " {%0, %1}, [%2];" \
                         : "=" c(value.x), "=" c(value.y)               \
                         : "l"(from)                                    \
                         : "memory");                                   \
        return value;                                                   \
    }
#define HEDDLE_LOAD_V4(type, ptx, c, name, op)                                            \
    HEDDLE_DEVICE type name(const type *from) {                                           \
        type value;                                                                       \
        __asm__ volatile("ld.global." op ".v4." #ptx " {%0, %1, %2, %3}, [%4];"           \
                         : "=" c(value.x), "=" c(value.y), "=" c(value.z), "=" c(value.w) \
                         : "l"(from)                                                      \
                         : "memory");                                                     \
        return value;                                                                     \
    }
#define HEDDLE_LOADS(name, op)                                      \
    HEDDLE_MEMORY_SCALARS(HEDDLE_LOAD_S, name, op)                  \
    HEDDLE_MEMORY_VECTORS(HEDDLE_LOAD_V2, HEDDLE_LOAD_V4, name, op) \
    HEDDLE_MEMORY_PACKED(HEDDLE_LOAD_P, name)

HEDDLE_LOADS(__ldca, "ca") // all levels, the default
HEDDLE_LOADS(__ldcg, "cg") // L2 and below
HEDDLE_LOADS(__ldcs, "cs") // likely used once
HEDDLE_LOADS(__ldlu, "lu") // last use
HEDDLE_LOADS(__ldcv, "cv") // fetched again every time

#define HEDDLE_STORE_S(type, ptx, c, reg, name, op)                                     \
    HEDDLE_DEVICE void name(type *to, type value) {                                     \
        __asm__ volatile("st.global." op "." #ptx " [%0], %1;" ::"l"(to), c((reg)value) \
                         : "memory");                                                   \
    }
#define HEDDLE_STORE_V2(type, ptx, c, name, op)                                                \
    HEDDLE_DEVICE void name(type *to, type value) {                                            \
        __asm__ volatile("st.global." op ".v2." #ptx " [%0], {%1, %2};" ::"l"(to), c(value.x), \
                         c(value.y)                                                            \
                         : "memory");                                                          \
    }
#define HEDDLE_STORE_V4(type, ptx, c, name, op)                                            \
    HEDDLE_DEVICE void name(type *to, type value) {                                        \
        __asm__ volatile("st.global." op ".v4." #ptx " [%0], {%1, %2, %3, %4};" ::"l"(to), \
                         c(value.x), c(value.y), c(value.z), c(value.w)                    \
                         : "memory");                                                      \
    }
#define HEDDLE_STORES(name, op)                                       \
    HEDDLE_MEMORY_SCALARS(HEDDLE_STORE_S, name, op)                   \
    HEDDLE_MEMORY_VECTORS(HEDDLE_STORE_V2, HEDDLE_STORE_V4, name, op) \
    HEDDLE_MEMORY_PACKED(HEDDLE_STORE_P, name)

HEDDLE_STORES(__stwb, "wb") // write back, the default
HEDDLE_STORES(__stcg, "cg") // L2 and below
HEDDLE_STORES(__stcs, "cs") // likely used once
HEDDLE_STORES(__stwt, "wt") // through L2 to memory

// __ldg: through the read-only path. The data must not change while the kernel runs, so the
// compiler may move and merge these: not volatile.
#define HEDDLE_LDG_S(type, suffix, as)                      \
    HEDDLE_DEVICE type __ldg(const type *from) {            \
        return (type)__nvvm_ldg_##suffix((const as *)from); \
    }
HEDDLE_LDG_S(char, c, char)
HEDDLE_LDG_S(signed char, c, char)
HEDDLE_LDG_S(unsigned char, uc, unsigned char)
HEDDLE_LDG_S(short, s, short)
HEDDLE_LDG_S(unsigned short, us, unsigned short)
HEDDLE_LDG_S(int, i, int)
HEDDLE_LDG_S(unsigned, ui, unsigned)
HEDDLE_LDG_S(long, l, long)
HEDDLE_LDG_S(unsigned long, ul, unsigned long)
HEDDLE_LDG_S(long long, ll, long long)
HEDDLE_LDG_S(unsigned long long, ull, unsigned long long)
HEDDLE_LDG_S(float, f, float)
HEDDLE_LDG_S(double, d, double)
#undef HEDDLE_LDG_S

#define HEDDLE_LDG_V(type, element, count, suffix)                     \
    HEDDLE_DEVICE type __ldg(const type *from) {                       \
        typedef element lanes __attribute__((ext_vector_type(count))); \
        lanes value = __nvvm_ldg_##suffix((const lanes *)from);        \
        type result;                                                   \
        __builtin_memcpy(&result, &value, sizeof result);              \
        return result;                                                 \
    }
HEDDLE_LDG_V(int2, int, 2, i2)
HEDDLE_LDG_V(int4, int, 4, i4)
HEDDLE_LDG_V(uint2, unsigned, 2, ui2)
HEDDLE_LDG_V(uint4, unsigned, 4, ui4)
HEDDLE_LDG_V(float2, float, 2, f2)
HEDDLE_LDG_V(float4, float, 4, f4)
HEDDLE_LDG_V(longlong2, long long, 2, ll2)
HEDDLE_LDG_V(ulonglong2, unsigned long long, 2, ull2)
HEDDLE_LDG_V(double2, double, 2, d2)
#undef HEDDLE_LDG_V
HEDDLE_MEMORY_PACKED(HEDDLE_LOAD_P, __ldg)

// Conversions between generic addresses and those of a state space, and tests for a space.
#define HEDDLE_SPACE(space, Space)                                                   \
    HEDDLE_DEVICE size_t __cvta_generic_to_##space(const void *generic) {            \
        size_t address;                                                              \
        __asm__("cvta.to." #space ".u64 %0, %1;" : "=l"(address) : "l"(generic));    \
        return address;                                                              \
    }                                                                                \
    HEDDLE_DEVICE void *__cvta_##space##_to_generic(size_t address) {                \
        void *generic;                                                               \
        __asm__("cvta." #space ".u64 %0, %1;" : "=l"(generic) : "l"(address));       \
        return generic;                                                              \
    }                                                                                \
    HEDDLE_DEVICE unsigned __is##Space(const void *generic) {                        \
        unsigned is;                                                                 \
        __asm__("{ .reg .pred p; isspacep." #space " p, %1; selp.u32 %0, 1, 0, p; }" \
                : "=r"(is)                                                           \
                : "l"(generic));                                                     \
        return is;                                                                   \
    }
HEDDLE_SPACE(global, Global)
HEDDLE_SPACE(shared, Shared)
HEDDLE_SPACE(local, Local)
#undef HEDDLE_SPACE

#endif
