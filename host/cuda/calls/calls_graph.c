/* calls_graph.c - handlers for whole graphs: creation, dependencies, lists, instantiation, update;
 * see graph.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown graph, node or executable graph is InvalidValue; no memory is
 * MemoryAllocation. They change graphs of the program. Only cudaGraphLaunch issues operations on
 * the GPU. */
#include <stdlib.h>

#include "cuda/object/capture.h"
#include "cuda/object/graph_dot.h"
#include "cuda/object/graph_exec.h"
#include "cuda/base/payload.h"
#include "cuda_call_handlers.h"

enum { FLAG_DEVICE_LAUNCH = 4, FLAGS = 0xf };

/* *graph: an empty graph, which the program owns. @return InvalidValue: flags. */
int do_cudaGraphCreate(struct call *call, uint64_t *graph, uint64_t flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    *graph = graph_create(call->program)->handle;
    return CUDA_SUCCESS;
}

/* Frees the graph with its nodes and their handles. Executable graphs made from it, and launches,
 * go on. */
int do_cudaGraphDestroy(struct call *call, uint64_t graph) {
    struct graph *g = graph_find(call->program, graph);
    if (!g) return CUDA_ERROR_INVALID_VALUE;
    graph_destroy(call->program, g);
    return CUDA_SUCCESS;
}

/* *clone: a copy of the graph, with handles of its own (graph_clone()). */
int do_cudaGraphClone(struct call *call, uint64_t *clone, uint64_t graph) {
    const struct graph *g = graph_find(call->program, graph);
    if (!g) return CUDA_ERROR_INVALID_VALUE;
    g = graph_clone(call->program, g);
    if (!g) return HEDDLE_cudaErrorMemoryAllocation;
    *clone = g->handle;
    return CUDA_SUCCESS;
}

/* *node: the node of the graph `clone` that was copied from the node `original`. @return
 * InvalidValue: there is none. */
