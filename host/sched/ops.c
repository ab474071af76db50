/* ops.c - the operations of a GPU's streams: their order, their dependencies, and which of them are
 * ready; contracts in ops.h.
 *
 * gpu.c adds operations, scheduler.c (timing on) or gpu_immediate.c (timing off) takes those that
 * are ready and ends them, gpu_wait.c asks for their states. They run on the server's thread
 * between windows and on the scheduler's worker thread during a window, never on both at once, so
 * there is no lock. Every function changes `o` and its operations alone. Tickets remain valid: of
 * an operation that was dropped, the time of its end stays, 8 bytes. Lists grow with heddle_grow(),
 * which ends the process when memory is out. */
#include "sched/ops.h"

#include <stdlib.h>

#include "common/memory.h"

/* A stream; its number is its place in the list. */
struct stream {
    bool exists, blocking; /* blocking: it waits for the legacy stream and conversely */
    int priority;
    gpu_ticket last; /* newest operation */
};

/* The operations and streams of a GPU. */
struct ops {
    struct op **op;      /* a ring by ticket - 1: those from `first` on */
    uint64_t num, first; /* operations ever added; of these, the oldest were dropped */
    uint64_t capacity;   /* of the ring, a power of two */
    uint64_t *end;       /* by ticket - 1, of those that were dropped: ps */
    struct op **kept;    /* given up or failed, past their time in the ring, by ticket */
    size_t cap_end, num_kept, cap_kept;
    struct stream *streams;
    uint32_t num_streams;
    size_t cap_streams;
    bool travel;                    /* operations travel to the GPU (ops_let_travel()) */
    struct op *ready, **ready_tail; /* ready and not yet taken */
    gpu_ticket ended;               /* all operations up to this one have ended */
    uint64_t ended_ps;              /* the latest end of those */
    uint64_t num_ended;             /* all that have ended, also those behind others */
};

/* Allocates the list of operations, with the legacy stream as number 0. */
struct ops *ops_create(void) {
    struct ops *o = heddle_alloc(sizeof *o, "operations on streams");
    o->ready_tail = &o->ready;
    ops_stream_create(o, 0, 0); /* the legacy stream */
    return o;
}

/* The place of operation number i (ticket - 1) in the ring. */
static struct op **place(const struct ops *o, uint64_t i) {
    return &o->op[i & (o->capacity - 1)];
}

static void free_op(struct op *op) {
    free(op->followers);
    free(op);
}

/* Frees all operations; kernels belong to the GPU. */
void ops_free(struct ops *o) {
    if (!o) return;
    for (uint64_t i = o->first; i < o->num; i++) free_op(*place(o, i));
    for (size_t i = 0; i < o->num_kept; i++) free_op(o->kept[i]);
    free(o->op);
    free(o->end);
    free(o->kept);
    free(o->streams);
    free(o);
}

/* True if the stream's number may be given again: it is destroyed and its operations have ended. */
static bool reusable(struct ops *o, const struct stream *s) {
    const struct op *last = ops_get(o, s->last);
    return !s->exists && (!last || last->state == OP_ENDED); /* dropped: it has ended */
}

/* @return the number of the new stream: that of a destroyed stream whose operations have ended,
 * else the next one, for which the list grows. `flags`: GPU_STREAM_*; a lower `priority` is more
 * urgent. */
uint32_t ops_stream_create(struct ops *o, unsigned flags, int priority) {
    uint32_t i = 0;
    while (i < o->num_streams && !reusable(o, &o->streams[i])) i++;
    if (i == o->num_streams) {
        o->streams = heddle_grow(o->streams, &o->cap_streams, i + 1, sizeof *o->streams, "streams");
        o->num_streams++;
    }
    o->streams[i] = (struct stream){
        .exists = true, .blocking = !(flags & GPU_STREAM_NON_BLOCKING), .priority = priority};
    return i;
}

/* The stream exists. */
int ops_stream_priority(const struct ops *o, uint32_t stream) {
    return o->streams[stream].priority;
}

bool ops_stream_exists(const struct ops *o, uint32_t stream) {
    return stream < o->num_streams && o->streams[stream].exists;
}

/* Marks the stream as destroyed; ops_stream_create() uses its number again once its operations have
 * ended. They go on, and the legacy stream waits for them. @return HEDDLE_ERR_ARGUMENT for the
 * legacy stream and for a stream that does not exist. */
heddle_err ops_stream_destroy(struct ops *o, uint32_t stream) {
    if (stream == GPU_STREAM_LEGACY || !ops_stream_exists(o, stream)) return HEDDLE_ERR_ARGUMENT;
    o->streams[stream].exists =
        false; /* its operations go on, and the legacy stream waits for them */
    return HEDDLE_OK;
}

