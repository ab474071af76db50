/* outside_port.c - see outside_port.h.
 *
 * The steps of a request, each an event of the heap at its time:
 *
 *   EDGE     it is at the GPU's edge, and goes over the link if it has a place, or waits for one
 *   ARRIVED  it is at the memory, and takes effect
 *   DATA     its data have come from the memory, and go back over the link
 *   REPLY    half a look-ahead before the answer is at the SM: messages are sent
 *   BACK     the answer is at the GPU's edge: its place is free
 *
 * Messages of a group come half a look-ahead behind the core's time. If that is more than the way
 * to the edge, the rest is taken from the link's latency, so that the sum is right.
 *
 * Requests of equal times go in order of SMs, and other events in the order in which they were
 * decided, so that nothing depends on the number of SM groups. */
#include "sched/outside_port.h"

#include <stdlib.h>
#include <string.h>

#include "common/event_heap.h"
#include "common/memory.h"
#include "core_regs.h"
#include "core_words.h"
#include "timing/clock.h"
#include "timing/message.h"
#include "timing/values.h"

enum { REPLY, BACK, DATA, ARRIVED, EDGE }; /* the order at one time */
enum { LINE = 128, SECTOR = 32, SECTORS = LINE / SECTOR, NONE = -1 };
enum { BAR_STORES = 6, SOURCES = 256 - CORE_FIRST_OUTSIDE };
enum {
    FIRST_OPS = 64,
    BLOCKS = 24
}; /* operations of the first block, of which each has twice as
                                       * many as the one before */

/* A request under way, or a free place in the list of them. */
struct request {
    uint64_t word[2]; /* remote */
    uint32_t lanes;   /* of its operation, that it performs */
    int32_t op, next; /* operation, NONE: there is none; the next one that waits, or is free */
    uint8_t kind;     /* enum outside_kind */
};

/* A memory with its link. */
struct outside {
    struct outside_memory memory;
    struct packet_link *link;
    int32_t first, last; /* requests that wait for a place */
    uint32_t places;     /* that are free */
    uint64_t free_ps;    /* the memory has moved what was asked of it */
};

struct outside_port {
    struct outside_config config;
    struct timing_wiring wiring;
    uint64_t ahead_ps; /* of the way to the edge, that is taken from the link's latency */
    struct outside of[OUTSIDE_KINDS];
    struct event_heap heap;
    uint32_t sequence;
    struct request *request; /* by number */
    /* Operations do not move, since a component may perform one while the list grows. */
    struct exec_remote_op *block[BLOCKS];
    size_t num_requests, cap_requests;
    uint32_t num_ops;
    uint32_t server, served_first, served_end; /* component, and the lines that it serves */
    int32_t free_request;
    int32_t free_op; /* linked by `lanes` */
    struct values arrived;
    uint64_t reply_cycle; /* of the last answer, and its number */
    uint32_t reply_number;
    struct outside_counts counts;
};

struct outside_port *outside_port_create(const struct outside_config *config,
                                         const struct timing_wiring *wiring,
                                         struct packet_link *host, struct packet_link *peer) {
    struct outside_port *p = heddle_alloc(sizeof *p, "the port to memory outside the GPU");
    p->config = *config;
    p->wiring = *wiring;
    p->free_request = p->free_op = NONE;
    if (config->half_lookahead > config->net_request)
        p->ahead_ps = clock_ps(config->half_lookahead - config->net_request, config->khz);
    for (unsigned i = 0; i < OUTSIDE_KINDS; i++)
        p->of[i] = (struct outside){.memory = config->of[i],
                                    .link = i == OUTSIDE_HOST ? host : peer,
                                    .first = NONE,
                                    .last = NONE,
                                    .places = config->of[i].places};
    return p;
}

void outside_port_free(struct outside_port *p) {
    if (!p) return;
    event_heap_clear(&p->heap);
    free(p->request);
    for (unsigned i = 0; i < BLOCKS; i++) free(p->block[i]);
    free(p);
}

void outside_port_serve(struct outside_port *p, uint32_t component, uint32_t first_line,
                        uint32_t end_line) {
    p->server = component;
    p->served_first = first_line;
    p->served_end = end_line;
}

uint64_t outside_port_next(const struct outside_port *p) {
    return p->heap.count ? event_heap_next(&p->heap) : FABRIC_NEVER;
}

const struct outside_counts *outside_port_counts(const struct outside_port *p) {
    return &p->counts;
}

