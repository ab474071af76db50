/* cta_dispatch.h - the CTA handler: which kernel's CTA goes to which SM, and when.
 *
 * While an SM has room, CTAs of one kernel are dispatched at its dispatch_interval. Ends of CTAs
 * are taken at the slower end_interval, which limits how fast a grid of short CTAs passes (an H100
 * starts 4,224 CTAs within 760 cycles, and takes 5,000 for as many empty ones). Owner: the
 * scheduler, which calls on its thread. Times are target cycles of the core clock. */
#ifndef HEDDLE_SCHED_CTA_DISPATCH_H
#define HEDDLE_SCHED_CTA_DISPATCH_H

#include "sched/cta_ends.h"
#include "sched/cta_log.h"
#include "sched/kernel.h"
#include "sched/occupancy_table.h"
#include "timing/group.h"

/* Parameters of the CTA handler, copied. */
struct cta_dispatch_config {
    uint64_t khz;            /* core clock */
    uint64_t half_lookahead; /* cycles from dispatch to the first cycle of a CTA */
    uint64_t replace;        /* cycles from the end of a CTA until another begins in its place */
    uint32_t num_sms;
    struct occupancy_table_limits limits;
    const struct config *gpu; /* borrowed */
    enum occupancy_table_placement placement;
    struct cta_log *log; /* borrowed: notes each CTA; NULL: nobody asks */
};
/* State of the CTA handler, a member of the scheduler. */
struct cta_dispatch {
    struct cta_dispatch_config config;
    struct occupancy_table *table; /* owned */
    uint64_t next_cycle; /* earliest next dispatch; UINT64_MAX: no SM has room until a CTA ends */
    uint64_t rest;       /* fraction of next_cycle in 1/65536 cycles, carried from CTA to CTA */
    uint64_t next_end, end_rest; /* the same of the next end of a CTA that can be taken */
};

/* @return HEDDLE_ERR_NOMEM, ARGUMENT. */
heddle_err cta_dispatch_create(struct cta_dispatch *d, const struct cta_dispatch_config *config);
void cta_dispatch_free(struct cta_dispatch *d);

/* `queue`: the active kernels, linked by `next` in order of start. @return the cycle of the next
 * dispatch, UINT64_MAX: none before a CTA ends. */
uint64_t cta_dispatch_next(const struct cta_dispatch *d, const struct kernel *queue);
/* Dispatches the CTA whose turn it is in this cycle, if an SM has room: takes its place in the
 * occupancy table, counts it in its kernel, and sends CTA_LAUNCH to the SM's group, arriving half a
 * look-ahead later. `cycle` is the result of cta_dispatch_next() for the same queue. */
void cta_dispatch_one(struct cta_dispatch *d, struct kernel *queue, uint64_t cycle,
                      const struct timing_wiring *wiring);
/* Takes the end of a CTA of k, one behind another at the kernel's end_interval, and frees its place
 * so that launch.replace is kept from then on. @return the cycle in which the end was taken; the
 * CTA's own cycles are those of struct cta_end. */
uint64_t cta_dispatch_retire(struct cta_dispatch *d, struct kernel *k, const struct cta_end *end);

#endif
