/* graph_exec.c - instantiates, launches and updates executable graphs; see graph_exec.h.
 *
 * Runs in the server, on its thread, for calls_graph.c. A launch issues operations on the GPU of
 * its stream at the target time of the calling thread; the functions from open_branch() to
 * graph_launch() stop at the first error, and what is issued by then stays. Functions that return
 * int return a cudaError_t, named here without the prefix "cudaError". */
#include "cuda/object/graph_exec.h"

#include <string.h>

#include "cuda/base/diagnostics.h"
#include "cuda/object/event.h"
#include "cuda/object/graph_memory.h"
#include "cuda/object/stream_mem_op.h"
#include "cuda/object/wait.h"

/* cudaGraphExecUpdateResult */
enum {
    UPDATE_DONE = 0,
    UPDATE_TOPOLOGY = 2,
    UPDATE_NODE_TYPE = 3,
    UPDATE_FUNCTION = 4,
    UPDATE_PARAMETERS = 5,
    UPDATE_NOT_SUPPORTED = 6,
};

/* ---- instantiation */

/* Puts the nodes into an order in which each follows those it depends on. Passes over the list, in
 * the order of creation, place every node whose predecessors have been placed. Overwrites
 * node->branch. @return false: there is a cycle, and the order is the old one. */
static bool sort(struct program *p, struct graph *g) {
    size_t n = g->nodes->len;
    for (size_t i = 0; i < n; i++) graph_node_at(g, i)->branch = 0; /* 1: placed */
    GPtrArray *order = g_ptr_array_sized_new((unsigned)n);
    for (bool moved = true; moved && order->len < n;) {
        moved = false;
        for (size_t i = 0; i < n; i++) {
            struct graph_node *node = graph_node_at(g, i);
            bool ready = !node->branch;
            for (size_t j = 0; j < node->from->len && ready; j++)
                ready = graph_find_node(p, graph_node_from(node, j))->branch;
            if (!ready) continue;
            node->branch = 1;
            g_ptr_array_add(order, node);
            moved = true;
        }
    }
    bool done = order->len == n;
    if (done && n) memcpy(g->nodes->pdata, order->pdata, n * sizeof *order->pdata);
    g_ptr_array_unref(order);
    return done;
}

/* Sorts the nodes of a graph (sort()) and, first, those of its child graphs. @return false: one of
 * them has a cycle; others may be sorted. */
static bool sort_all(struct program *p, struct graph *g) {
    for (size_t i = 0; i < g->nodes->len; i++) {
        struct graph *child = graph_node_at(g, i)->work.child;
        if (child && !sort_all(p, child)) return false;
    }
    return sort(p, g);
}

/* Clones the graph, sorts the clone and makes it executable (graph_exec_create()); the program owns
 * *out. @return MemoryAllocation; InvalidValue: a cycle. Then nothing remains. */
