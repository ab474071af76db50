/* test_nodes.c - commands from a queue to another node and back: host/node's command processor, NIC
 * and bus together, around a memory and a network of fixed latency. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "node/net_story.h"
#include "node_rig.h"

#define MS UINT64_C(1000000000)

static struct heddle_shmem_entry put(struct node_rig *rig, uint32_t from, uint64_t source,
                                     uint32_t to, uint64_t target, uint64_t bytes, unsigned flags) {
    return (struct heddle_shmem_entry){.op = HEDDLE_SHMEM_PUT,
                                       .flags = (unsigned char)flags,
                                       .pe = to,
                                       .remote = node_rig_address(rig, from, target),
                                       .local = node_rig_address(rig, from, source),
                                       .bytes = bytes};
}

static void fill(struct node_rig *rig, uint32_t pe, uint64_t offset, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i++)
        *node_rig_at(rig, pe, offset + i) = (uint8_t)(i * 7 + pe * 13 + offset);
}

static bool same(struct node_rig *rig, uint32_t pe, uint64_t a, uint32_t other, uint64_t b,
                 uint64_t bytes) {
    return !memcmp(node_rig_at(rig, pe, a), node_rig_at(rig, other, b), bytes);
}

/* Kernels run on all nodes from 0 on until `end`. */
static void kernels(struct node_rig *rig, uint64_t ctas, uint64_t end) {
    for (uint32_t i = 0; i < RIG_NODES; i++) {
        node_rig_kernel(rig, i, true, ctas, 0);
        node_rig_kernel(rig, i, false, ctas, end);
    }
}

Test(nodes, puts_of_any_length_and_place) {
    static const uint64_t length[] = {1, 7, 8, 31, 128, 129, 1000, 4096, 4097, 20000, 100000};
    for (unsigned i = 0; i < sizeof length / sizeof *length; i++) {
        struct node_rig rig;
        node_rig_create(&rig, "");
        kernels(&rig, 4, MS);
        fill(&rig, 0, 4099 + i, length[i]);
        const struct heddle_shmem_entry e = put(&rig, 0, 4099 + i, 1, 300007 + 3 * i, length[i],
                                                HEDDLE_SHMEM_BLOCKING);
        const uint32_t n = node_rig_post(&rig, 0, 3, &e);
        node_rig_run(&rig, MS);
        cr_expect_eq(node_rig_status(&rig, 0, 3, n), HEDDLE_SHMEM_DONE, "%llu bytes",
                     (unsigned long long)length[i]);
        cr_expect(same(&rig, 0, 4099 + i, 1, 300007 + 3 * i, length[i]), "%llu bytes",
                  (unsigned long long)length[i]);
        cr_expect_eq(*node_rig_at(&rig, 1, 300007 + 3 * i + length[i]), 0);
        cr_expect_eq(shmem_pe_queue(&rig.pes.pe[0], 3)->read_idx, 1);
        node_rig_run(&rig, UINT64_MAX); /* it ends: nobody polls without a kernel */
        node_rig_free(&rig);
    }
}

