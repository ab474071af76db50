/* timeline_counters.h - counts by interval of target time, kept until there are too many.
 *
 * A series has the intervals in which something was counted, in order. When it has
 * TIMELINE_INTERVALS of them, it joins each two neighbours, and its interval doubles; or, with a
 * fixed interval, it writes them into the file. Either way its memory is constant, and what it
 * writes follows from the counts alone. */
#ifndef HEDDLE_TIMELINE_TIMELINE_COUNTERS_H
#define HEDDLE_TIMELINE_TIMELINE_COUNTERS_H

#include "timeline/timeline.h"

enum { SERIES_MOST = 16 }; /* counts of an interval */

/* Writes what was counted in an interval from begin_ps on, `us` microseconds long; NULL: nothing
 * was, from then on. */
struct series;
typedef void (*series_write_fn)(void *user, const struct series *s, const uint64_t *counted,
                                uint64_t begin_ps, double us);
struct series {
    uint64_t interval_ps; /* of numbers that are added */
    unsigned shift;       /* it has doubled so often */
    bool fixed;
    unsigned counts; /* of an interval, at most SERIES_MOST */
    unsigned num;
    uint64_t ended; /* the end of the last one that was written, in numbers; 0: none */
    series_write_fn write;
    void *user;
    uint32_t index; /* the owner's */
    struct series_interval {
        uint64_t number, counted[SERIES_MOST];
    } * of; /* owned */
};

/* The caller has set interval_ps, fixed, counts, write, user and index. */
void series_begin(struct series *s);
void series_free(struct series *s);
/* Adds what was counted in interval `number`, not before the last one. */
void series_add(struct series *s, uint64_t number, const uint64_t *counted);
/* Writes all that it has, and that nothing is counted from then on. */
void series_end(struct series *s);

#endif