int graph_instantiate(struct call *call, const struct graph *graph, uint64_t flags,
                      struct graph_exec **out) {
    struct program *p = call->program;
    struct graph *copy = graph_clone(p, graph);
    if (!copy) return HEDDLE_cudaErrorMemoryAllocation;
    struct graph_exec *e = graph_exec_create(p, copy, flags);
    if (!sort_all(p, e->graph)) {
        graph_exec_destroy(p, e);
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = e;
    return CUDA_SUCCESS;
}

/* ---- launching */

/* One stream of a launch. */
struct branch {
    uint32_t gpu_stream;
    gpu_ticket last; /* newest operation of the launch on it */
};

/* The streams of a launch: the launching one, and one for each parallel branch. */
struct branches {
    struct stream_ref ref; /* branch 0 */
    GArray *list;          /* struct branch, of the same GPU */
    gpu_ticket begin;      /* the marker with which the launch begins */
    bool pageable;         /* a copy reaches the program's own memory */
    bool kernels;          /* a kernel has been issued */
};

/* Branch i of the launch. Valid until a branch is added. */
static struct branch *branch_at(const struct branches *b, size_t i) {
    return &g_array_index(b->list, struct branch, i);
}

static int run(struct call *call, struct graph *g, struct branches *b);

/* Creates a stream on the GPU for a new branch, which run() destroys, and makes it wait for the
 * beginning of the launch. *branch: its index in b->list, set also after an error. */
static int open_branch(struct call *call, struct branches *b, uint32_t *branch) {
    int priority = b->ref.stream ? b->ref.stream->priority : 0;
    struct branch opened = {
        .gpu_stream = gpu_stream_create(b->ref.gpu, GPU_STREAM_NON_BLOCKING, priority)};
    *branch = b->list->len;
    g_array_append_val(b->list, opened);
    struct stream_ref ref = b->ref;
    ref.gpu_stream = opened.gpu_stream;
    ref.last = &branch_at(b, *branch)->last;
    return stream_follow(call, &ref, b->ref.device, b->begin);
}

/* Chooses the branch of a node: that of a node it depends on, if that node is still the last one
 * there (a root node: the launching stream, if nothing is there yet); else opens a new one.
 * *branch: its index in b->list. */
static int choose_branch(struct call *call, struct branches *b, struct graph_node *n,
                         uint32_t *branch) {
    if (n->from->len == 0) {
        if (branch_at(b, 0)->last == b->begin) {
            *branch = 0;
            return CUDA_SUCCESS;
        }
        return open_branch(call, b, branch);
    }
    for (size_t i = 0; i < n->from->len; i++) {
        const struct graph_node *f = graph_find_node(call->program, graph_node_from(n, i));
        if (branch_at(b, f->branch)->last != f->ticket) continue;
        *branch = f->branch;
        return CUDA_SUCCESS;
    }
    return open_branch(call, b, branch);
}

/* Issues a marker and the nodes of a child graph behind `ref`, with branches of their own, which
 * join `ref` again. Updates outer->pageable and outer->kernels. */
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

/* Loads and launches a kernel, which may compile its module and report errors on standard error.
 * The first kernel of a graph launch has the full launch overhead, later ones that of
 * `launch.graph`. Sets b->kernels and n->ticket. */
static int launch_in_graph(struct call *call, struct graph_node *n, const struct stream_ref *ref,
                           struct branches *b) {
    struct launch launch;
    bool first = !b->kernels;
    b->kernels = true;
    int error = launch_prepare(call, &n->work.kernel, ref->device, &launch);
    return error ? error : launch_issue(call, ref, &launch, !first, &n->ticket);
}

/* Issues the node's operation on the stream: a marker for a node that is disabled or empty, or
 * whose event has gone. n->ticket: the operation, or the last of several. Sets b->pageable for a
 * copy of pageable memory. An event record changes the event, an allocation or free the address
 * space. A kernel compiles its module on first use; an external event wait across devices drives
 * the simulation. */
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
    case NODE_CHILD_GRAPH: {
        int error = run_child(call, w->child, ref, b);
        return error ? error : stream_mark(call, ref, ticket);
    }
    case NODE_EVENT_RECORD: {
        struct event *e = event_find(call->program, w->event);
        int error = stream_mark(call, ref, ticket);
        if (error || !e) return error;
        event_set(e, ref->device, *ticket);
        return CUDA_SUCCESS;
    }
    case NODE_EVENT_WAIT: {
        struct event *e = event_find(call->program, w->event);
        int error = e ? stream_follow(call, ref, event_device(e), *event_ticket(e)) : CUDA_SUCCESS;
        return error ? error : stream_mark(call, ref, ticket);
    }
    case NODE_BATCH_MEM_OP:
        return stream_mem_op_issue(call, ref, w->kernel.parameters, w->kernel.parameter_bytes,
                                   ticket);
    case NODE_ALLOC:
    case NODE_FREE: return graph_memory_issue(call, ref, w, ticket);
    default: return stream_mark(call, ref, ticket);
    }
}

/* Issues a node after those it depends on, and sets its `branch` and `ticket`. Nodes of its own
 * branch precede it in the stream; for the others, the stream waits. */
static int run_node(struct call *call, struct branches *b, struct graph_node *n) {
    int error = choose_branch(call, b, n, &n->branch);
    if (error) return error;
    struct stream_ref ref = b->ref;
    gpu_ticket last = 0;
    ref.gpu_stream = branch_at(b, n->branch)->gpu_stream;
    ref.last = &last;
    for (size_t i = 0; i < n->from->len && !error; i++) {
        const struct graph_node *f = graph_find_node(call->program, graph_node_from(n, i));
        if (f->branch != n->branch) error = stream_follow(call, &ref, ref.device, f->ticket);
    }
    if (!error) error = run_work(call, n, &ref, b);
    if (!error) branch_at(b, n->branch)->last = n->ticket;
    return error;
}

/* Issues all nodes of a graph in order, then lets the launching stream follow all branches and
 * destroys their streams, also after an error. b->list exists only meanwhile. */
