/* group_internal.h - the inside of an SM group, shared by group.c, group_feed.c and
 * group_remote.c. */
#ifndef HEDDLE_TIMING_GROUP_INTERNAL_H
#define HEDDLE_TIMING_GROUP_INTERNAL_H

#include <stdbool.h>

#include "timing/core.h"
#include "timing/core_command.h"
#include "timing/group.h"
#include "timing/message.h"
#include "timing/visits.h"

enum { GROUP_REQUEST_FIFO = 64 }; /* coalesced requests that the core holds per warp */
enum { GROUP_LINE = 128 };        /* bytes */

struct group_cta {
    struct exec_cta *cta; /* NULL: free slot */
    const struct timing_launch *launch;
    uint64_t launch_number;
    uint64_t warps; /* mask of the SM's warps */
    uint8_t num_warps, warp[EXEC_MAX_WARPS];
    bool last; /* no other is expected in its place */
};

/* Packets that the core's buffers had no room for yet. */
struct group_backlog {
    struct feed_packet *packet;
    uint8_t *num_requests;          /* coalesced requests of each packet */
    uint64_t *request;              /* words `line` of core_words.def */
    uint32_t head, count, capacity; /* packets */
    uint32_t request_head, request_count, request_capacity;
    uint32_t request_sent; /* coalesced requests that belong to packets sent */
};

struct group_warp {
    struct exec_warp *exec; /* NULL: the warp slot is free */
    struct group_cta *cta;
    struct feed_space space;
    struct group_backlog backlog;
    uint16_t sent, consumed, requests_sent, requests_consumed; /* since reset, modulo 2^16 */
    bool held;                                                 /* the last packet sent is a Hold */
    uint32_t code_line; /* of its last packet, UINT32_MAX: none yet */
    exec_status state;
    bool listed;
    uint8_t slot_sreg[EXEC_MAX_INFLIGHT]; /* clock register that a slot reads */
};

/* Counts of a launch's CTAs that have ended here. */
struct group_tally {
    uint64_t launch;
    struct exec_counts counts;
};

/* Words of the longest list of VALUES (group_remote.c): a byte of address and two operands of 16
 * bytes for each lane. */
enum { GROUP_MOST_VALUES = MIR_WARP_SIZE / 8 + 2 * 2 * MIR_WARP_SIZE };
_Static_assert(GROUP_MOST_VALUES % FABRIC_MESSAGE_WORDS == 0, "values fill whole messages");
struct group_values {
    uint32_t count;
    uint64_t word[GROUP_MOST_VALUES];
};

struct timing_group {
    const struct timing_config *config;
    struct timing_wiring wiring;
    uint32_t index, num_sms;
    struct exec_memory *memory;
    struct core *core;
    struct exec_pool *pool;
    struct group_warp *warps;    /* [num_sms][TIMING_MAX_WARPS] */
    struct group_cta *ctas;      /* [num_sms][TIMING_MAX_CTAS] */
    struct group_warp **listed;  /* ring of warps to look at in the next feed */
    struct group_warp **delayed; /* of those, put off by the test of host delays */
    uint32_t list_head, num_listed;
    uint16_t latency[MIR_CLASS_COUNT]; /* issue to result, cycles */
    struct exec_trace trace;           /* one turn of one warp */
    struct visits *visits;             /* operations of other groups' warps at slices here */
    struct group_values arrived;       /* of the REMOTE or PERFORMED that comes next */
    /* Target cycles; the core's own are less by cycle_base and 32 bits wide. */
    uint64_t next_cycle, cycle_base;
    uint32_t core_until;       /* what the core has been run to, its own cycles */
    uint64_t not_before;       /* events of now are no older than this */
    uint32_t num_resident;     /* CTAs */
    uint32_t delay;            /* state of the random host delays, 0: off */
    struct group_tally *tally; /* of launches that nobody has asked about yet */
    uint32_t num_tallies;
    size_t cap_tallies;
    struct exec_fault fault; /* of a warp here; err 0: none */
    uint64_t fault_launch;
    heddle_err failed;
    struct heddle_diag diag;
};

/* The SM's warp, of an SM of this group. */
static inline struct group_warp *group_warp_of(struct timing_group *g, uint32_t sm, uint32_t warp) {
    return &g->warps[sm / g->config->num_groups * TIMING_MAX_WARPS + warp];
}
static inline uint32_t group_id_of(const struct timing_group *g) {
    return g->wiring.group_id[g->index];
}

/* Lanes of an operation of a warp here that touch the sectors of a line. */
static inline uint32_t group_lanes(const struct timing_group *g, const struct exec_warp *warp,
                                   uint8_t slot, uint32_t line, unsigned sectors) {
    uint64_t first = g->memory->base + (uint64_t)line * GROUP_LINE;
    uint32_t lanes = 0;
    for (unsigned s = 0; s < GROUP_LINE / EXEC_SECTOR; s++)
        if (sectors >> s & 1) lanes |= exec_inflight_lanes(warp, slot, first + s * EXEC_SECTOR);
    return lanes;
}

heddle_err group_feed_create(struct timing_group *g, struct heddle_diag *diag);
void group_feed_free(struct timing_group *g);
/* Notes that the warp may have packets to give. */
void group_list(struct timing_group *g, struct group_warp *gw);
/* Runs listed warps and puts their packets into the command batch. @return true if any went out. */
bool group_feed(struct timing_group *g);
/* Lanes of a slot have been performed: wakes the warp. */
void group_complete(struct timing_group *g, struct group_warp *gw, uint8_t slot, uint32_t lanes);
/* group_remote.c: operations that take effect in another group than that of their warp. */
/* A request of a warp here, in *m, is about to be sent to group `to` for `at_ps`: says in *m what
 * it performs there, and sends the operands ahead. */
void group_remote_send(struct timing_group *g, struct message_remote *m, uint32_t to,
                       uint64_t at_ps);
/* VALUES has arrived. */
void group_remote_values(struct timing_group *g, const struct message_values *m);
/* A request that performs something has arrived. */
void group_remote_enter(struct timing_group *g, const struct message_remote *m);
/* A slice here performs what has arrived from group `home`; the results reach it at `at_ps`. */
void group_remote_perform(struct timing_group *g, const struct core_ev_perform *p, uint32_t home,
                          uint64_t at_ps);
/* PERFORMED has arrived: gives the warp its results. */
void group_remote_performed(struct timing_group *g, const struct message_performed *m);
/* The core is parked and no warp can deliver packets: an error that says who waits for what. */
heddle_err group_stuck(struct timing_group *g, uint64_t cycle, struct heddle_diag *diag);

/* The core's clock has 32 bits, and its comparisons hold for times less than half of that apart. */
#define GROUP_MAX_CYCLES UINT64_C(0x7fffffff)

#endif
