/* shim_node.c - makes the calls on graphs and their nodes for both interfaces: packs nodes into
 * messages, and unpacks the server's answers. shim_node.h has the contracts, and
 * cuda/protocol/wire_node.h the words of a node.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread of the program that makes the
 * call. libcudart's functions are in shim_graph.c and shim_graph_nodes.c, libcuda's in
 * driver_graph.c. Unless its comment says otherwise, every function with an `id` or a place (`at`)
 * makes that call: counts it, sends one message, waits, and writes results through its pointers
 * only on success. It returns the cudaError_t, which is also the thread's last error. A call that a
 * check here refuses is counted and not sent; a NULL structure is cudaErrorInvalidValue. Addresses
 * in registered memory become the server's where shim_translate() is called, under shim.lock. */
#include "cuda/shim/shim_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes the call at->id, whose payload is the node, the handles of the nodes it depends on, and
 * `bytes` of a kernel's `parameters` or the like; the payload's memory is freed after the answer.
 * Writes the new node's handle to *at->out. *address (`address` may be NULL): the memory that the
 * node allocates. cudaErrorInvalidValue: nowhere to put the handle, or no list of nodes. */
static int send_node(const struct shim_place *at, const struct wire_node *node,
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

/* Two 32-bit words in one of 64 bits. */
static uint64_t pair(uint32_t low, uint32_t high) {
    return low | (uint64_t)high << 32;
}

/* Adds or changes a kernel's node: finds the kernel, packs its arguments, and sends the node. The
 * first use of a kernel also asks the server for the layout of its parameters, which counts as no
 * call. Refuses `extra` without `arguments`, with a message and cudaErrorNotSupported. */
int shim_kernel_node(struct shim_place at, const struct shim_kernel_params *p) {
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
    struct wire_node n = {.kind = NODE_KERNEL,
                          .word = {f->id, pair(p->grid.x, p->grid.y), p->grid.z,
                                   pair(p->block.x, p->block.y), p->block.z, p->shared_bytes}};
    return send_node(&at, &n, parameters, f->param_bytes, NULL);
}

/* Adds or changes a copy of `bytes` in one row, between addresses, or from or to a variable
 * (`symbol_side`, the side whose address is an offset in `symbol`). Connects if necessary, and may
 * send late registrations for the variable. */
int shim_copy_line_node(struct shim_place at, void *dst, const void *src, size_t bytes, int kind,
                        uint64_t symbol_side, const void *symbol) {
    struct shim_symbol *s = NULL;
    int error = shim_ready();
    if (!error && symbol_side) error = shim_find_variable(symbol, &s);
    if (error) return shim_fail(at.id, error);
    struct wire_node n = {.kind = NODE_COPY,
                          .word = {(uintptr_t)shim_translate(dst), 0, 0,
                                   (uintptr_t)shim_translate(src), 0, 0, bytes, 1, 1,
                                   (uint64_t)kind, symbol_side, s ? s->id : 0}};
    return send_node(&at, &n, NULL, 0, NULL);
}

/* Adds or changes a copy of a box between addresses. Refuses arrays, with a message and
 * cudaErrorNotSupported (shim_copy3d_sides). */
int shim_copy_box_node(struct shim_place at, const struct shim_copy3d *p) {
    struct shim_box dst, src;
    int error = shim_copy3d_sides(at.id, p, &dst, &src);
    if (error) return error;
    struct wire_node n = {.kind = NODE_COPY,
                          .word = {(uintptr_t)dst.base, dst.pitch, dst.slice, (uintptr_t)src.base,
                                   src.pitch, src.slice, p->extent.width, p->extent.height,
                                   p->extent.depth, (uint64_t)p->kind}};
    return send_node(&at, &n, NULL, 0, NULL);
}

/* Adds or changes a fill of memory. p->dst is translated. */
int shim_fill_node(struct shim_place at, const struct shim_fill_params *p) {
    if (!p) return shim_fail(at.id, HEDDLE_cudaErrorInvalidValue);
    struct wire_node n = {.kind = NODE_FILL,
                          .word = {(uintptr_t)shim_translate(p->dst), p->pitch, p->value,
                                   p->element, p->width, p->height}};
    return send_node(&at, &n, NULL, 0, NULL);
}

/* Adds or changes a host function's node. Starts the helper thread if necessary
 * (shim_start_helper), which connects by messages of its own. The function runs on that thread when
 * the graph reaches the node. No function is cudaErrorInvalidValue. */
int shim_host_node(struct shim_place at, const struct shim_host_params *p) {
    int error = p && p->function ? shim_start_helper() : HEDDLE_cudaErrorInvalidValue;
    if (error) return shim_fail(at.id, error);
    struct wire_node n = {.kind = NODE_HOST,
                          .word = {(uintptr_t)p->function, (uintptr_t)p->argument}};
    return send_node(&at, &n, NULL, 0, NULL);
}

/* Adds or changes a node with one word, `what`, or none; the word travels as it is. */
int shim_simple_node(struct shim_place at, enum node_kind kind, const void *what) {
    struct wire_node n = {.kind = kind, .word = {(uintptr_t)what}};
    return send_node(&at, &n, NULL, 0, NULL);
}

/* Adds or changes a batch of stream memory operations, of `bytes`, whose addresses the caller has
 * translated. */
int shim_batch_mem_op_node(struct shim_place at, const void *operations, size_t bytes) {
    struct wire_node n = {.kind = NODE_BATCH_MEM_OP};
    return send_node(&at, &n, operations, bytes, NULL);
}

/* Adds an allocation of p->bytes; p->address receives its address. Refuses memory that is not a
 * device's or that other processes share, with a message and cudaErrorNotSupported. */
int shim_alloc_node(struct shim_place at, struct shim_alloc_params *p) {
    enum { LOCATION_DEVICE = 1 };
    if (!p) return shim_fail(at.id, HEDDLE_cudaErrorInvalidValue);
    if (p->location.type != LOCATION_DEVICE || p->handle_types) {
        shim_say("not supported: %s() of memory that is not a device's, or with handles for other "
                 "processes",
                 shim_call_names[at.id]);
        return shim_fail(at.id, HEDDLE_cudaErrorNotSupported);
    }
    struct wire_node n = {.kind = NODE_ALLOC, .word = {p->bytes, (uint64_t)p->location.id}};
    return send_node(&at, &n, NULL, 0, &p->address);
}

/* Adds or changes a node of another kind, whose parameters begin at `u`, by one of the functions
 * above. Refuses a kind that is not supported, with a message and cudaErrorNotSupported. */
int shim_other_node(struct shim_place at, int kind, void *u) {
    switch (kind) {
    case NODE_HOST: return shim_host_node(at, u);
    case NODE_EMPTY: return shim_simple_node(at, NODE_EMPTY, NULL);
    case NODE_CHILD_GRAPH:
    case NODE_EVENT_WAIT:
    case NODE_EVENT_RECORD:
    case NODE_FREE: return shim_simple_node(at, (enum node_kind)kind, *(void **)u);
    case NODE_ALLOC: return shim_alloc_node(at, u);
    default:
        shim_say("not supported: %s() with node type %d", shim_call_names[at.id], kind);
        return shim_fail(at.id, HEDDLE_cudaErrorNotSupported);
    }
}

/* Counts the call `id`, which gives edges data, and prints its name; sends nothing. @return
 * cudaErrorNotSupported, also the last error. */
int shim_refuse_edges(enum cuda_call_id id) {
    shim_say("not supported: %s() with edge data (programmatic launch)", shim_call_names[id]);
    return shim_fail(id, HEDDLE_cudaErrorNotSupported);
}

/* ---- queries of a node */

/* Asks for a node's words, *n, and its parameters, which it copies to `parameters`
 * (SHIM_MAX_PARAM_BYTES, or NULL). `out`: the program's structure, which this does not write; NULL
 * is cudaErrorInvalidValue. */
int shim_ask_node(enum cuda_call_id id, void *node, const void *out, struct wire_node *n,
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

/* The node's record in shim.answers, allocated the first time, under shim.lock. It is never freed,
 * so the caller uses it without the lock; two threads that query one node at once overwrite each
 * other's parameters. Sends and counts nothing. NULL: no memory. */
struct answer *shim_answer_for(void *node) {
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

/* Reads a kernel node: fills *p except the function. Its arguments lie in the node's record
 * (shim_answer_for). *out: the kernel, found in shim.symbols without a lock, which is safe because
 * records are complete when they are linked and are never removed. cudaErrorInvalidDeviceFunction:
 * there is none. */
int shim_ask_kernel_node(enum cuda_call_id id, void *node, struct shim_kernel_params *p,
                         const struct shim_symbol **out) {
    struct wire_node n;
    struct answer *a = shim_answer_for(node);
    if (!a) return shim_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    int error = shim_ask_node(id, node, p, &n, a->parameters);
    if (error) return error;
    const struct shim_symbol *f = shim.symbols;
    while (f && !(f->is_function && f->id == n.word[0])) f = f->next;
    if (!f) return shim_fail(id, HEDDLE_cudaErrorInvalidDeviceFunction);
    for (int i = 0; i < f->num_params; i++) a->argument[i] = a->parameters + f->param[i].offset;
    *p = (struct shim_kernel_params){
        .grid = {(uint32_t)n.word[1], (uint32_t)(n.word[1] >> 32), (uint32_t)n.word[2]},
        .block = {(uint32_t)n.word[3], (uint32_t)(n.word[3] >> 32), (uint32_t)n.word[4]},
        .shared_bytes = (unsigned)n.word[5],
        .arguments = a->argument};
    *out = f;
    return CUDA_SUCCESS;
}

/* Reads a batch. *operations points into the node's record (shim_answer_for); *bytes: its size. The
 * pointers must not be NULL. Addresses in it are the server's. */
int shim_ask_batch_mem_op_node(enum cuda_call_id id, void *node, void **operations, size_t *bytes) {
    struct {
        struct wire_node head;
        uint8_t operations[SHIM_MAX_PARAM_BYTES];
    } got;
    struct shim_call call = {
        .id = id, .in = {(uintptr_t)node}, .target = {.base = &got}, .target_bytes = sizeof got};
    struct answer *a = shim_answer_for(node);
    if (!a) return shim_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    int error = shim_call(&call);
    if (error) return error;
    memcpy(a->parameters, got.operations, sizeof a->parameters);
    *operations = a->parameters;
    *bytes = call.out[0];
    return CUDA_SUCCESS;
}

/* A side of a copy as the program reads it, from the node's words. Pitch 0: one row of `width`
 * bytes. */
static struct shim_pitched_ptr pitched(uint64_t address, uint64_t pitch, uint64_t slice,
                                       uint64_t width, uint64_t height) {
    return (struct shim_pitched_ptr){shim_translate_back((void *)(uintptr_t)address),
                                     pitch ? pitch : width, width, pitch ? slice / pitch : height};
}

/* Reads a copy node as the runtime's description, without arrays; addresses in registered memory
 * are translated back, under shim.lock. */
int shim_ask_copy_node(enum cuda_call_id id, void *node, struct shim_copy3d *p) {
    struct wire_node n;
    int error = shim_ask_node(id, node, p, &n, NULL);
    if (error) return error;
    const uint64_t *w = n.word;
    *p = (struct shim_copy3d){.dst = pitched(w[0], w[1], w[2], w[6], w[7]),
                              .src = pitched(w[3], w[4], w[5], w[6], w[7]),
                              .extent = {w[6], w[7], w[8] ? w[8] : 1},
                              .kind = (int)w[9]};
    return CUDA_SUCCESS;
}

/* Reads a node that fills memory; its address is translated back, under shim.lock. */
int shim_ask_fill_node(enum cuda_call_id id, void *node, struct shim_fill_params *p) {
    struct wire_node n;
    int error = shim_ask_node(id, node, p, &n, NULL);
    if (error) return error;
    const uint64_t *w = n.word;
    *p = (struct shim_fill_params){shim_translate_back((void *)(uintptr_t)w[0]),
                                   w[1],
                                   (unsigned)w[2],
                                   (unsigned)w[3],
                                   w[4],
                                   w[5]};
    return CUDA_SUCCESS;
}

/* Reads a host function's node: the function and its argument. */
int shim_ask_host_node(enum cuda_call_id id, void *node, struct shim_host_params *p) {
    struct wire_node n;
    int error = shim_ask_node(id, node, p, &n, NULL);
    if (error) return error;
    *p = (struct shim_host_params){(void *)(uintptr_t)n.word[0], (void *)(uintptr_t)n.word[1]};
    return CUDA_SUCCESS;
}

/* Reads a node that holds one word, *out: an event, a graph or an address. */
int shim_ask_pointer_node(enum cuda_call_id id, void *node, void **out) {
    struct wire_node n;
    int error = shim_ask_node(id, node, out, &n, NULL);
    if (!error) *out = (void *)(uintptr_t)n.word[0];
    return error;
}

/* Reads an allocation node: its size, device and address. */
int shim_ask_alloc_node(enum cuda_call_id id, void *node, struct shim_alloc_params *p) {
    struct wire_node n;
    int error = shim_ask_node(id, node, p, &n, NULL);
    if (error) return error;
    *p = (struct shim_alloc_params){.type = 1,
                                    .location = {1, (int)n.word[1]},
                                    .bytes = n.word[0],
                                    .address = (void *)(uintptr_t)n.word[2]};
    return CUDA_SUCCESS;
}

/* ---- edges */

/* Adds or removes `count` edges, from[i] to to[i]; `id` says which. The payload, in memory that it
 * allocates and frees, is all nodes of `from`, and then all of `to`. The server receives `id`; the
 * call is counted as `named`. Refuses edge data (shim_refuse_edges); missing lists are
 * cudaErrorInvalidValue. */
int shim_connect_nodes(enum cuda_call_id id, enum cuda_call_id named, void *graph,
                       void *const *from, void *const *to, size_t count, const void *edges) {
    if (count && (!from || !to)) return shim_fail(named, HEDDLE_cudaErrorInvalidValue);
    if (edges) return shim_refuse_edges(named);
    void **pairs = malloc((2 * count + 1) * sizeof *pairs);
    if (!pairs) return shim_fail(named, HEDDLE_cudaErrorMemoryAllocation);
    if (count) memcpy(pairs, from, count * sizeof *pairs);
    if (count) memcpy(pairs + count, to, count * sizeof *pairs);
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)graph},
                             .source = {.base = pairs},
                             .payload_bytes = 2 * count * sizeof *pairs};
    if (id != named) shim_enter_per_thread(named); /* counted under the program's name for it */
    int error = shim_leave_per_thread(shim_call(&call));
    free(pairs);
    return error;
}

