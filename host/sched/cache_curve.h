/* cache_curve.h - what device memory would transfer behind a larger L2: caches of several
 * capacities, emulated over the requests that reach device memory.
 *
 * All requests that the GPU's own L2 passes on come here. Each capacity of
 * tables/cache_capacities.def greater than that L2 counts the bytes that its cache would have read
 * from memory and written to it. A smaller cache would have passed more on than came here: nothing
 * is known of it.
 *
 * The caches are those of timing/lru_caches.h. Written lines stay until they leave; at most a share
 * of the lines may wait like that (l2.dirty_ways). A hit in the GPU's own L2 does not come here and
 * renews nothing. One line in 32 is followed, and stands for its block of 32 lines.
 *
 * Threads: one at a time; the memory port calls it (sched/memory_port.h). */
#ifndef HEDDLE_SCHED_CACHE_CURVE_H
#define HEDDLE_SCHED_CACHE_CURVE_H

#include <stdbool.h>
#include <stdint.h>

/* Point 0 is the GPU's own L2: what comes here. The others are the capacities of the table. */
enum {
    CACHE_POINT_OWN,
#define CAPACITY(kibibytes, gpus) CACHE_POINT_##kibibytes,
#include "tables/cache_capacities.def"
    CACHE_POINTS
};

/* Bytes that device memory transfers, by point. Those of the followed lines, times 32. */
struct cache_curve_counts {
    uint64_t read_bytes[CACHE_POINTS], write_bytes[CACHE_POINTS];
};

/* The capacity of a point, bytes; `own`: that of the GPU's L2. 0: not greater than `own`. */
static inline uint64_t cache_curve_capacity(uint32_t point, uint64_t own) {
    static const uint64_t bytes[CACHE_POINTS] = {
        0,
#define CAPACITY(kibibytes, gpus) UINT64_C(kibibytes) * 1024,
#include "tables/cache_capacities.def"
    };
    if (point == CACHE_POINT_OWN) return own;
    return bytes[point] > own ? bytes[point] : 0;
}

struct cache_curve;
/* `own`: bytes of the GPU's L2. `dirty_ways`: of 16, those whose lines may wait to be written back;
 * 0: all. Out of memory ends the process. */
struct cache_curve *cache_curve_create(uint64_t own, uint64_t dirty_ways);
void cache_curve_free(struct cache_curve *c); /* accepts NULL */

/* Sectors (a mask) of a line are read from memory, or written back to it. */
void cache_curve_read(struct cache_curve *c, uint32_t line, uint32_t sectors);
void cache_curve_write(struct cache_curve *c, uint32_t line, uint32_t sectors);
/* A copy leaves `count` lines in the caches, not to be written back. */
void cache_curve_fill(struct cache_curve *c, uint32_t first, uint32_t count);
/* Empties the caches. What waited to be written is written. */
void cache_curve_flush(struct cache_curve *c);
/* The counts since creation. */
void cache_curve_get(const struct cache_curve *c, struct cache_curve_counts *out);

#endif
