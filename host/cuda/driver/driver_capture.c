/* driver_capture.c - stream capture: the calls with lists of nodes, and older forms. The build
 * generates the other calls of captures.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. The server holds the captured graph; it assigns the handles of nodes.
 *
 * Helpers with an `id` make the call of that number. All functions return a CUresult and leave the
 * runtime's last error alone. */
#include "cuda/driver/driver.h"
#include "cuda/shim/shim_node.h"

/* Makes the call `id`, which asks how far a stream's capture is (shim_capture_info). `status` NULL
 * is cudaErrorInvalidValue; any other NULL means that the program does not want that result. *nodes
 * points to the thread's own list of handles (shim_thread.captured, allocated by the first query),
 * readable until the thread's next query. */
static int info(enum cuda_call_id id, void *stream, int *status, unsigned long long *number,
                void **graph, void *const **nodes, size_t *count) {
    int error = driver_ready(id);
    if (error) return driver_fail(id, error);
    DRIVER_KEEPING_LAST_ERROR(
        error = shim_capture_info(id, stream, status, number, graph, nodes, count));
    return cuda_result(error);
}

SHIM_EXPORT int cuStreamGetCaptureInfo(void *stream, int *status, unsigned long long *number);
int cuStreamGetCaptureInfo(void *stream, int *status, unsigned long long *number) {
    return info(CALL_cuStreamGetCaptureInfo, stream, status, number, NULL, NULL, NULL);
}
SHIM_EXPORT int cuStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *number,
                                          void **graph, void *const **nodes, size_t *count);
int cuStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *number, void **graph,
                              void *const **nodes, size_t *count) {
    return info(CALL_cuStreamGetCaptureInfo_v2, stream, status, number, graph, nodes, count);
}
/* *edges becomes NULL, even if the call fails: edges have no data in Heddle. */
SHIM_EXPORT int cuStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *number,
                                          void **graph, void *const **nodes, void **edges,
                                          size_t *count);
int cuStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *number, void **graph,
                              void *const **nodes, void **edges, size_t *count) {
    if (edges) *edges = NULL;
    return info(CALL_cuStreamGetCaptureInfo_v3, stream, status, number, graph, nodes, count);
}

/* Makes the call `call`, of which the caller has filled id and arguments. Its payload is `count`
 * node handles from the program's list; a missing list is cudaErrorInvalidValue. Refuses edge data
 * with a message on standard error and cudaErrorNotSupported, without sending. */
static int with_nodes(struct shim_call *call, void *const *nodes, const void *edges, size_t count) {
    if (edges)
        shim_say("not supported: %s() with edge data (programmatic launch)",
                 shim_call_names[call->id]);
    if (edges) return driver_fail(call->id, HEDDLE_cudaErrorNotSupported);
    if (count && !nodes) return driver_fail(call->id, HEDDLE_cudaErrorInvalidValue);
    call->source.base = (void *)(uintptr_t)nodes;
    call->payload_bytes = count * sizeof *nodes;
    return driver_call(call);
}

/* This and the next replace or extend, as `flags` say, the nodes on which the stream's next
 * captured operation depends. */
SHIM_EXPORT int cuStreamUpdateCaptureDependencies(void *stream, void *const *nodes, size_t count,
                                                  unsigned flags);
int cuStreamUpdateCaptureDependencies(void *stream, void *const *nodes, size_t count,
                                      unsigned flags) {
    struct shim_call call = {.id = CALL_cuStreamUpdateCaptureDependencies,
                             .in = {(uintptr_t)stream, flags}};
    return with_nodes(&call, nodes, NULL, count);
}
SHIM_EXPORT int cuStreamUpdateCaptureDependencies_v2(void *stream, void *const *nodes,
                                                     const void *edges, size_t count,
                                                     unsigned flags);
int cuStreamUpdateCaptureDependencies_v2(void *stream, void *const *nodes, const void *edges,
                                         size_t count, unsigned flags) {
    struct shim_call call = {.id = CALL_cuStreamUpdateCaptureDependencies_v2,
                             .in = {(uintptr_t)stream, flags}};
    return with_nodes(&call, nodes, edges, count);
}
/* Begins to capture a stream into an existing graph, behind the nodes `from`. */
SHIM_EXPORT int cuStreamBeginCaptureToGraph(void *stream, void *graph, void *const *from,
                                            const void *edges, size_t count, int mode);
int cuStreamBeginCaptureToGraph(void *stream, void *graph, void *const *from, const void *edges,
                                size_t count, int mode) {
    struct shim_call call = {.id = CALL_cuStreamBeginCaptureToGraph,
                             .in = {(uintptr_t)stream, (uintptr_t)graph, (uint64_t)mode}};
    return with_nodes(&call, from, edges, count);
}

/* The first form has one mode, the global one, so the message names none. */
SHIM_EXPORT int cuStreamBeginCapture(void *stream);
int cuStreamBeginCapture(void *stream) {
    struct shim_call call = {.id = CALL_cuStreamBeginCapture, .in = {(uintptr_t)stream}};
    return driver_call(&call);
}

/* Sets the thread's capture mode in the server to *mode, and writes the previous one there. */
SHIM_EXPORT int cuThreadExchangeStreamCaptureMode(int *mode);
int cuThreadExchangeStreamCaptureMode(int *mode) {
    return shim_exchange_capture_mode(&driver_interface, CALL_cuThreadExchangeStreamCaptureMode,
                                      mode);
}
