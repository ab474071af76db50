/* ocl_queue.c - command queues. A queue is a CUstream: commands run in the order in which they came
 * to it, which an out-of-order queue allows too. */
#include <stdlib.h>

#include "opencl/opencl.h"

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueue(cl_context context, cl_device_id device,
                     cl_command_queue_properties properties, cl_int *error) {
    if (!ocl_is(context, OCL_CONTEXT)) return ocl_fail(error, CL_INVALID_CONTEXT);
    if (!ocl_is(device, OCL_DEVICE) || device != context->device)
        return ocl_fail(error, CL_INVALID_DEVICE);
    if (properties & ~(cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                    CL_QUEUE_PROFILING_ENABLE))
        return ocl_fail(error, CL_INVALID_VALUE);
    cl_int e = ocl_enter(context);
    if (e) return ocl_fail(error, e);
    cl_command_queue q = ocl_new(sizeof *q, OCL_QUEUE);
    if (!q) return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    e = ocl_error(cuStreamCreate(&q->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
                  CL_OUT_OF_RESOURCES);
    if (e) {
        free(q);
        return ocl_fail(error, e);
    }
    q->context = context;
    q->properties = properties;
    ocl_retain(context);
    if (error) *error = CL_SUCCESS;
    return q;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *list, cl_int *error) {
    cl_command_queue_properties properties = 0;
    for (size_t i = 0; list && list[i]; i += 2) {
        if (list[i] != CL_QUEUE_PROPERTIES) {
            ocl_say("clCreateCommandQueueWithProperties: property 0x%lx is not supported; leave it "
                    "out",
                    (long)list[i]);
            return ocl_fail(error, CL_INVALID_QUEUE_PROPERTIES);
        }
        properties = list[i + 1];
    }
    if (properties & CL_QUEUE_ON_DEVICE) {
        ocl_say("clCreateCommandQueueWithProperties: queues on the device are not supported");
        return ocl_fail(error, CL_INVALID_QUEUE_PROPERTIES);
    }
    return clCreateCommandQueue(context, device, properties, error);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue q) {
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    ocl_retain(q);
    return CL_SUCCESS;
}

/* cuStreamDestroy lets the commands finish. */
CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue q) {
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!ocl_release(q)) return CL_SUCCESS;
    ocl_enter(q->context);
    cuStreamDestroy_v2(q->stream);
    clReleaseContext(q->context);
    free(q);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue q,
                                                      cl_command_queue_info name, size_t size,
                                                      void *value, size_t *size_out) {
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    cl_uint references = q->object.references;
    switch (name) {
    case CL_QUEUE_CONTEXT: return ocl_answer(size, value, size_out, &q->context, sizeof q->context);
    case CL_QUEUE_DEVICE:
        return ocl_answer(size, value, size_out, &q->context->device, sizeof(cl_device_id));
    case CL_QUEUE_REFERENCE_COUNT:
        return ocl_answer(size, value, size_out, &references, sizeof references);
    case CL_QUEUE_PROPERTIES:
        return ocl_answer(size, value, size_out, &q->properties, sizeof q->properties);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue q,
                                                          cl_command_queue_properties properties,
                                                          cl_bool enable,
                                                          cl_command_queue_properties *old) {
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (old) *old = q->properties;
    if (enable)
        q->properties |= properties;
    else
        q->properties &= ~properties;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue q) {
    return ocl_is(q, OCL_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue q) {
    if (!ocl_is(q, OCL_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    cl_int error = ocl_enter(q->context);
    if (error) return error;
    ocl_wait_submitted(q);
    return ocl_error(cuStreamSynchronize(q->stream), "clFinish", CL_OUT_OF_RESOURCES);
}