Test(nodes, gets_atomics_values_and_signals) {
    struct node_rig rig;
    node_rig_create(&rig, "");
    kernels(&rig, 4, MS);
    fill(&rig, 2, 9000, 5000);
    struct heddle_shmem_entry get = put(&rig, 0, 70000, 2, 9000, 5000, HEDDLE_SHMEM_BLOCKING);
    get.op = HEDDLE_SHMEM_GET;
    const uint32_t got = node_rig_post(&rig, 0, 0, &get);
    struct heddle_shmem_entry add = {.op = HEDDLE_SHMEM_ATOMIC,
                                     .flags = HEDDLE_SHMEM_BLOCKING | HEDDLE_SHMEM_FETCH,
                                     .amo = HEDDLE_SHMEM_AMO_ADD,
                                     .width = 8,
                                     .pe = 1,
                                     .remote = node_rig_address(&rig, 0, 800),
                                     .operand = 5};
    *(uint64_t *)node_rig_at(&rig, 1, 800) = 37;
    const uint32_t added = node_rig_post(&rig, 0, 1, &add);
    struct heddle_shmem_entry value = {.op = HEDDLE_SHMEM_PUT,
                                       .flags = HEDDLE_SHMEM_IN_ENTRY,
                                       .pe = 1,
                                       .remote = node_rig_address(&rig, 0, 900),
                                       .local = 0x12345678,
                                       .bytes = 4};
    const uint32_t stored = node_rig_post(&rig, 0, 2, &value);
    struct heddle_shmem_entry signal = put(&rig, 2, 9000, 0, 200000, 5000, HEDDLE_SHMEM_SIGNAL);
    signal.amo = HEDDLE_SHMEM_AMO_ADD;
    signal.signal = node_rig_address(&rig, 2, 1000);
    signal.operand = 3;
    node_rig_post(&rig, 2, 0, &signal);
    node_rig_run(&rig, MS / 2);
    cr_expect_eq(node_rig_status(&rig, 0, 0, got), HEDDLE_SHMEM_DONE);
    cr_expect(same(&rig, 0, 70000, 2, 9000, 5000));
    cr_expect_eq(node_rig_status(&rig, 0, 1, added), HEDDLE_SHMEM_DONE);
    struct heddle_shmem_queue *q = shmem_pe_queue(&rig.pes.pe[0], 1);
    cr_expect_eq(shmem_pe_producer(&rig.pes.pe[0], 1)->result[added], 37);
    cr_expect_eq(*(uint64_t *)node_rig_at(&rig, 1, 800), 42);
    cr_expect_eq(q->read_idx, 0, "its result has not been read");
    q->entry[added].status = added << 2 | HEDDLE_SHMEM_FREE;
    cr_expect_eq(node_rig_status(&rig, 0, 2, stored), HEDDLE_SHMEM_DONE);
    cr_expect_eq(*(uint32_t *)node_rig_at(&rig, 1, 900), 0x12345678);
    cr_expect(same(&rig, 0, 200000, 2, 9000, 5000));
    cr_expect_eq(*(uint64_t *)node_rig_at(&rig, 0, 1000), 3);
    node_rig_run(&rig, UINT64_MAX);
    cr_expect_eq(q->read_idx, 1);
    node_rig_free(&rig);
}

/* A flag behind data: whoever sees the flag sees the data, whatever lines they lie in. */
Test(nodes, what_comes_later_is_seen_later) {
    for (unsigned i = 0; i < 8; i++) {
        struct node_rig rig;
        node_rig_create(&rig, "");
        rig.uneven = i;
        kernels(&rig, 1, MS);
        fill(&rig, 0, 5000, 60000);
        const struct heddle_shmem_entry data = put(&rig, 0, 5000, 1, 5000 + i, 60000, 0);
        struct heddle_shmem_entry flag = {.op = HEDDLE_SHMEM_PUT,
                                          .flags = HEDDLE_SHMEM_IN_ENTRY,
                                          .pe = 1,
                                          .remote = node_rig_address(&rig, 0, 100 + 200 * i),
                                          .local = 1,
                                          .bytes = 8};
        node_rig_post(&rig, 0, 0, &data);
        node_rig_post(&rig, 0, 0, &flag);
        uint64_t at = 0;
        while (!*node_rig_at(&rig, 1, 100 + 200 * i)) node_rig_run(&rig, at += 1000);
        cr_expect(same(&rig, 0, 5000, 1, 5000 + i, 60000), "%u", i);
        node_rig_run(&rig, UINT64_MAX);
        node_rig_free(&rig);
    }
}

/* Nor is a byte of a long put seen before all of the put before it. */
Test(nodes, long_puts_stay_in_order) {
    for (unsigned i = 0; i < 8; i++) {
        struct node_rig rig;
        node_rig_create(&rig, "");
        rig.uneven = true;
        kernels(&rig, 1, MS);
        fill(&rig, 0, 5000, 20000);
        for (unsigned k = 0; k < 8; k++) {
            const struct heddle_shmem_entry e = put(&rig, 0, 5000, 1, 30000 * (k + 1) + 100 * i,
                                                    200 + 2000 * (i + k), 0);
            node_rig_post(&rig, 0, 0, &e);
        }
        static const uint8_t none[30000];
        for (uint64_t at = 0; at < MS / 10; at += 5000) {
            bool before = true; /* all of the put before is there */
            node_rig_run(&rig, at);
            for (unsigned k = 0; k < 8; k++) {
                const uint64_t target = 30000 * (k + 1) + 100 * i, bytes = 200 + 2000 * (i + k);
                const bool any = memcmp(node_rig_at(&rig, 1, target), none, bytes);
                cr_assert(before || !any, "put %u of %u at %llu ps", k, i, (unsigned long long)at);
                before = before && same(&rig, 0, 5000, 1, target, bytes);
            }
        }
        cr_expect(same(&rig, 0, 5000, 1, 30000 * 8 + 100 * i, 200 + 2000 * (i + 7)));
        node_rig_run(&rig, UINT64_MAX);
        node_rig_free(&rig);
    }
}

