/* graph.h - CUDA graphs: operations with dependencies, built by hand or by capturing streams,
 * turned into an executable form and launched as a whole.
 *
 * Graphs, nodes and executable graphs have handles that are never used twice. An executable graph
 * holds a copy of its graph; each copied node remembers the node that it was copied from. A launch
 * puts the nodes, in topological order, on streams of their own where they are independent: the
 * first branch goes on the launching stream itself. The launch is one call of host time. */
#ifndef HEDDLE_CUDA_GRAPH_H
#define HEDDLE_CUDA_GRAPH_H

#include "cuda/copy.h"
#include "cuda/host_function.h"
#include "cuda/launch.h"

/* cudaGraphNodeType */
enum node_kind {
    NODE_KERNEL = 0,
    NODE_COPY = 1,
    NODE_FILL = 2,
    NODE_HOST = 3,
    NODE_GRAPH = 4,
    NODE_EMPTY = 5,
    NODE_EVENT_WAIT = 6,
    NODE_EVENT_RECORD = 7,
    NODE_ALLOC = 10,
    NODE_FREE = 11,
    NODE_WORDS = 12,
    NODE_NUM_KINDS
};

struct graph;

/* What a node does. */
struct node_work {
    enum node_kind kind;
    unsigned device;
    struct kernel_shape kernel; /* its parameters belong to the node; NODE_WORDS: the operations */
    struct copy_shape copy;
    struct fill_shape fill;
    struct host_shape host;
    uint64_t event;          /* handle */
    struct graph *child;     /* belongs to the node */
    uint64_t address, bytes; /* memory that is allocated (then held, space.h) or freed */
};

struct graph_node {
    uint64_t handle;
    struct graph *graph;
    struct node_work work;
    uint64_t *from; /* nodes that it depends on */
    size_t num_from;
    uint64_t copy_of; /* node that this one was copied from, or 0 */
    bool disabled;    /* of an executable graph: does nothing when launched */
    /* while a launch is being issued */
    gpu_ticket ticket;
    uint32_t branch; /* of the streams that the launch uses */
};

struct graph {
    uint64_t handle;
    struct graph_node **node; /* in order of creation */
    size_t num_nodes;
    uint64_t copy_of;
};

struct graph_exec {
    uint64_t handle, flags;
    struct graph *graph; /* nodes in topological order */
};

struct graphs *graphs_of(struct program *p); /* made when first used; NULL: no memory */
void graphs_free(struct graphs *g);

/* ---- by handle; NULL: there is none */
struct graph *graph_find(struct program *p, uint64_t handle);
struct graph_node *graph_find_node(struct program *p, uint64_t handle);
struct graph_exec *graph_find_exec(struct program *p, uint64_t handle);

/* ---- building */
struct graph *graph_create(struct program *p);
void graph_destroy(struct program *p, struct graph *graph);
/* Adds a node; `work` is taken over, with what belongs to it (freed on failure too).
 * @return cudaError_t. */
int graph_add(struct program *p, struct graph *graph, struct node_work *work, const uint64_t *from,
              size_t num_from, struct graph_node **out);
void graph_remove(struct program *p, struct graph_node *node);
bool graph_depends(struct graph_node *node, uint64_t on);
int graph_connect(struct program *p, struct graph *graph, uint64_t from, uint64_t to);
int graph_disconnect(struct program *p, struct graph *graph, uint64_t from, uint64_t to);
/* A copy with handles of its own. NULL: no memory. */
struct graph *graph_clone(struct program *p, const struct graph *graph);
/* Frees what belongs to it. */
void node_work_free(struct program *p, struct node_work *work);
bool node_work_copy(struct program *p, struct node_work *to, const struct node_work *from);

/* ---- executable graphs (graph_exec.c). @return cudaError_t. */
int graph_instantiate(struct call *call, const struct graph *graph, uint64_t flags,
                      struct graph_exec **out);
void graph_exec_destroy(struct program *p, struct graph_exec *exec);
struct graph_node *graph_exec_node(struct graph_exec *exec, uint64_t original);
int graph_launch(struct call *call, struct graph_exec *exec, const struct stream_ref *ref);
/* Takes over the parameters of a graph of the same form. *node: the first that does not fit.
 * @return a cudaGraphExecUpdateResult, 0: done. */
int graph_exec_update(struct call *call, struct graph_exec *exec, const struct graph *graph,
                      uint64_t *node);

/* ---- handles, for graph.c and graph_exec.c */
enum graph_thing { THING_NONE, THING_GRAPH, THING_NODE, THING_EXEC };
uint64_t graph_handle(struct program *p, enum graph_thing kind, void *thing); /* 0: no memory */
void graph_forget(struct program *p, uint64_t handle);

#endif
