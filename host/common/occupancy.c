/* occupancy.c - how many CTAs of a kernel fit on one SM, and what limits them; contracts in
 * occupancy.h. The CTA scheduler (sched/) and CUDA's occupancy calls use it, so they agree. Pure
 * functions, any thread. Registers are allocated per warp, and a warp lives in one sub-core, so
 * registers are divided among sub-cores first; shared memory is allocated per CTA. */
#include "common/occupancy.h"

enum { WARP = 32 };

static uint64_t round_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* @return the warps of an SM that its registers suffice for, with `per_thread` registers per thread
 * (0 counts as 1); a warp's registers are rounded up to a multiple of `unit`. */
uint32_t occupancy_register_warps(uint64_t registers, uint64_t subcores, uint64_t unit,
                                  uint32_t per_thread) {
    uint64_t of_warp = round_up((uint64_t)(per_thread ? per_thread : 1) * WARP, unit);
    return (uint32_t)(registers / subcores / of_warp * subcores);
}

/* @return the CTAs of *need per SM: the least of the numbers that warps, CTA slots, registers and
 * shared memory allow; 0: not even one fits. *limit (may be NULL): the resource, the first of
 * equals. */
uint32_t occupancy_ctas(const struct config *c, const struct occupancy_need *need,
                        occupancy_limit *limit) {
    uint64_t warps = round_up(need->threads, WARP) / WARP;
    uint64_t count[4];
    count[OCCUPANCY_WARPS] = warps ? c->sm_warps / warps : 0;
    count[OCCUPANCY_CTAS] = c->sm_ctas;
    count[OCCUPANCY_REGISTERS] = UINT32_MAX;
    if (need->registers) {
        uint64_t of_warp = round_up((uint64_t)need->registers * WARP, c->sm_register_unit);
        uint64_t warps_fit = occupancy_register_warps(c->sm_registers, c->sm_subcores,
                                                      c->sm_register_unit, need->registers);
        count[OCCUPANCY_REGISTERS] = warps ? warps_fit / warps : 0;
        /* The check of a single CTA assumes that its warps spread evenly over the sub-cores. */
        if (need->registers > c->sm_registers_per_thread ||
            of_warp * round_up(warps, c->sm_warp_unit) > c->sm_registers_per_cta)
            count[OCCUPANCY_REGISTERS] = 0;
    }
    uint64_t shared = round_up(need->shared_bytes + c->sm_shared_reserved, c->sm_shared_unit);
    count[OCCUPANCY_SHARED] = shared ? c->sm_shared_bytes / shared : UINT32_MAX;
    if (need->shared_bytes > c->sm_shared_per_cta_optin) count[OCCUPANCY_SHARED] = 0;
    unsigned least = 0;
    for (unsigned i = 1; i < 4; i++)
        if (count[i] < count[least]) least = i;
    if (limit) *limit = (occupancy_limit)least;
    return (uint32_t)count[least];
}

/* @return the most bytes of dynamic shared memory per CTA with which `ctas` CTAs, each with `fixed`
 * bytes of static shared memory, fit on an SM; 0: none, or `ctas` is 0. */
uint64_t occupancy_dynamic_shared(const struct config *c, uint32_t ctas, uint64_t fixed) {
    if (ctas == 0) return 0;
    uint64_t each = c->sm_shared_bytes / ctas / c->sm_shared_unit * c->sm_shared_unit;
    if (each > c->sm_shared_per_cta_optin) each = c->sm_shared_per_cta_optin;
    uint64_t taken = fixed + c->sm_shared_reserved;
    return each > taken ? each - taken : 0;
}

const char *occupancy_limit_name(occupancy_limit limit) {
    static const char *const names[] = {"warps", "CTAs", "registers", "shared memory", "barriers"};
    return names[limit];
}
