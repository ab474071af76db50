/* l2_customer.c - see l2_customer.h. The customer's side of what group_remote.c does: operands go
 * ahead of the request in VALUES, results come in VALUES ahead of PERFORMED. The slice answers
 * later, with a REMOTE that holds event Reply; a load of which some sectors were in L2 gets two, of
 * which the first has no counter.
 *
 * The number of an access under way is its request's `warp`. */
#include "timing/l2_customer.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "core_words.h"
#include "timing/clock.h"
#include "timing/values.h"

enum { SECTOR = 32, BAR_RESULT = 0, BAR_NONE = 7, MOST_LANES = 32, MOST_WIDTH = 16 };

/* An access under way. */
struct under_way {
    bool used, performed;
    uint64_t tag;
    uint32_t lanes; /* that have results to come */
    uint32_t bytes, width;
    uint8_t data[L2_LINE];
};

struct l2_customer {
    uint32_t number, component;
    const struct timing_config *config;
    const struct timing_wiring *wiring;
    const struct exec_memory *memory;
    uint64_t port_free; /* target cycle */
    uint32_t count;
    struct under_way access[L2_CUSTOMER_ACCESSES];
    struct values arrived; /* for the PERFORMED that comes next */
};

struct l2_customer *l2_customer_create(uint32_t number, uint32_t component,
                                       const struct timing_config *config,
                                       const struct timing_wiring *wiring,
                                       const struct exec_memory *memory) {
    struct l2_customer *c = heddle_alloc(sizeof *c, "customer of L2");
    memset(c, 0, sizeof *c);
    c->number = number;
    c->component = component;
    c->config = config;
    c->wiring = wiring;
    c->memory = memory;
    return c;
}

void l2_customer_free(struct l2_customer *c) {
    free(c);
}

void l2_customer_reset(struct l2_customer *c) {
    memset(c->access, 0, sizeof c->access);
    c->count = 0;
    c->arrived.count = 0;
}

bool l2_customer_can_send(const struct l2_customer *c) {
    return c->count < L2_CUSTOMER_ACCESSES;
}

unsigned l2_customer_under_way(const struct l2_customer *c) {
    return c->count;
}

/* ------------------------------------------------------------------------------ requests */

/* The operation on memory, but for its width. */
static struct exec_operation operation_of(const struct l2_access *a) {
    static const uint8_t atom[] = {
        [L2_ADD] = MIR_ATOM_ADD,   [L2_MIN] = MIR_ATOM_MIN, [L2_MAX] = MIR_ATOM_MAX,
        [L2_AND] = MIR_ATOM_AND,   [L2_OR] = MIR_ATOM_OR,   [L2_XOR] = MIR_ATOM_XOR,
        [L2_EXCH] = MIR_ATOM_EXCH, [L2_CAS] = MIR_ATOM_CAS};
    struct exec_operation op = {.mem = MIR_MEM_ATOM, .type = MIR_U32};
    if (a->kind == L2_LOAD) op.mem = MIR_MEM_LOAD;
    if (a->kind == L2_STORE) op.mem = MIR_MEM_STORE;
    if (op.mem == MIR_MEM_ATOM) {
        op.sub = atom[a->kind];
        op.type = a->bytes == 4 ? MIR_U32 : a->bytes == 8 ? MIR_U64 : MIR_B128;
        op.width = (uint8_t)a->bytes;
    }
    return op;
}

/* @return the largest width that the access is a multiple of. */
static uint32_t width_of(const struct l2_access *a) {
    const uint64_t both = a->address | a->bytes | MOST_WIDTH;
    return (uint32_t)(both & -both);
}

/* Sectors of the line that the access touches; *full: those that it covers. */
static uint32_t sectors_of(const struct l2_access *a, uint32_t *full) {
    const uint32_t from = (uint32_t)(a->address % L2_LINE), to = from + a->bytes;
    uint32_t sectors = 0;
    *full = 0;
    for (uint32_t s = 0; s < L2_LINE / SECTOR; s++) {
        const uint32_t first = s * SECTOR, last = first + SECTOR;
        if (from < last && to > first) sectors |= 1u << s;
        if (from <= first && to >= last) *full |= 1u << s;
    }
    return sectors;
}

static heddle_err check(const struct l2_customer *c, const struct l2_access *a) {
    const struct exec_memory *m = c->memory;
    if (!l2_customer_can_send(c) || !a->bytes || a->bytes > L2_LINE ||
        a->address % L2_LINE + a->bytes > L2_LINE)
        return HEDDLE_ERR_ARGUMENT;
    if (a->address < m->base || a->address - m->base >= m->size) return HEDDLE_ERR_ILLEGAL_ADDRESS;
    if (a->kind <= L2_STORE)
        return a->only_time || a->bytes / width_of(a) <= MOST_LANES ? HEDDLE_OK
                                                                    : HEDDLE_ERR_ARGUMENT;
    const bool wide = a->bytes == MOST_WIDTH && (a->kind == L2_EXCH || a->kind == L2_CAS);
    if (a->kind > L2_CAS || (a->bytes != 4 && a->bytes != 8 && !wide) || a->address % a->bytes)
        return HEDDLE_ERR_ARGUMENT;
    return HEDDLE_OK;
}

