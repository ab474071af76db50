/* driver_graph.c - graphs: nodes, edges, lists, instantiation, and update.
 *
 * Runs in the program's process, in libcuda.so.1. The macros FUNCTION, NODE_CALLS and LIST define
 * the functions with CUDA names. Each implements the driver call of that name, on the thread of the
 * program that makes it: it counts the call, sends the server one message, waits for the answer,
 * and writes results through its pointers on success. The server holds the graphs; it assigns the
 * handles of graphs, nodes and executable graphs. shim_node.c packs and sends the messages, and
 * says what they hold. Exceptions: the first use of a kernel asks the server for its layout, and a
 * node with a host function may start the helper thread; both send messages of their own, which
 * count as no calls.
 *
 * The driver's structures equal the runtime's, except those of kernels and copies, which this file
 * converts. The static functions run in the body of a FUNCTION. They return a cudaError_t, may set
 * the runtime's last error (FUNCTION restores it), and count the call if they fail it (shim_fail);
 * check_context() and spread() leave that to their callers. A NULL structure is
 * cudaErrorInvalidValue. `at` names the call `at.id` and the graph or node that it adds to or
 * changes. Functions called ask_... read a node's contents into the program's structure. */
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/shim/shim_node.h"

/* Defines a driver call whose body calls libheddle_shim.so. Checks that the call may be made
 * (driver_ready), turns the body's error into a CUresult, and restores the runtime's last error. */
#define FUNCTION(name, parameters, body)                 \
    SHIM_EXPORT int name parameters;                     \
    int name parameters {                                \
        static const enum cuda_call_id id = CALL_##name; \
        int error = driver_ready(id);                    \
        if (error) return driver_fail(id, error);        \
        DRIVER_KEEPING_LAST_ERROR(error = body);         \
        return cuda_result(error);                       \
    }

/* ---- nodes */

/* Adds or changes a kernel node (shim_kernel_node), from a copy of the program's structure.
 * `second`: `params` has the later form, with the members `kernel` and `context`. Arguments in both
 * `arguments` and `extra` are cudaErrorInvalidValue. */
struct kernel_params { /* CUDA_KERNEL_NODE_PARAMS; the first form ends before `kernel` */
    struct shim_kernel_params first;
    void *kernel, *context;
};
struct fill_params { /* CUDA_MEMSET_NODE_PARAMS_v2 */
    struct shim_fill_params first;
    void *context;
};
enum { BOX_BYTES = 200 }; /* CUDA_MEMCPY3D */

/* Checks the context that a node names (NULL: none): it must be live, else RESULT_INVALID_CONTEXT,
 * and on the current context's device, else this prints so and returns cudaErrorNotSupported. Takes
 * the contexts' lock, sends nothing and counts nothing. */
static int check_context(struct shim_place at, const struct driver_context *c) {
    if (!c) return CUDA_SUCCESS;
    if (!driver_is_context(c)) return RESULT_INVALID_CONTEXT;
    const struct driver_context *here = driver_current();
    if (!here || driver_device_of(c) == driver_device_of(here)) return CUDA_SUCCESS;
    shim_say("not supported: %s() in a context of another device than the current one's",
             shim_call_names[at.id]);
    return HEDDLE_cudaErrorNotSupported;
}

/* Replaces the launch's `extra` by `argument`: sets pointers to each parameter in the program's
 * buffer, and p->arguments to `argument`, which has room for all parameters that a kernel may have.
 * Finds the kernel and, the first time, asks the server for its layout (shim_learn_parameters). A
 * buffer shorter than the parameters is cudaErrorInvalidValue. Counts nothing. */
static int spread(struct shim_kernel_params *p, void **argument) {
    struct shim_symbol *f = NULL;
    const void *buffer;
    size_t bytes;
    int error = driver_read_extra(p->extra, &buffer, &bytes);
    if (!error) error = shim_find_function(p->function, &f);
    if (!error) error = shim_learn_parameters(f);
    if (!error && bytes < f->param_bytes) error = HEDDLE_cudaErrorInvalidValue;
    if (error) return error;
    for (int i = 0; i < f->num_params; i++)
        argument[i] = (char *)(uintptr_t)buffer + f->param[i].offset;
    p->arguments = argument;
    p->extra = NULL;
    return CUDA_SUCCESS;
}