static void add_event(struct outside_port *p, uint64_t at_ps, unsigned kind, uint32_t sm,
                      int32_t number) {
    event_heap_add(&p->heap, (struct event){.at = at_ps,
                                            .key = event_key(kind, sm, 0),
                                            .sequence = p->sequence++,
                                            .item = (uint32_t)number});
}

/* ------------------------------------------------------------------------------ arrival */

static int32_t new_request(struct outside_port *p) {
    const int32_t number = p->free_request;
    if (number != NONE) {
        p->free_request = p->request[number].next;
        return number;
    }
    p->request = heddle_grow(p->request, &p->cap_requests, p->num_requests + 1, sizeof *p->request,
                             "accesses to memory outside the GPU");
    return (int32_t)p->num_requests++;
}

static unsigned block_of(uint32_t op) {
    return 31 - (unsigned)__builtin_clz(op / FIRST_OPS + 1);
}
static struct exec_remote_op *op_of(const struct outside_port *p, int32_t number) {
    const uint32_t op = (uint32_t)number;
    const unsigned block = block_of(op);
    return &p->block[block][op - FIRST_OPS * ((UINT32_C(1) << block) - 1)];
}

static int32_t new_op(struct outside_port *p) {
    const int32_t number = p->free_op;
    if (number != NONE) {
        p->free_op = (int32_t)op_of(p, number)->lanes;
        return number;
    }
    const unsigned block = block_of(p->num_ops);
    if (!p->block[block])
        p->block[block] = heddle_alloc_array((size_t)FIRST_OPS << block, sizeof **p->block,
                                             "operations on memory outside the GPU");
    return (int32_t)p->num_ops++;
}

void outside_port_perform(struct outside_port *p, uint32_t op, uint32_t lanes) {
    exec_remote_op_perform(op_of(p, (int32_t)op), lanes);
}

/* Address of the request's line. */
static uint64_t address_of(const struct outside_port *p, const struct request *r) {
    return p->config.memory->base + (uint64_t)core_remote_addr(r->word) * LINE;
}

/* The operation of a request, whose operands have come. */
static int32_t take_operation(struct outside_port *p, const struct request *r,
                              const struct message_remote *m) {
    const int32_t number = new_op(p);
    struct exec_remote_op *op = op_of(p, number);
    struct exec_operand lane[MIR_WARP_SIZE];
    op->launch = &timing_launch_of(p->wiring.launches, m->launch)->exec;
    op->operation = exec_operation_of(m->code, m->check);
    op->lanes = m->lanes;
    values_to_request(&p->arrived, &op->operation, address_of(p, r), lane,
                      (unsigned)__builtin_popcount(m->lanes));
    unsigned i = 0;
    for (uint32_t left = m->lanes; left; left &= left - 1)
        op->lane[__builtin_ctz(left)] = lane[i++];
    p->arrived.count = 0;
    return number;
}

heddle_err outside_port_receive(struct outside_port *p, const struct fabric_message *in) {
    if (in->kind == MESSAGE_VALUES) {
        const struct message_values v = message_read_values(in);
        return values_take(&p->arrived, &v) ? HEDDLE_OK : HEDDLE_ERR_INTERNAL;
    }
    const struct message_remote m = message_read_remote(in);
    const int32_t number = new_request(p);
    struct request *r = &p->request[number];
    *r = (struct request){.word = {m.low, m.high}, .lanes = m.lanes, .op = NONE, .next = NONE};
    const uint32_t line = core_remote_addr(r->word);
    const bool host = line >= p->config.host_first && line < p->config.host_end;
    r->kind = host ? OUTSIDE_HOST : OUTSIDE_PEER;
    if (core_remote_kind(r->word) != CORE_EV_REQUEST) return HEDDLE_ERR_INTERNAL;
    if (m.code) r->op = take_operation(p, r, &m);
    const uint64_t khz = p->config.khz, left = clock_cycle_from(in->at, khz);
    const uint64_t edge = p->config.net_request > p->config.half_lookahead
                              ? left + p->config.net_request - p->config.half_lookahead
                              : left;
    add_event(p, clock_ps(edge, khz), EDGE, core_remote_sm(r->word), number);
    return HEDDLE_OK;
}

/* ------------------------------------------------------------------------------ the way there */

static bool is_write(const struct request *r) {
    return core_remote_req(r->word) == CORE_REQ_WRITE;
}
static bool is_atomic(const struct request *r) {
    return core_remote_req(r->word) == CORE_REQ_ATOMIC;
}

