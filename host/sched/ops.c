/* ops.c - see ops.h */
#include "sched/ops.h"

#include <stdlib.h>

struct stream {
    bool exists, blocking;
    int priority;
    gpu_ticket last; /* newest operation */
};

struct ops {
    struct op **op; /* by ticket - 1 */
    uint64_t num, capacity;
    struct stream *streams;
    uint32_t num_streams;
    bool travel; /* operations travel to the GPU */
    struct op *ready, **ready_tail;
    gpu_ticket ended;  /* all operations up to this one have ended */
    uint64_t ended_ps; /* the latest end of those */
};

heddle_err ops_create(struct ops **out) {
    struct ops *o = calloc(1, sizeof *o);
    *out = o;
    if (!o) return HEDDLE_ERR_NOMEM;
    o->ready_tail = &o->ready;
    uint32_t legacy;
    return ops_stream_create(o, 0, 0, &legacy);
}

void ops_free(struct ops *o) {
    if (!o) return;
    for (uint64_t i = 0; i < o->num; i++) {
        free(o->op[i]->followers);
        free(o->op[i]);
    }
    free(o->op);
    free(o->streams);
    free(o);
}

/* A number may be given again when the stream that had it is destroyed and its work has ended. */
static bool reusable(struct ops *o, const struct stream *s) {
    const struct op *last = ops_get(o, s->last);
    return !s->exists && (!last || last->state == OP_ENDED);
}

heddle_err ops_stream_create(struct ops *o, unsigned flags, int priority, uint32_t *stream) {
    uint32_t i = 0;
    while (i < o->num_streams && !reusable(o, &o->streams[i])) i++;
    if (i == o->num_streams) {
        struct stream *grown = realloc(o->streams, (i + 1) * sizeof *grown);
        if (!grown) return HEDDLE_ERR_NOMEM;
        o->streams = grown;
        o->num_streams++;
    }
    o->streams[i] = (struct stream){
        .exists = true, .blocking = !(flags & GPU_STREAM_NON_BLOCKING), .priority = priority};
    *stream = i;
    return HEDDLE_OK;
}

int ops_stream_priority(const struct ops *o, uint32_t stream) {
    return o->streams[stream].priority;
}

bool ops_stream_exists(const struct ops *o, uint32_t stream) {
    return stream < o->num_streams && o->streams[stream].exists;
}

heddle_err ops_stream_destroy(struct ops *o, uint32_t stream) {
    if (stream == GPU_STREAM_LEGACY || !ops_stream_exists(o, stream)) return HEDDLE_ERR_ARGUMENT;
    o->streams[stream].exists =
        false; /* what is on it goes on, and the legacy stream waits for it */
    return HEDDLE_OK;
}

struct op *ops_get(struct ops *o, gpu_ticket ticket) {
    return ticket && ticket <= o->num ? o->op[ticket - 1] : NULL;
}

gpu_ticket ops_last(const struct ops *o, uint32_t stream) {
    return ops_stream_exists(o, stream) ? o->streams[stream].last : 0;
}

gpu_ticket ops_newest(const struct ops *o) {
    return o->num;
}

static void append_ready(struct ops *o, struct op *op) {
    op->state = OP_READY;
    op->next_ready = NULL;
    *o->ready_tail = op;
    o->ready_tail = &op->next_ready;
}

/* `op` waits for the operation `ticket` unless that has ended. */
static heddle_err follow(struct ops *o, struct op *op, gpu_ticket ticket) {
    struct op *first = ops_get(o, ticket);
    if (!first || first == op) return HEDDLE_OK;
    if (first->state == OP_ENDED) {
        if (first->end_ps > op->ready_ps) op->ready_ps = first->end_ps;
        return HEDDLE_OK;
    }
    if (first->num_followers == first->cap_followers) {
        uint32_t capacity = first->cap_followers ? 2 * first->cap_followers : 4;
        gpu_ticket *grown = realloc(first->followers, capacity * sizeof *grown);
        if (!grown) return HEDDLE_ERR_NOMEM;
        first->followers = grown;
        first->cap_followers = capacity;
    }
    first->followers[first->num_followers++] = op->ticket;
    op->pending++;
    return HEDDLE_OK;
}

