/* graph_exec.h - executable graphs: made from graphs, launched, updated.
 *
 * A launch issues the nodes in topological order. Independent branches get streams of their own;
 * the first branch uses the launching stream. The launch costs one call of host time. */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_EXEC_H
#define HEDDLE_CUDA_OBJECT_GRAPH_EXEC_H

#include "cuda/object/graph.h"

/* Copies the graph and sorts the copy; the program owns *out. @return cudaError_t;
 * CUDA_ERROR_INVALID_VALUE: a cycle. */
int graph_instantiate(struct call *call, const struct graph *graph, uint64_t flags,
                      struct graph_exec **out);
/* Issues all nodes on the GPU; kernels may have to be compiled. If a copy reaches pageable memory,
 * also waits for the launch, which drives the simulation. @return cudaError_t. */
int graph_launch(struct call *call, struct graph_exec *exec, const struct stream_ref *ref);
/* Replaces the work of all nodes by that of a graph of the same topology; changes nothing if one
 * node does not fit. *node: the first node that does not fit, or 0. *result: a
 * cudaGraphExecUpdateResult, 0: done. @return cudaError_t. */
int graph_exec_update(struct call *call, struct graph_exec *exec, const struct graph *graph,
                      uint64_t *node, uint64_t *result);

#endif
