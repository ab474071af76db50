/* test_packets.c - host/network/packets.c: times by hand, credits, slow receivers, hot spots. Exact
 * times of random traffic are in test_packets_reference.c. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "network_rig.h"

enum { G = 80, LINK = 100000, MTU = 4096 };

static uint64_t time_of(const struct network_rig *rig, enum network_event_kind kind, uint64_t tag) {
    const struct network_event *event = network_rig_find(rig, kind, tag);
    cr_assert(event, "message %llu", (unsigned long long)tag);
    return event->at;
}

/* Expects that nothing is in flight or lost, and no buffer was ever fuller than its size. */
static void expect_all_delivered(const struct network_rig *rig) {
    const struct network_counters c = network_get_counters(rig->network);
    cr_expect_eq(c.delivered, c.sent);
    cr_expect_eq(c.delivered_bytes, c.sent_bytes);
    cr_expect_eq(c.held_bytes, 0);
    cr_expect_leq(c.fullest_buffer, rig->config->buffer);
    cr_expect_eq(network_next_ps(rig->network), NETWORK_NEVER);
}

Test(packets, one_message_by_hand) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g", "");
    network_rig_send(&rig, 0, 1, 10000, 500, 7);
    network_rig_run(&rig);
    /* cut-through: the switch adds nothing */
    cr_expect_eq(time_of(&rig, NETWORK_SENT, 7), 500 + 10000 * G);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 7), 500 + 10000 * G + 2 * LINK);
    cr_expect_eq(network_get_counters(rig.network).packets, 3);
    cr_expect_eq(network_lookahead_ps(rig.network), 2 * LINK);
    expect_all_delivered(&rig);
    network_rig_free(&rig);
}

Test(packets, stored_packets_headers_and_switches_take_time) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g",
                       "packet.forwarding=store_and_forward packet.header=64 switch.latency=30");
    network_rig_send(&rig, 0, 1, 5000, 0, 0);
    network_rig_send(&rig, 2, 2, 0, 0, 1); /* to itself, of no bytes: one header */
    network_rig_run(&rig);
    const uint64_t first = (MTU + 64) * G, second = (5000 - MTU + 64) * G;
    cr_expect_eq(time_of(&rig, NETWORK_SENT, 0), first + second);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 0), 2 * first + 2 * LINK + 30000 + second);
    cr_expect_eq(time_of(&rig, NETWORK_SENT, 1), 64 * G);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 1), 2 * 64 * G + 2 * LINK + 30000);
    expect_all_delivered(&rig);
    network_rig_free(&rig);
}

/* Behind a slow link, a packet's last byte leaves a fast one no sooner than it comes. */
Test(packets, a_fast_link_behind_a_slow_one) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "fat-tree",
                       "switch.latency=0 local.rate=1.25 network.nodes=4 fat_tree.arity=2 "
                       "fat_tree.levels=2");
    network_rig_send(&rig, 0, 3, 4000, 0, 0);
    network_rig_run(&rig);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 0), 4000 * 10 * G + 4 * LINK);
    network_rig_free(&rig);
}

Test(packets, messages_of_no_bytes_and_longer_than_all_buffers) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g", "packet.buffer=4096");
    network_rig_send(&rig, 0, 1, 0, 0, 0);
    network_rig_send(&rig, 0, 1, 1 << 20, 0, 1);
    network_rig_send(&rig, 0, 1, 0, 0, 2);
    network_rig_run(&rig);
    /* a packet of no bytes takes one byte's time */
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 0), G + 2 * LINK);
    /* A buffer of one packet: its room comes back a flight, its time and a flight after its first
     * byte has left; here the second link does the same, so they take turns. */
    cr_expect_gt(time_of(&rig, NETWORK_DELIVERED, 1), 256 * (MTU * G + 2 * LINK));
    cr_expect_lt(time_of(&rig, NETWORK_DELIVERED, 1), time_of(&rig, NETWORK_DELIVERED, 2));
    cr_expect_eq(network_get_counters(rig.network).fullest_buffer, 4096);
    expect_all_delivered(&rig);
    network_rig_free(&rig);
}

