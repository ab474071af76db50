/* test_interval_plot.c - the bar chart of measured times and intervals, read back; and the groups
 * of launches that it shows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "project/interval_plot.h"
#include "project/kernel_groups.h"
#include "svg_reader.h"
#include "worked_results.h"

#define AT(is, want) cr_expect_float_eq((is), (want), 0.0501, "%.2f, not %.2f", (is), (want))

static struct worked_results w;
static GPtrArray *picture;

static void set_up(void) {
    worked_begin(&w);
}
static void tear_down(void) {
    worked_end(&w);
    if (picture) g_ptr_array_unref(picture);
}
TestSuite(interval_plot, .init = set_up, .fini = tear_down);

static void draw(void) {
    char *text = worked_text(interval_plot, &w.results);
    picture = svg_read(text);
    free(text);
}

/* Ends of an interval, and its centre. Number 0 is in the legend. */
static void expect_interval(unsigned nth, double low, double centre, double high) {
    double left, right, y, at;
    const char *path = svg_attribute(svg_find(picture, "interval", nth), "d");
    cr_assert_eq(sscanf(path, "M%lf %lfH%lf", &left, &y, &right), 3, "%s", path);
    AT(left, low);
    AT(right, high);
    path = svg_attribute(svg_find(picture, "centre", nth), "d");
    cr_assert_eq(sscanf(path, "M%lf", &at), 1, "%s", path);
    AT(at, centre);
}

/* The field is 640 pixels wide, from 150 on. The example's kernel takes 4000 us, and 1600 to 2000
 * us on the target; two launches and the application twice that. */
Test(interval_plot, a_linear_axis) {
    worked_add(&w, "a<b>", 0, 4000);
    worked_add(&w, "a<b>", 1, 4000);
    worked_project(&w, 2);
    draw();
    cr_expect_eq(svg_count(picture, "source"), 2);
    AT(svg_value(svg_find(picture, "source", 0), "x"), 150.0);
    AT(svg_value(svg_find(picture, "source", 0), "width"), 640.0); /* of 8000 us */
    cr_expect_eq(svg_count(picture, "interval"), 5);
    expect_interval(1, 150 + 640 * 0.4, 150 + 640 * 0.45, 150 + 640 * 0.5);
    cr_expect_eq(svg_texts(picture, "a<b> (2 launches)"), 1);
    cr_expect_eq(svg_texts(picture, "application: all kernels (2 launches)"), 1);
    cr_expect_eq(svg_texts(picture, "3200 to 4000, centre 3600"), 4);
    cr_expect_eq(svg_texts(picture, "other"), 2);
    cr_expect_eq(svg_texts(picture, "model paper; in us"), 1);
    cr_expect_eq(svg_count(picture, "measured"), 0);
    cr_expect_eq(svg_texts(picture, "measured on the target"), 0);
}

/* From 16 us (the interval of the short kernel) to 4040 us: the axis runs from 5 to 5000. */
Test(interval_plot, a_logarithmic_axis_where_times_differ_much) {
    worked_add(&w, "long", 0, 4000);
    worked_add(&w, "short", 1, 40);
    worked_project(&w, 1);
    draw();
    cr_expect_eq(
        svg_texts(picture,
                  "model paper; in us; the axis is logarithmic, bars start at its left end"),
        1);
    AT(svg_value(svg_find(picture, "source", 1), "width"), 640 * log10(40 / 5.0) / 3);
    expect_interval(2, 150 + 640 * log10(16 / 5.0) / 3, 150 + 640 * log10(18 / 5.0) / 3,
                    150 + 640 * log10(20 / 5.0) / 3);
}

/* A block has a bar of measured time where all of its launches were measured. */
Test(interval_plot, measured_times_have_bars) {
    worked_add(&w, "a", 0, 4000);
    worked_add(&w, "b", 1, 4000);
    worked_project(&w, 1);
    w.results.measured_target = calloc(2, sizeof(double));
    w.results.measured_target[0] = 1500;
    draw();
    cr_expect_eq(svg_count(picture, "measured"), 1);
    AT(svg_value(svg_find(picture, "measured", 0), "width"), 640 * 1500 / 8000.0);
    cr_expect_eq(svg_texts(picture, "1500 measured, error +20.0 %"), 1);
    cr_expect_eq(svg_texts(picture, "measured on the target"), 1);
    g_ptr_array_unref(picture);
    w.results.measured_target[1] = 2500;
    draw();
    cr_expect_eq(svg_count(picture, "measured"), 3);
    cr_expect_eq(svg_texts(picture, "4000 measured, error -10.0 %"), 1);
}

Test(interval_plot, more_than_24_kernels_become_others) {
    char name[20];
    for (unsigned i = 0; i < 27; i++) {
        snprintf(name, sizeof name, "kernel %u", i);
        worked_add(&w, name, i, 1000 + i);
    }
    worked_project(&w, 1);
    draw();
    cr_expect_eq(svg_count(picture, "source"), 26);
    cr_expect_eq(svg_texts(picture, "kernel 3"), 1);
    cr_expect_eq(svg_texts(picture, "kernel 2"), 0);
    cr_expect_eq(svg_texts(picture, "others (3 kernels)"), 1);
    cr_expect_eq(svg_texts(picture, "3003 measured"), 1); /* the sum of the others */
}

Test(interval_plot, says_that_launches_are_left_out) {
    worked_add(&w, "a", 0, 4000);
    worked_add(&w, "a", 1, 0);
    worked_project(&w, 1);
    draw();
    cr_expect_eq(svg_texts(picture, "model paper; in us; launches that were not projected and are "
                                    "left out: 1"),
                 1);
    cr_expect_eq(svg_texts(picture, "4000 measured"), 2); /* the kernel, the application */
}

Test(interval_plot, equal_results_give_equal_bytes) {
    worked_add(&w, "a", 0, 4000);
    worked_project(&w, 2);
    char *one = worked_text(interval_plot, &w.results);
    char *two = worked_text(interval_plot, &w.results);
    cr_expect_str_eq(one, two);
    free(one);
    free(two);
}

Test(interval_plot, groups_have_most_time_first) {
    struct kernel_groups groups;
    worked_add(&w, "early", 0, 100);
    worked_add(&w, "late", 1, 100);
    worked_add(&w, "often", 2, 60);
    worked_add(&w, "refused", 3, 0);
    worked_add(&w, "often", 4, 70);
    worked_project(&w, 1);
    kernel_groups_make(&groups, &w.results);
    cr_assert_eq(groups.count, 3);
    cr_expect_str_eq(groups.at[0].name, "often");
    cr_expect_eq(groups.at[0].count, 2);
    cr_expect_eq(groups.at[0].longest, 4);
    cr_expect_eq(groups.at[0].measured_us, 130);
    cr_expect_str_eq(groups.at[1].name, "early");
    cr_expect_str_eq(groups.at[2].name, "late");
    static const size_t of[] = {1, 2, 0, NO_GROUP, 0};
    cr_expect_arr_eq(groups.of, of, sizeof of);
    kernel_groups_clear(&groups);
}
