/* network.h - the network between nodes: messages go in at one node and come out at another.
 *
 * A message is handed to the network at its source's port and delivered at its target's port.
 * Two models stand behind this interface (network_config.h chooses):
 *
 *   loggp    Each message occupies the source's port for its bytes (G) and a gap (g), arrives L
 *            later, and occupies the target's port likewise. Nothing between the ports is limited.
 *            For 10^4 to 10^5 nodes.
 *   packets  Messages become packets, which switches queue; links have latency and rate, buffers
 *            are finite, and a packet leaves only with credits for the buffer ahead. Topologies
 *            star, fat tree and dragonfly. For 10^3 to 10^4 nodes.
 *
 * Order: messages of one source to one target are delivered in the order of network_send(). A
 * source's port sends messages one after the other. A message to the source itself goes through its
 * first switch, like one to its neighbour.
 *
 * Results depend only on the messages of each source and their order: not on the order in which
 * different sources post, nor on the windows that network_advance() is called for.
 *
 * Units: picoseconds of target time; bytes. Threads: one at a time per network. Ownership: the
 * network copies messages and configuration. Out of memory for what is in flight ends the process
 * (common/memory.h); network_create() returns HEDDLE_ERR_NOMEM. */
#ifndef HEDDLE_NETWORK_NETWORK_H
#define HEDDLE_NETWORK_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "network/network_config.h"

#define NETWORK_NEVER UINT64_MAX
/* The longest message and the latest time to send one (53 days): sums of times stay below 2^64. */
#define NETWORK_MAX_BYTES (UINT64_C(1) << 40)
#define NETWORK_MAX_PS (UINT64_C(1) << 62)

struct network;

struct network_message {
    uint32_t source, target; /* nodes: 0 to network_nodes() - 1 */
    uint64_t bytes;          /* 0 to NETWORK_MAX_BYTES; a message of 0 bytes is delivered, too */
    uint64_t at;             /* its first byte is at the source's port from then on */
    uint64_t tag;            /* the sender's: a number or a pointer */
};

enum network_event_kind {
    NETWORK_SENT,     /* the last byte has left the source: its memory may be reused */
    NETWORK_DELIVERED /* the last byte is at the target's port */
};

struct network_event {
    enum network_event_kind kind;
    uint64_t at;
    uint64_t sequence; /* of the message: its source's messages are counted from 0 */
    struct network_message message;
};

/* Takes an event, in this order: by time; at one time all NETWORK_SENT, by (source, sequence), then
 * all NETWORK_DELIVERED, by (target, source, sequence). Called by network_advance() on its thread;
 * may call network_send(), for times from the event's on, but not advance or free the network. If
 * a message that it sends leaves at the same time (loggp, 0 bytes), that event follows at once. */
typedef void (*network_event_fn)(void *user, const struct network_event *event);

/* Creates a network; the config is only read. On success *out is the caller's, freed with
 * network_free(). @return HEDDLE_ERR_NOMEM, with text in diag. */
heddle_err network_create(struct network **out, const struct network_config *config,
                          network_event_fn happened, void *user, struct heddle_diag *diag);
/* Frees the network with all that is in flight. Accepts NULL. */
void network_free(struct network *network);

/* Posts a message. @return HEDDLE_ERR_ARGUMENT, with text in diag, and posts nothing: no such node,
 * too long, too late, `at` before network_now_ps() or before that of the source's last message. */
heddle_err network_send(struct network *network, const struct network_message *message,
                        struct heddle_diag *diag);

/* Performs all that happens before `until`, and calls back. An earlier time than
 * network_now_ps() does nothing. */
void network_advance(struct network *network, uint64_t until);

/* Everything before this time has been performed. Inside a callback: the event's time. */
uint64_t network_now_ps(const struct network *network);
/* The earliest time at which something may happen without a further message, or NETWORK_NEVER. It
 * need not be visible outside. */
uint64_t network_next_ps(const struct network *network);
/* The least time from a message's `at` to its delivery anywhere, 1 or more: windows of this length
 * are conservative. NETWORK_SENT may come sooner, at the source itself. */
uint64_t network_lookahead_ps(const struct network *network);

/* Sets a node's gaps, which are first those of the configuration; from the next message (loggp) or
 * packet (packets) on that its port sends or receives. A long receive gap makes a slow receiver.
 * @return HEDDLE_ERR_ARGUMENT: no such node. */
heddle_err network_set_gaps(struct network *network, uint32_t node, uint64_t send_gap_ps,
                            uint64_t receive_gap_ps, struct heddle_diag *diag);

uint32_t network_nodes(const struct network *network);

/* What has happened so far. The last four are of packets only. */
struct network_counters {
    uint64_t sent, delivered; /* messages handed to network_send(), and delivered */
    uint64_t sent_bytes, delivered_bytes;
    uint64_t events;         /* taken from the queue of events: the work that was done */
    uint64_t packets;        /* that have left their source */
    uint64_t stalled_ps;     /* time that ports had packets, but no credits, all together */
    uint64_t fullest_buffer; /* most bytes of a buffer that were reserved at once */
    uint64_t held_bytes;     /* reserved now in all buffers; 0 when nothing is in flight */
};
struct network_counters network_get_counters(const struct network *network);

/* Bytes of host memory that the network holds now. */
size_t network_memory(const struct network *network);

#endif
