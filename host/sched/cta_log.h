/* cta_log.h - the CTAs of a window, for who hears of them (struct gpu_timeline): where each ran,
 * and from when to when.
 *
 * Threads: the scheduler notes CTAs on its thread during a window; the GPU takes them between
 * windows. Cycles are target cycles of the core clock. Only a new maximum of CTAs of a window
 * allocates. */
#ifndef HEDDLE_SCHED_CTA_LOG_H
#define HEDDLE_SCHED_CTA_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "sched/occupancy_table.h"

struct kernel;

/* A CTA that has ended. */
struct cta_span {
    const struct kernel *kernel; /* borrowed */
    uint64_t number, begin_cycle, end_cycle;
    uint32_t sm, slot;
};

struct cta_log {
    struct cta_span *ended; /* in the order in which their ends were taken */
    size_t num_ended, cap_ended;
    struct cta_begun {
        uint64_t number, cycle;
    } * begun; /* of each CTA slot of the GPU; owned */
};

/* Of a GPU with so many SMs. Out of memory ends the process. */
struct cta_log *cta_log_create(uint32_t num_sms);
void cta_log_free(struct cta_log *log); /* accepts NULL */

/* CTA `number` of its launch takes this place; its first cycle is `cycle`. */
void cta_log_begin(struct cta_log *log, const struct occupancy_table_place *place, uint64_t number,
                   uint64_t cycle);
/* The CTA at this place, of kernel k, has ended in `cycle`. */
void cta_log_end(struct cta_log *log, const struct kernel *k,
                 const struct occupancy_table_place *place, uint64_t cycle);

#endif
