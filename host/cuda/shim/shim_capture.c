/* shim_capture.c - stream capture: the calls with lists of nodes, whose form depends on the CUDA
 * version. Graph node handles travel as they are. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim_node.h"

/* Makes the call under the name that the program used; per_thread: stream 0 is the thread's. */
static int make(struct shim_call *call, enum cuda_call_id named, bool per_thread, int stream_at) {
    if (call->id == named) return shim_call(call);
    if (!per_thread && call->in[stream_at] == 0) call->in[stream_at] = 1; /* the legacy stream */
    shim_enter_per_thread(named);
    return shim_leave_per_thread(shim_call(call));
}

SHIM_EXPORT int cudaThreadExchangeStreamCaptureMode(int *mode);
int cudaThreadExchangeStreamCaptureMode(int *mode) {
    static const enum cuda_call_id id = CALL_cudaThreadExchangeStreamCaptureMode;
    if (!mode) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uint64_t)*mode}};
    int error = shim_call(&call);
    if (!error) *mode = (int)call.out[0];
    return error;
}

static int capture_info(enum cuda_call_id named, bool per_thread, void *stream, int *status,
                        unsigned long long *id, void **graph, void *const **nodes, size_t *count) {
    if (named != CALL_cudaStreamGetCaptureInfo) {
        if (!per_thread && !stream) stream = (void *)1; /* the legacy stream */
        shim_enter_per_thread(named);
    }
    return shim_leave_per_thread(
        shim_capture_info(CALL_cudaStreamGetCaptureInfo, stream, status, id, graph, nodes, count));
}

static int update(enum cuda_call_id named, bool per_thread, void *stream, void *const *nodes,
                  size_t count, unsigned flags) {
    if (count && !nodes) return shim_fail(named, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = CALL_cudaStreamUpdateCaptureDependencies,
                             .in = {(uintptr_t)stream, flags},
                             .source = {.base = (void *)(uintptr_t)nodes},
                             .payload_bytes = count * sizeof *nodes};
    return make(&call, named, per_thread, 0);
}

#if HEDDLE_CUDART_VERSION >= 13
#define INFO_PARAMETERS                                                                   \
    void *stream, int *status, unsigned long long *id, void **graph, void *const **nodes, \
        void **edges, size_t *count
#define INFO_FUNCTION(name, per_thread)                                                        \
    SHIM_EXPORT int name(INFO_PARAMETERS);                                                     \
    int name(INFO_PARAMETERS) {                                                                \
        if (edges) *edges = NULL; /* edges of graphs carry no data here */                     \
        return capture_info(CALL_##name, per_thread, stream, status, id, graph, nodes, count); \
    }
INFO_FUNCTION(cudaStreamGetCaptureInfo, false)
INFO_FUNCTION(cudaStreamGetCaptureInfo_ptsz, true)

#define UPDATE_FUNCTION(name, per_thread)                                                         \
    SHIM_EXPORT int name(void *stream, void *const *nodes, const void *edges, size_t count,       \
                         unsigned flags);                                                         \
    int name(void *stream, void *const *nodes, const void *edges, size_t count, unsigned flags) { \
        if (edges) return shim_fail(CALL_##name, HEDDLE_cudaErrorNotSupported);                   \
        return update(CALL_##name, per_thread, stream, nodes, count, flags);                      \
    }
UPDATE_FUNCTION(cudaStreamUpdateCaptureDependencies, false)
UPDATE_FUNCTION(cudaStreamUpdateCaptureDependencies_ptsz, true)
#else
#define INFO_FUNCTION(name, per_thread)                                                     \
    SHIM_EXPORT int name(void *stream, int *status, unsigned long long *id);                \
    int name(void *stream, int *status, unsigned long long *id) {                           \
        return capture_info(CALL_##name, per_thread, stream, status, id, NULL, NULL, NULL); \
    }
INFO_FUNCTION(cudaStreamGetCaptureInfo, false)
INFO_FUNCTION(cudaStreamGetCaptureInfo_ptsz, true)

#define INFO2_PARAMETERS                                                                  \
    void *stream, int *status, unsigned long long *id, void **graph, void *const **nodes, \
        size_t *count
#define INFO2_FUNCTION(name, per_thread)                                                       \
    SHIM_EXPORT int name(INFO2_PARAMETERS);                                                    \
    int name(INFO2_PARAMETERS) {                                                               \
        return capture_info(CALL_##name, per_thread, stream, status, id, graph, nodes, count); \
    }
INFO2_FUNCTION(cudaStreamGetCaptureInfo_v2, false)
INFO2_FUNCTION(cudaStreamGetCaptureInfo_v2_ptsz, true)

#define UPDATE_FUNCTION(name, per_thread)                                                 \
    SHIM_EXPORT int name(void *stream, void *const *nodes, size_t count, unsigned flags); \
    int name(void *stream, void *const *nodes, size_t count, unsigned flags) {            \
        return update(CALL_##name, per_thread, stream, nodes, count, flags);              \
    }
UPDATE_FUNCTION(cudaStreamUpdateCaptureDependencies, false)
UPDATE_FUNCTION(cudaStreamUpdateCaptureDependencies_ptsz, true)
#endif

#if HEDDLE_CUDART_VERSION == 12
#define INFO3_PARAMETERS                                                                  \
    void *stream, int *status, unsigned long long *id, void **graph, void *const **nodes, \
        void **edges, size_t *count
#define INFO3_FUNCTION(name, per_thread)                                                       \
    SHIM_EXPORT int name(INFO3_PARAMETERS);                                                    \
    int name(INFO3_PARAMETERS) {                                                               \
        if (edges) *edges = NULL; /* edges of graphs carry no data here */                     \
        return capture_info(CALL_##name, per_thread, stream, status, id, graph, nodes, count); \
    }
INFO3_FUNCTION(cudaStreamGetCaptureInfo_v3, false)
INFO3_FUNCTION(cudaStreamGetCaptureInfo_v3_ptsz, true)

#define UPDATE2_FUNCTION(name, per_thread)                                                        \
    SHIM_EXPORT int name(void *stream, void *const *nodes, const void *edges, size_t count,       \
                         unsigned flags);                                                         \
    int name(void *stream, void *const *nodes, const void *edges, size_t count, unsigned flags) { \
        if (edges) return shim_fail(CALL_##name, HEDDLE_cudaErrorNotSupported);                   \
        return update(CALL_##name, per_thread, stream, nodes, count, flags);                      \
    }
UPDATE2_FUNCTION(cudaStreamUpdateCaptureDependencies_v2, false)
UPDATE2_FUNCTION(cudaStreamUpdateCaptureDependencies_v2_ptsz, true)
#endif

#if HEDDLE_CUDART_VERSION >= 12
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
