/* calls_pool.c - stream-ordered allocation and memory pools; see pool.h. */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture.h"
#include "cuda/deferred.h"
#include "cuda/graph_memory.h"
#include "cuda/pool.h"
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

/* The first of a program's pools are the default ones of the devices. */
struct pool {
    bool live;
    unsigned device;
    uint64_t reuse[3], threshold;
    uint64_t used, used_high; /* bytes; nothing is kept when freed, so reserved is the same */
    uint32_t peers;           /* devices with access beside its own */
};

static size_t find_pool(struct call *call, uint64_t handle) {
    struct program *p = call->program;
    unsigned devices = server_devices(call->server);
    if (!p->pool) {
        p->pool = calloc(devices, sizeof *p->pool);
        if (!p->pool) return SIZE_MAX;
        p->num_pools = devices;
        for (unsigned i = 0; i < devices; i++)
            p->pool[i] = (struct pool){.live = true, .device = i, .reuse = {1, 1, 1}};
    }
    size_t i = handle_index(handle, p->num_pools);
    return i < p->num_pools && p->pool[i].live ? i : SIZE_MAX;
}

static uint64_t current_pool(struct call *call, unsigned device) {
    uint64_t set = call->program->device[device].pool;
    return set ? set : handle_of(device);
}

/* ---- allocation; the tag of a block is 1 + the pool it counts for, 0: none,
 * GRAPH_MEMORY_TAG: that of graphs */

/* Records with memory to give back that have not acted yet. */
struct release {
    struct deferred head;
    uint64_t address;
    struct gpu *gpu;
    gpu_ticket ticket;
    uint32_t tag;
    uint64_t bytes;
};

static void act(struct deferred *d) {
    struct release *r = (struct release *)d;
    struct space *space = d->server->o.space;
    struct program *p = d->program;
    space_release(space, space_where(space, r->address), r->address);
    if (r->tag && r->tag - 1 < p->num_pools) p->pool[r->tag - 1].used -= r->bytes;
}

/* Carries out what gives memory back. @return false: there was nothing. */
static bool reclaim(struct call *call) {
    for (struct deferred *d = call->server->deferred; d; d = d->next) {
        if (d->act != act) continue;
        uint64_t end_ps;
        struct release *r = (struct release *)d;
        return finish_ticket(call, r->gpu, r->ticket, &end_ps) == CUDA_SUCCESS;
    }
    return false;
}

uint64_t pool_alloc(struct call *call, space_region region, uint64_t bytes, uint32_t flags) {
    for (;;) {
        uint64_t at = space_alloc(call->server->o.space, region, bytes, flags, call->program);
        if (at) return at;
        if (!reclaim(call)) break;
    }
    server_collect_memory(call->server);
    return space_alloc(call->server->o.space, region, bytes, flags, call->program);
}

int pool_free_on(struct call *call, const struct stream_ref *ref, uint64_t address,
                 gpu_ticket *ticket) {
    struct space *space = call->server->o.space;
    const struct space_block *b = space_find(space, address, 1);
    bool ours = b && b->address == address && b->owner == call->program &&
                space_is_device(space_where(space, address));
    if (!ours || !space_begin_free(space, address)) return CUDA_ERROR_INVALID_VALUE;
    struct release *r = calloc(1, sizeof *r);
    if (!r) return HEDDLE_cudaErrorMemoryAllocation;
    graph_memory_note_free(call, b);
    r->head.act = act;
    r->address = address;
    r->gpu = ref->gpu;
    r->tag = b->tag;
    r->bytes = b->bytes;
    struct gpu_copy cost = {.kind = GPU_COPY_HOST_TO_HOST};
    int error = deferred_issue(call, ref, &r->head, &cost, ticket);
    if (!error) r->ticket = *ticket;
    return error;
}

