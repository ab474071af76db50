/* network_model.h - what the models behind network.h have in common: messages in flight, pending
 * events, and the functions that network.c calls. Only for files of host/network. */
#ifndef HEDDLE_NETWORK_NETWORK_MODEL_H
#define HEDDLE_NETWORK_NETWORK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/event_heap.h"
#include "network/network.h"

#define NETWORK_NONE UINT32_MAX /* no message, no packet */

/* Kinds of events, in their order at one time. Arrivals come first: they may deliver at this very
 * time. Callbacks come before a port wakes up, so that it chooses among what they send, too. */
enum network_kind { EVENT_ARRIVE, EVENT_SENT, EVENT_DELIVERED, EVENT_WAKE };

/* A message in flight. */
struct network_flight {
    struct network_message message;
    uint64_t sequence;
    uint32_t next; /* in a list of its model, or of free places */
};

/* What network.c keeps for a node. */
struct network_node {
    uint64_t last_at;  /* of its last message */
    uint64_t sequence; /* of its next message */
    uint64_t send_gap, receive_gap;
};

/* A model. `self` is what create() returned; NULL is never passed. */
struct network_model {
    /* @return NULL without memory. */
    void *(*create)(struct network *network, const struct network_config *config);
    void (*free)(void *self);
    /* Takes a message, which network_send() has checked. */
    void (*send)(void *self, uint32_t flight);
    /* Takes an event of kind EVENT_ARRIVE or EVENT_WAKE. */
    void (*event)(void *self, const struct event *event);
    uint64_t (*lookahead)(const void *self);
    void (*count)(const void *self, struct network_counters *out);
    size_t (*memory)(const void *self);
};

/* A network; models read and write `heap` and `flight` through the functions below. */
struct network {
    const struct network_model *model;
    void *self;
    network_event_fn happened;
    void *user;
    uint64_t now;
    struct event_heap heap;
    struct network_node *node;
    uint32_t num_nodes;
    struct network_flight *flight; /* a pool: messages are numbers in it, since it moves */
    size_t num_flights, room;      /* places that were ever used, and that there are */
    uint32_t free_flight;          /* list of free places */
    struct network_counters counters;
};

/* A place of the pool for a message, which it copies. Pointers into the pool become invalid. */
uint32_t network_take_flight(struct network *network, const struct network_message *message,
                             uint64_t sequence);
void network_give_flight(struct network *network, uint32_t flight);

/* Announces that a message's last byte leaves at `at`, or is at its target at `at`, which are later
 * than now; or now, from send() or for an arrival. After the delivery the message is gone. */
void network_announce_sent(struct network *network, uint32_t flight, uint64_t at);
void network_announce_delivered(struct network *network, uint32_t flight, uint64_t at);

/* A rate as time per byte, in 2^-32 ps: exact for rates that divide 10^12, such as 12.5 GB/s. */
typedef uint64_t network_pace;
static inline network_pace network_pace_of(double ps_per_byte) {
    return (network_pace)(ps_per_byte * 4294967296.0 + 0.5);
}
__extension__ typedef unsigned __int128 network_u128;
/* Time for `bytes`, rounded up: no transfer is ever faster than its link. */
static inline uint64_t network_time(uint64_t bytes, network_pace pace) {
    return (uint64_t)(((network_u128)bytes * pace + 0xffffffffu) >> 32);
}
/* Nanoseconds of a configuration in ps; a positive time is at least 1 ps. */
static inline uint64_t network_ps(double ns) {
    uint64_t ps = (uint64_t)(ns * 1000 + 0.5);
    return ps == 0 && ns > 0 ? 1 : ps;
}

extern const struct network_model network_loggp, network_packets;

#endif
