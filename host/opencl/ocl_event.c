/* ocl_event.c - events, user events, and the program's waiting for them.
 *
 * The event of a command is a CUevent recorded after it; a queue with profiling records one before
 * it and one, on the context's own stream, when it is enqueued. Profiling times are therefore
 * simulated GPU time. */
#include <stdlib.h>

#include "opencl/opencl.h"

static void drop(struct cu_event *e) {
    if (e) cuEventDestroy_v2(e);
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    cl_int e = ocl_enter(context);
    if (e) return ocl_fail(error, e);
    cl_event event = ocl_new(sizeof *event, OCL_EVENT);
    if (!event) return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    event->context = context;
    event->type = CL_COMMAND_USER;
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
    cl_context context = event->context;
    ocl_retain(context); /* a command that ends may have the last reference */
    pthread_mutex_lock(&context->lock);
    bool again = event->status <= CL_COMPLETE;
    if (!again) {
        event->status = status;
        pthread_cond_broadcast(&context->changed);
        ocl_submit_pending(context);
    }
    pthread_mutex_unlock(&context->lock);
    clReleaseContext(context);
    return again ? CL_INVALID_OPERATION : CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *list) {
    if (!count || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!ocl_is(list[i], OCL_EVENT)) return CL_INVALID_EVENT;
        if (list[i]->context != list[0]->context) return CL_INVALID_CONTEXT;
    }
    cl_int error = ocl_enter(list[0]->context);
    for (cl_uint i = 0; i < count; i++) {
        cl_int e = ocl_wait(list[i]);
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
    if (event->queue) clReleaseCommandQueue(event->queue);
    clReleaseContext(event->context);
    free(event);
    return CL_SUCCESS;
}

/* The execution status: of a command without profiling, its start is not known. */
static cl_int status_of(cl_event event) {
    cl_int status = event->status;
    if (!event->queue || status != CL_SUBMITTED) return status;
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
    if (!event->queued) return CL_PROFILING_INFO_NOT_AVAILABLE;
    cl_int error = ocl_enter(event->context);
    if (error) return error;
    cl_ulong start = 0, rest = 0;
    bool queued = name == CL_PROFILING_COMMAND_QUEUED || name == CL_PROFILING_COMMAND_SUBMIT;
    if (!queued && name != CL_PROFILING_COMMAND_START && name != CL_PROFILING_COMMAND_END)
        return CL_INVALID_VALUE;
    if (event->status != CL_SUBMITTED || cuEventQuery(event->end) != 0)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
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
    bool begun = c->status == CL_SUBMITTED && !c->event->queue; /* a user event always is */
    if (!error && !begun) error = ocl_wait(c->event);
    cl_int status = c->event->status;
    c->call(c->event, status < 0 ? status : error ? error : c->status, c->user);
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

/* In a stream, commands are in order, so that a marker needs no more than its wait list. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint count,
                                                            const cl_event *list, cl_event *out) {
    const struct ocl_work w = {.call = "clEnqueueMarkerWithWaitList"};
    return ocl_enqueue(q, CL_COMMAND_MARKER, &w, false, count, list, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint count,
                                                             const cl_event *list, cl_event *out) {
    const struct ocl_work w = {.call = "clEnqueueBarrierWithWaitList"};
    return ocl_enqueue(q, CL_COMMAND_BARRIER, &w, false, count, list, out);
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
