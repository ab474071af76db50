/* gpu_immediate.c - a GPU with timing off: operations take no time, and a wait performs them one
 * after the other.
 *
 * gpu_wait.c calls the functions at the end of this file, on the server's thread; step() is the
 * heart of each. Kernels run on that thread and, where their CTAs cannot wait for each other, on
 * the executor's threads (exec_launch.threads). Operations are performed in the order of issue,
 * which is legal for every set of streams. When a stream waits for a condition, the operations
 * behind it wait too, and later ones of other streams may come first. A kernel that seems to wait
 * for something takes turns with operations of other streams and with other GPUs.
 *
 * Two lists: gpu->immediate has operations that are ready, gpu->runs has kernels that have begun. A
 * kernel that fails ends (gpu_kernel_failed()). */
#include <stdlib.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "sched/gpu_internal.h"

enum {
    TURN = 1024,    /* instructions of a warp's turn */
    PATIENCE = 64,  /* rounds of turns without a CTA's end after which a kernel seems to wait */
    QUANTUM = 4,    /* rounds at a time from then on */
    MOST_RUNS = 16, /* kernels that have begun at a time */
    STEPS = 64,     /* of one gpu_drive() */
};

/* A kernel that has begun, in the list gpu->runs. */
struct gpu_run {
    struct gpu_run *next;
    struct op *op;
    struct exec_immediate *run;
};

/* Moves operations that have become ready from gpu->ops to gpu->immediate, by ticket. */
static void take_ready(struct gpu *gpu) {
    for (struct op *op = ops_take_ready(gpu->ops), *next; op; op = next) {
        next = op->next_ready;
        struct op **link = &gpu->immediate;
        while (*link && (*link)->ticket < op->ticket) link = &(*link)->next_ready;
        op->next_ready = *link;
        *link = op;
    }
}

/* Ends an operation at the time at which it was ready. A kernel that has run also gets its record,
 * its output is collected, and its inputs are freed. */
static void end_op(struct gpu *gpu, struct op *op, bool ran) {
    ops_end(gpu->ops, op, op->ready_ps, op->ready_ps);
    if (op->kind != OP_LAUNCH) return;
    struct kernel *k = op->kernel;
    if (!ran)
        k->reported = true;
    else if (k->op->error || exec_launch_cancelled(&k->launch.exec))
        gpu_record_stopped(gpu, k);
    else
        gpu_record(gpu, k);
    gpu_collect_output(gpu, k);
    kernel_release(k);
    op->kernel = NULL;
    gpu_records_hand_over(gpu, gpu->num_records);
    progress_moment(&gpu->watch, GPU_MOMENT_ENDED);
}

/* Runs the kernel of *link until it ends or `patience` rounds pass in which none of its CTAs ends.
 * A kernel that has ended, failed or been cancelled leaves the list. @return true: then. */
static bool run_on(struct gpu *gpu, struct gpu_run **link, uint32_t patience) {
    struct heddle_diag diag = {0};
    struct gpu_run *r = *link;
    struct kernel *k = r->op->kernel;
    struct exec_fault fault = {0};
    if (!exec_launch_cancelled(&k->launch.exec) && !exec_immediate_run(r->run, patience))
        return false;
    heddle_err e = exec_immediate_end(r->run, &k->counts, &fault, &diag);
    exec_launch_finish(&k->launch.exec);
    *link = r->next;
    if (exec_launch_cancelled(&k->launch.exec))
        gpu_tell_interrupted(gpu, k, 0, k->counts.warp_inst);
    else if (e)
        gpu_kernel_failed(gpu, k, &fault, e, &diag);
    end_op(gpu, r->op, true);
    free(r);
    return true;
}

/* Gives every kernel that has begun a turn of `patience` rounds (run_on()). @return whether one of
 * them has ended. */
static bool run_all(struct gpu *gpu, uint32_t patience) {
    bool ended = false;
    for (struct gpu_run **link = &gpu->runs; *link;) {
        if (run_on(gpu, link, patience))
            ended = true;
        else
            link = &(*link)->next;
    }
    return ended;
}

/* Prepares a kernel (decodes its code) and appends it to gpu->runs; step() runs it. One that cannot
 * be prepared has failed, and ends. */
static void begin_kernel(struct gpu *gpu, struct op *op) {
    const struct exec_fault none = {0};
    struct heddle_diag diag = {0};
    struct kernel *k = op->kernel;
    struct gpu_run *r = heddle_alloc(sizeof *r, "a kernel that runs"), **link = &gpu->runs;
    heddle_err e = exec_launch_prepare(&k->launch.exec, &diag);
    k->wall_begin = wall_seconds();
    if (!e) e = exec_immediate_create(&r->run, &k->launch.exec, k->resident, TURN, &diag);
    if (e) {
        exec_launch_finish(&k->launch.exec);
        free(r);
        gpu_kernel_failed(gpu, k, &none, e, &diag);
        end_op(gpu, op, false);
        return;
    }
    r->op = op;
    while (*link) link = &(*link)->next;
    *link = r;
}

/* Begins a kernel that is not cancelled, or performs and ends any other operation (a copy moves its
 * bytes). */
