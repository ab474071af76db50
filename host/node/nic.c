/* nic.c - commands, packets and transfers of a NIC; contracts in nic.h.
 *
 * Everything that the NIC waits for is a job of the bus. A job has a purpose, which says what
 * happens when it has ended (nic_job_done()). */
#include "node/nic.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "node/node_link.h"

/* What a job is for. */
enum purpose {
    FETCH,        /* the command itself */
    READ_PUT,     /* a segment of a put, at the source */
    WRITE_PUT,    /* at the target */
    WRITE_SIGNAL, /* the signal behind it */
    READ_GET,     /* a segment of a get, at the target */
    WRITE_GET,    /* at the source */
    DO_ATOMIC,    /* at the target */
    WRITE_OLD,    /* its result, at the source */
    COMPLETE,     /* the word that the service thread polls for */
    TELL,         /* the word by which a CPU learns of a message */
};

struct job {
    struct bus_job bus; /* pe, op: whose */
    enum purpose purpose;
    uint32_t segment;
    struct net_payload *payload; /* writes: one of payload->writes */
    uint8_t *owned;              /* freed when the job has ended */
    uint64_t word;               /* the bytes of a short job */
};

enum { JOBS = 8192, COMMAND_BYTES = 64, NO_OP = UINT32_MAX };

struct nic {
    const struct node_config *config;
    struct net_ops *ops;
    struct nic_events events;
    uint32_t node;
    struct job *job;    /* JOBS */
    uint32_t *free_job; /* numbers */
    uint32_t num_free;
    struct job *waiting; /* jobs without a number, in order; [first, count) */
    size_t first, count, capacity;
    /* Operations that have not been sent, in order: by target; while their commands are fetched;
     * while they wait for the command engine. NO_OP: none. */
    struct line {
        uint32_t first, last;
    } line[SHMEM_MAX_PES], fetching, posted;
    uint64_t completed[SHMEM_THREADS];     /* completions written, by service thread */
    uint64_t engine_free_ps, down_free_ps; /* command engine; the way to the GPU */
    struct nic_counters counters;
};

heddle_err nic_create(struct nic **out, const struct node_config *config, uint32_t node,
                      struct net_ops *ops, const struct nic_events *events) {
    struct nic *n = *out = heddle_alloc(sizeof *n, "a NIC");
    n->config = config;
    n->ops = ops;
    n->events = *events;
    n->node = node;
    n->job = heddle_alloc_array(JOBS, sizeof *n->job, "jobs of a NIC");
    n->free_job = heddle_alloc_array(JOBS, sizeof *n->free_job, "jobs of a NIC");
    for (uint32_t i = 0; i < JOBS; i++) n->free_job[n->num_free++] = JOBS - 1 - i;
    for (uint32_t i = 0; i < SHMEM_MAX_PES; i++) n->line[i] = (struct line){NO_OP, NO_OP};
    n->fetching = n->posted = (struct line){NO_OP, NO_OP};
    return HEDDLE_OK;
}

void nic_free(struct nic *n) {
    if (!n) return;
    for (uint32_t i = 0; n->job && i < JOBS; i++) free(n->job[i].owned);
    for (size_t i = n->first; i < n->count; i++) free(n->waiting[i].owned);
    free(n->job);
    free(n->free_job);
    free(n->waiting);
    free(n);
}

struct bus_job *nic_job(struct nic *n, uint32_t job) {
    return &n->job[job].bus;
}

struct nic_counters nic_get_counters(const struct nic *n) {
    return n->counters;
}

void nic_reset(struct nic *n) {
    memset(n->completed, 0, sizeof n->completed);
}

static struct net_op *op_of(const struct nic *n, uint32_t pe, uint32_t op) {
    return net_op_of(n->ops, pe, op);
}

/* ---- jobs */

