// threadIdx, blockIdx, blockDim, gridDim, warpSize, and registers that only PTX names (lane, SM,
// clocks).
//
// Each component is a property, so that reading threadIdx.x is a single read of a PTX register. The
// variables themselves are never defined; taking their address does not compile.
#ifndef HEDDLE_DEVICE_DEVICE_BUILTIN_VARS_H
#define HEDDLE_DEVICE_DEVICE_BUILTIN_VARS_H

#include <time.h>

#include "vector_types.h"

#define HEDDLE_SREG_FIELD(field, sreg)                                                   \
    __declspec(property(get = heddle_get_##field)) unsigned int field;                   \
    static inline __device__ __attribute__((always_inline, nodebug)) unsigned int        \
    heddle_get_##field() {                                                               \
        return __nvvm_read_ptx_sreg_##sreg();                                            \
    }
#define HEDDLE_SREG_TYPE(name, sreg, as)                             \
    struct name {                                                    \
        HEDDLE_SREG_FIELD(x, sreg##_x)                               \
        HEDDLE_SREG_FIELD(y, sreg##_y)                               \
        HEDDLE_SREG_FIELD(z, sreg##_z)                               \
        __device__ operator dim3() const { return dim3(x, y, z); }   \
        __device__ operator uint3() const { return uint3{x, y, z}; } \
                                                                     \
      private:                                                       \
        __device__ name();                                           \
        __device__ name(const name &);                               \
        __device__ void operator=(const name &) const;               \
        __device__ name *operator&() const;                          \
    };                                                               \
    extern const __device__ __attribute__((weak)) name as;

HEDDLE_SREG_TYPE(heddle_thread_idx, tid, threadIdx)
HEDDLE_SREG_TYPE(heddle_block_idx, ctaid, blockIdx)
HEDDLE_SREG_TYPE(heddle_block_dim, ntid, blockDim)
HEDDLE_SREG_TYPE(heddle_grid_dim, nctaid, gridDim)
#undef HEDDLE_SREG_TYPE
#undef HEDDLE_SREG_FIELD

// The same on every GPU.
__attribute__((device)) const int warpSize = 32;

// Cycles of this SM's clock: two reads give the time between them.
static __inline__ __device__ clock_t clock(void) {
    return __nvvm_read_ptx_sreg_clock();
}
static __inline__ __device__ long long clock64(void) {
    return __nvvm_read_ptx_sreg_clock64();
}
// Nanoseconds of the whole GPU; coarse on hardware.
static __inline__ __device__ unsigned long long __nv_globaltimer(void) {
    unsigned long long ns;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

#endif
