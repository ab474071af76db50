/* test_outside_port.c - host/sched/outside_port.c behind stand-ins of SM groups and of the
 * scheduler: latency, bandwidth, places, what takes effect when, and how a copy slows accesses. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "core_regs.h"
#include "core_words.h"
#include "exec/memory/device_memory.h"
#include "sched/outside_port.h"
#include "timing/clock.h"
#include "timing/message.h"
#include "timing/values.h"

enum {
    KHZ = 1000000, /* a cycle is a nanosecond */
    HALF = 64,
    NET_REQUEST = 70,
    NET_REPLY = 50,
    LATENCY = 200, /* ns */
    ACCESS = 90,
    MOST = 20000,
    MEMORY = 4 << 20,
    GROUPS = 2,
    SMS = 16,
    BAR_STORES = 6
};

static const struct packet_link_config link_config = {.bytes_per_s = UINT64_C(16000000000),
                                                      .payload = 256,
                                                      .request_header = 24,
                                                      .answer_header = 20};

/* A request of an SM, and what came back. */
struct access {
    uint64_t at; /* cycle at which it leaves the SM */
    uint32_t sm, line, sectors, req, lanes, bar;
    struct exec_operation op;    /* width 0: none */
    uint32_t value, place;       /* of each lane; byte in the line */
    uint64_t replied, performed; /* cycles */
    uint32_t result, replied_sectors, number;
};

struct bench {
    struct fabric *fabric;
    struct timing_wiring wiring;
    uint32_t group_id[GROUPS];
    struct group {
        struct bench *bench;
        struct values arrived;
        unsigned number;
        size_t next;
    } group[GROUPS];
    struct packet_link link, peer;
    struct outside_config config;
    struct outside_port *port;
    struct exec_memory memory;
    uint8_t *bytes;
    struct timing_launch launch;
    const struct timing_launch *launches;
    struct timing_launches list;
    struct access *access;
    size_t num_accesses;
    heddle_err failed;
    uint64_t copy_at_ps, copy_bytes, copy_end_ps; /* at_ps 0: none */
    enum link_way copy_way;
};

/* ---- the stand-ins */

static void send_access(struct group *g, size_t number) {
    struct bench *b = g->bench;
    const struct access *a = &b->access[number];
    const uint64_t at_ps = clock_ps(a->at + HALF, KHZ);
    uint64_t word[2] = {0, 0};
    core_remote_set_at(word, (uint32_t)a->at);
    core_remote_set_kind(word, CORE_EV_REQUEST);
    core_remote_set_sm(word, a->sm);
    core_remote_set_warp(word, number % 64);
    core_remote_set_slot(word, number / 64 % 32);
    core_remote_set_mshr(word, number / 64);
    core_remote_set_sectors(word, a->sectors);
    core_remote_set_bar(word, a->bar);
    core_remote_set_slice(word, CORE_OUTSIDE);
    core_remote_set_req(word, a->req);
    core_remote_set_perform(word, a->op.width != 0);
    core_remote_set_turns(word, 1);
    core_remote_set_addr(word, a->line);
    struct message_remote m = {.low = word[0], .high = word[1]};
    if (a->op.width) {
        struct exec_operand lane[MIR_WARP_SIZE];
        for (unsigned i = 0; i < a->lanes; i++)
            lane[i] = (struct exec_operand){
                .address = b->memory.base + a->line * UINT64_C(128) + a->place, .data = {a->value}};
        struct values v;
        values_of_request(&v, &a->op, lane, a->lanes);
        values_send(b->fabric, b->group_id[g->number], b->wiring.scheduler_id, at_ps, &v);
        m.code = exec_operation_code(&a->op);
        m.lanes = UINT32_MAX >> (MIR_WARP_SIZE - a->lanes);
    }
    message_send_remote(b->fabric, b->group_id[g->number], b->wiring.scheduler_id, at_ps, &m);
}