/* Whether the job's memory is the host's. */
static bool is_at_host(const struct net_op *o, enum purpose purpose) {
    switch (purpose) {
    case FETCH:
    case COMPLETE: return o->place_at_host;
    case READ_PUT:
    case WRITE_GET:
    case WRITE_OLD: return o->local_at_host;
    case WRITE_PUT:
    case WRITE_SIGNAL:
    case READ_GET:
    case DO_ATOMIC: return o->remote_at_host;
    case TELL: return true;
    }
    return false;
}

/* The stream of the job on the bus. What another PE does here is in its order; of this PE's own
 * operations only the completion has to come behind the results. */
static uint32_t stream_of(const struct nic *n, const struct job *j) {
    switch (j->purpose) {
    case WRITE_PUT:
    case WRITE_SIGNAL:
    case READ_GET:
    case DO_ATOMIC: return j->bus.pe;
    case FETCH:
    case READ_PUT:
    case WRITE_GET:
    case WRITE_OLD:
    case COMPLETE:
    case TELL: break;
    }
    return j->bus.op < NET_OPS ? bus_stream_of_op(j->bus.op) : n->node;
}

/* Time on the link of a request, or of a write with its bytes. */
static uint64_t link_time(const struct nic *n, const struct bus_job *j) {
    return node_link_ps(n->config, j->bytes, j->kind == ACCESS_STORE ? j->bytes : 0);
}

/* Puts a job on the link at at_ps. */
static void start(struct nic *n, uint32_t number, uint64_t at_ps) {
    struct job *j = &n->job[number];
    n->counters.jobs++;
    n->counters.link_bytes += j->bus.bytes;
    if (n->down_free_ps < at_ps) n->down_free_ps = at_ps;
    n->down_free_ps += link_time(n, &j->bus);
    const double way = j->bus.at_host ? n->config->host_latency : n->config->link_latency;
    n->events.job(n->events.user, number, &j->bus, n->down_free_ps + node_ps(way));
}

/* Gives a job a number and starts it, or lets it wait for one. */
static void queue_job(struct nic *n, const struct job *job, uint64_t at_ps) {
    if (!n->num_free || n->first < n->count) {
        if (n->count == n->capacity)
            n->waiting = heddle_grow(n->waiting, &n->capacity, n->count + 1, sizeof *n->waiting,
                                     "jobs of a NIC");
        n->waiting[n->count++] = *job;
        return;
    }
    const uint32_t number = n->free_job[--n->num_free];
    n->job[number] = *job;
    if (!n->job[number].bus.data) n->job[number].bus.data = (uint8_t *)&n->job[number].word;
    start(n, number, at_ps);
}

/* A new job. Its operation, which it looks at only now, may end before the job does. */
static void add_job(struct nic *n, const struct job *job, uint64_t at_ps) {
    struct job whole = *job;
    whole.bus.at_host = is_at_host(op_of(n, job->bus.pe, job->bus.op), job->purpose);
    whole.bus.stream = stream_of(n, job);
    queue_job(n, &whole, at_ps);
}

/* Tells this node's CPU of a message. */
static void tell(struct nic *n, uint32_t pe, uint32_t op, enum bus_news news, uint64_t at_ps) {
    const struct job j = {.bus = {.pe = pe,
                                  .op = op,
                                  .kind = ACCESS_STORE,
                                  .bytes = sizeof(uint64_t),
                                  .news = (uint8_t)news},
                          .purpose = TELL};
    add_job(n, &j, at_ps);
}

/* The operation has completed: writes its number into the ring of its service thread, under the
 * number of the completion. */
static void complete(struct nic *n, uint32_t pe, uint32_t op, uint64_t at_ps) {
    const struct net_op *o = op_of(n, pe, op);
    n->counters.command_ps += at_ps - o->posted_ps;
    if (o->of_cpu) {
        tell(n, pe, op, NEWS_SENT, at_ps);
        return;
    }
    const uint64_t count = n->completed[o->thread]++;
    const uint64_t offset = count % SHMEM_COMPLETIONS * sizeof(uint64_t);
    const struct job j = {.bus = {.pe = pe,
                                  .op = op,
                                  .kind = ACCESS_STORE,
                                  .ordered = true,
                                  .address = o->completion + offset,
                                  .bytes = sizeof(uint64_t)},
                          .purpose = COMPLETE,
                          .word = (count + 1) << 16 | op};
    add_job(n, &j, at_ps);
}

