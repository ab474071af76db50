/* calls_memory.c - allocation, questions about addresses. */
#include <string.h>

#include "cuda/call.h"
#include "cuda_call_handlers.h"

enum { HOST_ALLOC_FLAGS = 7, PITCH = 512 };
enum { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE };

static int allocate(struct call *call, space_region region, uint64_t bytes, uint32_t flags,
                    uint64_t *pointer) {
    if (bytes == 0) { /* CUDA: success and a null pointer */
        *pointer = 0;
        return CUDA_SUCCESS;
    }
    *pointer = space_alloc(call->server->o.space, region, bytes, flags, call->program);
    return *pointer ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* Freeing waits for all work: a kernel in flight may use the memory. */
static int release(struct call *call, space_region region, uint64_t pointer) {
    if (!pointer) return CUDA_SUCCESS;
    int error = wait_all(call);
    if (error) return error;
    const struct space_block *b = space_find(call->server->o.space, pointer, 1);
    bool ours = b && b->address == pointer && b->owner == call->program &&
                space_release(call->server->o.space, region, pointer);
    return ours ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
}

int do_cudaMalloc(struct call *call, uint64_t *pointer, uint64_t bytes) {
    return allocate(call, SPACE_DEVICE, bytes, 0, pointer);
}

int do_cudaMallocPitch(struct call *call, uint64_t *pointer, uint64_t *pitch, uint64_t width,
                       uint64_t height) {
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (height && *pitch > UINT64_MAX / height) return HEDDLE_cudaErrorMemoryAllocation;
    return allocate(call, SPACE_DEVICE, *pitch * height, 0, pointer);
}

int do_cudaFree(struct call *call, uint64_t pointer) {
    return release(call, SPACE_DEVICE, pointer);
}

int do_cudaMallocHost(struct call *call, uint64_t *pointer, uint64_t bytes) {
    return allocate(call, SPACE_PINNED, bytes, 0, pointer);
}

int do_cudaHostAlloc(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t flags) {
    if (flags & ~(uint64_t)HOST_ALLOC_FLAGS) return HEDDLE_cudaErrorInvalidValue;
    return allocate(call, SPACE_PINNED, bytes, (uint32_t)flags, pointer);
}

int do_cudaFreeHost(struct call *call, uint64_t pointer) {
    return release(call, SPACE_PINNED, pointer);
}

static const struct space_block *find_pinned(struct call *call, uint64_t address) {
    const struct space *s = call->server->o.space;
    return space_where(s, address) == SPACE_PINNED ? space_find(s, address, 1) : NULL;
}

/* Pinned memory has one address everywhere. */
int do_cudaHostGetDevicePointer(struct call *call, uint64_t *device, uint64_t host,
                                uint64_t flags) {
    if (flags || !find_pinned(call, host)) return HEDDLE_cudaErrorInvalidValue;
    *device = host;
    return CUDA_SUCCESS;
}

int do_cudaHostGetFlags(struct call *call, uint64_t *flags, uint64_t host) {
    const struct space_block *b = find_pinned(call, host);
    if (!b) return HEDDLE_cudaErrorInvalidValue;
    *flags = b->flags;
    return CUDA_SUCCESS;
}

int do_cudaMemGetInfo(struct call *call, uint64_t *available, uint64_t *total) {
    *available = space_available(call->server->o.space, SPACE_DEVICE);
    *total = space_bytes(call->server->o.space, SPACE_DEVICE);
    return CUDA_SUCCESS;
}

int do_cudaPointerGetAttributes(struct call *call, uint64_t pointer) {
    struct {
        int32_t type, device;
        uint64_t device_pointer, host_pointer;
    } a = {MEMORY_UNREGISTERED, -2, 0, pointer}; /* -2: cudaInvalidDeviceId */
    const struct space *s = call->server->o.space;
    if (space_find(s, pointer, 1)) {
        bool pinned = space_where(s, pointer) == SPACE_PINNED;
        a.type = pinned ? MEMORY_HOST : MEMORY_DEVICE;
        a.device = 0;
        a.device_pointer = pointer;
        a.host_pointer = pinned ? pointer : 0;
    }
    call_push_last(call, 0, &a, sizeof a);
    return CUDA_SUCCESS;
}
