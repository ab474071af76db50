/* network_model.c - messages in flight, and their events: what both models and network.c use;
 * contracts in network_model.h. Messages are kept in a pool with a list of free places, so the
 * steady state allocates nothing. */
#include "network/network_model.h"

#include "common/memory.h"

uint32_t network_take_flight(struct network *n, const struct network_message *m,
                             uint64_t sequence) {
    uint32_t i = n->free_flight;
    if (i != NETWORK_NONE) {
        n->free_flight = n->flight[i].next;
    } else {
        if (n->num_flights == n->room)
            n->flight = heddle_grow(n->flight, &n->room, n->num_flights + 1, sizeof *n->flight,
                                    "the messages of a network");
        i = (uint32_t)n->num_flights++;
    }
    n->flight[i] = (struct network_flight){
        .message = *m, .sequence = sequence, .next = NETWORK_NONE};
    return i;
}

void network_give_flight(struct network *n, uint32_t flight) {
    n->flight[flight].next = n->free_flight;
    n->free_flight = flight;
}

void network_announce_sent(struct network *n, uint32_t flight, uint64_t at) {
    const struct network_flight *f = &n->flight[flight];
    event_heap_add(&n->heap, (struct event){.at = at,
                                            .key = event_key(EVENT_SENT, f->message.source, 0),
                                            .sequence = (uint32_t)f->sequence,
                                            .item = flight});
}

void network_announce_delivered(struct network *n, uint32_t flight, uint64_t at) {
    const struct network_flight *f = &n->flight[flight];
    event_heap_add(&n->heap, (struct event){.at = at,
                                            .key = event_key(EVENT_DELIVERED, f->message.target,
                                                             f->message.source),
                                            .sequence = (uint32_t)f->sequence,
                                            .item = flight});
}
