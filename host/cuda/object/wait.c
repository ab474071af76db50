/* wait.c - waits for the GPU, and the message that a user reads after a fault; see wait.h.
 *
 * Runs in the server, on its thread: handlers of calls wait here, and the other functions of the
 * CUDA layer that drive the simulation do it through this file. For every wait_ function below: it
 * drives the simulation, on this thread and on workers, which performs operations of any program
 * and so may change the address space and exchange messages with the program of the call. A kernel
 * that fails is reported on standard error, and its error becomes the sticky one of its program
 * alone; an error of the simulator also that of the call's program. @return CUDA_SUCCESS, that
 * error, or CALL_SUSPENDED for a call that only waits (call->repeatable), which is retried;
 * cudaErrorUnknown if the thread of the call is dead. */
#include "cuda/object/wait.h"

#include <stdio.h>

#include "cuda/base/diagnostics.h"
#include "cuda/base/memory_near.h"
#include "cuda/object/value_wait.h"

/* After a failed assert(): programs assert that code for an old GPU is not reached. If the program
 * has code for a newer one, writes a hint to `out`. */
static void hint_newer(const struct server *s, const struct program *p, char *out, size_t size) {
    unsigned newer = p ? p->newer_code : 0;
    const struct config *c = s->o.config;
    if (newer)
        snprintf(
            out, size,
            "; the program has code for compute capability %u.%u, and %s has %llu.%llu: it may "
            "want a newer GPU (--gpu %s)",
            newer / 10, newer % 10, c->gpu_name, (unsigned long long)c->gpu_major,
            (unsigned long long)c->gpu_minor, newer < 90 ? "a100-40" : "h100-sxm");
}

/* Makes the error sticky: in the program's record, for the server, and in the control page, for the
 * shim. What it has issued is lost. */
static void break_context(struct program *p, int error) {
    p->sticky = error;
    p->control->sticky = error;
    p->life++;
}

/* The error that a program receives for e, which is sticky, but for a lack of memory. */
static int sticky_error(heddle_err e) {
    const int error = error_of(e);
    return cuda_error_is_sticky(error) || e == HEDDLE_ERR_NOMEM ? error
                                                                : HEDDLE_cudaErrorLaunchFailure;
}

void wait_kernel_failed(void *user, const struct gpu_failure *f) {
    struct server *s = user;
    char near[MEMORY_NEAR_BYTES] = "";
    server_note_failure(s, f->err);
    char hint[400] = "";
    if (f->fault) memory_near_fault(s->o.space, f->fault, near);
    if (f->err == HEDDLE_ERR_ASSERT) hint_newer(s, f->owner, hint, sizeof hint);
    server_error(s, "%s%s%s", *f->text ? f->text : heddle_err_text(f->err), near, hint);
    for (struct program *p = s->programs; p; p = p->next) {
        if (p != f->owner) continue;
        break_context(p, sticky_error(f->err));
        for (unsigned i = 0; i < server_devices(s); i++) gpu_cancel(server_gpu(s, i), p, false);
    }
}

int wait_fault(struct call *call, heddle_err e, const struct heddle_diag *diag) {
    struct server *s = call->server;
    if (!s->fault_reported) {
        s->fault_reported = true;
        server_note_failure(s, e);
        server_error(s, "%s%s%s", heddle_err_text(e), *diag->text ? ": " : "", diag->text);
    }
    break_context(call->program, sticky_error(e));
    return call->program->sticky;
}

/* Ends a wait with the GPU's result e: moves the thread's clock to end_ps, if that is later.
 * @return as the head of the file says. */
static int finish_wait(struct call *call, heddle_err e, uint64_t end_ps,
                       const struct heddle_diag *diag) {
    if (e == HEDDLE_ERR_WAITING && !call->thread->dead) return CALL_SUSPENDED;
    if (end_ps > call->thread->now_ps) call->thread->now_ps = end_ps;
    if (call->thread->dead) return HEDDLE_cudaErrorUnknown;  /* nobody reads it */
    if (call->program->sticky) return call->program->sticky; /* a kernel of it has failed */
    return e ? wait_fault(call, e, diag) : CUDA_SUCCESS;
}

