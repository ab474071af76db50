/* calls_graph_node.c - handlers that add, change and query nodes of graphs, in the format of
 * wire_node.h; see graph.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown graph or node, and a node that does not fit, is InvalidValue. The call's
 * payload, pulled from the program, is the node; a query leaves one in the staging memory for the
 * reply. Nothing is issued on the GPU. Reading a kernel or symbol node may load its module, which
 * may compile it and report errors on standard error; reading an allocation may drive the
 * simulation. */
#include <stdlib.h>
#include <string.h>

#include "cuda/object/event.h"
#include "cuda/object/graph.h"
#include "cuda/object/graph_memory.h"
#include "cuda/object/module.h"
#include "cuda/base/payload.h"
#include "cuda/object/stream_mem_op.h"
#include "cuda/protocol/wire_node.h"
#include "cuda_call_handlers.h"

/* ---- between wire and node */

/* Two numbers of 32 bits in one word. */
static uint64_t pair(uint32_t low, uint32_t high) {
    return low | (uint64_t)high << 32;
}

/* Copies the parameters of a kernel, or the operations of a batch, into the work, which owns the
 * copy. @return MemoryAllocation. */
static int keep(struct node_work *work, const uint8_t *parameters, uint32_t bytes) {
    uint8_t *copy = malloc(bytes + 1);
    if (!copy) return HEDDLE_cudaErrorMemoryAllocation;
    memcpy(copy, parameters, bytes);
    work->kernel.parameters = copy;
    return CUDA_SUCCESS;
}

/* Reads a kernel node from the words of the message (w) and its parameters, loads its module and
 * checks the launch. work->kernel owns a copy of the parameters. @return as launch_prepare();
 * MemoryAllocation. */
static int read_kernel(struct call *call, const uint64_t *w, const uint8_t *parameters,
                       uint32_t bytes, struct node_work *work) {
    work->kernel = (struct kernel_shape){
        .function = w[0],
        .grid = {(uint32_t)w[1], (uint32_t)(w[1] >> 32), (uint32_t)w[2]},
        .block = {(uint32_t)w[3], (uint32_t)(w[3] >> 32), (uint32_t)w[4]},
        .shared_bytes = w[5],
        .cooperative = w[6] != 0,
        .parameter_bytes = bytes};
    struct launch launch;
    int error = launch_prepare(call, &work->kernel, call->thread->device, &launch);
    return error ? error : keep(work, parameters, bytes);
}

/* Reads and checks a batch of stream memory operations (stream_mem_op_check(), which may report on
 * standard error); work->kernel owns a copy of them. */
static int read_batch_mem_op(struct call *call, const uint8_t *operations, uint64_t bytes,
                             struct node_work *work) {
    int error = stream_mem_op_check(call, operations, bytes, false);
    if (error) return error;
    work->kernel.parameter_bytes = (uint32_t)bytes;
    return keep(work, operations, (uint32_t)bytes);
}

/* Reads and checks a copy. Resolves a symbol to an address, which loads its module. @return as
 * symbol_locate() and copy_check(). */
static int read_copy(struct call *call, const uint64_t *w, struct node_work *work) {
    work->copy = (struct copy_shape){w[0], w[1], w[2], w[3],      w[4], w[5],
                                     w[6], w[7], w[8], (int)w[9], NULL, NULL};
    if (w[10]) {
        uint64_t *side = w[10] == WIRE_NODE_TO_SYMBOL ? &work->copy.dst : &work->copy.src;
        int error = symbol_locate(call, w[11], *side, w[6], side);
        if (error) return error;
    }
    return copy_check(call, &work->copy);
}

/* Reads and checks a fill; widths in the message are elements. @return InvalidValue. */
static int read_fill(struct call *call, const uint64_t *w, struct node_work *work) {
    if (w[3] != 1 && w[3] != 2 && w[3] != 4) return CUDA_ERROR_INVALID_VALUE;
    if (w[4] > UINT64_MAX / 8 || (w[5] > 1 && w[4] * w[3] > w[1])) return CUDA_ERROR_INVALID_VALUE;
    work->fill = (struct fill_shape){.dst = w[0],
                                     .pitch = w[1],
                                     .width = w[4] * w[3],
                                     .height = w[5],
                                     .depth = 1,
                                     .value = (uint32_t)w[2],
                                     .element = (uint32_t)w[3]};
    return fill_check(call, &work->fill);
}