/* Whether the operation's completion goes to the host's memory, and its bytes to the GPU's. */
static bool takes_other_way(const struct net_op *o) {
    return o->place_at_host && !o->local_at_host;
}

/* Takes back a job's number, and starts one that waits. */
static void end_job(struct nic *n, uint32_t number, uint64_t at_ps) {
    const struct job *j = &n->job[number];
    struct net_payload *p = j->payload;
    if (p && --p->writes == 0) {
        if (p->then == THEN_TELL) tell(n, j->bus.pe, j->bus.op, NEWS_ARRIVED, at_ps);
        if (p->then == THEN_COMPLETE) complete(n, j->bus.pe, j->bus.op, at_ps);
        free(p);
    }
    free(n->job[number].owned);
    n->job[number].owned = NULL;
    n->free_job[n->num_free++] = number;
    if (n->first == n->count) return;
    const struct job next = n->waiting[n->first++];
    const size_t first = n->first, count = n->count;
    n->first = n->count = 0; /* nothing waits before it */
    queue_job(n, &next, at_ps);
    n->first = first;
    n->count = count;
    if (first == count) n->first = n->count = 0;
}

/* ---- packets */

static void send(struct nic *n, uint32_t to, enum nic_packet_kind kind, uint32_t pe, uint32_t op,
                 uint32_t segment, uint64_t bytes, uint64_t at_ps) {
    const struct nic_packet p = {
        .kind = kind, .source = n->node, .pe = pe, .op = op, .segment = segment};
    n->counters.packets++;
    n->counters.bytes_sent += bytes;
    n->events.send(n->events.user, to, &p, n->config->nic_request + bytes,
                   at_ps + node_ps(n->config->nic_send));
}

/* Segments of `bytes`, and the length of one. */
static uint32_t segments_of(const struct nic *n, uint64_t bytes) {
    const uint64_t all = (bytes + n->config->nic_segment - 1) / n->config->nic_segment;
    return all ? (uint32_t)all : 1;
}
static uint64_t segment_bytes(const struct nic *n, uint64_t bytes, uint32_t segment) {
    const uint64_t left = bytes - (uint64_t)segment * n->config->nic_segment;
    return left < n->config->nic_segment ? left : n->config->nic_segment;
}

/* Room for the bytes of an operation. */
static struct net_payload *new_payload(const struct nic *n, uint64_t bytes) {
    const uint32_t segments = segments_of(n, bytes);
    struct net_payload *p = heddle_alloc(sizeof *p + bytes + segments, "a message");
    p->writes = bytes ? segments : 0;
    p->ready = p->bytes + bytes;
    return p;
}

/* Jobs that read all segments from memory at `address`. */
static void read_segments(struct nic *n, enum purpose purpose, uint32_t pe, uint32_t op,
                          uint64_t address, uint64_t bytes, struct net_payload *payload,
                          uint64_t at_ps) {
    for (uint32_t s = 0; s < segments_of(n, bytes); s++) {
        const uint64_t offset = (uint64_t)s * n->config->nic_segment;
        const struct job j = {.bus = {.pe = pe,
                                      .op = op,
                                      .kind = ACCESS_LOAD,
                                      .ordered = s == 0,
                                      .address = address + offset,
                                      .bytes = segment_bytes(n, bytes, s),
                                      .data = payload->bytes + offset},
                              .purpose = purpose,
                              .segment = s};
        add_job(n, &j, at_ps);
    }
}

