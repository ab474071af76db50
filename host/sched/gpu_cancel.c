/* gpu_cancel.c - ends launches before their time, because their program has died, or a launch of it
 * has failed.
 *
 * A launch is marked first, by the CUDA layer on the server's thread or, while that waits for a
 * kernel that runs functionally, on the thread that runs it. Its warps, and whoever would begin it,
 * look at the mark (exec_launch_cancelled()). gpu_immediate.c and gpu_timed.c carry it out as waits
 * go on, and say where its warps stood (gpu_tell_interrupted()). */
#include <stdlib.h>

#include "common/memory.h"
#include "sched/gpu_internal.h"

/* Calls visit(k, user) for each launch that has not ended, of `owner`, NULL: of all; in order. */
static void each_pending(const struct gpu *gpu, const void *owner,
                         void (*visit)(struct kernel *k, void *user), void *user) {
    uint64_t ended_ps;
    gpu_ticket t = ops_oldest(gpu->ops, &ended_ps);
    for (gpu_ticket last = ops_newest(gpu->ops); t && t <= last; t++) {
        const struct op *op = ops_get(gpu->ops, t);
        if (op->kernel && op->state != OP_ENDED && (!owner || op->kernel->owner == owner))
            visit(op->kernel, user);
    }
}

struct cancel {
    bool tell;
    size_t n;
};

/* Marks a launch and counts it. One that runs may get a list of where its warps stand. */
static void cancel(struct kernel *k, void *user) {
    struct cancel *c = user;
    struct exec_launch *launch = &k->launch.exec;
    if (exec_launch_cancelled(launch)) return;
    struct exec_standing *standing = NULL;
    if (launch->program && c->tell) standing = heddle_alloc(sizeof *standing, "where warps stand");
    k->retired_then = k->retired;
    exec_launch_cancel(launch, standing);
    c->n++;
}

size_t gpu_cancel(struct gpu *gpu, const void *owner, bool tell) {
    struct cancel c = {.tell = tell};
    each_pending(gpu, owner, cancel, &c);
    if (c.n) gpu->cancelling = true;
    return c.n;
}

static void add_one(struct kernel *k, void *user) {
    (void)k;
    ++*(uint64_t *)user;
}

uint64_t gpu_pending(const struct gpu *gpu, const void *owner) {
    uint64_t n = 0;
    each_pending(gpu, owner, add_one, &n);
    return n;
}

void gpu_set_interrupted(struct gpu *gpu, gpu_interrupted_fn interrupted, void *user) {
    gpu->interrupted = interrupted;
    gpu->interrupted_user = user;
}

/* Calls gpu->interrupted for a cancelled launch that was running, once. `cycles`: since its start,
 * 0: it ran functionally. */
void gpu_tell_interrupted(struct gpu *gpu, struct kernel *k, uint64_t cycles, uint64_t warp_inst) {
    struct exec_standing *standing = k->launch.exec.standing;
    if (!standing) return;
    k->launch.exec.standing = NULL;
    const struct gpu_interruption i = {.kernel = k->name,
                                       .launch = k->number,
                                       .ctas_done = k->retired,
                                       .ctas = k->num_ctas,
                                       .cycles = cycles,
                                       .warp_inst = warp_inst,
                                       .standing = standing};
    if (gpu->interrupted) gpu->interrupted(gpu->interrupted_user, &i);
    free(standing);
}
