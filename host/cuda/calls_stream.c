/* calls_stream.c - streams: legacy default, per-thread default, and those a program creates. */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture.h"
#include "cuda_call_handlers.h"

enum { STREAM_NON_BLOCKING = 1, GREATEST_PRIORITY = -5 };

uint64_t handle_of(size_t index) {
    return HANDLE_FIRST + index * HANDLE_STEP;
}

size_t handle_index(uint64_t handle, size_t count) {
    if (handle < HANDLE_FIRST || (handle - HANDLE_FIRST) % HANDLE_STEP) return count;
    uint64_t i = (handle - HANDLE_FIRST) / HANDLE_STEP;
    return i < count ? (size_t)i : count;
}

/* ---- from handle to stream */

static struct stream *created_stream(const struct program *p, uint64_t handle) {
    size_t i = handle_index(handle, p->num_streams);
    return i < p->num_streams && p->stream[i].live ? &p->stream[i] : NULL;
}

/* The calling thread's default stream of the current device: a blocking one of its own. */
static struct stream *thread_stream(struct call *call) {
    unsigned device = call->thread->device;
    struct stream *s = &call->thread->own[device];
    if (s->live) return s;
    *s = (struct stream){.device = device};
    s->live = gpu_stream_create(call_gpu(call), 0, 0, &s->gpu_stream) == HEDDLE_OK;
    return s->live ? s : NULL;
}

bool find_stream(struct call *call, uint64_t handle, struct stream_ref *out) {
    struct program *p = call->program;
    if (handle == 0 && call->per_thread) handle = HANDLE_PER_THREAD;
    if (handle == 0 || handle == HANDLE_LEGACY) {
        unsigned device = call->thread->device;
        *out = (struct stream_ref){.device = device,
                                   .gpu = call_gpu(call),
                                   .gpu_stream = GPU_STREAM_LEGACY,
                                   .last = &p->device[device].last_legacy};
        return true;
    }
    struct stream *s = handle == HANDLE_PER_THREAD ? thread_stream(call)
                                                   : created_stream(p, handle);
    if (!s) return false;
    *out = (struct stream_ref){.device = s->device,
                               .gpu = server_gpu(call->server, s->device),
                               .gpu_stream = s->gpu_stream,
                               .last = &s->last,
                               .stream = s,
                               .capture = s->capture};
    return true;
}

