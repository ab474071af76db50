/* shim_graph_nodes.c - nodes of graphs: the runtime's structures become struct wire_node, and back.
 * The call that adds a node, the one that changes it, and the one that changes it in an executable
 * graph differ in nothing but what they name. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim.h"
#include "cuda/wire_node.h"

enum kind { KERNEL, COPY, FILL, HOST, CHILD, EMPTY, EVENT_WAIT, EVENT_RECORD, ALLOC = 10, FREE };

struct kernel_params { /* cudaKernelNodeParams */
    void *function;
    struct shim_dim3 grid, block;
    unsigned shared_bytes;
    void **arguments, **extra;
};
struct fill_params { /* cudaMemsetParams */
    void *dst;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};
struct host_params { /* cudaHostNodeParams */
    void *function, *argument;
};
struct alloc_params { /* cudaMemAllocNodeParams */
    int type, handle_types;
    struct shim_location location;
    char rest_of_pool[72];
    const void *access;
    size_t num_access, bytes;
    void *address;
};
_Static_assert(sizeof(struct alloc_params) == 120, "as the toolkit has it");

/* What is named: a graph to add to, a node, or an executable graph and a node. */
struct place {
    enum cuda_call_id id;
    void **out; /* adding: the new node */
    void *graph, *node;
    void *const *from;
    size_t num_from;
};

static struct place adding(enum cuda_call_id id, void **out, void *graph, void *const *from,
                           size_t num_from) {
    return (struct place){id, out, graph, NULL, from, num_from};
}

static struct place setting(enum cuda_call_id id, void *node) {
    return (struct place){.id = id, .node = node};
}

static struct place setting_exec(enum cuda_call_id id, void *exec, void *node) {
    return (struct place){.id = id, .graph = exec, .node = node};
}

/* Sends the node, `parameters` behind it. *address (may be NULL): of memory it allocates. */
static int send_node(const struct place *at, const struct wire_node *node,
                     const uint8_t *parameters, size_t bytes, void **address) {
    size_t from = at->num_from * sizeof(void *);
    bool adds = at->node == NULL;
    if ((adds && !at->out) || (at->num_from && !at->from))
        return shim_fail(at->id, HEDDLE_cudaErrorInvalidValue);
    uint8_t *payload = malloc(sizeof *node + from + bytes);
    if (!payload) return shim_fail(at->id, HEDDLE_cudaErrorMemoryAllocation);
    struct wire_node head = *node;
    head.num_from = (uint32_t)at->num_from;
    memcpy(payload, &head, sizeof head);
    if (from) memcpy(payload + sizeof head, at->from, from);
    if (bytes) memcpy(payload + sizeof head + from, parameters, bytes);
    struct shim_call call = {
        .id = at->id, .source = {.base = payload}, .payload_bytes = sizeof head + from + bytes};
    call.in[0] = (uintptr_t)(at->graph ? at->graph : at->node);
    call.in[1] = (uintptr_t)at->node;
    int error = shim_call(&call);
    free(payload);
    if (!error && adds) *at->out = (void *)(uintptr_t)call.out[0];
    if (!error && address) *address = (void *)(uintptr_t)call.out[1];
    return error;
}

static uint64_t pair(uint32_t low, uint32_t high) {
    return low | (uint64_t)high << 32;
}

static int kernel(struct place at, const struct kernel_params *p) {
    struct shim_symbol *f = NULL;
    uint8_t parameters[SHIM_MAX_PARAM_BYTES];
    int error = p ? shim_find_function(p->function, &f) : HEDDLE_cudaErrorInvalidValue;
    if (!error && !p->arguments && p->extra) {
        shim_say("not supported: %s() with `extra`; give the arguments in kernelParams",
                 shim_call_names[at.id]);
        error = HEDDLE_cudaErrorNotSupported;
    }
    if (!error) error = shim_pack_parameters(f, p->arguments, parameters);
    if (error) return shim_fail(at.id, error);
    struct wire_node n = {.kind = KERNEL,
                          .word = {f->id, pair(p->grid.x, p->grid.y), p->grid.z,
                                   pair(p->block.x, p->block.y), p->block.z, p->shared_bytes}};
    return send_node(&at, &n, parameters, f->param_bytes, NULL);
}

