/* axis.h - axes of pictures: the pixel at which a value lies, and the values with ticks.
 *
 * Linear axes start at 0. Pure functions. */
#ifndef HEDDLE_COMMON_AXIS_H
#define HEDDLE_COMMON_AXIS_H

#include <stdbool.h>

/* An axis. Made by the two functions below, then constant. */
struct axis {
    double low, high; /* values at its ends */
    double from, to;  /* pixels of its ends */
    double step;      /* between ticks; of a logarithmic axis: decades, 0 for 1, 2, 5 of each */
    bool logarithmic;
};

/* From 0 to the first tick at or above `most` > 0, with at most `ticks` + 1 ticks, at 1, 2 or 5
 * times a power of ten. */
struct axis axis_linear(double most, unsigned ticks, double from, double to);
/* From `low` > 0 to `high` > low, each widened to 1, 2 or 5 times a power of ten. */
struct axis axis_logarithmic(double low, double high, double from, double to);

/* Pixel of a value. Values beyond the ends lie beyond the pixels of the ends. */
double axis_at(const struct axis *a, double value);
/* Value of tick i, from 0. @return false behind the last one. */
bool axis_tick(const struct axis *a, unsigned i, double *value);

#endif
