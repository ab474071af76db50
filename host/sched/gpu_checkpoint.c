/* gpu_checkpoint.c - takes a checkpoint (checkpoint.h): waits for everything issued, builds new
 * components, and writes or reads the state that the next launch needs.
 *
 * gpu_launch() calls gpu_checkpoint() before every launch, on the server's thread. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"

/* @return the earliest time (ps) of later launches: after everything issued has ended and the host
 * could know of it. It does not depend on the windows of the simulation. */
static uint64_t floor_of(const struct gpu *gpu) {
    uint64_t ended_ps;
    ops_oldest(gpu->ops, &ended_ps);
    uint64_t cycle = clock_cycle_from(ended_ps, gpu->timing.khz) + gpu->timing.lookahead +
                     TIMING_REPORTED_AFTER;
    return clock_ps(cycle, gpu->timing.khz);
}

/* @return the launches since the last checkpoint, in order of their numbers; the caller frees the
 * list. All of them have ended and were handed over. */
static struct checkpoint_launch *launches_since(struct gpu *gpu) {
    size_t count = gpu->num_kernels - gpu->checkpointed;
    struct checkpoint_launch *list = heddle_alloc_array(count, sizeof *list,
                                                        "launches of a checkpoint");
    gpu_records_hand_over(gpu, gpu->num_records);
    for (size_t i = 0; i < gpu->num_since; i++)
        list[gpu->since[i].record.launch - gpu->checkpointed] = gpu->since[i];
    gpu->num_since = 0;
    return list;
}

/* Takes the checkpoint, after everything issued has ended: hands counters, times and launches to
 * checkpoint_pass(), which writes files or, where the run resumes, loads memory and replaces the
 * boundary. Then frees and builds the components, and goes on from the boundary's counters and
 * times (gpu->past, to_device, to_host, outside, floor_ps, checkpointed). @return an error of the
 * files or of gpu_build(), text in diag; the GPU may then lack components. */
static heddle_err pass(struct gpu *gpu, struct heddle_diag *diag) {
    struct checkpoint_boundary b = {.launches = gpu->num_kernels, .floor_ps = floor_of(gpu)};
    uint64_t to_device, to_host;
    heddle_err e = gpu_settle(gpu, diag);
    if (e) return e;
    gpu_counters(gpu, &b.past);
    scheduler_link_bytes(gpu->scheduler, &to_device, &to_host);
    b.to_device = gpu->to_device + to_device;
    b.to_host = gpu->to_host + to_host;
    b.outside = gpu->outside;
    scheduler_outside_counts(gpu->scheduler, &b.outside);
    struct checkpoint_launch *launches = launches_since(gpu);
    e = checkpoint_pass(gpu->options.checkpoint, &b, launches, gpu->num_kernels - gpu->checkpointed,
                        diag);
    free(launches);
    if (e) return e;
    gpu_tear_down(gpu);
    gpu->checkpointed = gpu->num_kernels;
    gpu->past = b.past;
    gpu->to_device = b.to_device;
    gpu->to_host = b.to_host;
    gpu->outside = b.outside;
    gpu->floor_ps = b.floor_ps;
    gpu->busy = 0; /* periods are counted from 1 again */
    return gpu_build(gpu, diag);
}

/* Returns at once unless a checkpoint is due. Else it simulates until everything issued has ended,
 * then pass(). While a stream waits for the host, it leaves the checkpoint to the next launch.
 * After a launch that failed or was cancelled there are no more checkpoints.
 * `diag` must not be NULL. @return an error, with text in diag; the GPU is then dead with it. */
heddle_err gpu_checkpoint(struct gpu *gpu, struct heddle_diag *diag) {
    uint64_t end_ps;
    if (!gpu->options.checkpoint || gpu->num_stopped ||
        !checkpoint_is_due(gpu->options.checkpoint, gpu->num_kernels))
        return HEDDLE_OK;
    heddle_err e = gpu_wait_all(gpu, &end_ps, diag);
    if (e == HEDDLE_ERR_WAITING) return HEDDLE_OK; /* a stream waits for the host: next time */
    if (!e && gpu->num_stopped) return HEDDLE_OK;
    if (!e) e = pass(gpu, diag);
    if (!e || gpu->dead) return e;
    const struct heddle_diag local = *diag;
    return gpu_die(gpu, e, &local);
}
