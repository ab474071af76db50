/* shim_node.h - nodes of graphs: structures of the interfaces become struct wire_node, and back.
 *
 * The call that adds a node, the one that changes it, and the one that changes it in an executable
 * graph differ in nothing but what they name. Each function makes the call, counts it, sets the
 * thread's last error and returns the cudaError_t. */
#ifndef HEDDLE_CUDA_SHIM_SHIM_NODE_H
#define HEDDLE_CUDA_SHIM_SHIM_NODE_H

#include "cuda/shim/shim.h"
#include "cuda/protocol/wire_node.h"

struct shim_kernel_params { /* cudaKernelNodeParams */
    void *function;
    struct shim_dim3 grid, block;
    unsigned shared_bytes;
    void **arguments, **extra;
};
struct shim_fill_params { /* cudaMemsetParams */
    void *dst;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};
struct shim_host_params { /* cudaHostNodeParams */
    void *function, *argument;
};
struct shim_alloc_params { /* cudaMemAllocNodeParams */
    int type, handle_types;
    struct shim_location location;
    char rest_of_pool[72];
    const void *access;
    size_t num_access, bytes;
    void *address;
};
_Static_assert(sizeof(struct shim_alloc_params) == 120, "as the toolkit has it");

/* What is named: a graph to add to, a node, or an executable graph and a node. */
struct shim_place {
    enum cuda_call_id id;
    void **out; /* adding: the new node */
    void *graph, *node;
    void *const *from;
    size_t num_from;
};

static inline struct shim_place shim_adding(enum cuda_call_id id, void **out, void *graph,
                                            void *const *from, size_t num_from) {
    return (struct shim_place){id, out, graph, NULL, from, num_from};
}

static inline struct shim_place shim_setting(enum cuda_call_id id, void *node) {
    return (struct shim_place){.id = id, .node = node};
}

static inline struct shim_place shim_setting_exec(enum cuda_call_id id, void *exec, void *node) {
    return (struct shim_place){.id = id, .graph = exec, .node = node};
}

#pragma GCC visibility push(default) /* libheddle_shim.map has the names */

int shim_kernel_node(struct shim_place at, const struct shim_kernel_params *p);
int shim_copy_line_node(struct shim_place at, void *dst, const void *src, size_t bytes, int kind,
                        uint64_t symbol_side, const void *symbol);
int shim_copy_box_node(struct shim_place at, const struct shim_copy3d *p);
int shim_fill_node(struct shim_place at, const struct shim_fill_params *p);
int shim_host_node(struct shim_place at, const struct shim_host_params *p);
int shim_simple_node(struct shim_place at, enum node_kind kind, const void *what);
/* A batch of stream memory operations (CUstreamBatchMemOpParams). */
int shim_batch_mem_op_node(struct shim_place at, const void *operations, size_t bytes);
/* The operations stay readable until the node is asked for again; *bytes: how many. */
int shim_ask_batch_mem_op_node(enum cuda_call_id id, void *node, void **operations, size_t *bytes);
int shim_alloc_node(struct shim_place at, struct shim_alloc_params *p);
/* A node of a structure for all kinds, whose union begins at `u`: kinds that are the same in both
 * interfaces. Others are refused by name. */
int shim_other_node(struct shim_place at, int kind, void *u);
/* Edges with data. @return cudaErrorNotSupported, by name. */
int shim_refuse_edges(enum cuda_call_id id);

/* ---- what a node has. Parameters of kernels stay readable until the node is asked for again. */

struct answer {
    struct answer *next;
    void *node;
    void *argument[SHIM_MAX_PARAM_BYTES / 4];
    uint8_t parameters[SHIM_MAX_PARAM_BYTES];
};

/* `parameters`, of SHIM_MAX_PARAM_BYTES, may be NULL. */
int shim_ask_node(enum cuda_call_id id, void *node, const void *out, struct wire_node *n,
                  uint8_t *parameters);
struct answer *shim_answer_for(void *node);
/* A kernel's, with the kernel, of shim_kernel_params all but the function. */
int shim_ask_kernel_node(enum cuda_call_id id, void *node, struct shim_kernel_params *p,
                         const struct shim_symbol **f);
int shim_ask_copy_node(enum cuda_call_id id, void *node, struct shim_copy3d *p);
int shim_ask_fill_node(enum cuda_call_id id, void *node, struct shim_fill_params *p);
int shim_ask_host_node(enum cuda_call_id id, void *node, struct shim_host_params *p);
int shim_ask_alloc_node(enum cuda_call_id id, void *node, struct shim_alloc_params *p);
/* A child graph, an event, an address. */
int shim_ask_pointer_node(enum cuda_call_id id, void *node, void **out);

/* ---- edges and lists, made under the name `named`, carried out as `id` */

int shim_connect_nodes(enum cuda_call_id id, enum cuda_call_id named, void *graph,
                       void *const *from, void *const *to, size_t count, const void *edges);
/* Without room the number is told; with more room than needed the rest is cleared and the number
 * told. `pairs`: of edges, where `first` and `second` go. `data` (may be NULL): of edges. */
int shim_list_nodes(enum cuda_call_id id, enum cuda_call_id named, bool pairs, void *what,
                    void **first, void **second, void *data, size_t *count);

/* ---- instantiation and update */

int shim_instantiate(enum cuda_call_id id, enum cuda_call_id named, void **exec, void *graph,
                     unsigned long long flags);
int shim_update_graph(enum cuda_call_id id, void *exec, void *graph, int *result, void **bad_node);

/* ---- capture. The nodes may be read until the thread asks again. */

int shim_capture_info(enum cuda_call_id id, void *stream, int *status, unsigned long long *number,
                      void **graph, void *const **nodes, size_t *count);

#pragma GCC visibility pop

#endif