/* Sends the operands to component `to`, and completes *m. */
static void send_operands(struct l2_customer *c, struct under_way *u, const struct l2_access *a,
                          struct message_remote *m, uint32_t to, uint64_t at_ps) {
    struct exec_operation op = operation_of(a);
    if (!op.width) op.width = (uint8_t)width_of(a);
    const unsigned n = a->bytes / op.width, operands = exec_operation_operands(&op);
    struct exec_operand lane[MOST_LANES];
    memset(lane, 0, n * sizeof *lane);
    for (unsigned i = 0; i < n; i++) {
        lane[i].address = a->address + (uint64_t)i * op.width;
        for (unsigned k = 0; k < operands; k++)
            memcpy(lane[i].data + (size_t)2 * k,
                   (const uint8_t *)a->data + (size_t)(k * n + i) * op.width, op.width);
    }
    struct values v;
    values_of_request(&v, &op, lane, n);
    values_send(c->wiring->fabric, c->component, to, at_ps, &v);
    m->lanes = n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
    m->code = exec_operation_code(&op);
    u->width = op.width;
    u->lanes = exec_operation_answers(&op) ? m->lanes : 0;
    u->bytes = u->lanes ? a->bytes : 0;
}

/* Rule 6: what a request takes of the port, in cycles. */
static uint64_t port_cycles(const struct l2_customer *c, uint32_t req, uint32_t sectors) {
    const uint64_t each = c->config->port_time;
    return req == CORE_REQ_READ    ? each
           : req == CORE_REQ_WRITE ? each * (1 + (unsigned)__builtin_popcount(sectors))
                                   : 2 * each;
}

heddle_err l2_customer_send(struct l2_customer *c, const struct l2_access *a, uint64_t at_ps) {
    const struct timing_config *config = c->config;
    heddle_err e = check(c, a);
    if (e) return e;
    uint32_t number = 0, full;
    while (c->access[number].used) number++;
    struct under_way *u = &c->access[number];
    *u = (struct under_way){.used = true, .performed = a->only_time, .tag = a->tag};
    c->count++;

    uint64_t cycle = clock_cycle_from(at_ps, config->khz);
    if (cycle < c->port_free) cycle = c->port_free;
    const uint32_t line = (uint32_t)((a->address - c->memory->base) / L2_LINE);
    const uint32_t slice = l2_slice_of(line, &config->l2_layout), sectors = sectors_of(a, &full);
    const uint32_t req = a->kind == L2_LOAD    ? CORE_REQ_READ
                         : a->kind == L2_STORE ? CORE_REQ_WRITE
                                               : CORE_REQ_ATOMIC;
    c->port_free = cycle + port_cycles(c, req, sectors);
    uint64_t word[2] = {0, 0};
    core_remote_set_at(word, (uint32_t)cycle);
    core_remote_set_kind(word, CORE_EV_REQUEST);
    core_remote_set_sm(word, c->number);
    core_remote_set_warp(word, number);
    core_remote_set_sectors(word, sectors);
    core_remote_set_bar(word, BAR_RESULT);
    core_remote_set_slice(word, slice);
    core_remote_set_req(word, req);
    core_remote_set_perform(word, !a->only_time);
    core_remote_set_full(word, a->kind == L2_STORE ? full : 0);
    core_remote_set_turns(word, 1);
    core_remote_set_addr(word, line);

    const uint32_t to = c->wiring->group_id[slice % config->num_groups];
    const uint64_t arrival = clock_ps(cycle + config->window, config->khz);
    struct message_remote m = {.low = word[0], .high = word[1]};
    if (!a->only_time) send_operands(c, u, a, &m, to, arrival);
    message_send_remote(c->wiring->fabric, c->component, to, arrival, &m);
    return HEDDLE_OK;
}

/* ------------------------------------------------------------------------------ answers */

/* Results of lanes, which have come in VALUES. */
static void take_results(struct l2_customer *c, const struct message_performed *m) {
    struct under_way *u = &c->access[m->warp % L2_CUSTOMER_ACCESSES];
    uint32_t left = m->lanes & u->lanes;
    for (unsigned i = 0; left; i++, left &= left - 1) {
        uint64_t data[2] = {0, 0};
        values_unpack(data, c->arrived.word, i, u->width);
        memcpy(u->data + (size_t)__builtin_ctz(left) * u->width, data, u->width);
    }
    c->arrived.count = 0;
}

/* A reply of the slice: the last one to an access ends it. */
static bool take_reply(struct l2_customer *c, const struct message_remote *m, uint64_t at_ps,
                       struct l2_answer *out) {
    const uint64_t word[2] = {m->low, m->high};
    struct under_way *u = &c->access[core_remote_warp(word) % L2_CUSTOMER_ACCESSES];
    if (core_remote_bar(word) == BAR_NONE || !u->used) return false;
    out->tag = u->tag;
    out->at_ps = at_ps;
    out->waited = core_remote_perform(word);
    out->bytes = u->bytes;
    memcpy(out->data, u->data, u->bytes);
    u->used = false;
    c->count--;
    return true;
}

bool l2_customer_receive(struct l2_customer *c, const struct fabric_message *in,
                         struct l2_answer *out) {
    switch (in->kind) {
    case MESSAGE_VALUES: {
        const struct message_values m = message_read_values(in);
        values_take(&c->arrived, &m);
        return false;
    }
    case MESSAGE_PERFORMED: {
        const struct message_performed m = message_read_performed(in);
        take_results(c, &m);
        return false;
    }
    case MESSAGE_REMOTE: {
        const struct message_remote m = message_read_remote(in);
        return take_reply(c, &m, in->at, out);
    }
    default: return false;
    }
}
