/* cta_ends.h - CTAs that have ended on their SMs and that the scheduler has not retired yet: those
 * of this window, and those whose blocks of managed memory are not all on the GPU.
 *
 * A CTA is retired when all blocks that it has accessed are on the GPU. For its loads that is so
 * when it ends, since they have waited (absent_reads.h), unless L1 or L2 had their lines. Stores
 * are posted: the CTA's end waits for them.
 *
 * Owner: the scheduler, on whose thread all functions run. Only a new maximum allocates, and a CTA
 * that has to wait. */
#ifndef HEDDLE_SCHED_CTA_ENDS_H
#define HEDDLE_SCHED_CTA_ENDS_H

#include "sched/fault_service.h"
#include "sched/kernel.h"
#include "timing/message.h"

/* A CTA that has ended. Cycles are target cycles of the core clock. */
struct cta_end {
    uint64_t cycle_heard, cycle_ended, cycle_left, warp_inst;
    struct kernel *kernel;
    struct occupancy_table_place place;
    uint32_t first_accessed, num_accessed; /* its blocks in cta_ends.accessed, ... */
    struct message_accessed *accessed;     /* ... and a copy that it owns while it waits; or NULL */
};

/* Zeros at first. */
struct cta_ends {
    struct cta_end *done; /* of this window, in order; those before `heard` were taken */
    uint32_t num_done, heard;
    struct cta_end *waiting;              /* in the order in which they ended */
    uint32_t num_waiting, next, num_kept; /* next: the first that cta_ends_wake() has not asked; of
                                           * those before, so many go on waiting */
    struct message_accessed *accessed;    /* of this window; the last ones, from num_owned on, of
                                           * the CTA_DONE that comes next */
    uint32_t num_accessed, num_owned;
    size_t cap_done, cap_waiting, cap_accessed;
};

void cta_ends_clear(struct cta_ends *e); /* frees what it owns */
/* Messages of the window about managed memory: ACCESSED, which belongs to the CTA_DONE that follows
 * it, and FAULT and HOST_TOUCH, which go on to the service. */
void cta_ends_receive(struct cta_ends *e, struct fault_service *s, const struct fabric_message *in);
/* What a CTA_DONE says, which arrived in cycle `heard`, about a CTA of the kernel. */
struct cta_end cta_end_of(const struct message_cta_done *m, struct kernel *kernel, uint64_t heard);
/* A CTA_DONE of the window; *d has all but the blocks. */
void cta_ends_add(struct cta_ends *e, const struct cta_end *d);
/* @return the next CTA of the window, NULL: there is none. Valid until the next call. */
const struct cta_end *cta_ends_next(const struct cta_ends *e);
/* Takes it. @return true: it can be retired; false: it waits for faults, which were reported at
 * at_ps. *d is valid until the next call either way. */
bool cta_ends_take(struct cta_ends *e, struct fault_service *s, uint64_t at_ps, struct cta_end *d);
/* The window is over: all of it were taken. */
void cta_ends_finish(struct cta_ends *e);
/* Blocks have come at at_ps: takes the next CTA that waits no longer. What a CTA needs and what has
 * gone again faults anew. To be called until it returns false: there are no more. */
bool cta_ends_wake(struct cta_ends *e, struct fault_service *s, uint64_t at_ps, struct cta_end *d);

#endif
