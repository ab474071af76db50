/* packets.c - a network of switches that queue packets, with credits for finite buffers.
 *
 *   node --> [ buffer | switch: a queue for each port ] --> [ buffer | switch ] --> node
 *
 * A message leaves its node as packets of at most the MTU. Each link has a buffer at its end for
 * each virtual channel. A port sends a packet only if the buffer ahead has room for all of it; the
 * credits are the room that the port knows of, and come back one flight time after the packet's
 * last byte has left that buffer. So no buffer overflows, and none is needed for packets that wait
 * for nothing. network_topology.c says why waiting never closes a circle.
 *
 * A packet that has arrived is in the queue of the port that its route names, while its bytes still
 * count in the buffer of the link that it came on. A port sends in the order of arrival, except
 * that a virtual channel without credits lets the others pass. Packets that arrive at one time are
 * ordered by link. Crossing a switch takes a fixed latency and is not limited otherwise.
 *
 * Cut-through: a packet may leave when its first byte is there; its last byte leaves no sooner than
 * it came in, so behind a slow link the packet occupies a fast one longer. A message's node
 * occupies its own link only: nodes take packets as they come, with a gap between two.
 *
 * Few events are needed. A packet costs one per switch where ports are free. A port that waits is
 * woken when its link is free or when the first credits return; credits that nobody waits for are
 * kept in a list and added when the port next looks. The last link's end is computed, since nothing
 * else can happen on it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "network/network_model.h"
#include "network/network_topology.h"

/* Credits on their way back. */
struct credit {
    uint64_t at;
    uint32_t bytes, next;
};

/* A virtual channel of a port. */
struct lane {
    uint32_t first, last;       /* packets that wait; not of nodes' ports */
    uint32_t returning, latest; /* credits on their way, by time */
    uint32_t credits;           /* bytes */
};

struct port {
    uint64_t busy;          /* the link is free from then on */
    uint64_t wake;          /* time of its pending EVENT_WAKE, or EVENT_NEVER */
    uint64_t stalled_since; /* while `stalled` */
    uint32_t to;            /* node or switch at the link's end */
    uint32_t arrivals;      /* packets that were queued so far */
    uint8_t class;          /* enum link_class */
    bool to_node, stalled;
};

struct packet {
    uint64_t tail;          /* its last byte may leave its switch no sooner */
    uint32_t flight, wire;  /* its message, its bytes with the header */
    uint32_t link, arrival; /* that it is on or came on; place in the order of its queue */
    uint32_t next;          /* in its queue, or of free places */
    uint8_t channel;        /* of `link` */
    bool is_last;           /* of its message */
};

/* A node: its messages that wait, and when its receiving side is free. */
struct node {
    uint32_t first, last; /* flights */
    uint64_t left;        /* bytes of `first` that have not left */
    uint64_t receive;
};

struct packets {
    struct network *network;
    struct network_topology topology;
    uint64_t latency[LINK_CLASSES], switch_latency;
    network_pace pace[LINK_CLASSES];
    bool cut_through;
    uint32_t mtu, header, buffer, num_ports;
    struct port *port;
    struct lane *lane; /* [port][channel] */
    struct node *node;
    struct packet *packet; /* pools: their places are numbers, since they move */
    struct credit *credit;
    size_t num_packets, room_packets, num_credits, room_credits;
    uint32_t free_packet, free_credit;
    uint64_t sent, stalled_ps, fullest;
};

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static struct lane *lane_of(struct packets *s, uint32_t port, unsigned channel) {
    return &s->lane[(size_t)port * s->topology.channels + channel];
}

/* ---- pools */

static uint32_t take_packet(struct packets *s) {
    uint32_t i = s->free_packet;
    if (i != NETWORK_NONE) {
        s->free_packet = s->packet[i].next;
        return i;
    }
    if (s->num_packets == s->room_packets)
        s->packet = heddle_grow(s->packet, &s->room_packets, s->num_packets + 1, sizeof *s->packet,
                                "the packets of a network");
    return (uint32_t)s->num_packets++;
}

static void give_packet(struct packets *s, uint32_t i) {
    s->packet[i].next = s->free_packet;
    s->free_packet = i;
}

