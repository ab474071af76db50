/* loggp.c - a network by the LogGP model (Alexandrov, Ionescu, Schauser, Scheiman 1995).
 *
 *   source's port  --[ k G ]--g--              the next message may begin g after the last byte
 *                   \         \
 *                    L         L               the first byte arrives L after it left
 *                     \         \
 *   target's port      --[ k G ]--g--          waits until the port is free; delivered at its end
 *
 * Three choices where the literature leaves one open:
 *
 * A message of k bytes takes k G, not (k - 1) G. The difference is one byte's time; in return, no
 * schedule of messages beats the bandwidth 1/G.
 *
 * The overhead o is not charged here. It is the processor's time, before the message is at the port
 * and after it was delivered; whoever models the processor or the NIC adds it to `at`.
 *
 * The target's port takes bytes at G, too, and so do the messages of several sources one after the
 * other, in the order (arrival of the first byte, source, sequence). L and G may depend on a
 * message's length (classes). Since a shorter L must not let a message overtake an earlier one,
 * first bytes from one source arrive in the order of sending.
 *
 * Both ports' times are known when a message is sent, or when its first byte arrives, so a message
 * costs three events, and an idle node four words. */
#include <stdlib.h>

#include "network/network_model.h"

enum { CLASSES = 4 };

struct class {
    uint64_t from; /* bytes: its messages have this length or more */
    uint64_t latency;
    network_pace pace;
};

/* Times from which on a node's ports are free, and at which its last first byte arrives. */
struct ports {
    uint64_t send, receive, last_head;
};

struct loggp {
    struct network *network;
    struct class class[CLASSES];
    unsigned num_classes;
    struct ports ports[];
};

static void *create(struct network *network, const struct network_config *c) {
    struct loggp *g = calloc(1, sizeof *g + network->num_nodes * sizeof *g->ports);
    if (!g) return NULL;
    const struct {
        uint64_t from;
        double latency, byte;
    } given[CLASSES] = {{0, c->loggp_latency, c->loggp_byte},
                        {c->loggp_from_1, c->loggp_latency_1, c->loggp_byte_1},
                        {c->loggp_from_2, c->loggp_latency_2, c->loggp_byte_2},
                        {c->loggp_from_3, c->loggp_latency_3, c->loggp_byte_3}};
    g->network = network;
    for (unsigned i = 0; i < CLASSES && (i == 0 || given[i].from); i++)
        g->class[g->num_classes++] = (struct class){.from = given[i].from,
                                                    .latency = network_ps(given[i].latency),
                                                    .pace = network_pace_of(given[i].byte)};
    return g;
}

static const struct class *class_of(const struct loggp *g, uint64_t bytes) {
    unsigned i = g->num_classes - 1;
    while (bytes < g->class[i].from) i--;
    return &g->class[i];
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void send(void *self, uint32_t flight) {
    struct loggp *g = self;
    struct network *n = g->network;
    const struct network_flight *f = &n->flight[flight];
    const struct network_message *m = &f->message;
    const struct class *class = class_of(g, m->bytes);
    struct ports *p = &g->ports[m->source];
    uint64_t begin = later(m->at, p->send), end = begin + network_time(m->bytes, class->pace);
    p->send = end + n->node[m->source].send_gap;
    p->last_head = later(begin + class->latency, p->last_head);
    event_heap_add(&n->heap, (struct event){.at = p->last_head,
                                            .key = event_key(EVENT_ARRIVE, m->target, m->source),
                                            .sequence = (uint32_t)f->sequence,
                                            .item = flight});
    network_announce_sent(n, flight, end);
}

/* The first byte of a message arrives. */
static void arrive(void *self, const struct event *event) {
    struct loggp *g = self;
    struct network *n = g->network;
    const struct network_message *m = &n->flight[event->item].message;
    struct ports *p = &g->ports[m->target];
    uint64_t end = later(event->at, p->receive) +
                   network_time(m->bytes, class_of(g, m->bytes)->pace);
    p->receive = end + n->node[m->target].receive_gap;
    network_announce_delivered(n, event->item, end);
}

static uint64_t lookahead(const void *self) {
    const struct loggp *g = self;
    uint64_t least = g->class[0].latency;
    for (unsigned i = 1; i < g->num_classes; i++)
        if (g->class[i].latency < least) least = g->class[i].latency;
    return least;
}

static void count(const void *self, struct network_counters *out) {
    (void)self;
    (void)out;
}

static size_t memory(const void *self) {
    const struct loggp *g = self;
    return sizeof *g + g->network->num_nodes * sizeof *g->ports;
}

const struct network_model network_loggp = {.create = create,
                                            .free = free,
                                            .send = send,
                                            .event = arrive,
                                            .lookahead = lookahead,
                                            .count = count,
                                            .memory = memory};
