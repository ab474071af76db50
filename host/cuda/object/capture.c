/* capture.c - captures in progress, and the set of nodes that each captured stream has reached; see
 * capture.h.
 *
 * Runs in the server, on its thread, for handlers of calls. Nothing here issues an operation on a
 * GPU: the functions change program.captures, graphs, and `capture` and `nodes` of streams and
 * events. Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". Invalidating a capture sets its `invalid`; it stays in progress until its end. */
#include "cuda/object/capture.h"

/* A capture in progress; program.captures owns it. */
struct capture {
    struct capture *next;
    uint64_t id;         /* 1 for the first of the run */
    struct graph *graph; /* receives the nodes */
    bool into_existing;  /* cudaStreamBeginCaptureToGraph: the graph is the program's */
    enum capture_mode mode;
    bool invalid;               /* a forbidden call was made: it ends with an error */
    struct host_thread *thread; /* that began it */
    struct gpu *gpu;            /* with gpu_stream: the origin stream */
    uint32_t gpu_stream;
    GArray *left; /* last nodes of destroyed streams; the program must join them, too */
};

/* ---- calls that a capture forbids */

/* Visitor of stream_each(): invalidates the capture of a blocking stream (one without flags), and
 * sets *(bool *)user then. */
static void invalidate_blocking(struct stream *s, void *user) {
    bool *any = user;
    if (!s->capture || s->flags) return;
    s->capture->invalid = true;
    *any = true;
}

/* Invalidates the captures of the program's blocking streams, for which an operation on the legacy
 * stream would wait. @return true: there was one. */
bool capture_invalidate_implicit(struct call *call) {
    bool any = false;
    if (call->program->captures)
        stream_each(call->server, call->program, invalidate_blocking, &any);
    return any;
}

/* For a call that a capture may forbid: invalidates the captures whose mode forbids it, the
 * thread's own and global ones of others, unless the thread's own mode allows it. @return
 * cudaErrorStreamCaptureUnsupported: there was one. */
int capture_forbids(struct call *call) {
    bool any = false;
    if (call->thread->capture_mode == CAPTURE_RELAXED) return CUDA_SUCCESS;
    for (struct capture *c = call->program->captures; c; c = c->next) {
        bool mine = c->thread == call->thread;
        if (c->mode == CAPTURE_RELAXED || (!mine && c->mode != CAPTURE_GLOBAL)) continue;
        if (!mine && call->thread->capture_mode == CAPTURE_THREAD_LOCAL) continue;
        c->invalid = true;
        any = true;
    }
    return any ? HEDDLE_cudaErrorStreamCaptureUnsupported : CUDA_SUCCESS;
}

/* Looks the stream of an operation up (stream_find(), which may create a default stream). @return
 * InvalidResourceHandle; StreamCaptureInvalidated: its capture is invalid; StreamCaptureImplicit:
 * the legacy stream, while blocking streams are captured, which invalidates their captures. */