/* A job that writes a segment that has come. */
static void write_segment(struct nic *n, enum purpose purpose, uint32_t pe, uint32_t op,
                          uint64_t address, uint64_t bytes, uint32_t segment,
                          struct net_payload *payload, uint64_t at_ps) {
    const uint64_t offset = (uint64_t)segment * n->config->nic_segment;
    const uint64_t here = segment_bytes(n, bytes, segment);
    const struct job j = {.bus = {.pe = pe,
                                  .op = op,
                                  .kind = ACCESS_STORE,
                                  .ordered = segment == 0,
                                  .address = address + offset,
                                  .bytes = here,
                                  .data = payload->bytes + offset},
                          .purpose = purpose,
                          .segment = segment,
                          .payload = payload};
    n->counters.bytes_received += here;
    add_job(n, &j, at_ps);
}

/* ---- the source */

/* Puts an operation at the end of a line. */
static void append(struct nic *n, struct line *line, uint32_t op) {
    op_of(n, n->node, op)->behind = NO_OP;
    if (line->last == NO_OP)
        line->first = op;
    else
        op_of(n, n->node, line->last)->behind = op;
    line->last = op;
}

/* Takes the first operation of a line, which has one, out of it. */
static void remove_first(struct nic *n, struct line *line) {
    line->first = op_of(n, n->node, line->first)->behind;
    if (line->first == NO_OP) line->last = NO_OP;
}

/* Sends the next packet of the first operation to a target, if it is ready. @return false: it is
 * not, or there is none. Commands to one target leave in order, whatever is read for them. */
static bool send_next(struct nic *n, uint32_t target, uint64_t at_ps) {
    struct line *line = &n->line[target];
    if (line->first == NO_OP) return false;
    const uint32_t op = line->first;
    struct net_op *o = op_of(n, n->node, op);
    const struct heddle_shmem_entry *e = &o->command.entry;
    uint32_t segments = 1;
    if (e->op == HEDDLE_SHMEM_ATOMIC) {
        send(n, target, NIC_ATOMIC, n->node, op, 0, 2 * sizeof e->operand, at_ps);
    } else if (e->op == HEDDLE_SHMEM_GET) {
        send(n, target, NIC_GET, n->node, op, 0, 0, at_ps);
    } else {
        segments = segments_of(n, e->bytes);
        if (!o->payload->ready[o->sent]) return false;
        send(n, target, NIC_PUT, n->node, op, o->sent, segment_bytes(n, e->bytes, o->sent), at_ps);
    }
    if (++o->sent == segments) remove_first(n, line);
    return true;
}
static void send_ready(struct nic *n, uint32_t target, uint64_t at_ps) {
    while (send_next(n, target, at_ps)) {
    }
}

/* The bytes of a put that the NIC has with the command itself, or NULL: it must read them. */
static const void *bytes_with_doorbell(const struct nic *n, const struct net_op *o) {
    const struct heddle_shmem_entry *e = &o->command.entry;
    if (e->flags & HEDDLE_SHMEM_IN_ENTRY || !e->bytes) return &e->local;
    const bool pushed = o->of_cpu && o->local_at_host && e->bytes <= n->config->nic_inline;
    return pushed ? (const void *)(uintptr_t)e->local : NULL;
}

/* Begins a command that the NIC has: reads what is to be sent. */
static void begin(struct nic *n, uint32_t op, uint64_t at_ps) {
    struct net_op *o = op_of(n, n->node, op);
    const struct heddle_shmem_entry *e = &o->command.entry;
    o->arrived = o->sent = 0;
    append(n, &n->line[e->pe], op);
    if (e->op == HEDDLE_SHMEM_PUT) {
        const void *bytes = bytes_with_doorbell(n, o);
        o->payload = new_payload(n, e->bytes);
        o->payload->then = o->of_cpu && !o->remote_at_host ? THEN_TELL : THEN_NOTHING;
        if (bytes) {
            memcpy(o->payload->bytes, bytes, e->bytes);
            o->payload->ready[0] = 1;
        } else {
            read_segments(n, READ_PUT, n->node, op, e->local, e->bytes, o->payload, at_ps);
        }
    }
    send_ready(n, e->pe, at_ps);
}

