/* paper_model.c - the projection model as published (--model paper); contract in projection.h.
 * project.c calls project_paper() on the main thread of `heddle project` for each kernel and
 * target; roofs.c computes the roofs. Pure functions but for their results.
 *
 * Each level of memory has a roofline on the source and one on the target. By (9), the kernel
 * reaches the same part of the target's roof as of the source's; the three levels give three
 * performances, and these the interval of times. Its centre is the mean of its ends, as in the
 * paper's figures. */
#include <math.h>
#include <stdio.h>

#include "project/roofs.h"

/* Checks that the kernel has every metric that the model needs, and a time. @return
 * HEDDLE_ERR_ARGUMENT, with the metric's name in diag. */
static heddle_err missing(const struct project_kernel *k, struct heddle_diag *diag) {
    for (int m = 0; m < NUM_PROJECT_METRICS; m++)
        if (project_metric_rows[m].need == NEED_PAPER && !k->known[m])
            return project_lacks(k, (enum project_metric)m, diag);
    return project_check_time(k, diag);
}

/* The paper has no measure of confidence. This one says how far the levels agree, and whether the
 * profile counts all FLOP. */
static void judge(struct projection *p, const struct project_kernel *k,
                  const struct capability *source) {
    const char *why = "";
    double agreement = p->low_us / p->high_us, doubt = roofs_tensor_doubt(k, source, &why);
    p->confidence = agreement * doubt;
    if (agreement < 0.8 && agreement <= doubt)
        snprintf(p->why, sizeof p->why, "the levels of memory disagree by a factor of %.2f",
                 p->high_us / p->low_us);
    else
        snprintf(p->why, sizeof p->why, "%s", why);
}

/* Fills *out with the projection of kernel `k` from `source` to `target`; `on_target`: its metrics
 * as the target's instruction set has them, or k. `terms` belongs to the other model. @return
 * HEDDLE_ERR_ARGUMENT (the kernel lacks a metric) or the error of roofs_make(), with text in
 * diag. */
heddle_err project_paper(const struct project_kernel *k, const struct project_kernel *on_target,
                         const struct capability *source, const struct capability *target,
                         const struct project_terms *terms, struct projection *out,
                         struct heddle_diag *diag) {
    (void)terms;
    heddle_err e = missing(k, diag);
    if (e) return e;
    double source_count = roofs_count(k), target_count = roofs_count(on_target);
    *out = (struct projection){.operations = roofs_operations(k),
                               .achieved = source_count / (k->of[METRIC_TIME] * 1e-6),
                               .low_us = INFINITY};
    e = roofs_make(&out->source, k, source, source, diag);
    if (!e) e = roofs_make(&out->target, on_target, target, source, diag);
    if (e) return e;
    out->source_bound = out->source.bound;
    out->target_bound = out->target.bound;
    for (int i = 0; i < ROOFLINE_LEVELS; i++) {
        double performance = roofline_project(out->achieved, out->source.roof[i],
                                              out->target.roof[i]);
        double us = target_count / performance * 1e6;
        out->low_us = fmin(out->low_us, us);
        out->high_us = fmax(out->high_us, us);
    }
    out->centre_us = (out->low_us + out->high_us) / 2;
    judge(out, k, source);
    return HEDDLE_OK;
}
