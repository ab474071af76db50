// <cuda.h> for programs of the runtime API that include it: its version and basic types.
//
// The calls of the driver API (cuInit ...) are not declared, so a program that uses them does not
// compile here. It needs the header of a CUDA toolkit; Heddle's libcuda.so.1 serves its calls.
#ifndef HEDDLE_DEVICE_CUDA_H
#define HEDDLE_DEVICE_CUDA_H

#include "driver_types.h"

#define CUDA_VERSION 12000

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

#endif
