/* graph_memory.h - memory that graphs allocate.
 *
 * An allocation node has its address from creation and holds it as long as a graph or an executable
 * graph contains the node. The memory exists from a launch of the node until a free: by a node of
 * this or another graph, or by the program. graph_memory_usage.h counts it. */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_H
#define HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_H

#include "cuda/object/graph.h"

/* Reserves an address for an allocation node and holds it once. If memory is short, drives the
 * simulation (pool_alloc()). @return cudaError_t. */
int graph_memory_create(struct call *call, unsigned device, uint64_t bytes, uint64_t *address);
/* To be called before a launch. Memory of the graph may still be allocated: if the graph was
 * instantiated with auto-free, issues frees of it on the stream, else fails. @return
 * cudaError_t. */
int graph_memory_prepare(struct call *call, const struct graph_exec *exec,
                         const struct stream_ref *ref);
/* Issues an allocation or free node: allocates at once, or frees when the stream gets there; counts
 * it (graph_memory_usage.h). @return cudaError_t. */
int graph_memory_issue(struct call *call, const struct stream_ref *ref,
                       const struct node_work *work, gpu_ticket *ticket);

#endif
