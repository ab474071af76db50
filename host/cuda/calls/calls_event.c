/* calls_event.c - handlers that create, record, wait for, query and destroy events; see event.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown event or stream is InvalidResourceHandle. Recording and
 * cudaStreamWaitEvent issue operations on the GPU, or change a capture, by the rules of
 * capture_find_op_stream(). Synchronizing drives the simulation, moves the thread's clock and may
 * be suspended (CALL_SUSPENDED) and retried; a query advances the GPU to the thread's clock. A
 * fault becomes the sticky error (wait.c). */
#include <string.h>

#include "cuda/object/capture.h"
#include "cuda/object/event.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

enum {
    EVENT_FLAGS = 7,
    EVENT_EXTERNAL = 1, /* of cudaEventRecordWithFlags and cudaStreamWaitEvent */
};

/* Adds an event for the current device to program.events; *handle names it. An interprocess event
 * must have timing disabled, as in CUDA (else InvalidValue), and gets a record in
 * server.shared_events. */
static int create_event(struct call *call, uint64_t *handle, uint64_t flags) {
    bool shared = flags & EVENT_INTERPROCESS;
    if (flags & ~(uint64_t)EVENT_FLAGS || (shared && !(flags & EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    struct event *e = event_create(call->program, call->thread->device, (uint32_t)flags, handle);
    if (shared) event_share(call->server, e, call->program->node);
    return CUDA_SUCCESS;
}

int do_cudaEventCreate(struct call *call, uint64_t *event) {
    return create_event(call, event, 0);
}

int do_cudaEventCreateWithFlags(struct call *call, uint64_t *event, uint64_t flags) {
    return create_event(call, event, flags);
}

/* Makes the handle invalid; the last holder of an interprocess event frees its record. Waits that
 * are issued go on. */
int do_cudaEventDestroy(struct call *call, uint64_t handle) {
    struct event *e = event_find(call->program, handle);
    if (!e) return HEDDLE_cudaErrorInvalidResourceHandle;
    event_end(call->server, e);
    return CUDA_SUCCESS;
}

/* Issues a marker on the stream, which the event then stands for. In a capture, the event notes the
 * stream's nodes, or (external) a node is added. @return InvalidResourceHandle: also a stream of
 * another device than the event's; InvalidValue: other flags, or external without a capture. */
int do_cudaEventRecordWithFlags(struct call *call, uint64_t handle, uint64_t stream_handle,
                                uint64_t flags) {
    struct event *e = event_find(call->program, handle);
    struct stream_ref ref;
    if (flags & ~(uint64_t)EVENT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    int error = e ? capture_find_op_stream(call, stream_handle, &ref)
                  : HEDDLE_cudaErrorInvalidResourceHandle;
    if (error) return error;
    if (e->device != ref.device) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (ref.capture) {
        if (!(flags & EVENT_EXTERNAL)) return capture_record(&ref, e);
        return capture_event(call, &ref, NODE_EVENT_RECORD, handle);
    }
    if (flags) return CUDA_ERROR_INVALID_VALUE; /* external: only means something in a capture */
    gpu_ticket ticket;
    error = stream_mark(call, &ref, &ticket);
    if (!error) event_set(e, ref.device, ticket);
    return error;
}

int do_cudaEventRecord(struct call *call, uint64_t handle, uint64_t stream_handle) {
    return do_cudaEventRecordWithFlags(call, handle, stream_handle, 0);
}

/* Makes the stream follow the event's operation; does nothing for an event that was never recorded.
 * If stream or event is captured, the stream joins the event's capture (capture_wait()), or
 * (external) a node is added. An event of another device drives the simulation until its operation
 * has ended (stream_follow()); the thread's clock stays. @return InvalidValue: other flags; or as
 * capture_wait(). */
int do_cudaStreamWaitEvent(struct call *call, uint64_t stream_handle, uint64_t handle,
                           uint64_t flags) {
    struct event *e = event_find(call->program, handle);
    struct stream_ref ref;
    if (flags & ~(uint64_t)EVENT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    int error = e ? capture_find_op_stream(call, stream_handle, &ref)
                  : HEDDLE_cudaErrorInvalidResourceHandle;
    if (error) return error;
    if (ref.capture && flags & EVENT_EXTERNAL)
        return capture_event(call, &ref, NODE_EVENT_WAIT, handle);
    if (ref.capture || e->capture) return capture_wait(&ref, e);
    call->repeatable = call->server->in_order; /* nothing is issued before the wait */
    return stream_follow(call, &ref, event_device(e),
                         *event_ticket(e)); /* never recorded: nothing to do */
}

/* Advances the GPU of the event to the thread's clock. @return NotReady: the event's operation has
 * not ended by then; CapturedEvent; CUDA_SUCCESS also for an event that was never recorded. */
int do_cudaEventQuery(struct call *call, uint64_t handle) {
    struct event *e = event_find(call->program, handle);
    if (!e) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (e->capture) return HEDDLE_cudaErrorCapturedEvent;
    bool done;
    uint64_t end_ps;
    int error = wait_query(call, call_gpu_of(call, event_device(e)), *event_ticket(e), &done,
                           &end_ps);
    return error ? error : done ? CUDA_SUCCESS : HEDDLE_cudaErrorNotReady;
}

/* Waits for the event's operation, if it was recorded, and moves the thread's clock to its end. May
 * be suspended and retried. @return CapturedEvent, too. */
int do_cudaEventSynchronize(struct call *call, uint64_t handle) {
    struct event *e = event_find(call->program, handle);
    if (!e) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (e->capture) return HEDDLE_cudaErrorCapturedEvent;
    call->repeatable = true;
    return wait_ticket(call, call_gpu_of(call, event_device(e)), *event_ticket(e));
}

/* *ms holds the bits of a float: target time between the ends of both operations, in milliseconds.
 * Advances the GPU to the thread's clock. @return NotReady: one has not ended by then;
 * CapturedEvent; InvalidResourceHandle: also events without timing, not recorded, or of two
 * devices. */
int do_cudaEventElapsedTime(struct call *call, uint64_t *ms, uint64_t start, uint64_t end) {
    const struct event *a = event_find(call->program, start), *b = event_find(call->program, end);
    if (a && b && (a->capture || b->capture)) return HEDDLE_cudaErrorCapturedEvent;
    if (!a || !b || !a->ticket || !b->ticket || a->device != b->device ||
        ((a->flags | b->flags) & EVENT_DISABLE_TIMING))
        return HEDDLE_cudaErrorInvalidResourceHandle;
    struct gpu *gpu = call_gpu_of(call, a->device);
    bool a_done, b_done;
    uint64_t from, to;
    int error = wait_query(call, gpu, a->ticket, &a_done, &from);
    if (!error) error = wait_query(call, gpu, b->ticket, &b_done, &to);
    if (error) return error;
    if (!a_done || !b_done) return HEDDLE_cudaErrorNotReady;
    float elapsed = (float)(((double)to - (double)from) * 1e-9);
    memcpy(ms, &elapsed, sizeof elapsed);
    return CUDA_SUCCESS;
}

int do_cudaEventElapsedTime_v2(struct call *call, uint64_t *ms, uint64_t start, uint64_t end) {
    return do_cudaEventElapsedTime(call, ms, start, end);
}
