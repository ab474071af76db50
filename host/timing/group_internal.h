/* group_internal.h - the inside of an SM group, shared by group.c, group_count.c, group_feed.c,
 * group_l1.c, group_managed.c, group_remote.c, group_view.c and group_watch.c.
 *
 * All functions here run on the thread that simulates the group in this window (group.h). They
 * touch the group and its warps, and append commands to the batch of its core. An error goes to
 * g->failed and g->diag; advance() returns it to the fabric. Names: `sm` is the number on the GPU,
 * `slot` of a warp is the number of an operation in flight, `slot` of a CTA its CTA slot. */
#ifndef HEDDLE_TIMING_GROUP_INTERNAL_H
#define HEDDLE_TIMING_GROUP_INTERNAL_H

#include <stdbool.h>

#include "common/warp_slots.h"
#include "timing/command_waits.h"
#include "timing/core.h"
#include "timing/core_command.h"
#include "timing/group.h"
#include "timing/message.h"
#include "timing/remote_ops.h"
#include "timing/values.h"

enum { GROUP_REQUEST_FIFO = 64 }; /* coalesced requests that the core holds per warp */
enum { GROUP_LINE = 128 };        /* bytes */
enum { L2_BAR_NONE = 7 };         /* in a reply: not the last one to its request */

/* The blocks of managed memory that a CTA has accessed (group_managed.c). */
struct group_blocks {
    struct {
        uint64_t mask; /* 0: a free place */
        uint32_t number;
    } * run; /* owned */
    uint32_t room, count, last;
};

/* A CTA slot of an SM. */
struct group_cta {
    struct exec_cta *cta; /* NULL: free slot */
    const struct timing_launch *launch;
    uint64_t launch_number;
    uint64_t warps;                          /* mask of the SM's warps */
    uint8_t num_warps, warp[EXEC_MAX_WARPS]; /* warp[i]: SM's warp number of the CTA's warp i */
    bool last;                               /* no CTA is expected to follow it in the slot */
    uint64_t left; /* cycle in which its warps would have ended but for their stores, 0: none has;
                    * GROUP_LEFT_LATE: one waits for them in any case */
    struct exec_fed_counts fed;
    bool is_pe;           /* its program is one */
    uint64_t begin, pace; /* group_l1.c: its launch; from a wait to the next; 0: unknown */
    struct group_blocks blocks;
};

/* Packets of a warp, and their coalesced requests, that wait for room in the core's buffers. The
 * lists hold head .. count; the entries before head are sent. */
struct group_backlog {
    struct feed_packet *packet;
    uint8_t *num_requests;          /* coalesced requests of each packet */
    uint32_t *pc;                   /* index of the instruction of each packet */
    uint64_t *request;              /* words `line` of core_words.def */
    uint32_t head, count, capacity; /* packets */
    uint32_t request_head, request_count, request_capacity;
    uint32_t request_sent; /* coalesced requests that belong to packets sent */
};

/* Number of the Perform of a packet that tells when its warp would have ended but for its stores:
 * the one that no operation in flight has. */
enum { GROUP_LEAVES = EXEC_MAX_INFLIGHT };
#define GROUP_LEFT_LATE UINT64_MAX

/* A warp slot of an SM. */
struct group_warp {
    struct exec_warp *exec; /* NULL: the warp slot is free */
    struct group_cta *cta;
    struct feed_space space;
    struct group_backlog backlog;
    /* Packets and coalesced requests that the group sent to this slot and the core consumed. */
    uint16_t sent, consumed, requests_sent, requests_consumed; /* since reset, modulo 2^16 */
    bool held;                                                 /* the last packet sent is a Hold */
    uint32_t code_line; /* line of code of its last packet, UINT32_MAX: none yet */
    uint8_t loads;      /* dependency barriers that cover loads no instruction waited for yet */
    uint8_t hold;       /* wait mask of the Hold that is its last packet; 0: it is another one */
    bool fenced;        /* its last packet is a fence, behind which stores are waited for */
    uint32_t load_pc[MIR_NUM_BARRIERS]; /* the last of these loads */
    exec_status state;                  /* of its last run */
    uint64_t at; /* group_l1.c: when it went on last; its requests since then */
    uint32_t since;
    struct command_stage command;
    bool listed;                          /* in the group's list of warps to feed */
    uint8_t slot_sreg[EXEC_MAX_INFLIGHT]; /* per operation: the special register that it reads */
};