/* Adds or changes a kernel node. `second`: `params` has the later form, with the members `kernel`
 * and `context`. */
static int kernel(struct shim_place at, const void *params, bool second) {
    void *argument[SHIM_MAX_PARAM_BYTES / 4];
    const struct kernel_params *p = params;
    if (!p) return shim_fail(at.id, HEDDLE_cudaErrorInvalidValue);
    struct shim_kernel_params k = p->first;
    if (second && !k.function) k.function = p->kernel;
    bool both = k.arguments && k.extra;
    int error = both     ? HEDDLE_cudaErrorInvalidValue
                : second ? check_context(at, p->context)
                         : CUDA_SUCCESS;
    if (!error && k.extra) error = spread(&k, argument);
    return error ? shim_fail(at.id, error) : shim_kernel_node(at, &k);
}
/* A kernel node in the first form, and in the later one. */
static int first_kernel(struct shim_place at, const void *p) {
    return kernel(at, p, false);
}
static int second_kernel(struct shim_place at, const void *p) {
    return kernel(at, p, true);
}

/* Adds or changes a copy node, from a CUDA_MEMCPY3D (driver_read_box). `context` may be NULL.
 * Refuses CUDA arrays, with a message. */
static int copy(struct shim_place at, const void *box, const struct driver_context *context) {
    struct shim_copy3d c;
    int error = check_context(at, context);
    if (!error) error = driver_read_box(box, &c);
    return error ? shim_fail(at.id, error) : shim_copy_box_node(at, &c);
}
/* Adds or changes a node that fills memory. `context` may be NULL. */
static int fill(struct shim_place at, const struct shim_fill_params *p,
                const struct driver_context *context) {
    int error = check_context(at, context);
    return error ? shim_fail(at.id, error) : shim_fill_node(at, p);
}
/* A node that records an event, and one that waits for it. */
static int event_record(struct shim_place at, void *event) {
    return shim_simple_node(at, NODE_EVENT_RECORD, event);
}
static int event_wait(struct shim_place at, void *event) {
    return shim_simple_node(at, NODE_EVENT_WAIT, event);
}

struct batch_mem_op_params { /* CUDA_BATCH_MEM_OP_NODE_PARAMS */
    const struct driver_context *context;
    unsigned count; /* of the operations in `list`, DRIVER_MEM_OP_BYTES each */
    void *list;
    unsigned flags;
};
/* Adds or changes a node with a batch of stream memory operations, from a translated copy of the
 * program's list. Flags or a list that is too long are cudaErrorInvalidValue. */
static int batch_mem_op(struct shim_place at, const struct batch_mem_op_params *p) {
    uint64_t op[DRIVER_MEM_OPS_MAX * DRIVER_MEM_OP_BYTES / sizeof(uint64_t)];
    bool good = p && !p->flags && driver_read_mem_ops(p->list, p->count, op);
    int error = good ? check_context(at, p->context) : HEDDLE_cudaErrorInvalidValue;
    return error ? shim_fail(at.id, error)
                 : shim_batch_mem_op_node(at, op, (size_t)p->count * DRIVER_MEM_OP_BYTES);
}
/* Reads a batch's node. *p->list lies in the node's record (shim_answer_for), readable until the
 * next query of the node by any thread. p->context becomes the current context, because the server
 * knows none. */
static int ask_batch_mem_op(enum cuda_call_id id, void *node, struct batch_mem_op_params *p) {
    size_t bytes;
    if (!p) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = shim_ask_batch_mem_op_node(id, node, &p->list, &bytes);
    if (error) return error;
    p->context = driver_current();
    p->count = (unsigned)(bytes / DRIVER_MEM_OP_BYTES);
    p->flags = 0;
    return CUDA_SUCCESS;
}

#define ADD_PARAMETERS void **node, void *graph, void *const *from, size_t num_from
#define ADDING shim_adding(id, node, graph, from, num_from)
/* Define the three calls of a kind of node: add a node, change it, and change it in an executable
 * graph. With NODE_CALLS_IN the first and the last also name a context. */