/* Begins the commands that have been fetched, in the order of their doorbells. */
static void begin_fetched(struct nic *n, uint64_t at_ps) {
    while (n->fetching.first != NO_OP && op_of(n, n->node, n->fetching.first)->fetched) {
        const uint32_t op = n->fetching.first;
        remove_first(n, &n->fetching);
        begin(n, op, at_ps);
    }
}

/* The command engine takes the first command that waits for it, at the time at which it is free. */
static void take_posted(struct nic *n) {
    const uint32_t op = n->posted.first;
    struct net_op *o = op_of(n, n->node, op);
    const uint64_t at_ps = n->engine_free_ps;
    remove_first(n, &n->posted);
    append(n, &n->fetching, op);
    n->engine_free_ps += node_ps(n->config->nic_command);
    if (o->fetched) {
        begin_fetched(n, at_ps);
        return;
    }
    uint8_t *command = heddle_alloc(COMMAND_BYTES, "a command");
    const struct job j = {.bus = {.pe = n->node,
                                  .op = op,
                                  .kind = ACCESS_LOAD,
                                  .ordered = true,
                                  .address = o->place,
                                  .bytes = COMMAND_BYTES,
                                  .data = command},
                          .purpose = FETCH,
                          .owned = command};
    add_job(n, &j, at_ps);
}

void nic_advance(struct nic *n, uint64_t until_ps) {
    while (nic_next(n) < until_ps) take_posted(n);
}

uint64_t nic_next(const struct nic *n) {
    return n->posted.first == NO_OP ? UINT64_MAX : n->engine_free_ps;
}

void nic_take_command(struct nic *n, uint32_t op, uint64_t at_ps) {
    struct net_op *o = op_of(n, n->node, op);
    nic_advance(n, at_ps);
    o->posted_ps = at_ps;
    o->fetched = o->of_cpu ? n->config->nic_push : !n->config->nic_fetch;
    n->counters.commands++;
    if (n->posted.first == NO_OP && n->engine_free_ps < at_ps) n->engine_free_ps = at_ps;
    append(n, &n->posted, op);
    nic_advance(n, at_ps + 1);
}

/* ---- packets that come */

/* A put's segment at the target: writes it; behind the last one the signal. */
static void take_put(struct nic *n, const struct nic_packet *p, uint64_t at_ps) {
    struct net_op *o = op_of(n, p->pe, p->op);
    const struct heddle_shmem_entry *e = &o->command.entry;
    const bool last = p->segment + 1 == segments_of(n, e->bytes);
    if (e->bytes)
        write_segment(n, WRITE_PUT, p->pe, p->op, o->command.remote, e->bytes, p->segment,
                      o->payload, at_ps);
    else
        free(o->payload);
    if (last && o->command.signal) {
        const struct job j = {.bus = {.pe = p->pe,
                                      .op = p->op,
                                      .kind = ACCESS_ATOMIC,
                                      .ordered = true,
                                      .address = o->command.signal,
                                      .bytes = sizeof(uint64_t),
                                      .amo = e->amo,
                                      .operand = e->operand},
                              .purpose = WRITE_SIGNAL};
        add_job(n, &j, at_ps);
    }
    /* Bytes and news go to the host's memory in order; those for the GPU must have been served. */
    if (last && o->of_cpu && (o->remote_at_host || !e->bytes))
        tell(n, p->pe, p->op, NEWS_ARRIVED, at_ps);
    if (last) send(n, p->pe, NIC_PUT_DONE, p->pe, p->op, 0, 0, at_ps);
}

