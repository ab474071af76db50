/* gpu_reset.c - resets a GPU after a fault: drops unfinished operations and builds new components.
 * Time, records and statistics go on. Called by the CUDA layer on the server's thread. */
#include <string.h>

#include "sched/gpu_internal.h"

/* Adds the counts of the components, which are about to be freed, to those of the GPU, and raises
 * gpu->floor_ps to the time reached. */
static void keep_counts(struct gpu *gpu) {
    uint64_t to_device, to_host;
    gpu_counters(gpu, &gpu->past); /* the sum includes the old gpu->past */
    scheduler_link_bytes(gpu->scheduler, &to_device, &to_host);
    gpu->to_device += to_device;
    gpu->to_host += to_host;
    scheduler_outside_counts(gpu->scheduler, &gpu->outside);
    scheduler_fault_counts(gpu->scheduler, &gpu->faults);
    uint64_t now = fabric_now(gpu->fabric, gpu->wiring.scheduler_id);
    if (now > gpu->floor_ps) gpu->floor_ps = now;
}

/* Frees the inputs of all kernels. Those that have no record move to gpu->dropped: operations that
 * were given up name them. */
static void drop_kernels(struct gpu *gpu) {
    for (uint64_t i = gpu->first_kernel; i < gpu->num_kernels; i++) {
        struct kernel **k = &gpu->kernels[i & gpu->launches.mask];
        if (!*k) continue;
        kernel_release(*k);
        if ((*k)->reported || !gpu->options.ended) continue;
        (*k)->next = gpu->dropped;
        gpu->dropped = *k;
        *k = NULL;
    }
}

/* Replaces the components, gives up all operations (they end at gpu->floor_ps), frees the inputs of
 * all kernels, and clears the fault. @return HEDDLE_OK, the error of gpu_build(), or BACKEND for a
 * GPU with a command processor, with text in diag (may be NULL): the GPU is then dead again,
 * without components. */
heddle_err gpu_reset(struct gpu *gpu, struct heddle_diag *diag) {
    bool timed = gpu->options.timing == GPU_TIMING_RTL;
    gpu_tell_findings(gpu);
    if (timed) {
        if (gpu->scheduler) keep_counts(gpu);
        gpu_tear_down(gpu);
    }
    gpu_records_hand_over(gpu, gpu->num_records);
    drop_kernels(gpu);
    ops_give_up(gpu->ops, gpu->floor_ps);
    gpu_abandon_immediate(gpu);
    gpu->busy = 0; /* periods are counted from 1 again */
    gpu_forget_fault(gpu);
    if (!timed) return HEDDLE_OK;
    struct heddle_diag local = {0};
    /* what its command processor has under way would wait for answers of cores that are gone */
    heddle_err e = gpu->watched ? heddle_fail(&local, HEDDLE_ERR_BACKEND,
                                              "it has a command processor (--nodes)")
                                : gpu_build(gpu, &local);
    if (!e) return HEDDLE_OK;
    gpu_tear_down(gpu);
    gpu->dead = e;
    gpu->diag = local;
    if (diag) *diag = local;
    return e;
}