/* Runs until the word is not 0. */
static void run_until_set(struct node_rig *rig, uint32_t pe, uint64_t offset, uint64_t *at) {
    while (!*(volatile uint64_t *)node_rig_at(rig, pe, offset)) node_rig_run(rig, *at += 1000);
}

/* What follows from a put is seen behind it, also if another PE does it: PE 0 puts, and tells PE 2
 * of the completion, which tells PE 1. */
Test(nodes, what_follows_is_seen_later) {
    for (unsigned i = 0; i < 8; i++) {
        struct node_rig rig;
        node_rig_create(&rig, "link.latency=50 cp.issue=0 cp.complete=0 cp.poll=1");
        rig.uneven = true;
        kernels(&rig, 4, MS);
        fill(&rig, 0, 5000, 60000);
        const uint64_t bytes = 8 + 7000 * i;
        struct heddle_shmem_entry flag = {.op = HEDDLE_SHMEM_PUT,
                                          .flags = HEDDLE_SHMEM_IN_ENTRY,
                                          .pe = 2,
                                          .remote = node_rig_address(&rig, 0, 64),
                                          .local = 1,
                                          .bytes = 8};
        const struct heddle_shmem_entry data = put(&rig, 0, 5000, 1, 100000, bytes,
                                                   HEDDLE_SHMEM_BLOCKING);
        const uint32_t n = node_rig_post(&rig, 0, 0, &data);
        uint64_t at = 0;
        while (node_rig_status(&rig, 0, 0, n) != HEDDLE_SHMEM_DONE) node_rig_run(&rig, at += 1000);
        node_rig_post(&rig, 0, 1, &flag);
        run_until_set(&rig, 2, 64, &at);
        flag.pe = 1;
        flag.remote = node_rig_address(&rig, 2, 64);
        node_rig_post(&rig, 2, 0, &flag);
        run_until_set(&rig, 1, 64, &at);
        cr_expect(same(&rig, 0, 5000, 1, 100000, bytes), "%u", i);
        node_rig_run(&rig, UINT64_MAX);
        node_rig_free(&rig);
    }
}

/* Gets of several queues do not wait for each other's writes. */
Test(nodes, gets_overlap) {
    enum { EACH = 15 };
    struct node_rig rig;
    node_rig_create(&rig, "cp.threads=4 cp.issue=0 cp.complete=0 cp.poll=1 nic.fetch=0");
    kernels(&rig, 4, MS);
    struct heddle_shmem_entry get = put(&rig, 0, 0, 1, 0, 8, 0);
    get.op = HEDDLE_SHMEM_GET;
    for (unsigned i = 0; i < 4 * EACH; i++) node_rig_post(&rig, 0, i % 4, &get);
    const struct heddle_shmem_entry quiet = {.op = HEDDLE_SHMEM_QUIET,
                                             .flags = HEDDLE_SHMEM_BLOCKING};
    uint32_t n[4];
    for (uint32_t q = 0; q < 4; q++) n[q] = node_rig_post(&rig, 0, q, &quiet);
    uint64_t at = 0;
    for (uint32_t q = 0; q < 4; q++)
        while (node_rig_status(&rig, 0, q, n[q]) != HEDDLE_SHMEM_DONE)
            node_rig_run(&rig, at += 1000);
    /* one after the other, its value and its completion would take 60 times two accesses */
    cr_expect_lt(at, 4 * EACH * 2 * ACCESS_PS, "%g us", (double)at / 1e6);
    node_rig_run(&rig, UINT64_MAX);
    node_rig_free(&rig);
}

