/* lru_caches.h - caches of several capacities, emulated together over one stream of accesses.
 *
 * They replace the line that was used least recently (LRU), any line in any place. They have lines
 * of 128 bytes with sectors of 32, and keep written lines until they leave; at most a share of the
 * lines may wait like that.
 *
 * One line in a block of lines is followed, and stands for its block; which one, a hash of the
 * block decides. The capacities are those of whole caches: they are divided in the same way. So an
 * access costs its caller a multiplication and a comparison in most cases. The counts are exact for
 * no single line, and depend on the accesses and their order alone.
 *
 * Threads: one at a time. */
#ifndef HEDDLE_TIMING_LRU_CACHES_H
#define HEDDLE_TIMING_LRU_CACHES_H

#include <stdbool.h>
#include <stdint.h>

enum { LRU_CACHES_MOST = 16 };

/* The caches to emulate. */
struct lru_shape {
    const uint64_t *capacity; /* bytes, of each cache, smallest first */
    uint32_t count;           /* caches, at most LRU_CACHES_MOST */
    uint32_t block_bits;      /* a block has 2^block_bits lines; 1 or more */
    uint64_t dirty_ways;      /* of 16, those whose lines may wait to be written back; 0: all */
};

/* Sectors of followed lines, by cache: read from behind it, and written back. */
struct lru_counts {
    uint64_t read[LRU_CACHES_MOST], write[LRU_CACHES_MOST];
};

static inline uint32_t lru_caches_hash(uint32_t x) {
    return x * UINT32_C(2654435761);
}
/* The place, in its block, of the line that is followed. */
static inline uint32_t lru_caches_chosen(uint32_t line, uint32_t block_bits) {
    return lru_caches_hash(line >> block_bits) >> (32 - block_bits);
}
static inline bool lru_caches_follow(uint32_t line, uint32_t block_bits) {
    return lru_caches_chosen(line, block_bits) == (line & ((UINT32_C(1) << block_bits) - 1));
}

struct lru_caches;
/* Out of memory ends the process. */
struct lru_caches *lru_caches_create(const struct lru_shape *shape);
void lru_caches_free(struct lru_caches *c); /* accepts NULL */

/* Sectors (a mask) of a followed line are read, or written. */
void lru_caches_read(struct lru_caches *c, uint32_t line, uint32_t sectors);
void lru_caches_write(struct lru_caches *c, uint32_t line, uint32_t sectors);
/* Sectors of a followed line become invalid; the line is not used, and stays. */
void lru_caches_drop(struct lru_caches *c, uint32_t line, uint32_t sectors);
/* `count` lines from `first` on, followed or not, are in the caches, not to be written back. */
void lru_caches_fill(struct lru_caches *c, uint32_t first, uint32_t count);
/* Empties the caches. What waited to be written is written. */
void lru_caches_flush(struct lru_caches *c);
/* The counts since creation. Valid as long as the caches. */
const struct lru_counts *lru_caches_counts(const struct lru_caches *c);

#endif
