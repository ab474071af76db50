/* mpi_world.c - matches sends and receives of PEs; contracts in mpi_world.h. */
#include "cuda/object/mpi_world.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/mpi_transfer.h"
#include "cuda/object/mpi_window_access.h"

/* A message that was sent and not yet received. */
struct mpi_message {
    struct mpi_envelope envelope;
    uint32_t target;
    uint64_t bytes, at_ps;
    uint64_t from;               /* device memory, for the NIC; 0: data */
    uint8_t *data;               /* owned; NULL: no bytes */
    struct mpi_request *sender;  /* ends when the message is received or sent, or NULL */
    struct mpi_request *receive; /* of one that waits for its bytes */
    enum { MESSAGE_COPY, MESSAGE_EAGER, MESSAGE_LONG } way;
    bool synchronous;
    unsigned place; /* in mpi_world.messages */
};

/* A PE. */
struct mpi_pe {
    const struct program *program; /* NULL: none has taken part yet */
    bool ended;                    /* it takes part no longer */
    GPtrArray *posted;             /* struct mpi_request without a message, the oldest first */
    GPtrArray *arrived;            /* struct mpi_message, likewise */
    GPtrArray *requests;           /* by number - 1, owned; NULL: free */
    GArray *free;                  /* numbers of free ones */
};

struct mpi_world {
    uint64_t size;
    struct mpi_pe *pe;
    unsigned num_ended;  /* of the PEs */
    GPtrArray *messages; /* all struct mpi_message; owned */
    GPtrArray *left; /* struct mpi_request of PEs that have ended: messages refer to them; owned */
};

static void free_message(struct mpi_world *w, struct mpi_message *m) {
    g_ptr_array_remove_index_fast(w->messages, m->place);
    if (m->place < w->messages->len)
        ((struct mpi_message *)g_ptr_array_index(w->messages, m->place))->place = m->place;
    free(m->data);
    free(m);
}

static void free_request(struct mpi_request *r) {
    if (!r) return;
    free(r->data);
    free(r);
}

/* ---- PEs */

/* Created on first use. */
static struct mpi_world *world_of(struct server *s) {
    if (s->mpi) return s->mpi;
    struct mpi_world *w = s->mpi = heddle_alloc(sizeof *w, "PEs of MPI");
    w->size = s->o.nodes ? s->o.nodes : 1;
    w->pe = heddle_alloc_array(w->size, sizeof *w->pe, "PEs of MPI");
    w->messages = g_ptr_array_new();
    w->left = g_ptr_array_new();
    for (uint64_t i = 0; i < w->size; i++) {
        struct mpi_pe *pe = &w->pe[i];
        pe->posted = g_ptr_array_new();
        pe->arrived = g_ptr_array_new();
        pe->requests = g_ptr_array_new();
        pe->free = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    }
    return w;
}

/* Frees what has come for a PE, and forgets what it has posted. */
static void empty(struct mpi_world *w, struct mpi_pe *pe) {
    for (unsigned i = 0; i < pe->arrived->len; i++)
        free_message(w, g_ptr_array_index(pe->arrived, i));
    for (unsigned i = 0; i < pe->requests->len; i++)
        if (g_ptr_array_index(pe->requests, i))
            g_ptr_array_add(w->left, g_ptr_array_index(pe->requests, i));
    g_ptr_array_set_size(pe->posted, 0);
    g_ptr_array_set_size(pe->arrived, 0);
    g_ptr_array_set_size(pe->requests, 0);
    g_array_set_size(pe->free, 0);
}

void mpi_world_drop(struct server *s) {
    struct mpi_world *w = s->mpi;
    if (!w) return;
    for (uint64_t i = 0; i < w->size; i++) {
        empty(w, &w->pe[i]);
        g_ptr_array_unref(w->pe[i].posted);
        g_ptr_array_unref(w->pe[i].arrived);
        g_ptr_array_unref(w->pe[i].requests);
        g_array_unref(w->pe[i].free);
    }
    while (w->messages->len) free_message(w, g_ptr_array_index(w->messages, 0));
    for (unsigned i = 0; i < w->left->len; i++) free_request(g_ptr_array_index(w->left, i));
    g_ptr_array_unref(w->messages);
    g_ptr_array_unref(w->left);
    free(w->pe);
    free(w);
    s->mpi = NULL;
}