/* A request for an atomic. */
static void take_atomic(struct nic *n, const struct nic_packet *p, uint64_t at_ps) {
    const struct net_op *o = op_of(n, p->pe, p->op);
    const struct heddle_shmem_entry *e = &o->command.entry;
    const struct job j = {.bus = {.pe = p->pe,
                                  .op = p->op,
                                  .kind = ACCESS_ATOMIC,
                                  .ordered = true,
                                  .address = o->command.remote,
                                  .bytes = e->width,
                                  .amo = e->amo,
                                  .operand = e->operand,
                                  .compare = e->signal},
                          .purpose = DO_ATOMIC};
    add_job(n, &j, at_ps);
}

/* A segment of a get, back at the source. */
static void take_get_data(struct nic *n, const struct nic_packet *p, uint64_t at_ps) {
    struct net_op *o = op_of(n, p->pe, p->op);
    const struct heddle_shmem_entry *e = &o->command.entry;
    o->arrived++;
    write_segment(n, WRITE_GET, p->pe, p->op, e->local, e->bytes, p->segment, o->payload, at_ps);
    if (o->arrived != segments_of(n, e->bytes)) return;
    if (takes_other_way(o))
        o->payload->then = THEN_COMPLETE;
    else
        complete(n, p->pe, p->op, at_ps);
}

void nic_take_packet(struct nic *n, const struct nic_packet *p, uint64_t at_ps) {
    struct net_op *o = op_of(n, p->pe, p->op);
    const struct heddle_shmem_entry *e = &o->command.entry;
    nic_advance(n, at_ps);
    switch (p->kind) {
    case NIC_PUT: take_put(n, p, at_ps); break;
    case NIC_PUT_DONE: complete(n, p->pe, p->op, at_ps); break;
    case NIC_GET:
        o->payload = new_payload(n, e->bytes);
        read_segments(n, READ_GET, p->pe, p->op, o->command.remote, e->bytes, o->payload, at_ps);
        break;
    case NIC_GET_DATA: take_get_data(n, p, at_ps); break;
    case NIC_ATOMIC: take_atomic(n, p, at_ps); break;
    case NIC_ATOMIC_DONE:
        if (e->flags & HEDDLE_SHMEM_FETCH) {
            const struct job j = {.bus = {.pe = p->pe,
                                          .op = p->op,
                                          .kind = ACCESS_STORE,
                                          .ordered = true,
                                          .address = e->local,
                                          .bytes = e->width},
                                  .purpose = WRITE_OLD,
                                  .word = o->old};
            add_job(n, &j, at_ps);
        }
        if (!(e->flags & HEDDLE_SHMEM_FETCH && takes_other_way(o)))
            complete(n, p->pe, p->op, at_ps);
        break;
    }
}

/* ---- jobs that have ended */

void nic_job_done(struct nic *n, uint32_t number, uint64_t at_ps) {
    nic_advance(n, at_ps);
    const struct job j = n->job[number];
    struct net_op *o = op_of(n, j.bus.pe, j.bus.op);
    const struct heddle_shmem_entry *e = &o->command.entry;
    uint64_t old = 0;
    switch (j.purpose) {
    case FETCH:
        o->fetched = true;
        begin_fetched(n, at_ps);
        break;
    case READ_PUT:
        o->payload->ready[j.segment] = 1;
        send_ready(n, e->pe, at_ps);
        break;
    case READ_GET:
        send(n, j.bus.pe, NIC_GET_DATA, j.bus.pe, j.bus.op, j.segment, j.bus.bytes, at_ps);
        break;
    case DO_ATOMIC:
        memcpy(&old, j.bus.data, j.bus.bytes);
        o->old = old;
        send(n, j.bus.pe, NIC_ATOMIC_DONE, j.bus.pe, j.bus.op, 0, sizeof old, at_ps);
        break;
    case WRITE_PUT:
    case WRITE_GET:
    case WRITE_SIGNAL:
    case COMPLETE:
    case TELL: break;
    case WRITE_OLD:
        if (takes_other_way(o)) complete(n, j.bus.pe, j.bus.op, at_ps);
        break;
    }
    end_job(n, number, at_ps);
}

bool nic_rests(const struct nic *n) {
    return n->num_free == JOBS && n->posted.first == NO_OP;
}
