/* cta_pool.h - memory of CTAs that have ended, kept for the next ones: blocks of CTAs, operations
 * in flight, sets of sectors. Private to exec/.
 *
 * Owner: the caller of exec_pool_create() (exec.h). Threads: one pool per thread. */
#ifndef HEDDLE_EXEC_CTA_POOL_H
#define HEDDLE_EXEC_CTA_POOL_H

#include "exec/warp/exec_state.h"

/* A block for a CTA: a free one of about that size, or a new one. `bytes` is a multiple of 64.
 * @return the block with cta->bytes set and nothing else, or NULL: no memory. */
struct exec_cta *exec_pool_cta(struct exec_pool *pool, size_t bytes);
/* Gives a block back. */
void exec_pool_cta_free(struct exec_pool *pool, struct exec_cta *cta);

/* An operation in flight, without text and synchronisation. */
struct exec_inflight *exec_pool_inflight(struct exec_pool *pool);
void exec_pool_inflight_free(struct exec_pool *pool, struct exec_inflight *inflight);

/* An empty set of sectors. */
struct exec_sectors *exec_pool_sectors(struct exec_pool *pool);
void exec_pool_sectors_free(struct exec_pool *pool, struct exec_sectors *set);

#endif