static void group_receive(void *self, const struct fabric_message *in) {
    struct group *g = self;
    if (in->kind == MESSAGE_VALUES) {
        const struct message_values v = message_read_values(in);
        cr_assert(values_take(&g->arrived, &v));
    } else if (in->kind == MESSAGE_PERFORMED) {
        const struct message_performed m = message_read_performed(in);
        struct access *a = &g->bench->access[m.slot * 64 + m.warp];
        uint64_t data[2];
        a->performed = clock_cycle_from(in->at, KHZ);
        if (g->arrived.count) values_unpack(data, g->arrived.word, 0, a->op.width);
        if (g->arrived.count) a->result = (uint32_t)data[0];
        g->arrived.count = 0;
    } else {
        const struct message_remote m = message_read_remote(in);
        const uint64_t word[2] = {m.low, m.high};
        struct access *a = &g->bench->access[core_remote_mshr(word) * 64 + core_remote_warp(word)];
        cr_assert_eq(core_remote_kind(word), CORE_EV_REPLY);
        cr_assert(core_remote_sm(word) == a->sm && core_remote_bar(word) == a->bar);
        cr_assert_eq(a->replied, 0, "answered twice");
        a->replied = clock_cycle_from(in->at, KHZ);
        cr_assert_eq(core_remote_at(word), (uint32_t)a->replied);
        a->replied_sectors = core_remote_sectors(word);
        a->number = core_remote_slice(word);
    }
}

/* The group's next access, in the order of the list. */
static struct access *next_access(struct group *g) {
    struct bench *b = g->bench;
    while (g->next < b->num_accesses && b->access[g->next].sm % GROUPS != g->number) g->next++;
    return g->next < b->num_accesses ? &b->access[g->next] : NULL;
}

static heddle_err group_advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct group *g = self;
    (void)diag;
    for (struct access *a; (a = next_access(g)) && clock_ps(a->at, KHZ) < until; g->next++)
        send_access(g, g->next);
    return HEDDLE_OK;
}

static uint64_t group_next(void *self) {
    const struct access *a = next_access(self);
    return a ? clock_ps(a->at, KHZ) : FABRIC_NEVER;
}
static const struct fabric_ops group_ops = {group_receive, group_advance, group_next};

static void port_receive(void *self, const struct fabric_message *in) {
    struct bench *b = self;
    if (!b->failed) b->failed = outside_port_receive(b->port, in);
}

/* A copy begins and ends between the steps of accesses, as in scheduler.c. */
static uint64_t copy_next(const struct bench *b) {
    const uint64_t end = b->link.way[b->copy_way].copy_ps;
    return b->copy_at_ps ? b->copy_at_ps : end ? end : FABRIC_NEVER;
}

static heddle_err port_advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct bench *b = self;
    (void)diag;
    for (;;) {
        const uint64_t copy = copy_next(b), step = outside_port_next(b->port);
        if ((copy < step ? copy : step) >= until) return b->failed;
        if (step < copy) {
            outside_port_step(b->port);
        } else if (b->copy_at_ps) {
            packet_link_copy(&b->link, b->copy_way, copy, b->copy_bytes);
            b->copy_at_ps = 0;
        } else {
            b->copy_end_ps = copy;
            packet_link_copy_end(&b->link, b->copy_way);
        }
    }
}

static uint64_t port_next(void *self) {
    const struct bench *b = self;
    const uint64_t copy = copy_next(b), step = outside_port_next(b->port);
    return copy < step ? copy : step;
}
static const struct fabric_ops port_ops = {port_receive, port_advance, port_next};

/* ---- the bench */

/* `change`: of the configuration; may be NULL. */
static struct bench *bench_create(void (*change)(struct bench *b)) {
    struct bench *b = heddle_alloc(sizeof *b, "bench");
    b->bytes = aligned_alloc(EXEC_REGION, MEMORY);
    memset(b->bytes, 0, MEMORY);
    cr_assert_eq(exec_memory_init(&b->memory, (uintptr_t)b->bytes, MEMORY), HEDDLE_OK);
    b->access = heddle_alloc_array(MOST, sizeof *b->access, "accesses");
    b->launches = &b->launch;
    b->list = (struct timing_launches){&b->launches, 0};
    b->link.config = b->peer.config = link_config;
    b->config = (struct outside_config){
        .khz = KHZ,
        .half_lookahead = HALF,
        .net_request = NET_REQUEST,
        .net_reply = NET_REPLY,
        .memory = &b->memory,
        .host_first = 0,
        .host_end = MEMORY / 256, /* the first half */
        .of = {[OUTSIDE_HOST] = {LATENCY * 1000, ACCESS * 1000, UINT64_C(100000000000), 256},
               [OUTSIDE_PEER] = {LATENCY * 1000, 0, UINT64_C(1000000000000), 256}}};
    if (change) change(b);
    b->fabric = fabric_create(1);
    b->wiring.fabric = b->fabric;
    b->wiring.launches = &b->list;
    b->wiring.num_groups = GROUPS;
    b->wiring.group_id = b->group_id;
    for (unsigned i = 0; i < GROUPS; i++) {
        b->group[i].bench = b;
        b->group[i].number = i;
        b->group_id[i] = fabric_add(b->fabric, "group", &group_ops, &b->group[i], i);
    }
    b->wiring.scheduler_id = fabric_add(b->fabric, "port", &port_ops, b, 0);
    for (unsigned i = 0; i < GROUPS; i++)
        cr_assert_eq(fabric_link(b->fabric, b->group_id[i], b->wiring.scheduler_id,
                                 clock_ps(HALF, KHZ) - 1, NULL),
                     HEDDLE_OK);
    b->port = outside_port_create(&b->config, &b->wiring, &b->link, &b->peer);
    return b;
}

