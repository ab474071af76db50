/* calls_stream.c - handlers that create, destroy, wait for and query streams; see stream.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown stream is InvalidResourceHandle. Synchronizing drives the simulation,
 * moves the thread's clock and may be suspended (CALL_SUSPENDED) and retried; cudaStreamQuery
 * advances the GPU to the clock of the thread. Both follow the rules of capture_find_open_stream(),
 * and a fault becomes the sticky error (wait.c). The other queries change nothing, except that they
 * create the thread's default stream on first use. */
#include "cuda/object/capture.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

/* Adds a stream on the current device to program.streams (stream_create()). *stream: its handle. */
int do_cudaStreamCreate(struct call *call, uint64_t *stream) {
    return stream_create(call, 0, 0, stream);
}

int do_cudaStreamCreateWithFlags(struct call *call, uint64_t *stream, uint64_t flags) {
    return stream_create(call, flags, 0, stream);
}

int do_cudaStreamCreateWithPriority(struct call *call, uint64_t *stream, uint64_t flags,
                                    uint64_t priority) {
    return stream_create(call, flags, (int)priority, stream);
}

/* Makes the handle invalid; pending work is still performed. A captured stream leaves its capture,
 * which becomes invalid if it began there. */
int do_cudaStreamDestroy(struct call *call, uint64_t handle) {
    struct stream *s = stream_created(call->program, handle);
    if (!s) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (s->capture) capture_leave(s);
    return stream_destroy(s);
}

/* *least: 0; *greatest: STREAM_GREATEST_PRIORITY, which is negative. */
int do_cudaDeviceGetStreamPriorityRange(struct call *call, uint64_t *least, uint64_t *greatest) {
    (void)call;
    *least = 0;
    *greatest = (uint64_t)(int64_t)STREAM_GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

/* ---- waiting and questions */

/* Waits for all work of the stream and moves the thread's clock to its end. May be suspended and
 * retried. On a captured stream it invalidates the capture (StreamCaptureUnsupported). */
int do_cudaStreamSynchronize(struct call *call, uint64_t handle) {
    struct stream_ref ref;
    int error = capture_find_open_stream(call, handle, &ref);
    call->repeatable = true;
    return error ? error : wait_stream(call, ref.gpu, ref.gpu_stream);
}

/* Advances the GPU to the thread's clock. @return NotReady: the stream's newest operation has not
 * ended by then; StreamCaptureUnsupported: a captured stream, whose capture it invalidates. */
int do_cudaStreamQuery(struct call *call, uint64_t handle) {
    struct stream_ref ref;
    int error = capture_find_open_stream(call, handle, &ref);
    if (error) return error;
    bool done;
    uint64_t end_ps;
    error = wait_query(call, ref.gpu, *ref.last, &done, &end_ps);
    return error ? error : done ? CUDA_SUCCESS : HEDDLE_cudaErrorNotReady;
}

/* *flags: 1 for a non-blocking stream, else 0. */
int do_cudaStreamGetFlags(struct call *call, uint64_t handle, uint64_t *flags) {
    struct stream_ref ref;
    if (!stream_find(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *flags = ref.stream ? ref.stream->flags : 0;
    return CUDA_SUCCESS;
}

/* *priority: STREAM_GREATEST_PRIORITY .. 0; 0 for a default stream. */
int do_cudaStreamGetPriority(struct call *call, uint64_t handle, uint64_t *priority) {
    struct stream_ref ref;
    if (!stream_find(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *priority = ref.stream ? (uint64_t)(int64_t)ref.stream->priority : 0;
    return CUDA_SUCCESS;
}

/* *id: unique among the streams of the run: device << 32 | number on its GPU. */
int do_cudaStreamGetId(struct call *call, uint64_t handle, uint64_t *id) {
    struct stream_ref ref;
    if (!stream_find(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *id = (uint64_t)ref.device << 32 | ref.gpu_stream;
    return CUDA_SUCCESS;
}

int do_cudaStreamGetDevice(struct call *call, uint64_t handle, uint64_t *device) {
    struct stream_ref ref;
    if (!stream_find(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *device = ref.device;
    return CUDA_SUCCESS;
}