/* Clones the graph with this handle; the work owns the copy. @return InvalidValue or
 * MemoryAllocation. */
static int read_child(struct call *call, uint64_t handle, struct node_work *work) {
    const struct graph *child = graph_find(call->program, handle);
    if (!child) return CUDA_ERROR_INVALID_VALUE;
    work->child = graph_clone(call->program, child);
    return work->child ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* Reads a node from the call's payload into *work, for the current device (an allocation names its
 * own). `from`: handles of the nodes it depends on, inside *payload, which the caller frees, also
 * after an error; *payload is NULL before. On success the caller owns what *work owns; after an
 * error nothing remains. Loads modules and reserves addresses as its kind demands. */
static int read_node(struct call *call, struct node_work *work, uint8_t **payload, uint64_t **from,
                     size_t *num_from) {
    struct wire_node head;
    *work = (struct node_work){.device = call->thread->device};
    if (call->payload_bytes < sizeof head) return CUDA_ERROR_INVALID_VALUE;
    *payload = call_take_payload(call, PAYLOAD_NODES);
    if (!*payload) return HEDDLE_cudaErrorMemoryAllocation;
    memcpy(&head, *payload, sizeof head);
    uint64_t rest = call->payload_bytes - sizeof head;
    if (head.num_from > rest / sizeof(uint64_t)) return CUDA_ERROR_INVALID_VALUE;
    *from = (uint64_t *)(void *)(*payload + sizeof head);
    *num_from = head.num_from;
    const uint8_t *parameters = *payload + sizeof head + head.num_from * sizeof(uint64_t);
    uint64_t bytes = rest - head.num_from * sizeof(uint64_t);
    work->kind = (enum node_kind)head.kind;
    switch (head.kind) {
    case NODE_KERNEL: return read_kernel(call, head.word, parameters, (uint32_t)bytes, work);
    case NODE_COPY: return read_copy(call, head.word, work);
    case NODE_FILL: return read_fill(call, head.word, work);
    case NODE_HOST:
        work->host = (struct host_shape){.function = head.word[0], .argument = head.word[1]};
        return work->host.function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case NODE_CHILD_GRAPH: return read_child(call, head.word[0], work);
    case NODE_EMPTY: return CUDA_SUCCESS;
    case NODE_EVENT_RECORD:
    case NODE_EVENT_WAIT:
        work->event = head.word[0];
        return event_find(call->program, work->event) ? CUDA_SUCCESS
                                                      : HEDDLE_cudaErrorInvalidResourceHandle;
    case NODE_ALLOC:
        work->bytes = head.word[0];
        if (head.word[1] >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
        work->device = (unsigned)head.word[1];
        return graph_memory_create(call, work->device, work->bytes, &work->address);
    case NODE_FREE:
        work->address = head.word[0];
        return work->address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case NODE_BATCH_MEM_OP: return read_batch_mem_op(call, parameters, bytes, work);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Leaves a node in the staging memory for the reply, in the form that read_node() takes, without
 * its dependencies. */
static void write_node(struct call *call, const struct graph_node *n) {
    struct {
        struct wire_node head;
        uint8_t parameters[MIR_C0_SIZE - MIR_C0_PARAMS];
    } out = {.head = {.kind = n->work.kind}};
    const struct kernel_shape *k = &n->work.kernel;
    const struct copy_shape *c = &n->work.copy;
    const struct fill_shape *f = &n->work.fill;
    const uint64_t kernel[] = {k->function,   pair(k->grid[0], k->grid[1]),
                               k->grid[2],    pair(k->block[0], k->block[1]),
                               k->block[2],   k->shared_bytes,
                               k->cooperative};
    const uint64_t copy[] = {c->dst,       c->dst_pitch, c->dst_slice, c->src,   c->src_pitch,
                             c->src_slice, c->width,     c->height,    c->depth, (uint64_t)c->kind};
    const uint64_t fill[] = {
        f->dst, f->pitch, f->value, f->element, f->element ? f->width / f->element : 0, f->height};
    uint32_t bytes = 0;
    switch (n->work.kind) {
    case NODE_KERNEL:
    case NODE_BATCH_MEM_OP:
        if (n->work.kind == NODE_KERNEL) memcpy(out.head.word, kernel, sizeof kernel);
        bytes = k->parameter_bytes < sizeof out.parameters ? k->parameter_bytes
                                                           : (uint32_t)sizeof out.parameters;
        memcpy(out.parameters, k->parameters, bytes);
        break;
    case NODE_COPY: memcpy(out.head.word, copy, sizeof copy); break;
    case NODE_FILL: memcpy(out.head.word, fill, sizeof fill); break;
    case NODE_HOST:
        out.head.word[0] = n->work.host.function;
        out.head.word[1] = n->work.host.argument;
        break;
    case NODE_CHILD_GRAPH: out.head.word[0] = n->work.child->handle; break;
    case NODE_EVENT_RECORD:
    case NODE_EVENT_WAIT: out.head.word[0] = n->work.event; break;
    case NODE_ALLOC:
        out.head.word[0] = n->work.bytes;
        out.head.word[1] = n->work.device;
        out.head.word[2] = n->work.address;
        break;
    case NODE_FREE: out.head.word[0] = n->work.address; break;
    default: break;
    }
    call_push_last(call, 0, &out, (uint32_t)sizeof out.head + bytes);
}

/* ---- the four actions on a node */

/* Reads a node from the payload and adds it to the graph with the handle. *node: its handle;
 * *address: of an allocation node, else of a free node or 0. @return as read_node() and
 * graph_add(). */
static int add(struct call *call, uint64_t handle, uint64_t *node, uint64_t *address) {
    struct graph *g = graph_find(call->program, handle);
    struct node_work work;
    uint8_t *payload = NULL;
    uint64_t *from;
    size_t num_from;
    struct graph_node *n;
    if (!g) return CUDA_ERROR_INVALID_VALUE;
    int error = read_node(call, &work, &payload, &from, &num_from);
    if (!error) error = graph_add(call->program, g, &work, from, num_from, &n);
    free(payload);
    if (error) return error;
    *node = n->handle;
    *address = n->work.address;
    return CUDA_SUCCESS;
}

/* Replaces the work of a node (NULL: InvalidValue) by that of the payload, which must be of the
 * same kind and neither an allocation nor a free, and frees the old one. Dependencies in the
 * payload are ignored. */
static int change(struct call *call, struct graph_node *n) {
    struct node_work work;
    uint8_t *payload = NULL;
    uint64_t *from;
    size_t num_from;
    if (!n) return CUDA_ERROR_INVALID_VALUE;
    int error = read_node(call, &work, &payload, &from, &num_from);
    free(payload);
    if (error) return error;
    bool fits = work.kind == n->work.kind && work.kind != NODE_ALLOC && work.kind != NODE_FREE;
    struct node_work old = fits ? n->work : work;
    if (fits) n->work = work;
    node_work_free(call->program, &old);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Replaces the parameters of a node of a graph (change()). */
static int set(struct call *call, uint64_t node) {
    return change(call, graph_find_node(call->program, node));
}

/* Replaces the parameters of the node of an executable graph that was made from `node`
 * (change()). */
static int exec_set(struct call *call, uint64_t exec, uint64_t node) {
    struct graph_exec *e = graph_find_exec(call->program, exec);
    return e ? change(call, graph_exec_node(e, node)) : CUDA_ERROR_INVALID_VALUE;
}

/* Leaves the node in the staging memory for the reply (write_node()) if it exists and `right` is
 * set. @return else InvalidValue. */
static int get(struct call *call, uint64_t node, bool right) {
    const struct graph_node *n = graph_find_node(call->program, node);
    if (!n || !right) return CUDA_ERROR_INVALID_VALUE;
    write_node(call, n);
    return CUDA_SUCCESS;
}

/* True if the node exists and is of this kind. */
static bool is(struct call *call, uint64_t node, enum node_kind kind) {
    const struct graph_node *n = graph_find_node(call->program, node);
    return n && n->work.kind == kind;
}

/* Handlers that add a node of the payload's kind, whatever their name says: see add(). */
#define ADD(name)                                                                \
    int do_cudaGraphAdd##name(struct call *call, uint64_t graph, uint64_t *node, \
                              uint64_t *address) {                               \
        return add(call, graph, node, address);                                  \
    }
ADD(KernelNode)
ADD(MemcpyNode)
ADD(MemcpyNode1D)
ADD(MemcpyNodeToSymbol)
ADD(MemcpyNodeFromSymbol)
ADD(MemsetNode)
ADD(HostNode)
ADD(ChildGraphNode)
ADD(EmptyNode)
ADD(EventRecordNode)
ADD(EventWaitNode)
ADD(MemAllocNode)
ADD(MemFreeNode)
ADD(Node)

/* Handlers that change a node of a graph: see set(). */
#define SET(name)                                              \
    int do_cudaGraph##name(struct call *call, uint64_t node) { \
        return set(call, node);                                \
    }
SET(KernelNodeSetParams)
SET(MemcpyNodeSetParams)
SET(MemcpyNodeSetParams1D)
SET(MemcpyNodeSetParamsToSymbol)
SET(MemcpyNodeSetParamsFromSymbol)
SET(MemsetNodeSetParams)
SET(HostNodeSetParams)
SET(EventRecordNodeSetEvent)
SET(EventWaitNodeSetEvent)
SET(NodeSetParams)

/* Handlers that change a node of an executable graph, for later launches: see exec_set(). */
#define EXEC_SET(name)                                                            \
    int do_cudaGraphExec##name(struct call *call, uint64_t exec, uint64_t node) { \
        return exec_set(call, exec, node);                                        \
    }
EXEC_SET(KernelNodeSetParams)
EXEC_SET(MemcpyNodeSetParams)
EXEC_SET(MemcpyNodeSetParams1D)
EXEC_SET(MemcpyNodeSetParamsToSymbol)
EXEC_SET(MemcpyNodeSetParamsFromSymbol)
EXEC_SET(MemsetNodeSetParams)
EXEC_SET(HostNodeSetParams)
EXEC_SET(EventRecordNodeSetEvent)
EXEC_SET(EventWaitNodeSetEvent)
EXEC_SET(ChildGraphNodeSetParams)
EXEC_SET(NodeSetParams)

/* Handlers that query a node of one kind: see get(). */
#define GET(name, kind)                                        \
    int do_cudaGraph##name(struct call *call, uint64_t node) { \
        return get(call, node, is(call, node, kind));          \
    }
GET(KernelNodeGetParams, NODE_KERNEL)
GET(MemcpyNodeGetParams, NODE_COPY)
GET(MemsetNodeGetParams, NODE_FILL)
GET(HostNodeGetParams, NODE_HOST)
GET(ChildGraphNodeGetGraph, NODE_CHILD_GRAPH)
GET(EventRecordNodeGetEvent, NODE_EVENT_RECORD)
GET(EventWaitNodeGetEvent, NODE_EVENT_WAIT)
GET(MemAllocNodeGetParams, NODE_ALLOC)
GET(MemFreeNodeGetParams, NODE_FREE)

/* Leaves the node with its operations in the staging memory for the reply. *bytes: of the
 * operations. */
int do_cuGraphBatchMemOpNodeGetParams(struct call *call, uint64_t node, uint64_t *bytes) {
    const struct graph_node *n = graph_find_node(call->program, node);
    if (!n || n->work.kind != NODE_BATCH_MEM_OP) return CUDA_ERROR_INVALID_VALUE;
    *bytes = n->work.kernel.parameter_bytes;
    write_node(call, n);
    return CUDA_SUCCESS;
}
