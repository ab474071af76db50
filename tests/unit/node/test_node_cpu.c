/* test_node_cpu.c - service threads that run on a node's CPU, and messages that CPUs send: the same
 * parts as in test_nodes.c, with the CPU instead of the command processor. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "node_rig.h"

#define MS UINT64_C(1000000000)

static void fill(uint8_t *bytes, uint64_t count, unsigned seed) {
    for (uint64_t i = 0; i < count; i++) bytes[i] = (uint8_t)(i * 7 + i / 256 + seed);
}

/* ---- messages of CPUs */

enum { HOST, GPU };

/* A message with its bytes at both ends. */
struct sample {
    struct cluster_message message;
    uint8_t *from, *to;
    bool sent, arrived;
    uint64_t sent_ps, arrived_ps;
};

static void send(struct node_rig *rig, struct sample *s, uint32_t number, uint32_t source,
                 uint32_t target, int from, int to, uint64_t bytes, uint64_t at_ps) {
    static uint64_t place = 0;
    place = (place + bytes + 300) % (RIG_HEAP / 2);
    if (place + bytes > RIG_HEAP / 2) place = 0;
    *s = (struct sample){.from = from == GPU ? node_rig_at(rig, source, place) : malloc(bytes + 1),
                         .to = to == GPU ? node_rig_at(rig, target, RIG_HEAP / 2 + place)
                                         : calloc(1, bytes + 1)};
    fill(s->from, bytes, number);
    s->message = (struct cluster_message){
        .source = source,
        .target = target,
        .from = from == GPU ? node_rig_address(rig, source, place) : 0,
        .to = to == GPU ? node_rig_address(rig, target, RIG_HEAP / 2 + place) : 0,
        .bytes = bytes,
        .at_ps = at_ps,
        .number = number,
        .data = s->from,
        .into = s->to};
    node_rig_send(rig, &s->message);
}

/* Takes all events. Bytes are there when the target has learnt of them. */
static void take(struct node_rig *rig, struct sample *sample, uint32_t count) {
    struct cluster_event e;
    uint64_t last = 0;
    while (cpu_messages_take(rig->messages, &e)) {
        struct sample *s = &sample[e.number];
        cr_assert_lt(e.number, count);
        cr_assert_geq(e.at_ps, last, "events are in order");
        last = e.at_ps;
        cr_assert_eq(e.source, s->message.source);
        bool *seen = e.kind == CLUSTER_SENT ? &s->sent : &s->arrived;
        cr_assert_not(*seen, "message %u has an event twice", e.number);
        *seen = true;
        *(e.kind == CLUSTER_SENT ? &s->sent_ps : &s->arrived_ps) = e.at_ps;
        if (e.kind == CLUSTER_ARRIVED)
            cr_expect(!memcmp(s->from, s->to, s->message.bytes), "message %u", e.number);
    }
}

static void end(struct sample *s) {
    if (!s->message.from) free(s->from);
    if (!s->message.to) free(s->to);
}

/* Step by step until nothing is left, so that news never come before the bytes. */
static void run_all(struct node_rig *rig, struct sample *sample, uint32_t count) {
    for (uint64_t at = 0; at < MS / 4; at += 20000) {
        node_rig_run(rig, at);
        take(rig, sample, count);
    }
    node_rig_run(rig, UINT64_MAX);
    take(rig, sample, count);
}

Test(node_cpu, messages_of_any_kind_and_length) {
    static const uint64_t length[] = {0, 1, 8, 64, 65, 200, 4096, 4097, 30000, 100001};
    enum { LENGTHS = sizeof length / sizeof *length, COUNT = 4 * LENGTHS };
    static const char *const sets[] = {"", "nic.push=0", "nic.inline=0 nic.segment=1024"};
    for (unsigned k = 0; k < 3; k++) {
        struct node_rig rig;
        struct sample sample[COUNT];
        node_rig_create(&rig, sets[k]);
        rig.uneven = k == 1;
        for (uint32_t i = 0; i < COUNT; i++)
            send(&rig, &sample[i], i, i % RIG_NODES, (i + 1) % RIG_NODES, i & 1, i >> 1 & 1,
                 length[i / 4], 1000 * i);
        run_all(&rig, sample, COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            cr_expect(sample[i].sent && sample[i].arrived, "message %u", i);
            end(&sample[i]);
        }
        node_rig_free(&rig);
    }
}

Test(node_cpu, messages_arrive_in_order) {
    enum { COUNT = 200 };
    struct node_rig rig;
    static struct sample sample[COUNT];
    node_rig_create(&rig, "");
    rig.uneven = true;
    for (uint32_t i = 0; i < COUNT; i++)
        send(&rig, &sample[i], i, 0, 1, i % 3 == 1, HOST, i % 7 * 999, 0);
    run_all(&rig, sample, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_expect(sample[i].arrived);
        cr_expect(i == 0 || sample[i].arrived_ps >= sample[i - 1].arrived_ps, "message %u", i);
        end(&sample[i]);
    }
    node_rig_free(&rig);
}

