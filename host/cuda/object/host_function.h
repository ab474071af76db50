/* host_function.h - functions of the program that a stream calls (cudaLaunchHostFunc and
 * cudaStreamAddCallback).
 *
 * They run in the program, on a helper thread of the shim with a connection of its own, when the
 * stream gets there in target time; what follows on the stream waits for their end. They take no
 * target time, as all code between calls.
 *
 * The simulation is driven by calls that wait. A program may wait for its host function without any
 * call (a condition variable), so that a program that has been silent for a while is driven on by
 * the server; that moment is wall time, so such a run is not reproducible to the cycle. */
#ifndef HEDDLE_CUDA_OBJECT_HOST_FUNCTION_H
#define HEDDLE_CUDA_OBJECT_HOST_FUNCTION_H

#include "cuda/object/stream.h"

enum { HOST_FUNCTION_PATIENCE_MS = 100 };

struct host_shape {
    uint64_t function, argument;
    bool callback;   /* cudaStreamAddCallback: told stream and status */
    uint64_t stream; /* handle, as the program knows it */
};

/* Puts a host function on a stream. *ticket may be NULL. @return cudaError_t. */
int host_function_issue(struct call *call, const struct stream_ref *ref,
                        const struct host_shape *shape, gpu_ticket *ticket);

/* A living program has a host function that has not run. */
bool host_functions_due(const struct server *s);
/* Drives the simulation until the oldest of them has run. */
void host_functions_advance(struct server *s);

#endif
