/* calls_memory.c - handlers that allocate, free and query memory, and prefetch managed memory; see
 * address_space.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". They change the address space. Only a prefetch issues an operation on the GPU.
 * Addresses that are not the program's, or not of the right kind, are InvalidValue; no room is
 * MemoryAllocation. Allocating and freeing invalidate captures that forbid them
 * (StreamCaptureUnsupported). If memory is short, allocating drives the simulation until pending
 * frees are performed, then frees memory of programs that have ended. Frees wait for all work of
 * all GPUs, which drives the simulation, blocks the server and moves the thread's clock; a fault
 * becomes the sticky error (wait.c). */
#include <stdlib.h>

#include "common/memory.h"
#include "cuda/object/capture.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/graph_memory_usage.h"
#include "cuda/object/ipc.h"
#include "cuda/object/managed_memory.h"
#include "cuda/base/payload.h"
#include "cuda/object/pool.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

enum { HOST_ALLOC_FLAGS = 7, PITCH = 512, ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };
enum { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE, MEMORY_MANAGED };
enum { LOCATION_DEVICE = 1, LOCATION_HOST = 2 }; /* cudaMemLocationType */

/* The memory of the calling thread's current device. */
static memory_region device_region(const struct call *call) {
    return program_region(call->program, call->thread->device);
}

/* Allocates memory of a region for the program (pool_alloc()): *pointer; 0 bytes give 0. `flags`
 * are kept for queries. If memory is short, drives the simulation until pending frees are
 * performed. @return StreamCaptureUnsupported or MemoryAllocation. */
static int allocate(struct call *call, memory_region region, uint64_t bytes, uint32_t flags,
                    uint64_t *pointer) {
    int error = capture_forbids(call);
    if (error) return error;
    if (bytes == 0) { /* CUDA: success and a null pointer */
        *pointer = 0;
        return CUDA_SUCCESS;
    }
    *pointer = pool_alloc(call, region, bytes, flags);
    if (*pointer) address_space_ask(call->server->o.space, *pointer);
    return *pointer ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* Waits for all work, because a kernel in flight may use the memory, then frees it at once, if an
 * allocation of the program's own begins there, of the right region (device: any but pinned; else
 * pinned); takes it off the counts of its pool or of graphs. Pointer 0: nothing. @return
 * InvalidValue: no such allocation; StreamCaptureUnsupported; or the error of the wait. */
static int release(struct call *call, bool device, uint64_t pointer) {
    if (!pointer) return CUDA_SUCCESS;
    int error = capture_forbids(call);
    if (!error) error = wait_all_first(call);
    if (error) return error;
    struct address_space *space = call->server->o.space;
    memory_region region = address_space_region(space, pointer);
    const struct memory_block *b = address_space_find(space, pointer, 1);
    bool right = device ? region != REGION_PINNED : region == REGION_PINNED;
    bool ours = right && b && b->address == pointer && b->owner == call->program && b->open &&
                !ipc_has_opened(call->program, pointer);
    if (ours) graph_memory_note_free(call, b);
    if (ours) pool_note_free(call->program, b->tag, b->bytes);
    if (ours) address_space_release(space, region, pointer);
    return ours ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
}

int do_cudaMalloc(struct call *call, uint64_t *pointer, uint64_t bytes) {
    return allocate(call, device_region(call), bytes, 0, pointer);
}

/* *pitch: width in whole multiples of PITCH bytes; allocates `height` such rows on the current
 * device. @return MemoryAllocation also for more bytes than 64 bits count. */
int do_cudaMallocPitch(struct call *call, uint64_t *pointer, uint64_t *pitch, uint64_t width,
                       uint64_t height) {
    if (width > UINT64_MAX - (PITCH - 1)) return HEDDLE_cudaErrorMemoryAllocation;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (height && *pitch > UINT64_MAX / height) return HEDDLE_cudaErrorMemoryAllocation;
    return allocate(call, device_region(call), *pitch * height, 0, pointer);
}

/* do_cudaMallocPitch() for the rows of all layers. */
int do_cudaMalloc3D(struct call *call, uint64_t *pointer, uint64_t *pitch, uint64_t width,
                    uint64_t height, uint64_t depth) {
    if (height && depth > UINT64_MAX / height) return HEDDLE_cudaErrorMemoryAllocation;
    return do_cudaMallocPitch(call, pointer, pitch, width, height * depth);
}

/* Host and devices share managed memory at one address. Where it does not migrate, the first use in
 * a run writes a notice to standard error (server_note_managed()). @return InvalidValue: 0 bytes or
 * unknown flags. */
