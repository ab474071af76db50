/* graph_exec.c - executable graphs: order, launch, update; see graph.h */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"
#include "cuda/graph_memory.h"
#include "cuda/words.h"

/* cudaGraphExecUpdateResult */
enum {
    UPDATE_DONE = 0,
    UPDATE_TOPOLOGY = 2,
    UPDATE_NODE_TYPE = 3,
    UPDATE_FUNCTION = 4,
    UPDATE_PARAMETERS = 5,
    UPDATE_NOT_SUPPORTED = 6,
};

/* ---- making */

/* Puts the nodes into an order in which each follows those it depends on; of several, the one
 * created first comes first. @return false: there is a cycle. */
static bool sort(struct program *p, struct graph *g) {
    size_t n = g->num_nodes, done = 0;
    for (size_t i = 0; i < n; i++) g->node[i]->branch = 0; /* 1: placed */
    struct graph_node **order = calloc(n + 1, sizeof *order);
    if (!order) return false;
    for (bool moved = true; moved && done < n;) {
        moved = false;
        for (size_t i = 0; i < n; i++) {
            struct graph_node *node = g->node[i];
            bool ready = !node->branch;
            for (size_t j = 0; j < node->num_from && ready; j++)
                ready = graph_find_node(p, node->from[j])->branch;
            if (!ready) continue;
            node->branch = 1;
            order[done++] = node;
            moved = true;
        }
    }
    if (done == n) memcpy(g->node, order, n * sizeof *order);
    free(order);
    return done == n;
}

static bool sort_all(struct program *p, struct graph *g) {
    for (size_t i = 0; i < g->num_nodes; i++)
        if (g->node[i]->work.child && !sort_all(p, g->node[i]->work.child)) return false;
    return sort(p, g);
}