/* The calling program's PE. @return NULL: it does not take part. */
static struct mpi_pe *own_pe(const struct call *call) {
    const struct mpi_world *w = call->server->mpi;
    struct mpi_pe *pe = w ? &w->pe[call->program->node] : NULL;
    return pe && pe->program == call->program && !pe->ended ? pe : NULL;
}

int mpi_world_begin(struct call *call, uint64_t *rank, uint64_t *size) {
    const struct mpi_world *w = world_of(call->server);
    struct mpi_pe *pe = &w->pe[call->program->node];
    *rank = call->program->node;
    *size = w->size;
    if (pe->program && pe->program != call->program && !pe->ended) {
        server_error(call->server, "%s (process %d): PE %u of MPI is another program already",
                     call->program->name, call->program->pid, call->program->node);
        return HEDDLE_cudaErrorAlreadyMapped;
    }
    if (pe->program && pe->ended) {
        server_error(call->server, "%s (process %d): PE %u of MPI has ended already, as %s",
                     call->program->name, call->program->pid, call->program->node,
                     pe->program == call->program ? "this program" : pe->program->name);
        return HEDDLE_cudaErrorAlreadyMapped;
    }
    pe->program = call->program;
    return CUDA_SUCCESS;
}

/* ---- requests */

/* A new request of the PE; *number: its number. */
static struct mpi_request *add_request(struct mpi_pe *pe, uint64_t *number) {
    struct mpi_request *r = heddle_alloc(sizeof *r, "a message between PEs");
    if (pe->free->len) {
        *number = g_array_index(pe->free, uint64_t, pe->free->len - 1);
        g_array_set_size(pe->free, pe->free->len - 1);
        g_ptr_array_index(pe->requests, *number - 1) = r;
    } else {
        g_ptr_array_add(pe->requests, r);
        *number = pe->requests->len;
    }
    return r;
}

/* A PE's request of that number, or NULL. */
static struct mpi_request *request_of(const struct mpi_pe *pe, uint64_t number) {
    if (!pe || !number || number > pe->requests->len) return NULL;
    return g_ptr_array_index(pe->requests, number - 1);
}

struct mpi_request *mpi_world_request(const struct call *call, uint64_t number) {
    return request_of(own_pe(call), number);
}

const struct mpi_request *mpi_world_asked(const struct server *s, const struct program *p,
                                          uint64_t number) {
    return s->mpi ? request_of(&s->mpi->pe[p->node], number) : NULL;
}

void mpi_world_forget(struct call *call, uint64_t number) {
    struct mpi_pe *pe = own_pe(call);
    free_request(g_ptr_array_index(pe->requests, number - 1));
    g_ptr_array_index(pe->requests, number - 1) = NULL;
    g_array_append_val(pe->free, number);
}

bool mpi_world_cancel(struct call *call, uint64_t number) {
    const struct mpi_pe *pe = own_pe(call);
    struct mpi_request *r = mpi_world_request(call, number);
    if (!r || !g_ptr_array_remove(pe->posted, r)) return false;
    r->state = WIRE_MPI_CANCELLED;
    return true;
}

/* ---- matching */

/* Whether a receive accepts a message. */
static bool accepts(const struct mpi_envelope *asked, const struct mpi_envelope *message) {
    return asked->context == message->context &&
           (asked->peer == WIRE_MPI_ANY || asked->peer == message->peer) &&
           (asked->tag == WIRE_MPI_ANY || asked->tag == message->tag);
}

static void end_request(struct server *s, struct mpi_request *r, enum wire_mpi_state state,
                        uint64_t at_ps) {
    r->state = state;
    if (at_ps > r->at_ps) r->at_ps = at_ps;
    s->met = true;
}

