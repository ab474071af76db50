/* calls_event.c - events: points of streams, and what waits for them. */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture.h"
#include "cuda_call_handlers.h"

enum {
    EVENT_FLAGS = 7,
    EVENT_DISABLE_TIMING = 2,
    EVENT_INTERPROCESS = 4,
    EVENT_EXTERNAL = 1, /* of cudaEventRecordWithFlags and cudaStreamWaitEvent */
};

struct event *find_event(const struct program *p, uint64_t handle) {
    size_t i = handle_index(handle, p->num_events);
    return i < p->num_events && p->event[i].live ? &p->event[i] : NULL;
}

bool new_event(struct program *p, size_t *index) {
    size_t i = 0;
    while (i < p->num_events && p->event[i].live) i++;
    if (i == p->num_events) {
        struct event *more = realloc(p->event, (i + 1) * sizeof *more);
        if (!more) return false;
        p->event = more;
        p->event[p->num_events++].node = NULL;
    }
    free(p->event[i].node);
    p->event[i] = (struct event){.live = true};
    *index = i;
    return true;
}

void event_end(struct server *s, struct event *e) {
    if (e->live && e->shared) unshare_event(s, e->shared);
    e->live = false;
    e->shared = NULL;
}

/* Several processes can have an event only if it takes no times, as CUDA has it. */
static int create_event(struct call *call, uint64_t *handle, uint64_t flags) {
    bool shared = flags & EVENT_INTERPROCESS;
    if (flags & ~(uint64_t)EVENT_FLAGS || (shared && !(flags & EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    size_t i;
    if (!new_event(call->program, &i)) return HEDDLE_cudaErrorMemoryAllocation;
    struct event *e = &call->program->event[i];
    e->flags = (uint32_t)flags;
    e->device = call->thread->device;
    if (shared && !(e->shared = share_event(call->server, e->device))) {
        e->live = false;
        return HEDDLE_cudaErrorMemoryAllocation;
    }
    *handle = handle_of(i);
    return CUDA_SUCCESS;
}

int do_cudaEventCreate(struct call *call, uint64_t *event) {
    return create_event(call, event, 0);
}

int do_cudaEventCreateWithFlags(struct call *call, uint64_t *event, uint64_t flags) {
    return create_event(call, event, flags);
}

int do_cudaEventDestroy(struct call *call, uint64_t handle) {
    struct event *e = find_event(call->program, handle);
    if (!e) return HEDDLE_cudaErrorInvalidResourceHandle;
    event_end(call->server, e);
    return CUDA_SUCCESS;
}

int do_cudaEventRecordWithFlags(struct call *call, uint64_t handle, uint64_t stream_handle,
                                uint64_t flags) {
    struct event *e = find_event(call->program, handle);
    struct stream_ref ref;
    if (flags & ~(uint64_t)EVENT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    int error = e ? find_op_stream(call, stream_handle, &ref)
                  : HEDDLE_cudaErrorInvalidResourceHandle;
    if (error) return error;
    if (e->device != ref.device) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (ref.capture) {
        if (!(flags & EVENT_EXTERNAL)) return capture_record(call, &ref, e);
        return capture_event(call, &ref, NODE_EVENT_RECORD, handle);
    }
    if (flags) return CUDA_ERROR_INVALID_VALUE; /* external: only means something in a capture */
    e->capture = NULL;
    if (e->shared) e->shared->device = ref.device;
    return stream_mark(call, &ref, event_ticket(e));
}

int do_cudaEventRecord(struct call *call, uint64_t handle, uint64_t stream_handle) {
    return do_cudaEventRecordWithFlags(call, handle, stream_handle, 0);
}

int do_cudaStreamWaitEvent(struct call *call, uint64_t stream_handle, uint64_t handle,
                           uint64_t flags) {
    struct event *e = find_event(call->program, handle);
    struct stream_ref ref;
    if (flags & ~(uint64_t)EVENT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    int error = e ? find_op_stream(call, stream_handle, &ref)
                  : HEDDLE_cudaErrorInvalidResourceHandle;
    if (error) return error;
    if (ref.capture && flags & EVENT_EXTERNAL)
        return capture_event(call, &ref, NODE_EVENT_WAIT, handle);
    if (ref.capture || e->capture) return capture_wait(call, &ref, e);
    return stream_follow(call, &ref, event_device(e),
                         *event_ticket(e)); /* never recorded: nothing to do */
}

int do_cudaEventQuery(struct call *call, uint64_t handle) {
    struct event *e = find_event(call->program, handle);
    if (!e) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (e->capture) return HEDDLE_cudaErrorCapturedEvent;
    bool done;
    uint64_t end_ps;
    int error = ask_ticket(call, server_gpu(call->server, event_device(e)), *event_ticket(e), &done,
                           &end_ps);
    return error ? error : done ? CUDA_SUCCESS : HEDDLE_cudaErrorNotReady;
}

int do_cudaEventSynchronize(struct call *call, uint64_t handle) {
    struct event *e = find_event(call->program, handle);
    if (!e) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (e->capture) return HEDDLE_cudaErrorCapturedEvent;
    call->repeatable = true;
    return wait_ticket(call, server_gpu(call->server, event_device(e)), *event_ticket(e));
}

int do_cudaEventElapsedTime(struct call *call, uint64_t *ms, uint64_t start, uint64_t end) {
    const struct event *a = find_event(call->program, start), *b = find_event(call->program, end);
    if (!a || !b || !a->ticket || !b->ticket || a->device != b->device ||
        ((a->flags | b->flags) & EVENT_DISABLE_TIMING))
        return HEDDLE_cudaErrorInvalidResourceHandle;
    struct gpu *gpu = server_gpu(call->server, a->device);
    bool a_done, b_done;
    uint64_t from, to;
    int error = ask_ticket(call, gpu, a->ticket, &a_done, &from);
    if (!error) error = ask_ticket(call, gpu, b->ticket, &b_done, &to);
    if (error) return error;
    if (!a_done || !b_done) return HEDDLE_cudaErrorNotReady;
    float elapsed = (float)(((double)to - (double)from) * 1e-9);
    memcpy(ms, &elapsed, sizeof elapsed);
    return CUDA_SUCCESS;
}

int do_cudaEventElapsedTime_v2(struct call *call, uint64_t *ms, uint64_t start, uint64_t end) {
    return do_cudaEventElapsedTime(call, ms, start, end);
}