static int allocate(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t pool,
                    uint64_t stream) {
    struct stream_ref ref;
    int error = find_op_stream(call, stream, &ref);
    if (error) return error;
    size_t i = find_pool(call, pool ? pool : current_pool(call, ref.device));
    if (i == SIZE_MAX || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    struct pool *p = &call->program->pool[i];
    if (ref.capture) {
        struct node_work work = {.kind = NODE_ALLOC, .bytes = bytes};
        error = graph_memory_create(call, p->device, bytes, &work.address);
        *pointer = work.address;
        return error ? error : capture_add(call, &ref, &work, NULL);
    }
    *pointer = pool_alloc(call, SPACE_DEVICE + p->device, bytes, 0);
    if (!*pointer) return HEDDLE_cudaErrorMemoryAllocation;
    space_tag(call->server->o.space, *pointer, (uint32_t)i + 1);
    p->used += bytes;
    if (p->used > p->used_high) p->used_high = p->used;
    gpu_ticket ticket; /* a point of the stream, so that its order is kept */
    return stream_mark(call, &ref, &ticket);
}

int do_cudaMallocAsync(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t stream) {
    return allocate(call, pointer, bytes, 0, stream);
}

int do_cudaMallocFromPoolAsync(struct call *call, uint64_t *pointer, uint64_t bytes, uint64_t pool,
                               uint64_t stream) {
    return pool ? allocate(call, pointer, bytes, pool, stream) : CUDA_ERROR_INVALID_VALUE;
}

int do_cudaFreeAsync(struct call *call, uint64_t pointer, uint64_t stream) {
    struct stream_ref ref;
    gpu_ticket ticket;
    int error = find_op_stream(call, stream, &ref);
    if (error) return error;
    if (!pointer) return CUDA_ERROR_INVALID_VALUE;
    if (!ref.capture) return pool_free_on(call, &ref, pointer, &ticket);
    struct node_work work = {.kind = NODE_FREE, .address = pointer};
    return capture_add(call, &ref, &work, NULL);
}

/* ---- pools */

static int default_pool(struct call *call, uint64_t *pool, uint64_t device) {
    if (device >= server_devices(call->server)) return HEDDLE_cudaErrorInvalidDevice;
    *pool = handle_of(device);
    return CUDA_SUCCESS;
}

int do_cudaDeviceGetDefaultMemPool(struct call *call, uint64_t *pool, uint64_t device) {
    return default_pool(call, pool, device);
}

int do_cudaDeviceGetMemPool(struct call *call, uint64_t *pool, uint64_t device) {
    int error = default_pool(call, pool, device);
    if (!error) *pool = current_pool(call, (unsigned)device);
    return error;
}

int do_cudaDeviceSetMemPool(struct call *call, uint64_t device, uint64_t pool) {
    size_t i = find_pool(call, pool);
    if (device >= server_devices(call->server)) return HEDDLE_cudaErrorInvalidDevice;
    if (i == SIZE_MAX || call->program->pool[i].device != device) return CUDA_ERROR_INVALID_VALUE;
    call->program->device[device].pool = pool;
    return CUDA_SUCCESS;
}

int do_cudaMemPoolCreate(struct call *call, uint64_t *pool, uint64_t type, uint64_t location,
                         uint64_t device) {
    struct program *p = call->program;
    if (type != TYPE_PINNED || location != LOCATION_DEVICE) return HEDDLE_cudaErrorNotSupported;
    if (device >= server_devices(call->server)) return HEDDLE_cudaErrorInvalidDevice;
    find_pool(call, 0);
    struct pool *more = realloc(p->pool, (p->num_pools + 1) * sizeof *more);
    if (!more || !p->num_pools) return HEDDLE_cudaErrorMemoryAllocation;
    p->pool = more;
    p->pool[p->num_pools] = (struct pool){
        .live = true, .device = (unsigned)device, .reuse = {1, 1, 1}};
    *pool = handle_of(p->num_pools++);
    return CUDA_SUCCESS;
}

int do_cudaMemPoolDestroy(struct call *call, uint64_t pool) {
    size_t i = find_pool(call, pool);
    if (i == SIZE_MAX || i < server_devices(call->server)) return CUDA_ERROR_INVALID_VALUE;
    struct pool *p = &call->program->pool[i];
    if (call->program->device[p->device].pool == pool) call->program->device[p->device].pool = 0;
    p->live = false; /* what is allocated stays until freed */
    return CUDA_SUCCESS;
}

/* Memory that is freed goes back at once: there is never more than is in use. */
int do_cudaMemPoolTrimTo(struct call *call, uint64_t pool, uint64_t bytes) {
    (void)bytes;
    return find_pool(call, pool) == SIZE_MAX ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

int do_cudaMemPoolGetAttribute(struct call *call, uint64_t pool, uint64_t attribute,
                               uint64_t *value) {
    size_t i = find_pool(call, pool);
    if (i == SIZE_MAX) return CUDA_ERROR_INVALID_VALUE;
    const struct pool *p = &call->program->pool[i];
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

/* The reuse attributes are permissions, the threshold is a hint: both are kept and told. */
int do_cudaMemPoolSetAttribute(struct call *call, uint64_t pool, uint64_t attribute,
                               uint64_t value) {
    size_t i = find_pool(call, pool);
    if (i == SIZE_MAX) return CUDA_ERROR_INVALID_VALUE;
    struct pool *p = &call->program->pool[i];
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

int do_cudaMemPoolSetAccess(struct call *call, uint64_t pool, uint64_t location, uint64_t device,
                            uint64_t access) {
    size_t i = find_pool(call, pool);
    if (i == SIZE_MAX || location != LOCATION_DEVICE || device >= server_devices(call->server) ||
        (access != ACCESS_NONE && access != ACCESS_READ_WRITE))
        return CUDA_ERROR_INVALID_VALUE;
    struct pool *p = &call->program->pool[i];
    if (device == p->device) return access ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (access)
        p->peers |= 1u << device;
    else
        p->peers &= ~(1u << device);
    return CUDA_SUCCESS;
}

int do_cudaMemPoolGetAccess(struct call *call, uint64_t *access, uint64_t pool, uint64_t location,
                            uint64_t device) {
    size_t i = find_pool(call, pool);
    if (i == SIZE_MAX || location != LOCATION_DEVICE || device >= server_devices(call->server))
        return CUDA_ERROR_INVALID_VALUE;
    const struct pool *p = &call->program->pool[i];
    *access = device == p->device || p->peers >> device & 1 ? ACCESS_READ_WRITE : ACCESS_NONE;
    return CUDA_SUCCESS;
}
