/* shim_graph.c - graphs as a whole: edges, lists, instantiation and update, whose form depends on
 * the CUDA version. Handles travel as they are. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim.h"

#define FUNCTION(name, parameters, body) \
    SHIM_EXPORT int name parameters;     \
    int name parameters {                \
        return body;                     \
    }

/* ---- edges */

static int connect_nodes(enum cuda_call_id id, void *graph, void *const *from, void *const *to,
                         size_t count, const void *edges) {
    if (count && (!from || !to)) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (edges) {
        shim_say("not supported: %s() with edge data (programmatic launch)", shim_call_names[id]);
        return shim_fail(id, HEDDLE_cudaErrorNotSupported);
    }
    void **pairs = malloc((2 * count + 1) * sizeof *pairs);
    if (!pairs) return shim_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    if (count) memcpy(pairs, from, count * sizeof *pairs);
    if (count) memcpy(pairs + count, to, count * sizeof *pairs);
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)graph},
                             .source = {.base = pairs},
                             .payload_bytes = 2 * count * sizeof *pairs};
    if (id == CALL_cudaGraphAddDependencies_v2) call.id = CALL_cudaGraphAddDependencies;
    if (id == CALL_cudaGraphRemoveDependencies_v2) call.id = CALL_cudaGraphRemoveDependencies;
    if (call.id != id) shim_enter_per_thread(id); /* counted under the program's name for it */
    int error = shim_leave_per_thread(shim_call(&call));
    free(pairs);
    return error;
}

/* ---- lists of handles. Without room the number is told; with more room than needed the rest is
 * cleared and the number told. */

static int list(enum cuda_call_id id, enum cuda_call_id named, void *what, void **first,
                void **second, size_t *count) {
    enum { MOST = WIRE_STAGING_BYTES / 8 };
    if (!count) return shim_fail(named, HEDDLE_cudaErrorInvalidValue);
    void **all = malloc(MOST * sizeof *all);
    if (!all) return shim_fail(named, HEDDLE_cudaErrorMemoryAllocation);
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)what},
                             .target = {.base = all},
                             .target_bytes = MOST * sizeof *all};
    if (id != named) shim_enter_per_thread(named);
    int error = shim_leave_per_thread(shim_call(&call));
    size_t there = call.out[0], step = id == CALL_cudaGraphGetEdges ? 2 : 1;
    for (size_t i = 0; !error && (first || second) && i < *count; i++) {
        if (first) first[i] = i < there ? all[step * i] : NULL;
        if (second) second[i] = i < there ? all[step * i + 1] : NULL;
    }
    if (!error && (!(first || second) || there < *count)) *count = there;
    free(all);
    return error;
}

FUNCTION(cudaGraphGetNodes, (void *graph, void **nodes, size_t *count),
         list(CALL_cudaGraphGetNodes, CALL_cudaGraphGetNodes, graph, nodes, NULL, count))
FUNCTION(cudaGraphGetRootNodes, (void *graph, void **nodes, size_t *count),
         list(CALL_cudaGraphGetRootNodes, CALL_cudaGraphGetRootNodes, graph, nodes, NULL, count))

/* Data of edges: there is none, which eight zero bytes say. */
static void *no_data(void *edges, const size_t *count) {
    if (edges && count) memset(edges, 0, *count * 8);
    return edges;
}

