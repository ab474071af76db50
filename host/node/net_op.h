/* net_op.h - commands on their way: from the command processor of one node through the NICs and
 * back.
 *
 * The command processor of the source owns its operations and hands each to its NIC by number; it
 * is free again when the command processor has seen the completion. Another node's NIC reads what
 * was set before the NIC's first message. Threads: components of the fabric; a record passes from
 * one to another by a message. */
#ifndef HEDDLE_NODE_NET_OP_H
#define HEDDLE_NODE_NET_OP_H

#include "shmem/shmem_pe.h"

enum { NET_OPS = 1024 }; /* of a PE under way at once */

/* Bytes under way. The NIC that writes them frees them with the last write, which may be after the
 * operation has ended: see nic.h. */
struct net_payload {
    uint32_t writes; /* that have not ended */
    uint8_t *ready;  /* behind the bytes: a flag for each segment that has been read */
    uint8_t bytes[];
};

struct net_op {
    struct shmem_command command; /* checked */
    uint32_t queue, number;       /* the command's queue and its number there */
    uint32_t thread;              /* the service thread that gets the completion */
    uint64_t place;               /* where the NIC finds the command in memory */
    uint64_t completion;          /* the ring into which it writes the completion */
    uint64_t posted_ps;           /* when the NIC got it */
    bool used;                    /* it is under way */
    struct net_payload *payload;  /* the NICs': of a put or get under way */
    uint32_t arrived;             /* the NICs': segments that have arrived, */
    uint32_t sent;                /* and that have been sent */
    uint32_t behind;              /* the NIC's: the next operation, first of all, then to the same
                                   * target */
    bool fetched;                 /* the NIC's: it has the command */
    uint64_t old;                 /* result of an atomic */
};

/* The operations of all PEs. */
struct net_ops {
    struct net_op *of[SHMEM_MAX_PES]; /* NET_OPS each */
};

#endif
