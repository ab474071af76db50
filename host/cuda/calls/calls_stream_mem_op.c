/* calls_stream_mem_op.c - the handler of stream memory operations: every such call of libcuda
 * arrives as a batch, which is issued or captured; see stream_mem_op.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". It does not wait. */
#include <stdlib.h>

#include "cuda/object/capture.h"
#include "cuda/base/payload.h"
#include "cuda/object/stream_mem_op.h"
#include "cuda_call_handlers.h"

enum { FIRST_FORM = 1 }; /* flag of the message: a call of the first form */

/* Adds the batch, the call's payload, to the graph into which the stream is captured; takes
 * `operations` over, also when it fails. */
static int capture(struct call *call, const struct stream_ref *ref, uint8_t *operations) {
    struct node_work work = {
        .kind = NODE_BATCH_MEM_OP,
        .kernel = {.parameters = operations, .parameter_bytes = (uint32_t)call->payload_bytes}};
    return capture_add(call, ref, &work);
}

/* The payload, pulled from the program, is the batch of `count` operations. Checks all operations
 * before it issues the first on the stream, or captures them; an unsupported one is reported on
 * standard error. @return InvalidValue: flags, sizes or an operation that CUDA refuses;
 * NotSupported; MemoryAllocation: no payload; or as capture_find_op_stream(). */
int do_cuStreamBatchMemOp_v2(struct call *call, uint64_t stream, uint64_t count, uint64_t flags) {
    struct stream_ref ref;
    gpu_ticket ticket;
    if (flags & ~(uint64_t)FIRST_FORM || count > STREAM_MEM_OPS_MAX ||
        call->payload_bytes != count * sizeof(struct stream_mem_op))
        return CUDA_ERROR_INVALID_VALUE;
    int error = capture_find_op_stream(call, stream, &ref);
    if (error || !count) return error;
    uint8_t *operations = call_take_payload(call, PAYLOAD_NODES);
    if (!operations) return HEDDLE_cudaErrorMemoryAllocation;
    error = stream_mem_op_check(call, operations, call->payload_bytes, flags & FIRST_FORM);
    if (!error && ref.capture) return capture(call, &ref, operations); /* takes them over */
    if (!error) error = stream_mem_op_issue(call, &ref, operations, call->payload_bytes, &ticket);
    free(operations);
    return error;
}
