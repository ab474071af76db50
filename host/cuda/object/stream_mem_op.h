/* stream_mem_op.h - stream memory operations (cuStreamWriteValue, cuStreamWaitValue and their
 * batches). A write takes effect when the stream reaches it; value_wait.h does the waits. */
#ifndef HEDDLE_CUDA_OBJECT_STREAM_MEM_OP_H
#define HEDDLE_CUDA_OBJECT_STREAM_MEM_OP_H

#include "cuda/object/stream.h"

/* CUstreamBatchMemOpParams, in the layout of cuda.h. */
struct stream_mem_op {
    uint32_t type, barrier_flags;
    uint64_t address, value;
    uint32_t flags, pad;
    uint64_t alias, rest;
};
_Static_assert(sizeof(struct stream_mem_op) == 48, "as cuda.h has it");
enum { STREAM_MEM_OPS_MAX = 255 }; /* of a batch */

/* Checks a batch: `bytes` bytes of struct stream_mem_op, unaligned. first_form: from a call without
 * _v2. Reports unsupported operations on standard error. @return cudaError_t. */
int stream_mem_op_check(const struct call *call, const uint8_t *operations, uint64_t bytes,
                        bool first_form);
/* Issues a checked batch on the stream. *ticket: a marker behind it. @return cudaError_t. */
int stream_mem_op_issue(struct call *call, const struct stream_ref *ref, const uint8_t *operations,
                        uint64_t bytes, gpu_ticket *ticket);

#endif