/* Reads a list of nodes or (`pairs`) edges into `first` and `second`, of *count elements, by way of
 * memory that it allocates and frees. Elements beyond the list become NULL. *count becomes the
 * list's length if that is less, or if there is no room (both NULL). `data` (may be NULL): 8 zeros
 * for each element, written first, even if the call fails. The server receives `id`; the call is
 * counted as `named`. */
int shim_list_nodes(enum cuda_call_id id, enum cuda_call_id named, bool pairs, void *what,
                    void **first, void **second, void *data, size_t *count) {
    enum { MOST = WIRE_STAGING_BYTES / 8, DATA_BYTES = 8 };
    if (!count) return shim_fail(named, HEDDLE_cudaErrorInvalidValue);
    if (data) memset(data, 0, *count * DATA_BYTES); /* no edge has any */
    void **all = malloc(MOST * sizeof *all);
    if (!all) return shim_fail(named, HEDDLE_cudaErrorMemoryAllocation);
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)what},
                             .target = {.base = all},
                             .target_bytes = MOST * sizeof *all};
    if (id != named) shim_enter_per_thread(named);
    int error = shim_leave_per_thread(shim_call(&call));
    size_t there = call.out[0], step = pairs ? 2 : 1;
    for (size_t i = 0; !error && (first || second) && i < *count; i++) {
        if (first) first[i] = i < there ? all[step * i] : NULL;
        if (second) second[i] = i < there ? all[step * i + 1] : NULL;
    }
    if (!error && (!(first || second) || there < *count)) *count = there;
    free(all);
    return error;
}

