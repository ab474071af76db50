/* wait.h - waiting for the GPU. A thread's clock goes on to the end of the wait; a fault is told
 * once (standard error) and becomes the program's sticky error.
 *
 * A handler that only waits sets call->repeatable before and returns what these return: it may be
 * CALL_SUSPENDED, and the call is tried again. All of them drive the simulation, which performs the
 * operations of any stream that come up, and add to server.simulate_s. @return cudaError_t. */
#ifndef HEDDLE_CUDA_OBJECT_WAIT_H
#define HEDDLE_CUDA_OBJECT_WAIT_H

#include "cuda/base/context.h"

/* For an operation (0: none), a stream, all of a GPU, all GPUs. */
int wait_ticket(struct call *call, struct gpu *gpu, gpu_ticket ticket);
int wait_stream(struct call *call, struct gpu *gpu, uint32_t stream);
int wait_device(struct call *call, struct gpu *gpu);
int wait_all(struct call *call);
/* The operation is carried out, the thread's clock stands still. */
int wait_performed(struct call *call, struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps);
/* Has the operation ended by the thread's time, and when? Ticket 0: yes. */
int wait_query(struct call *call, struct gpu *gpu, gpu_ticket ticket, bool *done, uint64_t *end_ps);

#endif