static void bench_free(struct bench *b) {
    outside_port_free(b->port);
    fabric_free(b->fabric);
    exec_memory_fini(&b->memory);
    free(b->bytes);
    free(b->access);
    free(b);
}

static struct access *add(struct bench *b, struct access a) {
    if (!a.lanes) a.lanes = 1;
    b->access[b->num_accesses] = a;
    return &b->access[b->num_accesses++];
}

static void run(struct bench *b) {
    bool idle = false;
    while (!idle)
        cr_assert_eq(fabric_step(b->fabric, b->wiring.scheduler_id, FABRIC_NEVER, &idle, NULL),
                     HEDDLE_OK);
    for (size_t i = 0; i < b->num_accesses; i++) cr_assert(b->access[i].replied, "access %zu", i);
}

static const struct exec_operation load = {.mem = MIR_MEM_LOAD, .type = MIR_U32, .width = 4},
                                   store = {.mem = MIR_MEM_STORE, .type = MIR_U32, .width = 4},
                                   add_old = {.mem = MIR_MEM_ATOM,
                                              .sub = MIR_ATOM_ADD,
                                              .type = MIR_U32,
                                              .width = 4};

/* ---- tests */

/* A load of a sector: 24 bytes away, 52 back, at 16 bytes/ns; 32 bytes from a memory of 100. */
Test(outside_port, latency_of_a_load) {
    struct bench *b = bench_create(NULL);
    const struct access *a = add(b, (struct access){.at = 1000, .sectors = 2});
    run(b);
    const double ns = NET_REQUEST + 1.5 + LATENCY + 0.32 + ACCESS + 3.25 + LATENCY + NET_REPLY;
    cr_assert_eq(a->replied, 1000 + (uint64_t)(ns + 0.999));
    cr_assert_eq(a->replied_sectors, 2);
    bench_free(b);
}

/* What the look-ahead takes of the way to the edge comes off the link. */
static void near_edge(struct bench *b) {
    b->config.net_request = 10;
}
Test(outside_port, latency_is_that_of_the_parameters_with_a_short_network) {
    struct bench *b = bench_create(near_edge);
    const struct access *a = add(b, (struct access){.at = 1000, .sectors = 2});
    run(b);
    cr_assert_eq(a->replied, 1000 + 10 + 2 * LATENCY + ACCESS + NET_REPLY + 6);
    bench_free(b);
}

/* Sectors that lie together share a packet. */
Test(outside_port, runs_of_sectors) {
    const uint32_t sectors[] = {1, 3, 5, 11, 15};
    const double ask[] = {24, 24, 48, 48, 24}, answer[] = {52, 84, 104, 136, 148};
    const double moved[] = {32, 64, 64, 96, 128};
    for (unsigned i = 0; i < 5; i++) {
        struct bench *b = bench_create(NULL);
        const struct access *a = add(b, (struct access){.at = 1000, .sectors = sectors[i]});
        run(b);
        const double ns = NET_REQUEST + ask[i] / 16 + LATENCY + moved[i] / 100 + ACCESS +
                          answer[i] / 16 + LATENCY + NET_REPLY;
        cr_assert_eq(a->replied, 1000 + (uint64_t)(ns + 0.999), "sectors %x", sectors[i]);
        bench_free(b);
    }
}

/* An atomic is a packet of 28 bytes away and one of 24 back for each lane, however few its turns in
 * L2 would be. */
Test(outside_port, lanes_of_an_atomic) {
    const uint32_t lanes[] = {1, 4, 32};
    for (unsigned i = 0; i < 3; i++) {
        struct bench *b = bench_create(NULL);
        const struct access *a = add(b, (struct access){.at = 1000,
                                                        .line = 7,
                                                        .sectors = 1,
                                                        .lanes = lanes[i],
                                                        .req = CORE_REQ_ATOMIC,
                                                        .op = add_old,
                                                        .value = 1});
        run(b);
        const double ns = NET_REQUEST + lanes[i] * 28 / 16. + LATENCY + lanes[i] * 4 / 100. +
                          ACCESS + lanes[i] * 24 / 16. + LATENCY + NET_REPLY;
        cr_assert_eq(a->replied, 1000 + (uint64_t)(ns + 0.999), "%u lanes", lanes[i]);
        uint32_t now;
        memcpy(&now, b->bytes + 7 * 128, 4);
        cr_assert_eq(now, lanes[i]);
        bench_free(b);
    }
}

