/* calls_shmem.c - handlers of Heddle's own calls: for OpenSHMEM programs (symmetric_heap.h), and
 * for work of the host.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table;
 * tables/cuda_calls.def gives the parameters. Those of SHMEM are collective: they wait for the
 * other PEs. A program that is no PE gets InitializationError. */
#include "cuda/base/diagnostics.h"
#include "cuda/object/symmetric_heap.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

int do___heddleShmemInit(struct call *call, uint64_t bytes, uint64_t queues, uint64_t *pe,
                         uint64_t *num_pes) {
    const int error = symmetric_heap_begin(call, bytes, queues);
    *pe = call->program->node;
    *num_pes = symmetric_heap_pes(call->server);
    return error;
}

int do___heddleShmemFinalize(struct call *call) {
    const int error = wait_all_first(call);
    return error ? error : symmetric_heap_end(call);
}

int do___heddleShmemMalloc(struct call *call, uint64_t bytes, uint64_t alignment,
                           uint64_t *address) {
    return symmetric_heap_alloc(call, bytes, alignment, address);
}

/* Kernels in flight may use the memory. */
int do___heddleShmemFree(struct call *call, uint64_t address) {
    const int error = wait_all_first(call);
    return error ? error : symmetric_heap_free(call, address);
}

int do___heddleShmemBarrier(struct call *call) {
    return symmetric_heap_barrier(call);
}

/* Lets the time pass that the node's CPU takes for the work. */
int do___heddleHostWork(struct call *call, uint64_t operations, uint64_t bytes, uint64_t touched,
                        uint64_t *now_ps) {
    const struct server_options *o = &call->server->o;
    if (!o->host_work) return HEDDLE_cudaErrorNotSupported;
    const uint64_t takes_ps = o->host_work(o->pe_user, operations, bytes, touched);
    if (takes_ps > UINT64_MAX / 2 - call->thread->now_ps) {
        server_error(call->server,
                     "%s (process %d): heddle_host_work() of %llu operations and %llu bytes takes "
                     "longer than target time can count",
                     call->program->name, call->program->pid, (unsigned long long)operations,
                     (unsigned long long)bytes);
        return HEDDLE_cudaErrorInvalidValue;
    }
    *now_ps = call->thread->now_ps += takes_ps;
    return CUDA_SUCCESS;
}
