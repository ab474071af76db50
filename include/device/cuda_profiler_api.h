// cudaProfilerStart() and cudaProfilerStop(): Heddle accepts and counts them; they have no effect.
#ifndef HEDDLE_DEVICE_CUDA_PROFILER_API_H
#define HEDDLE_DEVICE_CUDA_PROFILER_API_H

#include "driver_types.h"

#if defined(__cplusplus)
extern "C" {
#endif

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

#if defined(__cplusplus)
}
#endif

#endif
