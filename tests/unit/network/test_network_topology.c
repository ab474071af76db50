/* test_network_topology.c - host/network/network_topology.c: cables have two ends, ways end at the
 * target, waiting never closes a circle; what the spread of the fat tree achieves. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "network/network_topology.h"
#include "network_rig.h"

/* Topologies that are small enough for all pairs. `hops`: switches on the longest way. */
static const struct {
    const char *name, *sets;
    unsigned hops;
} small[] = {{"star-100g", "network.nodes=9", 1},
             {"fat-tree", "network.nodes=64 fat_tree.arity=4", 5},
             {"fat-tree", "network.nodes=61 fat_tree.arity=2 fat_tree.levels=6", 11},
             {"fat-tree", "network.nodes=5 fat_tree.arity=5 fat_tree.levels=1", 1},
             {"dragonfly",
              "network.nodes=72 dragonfly.groups=9 dragonfly.routers=4 dragonfly.hosts=2 "
              "dragonfly.global_links=2",
              4},
             {"dragonfly",
              "network.nodes=40 dragonfly.groups=4 dragonfly.routers=4 dragonfly.hosts=3 "
              "dragonfly.global_links=2",
              4},
             {"dragonfly",
              "network.nodes=6 dragonfly.groups=1 dragonfly.routers=3 dragonfly.hosts=2 "
              "dragonfly.global_links=0",
              2},
             {"dragonfly",
              "network.nodes=8 dragonfly.groups=8 dragonfly.routers=1 dragonfly.hosts=1 "
              "dragonfly.global_links=8",
              2}};
enum { SMALL = sizeof small / sizeof *small };

static struct network_topology make(unsigned i) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, small[i].name, small[i].sets);
    struct network_topology t = topology_of(rig.config);
    network_rig_free(&rig);
    return t;
}

/* Each link between switches has one back, to the same pair, so cables are whole. */
Test(network_topology, cables_have_two_ends) {
    for (unsigned i = 0; i < SMALL; i++) {
        const struct network_topology t = make(i);
        int *balance = calloc((size_t)t.switches * t.switches, sizeof *balance);
        unsigned *seen = calloc(t.nodes, sizeof *seen);
        for (uint32_t s = 0; s < t.switches; s++)
            for (uint32_t p = 0; p < t.radix; p++) {
                struct topology_link link;
                if (!topology_link(&t, s, p, &link)) continue;
                if (link.to_node) {
                    seen[link.to]++;
                    cr_expect_eq(topology_first(&t, link.to), s);
                } else {
                    cr_assert_lt(link.to, t.switches);
                    cr_expect_neq(link.to, s);
                    balance[s * t.switches + link.to]++;
                    balance[link.to * t.switches + s]--;
                }
            }
        for (size_t k = 0; k < (size_t)t.switches * t.switches; k++) cr_expect_eq(balance[k], 0);
        for (uint32_t k = 0; k < t.nodes; k++) cr_expect_eq(seen[k], 1);
        free(balance);
        free(seen);
    }
}

/* Which pair (link, channel) is followed by which, over the ways of all messages. */
struct waits {
    uint32_t places;
    uint8_t *follows; /* [places][places] */
    uint8_t *state;   /* 0: not visited, 1: being visited, 2: done */
};

static bool has_circle(struct waits *w, uint32_t from) {
    w->state[from] = 1;
    for (uint32_t to = 0; to < w->places; to++) {
        if (!w->follows[(size_t)from * w->places + to]) continue;
        if (w->state[to] == 1 || (w->state[to] == 0 && has_circle(w, to))) return true;
    }
    w->state[from] = 2;
    return false;
}

/* Walks from a node to another and notes what follows what; `channels` 1 ignores channels.
 * @return the number of switches. */
static unsigned walk(const struct network_topology *t, struct waits *w, unsigned channels,
                     uint32_t source, uint32_t target) {
    uint32_t before = source * channels, at = topology_first(t, source);
    for (unsigned hops = 1; hops < 20; hops++) {
        const struct topology_hop hop = topology_route(t, at, source, target);
        struct topology_link link;
        cr_assert_lt(hop.port, t->radix);
        cr_assert_lt(hop.channel, t->channels);
        cr_assert(topology_link(t, at, hop.port, &link));
        uint32_t here = (t->nodes + at * t->radix + hop.port) * channels + hop.channel % channels;
        w->follows[(size_t)before * w->places + here] = 1;
        before = here;
        if (link.to_node) {
            cr_assert_eq(link.to, target);
            return hops;
        }
        at = link.to;
    }
    cr_assert(false, "the way from %u to %u does not end", source, target);
    return 0;
}

