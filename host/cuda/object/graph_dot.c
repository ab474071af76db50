/* graph_dot.c - writes a graph as text for Graphviz; see graph_dot.h. calls_graph.c calls it on the
 * server's thread for cudaGraphDebugDotPrint; the program writes the file. Reads the graph and the
 * program's kernels only. */
#include "cuda/object/graph_dot.h"

#include "cuda/object/module.h"

/* cudaGraphDebugDotFlags: all, or details of kernels, copies, fills, host functions, events, and
 * handles of nodes. */
enum {
    DOT_ALL = 1 << 0,
    DOT_KERNELS = 1 << 2,
    DOT_COPIES = 1 << 3,
    DOT_FILLS = 1 << 4,
    DOT_HOST = 1 << 5,
    DOT_EVENTS = 1 << 6,
    DOT_HANDLES = 1 << 10
};

/* The text and what it is made of. */
struct dot {
    GString *text;
    const struct program *program;
    uint64_t flags;
    unsigned graphs; /* written so far */
};

static bool wants(const struct dot *d, unsigned flag) {
    return d->flags & (DOT_ALL | flag);
}

static const char *kind_name(enum node_kind kind) {
    switch (kind) {
    case NODE_KERNEL: return "KERNEL";
    case NODE_COPY: return "MEMCPY";
    case NODE_FILL: return "MEMSET";
    case NODE_HOST: return "HOST";
    case NODE_CHILD_GRAPH: return "GRAPH";
    case NODE_EMPTY: return "EMPTY";
    case NODE_EVENT_WAIT: return "EVENT_WAIT";
    case NODE_EVENT_RECORD: return "EVENT_RECORD";
    case NODE_ALLOC: return "MEM_ALLOC";
    case NODE_FREE: return "MEM_FREE";
    case NODE_BATCH_MEM_OP: return "BATCH_MEM_OP";
    }
    return "?";
}

/* The kernel's name in PTX and its launch; the parameters' bytes if asked for. */
static void put_kernel(struct dot *d, const struct kernel_shape *k) {
    const struct function *f = function_find(d->program, k->function);
    g_string_append_printf(d->text, "%s\\n\\<\\<\\<\\{%u,%u,%u\\},\\{%u,%u,%u\\},%llu\\>\\>\\>\\n",
                           f ? f->name : "?", k->grid[0], k->grid[1], k->grid[2], k->block[0],
                           k->block[1], k->block[2], (unsigned long long)k->shared_bytes);
    if (!wants(d, DOT_KERNELS)) return;
    g_string_append_printf(d->text, "cooperative: %d\\nparameters:", k->cooperative);
    for (uint32_t i = 0; i < k->parameter_bytes; i++)
        g_string_append_printf(d->text, "%s%02x", i % 8 ? "" : " ", k->parameters[i]);
    g_string_append(d->text, "\\n");
}

static void put_copy(struct dot *d, const struct copy_shape *c) {
    static const char *const kind[] = {"HtoH", "HtoD", "DtoH", "DtoD", "by address"};
    g_string_append_printf(d->text, "%s\\n",
                           c->kind >= 0 && c->kind < (int)G_N_ELEMENTS(kind) ? kind[c->kind] : "?");
    if (!wants(d, DOT_COPIES)) return;
    g_string_append_printf(d->text, "from 0x%llx, pitch %llu\\nto 0x%llx, pitch %llu\\n",
                           (unsigned long long)c->src, (unsigned long long)c->src_pitch,
                           (unsigned long long)c->dst, (unsigned long long)c->dst_pitch);
    g_string_append_printf(d->text, "%llu x %llu x %llu bytes\\n", (unsigned long long)c->width,
                           (unsigned long long)c->height, (unsigned long long)c->depth);
}

static void put_fill(struct dot *d, const struct fill_shape *f) {
    if (!wants(d, DOT_FILLS)) return;
    g_string_append_printf(d->text,
                           "at 0x%llx, pitch %llu\\nvalue %u, elements of %u\\n%llu x %llu "
                           "bytes\\n",
                           (unsigned long long)f->dst, (unsigned long long)f->pitch, f->value,
                           f->element, (unsigned long long)f->width, (unsigned long long)f->height);
}

/* What the node does, behind its kind. */
static void put_work(struct dot *d, const struct node_work *w) {
    switch (w->kind) {
    case NODE_KERNEL: put_kernel(d, &w->kernel); break;
    case NODE_COPY: put_copy(d, &w->copy); break;
    case NODE_FILL: put_fill(d, &w->fill); break;
    case NODE_HOST:
        if (wants(d, DOT_HOST))
            g_string_append_printf(d->text, "function 0x%llx\\nargument 0x%llx\\n",
                                   (unsigned long long)w->host.function,
                                   (unsigned long long)w->host.argument);
        break;
    case NODE_EVENT_WAIT:
    case NODE_EVENT_RECORD:
        if (wants(d, DOT_EVENTS))
            g_string_append_printf(d->text, "event 0x%llx\\n", (unsigned long long)w->event);
        break;
    case NODE_ALLOC:
        g_string_append_printf(d->text, "%llu bytes at 0x%llx\\n", (unsigned long long)w->bytes,
                               (unsigned long long)w->address);
        break;
    case NODE_FREE:
        g_string_append_printf(d->text, "0x%llx\\n", (unsigned long long)w->address);
        break;
    case NODE_CHILD_GRAPH:
    case NODE_EMPTY:
    case NODE_BATCH_MEM_OP: break;
    }
}

/* The place of the node with this handle among the nodes of its graph. */
static size_t index_of(const struct graph *g, uint64_t handle) {
    size_t i = 0;
    while (i < g->nodes->len && graph_node_at(g, i)->handle != handle) i++;
    return i;
}

static void put_graph(struct dot *d, const struct graph *g) {
    const unsigned n = ++d->graphs;
    g_string_append_printf(
        d->text, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", n, n);
    for (size_t i = 0; i < g->nodes->len; i++) {
        const struct graph_node *node = graph_node_at(g, i);
        const bool kernel = node->work.kind == NODE_KERNEL;
        g_string_append_printf(d->text, "\"graph_%u_node_%zu\"[style=\"%s\" shape=\"%s\" label=\"",
                               n, i, kernel ? "bold" : "solid", kernel ? "octagon" : "rectangle");
        g_string_append_printf(d->text, "%zu\\n%s\\n", i, kind_name(node->work.kind));
        if (wants(d, DOT_HANDLES))
            g_string_append_printf(d->text, "handle 0x%llx\\n", (unsigned long long)node->handle);
        put_work(d, &node->work);
        g_string_append(d->text, "\"];\n");
        if (node->work.kind == NODE_CHILD_GRAPH && node->work.child) put_graph(d, node->work.child);
    }
    for (size_t i = 0; i < g->nodes->len; i++) {
        const struct graph_node *node = graph_node_at(g, i);
        for (size_t k = 0; k < node->from->len; k++)
            g_string_append_printf(d->text, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\";\n", n,
                                   index_of(g, graph_node_from(node, k)), n, i);
    }
    g_string_append(d->text, "}\n");
}

GString *graph_dot(const struct program *p, const struct graph *graph, uint64_t flags) {
    struct dot d = {.text = g_string_new("digraph dot {\n"), .program = p, .flags = flags};
    put_graph(&d, graph);
    g_string_append(d.text, "}\n");
    return d.text;
}