/* Bandwidth in bytes/ns of many accesses of whole lines, from the first to the last answer. */
static double bandwidth(uint32_t req, unsigned count, void (*change)(struct bench *b)) {
    struct bench *b = bench_create(change);
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < count; i++)
        add(b, (struct access){
                   .at = 1000 + i, .sm = i % SMS, .line = i % 8192, .sectors = 15, .req = req});
    run(b);
    for (unsigned i = 0; i < count; i++) {
        if (b->access[i].replied < first) first = b->access[i].replied;
        if (b->access[i].replied > last) last = b->access[i].replied;
    }
    const struct outside_counts *c = outside_port_counts(b->port);
    cr_assert_eq(req == CORE_REQ_READ ? c->read_bytes[OUTSIDE_HOST] : c->write_bytes[OUTSIDE_HOST],
                 count * 128);
    bench_free(b);
    return (count - 1) * 128.0 / (double)(last - first);
}

Test(outside_port, bandwidth_is_the_links_less_headers) {
    const double reads = bandwidth(CORE_REQ_READ, 8000, NULL);
    const double writes = bandwidth(CORE_REQ_WRITE, 8000, NULL);
    cr_assert_float_eq(reads, 16.0 * 128 / 148, 0.01 * reads, "reads: %g", reads);
    cr_assert_float_eq(writes, 16.0 * 128 / 152, 0.01 * writes, "writes: %g", writes);
}

static void few_places(struct bench *b) {
    b->config.of[OUTSIDE_HOST].places = 16;
}
/* Sixteen reads in each turn there and back. */
Test(outside_port, places_limit_reads_but_no_writes) {
    const double turn = 1.5 + LATENCY + 1.28 + ACCESS + 148 / 16.0 + LATENCY;
    const double reads = bandwidth(CORE_REQ_READ, 8000, few_places);
    const double writes = bandwidth(CORE_REQ_WRITE, 8000, few_places);
    cr_assert_float_eq(reads, 16 * 128 / turn, 0.02 * reads, "reads: %g", reads);
    cr_assert_float_eq(writes, 16.0 * 128 / 152, 0.01 * writes, "writes: %g", writes);
}

static void slow_memory(struct bench *b) {
    b->config.of[OUTSIDE_HOST].bytes_per_s = UINT64_C(4000000000);
}
Test(outside_port, bandwidth_of_the_memory) {
    const double reads = bandwidth(CORE_REQ_READ, 8000, slow_memory);
    cr_assert_float_eq(reads, 4, 0.04, "reads: %g", reads);
}

/* Operations take effect when they arrive: of two SMs, whose requests leave in one cycle, in order
 * of SMs; the load behind the store of its own SM sees it. */
Test(outside_port, operations_take_effect_in_order) {
    struct bench *b = bench_create(NULL);
    const struct access *stored, *loaded, *old[4];
    for (unsigned i = 0; i < 4; i++)
        old[i] = add(b, (struct access){.at = 500,
                                        .sm = 3 - i,
                                        .line = 7,
                                        .sectors = 1,
                                        .req = CORE_REQ_ATOMIC,
                                        .op = add_old,
                                        .value = 1,
                                        .place = 8});
    stored = add(b, (struct access){.at = 501,
                                    .sm = 0,
                                    .line = 7,
                                    .sectors = 1,
                                    .op = store,
                                    .req = CORE_REQ_WRITE,
                                    .bar = BAR_STORES,
                                    .value = 100,
                                    .place = 8});
    loaded = add(
        b, (struct access){.at = 502, .sm = 0, .line = 7, .sectors = 1, .op = load, .place = 8});
    run(b);
    for (unsigned i = 0; i < 4; i++) cr_assert_eq(old[i]->result, 3 - i);
    cr_assert_eq(loaded->result, 100);
    cr_assert_eq(stored->replied_sectors, 0);
    uint32_t now;
    memcpy(&now, b->bytes + 7 * 128 + 8, 4);
    cr_assert_eq(now, 100);
    for (size_t i = 0; i < b->num_accesses; i++)
        cr_assert_eq(b->access[i].performed, b->access[i].replied);
    bench_free(b);
}

