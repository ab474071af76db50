/* net_op.h - commands on their way: from the service threads or the CPU of one node through the
 * NICs and back.
 *
 * The service threads of the source own its kernels' operations (numbers below NET_OPS) and hand
 * each to the NIC by number; it is free again when they have seen the completion. The CPU's own
 * messages (cluster_post()) have the numbers behind, and are free when both ends know that they
 * have ended. Another node's NIC reads what was set before the NIC's first message. Threads:
 * components of the fabric; a record passes from one to another by a message. */
#ifndef HEDDLE_NODE_NET_OP_H
#define HEDDLE_NODE_NET_OP_H

#include "shmem/shmem_pe.h"

enum { NET_OPS = 1024, NET_HOST_OPS = 64512 }; /* of a PE, and of a CPU, under way at once */

/* What follows when L2 has served the last write of a message into the GPU's memory. Completions in
 * the host's memory take another way than the bytes, and must not come before them. */
enum net_then { THEN_NOTHING, THEN_TELL, THEN_COMPLETE };

/* Bytes under way. The NIC that writes them frees them with the last write, which may be after the
 * operation has ended: see nic.h. */
struct net_payload {
    uint32_t writes;    /* that have not ended */
    enum net_then then; /* when they have */
    uint8_t *ready;     /* behind the bytes: a flag for each segment that has been read */
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
    /* Addresses of the host's memory are those of this process: */
    bool place_at_host; /* of `place` and `completion`, */
    bool local_at_host, remote_at_host;
    bool of_cpu; /* a message of the CPU, which gets news instead of a completion */
};

/* The operations of all nodes, and the messages of their CPUs. */
struct net_ops {
    struct net_op *of[SHMEM_MAX_PES];     /* NET_OPS each */
    struct net_op *of_cpu[SHMEM_MAX_PES]; /* grow between windows */
};

static inline struct net_op *net_op_of(const struct net_ops *ops, uint32_t node, uint32_t number) {
    return number < NET_OPS ? &ops->of[node][number] : &ops->of_cpu[node][number - NET_OPS];
}

#endif
