/* gpu_fault.c - kernels that fail and why a GPU stops, and the output and findings of kernels.
 *
 * A kernel's failure is its owner's: its other launches are cancelled, and the GPU goes on. Only an
 * error of the simulator, or a wait that nobody can end, stops a GPU (gpu_die()). The other gpu*.c
 * files tell of failures, and the CUDA layer takes the output. All on the server's thread.
 * Contracts: gpu.h and gpu_internal.h. */
#include "exec/check/finding.h"
#include "sched/gpu_internal.h"

enum { FINDING_TEXT = 1024 }; /* bytes of a message */

/* @return the GPU's sticky error, HEDDLE_OK: none. Copies its text to diag, if that is not NULL. */
heddle_err gpu_sticky(const struct gpu *gpu, struct heddle_diag *diag) {
    if (gpu->dead && diag) *diag = gpu->diag;
    return gpu->dead;
}

bool gpu_is_dead(const struct gpu *gpu) {
    return gpu->dead != HEDDLE_OK;
}

void gpu_set_failed(struct gpu *gpu, gpu_failed_fn failed, void *user) {
    gpu->failed = failed;
    gpu->failed_user = user;
}

/* Makes e the error of the launch's operation, cancels all that its owner has on the GPU, and tells
 * of it. */
void gpu_kernel_failed(struct gpu *gpu, struct kernel *k, const struct exec_fault *fault,
                       heddle_err e, const struct heddle_diag *diag) {
    const struct gpu_failure f = {
        .owner = k->owner, .err = e, .fault = fault->err ? fault : NULL, .text = diag->text};
    k->op->error = e;
    gpu_cancel(gpu, k->owner, false);
    if (gpu->failed) gpu->failed(gpu->failed_user, &f);
}

/* Calls gpu->options.found for what the checks of the kernel have found, and forgets it. */
static void tell_findings(const struct gpu *gpu, const struct kernel *k) {
    const struct exec_launch *x = &k->launch.exec;
    char text[FINDING_TEXT];
    if (!x->findings) return;
    for (const struct exec_finding *f = exec_findings_sort(x->findings); f; f = f->next) {
        exec_fault_text(text, sizeof text, x, &f->example);
        const struct gpu_finding told = {
            .kernel = k->name, .example = &f->example, .text = text, .count = f->count};
        gpu->options.found(gpu->options.found_user, &told);
    }
    exec_findings_clear(x->findings);
}

void gpu_tell_findings(const struct gpu *gpu) {
    uint64_t ended_ps;
    gpu_ticket t = ops_oldest(gpu->ops, &ended_ps);
    for (gpu_ticket last = ops_newest(gpu->ops); t && t <= last; t++) {
        const struct op *op = ops_get(gpu->ops, t);
        if (op->kernel && op->state != OP_ENDED) tell_findings(gpu, op->kernel);
    }
}

/* Moves the kernel's printf output from gpu->io to the end of gpu->output and sets the owner of
 * each piece. Tells what the checks found in it. */
void gpu_collect_output(struct gpu *gpu, const struct kernel *k) {
    struct exec_text **end = &gpu->output;
    while (*end) end = &(*end)->next;
    *end = exec_io_take(gpu->io, k->number);
    for (struct exec_text *t = *end; t; t = t->next) t->owner = k->owner;
    tell_findings(gpu, k);
}

/* Moves the owner's pieces from gpu->output to a list that the caller frees; NULL: none. */
struct exec_text *gpu_take_output(struct gpu *gpu, const void *owner) {
    struct exec_text *taken = NULL, **end = &taken;
    for (struct exec_text **link = &gpu->output; *link;) {
        struct exec_text *t = *link;
        if (t->owner != owner) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        t->next = NULL;
        *end = t;
        end = &t->next;
    }
    return taken;
}

/* Clears the sticky error and its text; gpu_reset() calls it. */
void gpu_forget_fault(struct gpu *gpu) {
    gpu->dead = HEDDLE_OK;
    gpu->diag = (struct heddle_diag){0};
}

/* Stops the GPU with error e: tells the findings of all kernels, sets gpu->dead and copies *diag to
 * gpu->diag. @return e. */
heddle_err gpu_die(struct gpu *gpu, heddle_err e, const struct heddle_diag *diag) {
    gpu_tell_findings(gpu);
    gpu->dead = e;
    gpu->diag = *diag;
    return e;
}