/* Finds an operation that was given up or failed, and that has left the ring; NULL: none. */
static struct op *find_kept(const struct ops *o, gpu_ticket ticket) {
    size_t low = 0, high = o->num_kept;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (o->kept[middle]->ticket < ticket)
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->num_kept && o->kept[low]->ticket == ticket ? o->kept[low] : NULL;
}

/* Tickets count from 1. @return NULL for 0, for a ticket that was never given, and for an operation
 * that was dropped. */
struct op *ops_get(const struct ops *o, gpu_ticket ticket) {
    if (!ticket || ticket > o->num) return NULL;
    return ticket > o->first ? *place(o, ticket - 1) : find_kept(o, ticket);
}

bool ops_ended(const struct ops *o, gpu_ticket ticket, struct op_end *out) {
    const struct op *op = ops_get(o, ticket);
    if (!ticket || ticket > o->num || (op && op->state != OP_ENDED)) return false;
    *out = op ? (struct op_end){op->end_ps, op->given_up}
              : (struct op_end){o->end[ticket - 1], false};
    return true;
}

struct op *ops_old(const struct ops *o, uint64_t later) {
    return o->first < o->ended && o->num - o->first > later ? *place(o, o->first) : NULL;
}

/* Frees the oldest operation, which has ended, or moves it to the list of those that were given up
 * or have failed. */
void ops_drop(struct ops *o) {
    struct op *op = *place(o, o->first);
    o->end = heddle_grow(o->end, &o->cap_end, o->first + 1, sizeof *o->end, "ends of operations");
    o->end[o->first++] = op->end_ps;
    if (!op->given_up && !op->error) {
        free_op(op);
        return;
    }
    o->kept = heddle_grow(o->kept, &o->cap_kept, o->num_kept + 1, sizeof(struct op *),
                          "operations that were given up");
    o->kept[o->num_kept++] = op;
}

uint64_t ops_num_ended(const struct ops *o) {
    return o->num_ended;
}

uint64_t ops_unended(const struct ops *o) {
    return o->num - o->ended;
}

/* @return the newest operation of the stream; 0: it has none, or does not exist. */
gpu_ticket ops_last(const struct ops *o, uint32_t stream) {
    return ops_stream_exists(o, stream) ? o->streams[stream].last : 0;
}

gpu_ticket ops_newest(const struct ops *o) {
    return o->num;
}

/* Marks the operation ready and appends it to the list for ops_take_ready(). */
static void append_ready(struct ops *o, struct op *op) {
    op->state = OP_READY;
    op->next_ready = NULL;
    *o->ready_tail = op;
    o->ready_tail = &op->next_ready;
}

/* Makes `op` wait for the operation `ticket`: adds op to its list of followers and to op->pending.
 * If that operation has ended, raises op->ready_ps to its end instead. Does nothing for ticket 0 or
 * op's own. */
static void follow(struct ops *o, struct op *op, gpu_ticket ticket) {
    struct op_end end;
    if (ticket == op->ticket) return;
    if (ops_ended(o, ticket, &end)) {
        if (end.ps > op->ready_ps) op->ready_ps = end.ps;
        return;
    }
    struct op *first = ops_get(o, ticket);
    if (!first) return;
    first->followers = heddle_grow(first->followers, &first->cap_followers,
                                   first->num_followers + 1, sizeof *first->followers,
                                   "operations that wait");
    first->followers[first->num_followers++] = op->ticket;
    op->pending++;
}

/* Makes room for one more operation in the ring. */
static void make_room(struct ops *o) {
    if (o->num - o->first < o->capacity) return;
    uint64_t more = o->capacity ? 2 * o->capacity : 64;
    struct op **ring = heddle_alloc_array(more, sizeof(struct op *), "operations");
    for (uint64_t i = o->first; i < o->num; i++) ring[i & (more - 1)] = *place(o, i);
    free(o->op);
    o->op = ring;
    o->capacity = more;
}

/* Adds an operation at the end of its stream that also waits for `other` (0: none), and for the
 * operations that the legacy stream's rules name. It goes to the ready list at once if it waits for
 * nothing and does not travel. @return HEDDLE_ERR_ARGUMENT, with *out NULL, if there is no such
 * stream; else *out is the operation, of which the caller fills in copy, condition or kernel. */