int do_cudaMallocManaged(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t flags) {
    if (bytes == 0 || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    if (!gpu_migrates(call_gpu(call))) server_note_managed(call->server);
    return allocate(call, REGION_MANAGED, bytes, (uint32_t)flags, pointer);
}

int do_cudaFree(struct call *call, uint64_t pointer) {
    return release(call, true, pointer);
}

int do_cudaMallocHost(struct call *call, uint64_t *pointer, uint64_t bytes) {
    return allocate(call, REGION_PINNED, bytes, 0, pointer);
}

/* Pinned memory, which has the same address for the host and all devices; its flags are kept for
 * queries. @return InvalidValue: unknown flags. */
int do_cudaHostAlloc(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t flags) {
    if (flags & ~(uint64_t)HOST_ALLOC_FLAGS) return HEDDLE_cudaErrorInvalidValue;
    return allocate(call, REGION_PINNED, bytes, (uint32_t)flags, pointer);
}

int do_cudaFreeHost(struct call *call, uint64_t pointer) {
    return release(call, false, pointer);
}

/* The allocation of pinned memory that contains the address, or NULL. */
static const struct memory_block *find_pinned(struct call *call, uint64_t address) {
    const struct address_space *s = call->server->o.space;
    return address_space_region(s, address) == REGION_PINNED ? ipc_reachable(call, address, 1)
                                                             : NULL;
}

/* *device: the same address, because pinned memory has one for the host and all devices. @return
 * InvalidValue: flags, or not in pinned memory. */
int do_cudaHostGetDevicePointer(struct call *call, uint64_t *device, uint64_t host,
                                uint64_t flags) {
    if (flags || !find_pinned(call, host)) return HEDDLE_cudaErrorInvalidValue;
    *device = host;
    return CUDA_SUCCESS;
}

/* *flags: those of the allocation of pinned memory that contains the address. */
int do_cudaHostGetFlags(struct call *call, uint64_t *flags, uint64_t host) {
    const struct memory_block *b = find_pinned(call, host);
    if (!b) return HEDDLE_cudaErrorInvalidValue;
    *flags = b->flags;
    return CUDA_SUCCESS;
}

/* Bytes of the current device's memory: *available in no allocation of any program, *total all. */
int do_cudaMemGetInfo(struct call *call, uint64_t *available, uint64_t *total) {
    *available = address_space_available(call->server->o.space, device_region(call));
    *total = address_space_bytes(call->server->o.space, device_region(call));
    return CUDA_SUCCESS;
}

/* Leaves cudaPointerAttributes in the staging memory for the reply. An address of no allocation is
 * unregistered memory, with success. */
int do_cudaPointerGetAttributes(struct call *call, uint64_t pointer) {
    struct {
        int32_t type, device;
        uint64_t device_pointer, host_pointer;
    } a = {MEMORY_UNREGISTERED, -2, 0, pointer}; /* -2: cudaInvalidDeviceId */
    const struct address_space *s = call->server->o.space;
    memory_region where = address_space_region(s, pointer);
    if (ipc_reachable(call, pointer, 1)) {
        bool device = region_is_device(where);
        a.type = device ? MEMORY_DEVICE : where == REGION_MANAGED ? MEMORY_MANAGED : MEMORY_HOST;
        a.device = device ? (int32_t)program_device_of(call->program, where) : 0;
        a.device_pointer = pointer;
        a.host_pointer = device ? 0 : pointer;
    }
    call_push_last(call, 0, &a, sizeof a);
    return CUDA_SUCCESS;
}

/* Allocates pinned memory, with which the shim replaces the program's own pages
 * (shim_registered.c). *pointer: its address. */
int do_cudaHostRegister(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t flags) {
    return allocate(call, REGION_PINNED, bytes, (uint32_t)flags, pointer);
}

/* Frees, after a wait, the pinned memory of do_cudaHostRegister(); the shim passes its address. */
int do_cudaHostUnregister(struct call *call, uint64_t pointer) {
    return release(call, false, pointer);
}

/* ---- hints about managed memory */

/* The allocation of managed memory that contains the range, or NULL. */
static const struct memory_block *find_managed(struct call *call, uint64_t address,
                                               uint64_t bytes) {
    const struct address_space *s = call->server->o.space;
    return address_space_region(s, address) == REGION_MANAGED ? ipc_reachable(call, address, bytes)
                                                              : NULL;
}

/* True for a cudaMemLocation that exists. */
static bool is_location(const struct call *call, uint64_t type, uint64_t device) {
    if (type >= LOCATION_HOST && type <= 4) return true; /* the host or one of its NUMA nodes */
    return type == LOCATION_DEVICE && device < call_devices(call);
}

/* Only checks its arguments: advice does not change where pages are. @return InvalidValue, or
 * InvalidDevice: no such location. */
int do_cudaMemAdvise(struct call *call, uint64_t pointer, uint64_t bytes, uint64_t advice,
                     uint64_t type, uint64_t device) {
    enum { FIRST = 1, SET_LOCATION = 3, LAST = 6 };
    if (!find_managed(call, pointer, bytes) || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (advice < FIRST || advice > LAST) return CUDA_ERROR_INVALID_VALUE;
    if (advice >= SET_LOCATION && !is_location(call, type, device))
        return HEDDLE_cudaErrorInvalidDevice;
    return CUDA_SUCCESS;
}

/* Issues a prefetch (managed_memory.h); does not wait. On a captured stream it invalidates the
 * capture (StreamCaptureUnsupported). @return InvalidValue: not in one allocation of managed
 * memory; InvalidDevice: no such location; InvalidResourceHandle: no such stream. */
int do_cudaMemPrefetchAsync(struct call *call, uint64_t pointer, uint64_t bytes, uint64_t type,
                            uint64_t device, uint64_t stream) {
    const struct memory_block *b = find_managed(call, pointer, bytes);
    struct stream_ref ref;
    if (!b || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (!is_location(call, type, device)) return HEDDLE_cudaErrorInvalidDevice;
    int error = capture_find_open_stream(call, stream, &ref);
    if (error) return error;
    return managed_prefetch(call, &ref, b, pointer, bytes, type == LOCATION_DEVICE,
                            (unsigned)device);
}

/* Only checks its arguments: no stream has managed memory to itself. @return InvalidValue: unknown
 * flags, or no managed allocation begins there; InvalidResourceHandle: no such stream. */
int do_cudaStreamAttachMemAsync(struct call *call, uint64_t stream, uint64_t pointer,
                                uint64_t bytes, uint64_t flags) {
    struct stream_ref ref;
    const struct memory_block *b = find_managed(call, pointer, bytes ? bytes : 1);
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST && flags != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (!b || b->address != pointer) return CUDA_ERROR_INVALID_VALUE;
    return stream_find(call, stream, &ref) ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidResourceHandle;
}