/* Whether a message that the receive accepts is on its way from the PE. */
static bool is_coming(const struct mpi_world *w, uint64_t own, uint64_t pe,
                      const struct mpi_envelope *from) {
    for (unsigned i = 0; i < w->messages->len; i++) {
        const struct mpi_message *m = g_ptr_array_index(w->messages, i);
        if (m->target == own && m->envelope.peer == pe && accepts(from, &m->envelope)) return true;
    }
    return false;
}

/* Whether all that a receive of PE `own` could get a message from have ended. */
static bool nobody_left(const struct mpi_world *w, uint64_t own, const struct mpi_envelope *from) {
    for (uint64_t i = 0; i < w->size; i++) {
        const bool named = from->peer == WIRE_MPI_ANY ? i != own : from->peer == i;
        if (named && (!w->pe[i].ended || is_coming(w, own, i, from))) return false;
    }
    return from->peer != WIRE_MPI_ANY || w->size > 1;
}

/* Ends the receives that no message can come for. */
static void end_hopeless(struct server *s, uint64_t at_ps) {
    const struct mpi_world *w = s->mpi;
    for (uint64_t k = 0; k < w->size; k++) {
        GPtrArray *posted = w->pe[k].posted;
        for (unsigned i = posted->len; i-- > 0;) {
            struct mpi_request *r = g_ptr_array_index(posted, i);
            if (!nobody_left(w, k, &r->asked)) continue;
            g_ptr_array_remove_index(posted, i);
            end_request(s, r, WIRE_MPI_ENDED, at_ps);
        }
    }
}

bool mpi_world_has_ended(const struct call *call, const struct mpi_request *r, bool waits) {
    if (r->state == WIRE_MPI_PENDING) return false;
    return waits || !mpi_transfers_timed(call->server) || r->at_ps <= call->thread->now_ps;
}

/* ---- a message meets its receive */

