/* group_pins.h - lines of L2 that locked stores have pinned (docs/timing-model.md, rule 9): number
 * and duration of the pins.
 *
 * The core says of each pin when it begins and when a command processor ends it (events Perform and
 * Pin). The others end together, with the last kernel. So the sum of all durations needs no time of
 * each pin: it is the sum of the ends, less that of the begins.
 *
 * Threads: those of the SM group. */
#ifndef HEDDLE_TIMING_GROUP_PINS_H
#define HEDDLE_TIMING_GROUP_PINS_H

#include <stdint.h>

/* Counts of pins since creation. */
struct pin_counts {
    uint64_t begun;   /* lines that a locked store has pinned */
    uint64_t refused; /* locked stores that pinned nothing: l2.max_pinned_ways of the set were */
    uint64_t dropped; /* pins that no command processor has ended */
    uint64_t cycles;  /* that lines were pinned, all lines together */
};

struct group_pins {
    uint64_t begun, refused, dropped;
    uint64_t standing; /* pins that have not ended */
    uint64_t balance;  /* target cycles of all ends less those of all begins, modulo 2^64 */
};

/* What an event of target cycle `at` says of a pin: enum core_pin. */
void group_pins_event(struct group_pins *p, unsigned pin, uint64_t at);
/* All pins that stand end in target cycle `at`. */
void group_pins_drop(struct group_pins *p, uint64_t at);
/* @return the counts; of pins that stand, the cycles up to `at`. */
struct pin_counts group_pins_get(const struct group_pins *p, uint64_t at);

#endif
