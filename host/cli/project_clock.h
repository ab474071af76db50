/* project_clock.h - the clocks at which `heddle project` takes its GPUs to run. */
#ifndef HEDDLE_CLI_PROJECT_CLOCK_H
#define HEDDLE_CLI_PROJECT_CLOCK_H

#include "cli/project_input.h"

/* Checks the clocks of the profile, and sets those of --from-clock and --clock; GPUs and kernels
 * are loaded. HEDDLE_ERR_ARGUMENT: a malformed option, a GPU that is not projected to, or a clock
 * of the profile that no GPU has, or that --from-clock contradicts. */
heddle_err project_set_clocks(struct project_work *w, const struct project_options *o,
                              struct heddle_diag *diag);

/* Prints a note on standard error where the source ran at another clock than its own. */
void project_note_clock(const struct project_work *w);

#endif
