/* calls_pool.c - handlers for stream-ordered allocation and memory pools; see pool.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown pool or argument is InvalidValue, an unknown device InvalidDevice.
 * Allocations and frees issue an operation on the GPU or are captured (capture_find_op_stream()),
 * and change the address space; they do not wait for their stream, but an allocation drives the
 * simulation until pending frees are performed if memory is short. The others change program.pools,
 * in which they create the devices' default pools if need be. */
#include "cuda/object/capture.h"
#include "cuda/object/graph_memory.h"
#include "cuda/object/pool.h"
#include "cuda_call_handlers.h"

/* cudaMemPoolAttr */
enum {
    ATTR_REUSE_FIRST = 1,
    ATTR_REUSE_LAST = 3,
    ATTR_RELEASE_THRESHOLD = 4,
    ATTR_RESERVED_CURRENT = 5,
    ATTR_RESERVED_HIGH = 6,
    ATTR_USED_CURRENT = 7,
    ATTR_USED_HIGH = 8,
};
enum { ACCESS_NONE = 0, ACCESS_READ_WRITE = 3, LOCATION_DEVICE = 1, TYPE_PINNED = 1 };

/* Allocates from a pool (0: the current one of the stream's device) at once, and issues a marker on
 * the stream; or adds an allocation node with an address of its own to the graph into which the
 * stream is captured. *pointer: the address. If memory is short, drives the simulation until
 * pending frees are performed. @return InvalidValue: no such pool, or 0 bytes; MemoryAllocation. */
