/* pool.h - memory pools, and memory that is allocated and freed in stream order.
 *
 * An allocation has its address at once; the memory of one that is freed in a stream comes back
 * when the stream gets there. A pool counts what is allocated from it. */
#ifndef HEDDLE_CUDA_OBJECT_POOL_H
#define HEDDLE_CUDA_OBJECT_POOL_H

#include "cuda/object/stream.h"

struct pool {
    bool live;
    unsigned device;
    uint64_t reuse[3], threshold;
    uint64_t used, used_high; /* bytes; nothing is kept when freed, so reserved is the same */
    uint32_t peers;           /* devices with access beside its own */
};

/* ---- pools. Those of the devices are made when a pool is first asked for. */

/* NULL: no such pool. Valid until another pool is created. */
struct pool *pool_find(struct call *call, uint64_t handle);
/* Handles of a device's default pool and of the program's current one. */
uint64_t pool_default(unsigned device);
uint64_t pool_current(const struct program *p, unsigned device);
/* A new pool. @return its handle. */
uint64_t pool_create(struct call *call, unsigned device);

/* ---- memory */

/* Memory of a region. If there is none, what is about to be freed in some stream is waited for, and
 * what ended programs have left is freed. @return the address, or 0. */
uint64_t pool_alloc(struct call *call, memory_region region, uint64_t bytes, uint32_t flags);
/* The same on the pool's device, counted by it. */
uint64_t pool_alloc_from(struct call *call, struct pool *pool, uint64_t bytes);
/* Gives memory of a device back when the stream gets there. *ticket: that point.
 * @return cudaError_t. */
int pool_free_on(struct call *call, const struct stream_ref *ref, uint64_t address,
                 gpu_ticket *ticket);

#endif
