/* gpu_timeline.c - tells who hears of a timed GPU (struct gpu_timeline) of CTAs that have ended,
 * and of what the cores count in each interval of target time.
 *
 * The counters of the cores are read where an interval ends. gpu_timed.c lets no window reach
 * beyond that, so the reading has what came before, whichever windows the placement makes. Where
 * nothing happens for longer than an interval, no window is made: the reading then comes before
 * the next thing that happens. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"

void gpu_timeline_begin(struct gpu *gpu) {
    if (!gpu->options.timeline || gpu->options.timing != GPU_TIMING_RTL) return;
    gpu->ctas = cta_log_create((uint32_t)gpu->options.config->sm_count);
    gpu->interval_end = FABRIC_NEVER;
}

static_assert(CORE_NUM_COUNTERS <= 32, "gpu_timeline.counters has a bit for each");

/* Tells what was counted since the last reading, all of it in the interval that ends at
 * interval_end. */
static void tell_interval(struct gpu *gpu) {
    const struct gpu_timeline *t = gpu->options.timeline;
    struct gpu_interval i = {.device = gpu->options.device,
                             .number = gpu->interval_end / t->interval_ps - 1};
    for (uint32_t left = t->counters; left; left &= left - 1) {
        const enum core_counter c = (enum core_counter)__builtin_ctz(left);
        uint64_t now = gpu->past.of[c], *before = &gpu->interval_begin[c];
        for (uint32_t g = 0; g < gpu->wiring.num_groups; g++)
            if (gpu->groups[g]) now += timing_group_counter(gpu->groups[g], c);
        if (now < *before) now = *before; /* it cannot be read */
        i.counted[c] = now - *before;
        *before = now;
    }
    t->interval(t->user, &i);
}

uint64_t gpu_timeline_limit(struct gpu *gpu, uint64_t next_ps) {
    const struct gpu_timeline *t = gpu->options.timeline;
    if (next_ps < gpu->interval_end && gpu->interval_end != FABRIC_NEVER) return gpu->interval_end;
    if (gpu->interval_end != FABRIC_NEVER) tell_interval(gpu);
    gpu->interval_end = next_ps == FABRIC_NEVER ? FABRIC_NEVER
                                                : (next_ps / t->interval_ps + 1) * t->interval_ps;
    return gpu->interval_end;
}

void gpu_timeline_attend(struct gpu *gpu) {
    const struct gpu_timeline *t = gpu->options.timeline;
    const uint64_t khz = gpu->timing.khz;
    for (size_t n = 0; n < gpu->ctas->num_ended; n++) {
        const struct cta_span *s = &gpu->ctas->ended[n];
        t->cta(t->user, &(struct gpu_cta){.kernel = s->kernel->name,
                                          .launch = s->kernel->number,
                                          .number = s->number,
                                          .device = gpu->options.device,
                                          .sm = s->sm,
                                          .slot = s->slot,
                                          .begin_ps = clock_ps(s->begin_cycle, khz),
                                          .end_ps = clock_ps(s->end_cycle, khz)});
    }
    gpu->ctas->num_ended = 0;
}

void gpu_timeline_give_up(const struct gpu *gpu, const struct kernel *k, uint64_t end_ps) {
    const struct gpu_timeline *t = gpu->options.timeline;
    struct gpu_kernel_record r = {.name = k->name,
                                  .launch = k->number,
                                  .device = gpu->options.device,
                                  .stream = k->op->stream,
                                  .start_ps = k->op->start_ps,
                                  .end_ps = end_ps};
    if (!k->dispatched) return;
    memcpy(r.grid, k->launch.exec.grid, sizeof r.grid);
    memcpy(r.block, k->launch.exec.block, sizeof r.block);
    t->given_up(t->user, &r);
}

void gpu_timeline_end(struct gpu *gpu) {
    if (!gpu->ctas || !gpu->scheduler) return;
    const uint64_t now = fabric_now(gpu->fabric, gpu->wiring.scheduler_id);
    for (const struct kernel *k = scheduler_running(gpu->scheduler); k; k = k->next)
        gpu_timeline_give_up(gpu, k, now);
    if (gpu->interval_end == FABRIC_NEVER) return;
    tell_interval(gpu);
    gpu->interval_end = FABRIC_NEVER;
}