#define WITH_DATA(edges_name, from_name, to_name, add_name, remove_name)                         \
    FUNCTION(edges_name, (void *graph, void **from, void **to, void *edges, size_t *count),      \
             (no_data(edges, count),                                                             \
              list(CALL_cudaGraphGetEdges, CALL_##edges_name, graph, from, to, count)))          \
    FUNCTION(from_name, (void *node, void **nodes, void *edges, size_t *count),                  \
             (no_data(edges, count), list(CALL_cudaGraphNodeGetDependencies, CALL_##from_name,   \
                                          node, nodes, NULL, count)))                            \
    FUNCTION(to_name, (void *node, void **nodes, void *edges, size_t *count),                    \
             (no_data(edges, count), list(CALL_cudaGraphNodeGetDependentNodes, CALL_##to_name,   \
                                          node, nodes, NULL, count)))                            \
    FUNCTION(add_name,                                                                           \
             (void *graph, void *const *from, void *const *to, const void *edges, size_t count), \
             connect_nodes(CALL_##add_name, graph, from, to, count, edges))                      \
    FUNCTION(remove_name,                                                                        \
             (void *graph, void *const *from, void *const *to, const void *edges, size_t count), \
             connect_nodes(CALL_##remove_name, graph, from, to, count, edges))

#if HEDDLE_CUDART_VERSION >= 13
WITH_DATA(cudaGraphGetEdges, cudaGraphNodeGetDependencies, cudaGraphNodeGetDependentNodes,
          cudaGraphAddDependencies, cudaGraphRemoveDependencies)
#else
#if HEDDLE_CUDART_VERSION == 12
WITH_DATA(cudaGraphGetEdges_v2, cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependentNodes_v2,
          cudaGraphAddDependencies_v2, cudaGraphRemoveDependencies_v2)
#else
static void *(*const unused_in_11)(void *, const size_t *)__attribute__((unused)) = no_data;
#endif
FUNCTION(cudaGraphGetEdges, (void *graph, void **from, void **to, size_t *count),
         list(CALL_cudaGraphGetEdges, CALL_cudaGraphGetEdges, graph, from, to, count))
FUNCTION(cudaGraphNodeGetDependencies, (void *node, void **nodes, size_t *count),
         list(CALL_cudaGraphNodeGetDependencies, CALL_cudaGraphNodeGetDependencies, node, nodes,
              NULL, count))
FUNCTION(cudaGraphNodeGetDependentNodes, (void *node, void **nodes, size_t *count),
         list(CALL_cudaGraphNodeGetDependentNodes, CALL_cudaGraphNodeGetDependentNodes, node, nodes,
              NULL, count))
FUNCTION(cudaGraphAddDependencies, (void *graph, void *const *from, void *const *to, size_t count),
         connect_nodes(CALL_cudaGraphAddDependencies, graph, from, to, count, NULL))
FUNCTION(cudaGraphRemoveDependencies,
         (void *graph, void *const *from, void *const *to, size_t count),
         connect_nodes(CALL_cudaGraphRemoveDependencies, graph, from, to, count, NULL))
#endif

/* ---- instantiation */

static int instantiate(enum cuda_call_id id, void **exec, void *graph, unsigned long long flags) {
    struct shim_call call = {.id = id, .in = {(uintptr_t)graph, flags}};
    if (!exec) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = shim_call(&call);
    if (error == HEDDLE_cudaErrorNotSupported)
        shim_say("not supported: %s() with cudaGraphInstantiateFlagDeviceLaunch",
                 shim_call_names[id]);
    if (!error) *exec = (void *)(uintptr_t)call.out[0];
    return error;
}

FUNCTION(cudaGraphInstantiateWithFlags, (void **exec, void *graph, unsigned long long flags),
         instantiate(CALL_cudaGraphInstantiateWithFlags, exec, graph, flags))

#if HEDDLE_CUDART_VERSION >= 12
FUNCTION(cudaGraphInstantiate, (void **exec, void *graph, unsigned long long flags),
         instantiate(CALL_cudaGraphInstantiate, exec, graph, flags))

struct instantiate_params {
    unsigned long long flags;
    void *stream, *bad_node;
    int result;
};

SHIM_EXPORT int cudaGraphInstantiateWithParams(void **exec, void *graph,
                                               struct instantiate_params *p);
int cudaGraphInstantiateWithParams(void **exec, void *graph, struct instantiate_params *p) {
    static const enum cuda_call_id id = CALL_cudaGraphInstantiateWithParams;
    struct shim_call call = {.id = CALL_cudaGraphInstantiate, .in = {(uintptr_t)graph}};
    if (!exec || !p) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    call.in[1] = p->flags;
    int per_thread = shim_self()->per_thread;
    if (!per_thread) shim_enter_per_thread(id); /* counted under this name */
    int error = shim_leave_per_thread(shim_call(&call));
    p->bad_node = NULL;
    p->result = error != CUDA_SUCCESS;
    if (!error) *exec = (void *)(uintptr_t)call.out[0];
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

/* ---- update */

static int update(void *exec, void *graph, int *result, void **bad_node) {
    struct shim_call call = {.id = CALL_cudaGraphExecUpdate,
                             .in = {(uintptr_t)exec, (uintptr_t)graph}};
    int error = shim_call(&call);
    if (error) return error;
    *result = (int)call.out[0];
    *bad_node = (void *)(uintptr_t)call.out[1];
    if (*result == 0) return CUDA_SUCCESS;
    shim_self()->last_error = HEDDLE_cudaErrorGraphExecUpdateFailure;
    return HEDDLE_cudaErrorGraphExecUpdateFailure;
}

#if HEDDLE_CUDART_VERSION >= 12
struct update_info {
    int result;
    void *node, *from;
};
SHIM_EXPORT int cudaGraphExecUpdate(void *exec, void *graph, struct update_info *info);
int cudaGraphExecUpdate(void *exec, void *graph, struct update_info *info) {
    if (!info) return shim_fail(CALL_cudaGraphExecUpdate, HEDDLE_cudaErrorInvalidValue);
    info->from = NULL;
    return update(exec, graph, &info->result, &info->node);
}
#else
SHIM_EXPORT int cudaGraphExecUpdate(void *exec, void *graph, void **bad_node, int *result);
int cudaGraphExecUpdate(void *exec, void *graph, void **bad_node, int *result) {
    if (!bad_node || !result)
        return shim_fail(CALL_cudaGraphExecUpdate, HEDDLE_cudaErrorInvalidValue);
    return update(exec, graph, result, bad_node);
}
#endif
