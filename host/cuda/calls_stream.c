/* calls_stream.c - streams and events. */
#include <stdlib.h>
#include <string.h>

#include "cuda/call.h"
#include "cuda_call_handlers.h"

enum {
    HANDLE_LEGACY = 1,     /* cudaStreamLegacy */
    HANDLE_PER_THREAD = 2, /* cudaStreamPerThread */
    HANDLE_FIRST = 4096,   /* handles look like addresses that nobody maps */
    HANDLE_STEP = 16,
    EVENT_FLAGS = 7,
    EVENT_DISABLE_TIMING = 2,
    EVENT_INTERPROCESS = 4,
    STREAM_NON_BLOCKING = 1,
};

static uint64_t handle_of(size_t index) {
    return HANDLE_FIRST + index * HANDLE_STEP;
}

/* Index of a handle below `count`, or count. */
static size_t index_of(uint64_t handle, size_t count) {
    if (handle < HANDLE_FIRST || (handle - HANDLE_FIRST) % HANDLE_STEP) return count;
    uint64_t i = (handle - HANDLE_FIRST) / HANDLE_STEP;
    return i < count ? (size_t)i : count;
}

/* ---- streams */

static struct stream *own_stream(const struct program *p, uint64_t handle) {
    size_t i = index_of(handle, p->num_streams);
    return i < p->num_streams && p->stream[i].live ? &p->stream[i] : NULL;
}

bool find_stream(const struct program *p, uint64_t handle, uint32_t *gpu_stream) {
    *gpu_stream = GPU_STREAM_LEGACY;
    if (handle == 0 || handle == HANDLE_LEGACY) return true;
    const struct stream *s = own_stream(p, handle);
    if (s) *gpu_stream = s->gpu_stream;
    return s != NULL;
}

void stream_issued(struct program *p, uint64_t handle, gpu_ticket ticket) {
    struct stream *s = own_stream(p, handle);
    if (s)
        s->last = ticket;
    else
        p->last_legacy = ticket;
}