static int copy_line(struct place at, void *dst, const void *src, size_t bytes, int kind,
                     uint64_t symbol_side, const void *symbol) {
    struct shim_symbol *s = NULL;
    int error = shim_ready();
    if (!error && symbol_side) error = shim_find_variable(symbol, &s);
    if (error) return shim_fail(at.id, error);
    struct wire_node n = {.kind = COPY,
                          .word = {(uintptr_t)shim_translate(dst), 0, 0,
                                   (uintptr_t)shim_translate(src), 0, 0, bytes, 1, 1,
                                   (uint64_t)kind, symbol_side, s ? s->id : 0}};
    return send_node(&at, &n, NULL, 0, NULL);
}

static int copy_box(struct place at, const struct shim_copy3d *p) {
    struct shim_box dst, src;
    int error = shim_copy3d_sides(at.id, p, &dst, &src);
    if (error) return error;
    struct wire_node n = {.kind = COPY,
                          .word = {(uintptr_t)dst.base, dst.pitch, dst.slice, (uintptr_t)src.base,
                                   src.pitch, src.slice, p->extent.width, p->extent.height,
                                   p->extent.depth, (uint64_t)p->kind}};
    return send_node(&at, &n, NULL, 0, NULL);
}

static int fill(struct place at, const struct fill_params *p) {
    if (!p) return shim_fail(at.id, HEDDLE_cudaErrorInvalidValue);
    struct wire_node n = {
        .kind = FILL,
        .word = {(uintptr_t)p->dst, p->pitch, p->value, p->element, p->width, p->height}};
    return send_node(&at, &n, NULL, 0, NULL);
}

static int host(struct place at, const struct host_params *p) {
    int error = p && p->function ? shim_start_helper() : HEDDLE_cudaErrorInvalidValue;
    if (error) return shim_fail(at.id, error);
    struct wire_node n = {.kind = HOST, .word = {(uintptr_t)p->function, (uintptr_t)p->argument}};
    return send_node(&at, &n, NULL, 0, NULL);
}

static int simple(struct place at, enum kind kind, const void *what) {
    struct wire_node n = {.kind = kind, .word = {(uintptr_t)what}};
    return send_node(&at, &n, NULL, 0, NULL);
}

static int alloc(struct place at, struct alloc_params *p) {
    enum { LOCATION_DEVICE = 1 };
    if (!p || p->location.type != LOCATION_DEVICE || p->handle_types)
        return shim_fail(at.id, p ? HEDDLE_cudaErrorNotSupported : HEDDLE_cudaErrorInvalidValue);
    struct wire_node n = {.kind = ALLOC, .word = {p->bytes, (uint64_t)p->location.id}};
    return send_node(&at, &n, NULL, 0, &p->address);
}

/* ---- the calls */

#define ADD_PARAMETERS void **node, void *graph, void *const *from, size_t num_from
#define ADD_PLACE(name) adding(CALL_##name, node, graph, from, num_from)
#define FUNCTION(name, parameters, body) \
    SHIM_EXPORT int name parameters;     \
    int name parameters {                \
        return body;                     \
    }