#define NODE_CALLS(kind, set_suffix, type, function)                                         \
    FUNCTION(cuGraphAdd##kind, (ADD_PARAMETERS, type p), function(ADDING, p))                \
    FUNCTION(cuGraph##set_suffix, (void *node, type p), function(shim_setting(id, node), p)) \
    FUNCTION(cuGraphExec##set_suffix, (void *exec, void *node, type p),                      \
             function(shim_setting_exec(id, exec, node), p))
#define NODE_CALLS_IN(kind, type, function)                                                     \
    FUNCTION(cuGraphAdd##kind##Node, (ADD_PARAMETERS, type p, void *context),                   \
             function(ADDING, p, context))                                                      \
    FUNCTION(cuGraph##kind##NodeSetParams, (void *node, type p),                                \
             function(shim_setting(id, node), p, NULL))                                         \
    FUNCTION(cuGraphExec##kind##NodeSetParams, (void *exec, void *node, type p, void *context), \
             function(shim_setting_exec(id, exec, node), p, context))
NODE_CALLS(KernelNode, KernelNodeSetParams, const void *, first_kernel)
NODE_CALLS(KernelNode_v2, KernelNodeSetParams_v2, const void *, second_kernel)
NODE_CALLS_IN(Memcpy, const void *, copy)
NODE_CALLS_IN(Memset, const struct shim_fill_params *, fill)
NODE_CALLS(HostNode, HostNodeSetParams, const struct shim_host_params *, shim_host_node)
NODE_CALLS(EventRecordNode, EventRecordNodeSetEvent, void *, event_record)
NODE_CALLS(EventWaitNode, EventWaitNodeSetEvent, void *, event_wait)
NODE_CALLS(BatchMemOpNode, BatchMemOpNodeSetParams, const struct batch_mem_op_params *,
           batch_mem_op)

FUNCTION(cuGraphAddEmptyNode, (ADD_PARAMETERS), shim_simple_node(ADDING, NODE_EMPTY, NULL))
FUNCTION(cuGraphAddChildGraphNode, (ADD_PARAMETERS, void *child),
         shim_simple_node(ADDING, NODE_CHILD_GRAPH, child))
FUNCTION(cuGraphExecChildGraphNodeSetParams, (void *exec, void *node, void *child),
         shim_simple_node(shim_setting_exec(id, exec, node), NODE_CHILD_GRAPH, child))
FUNCTION(cuGraphAddMemAllocNode, (ADD_PARAMETERS, struct shim_alloc_params *p),
         shim_alloc_node(ADDING, p))
FUNCTION(cuGraphAddMemFreeNode, (ADD_PARAMETERS, void *address),
         shim_simple_node(ADDING, NODE_FREE, address))

/* ---- nodes of any kind. Not shared with the runtime: in the driver's form kernels, copies and
 * fills have other structures, and there are more kinds. */

struct node_params { /* CUgraphNodeParams */
    int type, reserved[3];
    union {
        long long room[29];
        struct kernel_params kernel;
        struct {
            int flags, reserved;
            void *context;
            char box[BOX_BYTES];
        } copy;
        struct fill_params fill;
        struct batch_mem_op_params batch_mem_op;
    } u;
    long long reserved2;
};

/* Adds or changes a node of the kind p->type. shim_other_node() handles the kinds that equal the
 * runtime's, and refuses unknown ones with a message. */
static int any(struct shim_place at, struct node_params *p) {
    if (!p) return shim_fail(at.id, HEDDLE_cudaErrorInvalidValue);
    switch (p->type) {
    case NODE_KERNEL: return second_kernel(at, &p->u.kernel);
    case NODE_COPY: return copy(at, p->u.copy.box, p->u.copy.context);
    case NODE_FILL: return fill(at, &p->u.fill.first, p->u.fill.context);
    case NODE_BATCH_MEM_OP: return batch_mem_op(at, &p->u.batch_mem_op);
    default: return shim_other_node(at, p->type, &p->u);
    }
}

FUNCTION(cuGraphAddNode, (ADD_PARAMETERS, struct node_params *p), any(ADDING, p))
FUNCTION(cuGraphAddNode_v2,
         (void **node, void *graph, void *const *from, const void *edges, size_t num_from,
          struct node_params *p),
         edges ? shim_refuse_edges(id) : any(ADDING, p))
FUNCTION(cuGraphNodeSetParams, (void *node, struct node_params *p), any(shim_setting(id, node), p))
FUNCTION(cuGraphExecNodeSetParams, (void *exec, void *node, struct node_params *p),
         any(shim_setting_exec(id, exec, node), p))

/* ---- queries of a node */

/* Reads a kernel's node into `out`. `second`: `out` has the later form. p->function becomes the
 * kernel's record. The parameters lie in the node's record (shim_answer_for), readable until the
 * next query of the node by any thread. p->context becomes the current context, because the server
 * knows none. */
static int ask_kernel(enum cuda_call_id id, void *node, void *out, bool second) {
    struct shim_kernel_params k;
    const struct shim_symbol *f;
    int error = shim_ask_kernel_node(id, node, out ? &k : NULL, &f);
    if (error) return error;
    k.function = (void *)(uintptr_t)f;
    memcpy(out, &k, sizeof k);
    if (!second) return CUDA_SUCCESS;
    struct kernel_params *p = out;
    p->kernel = NULL;
    p->context = driver_current();
    return CUDA_SUCCESS;
}
/* Reads a copy's node and writes it as a CUDA_MEMCPY3D to `box`. Sends one message and keeps
 * nothing. */
static int ask_copy(enum cuda_call_id id, void *node, void *box) {
    struct shim_copy3d c;
    int error = shim_ask_copy_node(id, node, box ? &c : NULL);
    if (!error) driver_write_box(box, &c);
    return error;
}

FUNCTION(cuGraphKernelNodeGetParams, (void *node, void *p), ask_kernel(id, node, p, false))
FUNCTION(cuGraphKernelNodeGetParams_v2, (void *node, void *p), ask_kernel(id, node, p, true))
FUNCTION(cuGraphMemcpyNodeGetParams, (void *node, void *box), ask_copy(id, node, box))
FUNCTION(cuGraphMemsetNodeGetParams, (void *node, struct shim_fill_params *p),
         shim_ask_fill_node(id, node, p))
FUNCTION(cuGraphBatchMemOpNodeGetParams, (void *node, struct batch_mem_op_params *p),
         ask_batch_mem_op(id, node, p))
FUNCTION(cuGraphHostNodeGetParams, (void *node, struct shim_host_params *p),
         shim_ask_host_node(id, node, p))
FUNCTION(cuGraphMemAllocNodeGetParams, (void *node, struct shim_alloc_params *p),
         shim_ask_alloc_node(id, node, p))
FUNCTION(cuGraphMemFreeNodeGetParams, (void *node, void **address),
         shim_ask_pointer_node(id, node, address))
FUNCTION(cuGraphChildGraphNodeGetGraph, (void *node, void **graph),
         shim_ask_pointer_node(id, node, graph))
FUNCTION(cuGraphEventRecordNodeGetEvent, (void *node, void **event),
         shim_ask_pointer_node(id, node, event))
FUNCTION(cuGraphEventWaitNodeGetEvent, (void *node, void **event),
         shim_ask_pointer_node(id, node, event))

FUNCTION(cuGraphDebugDotPrint, (void *graph, const char *path, unsigned flags),
         shim_print_graph(id, graph, path, flags))

/* ---- edges and lists */

/* Defines a call that lists nodes or (`pairs`) edges of `what` (shim_list_nodes). */
#define LIST(name, what, pairs, first, second, data, parameters) \
    FUNCTION(name, parameters, shim_list_nodes(id, id, pairs, what, first, second, data, count))
LIST(cuGraphGetNodes, graph, false, nodes, NULL, NULL, (void *graph, void **nodes, size_t *count))
LIST(cuGraphGetRootNodes, graph, false, nodes, NULL, NULL,
     (void *graph, void **nodes, size_t *count))
LIST(cuGraphGetEdges, graph, true, from, to, NULL,
     (void *graph, void **from, void **to, size_t *count))
LIST(cuGraphGetEdges_v2, graph, true, from, to, data,
     (void *graph, void **from, void **to, void *data, size_t *count))
LIST(cuGraphNodeGetDependencies, node, false, nodes, NULL, NULL,
     (void *node, void **nodes, size_t *count))
LIST(cuGraphNodeGetDependencies_v2, node, false, nodes, NULL, data,
     (void *node, void **nodes, void *data, size_t *count))
LIST(cuGraphNodeGetDependentNodes, node, false, nodes, NULL, NULL,
     (void *node, void **nodes, size_t *count))
LIST(cuGraphNodeGetDependentNodes_v2, node, false, nodes, NULL, data,
     (void *node, void **nodes, void *data, size_t *count))

#define EDGES void *graph, void *const *from, void *const *to
FUNCTION(cuGraphAddDependencies, (EDGES, size_t count),
         shim_connect_nodes(id, id, graph, from, to, count, NULL))
FUNCTION(cuGraphAddDependencies_v2, (EDGES, const void *data, size_t count),
         shim_connect_nodes(id, id, graph, from, to, count, data))
FUNCTION(cuGraphRemoveDependencies, (EDGES, size_t count),
         shim_connect_nodes(id, id, graph, from, to, count, NULL))
FUNCTION(cuGraphRemoveDependencies_v2, (EDGES, const void *data, size_t count),
         shim_connect_nodes(id, id, graph, from, to, count, data))

/* ---- instantiation and update */

/* Makes an executable graph of a graph. *exec: its handle. Prints that it refuses flags for a
 * launch from the device (shim_instantiate). */
static int instantiate(enum cuda_call_id id, void **exec, void *graph, unsigned long long flags) {
    return shim_instantiate(id, id, exec, graph, flags);
}

FUNCTION(cuGraphInstantiateWithFlags, (void **exec, void *graph, unsigned long long flags),
         instantiate(id, exec, graph, flags))

/* The first forms return a node and a text about the error. Heddle gives neither: *bad_node becomes
 * NULL and the log empty, whether the call succeeds or not. */
static int instantiate_first(enum cuda_call_id id, void **exec, void *graph, void **bad_node,
                             char *log, size_t log_bytes) {
    if (bad_node) *bad_node = NULL;
    if (log && log_bytes) *log = '\0';
    return instantiate(id, exec, graph, 0);
}
FUNCTION(cuGraphInstantiate,
         (void **exec, void *graph, void **bad_node, char *log, size_t log_bytes),
         instantiate_first(id, exec, graph, bad_node, log, log_bytes))
FUNCTION(cuGraphInstantiate_v2,
         (void **exec, void *graph, void **bad_node, char *log, size_t log_bytes),
         instantiate_first(id, exec, graph, bad_node, log, log_bytes))

struct instantiate_params { /* CUDA_GRAPH_INSTANTIATE_PARAMS */
    uint64_t flags;
    void *stream, *bad_node;
    int result;
};
/* Ignores p->stream, because an upload does nothing in Heddle. Writes p->bad_node (NULL) and
 * p->result (0, or 1 for any error) even if the call fails. */
static int instantiate_with(enum cuda_call_id id, void **exec, void *graph,
                            struct instantiate_params *p) {
    if (!p) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = instantiate(id, exec, graph, p->flags);
    p->bad_node = NULL;
    p->result = error != CUDA_SUCCESS;
    return error;
}
FUNCTION(cuGraphInstantiateWithParams, (void **exec, void *graph, struct instantiate_params *p),
         instantiate_with(id, exec, graph, p))

struct update_info { /* CUgraphExecUpdateResultInfo */
    int result;
    void *node, *from;
};
/* Updates an executable graph from a graph of the same shape. Writes the result and the node that
 * does not fit to *info, also for a refused update, which is cudaErrorGraphExecUpdateFailure;
 * info->from is always NULL. */
static int update(enum cuda_call_id id, void *exec, void *graph, struct update_info *info) {
    if (!info) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    info->from = NULL;
    return shim_update_graph(id, exec, graph, &info->result, &info->node);
}
/* The same in the first form, without a structure. `bad` and `result` must not be NULL. */
static int update_first(enum cuda_call_id id, void *exec, void *graph, void **bad, int *result) {
    return bad && result ? shim_update_graph(id, exec, graph, result, bad)
                         : shim_fail(id, HEDDLE_cudaErrorInvalidValue);
}
FUNCTION(cuGraphExecUpdate_v2, (void *exec, void *graph, struct update_info *info),
         update(id, exec, graph, info))
FUNCTION(cuGraphExecUpdate, (void *exec, void *graph, void **bad, int *result),
         update_first(id, exec, graph, bad, result))