/* Writes a graph as text for Graphviz into a file, by way of memory that it allocates and frees. A
 * file that cannot be written is cudaErrorOperatingSystem, a graph of more than a mebibyte of text
 * cudaErrorNotSupported, with a line. */
int shim_print_graph(enum cuda_call_id id, void *graph, const char *path, unsigned flags) {
    if (!path) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    char *text = malloc(WIRE_STAGING_BYTES);
    if (!text) return shim_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)graph, flags},
                             .target = {.base = text},
                             .target_bytes = WIRE_STAGING_BYTES};
    int error = shim_call(&call);
    if (error == HEDDLE_cudaErrorNotSupported)
        shim_say("not supported: %s() of a graph with %llu bytes of text", shim_call_names[id],
                 (unsigned long long)call.out[0]);
    if (!error) {
        FILE *f = fopen(path, "we");
        bool written = f && fwrite(text, 1, call.out[0], f) == call.out[0];
        if (f && fclose(f) != 0) written = false;
        if (!written) {
            shim_say("error: %s(): cannot write %s", shim_call_names[id], path);
            error = shim_self()->last_error = HEDDLE_cudaErrorOperatingSystem;
        }
    }
    free(text);
    return error;
}

/* ---- instantiation and update */

/* Makes an executable graph of a graph; *exec: its handle. The server receives `id`; the call is
 * counted as `named`. Prints a line if the server does not support the flags (a launch from the
 * device). */
