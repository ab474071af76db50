/* atomic_lines.h - turns of L2 for the atomics and reductions of each line of device memory.
 *
 * A slice of L2 performs them one turn after another (feed_turns()), and a line has one slice. So
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

/* Turns since creation, by the hash of their line. */
struct atomic_lines {
    bool any; /* false: all counters are 0 */
    uint64_t turns[ATOMIC_COUNTERS];
};

/* Counts the turns of an atomic at a line (its number in device memory). */
static inline void atomic_lines_count(struct atomic_lines *a, uint32_t line, unsigned turns) {
    /* Fibonacci hashing: neighbouring lines get different counters. */
    a->turns[line * UINT32_C(2654435769) >> (32 - ATOMIC_COUNTER_BITS)] += turns;
    a->any = true;
}

/* Adds the counts of *from to *sum. */
static inline void atomic_lines_add(struct atomic_lines *sum, const struct atomic_lines *from) {
    if (!from->any) return;
    sum->any = true;
    for (unsigned i = 0; i < ATOMIC_COUNTERS; i++) sum->turns[i] += from->turns[i];
}

/* @return turns at the line that has most of them, between the counts `from` and `to`. */
static inline uint64_t atomic_lines_most(const struct atomic_lines *from,
                                         const struct atomic_lines *to) {
    uint64_t most = 0;
    if (!to->any) return 0;
    for (unsigned i = 0; i < ATOMIC_COUNTERS; i++)
        if (to->turns[i] - from->turns[i] > most) most = to->turns[i] - from->turns[i];
    return most;
}

#endif