/* An SM: its L1, and what it has done. */
struct group_sm {
    uint32_t l1_lines;  /* L1_SIZE: that it has; 0: as many as it has at most */
    bool l1_stale;      /* FlushL1 comes before its next CTA */
    uint64_t warp_inst; /* executed by its CTAs that have ended */
};

/* Counts of a launch's CTAs that have ended here, and its first fault here. */
struct group_tally {
    uint64_t launch;
    struct exec_counts counts;
    struct exec_fault fault; /* err 0: none */
};

/* What a warp slot has sent to the core, in the order of core_watch's places: instruction, and its
 * lines above the bits of the instruction, if it is a load that looks lines up. Positions count on,
 * modulo the sizes; the rings lie elsewhere (watch.packets, watch.loads), so that a visit touches
 * little memory. */
struct group_flight {
    struct code_count *counts; /* of the warp's launch; NULL: nobody counts */
    uint8_t packet_head, packet_tail, load_head, load_tail;
    uint8_t cause; /* of its last wait for issue, a counter wait_* less wait_no_warp; 0: none yet */
    uint16_t waited; /* cycles of that wait, UINT16_MAX: that many or more */
};

/* Of the packets that the core has, group_watch.c. */
struct group_watch {
    struct group_flight *flight; /* of each warp slot; NULL: the core is not watched */
    uint32_t *packets;           /* [warp slots][size] */
    uint32_t *loads;             /* [warp slots][32] */
    uint32_t size;               /* a power of two, at most 128 */
};

/* An SM group. A worker thread writes it during a window, the driving thread between windows. */
struct timing_group {
    const struct timing_config *config;
    struct timing_wiring wiring;
    uint32_t index, num_sms;    /* number of the group; its SMs */
    struct exec_memory *memory; /* device memory, borrowed */
    struct core *core;
    struct exec_pool *pool;      /* memory of ended CTAs, for reuse */
    struct group_warp *warps;    /* [num_sms][TIMING_MAX_WARPS] */
    struct group_cta *ctas;      /* [num_sms][TIMING_MAX_CTAS] */
    struct group_sm *sms;        /* [num_sms] */
    struct group_warp **listed;  /* ring of warps that the next feed takes */
    struct group_warp **delayed; /* of those, postponed by the test of host delays */
    uint32_t list_head, num_listed;
    uint16_t latency[MIR_CLASS_COUNT]; /* issue to result, cycles */
    struct exec_trace trace;           /* records of one turn of one warp, reused */
    struct remote_ops *remote_ops;     /* operations of other groups' warps at slices here */
    struct l1_curve *l1;               /* L1 caches of other sizes */
    struct atomic_lines atomics;       /* of warps here */
    struct code_count uncounted;       /* counts of instructions that nobody asks for */
    struct group_watch watch;
    struct group_pins pins;     /* of slices here */
    struct command_waits waits; /* of warps here */
    struct command_log waits_log;
    struct command_places places; /* of the program's PE, the last that was one */
    struct values arrived;        /* values for the REMOTE or PERFORMED that comes next */
    /* Target cycles. Nothing happens here before next_cycle without a message (CORE_NEVER: nothing
     * at all); `expected` is the same of what came after the core's last run was begun. That run
     * ends at `until`. cycle_base is the target cycle of the core's cycle 0, set by FLUSH. */
    uint64_t next_cycle, expected, until, cycle_base;
    uint32_t core_until;       /* `until` in the core's own cycles */
    uint32_t core_reached;     /* in its own cycles: everything before is simulated and known */
    uint64_t not_before;       /* events get this time if they are older (run_at()); else 0 */
    uint32_t num_resident;     /* CTAs */
    uint32_t memory_reads;     /* of slices here, to which device memory has not answered */
    uint32_t num_foreign;      /* accesses under way of customers that are no SMs */
    uint32_t delay;            /* state of the random host delays, 0: off */
    struct group_tally *tally; /* launches whose counts have not been taken yet */
    uint32_t num_tallies;
    size_t cap_tallies;
    bool faulted;      /* a tally has got a fault since timing_group_faulted() */
    heddle_err failed; /* sticky: the group simulates no further */
    struct heddle_diag diag;
};

/* The warp slot of an SM of this group. */
static inline struct group_warp *group_warp_of(struct timing_group *g, uint32_t sm, uint32_t warp) {
    return &g->warps[sm / g->config->num_groups * TIMING_MAX_WARPS + warp];
}
/* The group's own component number. */
static inline uint32_t group_id_of(const struct timing_group *g) {
    return g->wiring.group_id[g->index];
}

