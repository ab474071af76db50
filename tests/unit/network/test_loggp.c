/* test_loggp.c - host/network/loggp.c: times by hand, ping-pong against Netgauge's measurements,
 * random traffic against a simple reference, memory of idle nodes. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "network_rig.h"

/* G = 80 ps/B, L = 200 ns */
enum { G = 80, L = 200000 };

static uint64_t time_of(const struct network_rig *rig, enum network_event_kind kind, uint64_t tag) {
    const struct network_event *event = network_rig_find(rig, kind, tag);
    cr_assert(event, "message %llu", (unsigned long long)tag);
    return event->at;
}

Test(loggp, times_by_hand) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g",
                       "network.model=loggp loggp.send_gap=1 loggp.receive_gap=3");
    network_rig_send(&rig, 0, 1, 1000, 500, 1);
    network_rig_send(&rig, 0, 2, 0, 500, 2);
    network_rig_send(&rig, 3, 1, 1000, 500, 3);
    network_rig_send(&rig, 4, 4, 100, 500, 4);
    network_rig_run(&rig);
    cr_expect_eq(time_of(&rig, NETWORK_SENT, 1), 500 + 1000 * G);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 1), 500 + 1000 * G + L);
    /* the gap of the sender, and no bytes */
    cr_expect_eq(time_of(&rig, NETWORK_SENT, 2), 500 + 1000 * G + 1000);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 2), 500 + 1000 * G + 1000 + L);
    /* the target's port is taken, and has a gap */
    cr_expect_eq(time_of(&rig, NETWORK_SENT, 3), 500 + 1000 * G);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 3), 500 + 2000 * G + L + 3000);
    /* to itself */
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 4), 500 + 100 * G + L);
    cr_expect_eq(network_lookahead_ps(rig.network), L);
    network_rig_free(&rig);
}

/* Two deliveries at 300 ns, one of which is known only then: in the order of their targets. */
Test(loggp, events_of_one_time_are_in_order) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g", "network.model=loggp");
    network_rig_send(&rig, 0, 5, 1250, 0, 0);
    network_rig_send(&rig, 2, 3, 0, 100000, 1);
    network_rig_send(&rig, 1, 3, 0, 100000, 2);
    network_rig_run(&rig);
    static const uint64_t want[] = {0, 2, 1, 2, 1, 0}; /* sent, then delivered */
    cr_assert_eq(rig.num_events, 6);
    for (unsigned i = 0; i < 6; i++) {
        cr_expect_eq(rig.event[i].message.tag, want[i]);
        cr_expect_eq(rig.event[i].at, i < 3 ? 100000 : 300000);
    }
    network_rig_free(&rig);
}

Test(loggp, a_node_with_gaps_of_its_own) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g", "network.model=loggp");
    cr_assert_eq(network_set_gaps(rig.network, 0, 7000, 0, NULL), HEDDLE_OK);
    cr_assert_eq(network_set_gaps(rig.network, 1, 0, 9000000, NULL), HEDDLE_OK);
    for (unsigned i = 0; i < 4; i++) network_rig_send(&rig, 0, 1, 0, 0, i);
    network_rig_run(&rig);
    cr_expect_eq(time_of(&rig, NETWORK_SENT, 3), 3 * 7000);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 3), L + 3 * 9000000);
    struct heddle_diag diag = {0};
    cr_expect_eq(network_set_gaps(rig.network, 32, 0, 0, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_str_eq(diag.text, "gaps of node 32: the network has nodes 0 to 31");
    network_rig_free(&rig);
}

/* Half of a round trip, in us. */
static double ping_pong(uint64_t bytes) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "mvapich-tukey", "");
    network_rig_send(&rig, 0, 1, bytes, 0, 0);
    const uint64_t there = network_rig_run(&rig);
    network_rig_send(&rig, 1, 0, bytes,
                     there < network_now_ps(rig.network) ? network_now_ps(rig.network) : there, 1);
    const uint64_t start = network_now_ps(rig.network), back = network_rig_run(&rig);
    network_rig_free(&rig);
    return (double)(there + back - start) * 1e-6 / 2;
}

