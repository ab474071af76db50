/* sample.h - kernel sampling: which launches are timed, and how long the others are estimated to
 * take.
 *
 * Launches of one kernel with one shape (grid, block, dynamic shared memory) that follow the same
 * kernel form a stratum. A launch that follows another kernel finds other lines in L2 and belongs
 * to another part of the program. A stratum's first launches are timed. The execution of an
 * estimated launch is computed from these measurements and from its number of warp instructions,
 * where that number varies. Later launches are timed now and then. The gaps between them double as
 * long as the measured time is close to the estimate, and halve when it is not. A measurement
 * weighs as much as the number of launches since the previous one, for which it stands. Gaps are
 * powers of two, and timed launches are at multiples of them, so that the kernels of one step of a
 * program are timed together, each with the L2 that the previous one left.
 *
 * The decisions depend only on the launches and the measurements, so that the same run has the same
 * result. Times are core cycles. Threads: one at a time: the scheduler during a window, the
 * server's thread for results. */
#ifndef HEDDLE_SCHED_SAMPLE_H
#define HEDDLE_SCHED_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Options of --sample. */
struct sample_options {
    uint32_t first;   /* launches of a stratum that are timed before any is estimated, >= 2 */
    uint32_t gap;     /* largest distance from one timed launch to the next, a power of two */
    double tolerance; /* relative error of an estimate up to which gaps grow */
    uint32_t warm;    /* 1: the lines that estimated launches access go to L2 (cache_warming.h) */
};
extern const struct sample_options sample_defaults;

/* The properties by which strata differ. */
struct sample_key {
    const char *name; /* of the function; copied */
    uint32_t num_inst, grid[3], block[3], dynamic_shared, shared_config;
};

struct sampler;
/* The options are copied. */
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
/* @return the estimated execution, in cycles, of a launch that was run functionally; counts it in
 * the stratum's results. */
uint64_t sampler_estimate(struct sampler *s, uint32_t stratum, uint64_t warp_inst);

/* The results of a stratum. Cycles are of the execution, without launch overhead. */
struct sample_result {
    struct sample_key key;
    uint64_t launches, timed;
    uint64_t timed_cycles;     /* measured */
    uint64_t estimated_cycles; /* sum over the other launches */
    double variance;           /* of estimated_cycles */
    double freedom;            /* degrees of freedom of that variance */
};
/* @return false: there are no more strata. */
bool sampler_result(const struct sampler *s, uint32_t stratum, struct sample_result *out);

#endif