static uint32_t take_credit(struct packets *s) {
    uint32_t i = s->free_credit;
    if (i != NETWORK_NONE) {
        s->free_credit = s->credit[i].next;
        return i;
    }
    if (s->num_credits == s->room_credits)
        s->credit = heddle_grow(s->credit, &s->room_credits, s->num_credits + 1, sizeof *s->credit,
                                "the credits of a network");
    return (uint32_t)s->num_credits++;
}

/* ---- credits */

/* Wakes a port at `at`, unless it wakes up before. */
static void wake(struct packets *s, uint32_t port, uint64_t at) {
    if (at >= s->port[port].wake) return;
    s->port[port].wake = at;
    event_heap_add(&s->network->heap,
                   (struct event){.at = at, .key = event_key(EVENT_WAKE, port, 0), .item = port});
}

/* The room of a packet, in the buffer at the end of its link, is free from `at` on. The port that
 * sent it there knows one flight time later. */
static void return_credit(struct packets *s, const struct packet *p, uint64_t at) {
    const struct port *port = &s->port[p->link];
    struct lane *lane = lane_of(s, p->link, p->channel);
    const uint32_t mine = take_credit(s);
    at += s->latency[port->class];
    /* Mostly the latest of its list: packets come and go in order where no queue is long. */
    uint32_t *place = &lane->returning;
    if (*place != NETWORK_NONE && s->credit[lane->latest].at <= at)
        place = &s->credit[lane->latest].next;
    while (*place != NETWORK_NONE && s->credit[*place].at <= at) place = &s->credit[*place].next;
    s->credit[mine] = (struct credit){.at = at, .bytes = p->wire, .next = *place};
    *place = mine;
    if (s->credit[mine].next == NETWORK_NONE) lane->latest = mine;
    if (port->stalled) wake(s, p->link, at);
}

/* Adds the credits that have come back. */
static void collect_credits(struct packets *s, struct lane *lane) {
    while (lane->returning != NETWORK_NONE) {
        struct credit *c = &s->credit[lane->returning];
        if (c->at > s->network->now) return;
        const uint32_t i = lane->returning;
        lane->credits += c->bytes;
        assert(lane->credits <= s->buffer);
        lane->returning = c->next;
        c->next = s->free_credit;
        s->free_credit = i;
    }
}

/* A port has packets, but no credits for them: it waits for those on their way to this lane, or,
 * as a stalled port, for return_credit(). */
static void stall(struct packets *s, uint32_t i, const struct lane *lane) {
    struct port *port = &s->port[i];
    if (!port->stalled) port->stalled_since = s->network->now;
    port->stalled = true;
    if (lane->returning != NETWORK_NONE) wake(s, i, s->credit[lane->returning].at);
}

/* ---- sending */

/* A port begins to send a packet, for which it has credits. The link is busy until the last byte
 * has left, which is returned, and `gap` longer. */
static uint64_t transmit(struct packets *s, uint32_t i, uint32_t packet, unsigned channel,
                         uint64_t gap) {
    struct port *port = &s->port[i];
    struct packet *p = &s->packet[packet];
    struct lane *lane = lane_of(s, i, channel);
    const uint64_t now = s->network->now, latency = s->latency[port->class];
    const uint64_t end = later(now + network_time(p->wire, s->pace[port->class]), p->tail);
    if (port->stalled) s->stalled_ps += now - port->stalled_since;
    port->stalled = false;
    port->busy = end + gap;
    assert(p->wire <= lane->credits);
    lane->credits -= p->wire;
    if (s->buffer - lane->credits > s->fullest) s->fullest = s->buffer - lane->credits;
    if (p->link != NETWORK_NONE) return_credit(s, p, end);
    p->link = i;
    p->channel = (uint8_t)channel;
    if (port->to_node) {
        struct node *node = &s->node[port->to];
        uint64_t taken = later(end + latency, node->receive);
        node->receive = taken + s->network->node[port->to].receive_gap;
        return_credit(s, p, taken);
        if (p->is_last) network_announce_delivered(s->network, p->flight, taken);
        give_packet(s, packet);
        return end;
    }
    const uint64_t flight = latency + s->switch_latency;
    p->tail = end + flight;
    event_heap_add(&s->network->heap, (struct event){.at = (s->cut_through ? now : end) + flight,
                                                     .key = event_key(EVENT_ARRIVE, i, 0),
                                                     .item = packet});
    return end;
}

/* A switch's port, whose link may be free, sends the packet that came first among those that have
 * credits, or waits. */
