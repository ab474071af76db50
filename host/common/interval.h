/* interval.h - intervals of confidence of sums of estimates. */
#ifndef HEDDLE_COMMON_INTERVAL_H
#define HEDDLE_COMMON_INTERVAL_H

/* Half the width of the 95 % interval of a sum whose terms' variances have been added up: `sum` of
 * the variances, `sum_square` of variance * variance / degrees of freedom (Student's t, with the
 * degrees of freedom of Welch and Satterthwaite). 0 where there is no variance. */
double interval_half_width(double sum, double sum_square);

#endif
