// make_char1 .. make_double4: build a small vector from its components.
#ifndef HEDDLE_DEVICE_VECTOR_FUNCTIONS_H
#define HEDDLE_DEVICE_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define HEDDLE_VECTOR_MAKE(type, name, align2, align4)                                             \
    static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                         \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {                 \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) {         \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }
HEDDLE_VECTOR_TYPES(HEDDLE_VECTOR_MAKE)
#undef HEDDLE_VECTOR_MAKE

#endif