/* Whether a component performs its operation. */
static bool is_served(const struct outside_port *p, const struct request *r) {
    const uint32_t line = core_remote_addr(r->word);
    return r->op != NONE && line >= p->served_first && line < p->served_end;
}

/* Bytes of an atomic's lane, and of its operands. */
static uint32_t width_of(const struct outside_port *p, const struct request *r) {
    return r->op == NONE ? 4 : op_of(p, r->op)->operation.width;
}
static uint32_t operand_bytes(const struct outside_port *p, const struct request *r) {
    return width_of(p, r) *
           (r->op == NONE ? 1 : exec_operation_operands(&op_of(p, r->op)->operation));
}

/* Sectors of the request, as bytes; `runs`: of sectors that lie together. */
static uint32_t data_of(const struct request *r, unsigned *runs) {
    const uint32_t sectors = core_remote_sectors(r->word);
    *runs = (unsigned)__builtin_popcount(sectors & ~(sectors << 1));
    return SECTOR * (unsigned)__builtin_popcount(sectors);
}

/* Packets of an atomic: one for each lane. It always comes with its operation. */
static uint64_t atomic_packets(const struct request *r) {
    return (unsigned)__builtin_popcount(r->lanes);
}

/* Bytes of the packets that ask, and of those that answer. A line fits into a packet. */
static uint64_t asks(const struct outside_port *p, const struct request *r) {
    const uint32_t header = p->of[r->kind].link->config.request_header;
    unsigned runs;
    const uint32_t data = data_of(r, &runs);
    if (is_atomic(r)) return atomic_packets(r) * (header + operand_bytes(p, r));
    return (is_write(r) ? data : 0) + (uint64_t)runs * header;
}
static uint64_t answers(const struct outside_port *p, const struct request *r) {
    const uint32_t header = p->of[r->kind].link->config.answer_header;
    unsigned runs;
    const uint32_t data = data_of(r, &runs);
    if (is_atomic(r)) return atomic_packets(r) * (header + width_of(p, r));
    return data + (uint64_t)runs * header;
}

/* Sends the requests that have waited, in order, as far as there are places for reads. */
static void send_waiting(struct outside_port *p, struct outside *o, uint64_t now_ps) {
    while (o->first != NONE) {
        const int32_t number = o->first;
        struct request *r = &p->request[number];
        if (!is_write(r) && !o->places) return;
        if (!is_write(r)) o->places--;
        o->first = r->next;
        const uint64_t left = packet_link_send(o->link, LINK_AWAY, now_ps, asks(p, r));
        const uint64_t arrives_ps = left + o->memory.latency_ps - p->ahead_ps;
        if (is_served(p, r))
            message_send_outside_op(p->wiring.fabric, p->wiring.scheduler_id, p->server, arrives_ps,
                                    &(struct message_outside_op){(uint32_t)r->op, r->lanes});
        add_event(p, arrives_ps, ARRIVED, 0, number);
    }
}

static void at_edge(struct outside_port *p, int32_t number, uint64_t now_ps) {
    struct outside *o = &p->of[p->request[number].kind];
    p->request[number].next = NONE;
    if (o->first == NONE)
        o->first = number;
    else
        p->request[o->last].next = number;
    o->last = number;
    send_waiting(p, o, now_ps);
}

/* ------------------------------------------------------------------------------ the way back */

/* The answer is at the GPU's edge at edge_ps. */
static void answer_at(struct outside_port *p, int32_t number, uint64_t edge_ps) {
    const uint64_t khz = p->config.khz;
    const uint64_t cycle = clock_cycle_from(edge_ps, khz) + p->config.net_reply;
    add_event(p, clock_ps(cycle - p->config.half_lookahead, khz), REPLY, 0, number);
}

static void arrived(struct outside_port *p, int32_t number, uint64_t now_ps) {
    struct request *r = &p->request[number];
    struct outside *o = &p->of[r->kind];
    unsigned runs;
    const uint64_t bytes = is_atomic(r) ? atomic_packets(r) * width_of(p, r) : data_of(r, &runs);
    if (r->op != NONE && !is_served(p, r)) exec_remote_op_perform(op_of(p, r->op), r->lanes);
    if (o->free_ps < now_ps) o->free_ps = now_ps;
    o->free_ps += packet_link_transfer_ps(bytes, o->memory.bytes_per_s);
    if (is_write(r))
        answer_at(p, number, now_ps + o->memory.latency_ps);
    else
        add_event(p, o->free_ps + o->memory.access_ps, DATA, 0, number);
    if (!is_write(r)) p->counts.read_bytes[r->kind] += bytes;
    if (is_write(r) || is_atomic(r)) p->counts.write_bytes[r->kind] += bytes;
}

