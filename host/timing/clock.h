/* clock.h - cycles of a clock and picoseconds of target time.
 *
 * Cycle c begins at ceil(c * 10^6 / MHz) ps; cycle_from(t) is the first cycle that begins at or
 * after t. Both are exact integers, so a round trip never drifts. Frequencies are in kHz. */
#ifndef HEDDLE_TIMING_CLOCK_H
#define HEDDLE_TIMING_CLOCK_H

#include <stdint.h>

__extension__ typedef unsigned __int128 clock_u128; /* products of cycles and frequencies */

static inline uint64_t clock_ps(uint64_t cycle, uint64_t khz) {
    return (uint64_t)(((clock_u128)cycle * 1000000000u + khz - 1) / khz);
}

static inline uint64_t clock_cycle_from(uint64_t ps, uint64_t khz) {
    uint64_t c = (uint64_t)((clock_u128)ps * khz / 1000000000u);
    while (clock_ps(c, khz) < ps) c++;
    while (c && clock_ps(c - 1, khz) >= ps) c--;
    return c;
}

#endif
