/* projection.c - names of bounds and the checks of a kernel that both models share; see
 * projection.h. The models call the checks, and the printing and drawing functions the names, on
 * the main thread of `heddle project`. They write nothing but the text in *diag. */
#include "project/projection.h"

#include "project/roofs.h"

/* @return "compute", "L1" ...: static text. */
const char *project_bound_name(enum project_bound b) {
    static const char *const names[NUM_BOUNDS] = {"compute", "L1",    "shared",  "L2",    "DRAM",
                                                  "atomics", "issue", "latency", "launch"};
    return names[b];
}

/* @return HEDDLE_ERR_ARGUMENT, with the kernel, the metric that its profile lacks and its meaning
 * in *diag. */
heddle_err project_lacks(const struct project_kernel *k, enum project_metric m,
                         struct heddle_diag *diag) {
    return heddle_fail(
        diag, HEDDLE_ERR_ARGUMENT, "kernel %s (launch %llu): the profile lacks %s (%s)", k->name,
        (unsigned long long)k->launch, project_metric_rows[m].name, project_metric_rows[m].meaning);
}

/* Checks that the kernel's time exceeds 0 and is no less than its launch overhead (that of a kernel
 * without work is all overhead), and that it executed instructions. @return HEDDLE_ERR_ARGUMENT. */
heddle_err project_check_time(const struct project_kernel *k, struct heddle_diag *diag) {
    static const double rounding = 1e-9; /* of quotients of cycles and of picoseconds */
    double time = k->of[METRIC_TIME], launch = k->of[METRIC_LAUNCH];
    if (time < launch * (1 - rounding) || time <= 0)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "kernel %s (launch %llu): its measured time is %g us, launch overhead "
                           "%g us",
                           k->name, (unsigned long long)k->launch, time, launch);
    if (k->of[METRIC_WARP_INST] <= 0 || k->of[METRIC_THREAD_INST] <= 0)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "kernel %s (launch %llu): the profile has no instruction of it", k->name,
                           (unsigned long long)k->launch);
    return HEDDLE_OK;
}
