/* graph_dot.h - a graph as text for Graphviz (cudaGraphDebugDotPrint). */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_DOT_H
#define HEDDLE_CUDA_OBJECT_GRAPH_DOT_H

#include <glib.h>

#include "cuda/object/graph.h"

/* @return the graph, with child graphs inside their nodes, in the layout of NVIDIA's runtime: a
 * cluster graph_N for each graph, nodes graph_N_node_I in the order of their creation. `flags`:
 * cudaGraphDebugDotFlags, which add details of kinds of nodes, or handles. The caller frees it with
 * g_string_free(). */
GString *graph_dot(const struct program *p, const struct graph *graph, uint64_t flags);

#endif