/* Adding a node, changing it, and changing it in an executable graph. */
#define NODE_CALLS(kind, set_suffix, type, function)                                  \
    FUNCTION(cudaGraphAdd##kind##Node, (ADD_PARAMETERS, type p),                      \
             function(ADD_PLACE(cudaGraphAdd##kind##Node), p))                        \
    FUNCTION(cudaGraph##kind##Node##set_suffix, (void *node, type p),                 \
             function(setting(CALL_cudaGraph##kind##Node##set_suffix, node), p))      \
    FUNCTION(cudaGraphExec##kind##Node##set_suffix, (void *exec, void *node, type p), \
             function(setting_exec(CALL_cudaGraphExec##kind##Node##set_suffix, exec, node), p))

NODE_CALLS(Kernel, SetParams, const struct kernel_params *, kernel)
NODE_CALLS(Memcpy, SetParams, const struct shim_copy3d *, copy_box)
NODE_CALLS(Memset, SetParams, const struct fill_params *, fill)
NODE_CALLS(Host, SetParams, const struct host_params *, host)

static int event_record(struct place at, void *event) {
    return simple(at, EVENT_RECORD, event);
}
static int event_wait(struct place at, void *event) {
    return simple(at, EVENT_WAIT, event);
}
NODE_CALLS(EventRecord, SetEvent, void *, event_record)
NODE_CALLS(EventWait, SetEvent, void *, event_wait)

#define LINE_CALLS(suffix, parameters, body)                                        \
    FUNCTION(cudaGraphAddMemcpyNode##suffix, (ADD_PARAMETERS, LINE_##parameters),   \
             body(ADD_PLACE(cudaGraphAddMemcpyNode##suffix)))                       \
    FUNCTION(cudaGraphMemcpyNodeSetParams##suffix, (void *node, LINE_##parameters), \
             body(setting(CALL_cudaGraphMemcpyNodeSetParams##suffix, node)))        \
    FUNCTION(cudaGraphExecMemcpyNodeSetParams##suffix,                              \
             (void *exec, void *node, LINE_##parameters),                           \
             body(setting_exec(CALL_cudaGraphExecMemcpyNodeSetParams##suffix, exec, node)))
#define LINE_PLAIN void *dst, const void *src, size_t bytes, int kind
#define LINE_TO const void *symbol, const void *src, size_t bytes, size_t offset, int kind
#define LINE_FROM void *dst, const void *symbol, size_t bytes, size_t offset, int kind
#define PLAIN_BODY(place) copy_line(place, dst, src, bytes, kind, 0, NULL)
#define TO_BODY(place) \
    copy_line(place, (void *)offset, src, bytes, kind, WIRE_NODE_TO_SYMBOL, symbol)
#define FROM_BODY(place) \
    copy_line(place, dst, (void *)offset, bytes, kind, WIRE_NODE_FROM_SYMBOL, symbol)
LINE_CALLS(1D, PLAIN, PLAIN_BODY)
LINE_CALLS(ToSymbol, TO, TO_BODY)
LINE_CALLS(FromSymbol, FROM, FROM_BODY)

FUNCTION(cudaGraphAddEmptyNode, (ADD_PARAMETERS),
         simple(ADD_PLACE(cudaGraphAddEmptyNode), EMPTY, NULL))
FUNCTION(cudaGraphAddChildGraphNode, (ADD_PARAMETERS, void *child),
         simple(ADD_PLACE(cudaGraphAddChildGraphNode), CHILD, child))
FUNCTION(cudaGraphExecChildGraphNodeSetParams, (void *exec, void *node, void *child),
         simple(setting_exec(CALL_cudaGraphExecChildGraphNodeSetParams, exec, node), CHILD, child))
FUNCTION(cudaGraphAddMemAllocNode, (ADD_PARAMETERS, struct alloc_params *p),
         alloc(ADD_PLACE(cudaGraphAddMemAllocNode), p))
FUNCTION(cudaGraphAddMemFreeNode, (ADD_PARAMETERS, void *address),
         simple(ADD_PLACE(cudaGraphAddMemFreeNode), FREE, address))

/* ---- what a node has. Parameters of kernels stay readable until the node is asked for again. */

struct answer {
    struct answer *next;
    void *node;
    void *argument[SHIM_MAX_PARAM_BYTES / 4];
    uint8_t parameters[SHIM_MAX_PARAM_BYTES];
};

static int ask(enum cuda_call_id id, void *node, const void *out, struct wire_node *n,
               uint8_t *parameters) {
    struct {
        struct wire_node head;
        uint8_t parameters[SHIM_MAX_PARAM_BYTES];
    } got;
    struct shim_call call = {
        .id = id, .in = {(uintptr_t)node}, .target = {.base = &got}, .target_bytes = sizeof got};
    if (!out) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = shim_call(&call);
    if (error) return error;
    *n = got.head;
    if (parameters) memcpy(parameters, got.parameters, sizeof got.parameters);
    return CUDA_SUCCESS;
}

static struct answer *answer_for(void *node) {
    pthread_mutex_lock(&shim.lock);
    struct answer *a = shim.answers;
    while (a && a->node != node) a = a->next;
    if (!a && (a = calloc(1, sizeof *a))) {
        a->node = node;
        a->next = shim.answers;
        shim.answers = a;
    }
    pthread_mutex_unlock(&shim.lock);
    return a;
}

SHIM_EXPORT int cudaGraphKernelNodeGetParams(void *node, struct kernel_params *p);
int cudaGraphKernelNodeGetParams(void *node, struct kernel_params *p) {
    static const enum cuda_call_id id = CALL_cudaGraphKernelNodeGetParams;
    struct wire_node n;
    struct answer *a = answer_for(node);
    if (!a) return shim_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    int error = ask(id, node, p, &n, a->parameters);
    if (error) return error;
    const struct shim_symbol *f = shim.symbols;
    while (f && !(f->is_function && f->id == n.word[0])) f = f->next;
    if (!f) return shim_fail(id, HEDDLE_cudaErrorInvalidDeviceFunction);
    for (int i = 0; i < f->num_params; i++) a->argument[i] = a->parameters + f->param[i].offset;
    *p = (struct kernel_params){
        .function = (void *)(uintptr_t)f->host,
        .grid = {(uint32_t)n.word[1], (uint32_t)(n.word[1] >> 32), (uint32_t)n.word[2]},
        .block = {(uint32_t)n.word[3], (uint32_t)(n.word[3] >> 32), (uint32_t)n.word[4]},
        .shared_bytes = (unsigned)n.word[5],
        .arguments = a->argument};
    return CUDA_SUCCESS;
}

static struct shim_pitched_ptr pitched(uint64_t address, uint64_t pitch, uint64_t slice,
                                       uint64_t width, uint64_t height) {
    return (struct shim_pitched_ptr){(void *)(uintptr_t)address, pitch ? pitch : width, width,
                                     pitch ? slice / pitch : height};
}

SHIM_EXPORT int cudaGraphMemcpyNodeGetParams(void *node, struct shim_copy3d *p);
int cudaGraphMemcpyNodeGetParams(void *node, struct shim_copy3d *p) {
    struct wire_node n;
    int error = ask(CALL_cudaGraphMemcpyNodeGetParams, node, p, &n, NULL);
    if (error) return error;
    const uint64_t *w = n.word;
    *p = (struct shim_copy3d){.dst = pitched(w[0], w[1], w[2], w[6], w[7]),
                              .src = pitched(w[3], w[4], w[5], w[6], w[7]),
                              .extent = {w[6], w[7], w[8] ? w[8] : 1},
                              .kind = (int)w[9]};
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cudaGraphMemsetNodeGetParams(void *node, struct fill_params *p);
int cudaGraphMemsetNodeGetParams(void *node, struct fill_params *p) {
    struct wire_node n;
    int error = ask(CALL_cudaGraphMemsetNodeGetParams, node, p, &n, NULL);
    if (error) return error;
    const uint64_t *w = n.word;
    *p = (struct fill_params){(void *)(uintptr_t)w[0], w[1], (unsigned)w[2],
                              (unsigned)w[3],          w[4], w[5]};
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cudaGraphHostNodeGetParams(void *node, struct host_params *p);
int cudaGraphHostNodeGetParams(void *node, struct host_params *p) {
    struct wire_node n;
    int error = ask(CALL_cudaGraphHostNodeGetParams, node, p, &n, NULL);
    if (error) return error;
    *p = (struct host_params){(void *)(uintptr_t)n.word[0], (void *)(uintptr_t)n.word[1]};
    return CUDA_SUCCESS;
}

static int ask_pointer(enum cuda_call_id id, void *node, void **out) {
    struct wire_node n;
    int error = ask(id, node, out, &n, NULL);
    if (!error) *out = (void *)(uintptr_t)n.word[0];
    return error;
}

FUNCTION(cudaGraphChildGraphNodeGetGraph, (void *node, void **graph),
         ask_pointer(CALL_cudaGraphChildGraphNodeGetGraph, node, graph))
FUNCTION(cudaGraphEventRecordNodeGetEvent, (void *node, void **event),
         ask_pointer(CALL_cudaGraphEventRecordNodeGetEvent, node, event))
FUNCTION(cudaGraphEventWaitNodeGetEvent, (void *node, void **event),
         ask_pointer(CALL_cudaGraphEventWaitNodeGetEvent, node, event))
FUNCTION(cudaGraphMemFreeNodeGetParams, (void *node, void *address),
         ask_pointer(CALL_cudaGraphMemFreeNodeGetParams, node, address))

SHIM_EXPORT int cudaGraphMemAllocNodeGetParams(void *node, struct alloc_params *p);
int cudaGraphMemAllocNodeGetParams(void *node, struct alloc_params *p) {
    struct wire_node n;
    int error = ask(CALL_cudaGraphMemAllocNodeGetParams, node, p, &n, NULL);
    if (error) return error;
    *p = (struct alloc_params){.type = 1,
                               .location = {1, (int)n.word[1]},
                               .bytes = n.word[0],
                               .address = (void *)(uintptr_t)n.word[2]};
    return CUDA_SUCCESS;
}

/* ---- nodes of any kind (cudaGraphNodeParams) */

#if HEDDLE_CUDART_VERSION >= 12
struct node_params {
    int type, reserved[3];
    union {
        long long room[29];
        struct kernel_params kernel;
        struct {
            int flags, reserved[3];
            struct shim_copy3d params;
        } copy;
        struct fill_params fill;
        struct host_params host;
        void *handle; /* child graph, event, address to free */
        struct alloc_params alloc;
    } u;
    long long reserved2;
};

static int any(struct place at, struct node_params *p) {
    if (!p) return shim_fail(at.id, HEDDLE_cudaErrorInvalidValue);
    switch (p->type) {
    case KERNEL: return kernel(at, &p->u.kernel);
    case COPY: return copy_box(at, &p->u.copy.params);
    case FILL: return fill(at, &p->u.fill);
    case HOST: return host(at, &p->u.host);
    case EMPTY: return simple(at, EMPTY, NULL);
    case CHILD:
    case EVENT_WAIT:
    case EVENT_RECORD:
    case FREE: return simple(at, (enum kind)p->type, p->u.handle);
    case ALLOC: return alloc(at, &p->u.alloc);
    default:
        shim_say("not supported: %s() with node type %d", shim_call_names[at.id], p->type);
        return shim_fail(at.id, HEDDLE_cudaErrorNotSupported);
    }
}

FUNCTION(cudaGraphNodeSetParams, (void *node, struct node_params *p),
         any(setting(CALL_cudaGraphNodeSetParams, node), p))
FUNCTION(cudaGraphExecNodeSetParams, (void *exec, void *node, struct node_params *p),
         any(setting_exec(CALL_cudaGraphExecNodeSetParams, exec, node), p))
#if HEDDLE_CUDART_VERSION >= 13
FUNCTION(cudaGraphAddNode,
         (void **node, void *graph, void *const *from, const void *edges, size_t num_from,
          struct node_params *p),
         edges ? shim_fail(CALL_cudaGraphAddNode, HEDDLE_cudaErrorNotSupported)
               : any(ADD_PLACE(cudaGraphAddNode), p))
#else
FUNCTION(cudaGraphAddNode, (ADD_PARAMETERS, struct node_params *p),
         any(ADD_PLACE(cudaGraphAddNode), p))
#endif
#endif