static void carry_out(struct gpu *gpu, struct op *op) {
    op->start_ps = op->ready_ps;
    if (op->kind == OP_LAUNCH && !exec_launch_cancelled(&op->kernel->launch.exec)) {
        begin_kernel(gpu, op);
        return;
    }
    if (op->kind == OP_COPY) {
        if (op->copy.perform) op->copy.perform(op->copy.user);
        if (op->copy.kind == GPU_COPY_HOST_TO_DEVICE) gpu->to_device += op->copy.bytes;
        if (op->copy.kind == GPU_COPY_DEVICE_TO_HOST) gpu->to_host += op->copy.bytes;
    }
    end_op(gpu, op, false);
}

/* Removes the first operation that can be performed from gpu->immediate; asks the conditions of
 * those before it. @return NULL: there is none. */
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

/* Gives kernels that have begun a turn, or carries out the next operation. When the kernels seem to
 * wait for something (gpu->stalled), it carries out the next operation as well, or else gives other
 * GPUs a turn (gpu->others). @return false: nothing can be done. */
static bool step(struct gpu *gpu) {
    bool ended = true;
    if (gpu->runs) {
        ended = run_all(gpu, gpu->stalled ? QUANTUM : PATIENCE);
        gpu->stalled = !ended;
    }
    unsigned runs = 0;
    for (const struct gpu_run *r = gpu->runs; r; r = r->next) runs++;
    if (runs && ended) return true;
    struct op *op = runs < MOST_RUNS ? take_first(gpu) : NULL;
    if (op)
        carry_out(gpu, op);
    else if (runs && gpu->others)
        gpu->others(gpu->hooks_user, gpu, 0);
    return op || runs;
}

/* Steps until the operation, which exists, has ended. `diag` may be NULL. @return the GPU's sticky
 * error; HEDDLE_ERR_WAITING when nothing can be done (a stream waits for a condition), or when
 * gpu->pause asks for a pause while kernels seem to wait. */
heddle_err gpu_wait_immediate(struct gpu *gpu, gpu_ticket ticket, struct heddle_diag *diag) {
    const struct op *wanted = ops_get(gpu->ops, ticket);
    while (wanted && wanted->state != OP_ENDED) {
        if (gpu->dead) return gpu_sticky(gpu, diag);
        if (gpu->looks || !step(gpu) || (gpu->stalled && gpu_pauses(gpu)))
            return heddle_fail(diag, HEDDLE_ERR_WAITING, "%s", heddle_err_text(HEDDLE_ERR_WAITING));
    }
    return HEDDLE_OK;
}

/* Takes at most STEPS steps. @return whether anything was done. */
bool gpu_drive_immediate(struct gpu *gpu) {
    bool moved = false;
    for (unsigned i = 0; i < STEPS && !gpu->dead && step(gpu); i++) moved = true;
    return moved;
}

/* Steps until no more than MOST operations wait, or the oldest cannot go on. */
void gpu_keep_short(struct gpu *gpu) {
    enum { MOST = 1024 };
    if (gpu->options.timing != GPU_TIMING_NONE) return;
    while (!gpu->dead && !gpu->stalled && ops_unended(gpu->ops) > MOST)
        if (!step(gpu)) return;
}

/* Another GPU's wait calls this: performs ready operations until a kernel has begun, then gives the
 * kernels one turn. */
void gpu_advance_immediate(struct gpu *gpu) {
    for (struct op *op; !gpu->runs && (op = take_first(gpu));) carry_out(gpu, op);
    if (gpu->runs) run_all(gpu, QUANTUM);
}

const struct kernel *gpu_run_kernel(const struct gpu *gpu, unsigned i) {
    const struct gpu_run *r = gpu->runs;
    while (r && i--) r = r->next;
    return r ? r->op->kernel : NULL;
}

void gpu_look_immediate(struct gpu *gpu, struct exec_look *look, unsigned *kernels) {
    for (const struct gpu_run *r = gpu->runs; r; r = r->next) {
        exec_immediate_look(r->run, look);
        ++*kernels;
    }
}

void gpu_tell_standing_immediate(struct gpu *gpu, gpu_standing_fn tell, void *user) {
    for (const struct gpu_run *r = gpu->runs; r; r = r->next) {
        struct exec_standing *s = heddle_alloc(sizeof *s, "where warps stand");
        exec_immediate_standing(r->run, s);
        tell(user, r->op->kernel->name, r->op->kernel->number, s);
        free(s);
    }
}

/* Ends the kernels of gpu->runs that are cancelled. */
void gpu_end_cancelled_immediate(struct gpu *gpu) {
    gpu->cancelling = false;
    for (struct gpu_run **link = &gpu->runs; *link;) {
        const bool cancelled = exec_launch_cancelled(&(*link)->op->kernel->launch.exec);
        if (!cancelled || !run_on(gpu, link, 1)) link = &(*link)->next;
    }
}

/* Ends the kernels of gpu->runs and frees their code, after a fault or when the GPU is freed. */
void gpu_abandon_immediate(struct gpu *gpu) {
    struct exec_counts counts;
    struct exec_fault fault;
    for (struct gpu_run *r; (r = gpu->runs); free(r)) {
        exec_immediate_end(r->run, &counts, &fault, NULL);
        exec_launch_finish(&r->op->kernel->launch.exec);
        gpu->runs = r->next;
    }
    gpu->immediate = NULL;
    gpu->stalled = false;
}
