/* deferred.c - see deferred.h */
#include "cuda/deferred.h"

#include <stdlib.h>

static void unlink_and_free(struct deferred *d) {
    if (d->next) d->next->previous = d->previous;
    *(d->previous ? &d->previous->next : &d->server->deferred) = d->next;
    if (d->drop) d->drop(d);
    free(d);
}

static void perform(void *user) {
    struct deferred *d = user;
    d->act(d);
    unlink_and_free(d);
}

int deferred_issue(struct call *call, const struct stream_ref *ref, struct deferred *d,
                   const struct gpu_copy *cost, gpu_ticket *ticket) {
    struct gpu_copy copy = *cost;
    copy.perform = perform;
    copy.user = d;
    d->server = call->server;
    d->program = call->program;
    d->gpu = ref->gpu;
    d->previous = NULL;
    d->next = d->server->deferred;
    if (d->next) d->next->previous = d;
    d->server->deferred = d;
    heddle_err e = gpu_copy(ref->gpu, ref->gpu_stream, &copy, call->thread->now_ps, ticket);
    if (e) {
        unlink_and_free(d);
        return error_of(e);
    }
    *ref->last = *ticket;
    return CUDA_SUCCESS;
}

uint64_t deferred_pending(const struct server *s) {
    uint64_t n = 0;
    for (const struct deferred *d = s->deferred; d; d = d->next) n++;
    return n;
}

void deferred_drop(struct server *s, const struct gpu *gpu) {
    for (struct deferred *d = s->deferred, *next; d; d = next) {
        next = d->next;
        if (!gpu || d->gpu == gpu) unlink_and_free(d);
    }
}