/* All send to one node: its link is the limit, it is never idle, and the senders stall. */
Test(packets, incast_has_the_throughput_of_one_link) {
    static const char *const buffers[] = {"packet.buffer=8192", "packet.buffer=65536",
                                          "packet.buffer=10000000"};
    enum { SENDERS = 15, BYTES = 1 << 20 };
    for (unsigned b = 0; b < 3; b++) {
        struct network_rig rig;
        char sets[100];
        snprintf(sets, sizeof sets, "network.nodes=16 %s", buffers[b]);
        network_rig_create(&rig, NETWORKS, "star-100g", sets);
        for (unsigned i = 0; i < SENDERS; i++) network_rig_send(&rig, i, SENDERS, BYTES, 0, i);
        const uint64_t time = network_rig_run(&rig), wire = (uint64_t)SENDERS * BYTES * G;
        const struct network_counters c = network_get_counters(rig.network);
        cr_expect_geq(time, wire + 2 * LINK);
        /* Where the buffers cover the round trip of credits, the link is never idle. */
        cr_expect_lt(time, wire + wire / (b ? 1000 : 50) + 2 * LINK, "%s: %llu ps", buffers[b],
                     (unsigned long long)time);
        /* A buffer of everything: senders do not wait, so they are done at once. */
        const uint64_t sent = time_of(&rig, NETWORK_SENT, 0);
        if (b == 2) {
            cr_expect_eq(sent, BYTES * G);
            cr_expect_eq(c.stalled_ps, 0);
        } else {
            cr_expect_gt(sent, wire * 9 / 10);
            cr_expect_gt(c.stalled_ps, SENDERS * (wire * 8 / 10));
            cr_expect_gt(c.fullest_buffer, rig.config->buffer - MTU);
        }
        expect_all_delivered(&rig);
        network_rig_free(&rig);
    }
}

/* A receiver that needs 1 us for a packet of 0.33 us: its sender stalls once the buffers are full;
 * other pairs do not notice. */
Test(packets, a_slow_receiver_stalls_its_sender_only) {
    enum { PACKETS = 200, GAP = 1000000 };
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g", "");
    cr_assert_eq(network_set_gaps(rig.network, 1, 0, GAP, NULL), HEDDLE_OK);
    network_rig_send(&rig, 0, 1, PACKETS * MTU, 0, 0);
    network_rig_send(&rig, 2, 3, PACKETS * MTU, 0, 1);
    network_rig_run(&rig);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 0),
                 MTU * G + 2 * LINK + (uint64_t)(PACKETS - 1) * GAP);
    /* Two buffers of 16 packets: the last packet leaves when all but these were taken. */
    const uint64_t sent = time_of(&rig, NETWORK_SENT, 0);
    cr_expect_gt(sent, (uint64_t)(PACKETS - 34) * GAP);
    cr_expect_lt(sent, (uint64_t)(PACKETS - 30) * GAP);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, 1), (uint64_t)PACKETS * MTU * G + 2 * LINK);
    expect_all_delivered(&rig);
    network_rig_free(&rig);
}

Test(packets, gaps_of_a_sender_are_between_packets) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g", "packet.send_gap=10");
    network_rig_send(&rig, 0, 1, 3 * MTU, 0, 0);
    network_rig_run(&rig);
    cr_expect_eq(time_of(&rig, NETWORK_SENT, 0), 3 * MTU * G + 2 * 10000);
    network_rig_free(&rig);
}

/* A link of a dragonfly's group takes packets of both channels in the order of arrival: that of
 * node 0, from the other group, and that of node 5, while one of node 4 is on the link. */
