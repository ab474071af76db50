/* ocl_event.c - events, user events, and the waiting of commands for them.
 *
 * The event of a command is a CUevent recorded after it; a queue with profiling records one before
 * it and one, on the context's own stream, when it is enqueued. Profiling times are therefore
 * simulated GPU time. A user event is a word of device memory for which streams wait. */
#include <stdlib.h>

#include "opencl/opencl.h"

static pthread_mutex_t user_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t user_changed = PTHREAD_COND_INITIALIZER;

static cl_int check_list(cl_context context, cl_uint count, const cl_event *list) {
    if (!count != !list) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        if (!ocl_is(list[i], OCL_EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
        if (list[i]->context != context) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

/* A recorded CUevent. */
static int record(struct cu_event **out, struct cu_stream *stream) {
    int result = cuEventCreate(out, 0);
    return result ? result : cuEventRecord(*out, stream);
}

static void drop(struct cu_event *e) {
    if (e) cuEventDestroy_v2(e);
}

cl_int ocl_begin(struct ocl_command *c, cl_command_queue queue, cl_command_type type, cl_uint count,
                 const cl_event *list, cl_event *out) {
    *c = (struct ocl_command){.queue = queue, .type = type, .out = out};
    if (!ocl_is(queue, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    cl_int error = check_list(queue->context, count, list);
    if (!error) error = ocl_enter(queue->context);
    if (error) return error;
    ocl_readback_free(queue->context, false);
    bool profiled = out && queue->properties & CL_QUEUE_PROFILING_ENABLE;
    int result = 0;
    if (profiled) result = record(&c->queued, queue->context->aside);
    for (cl_uint i = 0; i < count && !result; i++) {
        if (!list[i]->queue)
            result = cuStreamWaitValue32_v2(queue->stream, list[i]->word, 1, 0);
        else if (list[i]->queue != queue)
            result = cuStreamWaitEvent(queue->stream, list[i]->end, 0);
    }
    if (!result && profiled) result = record(&c->start, queue->stream);
    if (!result) return CL_SUCCESS;
    drop(c->queued);
    drop(c->start);
    return ocl_error(result, "waiting for events", CL_OUT_OF_RESOURCES);
}

cl_int ocl_end(struct ocl_command *c, cl_int error, bool blocking) {
    cl_event e = NULL;
    if (!error && c->out) {
        e = ocl_new(sizeof *e, OCL_EVENT);
        if (!e) error = CL_OUT_OF_HOST_MEMORY;
        if (!error)
            error = ocl_error(record(&e->end, c->queue->stream), "cuEventRecord",
                              CL_OUT_OF_RESOURCES);
    }
    if (!error && blocking)
        error = ocl_error(cuStreamSynchronize(c->queue->stream), "cuStreamSynchronize",
                          CL_OUT_OF_RESOURCES);
    if (error || !e) {
        drop(c->queued);
        drop(c->start);
        if (e) drop(e->end);
        free(e);
        return error;
    }
    e->context = c->queue->context;
    e->queue = c->queue;
    e->type = c->type;
    e->queued = c->queued;
    e->start = c->start;
    ocl_retain(e->context);
    ocl_retain(e->queue);
    *c->out = e;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    cl_int e = ocl_enter(context);
    if (e) return ocl_fail(error, e);
    cl_event event = ocl_new(sizeof *event, OCL_EVENT);
    if (!event) return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    const uint32_t zero = 0;
    int result = cuMemAlloc_v2(&event->word, sizeof zero);
    if (!result) result = cuMemcpyHtoD_v2(event->word, &zero, sizeof zero);
    if (result) {
        free(event);
        return ocl_fail(error, ocl_error(result, "clCreateUserEvent", CL_OUT_OF_RESOURCES));
    }
    event->context = context;
    event->type = CL_COMMAND_USER;
    atomic_fetch_add(&context->open_events, 1);
    atomic_init(&event->status, CL_SUBMITTED);
    ocl_retain(context);
    if (error) *error = CL_SUCCESS;
    return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status) {
    if (!ocl_is(event, OCL_EVENT) || event->queue) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    cl_int error = ocl_enter(event->context);
    if (error) return error;
    pthread_mutex_lock(&user_lock);
    bool again = event->status <= CL_COMPLETE;
    if (!again) event->status = status;
    pthread_cond_broadcast(&user_changed);
    pthread_mutex_unlock(&user_lock);
    if (again) return CL_INVALID_OPERATION;
    atomic_fetch_sub(&event->context->open_events, 1);
    if (status < 0)
        ocl_say("clSetUserEventStatus: commands that wait for an event that failed (%d) run all "
                "the same",
                status);
    return ocl_error(cuStreamWriteValue32_v2(event->context->aside, event->word, 1, 0),
                     "clSetUserEventStatus", CL_OUT_OF_RESOURCES);
}

/* Waits on the host. @return an event's negative status, or an OpenCL error. */
static cl_int wait_for(cl_event event) {
    if (event->queue)
        return ocl_error(cuEventSynchronize(event->end), "cuEventSynchronize",
                         CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    pthread_mutex_lock(&user_lock);
    while (event->status > CL_COMPLETE) pthread_cond_wait(&user_changed, &user_lock);
    pthread_mutex_unlock(&user_lock);
    return event->status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *list) {
    if (!count || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!ocl_is(list[i], OCL_EVENT)) return CL_INVALID_EVENT;
        if (list[i]->context != list[0]->context) return CL_INVALID_CONTEXT;
    }
    cl_int error = ocl_enter(list[0]->context);
    for (cl_uint i = 0; i < count; i++) {
        cl_int e = wait_for(list[i]);
        if (!error) error = e;
    }
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainEvent(cl_event event) {
    if (!ocl_is(event, OCL_EVENT)) return CL_INVALID_EVENT;
    ocl_retain(event);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event event) {
    if (!ocl_is(event, OCL_EVENT)) return CL_INVALID_EVENT;
    if (!ocl_release(event)) return CL_SUCCESS;
    ocl_enter(event->context);
    drop(event->queued);
    drop(event->start);
    drop(event->end);
    if (event->word) cuMemFree_v2(event->word);
    if (event->queue) clReleaseCommandQueue(event->queue);
    clReleaseContext(event->context);
    free(event);
    return CL_SUCCESS;
}

/* The execution status: of a command without profiling, its start is not known. */
static cl_int status_of(cl_event event) {
    if (!event->queue) return event->status;
    int result = cuEventQuery(event->end);
    if (!result) return CL_COMPLETE;
    if (result != CU_NOT_READY)
        return ocl_error(result, "cuEventQuery", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return event->start && cuEventQuery(event->start) == 0 ? CL_RUNNING : CL_SUBMITTED;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size,
                                               void *value, size_t *size_out) {
    if (!ocl_is(event, OCL_EVENT)) return CL_INVALID_EVENT;
    cl_int error = ocl_enter(event->context);
    if (error) return error;
    cl_uint references = event->object.references;
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        return ocl_answer(size, value, size_out, &event->queue, sizeof event->queue);
    case CL_EVENT_CONTEXT:
        return ocl_answer(size, value, size_out, &event->context, sizeof event->context);
    case CL_EVENT_COMMAND_TYPE:
        return ocl_answer(size, value, size_out, &event->type, sizeof event->type);
    case CL_EVENT_REFERENCE_COUNT:
        return ocl_answer(size, value, size_out, &references, sizeof references);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: {
        cl_int status = status_of(event);
        return ocl_answer(size, value, size_out, &status, sizeof status);
    }
    }
    return CL_INVALID_VALUE;
}

/* Nanoseconds from one CUevent to another. */
static int elapsed(struct cu_event *from, struct cu_event *to, cl_ulong *out) {
    float milliseconds;
    int result = cuEventElapsedTime(&milliseconds, from, to);
    if (!result) *out = (cl_ulong)((double)milliseconds * 1e6 + 0.5);
    return result;
}

/* The end is computed from the start, not from the epoch: a float is precise for short times. */
CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name,
                                                        size_t size, void *value,
                                                        size_t *size_out) {
    if (!ocl_is(event, OCL_EVENT)) return CL_INVALID_EVENT;
    if (!event->start) return CL_PROFILING_INFO_NOT_AVAILABLE;
    cl_int error = ocl_enter(event->context);
    if (error) return error;
    cl_ulong start = 0, rest = 0;
    bool queued = name == CL_PROFILING_COMMAND_QUEUED || name == CL_PROFILING_COMMAND_SUBMIT;
    if (!queued && name != CL_PROFILING_COMMAND_START && name != CL_PROFILING_COMMAND_END)
        return CL_INVALID_VALUE;
    if (cuEventQuery(event->end) != 0) return CL_PROFILING_INFO_NOT_AVAILABLE;
    int result = elapsed(event->context->epoch, queued ? event->queued : event->start, &start);
    if (!result && name == CL_PROFILING_COMMAND_END)
        result = elapsed(event->start, event->end, &rest);
    if (result) return CL_PROFILING_INFO_NOT_AVAILABLE;
    start += rest;
    return ocl_answer(size, value, size_out, &start, sizeof start);
}

/* A callback waits for its event on a thread of its own: it may call OpenCL. */
struct callback {
    cl_event event;
    cl_int status;
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *user;
};

static void *run_callback(void *user) {
    struct callback *c = user;
    cl_int error = ocl_enter(c->event->context);
    if (!error && (c->status == CL_COMPLETE || !c->event->queue)) error = wait_for(c->event);
    c->call(c->event, error ? error : c->status, c->user);
    clReleaseEvent(c->event);
    free(c);
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int status,
                                                   void(CL_CALLBACK *notify)(cl_event, cl_int,
                                                                             void *),
                                                   void *user) {
    if (!ocl_is(event, OCL_EVENT)) return CL_INVALID_EVENT;
    if (!notify || status < CL_COMPLETE || status > CL_SUBMITTED) return CL_INVALID_VALUE;
    struct callback *c = malloc(sizeof *c);
    if (!c) return CL_OUT_OF_HOST_MEMORY;
    *c = (struct callback){event, status, notify, user};
    ocl_retain(event);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_callback, c) != 0) {
        clReleaseEvent(event);
        free(c);
        return CL_OUT_OF_RESOURCES;
    }
    pthread_detach(thread);
    return CL_SUCCESS;
}

/* A queue is in order, so that a marker needs no more than its wait list. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint count,
                                                            const cl_event *list, cl_event *out) {
    struct ocl_command c;
    cl_int error = ocl_begin(&c, q, CL_COMMAND_MARKER, count, list, out);
    return error ? error : ocl_end(&c, CL_SUCCESS, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint count,
                                                             const cl_event *list, cl_event *out) {
    struct ocl_command c;
    cl_int error = ocl_begin(&c, q, CL_COMMAND_BARRIER, count, list, out);
    return error ? error : ocl_end(&c, CL_SUCCESS, false);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue q, cl_event *out) {
    return out ? clEnqueueMarkerWithWaitList(q, 0, NULL, out) : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue q) {
    return clEnqueueBarrierWithWaitList(q, 0, NULL, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue q, cl_uint count,
                                                       const cl_event *list) {
    return count && list ? clEnqueueBarrierWithWaitList(q, count, list, NULL) : CL_INVALID_VALUE;
}
