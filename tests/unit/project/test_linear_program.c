/* test_linear_program.c - project/linear_program.c on problems that are solved by hand. */
#include <criterion/criterion.h>

#include "project/linear_program.h"

#define NEAR(is, want) cr_assert_float_eq((is), (want), 1e-9, "%.12g", (double)(is))

/* 3 x + 2 y is greatest under x + y <= 4, x + 3 y <= 6, x <= 3: at (3, 1). */
static double factor[] = {1, 1, 1, 3, 1, 0}, limit[] = {4, 6, 3};
static unsigned char sense[] = {LINEAR_AT_MOST, LINEAR_AT_MOST, LINEAR_AT_MOST};
static const struct linear_program three = {2, 3, factor, limit, sense};

Test(linear_program, the_greatest_value) {
    double x[2];
    cr_assert_eq(linear_minimum(&three, (const double[]){-3, -2}, x), LINEAR_FOUND);
    NEAR(x[0], 3);
    NEAR(x[1], 1);
}

Test(linear_program, the_least_value) {
    double x[2];
    cr_assert_eq(linear_minimum(&three, (const double[]){3, 2}, x), LINEAR_FOUND);
    NEAR(x[0], 0);
    NEAR(x[1], 0);
}

/* x + y = 2, and x - y at least 1 (y - x at most -1): the least x is 1.5. */
Test(linear_program, equations_and_negative_limits) {
    double f[] = {1, 1, -1, 1}, l[] = {2, -1}, x[2];
    unsigned char s[] = {LINEAR_EQUAL, LINEAR_AT_MOST};
    const struct linear_program p = {2, 2, f, l, s};
    cr_assert_eq(linear_minimum(&p, (const double[]){1, 0}, x), LINEAR_FOUND);
    NEAR(x[0], 1.5);
    NEAR(x[1], 0.5);
    cr_assert_eq(linear_minimum(&p, (const double[]){-1, 0}, x), LINEAR_FOUND);
    NEAR(x[0], 2);
    NEAR(x[1], 0);
}

/* The second equation is twice the first one. */
Test(linear_program, an_equation_that_is_there_twice) {
    double f[] = {1, 1, 2, 2}, l[] = {2, 4}, x[2];
    unsigned char s[] = {LINEAR_EQUAL, LINEAR_EQUAL};
    const struct linear_program p = {2, 2, f, l, s};
    cr_assert_eq(linear_minimum(&p, (const double[]){1, 2}, x), LINEAR_FOUND);
    NEAR(x[0], 2);
    NEAR(x[1], 0);
}

Test(linear_program, conditions_that_contradict_each_other) {
    double f[] = {1, 1, 1, 1}, l[] = {2, 3}, x[2];
    unsigned char s[] = {LINEAR_EQUAL, LINEAR_EQUAL};
    const struct linear_program p = {2, 2, f, l, s};
    cr_assert_eq(linear_minimum(&p, (const double[]){1, 0}, x), LINEAR_IMPOSSIBLE);
}

Test(linear_program, a_value_without_end) {
    double f[] = {1, -1}, l[] = {1}, x[2];
    unsigned char s[] = {LINEAR_AT_MOST};
    const struct linear_program p = {2, 1, f, l, s};
    cr_assert_eq(linear_minimum(&p, (const double[]){-1, 0}, x), LINEAR_UNBOUNDED);
}

/* Beale's example, on which the method runs in circles with other rules: -1/20 at (1/25, 0, 1,
 * 0). */
Test(linear_program, no_circles) {
    double f[] = {0.25, -60, -1 / 25.0, 9, 0.5, -90, -1 / 50.0, 3, 0, 0, 1, 0}, x[4];
    double l[] = {0, 0, 1};
    unsigned char s[] = {LINEAR_AT_MOST, LINEAR_AT_MOST, LINEAR_AT_MOST};
    const struct linear_program p = {4, 3, f, l, s};
    cr_assert_eq(linear_minimum(&p, (const double[]){-0.75, 150, -1 / 50.0, 6}, x), LINEAR_FOUND);
    NEAR(-0.75 * x[0] + 150 * x[1] - x[2] / 50 + 6 * x[3], -0.05);
}
