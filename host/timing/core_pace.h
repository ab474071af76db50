/* core_pace.h - how long a card waits for the host, computed from the clocks of its runs.
 *
 * A run that the host starts begins on the card when the one before it has ended, and not before a
 * round trip has passed since the end of the last run whose results the host had when it started
 * this one. The host itself takes no time here. Times are clocks of the core since its first run
 * could have been started. */
#ifndef HEDDLE_TIMING_CORE_PACE_H
#define HEDDLE_TIMING_CORE_PACE_H

#include <stdint.h>

struct core_pace {
    uint64_t round_trip; /* clocks */
    uint64_t ended;      /* when the last run ended of which the host knows */
    uint64_t waits;      /* sum of the clocks in which no run was under way */
};

/* The host starts a run. @return the clock before which it cannot begin. */
static inline uint64_t core_pace_start(const struct core_pace *pace) {
    return pace->ended + pace->round_trip;
}

/* The host learns that the oldest run has ended, which took so many clocks. `from`: what
 * core_pace_start() returned for it. */
static inline void core_pace_end(struct core_pace *pace, uint64_t from, uint64_t clocks) {
    const uint64_t begun = from > pace->ended ? from : pace->ended;
    pace->waits += begun - pace->ended;
    pace->ended = begun + clocks;
}

#endif