static uint64_t later_of(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t copy_ps(const struct server *s, uint64_t bytes) {
    return (uint64_t)((double)bytes * s->o.mpi.copy_ps + 0.5);
}

/* Sends word of a message from node to node: a request, its answer, that it was received. */
static void post_word(struct server *s, enum mpi_transfer_kind kind, struct mpi_message *m,
                      uint64_t at_ps) {
    const uint32_t source = (uint32_t)m->envelope.peer;
    const bool back = kind != TRANSFER_REQUEST;
    const struct mpi_transfer t = {.kind = kind,
                                   .what = m,
                                   .source = back ? m->target : source,
                                   .target = back ? source : m->target};
    mpi_transfers_post(s, &t, at_ps);
}

/* The receive gets the bytes that are here, and ends. */
static void fill(struct server *s, struct mpi_request *r, struct mpi_message *m, uint64_t at_ps) {
    const uint64_t bytes = m->bytes < r->room ? m->bytes : r->room;
    if (r->address && bytes) {
        memcpy((void *)(uintptr_t)r->address, m->data, bytes);
        address_space_note_write(s->o.space, r->address, bytes);
    } else {
        r->data = m->data;
        m->data = NULL;
    }
    end_request(s, r, bytes == m->bytes ? WIRE_MPI_DONE : WIRE_MPI_TRUNCATED, at_ps);
}

/* A receive gets its message: frees it, unless its bytes, or word of its end, are under way. */
static void deliver(struct server *s, struct mpi_request *r, struct mpi_message *m) {
    uint64_t at_ps = later_of(m->at_ps, r->at_ps);
    r->envelope = m->envelope;
    r->bytes = m->bytes;
    if (m->way == MESSAGE_LONG) {
        m->receive = r;
        post_word(s, TRANSFER_CLEAR, m, at_ps + s->o.mpi.receive_ps);
        return;
    }
    if (m->way == MESSAGE_EAGER) {
        at_ps += s->o.mpi.receive_ps;
        if (m->synchronous) post_word(s, TRANSFER_RECEIVED, m, at_ps);
        const uint64_t bytes = m->bytes < r->room ? m->bytes : r->room;
        at_ps += copy_ps(s, bytes);
        if (r->address && bytes) at_ps += s->o.config->cpu_api_cost * 1000; /* cuMemcpy() */
    }
    fill(s, r, m, at_ps);
    if (m->way == MESSAGE_COPY && m->sender) end_request(s, m->sender, WIRE_MPI_DONE, at_ps);
    if (m->way == MESSAGE_COPY || !m->synchronous) free_message(s->mpi, m);
}

/* A message is at its target: meets the oldest receive that accepts it, or waits for one. */
static void arrive(struct server *s, struct mpi_message *m) {
    struct mpi_pe *target = &s->mpi->pe[m->target];
    s->met = true; /* a PE may look for it */
    if (target->ended) {
        if (m->sender) end_request(s, m->sender, WIRE_MPI_ENDED, m->at_ps);
        free_message(s->mpi, m);
        return;
    }
    for (unsigned i = 0; i < target->posted->len; i++) {
        struct mpi_request *r = g_ptr_array_index(target->posted, i);
        if (!accepts(&r->asked, &m->envelope)) continue;
        g_ptr_array_remove_index(target->posted, i);
        deliver(s, r, m);
        return;
    }
    g_ptr_array_add(target->arrived, m);
}

/* ---- messages under way */

/* Sends a message on its way, at the thread's clock; *ended: the send has. */
static void send_timed(struct call *call, struct mpi_message *m, enum wire_mpi_mode mode,
                       bool *ended) {
    struct server *s = call->server;
    const bool eager = !m->from && m->bytes <= s->o.mpi.eager;
    call->thread->now_ps += s->o.mpi.send_ps;
    if (eager || mode == WIRE_MPI_BUFFERED) call->thread->now_ps += copy_ps(s, m->bytes);
    m->way = eager ? MESSAGE_EAGER : MESSAGE_LONG;
    *ended = mode == WIRE_MPI_BUFFERED || (eager && !m->synchronous);
    if (!eager) {
        post_word(s, TRANSFER_REQUEST, m, call->thread->now_ps);
        return;
    }
    /* its header is behind the bytes */
    const uint64_t bytes = m->bytes + s->o.mpi.header;
    uint8_t *all = heddle_alloc(bytes, "a message between PEs");
    if (m->bytes) memcpy(all, m->data, m->bytes);
    free(m->data);
    m->data = all;
    const struct mpi_transfer t = {.kind = TRANSFER_EAGER,
                                   .what = m,
                                   .source = call->program->node,
                                   .target = m->target,
                                   .bytes = bytes,
                                   .data = all,
                                   .into = heddle_alloc(bytes, "a message between PEs")};
    mpi_transfers_post(s, &t, call->thread->now_ps);
}

/* The receive of a long message is there: its bytes go. */
static void send_bytes(struct server *s, struct mpi_message *m, uint64_t at_ps) {
    const struct mpi_request *r = m->receive;
    const uint64_t bytes = m->bytes < r->room ? m->bytes : r->room;
    const struct mpi_transfer t = {
        .kind = TRANSFER_BYTES,
        .what = m,
        .source = (uint32_t)m->envelope.peer,
        .target = m->target,
        .from = m->from,
        .to = r->address,
        .bytes = bytes,
        .data = m->data,
        .into = r->address || !bytes ? NULL : heddle_alloc(bytes, "a message between PEs")};
    mpi_transfers_post(s, &t, at_ps + s->o.mpi.receive_ps + s->o.mpi.send_ps);
}

/* The bytes of a long message have come. */
static void take_bytes(struct server *s, struct mpi_message *m, uint8_t *into, uint64_t at_ps) {
    struct mpi_request *r = m->receive;
    const uint64_t bytes = m->bytes < r->room ? m->bytes : r->room;
    if (r->address)
        address_space_note_write(s->o.space, r->address, bytes);
    else
        r->data = into;
    end_request(s, r, bytes == m->bytes ? WIRE_MPI_DONE : WIRE_MPI_TRUNCATED,
                at_ps + s->o.mpi.receive_ps);
}

/* Acts on an end of a transfer, the arrival or that it has been sent. `last`: the other end has
 * come before. A message may be gone when word of it has been sent. */
static void act(struct server *s, const struct mpi_transfer *t, bool arrived, bool last,
                uint64_t at_ps) {
    struct mpi_message *m = t->what;
    const uint64_t noticed_ps = at_ps + s->o.mpi.receive_ps;
    switch (t->kind) {
    case TRANSFER_EAGER:
        if (arrived) {
            m->data = t->into;
            m->at_ps = at_ps;
            arrive(s, m);
        }
        if (last) free((uint8_t *)(uintptr_t)t->data);
        break;
    case TRANSFER_REQUEST:
        if (arrived) {
            m->at_ps = at_ps;
            arrive(s, m);
        }
        break;
    case TRANSFER_CLEAR:
        if (arrived) send_bytes(s, m, at_ps);
        break;
    case TRANSFER_BYTES:
        if (arrived)
            take_bytes(s, m, t->into, at_ps);
        else if (m->sender)
            end_request(s, m->sender, WIRE_MPI_DONE, noticed_ps);
        if (last) free_message(s->mpi, m);
        break;
    case TRANSFER_RECEIVED:
        if (!arrived) break;
        end_request(s, m->sender, WIRE_MPI_DONE, noticed_ps);
        free_message(s->mpi, m);
        break;
    default: break; /* of windows */
    }
}

bool mpi_world_hear(struct server *s) {
    struct mpi_transfer t;
    bool any = false, arrived, last;
    uint64_t at_ps;
    for (; mpi_transfers_take(s, &t, &arrived, &last, &at_ps); any = true) {
        if (t.kind >= TRANSFER_PUT) {
            mpi_access_hear(s, &t, arrived, last, at_ps);
            continue;
        }
        act(s, &t, arrived, last, at_ps);
        if (s->mpi->num_ended) end_hopeless(s, at_ps);
    }
    return any;
}

/* Whether the memory may be sent from or received into: device memory of an allocation. */
static bool is_there(struct call *call, uint64_t address, uint64_t bytes) {
    if (!address || !bytes) return true;
    if (address_space_reachable(call->server->o.space, address, bytes)) return true;
    server_error(call->server,
                 "%s (process %d): a message of %llu bytes at 0x%llx: no allocation of device "
                 "memory has all of them",
                 call->program->name, call->program->pid, (unsigned long long)bytes,
                 (unsigned long long)address);
    return false;
}

int mpi_world_send(struct call *call, const struct mpi_envelope *to, enum wire_mpi_mode mode,
                   uint64_t address, uint64_t bytes, uint8_t *data, uint64_t *number) {
    struct server *s = call->server;
    struct mpi_pe *own = own_pe(call);
    *number = 0;
    if (!own || to->peer >= s->mpi->size || !is_there(call, address, bytes)) {
        free(data);
        return own ? HEDDLE_cudaErrorInvalidValue : HEDDLE_cudaErrorInitializationError;
    }
    struct mpi_message *m = heddle_alloc(sizeof *m, "a message between PEs");
    *m = (struct mpi_message){.envelope = {call->program->node, to->context, to->tag},
                              .target = (uint32_t)to->peer,
                              .bytes = bytes,
                              .data = data,
                              .synchronous = mode == WIRE_MPI_SYNCHRONOUS};
    m->place = s->mpi->messages->len;
    g_ptr_array_add(s->mpi->messages, m);
    const bool crosses = mpi_transfers_timed(s) && to->peer != call->program->node;
    bool ended = !m->synchronous;
    if (address && bytes && crosses && mode != WIRE_MPI_BUFFERED) {
        m->from = address;
    } else if (address && bytes) {
        m->data = heddle_alloc(bytes, "a message between PEs");
        memcpy(m->data, (const void *)(uintptr_t)address, bytes);
    }
    if (crosses)
        send_timed(call, m, mode, &ended);
    else if (mpi_transfers_timed(s))
        call->thread->now_ps += copy_ps(s, bytes);
    if (!ended) {
        m->sender = add_request(own, number);
        m->sender->asked = *to;
        m->sender->at_ps = call->thread->now_ps;
    }
    m->at_ps = call->thread->now_ps;
    if (!crosses) arrive(s, m);
    return CUDA_SUCCESS;
}

/* The place of the first message in `arrived` that a receive accepts; its length: there is none. */
static unsigned find_message(const struct mpi_pe *pe, const struct mpi_envelope *from) {
    unsigned i = 0;
    while (i < pe->arrived->len) {
        const struct mpi_message *m = g_ptr_array_index(pe->arrived, i);
        if (accepts(from, &m->envelope)) break;
        i++;
    }
    return i;
}

int mpi_world_receive(struct call *call, const struct mpi_envelope *from, uint64_t address,
                      uint64_t bytes, uint64_t taken, uint64_t *number) {
    struct server *s = call->server;
    struct mpi_pe *own = own_pe(call);
    struct mpi_request *r = taken ? mpi_world_request(call, taken) : NULL;
    if (!own) return HEDDLE_cudaErrorInitializationError;
    if (!is_there(call, address, bytes) || (taken && (!r || !r->message)))
        return HEDDLE_cudaErrorInvalidValue;
    *number = taken;
    if (!r) r = add_request(own, number);
    r->is_receive = true;
    r->asked = *from;
    r->at_ps = call->thread->now_ps;
    r->address = address;
    r->room = bytes;
    if (taken) {
        struct mpi_message *m = r->message;
        r->message = NULL;
        deliver(s, r, m);
        return CUDA_SUCCESS;
    }
    const unsigned i = find_message(own, from);
    if (i < own->arrived->len) {
        struct mpi_message *m = g_ptr_array_index(own->arrived, i);
        g_ptr_array_remove_index(own->arrived, i);
        deliver(s, r, m);
    } else if (nobody_left(s->mpi, call->program->node, from)) {
        end_request(s, r, WIRE_MPI_ENDED, r->at_ps);
    } else {
        g_ptr_array_add(own->posted, r);
    }
    return CUDA_SUCCESS;
}

enum wire_mpi_state mpi_world_look(struct call *call, const struct mpi_envelope *from,
                                   unsigned flags, struct mpi_envelope *out, uint64_t *bytes,
                                   uint64_t *number) {
    struct mpi_pe *own = own_pe(call);
    *number = 0;
    if (!own) return WIRE_MPI_ENDED;
    const unsigned i = find_message(own, from);
    if (i == own->arrived->len)
        return nobody_left(call->server->mpi, call->program->node, from) ? WIRE_MPI_ENDED
                                                                         : WIRE_MPI_PENDING;
    struct mpi_message *m = g_ptr_array_index(own->arrived, i);
    const bool future = m->at_ps > call->thread->now_ps;
    if (future && mpi_transfers_timed(call->server) && !(flags & WIRE_MPI_WAIT))
        return WIRE_MPI_PENDING;
    if (future) call->thread->now_ps = m->at_ps;
    *out = m->envelope;
    *bytes = m->bytes;
    if (!(flags & WIRE_MPI_TAKE)) return WIRE_MPI_DONE;
    g_ptr_array_remove_index(own->arrived, i);
    add_request(own, number)->message = m;
    return WIRE_MPI_DONE;
}

/* ---- the end of a PE */

void mpi_world_leave(struct server *s, const struct program *p) {
    struct mpi_world *w = s->mpi;
    if (!w || w->pe[p->node].program != p || w->pe[p->node].ended) return;
    struct mpi_pe *own = &w->pe[p->node];
    /* one that was killed ends the run: what the others wait for matters no more */
    if (p->gone && !p->goodbye) return;
    own->ended = true;
    w->num_ended++;
    for (unsigned i = 0; i < own->arrived->len; i++) {
        struct mpi_message *m = g_ptr_array_index(own->arrived, i);
        if (m->sender) end_request(s, m->sender, WIRE_MPI_ENDED, p->now_ps);
    }
    empty(w, own);
    end_hopeless(s, p->now_ps);
    s->met = true;
}
