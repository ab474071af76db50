/* calls_device.c - handlers for devices, their properties, the context and its errors.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". They read the GPU's configuration and change settings of the program
 * (program.device, by device) and of the calling thread. A device number that does not exist is
 * InvalidDevice, an argument that CUDA does not know InvalidValue. Synchronizing and resetting a
 * device drive the simulation and move the thread's clock; these calls may be suspended
 * (CALL_SUSPENDED) and retried, and a fault becomes the sticky error (wait.c). */
#include <stdio.h>
#include <string.h>

#include "cuda/object/capture.h"
#include "cuda/base/device_prop.h"
#include "cuda/base/payload.h"
#include "cuda/object/program_lifetime.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

enum {
    DEVICE_FLAGS = 0xff,
    LIMIT_STACK = 0,
    LIMIT_PRINTF = 1,
    LIMIT_HEAP = 2,
    STACK_BYTES = 1024,
    MAX_STACK_BYTES = 512 << 10,
    PRINTF_BYTES = 1 << 20,
    HEAP_BYTES = 8 << 20,
};

static bool is_device(const struct call *call, uint64_t device) {
    return device < call_devices(call);
}

/* The program's settings for the current device. */
static struct program_device *current(struct call *call) {
    return &call->program->device[call->thread->device];
}

int do_cudaGetDeviceCount(struct call *call, uint64_t *count) {
    *count = call_devices(call);
    return CUDA_SUCCESS;
}

int do_cudaGetDevice(struct call *call, uint64_t *device) {
    *device = call->thread->device;
    return CUDA_SUCCESS;
}

/* Sets the current device of the calling thread. */
int do_cudaSetDevice(struct call *call, uint64_t device) {
    if (!is_device(call, device)) return HEDDLE_cudaErrorInvalidDevice;
    call->thread->device = (unsigned)device;
    return CUDA_SUCCESS;
}

/* Makes the first device of the payload, a list of `count` ints pulled from the program, the
 * thread's current one, because all devices are alike. An empty list changes nothing. @return
 * Unknown: the program does not answer. */
int do_cudaSetValidDevices(struct call *call, uint64_t count) {
    int list[PROGRAM_MAX_DEVICES];
    if (count > PROGRAM_MAX_DEVICES) return CUDA_ERROR_INVALID_VALUE;
    const void *given = call_pull(call, 0, (uint32_t)(count * sizeof list[0]));
    if (!given) return HEDDLE_cudaErrorUnknown;
    memcpy(list, given, count * sizeof list[0]);
    for (uint64_t i = 0; i < count; i++)
        if (list[i] < 0 || !is_device(call, (uint64_t)list[i]))
            return HEDDLE_cudaErrorInvalidDevice;
    if (count) call->thread->device = (unsigned)list[0];
    return CUDA_SUCCESS;
}

/* Keeps device_flags as the program's flags of the device, for queries, if bit 0 of `flags` is
 * set. */