/* A short message between hosts, step by step. */
Test(node_cpu, the_time_of_a_message) {
    struct node_rig rig;
    struct sample s;
    node_rig_create(&rig, "nic.push=1 nic.inline=64");
    const struct node_config *c = rig.config;
    const double header = (double)c->link_header;
    send(&rig, &s, 0, 0, 2, HOST, HOST, 8, 0);
    run_all(&rig, &s, 1);
    double at = c->host_latency * 1000; /* the doorbell, with all */
    at += c->nic_send * 1000 + (8 + (double)c->nic_request) * PER_BYTE_PS + WIRE_PS;
    at += c->nic_receive * 1000;
    /* the bytes, and the news behind them */
    const double there = at + 2 * (8 + header) * 1000 / c->link_rate + c->host_latency * 1000;
    cr_expect_float_eq((double)s.arrived_ps, there, 10, "%g for %g", (double)s.arrived_ps, there);
    at += c->nic_send * 1000 + (double)c->nic_request * PER_BYTE_PS + WIRE_PS;
    at += c->nic_receive * 1000 + (8 + header) * 1000 / c->link_rate + c->host_latency * 1000;
    cr_expect_float_eq((double)s.sent_ps, at, 10, "%g for %g", (double)s.sent_ps, at);
    end(&s);
    node_rig_free(&rig);
}

Test(node_cpu, too_many_messages_are_an_error) {
    struct net_ops ops = {0};
    struct cpu_messages *m = cpu_messages_create(1, &ops);
    const struct cluster_message message = {.bytes = 8};
    heddle_err e = HEDDLE_OK;
    uint32_t count = 0;
    while (!e && count <= NET_HOST_OPS) {
        cpu_messages_begin(m, &message, &e);
        count += !e;
    }
    cr_expect_eq(e, HEDDLE_ERR_ARGUMENT);
    cr_expect_eq(count, NET_HOST_OPS);
    cr_expect_not(cpu_messages_take(m, &(struct cluster_event){0}));
    cpu_messages_free(m);
}

/* ---- service threads on the CPU */

/* Commands of all kinds on all queues of all PEs, then a quiet on each. Loads of `load` bytes. */
static void all_kinds(uint32_t load, const char *sets, unsigned seed) {
    enum { ROUNDS = 12, PIECE = 3000 };
    struct node_rig rig;
    node_rig_create_on_cpu(&rig, sets, load);
    rig.uneven = true;
    srand(seed);
    uint32_t quiet[RIG_NODES][RIG_QUEUES];
    for (uint32_t p = 0; p < RIG_NODES; p++) {
        node_rig_kernel(&rig, p, true, RIG_QUEUES, 0);
        fill(node_rig_at(&rig, p, 0), RIG_HEAP / 2, p);
    }
    for (uint32_t p = 0; p < RIG_NODES; p++)
        for (uint32_t q = 0; q < RIG_QUEUES; q++) {
            for (uint32_t i = 0; i < ROUNDS; i++) {
                const uint64_t slot = ((uint64_t)p * RIG_QUEUES + q) * ROUNDS + i;
                const uint64_t bytes = (uint64_t)rand() % PIECE;
                struct heddle_shmem_entry e = {.op = i % 3 == 1 ? HEDDLE_SHMEM_GET
                                                                : HEDDLE_SHMEM_PUT,
                                               .flags = i % 2 ? HEDDLE_SHMEM_BLOCKING : 0,
                                               .pe = (p + 1) % RIG_NODES,
                                               .bytes = bytes};
                /* a put from the first half into the second; a get the other way round */
                const uint64_t there = RIG_HEAP / 2 + slot * PIECE, here = slot * 17;
                e.remote = node_rig_address(&rig, p, e.op == HEDDLE_SHMEM_PUT ? there : here);
                e.local = node_rig_address(&rig, p, e.op == HEDDLE_SHMEM_PUT ? here : there);
                if (i % 3 == 2)
                    e = (struct heddle_shmem_entry){
                        .op = HEDDLE_SHMEM_ATOMIC,
                        .amo = HEDDLE_SHMEM_AMO_ADD,
                        .width = 8,
                        .pe = 0,
                        .remote = node_rig_address(&rig, p, RIG_HEAP - 64),
                        .operand = 1};
                node_rig_post(&rig, p, q, &e);
            }
            const struct heddle_shmem_entry e = {.op = HEDDLE_SHMEM_QUIET,
                                                 .flags = HEDDLE_SHMEM_BLOCKING};
            quiet[p][q] = node_rig_post(&rig, p, q, &e);
        }
    node_rig_run(&rig, 50 * MS);
    srand(seed);
    for (uint32_t p = 0; p < RIG_NODES; p++)
        for (uint32_t q = 0; q < RIG_QUEUES; q++) {
            cr_expect_eq(node_rig_status(&rig, p, q, quiet[p][q]), HEDDLE_SHMEM_DONE);
            for (uint32_t i = 0; i < ROUNDS; i++) {
                const uint64_t slot = ((uint64_t)p * RIG_QUEUES + q) * ROUNDS + i;
                const uint64_t bytes = (uint64_t)rand() % PIECE;
                const uint64_t there = RIG_HEAP / 2 + slot * PIECE, here = slot * 17;
                const uint32_t other = (p + 1) % RIG_NODES;
                const uint8_t *put = node_rig_at(&rig, i % 3 ? p : other, there);
                const uint8_t *source = node_rig_at(&rig, i % 3 ? other : p, here);
                if (i % 3 != 2)
                    cr_expect(!memcmp(put, source, bytes), "load %u: PE %u, queue %u, %u", load, p,
                              q, i);
            }
        }
    cr_expect_eq(*(uint64_t *)node_rig_at(&rig, 0, RIG_HEAP - 64),
                 RIG_NODES * RIG_QUEUES * (ROUNDS / 3));
    for (uint32_t p = 0; p < RIG_NODES; p++) node_rig_kernel(&rig, p, false, RIG_QUEUES, 50 * MS);
    node_rig_run(&rig, UINT64_MAX); /* it ends */
    node_rig_free(&rig);
}

