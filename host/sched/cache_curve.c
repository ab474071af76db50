/* cache_curve.c - counts what device memory would transfer behind larger L2 caches, from the
 * requests that reach it; see cache_curve.h. memory_port.c calls it on the thread that simulates
 * device memory, and cache_curve_get() between windows, so no lock is needed; gpu_build.c creates
 * it and the port frees it. Functions change the given curve alone. The caches themselves are
 * timing/lru_caches.h. */
#include "sched/cache_curve.h"

#include <stdlib.h>

#include "common/memory.h"
#include "timing/lru_caches.h"

enum {
    SECTOR = 32,
    BLOCK_BITS = 5,
    BLOCK = 1 << BLOCK_BITS, /* lines, of which one is followed */
};
_Static_assert((int)CACHE_POINTS - 1 <= (int)LRU_CACHES_MOST, "too many capacities");

/* The emulated caches, and what reached memory. */
struct cache_curve {
    uint32_t first; /* point of the smallest cache, the first that is larger than the GPU's L2 */
    uint32_t caches;
    struct lru_caches *larger;
    uint64_t read, write; /* sectors that came */
};

/* @return a new curve with empty caches for the capacities above `own` bytes, which
 * cache_curve_free() frees. `dirty_ways`: of 16, those whose lines may wait to be written back, 0:
 * all. Out of memory ends the process. */
struct cache_curve *cache_curve_create(uint64_t own, uint64_t dirty_ways) {
    struct cache_curve *c = heddle_alloc(sizeof *c, "caches of other sizes");
    uint64_t capacity[LRU_CACHES_MOST];
    for (uint32_t i = 1; i < CACHE_POINTS; i++) {
        if (!cache_curve_capacity(i, own)) continue;
        if (!c->caches) c->first = i;
        capacity[c->caches++] = cache_curve_capacity(i, own);
    }
    c->larger = lru_caches_create(&(struct lru_shape){.capacity = capacity,
                                                      .count = c->caches,
                                                      .block_bits = BLOCK_BITS,
                                                      .dirty_ways = dirty_ways});
    return c;
}

void cache_curve_free(struct cache_curve *c) {
    if (!c) return;
    lru_caches_free(c->larger);
    free(c);
}

/* Counts and emulates a read of sectors (a mask) of a line that reaches memory. Lines that are not
 * followed cost a comparison. */
void cache_curve_read(struct cache_curve *c, uint32_t line, uint32_t sectors) {
    if (!lru_caches_follow(line, BLOCK_BITS)) return;
    c->read += (unsigned)__builtin_popcount(sectors);
    lru_caches_read(c->larger, line, sectors);
}

/* Counts and emulates a write of sectors (a mask) of a line, which the GPU's L2 writes back to
 * memory. Lines that are not followed cost a comparison. */
void cache_curve_write(struct cache_curve *c, uint32_t line, uint32_t sectors) {
    if (!lru_caches_follow(line, BLOCK_BITS)) return;
    c->write += (unsigned)__builtin_popcount(sectors);
    lru_caches_write(c->larger, line, sectors);
}

/* Puts `count` lines from `first` on, which a copy leaves in L2, into all caches, without marking
 * them as written or counting a read. */
void cache_curve_fill(struct cache_curve *c, uint32_t first, uint32_t count) {
    lru_caches_fill(c->larger, first, count);
}

/* Empties the caches; sectors that waited count as written. */
void cache_curve_flush(struct cache_curve *c) {
    lru_caches_flush(c->larger);
}

/* *out: bytes read and written since creation, by point: the followed sectors times the lines of a
 * block. 0 for capacities that are not above the GPU's L2. */
void cache_curve_get(const struct cache_curve *c, struct cache_curve_counts *out) {
    const struct lru_counts *larger = lru_caches_counts(c->larger);
    *out = (struct cache_curve_counts){.read_bytes[CACHE_POINT_OWN] = c->read * SECTOR * BLOCK,
                                       .write_bytes[CACHE_POINT_OWN] = c->write * SECTOR * BLOCK};
    for (uint32_t i = 0; i < c->caches; i++) {
        out->read_bytes[c->first + i] = larger->read[i] * SECTOR * BLOCK;
        out->write_bytes[c->first + i] = larger->write[i] * SECTOR * BLOCK;
    }
}
