/* host_function.c - host functions in stream order: issues them, and runs them in the program when
 * their stream reaches them; see host_function.h.
 *
 * Runs in the server: handlers issue on its thread, and server_run() calls host_functions_due() and
 * host_functions_advance() there. act() runs on the simulation's thread (stream_op.c) and blocks it
 * while the program's helper thread runs the function. program.host_due needs no lock: while act()
 * or drop() changes it, the server's thread is inside a wait or calls them itself. */
#include "cuda/object/host_function.h"

#include <stdlib.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/base/payload.h"
#include "cuda/object/stream_op.h"
#include "cuda/object/wait.h"

/* A host function that is issued and has not run. */
struct host_function {
    struct stream_op head;
    struct host_function *next_due; /* in program.host_due */
    struct host_shape shape;
    struct gpu *gpu;
    gpu_ticket ticket; /* of its operation on that GPU */
};

/* stream_op.drop: takes the function off program.host_due; does nothing if it is not there. act()
 * calls it before it runs the function. stream_op.c calls it before it frees the record: after
 * act(), on the simulation's thread; or on the server's thread, when the function cannot be issued,
 * its GPU is reset or the server ends. */
static void drop(struct stream_op *op) {
    struct host_function **link = &op->program->host_due;
    while (*link && &(*link)->head != op) link = &(*link)->next_due;
    if (*link) *link = (*link)->next_due;
}

/* stream_op.act, called once on the simulation's thread when the stream reaches the function: takes
 * it off program.host_due, has the program's helper thread run it and waits for that. Reports on
 * standard error if the helper thread has gone. */
static void act(struct stream_op *op) {
    const struct host_function *f = (struct host_function *)op;
    drop(op);
    if (!program_run_host_function(op->server, op->program, f->shape.function, f->shape.argument,
                                   f->shape.callback, f->shape.stream, CUDA_SUCCESS))
        server_error(op->server,
                     "%s: a host function of a stream could not be run: the thread for "
                     "it has gone",
                     op->program->name);
}

/* Issues the function as an operation of the stream that takes no time, and appends it to
 * program.host_due. Does not wait. *ticket: the operation; ticket may be NULL. @return cudaError_t;
 * after an error it is not in the list. */
int host_function_issue(struct call *call, const struct stream_ref *ref,
                        const struct host_shape *shape, gpu_ticket *ticket) {
    struct host_function *f = heddle_alloc(sizeof *f, "a host function");
    gpu_ticket own;
    f->head.act = act;
    f->head.drop = drop;
    f->shape = *shape;
    f->gpu = ref->gpu;
    struct host_function **link = &call->program->host_due;
    while (*link) link = &(*link)->next_due;
    *link = f;
    struct gpu_copy cost = {.kind = GPU_COPY_HOST_TO_HOST};
    int error = stream_op_issue(call, ref, &f->head, &cost, ticket ? ticket : &own);
    if (!error) f->ticket = ticket ? *ticket : own;
    return error;
}

/* True if a living program that has a helper thread, and no sticky error, has a host function that
 * has not run. */
bool host_functions_due(const struct server *s) {
    for (const struct program *p = s->programs; p; p = p->next)
        if (p->host_due && p->helper && !p->gone && !p->sticky) return true;
    return false;
}

unsigned host_functions_count(const struct program *p) {
    unsigned n = 0;
    for (const struct host_function *f = p->host_due; f; f = f->next_due) n++;
    return n;
}

/* Waits on behalf of the helper thread for the oldest function of the first program that has one
 * due: drives the simulation, which performs operations of any program. Sets s->serving meanwhile,
 * but not s->now_serving, so operations cannot reach the memory of programs by messages. A fault
 * becomes the sticky error (wait.c). Ignores the result of the wait: server_run() calls this again
 * after the next silence. */
void host_functions_advance(struct server *s) {
    for (struct program *p = s->programs; p; p = p->next) {
        if (!p->host_due || !p->helper || p->gone || p->sticky) continue;
        struct call call = {.server = s, .thread = p->helper, .program = p, .repeatable = true};
        uint64_t end_ps;
        s->serving = p->helper;
        wait_performed(&call, p->host_due->gpu, p->host_due->ticket, &end_ps);
        s->serving = NULL;
        return;
    }
}
