/* simulated.h - times of the same launches on a target, from a run on the target's model. */
#ifndef HEDDLE_PROJECT_SIMULATED_H
#define HEDDLE_PROJECT_SIMULATED_H

#include "project/project.h"

/* Takes the times of `run` as those measured on a target: launch i of the run is launch i of the
 * profile. Call it once for each target; the last call makes the totals whole.
 * HEDDLE_ERR_ARGUMENT: the two have not the same launches. */
heddle_err project_take_run(struct project_results *r, size_t target,
                            const struct project_kernels *run, struct heddle_diag *diag);

#endif
