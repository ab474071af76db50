/* cta_pool.h - memory of CTAs that have ended, kept for the next ones: blocks of CTAs, operations
 * in flight, sets of sectors. Private to exec/.
 *
 * Owner: the caller of exec_pool_create() (exec.h). Threads: one pool per thread. Objects go back
 * to the pool that they came from; exec_pool_free() frees those that are in it. */
#ifndef HEDDLE_EXEC_CTA_POOL_H
#define HEDDLE_EXEC_CTA_POOL_H

#include "exec/warp/exec_state.h"

/* Takes a free block of about that size, or allocates one; frees those of other sizes on the way.
 * `bytes` is a multiple of 64. @return the block with cta->bytes set and nothing else, or NULL: no
 * memory. */
struct exec_cta *exec_pool_cta(struct exec_pool *pool, size_t bytes);
/* Gives a block back. */
void exec_pool_cta_free(struct exec_pool *pool, struct exec_cta *cta);

/* Takes an operation in flight. Its text and check are 0, the rest is not set. */
struct exec_inflight *exec_pool_inflight(struct exec_pool *pool);
void exec_pool_inflight_free(struct exec_pool *pool, struct exec_inflight *inflight);

/* Takes an empty set of sectors. */
struct exec_sectors *exec_pool_sectors(struct exec_pool *pool);
void exec_pool_sectors_free(struct exec_pool *pool, struct exec_sectors *set);

#endif
