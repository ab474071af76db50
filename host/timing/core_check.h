/* core_check.h - the check of a beat in a ring between host and timing core, for C and C++; the
 * core's side is rtl/cell/check.svh.
 *
 * Memory of a card and the way to it can lose a write, deliver it late, or change a bit. So each
 * beat carries a byte that depends on its contents and on its number, beats since reset modulo
 * 2^32: the parities of bits 0, 1, ... 7 of its 64 bytes and of the four of its number are odd.
 * A beat of an earlier lap of the ring has another number. In a command, the byte is a field of
 * its first word; in a beat of events, whose words may be all in use, its bits lie at the low ends
 * of the first three events, where the core's report has them too.
 *
 * Beats are eight words of 64 bits, here and on the core's side. */
#ifndef HEDDLE_TIMING_CORE_CHECK_H
#define HEDDLE_TIMING_CORE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* 0 for a command that is as it was written; else, what its check must be changed by. */
static inline uint8_t core_check_fold(const uint64_t *beat, uint32_t number) {
    uint64_t x = number ^ 0xff;
    for (int i = 0; i < 8; i++) x ^= beat[i];
    x ^= x >> 32;
    x ^= x >> 16;
    return (uint8_t)(x ^ x >> 8);
}

/* Completes a command beat, whose check is 0, for its number. */
static inline void core_check_command(uint64_t *beat, uint32_t number) {
    beat[0] |= core_check_fold(beat, number);
}

/* Whether a beat of events, or a report, is what the core wrote as beat `number`. */
static inline bool core_check_events(const uint64_t *beat, uint32_t number) {
    const uint64_t held = (beat[0] & 7) | (beat[2] & 7) << 3 | (beat[4] & 3) << 6;
    const uint64_t lanes = (beat[0] & 7) ^ (beat[2] & 7) ^ (beat[4] & 3); /* where the byte lies */
    return (core_check_fold(beat, number) ^ lanes) == held;
}

/* The same on the core's side: completes a beat whose check is 0. For what stands in for a core. */
static inline void core_check_stamp(uint64_t *beat, uint32_t number) {
    const uint64_t check = core_check_fold(beat, number);
    beat[0] |= check & 7;
    beat[2] |= check >> 3 & 7;
    beat[4] |= check >> 6;
}

#endif
