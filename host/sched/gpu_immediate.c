/* gpu_immediate.c - a GPU with timing off: operations take no time and are carried out one after
 * the other, when somebody waits for them.
 *
 * In the order in which they were issued, which is legal for every set of streams, unless a stream
 * waits for a condition: those behind it wait with it, and what would be carried out later may come
 * first. */
#include "sched/gpu_internal.h"

enum { TURN = 1024 }; /* instructions of a warp's turn */

static heddle_err run_kernel(struct gpu *gpu, struct kernel *k, struct heddle_diag *diag) {
    struct exec_fault fault = {0};
    k->wall_begin = gpu_wall();
    heddle_err e = exec_launch_prepare(&k->launch.exec, diag);
    if (!e)
        e = exec_run_immediate(&k->launch.exec, k->resident, TURN, &k->launch.counts[0], &fault,
                               diag);
    exec_launch_finish(&k->launch.exec);
    return e ? gpu_die(gpu, k, &fault, e, diag) : HEDDLE_OK;
}

/* Operations that have become ready join the others, by ticket. New ones are mostly the last. */
static void take_ready(struct gpu *gpu) {
    for (struct op *op = ops_take_ready(gpu->ops), *next; op; op = next) {
        next = op->next_ready;
        struct op **link = &gpu->immediate;
        while (*link && (*link)->ticket < op->ticket) link = &(*link)->next_ready;
        op->next_ready = *link;
        *link = op;
    }
}

static heddle_err carry_out(struct gpu *gpu, struct op *op, struct heddle_diag *diag) {
    op->start_ps = op->ready_ps;
    if (op->kind == OP_LAUNCH) {
        heddle_err e = run_kernel(gpu, op->kernel, diag);
        if (e) return e;
    } else if (op->kind == OP_COPY) {
        if (op->copy.perform) op->copy.perform(op->copy.user);
        if (op->copy.kind == GPU_COPY_HOST_TO_DEVICE) gpu->to_device += op->copy.bytes;
        if (op->copy.kind == GPU_COPY_DEVICE_TO_HOST) gpu->to_host += op->copy.bytes;
    }
    ops_end(gpu->ops, op, op->ready_ps, op->ready_ps);
    if (op->kind == OP_LAUNCH) {
        gpu_record(gpu, op->kernel);
        gpu_collect_output(gpu, op->kernel);
        gpu_kernel_release(op->kernel);
    }
    return HEDDLE_OK;
}

/* The first operation that can be carried out is taken off the list. NULL: none can. */
static struct op *take_first(struct gpu *gpu) {
    take_ready(gpu);
    for (struct op **link = &gpu->immediate; *link; link = &(*link)->next_ready) {
        struct op *op = *link;
        if (op->kind == OP_CONDITION && !op->condition.met(op->condition.user)) continue;
        *link = op->next_ready;
        return op;
    }
    return NULL;
}

heddle_err gpu_wait_immediate(struct gpu *gpu, gpu_ticket ticket, struct heddle_diag *diag) {
    struct heddle_diag local;
    const struct op *wanted = ops_get(gpu->ops, ticket);
    while (wanted->state != OP_ENDED) {
        if (gpu->dead) return gpu_sticky(gpu, diag);
        struct op *op = take_first(gpu);
        if (!op)
            return heddle_fail(diag, HEDDLE_ERR_WAITING, "%s", heddle_err_text(HEDDLE_ERR_WAITING));
        heddle_err e = carry_out(gpu, op, diag ? diag : &local);
        if (e) return e;
    }
    return HEDDLE_OK;
}

heddle_err gpu_drive_immediate(struct gpu *gpu, bool *moved, struct heddle_diag *diag) {
    struct heddle_diag local;
    for (struct op *op; !gpu->dead && (op = take_first(gpu));) {
        heddle_err e = carry_out(gpu, op, diag ? diag : &local);
        if (e) return e;
        *moved = true;
    }
    return HEDDLE_OK;
}
