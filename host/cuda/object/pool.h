/* pool.h - device memory: memory pools, allocation, and freeing in stream order.
 *
 * An allocation is usable at once. Memory freed in a stream is reusable when the stream reaches the
 * free. A pool only counts its allocations. */
#ifndef HEDDLE_CUDA_OBJECT_POOL_H
#define HEDDLE_CUDA_OBJECT_POOL_H

#include "cuda/object/stream.h"

/* A memory pool of a program. */
struct pool {
    bool live; /* false: destroyed */
    unsigned device;
    uint64_t reuse[3], threshold; /* attributes, kept for queries; threshold in bytes */
    uint64_t used, used_high;     /* bytes, and their high-water mark; a pool keeps nothing that is
                                   * freed, so they are the reserved bytes, too */
    uint32_t peers;               /* bits: other devices with access */
};

/* ---- pools. The first look-up creates the devices' default pools. */

/* NULL: no such pool. The pointer is valid until another pool is created. */
struct pool *pool_find(struct call *call, uint64_t handle);
/* Handles of a device's default pool and of the program's current pool for the device. */
uint64_t pool_default(unsigned device);
uint64_t pool_current(const struct program *p, unsigned device);
/* Adds a pool to program.pools. @return its handle. */
uint64_t pool_create(struct call *call, unsigned device);

/* ---- memory */

/* Allocates in a region. If it is full, this first drives the simulation until pending frees are
 * performed, then frees memory of ended programs. @return the address, or 0. */
uint64_t pool_alloc(struct call *call, memory_region region, uint64_t bytes, uint32_t flags);
/* The same on the pool's device; the pool counts it. */
uint64_t pool_alloc_from(struct call *call, struct pool *pool, uint64_t bytes);
/* Subtracts freed memory from what its pool counts. `tag`: that of its block; one that names no
 * pool changes nothing. */
void pool_note_free(struct program *p, uint32_t tag, uint64_t bytes);
/* Issues a free of device memory of the program, which takes effect when the stream reaches it.
 * *ticket: the operation. From the call on, the block counts as being freed. @return
 * cudaError_t. */
int pool_free_on(struct call *call, const struct stream_ref *ref, uint64_t address,
                 gpu_ticket *ticket);

#endif
