/* cpu_messages.h - messages that the CPUs of nodes send by their NICs, and what the CPUs have
 * learnt of them.
 *
 * A message is a put, from the host's or the GPU's memory of one node to that of another. It has
 * two ends: the source learns that it has been sent, the target that it has arrived.
 *
 * Threads: cpu_messages_told() is called by the component of the node that learns, in order of
 * time; all else between windows. Time: ps. */
#ifndef HEDDLE_NODE_CPU_MESSAGES_H
#define HEDDLE_NODE_CPU_MESSAGES_H

#include "common/error.h"
#include "node/bus.h"
#include "node/net_op.h"

/* A message. */
struct cluster_message {
    uint32_t source, target; /* nodes */
    uint64_t from, to;       /* addresses of device memory; 0: the host's memory */
    uint64_t bytes;
    uint64_t at_ps;      /* when the CPU rings the doorbell */
    uint32_t number;     /* the caller's, in the events */
    const uint8_t *data; /* from == 0: the bytes, borrowed until SENT */
    uint8_t *into;       /* to == 0: where they go, borrowed until ARRIVED */
};

/* What a CPU has learnt of a message. Each has both events, in either order. */
enum cluster_event_kind {
    CLUSTER_SENT,    /* to the source: its bytes may be written again */
    CLUSTER_ARRIVED, /* to the target: they are there */
};
struct cluster_event {
    enum cluster_event_kind kind;
    uint32_t source; /* of the message */
    uint32_t number; /* the message's */
    uint64_t at_ps;
};

struct cpu_messages;
/* Sets ops->of_cpu. */
struct cpu_messages *cpu_messages_create(uint32_t nodes, struct net_ops *ops);
void cpu_messages_free(struct cpu_messages *messages); /* accepts NULL */

/* Makes an operation of a message, whose nodes are right. @return its number, for the NIC's
 * doorbell, or HEDDLE_ERR_ARGUMENT in *error: NET_HOST_OPS of the source are under way. */
uint32_t cpu_messages_begin(struct cpu_messages *messages, const struct cluster_message *message,
                            heddle_err *error);
/* Node `node` learns something by a job of its NIC. */
void cpu_messages_told(struct cpu_messages *messages, uint32_t node, const struct bus_job *job,
                       uint64_t at_ps);
/* Takes the earliest event; of equal ones that of the lower node. @return false: there is none. */
bool cpu_messages_take(struct cpu_messages *messages, struct cluster_event *event);
/* The messages of a node's CPU that are under way, and the most that have been at once. */
uint32_t cpu_messages_under_way(const struct cpu_messages *messages, uint32_t node);
uint32_t cpu_messages_most(const struct cpu_messages *messages, uint32_t node);

#endif
