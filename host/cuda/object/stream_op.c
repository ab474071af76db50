/* stream_op.c - operations that the server performs in stream order (server.ops), each once; see
 * stream_op.h.
 *
 * Runs in the server. Handlers issue operations on the server's thread. perform() runs on whichever
 * thread of the simulation carries the GPU's scheduler; the server's thread is then inside a wait,
 * or is that thread. GPUs of several nodes are simulated at the same time, so that a lock lets one
 * operation be performed at a time. What one does concerns its own program, so that their order
 * does not show. */
#include "cuda/object/stream_op.h"

#include <stdlib.h>

#include "cuda/base/diagnostics.h"

/* Removes the operation from server.ops, lets it free what it owns (drop, on this thread), and
 * frees it. */
static void unlink_and_free(struct stream_op *op) {
    if (op->next) op->next->previous = op->previous;
    *(op->previous ? &op->previous->next : &op->server->ops) = op->next;
    if (op->drop) op->drop(op);
    free(op);
}

/* gpu_copy.perform: called once by the simulation, on its thread, when the operation takes effect
 * in target time. Runs op->act(), which may exchange messages with the program, unless it is lost,
 * then removes and frees the record. */
static void perform(void *user) {
    struct stream_op *op = user;
    pthread_mutex_t *lock = &op->server->performing;
    pthread_mutex_lock(lock);
    if (op->life == op->program->life) op->act(op);
    unlink_and_free(op);
    pthread_mutex_unlock(lock);
}

/* Adds the record to server.ops, which owns it from now on, and issues a GPU operation that
 * performs it, at the calling thread's clock; it becomes the stream's newest operation, *ticket.
 * `cost` gives kind, address and bytes. @return cudaError_t; after an error the record is freed,
 * with drop, and never performed. */
int stream_op_issue(struct call *call, const struct stream_ref *ref, struct stream_op *op,
                    const struct gpu_copy *cost, gpu_ticket *ticket) {
    struct gpu_copy copy = *cost;
    copy.perform = perform;
    copy.user = op;
    op->server = call->server;
    op->program = call->program;
    op->life = call->program->life;
    op->gpu = ref->gpu;
    op->previous = NULL;
    op->next = op->server->ops;
    if (op->next) op->next->previous = op;
    op->server->ops = op;
    heddle_err e = gpu_copy(ref->gpu, ref->gpu_stream, &copy, call->thread->now_ps, ticket);
    if (e) {
        unlink_and_free(op);
        return error_of(e);
    }
    *ref->last = *ticket;
    return CUDA_SUCCESS;
}

/* Number of the program's operations that are not performed yet. */
uint64_t stream_op_count(const struct server *s, const struct program *p) {
    uint64_t n = 0;
    for (const struct stream_op *op = s->ops; op; op = op->next) n += op->program == p;
    return n;
}

/* Frees, with drop, the operations of a GPU that was reset (NULL: of all GPUs) without performing
 * them. The GPU must not perform them any more. */
void stream_op_drop_all(struct server *s, const struct gpu *gpu) {
    for (struct stream_op *op = s->ops, *next; op; op = next) {
        next = op->next;
        if (!gpu || op->gpu == gpu) unlink_and_free(op);
    }
}
