/* gpu_customers.c - see gpu_customers.h. The customers stay in the GPU's wiring, so that a reset,
 * which makes new SM groups, keeps them. */
#include "sched/gpu_customers.h"

#include "sched/gpu_internal.h"
#include "timing/clock.h"

/* The component is as far from each group as the groups are from each other. */
static heddle_err link_groups(struct gpu *gpu, uint32_t component, struct heddle_diag *diag) {
    const unsigned parts = gpu->timing.cards.overlap ? 2 : 1;
    const uint64_t window = clock_ps(gpu->timing.window / parts, gpu->timing.khz) - 1;
    heddle_err e = HEDDLE_OK;
    if (gpu->timing.window < parts)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "core.window is %u: customers of L2 of a GPU on cards need at least %u",
                           gpu->timing.window, parts);
    for (uint32_t i = 0; i < gpu->wiring.num_groups && !e; i++)
        e = fabric_link(gpu->fabric, component, gpu->wiring.group_id[i], window, diag);
    return e;
}

heddle_err gpu_add_customer(struct gpu *gpu, uint32_t number, uint32_t component,
                            struct l2_customer **out, struct heddle_diag *diag) {
    struct timing_wiring *w = &gpu->wiring;
    const uint32_t index = number - CORE_FIRST_CUSTOMER;
    *out = NULL;
    if (!gpu->fabric)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "a GPU without timing has no customers of L2");
    if (number < CORE_FIRST_CUSTOMER || index >= TIMING_CUSTOMERS ||
        w->customer_id[index] != TIMING_NO_CUSTOMER)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "customer %u of L2 is taken, or there is none", number);
    bool linked = false;
    for (uint32_t i = 0; i < TIMING_CUSTOMERS; i++) linked |= w->customer_id[i] == component;
    heddle_err e = linked ? HEDDLE_OK : link_groups(gpu, component, diag);
    if (e) return e;
    w->customer_id[index] = component;
    scheduler_set_customers(gpu->scheduler);
    for (uint32_t i = 0; i < w->num_groups; i++)
        timing_group_set_customer(gpu->groups[i], index, component);
    *out = l2_customer_create(number, component, &gpu->timing, w, gpu->options.memory);
    return HEDDLE_OK;
}

heddle_err gpu_watch_kernels(struct gpu *gpu, uint32_t component, struct heddle_diag *diag) {
    struct timing_wiring *w = &gpu->wiring;
    const uint64_t half = clock_ps(gpu->scheduling.dispatch.half_lookahead, gpu->timing.khz) - 1;
    heddle_err e = fabric_link(gpu->fabric, w->scheduler_id, component, half, diag);
    if (e) return e;
    gpu->watcher = component;
    gpu->watched = true;
    scheduler_set_watcher(gpu->scheduler, component);
    return HEDDLE_OK;
}

void gpu_serve_host(struct gpu *gpu, uint64_t address, uint64_t bytes) {
    enum { LINE = 128 };
    const uint64_t first = address - gpu->options.memory->base;
    gpu->served_first = bytes ? (uint32_t)(first / LINE) : 0;
    gpu->served_end = bytes ? (uint32_t)((first + bytes) / LINE) : 0;
    scheduler_set_served(gpu->scheduler, gpu->served_first, gpu->served_end);
}

void gpu_perform_outside(struct gpu *gpu, uint32_t op, uint32_t lanes) {
    scheduler_perform_outside(gpu->scheduler, op, lanes);
}