static int allocate(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t pool,
                    uint64_t stream) {
    struct stream_ref ref;
    int error = capture_find_op_stream(call, stream, &ref);
    if (error) return error;
    struct pool *p = pool_find(call, pool ? pool : pool_current(call->program, ref.device));
    if (!p || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (ref.capture) {
        struct node_work work = {.kind = NODE_ALLOC, .bytes = bytes};
        error = graph_memory_create(call, p->device, bytes, &work.address);
        *pointer = work.address;
        return error ? error : capture_add(call, &ref, &work);
    }
    *pointer = pool_alloc_from(call, p, bytes);
    if (!*pointer) return HEDDLE_cudaErrorMemoryAllocation;
    gpu_ticket ticket; /* a marker, which keeps the order of the stream */
    return stream_mark(call, &ref, &ticket);
}

int do_cudaMallocAsync(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t stream) {
    return allocate(call, pointer, bytes, 0, stream);
}

/* allocate() from a pool of the program; InvalidValue for pool 0. */
int do_cudaMallocFromPoolAsync(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t pool,
                               uint64_t stream) {
    return pool ? allocate(call, pointer, bytes, pool, stream) : CUDA_ERROR_INVALID_VALUE;
}

/* Issues a free, which takes effect when the stream reaches it (pool_free_on()); or captures it.
 * @return InvalidValue: pointer 0, or no allocated device memory of the program begins there (a
 * captured free is not checked). */
int do_cudaFreeAsync(struct call *call, uint64_t pointer, uint64_t stream) {
    struct stream_ref ref;
    gpu_ticket ticket;
    int error = capture_find_op_stream(call, stream, &ref);
    if (error) return error;
    if (!pointer) return CUDA_ERROR_INVALID_VALUE;
    if (!ref.capture) return pool_free_on(call, &ref, pointer, &ticket);
    struct node_work work = {.kind = NODE_FREE, .address = pointer};
    return capture_add(call, &ref, &work);
}

/* ---- pools */

/* *pool: handle of a device's default pool. @return InvalidDevice. */
static int default_pool(struct call *call, uint64_t *pool, uint64_t device) {
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    *pool = pool_default((unsigned)device);
    return CUDA_SUCCESS;
}

int do_cudaDeviceGetDefaultMemPool(struct call *call, uint64_t *pool, uint64_t device) {
    return default_pool(call, pool, device);
}

/* *pool: handle of the program's current pool for the device. @return InvalidDevice. */
int do_cudaDeviceGetMemPool(struct call *call, uint64_t *pool, uint64_t device) {
    int error = default_pool(call, pool, device);
    if (!error) *pool = pool_current(call->program, (unsigned)device);
    return error;
}

/* Sets the pool from which cudaMallocAsync allocates on the device (program.device). @return
 * InvalidValue: no such pool, or another device's. */
int do_cudaDeviceSetMemPool(struct call *call, uint64_t device, uint64_t pool) {
    const struct pool *p = pool_find(call, pool);
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    if (!p || p->device != device) return CUDA_ERROR_INVALID_VALUE;
    call->program->device[device].pool = pool;
    return CUDA_SUCCESS;
}

/* Adds a pool for the device to program.pools; *pool: its handle. @return NotSupported: any other
 * type or location. */
int do_cudaMemPoolCreate(struct call *call, uint64_t *pool, uint64_t type, uint64_t location,
                         uint64_t device) {
    if (type != TYPE_PINNED || location != LOCATION_DEVICE) return HEDDLE_cudaErrorNotSupported;
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    *pool = pool_create(call, (unsigned)device);
    return CUDA_SUCCESS;
}

/* Makes the pool's handle invalid; its allocations stay until they are freed. If it was the current
 * pool of its device, the default pool is. @return InvalidValue: no such pool, or a default one. */
int do_cudaMemPoolDestroy(struct call *call, uint64_t pool) {
    struct pool *p = pool_find(call, pool);
    if (!p || pool == pool_default(p->device)) return CUDA_ERROR_INVALID_VALUE;
    if (call->program->device[p->device].pool == pool) call->program->device[p->device].pool = 0;
    p->live = false; /* its allocations stay until they are freed */
    return CUDA_SUCCESS;
}

/* Only checks the pool. There is nothing to trim: a pool keeps no freed memory. */
int do_cudaMemPoolTrimTo(struct call *call, uint64_t pool, uint64_t bytes) {
    (void)bytes;
    return pool_find(call, pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* *value of an attribute; sizes in bytes. Reserved memory is the used one, because a pool keeps no
 * freed memory. */
int do_cudaMemPoolGetAttribute(struct call *call, uint64_t pool, uint64_t attribute,
                               uint64_t *value) {
    const struct pool *p = pool_find(call, pool);
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case ATTR_RELEASE_THRESHOLD: *value = p->threshold; return CUDA_SUCCESS;
    case ATTR_RESERVED_CURRENT:
    case ATTR_USED_CURRENT: *value = p->used; return CUDA_SUCCESS;
    case ATTR_RESERVED_HIGH:
    case ATTR_USED_HIGH: *value = p->used_high; return CUDA_SUCCESS;
    default: break;
    }
    if (attribute < ATTR_REUSE_FIRST || attribute > ATTR_REUSE_LAST)
        return CUDA_ERROR_INVALID_VALUE;
    *value = p->reuse[attribute - ATTR_REUSE_FIRST];
    return CUDA_SUCCESS;
}

/* Keeps the reuse attributes and the threshold for queries; they have no effect: the former are
 * permissions, the latter is a hint. Sets a high-water mark to the present count (value 0 only). */
int do_cudaMemPoolSetAttribute(struct call *call, uint64_t pool, uint64_t attribute,
                               uint64_t value) {
    struct pool *p = pool_find(call, pool);
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    if (attribute == ATTR_RELEASE_THRESHOLD) {
        p->threshold = value;
    } else if (attribute >= ATTR_REUSE_FIRST && attribute <= ATTR_REUSE_LAST) {
        p->reuse[attribute - ATTR_REUSE_FIRST] = (uint32_t)value != 0;
    } else if ((attribute == ATTR_RESERVED_HIGH || attribute == ATTR_USED_HIGH) && value == 0) {
        p->used_high = p->used;
    } else {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* Only keeps the setting in pool.peers: every device can reach the memory of all others. @return
 * InvalidValue: also for taking the pool's own device its access. */
int do_cudaMemPoolSetAccess(struct call *call, uint64_t pool, uint64_t location, uint64_t device,
                            uint64_t access) {
    struct pool *p = pool_find(call, pool);
    if (!p || location != LOCATION_DEVICE || device >= call_devices(call) ||
        (access != ACCESS_NONE && access != ACCESS_READ_WRITE))
        return CUDA_ERROR_INVALID_VALUE;
    if (device == p->device) return access ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (access)
        p->peers |= 1u << device;
    else
        p->peers &= ~(1u << device);
    return CUDA_SUCCESS;
}

/* *access: the setting of do_cudaMemPoolSetAccess(); the pool's own device always has access. */
int do_cudaMemPoolGetAccess(struct call *call, uint64_t *access, uint64_t pool, uint64_t location,
                            uint64_t device) {
    struct pool *p = pool_find(call, pool);
    if (!p || location != LOCATION_DEVICE || device >= call_devices(call))
        return CUDA_ERROR_INVALID_VALUE;
    *access = device == p->device || p->peers >> device & 1 ? ACCESS_READ_WRITE : ACCESS_NONE;
    return CUDA_SUCCESS;
}