static void serve_port(struct packets *s, uint32_t i) {
    struct port *port = &s->port[i];
    struct lane *best = NULL;
    const unsigned channels = s->topology.channels;
    unsigned best_channel = 0;
    bool waiting = false, more = false;
    for (unsigned channel = 0; channel < channels; channel++) {
        struct lane *lane = lane_of(s, i, channel);
        if (lane->first == NETWORK_NONE) continue;
        if (s->network->now < port->busy) {
            wake(s, i, port->busy);
            return;
        }
        collect_credits(s, lane);
        const struct packet *p = &s->packet[lane->first];
        if (p->wire > lane->credits) {
            waiting = true;
        } else if (!best || (int32_t)(p->arrival - s->packet[best->first].arrival) < 0) {
            best = lane;
            best_channel = channel;
        }
    }
    if (best) {
        const uint32_t packet = best->first;
        best->first = s->packet[packet].next;
        transmit(s, i, packet, best_channel, 0);
        for (unsigned channel = 0; channel < channels; channel++)
            more |= lane_of(s, i, channel)->first != NETWORK_NONE;
        if (more) wake(s, i, port->busy);
    } else if (waiting) {
        for (unsigned channel = 0; channel < channels; channel++)
            if (lane_of(s, i, channel)->first != NETWORK_NONE) stall(s, i, lane_of(s, i, channel));
    }
}

/* A node's port, whose link may be free, sends a packet of its first message, or waits. */
static void serve_node(struct packets *s, uint32_t i) {
    struct node *node = &s->node[i];
    struct network *n = s->network;
    if (node->first == NETWORK_NONE) return;
    const struct network_flight *f = &n->flight[node->first];
    const uint64_t ready = later(f->message.at, s->port[i].busy);
    if (n->now < ready) {
        wake(s, i, ready);
        return;
    }
    struct lane *lane = lane_of(s, i, 0);
    const uint32_t payload = node->left < s->mtu ? (uint32_t)node->left : s->mtu;
    const uint32_t bytes = payload + s->header, wire = bytes ? bytes : 1;
    collect_credits(s, lane);
    if (wire > lane->credits) {
        stall(s, i, lane);
        return;
    }
    const uint32_t packet = take_packet(s), flight = node->first;
    node->left -= payload;
    s->packet[packet] = (struct packet){
        .flight = flight, .wire = wire, .link = NETWORK_NONE, .is_last = node->left == 0};
    s->sent++;
    const uint64_t end = transmit(s, i, packet, 0, n->node[i].send_gap);
    if (node->left == 0) {
        network_announce_sent(n, flight, end);
        node->first = f->next;
        if (node->first != NETWORK_NONE) node->left = n->flight[node->first].message.bytes;
    }
    if (node->first != NETWORK_NONE)
        wake(s, i, later(n->flight[node->first].message.at, s->port[i].busy));
}

/* ---- the model's functions */

static void send(void *self, uint32_t flight) {
    struct packets *s = self;
    struct network_flight *flights = s->network->flight;
    const struct network_message *m = &flights[flight].message;
    struct node *node = &s->node[m->source];
    if (node->first != NETWORK_NONE) {
        flights[node->last].next = flight;
    } else {
        node->first = flight;
        node->left = m->bytes;
        wake(s, m->source, later(m->at, s->port[m->source].busy));
    }
    node->last = flight;
}

/* A packet is at the end of its link and through the switch: it joins the queue of its next one. */
static void arrive(struct packets *s, uint32_t packet) {
    struct packet *p = &s->packet[packet];
    const struct network_message *m = &s->network->flight[p->flight].message;
    const uint32_t at = s->port[p->link].to;
    const struct topology_hop hop = topology_route(&s->topology, at, m->source, m->target);
    const uint32_t next = s->topology.nodes + at * s->topology.radix + hop.port;
    struct lane *lane = lane_of(s, next, hop.channel);
    p->arrival = s->port[next].arrivals++;
    p->next = NETWORK_NONE;
    if (lane->first == NETWORK_NONE)
        lane->first = packet;
    else
        s->packet[lane->last].next = packet;
    lane->last = packet;
    serve_port(s, next);
}

