/* graph_memory.c - memory of graphs: addresses of allocation nodes, and their allocation and free
 * by launches; see graph_memory.h.
 *
 * Runs in the server, on its thread, for calls_graph_node.c, calls_pool.c and graph_exec.c. The
 * functions change holds and allocations in the address space, may issue operations on a stream,
 * and return a cudaError_t, named here without the prefix "cudaError". */
#include "cuda/object/graph_memory.h"

#include "cuda/object/graph_memory_usage.h"
#include "cuda/object/pool.h"

enum { FLAG_AUTO_FREE_ON_LAUNCH = 1 }; /* cudaGraphInstantiateFlags */

/* Allocates memory on the device to find an address, tags and holds it, and frees the memory again;
 * the hold is the caller's (node_work_free() ends it). If memory is short, drives the simulation
 * (pool_alloc()). @return InvalidValue: 0 bytes; MemoryAllocation. */
int graph_memory_create(struct call *call, unsigned device, uint64_t bytes, uint64_t *address) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    *address = pool_alloc(call, program_region(call->program, device), bytes, 0);
    if (!*address) return HEDDLE_cudaErrorMemoryAllocation;
    struct address_space *space = call->server->o.space;
    address_space_set_tag(space, *address, GRAPH_MEMORY_TAG);
    address_space_hold(space, *address);
    /* no memory before a launch */
    address_space_release(space, program_region(call->program, device), *address);
    return CUDA_SUCCESS;
}

/* Allocates the memory at its held address, and counts it for the device. @return InvalidValue: it
 * is still allocated. */
static int allocate(struct call *call, const struct node_work *work) {
    struct address_space *space = call->server->o.space;
    if (!address_space_reopen(space, work->address)) return CUDA_ERROR_INVALID_VALUE;
    graph_memory_note_alloc(call, work->address, work->bytes);
    return CUDA_SUCCESS;
}

/* Allocates the memory of an allocation node at once and issues a marker, or issues a free, which
 * takes effect when the stream reaches it. *ticket: the operation. @return InvalidValue: allocated
 * already, or nothing of the program's to free; or the error of the issue. */
int graph_memory_issue(struct call *call, const struct stream_ref *ref,
                       const struct node_work *work, gpu_ticket *ticket) {
    if (work->kind == NODE_FREE) return pool_free_on(call, ref, work->address, ticket);
    int error = allocate(call, work);
    return error ? error : stream_mark(call, ref, ticket);
}

/* graph_memory_prepare() for one graph, child graphs included: issues frees, on the stream, of
 * memory of its nodes that is still allocated. @return InvalidValue: there is such memory and
 * auto_free is false. */
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

/* Before a launch: memory of the graph may still be allocated by an earlier one. Issues frees of it
 * on the stream if the graph was instantiated with auto-free. @return InvalidValue: there is such
 * memory and no auto-free; or the error of issuing a free. */
int graph_memory_prepare(struct call *call, const struct graph_exec *exec,
                         const struct stream_ref *ref) {
    return prepare(call, exec->graph, exec->flags & FLAG_AUTO_FREE_ON_LAUNCH, ref);
}
