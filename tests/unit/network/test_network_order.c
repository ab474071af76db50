/* test_network_order.c - results depend neither on the order in which sources post nor on the
 * windows of network_advance(); messages of a pair stay in order; wrong sends are refused. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "network_rig.h"

enum { NODES = 27, EACH = 40, MESSAGES = NODES * EACH };

/* The networks: both models, all topologies, buffers of one and of many packets. */
static const struct {
    const char *name, *sets;
} networks[] = {
    {"star-100g", "network.nodes=27 network.model=loggp loggp.receive_gap=5"},
    {"star-100g", "network.nodes=27"},
    {"star-100g", "network.nodes=27 packet.buffer=4096 packet.forwarding=store_and_forward"},
    {"fat-tree", "network.nodes=27 fat_tree.arity=3"},
    {"fat-tree", "network.nodes=27 fat_tree.arity=3 packet.buffer=4200 packet.header=64"},
    {"dragonfly", "network.nodes=27 dragonfly.groups=4 dragonfly.routers=4 dragonfly.hosts=2 "
                  "dragonfly.global_links=2 global.rate=6.25"},
    {"dragonfly", "network.nodes=27 dragonfly.groups=4 dragonfly.routers=4 dragonfly.hosts=2 "
                  "dragonfly.global_links=2 packet.buffer=4096 packet.receive_gap=40"}};
enum { NETWORKS_TESTED = sizeof networks / sizeof *networks };

/* Messages of all nodes; those of node i are [i * EACH] and on. Many have the same time. */
static void make_traffic(struct network_message *m, uint64_t state) {
    for (uint32_t source = 0; source < NODES; source++) {
        uint64_t at = 0;
        for (unsigned k = 0; k < EACH; k++) {
            uint64_t r = network_rig_random(&state);
            at += r % 3 * 100000;
            *m++ = (struct network_message){.source = source,
                                            .target = (uint32_t)(r >> 8) % NODES,
                                            .bytes = (r >> 40) % 6 * 1024,
                                            .at = at,
                                            .tag = source * EACH + k};
        }
    }
}

/* A delivery is answered, up to a depth that the tag's upper half counts. */
static void answer(struct network_rig *rig, const struct network_event *event) {
    const struct network_message *m = &event->message;
    if (event->kind != NETWORK_DELIVERED || m->tag >> 32 >= 3) return;
    /* The answers of a node need ascending times, which deliveries have; some at once. */
    uint64_t *last = rig->user;
    uint64_t at = event->at + (m->tag % 2 ? 0 : 50000);
    if (at < last[m->target]) at = last[m->target];
    last[m->target] = at;
    network_rig_send(rig, m->target, m->source, m->tag % 3 * 2000, at,
                     m->tag + (UINT64_C(1) << 32));
}

/* Posts the messages, in a random order of sources if `state` is not NULL, and runs in windows of
 * random lengths up to `window` ps (0: one window). Messages are posted in the window before the
 * one of their time. */
static void run(struct network_rig *rig, unsigned network, const struct network_message *m,
                uint64_t *state, uint64_t window, bool answers) {
    unsigned posted[NODES] = {0};
    static uint64_t last[NODES];
    memset(last, 0, sizeof last);
    network_rig_create(rig, NETWORKS, networks[network].name, networks[network].sets);
    if (answers) {
        rig->react = answer;
        rig->user = last;
        for (unsigned i = 0; i < NODES; i++)
            network_rig_send(rig, i, m[i * EACH].target, m[i * EACH].bytes, 0, m[i * EACH].tag);
    }
    uint64_t now = 0;
    for (unsigned left = answers ? 0 : MESSAGES;
         left || network_next_ps(rig->network) < UINT64_MAX;) {
        const uint64_t until = window ? now + 1 + network_rig_random(state) % window : UINT64_MAX;
        for (unsigned tries = 0; left && tries < 20 * NODES; tries++) {
            uint32_t source = state && tries < 10 * NODES
                                  ? (uint32_t)(network_rig_random(state) % NODES)
                                  : tries % NODES;
            while (posted[source] < EACH && m[source * EACH + posted[source]].at < until) {
                const struct network_message *x = &m[source * EACH + posted[source]++];
                network_rig_send(rig, x->source, x->target, x->bytes, x->at, x->tag);
                left--;
                if (state && network_rig_random(state) % 2) break;
            }
        }
        for (uint32_t source = 0; left && source < NODES; source++)
            while (posted[source] < EACH && m[source * EACH + posted[source]].at < until) {
                const struct network_message *x = &m[source * EACH + posted[source]++];
                network_rig_send(rig, x->source, x->target, x->bytes, x->at, x->tag);
                left--;
            }
        network_advance(rig->network, until);
        now = until;
    }
}