/* Adds an operation that also waits for `other`, 0: none. */
static heddle_err add(struct ops *o, enum op_kind kind, uint32_t stream, uint64_t ready_ps,
                      gpu_ticket other, struct op **out) {
    *out = NULL;
    if (!ops_stream_exists(o, stream)) return HEDDLE_ERR_ARGUMENT;
    if (o->num == o->capacity) {
        uint64_t capacity = o->capacity ? 2 * o->capacity : 256;
        struct op **grown = realloc(o->op, capacity * sizeof *grown);
        if (!grown) return HEDDLE_ERR_NOMEM;
        o->op = grown;
        o->capacity = capacity;
    }
    struct op *op = calloc(1, sizeof *op);
    if (!op) return HEDDLE_ERR_NOMEM;
    struct stream *s = &o->streams[stream];
    o->op[o->num++] = op;
    op->ticket = o->num;
    op->kind = kind;
    op->stream = stream;
    op->ready_ps = ready_ps;
    heddle_err e = follow(o, op, s->last);
    if (!e) e = follow(o, op, other);
    if (stream == GPU_STREAM_LEGACY) {
        for (uint32_t i = 1; i < o->num_streams && !e; i++)
            if (o->streams[i].blocking) e = follow(o, op, o->streams[i].last);
    } else if (s->blocking && !e) {
        e = follow(o, op, o->streams[GPU_STREAM_LEGACY].last);
    }
    s->last = op->ticket;
    op->travels = o->travel && !op->pending && !e;
    if (!op->pending && !op->travels) append_ready(o, op);
    if (e)
        op->kind = OP_MARK; /* it stays on the stream, but its owner will not hear of it */
    else
        *out = op;
    return e;
}

void ops_let_travel(struct ops *o) {
    o->travel = true;
}

void ops_arrive(struct ops *o, gpu_ticket ticket) {
    struct op *op = ops_get(o, ticket);
    if (op->state != OP_WAITING || !op->travels) return; /* given up */
    op->travels = false;
    append_ready(o, op);
}

heddle_err ops_add(struct ops *o, enum op_kind kind, uint32_t stream, uint64_t ready_ps,
                   struct op **out) {
    return add(o, kind, stream, ready_ps, 0, out);
}

heddle_err ops_stream_wait(struct ops *o, uint32_t stream, gpu_ticket ticket, uint64_t ready_ps) {
    struct op *mark;
    return add(o, OP_MARK, stream, ready_ps, ticket, &mark);
}

struct op *ops_take_ready(struct ops *o) {
    struct op *list = o->ready;
    o->ready = NULL;
    o->ready_tail = &o->ready;
    return list;
}

void ops_end(struct ops *o, struct op *op, uint64_t end_ps, uint64_t heard_ps) {
    op->state = OP_ENDED;
    op->end_ps = end_ps;
    for (uint32_t i = 0; i < op->num_followers; i++) {
        struct op *f = ops_get(o, op->followers[i]);
        if (heard_ps > f->ready_ps) f->ready_ps = heard_ps;
        if (--f->pending == 0) append_ready(o, f);
    }
    free(op->followers);
    op->followers = NULL;
    op->num_followers = op->cap_followers = 0;
    while (o->ended < o->num && o->op[o->ended]->state == OP_ENDED) {
        uint64_t end = o->op[o->ended++]->end_ps;
        if (end > o->ended_ps) o->ended_ps = end;
    }
}

void ops_give_up(struct ops *o, uint64_t end_ps) {
    for (uint64_t i = o->ended; i < o->num; i++) {
        struct op *op = o->op[i];
        if (op->state == OP_ENDED) continue;
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

gpu_ticket ops_oldest(const struct ops *o, uint64_t *ended_ps) {
    *ended_ps = o->ended_ps;
    return o->ended < o->num ? o->ended + 1 : 0;
}
