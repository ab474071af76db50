/* stream.c - streams: look-up, creation and end, and order between them; see stream.h.
 *
 * Runs in the server, on its thread: handlers of calls use it. stream_mark() and stream_follow()
 * issue operations on a GPU at the target time of the calling thread; the others change lists and
 * the GPU's list of streams only. Functions that return int return a cudaError_t. */
#include "cuda/object/stream.h"

#include "cuda/base/diagnostics.h"
#include "cuda/base/handle.h"
#include "cuda/object/wait.h"

enum { STREAM_NON_BLOCKING = 1 };

/* The living stream that the program created with this handle, or NULL; not a default stream. */
struct stream *stream_created(const struct program *p, uint64_t handle) {
    size_t i = handle_index(handle, p->streams->len);
    struct stream *s = i < p->streams->len ? g_ptr_array_index(p->streams, i) : NULL;
    return s && s->live ? s : NULL;
}

/* The calling thread's default stream for the current device (call->thread->own). Created on first
 * use as a blocking stream of the GPU. */
static struct stream *thread_stream(struct call *call) {
    unsigned device = call->thread->device;
    struct stream **own = &call->thread->own[device];
    if (!*own) *own = g_new0(struct stream, 1);
    struct stream *s = *own;
    if (s->live) return s;
    *s = (struct stream){.live = true, .device = device, .gpu = call_gpu(call)};
    s->gpu_stream = gpu_stream_create(call_gpu(call), 0, 0);
    return s;
}

/* Fills *out for a handle: 0 or HANDLE_LEGACY the current device's legacy stream, HANDLE_PER_THREAD
 * (or 0 in a call with per_thread) the thread's default stream, created on first use; else a stream
 * of the program. @return false: there is none. */
bool stream_find(struct call *call, uint64_t handle, struct stream_ref *out) {
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
                                                   : stream_created(p, handle);
    if (!s) return false;
    *out = (struct stream_ref){.device = s->device,
                               .gpu = s->gpu,
                               .gpu_stream = s->gpu_stream,
                               .last = &s->last,
                               .stream = s,
                               .capture = s->capture};
    return true;
}

/* ---- order between streams */

/* Issues a marker, an operation without time, on the stream; it becomes the stream's newest
 * operation, *ticket. */
int stream_mark(struct call *call, const struct stream_ref *ref, gpu_ticket *ticket) {
    heddle_err e = gpu_mark(ref->gpu, ref->gpu_stream, call->thread->now_ps, ticket);
    if (!e) *ref->last = *ticket;
    return error_of(e);
}

/* Makes the stream's later operations wait for an operation of any device (0: none, and nothing is
 * issued), through a marker that becomes the stream's newest operation. For an operation of another
 * device it waits at once, because everything that it depends on has been issued: drives the
 * simulation without moving the thread's clock, and a fault becomes the sticky error (wait.c). The
 * marker then begins no earlier than the end of that operation. */
int stream_follow(struct call *call, const struct stream_ref *ref, unsigned device,
                  gpu_ticket ticket) {
    if (!ticket) return CUDA_SUCCESS;
    uint64_t at_ps = call->thread->now_ps;
    if (device != ref->device) {
        uint64_t end_ps;
        int error = wait_performed(call, call_gpu_of(call, device), ticket, &end_ps);
        if (error) return error;
        if (end_ps > at_ps) at_ps = end_ps;
        ticket = 0;
    }
    gpu_ticket mark; /* later operations of the stream follow it, and queries look at it */
    heddle_err e = ticket ? gpu_stream_wait(ref->gpu, ref->gpu_stream, ticket, at_ps, &mark)
                          : gpu_mark(ref->gpu, ref->gpu_stream, at_ps, &mark);
    if (!e) *ref->last = mark;
    return error_of(e);
}

/* ---- creation and end */

/* Creates a stream on the current device's GPU and appends it to program.streams, which owns it;
 * clamps the priority as CUDA does. *handle names it. @return cudaErrorInvalidValue: unknown
 * flags. */
int stream_create(struct call *call, uint64_t flags, int priority, uint64_t *handle) {
    GPtrArray *streams = call->program->streams;
    if (flags & ~(uint64_t)STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    if (priority > 0) priority = 0; /* CUDA clamps to the range */
    if (priority < STREAM_GREATEST_PRIORITY) priority = STREAM_GREATEST_PRIORITY;
    uint32_t gpu_stream = gpu_stream_create(call_gpu(call), flags ? GPU_STREAM_NON_BLOCKING : 0,
                                            priority);
    struct stream *s = g_new(struct stream, 1);
    *s = (struct stream){.handle = handle_of(streams->len),
                         .live = true,
                         .device = call->thread->device,
                         .gpu = call_gpu(call),
                         .gpu_stream = gpu_stream,
                         .flags = (uint32_t)flags,
                         .priority = priority};
    g_ptr_array_add(streams, s);
    *handle = s->handle;
    return CUDA_SUCCESS;
}

/* Makes the stream's handle invalid and takes it off the GPU; issued work is still performed, and
 * the record stays in its list. */
int stream_destroy(struct stream *stream) {
    stream->live = false;
    return error_of(gpu_stream_destroy(stream->gpu, stream->gpu_stream));
}

/* Frees the memory of a struct stream *, or nothing for NULL: the free function of
 * program.streams. */
void stream_free(void *stream) {
    struct stream *s = stream;
    if (s && s->nodes) g_array_unref(s->nodes);
    g_free(s);
}

/* Calls `visit` for every living stream of the program: those that it created, then its threads'
 * default streams. `visit` must not create or destroy streams. */
void stream_each(struct server *s, struct program *p, void (*visit)(struct stream *s, void *user),
                 void *user) {
    for (size_t i = 0; i < p->streams->len; i++) {
        struct stream *stream = g_ptr_array_index(p->streams, i);
        if (stream->live) visit(stream, user);
    }
    for (struct host_thread *t = s->threads; t; t = t->next)
        for (unsigned d = 0; t->program == p && d < PROGRAM_MAX_DEVICES; d++)
            if (t->own[d] && t->own[d]->live) visit(t->own[d], user);
}
