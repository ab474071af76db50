/* managed_memory.h - managed memory goes where programs want it: prefetches, and touches of the
 * host. How it follows the kernels, the GPUs know (sched/fault_service.h). */
#ifndef HEDDLE_CUDA_OBJECT_MANAGED_MEMORY_H
#define HEDDLE_CUDA_OBJECT_MANAGED_MEMORY_H

#include "cuda/base/context.h"
#include "cuda/object/stream.h"

/* Serves the message WIRE_TOUCHED, by which the shim tells before a call that may move managed
 * memory which of it the program has touched: it has gone to the host, which has waited for what
 * was on a GPU. @return cudaErrorUnknown: the message is damaged, or the program does not
 * answer. */
int managed_touch(struct call *call);

/* Issues a prefetch of `bytes`, a part of the allocation b, to a device of the program or to the
 * host, as an operation of the stream; does not wait. @return cudaError_t. */
int managed_prefetch(struct call *call, const struct stream_ref *ref, const struct memory_block *b,
                     uint64_t address, uint64_t bytes, bool to_device, unsigned device);

#endif