static void data_come(struct outside_port *p, int32_t number, uint64_t now_ps) {
    struct request *r = &p->request[number];
    struct outside *o = &p->of[r->kind];
    const uint64_t edge_ps = packet_link_send(o->link, LINK_BACK, now_ps, answers(p, r)) +
                             o->memory.latency_ps;
    add_event(p, edge_ps, BACK, 0, r->kind);
    answer_at(p, number, edge_ps);
}

/* The results of the lanes, and that they have been performed, to the warp's group. */
static void send_performed(struct outside_port *p, const struct request *r, uint32_t to,
                           uint64_t at_ps) {
    const struct exec_remote_op *op = op_of(p, r->op);
    const unsigned width = op->operation.width;
    struct fabric *fabric = p->wiring.fabric;
    const uint32_t from = p->wiring.scheduler_id;
    if (exec_operation_answers(&op->operation)) {
        struct values list;
        uint32_t left = r->lanes;
        values_clear(&list, values_words((unsigned)__builtin_popcount(left), width));
        for (unsigned i = 0; left; i++, left &= left - 1)
            values_pack(list.word, i, width, op->lane[__builtin_ctz(left)].data);
        values_send(fabric, from, to, at_ps, &list);
    }
    message_send_performed(fabric, from, to, at_ps,
                           &(struct message_performed){.sm = core_remote_sm(r->word),
                                                       .warp = core_remote_warp(r->word),
                                                       .slot = core_remote_slot(r->word),
                                                       .lanes = r->lanes});
}

/* Answers of one cycle have different sources for the core: as many as there are numbers for. */
static uint64_t reply_cycle(struct outside_port *p, uint64_t cycle) {
    if (cycle > p->reply_cycle) {
        p->reply_number = 0;
    } else if (++p->reply_number == SOURCES) {
        p->reply_number = 0;
        p->reply_cycle++;
    }
    if (cycle > p->reply_cycle) p->reply_cycle = cycle;
    return p->reply_cycle;
}

static void reply(struct outside_port *p, int32_t number, uint64_t now_ps) {
    struct request *r = &p->request[number];
    const uint64_t khz = p->config.khz;
    const uint64_t wanted = clock_cycle_from(now_ps, khz) + p->config.half_lookahead;
    const uint64_t cycle = reply_cycle(p, wanted), at_ps = clock_ps(cycle, khz);
    const uint32_t sm = core_remote_sm(r->word), bar = core_remote_bar(r->word);
    const uint32_t to = p->wiring.group_id[sm % p->wiring.num_groups];
    if (r->op != NONE) send_performed(p, r, to, at_ps);
    uint64_t word[2] = {0, 0};
    core_remote_set_at(word, (uint32_t)cycle);
    core_remote_set_kind(word, CORE_EV_REPLY);
    core_remote_set_sm(word, sm);
    core_remote_set_warp(word, core_remote_warp(r->word));
    core_remote_set_sectors(word,
                            is_write(r) || bar == BAR_STORES ? 0 : core_remote_sectors(r->word));
    core_remote_set_bar(word, bar);
    core_remote_set_mshr(word, core_remote_mshr(r->word));
    core_remote_set_cached(word, core_remote_cached(r->word));
    core_remote_set_slice(word, CORE_FIRST_OUTSIDE + p->reply_number);
    message_send_remote(p->wiring.fabric, p->wiring.scheduler_id, to, at_ps,
                        &(struct message_remote){.low = word[0], .high = word[1]});
    if (r->op != NONE) {
        op_of(p, r->op)->lanes = (uint32_t)p->free_op;
        p->free_op = r->op;
    }
    r->next = p->free_request;
    p->free_request = number;
}

void outside_port_step(struct outside_port *p) {
    const struct event e = event_heap_take(&p->heap);
    const int32_t number = (int32_t)e.item;
    switch (event_kind(e.key)) {
    case EDGE: at_edge(p, number, e.at); break;
    case ARRIVED: arrived(p, number, e.at); break;
    case DATA: data_come(p, number, e.at); break;
    case REPLY: reply(p, number, e.at); break;
    case BACK:
        p->of[number].places++;
        send_waiting(p, &p->of[number], e.at);
        break;
    }
}
