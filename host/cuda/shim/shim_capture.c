/* shim_capture.c - stream capture: the runtime's calls with lists of nodes, whose form depends on
 * the CUDA version. The build generates the others.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error. The server holds the captured graph; the server assigns a node's handle.
 *
 * Later forms of a call (_v2, _v3, _ptsz) travel as its first form. The helpers take the number of
 * the name that the program used, `named`, under which the call is counted. `per_thread` is true
 * for the _ptsz names: stream 0 is the thread's default stream, otherwise the legacy stream (handle
 * 1). */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim_node.h"
#include "cuda/shim/shim_twin.h"

/* Makes the call, counted as `named`. in[stream_at] is its stream; 0 becomes the legacy stream if
 * the name is a later form without _ptsz. */
static int make(struct shim_call *call, enum cuda_call_id named, bool per_thread, int stream_at) {
    if (call->id == named) return shim_call(call);
    if (!per_thread && call->in[stream_at] == 0) call->in[stream_at] = 1; /* the legacy stream */
    shim_enter_per_thread(named);
    return shim_leave_per_thread(shim_call(call));
}

/* Sets the thread's capture mode in the server to *mode, and writes the previous one there. */
SHIM_EXPORT int cudaThreadExchangeStreamCaptureMode(int *mode);
int cudaThreadExchangeStreamCaptureMode(int *mode) {
    return shim_exchange_capture_mode(&shim_runtime_interface,
                                      CALL_cudaThreadExchangeStreamCaptureMode, mode);
}

/* Makes the call `named`, which asks how far a stream's capture is (shim_capture_info). *nodes
 * points to the thread's own list (shim_thread.captured, allocated by the first query), readable
 * until its next query. NULL: that result is not wanted; only `status` is required
 * (cudaErrorInvalidValue). */
static int capture_info(enum cuda_call_id named, bool per_thread, void *stream, int *status,
                        unsigned long long *id, void **graph, void *const **nodes, size_t *count) {
    if (named != CALL_cudaStreamGetCaptureInfo) {
        if (!per_thread && !stream) stream = (void *)1; /* the legacy stream */
        shim_enter_per_thread(named);
    }
    return shim_leave_per_thread(
        shim_capture_info(CALL_cudaStreamGetCaptureInfo, stream, status, id, graph, nodes, count));
}

/* Makes the call `named`, which replaces or extends, as `flags` say, the nodes on which the next
 * captured operation depends. The list of `count` handles is its payload; a missing list is
 * cudaErrorInvalidValue. */
static int update(enum cuda_call_id named, bool per_thread, void *stream, void *const *nodes,
                  size_t count, unsigned flags) {
    if (count && !nodes) return shim_fail(named, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = CALL_cudaStreamUpdateCaptureDependencies,
                             .in = {(uintptr_t)stream, flags},
                             .source = {.base = (void *)(uintptr_t)nodes},
                             .payload_bytes = count * sizeof *nodes};
    return make(&call, named, per_thread, 0);
}

/* Define the forms: status and number, with nodes, with nodes and edges. Edges have no data in
 * Heddle: a query returns NULL for them, and an update with edge data is an error. */
#define INFO(name, per_thread)                                                              \
    SHIM_EXPORT int name(void *stream, int *status, unsigned long long *id);                \
    int name(void *stream, int *status, unsigned long long *id) {                           \
        return capture_info(CALL_##name, per_thread, stream, status, id, NULL, NULL, NULL); \
    }
#define NODES_PARAMETERS                                                                  \
    void *stream, int *status, unsigned long long *id, void **graph, void *const **nodes, \
        size_t *count
#define INFO_NODES(name, per_thread)                                                           \
    SHIM_EXPORT int name(NODES_PARAMETERS);                                                    \
    int name(NODES_PARAMETERS) {                                                               \
        return capture_info(CALL_##name, per_thread, stream, status, id, graph, nodes, count); \
    }
#define EDGES_PARAMETERS                                                                  \
    void *stream, int *status, unsigned long long *id, void **graph, void *const **nodes, \
        void **edges, size_t *count
#define INFO_EDGES(name, per_thread)                                                           \
    SHIM_EXPORT int name(EDGES_PARAMETERS);                                                    \
    int name(EDGES_PARAMETERS) {                                                               \
        if (edges) *edges = NULL;                                                              \
        return capture_info(CALL_##name, per_thread, stream, status, id, graph, nodes, count); \
    }
#define UPDATE(name, per_thread)                                                          \
    SHIM_EXPORT int name(void *stream, void *const *nodes, size_t count, unsigned flags); \
    int name(void *stream, void *const *nodes, size_t count, unsigned flags) {            \
        return update(CALL_##name, per_thread, stream, nodes, count, flags);              \
    }
#define UPDATE_EDGES(name, per_thread)                                                            \
    SHIM_EXPORT int name(void *stream, void *const *nodes, const void *edges, size_t count,       \
                         unsigned flags);                                                         \
    int name(void *stream, void *const *nodes, const void *edges, size_t count, unsigned flags) { \
        if (edges) return shim_fail(CALL_##name, HEDDLE_cudaErrorNotSupported);                   \
        return update(CALL_##name, per_thread, stream, nodes, count, flags);                      \
    }

#if HEDDLE_CUDART_VERSION >= 13
INFO_EDGES(cudaStreamGetCaptureInfo, false)
INFO_EDGES(cudaStreamGetCaptureInfo_ptsz, true)
UPDATE_EDGES(cudaStreamUpdateCaptureDependencies, false)
UPDATE_EDGES(cudaStreamUpdateCaptureDependencies_ptsz, true)
#else
INFO(cudaStreamGetCaptureInfo, false)
INFO(cudaStreamGetCaptureInfo_ptsz, true)
INFO_NODES(cudaStreamGetCaptureInfo_v2, false)
INFO_NODES(cudaStreamGetCaptureInfo_v2_ptsz, true)
UPDATE(cudaStreamUpdateCaptureDependencies, false)
UPDATE(cudaStreamUpdateCaptureDependencies_ptsz, true)
#endif
#if HEDDLE_CUDART_VERSION == 12
INFO_EDGES(cudaStreamGetCaptureInfo_v3, false)
INFO_EDGES(cudaStreamGetCaptureInfo_v3_ptsz, true)
UPDATE_EDGES(cudaStreamUpdateCaptureDependencies_v2, false)
UPDATE_EDGES(cudaStreamUpdateCaptureDependencies_v2_ptsz, true)
#endif

#if HEDDLE_CUDART_VERSION >= 12
/* Begins to capture a stream into an existing graph, behind the nodes `from`. Edge data is
 * cudaErrorNotSupported, a missing list cudaErrorInvalidValue. */
SHIM_EXPORT int cudaStreamBeginCaptureToGraph(void *stream, void *graph, void *const *from,
                                              const void *edges, size_t count, int mode);
int cudaStreamBeginCaptureToGraph(void *stream, void *graph, void *const *from, const void *edges,
                                  size_t count, int mode) {
    static const enum cuda_call_id id = CALL_cudaStreamBeginCaptureToGraph;
    if (count && !from) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (edges) return shim_fail(id, HEDDLE_cudaErrorNotSupported);
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)stream, (uintptr_t)graph, (uint64_t)mode},
                             .source = {.base = (void *)(uintptr_t)from},
                             .payload_bytes = count * sizeof *from};
    return shim_call(&call);
}
#endif
