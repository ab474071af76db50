/* wait.h - waiting for the GPU. A wait moves the host thread's clock to its end. A fault is
 * reported once on standard error and becomes the sticky error of the programs concerned.
 *
 * All of these functions drive the simulation, which performs stream operations of any program as
 * they come due. A handler that only waits sets call->repeatable first and passes the result on:
 * CALL_SUSPENDED means that the call is retried. @return cudaError_t. */
#ifndef HEDDLE_CUDA_OBJECT_WAIT_H
#define HEDDLE_CUDA_OBJECT_WAIT_H

#include "cuda/base/context.h"

/* Wait for an operation (0: none), a stream (its number on the GPU), a GPU, or all GPUs. */
int wait_ticket(struct call *call, struct gpu *gpu, gpu_ticket ticket);
int wait_stream(struct call *call, struct gpu *gpu, uint32_t stream);
int wait_device(struct call *call, struct gpu *gpu);
int wait_all(struct call *call);
/* As wait_all(), in a handler that has changed nothing so far: the call may be suspended, so that
 * other threads are served, and its handler runs again from its beginning. */
int wait_all_first(struct call *call);
/* Waits without moving the thread's clock. *end_ps: when the operation ended; 0 for ticket 0. */
int wait_performed(struct call *call, struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps);
/* Advances the GPU to the thread's clock. *done: the operation has ended by then, and *end_ps says
 * when. Ticket 0 counts as ended. */
int wait_query(struct call *call, struct gpu *gpu, gpu_ticket ticket, bool *done, uint64_t *end_ps);
/* Waits for the end of the program's launches, which are cancelled. @return false: some do not end,
 * and their GPUs have been stopped. */
bool wait_cancelled(struct call *call);
/* gpu_failed_fn, `user` is the server: reports a kernel that has failed, with the memory near the
 * address of its fault, and makes the error its program's sticky one. */
void wait_kernel_failed(void *user, const struct gpu_failure *f);
/* The GPU has stopped with e while a call drove it: reports it unless s->fault_reported is set, and
 * makes it the sticky error of the caller's program. @return cudaError_t. */
int wait_fault(struct call *call, heddle_err e, const struct heddle_diag *diag);

#endif