int do_cudaGraphNodeFindInClone(struct call *call, uint64_t *node, uint64_t original,
                                uint64_t clone) {
    const struct graph *g = graph_find(call->program, clone);
    for (size_t i = 0; g && i < g->nodes->len; i++) {
        if (graph_node_at(g, i)->copy_of != original) continue;
        *node = graph_node_at(g, i)->handle;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Frees the node and removes the dependencies on it. */
int do_cudaGraphDestroyNode(struct call *call, uint64_t node) {
    struct graph_node *n = graph_find_node(call->program, node);
    if (!n) return CUDA_ERROR_INVALID_VALUE;
    graph_remove(call->program, n);
    return CUDA_SUCCESS;
}

/* *type: enum node_kind, which has CUDA's numbers. */
int do_cudaGraphNodeGetType(struct call *call, uint64_t node, uint64_t *type) {
    const struct graph_node *n = graph_find_node(call->program, node);
    if (!n) return CUDA_ERROR_INVALID_VALUE;
    *type = (uint64_t)n->work.kind;
    return CUDA_SUCCESS;
}

/* Adds or removes dependencies, which the payload, pulled from the program, lists: the `from`
 * nodes, then as many `to` nodes. @return InvalidValue: one cannot be added or removed
 * (graph_connect(), graph_disconnect()); those before it have been. */
static int connect(struct call *call, uint64_t graph, bool add) {
    struct program *p = call->program;
    struct graph *g = graph_find(p, graph);
    if (!g) return CUDA_ERROR_INVALID_VALUE;
    size_t count = call->payload_bytes / (2 * sizeof(uint64_t));
    uint64_t *pairs = (uint64_t *)(void *)call_take_payload(call, PAYLOAD_NODES);
    if (!pairs) return HEDDLE_cudaErrorMemoryAllocation;
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < count && !error; i++)
        error = add ? graph_connect(p, g, pairs[i], pairs[count + i])
                    : graph_disconnect(p, g, pairs[i], pairs[count + i]);
    free(pairs);
    return error;
}

int do_cudaGraphAddDependencies(struct call *call, uint64_t graph) {
    return connect(call, graph, true);
}

int do_cudaGraphRemoveDependencies(struct call *call, uint64_t graph) {
    return connect(call, graph, false);
}

/* ---- lists: the reply carries all handles, the result is their number */

/* An empty list of handles; push() frees it. */
static GArray *new_list(void) {
    return g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

/* Leaves a list of handles, 8 bytes each, in the staging memory for the reply and frees it. *out:
 * their number. @return NotSupported: too many for the staging memory. */
static int push(struct call *call, GArray *list, uint64_t *out) {
    int error = CUDA_SUCCESS;
    size_t bytes = list->len * sizeof(uint64_t);
    *out = list->len;
    if (bytes > WIRE_STAGING_BYTES)
        error = HEDDLE_cudaErrorNotSupported;
    else if (bytes)
        call_push_last(call, 0, list->data, (uint32_t)bytes);
    g_array_unref(list);
    return error;
}

/* Pushes the handles of all nodes of a graph, or of those without dependencies (roots). *out: their
 * number. */
static int list_nodes(struct call *call, uint64_t graph, bool roots, uint64_t *out) {
    const struct graph *g = graph_find(call->program, graph);
    if (!g) return CUDA_ERROR_INVALID_VALUE;
    GArray *list = new_list();
    for (size_t i = 0; i < g->nodes->len; i++) {
        const struct graph_node *n = graph_node_at(g, i);
        if (!roots || !n->from->len) g_array_append_val(list, n->handle);
    }
    return push(call, list, out);
}

int do_cudaGraphGetNodes(struct call *call, uint64_t graph, uint64_t *count) {
    return list_nodes(call, graph, false, count);
}

int do_cudaGraphGetRootNodes(struct call *call, uint64_t graph, uint64_t *count) {
    return list_nodes(call, graph, true, count);
}

/* Pushes pairs (from, to), 16 bytes each. *count: the number of pairs. */
int do_cudaGraphGetEdges(struct call *call, uint64_t graph, uint64_t *count) {
    const struct graph *g = graph_find(call->program, graph);
    if (!g) return CUDA_ERROR_INVALID_VALUE;
    GArray *list = new_list();
    for (size_t i = 0; i < g->nodes->len; i++) {
        const struct graph_node *n = graph_node_at(g, i);
        for (size_t j = 0; j < n->from->len; j++) {
            g_array_append_val(list, g_array_index(n->from, uint64_t, j));
            g_array_append_val(list, n->handle);
        }
    }
    int error = push(call, list, count);
    *count /= 2;
    return error;
}

/* Pushes the handles of the nodes on which the node depends. *count: their number. */
int do_cudaGraphNodeGetDependencies(struct call *call, uint64_t node, uint64_t *count) {
    const struct graph_node *n = graph_find_node(call->program, node);
    return n ? push(call, g_array_copy(n->from), count) : CUDA_ERROR_INVALID_VALUE;
}

/* Pushes the handles of the nodes that depend on the node. *count: their number. */
int do_cudaGraphNodeGetDependentNodes(struct call *call, uint64_t node, uint64_t *count) {
    const struct graph_node *n = graph_find_node(call->program, node);
    if (!n) return CUDA_ERROR_INVALID_VALUE;
    GArray *list = new_list();
    for (size_t i = 0; i < n->graph->nodes->len; i++) {
        const struct graph_node *other = graph_node_at(n->graph, i);
        if (graph_depends(other, node)) g_array_append_val(list, other->handle);
    }
    return push(call, list, count);
}

/* Pushes the graph as text for Graphviz (graph_dot()). *bytes: its length. @return NotSupported:
 * too long for the staging memory. */
int do_cudaGraphDebugDotPrint(struct call *call, uint64_t graph, uint64_t flags, uint64_t *bytes) {
    const struct graph *g = graph_find(call->program, graph);
    if (!g) return CUDA_ERROR_INVALID_VALUE;
    GString *text = graph_dot(call->program, g, flags);
    int error = text->len > WIRE_STAGING_BYTES ? HEDDLE_cudaErrorNotSupported : CUDA_SUCCESS;
    if (!error) call_push_last(call, 0, text->str, (uint32_t)text->len);
    *bytes = text->len;
    g_string_free(text, TRUE);
    return error;
}

/* ---- executable graphs */

/* *exec: an executable graph with a sorted copy of the graph (graph_instantiate()). @return
 * InvalidValue: also unknown flags or a cycle; NotSupported: launches by the device. */
int do_cudaGraphInstantiate(struct call *call, uint64_t *exec, uint64_t graph, uint64_t flags) {
    const struct graph *g = graph_find(call->program, graph);
    struct graph_exec *e;
    if (!g || flags & ~(uint64_t)FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if (flags & FLAG_DEVICE_LAUNCH) return HEDDLE_cudaErrorNotSupported;
    int error = graph_instantiate(call, g, flags, &e);
    if (!error) *exec = e->handle;
    return error;
}

int do_cudaGraphInstantiateWithFlags(struct call *call, uint64_t *exec, uint64_t graph,
                                     uint64_t flags) {
    return do_cudaGraphInstantiate(call, exec, graph, flags);
}

/* Frees the executable graph with its copy of the graph. */
int do_cudaGraphExecDestroy(struct call *call, uint64_t exec) {
    struct graph_exec *e = graph_find_exec(call->program, exec);
    if (!e) return CUDA_ERROR_INVALID_VALUE;
    graph_exec_destroy(call->program, e); /* launches in flight have copies of what they need */
    return CUDA_SUCCESS;
}

/* *flags: those of its instantiation. */
int do_cudaGraphExecGetFlags(struct call *call, uint64_t exec, uint64_t *flags) {
    const struct graph_exec *e = graph_find_exec(call->program, exec);
    if (!e) return CUDA_ERROR_INVALID_VALUE;
    *flags = e->flags;
    return CUDA_SUCCESS;
}

/* Replaces the work of the executable graph's nodes by that of `graph`, or of none if one does not
 * fit (graph_exec_update()). *result: a cudaGraphExecUpdateResult; *node: the first that does not
 * fit, or 0. */
int do_cudaGraphExecUpdate(struct call *call, uint64_t exec, uint64_t graph, uint64_t *result,
                           uint64_t *node) {
    struct graph_exec *e = graph_find_exec(call->program, exec);
    const struct graph *g = graph_find(call->program, graph);
    if (!e || !g) return CUDA_ERROR_INVALID_VALUE;
    /* The shim turns a result other than 0 into cudaErrorGraphExecUpdateFailure. */
    return graph_exec_update(call, e, g, node, result);
}

/* The node of an executable graph that was made from `node`, if it is of a kind that can be
 * disabled; else NULL. */
static struct graph_node *exec_node(struct call *call, uint64_t exec, uint64_t node) {
    struct graph_exec *e = graph_find_exec(call->program, exec);
    struct graph_node *n = e ? graph_exec_node(e, node) : NULL;
    bool can = n && (n->work.kind == NODE_KERNEL || n->work.kind == NODE_COPY ||
                     n->work.kind == NODE_FILL);
    return can ? n : NULL;
}

/* A disabled node of an executable graph does nothing in later launches. @return InvalidValue: also
 * a kind that cannot be disabled. */
int do_cudaGraphNodeSetEnabled(struct call *call, uint64_t exec, uint64_t node, uint64_t enabled) {
    struct graph_node *n = exec_node(call, exec, node);
    if (!n) return CUDA_ERROR_INVALID_VALUE;
    n->disabled = !enabled;
    return CUDA_SUCCESS;
}

/* *enabled: see do_cudaGraphNodeSetEnabled(). */
int do_cudaGraphNodeGetEnabled(struct call *call, uint64_t exec, uint64_t node, uint64_t *enabled) {
    const struct graph_node *n = exec_node(call, exec, node);
    if (!n) return CUDA_ERROR_INVALID_VALUE;
    *enabled = !n->disabled;
    return CUDA_SUCCESS;
}

/* Issues the graph on the stream (graph_launch()), which may compile kernels. If a copy reaches
 * pageable memory, waits: drives the simulation and blocks the server; a fault becomes the sticky
 * error (wait.c). On a captured stream, adds a copy of the graph as a child graph. @return
 * InvalidResourceHandle: no such stream. */
int do_cudaGraphLaunch(struct call *call, uint64_t exec, uint64_t stream) {
    struct graph_exec *e = graph_find_exec(call->program, exec);
    struct stream_ref ref;
    if (!e) return CUDA_ERROR_INVALID_VALUE;
    int error = capture_find_op_stream(call, stream, &ref);
    if (error || !ref.capture) return error ? error : graph_launch(call, e, &ref);
    struct node_work work = {.kind = NODE_CHILD_GRAPH,
                             .child = graph_clone(call->program, e->graph)};
    return work.child ? capture_add(call, &ref, &work) : HEDDLE_cudaErrorMemoryAllocation;
}

/* Only checks its arguments, which invalidates the capture of a captured stream: a launch needs
 * nothing on the device beforehand. */
int do_cudaGraphUpload(struct call *call, uint64_t exec, uint64_t stream) {
    struct stream_ref ref;
    if (!graph_find_exec(call->program, exec)) return CUDA_ERROR_INVALID_VALUE;
    return capture_find_open_stream(call, stream, &ref);
}