static int run(struct call *call, struct graph *g, struct branches *b) {
    int error = CUDA_SUCCESS;
    const struct branch own = {b->ref.gpu_stream, b->begin};
    b->list = g_array_new(FALSE, FALSE, sizeof own);
    g_array_append_val(b->list, own);
    for (size_t i = 0; i < g->nodes->len && !error; i++)
        error = run_node(call, b, graph_node_at(g, i));
    /* The launching stream goes on when all branches have ended. */
    for (size_t i = 1; i < b->list->len; i++) {
        if (!error) error = stream_follow(call, &b->ref, b->ref.device, branch_at(b, i)->last);
        gpu_stream_destroy(b->ref.gpu, branch_at(b, i)->gpu_stream);
    }
    g_array_unref(b->list);
    return error;
}

/* Waits for the end of the launch that the call has issued, without moving the thread's clock.
 * @return the error of the wait; CALL_SUSPENDED, if calls are served in the order of target time:
 * graph_launch() is then called again. */
static int wait_issued(struct call *call) {
    struct issued *issued = &call->thread->issued;
    uint64_t end_ps;
    call->repeatable = call->server->in_order;
    int error = wait_performed(call, issued->gpu, issued->ticket, &end_ps);
    if (error != CALL_SUSPENDED) issued->any = false;
    return error;
}

/* Frees memory of an earlier launch if the graph asks for it (graph_memory_prepare()), and issues
 * all nodes between two markers. If a copy reaches pageable memory, waits for the end without
 * moving the thread's clock: drives the simulation, and a fault becomes the sticky error. @return
 * the first error of issuing or waiting. */
int graph_launch(struct call *call, struct graph_exec *exec, const struct stream_ref *ref) {
    struct branches b = {.ref = *ref};
    if (call->thread->issued.any) return wait_issued(call); /* the call was suspended */
    int error = graph_memory_prepare(call, exec, ref);
    if (!error) error = stream_mark(call, ref, &b.begin);
    if (!error) error = run(call, exec->graph, &b);
    gpu_ticket end;
    if (!error) error = stream_mark(call, ref, &end);
    if (error || !b.pageable) return error;
    /* Pageable memory can only be reached during this call. */
    call->thread->issued = (struct issued){.any = true, .gpu = ref->gpu, .ticket = end};
    return wait_issued(call);
}

/* ---- updating */

/* True if a node of exec and a node of another graph depend on nodes of the same positions, in the
 * same order; graph_exec_update() has put each node's position into `branch`. */
static bool same_edges(struct program *p, const struct graph_node *mine,
                       const struct graph_node *theirs, const struct graph_exec *exec) {
    if (mine->from->len != theirs->from->len) return false;
    for (size_t i = 0; i < mine->from->len; i++) {
        const struct graph_node *a = graph_find_node(p, graph_node_from(mine, i));
        const struct graph_node *b = graph_find_node(p, graph_node_from(theirs, i));
        if (!a || !b || a->graph != exec->graph || a->branch != b->branch) return false;
    }
    return true;
}

/* Compares a sorted copy of `graph` with the executable graph, node by node; if all fit, swaps
 * their work and frees the copy with the old work. *out: a cudaGraphExecUpdateResult; *bad: the
 * first node of `graph` that does not fit, or 0. Overwrites `branch` of the nodes with positions.
 * @return MemoryAllocation, else CUDA_SUCCESS whatever *out says. */
int graph_exec_update(struct call *call, struct graph_exec *exec, const struct graph *graph,
                      uint64_t *bad, uint64_t *out) {
    struct program *p = call->program;
    *bad = 0;
    *out = UPDATE_TOPOLOGY;
    if (graph->nodes->len != exec->graph->nodes->len) return CUDA_SUCCESS;
    struct graph *sorted = graph_clone(p, graph);
    if (!sorted) return HEDDLE_cudaErrorMemoryAllocation;
    int result = sort_all(p, sorted) ? UPDATE_DONE : UPDATE_TOPOLOGY;
    for (size_t i = 0; i < graph->nodes->len && !result; i++)
        graph_node_at(exec->graph, i)->branch = graph_node_at(sorted, i)->branch = (uint32_t)i;
    for (size_t i = 0; i < graph->nodes->len && !result; i++) {
        struct graph_node *mine = graph_node_at(exec->graph, i), *theirs = graph_node_at(sorted, i);
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
    for (size_t i = 0; i < graph->nodes->len && !result; i++) {
        struct graph_node *mine = graph_node_at(exec->graph, i), *theirs = graph_node_at(sorted, i);
        struct node_work old = mine->work;
        mine->work = theirs->work;
        theirs->work = old;
    }
    graph_destroy(p, sorted);
    *out = (uint64_t)result;
    return CUDA_SUCCESS;
}
