/* axis.c - see axis.h */
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

struct axis axis_linear(double most, unsigned ticks, double from, double to) {
    double step = round_number(round_up(most / ticks));
    return (struct axis){
        .high = step * ceil(most / step * (1 - slack)), .from = from, .to = to, .step = step};
}

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

double axis_at(const struct axis *a, double value) {
    double part = a->logarithmic ? log(value / a->low) / log(a->high / a->low) : value / a->high;
    return a->from + (a->to - a->from) * part;
}

bool axis_tick(const struct axis *a, unsigned i, double *value) {
    if (!a->logarithmic)
        *value = i * a->step;
    else if (a->step == 0)
        *value = round_number(round_up(a->low) + (int)i);
    else
        *value = pow(10, ceil(log10(a->low) - slack) + i * a->step);
    return *value <= a->high * (1 + slack);
}
