/* ocl_command.c - commands on their way to a stream.
 *
 * A command that waits for a user event that is not set, directly or through other commands, stays
 * in the context's list. It goes to its queue's stream when all that it waits for has gone there,
 * on the thread that sets the user event. So nothing in a stream waits for the program, and a
 * command that waits for an event that failed never gets there: its own event fails too. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opencl/opencl.h"

struct ocl_pending {
    struct ocl_work work;
    cl_event event; /* retained; of the queue */
    cl_uint count;
    struct ocl_pending *next;
    cl_event list[]; /* retained */
};

enum { SAY_AFTER_S = 10 };

void ocl_wait_change(cl_context context) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SAY_AFTER_S;
    if (pthread_cond_timedwait(&context->changed, &context->lock, &end) && !context->submitting)
        ocl_say("a call waits for a user event that the program has not set for %d s", SAY_AFTER_S);
}

cl_int ocl_wait(cl_event event) {
    cl_context context = event->context;
    const cl_int open = event->queue ? CL_QUEUED : CL_SUBMITTED;
    pthread_mutex_lock(&context->lock);
    while (event->status == open) ocl_wait_change(context);
    pthread_mutex_unlock(&context->lock);
    if (event->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (!event->queue) return CL_SUCCESS;
    return ocl_error(cuEventSynchronize(event->end), "cuEventSynchronize",
                     CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

/* True if neither a user event nor a command has ended or gone to a stream. Needs the lock. */
static bool is_open(cl_event e) {
    return e->queue ? e->status == CL_QUEUED : e->status > CL_COMPLETE;
}

static bool any_open(cl_uint count, const cl_event *list) {
    for (cl_uint i = 0; i < count; i++)
        if (is_open(list[i])) return true;
    return false;
}

static bool any_failed(cl_uint count, const cl_event *list) {
    for (cl_uint i = 0; i < count; i++)
        if (list[i]->status < 0) return true;
    return false;
}

/* True if a command cannot go to the stream yet: for its events, or for the order of its queue's
 * commands in the context's list before `end`. Needs the lock. */
static bool held_back(cl_command_queue q, cl_command_type type, cl_uint count, const cl_event *list,
                      const struct ocl_pending *end) {
    const bool in_order = !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
               after_all = !count && (type == CL_COMMAND_MARKER || type == CL_COMMAND_BARRIER);
    for (const struct ocl_pending *p = q->context->pending; p != end; p = p->next)
        if (p->event->queue == q && (in_order || after_all || p->event->type == CL_COMMAND_BARRIER))
            return true;
    return any_open(count, list);
}

/* ---- events of commands */

/* A recorded CUevent. */
static int record(struct cu_event **out, struct cu_stream *stream) {
    int result = cuEventCreate(out, 0);
    return result ? result : cuEventRecord(*out, stream);
}

/* The event of a command that is not in the stream yet. `timed`: for the program, with times if
 * the queue has them. */
static cl_int new_event(cl_event *out, cl_command_queue q, cl_command_type type, bool timed) {
    cl_event e = ocl_new(sizeof *e, OCL_EVENT);
    if (!e) return CL_OUT_OF_HOST_MEMORY;
    e->context = q->context;
    e->queue = q;
    e->type = type;
    atomic_init(&e->status, CL_QUEUED);
    ocl_retain(e->context);
    ocl_retain(e->queue);
    *out = e;
    if (!timed || !(q->properties & CL_QUEUE_PROFILING_ENABLE)) return CL_SUCCESS;
    return ocl_error(record(&e->queued, q->context->aside), "cuEventRecord", CL_OUT_OF_RESOURCES);
}

/* ---- what a command needs. Objects are released through their tables, as programs do: the files
 * of the objects lie above this one. */

static void release_event(cl_event e) {
    e->object.dispatch->clReleaseEvent(e);
}

static void release_mem(cl_mem m) {
    m->object.dispatch->clReleaseMemObject(m);
}

static void hold(const struct ocl_work *w) {
    for (int i = 0; i < 2; i++)
        if (w->uses[i]) ocl_retain(w->uses[i]);
    for (unsigned i = 0; i < w->num_mems; i++) ocl_retain(w->mems[i]);
    if (w->kernel) ocl_retain(w->kernel);
}

static void let_go(const struct ocl_work *w) {
    for (int i = 0; i < 2; i++)
        if (w->uses[i]) release_mem(w->uses[i]);
    for (unsigned i = 0; i < w->num_mems; i++) release_mem(w->mems[i]);
    if (w->kernel) w->kernel->object.dispatch->clReleaseKernel(w->kernel);
}

static void drop(struct ocl_pending *p) {
    let_go(&p->work);
    free(p->work.own);
    for (cl_uint i = 0; i < p->count; i++) release_event(p->list[i]);
    release_event(p->event);
    free(p);
}

/* Puts a command at the end of the context's list, which owns it from now on. Needs the lock.
 * @param e its event, which the list retains. */
static cl_int postpone(const struct ocl_work *w, cl_event e, cl_uint count, const cl_event *list) {
    struct ocl_pending *p = calloc(1, sizeof *p + count * sizeof *list);
    if (!p) return CL_OUT_OF_HOST_MEMORY;
    p->work = *w;
    p->event = e;
    p->count = count;
    hold(w);
    ocl_retain(e);
    for (cl_uint i = 0; i < count; i++) ocl_retain(p->list[i] = list[i]);
    struct ocl_pending **link = &e->context->pending;
    while (*link) link = &(*link)->next;
    *link = p;
    return CL_SUCCESS;
}

/* ---- to the stream */

/* Puts a command, whose events are not open, into the queue's stream. @param e its event; NULL. */
static cl_int submit(cl_command_queue q, const struct ocl_work *w, cl_uint count,
                     const cl_event *list, cl_event e) {
    int result = 0;
    if (w->lock) pthread_mutex_lock(w->lock);
    for (cl_uint i = 0; i < count && !result; i++)
        if (list[i]->queue && list[i]->queue != q)
            result = cuStreamWaitEvent(q->stream, list[i]->end, 0);
    if (!result && w->prepare) result = w->prepare(w, q->stream);
    if (!result && e && e->queued) result = record(&e->start, q->stream);
    if (!result && w->run) result = w->run(w, q->stream);
    if (!result && e) result = record(&e->end, q->stream);
    if (w->lock) pthread_mutex_unlock(w->lock);
    if (!result && e) e->status = CL_SUBMITTED;
    return ocl_error(result, w->call, CL_OUT_OF_RESOURCES);
}

/* A command may free objects and run the program's code, and copies take long: they go to their
 * streams without the lock, and stay in the list meanwhile, for the commands after them. */
void ocl_submit_pending(cl_context context) {
    if (context->submitting) return; /* that thread looks at the whole list again */
    context->submitting = true;
    for (struct ocl_pending *p = context->pending; p;) {
        cl_event e = p->event;
        const bool failed = any_failed(p->count, p->list);
        if (!failed && held_back(e->queue, e->type, p->count, p->list, p)) {
            p = p->next;
            continue;
        }
        pthread_mutex_unlock(&context->lock);
        cl_int error = failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                              : submit(e->queue, &p->work, p->count, p->list, e);
        pthread_mutex_lock(&context->lock);
        if (error) e->status = error;
        struct ocl_pending **link = &context->pending;
        while (*link != p) link = &(*link)->next;
        *link = p->next;
        pthread_cond_broadcast(&context->changed);
        pthread_mutex_unlock(&context->lock);
        drop(p);
        pthread_mutex_lock(&context->lock);
        p = context->pending;
    }
    context->submitting = false;
    pthread_cond_broadcast(&context->changed);
}

static cl_int check_list(cl_context context, cl_uint count, const cl_event *list) {
    if (!count != !list) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        if (!ocl_is(list[i], OCL_EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
        if (list[i]->context != context) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

/* Needs the context as current. @param own set to NULL: the list has taken it. */
static cl_int enqueue(cl_command_queue q, cl_command_type type, struct ocl_work *w, bool blocking,
                      cl_uint count, const cl_event *list, cl_event *out) {
    cl_context context = q->context;
    cl_event e = NULL;
    cl_int error = out ? new_event(&e, q, type, true) : CL_SUCCESS;
    pthread_mutex_lock(&context->lock);
    const bool later = any_failed(count, list) || held_back(q, type, count, list, NULL);
    if (!error && later && !e) error = new_event(&e, q, type, false);
    if (!error && later) error = postpone(w, e, count, list);
    if (!error && later) {
        w->own = NULL;
        ocl_submit_pending(context); /* those that have failed end */
    }
    pthread_mutex_unlock(&context->lock);
    if (!error && !later) error = submit(q, w, count, list, e);
    if (!error && blocking)
        error = later ? ocl_wait(e)
                      : ocl_error(cuStreamSynchronize(q->stream), "cuStreamSynchronize",
                                  CL_OUT_OF_RESOURCES);
    if (out && !error)
        *out = e;
    else if (e)
        release_event(e);
    return error;
}

cl_int ocl_enqueue(cl_command_queue q, cl_command_type type, const struct ocl_work *work,
                   bool blocking, cl_uint count, const cl_event *list, cl_event *out) {
    struct ocl_work w = *work;
    cl_int error = ocl_is(q, OCL_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
    if (!error) error = check_list(q->context, count, list);
    if (!error) error = ocl_enter(q->context);
    if (!error) error = enqueue(q, type, &w, blocking, count, list, out);
    free(w.own);
    return error;
}

void ocl_wait_submitted(cl_command_queue q) {
    pthread_mutex_lock(&q->context->lock);
    for (const struct ocl_pending *p = q->context->pending; p;) {
        if (p->event->queue != q) {
            p = p->next;
            continue;
        }
        ocl_wait_change(q->context);
        p = q->context->pending;
    }
    pthread_mutex_unlock(&q->context->lock);
}
