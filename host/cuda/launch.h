/* launch.h - kernels as operations of a stream. */
#ifndef HEDDLE_CUDA_LAUNCH_H
#define HEDDLE_CUDA_LAUNCH_H

#include "cuda/call.h"

struct kernel_shape {
    uint64_t function; /* the server's number */
    uint32_t grid[3], block[3];
    uint64_t shared_bytes;
    bool cooperative; /* all CTAs must be resident at once */
    bool in_graph;    /* behind another kernel of the graph that is launched */
    const uint8_t *parameters;
    uint32_t parameter_bytes;
};

/* Checks a launch as the driver does. @return cudaError_t. */
int launch_check(struct call *call, const struct kernel_shape *shape);
/* Puts it on the stream; the parameters are copied. *ticket may be NULL. @return cudaError_t. */
int launch_issue(struct call *call, const struct stream_ref *ref, const struct kernel_shape *shape,
                 gpu_ticket *ticket);

#endif
