/* graph_memory.c - addresses of allocation nodes, and their allocation and free by launches; see
 * graph_memory.h.
 *
 * Runs in the server, on its thread. The functions change holds and allocations in the address
 * space, may issue operations on a stream, and return a cudaError_t. */
#include "cuda/object/graph_memory.h"

#include "cuda/object/graph_memory_usage.h"
#include "cuda/object/pool.h"

enum { FLAG_AUTO_FREE_ON_LAUNCH = 1 }; /* cudaGraphInstantiateFlags */

/* Allocates memory to find an address, tags and holds it, and frees the memory again. */
int graph_memory_create(struct call *call, unsigned device, uint64_t bytes, uint64_t *address) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    *address = pool_alloc(call, REGION_DEVICE + device, bytes, 0);
    if (!*address) return HEDDLE_cudaErrorMemoryAllocation;
    struct address_space *space = call->server->o.space;
    address_space_set_tag(space, *address, GRAPH_MEMORY_TAG);
    address_space_hold(space, *address);
    address_space_release(space, REGION_DEVICE + device, *address); /* no memory before a launch */
    return CUDA_SUCCESS;
}

/* Allocates the memory at its held address, and counts it for the device. */
static int allocate(struct call *call, const struct node_work *work) {
    struct address_space *space = call->server->o.space;
    if (!address_space_reopen(space, work->address)) return CUDA_ERROR_INVALID_VALUE;
    graph_memory_note_alloc(call, work->address, work->bytes);
    return CUDA_SUCCESS;
}

/* An allocation takes effect at once; a free takes effect when the stream reaches it. */
int graph_memory_issue(struct call *call, const struct stream_ref *ref,
                       const struct node_work *work, gpu_ticket *ticket) {
    if (work->kind == NODE_FREE) return pool_free_on(call, ref, work->address, ticket);
    int error = allocate(call, work);
    return error ? error : stream_mark(call, ref, ticket);
}

/* graph_memory_prepare() for one graph, child graphs included: issues frees of memory that is still
 * allocated, or fails without auto_free. */
static int prepare(struct call *call, const struct graph *g, bool auto_free,
                   const struct stream_ref *ref) {
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < g->nodes->len && !error; i++) {
        const struct node_work *w = &graph_node_at(g, i)->work;
        if (w->child) error = prepare(call, w->child, auto_free, ref);
        if (w->kind != NODE_ALLOC) continue;
        const struct memory_block *b = address_space_find(call->server->o.space, w->address, 1);
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
