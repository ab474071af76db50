/* graph_memory.h - memory that graphs allocate.
 *
 * An allocation node has its address from its creation on, and holds it for as long as a graph or
 * an executable graph has the node. The memory is there from a launch of the node until it is
 * freed: by a node of the same or of another graph, or by the program. graph_memory_usage.h counts
 * it. */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_H
#define HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_H

#include "cuda/object/graph.h"

/* An address for an allocation node, held once. @return cudaError_t. */
int graph_memory_create(struct call *call, unsigned device, uint64_t bytes, uint64_t *address);
/* Before a launch: nothing that the graph allocates may be allocated still; freed here if the graph
 * was instantiated that way. @return cudaError_t. */
int graph_memory_prepare(struct call *call, const struct graph_exec *exec,
                         const struct stream_ref *ref);
/* An allocation or free node. @return cudaError_t. */
int graph_memory_issue(struct call *call, const struct stream_ref *ref,
                       const struct node_work *work, gpu_ticket *ticket);

#endif