int capture_find_op_stream(struct call *call, uint64_t handle, struct stream_ref *out) {
    if (!stream_find(call, handle, out)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (out->capture && out->capture->invalid) return HEDDLE_cudaErrorStreamCaptureInvalidated;
    if (!out->stream && capture_invalidate_implicit(call))
        return HEDDLE_cudaErrorStreamCaptureImplicit;
    return CUDA_SUCCESS;
}

/* capture_find_op_stream() for a call that cannot be captured: on a captured stream it invalidates
 * the capture. @return StreamCaptureUnsupported then, else as capture_find_op_stream(). */
int capture_find_open_stream(struct call *call, uint64_t handle, struct stream_ref *out) {
    int error = capture_find_op_stream(call, handle, out);
    if (error || !out->capture) return error;
    out->capture->invalid = true;
    return HEDDLE_cudaErrorStreamCaptureUnsupported;
}

/* ---- sets of nodes: GArrays of handles (uint64_t); NULL is the empty set */

static size_t count_of(const GArray *nodes) {
    return nodes ? nodes->len : 0;
}

static uint64_t node_at(const GArray *nodes, size_t i) {
    return g_array_index(nodes, uint64_t, i);
}

/* True if the node is in the set. */
static bool contains(const GArray *nodes, uint64_t node) {
    for (size_t i = 0; i < count_of(nodes); i++)
        if (node_at(nodes, i) == node) return true;
    return false;
}

/* Frees a set, and makes *nodes the empty one. */
static void clear(GArray **nodes) {
    if (*nodes) g_array_unref(*nodes);
    *nodes = NULL;
}

/* Adds those of the `count` nodes that the set does not contain; creates the set if need be. */
static void join(GArray **nodes, const uint64_t *more, size_t count) {
    if (!*nodes) *nodes = g_array_new(FALSE, FALSE, sizeof *more);
    for (size_t i = 0; i < count; i++)
        if (!contains(*nodes, more[i])) g_array_append_val(*nodes, more[i]);
}

/* The members of a set as an array of count_of() entries, valid until the set changes. */
static const uint64_t *handles(const GArray *nodes) {
    return nodes && nodes->len ? &g_array_index(nodes, uint64_t, 0) : NULL;
}

/* ---- operations */

/* Adds a node for ref's device to the capture's graph, which takes over what `work` owns. The node
 * depends on the stream's nodes, and is the only one of them afterwards. A failure invalidates the
 * capture and frees what the work owns. @return as graph_add(). */
int capture_add(struct call *call, const struct stream_ref *ref, struct node_work *work) {
    struct graph_node *n;
    struct stream *s = ref->stream;
    work->device = ref->device;
    int error = graph_add(call->program, ref->capture->graph, work, handles(s->nodes),
                          count_of(s->nodes), &n);
    if (error) {
        ref->capture->invalid = true;
        return error;
    }
    clear(&s->nodes);
    join(&s->nodes, &n->handle, 1);
    return CUDA_SUCCESS;
}

/* Adds a node for an external record of, or wait for, an event, as capture_add() does. kind:
 * NODE_EVENT_RECORD or NODE_EVENT_WAIT. The caller has checked the event's handle. */
int capture_event(struct call *call, const struct stream_ref *ref, enum node_kind kind,
                  uint64_t event) {
    struct node_work work = {.kind = kind, .event = event};
    return capture_add(call, ref, &work);
}

/* Records an event in a captured stream: it stands for the stream's nodes from now on, and belongs
 * to the capture. No node is added. @return CUDA_SUCCESS. */
int capture_record(const struct stream_ref *ref, struct event *e) {
    clear(&e->nodes);
    join(&e->nodes, handles(ref->stream->nodes), count_of(ref->stream->nodes));
    e->capture = ref->capture;
    return CUDA_SUCCESS;
}

/* The stream joins the event's capture: adds the event's nodes to its own; no node is added to the
 * graph. A forbidden wait invalidates the captures concerned. @return StreamCaptureIsolation: a
 * captured stream, an event outside; StreamCaptureImplicit: the legacy stream; StreamCaptureMerge:
 * two captures. The stream or the event must be captured. */
int capture_wait(const struct stream_ref *ref, struct event *e) {
    struct stream *s = ref->stream;
    if (!e->capture) { /* work outside of the capture */
        ref->capture->invalid = true;
        return HEDDLE_cudaErrorStreamCaptureIsolation;
    }
    if (!s) { /* the legacy stream cannot be captured */
        e->capture->invalid = true;
        return HEDDLE_cudaErrorStreamCaptureImplicit;
    }
    if (s->capture && s->capture != e->capture) {
        s->capture->invalid = true;
        e->capture->invalid = true;
        return HEDDLE_cudaErrorStreamCaptureMerge;
    }
    s->capture = e->capture;
    join(&s->nodes, handles(e->nodes), count_of(e->nodes));
    return CUDA_SUCCESS;
}

/* Replaces or extends the nodes of a captured stream. @return InvalidValue: one is not of the
 * capture's graph; nothing changes then. */
int capture_set_dependencies(struct call *call, const struct stream_ref *ref, const uint64_t *nodes,
                             size_t count, bool replace) {
    for (size_t i = 0; i < count; i++) {
        const struct graph_node *n = graph_find_node(call->program, nodes[i]);
        if (!n || n->graph != ref->capture->graph) return CUDA_ERROR_INVALID_VALUE;
    }
    if (replace) clear(&ref->stream->nodes);
    join(&ref->stream->nodes, nodes, count);
    return CUDA_SUCCESS;
}

/* ---- begin and end */

/* Adds a capture to program.captures, with a new graph if none is given, and takes the stream into
 * it. @return StreamCaptureUnsupported: the legacy stream; IllegalState: the stream is captured
 * already. */
int capture_begin(struct call *call, const struct stream_ref *ref, enum capture_mode mode,
                  struct graph *graph) {
    struct program *p = call->program;
    if (!ref->stream) return HEDDLE_cudaErrorStreamCaptureUnsupported; /* the legacy stream */
    if (ref->capture) return HEDDLE_cudaErrorIllegalState;
    struct capture *c = g_new(struct capture, 1);
    *c = (struct capture){.next = p->captures,
                          .id = ++call->server->captures,
                          .graph = graph ? graph : graph_create(p),
                          .into_existing = graph != NULL,
                          .mode = mode,
                          .thread = call->thread,
                          .gpu = ref->gpu,
                          .gpu_stream = ref->gpu_stream};
    p->captures = c;
    ref->stream->capture = c;
    clear(&ref->stream->nodes);
    return CUDA_SUCCESS;
}

/* Sets `branch` of the graph's nodes to 1 if the stream's next operation would depend on the node,
 * to 0 otherwise. Goes backwards once, because a node of a captured graph depends on earlier nodes
 * only. */
static void mark_ancestors(struct program *p, struct graph *g, const struct stream *s) {
    for (size_t i = 0; i < g->nodes->len; i++)
        graph_node_at(g, i)->branch = contains(s->nodes, graph_node_at(g, i)->handle);
    for (size_t i = g->nodes->len; i-- > 0;) {
        const struct graph_node *n = graph_node_at(g, i);
        for (size_t j = 0; n->branch && j < n->from->len; j++) {
            struct graph_node *from = graph_find_node(p, graph_node_from(n, j));
            if (from) from->branch = 1;
        }
    }
}

/* The capture that is ending, for visitors of streams. */
struct ending {
    struct program *program;
    struct capture *capture;
    bool unjoined;
};

/* Sets e->unjoined if one of the nodes is not marked (graph_node.branch): the origin stream does
 * not depend on it. */
static void find_unmarked(struct ending *e, const GArray *nodes) {
    for (size_t i = 0; i < count_of(nodes); i++) {
        const struct graph_node *n = graph_find_node(e->program, node_at(nodes, i));
        if (n && !n->branch) e->unjoined = true;
    }
}

/* Visitor of stream_each(): checks the last nodes of a stream of the capture that ends. `user` is a
 * struct ending. */
static void find_unjoined(struct stream *s, void *user) {
    struct ending *e = user;
    if (s->capture == e->capture) find_unmarked(e, s->nodes);
}

/* Visitor of stream_each(): takes a stream out of the capture that ends. `user` is a struct
 * ending. */
static void let_go(struct stream *s, void *user) {
    const struct ending *e = user;
    if (s->capture != e->capture) return;
    s->capture = NULL;
    clear(&s->nodes);
}

/* Takes all streams and events of the program out of the capture, removes it from program.captures
 * and frees it. Its graph stays. */
void capture_cancel(struct call *call, struct capture *c) {
    struct program *p = call->program;
    struct ending e = {p, c, false};
    struct capture **link = &p->captures;
    stream_each(call->server, p, let_go, &e);
    for (size_t i = 0; i < p->events->len; i++) {
        struct event *event = g_ptr_array_index(p->events, i);
        if (event->capture == c) event->capture = NULL;
    }
    while (*link && *link != c) link = &(*link)->next;
    if (*link) *link = c->next;
    clear(&c->left);
    g_free(c);
}

/* Refuses, without a change, to end a capture that began on another stream (StreamCaptureUnmatched)
 * or, unless relaxed, thread (StreamCaptureWrongThread), and a stream without capture
 * (IllegalState). Else ends it and frees it: *graph is its graph if it is valid and its origin
 * stream depends on all nodes; NULL with StreamCaptureInvalidated or StreamCaptureUnjoined, and a
 * graph that the capture created is destroyed. Overwrites `branch` of the nodes. */
int capture_end(struct call *call, const struct stream_ref *ref, struct graph **graph) {
    struct program *p = call->program;
    struct capture *c = ref->capture;
    struct ending e = {p, c, false};
    *graph = NULL;
    if (!c) return HEDDLE_cudaErrorIllegalState;
    if (c->gpu != ref->gpu || c->gpu_stream != ref->gpu_stream)
        return HEDDLE_cudaErrorStreamCaptureUnmatched;
    if (c->thread != call->thread && c->mode != CAPTURE_RELAXED)
        return HEDDLE_cudaErrorStreamCaptureWrongThread;
    if (!c->invalid) {
        mark_ancestors(p, c->graph, ref->stream);
        stream_each(call->server, p, find_unjoined, &e);
        find_unmarked(&e, c->left);
    }
    int error = c->invalid   ? HEDDLE_cudaErrorStreamCaptureInvalidated
                : e.unjoined ? HEDDLE_cudaErrorStreamCaptureUnjoined
                             : CUDA_SUCCESS;
    if (!error) *graph = c->graph;
    if (error && !c->into_existing) graph_destroy(p, c->graph);
    capture_cancel(call, c);
    return error;
}

/* A stream of a capture is destroyed: takes it out, and keeps its last nodes in c->left, since the
 * program must join them, too. If the capture began on it, invalidates the capture. */
void capture_leave(struct stream *s) {
    struct capture *c = s->capture;
    bool origin = c->gpu == s->gpu && c->gpu_stream == s->gpu_stream;
    join(&c->left, handles(s->nodes), count_of(s->nodes));
    if (origin) c->invalid = true;
    s->capture = NULL;
    clear(&s->nodes);
}

/* Frees all captures of a program that ends or is reset. Leaves their graphs, and the pointers of
 * streams and events to them, which the caller resets. */
void captures_free(struct program *p) {
    for (struct capture *c = p->captures, *next; c; c = next) {
        next = c->next;
        clear(&c->left);
        g_free(c);
    }
    p->captures = NULL;
}

/* ---- questions */

/* State of the stream's capture; CAPTURE_NONE without one. */
enum capture_status capture_status(const struct stream_ref *ref) {
    return !ref->capture           ? CAPTURE_NONE
           : ref->capture->invalid ? CAPTURE_INVALIDATED
                                   : CAPTURE_ACTIVE;
}

uint64_t capture_id(const struct capture *c) {
    return c->id;
}

const struct graph *capture_graph(const struct capture *c) {
    return c->graph;
}
