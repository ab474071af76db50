/* atomic_lines.h - how many lanes of atomics and reductions touch each line of device memory.
 *
 * A slice of L2 performs the atomics of a line one lane after another, and a line has one slice. So
 * the line that has most of them is a bound on a kernel's time that no larger GPU moves
 * (docs/projection.md). Lines share counters by a hash: a kernel whose atomics are spread over many
 * lines shows a few lines' worth, which is far from its bound.
 *
 * Threads: that of the SM group during a window, the driving thread between windows. */
#ifndef HEDDLE_TIMING_ATOMIC_LINES_H
#define HEDDLE_TIMING_ATOMIC_LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { ATOMIC_COUNTER_BITS = 10, ATOMIC_COUNTERS = 1 << ATOMIC_COUNTER_BITS };

/* Lanes since creation, by the hash of their line. */
struct atomic_lines {
    bool any; /* false: all counters are 0 */
    uint64_t lanes[ATOMIC_COUNTERS];
};

/* Counts `lanes` lanes of an atomic at a line (its number in device memory). */
static inline void atomic_lines_count(struct atomic_lines *a, uint32_t line, unsigned lanes) {
    /* Fibonacci hashing: neighbouring lines get different counters. */
    a->lanes[line * UINT32_C(2654435769) >> (32 - ATOMIC_COUNTER_BITS)] += lanes;
    a->any = true;
}

/* Adds the counts of *from to *sum. */
static inline void atomic_lines_add(struct atomic_lines *sum, const struct atomic_lines *from) {
    if (!from->any) return;
    sum->any = true;
    for (unsigned i = 0; i < ATOMIC_COUNTERS; i++) sum->lanes[i] += from->lanes[i];
}

/* @return lanes at the line that has most of them, between the counts `from` and `to`. */
static inline uint64_t atomic_lines_most(const struct atomic_lines *from,
                                         const struct atomic_lines *to) {
    uint64_t most = 0;
    if (!to->any) return 0;
    for (unsigned i = 0; i < ATOMIC_COUNTERS; i++)
        if (to->lanes[i] - from->lanes[i] > most) most = to->lanes[i] - from->lanes[i];
    return most;
}

#endif
