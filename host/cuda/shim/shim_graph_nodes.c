/* shim_graph_nodes.c - the runtime's calls on nodes of graphs.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error.
 *
 * The macros define one exported function for each way to add or change a kind of node. shim_node.c
 * packs the node and makes the call; shim_node.h says what each function there does. Exceptions to
 * the one message: the first use of a kernel asks the server for its layout, a lookup of a kernel
 * or variable may send late registrations, and a node with a host function may start the helper
 * thread. Those messages count as no calls.
 *
 * The server assigns the handles of graphs, nodes and executable graphs. The static functions add
 * or change a node; `at` names the call and the graph or node (struct shim_place). A NULL structure
 * is cudaErrorInvalidValue. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim_node.h"

/* ---- the calls */

#define ADD_PARAMETERS void **node, void *graph, void *const *from, size_t num_from
#define ADD_PLACE(name) shim_adding(CALL_##name, node, graph, from, num_from)
#define FUNCTION(name, parameters, body) \
    SHIM_EXPORT int name parameters;     \
    int name parameters {                \
        return body;                     \
    }
/* Defines the three calls of a kind: add a node, change it, change it in an executable graph. */
#define NODE_CALLS(kind, set_suffix, type, function)                                  \
    FUNCTION(cudaGraphAdd##kind##Node, (ADD_PARAMETERS, type p),                      \
             function(ADD_PLACE(cudaGraphAdd##kind##Node), p))                        \
    FUNCTION(cudaGraph##kind##Node##set_suffix, (void *node, type p),                 \
             function(shim_setting(CALL_cudaGraph##kind##Node##set_suffix, node), p)) \
    FUNCTION(                                                                         \
        cudaGraphExec##kind##Node##set_suffix, (void *exec, void *node, type p),      \
        function(shim_setting_exec(CALL_cudaGraphExec##kind##Node##set_suffix, exec, node), p))

NODE_CALLS(Kernel, SetParams, const struct shim_kernel_params *, shim_kernel_node)
NODE_CALLS(Memcpy, SetParams, const struct shim_copy3d *, shim_copy_box_node)
NODE_CALLS(Memset, SetParams, const struct shim_fill_params *, shim_fill_node)
NODE_CALLS(Host, SetParams, const struct shim_host_params *, shim_host_node)

/* A node that records an event, and one that waits for it. */
static int event_record(struct shim_place at, void *event) {
    return shim_simple_node(at, NODE_EVENT_RECORD, event);
}
static int event_wait(struct shim_place at, void *event) {
    return shim_simple_node(at, NODE_EVENT_WAIT, event);
}
NODE_CALLS(EventRecord, SetEvent, void *, event_record)
NODE_CALLS(EventWait, SetEvent, void *, event_wait)

/* Defines the three calls of a copy of one row of bytes, whose parameters are LINE_`parameters`. */
#define LINE_CALLS(suffix, parameters, body)                                        \
    FUNCTION(cudaGraphAddMemcpyNode##suffix, (ADD_PARAMETERS, LINE_##parameters),   \
             body(ADD_PLACE(cudaGraphAddMemcpyNode##suffix)))                       \
    FUNCTION(cudaGraphMemcpyNodeSetParams##suffix, (void *node, LINE_##parameters), \
             body(shim_setting(CALL_cudaGraphMemcpyNodeSetParams##suffix, node)))   \
    FUNCTION(cudaGraphExecMemcpyNodeSetParams##suffix,                              \
             (void *exec, void *node, LINE_##parameters),                           \
             body(shim_setting_exec(CALL_cudaGraphExecMemcpyNodeSetParams##suffix, exec, node)))
#define LINE_PLAIN void *dst, const void *src, size_t bytes, int kind
#define LINE_TO const void *symbol, const void *src, size_t bytes, size_t offset, int kind
#define LINE_FROM void *dst, const void *symbol, size_t bytes, size_t offset, int kind
#define PLAIN_BODY(place) shim_copy_line_node(place, dst, src, bytes, kind, 0, NULL)
#define TO_BODY(place) \
    shim_copy_line_node(place, (void *)offset, src, bytes, kind, WIRE_NODE_TO_SYMBOL, symbol)
#define FROM_BODY(place) \
    shim_copy_line_node(place, dst, (void *)offset, bytes, kind, WIRE_NODE_FROM_SYMBOL, symbol)
LINE_CALLS(1D, PLAIN, PLAIN_BODY)
LINE_CALLS(ToSymbol, TO, TO_BODY)
LINE_CALLS(FromSymbol, FROM, FROM_BODY)

FUNCTION(cudaGraphAddEmptyNode, (ADD_PARAMETERS),
         shim_simple_node(ADD_PLACE(cudaGraphAddEmptyNode), NODE_EMPTY, NULL))
FUNCTION(cudaGraphAddChildGraphNode, (ADD_PARAMETERS, void *child),
         shim_simple_node(ADD_PLACE(cudaGraphAddChildGraphNode), NODE_CHILD_GRAPH, child))
FUNCTION(cudaGraphExecChildGraphNodeSetParams, (void *exec, void *node, void *child),
         shim_simple_node(shim_setting_exec(CALL_cudaGraphExecChildGraphNodeSetParams, exec, node),
                          NODE_CHILD_GRAPH, child))
FUNCTION(cudaGraphAddMemAllocNode, (ADD_PARAMETERS, struct shim_alloc_params *p),
         shim_alloc_node(ADD_PLACE(cudaGraphAddMemAllocNode), p))
FUNCTION(cudaGraphAddMemFreeNode, (ADD_PARAMETERS, void *address),
         shim_simple_node(ADD_PLACE(cudaGraphAddMemFreeNode), NODE_FREE, address))

/* ---- queries of a node */

/* Reads a kernel's node. p->function becomes the program's handle of the kernel. The arguments lie
 * in the node's record (shim_answer_for), readable until the next query of the node by any thread.
 */
SHIM_EXPORT int cudaGraphKernelNodeGetParams(void *node, struct shim_kernel_params *p);
int cudaGraphKernelNodeGetParams(void *node, struct shim_kernel_params *p) {
    const struct shim_symbol *f;
    int error = shim_ask_kernel_node(CALL_cudaGraphKernelNodeGetParams, node, p, &f);
    if (!error) p->function = (void *)(uintptr_t)f->host;
    return error;
}
FUNCTION(cudaGraphMemcpyNodeGetParams, (void *node, struct shim_copy3d *p),
         shim_ask_copy_node(CALL_cudaGraphMemcpyNodeGetParams, node, p))
FUNCTION(cudaGraphMemsetNodeGetParams, (void *node, struct shim_fill_params *p),
         shim_ask_fill_node(CALL_cudaGraphMemsetNodeGetParams, node, p))
FUNCTION(cudaGraphHostNodeGetParams, (void *node, struct shim_host_params *p),
         shim_ask_host_node(CALL_cudaGraphHostNodeGetParams, node, p))
FUNCTION(cudaGraphMemAllocNodeGetParams, (void *node, struct shim_alloc_params *p),
         shim_ask_alloc_node(CALL_cudaGraphMemAllocNodeGetParams, node, p))
FUNCTION(cudaGraphChildGraphNodeGetGraph, (void *node, void **graph),
         shim_ask_pointer_node(CALL_cudaGraphChildGraphNodeGetGraph, node, graph))
FUNCTION(cudaGraphEventRecordNodeGetEvent, (void *node, void **event),
         shim_ask_pointer_node(CALL_cudaGraphEventRecordNodeGetEvent, node, event))
FUNCTION(cudaGraphEventWaitNodeGetEvent, (void *node, void **event),
         shim_ask_pointer_node(CALL_cudaGraphEventWaitNodeGetEvent, node, event))
FUNCTION(cudaGraphMemFreeNodeGetParams, (void *node, void *address),
         shim_ask_pointer_node(CALL_cudaGraphMemFreeNodeGetParams, node, address))

/* ---- nodes of any kind */

#if HEDDLE_CUDART_VERSION >= 12
struct node_params { /* cudaGraphNodeParams */
    int type, reserved[3];
    union {
        long long room[29];
        struct shim_kernel_params kernel;
        struct {
            int flags, reserved[3];
            struct shim_copy3d params;
        } copy;
        struct shim_fill_params fill;
    } u;
    long long reserved2;
};

/* Adds or changes a node of the kind p->type. shim_other_node() handles the kinds that both
 * interfaces describe alike, and refuses unknown ones with a message. */
static int any(struct shim_place at, struct node_params *p) {
    if (!p) return shim_fail(at.id, HEDDLE_cudaErrorInvalidValue);
    switch (p->type) {
    case NODE_KERNEL: return shim_kernel_node(at, &p->u.kernel);
    case NODE_COPY: return shim_copy_box_node(at, &p->u.copy.params);
    case NODE_FILL: return shim_fill_node(at, &p->u.fill);
    default: return shim_other_node(at, p->type, &p->u);
    }
}

FUNCTION(cudaGraphNodeSetParams, (void *node, struct node_params *p),
         any(shim_setting(CALL_cudaGraphNodeSetParams, node), p))
FUNCTION(cudaGraphExecNodeSetParams, (void *exec, void *node, struct node_params *p),
         any(shim_setting_exec(CALL_cudaGraphExecNodeSetParams, exec, node), p))
#if HEDDLE_CUDART_VERSION >= 13
FUNCTION(cudaGraphAddNode,
         (void **node, void *graph, void *const *from, const void *edges, size_t num_from,
          struct node_params *p),
         edges ? shim_refuse_edges(CALL_cudaGraphAddNode) : any(ADD_PLACE(cudaGraphAddNode), p))
#else
FUNCTION(cudaGraphAddNode, (ADD_PARAMETERS, struct node_params *p),
         any(ADD_PLACE(cudaGraphAddNode), p))
#endif
#endif