/* Whether the second event may follow the first one, by the order that network.h states. */
static bool may_follow(const struct network_event *x, const struct network_event *y) {
    const struct network_message *m = &x->message, *n = &y->message;
    if (x->at != y->at) return x->at < y->at;
    if (x->kind != y->kind) return x->kind < y->kind;
    if (x->kind == NETWORK_DELIVERED && m->target != n->target) return m->target < n->target;
    return m->source != n->source ? m->source < n->source : x->sequence < y->sequence;
}

/* Expects that all was delivered, events in order, and what one source sent to one target, too. */
static void expect_order(const struct network_rig *rig) {
    const struct network_counters c = network_get_counters(rig->network);
    uint64_t next[NODES][NODES] = {{0}};
    cr_expect(c.delivered == c.sent && c.delivered_bytes == c.sent_bytes);
    cr_expect_eq(c.held_bytes, 0);
    for (size_t i = 0; i < rig->num_events; i++) {
        const struct network_event *e = &rig->event[i];
        if (i) cr_assert(may_follow(e - 1, e), "event %zu", i);
        if (e->kind != NETWORK_DELIVERED) continue;
        cr_assert_geq(e->sequence, next[e->message.source][e->message.target]);
        next[e->message.source][e->message.target] = e->sequence + 1;
    }
}

Test(network_order, posting_order_and_windows_do_not_matter) {
    static struct network_message m[MESSAGES];
    for (unsigned i = 0; i < NETWORKS_TESTED; i++) {
        struct network_rig want;
        make_traffic(m, i);
        run(&want, i, m, NULL, 0, false);
        cr_assert_eq(want.num_events, 2 * MESSAGES);
        expect_order(&want);
        for (uint64_t seed = 1; seed <= 12; seed++) {
            static const uint64_t windows[] = {0, 1000, 200000, 3000000};
            struct network_rig got;
            uint64_t state = seed;
            size_t at;
            run(&got, i, m, &state, windows[seed % 4], false);
            cr_assert(network_rig_same(&want, &got, &at), "network %u, seed %u: event %zu", i,
                      (unsigned)seed, at);
            network_rig_free(&got);
        }
        network_rig_free(&want);
    }
}

Test(network_order, answers_from_callbacks_do_not_depend_on_windows) {
    static struct network_message m[MESSAGES];
    for (unsigned i = 0; i < NETWORKS_TESTED; i++) {
        struct network_rig want;
        make_traffic(m, 100 + i);
        run(&want, i, m, NULL, 0, true);
        cr_assert_eq(want.num_events, 8 * NODES);
        expect_order(&want);
        for (uint64_t window = 1000; window < 10000000; window *= 7) {
            struct network_rig got;
            uint64_t state = window;
            size_t at;
            run(&got, i, m, &state, window, true);
            cr_assert(network_rig_same(&want, &got, &at), "network %u, window %u: event %zu", i,
                      (unsigned)window, at);
            network_rig_free(&got);
        }
        network_rig_free(&want);
    }
}

/* Nodes that are simulated in windows of the look-ahead, and whose answers are posted between
 * windows, have the same results as with answers from callbacks. */
