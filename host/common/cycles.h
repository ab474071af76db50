/* cycles.h - cycles of a clock and picoseconds of target time.
 *
 * clock_ps(c) is the time at which cycle c begins, ceil(c * 10^9 / kHz) ps; clock_cycle_from(t)
 * is the first cycle that begins at or after t. Both are exact integers, so a round trip never
 * drifts. Frequencies are in kHz. Pure functions. */
#ifndef HEDDLE_COMMON_CYCLES_H
#define HEDDLE_COMMON_CYCLES_H

#include <stdint.h>

__extension__ typedef unsigned __int128 clock_u128; /* products of cycles and frequencies */

/* @return the picosecond at which the cycle begins. */
static inline uint64_t clock_ps(uint64_t cycle, uint64_t khz) {
    /* The usual case without a long division: the product fits a word. */
    if (cycle < 1ull << 33) return (cycle * 1000000000u + khz - 1) / khz;
    return (uint64_t)(((clock_u128)cycle * 1000000000u + khz - 1) / khz);
}

/* @return the first cycle that begins at or after `ps`. */
static inline uint64_t clock_cycle_from(uint64_t ps, uint64_t khz) {
    uint64_t product, c;
    if (__builtin_mul_overflow(ps, khz, &product))
        c = (uint64_t)((clock_u128)ps * khz / 1000000000u);
    else
        c = product / 1000000000u;
    while (clock_ps(c, khz) < ps) c++;
    while (c && clock_ps(c - 1, khz) >= ps) c--;
    return c;
}

#endif
