/* host_function.c - see host_function.h */
#include "cuda/host_function.h"

#include <stdlib.h>

#include "cuda/capture.h"
#include "cuda/deferred.h"
#include "cuda/session.h"
#include "cuda_call_handlers.h"

struct host_function {
    struct deferred head;
    struct host_function *next_due;
    struct host_shape shape;
    struct gpu *gpu;
    gpu_ticket ticket;
};

/* Takes the function off its program's list. */
static void drop(struct deferred *d) {
    struct host_function **link = &d->program->host_due;
    while (*link && &(*link)->head != d) link = &(*link)->next_due;
    if (*link) *link = (*link)->next_due;
}

static void act(struct deferred *d) {
    const struct host_function *f = (struct host_function *)d;
    drop(d);
    if (!session_run_host_function(d->program, f->shape.function, f->shape.argument,
                                   f->shape.callback, f->shape.stream, CUDA_SUCCESS))
        server_error(d->server,
                     "%s: a host function of a stream could not be run: the thread for "
                     "it has gone",
                     d->program->name);
}

int host_function_issue(struct call *call, const struct stream_ref *ref,
                        const struct host_shape *shape, gpu_ticket *ticket) {
    struct host_function *f = calloc(1, sizeof *f);
    if (!f) return HEDDLE_cudaErrorMemoryAllocation;
    gpu_ticket own;
    f->head.act = act;
    f->head.drop = drop;
    f->shape = *shape;
    f->gpu = ref->gpu;
    struct host_function **link = &call->program->host_due;
    while (*link) link = &(*link)->next_due;
    *link = f;
    struct gpu_copy cost = {.kind = GPU_COPY_HOST_TO_HOST};
    int error = deferred_issue(call, ref, &f->head, &cost, ticket ? ticket : &own);
    if (!error) f->ticket = ticket ? *ticket : own;
    return error;
}

bool host_functions_due(const struct server *s) {
    for (const struct program *p = s->programs; p; p = p->next)
        if (p->host_due && p->helper && !p->gone && !p->sticky) return true;
    return false;
}

void host_functions_advance(struct server *s) {
    for (struct program *p = s->programs; p; p = p->next) {
        if (!p->host_due || !p->helper || p->gone || p->sticky) continue;
        struct call call = {.server = s, .thread = p->helper, .program = p, .repeatable = true};
        uint64_t end_ps;
        s->serving = p->helper;
        finish_ticket(&call, p->host_due->gpu, p->host_due->ticket, &end_ps);
        s->serving = NULL;
        return;
    }
}

/* ---- calls */

static int add(struct call *call, uint64_t stream, const struct host_shape *shape) {
    struct stream_ref ref;
    int error = find_op_stream(call, stream, &ref);
    if (error || !ref.capture) return error ? error : host_function_issue(call, &ref, shape, NULL);
    struct node_work work = {.kind = NODE_HOST, .host = *shape};
    return capture_add(call, &ref, &work, NULL);
}

int do_cudaLaunchHostFunc(struct call *call, uint64_t stream, uint64_t function,
                          uint64_t argument) {
    struct host_shape shape = {.function = function, .argument = argument};
    return add(call, stream, &shape);
}

int do_cudaStreamAddCallback(struct call *call, uint64_t stream, uint64_t function,
                             uint64_t argument, uint64_t flags) {
    struct host_shape shape = {
        .function = function, .argument = argument, .callback = true, .stream = stream};
    struct stream_ref ref;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    int error = find_open_stream(call, stream, &ref); /* CUDA: it cannot be captured */
    return error ? error : add(call, stream, &shape);
}
