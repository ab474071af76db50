// Heddle's own <cuda_runtime.h>: the declarations with which clang-14 compiles CUDA without
// NVIDIA's toolkit.
//
// heddle-cc includes it before every .cu file, as nvcc includes NVIDIA's. The names, types and
// values are CUDA 12's. A program that uses a name that is not here does not compile.
//
//   host_defines.h        __global__ and the other keywords
//   vector_types.h        float4, dim3 ...; vector_functions.h: make_float4 ...
//   driver_types.h        errors, enumerations, structures of the runtime API
//   cuda_runtime_api.h    the API in C; runtime_templates.h: its C++ forms
//   device_builtin_vars.h threadIdx ..., clocks
//   device_sync.h         barriers and fences; device_warp.h: votes and shuffles
//   device_atomics.h      atomicAdd ...; device_memory_order.h: acquire, release, scopes
//   device_memory.h       __ldg, __ldcg, __stwt ...
//   device_math.h         floating point; device_integer.h, device_convert.h, device_simd.h
//   device_system.h       printf, assert, malloc
//   device_texture.h      tex2D ..., surf2Dread ...; runtime_textures.h: arrays and objects
#ifndef HEDDLE_DEVICE_CUDA_RUNTIME_H
#define HEDDLE_DEVICE_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ // other headers test this to know that it was included

#if defined(__CUDA__)
#define __CUDACC__ 1
#endif

#include "host_defines.h"

// A GPU has no __float128, and clang refuses even its declarations in device code.
#if defined(__CUDA__)
#include <bits/c++config.h>
#undef _GLIBCXX_USE_FLOAT128
#endif

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "driver_types.h"
#include "vector_functions.h"
#include "vector_types.h"

#if defined(__cplusplus)
#include "channel_descriptor.h"
#include "runtime_templates.h"
#endif

#if defined(__CUDA__)
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0

// The compiler turns kernel<<<grid, block, shared, stream>>>(...) into a call of this function,
// then of the kernel's stub, which pops the configuration and calls cudaLaunchKernel.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
extern "C" unsigned heddle_push_configuration(dim3 grid, dim3 block, size_t shared_bytes,
                                              struct CUstream_st *stream)
    __asm__("__cudaPushCallConfiguration");
static inline unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                   struct CUstream_st *stream = 0) {
    return heddle_push_configuration(grid, block, shared_bytes,
                                     stream ? stream : cudaStreamPerThread);
}
#else
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                struct CUstream_st *stream = 0);
#endif

#include "device_builtin_vars.h"
#include "device_sync.h"
#include "device_warp.h"
#include "device_atomics.h"
#include "device_memory.h"
#include "device_memory_order.h"
#include "device_system.h"
#include "device_math.h"
#include "device_texture.h"
#include "device_simd.h"
#endif

#endif
