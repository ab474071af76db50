/* test_axis.c - axes of pictures: ends, ticks and places of values. */
#include <criterion/criterion.h>

#include "common/axis.h"

#define NEAR(is, want) cr_expect_float_eq((is), (double)(want), 1e-9, "%.12g", (double)(is))

static void expect_ticks(const struct axis *a, const double *want, unsigned count) {
    double value;
    unsigned i = 0;
    for (; axis_tick(a, i, &value); i++) {
        cr_assert_lt(i, count, "tick %g too many", value);
        cr_expect_float_eq(value, want[i], 1e-9 * want[i], "tick %u: %.12g", i, value);
    }
    cr_expect_eq(i, count, "%u ticks", i);
}

Test(axis, linear) {
    struct axis a = axis_linear(11.5, 6, 300, 0);
    NEAR(a.high, 12);
    NEAR(axis_at(&a, 0), 300);
    NEAR(axis_at(&a, 3), 225);
    expect_ticks(&a, (double[]){0, 2, 4, 6, 8, 10, 12}, 7);
    a = axis_linear(0.5, 5, 0, 100); /* ends at a tick: it is not widened */
    NEAR(a.high, 0.5);
    expect_ticks(&a, (double[]){0, 0.1, 0.2, 0.3, 0.4, 0.5}, 6);
}

Test(axis, logarithmic_has_1_2_5_over_two_decades) {
    struct axis a = axis_logarithmic(0.3, 12, 100, 200);
    NEAR(a.low, 0.2);
    NEAR(a.high, 20);
    NEAR(axis_at(&a, 2), 150);
    NEAR(axis_at(&a, 200), 250);
    expect_ticks(&a, (double[]){0.2, 0.5, 1, 2, 5, 10, 20}, 7);
}

Test(axis, logarithmic_has_powers_of_ten_over_more) {
    struct axis a = axis_logarithmic(0.02, 1000, 0, 1);
    expect_ticks(&a, (double[]){0.1, 1, 10, 100, 1000}, 5);
    a = axis_logarithmic(1e-6, 1e6, 0, 1); /* twelve decades: every other one */
    expect_ticks(&a, (double[]){1e-6, 1e-4, 1e-2, 1, 1e2, 1e4, 1e6}, 7);
}
