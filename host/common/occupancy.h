/* occupancy.h - the number of CTAs of a kernel that fit on one SM at a time.
 *
 * The CTA scheduler and CUDA's occupancy calls both use it, so they agree. Pure functions. */
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

/* The resource that limits the CTAs. */
typedef enum occupancy_limit {
    OCCUPANCY_WARPS,
    OCCUPANCY_CTAS,
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
    OCCUPANCY_BARRIERS, /* CTA barriers, which occupancy_ctas() leaves out as CUDA does */
} occupancy_limit;

/* @return the number of warps with `per_thread` registers per thread that fit on an SM. Each
 * sub-core has an equal share of the registers, and a warp lives in one sub-core. A warp's
 * registers are rounded up to a multiple of `unit`. */
uint32_t occupancy_register_warps(uint64_t registers, uint64_t subcores, uint64_t unit,
                                  uint32_t per_thread);

/* @return CTAs that fit on one SM; 0: not even one. *limit (may be NULL): the resource that
 * limits them. */
uint32_t occupancy_ctas(const struct config *config, const struct occupancy_need *need,
                        occupancy_limit *limit);

/* @return the largest dynamic shared memory in bytes with which `ctas` CTAs fit on an SM, each
 * with `fixed` bytes of static shared memory. */
uint64_t occupancy_dynamic_shared(const struct config *config, uint32_t ctas, uint64_t fixed);

/* "warps", "CTAs", "registers", "shared memory", "barriers" */
const char *occupancy_limit_name(occupancy_limit limit);

#endif