static heddle_err add(struct ops *o, enum op_kind kind, uint32_t stream, uint64_t ready_ps,
                      gpu_ticket other, struct op **out) {
    *out = NULL;
    if (!ops_stream_exists(o, stream)) return HEDDLE_ERR_ARGUMENT;
    make_room(o);
    struct op *op = heddle_alloc(sizeof *op, "an operation");
    struct stream *s = &o->streams[stream];
    *place(o, o->num++) = op;
    op->ticket = o->num;
    op->kind = kind;
    op->stream = stream;
    op->ready_ps = ready_ps;
    follow(o, op, s->last);
    follow(o, op, other);
    if (stream == GPU_STREAM_LEGACY) {
        for (uint32_t i = 1; i < o->num_streams; i++)
            if (o->streams[i].blocking) follow(o, op, o->streams[i].last);
    } else if (s->blocking) {
        follow(o, op, o->streams[GPU_STREAM_LEGACY].last);
    }
    s->last = op->ticket;
    op->travels = o->travel && !op->pending;
    if (!op->pending && !op->travels) append_ready(o, op);
    *out = op;
    return HEDDLE_OK;
}

/* Timing on, before the first operation: from now on the fabric carries an operation that waits for
 * nothing to the GPU (op->travels). */
void ops_let_travel(struct ops *o) {
    o->travel = true;
}

/* The message ISSUE of this operation has reached the scheduler: moves the operation to the ready
 * list. Nothing happens if a reset gave it up on its way. `ticket` must exist. */
void ops_arrive(struct ops *o, gpu_ticket ticket) {
    struct op *op = ops_get(o, ticket);
    if (op->state != OP_WAITING || !op->travels) return; /* given up */
    op->travels = false;
    append_ready(o, op);
}

/* As add(), without another operation to wait for. @return HEDDLE_ERR_ARGUMENT, with *out NULL, if
 * there is no such stream. */
heddle_err ops_add(struct ops *o, enum op_kind kind, uint32_t stream, uint64_t ready_ps,
                   struct op **out) {
    return add(o, kind, stream, ready_ps, 0, out);
}

/* Adds a marker (OP_MARK) that also waits for `ticket`. Result as ops_add(). */
heddle_err ops_stream_wait(struct ops *o, uint32_t stream, gpu_ticket ticket, uint64_t ready_ps,
                           struct op **out) {
    return add(o, OP_MARK, stream, ready_ps, ticket, out);
}

/* @return the list of operations that have become ready since the last call, linked by next_ready
 * in the order in which they became ready; NULL: none. Empties o's own list. The scheduler calls it
 * before and during a window, gpu_immediate.c with timing off. */
struct op *ops_take_ready(struct ops *o) {
    struct op *list = o->ready;
    o->ready = NULL;
    o->ready_tail = &o->ready;
    return list;
}

/* Marks the operation ended at end_ps. heard_ps is when the scheduler learns of the end: no
 * follower is ready before it, so their ready_ps is raised to it. Each follower waits for one
 * operation less, and one that waits for no other goes to the ready list. Frees the list of
 * followers and moves o->ended on. */
void ops_end(struct ops *o, struct op *op, uint64_t end_ps, uint64_t heard_ps) {
    op->state = OP_ENDED;
    op->end_ps = end_ps;
    o->num_ended++;
    for (uint32_t i = 0; i < op->num_followers; i++) {
        struct op *f = ops_get(o, op->followers[i]);
        if (heard_ps > f->ready_ps) f->ready_ps = heard_ps;
        if (--f->pending == 0) append_ready(o, f);
    }
    free(op->followers);
    op->followers = NULL;
    op->num_followers = op->cap_followers = 0;
    while (o->ended < o->num && (*place(o, o->ended))->state == OP_ENDED) {
        uint64_t end = (*place(o, o->ended++))->end_ps;
        if (end > o->ended_ps) o->ended_ps = end;
    }
}

/* Ends all unfinished operations at end_ps with given_up set, frees their lists of followers, and
 * empties the ready list. gpu_reset() calls it between windows. */
void ops_give_up(struct ops *o, uint64_t end_ps) {
    for (uint64_t i = o->ended; i < o->num; i++) {
        struct op *op = *place(o, i);
        if (op->state == OP_ENDED) continue;
        o->num_ended++;
        op->given_up = true;
        op->state = OP_ENDED;
        op->end_ps = end_ps;
        op->pending = 0;
        free(op->followers);
        op->followers = NULL;
        op->num_followers = op->cap_followers = 0;
    }
    if (o->ended < o->num && end_ps > o->ended_ps) o->ended_ps = end_ps;
    o->ended = o->num;
    ops_take_ready(o);
}

/* @return the ticket of the first operation that has not ended, 0: all have. *ended_ps: the latest
 * end of those before it, ps. Constant time: ops_end() and ops_give_up() keep both. */
gpu_ticket ops_oldest(const struct ops *o, uint64_t *ended_ps) {
    *ended_ps = o->ended_ps;
    return o->ended < o->num ? o->ended + 1 : 0;
}
