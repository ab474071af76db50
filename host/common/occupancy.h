/* occupancy.h - how many CTAs of a kernel fit on one SM at a time.
 *
 * Used by the CTA scheduler for its slots and by CUDA's occupancy calls, so that both agree. */
#ifndef HEDDLE_COMMON_OCCUPANCY_H
#define HEDDLE_COMMON_OCCUPANCY_H

#include <stdint.h>

#include "common/config.h"

/* What a CTA needs. */
struct occupancy_need {
    uint32_t threads;      /* of a CTA */
    uint32_t registers;    /* of a thread */
    uint64_t shared_bytes; /* of a CTA, static and dynamic */
};

typedef enum occupancy_limit {
    OCCUPANCY_WARPS,
    OCCUPANCY_CTAS,
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
} occupancy_limit;

/* @return warps of so many registers a thread that fit on an SM: each sub-core has its share of the
 * registers, and a warp lives in one. A warp's registers are rounded up to `unit`. */
uint32_t occupancy_register_warps(uint64_t registers, uint64_t subcores, uint64_t unit,
                                  uint32_t per_thread);

/* @return CTAs of one SM, 0 when not even one fits. *limit (may be NULL): what is short first. */
uint32_t occupancy_ctas(const struct config *config, const struct occupancy_need *need,
                        occupancy_limit *limit);

/* Dynamic shared memory that each of `ctas` CTAs of an SM can have at most, in bytes, when a CTA
 * has `fixed` static bytes. */
uint64_t occupancy_dynamic_shared(const struct config *config, uint32_t ctas, uint64_t fixed);

/* "warps", "CTAs", "registers", "shared memory" */
const char *occupancy_limit_name(occupancy_limit limit);

#endif
