/* graph_memory.c - see graph_memory.h */
#include "cuda/graph_memory.h"

#include "cuda/pool.h"
#include "cuda_call_handlers.h"

enum { FLAG_AUTO_FREE_ON_LAUNCH = 1 }; /* cudaGraphInstantiateFlags */
/* cudaGraphMemAttributeType */
enum { ATTR_USED = 0, ATTR_USED_HIGH = 1, ATTR_RESERVED = 2, ATTR_RESERVED_HIGH = 3 };

int graph_memory_create(struct call *call, unsigned device, uint64_t bytes, uint64_t *address) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    *address = pool_alloc(call, SPACE_DEVICE + device, bytes, 0);
    if (!*address) return HEDDLE_cudaErrorMemoryAllocation;
    struct space *space = call->server->o.space;
    space_tag(space, *address, GRAPH_MEMORY_TAG);
    space_hold(space, *address);
    space_release(space, SPACE_DEVICE + device, *address); /* nothing is there before a launch */
    return CUDA_SUCCESS;
}

static struct graph_memory_counts *counts_of(struct call *call, uint64_t address) {
    space_region r = space_where(call->server->o.space, address);
    return &call->program->device[r - SPACE_DEVICE].graph_memory;
}

void graph_memory_note_free(struct call *call, const struct space_block *b) {
    if (b->tag == GRAPH_MEMORY_TAG) counts_of(call, b->address)->used -= b->bytes;
}

static int allocate(struct call *call, const struct node_work *work) {
    struct space *space = call->server->o.space;
    if (!space_reopen(space, work->address)) return CUDA_ERROR_INVALID_VALUE;
    struct graph_memory_counts *c = counts_of(call, work->address);
    c->used += work->bytes;
    if (c->used > c->kept) c->kept = c->used;
    if (c->kept > c->used_high) c->used_high = c->kept;
    if (c->kept > c->kept_high) c->kept_high = c->kept;
    return CUDA_SUCCESS;
}

/* The memory is there from the call on, and gone when the stream gets to the free. */
int graph_memory_issue(struct call *call, const struct stream_ref *ref,
                       const struct node_work *work, gpu_ticket *ticket) {
    if (work->kind == NODE_FREE) return pool_free_on(call, ref, work->address, ticket);
    int error = allocate(call, work);
    return error ? error : stream_mark(call, ref, ticket);
}

static int prepare(struct call *call, const struct graph *g, bool auto_free,
                   const struct stream_ref *ref) {
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < g->num_nodes && !error; i++) {
        const struct node_work *w = &g->node[i]->work;
        if (w->child) error = prepare(call, w->child, auto_free, ref);
        if (w->kind != NODE_ALLOC) continue;
        const struct space_block *b = space_find(call->server->o.space, w->address, 1);
        if (!b || !b->open || b->freeing) continue;
        gpu_ticket ticket;
        error = auto_free ? pool_free_on(call, ref, w->address, &ticket) : CUDA_ERROR_INVALID_VALUE;
    }
    return error;
}

int graph_memory_prepare(struct call *call, const struct graph_exec *exec,
                         const struct stream_ref *ref) {
    return prepare(call, exec->graph, exec->flags & FLAG_AUTO_FREE_ON_LAUNCH, ref);
}

/* ---- what a device has given to graphs. "Used" is CUDA's word for what is associated with
 * graphs, what is kept for the next launch included. */

int do_cudaDeviceGetGraphMemAttribute(struct call *call, uint64_t device, uint64_t attribute,
                                      uint64_t *value) {
    if (device >= server_devices(call->server)) return HEDDLE_cudaErrorInvalidDevice;
    const struct graph_memory_counts *c = &call->program->device[device].graph_memory;
    switch (attribute) {
    case ATTR_USED:
    case ATTR_RESERVED: *value = c->kept; break;
    case ATTR_USED_HIGH: *value = c->used_high; break;
    case ATTR_RESERVED_HIGH: *value = c->kept_high; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* High-water marks can be set to 0, which means to what there is now. */
int do_cudaDeviceSetGraphMemAttribute(struct call *call, uint64_t device, uint64_t attribute,
                                      uint64_t value) {
    if (device >= server_devices(call->server)) return HEDDLE_cudaErrorInvalidDevice;
    struct graph_memory_counts *c = &call->program->device[device].graph_memory;
    if (value || (attribute != ATTR_USED_HIGH && attribute != ATTR_RESERVED_HIGH))
        return CUDA_ERROR_INVALID_VALUE;
    *(attribute == ATTR_USED_HIGH ? &c->used_high : &c->kept_high) = c->kept;
    return CUDA_SUCCESS;
}

int do_cudaDeviceGraphMemTrim(struct call *call, uint64_t device) {
    if (device >= server_devices(call->server)) return HEDDLE_cudaErrorInvalidDevice;
    struct graph_memory_counts *c = &call->program->device[device].graph_memory;
    c->kept = c->used;
    return CUDA_SUCCESS;
}
