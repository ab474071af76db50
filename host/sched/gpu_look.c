/* gpu_look.c - what the kernels of a GPU wait for; contracts in gpu.h.
 *
 * The server's thread calls it between windows or, without timing, between turns of the kernels
 * (gpu_immediate.c). */
#include <stdlib.h>

#include "common/memory.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"

/* Whether the scheduler has nothing to do until CTAs end. */
static bool look_timed(struct gpu *gpu, struct exec_look *look, unsigned *kernels) {
    for (const struct kernel *k = scheduler_running(gpu->scheduler); k; k = k->next) {
        look->ctas += k->retired << 32; /* apart from those that are resident */
        ++*kernels;
    }
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++) timing_group_look(gpu->groups[i], look);
    return scheduler_ops.next(gpu->scheduler) == FABRIC_NEVER;
}

bool gpu_look(struct gpu *gpu, struct exec_look *look, unsigned *kernels) {
    look->acts += gpu_num_ended(gpu);
    if (gpu->dead) return true;
    if (gpu->options.timing == GPU_TIMING_RTL) return look_timed(gpu, look, kernels);
    gpu_look_immediate(gpu, look, kernels);
    return true;
}

struct command_waits gpu_command_waits(const struct gpu *gpu) {
    struct command_waits w = {0};
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
        if (gpu->groups[i]) timing_group_waits(gpu->groups[i], &w);
    uint64_t *const cycles[] = {&w.slot, &w.packing, &w.service, &w.memory};
    for (unsigned i = 0; i < sizeof cycles / sizeof *cycles; i++)
        *cycles[i] = clock_ps(*cycles[i], gpu->timing.khz);
    return w;
}

void gpu_tell_standing(struct gpu *gpu, gpu_standing_fn tell, void *user) {
    if (gpu->dead) return;
    if (gpu->options.timing != GPU_TIMING_RTL) {
        gpu_tell_standing_immediate(gpu, tell, user);
        return;
    }
    for (const struct kernel *k = scheduler_running(gpu->scheduler); k; k = k->next) {
        struct exec_standing *s = heddle_alloc(sizeof *s, "where warps stand");
        for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
            timing_group_standing(gpu->groups[i], k->number, s);
        tell(user, k->name, k->number, s);
        free(s);
    }
}
