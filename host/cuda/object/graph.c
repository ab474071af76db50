/* graph.c - CUDA graphs: graphs, nodes and their handles; see graph.h.
 *
 * Runs in the server, on its thread, for handlers of calls and for the end of a program. Nothing
 * here issues an operation. The functions change the program's table of handles (program.graphs),
 * its graphs, and holds on the addresses of allocation nodes in the address space. Functions that
 * return int return a cudaError_t, named here without the prefix "cudaError". Memory of graphs and
 * nodes comes from GLib, which ends the process if there is none; where a comment says "no memory",
 * a kernel's parameters could not be copied. */
#include "cuda/object/graph.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/base/handle.h"

/* ---- handles: a table that only grows, so that an old handle never names a new object */

enum thing_kind { THING_NONE, THING_GRAPH, THING_NODE, THING_EXEC }; /* NONE: destroyed */

/* An entry of the table. */
struct thing {
    enum thing_kind kind;
    void *object;
};

/* The program's table of handles. */
struct graphs {
    GArray *things; /* struct thing */
};

/* Adds an object to the program's table, which is created on first use. @return its handle. */
static uint64_t new_handle(struct program *p, enum thing_kind kind, void *object) {
    if (!p->graphs) {
        p->graphs = g_new(struct graphs, 1);
        p->graphs->things = g_array_new(FALSE, FALSE, sizeof(struct thing));
    }
    const struct thing thing = {kind, object};
    g_array_append_val(p->graphs->things, thing);
    return handle_of(p->graphs->things->len - 1);
}

/* The entry of a handle, also of a destroyed object; NULL: never given. Valid until the table
 * grows. */
static struct thing *thing_of(const struct program *p, uint64_t handle) {
    GArray *things = p->graphs ? p->graphs->things : NULL;
    size_t i = things ? handle_index(handle, things->len) : 0;
    return things && i < things->len ? &g_array_index(things, struct thing, i) : NULL;
}

/* The object of a handle, NULL: not of that kind, or destroyed. */
static void *find(const struct program *p, uint64_t handle, enum thing_kind kind) {
    const struct thing *t = thing_of(p, handle);
    return t && t->kind == kind ? t->object : NULL;
}

/* Makes the handle name nothing from now on; its entry stays, so no other object gets the
 * handle. */
