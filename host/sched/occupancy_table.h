/* occupancy_table.h - the free resources of each SM, and the SM for the next CTA.
 *
 * A CTA needs a CTA slot, warps, registers, shared memory and CTA barriers of one SM; CTAs of
 * several kernels may share an SM. An SM has as much shared memory as the kernel wanted whose CTA
 * came first, until it has no CTA any more; it takes no CTA of a kernel that wants more. Breadth
 * first, the search continues behind the SM that got the last CTA; depth first, it begins with SM 0
 * each time. Cycles are target cycles of the core clock.
 * Owner: the CTA handler (cta_dispatch.h), on the scheduler's thread. */
#ifndef HEDDLE_SCHED_OCCUPANCY_TABLE_H
#define HEDDLE_SCHED_OCCUPANCY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/warp_slots.h"

enum { OCCUPANCY_TABLE_MAX_CTAS = 32, OCCUPANCY_TABLE_MAX_WARPS = WARP_SLOTS_MOST }; /* of an SM */

/* Resources of one SM, and the needs of one CTA. Registers and shared memory are rounded up to the
 * hardware's units by occupancy_table_need(). */
struct occupancy_table_limits {
    uint32_t ctas, warps, registers, shared_bytes, barriers;
    enum warp_placement placement;
    uint32_t subcores;        /* each has its share of the registers; 0 counts as 1 */
    uint32_t register_unit;   /* registers of a warp are allocated in this unit */
    uint32_t shared_unit;     /* bytes */
    uint32_t shared_reserved; /* bytes that every CTA takes beside its own */
};
struct occupancy_table_need {
    uint32_t warps, shared_bytes, barriers;
    uint32_t registers; /* of a warp, with a share of those that are too few for another one */
    /* Bytes of shared memory that the kernel wants the SM to have; an SM without CTAs gets them.
     * With `exact` one that has more does not take its CTAs. */
    uint32_t shared_size;
    bool exact;
};

struct occupancy_table;
enum occupancy_table_placement { OCCUPANCY_TABLE_BREADTH_FIRST, OCCUPANCY_TABLE_DEPTH_FIRST };
/* @return HEDDLE_ERR_ARGUMENT for limits beyond the maxima above, HEDDLE_ERR_NOMEM. */
heddle_err occupancy_table_create(struct occupancy_table **out, uint32_t num_sms,
                                  const struct occupancy_table_limits *limits,
                                  enum occupancy_table_placement placement);
void occupancy_table_free(struct occupancy_table *s);

/* @return the resources that a CTA of this shape takes: threads per CTA, registers per thread,
 * bytes of shared memory, CTA barriers. It wants the SM to have all its shared memory. */
struct occupancy_table_need occupancy_table_need(const struct occupancy_table_limits *limits,
                                                 uint32_t threads, uint32_t regs,
                                                 uint32_t shared_bytes, uint32_t barriers);
/* CTAs of this shape that fit an empty SM; 0: it never fits. */
uint32_t occupancy_table_occupancy(const struct occupancy_table_limits *limits,
                                   const struct occupancy_table_need *need);

/* The place of a CTA. The table chooses warps and slot, because only the scheduler sees CTAs begin
 * and end in the order of target time: the lowest free CTA slot, and warps by limits.placement. */
struct occupancy_table_place {
    uint32_t sm, cta; /* CTA slot of the SM, below 32 */
    bool resized;     /* the SM's shared memory has become need.shared_size just now */
    struct warp_slots_of_cta warps;
};
/* Takes a place for a CTA in this cycle; cycles do not decrease from call to call. @return false:
 * no SM has room. */
bool occupancy_table_take(struct occupancy_table *s, const struct occupancy_table_need *need,
                          struct occupancy_table_place *place, uint64_t cycle);
/* Gives a place back, free from this cycle on; cycles do not decrease from call to call. */
void occupancy_table_give(struct occupancy_table *s, const struct occupancy_table_place *place,
                          const struct occupancy_table_need *need, uint64_t cycle);
/* @return the first cycle in which there is more room than at the last occupancy_table_take();
 * UINT64_MAX: none, until occupancy_table_give() is called again. */
uint64_t occupancy_table_more_at(const struct occupancy_table *s);

#endif
