/* nic.h - a node's NIC: carries out commands of service threads and messages of the CPU, by
 * messages to other NICs and transfers over the link to its GPU or to the host's memory.
 *
 * A put is read from the GPU in segments, each of which is sent when it has come; the target writes
 * it and acknowledges the last one. A get is a request, and segments that come back. An atomic is
 * done by the target's L2. A completion is a word that the NIC writes into the memory where the
 * service thread polls for it. Of a message of the CPU it tells both CPUs (enum bus_news). Messages
 * of one source to one target arrive in order, and the bus (bus.h) writes them in order.
 *
 * The NIC acknowledges a put when it has handed it to the link, as InfiniBand does: whoever learns
 * of the completion and then asks this node again is ordered behind it.
 *
 * Threads: a component of the fabric. Time: ps. */
#ifndef HEDDLE_NODE_NIC_H
#define HEDDLE_NODE_NIC_H

#include "node/bus.h"
#include "node/net_op.h"

/* What travels between NICs. */
enum nic_packet_kind {
    NIC_PUT,         /* a segment of a put */
    NIC_PUT_DONE,    /* the target has it all */
    NIC_GET,         /* asks for bytes */
    NIC_GET_DATA,    /* a segment of them */
    NIC_ATOMIC,      /* asks for an atomic */
    NIC_ATOMIC_DONE, /* with its result */
};
struct nic_packet {
    enum nic_packet_kind kind;
    uint32_t source;  /* PE that sends it */
    uint32_t pe, op;  /* whose operation, its number there */
    uint32_t segment; /* number of a PUT or GET_DATA */
};

/* What the NIC does to others; called from within nic_ functions. */
struct nic_events {
    /* Sends a packet of `bytes` to the node; its first byte is at the network's port at at_ps. */
    void (*send)(void *user, uint32_t to, const struct nic_packet *packet, uint64_t bytes,
                 uint64_t at_ps);
    /* Hands a job to the bus, or with record->at_host to the host, where it arrives at at_ps. */
    void (*job)(void *user, uint32_t job, struct bus_job *record, uint64_t at_ps);
    void *user;
};

struct nic_counters {
    uint64_t commands, packets, bytes_sent, bytes_received, jobs, link_bytes;
    uint64_t command_ps; /* from doorbell to completion, of all commands */
};

struct nic;
heddle_err nic_create(struct nic **out, const struct node_config *config, uint32_t node,
                      struct net_ops *ops, const struct nic_events *events);
void nic_free(struct nic *nic); /* accepts NULL */

/* Does everything before until_ps that needs no call: takes commands that wait, one every
 * nic.command. */
void nic_advance(struct nic *nic, uint64_t until_ps);
/* When there is something to do so; UINT64_MAX: never. */
uint64_t nic_next(const struct nic *nic);
/* These come in order of time, and do first what is before it. A doorbell: operation `op` of this
 * node's PE is ready. */
void nic_take_command(struct nic *nic, uint32_t op, uint64_t at_ps);
/* The NIC has received a packet (nic.receive later than its last byte came) at at_ps. */
void nic_take_packet(struct nic *nic, const struct nic_packet *packet, uint64_t at_ps);
/* The bus has done a job; the NIC knows at at_ps. */
void nic_job_done(struct nic *nic, uint32_t job, uint64_t at_ps);
/* A PE has new rings for completions: they begin anew. Between windows. */
void nic_reset(struct nic *nic);

/* The record of a job that the bus has. */
struct bus_job *nic_job(struct nic *nic, uint32_t job);
struct nic_counters nic_get_counters(const struct nic *nic);
/* Whether it has no job under way. Between windows. */
bool nic_rests(const struct nic *nic);

#endif