static void answer_later(struct network_rig *rig, const struct network_event *event) {
    const struct network_message *m = &event->message;
    if (event->kind == NETWORK_DELIVERED && m->tag >> 32 < 3)
        network_rig_send(rig, m->target, m->source, m->tag % 3 * 2000,
                         event->at + network_lookahead_ps(rig->network),
                         m->tag + (UINT64_C(1) << 32));
}

static void nothing(struct network_rig *rig, const struct network_event *event) {
    (void)rig;
    (void)event;
}

Test(network_order, windows_of_the_lookahead_are_conservative) {
    static struct network_message m[MESSAGES];
    for (unsigned i = 0; i < NETWORKS_TESTED; i++) {
        struct network_rig want, got;
        size_t at;
        make_traffic(m, 200 + i);
        network_rig_create(&want, NETWORKS, networks[i].name, networks[i].sets);
        network_rig_create(&got, NETWORKS, networks[i].name, networks[i].sets);
        want.react = answer_later;
        got.react = nothing;
        for (unsigned k = 0; k < NODES; k++) {
            network_rig_send(&want, k, m[k * EACH].target, m[k * EACH].bytes, 0, k);
            network_rig_send(&got, k, m[k * EACH].target, m[k * EACH].bytes, 0, k);
        }
        network_rig_run(&want);
        for (uint64_t next; (next = network_next_ps(got.network)) != NETWORK_NEVER;) {
            size_t from = got.num_events;
            network_advance(got.network, next + network_lookahead_ps(got.network));
            for (uint32_t node = NODES; node-- > 0;) /* another order than that of the callbacks */
                for (size_t k = from, end = got.num_events; k < end; k++)
                    if (got.event[k].message.target == node) answer_later(&got, &got.event[k]);
        }
        cr_assert(network_rig_same(&want, &got, &at), "network %u: event %zu", i, at);
        cr_expect_eq(want.num_events, 8 * NODES);
        network_rig_free(&want);
        network_rig_free(&got);
    }
}

/* No delivery is earlier than the look-ahead says. */
Test(network_order, no_message_is_faster_than_the_lookahead) {
    for (unsigned i = 0; i < NETWORKS_TESTED; i++) {
        struct network_rig rig;
        network_rig_create(&rig, NETWORKS, networks[i].name, networks[i].sets);
        for (uint32_t k = 0; k < NODES; k++) network_rig_send(&rig, 0, k, 0, 0, k);
        network_rig_run(&rig);
        for (size_t k = 0; k < rig.num_events; k++)
            if (rig.event[k].kind == NETWORK_DELIVERED)
                cr_expect_geq(rig.event[k].at, network_lookahead_ps(rig.network));
        network_rig_free(&rig);
    }
}

static void expect_refused(struct network_rig *rig, const struct network_message *m,
                           const char *text) {
    struct heddle_diag diag = {0};
    cr_expect_eq(network_send(rig->network, m, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_str_eq(diag.text, text);
}

Test(network_order, wrong_messages_are_refused) {
    struct network_rig rig;
    network_rig_create(&rig, NETWORKS, "star-100g", "network.nodes=4");
    expect_refused(&rig, &(struct network_message){.source = 1, .target = 4},
                   "a message from node 1 to node 4: the network has nodes 0 to 3");
    expect_refused(
        &rig, &(struct network_message){.bytes = (UINT64_C(1) << 40) + 1},
        "a message of node 0 of 1099511627777 bytes: at most 1099511627776 are possible");
    network_advance(rig.network, 1000);
    expect_refused(&rig, &(struct network_message){.at = 999},
                   "a message of node 0 at 999 ps: the network has reached 1000 ps");
    expect_refused(&rig, &(struct network_message){.at = NETWORK_NEVER},
                   "a message of node 0 at 18446744073709551615 ps: at most 4611686018427387904 ps "
                   "are possible");
    network_rig_send(&rig, 2, 3, 1, 5000, 0);
    expect_refused(&rig, &(struct network_message){.source = 2, .at = 4000},
                   "a message of node 2 at 4000 ps: the one before it is at 5000 ps");
    network_rig_run(&rig);
    cr_expect_eq(network_get_counters(rig.network).sent, 1);
    network_rig_free(&rig);
}