/* A quiet waits for the completions of all commands before it, and for none behind. */
Test(nodes, quiet) {
    struct node_rig rig;
    const struct net_op *oldest = NULL;
    node_rig_create(&rig, "");
    kernels(&rig, 1, MS);
    const struct heddle_shmem_entry slow = put(&rig, 0, 0, 1, 100000, 60000, 0);
    const struct heddle_shmem_entry quiet = {.op = HEDDLE_SHMEM_QUIET,
                                             .flags = HEDDLE_SHMEM_BLOCKING};
    const uint32_t none = node_rig_post(&rig, 0, 0, &quiet);
    const uint32_t first = node_rig_post(&rig, 0, 0, &slow);
    const uint32_t second = node_rig_post(&rig, 0, 0, &quiet);
    const uint32_t third = node_rig_post(&rig, 0, 0, &slow);
    uint64_t at = 0;
    while (node_rig_status(&rig, 0, 0, first) != HEDDLE_SHMEM_DONE) node_rig_run(&rig, at += 1000);
    cr_expect_eq(node_rig_status(&rig, 0, 0, second), HEDDLE_SHMEM_READY);
    while (node_rig_status(&rig, 0, 0, second) != HEDDLE_SHMEM_DONE) node_rig_run(&rig, at += 1000);
    cr_expect_eq(node_rig_status(&rig, 0, 0, none), HEDDLE_SHMEM_DONE);
    cr_expect_eq(command_processor_under_way(rig.node[0].cp, &oldest), 1, "the later put");
    cr_expect_eq(oldest->number, third);
    cr_expect(same(&rig, 0, 0, 1, 100000, 60000));
    node_rig_run(&rig, UINT64_MAX);
    cr_expect_eq(node_rig_status(&rig, 0, 0, third), HEDDLE_SHMEM_DONE);
    cr_expect_eq(command_processor_under_way(rig.node[0].cp, &oldest), 0);
    node_rig_free(&rig);
}

/* More commands than a queue, a ring of completions and the operations have places. */
Test(nodes, many_commands) {
    enum { MANY = 3000 };
    struct node_rig rig;
    node_rig_create(&rig, "cp.threads=3 nic.fetch=0");
    kernels(&rig, 4, 100 * MS);
    uint32_t posted[4] = {0};
    uint64_t at = 0;
    for (uint32_t i = 0; i < 4 * MANY;) {
        const uint32_t q = i % 4;
        struct heddle_shmem_entry add = {.op = HEDDLE_SHMEM_ATOMIC,
                                         .amo = HEDDLE_SHMEM_AMO_ADD,
                                         .width = 4,
                                         .pe = 1 + i % 2,
                                         .remote = node_rig_address(&rig, 0, 4 * q),
                                         .operand = 1};
        const uint32_t read_idx = shmem_pe_queue(&rig.pes.pe[0], q)->read_idx;
        if (shmem_pe_producer(&rig.pes.pe[0], q)->write_idx - read_idx == HEDDLE_SHMEM_ENTRIES) {
            node_rig_run(&rig, at += 10000);
            continue;
        }
        posted[q] = node_rig_post(&rig, 0, q, &add) + 1;
        i++;
    }
    node_rig_run(&rig, UINT64_MAX);
    for (uint32_t q = 0; q < 4; q++) {
        const uint32_t one = *(uint32_t *)node_rig_at(&rig, 1, 4 * q);
        cr_expect_eq(one + *(uint32_t *)node_rig_at(&rig, 2, 4 * q), MANY, "queue %u: %u", q, one);
        cr_expect_eq(shmem_pe_queue(&rig.pes.pe[0], q)->read_idx, posted[q]);
    }
    const struct command_processor_counters c = command_processor_get_counters(rig.node[0].cp);
    cr_expect_eq(c.commands, 4 * MANY);
    cr_expect_eq(c.completions, 4 * MANY);
    node_rig_free(&rig);
}

