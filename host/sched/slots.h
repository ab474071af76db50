/* slots.h - the scheduler's SM table: what each SM has free, and where the next CTA goes.
 *
 * A CTA needs a CTA slot, warps, registers, shared memory and CTA barriers of one SM, which CTAs of
 * several kernels may share. Breadth first, the search goes on behind the SM that got the last one;
 * depth first, it begins with SM 0 each time. Single thread. */
#ifndef HEDDLE_SCHED_SLOTS_H
#define HEDDLE_SCHED_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum { SLOTS_MAX_CTAS = 32, SLOTS_MAX_WARPS = 64 }; /* of an SM */

/* What one SM has, and what one CTA takes. Registers and shared memory are rounded up to the
 * hardware's units by slots_need(). */
struct slots_limits {
    uint32_t ctas, warps, registers, shared_bytes, barriers;
    uint32_t subcores;        /* each has its share of the registers; 0 counts as 1 */
    uint32_t register_unit;   /* registers of a warp are allocated in this unit */
    uint32_t shared_unit;     /* bytes */
    uint32_t shared_reserved; /* bytes that every CTA takes beside its own */
};
struct slots_need {
    uint32_t warps, shared_bytes, barriers;
    uint32_t registers; /* with its share of what is left over in each sub-core */
};

struct slots;
enum slots_placement { SLOTS_BREADTH_FIRST, SLOTS_DEPTH_FIRST };
heddle_err slots_create(struct slots **out, uint32_t num_sms, const struct slots_limits *limits,
                        enum slots_placement placement);
void slots_free(struct slots *s);

/* What a CTA of the given shape takes. */
struct slots_need slots_need(const struct slots_limits *limits, uint32_t threads, uint32_t regs,
                             uint32_t shared_bytes, uint32_t barriers);
/* CTAs of this shape that fit an empty SM; 0: it never fits. */
uint32_t slots_occupancy(const struct slots_limits *limits, const struct slots_need *need);

/* Where a CTA lives. Warps and slot are chosen here, the lowest free ones, since only the scheduler
 * sees CTAs come and go in the order of target time. */
struct slots_place {
    uint32_t sm, cta; /* CTA slot of the SM, below 32 */
    uint64_t warps;   /* mask: consecutive numbers are in different sub-cores */
};
/* Takes a slot in this cycle, which is not before that of the last call. @return false when no SM
 * has room. */
bool slots_take(struct slots *s, const struct slots_need *need, struct slots_place *place,
                uint64_t cycle);
/* Gives it back, free from this cycle on; cycles do not decrease from call to call. */
void slots_give(struct slots *s, const struct slots_place *place, const struct slots_need *need,
                uint64_t cycle);
/* The first cycle in which there is more room than at the last slots_take(), UINT64_MAX: not before
 * another slots_give(). */
uint64_t slots_more_at(const struct slots *s);

#endif