static int create_stream(struct call *call, uint64_t *handle, uint64_t flags, int priority) {
    struct program *p = call->program;
    if (flags & ~(uint64_t)STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    struct stream *more = realloc(p->stream, (p->num_streams + 1) * sizeof *more);
    if (!more) return HEDDLE_cudaErrorMemoryAllocation;
    p->stream = more;
    struct stream *s = &p->stream[p->num_streams];
    *s = (struct stream){.live = true, .flags = (uint32_t)flags, .priority = priority};
    heddle_err e = gpu_stream_create(call->server->o.gpu, flags ? GPU_STREAM_NON_BLOCKING : 0,
                                     priority, &s->gpu_stream);
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

/* The GPU has one priority (cudaDeviceGetStreamPriorityRange says so); CUDA clamps to the range. */
int do_cudaStreamCreateWithPriority(struct call *call, uint64_t *stream, uint64_t flags,
                                    uint64_t priority) {
    (void)priority;
    return create_stream(call, stream, flags, 0);
}

int do_cudaStreamDestroy(struct call *call, uint64_t handle) {
    struct stream *s = own_stream(call->program, handle);
    if (!s) return HEDDLE_cudaErrorInvalidResourceHandle;
    s->live = false;
    return error_of(gpu_stream_destroy(call->server->o.gpu, s->gpu_stream));
}

int do_cudaStreamSynchronize(struct call *call, uint64_t handle) {
    uint32_t stream;
    if (!find_stream(call->program, handle, &stream)) return HEDDLE_cudaErrorInvalidResourceHandle;
    return wait_stream(call, stream);
}

int do_cudaStreamQuery(struct call *call, uint64_t handle) {
    uint32_t stream;
    if (!find_stream(call->program, handle, &stream)) return HEDDLE_cudaErrorInvalidResourceHandle;
    const struct stream *s = own_stream(call->program, handle);
    bool done;
    uint64_t end_ps;
    int error = ask_ticket(call, s ? s->last : call->program->last_legacy, &done, &end_ps);
    return error ? error : done ? CUDA_SUCCESS : HEDDLE_cudaErrorNotReady;
}

int do_cudaStreamGetFlags(struct call *call, uint64_t handle, uint64_t *flags) {
    const struct stream *s = own_stream(call->program, handle);
    uint32_t stream;
    if (!find_stream(call->program, handle, &stream)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *flags = s ? s->flags : 0;
    return CUDA_SUCCESS;
}

int do_cudaStreamGetPriority(struct call *call, uint64_t handle, uint64_t *priority) {
    uint32_t stream;
    if (!find_stream(call->program, handle, &stream)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *priority = 0;
    return CUDA_SUCCESS;
}

int do_cudaStreamGetId(struct call *call, uint64_t handle, uint64_t *id) {
    uint32_t stream;
    if (!find_stream(call->program, handle, &stream)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *id = stream;
    return CUDA_SUCCESS;
}

int do_cudaStreamGetDevice(struct call *call, uint64_t handle, uint64_t *device) {
    uint32_t stream;
    if (!find_stream(call->program, handle, &stream)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *device = 0;
    return CUDA_SUCCESS;
}

/* ---- events */

struct event *find_event(const struct program *p, uint64_t handle) {
    size_t i = index_of(handle, p->num_events);
    return i < p->num_events && p->event[i].live ? &p->event[i] : NULL;
}

static int create_event(struct call *call, uint64_t *handle, uint64_t flags) {
    struct program *p = call->program;
    if (flags & ~(uint64_t)EVENT_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if (flags & EVENT_INTERPROCESS) return HEDDLE_cudaErrorNotSupported;
    size_t i = 0;
    while (i < p->num_events && p->event[i].live) i++;
    if (i == p->num_events) {
        struct event *more = realloc(p->event, (i + 1) * sizeof *more);
        if (!more) return HEDDLE_cudaErrorMemoryAllocation;
        p->event = more;
        p->num_events++;
    }
    p->event[i] = (struct event){.live = true, .flags = (uint32_t)flags};
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
    e->live = false;
    return CUDA_SUCCESS;
}

int do_cudaEventRecord(struct call *call, uint64_t handle, uint64_t stream_handle) {
    struct event *e = find_event(call->program, handle);
    uint32_t stream;
    if (!e || !find_stream(call->program, stream_handle, &stream))
        return HEDDLE_cudaErrorInvalidResourceHandle;
    heddle_err err = gpu_mark(call->server->o.gpu, stream, call->thread->now_ps, &e->ticket);
    if (!err) stream_issued(call->program, stream_handle, e->ticket);
    return error_of(err);
}

int do_cudaEventRecordWithFlags(struct call *call, uint64_t handle, uint64_t stream,
                                uint64_t flags) {
    if (flags & ~1ull) return CUDA_ERROR_INVALID_VALUE;
    if (flags) return HEDDLE_cudaErrorNotSupported; /* external: only means something in a graph */
    return do_cudaEventRecord(call, handle, stream);
}

int do_cudaEventQuery(struct call *call, uint64_t handle) {
    const struct event *e = find_event(call->program, handle);
    if (!e) return HEDDLE_cudaErrorInvalidResourceHandle;
    bool done;
    uint64_t end_ps;
    int error = ask_ticket(call, e->ticket, &done, &end_ps);
    return error ? error : done ? CUDA_SUCCESS : HEDDLE_cudaErrorNotReady;
}

int do_cudaEventSynchronize(struct call *call, uint64_t handle) {
    const struct event *e = find_event(call->program, handle);
    if (!e) return HEDDLE_cudaErrorInvalidResourceHandle;
    return wait_ticket(call, e->ticket);
}

int do_cudaEventElapsedTime(struct call *call, uint64_t *ms, uint64_t start, uint64_t end) {
    const struct event *a = find_event(call->program, start), *b = find_event(call->program, end);
    if (!a || !b || !a->ticket || !b->ticket || ((a->flags | b->flags) & EVENT_DISABLE_TIMING))
        return HEDDLE_cudaErrorInvalidResourceHandle;
    bool a_done, b_done;
    uint64_t from, to;
    int error = ask_ticket(call, a->ticket, &a_done, &from);
    if (!error) error = ask_ticket(call, b->ticket, &b_done, &to);
    if (error) return error;
    if (!a_done || !b_done) return HEDDLE_cudaErrorNotReady;
    float elapsed = (float)(((double)to - (double)from) * 1e-9);
    memcpy(ms, &elapsed, sizeof elapsed);
    return CUDA_SUCCESS;
}

int do_cudaStreamWaitEvent(struct call *call, uint64_t stream_handle, uint64_t handle,
                           uint64_t flags) {
    const struct event *e = find_event(call->program, handle);
    uint32_t stream;
    if (!e || !find_stream(call->program, stream_handle, &stream))
        return HEDDLE_cudaErrorInvalidResourceHandle;
    if (flags & ~1ull) return CUDA_ERROR_INVALID_VALUE;
    if (!e->ticket) return CUDA_SUCCESS; /* never recorded: nothing to wait for */
    return error_of(gpu_stream_wait(call->server->o.gpu, stream, e->ticket, call->thread->now_ps));
}
