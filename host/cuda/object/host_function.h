/* host_function.h - host functions in stream order (cudaLaunchHostFunc, cudaStreamAddCallback).
 *
 * They run in the program, on a helper thread of the shim that has its own connection, when the
 * stream reaches them. Later work on the stream waits for them. Like all host code they take no
 * target time.
 *
 * Calls that wait drive the simulation. A program may instead wait for its host function without a
 * CUDA call (on a condition variable). The server therefore drives the simulation itself after
 * HOST_FUNCTION_PATIENCE_MS of silence. That is wall time, so such a run is not reproducible to the
 * cycle. */
#ifndef HEDDLE_CUDA_OBJECT_HOST_FUNCTION_H
#define HEDDLE_CUDA_OBJECT_HOST_FUNCTION_H

#include "cuda/object/stream.h"

enum { HOST_FUNCTION_PATIENCE_MS = 100 };

/* A host function and its argument, addresses in the program. */
struct host_shape {
    uint64_t function, argument;
    bool callback;   /* cudaStreamAddCallback: also gets stream and status */
    uint64_t stream; /* handle, as the program knows it */
};

/* Issues a host function on a stream and adds it to program.host_due. *ticket may be NULL. @return
 * cudaError_t. */
int host_function_issue(struct call *call, const struct stream_ref *ref,
                        const struct host_shape *shape, gpu_ticket *ticket);

/* The functions of the program that are issued and have not run. */
unsigned host_functions_count(const struct program *p);
/* True when a living program has a host function that has not run. */
bool host_functions_due(const struct server *s);
/* Drives the simulation until the oldest host function of one program has run. Serves on behalf of
 * the helper thread meanwhile (server.serving). */
void host_functions_advance(struct server *s);

#endif
