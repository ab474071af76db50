/* graph.h - CUDA graphs: operations with dependencies, built by hand or by capturing streams,
 * turned into an executable form and launched as a whole.
 *
 * Graphs, nodes and executable graphs have handles that are never used twice. An executable graph
 * holds a copy of its graph; each copied node remembers the node that it was copied from. All
 * belong to their program. Addresses that allocation nodes have are held in the address space
 * (graph_memory.h). */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_H
#define HEDDLE_CUDA_OBJECT_GRAPH_H

#include "cuda/object/copy.h"
#include "cuda/object/host_function.h"
#include "cuda/object/launch.h"
#include "cuda/protocol/wire_node.h"

struct graph;

/* The work of a node; `kind` says which members are valid. */
struct node_work {
    enum node_kind kind;
    unsigned device; /* the current one when it was added, or the captured stream's */
    struct kernel_shape
        kernel; /* the node owns its parameters; NODE_BATCH_MEM_OP: the operations */
    struct copy_shape copy;
    struct fill_shape fill;
    struct host_shape host;
    uint64_t event;          /* handle */
    struct graph *child;     /* belongs to the node */
    uint64_t address, bytes; /* memory that is allocated (then held, address_space.h) or freed */
};

/* A node; its graph owns it. */
struct graph_node {
    uint64_t handle;
    struct graph *graph;
    struct node_work work;
    GArray *from;     /* uint64_t: handles of the nodes that it depends on */
    uint64_t copy_of; /* node that this one was copied from, or 0 */
    bool disabled;    /* of an executable graph: does nothing when launched */
    /* While a launch is being issued; other functions use them as scratch. */
    gpu_ticket ticket; /* the node's operation */
    uint32_t branch;   /* index of its stream among those of the launch */
};

/* A graph: of the program, of a node (child graph) or of an executable graph. */
struct graph {
    uint64_t handle;
    GPtrArray *nodes; /* struct graph_node, in order of creation; owned */
    uint64_t copy_of; /* graph that this one was cloned from, or 0 */
};

/* Each node of an executable graph remembers in copy_of the node that it was made from. */
struct graph_exec {
    uint64_t handle, flags;
    struct graph *graph; /* nodes in topological order */
};

static inline struct graph_node *graph_node_at(const struct graph *g, size_t i) {
    return g_ptr_array_index(g->nodes, i);
}
static inline uint64_t graph_node_from(const struct graph_node *n, size_t i) {
    return g_array_index(n->from, uint64_t, i);
}

/* Destroys all of the program's graphs, executable ones first. */
void graphs_destroy(struct program *p);

/* ---- by handle; NULL: there is none */
struct graph *graph_find(struct program *p, uint64_t handle);
struct graph_node *graph_find_node(struct program *p, uint64_t handle);
struct graph_exec *graph_find_exec(struct program *p, uint64_t handle);

/* ---- building */

/* An empty graph, which the program owns. */
struct graph *graph_create(struct program *p);
/* Frees the graph, its nodes and their handles. graph may be NULL. */
void graph_destroy(struct program *p, struct graph *graph);
/* Adds a node that depends on `num_from` others of the graph. Takes over `work` and what it owns,
 * and frees that on failure. @return cudaError_t. */
int graph_add(struct program *p, struct graph *graph, struct node_work *work, const uint64_t *from,
              size_t num_from, struct graph_node **out);
/* Destroys the node and removes the dependencies on it. */
void graph_remove(struct program *p, struct graph_node *node);
/* True if the node depends directly on the node with this handle. */
bool graph_depends(const struct graph_node *node, uint64_t on);
/* Add or remove a dependency of node `to` on node `from`. @return cudaError_t. */
int graph_connect(struct program *p, struct graph *graph, uint64_t from, uint64_t to);
int graph_disconnect(struct program *p, struct graph *graph, uint64_t from, uint64_t to);
/* A copy with handles of its own. NULL: no memory. */
struct graph *graph_clone(struct program *p, const struct graph *graph);
/* Frees what the work owns and lets go of the address that an allocation node holds. */
void node_work_free(struct program *p, struct node_work *work);
/* Copies the work with what it owns; an allocation node holds its address once more. @return false:
 * no memory. */
bool node_work_copy(struct program *p, struct node_work *to, const struct node_work *from);

/* ---- executable graphs; they are launched by graph_exec.h */

/* Creates an executable graph that owns `graph`. The caller puts its nodes into topological
 * order. */
struct graph_exec *graph_exec_create(struct program *p, struct graph *graph, uint64_t flags);
/* Frees it with its graph; exec may be NULL. */
void graph_exec_destroy(struct program *p, struct graph_exec *exec);
/* Its node that is a copy of the node with handle `original`, or NULL. */
struct graph_node *graph_exec_node(struct graph_exec *exec, uint64_t original);

#endif
