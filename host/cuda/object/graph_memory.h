/* graph_memory.h - memory that graphs allocate.
 *
 * An allocation node has its address from creation and holds it as long as a graph or an executable
 * graph contains the node. The memory exists from a launch of the node until a free: by a node of
 * this or another graph, or by the program. graph_memory_usage.h counts it. */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_H
#define HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_H

#include "cuda/object/graph.h"

/* An address for an allocation node, held once. @return cudaError_t. */
int graph_memory_create(struct call *call, unsigned device, uint64_t bytes, uint64_t *address);
/* Before a launch: fails if memory of the graph is still allocated, or frees it on the stream if
 * the graph was instantiated with auto-free. @return cudaError_t. */
int graph_memory_prepare(struct call *call, const struct graph_exec *exec,
                         const struct stream_ref *ref);
/* Issues an allocation or free node. @return cudaError_t. */
int graph_memory_issue(struct call *call, const struct stream_ref *ref,
                       const struct node_work *work, gpu_ticket *ticket);

#endif
