/* shim_graph.c - the runtime's calls on whole graphs: edges, lists, instantiation and update, whose
 * form depends on the CUDA version. The build generates the others.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error.
 *
 * shim_node.c makes these calls; shim_node.h says what each does and allocates. A call with edge
 * data is refused with a message and cudaErrorNotSupported. The server assigns the handles of
 * graphs, nodes and executable graphs; this file passes them on. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim_node.h"

/* Defines an exported function. */
#define FUNCTION(name, parameters, body) \
    SHIM_EXPORT int name parameters;     \
    int name parameters {                \
        return body;                     \
    }

FUNCTION(cudaGraphGetNodes, (void *graph, void **nodes, size_t *count),
         shim_list_nodes(CALL_cudaGraphGetNodes, CALL_cudaGraphGetNodes, false, graph, nodes, NULL,
                         NULL, count))
FUNCTION(cudaGraphGetRootNodes, (void *graph, void **nodes, size_t *count),
         shim_list_nodes(CALL_cudaGraphGetRootNodes, CALL_cudaGraphGetRootNodes, false, graph,
                         nodes, NULL, NULL, count))

FUNCTION(cudaGraphDebugDotPrint, (void *graph, const char *path, unsigned flags),
         shim_print_graph(CALL_cudaGraphDebugDotPrint, graph, path, flags))

/* Defines the calls with edge data, under the names that the CUDA version gives them. The server
 * receives each as the form without data (the first CALL_). */
#define WITH_DATA(edges_name, from_name, to_name, add_name, remove_name)                           \
    FUNCTION(edges_name, (void *graph, void **from, void **to, void *edges, size_t *count),        \
             shim_list_nodes(CALL_cudaGraphGetEdges, CALL_##edges_name, true, graph, from, to,     \
                             edges, count))                                                        \
    FUNCTION(from_name, (void *node, void **nodes, void *edges, size_t *count),                    \
             shim_list_nodes(CALL_cudaGraphNodeGetDependencies, CALL_##from_name, false, node,     \
                             nodes, NULL, edges, count))                                           \
    FUNCTION(to_name, (void *node, void **nodes, void *edges, size_t *count),                      \
             shim_list_nodes(CALL_cudaGraphNodeGetDependentNodes, CALL_##to_name, false, node,     \
                             nodes, NULL, edges, count))                                           \
    FUNCTION(add_name,                                                                             \
             (void *graph, void *const *from, void *const *to, const void *edges, size_t count),   \
             shim_connect_nodes(CALL_cudaGraphAddDependencies, CALL_##add_name, graph, from, to,   \
                                count, edges))                                                     \
    FUNCTION(remove_name,                                                                          \
             (void *graph, void *const *from, void *const *to, const void *edges, size_t count),   \
             shim_connect_nodes(CALL_cudaGraphRemoveDependencies, CALL_##remove_name, graph, from, \
                                to, count, edges))

#if HEDDLE_CUDART_VERSION >= 13
WITH_DATA(cudaGraphGetEdges, cudaGraphNodeGetDependencies, cudaGraphNodeGetDependentNodes,
          cudaGraphAddDependencies, cudaGraphRemoveDependencies)
#else
#if HEDDLE_CUDART_VERSION == 12
WITH_DATA(cudaGraphGetEdges_v2, cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependentNodes_v2,
          cudaGraphAddDependencies_v2, cudaGraphRemoveDependencies_v2)
#endif
FUNCTION(cudaGraphGetEdges, (void *graph, void **from, void **to, size_t *count),
         shim_list_nodes(CALL_cudaGraphGetEdges, CALL_cudaGraphGetEdges, true, graph, from, to,
                         NULL, count))
FUNCTION(cudaGraphNodeGetDependencies, (void *node, void **nodes, size_t *count),
         shim_list_nodes(CALL_cudaGraphNodeGetDependencies, CALL_cudaGraphNodeGetDependencies,
                         false, node, nodes, NULL, NULL, count))
FUNCTION(cudaGraphNodeGetDependentNodes, (void *node, void **nodes, size_t *count),
         shim_list_nodes(CALL_cudaGraphNodeGetDependentNodes, CALL_cudaGraphNodeGetDependentNodes,
                         false, node, nodes, NULL, NULL, count))
