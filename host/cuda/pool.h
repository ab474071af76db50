/* pool.h - memory that is allocated and freed in stream order.
 *
 * An allocation has its address at once; the memory of one that is freed in a stream comes back
 * when the stream gets there. A pool counts what is allocated from it. */
#ifndef HEDDLE_CUDA_POOL_H
#define HEDDLE_CUDA_POOL_H

#include "cuda/graph.h"

/* Gives memory back when the stream gets there. @return cudaError_t. */
int pool_free_on(struct call *call, const struct stream_ref *ref, uint64_t address,
                 gpu_ticket *ticket);
/* Memory on a device; what is about to be freed in some stream is waited for if there is none.
 * @return the address, or 0. */
uint64_t pool_alloc(struct call *call, space_region region, uint64_t bytes, uint32_t flags);

#endif
