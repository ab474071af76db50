/* capture.c - see capture.h */
#include "cuda/capture.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_call_handlers.h"

enum { STATUS_NONE, STATUS_ACTIVE, STATUS_INVALIDATED };
enum { DEPENDENCIES_ADD, DEPENDENCIES_SET };

struct capture {
    struct capture *next;
    uint64_t id;
    struct graph *graph;
    bool into_existing; /* cudaStreamBeginCaptureToGraph: the graph is the program's */
    int mode;
    bool spoilt;
    struct host_thread *thread;
    struct gpu *gpu;
    uint32_t gpu_stream;
    uint64_t *left; /* the last nodes of streams that were destroyed; to be joined like others */
    size_t num_left;
};

static struct capture **captures(struct program *p) {
    return &p->captures;
}

bool capture_is_spoilt(const struct capture *c) {
    return c->spoilt;
}

void capture_spoil(struct capture *c) {
    c->spoilt = true;
}

/* ---- what a capture forbids */

/* Calls `visit` for every stream of the program, those of its threads included. */
static void each_stream(struct call *call, void (*visit)(struct stream *s, void *user),
                        void *user) {
    struct program *p = call->program;
    for (size_t i = 0; i < p->num_streams; i++)
        if (p->stream[i].live) visit(&p->stream[i], user);
    for (struct host_thread *t = call->server->threads; t; t = t->next)
        for (unsigned d = 0; t->program == p && d < SPACE_MAX_DEVICES; d++)
            if (t->own[d].live) visit(&t->own[d], user);
}

static void spoil_blocking(struct stream *s, void *user) {
    bool *any = user;
    if (!s->capture || s->flags) return;
    s->capture->spoilt = true;
    *any = true;
}

bool capture_spoil_implicit(struct call *call) {
    bool any = false;
    if (*captures(call->program)) each_stream(call, spoil_blocking, &any);
    return any;
}

int capture_forbids(struct call *call) {
    bool any = false;
    if (call->thread->capture_mode == CAPTURE_RELAXED) return CUDA_SUCCESS;
    for (struct capture *c = *captures(call->program); c; c = c->next) {
        bool mine = c->thread == call->thread;
        if (c->mode == CAPTURE_RELAXED || (!mine && c->mode != CAPTURE_GLOBAL)) continue;
        if (!mine && call->thread->capture_mode == CAPTURE_THREAD_LOCAL) continue;
        c->spoilt = true;
        any = true;
    }
    return any ? HEDDLE_cudaErrorStreamCaptureUnsupported : CUDA_SUCCESS;
}

/* ---- operations */

static void set_nodes(struct stream *s, uint64_t *nodes, size_t count) {
    free(s->node);
    s->node = nodes;
    s->num_nodes = count;
}

static uint64_t *copy_nodes(const uint64_t *nodes, size_t count) {
    uint64_t *copy = malloc((count + 1) * sizeof *copy);
    if (copy && count) memcpy(copy, nodes, count * sizeof *copy);
    return copy;
}

static bool contains(const uint64_t *nodes, size_t count, uint64_t node) {
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == node) return true;
    return false;
}

/* Adds nodes that are not there yet. */
static bool join_nodes(struct stream *s, const uint64_t *nodes, size_t count) {
    uint64_t *more = realloc(s->node, (s->num_nodes + count + 1) * sizeof *more);
    if (!more) return false;
    s->node = more;
    for (size_t i = 0; i < count; i++)
        if (!contains(s->node, s->num_nodes, nodes[i])) s->node[s->num_nodes++] = nodes[i];
    return true;
}

int capture_add(struct call *call, const struct stream_ref *ref, struct node_work *work,
                struct graph_node **out) {
    struct graph_node *n;
    struct stream *s = ref->stream;
    work->device = ref->device;
    int error = graph_add(call->program, ref->capture->graph, work, s->node, s->num_nodes, &n);
    if (error) {
        capture_spoil(ref->capture);
        return error;
    }
    uint64_t *only = copy_nodes(&n->handle, 1);
    if (!only) return HEDDLE_cudaErrorMemoryAllocation;
    set_nodes(s, only, 1);
    if (out) *out = n;
    return CUDA_SUCCESS;
}

int capture_event(struct call *call, const struct stream_ref *ref, enum node_kind kind,
                  uint64_t event) {
    struct node_work work = {.kind = kind, .event = event};
    return capture_add(call, ref, &work, NULL);
}

int capture_record(struct call *call, const struct stream_ref *ref, struct event *e) {
    (void)call;
    uint64_t *nodes = copy_nodes(ref->stream->node, ref->stream->num_nodes);
    if (!nodes) return HEDDLE_cudaErrorMemoryAllocation;
    free(e->node);
    e->node = nodes;
    e->num_nodes = ref->stream->num_nodes;
    e->capture = ref->capture;
    return CUDA_SUCCESS;
}

