/* mpi_window_access.c - accesses to windows, at once or across the network; contracts in
 * mpi_window_access.h. */
#include "cuda/object/mpi_window_access.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* An access under way. */
struct access {
    struct mpi_access a;
    uint64_t origin;                 /* PE */
    const struct host_thread *waits; /* whose call waits for it; NULL: nobody */
    bool asked;                      /* a lock has been asked for at the target, and is another's */
    bool done;
    uint64_t at_ps; /* then: when it ends */
    enum wire_mpi_state state;
};

/* What a PE has to flush at a window. */
struct flush {
    uint64_t window, origin, under_way, at_ps;
};

struct mpi_accesses {
    GPtrArray *all;  /* struct access, the oldest first; owned */
    GArray *flushes; /* struct flush */
};

static struct mpi_accesses *accesses_of(struct server *s) {
    if (s->accesses) return s->accesses;
    s->accesses = heddle_alloc(sizeof *s->accesses, "accesses to windows");
    s->accesses->all = g_ptr_array_new();
    s->accesses->flushes = g_array_new(FALSE, FALSE, sizeof(struct flush));
    return s->accesses;
}

static void free_access(struct access *x) {
    free(x->a.data);
    free(x);
}

void mpi_accesses_drop(struct server *s) {
    if (!s->accesses) return;
    for (unsigned i = 0; i < s->accesses->all->len; i++)
        free_access(g_ptr_array_index(s->accesses->all, i));
    g_ptr_array_unref(s->accesses->all);
    g_array_unref(s->accesses->flushes);
    free(s->accesses);
    s->accesses = NULL;
}

static struct flush *flush_of(struct server *s, uint64_t window, uint64_t origin) {
    GArray *all = accesses_of(s)->flushes;
    for (unsigned i = 0; i < all->len; i++) {
        struct flush *f = &g_array_index(all, struct flush, i);
        if (f->window == window && f->origin == origin) return f;
    }
    const struct flush f = {.window = window, .origin = origin};
    g_array_append_val(all, f);
    return &g_array_index(all, struct flush, all->len - 1);
}

/* ---- at the target */

/* Carries an access out. a->data becomes what it returns. */
static enum wire_mpi_state carry_out(struct server *s, struct mpi_access *a, uint64_t origin) {
    if (a->kind == ACCESS_LOCK)
        return mpi_remote_lock(s, a->window, a->target, origin, a->operation != 0);
    if (a->kind == ACCESS_PUT)
        return mpi_remote_write(s, a->window, a->target, a->offset, a->data, a->bytes);
    uint8_t *old = heddle_alloc(2 * a->bytes + 1, "values of a window"), *new = old + a->bytes;
    enum wire_mpi_state state = mpi_remote_read(s, a->window, a->target, a->offset, old, a->bytes);
    if (state == WIRE_MPI_DONE && a->kind == ACCESS_UPDATE) {
        memcpy(new, old, a->bytes);
        mpi_remote_combine(a->operation, a->basic, a->data, new, a->count);
        state = mpi_remote_write(s, a->window, a->target, a->offset, new, a->bytes);
    }
    free(a->data);
    a->data = old;
    a->data_bytes = a->bytes;
    return state;
}

/* Sends an answer back. The bytes of a get from device memory are read by the NIC. */
static void answer(struct server *s, struct access *x, uint64_t at_ps) {
    uint64_t device = 0;
    const bool brings = x->state == WIRE_MPI_DONE && x->a.kind != ACCESS_LOCK;
    if (brings && x->a.kind == ACCESS_GET)
        mpi_remote_check(s, x->a.window, x->a.target, x->a.offset, x->a.bytes, &device);
    const uint64_t bytes = brings ? x->a.bytes : 0;
    const struct mpi_transfer t = {.kind = TRANSFER_ANSWER,
                                   .what = x,
                                   .source = (uint32_t)x->a.target,
                                   .target = (uint32_t)x->origin,
                                   .from = device,
                                   .bytes = bytes,
                                   .data = x->a.data,
                                   .into = bytes ? heddle_alloc(bytes, "an answer") : NULL};
    mpi_transfers_post(s, &t, at_ps);
}

/* An access has come to its target. A lock that is another's waits there. */
static void serve(struct server *s, struct access *x, uint64_t at_ps) {
    x->state = carry_out(s, &x->a, x->origin);
    x->asked = x->state == WIRE_MPI_PENDING;
    if (!x->asked) answer(s, x, at_ps);
}

/* A part's lock is free: the oldest that wait for it get it. */
static void serve_locks(struct server *s, uint64_t window, uint64_t target, uint64_t at_ps) {
    const GPtrArray *all = accesses_of(s)->all;
    for (unsigned i = 0; i < all->len; i++) {
        struct access *x = g_ptr_array_index(all, i);
        if (!x->asked || x->a.window != window || x->a.target != target) continue;
        serve(s, x, at_ps);
        if (x->asked) return;
    }
}

/* ---- the ends of transfers */

/* The bytes of a put are there. Those of device memory the NIC has written. */
static void take_put(struct server *s, struct access *x, const uint8_t *into) {
    uint64_t device;
    mpi_remote_check(s, x->a.window, x->a.target, x->a.offset, x->a.bytes, &device);
    if (device)
        address_space_note_write(s->o.space, device, x->a.bytes);
    else
        mpi_remote_write(s, x->a.window, x->a.target, x->a.offset, into, x->a.bytes);
}

static void end_put(struct server *s, struct access *x, uint64_t at_ps) {
    struct flush *f = flush_of(s, x->a.window, x->origin);
    f->under_way--;
    if (at_ps > f->at_ps) f->at_ps = at_ps;
    g_ptr_array_remove(s->accesses->all, x);
    free_access(x);
    s->met = true;
}

