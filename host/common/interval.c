/* interval.c - half the width of a confidence interval of a sum of estimates. Pure functions; the
 * report (report_sample.c) calls them for sampled runs. */
#include "common/interval.h"

#include <math.h>

/* Student's t quantile at 97.5 %. Interpolates linearly in 1 / freedom between whole degrees of
 * freedom. */
static double student(double freedom) {
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    enum { LISTED = sizeof t / sizeof t[0] };
    const double normal = 1.960;
    if (freedom <= 1) return t[0];
    if (freedom >= LISTED) return normal + (t[LISTED - 1] - normal) * LISTED / freedom;
    unsigned low = (unsigned)freedom;
    double part = (1 / (double)low - 1 / freedom) / (1 / (double)low - 1 / (double)(low + 1));
    return t[low - 1] + (t[low] - t[low - 1]) * part;
}

/* @return half the width of the 95 % interval of a sum, from the sums of its terms' variances and
 * of variance * variance / degrees of freedom (0: the normal distribution holds). 0 without
 * variance. */
double interval_half_width(double sum, double sum_square) {
    if (sum <= 0) return 0;
    return student(sum_square > 0 ? sum * sum / sum_square : INFINITY) * sqrt(sum);
}