/* A blocking put, step by step. */
Test(nodes, the_time_of_a_put) {
    struct node_rig rig;
    node_rig_create(&rig, "cp.threads=1");
    const struct node_config *c = rig.config;
    const double per = 1e6 / c->cp_clock / c->cp_ipc, header = (double)c->link_header;
    const struct heddle_shmem_entry e = put(&rig, 0, 0, 1, 128, 64, HEDDLE_SHMEM_BLOCKING);
    const uint32_t n = node_rig_post(&rig, 0, 0, &e);
    node_rig_kernel(&rig, 0, true, 1, 0);
    double at = (double)c->cp_poll * per + ACCESS_PS; /* the entry */
    const double found = at;
    at += (double)c->cp_issue * per + ACCESS_PS; /* the command's place */
    at += c->link_latency * 1000;                /* doorbell */
    at += header * 1000 / c->link_rate + c->link_latency * 1000 + ACCESS_PS; /* fetch */
    at += (64 + header) * 1000 / c->link_rate + c->link_latency * 1000;
    at += header * 1000 / c->link_rate + c->link_latency * 1000 + ACCESS_PS; /* payload */
    at += (64 + header) * 1000 / c->link_rate + c->link_latency * 1000;
    at += c->nic_send * 1000 + (64 + (double)c->nic_request) * PER_BYTE_PS + WIRE_PS;
    at += c->nic_receive * 1000;
    const double there = at + (64 + header) * 1000 / c->link_rate + c->link_latency * 1000 +
                         ACCESS_PS / 2;
    char story[300] = "";
    cr_expect(net_story(&rig.ops, &rig.pes, 0, 0, 0, story, sizeof story));
    cr_expect_str_eq(story, "PE 0: in queue 0: put of 64 bytes to PE 1, command 0: waits for a "
                            "service thread");
    node_rig_run(&rig, (uint64_t)there - 1000);
    cr_expect(net_story(&rig.ops, &rig.pes, 0, 0, 0, story, sizeof story));
    cr_expect(strstr(story, " us: put of 64 bytes to PE 1, command 0 of queue 0: the NIC has it; "
                            "segments sent: 1, arrived: "),
              "%s", story);
    cr_expect_not(net_story(&rig.ops, &rig.pes, 0, 0, 1, story, sizeof story));
    *node_rig_at(&rig, 1, 128) = 1; /* memory is still as it was */
    node_rig_run(&rig, (uint64_t)there + 1000);
    cr_expect_eq(*node_rig_at(&rig, 1, 128), 0, "the put is there");
    /* the acknowledgement and the completion; then the command processor's next poll */
    at += c->nic_send * 1000 + (double)c->nic_request * PER_BYTE_PS + WIRE_PS;
    at += c->nic_receive * 1000 + (8 + header) * 1000 / c->link_rate + c->link_latency * 1000;
    at += ACCESS_PS / 2; /* the completion is in memory */
    node_rig_run(&rig, (uint64_t)at);
    cr_expect_eq(node_rig_status(&rig, 0, 0, n), HEDDLE_SHMEM_READY);
    /* a poll of the queue and one of the ring at most, then the completion and the status */
    const double poll = (double)c->cp_poll * per + ACCESS_PS;
    node_rig_run(&rig, (uint64_t)(at + 3 * poll + (double)c->cp_complete * per + ACCESS_PS));
    cr_expect_eq(node_rig_status(&rig, 0, 0, n), HEDDLE_SHMEM_DONE);
    const struct command_processor_counters counted = command_processor_get_counters(
        rig.node[0].cp);
    const double awaited = (double)counted.awaited_put_ps, least = at - found;
    cr_expect_eq(counted.awaited_puts, 1);
    cr_expect(awaited >= least && awaited < least + 3 * poll + (double)c->cp_complete * per,
              "%g ps, at least %g", awaited, least);
    cr_expect_eq(counted.awaited_quiets + counted.awaited_gets + counted.awaited_atomics, 0);
    node_rig_kernel(&rig, 0, false, 1, rig.now + 1);
    node_rig_run(&rig, UINT64_MAX);
    node_rig_free(&rig);
}

/* When a put has arrived, behind which so many others wait for the NIC to take them. */
static double arrival(unsigned others) {
    struct node_rig rig;
    node_rig_create(&rig, "cp.threads=1 nic.command=50000");
    kernels(&rig, 1, MS);
    fill(&rig, 0, 0, 64);
    for (unsigned i = 0; i <= others; i++) {
        const struct heddle_shmem_entry e = put(&rig, 0, 0, 1, 128 + 64 * i, 64, 0);
        node_rig_post(&rig, 0, 0, &e);
    }
    uint64_t at = 0;
    while (!same(&rig, 0, 0, 1, 128, 64)) node_rig_run(&rig, at += 1000);
    node_rig_run(&rig, UINT64_MAX);
    cr_expect(same(&rig, 0, 0, 1, 128 + 64 * others, 64));
    node_rig_free(&rig);
    return (double)at;
}