/* A write is acknowledged when a read behind it could have been answered. */
Test(outside_port, a_write_is_posted) {
    struct bench *b = bench_create(NULL);
    const struct access *a = add(
        b, (struct access){.at = 1000, .sectors = 15, .req = CORE_REQ_WRITE, .bar = BAR_STORES});
    run(b);
    cr_assert_eq(a->replied, 1000 + NET_REQUEST + 10 + 2 * LATENCY + NET_REPLY); /* 152 bytes */
    cr_assert_eq(b->link.way[LINK_BACK].free_ps, 0);
    bench_free(b);
}

/* Answers of one cycle have different sources, so the core can keep them apart. */
static void wide(struct bench *b) {
    b->link.config.bytes_per_s = UINT64_C(1000000000000);
    b->config.of[OUTSIDE_HOST].bytes_per_s = UINT64_C(1000000000000);
}
Test(outside_port, answers_of_a_cycle_have_numbers_of_their_own) {
    struct bench *b = bench_create(wide);
    unsigned together = 0;
    for (unsigned i = 0; i < 4000; i++)
        add(b, (struct access){.at = 1000 + i / SMS, .sm = i % SMS, .line = i, .sectors = 1});
    run(b);
    for (size_t i = 0; i < b->num_accesses; i++) {
        cr_assert_geq(b->access[i].number, CORE_FIRST_OUTSIDE);
        for (size_t k = i + 1; k < b->num_accesses; k++)
            if (b->access[i].replied == b->access[k].replied) {
                cr_assert_neq(b->access[i].number, b->access[k].number);
                together++;
            }
    }
    cr_assert_gt(together, 1000);
    bench_free(b);
}

/* Both directions of the arithmetic: of a copy and reads that want the whole link, the reads get a
 * packet of 148 bytes for each 256 of the copy, and the copy ends as much later. */
Test(outside_port, a_copy_and_kernels_share_the_link) {
    struct bench *b = bench_create(NULL);
    enum { COUNT = 8000, BYTES = 8 << 20 };
    for (unsigned i = 0; i < COUNT; i++)
        add(b, (struct access){.at = 1000 + i, .sm = i % SMS, .line = i, .sectors = 15});
    b->copy_at_ps = 1;
    b->copy_bytes = BYTES;
    b->copy_way = LINK_BACK;
    run(b);
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        if (b->access[i].replied < first) first = b->access[i].replied;
        if (b->access[i].replied > last) last = b->access[i].replied;
    }
    const double reads = (COUNT - 1) * 128.0 / (double)(last - first);
    cr_assert_float_eq(reads, 16.0 * 128 / (148 + 256), 0.01 * reads, "reads: %g", reads);
    cr_assert_float_eq((double)b->copy_end_ps / 1000, BYTES / 16.0 + COUNT * 148 / 16.0, 100);
    bench_free(b);
}

/* The other direction is not in the way. */
Test(outside_port, a_copy_away_does_not_slow_reads) {
    struct bench *b = bench_create(NULL);
    const struct access *a = add(b, (struct access){.at = 1000, .sectors = 2});
    b->copy_at_ps = 1;
    b->copy_bytes = 1 << 20;
    b->copy_way = LINK_BACK;
    run(b);
    /* 256 bytes of the copy come before its answer */
    cr_assert_eq(a->replied, 1000 + NET_REQUEST + 2 * LATENCY + ACCESS + NET_REPLY + 5 + 17);
    bench_free(b);
    b = bench_create(NULL);
    a = add(b, (struct access){.at = 1000, .sectors = 15, .req = CORE_REQ_WRITE});
    b->copy_at_ps = 1;
    b->copy_bytes = 1 << 20;
    b->copy_way = LINK_BACK;
    run(b);
    cr_assert_eq(a->replied, 1000 + NET_REQUEST + 10 + 2 * LATENCY + NET_REPLY);
    bench_free(b);
}

/* Lines behind the host's belong to a peer, which has a link of its own here. */
Test(outside_port, a_peer_has_its_own_link) {
    struct bench *b = bench_create(NULL);
    const struct access *a = add(b,
                                 (struct access){.at = 1000, .line = MEMORY / 256, .sectors = 15});
    run(b);
    cr_assert_eq(a->replied, 1000 + NET_REQUEST + 2 * LATENCY + NET_REPLY + 11);
    cr_assert_eq(b->link.way[LINK_AWAY].free_ps, 0);
    cr_assert_eq(outside_port_counts(b->port)->read_bytes[OUTSIDE_PEER], 128);
    bench_free(b);
}