static void forget(struct program *p, uint64_t handle) {
    struct thing *t = thing_of(p, handle);
    if (t) t->kind = THING_NONE;
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

/* ---- the work of nodes */

/* Frees what the work owns (parameters, child graph), and lets go of the address of an allocation
 * node, which frees a block that nothing else holds. *work itself is the caller's. */
void node_work_free(struct program *p, struct node_work *work) {
    free((void *)(uintptr_t)work->kernel.parameters);
    if (work->child) graph_destroy(p, work->child);
    if (work->kind == NODE_ALLOC && p->space) address_space_let_go(p->space, work->address);
    work->kernel.parameters = NULL;
    work->child = NULL;
}

/* Copies the work, its parameters and its child graph, and holds the address of an allocation node
 * once more. @return false: no memory; *to then owns nothing. */
bool node_work_copy(struct program *p, struct node_work *to, const struct node_work *from) {
    *to = *from;
    to->child = NULL;
    to->kernel.parameters = NULL;
    if (from->kind == NODE_ALLOC && p->space) address_space_hold(p->space, from->address);
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

/* An empty graph with a handle, which the program's table finds and frees. */
struct graph *graph_create(struct program *p) {
    struct graph *g = g_new0(struct graph, 1);
    g->nodes = g_ptr_array_new();
    g->handle = new_handle(p, THING_GRAPH, g);
    return g;
}

/* Frees a node, its work and its handle. The graph's list still has the pointer. */
static void free_node(struct program *p, struct graph_node *n) {
    forget(p, n->handle);
    node_work_free(p, &n->work);
    g_array_unref(n->from);
    g_free(n);
}

/* Frees the graph, its nodes with what they own, and their handles. Accepts NULL. Operations of its
 * launches go on. */
void graph_destroy(struct program *p, struct graph *g) {
    if (!g) return;
    for (size_t i = 0; i < g->nodes->len; i++) free_node(p, graph_node_at(g, i));
    forget(p, g->handle);
    g_ptr_array_unref(g->nodes);
    g_free(g);
}

/* True if the handle is in the list. */
static bool contains(const GArray *handles, uint64_t handle) {
    for (size_t i = 0; i < handles->len; i++)
        if (g_array_index(handles, uint64_t, i) == handle) return true;
    return false;
}

/* True if the node depends directly on the node with this handle. */
bool graph_depends(const struct graph_node *n, uint64_t on) {
    return contains(n->from, on);
}

/* Adds a node with a handle, which owns what `work` owns from now on; *out is the node. @return
 * InvalidValue: a dependency is not a node of this graph, or comes twice; then it frees what the
 * work owns. */
int graph_add(struct program *p, struct graph *g, struct node_work *work, const uint64_t *from,
              size_t num_from, struct graph_node **out) {
    GArray *dependencies = g_array_new(FALSE, FALSE, sizeof *from);
    for (size_t i = 0; i < num_from; i++) {
        const struct graph_node *f = graph_find_node(p, from[i]);
        if (!f || f->graph != g || contains(dependencies, from[i])) {
            g_array_unref(dependencies);
            node_work_free(p, work);
            return CUDA_ERROR_INVALID_VALUE;
        }
        g_array_append_val(dependencies, from[i]);
    }
    struct graph_node *n = g_new(struct graph_node, 1);
    *n = (struct graph_node){
        .handle = new_handle(p, THING_NODE, n), .graph = g, .work = *work, .from = dependencies};
    g_ptr_array_add(g->nodes, n);
    *out = n;
    return CUDA_SUCCESS;
}

/* Removes the node's dependency on the node with the handle `on`. */
static void drop_dependency(struct graph_node *n, uint64_t on) {
    for (unsigned i = n->from->len; i-- > 0;)
        if (graph_node_from(n, i) == on) g_array_remove_index(n->from, i);
}

/* Destroys the node with what it owns and its handle, and removes it from the dependencies of the
 * others in its graph. */
void graph_remove(struct program *p, struct graph_node *node) {
    struct graph *g = node->graph;
    for (size_t i = 0; i < g->nodes->len; i++) drop_dependency(graph_node_at(g, i), node->handle);
    g_ptr_array_remove(g->nodes, node);
    free_node(p, node);
}

/* The node with this handle, NULL: none in this graph. */
static struct graph_node *node_of(struct program *p, const struct graph *g, uint64_t handle) {
    struct graph_node *n = graph_find_node(p, handle);
    return n && n->graph == g ? n : NULL;
}

/* Makes node `to` depend on node `from`. @return InvalidValue: one is not a node of this graph,
 * they are the same, or `to` depends on it already. */
int graph_connect(struct program *p, struct graph *g, uint64_t from, uint64_t to) {
    struct graph_node *n = node_of(p, g, to);
    if (!n || !node_of(p, g, from) || from == to || graph_depends(n, from))
        return CUDA_ERROR_INVALID_VALUE;
    g_array_append_val(n->from, from);
    return CUDA_SUCCESS;
}

/* Removes the dependency of node `to` on node `from`. @return InvalidValue: `to` is not a node of
 * this graph, or does not depend on it. */
int graph_disconnect(struct program *p, struct graph *g, uint64_t from, uint64_t to) {
    struct graph_node *n = node_of(p, g, to);
    if (!n || !graph_depends(n, from)) return CUDA_ERROR_INVALID_VALUE;
    drop_dependency(n, from);
    return CUDA_SUCCESS;
}

/* ---- copies */

/* A copy of the graph with handles of its own, which the program owns; copy_of of graph and nodes
 * names the originals. Creates all nodes before it connects them, because a node may depend on a
 * later one. Overwrites `ticket` of the source's nodes with their positions. @return NULL: no
 * memory; nothing remains. */
struct graph *graph_clone(struct program *p, const struct graph *graph) {
    struct graph *g = graph_create(p);
    for (size_t i = 0; i < graph->nodes->len; i++) {
        struct graph_node *from = graph_node_at(graph, i), *n;
        struct node_work work;
        if (!node_work_copy(p, &work, &from->work)) {
            graph_destroy(p, g);
            return NULL;
        }
        graph_add(p, g, &work, NULL, 0, &n);
        n->copy_of = from->handle;
        from->ticket = i; /* position, for the search below */
    }
    for (size_t i = 0; i < graph->nodes->len; i++) {
        const struct graph_node *from = graph_node_at(graph, i);
        for (size_t j = 0; j < from->from->len; j++) {
            const struct graph_node *f = graph_find_node(p, graph_node_from(from, j));
            g_array_append_val(graph_node_at(g, i)->from, graph_node_at(g, f->ticket)->handle);
        }
    }
    g->copy_of = graph->handle;
    return g;
}

/* ---- executable graphs */

/* An executable graph with a handle, which owns `graph`; program.graphs finds it. The caller sorts
 * the nodes. */
struct graph_exec *graph_exec_create(struct program *p, struct graph *graph, uint64_t flags) {
    struct graph_exec *e = g_new(struct graph_exec, 1);
    *e = (struct graph_exec){new_handle(p, THING_EXEC, e), flags, graph};
    return e;
}

/* Frees the executable graph, its graph and their handles. Accepts NULL. Operations of its launches
 * go on. */
void graph_exec_destroy(struct program *p, struct graph_exec *e) {
    if (!e) return;
    forget(p, e->handle);
    graph_destroy(p, e->graph);
    g_free(e);
}

/* The node that was copied from the node with handle `original`, at the top level of the executable
 * graph; or NULL. */
struct graph_node *graph_exec_node(struct graph_exec *e, uint64_t original) {
    for (size_t i = 0; i < e->graph->nodes->len; i++)
        if (graph_node_at(e->graph, i)->copy_of == original) return graph_node_at(e->graph, i);
    return NULL;
}

/* ---- the end of a program */

/* Destroys all graphs, or all executable graphs, of the program with their handles, which stay in
 * the table as destroyed. */
static void destroy_all(struct program *p, enum thing_kind kind) {
    GArray *things = p->graphs->things;
    for (size_t i = 0; i < things->len; i++) {
        const struct thing t = g_array_index(things, struct thing, i);
        if (t.kind != kind) continue;
        if (kind == THING_EXEC)
            graph_exec_destroy(p, t.object);
        else
            graph_destroy(p, t.object);
    }
}

/* Frees all graphs and executable graphs of the program, and the table. A child graph is destroyed
 * with its node, and its handle with it, so the table never destroys it a second time. */
void graphs_destroy(struct program *p) {
    if (!p->graphs) return;
    destroy_all(p, THING_EXEC);
    destroy_all(p, THING_GRAPH);
    g_array_unref(p->graphs->things);
    g_free(p->graphs);
    p->graphs = NULL;
}
