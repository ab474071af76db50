/* ptx_weights.h - how often the blocks of a kernel ran, from what a profiler counted of the whole
 * kernel.
 *
 * As many threads enter the kernel as were launched, as many leave each block as enter it, and the
 * FLOP and special functions of all blocks add up to those of the profile. These conditions leave
 * executions of special operations within bounds, which may be wide or narrow. */
#ifndef HEDDLE_PROJECT_PTX_WEIGHTS_H
#define HEDDLE_PROJECT_PTX_WEIGHTS_H

#include "project/ptx_flow.h"

enum ptx_certainty {
    /* The bounds are narrow: within them, the kernel's instructions on any capability differ by
     * less than 1 % of its instructions. */
    PTX_IDENTIFIED,
    /* They are wide, or not known: all blocks count alike, as far as the bounds allow. */
    PTX_STATIC,
    /* No executions give the profile's counts: the PTX is not what ran. All blocks count alike. */
    PTX_CONTRADICTED,
};

/* Sets threads[block] to the executions of each block of `flow` by threads in kernel `k`, which
 * knows its thread instructions. `source`: the compute capability on which it ran, one of the
 * table of isa.h. Special operations count as on their fast way. */
enum ptx_certainty ptx_weights_find(double *threads, const struct ptx_flow *flow,
                                    const struct project_kernel *k, unsigned source);

#endif
