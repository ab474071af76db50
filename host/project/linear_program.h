/* linear_program.h - the least and the greatest value of a linear function under linear conditions,
 * by the simplex method on a dense table. For small problems: a few hundred columns and rows. */
#ifndef HEDDLE_PROJECT_LINEAR_PROGRAM_H
#define HEDDLE_PROJECT_LINEAR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

enum linear_sense { LINEAR_EQUAL, LINEAR_AT_MOST };

/* Columns x[i] >= 0, of which every row asks: the sum of factor * x is equal to, or at most, its
 * limit. Limits may be negative: "at least 3" is "at most -3" of negative factors. Arrays are the
 * caller's; numbers should be of similar size, as the method does not scale them. */
struct linear_program {
    size_t columns, rows;
    double *factor;       /* [row * columns + column] */
    double *limit;        /* [row] */
    unsigned char *sense; /* [row], enum linear_sense */
};

enum linear_result {
    LINEAR_FOUND,
    LINEAR_IMPOSSIBLE, /* no x meets all rows */
    LINEAR_UNBOUNDED,  /* the function has no least value */
    LINEAR_UNDECIDED,  /* too many steps: rounding keeps the method from its end */
};

/* Finds the x[columns] for which the sum of cost * x is least. *x is valid for LINEAR_FOUND. Memory
 * is freed before it returns; threads may solve different problems at the same time. */
enum linear_result linear_minimum(const struct linear_program *p, const double *cost, double *x);

#endif
