/* calls_device.c - the device and its properties, the context, and the errors. */
#include <stdio.h>
#include <string.h>

#include "cuda/call.h"
#include "cuda/device_prop.h"
#include "cuda_call_handlers.h"

enum {
    NUM_DEVICES = 1,
    DEVICE_FLAGS = 0xff,
    LIMIT_STACK = 0,
    LIMIT_PRINTF = 1,
    LIMIT_HEAP = 2,
    STACK_BYTES = 1024,
};

static bool is_device(uint64_t device) {
    return device < NUM_DEVICES;
}

int do_cudaGetDeviceCount(struct call *call, uint64_t *count) {
    (void)call;
    *count = NUM_DEVICES;
    return CUDA_SUCCESS;
}

int do_cudaGetDevice(struct call *call, uint64_t *device) {
    (void)call;
    *device = 0;
    return CUDA_SUCCESS;
}

int do_cudaSetDevice(struct call *call, uint64_t device) {
    (void)call;
    return is_device(device) ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidDevice;
}

int do_cudaInitDevice(struct call *call, uint64_t device, uint64_t device_flags, uint64_t flags) {
    if (!is_device(device)) return HEDDLE_cudaErrorInvalidDevice;
    if (flags & ~1ull || device_flags & ~(uint64_t)DEVICE_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if (flags & 1) call->program->device_flags = (uint32_t)device_flags;
    return CUDA_SUCCESS;
}

int do_cudaGetDeviceFlags(struct call *call, uint64_t *flags) {
    *flags = call->program->device_flags;
    return CUDA_SUCCESS;
}

/* How a host thread waits is of no consequence here: it waits in target time. */
int do_cudaSetDeviceFlags(struct call *call, uint64_t flags) {
    if (flags & ~(uint64_t)DEVICE_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    call->program->device_flags = (uint32_t)flags;
    return CUDA_SUCCESS;
}

int do_cudaGetDeviceProperties(struct call *call, uint64_t device, uint64_t layout) {
    unsigned char p[2048];
    size_t bytes = device_prop_bytes((int)layout);
    if (!is_device(device)) return HEDDLE_cudaErrorInvalidDevice;
    if (bytes == 0 || bytes > sizeof p) return CUDA_ERROR_INVALID_VALUE;
    device_prop_fill((int)layout, call->server->o.config, p);
    call_push_last(call, 0, p, (uint32_t)bytes);
    return CUDA_SUCCESS;
}

int do_cudaGetDeviceProperties_v2(struct call *call, uint64_t device, uint64_t layout) {
    return do_cudaGetDeviceProperties(call, device, layout);
}

int do_cudaDeviceGetAttribute(struct call *call, uint64_t *value, uint64_t attribute,
                              uint64_t device) {
    const struct config *c = call->server->o.config;
    if (!is_device(device)) return HEDDLE_cudaErrorInvalidDevice;
    switch (attribute) {
#define ATTR(number, name, v)   \
    case number:                \
        *value = (uint64_t)(v); \
        return CUDA_SUCCESS;
#include "tables/device_attr.def"
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

int do_cudaDeviceGetLimit(struct call *call, uint64_t *value, uint64_t limit) {
    (void)call;
    switch (limit) {
    case LIMIT_STACK: *value = STACK_BYTES; return CUDA_SUCCESS;
    case LIMIT_PRINTF:
    case LIMIT_HEAP: *value = 0; return CUDA_SUCCESS; /* neither printf nor malloc in kernels yet */
    default: return HEDDLE_cudaErrorUnsupportedLimit;
    }
}

int do_cudaDeviceGetCacheConfig(struct call *call, uint64_t *config) {
    *config = call->program->cache_config;
    return CUDA_SUCCESS;
}

/* A preference: the split follows from what the kernels need (CUDA allows that). */
int do_cudaDeviceSetCacheConfig(struct call *call, uint64_t config) {
    if (config > 3) return CUDA_ERROR_INVALID_VALUE;
    call->program->cache_config = (uint32_t)config;
    return CUDA_SUCCESS;
}

int do_cudaDeviceGetStreamPriorityRange(struct call *call, uint64_t *least, uint64_t *greatest) {
    (void)call;
    *least = *greatest = 0;
    return CUDA_SUCCESS;
}

int do_cudaDeviceCanAccessPeer(struct call *call, uint64_t *can, uint64_t device, uint64_t peer) {
    (void)call;
    if (!is_device(device) || !is_device(peer)) return HEDDLE_cudaErrorInvalidDevice;
    *can = 0;
    return CUDA_SUCCESS;
}

int do_cudaDeviceGetPCIBusId(struct call *call, uint64_t device) {
    static const char id[] = "0000:01:00.0"; /* as in device_prop.def */
    if (!is_device(device)) return HEDDLE_cudaErrorInvalidDevice;
    call_push_last(call, 0, id, sizeof id);
    return CUDA_SUCCESS;
}

int do_cudaDeviceSynchronize(struct call *call) {
    return wait_all(call);
}

int do_cudaThreadSynchronize(struct call *call) {
    return do_cudaDeviceSynchronize(call);
}

/* Everything that the program allocated is gone; its modules are loaded again when used. A context
 * that a fault has broken has nothing left to wait for. */
int do_cudaDeviceReset(struct call *call) {
    int error = call->program->sticky ? CUDA_SUCCESS : do_cudaDeviceSynchronize(call);
    if (error) return error;
    program_reset(call);
    call->program->sticky = CUDA_SUCCESS;
    call->program->control->sticky = CUDA_SUCCESS;
    return CUDA_SUCCESS;
}

int do_cudaThreadExit(struct call *call) {
    return do_cudaDeviceReset(call);
}

/* The last error is the thread's and is kept in the program; here is only the sticky one, and that
 * was answered before this handler was reached. */
int do_cudaGetLastError(struct call *call) {
    (void)call;
    return CUDA_SUCCESS;
}

int do_cudaPeekAtLastError(struct call *call) {
    (void)call;
    return CUDA_SUCCESS;
}
