/* stream_mem_op.c - stream memory operations (cuStreamWriteValue, cuStreamWaitValue): checks and
 * issues batches of them; see stream_mem_op.h.
 *
 * Runs in the server: handlers check and issue on its thread; act_write() runs on the simulation's
 * thread (stream_op.c). Functions that return int return a cudaError_t. */
#include "cuda/object/stream_mem_op.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/ipc.h"
#include "cuda/object/stream_op.h"
#include "cuda/object/value_wait.h"

enum { /* CUstreamBatchMemOpType */
       WAIT_32 = 1,
       WRITE_32 = 2,
       FLUSH_REMOTE_WRITES = 3,
       WAIT_64 = 4,
       WRITE_64 = 5,
       BARRIER = 6,
};
enum { WAIT_FLUSH = 1 << 30 };        /* CUstreamWaitValue_flags, beside value_comparison */
enum { WRITE_NO_MEMORY_BARRIER = 1 }; /* CUstreamWriteValue_flags */
enum { BARRIER_OF_THE_GPU = 1 };      /* CUstreamMemoryBarrier_flags */

/* A write that is issued and not yet performed. */
struct value_write {
    struct stream_op head;
    uint64_t address, value;
    unsigned bytes;
};

/* stream_op.act, called once on the simulation's thread when the stream reaches the write: writes
 * the word. The store is atomic because kernels and the program may read the word at any time. */
static void act_write(struct stream_op *op) {
    const struct value_write *w = (const struct value_write *)op;
    void *p = (void *)(uintptr_t)w->address;
    address_space_note_write(op->server->o.space, w->address, w->bytes);
    if (w->bytes == 4)
        __atomic_store_n((uint32_t *)p, (uint32_t)w->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)p, w->value, __ATOMIC_RELEASE);
}

/* True for an aligned word of `bytes` in allocated memory that kernels can reach, except managed
 * memory, as in CUDA. */
static bool is_reachable(const struct call *call, uint64_t address, unsigned bytes) {
    const struct address_space *s = call->server->o.space;
    const struct memory_block *b = ipc_reachable(call, address, bytes);
    return address % bytes == 0 && b && b->open &&
           address_space_region(s, address) != REGION_MANAGED;
}

/* Bytes of the word of a wait or write. */
static unsigned width(uint32_t type) {
    return type == WAIT_32 || type == WRITE_32 ? 4 : 8;
}

/* Checks one operation; reports an unsupported one on standard error. first_form: from a call
 * without _v2, which has no barriers. @return cudaErrorInvalidValue or cudaErrorNotSupported. */
static int check(const struct call *call, const struct stream_mem_op *op, bool first_form) {
    bool flush = false;
    switch (op->type) {
    case WAIT_32:
    case WAIT_64:
        flush = op->flags & WAIT_FLUSH;
        if (!is_reachable(call, op->address, width(op->type)) ||
            (op->flags & ~(uint32_t)WAIT_FLUSH) > WAIT_NOR)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    case WRITE_32:
    case WRITE_64:
        if (!is_reachable(call, op->address, width(op->type)) ||
            op->flags > WRITE_NO_MEMORY_BARRIER)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    case BARRIER:
        if (first_form || op->barrier_flags > BARRIER_OF_THE_GPU) return CUDA_ERROR_INVALID_VALUE;
        break;
    case FLUSH_REMOTE_WRITES: flush = true; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    if (!flush) return CUDA_SUCCESS;
    server_error(call->server, "not supported: flushing remote writes in a stream "
                               "(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES is 0)");
    return HEDDLE_cudaErrorNotSupported;
}

/* Issues a write of the word as an operation of the stream; server.ops owns its record, and
 * act_write() performs it. */
static int issue_write(struct call *call, const struct stream_ref *ref,
                       const struct stream_mem_op *op) {
    struct value_write *w = heddle_alloc(sizeof *w, "a write to a word of memory");
    gpu_ticket ticket;
    w->head.act = act_write;
    w->address = op->address;
    w->bytes = width(op->type);
    w->value = op->type == WRITE_32 ? (uint32_t)op->value : op->value;
    struct gpu_copy cost = {
        .kind = GPU_WRITE, .device_address = op->address, .bytes = width(op->type)};
    return stream_op_issue(call, ref, &w->head, &cost, &ticket);
}

/* Issues a wait for the word (value_wait.h), which stays in server.value_waits until it is met. */
static int issue_wait(struct call *call, const struct stream_ref *ref,
                      const struct stream_mem_op *op) {
    uint64_t value = op->type == WAIT_32 ? (uint32_t)op->value : op->value;
    return value_wait_issue(call, ref, op->address, value, width(op->type),
                            (enum value_comparison)(op->flags & ~(uint32_t)WAIT_FLUSH));
}

/* Checks a batch, `bytes` bytes of struct stream_mem_op, which need not be aligned; issues nothing.
 * Reports an unsupported operation on standard error. @return the error of the first operation that
 * has one; cudaErrorInvalidValue: too many, or not whole ones. */
int stream_mem_op_check(const struct call *call, const uint8_t *operations, uint64_t bytes,
                        bool first_form) {
    struct stream_mem_op op;
    int error = bytes % sizeof op || bytes / sizeof op > STREAM_MEM_OPS_MAX
                    ? CUDA_ERROR_INVALID_VALUE
                    : CUDA_SUCCESS;
    for (uint64_t at = 0; at < bytes && !error; at += sizeof op) {
        memcpy(&op, operations + at, sizeof op);
        error = check(call, &op, first_form);
    }
    return error;
}

/* Issues the operations of a checked batch in order, and a marker behind them: *ticket. Barriers
 * need no operation of their own, because later operations see everything that earlier ones of the
 * stream have done. @return the first error; what was issued before it stays. */
int stream_mem_op_issue(struct call *call, const struct stream_ref *ref, const uint8_t *operations,
                        uint64_t bytes, gpu_ticket *ticket) {
    struct stream_mem_op op;
    int error = CUDA_SUCCESS;
    for (uint64_t at = 0; at < bytes && !error; at += sizeof op) {
        memcpy(&op, operations + at, sizeof op);
        if (op.type == WAIT_32 || op.type == WAIT_64) error = issue_wait(call, ref, &op);
        if (op.type == WRITE_32 || op.type == WRITE_64) error = issue_write(call, ref, &op);
    }
    return error ? error : stream_mark(call, ref, ticket);
}