FUNCTION(cudaGraphAddDependencies, (void *graph, void *const *from, void *const *to, size_t count),
         shim_connect_nodes(CALL_cudaGraphAddDependencies, CALL_cudaGraphAddDependencies, graph,
                            from, to, count, NULL))
FUNCTION(cudaGraphRemoveDependencies,
         (void *graph, void *const *from, void *const *to, size_t count),
         shim_connect_nodes(CALL_cudaGraphRemoveDependencies, CALL_cudaGraphRemoveDependencies,
                            graph, from, to, count, NULL))
#endif

/* ---- instantiation */

/* Makes the call `id`, which makes an executable graph. *exec: its handle. Prints that it refuses
 * flags for a launch from the device (shim_instantiate). */
static int instantiate(enum cuda_call_id id, void **exec, void *graph, unsigned long long flags) {
    return shim_instantiate(id, id, exec, graph, flags);
}

FUNCTION(cudaGraphInstantiateWithFlags, (void **exec, void *graph, unsigned long long flags),
         instantiate(CALL_cudaGraphInstantiateWithFlags, exec, graph, flags))

#if HEDDLE_CUDART_VERSION >= 12
FUNCTION(cudaGraphInstantiate, (void **exec, void *graph, unsigned long long flags),
         instantiate(CALL_cudaGraphInstantiate, exec, graph, flags))

struct instantiate_params { /* cudaGraphInstantiateParams */
    unsigned long long flags;
    void *stream, *bad_node;
    int result;
};

/* Travels as cudaGraphInstantiate. Ignores p->stream, because an upload does nothing in Heddle.
 * Writes p->bad_node (NULL) and p->result (0, or 1 for any error) even if the call fails. */
SHIM_EXPORT int cudaGraphInstantiateWithParams(void **exec, void *graph,
                                               struct instantiate_params *p);
int cudaGraphInstantiateWithParams(void **exec, void *graph, struct instantiate_params *p) {
    static const enum cuda_call_id id = CALL_cudaGraphInstantiateWithParams;
    if (!p) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = shim_instantiate(CALL_cudaGraphInstantiate, id, exec, graph, p->flags);
    p->bad_node = NULL;
    p->result = error != CUDA_SUCCESS;
    return error;
}
#else
SHIM_EXPORT int cudaGraphInstantiate(void **exec, void *graph, void **bad_node, char *log,
                                     size_t log_bytes);
int cudaGraphInstantiate(void **exec, void *graph, void **bad_node, char *log, size_t log_bytes) {
    if (bad_node) *bad_node = NULL;
    if (log && log_bytes) *log = '\0';
    return instantiate(CALL_cudaGraphInstantiate, exec, graph, 0);
}
#endif

/* ---- update. The results are written for a refused update, too. */

#if HEDDLE_CUDART_VERSION >= 12
/* cudaGraphExecUpdateResultInfo: a cudaGraphExecUpdateResult, the node that does not fit, and the
 * node that it depends on, which Heddle leaves NULL. */
struct update_info { /* cudaGraphExecUpdateResultInfo */
    int result;
    void *node, *from;
};
SHIM_EXPORT int cudaGraphExecUpdate(void *exec, void *graph, struct update_info *info);
int cudaGraphExecUpdate(void *exec, void *graph, struct update_info *info) {
    if (!info) return shim_fail(CALL_cudaGraphExecUpdate, HEDDLE_cudaErrorInvalidValue);
    info->from = NULL;
    return shim_update_graph(CALL_cudaGraphExecUpdate, exec, graph, &info->result, &info->node);
}
#else
SHIM_EXPORT int cudaGraphExecUpdate(void *exec, void *graph, void **bad_node, int *result);
int cudaGraphExecUpdate(void *exec, void *graph, void **bad_node, int *result) {
    if (!bad_node || !result)
        return shim_fail(CALL_cudaGraphExecUpdate, HEDDLE_cudaErrorInvalidValue);
    return shim_update_graph(CALL_cudaGraphExecUpdate, exec, graph, result, bad_node);
}
#endif
