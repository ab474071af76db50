/* graph.c - building graphs; see graph.h */
#include "cuda/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- handles: a table that only grows, so that an old handle never means something new */

struct graphs {
    struct {
        enum graph_thing kind;
        void *thing;
    } * item;
    size_t count, capacity;
};

struct graphs *graphs_of(struct program *p) {
    if (!p->graphs) p->graphs = calloc(1, sizeof *p->graphs);
    return p->graphs;
}

uint64_t graph_handle(struct program *p, enum graph_thing kind, void *thing) {
    struct graphs *g = graphs_of(p);
    if (!g) return 0;
    if (g->count == g->capacity) {
        size_t capacity = g->capacity ? 2 * g->capacity : 64;
        void *more = realloc(g->item, capacity * sizeof *g->item);
        if (!more) return 0;
        g->item = more;
        g->capacity = capacity;
    }
    g->item[g->count].kind = kind;
    g->item[g->count].thing = thing;
    return handle_of(g->count++);
}

static void *find(struct program *p, uint64_t handle, enum graph_thing kind) {
    struct graphs *g = p->graphs;
    size_t i = g ? handle_index(handle, g->count) : 0;
    return g && i < g->count && g->item[i].kind == kind ? g->item[i].thing : NULL;
}

void graph_forget(struct program *p, uint64_t handle) {
    struct graphs *g = p->graphs;
    size_t i = g ? handle_index(handle, g->count) : 0;
    if (g && i < g->count) g->item[i].kind = THING_NONE;
}

struct graph *graph_find(struct program *p, uint64_t handle) {
    return find(p, handle, THING_GRAPH);
}

struct graph_node *graph_find_node(struct program *p, uint64_t handle) {
    return find(p, handle, THING_NODE);
}

struct graph_exec *graph_find_exec(struct program *p, uint64_t handle) {
    return find(p, handle, THING_EXEC);
}

/* ---- what nodes do */

void node_work_free(struct program *p, struct node_work *work) {
    free((void *)(uintptr_t)work->kernel.parameters);
    if (work->child) graph_destroy(p, work->child);
    if (work->kind == NODE_ALLOC && p->space) space_let_go(p->space, work->address);
    work->kernel.parameters = NULL;
    work->child = NULL;
}

bool node_work_copy(struct program *p, struct node_work *to, const struct node_work *from) {
    *to = *from;
    to->child = NULL;
    to->kernel.parameters = NULL;
    if (from->kind == NODE_ALLOC && p->space) space_hold(p->space, from->address);
    if (from->kernel.parameters) {
        uint8_t *copy = malloc(from->kernel.parameter_bytes + 1);
        if (!copy) return false; /* a kernel node holds no memory */
        memcpy(copy, from->kernel.parameters, from->kernel.parameter_bytes);
        to->kernel.parameters = copy;
    }
    if (from->child) to->child = graph_clone(p, from->child);
    if (!from->child || to->child) return true;
    node_work_free(p, to);
    return false;
}

/* ---- graphs and nodes */

struct graph *graph_create(struct program *p) {
    struct graph *g = calloc(1, sizeof *g);
    if (g && !(g->handle = graph_handle(p, THING_GRAPH, g))) {
        free(g);
        g = NULL;
    }
    return g;
}

static void free_node(struct program *p, struct graph_node *n) {
    graph_forget(p, n->handle);
    node_work_free(p, &n->work);
    free(n->from);
    free(n);
}

void graph_destroy(struct program *p, struct graph *g) {
    if (!g) return;
    for (size_t i = 0; i < g->num_nodes; i++) free_node(p, g->node[i]);
    graph_forget(p, g->handle);
    free(g->node);
    free(g);
}

void graphs_free(struct graphs *g) {
    if (!g) return;
    struct program shell = {.graphs = g}; /* all that the functions below look at */
    for (size_t i = 0; i < g->count; i++) {
        if (g->item[i].kind == THING_EXEC) graph_exec_destroy(&shell, g->item[i].thing);
    }
    for (size_t i = 0; i < g->count; i++) {
        if (g->item[i].kind == THING_GRAPH) graph_destroy(&shell, g->item[i].thing);
    }
    free(g->item);
    free(g);
}

