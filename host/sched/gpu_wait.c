/* gpu_wait.c - waiting for operations, with timing on (gpu_timed.c) and off (gpu_immediate.c).
 *
 * The CUDA layer calls these functions on the server's thread; gpu_advance() comes from another
 * GPU's wait through gpu->others. Waits advance the simulation, so they may execute kernels,
 * perform copies, write to the program's device memory and call gpu->others and gpu->pause. Errors
 * have their text in `diag`, which may be NULL:
 *
 *   HEDDLE_ERR_ARGUMENT   no such operation
 *   HEDDLE_ERR_STOPPED    a reset gave the operation up
 *   HEDDLE_ERR_WAITING    a stream waits for the host or another GPU, or gpu->pause asked for a
 *                         pause; nothing is lost, and the call may be tried again
 *   HEDDLE_ERR_DEADLOCK   nothing is left to happen, but the operation has not ended (sticky)
 *   any other             the launch has failed so, or the GPU's sticky error (gpu->dead) */
#include "sched/gpu_internal.h"

/* Fills diag with the error of waiting for an operation that a reset dropped. @return
 * HEDDLE_ERR_STOPPED. */
static heddle_err given_up(const struct op *op, struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_STOPPED,
                       "%s%s on stream %u was given up when the GPU was reset after a fault",
                       op->kernel ? "kernel " : "an operation", op->kernel ? op->kernel->name : "",
                       op->stream);
}

/* gpu_wait(), but for the error of a launch that has failed. */
static heddle_err wait_end(struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps,
                           struct heddle_diag *diag) {
    struct op_end end;
    struct op *op = ops_get(gpu->ops, ticket);
    if (!op && !ops_ended(gpu->ops, ticket, &end))
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "no operation %llu",
                           (unsigned long long)ticket);
    heddle_err e = HEDDLE_OK;
    if (op && op->state != OP_ENDED) {
        stopwatch_start(gpu->options.simulating);
        e = gpu->options.timing == GPU_TIMING_NONE ? gpu_wait_immediate(gpu, ticket, diag)
                                                   : gpu_wait_timed(gpu, op, diag);
        stopwatch_stop(gpu->options.simulating);
    }
    if (!e && op && op->given_up) e = given_up(op, diag);
    if (e) return e;
    *end_ps = op ? op->end_ps : end.ps;
    return gpu_sticky(gpu, diag);
}

/* Advances the simulation until the operation has ended. *end_ps: when; set only if the operation
 * has ended and was not given up. @return an error of the file's head; the sticky one also when the
 * operation had ended before it. */
heddle_err gpu_wait(struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps,
                    struct heddle_diag *diag) {
    heddle_err e = wait_end(gpu, ticket, end_ps, diag);
    const struct op *op = ops_get(gpu->ops, ticket);
    if (e || !op || !op->error) return e;
    return heddle_fail(diag, op->error, "the launch has failed: %s", heddle_err_text(op->error));
}

/* gpu_wait() for the newest operation of the stream. A stream without operations has ended at once,
 * with *end_ps 0. */
heddle_err gpu_wait_stream(struct gpu *gpu, uint32_t stream, uint64_t *end_ps,
                           struct heddle_diag *diag) {
    gpu_ticket last = ops_last(gpu->ops, stream);
    *end_ps = 0;
    return last ? gpu_wait(gpu, last, end_ps, diag) : gpu_sticky(gpu, diag);
}

/* Waits for every operation that exists now, the oldest first. *end_ps: the latest end of all
 * operations up to the first that has not ended. @return the first error, but for those of
 * launches, which may be other owners'. */
heddle_err gpu_wait_all(struct gpu *gpu, uint64_t *end_ps, struct heddle_diag *diag) {
    gpu_ticket newest = ops_newest(gpu->ops);
    for (gpu_ticket t; (t = ops_oldest(gpu->ops, end_ps)) && t <= newest;) {
        uint64_t end;
        heddle_err e = wait_end(gpu, t, &end, diag);
        if (e) return e;
    }
    return gpu_sticky(gpu, diag);
}

