/* interval.h - confidence intervals of sums of estimates. */
#ifndef HEDDLE_COMMON_INTERVAL_H
#define HEDDLE_COMMON_INTERVAL_H

/* @return half the width of the 95 % confidence interval of a sum of terms (Student's t, with
 * the degrees of freedom of Welch and Satterthwaite); 0 without variance. `sum` is the sum of the
 * terms' variances, `sum_square` the sum of variance * variance / degrees of freedom. Pure. */
double interval_half_width(double sum, double sum_square);

#endif
