/* test_packets_reference.c - exact delivery times of random traffic on a star, against a model that
 * is as simple as possible: it looks at all ports for the one that can send next, and knows no
 * pending events. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "network_rig.h"

enum { NODES = 7, MESSAGES = 400, MAX_PACKETS = 4 * MESSAGES, MTU = 4096, G = 80, LINK = 100000 };

struct setting {
    const char *sets;
    uint64_t buffer, receive_gap;
    bool cut_through;
};

struct packet {
    uint32_t source, target, message, bytes;
    uint64_t ready;      /* may leave its node: time of its message */
    uint64_t head, tail; /* first and last byte at the switch; head 0: still at its node */
    bool left;           /* the switch */
    uint64_t room_at;    /* its room at the switch is known to be free; UINT64_MAX: not yet */
    uint64_t node_room;  /* likewise, at its target */
    bool is_last;
};

struct model {
    struct packet packet[MAX_PACKETS];
    unsigned count;
    uint64_t up[NODES], down[NODES], receive[NODES]; /* free from then on */
    uint64_t delivered[MESSAGES];
};

/* When a link has room for `bytes`: the earliest time, from `from` on, at which the rooms that are
 * known to be given back suffice; UINT64_MAX: not known yet. `up`: the link to the switch. */
static uint64_t room(const struct model *m, uint32_t node, bool up, uint64_t bytes, uint64_t buffer,
                     uint64_t from) {
    uint64_t at = from;
    for (;;) {
        uint64_t used = 0, next = UINT64_MAX;
        for (unsigned i = 0; i < m->count; i++) {
            const struct packet *p = &m->packet[i];
            if (up ? p->source != node || !p->head : p->target != node || !p->left) continue;
            const uint64_t freed = up ? p->room_at : p->node_room;
            if (freed <= at) continue;
            used += p->bytes;
            if (freed < next) next = freed;
        }
        if (used + bytes <= buffer) return at;
        if (next == UINT64_MAX) return next;
        at = next;
    }
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The next packet of a node to leave it. */
static struct packet *next_up(struct model *m, uint32_t node) {
    for (unsigned i = 0; i < m->count; i++)
        if (m->packet[i].source == node && !m->packet[i].head) return &m->packet[i];
    return NULL;
}

/* The packet that waits longest at the switch for a node. */
static struct packet *next_down(struct model *m, uint32_t node, bool cut) {
    struct packet *first = NULL;
    for (unsigned i = 0; i < m->count; i++) {
        struct packet *p = &m->packet[i];
        if (p->target != node || !p->head || p->left) continue;
        uint64_t mine = cut ? p->head : p->tail, its = first ? cut ? first->head : first->tail : 0;
        if (!first || mine < its || (mine == its && p->source < first->source)) first = p;
    }
    return first;
}

/* Sends the one packet that can be sent first, of all ports. @return false: there is none. */
static bool step(struct model *m, const struct setting *s) {
    struct packet *best = NULL;
    uint64_t best_at = UINT64_MAX;
    bool best_up = false;
    for (uint32_t node = 0; node < NODES; node++) {
        struct packet *p = next_up(m, node);
        uint64_t at = p ? room(m, node, true, p->bytes, s->buffer, later(m->up[node], p->ready))
                        : UINT64_MAX;
        if (at < best_at) best = p, best_at = at, best_up = true;
        p = next_down(m, node, s->cut_through);
        at = p ? room(m, node, false, p->bytes, s->buffer,
                      later(m->down[node], s->cut_through ? p->head : p->tail))
               : UINT64_MAX;
        if (at < best_at) best = p, best_at = at, best_up = false;
    }
    if (!best) return false;
    const uint64_t time = (uint64_t)best->bytes * G;
    if (best_up) {
        m->up[best->source] = best_at + time;
        best->head = best_at + LINK;
        best->tail = best_at + time + LINK;
        return true;
    }
    const uint64_t end = later(best_at + time, best->tail);
    m->down[best->target] = end;
    best->left = true;
    best->room_at = end + LINK;
    const uint64_t taken = later(end + LINK, m->receive[best->target]);
    m->receive[best->target] = taken + s->receive_gap;
    best->node_room = taken + LINK;
    if (best->is_last) m->delivered[best->message] = taken;
    return true;
}

static void compare(const struct setting *s, uint64_t seed) {
    struct network_rig rig;
    struct model *m = calloc(1, sizeof *m);
    uint64_t at = 0;
    network_rig_create(&rig, NETWORKS, "star-100g", s->sets);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint64_t r = network_rig_random(&seed);
        const uint32_t source = (uint32_t)(r % NODES);
        /* a third to node 0, so that queues grow */
        const uint32_t target = r >> 8 & 1 ? (uint32_t)((r >> 16) % NODES) : 0;
        const uint64_t bytes = (r >> 32) % 9 * 1500;
        at += (r >> 48) % 4 * 50000;
        network_rig_send(&rig, source, target, bytes, at, i);
        for (uint64_t left = bytes;; left -= MTU) {
            const uint64_t part = left < MTU ? left : MTU;
            m->packet[m->count++] = (struct packet){.source = source,
                                                    .target = target,
                                                    .message = i,
                                                    .bytes = part ? (uint32_t)part : 1,
                                                    .ready = at,
                                                    .room_at = UINT64_MAX,
                                                    .node_room = UINT64_MAX,
                                                    .is_last = left <= MTU};
            cr_assert_leq(m->count, MAX_PACKETS);
            if (left <= MTU) break;
        }
    }
    while (step(m, s)) continue;
    network_rig_run(&rig);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        const struct network_event *e = network_rig_find(&rig, NETWORK_DELIVERED, i);
        cr_assert(e && m->delivered[i]);
        cr_assert_eq(e->at, m->delivered[i], "%s: message %u is delivered at %llu, not %llu",
                     s->sets, i, (unsigned long long)e->at, (unsigned long long)m->delivered[i]);
    }
    network_rig_free(&rig);
    free(m);
}

Test(packets_reference, random_traffic_on_a_star) {
    static const struct setting settings[] = {
        {"network.nodes=7 packet.buffer=100000000", 100000000, 0, true},
        {"network.nodes=7 packet.buffer=16384", 16384, 0, true},
        {"network.nodes=7 packet.buffer=4096", 4096, 0, true},
        {"network.nodes=7 packet.buffer=5000 packet.receive_gap=400", 5000, 400000, true},
        {"network.nodes=7 packet.buffer=9000 packet.forwarding=store_and_forward", 9000, 0, false}};
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) compare(&settings[i], seed);
}
