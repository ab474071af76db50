/* sample.h - kernel sampling: which launches are timed, and what the others are taken to last.
 *
 * Launches of one kernel with one shape (grid, block, dynamic shared memory) that come behind one
 * and the same kernel are a stratum: what is behind another one finds other things in L2, and
 * stands elsewhere in the program. A stratum's first launches are timed. From what was measured the
 * execution of a launch is estimated, by the warp instructions that it executes where those vary.
 * Later launches are timed now and then, with gaps that double as long as the measured time is what
 * was estimated, and halve when it is not; a measurement weighs as much as the launches since the
 * one before it, for which it stands. Gaps are powers of two and places are multiples of them, so
 * that the kernels of one step of a program are timed together, each with what the one before it
 * left in L2.
 *
 * Nothing but the launches and what was measured decides, so that the same run has the same result.
 * Times are core cycles. Threads: one at a time. */
#ifndef HEDDLE_SCHED_SAMPLE_H
#define HEDDLE_SCHED_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_options {
    uint32_t first;   /* launches of a stratum that are timed before any is estimated, >= 2 */
    uint32_t gap;     /* most launches from one that is timed to the next, a power of two */
    double tolerance; /* relative error of an estimate up to which gaps grow */
    uint32_t
        warm; /* 1: L2 gets what launches that are not timed touch (exec/memory/cache_warming.h) */
};
extern const struct sample_options sample_defaults;

/* The properties by which strata differ. */
struct sample_key {
    const char *name; /* of the function; copied */
    uint32_t num_inst, grid[3], block[3], dynamic_shared;
};

struct sampler;
struct sampler *sampler_create(const struct sample_options *options);
void sampler_free(struct sampler *s);

/* Adds a launch to its stratum and decides whether to time it. `beside`: a timed launch is in
 * flight, with which this one shares the GPU. *stratum: its number. */
enum sample_way { SAMPLE_TIMED, SAMPLE_ESTIMATED };
enum sample_way sampler_begin(struct sampler *s, const struct sample_key *key, bool beside,
                              uint32_t *stratum);
/* Adds the measurement of an ended, timed launch: warp instructions, execution, launch overhead. */
void sampler_measured(struct sampler *s, uint32_t stratum, uint64_t warp_inst, uint64_t cycles,
                      uint64_t launch_cycles);
/* Estimates the execution of a launch that was run functionally. */
uint64_t sampler_estimate(struct sampler *s, uint32_t stratum, uint64_t warp_inst);

/* The results of a stratum. Cycles are of the execution, without launch overhead. */
struct sample_result {
    struct sample_key key;
    uint64_t launches, timed;
    uint64_t timed_cycles;     /* measured */
    uint64_t estimated_cycles; /* of the others, added up */
    double variance;           /* of the estimated_cycles */
    double freedom;            /* degrees of, of that variance */
};
/* @return false: there are no more strata. */
bool sampler_result(const struct sampler *s, uint32_t stratum, struct sample_result *out);

#endif
