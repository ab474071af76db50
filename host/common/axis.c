/* axis.c - axes of pictures: the pixel at which a value lies, and the values with ticks; contracts
 * in axis.h. The drawing functions of the sweep and of projection call it. Pure functions. */
#include "common/axis.h"

#include <math.h>

enum { MOST_DECADES = 8 }; /* of a logarithmic axis with a tick for each */
/* Ticks that equal an end but for rounding belong to the axis. */
static const double slack = 1e-9;

/* Number i of ..., 1, 2, 5, 10, 20, 50, ...; number 0 is 1. */
static double round_number(int i) {
    int decade = (int)floor(i / 3.0);
    return (double[]){1, 2, 5}[i - 3 * decade] * pow(10, decade);
}

/* Index of the smallest such number that is at least x. */
static int round_up(double x) {
    int i = 3 * (int)floor(log10(x));
    while (round_number(i) < x * (1 - slack)) i++;
    return i;
}

/* An axis from 0 to the first tick at or above `most` > 0, in at most `ticks` steps of 1, 2 or 5
 * times a power of ten; `from`, `to`: pixels of its ends. */
struct axis axis_linear(double most, unsigned ticks, double from, double to) {
    double step = round_number(round_up(most / ticks));
    return (struct axis){
        .high = step * ceil(most / step * (1 - slack)), .from = from, .to = to, .step = step};
}

/* An axis from `low` > 0 to `high` > low, each widened to 1, 2 or 5 times a power of ten. Its ticks
 * are at all of these for up to two decades, else at powers of ten, about MOST_DECADES of them. */
struct axis axis_logarithmic(double low, double high, double from, double to) {
    int first = round_up(low);
    if (round_number(first) > low * (1 + slack)) first--;
    struct axis a = {.low = round_number(first),
                     .high = round_number(round_up(high)),
                     .from = from,
                     .to = to,
                     .logarithmic = true};
    double decades = log10(a.high / a.low);
    a.step = decades <= 2 ? 0 : ceil(decades / MOST_DECADES - slack);
    return a;
}

/* @return the pixel of a value, beyond the ends' pixels for a value beyond the ends. */
double axis_at(const struct axis *a, double value) {
    double part = a->logarithmic ? log(value / a->low) / log(a->high / a->low) : value / a->high;
    return a->from + (a->to - a->from) * part;
}

/* *value: the value of tick i, from 0. @return false: it lies behind the axis's end. */
bool axis_tick(const struct axis *a, unsigned i, double *value) {
    if (!a->logarithmic)
        *value = i * a->step;
    else if (a->step == 0)
        *value = round_number(round_up(a->low) + (int)i);
    else
        *value = pow(10, ceil(log10(a->low) - slack) + i * a->step);
    return *value <= a->high * (1 + slack);
}
