/* cta_pool.c - free lists of CTA blocks, operations in flight and sets of sectors, so that the next
 * CTA needs no malloc().
 *
 * cta.c and in_flight.c take and give back objects on the thread that runs the CTAs. timing/group.c
 * creates a pool for each SM group, which one thread at a time runs, and immediate.c one for each
 * worker; so there is no lock. All functions change *pool. Allocations through
 * common/memory.h do not return without memory; blocks of CTAs may be refused (NULL). */
#include "exec/warp/cta_pool.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum { INFLIGHT_PER_BLOCK = 16, ALIGN = 64 }; /* ALIGN: bytes, of a warp_reg */

/* Operations in flight are allocated in blocks. */
struct inflight_block {
    struct inflight_block *next;
    struct exec_inflight inflight[INFLIGHT_PER_BLOCK];
};
/* A set of sectors with its link in the free list. */
struct sectors_block {
    struct sectors_block *next;
    struct exec_sectors set;
};
/* The pool: free lists, and all blocks of operations in flight. */
struct exec_pool {
    struct exec_cta *free_ctas;
    struct exec_inflight *free_inflight;
    struct inflight_block *blocks;
    struct sectors_block *sectors, *free_sectors;
};

/* Allocates an empty pool. @return HEDDLE_OK always. */
heddle_err exec_pool_create(struct exec_pool **out) {
    *out = heddle_alloc(sizeof **out, "a pool of CTAs");
    return HEDDLE_OK;
}

/* Frees the pool, what is in it, and operations in flight even if taken. CTAs and sets of sectors
 * have been given back. Accepts NULL. */
void exec_pool_free(struct exec_pool *pool) {
    if (!pool) return;
    while (pool->free_ctas) {
        struct exec_cta *next = pool->free_ctas->next_free;
        free(pool->free_ctas);
        pool->free_ctas = next;
    }
    while (pool->blocks) {
        struct inflight_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
    while (pool->free_sectors) {
        struct sectors_block *next = pool->free_sectors->next;
        free(pool->free_sectors);
        pool->free_sectors = next;
    }
    free(pool);
}

/* Takes a free operation; allocates a block of them when none is free. @return it, with text and
 * check 0 and all else not set. */
struct exec_inflight *exec_pool_inflight(struct exec_pool *pool) {
    if (!pool->free_inflight) {
        struct inflight_block *b = heddle_alloc_aligned(ALIGN, sizeof *b, "operations in flight");
        b->next = pool->blocks;
        pool->blocks = b;
        for (unsigned i = 0; i < INFLIGHT_PER_BLOCK; i++)
            exec_pool_inflight_free(pool, &b->inflight[i]);
    }
    struct exec_inflight *s = pool->free_inflight;
    pool->free_inflight = s->next_free;
    s->text = 0;
    s->check = 0;
    return s;
}

/* Gives an operation back. */
void exec_pool_inflight_free(struct exec_pool *pool, struct exec_inflight *inflight) {
    inflight->next_free = pool->free_inflight;
    pool->free_inflight = inflight;
}

/* Takes a set; allocates one when none is free. @return it, empty. */
struct exec_sectors *exec_pool_sectors(struct exec_pool *pool) {
    struct sectors_block *b = pool->free_sectors;
    if (b)
        pool->free_sectors = b->next;
    else
        b = heddle_alloc(sizeof *b, "a set of sectors");
    memset(b, 0, sizeof *b);
    return &b->set;
}

/* Gives a set back. */
void exec_pool_sectors_free(struct exec_pool *pool, struct exec_sectors *set) {
    struct sectors_block *b = (struct sectors_block *)((char *)set -
                                                       offsetof(struct sectors_block, set));
    b->next = pool->free_sectors;
    pool->free_sectors = b;
}

/* Takes the first free block of at least `bytes` (a multiple of 64) and at most about twice as
 * many, frees others before it, or allocates one. @return the block, with c->bytes set and nothing
 * else; NULL: no memory. */
struct exec_cta *exec_pool_cta(struct exec_pool *pool, size_t bytes) {
    while (pool->free_ctas) {
        struct exec_cta *c = pool->free_ctas;
        pool->free_ctas = c->next_free;
        if (c->bytes >= bytes && c->bytes / 2 <= bytes) return c;
        free(c); /* a block for CTAs of another kernel */
    }
    struct exec_cta *c = aligned_alloc(ALIGN, bytes);
    if (c) c->bytes = bytes;
    return c;
}

/* Gives a CTA's block back. */
void exec_pool_cta_free(struct exec_pool *pool, struct exec_cta *cta) {
    cta->next_free = pool->free_ctas;
    pool->free_ctas = cta;
}