/* Lanes of an operation of a warp here that touch sectors (a mask) of a line of device memory. */
static inline uint32_t group_lanes(const struct timing_group *g, const struct exec_warp *warp,
                                   uint8_t slot, uint32_t line, unsigned sectors) {
    uint64_t first = g->memory->base + (uint64_t)line * GROUP_LINE;
    uint32_t lanes = 0;
    for (unsigned s = 0; s < GROUP_LINE / EXEC_SECTOR; s++)
        if (sectors >> s & 1) lanes |= exec_inflight_lanes(warp, slot, first + s * EXEC_SECTOR);
    return lanes;
}

/* group_configure.c: appends the GPU's parameters, the group's number and the class table to the
 * core's batch. @return the core's error, with a general text in diag. */
heddle_err group_configure(struct timing_group *g, struct heddle_diag *diag);

/* group_feed.c */
/* Allocates the trace and the backlogs of all warp slots; g->warps exists. */
heddle_err group_feed_create(struct timing_group *g, struct heddle_diag *diag);
void group_feed_free(struct timing_group *g);
/* A CTA has ended: its warp slots are free. */
void group_end_warps(struct timing_group *g, const struct group_cta *cta, uint32_t sm);
/* Puts the warp at the end of the list of warps that the next group_feed() takes. */
void group_list(struct timing_group *g, struct group_warp *gw);
/* Runs listed warps and appends their packets to the command batch. @return true if any did. */
bool group_feed(struct timing_group *g);
/* The tally of a launch, made with the first CTA of it that ends or fails here. Valid until the
 * next call. */
struct group_tally *group_tally_of(struct timing_group *g, uint64_t launch);
/* Keeps the fault of a CTA, which is copied, if it is the first of its launch. */
void group_fault(struct timing_group *g, const struct group_cta *cta,
                 const struct exec_fault *fault);
/* Tells a warp of this group that lanes of its operation `slot` have been performed, and lists the
 * warp if it can go on. */
void group_complete(struct timing_group *g, struct group_warp *gw, uint8_t slot, uint32_t lanes);
/* group_feed.c: notes whether the CTA's program is a PE, and where its words are. */
void group_note_places(struct timing_group *g, struct group_cta *cta);
/* group_feed.c: a Perform of number `slot` in target cycle `at`. @return whether it tells that the
 * warp would have ended then but for its stores, which is noted. */
bool group_leaves(struct group_warp *gw, uint8_t slot, uint64_t at);
/* group_feed.c: lanes of a warp's operation on memory are performed in target cycle `at`; a warp
 * begins; everything that happened before `before` is known. */
void group_note_access(struct timing_group *g, struct group_warp *gw, uint8_t slot, uint32_t lanes,
                       uint64_t at);
void group_note_begin(struct timing_group *g, struct group_warp *gw, uint64_t at);
void group_waits_advance(struct timing_group *g, uint64_t before);

/* group_count.c: counts an executed instruction of a warp, for its launch and for the instruction
 * itself. `packet` is its packet, with the n coalesced requests at `line`; `access` is NULL if it
 * has none. */
void group_count(struct timing_group *g, struct group_warp *gw, const struct exec_record *r,
                 const struct feed_packet *packet, const uint64_t *line, unsigned n,
                 const struct exec_access *access);
/* Counts the packets of a backlog, none of which was sent, by the pipe that they occupy. */
void group_count_pipes(struct timing_group *g, struct group_warp *gw);

/* group_watch.c: what the core does with instructions in time. All but the first and the last only
 * if g->watch.flight. */
/* The core is made: watches it, if the configuration says so and it can be. */
void group_watch_begin(struct timing_group *g);
/* A warp begins. */
void group_watch_launch(struct timing_group *g, const struct group_warp *gw);
/* A packet of a warp was delivered: of instruction pc, with so many coalesced requests. */
void group_watch_sent(struct timing_group *g, const struct group_warp *gw,
                      const struct feed_packet *packet, uint32_t pc, unsigned lines);
/* What the core is told of a warp and what it has last told, for group_view.c: packets that have
 * not issued; the instruction of the first, UINT32_MAX: there is none; loads that have issued and
 * still look lines up. */
struct group_watched {
    uint32_t packets, pc, loads, cause, waited;
};
struct group_watched group_watch_look(const struct timing_group *g, const struct group_warp *gw);
/* The warp's CTA has ended: what its loads still look up is nobody's. */
void group_watch_end(struct timing_group *g, const struct group_warp *gw);
void group_watch_free(struct timing_group *g);