int shim_instantiate(enum cuda_call_id id, enum cuda_call_id named, void **exec, void *graph,
                     unsigned long long flags) {
    struct shim_call call = {.id = id, .in = {(uintptr_t)graph, flags}};
    if (!exec) return shim_fail(named, HEDDLE_cudaErrorInvalidValue);
    bool renamed = id != named && !shim_self()->per_thread;
    if (renamed) shim_enter_per_thread(named); /* counted under the program's name for it */
    int error = shim_call(&call);
    if (renamed) shim_leave_per_thread(error);
    if (error == HEDDLE_cudaErrorNotSupported)
        shim_say("not supported: %s() for a launch from the device", shim_call_names[named]);
    if (!error) *exec = (void *)(uintptr_t)call.out[0];
    return error;
}

/* Updates an executable graph from a graph. If the server answers at all, writes *result, a
 * cudaGraphExecUpdateResult, and *bad_node, the node that does not fit. A result other than 0 is
 * cudaErrorGraphExecUpdateFailure, also the last error. The pointers must not be NULL. */
int shim_update_graph(enum cuda_call_id id, void *exec, void *graph, int *result, void **bad_node) {
    struct shim_call call = {.id = id, .in = {(uintptr_t)exec, (uintptr_t)graph}};
    int error = shim_call(&call);
    if (error) return error;
    *result = (int)call.out[0];
    *bad_node = (void *)(uintptr_t)call.out[1];
    if (*result == 0) return CUDA_SUCCESS;
    shim_self()->last_error = HEDDLE_cudaErrorGraphExecUpdateFailure;
    return HEDDLE_cudaErrorGraphExecUpdateFailure;
}

/* ---- capture */

/* Asks for a stream's capture: *status, and what the other pointers (each may be NULL) want. The
 * first time allocates the thread's list of nodes (shim_thread.captured, freed with the thread), to
 * which *nodes points until the thread's next query. No `status` is cudaErrorInvalidValue. */
int shim_capture_info(enum cuda_call_id id, void *stream, int *status, unsigned long long *number,
                      void **graph, void *const **nodes, size_t *count) {
    enum { MOST = 4096 };
    struct shim_thread *t = shim_self();
    if (!status) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (!t->captured) t->captured = malloc(MOST * sizeof *t->captured);
    if (!t->captured) return shim_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)stream},
                             .target = {.base = t->captured},
                             .target_bytes = MOST * sizeof *t->captured};
    int error = shim_call(&call);
    if (error) return error;
    *status = (int)call.out[0];
    if (number) *number = call.out[1];
    if (graph) *graph = (void *)(uintptr_t)call.out[2];
    if (nodes) *nodes = (void *const *)t->captured;
    if (count) *count = call.out[3];
    return CUDA_SUCCESS;
}
