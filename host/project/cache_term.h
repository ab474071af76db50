/* cache_term.h - the traffic of device memory behind the target's L2: the term `cache` of the
 * default model. Pure functions. */
#ifndef HEDDLE_PROJECT_CACHE_TERM_H
#define HEDDLE_PROJECT_CACHE_TERM_H

#include "project/capability.h"
#include "project/profile.h"

/* How many lines of an L2 with partitions have copies in another one, which take room from other
 * lines: those that are read, none, or all. The first is what is assumed. */
enum cache_copies { COPIES_OF_READS, COPIES_NONE, COPIES_ALL, NUM_COPIES };

/* Replaces the bytes that device memory reads and writes (METRIC_DRAM_READ, METRIC_DRAM_WRITE) by
 * those behind the L2 of `target`. What the kernel was measured with is the L2 of `source`.
 *
 * A run of Heddle knows the traffic behind larger caches. Of any other kernel that has a footprint
 * it is known that a cache which holds it transfers no byte twice.
 *
 * @return false, with the metrics as they were: the two L2 differ, and it is not known what the
 * target's does. Traffic of a smaller L2 never is. */
bool cache_term_apply(struct project_kernel *k, const struct capability *source,
                      const struct capability *target, enum cache_copies copies);

#endif
