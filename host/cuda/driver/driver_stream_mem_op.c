/* driver_stream_mem_op.c - stream memory operations: a stream writes a word of memory, or waits for
 * one to have a value.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. The macros ONE and BATCH define the functions. The server performs the
 * operation when the stream reaches it. It receives only batches, so a single operation travels as
 * a batch of one. Addresses in registered memory become the server's (shim_translate, under
 * shim.lock).
 *
 * Helpers with an `id` make the call of that number. All functions return a CUresult, unless a
 * comment says otherwise, and leave the runtime's last error alone. This file keeps no state. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum { WAIT_32 = 1, WRITE_32 = 2, WAIT_64 = 4, WRITE_64 = 5 }; /* CUstreamBatchMemOpType */
enum { FIRST_FORM = 1 }; /* flag of the message: a call of the first form, without _v2 */

struct mem_op { /* CUstreamBatchMemOpParams */
    int type;
    unsigned barrier_flags;
    uint64_t address, value;
    unsigned flags, pad;  /* flags: the comparison of a wait, and the like */
    uint64_t alias, rest; /* not used */
};
_Static_assert(sizeof(struct mem_op) == DRIVER_MEM_OP_BYTES, "as cuda.h has it");

/* Makes the call `id`, whose payload is `count` operations. `flags`: 0 or FIRST_FORM. */
static int send(enum cuda_call_id id, void *stream, const struct mem_op *op, unsigned count,
                uint64_t flags) {
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)stream, count, flags},
                             .source = {.base = (void *)(uintptr_t)op},
                             .payload_bytes = count * sizeof *op};
    return driver_call(&call);
}

/* Replaces an address in registered memory by the server's address of it, in an operation that has
 * an address. Takes shim.lock if memory is registered. */
static void translate(struct mem_op *op) {
    if (op->type != WAIT_32 && op->type != WAIT_64 && op->type != WRITE_32 && op->type != WRITE_64)
        return;
    op->address = (uintptr_t)shim_translate((void *)(uintptr_t)op->address);
}

/* Makes the call `id` with a single operation of the kind `type`. `form`: 0 or FIRST_FORM. */
static int one(enum cuda_call_id id, void *stream, int type, uint64_t address, uint64_t value,
               unsigned flags, uint64_t form) {
    struct mem_op op = {.type = type, .address = address, .value = value, .flags = flags};
    translate(&op);
    return send(id, stream, &op, 1, form);
}

/* Copies the program's list of `count` operations to `out`, which has room for them, and translates
 * its addresses. Sends nothing. @return false, with nothing copied, if the list is longer than
 * DRIVER_MEM_OPS_MAX, or missing. */
bool driver_read_mem_ops(const void *list, unsigned count, void *out) {
    struct mem_op *op = out;
    if (count > DRIVER_MEM_OPS_MAX || (count && !list)) return false;
    if (count) memcpy(op, list, count * sizeof *op);
    for (unsigned i = 0; i < count; i++) translate(&op[i]);
    return true;
}

/* Makes the call `id` with a copy of the program's list of operations. `form`: 0 or FIRST_FORM.
 * Flags, or a list that is too long or missing, are cudaErrorInvalidValue. */
static int batch(enum cuda_call_id id, void *stream, unsigned count, const void *list,
                 unsigned flags, uint64_t form) {
    struct mem_op op[DRIVER_MEM_OPS_MAX];
    if (flags || !driver_read_mem_ops(list, count, op))
        return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    return send(id, stream, op, count, form);
}

/* Defines a call with a single operation. */
#define ONE(name, operation, value_t, form)                                              \
    SHIM_EXPORT int name(void *stream, uint64_t address, value_t value, unsigned flags); \
    int name(void *stream, uint64_t address, value_t value, unsigned flags) {            \
        return one(CALL_##name, stream, operation, address, value, flags, form);         \
    }
ONE(cuStreamWaitValue32, WAIT_32, uint32_t, FIRST_FORM)
ONE(cuStreamWaitValue32_v2, WAIT_32, uint32_t, 0)
ONE(cuStreamWaitValue64, WAIT_64, uint64_t, FIRST_FORM)
ONE(cuStreamWaitValue64_v2, WAIT_64, uint64_t, 0)
ONE(cuStreamWriteValue32, WRITE_32, uint32_t, FIRST_FORM)
ONE(cuStreamWriteValue32_v2, WRITE_32, uint32_t, 0)
ONE(cuStreamWriteValue64, WRITE_64, uint64_t, FIRST_FORM)
ONE(cuStreamWriteValue64_v2, WRITE_64, uint64_t, 0)

/* Defines a call with a batch of operations. */
#define BATCH(name, form)                                                                 \
    SHIM_EXPORT int name(void *stream, unsigned count, const void *list, unsigned flags); \
    int name(void *stream, unsigned count, const void *list, unsigned flags) {            \
        return batch(CALL_##name, stream, count, list, flags, form);                      \
    }
BATCH(cuStreamBatchMemOp, FIRST_FORM)
BATCH(cuStreamBatchMemOp_v2, 0)
