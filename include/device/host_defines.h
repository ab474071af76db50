// The keywords that CUDA adds to C++: where a function runs, where a variable lives.
//
// They are attributes of clang-14 in CUDA mode. In a .c or .cpp file that only calls the runtime
// they are empty, as with NVIDIA's headers.
#ifndef HEDDLE_DEVICE_HOST_DEFINES_H
#define HEDDLE_DEVICE_HOST_DEFINES_H

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ // parameters are always in constant memory
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __noinline__ __attribute__((noinline)) // see bits/shared_ptr_base.h

#define CUDARTAPI
#define CUDART_CB

#endif