static void expect_channel_order(uint64_t at_0, uint64_t at_5, bool other_group_first) {
    enum { TIME = MTU * G, CROSS = LINK + 130000, START = 500000 + CROSS + TIME };
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "dragonfly",
                       "network.nodes=8 dragonfly.groups=2 dragonfly.routers=2 dragonfly.hosts=2 "
                       "dragonfly.global_links=1");
    network_rig_send(&rig, 0, 6, MTU, at_0, 0); /* at the link after two crossings and 300 ns */
    network_rig_send(&rig, 4, 7, MTU, 500000, 4);
    network_rig_send(&rig, 5, 7, MTU, at_5, 5);
    network_rig_run(&rig);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, other_group_first ? 0 : 5),
                 START + CROSS + LINK + TIME);
    cr_expect_eq(time_of(&rig, NETWORK_DELIVERED, other_group_first ? 5 : 0),
                 START + CROSS + LINK + 2 * TIME);
    expect_all_delivered(&rig);
    network_rig_free(&rig);
}

Test(packets, channels_of_a_link_are_served_in_the_order_of_arrival) {
    expect_channel_order(200000, 700000, true);
    expect_channel_order(300000, 600000, false);
}

/* Full buffers everywhere, for as long as any circle of waiting would need to close: all is
 * delivered. */
Test(packets, no_deadlock_with_buffers_of_one_packet) {
    static const struct {
        const char *name, *sets;
    } networks[] = {
        {"star-100g", "network.nodes=36 packet.buffer=4096"},
        {"fat-tree", "network.nodes=64 fat_tree.arity=4 packet.buffer=4096"},
        {"dragonfly", "network.nodes=36 dragonfly.groups=9 dragonfly.routers=4 dragonfly.hosts=1 "
                      "dragonfly.global_links=2 packet.buffer=4096"},
        {"dragonfly", "network.nodes=36 dragonfly.groups=3 dragonfly.routers=4 dragonfly.hosts=3 "
                      "dragonfly.global_links=1 packet.buffer=4096"}};
    for (unsigned i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct network_rig rig;
        uint64_t state = i;
        network_rig_create(&rig, NETWORKS, networks[i].name, networks[i].sets);
        const uint32_t n = network_nodes(rig.network);
        for (unsigned k = 0; k < 4000; k++) {
            uint64_t r = network_rig_random(&state);
            /* half of it to the neighbouring group, which one link serves */
            uint32_t source = (uint32_t)r % n;
            uint32_t target = r >> 40 & 1 ? (source + 4) % n : (uint32_t)(r >> 20) % n;
            network_rig_send(&rig, source, target, (r >> 42) % 4 * MTU, 0, k);
        }
        network_rig_run(&rig);
        expect_all_delivered(&rig);
        network_rig_free(&rig);
    }
}

Test(packets, idle_nodes_are_small) {
    static const char *const names[] = {"star-100g", "fat-tree", "dragonfly"};
    for (unsigned i = 0; i < 3; i++) {
        struct network_rig rig;
        network_rig_create(&rig, NETWORKS, names[i], "network.nodes=1024");
        cr_expect_lt(network_memory(rig.network), 1024u * 2000);
        cr_log_info("%s: %zu bytes per idle node\n", names[i], network_memory(rig.network) / 1024);
        network_rig_free(&rig);
    }
}

/* The steady state allocates nothing: after a round of traffic the pools are as large as ever. */
Test(packets, pools_do_not_grow_in_the_steady_state) {
    struct network_rig rig;
    size_t memory = 0;
    network_rig_create(&rig, NETWORKS, "fat-tree", "network.nodes=64 fat_tree.arity=4");
    rig.forget = true;
    for (unsigned round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 64; i++)
            network_rig_send(&rig, i, (i * 7 + 3) % 64, 100000, network_now_ps(rig.network), 0);
        network_advance(rig.network, network_now_ps(rig.network) + 100000000);
        cr_expect_eq(network_next_ps(rig.network), NETWORK_NEVER);
        if (round) cr_expect_eq(network_memory(rig.network), memory);
        memory = network_memory(rig.network);
    }
    network_rig_free(&rig);
}
