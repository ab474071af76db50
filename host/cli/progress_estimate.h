/* progress_estimate.h - how long the running kernel will still take, in wall time.
 *
 * A timed kernel has done as much as it has issued, of what its ended CTAs say that all CTAs will:
 * CTAs themselves end in waves, and few end before all that run at a time are nearly done. Until
 * one has ended, an earlier launch of the same kernel and grid says it. Without timing, CTAs run
 * one after another and are counted. The estimate follows new ones slowly, so it does not jump.
 *
 * Threads: one at a time. */
#ifndef HEDDLE_CLI_PROGRESS_ESTIMATE_H
#define HEDDLE_CLI_PROGRESS_ESTIMATE_H

#include <stdbool.h>

#include "sched/gpu.h"

/* State; zeros at first. */
struct progress_estimate {
    bool began;      /* it has seen a launch: */
    uint64_t launch; /* its number, */
    double at_s;     /* its wall time at the last report, */
    double left_s;   /* and the estimate then; < 0: none yet */
    char name[100];  /* its kernel and grid, */
    uint64_t ctas, ctas_done;
    double inst;         /* and the warp instructions that it will have issued; 0: unknown */
    char past_name[100]; /* the same of the launch before */
    uint64_t past_ctas;
    double past_inst;
};

/* Takes a report, in order. @return seconds that the kernel will still take; < 0: unknown yet. */
double progress_estimate(struct progress_estimate *e, const struct gpu_progress *p);

#endif
