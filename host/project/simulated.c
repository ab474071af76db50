/* simulated.c - takes the times of a run on a target's model as measured there, after a check that
 * both runs have the same launches; see simulated.h. project_input.c calls project_take_run() for
 * each target, on the main thread of `heddle project --check`. */
#include "project/simulated.h"

#include <string.h>

#include "common/memory.h"
#include "project/application.h"

/* Sets r->measured_target of the target from the launches of `run`, in order, and the measured
 * totals of its kernels and application, us. The first call allocates r->measured_target, which
 * project_results_clear() frees. @return HEDDLE_ERR_ARGUMENT: number or names of launches differ;
 * times before the difference are then set. */
heddle_err project_take_run(struct project_results *r, size_t target,
                            const struct project_kernels *run, struct heddle_diag *diag) {
    const struct project_kernels *own = r->kernels;
    double sum = 0;
    if (!r->measured_target)
        r->measured_target = heddle_alloc_array(own->count * r->num_targets, sizeof(double),
                                                "simulated times");
    if (run->count != own->count)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "%s: %zu launches were timed, on %s %zu: the program does not do the "
                           "same on both",
                           r->targets[target]->name, run->count, r->source->name, own->count);
    for (size_t i = 0; i < own->count; i++) {
        if (strcmp(run->at[i].name, own->at[i].name))
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "%s: launch %llu is %s, on %s it is %s: the program does not do the "
                               "same on both",
                               r->targets[target]->name, (unsigned long long)run->at[i].launch,
                               run->at[i].name, r->source->name, own->at[i].name);
        r->measured_target[i * r->num_targets + target] = run->at[i].of[METRIC_TIME];
        if (!r->refused[i].err) sum += run->at[i].of[METRIC_TIME];
    }
    r->total[target].measured_target_us = sum;
    r->application[target].measured_target_us = application_span(run);
    return HEDDLE_OK;
}