Test(node_cpu, commands_of_kernels) {
    all_kinds(64, "", 1);
    all_kinds(16, "cp.threads=1", 2);
    all_kinds(4, "cp.threads=3 nic.fetch=0", 3);
    all_kinds(0, "cp.threads=2", 4);
}

/* The completion takes another way than the bytes, and does not overtake them. */
Test(node_cpu, completions_come_behind_the_bytes) {
    for (unsigned i = 0; i < 6; i++) {
        struct node_rig rig;
        node_rig_create_on_cpu(&rig, "link.latency=4000 host.latency=10", 64);
        rig.uneven = true;
        node_rig_kernel(&rig, 0, true, 1, 0);
        fill(node_rig_at(&rig, 1, 5000), 20000, i);
        const uint64_t here = RIG_HEAP / 2 + 100 * i, bytes = 8 + 3000 * i;
        const struct heddle_shmem_entry get = {.op = HEDDLE_SHMEM_GET,
                                               .flags = HEDDLE_SHMEM_BLOCKING,
                                               .pe = 1,
                                               .remote = node_rig_address(&rig, 0, 5000),
                                               .local = node_rig_address(&rig, 0, here),
                                               .bytes = bytes};
        struct heddle_shmem_entry add = {.op = HEDDLE_SHMEM_ATOMIC,
                                         .flags = HEDDLE_SHMEM_BLOCKING | HEDDLE_SHMEM_FETCH,
                                         .amo = HEDDLE_SHMEM_AMO_ADD,
                                         .width = 8,
                                         .pe = 2,
                                         .remote = node_rig_address(&rig, 0, 64),
                                         .operand = 1};
        *(uint64_t *)node_rig_at(&rig, 2, 64) = 77;
        const uint32_t got = node_rig_post(&rig, 0, 0, &get);
        uint64_t at = 0;
        while (node_rig_status(&rig, 0, 0, got) != HEDDLE_SHMEM_DONE)
            node_rig_run(&rig, at += 10000);
        cr_expect(!memcmp(node_rig_at(&rig, 0, here), node_rig_at(&rig, 1, 5000), bytes), "%u", i);
        const uint32_t added = node_rig_post(&rig, 0, 0, &add);
        while (node_rig_status(&rig, 0, 0, added) != HEDDLE_SHMEM_DONE)
            node_rig_run(&rig, at += 10000);
        cr_expect_eq(shmem_pe_producer(&rig.pes.pe[0], 0)->result[added], 77);
        node_rig_kernel(&rig, 0, false, 1, rig.now + 1);
        node_rig_run(&rig, UINT64_MAX);
        node_rig_free(&rig);
    }
}

/* What a look at a queue takes: across the link and back, or to the CPU's own memory. */
static void poll(uint32_t load, double access_ps) {
    struct node_rig rig;
    node_rig_create_on_cpu(&rig, "cp.threads=1", load);
    node_rig_kernel(&rig, 0, true, 1, 0);
    node_rig_run(&rig, MS / 10);
    const struct node_config *c = rig.config;
    const double compute = (double)c->cp_poll * 1e6 / c->cpu_clock / c->cpu_ipc;
    const double each = compute + (access_ps > 0 ? access_ps : c->cpu_cache * 1000);
    const double polls = (double)command_processor_get_counters(rig.node[0].cp).polls;
    cr_expect_float_eq(polls, (double)MS / 10 / each, 2, "%g polls", polls);
    node_rig_kernel(&rig, 0, false, 1, rig.now + 1);
    node_rig_run(&rig, UINT64_MAX);
    node_rig_free(&rig);
}
Test(node_cpu, the_time_of_a_poll) {
    poll(16, 2 * WAY_PS + ACCESS_PS);
    poll(0, 0);
}
