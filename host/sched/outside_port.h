/* outside_port.h - accesses of a GPU's kernels to memory outside it: the host's, and that of its
 * peers (docs/timing-model.md, rules 9 and 16).
 *
 * The timing core sends requests for such lines to no slice; the SM group passes them on in REMOTE,
 * with the operands in VALUES before it, as to the group of a slice. The port sends them over the
 * link as packets: one for each run of sectors of a read or write, one for each lane of an atomic.
 * A read or atomic is answered by packets, and holds one of the link's places until then; a request
 * that finds none waits, and those behind it do. Writes are posted: no packet answers them. The SM
 * gets its acknowledgement when the write has arrived and the way back has passed, as a fence would
 * that follows it with a read. Behind the link is a memory with a latency and a bandwidth.
 *
 * Operations with memory ordering are performed when their request arrives at the memory, in order
 * of time. Ordinary loads and stores have taken effect when the warp was executed. If a component
 * reads and writes a part of the host's memory itself, it also performs the operations there, in
 * order with its own: message OUTSIDE_OP tells it when.
 *
 * The port is a part of the scheduler, since copies use the same link; all functions but
 * outside_port_perform() run on the scheduler's thread. Only a new maximum of requests
 * allocates. */
#ifndef HEDDLE_SCHED_OUTSIDE_PORT_H
#define HEDDLE_SCHED_OUTSIDE_PORT_H

#include "sched/outside_counts.h"
#include "sched/packet_link.h"
#include "timing/group.h"

/* A memory outside, and how it is reached. */
struct outside_memory {
    uint64_t latency_ps; /* of the link's way to it and back, one way */
    uint64_t access_ps;  /* arrival of a request to its data */
    uint64_t bytes_per_s;
    uint32_t places; /* reads and atomics under way, at most */
};

struct outside_config {
    uint64_t khz;                     /* core clock */
    uint32_t half_lookahead;          /* cycles */
    uint32_t net_request, net_reply;  /* cycles, between an SM and the GPU's edge */
    const struct exec_memory *memory; /* borrowed */
    uint64_t host_first, host_end;    /* lines of host memory; others are peers' */
    struct outside_memory of[OUTSIDE_KINDS];
};

struct outside_port;

/* Copies *config and *wiring; borrows the links: peers may have that of the host. @return never
 * NULL; without memory the process ends. */
struct outside_port *outside_port_create(const struct outside_config *config,
                                         const struct timing_wiring *wiring,
                                         struct packet_link *host, struct packet_link *peer);
void outside_port_free(struct outside_port *p); /* accepts NULL */

/* From now on `component` performs the operations on the lines first_line .. end_line - 1. Between
 * windows; a link of at most half a look-ahead joins it to the scheduler. */
void outside_port_serve(struct outside_port *p, uint32_t component, uint32_t first_line,
                        uint32_t end_line);
/* Performs lanes of the operation of an OUTSIDE_OP, at the message's time, on the component's
 * thread. */
void outside_port_perform(struct outside_port *p, uint32_t op, uint32_t lanes);

/* Takes REMOTE, or VALUES before it, of an SM group. @return HEDDLE_ERR_INTERNAL: it is no request,
 * or has more operands than an operation can have. */
heddle_err outside_port_receive(struct outside_port *p, const struct fabric_message *in);
/* @return when the port has something to do, or FABRIC_NEVER. */
uint64_t outside_port_next(const struct outside_port *p);
/* Does what is first. */
void outside_port_step(struct outside_port *p);
/* @return what it has moved since its creation; valid as long as the port. */
const struct outside_counts *outside_port_counts(const struct outside_port *p);

#endif
