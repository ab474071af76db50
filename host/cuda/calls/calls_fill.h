/* calls_fill.h - fills, for the handlers of both interfaces. */
#ifndef HEDDLE_CUDA_CALLS_CALLS_FILL_H
#define HEDDLE_CUDA_CALLS_CALLS_FILL_H

#include "cuda/object/copy.h"

/* The whole of a call: checked, then carried out or captured. @return cudaError_t. */
int fill_in_stream(struct call *call, uint64_t stream, const struct fill_shape *shape);

#endif