/* Round trips that Netgauge measured: PRTT(1,0,s) in us. */
Test(loggp, ping_pong_as_netgauge_measured) {
    static const struct {
        uint64_t bytes;
        double round_trip;
    } measured[] = {
        {2, 10.836},        {8, 10.747},        {32, 10.932},        {128, 11.702},
        {256, 13.473},      {512, 14.446},      {1024, 16.114},      {2048, 19.063},
        {4096, 22.790},     {8192, 36.221},     {16384, 48.878},     {32768, 63.042},
        {65536, 95.652},    {131072, 161.030},  {262144, 291.793},   {524288, 553.715},
        {1048576, 1076.09}, {4194304, 4211.87}, {16777216, 17430.0}, {67108864, 69484.6}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const double got = 2 * ping_pong(measured[i].bytes), want = measured[i].round_trip;
        cr_expect(got > 0.95 * want && got < 1.05 * want, "%llu bytes: %g us, measured %g us",
                  (unsigned long long)measured[i].bytes, got, want);
    }
}

/* A short message of a fast class does not overtake a long one of a slow class. */
Test(loggp, classes_keep_the_order) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "mvapich-tukey", "");
    network_rig_send(&rig, 0, 1, 8193, 0, 0);
    network_rig_send(&rig, 0, 1, 1, 0, 1);
    network_rig_run(&rig);
    cr_expect_lt(time_of(&rig, NETWORK_DELIVERED, 0), time_of(&rig, NETWORK_DELIVERED, 1));
    cr_expect_eq(network_lookahead_ps(rig.network), 5370000);
    network_rig_free(&rig);
}

enum { MESSAGES = 2000, NODES = 12 };

/* A message of the reference: its first byte's arrival and its delivery. */
struct reference {
    uint32_t source, target;
    uint64_t bytes, at, head, end;
    bool done;
};

/* The model again, as simply as possible: ports are taken by the message that is first, which is
 * searched for among all. */
static void solve(struct reference *m) {
    uint64_t port[NODES] = {0};
    for (unsigned i = 0; i < MESSAGES; i++) {
        uint64_t begin = m[i].at > port[m[i].source] ? m[i].at : port[m[i].source];
        port[m[i].source] = begin + m[i].bytes * G + 1000;
        m[i].head = begin + L;
    }
    for (unsigned i = 0; i < NODES; i++) port[i] = 0;
    for (unsigned done = 0; done < MESSAGES; done++) {
        struct reference *first = NULL;
        for (unsigned i = 0; i < MESSAGES; i++)
            if (!m[i].done && (!first || m[i].head < first->head ||
                               (m[i].head == first->head && m[i].source < first->source)))
                first = &m[i];
        uint64_t begin = first->head > port[first->target] ? first->head : port[first->target];
        first->end = begin + first->bytes * G;
        port[first->target] = first->end + 3000;
        first->done = true;
    }
}

Test(loggp, random_traffic_as_the_reference) {
    static struct reference m[MESSAGES];
    struct network_rig rig;
    uint64_t state = 5, at = 0;
    network_rig_create(&rig, NETWORKS, "star-100g",
                       "network.model=loggp network.nodes=12 loggp.send_gap=1 loggp.receive_gap=3");
    for (unsigned i = 0; i < MESSAGES; i++) {
        at += network_rig_random(&state) % 5 * 3000;
        m[i] = (struct reference){.source = (uint32_t)(network_rig_random(&state) % NODES),
                                  .target = (uint32_t)(network_rig_random(&state) % NODES),
                                  .bytes = network_rig_random(&state) % 4 * 100,
                                  .at = at};
        network_rig_send(&rig, m[i].source, m[i].target, m[i].bytes, at, i);
    }
    solve(m);
    network_rig_run(&rig);
    for (unsigned i = 0; i < MESSAGES; i++)
        cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, i), m[i].end, "message %u", i);
    network_rig_free(&rig);
}

Test(loggp, a_hundred_thousand_idle_nodes_are_small) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g",
                       "network.model=loggp network.nodes=100000 star.ports=100000");
    cr_expect_leq(network_memory(rig.network), 100000u * 64);
    network_rig_send(&rig, 99999, 0, 8, 0, 0);
    network_rig_run(&rig);
    cr_expect_leq(network_memory(rig.network), 100000u * 64);
    network_rig_free(&rig);
}