bool graph_depends(struct graph_node *n, uint64_t on) {
    for (size_t i = 0; i < n->num_from; i++)
        if (n->from[i] == on) return true;
    return false;
}

static bool depend(struct graph_node *n, uint64_t on) {
    uint64_t *more = realloc(n->from, (n->num_from + 1) * sizeof *more);
    if (!more) return false;
    n->from = more;
    n->from[n->num_from++] = on;
    return true;
}

int graph_add(struct program *p, struct graph *g, struct node_work *work, const uint64_t *from,
              size_t num_from, struct graph_node **out) {
    struct graph_node *n = calloc(1, sizeof *n);
    struct graph_node **more = realloc(g->node, (g->num_nodes + 1) * sizeof *more);
    int error = n && more ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
    if (more) g->node = more;
    for (size_t i = 0; i < num_from && !error; i++) {
        const struct graph_node *f = graph_find_node(p, from[i]);
        if (!f || f->graph != g || graph_depends(n, from[i]))
            error = CUDA_ERROR_INVALID_VALUE;
        else if (!depend(n, from[i]))
            error = HEDDLE_cudaErrorMemoryAllocation;
    }
    if (!error && !(n->handle = graph_handle(p, THING_NODE, n)))
        error = HEDDLE_cudaErrorMemoryAllocation;
    if (error) {
        if (n) free(n->from);
        free(n);
        node_work_free(p, work);
        return error;
    }
    n->graph = g;
    n->work = *work;
    g->node[g->num_nodes++] = n;
    *out = n;
    return CUDA_SUCCESS;
}

static void drop_dependency(struct graph_node *n, uint64_t on) {
    size_t kept = 0;
    for (size_t i = 0; i < n->num_from; i++)
        if (n->from[i] != on) n->from[kept++] = n->from[i];
    n->num_from = kept;
}

void graph_remove(struct program *p, struct graph_node *node) {
    struct graph *g = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < g->num_nodes; i++) {
        drop_dependency(g->node[i], node->handle);
        if (g->node[i] != node) g->node[kept++] = g->node[i];
    }
    g->num_nodes = kept;
    free_node(p, node);
}

static struct graph_node *node_of(struct program *p, const struct graph *g, uint64_t handle) {
    struct graph_node *n = graph_find_node(p, handle);
    return n && n->graph == g ? n : NULL;
}

int graph_connect(struct program *p, struct graph *g, uint64_t from, uint64_t to) {
    struct graph_node *n = node_of(p, g, to);
    if (!n || !node_of(p, g, from) || from == to || graph_depends(n, from))
        return CUDA_ERROR_INVALID_VALUE;
    return depend(n, from) ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

int graph_disconnect(struct program *p, struct graph *g, uint64_t from, uint64_t to) {
    struct graph_node *n = node_of(p, g, to);
    if (!n || !graph_depends(n, from)) return CUDA_ERROR_INVALID_VALUE;
    drop_dependency(n, from);
    return CUDA_SUCCESS;
}

/* ---- copies */

/* Nodes may depend on later ones: all are made first, and then connected. */
struct graph *graph_clone(struct program *p, const struct graph *graph) {
    struct graph *g = graph_create(p);
    bool good = g != NULL;
    for (size_t i = 0; i < graph->num_nodes && good; i++) {
        struct node_work work;
        struct graph_node *n;
        good = node_work_copy(p, &work, &graph->node[i]->work) &&
               graph_add(p, g, &work, NULL, 0, &n) == CUDA_SUCCESS;
        if (good) {
            n->copy_of = graph->node[i]->handle;
            n->ticket = i; /* position, for the search below */
            graph->node[i]->ticket = i;
        }
    }
    for (size_t i = 0; i < graph->num_nodes && good; i++) {
        const struct graph_node *from = graph->node[i];
        for (size_t j = 0; j < from->num_from && good; j++) {
            const struct graph_node *f = graph_find_node(p, from->from[j]);
            good = f && depend(g->node[i], g->node[f->ticket]->handle);
        }
    }
    if (good) {
        g->copy_of = graph->handle;
        return g;
    }
    graph_destroy(p, g);
    return NULL;
}