/* Commands that the NIC has not taken yet do not keep the link from those that it has. */
Test(nodes, commands_that_wait_hold_nothing) {
    const double alone = arrival(0), first = arrival(3);
    cr_expect(first < alone + 100000, "%g ps, alone %g ps", first, alone);
}

/* A long put arrives at the wire's rate. */
Test(nodes, the_rate_of_a_put) {
    struct node_rig rig;
    node_rig_create(&rig, "");
    kernels(&rig, 1, 10 * MS);
    const uint64_t bytes = 2 << 20;
    fill(&rig, 0, 0, bytes);
    const struct heddle_shmem_entry e = put(&rig, 0, 0, 1, bytes - 4096, bytes, 0);
    node_rig_post(&rig, 0, 0, &e);
    uint64_t at = 0;
    while (!same(&rig, 0, bytes - 8, 1, 2 * bytes - 4096 - 8, 8)) node_rig_run(&rig, at += 100000);
    const double wire = (double)bytes * PER_BYTE_PS;
    cr_expect_gt((double)rig.now, wire);
    cr_expect_lt((double)rig.now, wire * 1.03, "%g of %g", (double)rig.now, wire);
    cr_expect(same(&rig, 0, 0, 1, bytes - 4096, bytes));
    node_rig_run(&rig, UINT64_MAX);
    node_rig_free(&rig);
}

Test(nodes, wrong_commands_are_named) {
    static const struct {
        struct heddle_shmem_entry entry;
        const char *text;
    } wrong[] = {
        {{.op = 77, .bytes = 4}, "there is no such operation"},
        {{.op = HEDDLE_SHMEM_PUT, .pe = 9, .bytes = 4}, "there is no such PE"},
        {{.op = HEDDLE_SHMEM_PUT, .pe = 1, .bytes = RIG_HEAP}, "not in the symmetric heap"},
        {{.op = HEDDLE_SHMEM_PUT, .bytes = UINT64_MAX}, "its local address is no memory"},
        {{.op = HEDDLE_SHMEM_GET}, "there is nothing to get"},
        {{.op = HEDDLE_SHMEM_ATOMIC, .width = 2}, "an atomic has 4 or 8 bytes"},
        {{.op = HEDDLE_SHMEM_ATOMIC, .width = 8, .amo = 99}, "an unknown atomic"},
        {{.op = HEDDLE_SHMEM_PUT, .flags = HEDDLE_SHMEM_SIGNAL, .bytes = 4, .signal = 12},
         "its signal is not in the symmetric heap"},
        {{.op = HEDDLE_SHMEM_PUT, .flags = HEDDLE_SHMEM_IN_ENTRY, .bytes = 9}, "too long"},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct node_rig rig;
        node_rig_create(&rig, "");
        struct heddle_shmem_entry e = wrong[i].entry;
        e.remote = node_rig_address(&rig, 0, 4096);
        e.local = node_rig_address(&rig, 0, 8);
        node_rig_post(&rig, 0, 0, &e);
        kernels(&rig, 1, MS / 100);
        node_rig_run(&rig, UINT64_MAX);
        cr_expect(strstr(rig.node[0].refused, wrong[i].text), "%u: %s", i, rig.node[0].refused);
        cr_expect(strstr(rig.node[0].refused, "PE 0: "));
        node_rig_free(&rig);
    }
}

/* Service threads without a queue sleep; without kernels all do. */
Test(nodes, nobody_polls_for_nothing) {
    struct node_rig rig;
    node_rig_create(&rig, "cp.threads=4");
    node_rig_kernel(&rig, 0, true, 1, 0);
    node_rig_run(&rig, MS / 10);
    const struct node_config *c = rig.config;
    const double each = ACCESS_PS + (double)c->cp_poll * 1e6 / c->cp_clock / c->cp_ipc;
    const double polls = (double)command_processor_get_counters(rig.node[0].cp).polls;
    cr_expect_float_eq(polls, (double)MS / 10 / each, 2, "%g polls", polls);
    node_rig_kernel(&rig, 0, false, 1, rig.now + 1);
    node_rig_run(&rig, UINT64_MAX);
    cr_expect_lt(rig.now, MS / 10 + 10 * ACCESS_PS);
    node_rig_free(&rig);
}
