/* cta_dispatch.h - the CTA handler: which kernel's CTA goes to which SM, and when.
 *
 * While an SM has room, CTAs of one kernel are dispatched at its dispatch_interval. Owner: the
 * scheduler, which calls on its thread. Times are target cycles of the core clock. */
#ifndef HEDDLE_SCHED_CTA_DISPATCH_H
#define HEDDLE_SCHED_CTA_DISPATCH_H

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
};
/* State of the CTA handler, a member of the scheduler. */
struct cta_dispatch {
    struct cta_dispatch_config config;
    struct occupancy_table *table; /* owned */
    uint64_t next_cycle; /* earliest next dispatch; UINT64_MAX: no SM has room until a CTA ends */
    uint64_t rest;       /* fraction of next_cycle in 1/65536 cycles, carried from CTA to CTA */
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
/* Frees the place of a CTA of k that ended in cycle `ended`, no earlier than cycle `heard`, in
 * which the scheduler learns of the end, and so that launch.replace is kept. */
void cta_dispatch_retire(struct cta_dispatch *d, struct kernel *k,
                         const struct occupancy_table_place *place, uint64_t ended, uint64_t heard);

#endif