static void event(void *self, const struct event *event) {
    struct packets *s = self;
    if (event_kind(event->key) == EVENT_ARRIVE) {
        arrive(s, event->item);
        return;
    }
    struct port *port = &s->port[event->item];
    if (port->wake != event->at) return; /* it was woken before, and needs this no more */
    port->wake = EVENT_NEVER;
    if (event->item < s->topology.nodes)
        serve_node(s, event->item);
    else
        serve_port(s, event->item);
}

static uint64_t lookahead(const void *self) {
    const struct packets *s = self;
    return 2 * s->latency[LINK_NODE] + s->switch_latency;
}

static void count(const void *self, struct network_counters *out) {
    const struct packets *s = self;
    const size_t lanes = (size_t)s->num_ports * s->topology.channels;
    out->packets = s->sent;
    out->stalled_ps = s->stalled_ps;
    out->fullest_buffer = s->fullest;
    for (size_t i = 0; i < lanes; i++) {
        uint64_t room = s->lane[i].credits;
        for (uint32_t c = s->lane[i].returning; c != NETWORK_NONE; c = s->credit[c].next)
            room += s->credit[c].bytes;
        out->held_bytes += s->buffer - room;
    }
}

static size_t memory(const void *self) {
    const struct packets *s = self;
    return sizeof *s + s->num_ports * (sizeof *s->port + s->topology.channels * sizeof *s->lane) +
           s->topology.nodes * sizeof *s->node + s->room_packets * sizeof *s->packet +
           s->room_credits * sizeof *s->credit;
}

/* ---- building */

static void destroy(void *self) {
    struct packets *s = self;
    free(s->port);
    free(s->lane);
    free(s->node);
    free(s->packet);
    free(s->credit);
    free(s);
}

/* Joins the ports of nodes and switches. */
static void build_ports(struct packets *s) {
    const struct network_topology *t = &s->topology;
    for (uint32_t i = 0; i < s->num_ports; i++) {
        struct topology_link link = {.class = LINK_NODE};
        if (i < t->nodes)
            link.to = topology_first(t, i);
        else
            topology_link(t, (i - t->nodes) / t->radix, (i - t->nodes) % t->radix, &link);
        s->port[i] = (struct port){.wake = EVENT_NEVER,
                                   .to = link.to,
                                   .class = (uint8_t)link.class,
                                   .to_node = link.to_node};
        for (unsigned channel = 0; channel < t->channels; channel++)
            *lane_of(s, i, channel) = (struct lane){.first = NETWORK_NONE,
                                                    .last = NETWORK_NONE,
                                                    .returning = NETWORK_NONE,
                                                    .latest = NETWORK_NONE,
                                                    .credits = s->buffer};
    }
    for (uint32_t i = 0; i < t->nodes; i++)
        s->node[i] = (struct node){.first = NETWORK_NONE, .last = NETWORK_NONE};
}

static void *create(struct network *network, const struct network_config *c) {
    const double latency[LINK_CLASSES] = {c->link_latency, c->local_latency, c->global_latency},
                 rate[LINK_CLASSES] = {c->link_rate, c->local_rate, c->global_rate};
    struct packets *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->network = network;
    s->topology = topology_of(c);
    s->switch_latency = network_ps(c->switch_latency);
    s->cut_through = !strcmp(c->forwarding, "cut_through");
    s->mtu = (uint32_t)c->mtu;
    s->header = (uint32_t)c->header;
    s->buffer = (uint32_t)c->buffer;
    s->free_packet = s->free_credit = NETWORK_NONE;
    for (unsigned i = 0; i < LINK_CLASSES; i++) {
        s->latency[i] = network_ps(latency[i]);
        s->pace[i] = network_pace_of(1000 / rate[i]); /* GB/s to ps/B */
    }
    const struct network_topology *t = &s->topology;
    s->num_ports = t->nodes + t->switches * t->radix;
    s->port = malloc(s->num_ports * sizeof *s->port);
    s->lane = malloc((size_t)s->num_ports * t->channels * sizeof *s->lane);
    s->node = malloc(t->nodes * sizeof *s->node);
    if (!s->port || !s->lane || !s->node) {
        destroy(s);
        return NULL;
    }
    build_ports(s);
    return s;
}

const struct network_model network_packets = {.create = create,
                                              .free = destroy,
                                              .send = send,
                                              .event = event,
                                              .lookahead = lookahead,
                                              .count = count,
                                              .memory = memory};
