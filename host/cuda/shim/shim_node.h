/* shim_node.h - nodes of graphs: turns the interfaces' structures into struct wire_node, and back.
 *
 * Three calls describe a node: one adds it, one changes it, and one changes it in an executable
 * graph. They differ only in the objects that they name (struct shim_place), so they share a
 * function for each kind of node. Each function makes the call (shim_call): it counts the call,
 * sends a message to the server, sets the thread's last error, and returns the cudaError_t. It
 * reads the program's structure and copies what the structure points to; a NULL structure is
 * cudaErrorInvalidValue. Unsupported members are printed and are cudaErrorNotSupported.
 *
 * The server assigns the handles of graphs, nodes and executable graphs. Any thread of the program
 * may call these functions. */
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
    unsigned value, element; /* element: bytes of one, 1, 2 or 4 */
    size_t width, height;    /* elements in a row, rows */
};
struct shim_host_params { /* cudaHostNodeParams */
    void *function, *argument;
};
struct shim_alloc_params { /* cudaMemAllocNodeParams; address is the result */
    int type, handle_types;
    struct shim_location location;
    char rest_of_pool[72];
    const void *access;
    size_t num_access, bytes;
    void *address;
};
_Static_assert(sizeof(struct shim_alloc_params) == 120, "as the toolkit has it");

/* The objects that a call names: a graph to add to, a node, or an executable graph and a node. */
struct shim_place {
    enum cuda_call_id id;
    void **out;         /* adding: where the new node's handle goes */
    void *graph, *node; /* graph: to add to, or executable; node: to change, or NULL */
    void *const *from;  /* adding: the nodes that it depends on, num_from of them */
    size_t num_from;
};

/* The place of a call that adds a node, changes one, or changes one in an executable graph. */
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

/* A kernel, with its arguments packed in the device's layout. p->function: the program's handle.
 * The first use of a kernel asks the server for that layout. */
int shim_kernel_node(struct shim_place at, const struct shim_kernel_params *p);
/* A copy of `bytes` in one row. `symbol_side`: 0, WIRE_NODE_TO_SYMBOL or WIRE_NODE_FROM_SYMBOL;
 * then that side's address is an offset in the variable `symbol`, a host handle. */
int shim_copy_line_node(struct shim_place at, void *dst, const void *src, size_t bytes, int kind,
                        uint64_t symbol_side, const void *symbol);
/* A copy of a box between addresses. */
int shim_copy_box_node(struct shim_place at, const struct shim_copy3d *p);
/* A fill of memory. An address in registered memory is translated. */
int shim_fill_node(struct shim_place at, const struct shim_fill_params *p);
/* A host function. Also starts the thread that runs host functions (shim_start_helper). */
int shim_host_node(struct shim_place at, const struct shim_host_params *p);
/* A node with one word or none: an event, a child graph, an address to free, an empty node. */
int shim_simple_node(struct shim_place at, enum node_kind kind, const void *what);
/* A batch of stream memory operations (CUstreamBatchMemOpParams), of `bytes`, with addresses of
 * the server. */
int shim_batch_mem_op_node(struct shim_place at, const void *operations, size_t bytes);
/* Reads a batch's operations: their address and size. They stay readable until the next query of
 * the node. */
int shim_ask_batch_mem_op_node(enum cuda_call_id id, void *node, void **operations, size_t *bytes);
/* An allocation. p->address receives its address. */
int shim_alloc_node(struct shim_place at, struct shim_alloc_params *p);
/* Makes the call for a node given in a structure for all kinds, whose union begins at `u`. Handles
 * the kinds that both interfaces describe alike; refuses others and prints their number. */
int shim_other_node(struct shim_place at, int kind, void *u);
/* Refuses edges with data: counts the call and prints its name. @return cudaErrorNotSupported. */
int shim_refuse_edges(enum cuda_call_id id);

/* ---- queries of a node. A kernel's parameters stay readable until the next query of the node. */

/* Memory for the parameters of one node, which the program may read after the query. shim.lock
 * guards the list shim.answers; the arrays have no lock, and the node's next query overwrites them.
 */
struct answer {
    struct answer *next;
    void *node;                               /* its handle */
    void *argument[SHIM_MAX_PARAM_BYTES / 4]; /* point into `parameters` */
    uint8_t parameters[SHIM_MAX_PARAM_BYTES];
};

/* Asks the server for a node: its words, *n, and its parameters. `out` is the program's structure,
 * only checked: NULL is cudaErrorInvalidValue. `parameters`, of SHIM_MAX_PARAM_BYTES, may be NULL.
 */
int shim_ask_node(enum cuda_call_id id, void *node, const void *out, struct wire_node *n,
                  uint8_t *parameters);
/* Finds or adds the node's record in shim.answers, under shim.lock. It is never freed. NULL: no
 * memory. */
struct answer *shim_answer_for(void *node);
/* Reads a kernel node: the kernel, and all members of shim_kernel_params except the function. */
int shim_ask_kernel_node(enum cuda_call_id id, void *node, struct shim_kernel_params *p,
                         const struct shim_symbol **f);
int shim_ask_copy_node(enum cuda_call_id id, void *node, struct shim_copy3d *p);
int shim_ask_fill_node(enum cuda_call_id id, void *node, struct shim_fill_params *p);
int shim_ask_host_node(enum cuda_call_id id, void *node, struct shim_host_params *p);
int shim_ask_alloc_node(enum cuda_call_id id, void *node, struct shim_alloc_params *p);
/* Reads a node that holds one pointer: a child graph, an event, or an address. */
int shim_ask_pointer_node(enum cuda_call_id id, void *node, void **out);

/* ---- edges and lists. The call is counted as `named`; the server receives it as `id`. */

/* Adds or removes `count` edges, from[i] to to[i]. Refuses edge data (`edges`). */
int shim_connect_nodes(enum cuda_call_id id, enum cuda_call_id named, void *graph,
                       void *const *from, void *const *to, size_t count, const void *edges);
/* Writes a graph as text for Graphviz into a file. `flags`: cudaGraphDebugDotFlags. */
int shim_print_graph(enum cuda_call_id id, void *graph, const char *path, unsigned flags);
/* Reads a list of nodes, or (`pairs`) of edges into `first` and `second`. Without room (both NULL)
 * sets *count only. With more room than needed clears the rest and sets *count. `data` (may be
 * NULL) receives zeros, because no edge has data. */
int shim_list_nodes(enum cuda_call_id id, enum cuda_call_id named, bool pairs, void *what,
                    void **first, void **second, void *data, size_t *count);

/* ---- instantiation and update */

/* Makes an executable graph of a graph; *exec: its handle. The call is counted as `named`. */
int shim_instantiate(enum cuda_call_id id, enum cuda_call_id named, void **exec, void *graph,
                     unsigned long long flags);
/* Updates an executable graph from a graph. *result: a cudaGraphExecUpdateResult, 0 for success;
 * *bad_node: the node that does not fit. Both are written for a refused update, too, which is
 * cudaErrorGraphExecUpdateFailure. */
int shim_update_graph(enum cuda_call_id id, void *exec, void *graph, int *result, void **bad_node);

/* ---- capture. *nodes stays readable until the thread's next query (shim_thread.captured). */

/* Asks how far a stream's capture is: its status, its number, its graph, and the nodes on which the
 * next operation depends. Each pointer but `status` may be NULL. */
int shim_capture_info(enum cuda_call_id id, void *stream, int *status, unsigned long long *number,
                      void **graph, void *const **nodes, size_t *count);

#pragma GCC visibility pop

#endif
