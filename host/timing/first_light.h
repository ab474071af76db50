/* first_light.h - what `heddle card check` does with a card: random streams of commands whose
 * results are on record, a long one for its speed, and patterns through its memory.
 *
 * This plays the host of a core (core.h) without a GPU around it: four SMs, memory that answers
 * after a fixed time, packets from a generator. Results are target time and hashes: the same for a
 * card, for the emulation and for any number of SMs that the core is built for.
 *
 * Threads: any; the functions share nothing. Errors: text in diag. */
#ifndef HEDDLE_TIMING_FIRST_LIGHT_H
#define HEDDLE_TIMING_FIRST_LIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "timing/core.h"

/* How a stream ended. */
struct first_light {
    uint64_t issued;     /* warp instructions */
    uint64_t issue_hash; /* over every issue */
    uint64_t slice_hash; /* over every request that a slice of L2 served */
    uint32_t cycles;     /* until the last CTA ended */
    uint64_t clocks;     /* of the core; the only member that depends on the host and the card */
};

/* Opens the core, runs the stream of this seed (tables/card_streams.def) to its end and closes the
 * core. @return HEDDLE_ERR_PROTOCOL: it did not come to its end; or an error of the core. */
heddle_err first_light_stream(const struct core_options *options, uint32_t seed,
                              struct first_light *out, struct heddle_diag *diag);

/* The same with 32 warps of `length` FFMA each on every SM of the core, for its speed; *seconds:
 * wall time from the first run to the end. */
heddle_err first_light_speed(const struct core_options *options, unsigned length,
                             struct first_light *out, double *seconds, struct heddle_diag *diag);

/* Writes patterns into a buffer of `bytes` bytes (a multiple of 8) in the memory bank of the
 * command ring, lets XRT copy them to the card and back, and compares. @return
 * HEDDLE_ERR_PROTOCOL: other bytes came back; HEDDLE_ERR_BACKEND: XRT failed. */
heddle_err first_light_memory(const struct core_options *options, size_t bytes,
                              struct heddle_diag *diag);

#endif
