/* graph_exec.h - executable graphs: made from graphs, launched, updated.
 *
 * A launch puts the nodes, in topological order, on streams of their own where they are
 * independent: the first branch goes on the launching stream itself. The launch is one call of host
 * time. */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_EXEC_H
#define HEDDLE_CUDA_OBJECT_GRAPH_EXEC_H

#include "cuda/object/graph.h"

/* @return cudaError_t. */
int graph_instantiate(struct call *call, const struct graph *graph, uint64_t flags,
                      struct graph_exec **out);
/* Issues all nodes. When a copy reaches the program's own memory, the launch is waited for.
 * @return cudaError_t. */
int graph_launch(struct call *call, struct graph_exec *exec, const struct stream_ref *ref);
/* Takes over the parameters of a graph of the same form. *node: the first that does not fit.
 * @return a cudaGraphExecUpdateResult, 0: done. */
int graph_exec_update(struct call *call, struct graph_exec *exec, const struct graph *graph,
                      uint64_t *node);

#endif