int graph_instantiate(struct call *call, const struct graph *graph, uint64_t flags,
                      struct graph_exec **out) {
    struct program *p = call->program;
    struct graph_exec *e = calloc(1, sizeof *e);
    if (e) e->graph = graph_clone(p, graph);
    if (!e || !e->graph || !(e->handle = graph_handle(p, THING_EXEC, e))) {
        if (e) graph_destroy(p, e->graph);
        free(e);
        return HEDDLE_cudaErrorMemoryAllocation;
    }
    e->flags = flags;
    if (!sort_all(p, e->graph)) {
        graph_exec_destroy(p, e);
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = e;
    return CUDA_SUCCESS;
}

void graph_exec_destroy(struct program *p, struct graph_exec *e) {
    if (!e) return;
    graph_forget(p, e->handle);
    graph_destroy(p, e->graph);
    free(e);
}

struct graph_node *graph_exec_node(struct graph_exec *e, uint64_t original) {
    for (size_t i = 0; i < e->graph->num_nodes; i++)
        if (e->graph->node[i]->copy_of == original) return e->graph->node[i];
    return NULL;
}

/* ---- launching */

/* The streams of a launch: the launching one, and others for branches beside it. */
struct branches {
    struct stream_ref ref; /* branch 0 */
    uint32_t *stream;      /* of branch i, of the same GPU */
    gpu_ticket *last;
    size_t count;
    gpu_ticket begin;
    bool pageable; /* a copy reaches the program's own memory */
    bool kernels;  /* one has been issued */
};

static int run(struct call *call, struct graph *g, struct branches *b);

static int open_branch(struct call *call, struct branches *b, uint32_t *branch) {
    uint32_t *streams = realloc(b->stream, (b->count + 1) * sizeof *streams);
    if (streams) b->stream = streams;
    gpu_ticket *last = realloc(b->last, (b->count + 1) * sizeof *last);
    if (last) b->last = last;
    if (!streams || !last) return HEDDLE_cudaErrorMemoryAllocation;
    int priority = b->ref.stream ? b->ref.stream->priority : 0;
    heddle_err e = gpu_stream_create(b->ref.gpu, GPU_STREAM_NON_BLOCKING, priority,
                                     &b->stream[b->count]);
    if (e) return error_of(e);
    b->last[b->count] = 0;
    *branch = (uint32_t)b->count++;
    struct stream_ref ref = b->ref;
    ref.gpu_stream = b->stream[*branch];
    ref.last = &b->last[*branch];
    return stream_follow(call, &ref, b->ref.device, b->begin);
}

/* The branch on which the node goes: that of a node it depends on if nothing came behind it there,
 * else a new one. */
static int choose_branch(struct call *call, struct branches *b, struct graph_node *n,
                         uint32_t *branch) {
    if (n->num_from == 0) {
        if (b->last[0] == b->begin) {
            *branch = 0;
            return CUDA_SUCCESS;
        }
        return open_branch(call, b, branch);
    }
    for (size_t i = 0; i < n->num_from; i++) {
        const struct graph_node *f = graph_find_node(call->program, n->from[i]);
        if (b->last[f->branch] != f->ticket) continue;
        *branch = f->branch;
        return CUDA_SUCCESS;
    }
    return open_branch(call, b, branch);
}

static int run_child(struct call *call, struct graph *child, const struct stream_ref *ref,
                     struct branches *outer) {
    gpu_ticket last;
    int error = stream_mark(call, ref, &last);
    struct branches b = {
        .ref = *ref, .begin = last, .pageable = outer->pageable, .kernels = outer->kernels};
    b.ref.last = &last;
    if (!error) error = run(call, child, &b);
    outer->pageable = b.pageable;
    outer->kernels = b.kernels;
    return error;
}

/* The first kernel of a graph costs what any kernel does, those behind it what `launch.graph` says.
 */
static int launch_in_graph(struct call *call, struct graph_node *n, const struct stream_ref *ref,
                           struct branches *b) {
    struct kernel_shape shape = n->work.kernel;
    shape.in_graph = b->kernels;
    b->kernels = true;
    return launch_issue(call, ref, &shape, &n->ticket);
}

static int run_work(struct call *call, struct graph_node *n, const struct stream_ref *ref,
                    struct branches *b) {
    struct node_work *w = &n->work;
    gpu_ticket *ticket = &n->ticket;
    if (n->disabled) return stream_mark(call, ref, ticket);
    switch (w->kind) {
    case NODE_KERNEL: return launch_in_graph(call, n, ref, b);
    case NODE_COPY:
        b->pageable |= copy_is_pageable(call, &w->copy);
        return copy_issue_by_address(call, ref, &w->copy, ticket);
    case NODE_FILL: return fill_issue(call, ref, &w->fill, ticket);
    case NODE_HOST: return host_function_issue(call, ref, &w->host, ticket);
    case NODE_GRAPH: {
        int error = run_child(call, w->child, ref, b);
        return error ? error : stream_mark(call, ref, ticket);
    }
    case NODE_EVENT_RECORD: {
        struct event *e = find_event(call->program, w->event);
        int error = stream_mark(call, ref, ticket);
        if (error || !e) return error;
        e->capture = NULL;
        if (e->shared) e->shared->device = ref->device;
        *event_ticket(e) = *ticket;
        return CUDA_SUCCESS;
    }
    case NODE_EVENT_WAIT: {
        struct event *e = find_event(call->program, w->event);
        int error = e ? stream_follow(call, ref, event_device(e), *event_ticket(e)) : CUDA_SUCCESS;
        return error ? error : stream_mark(call, ref, ticket);
    }
    case NODE_WORDS:
        return words_issue(call, ref, w->kernel.parameters, w->kernel.parameter_bytes, ticket);
    case NODE_ALLOC:
    case NODE_FREE: return graph_memory_issue(call, ref, w, ticket);
    default: return stream_mark(call, ref, ticket);
    }
}

static int run(struct call *call, struct graph *g, struct branches *b) {
    int error = CUDA_SUCCESS;
    b->stream = malloc(sizeof *b->stream);
    b->last = malloc(sizeof *b->last);
    if (!b->stream || !b->last) error = HEDDLE_cudaErrorMemoryAllocation;
    b->count = 1;
    for (size_t i = 0; i < g->num_nodes && !error; i++) {
        struct graph_node *n = g->node[i];
        if (i == 0) {
            b->stream[0] = b->ref.gpu_stream;
            b->last[0] = b->begin;
        }
        error = choose_branch(call, b, n, &n->branch);
        struct stream_ref ref = b->ref;
        gpu_ticket last = 0;
        ref.gpu_stream = error ? 0 : b->stream[n->branch];
        ref.last = &last;
        for (size_t j = 0; j < n->num_from && !error; j++) {
            const struct graph_node *f = graph_find_node(call->program, n->from[j]);
            if (f->branch != n->branch) error = stream_follow(call, &ref, ref.device, f->ticket);
        }
        if (!error) error = run_work(call, n, &ref, b);
        if (!error) b->last[n->branch] = n->ticket;
    }
    /* The launching stream goes on when all branches have ended. */
    for (size_t i = 1; i < b->count && b->stream; i++) {
        if (!error) error = stream_follow(call, &b->ref, b->ref.device, b->last[i]);
        gpu_stream_destroy(b->ref.gpu, b->stream[i]);
    }
    free(b->stream);
    free(b->last);
    b->stream = NULL;
    b->last = NULL;
    return error;
}

int graph_launch(struct call *call, struct graph_exec *exec, const struct stream_ref *ref) {
    struct branches b = {.ref = *ref};
    int error = graph_memory_prepare(call, exec, ref);
    if (!error) error = stream_mark(call, ref, &b.begin);
    if (!error) error = run(call, exec->graph, &b);
    gpu_ticket end;
    if (!error) error = stream_mark(call, ref, &end);
    uint64_t end_ps;
    /* The program's memory can only be reached now. */
    if (!error && b.pageable) error = finish_ticket(call, ref->gpu, end, &end_ps);
    return error;
}

/* ---- updating */

static bool same_edges(struct program *p, const struct graph_node *mine,
                       const struct graph_node *theirs, const struct graph_exec *exec) {
    if (mine->num_from != theirs->num_from) return false;
    for (size_t i = 0; i < mine->num_from; i++) {
        const struct graph_node *a = graph_find_node(p, mine->from[i]);
        const struct graph_node *b = graph_find_node(p, theirs->from[i]);
        if (!a || !b || a->graph != exec->graph || a->branch != b->branch) return false;
    }
    return true;
}

int graph_exec_update(struct call *call, struct graph_exec *exec, const struct graph *graph,
                      uint64_t *bad) {
    struct program *p = call->program;
    *bad = 0;
    if (graph->num_nodes != exec->graph->num_nodes) return UPDATE_TOPOLOGY;
    struct graph *sorted = graph_clone(p, graph);
    int result = sorted && sort_all(p, sorted) ? UPDATE_DONE : UPDATE_TOPOLOGY;
    for (size_t i = 0; i < graph->num_nodes && !result; i++)
        exec->graph->node[i]->branch = sorted->node[i]->branch = (uint32_t)i;
    for (size_t i = 0; i < graph->num_nodes && !result; i++) {
        struct graph_node *mine = exec->graph->node[i], *theirs = sorted->node[i];
        if (mine->work.kind != theirs->work.kind)
            result = UPDATE_NODE_TYPE;
        else if (!same_edges(p, mine, theirs, exec))
            result = UPDATE_TOPOLOGY;
        else if (mine->work.kind == NODE_KERNEL && mine->work.device != theirs->work.device)
            result = UPDATE_FUNCTION;
        else if (mine->work.kind == NODE_COPY && mine->work.copy.kind != theirs->work.copy.kind)
            result = UPDATE_PARAMETERS;
        else if (mine->work.kind == NODE_ALLOC || mine->work.kind == NODE_FREE)
            result = UPDATE_NOT_SUPPORTED;
        if (result) *bad = theirs->copy_of;
    }
    for (size_t i = 0; i < graph->num_nodes && !result; i++) {
        struct graph_node *mine = exec->graph->node[i], *theirs = sorted->node[i];
        struct node_work old = mine->work;
        mine->work = theirs->work;
        theirs->work = old;
    }
    graph_destroy(p, sorted);
    return result;
}