/* Walks between all nodes. @return whether waiting may close a circle. */
static bool walk_all(const struct network_topology *t, unsigned channels, unsigned *longest) {
    struct waits w = {.places = (t->nodes + t->switches * t->radix) * channels};
    w.follows = calloc((size_t)w.places * w.places, 1);
    w.state = calloc(w.places, 1);
    *longest = 0;
    for (uint32_t source = 0; source < t->nodes; source++)
        for (uint32_t target = 0; target < t->nodes; target++) {
            unsigned hops = walk(t, &w, channels, source, target);
            if (hops > *longest) *longest = hops;
        }
    bool circle = false;
    for (uint32_t i = 0; i < w.places && !circle; i++) circle = !w.state[i] && has_circle(&w, i);
    free(w.follows);
    free(w.state);
    return circle;
}

Test(network_topology, ways_end_and_waiting_closes_no_circle) {
    for (unsigned i = 0; i < SMALL; i++) {
        const struct network_topology t = make(i);
        unsigned longest;
        cr_expect_not(walk_all(&t, t.channels, &longest), "topology %u", i);
        cr_expect_eq(longest, small[i].hops, "topology %u: %u switches", i, longest);
    }
}

/* Where several links join two groups of a dragonfly, all of them are used. */
Test(network_topology, all_links_between_groups_are_used) {
    const struct network_topology t = make(5);
    uint8_t *used = calloc((size_t)t.switches * t.radix, 1);
    cr_assert_eq(t.copies, 2);
    for (uint32_t source = 0; source < t.nodes; source++)
        for (uint32_t target = 0; target < t.nodes; target++) {
            struct topology_link link = {.to = topology_first(&t, source)};
            while (!link.to_node) {
                const uint32_t at = link.to, port = topology_route(&t, at, source, target).port;
                used[at * t.radix + port] = 1;
                cr_assert(topology_link(&t, at, port, &link));
            }
        }
    for (uint32_t i = 0; i < t.switches * t.radix; i++) {
        struct topology_link link;
        const bool exists = topology_link(&t, i / t.radix, i % t.radix, &link);
        if (exists && link.class == LINK_GLOBAL) cr_expect(used[i], "link %u", i);
    }
    free(used);
}

/* With one channel, the dragonfly's two local hops would close one: why there are two. */
Test(network_topology, a_dragonfly_needs_two_channels) {
    const struct network_topology t = make(4);
    unsigned longest;
    cr_expect(walk_all(&t, 1, &longest));
}

enum { BYTES = 1 << 17, WIRE = BYTES * 80, FAR = 6 * 100000 + 5 * 130000 };

/* Each node sends BYTES to another one. @return the time. */
static uint64_t permute(const uint32_t *target, const char *sets) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "fat-tree", sets);
    const uint32_t n = network_nodes(rig.network);
    for (uint32_t i = 0; i < n; i++) network_rig_send(&rig, i, target[i], BYTES, 0, i);
    const uint64_t time = network_rig_run(&rig);
    cr_expect_eq(network_get_counters(rig.network).delivered, n);
    network_rig_free(&rig);
    return time;
}

static const char tree[] = "network.nodes=64 fat_tree.arity=4";

/* All 63 shifts of 64 nodes run at the links' rate: full bisection. */
Test(network_topology, shifts_on_a_fat_tree_have_full_bisection) {
    uint32_t target[64];
    for (uint32_t shift = 1; shift < 64; shift++) {
        for (uint32_t i = 0; i < 64; i++) target[i] = (i + shift) % 64;
        const uint64_t time = permute(target, tree);
        cr_expect(time >= WIRE && time <= WIRE + FAR, "shift %u: %llu ps", shift,
                  (unsigned long long)time);
    }
}

/* Reversing the digits gives all nodes of a leaf the same last digit of their targets, so they
 * share one up link: three of them, since the fourth one's target is itself. That is what a fixed
 * spread costs. */
Test(network_topology, reversed_digits_share_up_links) {
    uint32_t target[64];
    for (uint32_t i = 0; i < 64; i++) target[i] = i % 4 * 16 + i / 4 % 4 * 4 + i / 16;
    const uint64_t time = permute(target, tree);
    cr_expect(time >= 3 * (uint64_t)WIRE && time <= 3 * (uint64_t)WIRE + FAR, "%llu ps",
              (unsigned long long)time);
}

/* Random permutations lie between. */
Test(network_topology, random_permutations_on_a_fat_tree) {
    uint32_t target[64];
    uint64_t state = 1, sum = 0;
    enum { ROUNDS = 20 };
    for (uint32_t i = 0; i < 64; i++) target[i] = i;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 63; i > 0; i--) {
            uint32_t k = (uint32_t)(network_rig_random(&state) % (i + 1)), t = target[i];
            target[i] = target[k];
            target[k] = t;
        }
        sum += permute(target, tree);
    }
    const double mean = (double)sum / ROUNDS / WIRE;
    cr_log_info("a random permutation takes %.2f times as long as a shift\n", mean);
    cr_expect(mean > 1.5 && mean < 4, "%g", mean);
}