int capture_wait(struct call *call, const struct stream_ref *ref, struct event *e) {
    (void)call;
    struct stream *s = ref->stream;
    if (!e->capture) { /* work outside of the capture */
        capture_spoil(ref->capture);
        return HEDDLE_cudaErrorStreamCaptureIsolation;
    }
    if (!s) { /* the legacy stream cannot be captured */
        capture_spoil(e->capture);
        return HEDDLE_cudaErrorStreamCaptureImplicit;
    }
    if (s->capture && s->capture != e->capture) {
        capture_spoil(s->capture);
        capture_spoil(e->capture);
        return HEDDLE_cudaErrorStreamCaptureMerge;
    }
    s->capture = e->capture;
    return join_nodes(s, e->node, e->num_nodes) ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* ---- begin and end */

static int begin(struct call *call, uint64_t handle, uint64_t mode, struct graph *graph) {
    struct program *p = call->program;
    struct stream_ref ref;
    if (mode > CAPTURE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (!ref.stream) return HEDDLE_cudaErrorStreamCaptureUnsupported; /* the legacy stream */
    if (ref.capture) return HEDDLE_cudaErrorIllegalState;
    struct capture *c = calloc(1, sizeof *c);
    if (c) c->graph = graph ? graph : graph_create(p);
    if (!c || !c->graph) {
        free(c);
        return HEDDLE_cudaErrorMemoryAllocation;
    }
    c->into_existing = graph != NULL;
    c->mode = (int)mode;
    c->thread = call->thread;
    c->gpu = ref.gpu;
    c->gpu_stream = ref.gpu_stream;
    c->id = ++call->server->captures;
    c->next = *captures(p);
    *captures(p) = c;
    ref.stream->capture = c;
    set_nodes(ref.stream, NULL, 0);
    return CUDA_SUCCESS;
}

int do_cudaStreamBeginCapture(struct call *call, uint64_t stream, uint64_t mode) {
    return begin(call, stream, mode, NULL);
}

/* Marks (branch: 1) what the stream's next operation would depend on. In a captured graph a node
 * depends on earlier ones only. */
static void mark_ancestors(struct program *p, struct graph *g, const struct stream *s) {
    for (size_t i = 0; i < g->num_nodes; i++)
        g->node[i]->branch = contains(s->node, s->num_nodes, g->node[i]->handle);
    for (size_t i = g->num_nodes; i-- > 0;) {
        const struct graph_node *n = g->node[i];
        for (size_t j = 0; n->branch && j < n->num_from; j++) {
            struct graph_node *from = graph_find_node(p, n->from[j]);
            if (from) from->branch = 1;
        }
    }
}

struct leaving {
    struct program *program;
    struct capture *capture;
    bool unjoined;
};

static void find_unjoined(struct stream *s, void *user) {
    struct leaving *l = user;
    for (size_t i = 0; s->capture == l->capture && i < s->num_nodes; i++) {
        const struct graph_node *n = graph_find_node(l->program, s->node[i]);
        if (n && !n->branch) l->unjoined = true;
    }
}

static void find_unjoined_left(struct leaving *l) {
    for (size_t i = 0; i < l->capture->num_left; i++) {
        const struct graph_node *n = graph_find_node(l->program, l->capture->left[i]);
        if (n && !n->branch) l->unjoined = true;
    }
}

static void let_go(struct stream *s, void *user) {
    const struct leaving *l = user;
    if (s->capture != l->capture) return;
    s->capture = NULL;
    set_nodes(s, NULL, 0);
}

/* The capture is over; its graph stays. */
static void finish(struct call *call, struct capture *c) {
    struct leaving l = {call->program, c, false};
    struct capture **link = captures(call->program);
    each_stream(call, let_go, &l);
    for (size_t i = 0; i < call->program->num_events; i++)
        if (call->program->event[i].capture == c) call->program->event[i].capture = NULL;
    while (*link && *link != c) link = &(*link)->next;
    if (*link) *link = c->next;
    free(c->left);
    free(c);
}

int do_cudaStreamEndCapture(struct call *call, uint64_t handle, uint64_t *graph) {
    struct program *p = call->program;
    struct stream_ref ref;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    struct capture *c = ref.capture;
    if (!c) return HEDDLE_cudaErrorIllegalState;
    int error = CUDA_SUCCESS;
    if (c->gpu != ref.gpu || c->gpu_stream != ref.gpu_stream)
        return HEDDLE_cudaErrorStreamCaptureUnmatched;
    if (c->thread != call->thread && c->mode != CAPTURE_RELAXED)
        return HEDDLE_cudaErrorStreamCaptureWrongThread;
    if (c->spoilt) {
        error = HEDDLE_cudaErrorStreamCaptureInvalidated;
    } else {
        struct leaving l = {p, c, false};
        mark_ancestors(p, c->graph, ref.stream);
        each_stream(call, find_unjoined, &l);
        find_unjoined_left(&l);
        if (l.unjoined) error = HEDDLE_cudaErrorStreamCaptureUnjoined;
    }
    *graph = error ? 0 : c->graph->handle;
    if (error && !c->into_existing) graph_destroy(p, c->graph);
    finish(call, c);
    return error;
}

void capture_leave(struct call *call, struct stream *s) {
    struct capture *c = s->capture;
    bool origin = c->gpu == server_gpu(call->server, s->device) && c->gpu_stream == s->gpu_stream;
    uint64_t *left = realloc(c->left, (c->num_left + s->num_nodes + 1) * sizeof *left);
    if (left) {
        c->left = left;
        if (s->num_nodes) memcpy(left + c->num_left, s->node, s->num_nodes * sizeof *left);
        c->num_left += s->num_nodes;
    }
    if (origin || !left) capture_spoil(c);
    s->capture = NULL;
    set_nodes(s, NULL, 0);
}

void captures_free(struct program *p) {
    for (struct capture *c = *captures(p), *next; c; c = next) {
        next = c->next;
        free(c->left);
        free(c);
    }
    *captures(p) = NULL;
}

/* ---- questions */

static int status_of(const struct stream_ref *ref) {
    return !ref->capture ? STATUS_NONE : ref->capture->spoilt ? STATUS_INVALIDATED : STATUS_ACTIVE;
}

int do_cudaStreamIsCapturing(struct call *call, uint64_t handle, uint64_t *status) {
    struct stream_ref ref;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (!ref.stream && capture_spoil_implicit(call)) return HEDDLE_cudaErrorStreamCaptureImplicit;
    *status = (uint64_t)status_of(&ref);
    return CUDA_SUCCESS;
}

/* Results: status, id, graph, number of nodes; the nodes are pushed. */
int do_cudaStreamGetCaptureInfo(struct call *call, uint64_t handle, uint64_t *status, uint64_t *id,
                                uint64_t *graph, uint64_t *count) {
    struct stream_ref ref;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    *status = (uint64_t)status_of(&ref);
    if (*status != STATUS_ACTIVE) return CUDA_SUCCESS;
    *id = ref.capture->id;
    *graph = ref.capture->graph->handle;
    *count = ref.stream->num_nodes;
    if (*count * sizeof(uint64_t) > WIRE_STAGING_BYTES) return HEDDLE_cudaErrorNotSupported;
    if (*count) call_push_last(call, 0, ref.stream->node, (uint32_t)(*count * sizeof(uint64_t)));
    return CUDA_SUCCESS;
}

/* The payload: nodes that the stream's next operation shall depend on. */
int do_cudaStreamUpdateCaptureDependencies(struct call *call, uint64_t handle, uint64_t flags) {
    struct stream_ref ref;
    if (!find_stream(call, handle, &ref)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (!ref.capture) return HEDDLE_cudaErrorIllegalState;
    if (flags > DEPENDENCIES_SET) return CUDA_ERROR_INVALID_VALUE;
    size_t count = call->payload_bytes / sizeof(uint64_t);
    uint64_t *nodes = (uint64_t *)(void *)call_take_payload(call);
    if (!nodes) return HEDDLE_cudaErrorMemoryAllocation;
    int error = CUDA_SUCCESS;
    for (size_t i = 0; i < count && !error; i++) {
        const struct graph_node *n = graph_find_node(call->program, nodes[i]);
        if (!n || n->graph != ref.capture->graph) error = CUDA_ERROR_INVALID_VALUE;
    }
    if (!error && flags == DEPENDENCIES_SET) set_nodes(ref.stream, NULL, 0);
    if (!error && !join_nodes(ref.stream, nodes, count)) error = HEDDLE_cudaErrorMemoryAllocation;
    free(nodes);
    return error;
}

int do_cudaStreamBeginCaptureToGraph(struct call *call, uint64_t stream, uint64_t graph,
                                     uint64_t mode) {
    struct graph *g = graph_find(call->program, graph);
    int error = g ? begin(call, stream, mode, g) : CUDA_ERROR_INVALID_VALUE;
    if (error || !call->payload_bytes) return error;
    error = do_cudaStreamUpdateCaptureDependencies(call, stream, DEPENDENCIES_SET);
    struct stream_ref ref;
    if (error && find_stream(call, stream, &ref)) finish(call, ref.capture);
    return error;
}

int do_cudaThreadExchangeStreamCaptureMode(struct call *call, uint64_t mode, uint64_t *old) {
    if (mode > CAPTURE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    *old = (uint64_t)call->thread->capture_mode;
    call->thread->capture_mode = (int)mode;
    return CUDA_SUCCESS;
}
