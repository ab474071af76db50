/* gpu_immediate.c - a GPU with timing off: operations take no time and are carried out one after
 * the other, when somebody waits for them.
 *
 * In the order in which they were issued, which is legal for every set of streams, unless a stream
 * waits for a condition: those behind it wait with it, and what would be carried out later may come
 * first. A kernel that seems to wait for something is run in turns with those of other GPUs. */
#include "sched/gpu_internal.h"

enum {
    TURN = 1024,   /* instructions of a warp's turn */
    PATIENCE = 64, /* turns of a kernel in which no CTA ends, before other GPUs have some */
    QUANTUM = 4,   /* turns from then on */
};

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

static void end_op(struct gpu *gpu, struct op *op) {
    ops_end(gpu->ops, op, op->ready_ps, op->ready_ps);
    if (op->kind != OP_LAUNCH) return;
    gpu_record(gpu, op->kernel);
    gpu_collect_output(gpu, op->kernel);
    gpu_kernel_release(op->kernel);
}

/* Runs the kernel that has begun. @return false: no CTA has ended for a while. */
static bool run_on(struct gpu *gpu, uint32_t patience, heddle_err *e, struct heddle_diag *diag) {
    struct op *op = gpu->running;
    struct kernel *k = op->kernel;
    struct exec_fault fault = {0};
    *e = HEDDLE_OK;
    if (!exec_immediate_run(gpu->run, patience)) return false;
    *e = exec_immediate_end(gpu->run, &k->launch.counts[0], &fault, diag);
    exec_launch_finish(&k->launch.exec);
    gpu->run = NULL;
    gpu->running = NULL;
    if (*e)
        gpu_die(gpu, k, &fault, *e, diag);
    else
        end_op(gpu, op);
    return true;
}

/* Kernels begin and are to be run on; all else is done at once. */
static heddle_err carry_out(struct gpu *gpu, struct op *op, struct heddle_diag *diag) {
    op->start_ps = op->ready_ps;
    if (op->kind == OP_LAUNCH) {
        struct kernel *k = op->kernel;
        const struct exec_fault none = {0};
        k->wall_begin = gpu_wall();
        heddle_err e = exec_launch_prepare(&k->launch.exec, diag);
        if (!e) e = exec_immediate_create(&gpu->run, &k->launch.exec, k->resident, TURN, diag);
        if (e) exec_launch_finish(&k->launch.exec);
        if (e) return gpu_die(gpu, k, &none, e, diag);
        gpu->running = op;
        return HEDDLE_OK;
    }
    if (op->kind == OP_COPY) {
        if (op->copy.perform) op->copy.perform(op->copy.user);
        if (op->copy.kind == GPU_COPY_HOST_TO_DEVICE) gpu->to_device += op->copy.bytes;
        if (op->copy.kind == GPU_COPY_DEVICE_TO_HOST) gpu->to_host += op->copy.bytes;
    }
    end_op(gpu, op);
    return HEDDLE_OK;
}

/* To the end of the kernel, beside those of other GPUs if it waits for something. */
static heddle_err run_to_end(struct gpu *gpu, struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    uint32_t patience = gpu->beside ? PATIENCE : 0;
    while (gpu->running && !run_on(gpu, patience, &e, diag)) {
        patience = QUANTUM;
        gpu->beside(gpu->beside_user, gpu, 0);
    }
    return e;
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
        struct op *op = gpu->running ? NULL : take_first(gpu);
        if (!op && !gpu->running)
            return heddle_fail(diag, HEDDLE_ERR_WAITING, "%s", heddle_err_text(HEDDLE_ERR_WAITING));
        heddle_err e = op ? carry_out(gpu, op, diag ? diag : &local) : HEDDLE_OK;
        if (!e) e = run_to_end(gpu, diag ? diag : &local);
        if (e) return e;
    }
    return HEDDLE_OK;
}

heddle_err gpu_drive_immediate(struct gpu *gpu, bool *moved, struct heddle_diag *diag) {
    struct heddle_diag local;
    while (!gpu->dead) {
        struct op *op = gpu->running ? NULL : take_first(gpu);
        if (!op && !gpu->running) break;
        heddle_err e = op ? carry_out(gpu, op, diag ? diag : &local) : HEDDLE_OK;
        if (!e) e = run_to_end(gpu, diag ? diag : &local);
        if (e) return e;
        *moved = true;
    }
    return HEDDLE_OK;
}

void gpu_advance_immediate(struct gpu *gpu) {
    struct heddle_diag diag; /* those who wait for this GPU are told */
    heddle_err e = HEDDLE_OK;
    for (struct op *op; !e && !gpu->running && (op = take_first(gpu));)
        e = carry_out(gpu, op, &diag);
    if (!e && gpu->running) run_on(gpu, QUANTUM, &e, &diag);
}

void gpu_abandon_immediate(struct gpu *gpu) {
    struct exec_counts counts;
    struct exec_fault fault;
    if (gpu->run) {
        exec_immediate_end(gpu->run, &counts, &fault, NULL);
        exec_launch_finish(&gpu->running->kernel->launch.exec);
    }
    gpu->run = NULL;
    gpu->running = NULL;
    gpu->immediate = NULL;
}
