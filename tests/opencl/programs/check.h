/* check.h - what the OpenCL test programs share: the platform, the device, building, failing. A
 * program prints "NAME: ok" at its end. */
#ifndef HEDDLE_TESTS_OPENCL_CHECK_H
#define HEDDLE_TESTS_OPENCL_CHECK_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program unless the condition is true. */
#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)
/* Ends the program unless an OpenCL call returns `wanted`. */
#define CHECK_IS(call, wanted)                                                                  \
    do {                                                                                        \
        cl_int got_ = (call);                                                                   \
        if (got_ != (wanted)) {                                                                 \
            printf("%s:%d: %s returned %d, not %d\n", __FILE__, __LINE__, #call, got_, wanted); \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)
#define OK(call) CHECK_IS(call, CL_SUCCESS)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

/* Finds the platform and makes a context and a queue. */
static inline void start(cl_command_queue_properties properties) {
    cl_int error;
    char name[64];
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL));
    CHECK(strcmp(name, "Heddle") == 0);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    queue = clCreateCommandQueue(context, device, properties, &error);
    OK(error);
}

static inline cl_program build(const char *source, const char *options) {
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("build: %d\n%s\n", error, log);
        exit(1);
    }
    return program;
}

static inline cl_kernel kernel_of(cl_program program, const char *name) {
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    return kernel;
}

static inline cl_mem buffer(cl_mem_flags flags, size_t size, void *host) {
    cl_int error;
    cl_mem m = clCreateBuffer(context, flags, size, host, &error);
    OK(error);
    return m;
}

static inline void stop(void) {
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}

#endif
