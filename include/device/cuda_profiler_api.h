// Where a profiler begins and ends to look; accepted and counted, of no consequence here.
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
