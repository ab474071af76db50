/* launch_way.h - how a launch of a timed GPU is carried out: timed, or functionally because its
 * time is estimated (kernel sampling) or known from the run that is resumed. */
#ifndef HEDDLE_SCHED_LAUNCH_WAY_H
#define HEDDLE_SCHED_LAUNCH_WAY_H

#include "sched/checkpoint.h"
#include "sched/kernel.h"
#include "sched/sample.h"

/* What the choice depends on; the pointers are borrowed. Owner: the scheduler, on its thread. */
struct launch_ways {
    struct checkpoint *checkpoint; /* NULL: there are none */
    struct sampler *sampler;       /* NULL: all kernels are timed */
    struct exec_warming *warming;  /* logs the lines that estimated kernels access; or NULL */
    uint64_t khz;                  /* core clock */
    uint64_t half_lookahead;       /* cycles, one way between scheduler and SM */
};

/* Decides how to run a kernel that starts at start_ps: sets k->past, k->way and k->stratum.
 * `beside`: a timed kernel is in flight. Counts the launch in the sampler and may read the
 * checkpoint's file. */
heddle_err launch_way_choose(const struct launch_ways *w, struct kernel *k, uint64_t start_ps,
                             bool beside, struct heddle_diag *diag);
/* True if the kernel is run functionally. */
bool launch_way_is_functional(const struct kernel *k);
/* Runs the kernel functionally, between two instants of target time, with all its effects on the
 * program's memory; blocks until it is done. Sets its counts and its first, last and heard cycle;
 * an untimed kernel takes no time and has no cycles. @return false: it has failed (k->failure) or
 * been cancelled. */
bool launch_way_run(const struct launch_ways *w, struct kernel *k, uint64_t start_ps);
/* Passes the times of an ended, timed kernel to kernel sampling. */
void launch_way_measured(const struct launch_ways *w, const struct kernel *k);

#endif
