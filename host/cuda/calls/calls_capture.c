/* calls_capture.c - handlers that begin, end, query and change stream captures; see capture.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown stream is InvalidResourceHandle. They change captures, graphs and the
 * capture state of streams, and issue nothing on the GPU. */
#include <stdlib.h>

#include "cuda/object/capture.h"
#include "cuda/base/payload.h"
#include "cuda_call_handlers.h"

enum { DEPENDENCIES_ADD, DEPENDENCIES_SET }; /* cudaStreamUpdateCaptureDependenciesFlags */

/* Begins a capture on a stream, into `graph` or (NULL) a new one, and adds it to program.captures.
 * @return InvalidValue: an unknown mode; or as capture_begin(). */
static int begin(struct call *call, uint64_t stream, uint64_t mode, struct graph *graph) {
    struct stream_ref ref;
    if (mode > CAPTURE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    if (!stream_find(call, stream, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    return capture_begin(call, &ref, (enum capture_mode)mode, graph);
}

int do_cudaStreamBeginCapture(struct call *call, uint64_t stream, uint64_t mode) {
    return begin(call, stream, mode, NULL);
}

/* Begins a capture into a graph of the program. The payload: nodes of the graph on which the first
 * operation depends. If they are wrong, the capture is cancelled. @return InvalidValue: no such
 * graph, or node of it; or as begin(). */
int do_cudaStreamBeginCaptureToGraph(struct call *call, uint64_t stream, uint64_t graph,
                                     uint64_t mode) {
    struct graph *g = graph_find(call->program, graph);
    int error = g ? begin(call, stream, mode, g) : CUDA_ERROR_INVALID_VALUE;
    if (error || !call->payload_bytes) return error;
    error = do_cudaStreamUpdateCaptureDependencies(call, stream, DEPENDENCIES_SET);
    struct stream_ref ref;
    if (error && stream_find(call, stream, &ref)) capture_cancel(call, ref.capture);
    return error;
}

/* Ends and frees the capture that began on this stream. *graph: 0 after an error; else the graph,
 * which the program owns. @return as capture_end(). */
int do_cudaStreamEndCapture(struct call *call, uint64_t stream, uint64_t *graph) {
    struct stream_ref ref;
    struct graph *captured;
    if (!stream_find(call, stream, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    int error = capture_end(call, &ref, &captured);
    *graph = captured ? captured->handle : 0;
    return error;
}

/* *status: enum capture_status. A query on the legacy stream invalidates the captures of blocking
 * streams, as in CUDA (StreamCaptureImplicit). */
int do_cudaStreamIsCapturing(struct call *call, uint64_t stream, uint64_t *status) {
    struct stream_ref ref;
    if (!stream_find(call, stream, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (!ref.stream && capture_invalidate_implicit(call))
        return HEDDLE_cudaErrorStreamCaptureImplicit;
    *status = (uint64_t)capture_status(&ref);
    return CUDA_SUCCESS;
}

/* *status: enum capture_status; the other results are 0 unless a capture is active: its id, the
 * handle of its graph, and the number of nodes on which the stream's next operation depends. The
 * reply carries their handles, 8 bytes each. @return NotSupported: too many for the staging
 * memory. */
int do_cudaStreamGetCaptureInfo(struct call *call, uint64_t stream, uint64_t *status, uint64_t *id,
                                uint64_t *graph, uint64_t *count) {
    struct stream_ref ref;
    if (!stream_find(call, stream, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *status = (uint64_t)capture_status(&ref);
    if (*status != CAPTURE_ACTIVE) return CUDA_SUCCESS;
    const GArray *nodes = ref.stream->nodes;
    *id = capture_id(ref.capture);
    *graph = capture_graph(ref.capture)->handle;
    *count = nodes ? nodes->len : 0;
    if (*count * sizeof(uint64_t) > WIRE_STAGING_BYTES) return HEDDLE_cudaErrorNotSupported;
    if (*count) call_push_last(call, 0, nodes->data, (uint32_t)(*count * sizeof(uint64_t)));
    return CUDA_SUCCESS;
}

/* The payload: nodes on which the stream's next operation will depend, in addition to the present
 * ones or (DEPENDENCIES_SET) alone. @return IllegalState: the stream is not captured; InvalidValue:
 * unknown flags, or a node of another graph; MemoryAllocation: no payload. */
int do_cudaStreamUpdateCaptureDependencies(struct call *call, uint64_t stream, uint64_t flags) {
    struct stream_ref ref;
    if (!stream_find(call, stream, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (!ref.capture) return HEDDLE_cudaErrorIllegalState;
    if (flags > DEPENDENCIES_SET) return CUDA_ERROR_INVALID_VALUE;
    uint64_t *nodes = (uint64_t *)(void *)call_take_payload(call, PAYLOAD_NODES);
    if (!nodes) return HEDDLE_cudaErrorMemoryAllocation;
    int error = capture_set_dependencies(call, &ref, nodes, call->payload_bytes / sizeof(uint64_t),
                                         flags == DEPENDENCIES_SET);
    free(nodes);
    return error;
}

/* Sets capture_mode of the calling thread, which decides what captures forbid it; *old: the one
 * before. @return InvalidValue: an unknown mode. */
int do_cudaThreadExchangeStreamCaptureMode(struct call *call, uint64_t mode, uint64_t *old) {
    if (mode > CAPTURE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    *old = (uint64_t)call->thread->capture_mode;
    call->thread->capture_mode = (int)mode;
    return CUDA_SUCCESS;
}
