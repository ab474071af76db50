/* bus.h - the GPU's end of the link to its NIC: takes transactions of the NIC and makes them
 * accesses to L2.
 *
 * Jobs arrive in the order in which the NIC sent them. Those of one stream begin in it, and one
 * that is `ordered` (the first of each message of the NIC) when all earlier writes of its stream
 * have been served; so nothing of a message is visible before the one before it. The lines of a
 * job, and of the jobs of one message, are served in any order.
 *
 * A stream is what one PE does here: InfiniBand orders the messages of a pair. Streams pass each
 * other, but no job begins before writes that arrived order_ps() (bus.c) before it have been
 * served. In this time nobody can have learnt of such a write and done something that arrives as
 * another stream, which takes three messages; so whatever follows from a write is seen behind it.
 *
 * A job's record lies in its NIC and is the bus's from the message JOB to the message JOB_DONE.
 * Threads: a component of the fabric. Time: ps. */
#ifndef HEDDLE_NODE_BUS_H
#define HEDDLE_NODE_BUS_H

#include "common/error.h"
#include "node/memory_access.h"
#include "node/net_op.h"
#include "node/node_config.h"

/* What the write of a NIC into the host's memory tells the CPU of one of its messages. */
enum bus_news {
    NEWS_NONE,
    NEWS_SENT,    /* its source may be written again */
    NEWS_ARRIVED, /* it is there: told to the target's CPU */
};

/* A transfer between the NIC and memory, of any length. */
struct bus_job {
    enum access_kind kind;
    bool ordered;
    uint32_t stream; /* below BUS_STREAMS */
    bool at_host;    /* the memory is the host's, and this job not the bus's (node_cpu.h) */
    uint8_t news;    /* at_host: enum bus_news, of operation `op` of node `pe` */
    uint32_t pe, op;
    uint64_t address, bytes;
    uint8_t *data; /* read: gets the bytes; write: has them; atomic: gets 8 bytes */
    uint8_t amo;
    uint64_t operand, compare;
    /* the bus's */
    uint64_t issued, ended; /* bytes */
    uint64_t last_ps;       /* when the last answer is at the NIC */
};

/* Streams: of each PE that uses this node's memory; of each operation of this node's own PE, for
 * its results and its completion. */
enum { BUS_STREAMS = SHMEM_MAX_PES + NET_OPS };
static inline uint32_t bus_stream_of_op(uint32_t op) {
    return SHMEM_MAX_PES + op;
}

/* What the bus says. Called from within bus_ functions. */
struct bus_events {
    /* A job has ended: a read when its bytes are at the NIC, else when L2 has served it; at_ps. */
    void (*job_done)(void *user, uint32_t job, uint64_t at_ps);
    void *user;
};

struct bus;
heddle_err bus_create(struct bus **out, const struct node_config *config,
                      const struct memory_port_fns *port, void *port_self,
                      const struct bus_events *events);
void bus_free(struct bus *bus); /* accepts NULL */

/* A job arrives at at_ps; `job` is its number, *record its data. In order of time. */
void bus_take(struct bus *bus, uint32_t job, struct bus_job *record, uint64_t at_ps);
/* An access has ended at at_ps. In order of time with bus_take(). */
void bus_access_ended(struct bus *bus, const struct memory_access *access, uint64_t at_ps);

#endif