/* After a wait of a GPU that ended with e: true to try it again. Only for HEDDLE_ERR_WAITING: a
 * stream waits for a value in memory, or makes_room() asked for a pause. value_wait_go_on() drives
 * other GPUs or sleeps meanwhile. A leaving program does not try again. */
static bool go_on(struct call *call, struct gpu *gpu, heddle_err e) {
    if (call->server->looks && call->repeatable) return false;
    return e == HEDDLE_ERR_WAITING && !call->leaving && value_wait_go_on(call, gpu);
}

/* Waits for an operation of the GPU (0: none) without moving the thread's clock. *end_ps: when it
 * ended; 0: there is none, or an error came before its end. */
int wait_performed(struct call *call, struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps) {
    *end_ps = 0;
    if (!ticket) return CUDA_SUCCESS;
    struct heddle_diag diag = {0};
    heddle_err e;
    gpu_set_looks(gpu, call->server->looks && call->repeatable);
    do e = gpu_wait(gpu, ticket, end_ps, &diag);
    while (go_on(call, gpu, e));
    return finish_wait(call, e, 0, &diag);
}

/* Waits for an operation of the GPU (0: none) and moves the thread's clock to its end. */
int wait_ticket(struct call *call, struct gpu *gpu, gpu_ticket ticket) {
    uint64_t end_ps;
    int error = wait_performed(call, gpu, ticket, &end_ps);
    if (end_ps > call->thread->now_ps) call->thread->now_ps = end_ps;
    return error;
}

/* Waits for all work of a stream (its number on the GPU) and moves the thread's clock to its
 * end. */
int wait_stream(struct call *call, struct gpu *gpu, uint32_t stream) {
    struct heddle_diag diag = {0};
    uint64_t end_ps = 0;
    heddle_err e;
    gpu_set_looks(gpu, call->server->looks && call->repeatable);
    do e = gpu_wait_stream(gpu, stream, &end_ps, &diag);
    while (go_on(call, gpu, e));
    return finish_wait(call, e, end_ps, &diag);
}

/* Waits for all work of all programs on the GPU and moves the thread's clock to its end. */
int wait_device(struct call *call, struct gpu *gpu) {
    struct heddle_diag diag = {0};
    uint64_t end_ps = 0;
    heddle_err e;
    gpu_set_looks(gpu, call->server->looks && call->repeatable);
    do e = gpu_wait_all(gpu, &end_ps, &diag);
    while (go_on(call, gpu, e));
    return finish_wait(call, e, end_ps, &diag);
}

/* Waits for all work of all programs on all GPUs of the node, one after the other, and moves the
 * thread's clock to its end. Stops at the first error. */
int wait_all(struct call *call) {
    int error = CUDA_SUCCESS;
    for (unsigned i = 0; i < call_devices(call) && !error; i++)
        error = wait_device(call, call_gpu_of(call, i));
    return error;
}

int wait_all_first(struct call *call) {
    call->repeatable = true;
    int error = wait_all(call);
    call->repeatable = false; /* what follows has effects */
    return error;
}

/* Drives the simulation to the thread's clock, which does not move, without trying again. *done:
 * the operation (0: none, which counts as done) has ended by then; *end_ps: when, else 0. Never
 * suspends the call. */
int wait_query(struct call *call, struct gpu *gpu, gpu_ticket ticket, bool *done,
               uint64_t *end_ps) {
    struct heddle_diag diag = {0};
    *done = true;
    *end_ps = 0;
    if (!ticket) return CUDA_SUCCESS;
    heddle_err e = gpu_query(gpu, ticket, call->thread->now_ps, done, end_ps, &diag);
    return finish_wait(call, e, 0, &diag);
}

bool wait_cancelled(struct call *call) {
    bool good = true;
    for (unsigned i = 0; i < call_devices(call); i++) {
        struct gpu *gpu = call_gpu_of(call, i);
        bool moves = true;
        while (moves && gpu_pending(gpu, call->program))
            if (gpu_drive(gpu, &moves, NULL)) break;
        if (!gpu_pending(gpu, call->program)) continue;
        good = false;
        if (!gpu_is_dead(gpu)) gpu_give_up(gpu, "cancelled kernels do not end");
    }
    return good;
}
