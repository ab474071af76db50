/* calls_fill.h - fills, for the handlers of the runtime and of the driver. */
#ifndef HEDDLE_CUDA_CALLS_CALLS_FILL_H
#define HEDDLE_CUDA_CALLS_CALLS_FILL_H

#include "cuda/object/copy.h"

/* Checks a fill and issues it on the stream, or adds it to the graph into which the stream is
 * captured. @return cudaError_t. */
int fill_in_stream(struct call *call, uint64_t stream, const struct fill_shape *shape);

#endif
