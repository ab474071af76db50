// CUDA's small vectors (char1 .. double4) and dim3, types only; vector_functions.h has the make_
// functions.
//
// Alignment is part of the ABI: vectors of two and four elements are aligned to their size up to
// 16 bytes, so that the compiler may load them in one instruction; vectors of three are not.
#ifndef HEDDLE_DEVICE_VECTOR_TYPES_H
#define HEDDLE_DEVICE_VECTOR_TYPES_H

#include "host_defines.h"

// V(TYPE, NAME, ALIGN2, ALIGN4): the four vectors of one element type, alignments in bytes.
#define HEDDLE_VECTOR_TYPES(V)               \
    V(signed char, char, 2, 4)               \
    V(unsigned char, uchar, 2, 4)            \
    V(short, short, 4, 8)                    \
    V(unsigned short, ushort, 4, 8)          \
    V(int, int, 8, 16)                       \
    V(unsigned int, uint, 8, 16)             \
    V(long, long, 16, 16)                    \
    V(unsigned long, ulong, 16, 16)          \
    V(long long, longlong, 16, 16)           \
    V(unsigned long long, ulonglong, 16, 16) \
    V(float, float, 8, 16)                   \
    V(double, double, 16, 16)

#define HEDDLE_VECTOR_DECLARE(type, name, align2, align4) \
    struct name##1 {                                      \
        type x;                                           \
    };                                                    \
    struct __attribute__((aligned(align2))) name##2 {     \
        type x, y;                                        \
    };                                                    \
    struct name##3 {                                      \
        type x, y, z;                                     \
    };                                                    \
    struct __attribute__((aligned(align4))) name##4 {     \
        type x, y, z, w;                                  \
    };                                                    \
    typedef struct name##1 name##1;                       \
    typedef struct name##2 name##2;                       \
    typedef struct name##3 name##3;                       \
    typedef struct name##4 name##4;
HEDDLE_VECTOR_TYPES(HEDDLE_VECTOR_DECLARE)
#undef HEDDLE_VECTOR_DECLARE

// Size of a grid or a block; components that are left out count as 1.
struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus)
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                       unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif
