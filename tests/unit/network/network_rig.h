/* network_rig.h - a network with its events recorded, and traffic for it: for unit tests and
 * benchmarks. Errors end the process with a message. */
#ifndef HEDDLE_TESTS_NETWORK_RIG_H
#define HEDDLE_TESTS_NETWORK_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/network.h"

struct network_rig {
    struct network_config *config;
    struct network *network;
    struct network_event *event; /* recorded, in the order of the callbacks */
    size_t num_events, capacity;
    /* Called after each recording, may send; NULL: nothing. */
    void (*react)(struct network_rig *rig, const struct network_event *event);
    void *user;  /* of react() */
    bool forget; /* record nothing */
};

/* Creates a network from `name` in `directory` with the texts "KEY=VALUE" of `sets`, separated by
 * spaces. */
void network_rig_create(struct network_rig *rig, const char *directory, const char *name,
                        const char *sets);
void network_rig_free(struct network_rig *rig);
/* Sends a message. */
void network_rig_send(struct network_rig *rig, uint32_t source, uint32_t target, uint64_t bytes,
                      uint64_t at, uint64_t tag);
/* Performs everything. @return the time of the last delivery recorded. */
uint64_t network_rig_run(struct network_rig *rig);
/* The event of a kind of the message with this tag, NULL: there is none. */
const struct network_event *network_rig_find(const struct network_rig *rig,
                                             enum network_event_kind kind, uint64_t tag);
/* Whether two rigs recorded the same; *at: the number of the first event that differs. */
bool network_rig_same(const struct network_rig *x, const struct network_rig *y, size_t *at);

/* Runs a ring allreduce of `bytes` over all nodes: each node sends a part to the next one, and
 * the next part as soon as it has one from the node before, 2 (N - 1) times. @return its time. */
uint64_t network_rig_allreduce(struct network_rig *rig, uint64_t bytes);

/* The next number of a sequence that depends on *state alone. */
uint64_t network_rig_random(uint64_t *state);

#endif
