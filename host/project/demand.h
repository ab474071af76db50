/* demand.h - what a kernel asks of a GPU: the time that each resource needs at its own rate, and
 * the shape in which its CTAs run. Pure functions. */
#ifndef HEDDLE_PROJECT_DEMAND_H
#define HEDDLE_PROJECT_DEMAND_H

#include "project/projection.h"

/* A kernel's demand on one GPU. */
struct demand {
    /* Of BOUND_COMPUTE, L1 (with shared memory), L2, DRAM, ATOMICS and ISSUE; else 0. */
    double seconds[NUM_BOUNDS];
    double shared_seconds; /* of those of L1, shared memory's */
    double dispatch;       /* seconds in which the front end dispatches all CTAs */
    double waves;          /* CTAs one after another in the place of one; at least 1 */
    double resident;       /* CTAs that an SM holds */
    double latency;        /* cycles of the mean dependent load, weighted by bytes */
    bool latency_known;
    double shared_latency; /* cycles of a dependent load of shared memory; 0: not known */
    double replace;        /* cycles from the end of a CTA to the begin of the next one */
    double clock;          /* Hz, of the SMs */
    bool by_peak;          /* a rate is not measured on this GPU */
};

/* Works a kernel's demand on `gpu` out. `source` is the GPU of the measurements, whose max over
 * peak stands in where only a peak of `gpu` is known. Terms that are off are left out (terms.h).
 * HEDDLE_ERR_CONFIG: nothing is known of a rate that the kernel needs. HEDDLE_ERR_LAUNCH: a CTA of
 * the kernel does not fit the GPU. */
heddle_err demand_make(struct demand *out, const struct project_kernel *k,
                       const struct capability *gpu, const struct capability *source,
                       const struct project_terms *terms, struct heddle_diag *diag);

/* Bytes of an SM's L1 on `gpu` that hold data while the kernel's CTAs are resident: the rest is
 * shared memory, of which the driver configures as much as they need, in steps. */
double demand_l1_data(const struct project_kernel *k, const struct capability *gpu,
                      const struct capability *source);

#endif
