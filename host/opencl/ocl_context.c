/* ocl_context.c - contexts: a device's primary CUDA context, kept for as long as the process runs,
 * and a stream beside the queues. */
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

cl_int ocl_enter(cl_context context) {
    static _Thread_local struct cu_context *current;
    struct cu_context *wanted = context->device->cuda;
    if (current == wanted) return CL_SUCCESS;
    int result = cuCtxSetCurrent(wanted);
    if (!result) current = wanted;
    return ocl_error(result, "cuCtxSetCurrent", CL_OUT_OF_RESOURCES);
}

/* Retains the device's primary context, once. */
static cl_int start_device(cl_device_id d) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int result = 0;
    pthread_mutex_lock(&lock);
    if (!d->cuda) result = cuDevicePrimaryCtxRetain(&d->cuda, d->number);
    pthread_mutex_unlock(&lock);
    return ocl_error(result, "cuDevicePrimaryCtxRetain", CL_OUT_OF_RESOURCES);
}

/* Checks a list of properties. @return OpenCL error; *count gets its length with the final 0. */
static cl_int check_properties(const cl_context_properties *list, size_t *count) {
    *count = 0;
    if (!list) return CL_SUCCESS;
    for (; list[*count]; *count += 2) {
        cl_context_properties name = list[*count];
        for (size_t i = 0; i < *count; i += 2)
            if (list[i] == name) return CL_INVALID_PROPERTY;
        if (name == CL_CONTEXT_INTEROP_USER_SYNC && (cl_ulong)list[*count + 1] > CL_TRUE)
            return CL_INVALID_PROPERTY;
        if (name == CL_CONTEXT_PLATFORM) {
            if (!ocl_is((const void *)list[*count + 1], OCL_PLATFORM)) return CL_INVALID_PLATFORM;
        } else if (name != CL_CONTEXT_INTEROP_USER_SYNC) {
            ocl_say("clCreateContext: property 0x%lx is not supported; leave it out", (long)name);
            return CL_INVALID_PROPERTY;
        }
    }
    ++*count;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContext(
    const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
    cl_int *error) {
    size_t num_properties;
    cl_int e = check_properties(properties, &num_properties);
    if (e) return ocl_fail(error, e);
    if (!devices || !num_devices || (user && !notify)) return ocl_fail(error, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++) {
        if (!ocl_is(devices[i], OCL_DEVICE)) return ocl_fail(error, CL_INVALID_DEVICE);
        if (devices[i] != devices[0]) {
            ocl_say("clCreateContext: a context of several devices is not supported; make one for "
                    "each device");
            return ocl_fail(error, CL_INVALID_DEVICE);
        }
    }
    e = start_device(devices[0]);
    if (e) return ocl_fail(error, e);
    cl_context c = ocl_new(sizeof *c, OCL_CONTEXT);
    if (!c) return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
    c->device = devices[0];
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (num_properties) {
        c->properties = calloc(num_properties, sizeof *properties);
        if (!c->properties) {
            free(c);
            return ocl_fail(error, CL_OUT_OF_HOST_MEMORY);
        }
        memcpy(c->properties, properties, num_properties * sizeof *properties);
        c->num_properties = num_properties;
    }
    e = ocl_enter(c);
    if (!e)
        e = ocl_error(cuStreamCreate(&c->aside, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
                      CL_OUT_OF_RESOURCES);
    if (!e) e = ocl_error(cuEventCreate(&c->epoch, 0), "cuEventCreate", CL_OUT_OF_RESOURCES);
    if (!e) e = ocl_error(cuEventRecord(c->epoch, c->aside), "cuEventRecord", CL_OUT_OF_RESOURCES);
    if (e) {
        clReleaseContext(c);
        return ocl_fail(error, e);
    }
    if (error) *error = CL_SUCCESS;
    return c;
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                        void *user, cl_int *error) {
    cl_device_id device;
    cl_int e = clGetDeviceIDs(NULL, type, 1, &device, NULL);
    if (e) return ocl_fail(error, e);
    if (ocl_devices()->count > 1)
        ocl_say("clCreateContextFromType: the context has the first of %u devices",
                ocl_devices()->count);
    return clCreateContext(properties, 1, &device, notify, user, error);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainContext(cl_context c) {
    if (!ocl_is(c, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    ocl_retain(c);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context c) {
    if (!ocl_is(c, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    if (!ocl_release(c)) return CL_SUCCESS;
    ocl_enter(c);
    if (c->epoch) cuEventDestroy_v2(c->epoch);
    if (c->aside) cuStreamDestroy_v2(c->aside);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
    free(c->properties);
    free(c);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context c, cl_context_info name, size_t size,
                                                 void *value, size_t *size_out) {
    if (!ocl_is(c, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    cl_uint number = 1;
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: number = c->object.references; break;
    case CL_CONTEXT_NUM_DEVICES: break;
    case CL_CONTEXT_DEVICES: return ocl_answer(size, value, size_out, &c->device, sizeof c->device);
    case CL_CONTEXT_PROPERTIES:
        return ocl_answer(size, value, size_out, c->properties,
                          c->num_properties * sizeof *c->properties);
    default: return CL_INVALID_VALUE;
    }
    return ocl_answer(size, value, size_out, &number, sizeof number);
}