/* Advances to at_ps at most. *done: the operation has ended by then; *end_ps: when, else 0. With
 * timing off it runs the operation, which takes no time, and HEDDLE_ERR_WAITING only means that it
 * is not done. @return another error of the file's head, which may leave *done and *end_ps
 * untouched. */
heddle_err gpu_query(struct gpu *gpu, gpu_ticket ticket, uint64_t at_ps, bool *done,
                     uint64_t *end_ps, struct heddle_diag *diag) {
    struct op_end end;
    struct op *op = ops_get(gpu->ops, ticket);
    if (!op && !ops_ended(gpu->ops, ticket, &end))
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "no operation %llu",
                           (unsigned long long)ticket);
    if (!op) {
        *done = end.ps <= at_ps || gpu->options.timing == GPU_TIMING_NONE;
        *end_ps = *done ? end.ps : 0;
        return gpu_sticky(gpu, diag);
    }
    stopwatch_start(gpu->options.simulating);
    heddle_err e = gpu->options.timing == GPU_TIMING_NONE ? gpu_wait_immediate(gpu, ticket, diag)
                                                          : gpu_query_timed(gpu, op, at_ps, diag);
    stopwatch_stop(gpu->options.simulating);
    if (e && (e != HEDDLE_ERR_WAITING || gpu->options.timing != GPU_TIMING_NONE)) return e;
    if (op->given_up) return given_up(op, diag);
    if (op->error) return heddle_fail(diag, op->error, "%s", heddle_err_text(op->error));
    *done = op->state == OP_ENDED &&
            (op->end_ps <= at_ps || gpu->options.timing == GPU_TIMING_NONE);
    *end_ps = *done ? op->end_ps : 0;
    return gpu_sticky(gpu, diag);
}

/* Simulates a bounded amount, whatever the caller waits for. *moved: something happened. On a dead
 * GPU it does nothing and returns HEDDLE_OK: a wait reports the fault. @return a fault met now. */
heddle_err gpu_drive(struct gpu *gpu, bool *moved, struct heddle_diag *diag) {
    *moved = false;
    if (gpu->dead) return HEDDLE_OK;
    heddle_err e = HEDDLE_OK;
    stopwatch_start(gpu->options.simulating);
    if (gpu->options.timing == GPU_TIMING_RTL)
        e = gpu_drive_timed(gpu, moved, diag);
    else
        *moved = gpu_drive_immediate(gpu);
    stopwatch_stop(gpu->options.simulating);
    return e;
}

/* Stores the callbacks, which waits call on the server's thread; either may be NULL (gpu.h). */
void gpu_set_wait_hooks(struct gpu *gpu, gpu_others_fn others, gpu_pause_fn pause, void *user) {
    gpu->others = others;
    gpu->pause = pause;
    gpu->hooks_user = user;
}

bool gpu_is_timed(const struct gpu *gpu) {
    return gpu->options.timing == GPU_TIMING_RTL;
}

void gpu_set_looks(struct gpu *gpu, bool looks) {
    gpu->looks = looks;
}

/* Simulates up to until_ps (timing off: one turn of the kernels). Does nothing on a dead GPU, or
 * when every operation has ended. A fault stays in gpu->dead. */
void gpu_advance(struct gpu *gpu, uint64_t until_ps) {
    uint64_t ended_ps;
    if (gpu->dead || !ops_oldest(gpu->ops, &ended_ps)) return;
    if (gpu->options.timing == GPU_TIMING_NONE)
        gpu_advance_immediate(gpu);
    else
        gpu_advance_timed(gpu, until_ps);
}

void gpu_end_cancelled(struct gpu *gpu) {
    if (!gpu->cancelling || gpu->dead) return;
    if (gpu->options.timing == GPU_TIMING_NONE)
        gpu_end_cancelled_immediate(gpu);
    else
        gpu_end_cancelled_timed(gpu);
}

void gpu_finish_cancelled(struct gpu *gpu) {
    if (gpu->options.timing == GPU_TIMING_NONE || !gpu->scheduler) return;
    gpu_finish_cancelled_timed(gpu);
}