int find_op_stream(struct call *call, uint64_t handle, struct stream_ref *out) {
    if (!find_stream(call, handle, out)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (out->capture && capture_is_spoilt(out->capture))
        return HEDDLE_cudaErrorStreamCaptureInvalidated;
    if (!out->stream && capture_spoil_implicit(call)) return HEDDLE_cudaErrorStreamCaptureImplicit;
    return CUDA_SUCCESS;
}

int find_open_stream(struct call *call, uint64_t handle, struct stream_ref *out) {
    int error = find_op_stream(call, handle, out);
    if (error || !out->capture) return error;
    capture_spoil(out->capture);
    return HEDDLE_cudaErrorStreamCaptureUnsupported;
}

/* ---- order between streams */

int stream_mark(struct call *call, const struct stream_ref *ref, gpu_ticket *ticket) {
    heddle_err e = gpu_mark(ref->gpu, ref->gpu_stream, call->thread->now_ps, ticket);
    if (!e) *ref->last = *ticket;
    return error_of(e);
}

/* An operation of another device is carried out now: what it depends on has been issued before. */
int stream_follow(struct call *call, const struct stream_ref *ref, unsigned device,
                  gpu_ticket ticket) {
    if (!ticket) return CUDA_SUCCESS;
    uint64_t at_ps = call->thread->now_ps;
    if (device != ref->device) {
        uint64_t end_ps;
        int error = finish_ticket(call, server_gpu(call->server, device), ticket, &end_ps);
        if (error) return error;
        if (end_ps > at_ps) at_ps = end_ps;
        ticket = 0;
    }
    if (!ticket) { /* a point that is not reached before */
        gpu_ticket mark;
        heddle_err e = gpu_mark(ref->gpu, ref->gpu_stream, at_ps, &mark);
        if (!e) *ref->last = mark;
        return error_of(e);
    }
    return error_of(gpu_stream_wait(ref->gpu, ref->gpu_stream, ticket, at_ps));
}

/* ---- creation */

static int create_stream(struct call *call, uint64_t *handle, uint64_t flags, int priority) {
    struct program *p = call->program;
    if (flags & ~(uint64_t)STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    struct stream *more = realloc(p->stream, (p->num_streams + 1) * sizeof *more);
    if (!more) return HEDDLE_cudaErrorMemoryAllocation;
    p->stream = more;
    if (priority > 0) priority = 0; /* CUDA clamps to the range */
    if (priority < GREATEST_PRIORITY) priority = GREATEST_PRIORITY;
    struct stream *s = &p->stream[p->num_streams];
    *s = (struct stream){.live = true,
                         .device = call->thread->device,
                         .flags = (uint32_t)flags,
                         .priority = priority};
    heddle_err e = gpu_stream_create(call_gpu(call), flags ? GPU_STREAM_NON_BLOCKING : 0, priority,
                                     &s->gpu_stream);
    if (e) return error_of(e);
    *handle = handle_of(p->num_streams++);
    return CUDA_SUCCESS;
}

int do_cudaStreamCreate(struct call *call, uint64_t *stream) {
    return create_stream(call, stream, 0, 0);
}

int do_cudaStreamCreateWithFlags(struct call *call, uint64_t *stream, uint64_t flags) {
    return create_stream(call, stream, flags, 0);
}

int do_cudaStreamCreateWithPriority(struct call *call, uint64_t *stream, uint64_t flags,
                                    uint64_t priority) {
    return create_stream(call, stream, flags, (int)priority);
}

int do_cudaStreamDestroy(struct call *call, uint64_t handle) {
    struct stream *s = created_stream(call->program, handle);
    if (!s) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (s->capture) capture_leave(call, s);
    s->live = false;
    return error_of(gpu_stream_destroy(server_gpu(call->server, s->device), s->gpu_stream));
}

int do_cudaDeviceGetStreamPriorityRange(struct call *call, uint64_t *least, uint64_t *greatest) {
    (void)call;
    *least = 0;
    *greatest = (uint64_t)(int64_t)GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

/* ---- waiting and questions */

int do_cudaStreamSynchronize(struct call *call, uint64_t handle) {
    struct stream_ref ref;
    int error = find_open_stream(call, handle, &ref);
    call->repeatable = true;
    return error ? error : wait_stream(call, ref.gpu, ref.gpu_stream);
}

int do_cudaStreamQuery(struct call *call, uint64_t handle) {
    struct stream_ref ref;
    int error = find_open_stream(call, handle, &ref);
    if (error) return error;
    bool done;
    uint64_t end_ps;
    error = ask_ticket(call, ref.gpu, *ref.last, &done, &end_ps);
    return error ? error : done ? CUDA_SUCCESS : HEDDLE_cudaErrorNotReady;
}

int do_cudaStreamGetFlags(struct call *call, uint64_t handle, uint64_t *flags) {
    struct stream_ref ref;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *flags = ref.stream ? ref.stream->flags : 0;
    return CUDA_SUCCESS;
}

int do_cudaStreamGetPriority(struct call *call, uint64_t handle, uint64_t *priority) {
    struct stream_ref ref;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *priority = ref.stream ? (uint64_t)(int64_t)ref.stream->priority : 0;
    return CUDA_SUCCESS;
}

int do_cudaStreamGetId(struct call *call, uint64_t handle, uint64_t *id) {
    struct stream_ref ref;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *id = (uint64_t)ref.device << 32 | ref.gpu_stream;
    return CUDA_SUCCESS;
}

int do_cudaStreamGetDevice(struct call *call, uint64_t handle, uint64_t *device) {
    struct stream_ref ref;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *device = ref.device;
    return CUDA_SUCCESS;
}
