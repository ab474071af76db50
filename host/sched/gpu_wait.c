/* gpu_wait.c - waiting for operations, with timing on (gpu_timed.c) and off (gpu_immediate.c).
 *
 * The CUDA layer calls these functions on the server's thread. Waits advance the simulation, so
 * they may execute kernels, perform copies and write to the program's device memory. */
#include "sched/gpu_internal.h"

/* The error of waiting for an operation that a reset dropped. */
static heddle_err given_up(const struct op *op, struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_STOPPED,
                       "%s%s on stream %u was given up when the GPU was reset after a fault",
                       op->kernel ? "kernel " : "an operation", op->kernel ? op->kernel->name : "",
                       op->stream);
}

/* Advances the simulation until the operation has ended. */
heddle_err gpu_wait(struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps,
                    struct heddle_diag *diag) {
    struct op *op = ops_get(gpu->ops, ticket);
    if (!op)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "no operation %llu",
                           (unsigned long long)ticket);
    heddle_err e = HEDDLE_OK;
    if (op->state != OP_ENDED)
        e = gpu->options.timing == GPU_TIMING_NONE ? gpu_wait_immediate(gpu, ticket, diag)
                                                   : gpu_wait_timed(gpu, op, diag);
    if (!e && op->given_up) e = given_up(op, diag);
    if (e) return e;
    *end_ps = op->end_ps;
    return gpu_sticky(gpu, diag);
}

/* Waits for the newest operation of the stream. */
heddle_err gpu_wait_stream(struct gpu *gpu, uint32_t stream, uint64_t *end_ps,
                           struct heddle_diag *diag) {
    gpu_ticket last = ops_last(gpu->ops, stream);
    *end_ps = 0;
    return last ? gpu_wait(gpu, last, end_ps, diag) : gpu_sticky(gpu, diag);
}

/* Waits for every operation that exists now, the oldest first. */
heddle_err gpu_wait_all(struct gpu *gpu, uint64_t *end_ps, struct heddle_diag *diag) {
    gpu_ticket newest = ops_newest(gpu->ops);
    for (gpu_ticket t; (t = ops_oldest(gpu->ops, end_ps)) && t <= newest;) {
        uint64_t end;
        heddle_err e = gpu_wait(gpu, t, &end, diag);
        if (e) return e;
    }
    return gpu_sticky(gpu, diag);
}

/* With timing off it waits for the operation, since it takes no time. */
heddle_err gpu_query(struct gpu *gpu, gpu_ticket ticket, uint64_t at_ps, bool *done,
                     uint64_t *end_ps, struct heddle_diag *diag) {
    struct op *op = ops_get(gpu->ops, ticket);
    if (!op)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "no operation %llu",
                           (unsigned long long)ticket);
    if (gpu->options.timing == GPU_TIMING_NONE) {
        heddle_err e = gpu_wait_immediate(gpu, ticket, diag);
        if (e && e != HEDDLE_ERR_WAITING) return e;
    } else {
        heddle_err e = gpu_query_timed(gpu, op, at_ps, diag);
        if (e) return e;
    }
    if (op->given_up) return given_up(op, diag);
    *done = op->state == OP_ENDED &&
            (op->end_ps <= at_ps || gpu->options.timing == GPU_TIMING_NONE);
    *end_ps = *done ? op->end_ps : 0;
    return gpu_sticky(gpu, diag);
}

/* Does nothing on a dead GPU: a wait reports its fault. */
heddle_err gpu_drive(struct gpu *gpu, bool *moved, struct heddle_diag *diag) {
    *moved = false;
    if (gpu->dead) return HEDDLE_OK;
    return gpu->options.timing == GPU_TIMING_NONE ? gpu_drive_immediate(gpu, moved, diag)
                                                  : gpu_drive_timed(gpu, moved, diag);
}

void gpu_set_beside(struct gpu *gpu, gpu_beside_fn beside, gpu_pause_fn pause, void *user) {
    gpu->beside = beside;
    gpu->pause = pause;
    gpu->beside_user = user;
}

/* Does nothing on a dead GPU, or when every operation has ended. */
void gpu_advance(struct gpu *gpu, uint64_t until_ps) {
    uint64_t ended_ps;
    if (gpu->dead || !ops_oldest(gpu->ops, &ended_ps)) return;
    if (gpu->options.timing == GPU_TIMING_NONE)
        gpu_advance_immediate(gpu);
    else
        gpu_advance_timed(gpu, until_ps);
}