int do_cudaInitDevice(struct call *call, uint64_t device, uint64_t device_flags, uint64_t flags) {
    if (!is_device(call, device)) return HEDDLE_cudaErrorInvalidDevice;
    if (flags & ~1ull || device_flags & ~(uint64_t)DEVICE_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if (flags & 1) call->program->device[device].flags = (uint32_t)device_flags;
    return CUDA_SUCCESS;
}

int do_cudaGetDeviceFlags(struct call *call, uint64_t *flags) {
    *flags = current(call)->flags;
    return CUDA_SUCCESS;
}

/* Only keeps the flags: they say how a host thread waits, and here every wait is in target time. */
int do_cudaSetDeviceFlags(struct call *call, uint64_t flags) {
    if (flags & ~(uint64_t)DEVICE_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    current(call)->flags = (uint32_t)flags;
    return CUDA_SUCCESS;
}

/* Leaves cudaDeviceProp in the layout of CUDA 11, 12 or 13 (`layout`), with bus and uuid of the
 * device, in the staging memory for the reply. @return InvalidValue: an unknown layout. */
int do_cudaGetDeviceProperties(struct call *call, uint64_t device, uint64_t layout) {
    unsigned char p[2048];
    size_t bytes = device_prop_bytes((int)layout);
    if (!is_device(call, device)) return HEDDLE_cudaErrorInvalidDevice;
    if (bytes == 0 || bytes > sizeof p) return CUDA_ERROR_INVALID_VALUE;
    device_prop_fill((int)layout, call->server->o.config, p);
    int bus = (int)device + 1; /* tells devices apart */
    memcpy(p + device_prop_offset((int)layout, "pciBusID"), &bus, sizeof bus);
    p[device_prop_offset((int)layout, "uuid") + 15] += (unsigned char)(call->program->first_device +
                                                                       device);
    call_push_last(call, 0, p, (uint32_t)bytes);
    return CUDA_SUCCESS;
}

int do_cudaGetDeviceProperties_v2(struct call *call, uint64_t device, uint64_t layout) {
    return do_cudaGetDeviceProperties(call, device, layout);
}

/* *value of an attribute (a number of cudaDeviceAttr). The values are expressions of the
 * configuration `c` and the device number in tables/device_attr.def. */
int do_cudaDeviceGetAttribute(struct call *call, uint64_t *value, uint64_t attribute,
                              uint64_t device) {
    const struct config *c = call->server->o.config;
    if (!is_device(call, device)) return HEDDLE_cudaErrorInvalidDevice;
    uint64_t device_number = device;
    switch (attribute) {
#define ATTR(number, name, v)   \
    case number:                \
        *value = (uint64_t)(v); \
        return CUDA_SUCCESS;
#include "tables/device_attr.def"
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

/* *value: the limit that the program set for the current device, else the one that CUDA begins
 * with, in bytes. @return UnsupportedLimit. */
int do_cudaDeviceGetLimit(struct call *call, uint64_t *value, uint64_t limit) {
    const uint64_t first[] = {
        [LIMIT_STACK] = STACK_BYTES, [LIMIT_PRINTF] = PRINTF_BYTES, [LIMIT_HEAP] = HEAP_BYTES};
    if (limit >= sizeof first / sizeof first[0]) return HEDDLE_cudaErrorUnsupportedLimit;
    const struct program_device *d = current(call);
    *value = d->limit_set[limit] ? d->limit[limit] : first[limit];
    return CUDA_SUCCESS;
}

/* Keeps the limit of the current device. The stack and printf limits have no effect: a kernel has
 * the stack that its code needs and may print any amount. The heap limit sets the size of the GPU's
 * heap, until a kernel first uses it (then InvalidValue). @return UnsupportedLimit;
 * MemoryAllocation: more than the device's memory. */
int do_cudaDeviceSetLimit(struct call *call, uint64_t limit, uint64_t value) {
    if (limit > LIMIT_HEAP) return HEDDLE_cudaErrorUnsupportedLimit;
    if (limit == LIMIT_STACK && value > MAX_STACK_BYTES) return CUDA_ERROR_INVALID_VALUE;
    if (value > call->server->o.config->dram_bytes) return HEDDLE_cudaErrorMemoryAllocation;
    if (limit == LIMIT_HEAP && !gpu_set_heap(call_gpu(call), value))
        return CUDA_ERROR_INVALID_VALUE;
    current(call)->limit[limit] = value;
    current(call)->limit_set[limit] = true;
    return CUDA_SUCCESS;
}

/* *config: the preference that do_cudaDeviceSetCacheConfig() keeps. */
int do_cudaDeviceGetCacheConfig(struct call *call, uint64_t *config) {
    *config = current(call)->cache_config;
    return CUDA_SUCCESS;
}

/* Does nothing. No line of L2 persists: streams refuse access policy windows, and launches ignore
 * theirs, which are hints. */
int do_cudaCtxResetPersistingL2Cache(struct call *call) {
    (void)call;
    return CUDA_SUCCESS;
}

/* Sets the preference of the current device for the split of L1 and shared memory, which counts for
 * later launches of kernels that have none of their own (common/carveout.h). */
int do_cudaDeviceSetCacheConfig(struct call *call, uint64_t config) {
    if (config > 3) return CUDA_ERROR_INVALID_VALUE;
    current(call)->cache_config = (uint32_t)config;
    return CUDA_SUCCESS;
}

/* ---- several devices: each may reach the memory of every other */

/* *can: 1 for two different devices. */
int do_cudaDeviceCanAccessPeer(struct call *call, uint64_t *can, uint64_t device, uint64_t peer) {
    if (!is_device(call, device) || !is_device(call, peer)) return HEDDLE_cudaErrorInvalidDevice;
    *can = device != peer;
    return CUDA_SUCCESS;
}

/* Notes in program.device that the current device may use the peer's memory; accesses work without
 * it. @return InvalidDevice, also for the current device; PeerAccessAlreadyEnabled. */
int do_cudaDeviceEnablePeerAccess(struct call *call, uint64_t peer, uint64_t flags) {
    if (!is_device(call, peer) || peer == call->thread->device)
        return HEDDLE_cudaErrorInvalidDevice;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (current(call)->peers >> peer & 1) return HEDDLE_cudaErrorPeerAccessAlreadyEnabled;
    current(call)->peers |= 1u << peer;
    return CUDA_SUCCESS;
}

/* Takes the note of cudaDeviceEnablePeerAccess back. @return PeerAccessNotEnabled. */
int do_cudaDeviceDisablePeerAccess(struct call *call, uint64_t peer) {
    if (!is_device(call, peer)) return HEDDLE_cudaErrorInvalidDevice;
    if (!(current(call)->peers >> peer & 1)) return HEDDLE_cudaErrorPeerAccessNotEnabled;
    current(call)->peers &= ~(1u << peer);
    return CUDA_SUCCESS;
}

/* *value: 1 for access and atomics between two devices, 0 for performance rank and arrays. */
int do_cudaDeviceGetP2PAttribute(struct call *call, uint64_t *value, uint64_t attribute,
                                 uint64_t device, uint64_t peer) {
    enum { RANK = 1, ACCESS, ATOMICS, ARRAYS };
    if (!is_device(call, device) || !is_device(call, peer) || device == peer)
        return HEDDLE_cudaErrorInvalidDevice;
    if (attribute < RANK || attribute > ARRAYS) return CUDA_ERROR_INVALID_VALUE;
    *value = attribute == ACCESS || attribute == ATOMICS;
    return CUDA_SUCCESS;
}

/* Leaves the text of the device's bus id, with its NUL, in the staging memory for the reply. */
int do_cudaDeviceGetPCIBusId(struct call *call, uint64_t device) {
    char id[24];
    if (!is_device(call, device)) return HEDDLE_cudaErrorInvalidDevice;
    /* as in device_prop.def */
    snprintf(id, sizeof id, "0000:%02x:00.0", (unsigned)(device + 1) & 255);
    call_push_last(call, 0, id, (uint32_t)strlen(id) + 1);
    return CUDA_SUCCESS;
}

/* The payload, pulled from the program, is the text of a bus id, "0000:01:00.0" or "01:00";
 * *device: the device with it. @return InvalidValue: no such text; InvalidDevice: no such device;
 * Unknown: the program does not answer. */
int do_cudaDeviceGetByPCIBusId(struct call *call, uint64_t *device) {
    char text[64] = "";
    unsigned domain, bus, slot;
    if (call->payload_bytes >= sizeof text) return CUDA_ERROR_INVALID_VALUE;
    const void *given = call_pull(call, 0, (uint32_t)call->payload_bytes);
    if (!given) return HEDDLE_cudaErrorUnknown;
    memcpy(text, given, call->payload_bytes);
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        domain = 0;
        if (sscanf(text, "%x:%x", &bus, &slot) != 2) return CUDA_ERROR_INVALID_VALUE;
    }
    if (domain || slot || bus < 1 || !is_device(call, bus - 1))
        return HEDDLE_cudaErrorInvalidDevice;
    *device = bus - 1;
    return CUDA_SUCCESS;
}

/* Returns device 0: all devices are equally near to the requested properties. */
int do_cudaChooseDevice(struct call *call, uint64_t *device) {
    (void)call;
    *device = 0;
    return CUDA_SUCCESS;
}

/* Waits for all work of the current device and moves the thread's clock to its end. May be
 * suspended and retried. A capture that forbids it is invalidated (StreamCaptureUnsupported). */
int do_cudaDeviceSynchronize(struct call *call) {
    int error = capture_forbids(call);
    call->repeatable = true;
    return error ? error : wait_device(call, call_gpu(call));
}

int do_cudaThreadSynchronize(struct call *call) {
    return do_cudaDeviceSynchronize(call);
}

/* Waits for all devices, since it frees everything that the program allocated on all of them
 * (program_reset()); its modules are loaded again on use. Clears the sticky error. In a context
 * that a fault has broken, its kernels are cancelled, and it only waits for their end; should one
 * never end (its warps wait at a barrier that counts threads), the GPU is reset. May be suspended
 * and retried. */
int do_cudaDeviceReset(struct call *call) {
    int error = CUDA_SUCCESS;
    if (!call->program->sticky)
        error = capture_forbids(call);
    else if (!wait_cancelled(call))
        error = program_revive_gpus(call->server);
    if (!error && !call->program->sticky) error = wait_all_first(call);
    if (error) return error;
    program_reset(call);
    call->program->sticky = CUDA_SUCCESS;
    call->program->control->sticky = CUDA_SUCCESS;
    return CUDA_SUCCESS;
}

int do_cudaThreadExit(struct call *call) {
    return do_cudaDeviceReset(call);
}

/* Always success. The shim keeps the last error of each thread; the server only keeps the sticky
 * error, which it returns before it calls a handler. */
int do_cudaGetLastError(struct call *call) {
    (void)call;
    return CUDA_SUCCESS;
}

/* As do_cudaGetLastError(). */
int do_cudaPeekAtLastError(struct call *call) {
    (void)call;
    return CUDA_SUCCESS;
}

/* ---- older names */

int do_cudaThreadGetLimit(struct call *call, uint64_t *value, uint64_t limit) {
    return do_cudaDeviceGetLimit(call, value, limit);
}

int do_cudaThreadSetLimit(struct call *call, uint64_t limit, uint64_t value) {
    return do_cudaDeviceSetLimit(call, limit, value);
}

int do_cudaThreadGetCacheConfig(struct call *call, uint64_t *config) {
    return do_cudaDeviceGetCacheConfig(call, config);
}

int do_cudaThreadSetCacheConfig(struct call *call, uint64_t config) {
    return do_cudaDeviceSetCacheConfig(call, config);
}
