/* l1_term.h - the traffic between L1 and L2 with the target's L1: part of the term `cache` of the
 * default model. Pure functions. */
#ifndef HEDDLE_PROJECT_L1_TERM_H
#define HEDDLE_PROJECT_L1_TERM_H

#include "project/capability.h"
#include "project/profile.h"

/* Replaces the bytes between L1 and L2 (METRIC_L2_BYTES) by those with the L1 of `target`. What the
 * kernel was measured with is that of `source`. To be called when device memory's traffic is the
 * target's: that shrinks where less passes L1 than memory transfers.
 *
 * A run of Heddle knows the traffic with smaller and larger L1; of other kernels it stays as it is.
 * Shared memory takes its part of the target's L1. It takes none in the run, which had the
 * source's whole L1 (docs/limits.md). Between two GPUs that leave the kernel as much of L1, nothing
 * changes.
 *
 * @return false, with the metrics as they were: the two L1 differ, and it is not known what the
 * target's keeps. */
bool l1_term_apply(struct project_kernel *k, const struct capability *source,
                   const struct capability *target);

#endif