/* group_l1.c: L1 caches of other sizes. Cycles are target cycles. */
/* A warp requests sectors of a followed line (word `line`) in an operation of kind `mem`. */
void group_l1_request(struct timing_group *g, struct group_warp *gw, unsigned mem, uint64_t line);
/* A CTA begins at cycle `live`, and its SM's L1 gets its size and is emptied if that is due; or it
 * has ended at `ended`; its warps are still in place. */
void group_l1_launch(struct timing_group *g, struct group_cta *cta, uint32_t sm, uint64_t live);
void group_l1_end(struct timing_group *g, struct group_cta *cta, uint32_t sm, uint64_t ended);
/* The next instruction of a warp, with n coalesced requests. */
static inline void group_l1_note(struct timing_group *g, struct group_warp *gw,
                                 const struct feed_packet *packet, const uint64_t *line,
                                 unsigned n) {
    if (core_packet_wait_mask(packet->w)) {
        gw->at += gw->cta->pace;
        gw->since = 0;
    }
    for (unsigned i = 0; i < n; i++)
        if (lru_caches_follow(core_line_addr(&line[i]), L1_BLOCK_BITS))
            group_l1_request(g, gw, core_packet_mem(packet->w), line[i]);
}
/* Everything before `cycle` is simulated, and no CTA begins before it any more. */
void group_l1_advance(struct timing_group *g, uint64_t cycle);
/* L1 of all SMs, and caches of other sizes, are to be empty; no CTA is resident. */
void group_l1_flush(struct timing_group *g);
/* Message L1_SIZE: the next CTA of the SM, which has none now, finds an empty L1 of this size. */
void group_l1_resize(struct timing_group *g, const struct fabric_message *in);

/* group_managed.c: managed memory that migrates. A CTA accesses a block; it has ended, and CTA_DONE
 * will arrive at at_ps. */
void group_managed_access(struct group_cta *cta, uint32_t block);
void group_managed_end(const struct timing_group *g, struct group_cta *cta, uint64_t at_ps);
/* The next instruction of a warp, with n coalesced requests. */
static inline void group_managed_note(const struct timing_group *g, struct group_warp *gw,
                                      const uint64_t *line, unsigned n) {
    const struct managed_blocks *m = g->config->managed;
    if (!m || !m->any) return;
    for (unsigned i = 0; i < n; i++) {
        const uint64_t block = (core_line_addr(&line[i]) - m->first_line) >> MANAGED_LINE_BITS;
        if (block < m->count) group_managed_access(gw->cta, (uint32_t)block);
    }
}

/* group_remote.c: operations that take effect in another group than that of their warp. */
/* Passes the word of an event Request or Reply on to whose slice or SM it is, or to a customer that
 * is no SM, or to the scheduler for a line outside the GPU, with its operands. `at`: target cycle
 * of the event. */
void group_remote_pass(struct timing_group *g, const uint64_t *ev, uint64_t at);
/* The component of an SM's group, or of a customer; g->failed: there is no such customer. */
uint32_t group_remote_owner(struct timing_group *g, uint32_t sm);
/* Takes an arrived VALUES: appends its words to g->arrived. */
void group_remote_values(struct timing_group *g, const struct message_values *m);
/* Takes an arrived REMOTE: keeps its operation with its values, and gives the core its word. */
void group_remote_take(struct timing_group *g, const struct message_remote *m);
/* Performs lanes of a remote operation of a warp, or of another customer, on device memory, as its
 * slice here serves them. Sends the results to component `home` in VALUES and then PERFORMED, both
 * arriving at `at_ps`. */
void group_remote_perform(struct timing_group *g, const struct core_ev_perform *p, uint32_t home,
                          uint64_t at_ps);
/* Takes an arrived PERFORMED: writes the results from its values into the warp's operation. The
 * caller then calls group_complete(). */
void group_remote_performed(struct timing_group *g, const struct message_performed *m);

/* group_feed.c: fills diag with an error that lists what each warp waits for: the core is parked
 * and no warp can deliver packets. `cycle` is a target cycle. @return HEDDLE_ERR_DEADLOCK. */
heddle_err group_stuck(struct timing_group *g, uint64_t cycle, struct heddle_diag *diag);

/* The core's clock has 32 bits, and it compares times correctly that are less than half of that
 * apart. */
#define GROUP_MAX_CYCLES UINT64_C(0x7fffffff)

#endif
