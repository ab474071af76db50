/* gpu_fault.c - the sticky fault of a GPU, and the output and findings of its kernels.
 *
 * The other gpu*.c files set and read the fault; the CUDA layer reads fault and output. All on the
 * server's thread. Contracts: gpu.h and gpu_internal.h. */
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

/* @return the fault of a kernel since the last reset, or NULL; *owner (if not NULL): the owner of
 * its launch. A GPU that died for another reason has none. */
const struct exec_fault *gpu_fault(const struct gpu *gpu, const void **owner) {
    if (!gpu->fault.err) return NULL;
    if (owner) *owner = gpu->fault_owner;
    return &gpu->fault;
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
    for (size_t i = 0; i < gpu->num_kernels; i++) tell_findings(gpu, gpu->kernels[i]);
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

/* Clears the sticky error, its text, and the kernel's fault; gpu_reset() calls it. */
void gpu_forget_fault(struct gpu *gpu) {
    gpu->fault = (struct exec_fault){0};
    gpu->fault_owner = NULL;
    gpu->dead = HEDDLE_OK;
    gpu->diag = (struct heddle_diag){0};
}

/* Stops the GPU with error e: tells the findings of all kernels, sets gpu->dead and copies *diag to
 * gpu->diag. With a kernel k,
 * collects its output; with a fault of it, keeps the fault and k's owner for gpu_fault(). @return
 * e. */
heddle_err gpu_die(struct gpu *gpu, const struct kernel *k, const struct exec_fault *fault,
                   heddle_err e, const struct heddle_diag *diag) {
    gpu_tell_findings(gpu);
    gpu->dead = e;
    gpu->diag = *diag;
    if (k) gpu_collect_output(gpu, k);
    if (fault && fault->err) {
        gpu->fault = *fault;
        gpu->fault_owner = k->owner;
    }
    return e;
}

/* gpu_die() with HEDDLE_ERR_DEADLOCK and this text, without a kernel. */
void gpu_give_up(struct gpu *gpu, const char *text) {
    struct heddle_diag diag;
    heddle_fail(&diag, HEDDLE_ERR_DEADLOCK, "%s", text);
    gpu_die(gpu, NULL, NULL, HEDDLE_ERR_DEADLOCK, &diag);
}