/* The origin has its answer. */
static void take_answer(struct server *s, struct access *x, uint8_t *into, uint64_t at_ps) {
    if (into) memcpy(x->a.data, into, x->a.bytes);
    free(into);
    x->done = true;
    x->at_ps = at_ps + s->o.mpi.receive_ps;
    s->met = true;
}

void mpi_access_hear(struct server *s, const struct mpi_transfer *t, bool arrived, bool last,
                     uint64_t at_ps) {
    struct access *x = t->what;
    if (t->kind == TRANSFER_PUT) {
        if (arrived) take_put(s, x, t->into);
        if (arrived) free(t->into);
        if (last) end_put(s, x, at_ps);
    } else if (t->kind == TRANSFER_ASK) {
        if (arrived) free(t->into);
        if (arrived) serve(s, x, at_ps);
    } else if (t->kind == TRANSFER_ANSWER) {
        if (arrived) take_answer(s, x, t->into, at_ps);
    } else if (arrived) { /* TRANSFER_UNLOCK */
        mpi_remote_unlock(s, x->a.window, x->a.target, x->origin);
        serve_locks(s, x->a.window, x->a.target, at_ps);
        g_ptr_array_remove(s->accesses->all, x);
        free_access(x);
    }
}

/* ---- at the origin */

static struct access *add_access(struct call *call, const struct mpi_access *a) {
    struct access *x = heddle_alloc(sizeof *x, "an access to a window");
    *x = (struct access){.a = *a, .origin = call->program->node};
    g_ptr_array_add(accesses_of(call->server)->all, x);
    return x;
}

/* Posts what an access sends: a put's bytes, or what it asks, with its operands. */
static void post(struct call *call, struct access *x, enum mpi_transfer_kind kind,
                 uint64_t device) {
    struct server *s = call->server;
    const struct mpi_transfer t = {
        .kind = kind,
        .what = x,
        .source = call->program->node,
        .target = (uint32_t)x->a.target,
        .to = device,
        .bytes = x->a.data_bytes,
        .data = x->a.data,
        .into = device || !x->a.data_bytes ? NULL : heddle_alloc(x->a.data_bytes, "an access")};
    call->thread->now_ps += s->o.mpi.send_ps;
    mpi_transfers_post(s, &t, call->thread->now_ps);
}

/* The access of a call that was suspended: its end, if it has come. */
static enum wire_mpi_state look(struct call *call, uint8_t **out) {
    GPtrArray *all = accesses_of(call->server)->all;
    for (unsigned i = 0; i < all->len; i++) {
        struct access *x = g_ptr_array_index(all, i);
        if (x->waits != call->thread) continue;
        if (!x->done) return WIRE_MPI_PENDING;
        const enum wire_mpi_state state = x->state;
        if (x->at_ps > call->thread->now_ps) call->thread->now_ps = x->at_ps;
        *out = x->a.data;
        x->a.data = NULL;
        g_ptr_array_remove_index(all, i);
        free_access(x);
        return state;
    }
    return WIRE_MPI_ENDED;
}

/* An access that takes no time. A lock that is another's is asked for again. */
static enum wire_mpi_state make_at_once(struct call *call, const struct mpi_access *a,
                                        uint8_t **out) {
    struct mpi_access own = *a;
    const enum wire_mpi_state state = carry_out(call->server, &own, call->program->node);
    if (a->kind == ACCESS_GET || a->kind == ACCESS_UPDATE)
        *out = own.data;
    else
        free(own.data);
    return state;
}

enum wire_mpi_state mpi_access_make(struct call *call, const struct mpi_access *a, uint8_t **out) {
    struct server *s = call->server;
    const bool crosses = mpi_transfers_timed(s) && a->target != call->program->node;
    uint64_t device = 0;
    *out = NULL;
    if (crosses && call->thread->is_suspended) return look(call, out);
    const enum wire_mpi_state state = mpi_remote_check(s, a->window, a->target, a->offset, a->bytes,
                                                       &device);
    if (!crosses && state == WIRE_MPI_DONE) return make_at_once(call, a, out);
    if (state != WIRE_MPI_DONE || (a->kind == ACCESS_PUT && !a->bytes)) {
        free(a->data);
        return state;
    }
    struct access *x = add_access(call, a);
    if (a->kind == ACCESS_PUT) {
        flush_of(s, a->window, x->origin)->under_way++;
        post(call, x, TRANSFER_PUT, device);
        return WIRE_MPI_DONE;
    }
    x->waits = call->thread;
    post(call, x, TRANSFER_ASK, 0);
    return WIRE_MPI_PENDING;
}

enum wire_mpi_state mpi_access_flush(struct call *call, uint64_t window) {
    const struct flush *f = flush_of(call->server, window, call->program->node);
    if (f->under_way) return WIRE_MPI_PENDING;
    if (f->at_ps > call->thread->now_ps) call->thread->now_ps = f->at_ps;
    return WIRE_MPI_DONE;
}

enum wire_mpi_state mpi_access_unlock(struct call *call, uint64_t window, uint64_t target) {
    struct server *s = call->server;
    const uint64_t own = call->program->node;
    if (!mpi_transfers_timed(s) || target == own) {
        const enum wire_mpi_state state = mpi_remote_unlock(s, window, target, own);
        if (state == WIRE_MPI_DONE) serve_locks(s, window, target, call->thread->now_ps);
        return state;
    }
    if (!mpi_remote_holds(s, window, target, own)) return WIRE_MPI_WRONG;
    const struct mpi_access a = {.kind = ACCESS_LOCK, .window = window, .target = target};
    post(call, add_access(call, &a), TRANSFER_UNLOCK, 0);
    return WIRE_MPI_DONE;
}
