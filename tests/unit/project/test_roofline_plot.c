/* test_roofline_plot.c - roofline pictures of the worked example (docs/projection.md), read back:
 * ceilings, points and areas lie where its figures put them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "project/roofline_plot.h"
#include "svg_reader.h"
#include "worked_results.h"

/* Coordinates have one decimal. */
#define AT(is, want) cr_expect_float_eq((is), (want), 0.0501, "%.2f, not %.2f", (is), (want))

static struct worked_results w;
static GPtrArray *picture;

static void plot(FILE *f, const struct project_results *r) {
    roofline_plot(f, r, 0, 0);
}

static void draw(void) {
    worked_project(&w, 1);
    cr_assert_eq(w.results.num_refused, 0, "%s", w.results.refused[0].text);
    char *text = worked_text(plot, &w.results);
    picture = svg_read(text);
    free(text);
}

static void tear_down(void) {
    worked_end(&w);
    if (picture) g_ptr_array_unref(picture);
}

static void set_up(void) {
    worked_begin(&w);
}
TestSuite(roofline_plot, .init = set_up, .fini = tear_down);

/* The example's axes run from 0.5 to 20 FLOP/byte and from 500 to 50,000 GFLOP/s; the panels are
 * 430 pixels wide and 330 high. */
enum { SOURCE = 78, TARGET = 610 };
static double x_of(double intensity, int panel) {
    return panel + 430 * log(intensity / 0.5) / log(20 / 0.5);
}
static double y_of(double performance) {
    return 96 + 330 - 330 * log(performance / 500) / log(50000 / 500.0);
}

static void expect_line(const char *what, unsigned nth, double x1, double y1, double x2, double y2,
                        int panel) {
    const void *line = svg_find(picture, what, nth);
    AT(svg_value(line, "x1"), x_of(x1, panel));
    AT(svg_value(line, "y1"), y_of(y1));
    AT(svg_value(line, "x2"), x_of(x2, panel));
    AT(svg_value(line, "y2"), y_of(y2));
}

Test(roofline_plot, ceilings_meet_at_the_ridge_points) {
    worked_add(&w, "example", 3, 4000);
    draw();
    double l1 = 6e3 / 2.35, l2 = 2e3 / 1.75; /* GB/s on the source */
    expect_line("L1", 0, 0.5, 0.5 * l1, 6000 / l1, 6000, SOURCE);
    expect_line("L2", 0, 0.5, 0.5 * l2, 6000 / l2, 6000, SOURCE);
    expect_line("DRAM", 0, 500 / 800.0, 500, 7.5, 6000, SOURCE); /* starts at the lower edge */
    expect_line("performance", 0, 6000 / l1, 6000, 20, 6000, SOURCE);
    expect_line("L1", 1, 0.5, 3000, 2, 12000, TARGET);
    expect_line("L2", 1, 0.5, 0.5 * 2e3 / 0.7, 12000 / (2e3 / 0.7), 12000, TARGET);
    expect_line("DRAM", 1, 0.5, 1000, 6, 12000, TARGET);
    expect_line("performance", 1, 2, 12000, 20, 12000, TARGET);
    /* plain rates: 10 and 20 TFLOP/s; L1 of 10,000 GB/s on the source */
    expect_line("plain", 0, 0.5, 5000, 1, 10000, SOURCE);
    expect_line("plain", 3, 1, 10000, 20, 10000, SOURCE);
}

Test(roofline_plot, points_lie_at_the_measured_performance) {
    static const double intensities[] = {8.0 / 6, 4, 8};
    static const double roofs[] = {8.0 / 6 * 6e3 / 2.35, 4 * 2e3 / 1.75, 6000};
    worked_add(&w, "example", 3, 4000);
    draw();
    for (unsigned i = 0; i < ROOFLINE_LEVELS; i++) {
        double x, y;
        svg_place(svg_find(picture, "mark", i), &x, &y);
        AT(x, x_of(intensities[i], SOURCE));
        AT(y, y_of(2000));
        expect_line("distance", i, intensities[i], 2000, intensities[i], roofs[i], SOURCE);
    }
    cr_expect_eq(svg_count(picture, "mark"), 9); /* three points, three in each legend */
    cr_expect_eq(svg_texts(picture, "measured: 2000 GFLOP/s, 4000 us"), 1);
}

/* 1600 to 2000 us are 5000 to 4000 GFLOP/s, the centre of 1800 us 4444. */
Test(roofline_plot, the_area_spans_intensities_and_the_interval) {
    double x, y;
    worked_add(&w, "example", 3, 4000);
    draw();
    const void *area = svg_find(picture, "area", 0);
    double left = x_of(8.0 / 6, TARGET), right = x_of(8, TARGET);
    AT(svg_value(area, "x"), left);
    AT(svg_value(area, "width"), right - left);
    AT(svg_value(area, "y"), y_of(5000));
    AT(svg_value(area, "height"), y_of(4000) - y_of(5000));
    svg_place(svg_find(picture, "centre", 0), &x, &y);
    AT(x, (left + right) / 2);
    AT(y, y_of(8e3 / 1.8));
    cr_expect_eq(svg_texts(picture, "projected: 4000 to 5000 GFLOP/s, 1600 to 2000 us"), 1);
    cr_expect_eq(svg_texts(picture, "centre: 4444 GFLOP/s, 1800 us"), 1);
    cr_expect_eq(svg_count(picture, "measured"), 0);
}

Test(roofline_plot, a_measured_time_is_a_line) {
    worked_add(&w, "example", 3, 4000);
    worked_project(&w, 1);
    w.results.measured_target = calloc(1, sizeof(double));
    w.results.measured_target[0] = 3200;
    char *text = worked_text(plot, &w.results);
    picture = svg_read(text);
    free(text);
    AT(svg_value(svg_find(picture, "measured", 0), "y1"), y_of(2500));
    cr_expect_eq(svg_texts(picture, "measured on the target: 2500 GFLOP/s, 3200 us"), 1);
}

/* A source without any ceiling that differs between levels gives no interval: the area stays
 * visible. */
Test(roofline_plot, an_area_without_extent_is_drawn_a_few_pixels_thick) {
    struct project_kernel *k = worked_add(&w, "stream", 0, 4000);
    project_set(k, METRIC_L1_BYTES, 1e9);
    project_set(k, METRIC_L2_BYTES, 1e9);
    project_set(k, METRIC_SHARED_BYTES, 0);
    project_set(k, METRIC_SHARED_PASSES, 0);
    draw();
    const void *area = svg_find(picture, "area", 0);
    AT(svg_value(area, "width"), 20.0);
    AT(svg_value(area, "height"), 6.0);
}

Test(roofline_plot, a_level_that_no_byte_passes_is_left_out) {
    struct project_kernel *k = worked_add(&w, "shared only", 0, 4000);
    k->of[METRIC_L1_BYTES] = k->of[METRIC_L2_BYTES] = 0;
    k->of[METRIC_DRAM_READ] = k->of[METRIC_DRAM_WRITE] = 0;
    draw();
    cr_expect_eq(svg_count(picture, "L1"), 2);
    cr_expect_eq(svg_count(picture, "L2"), 0);
    cr_expect_eq(svg_count(picture, "DRAM"), 0);
    cr_expect_eq(svg_texts(picture, "L2: no byte passes, left out"), 2);
    cr_expect_eq(svg_texts(picture, "DRAM: no byte passes, left out"), 2);
}

Test(roofline_plot, without_any_byte_the_area_spans_the_axis) {
    struct project_kernel *k = worked_add(&w, "registers only", 0, 4000);
    k->of[METRIC_L1_BYTES] = k->of[METRIC_L2_BYTES] = k->of[METRIC_SHARED_BYTES] = 0;
    k->of[METRIC_DRAM_READ] = k->of[METRIC_DRAM_WRITE] = k->of[METRIC_SHARED_PASSES] = 0;
    draw();
    AT(svg_value(svg_find(picture, "area", 0), "x"), (double)TARGET);
    AT(svg_value(svg_find(picture, "area", 0), "width"), 430.0);
    cr_expect_eq(svg_count(picture, "mark"), 0);
    cr_expect_eq(svg_texts(picture, "L1: no byte passes, left out"), 2);
}

Test(roofline_plot, without_flop_the_units_are_instructions) {
    struct project_kernel *k = worked_add(&w, "integers", 0, 4000);
    k->of[METRIC_FP32_ADD] = k->of[METRIC_FP32_MUL] = k->of[METRIC_FP32_FMA] = 0;
    draw();
    cr_expect_eq(svg_texts(picture, "operational intensity, instructions/byte"), 2);
    cr_expect_eq(svg_texts(picture, "performance, Ginst/s"), 2);
    /* 24e9 instructions in 4 ms */
    cr_expect_eq(svg_texts(picture, "measured: 6000 Ginst/s, 4000 us"), 1);
    /* 10e12 / 64 warp instructions/s of 32 lanes */
    cr_expect_eq(svg_texts(picture, "GPU itself: L1, L2, DRAM 10000, 2000, 800 GB/s; 5000 Ginst/s"),
                 1);
}

/* 12e9 FLOP of tensor cores are more than the 8e9 of single precision. */
Test(roofline_plot, plain_performance_is_that_of_most_flop) {
    struct project_kernel *k = worked_add(&w, "tensors", 0, 4000);
    project_set(k, METRIC_TENSOR_FP16, 12e9);
    w.source.max[RATE_TENSOR_FP16] = (struct capability_value){.value = 90e12, .known = true};
    w.target.max[RATE_TENSOR_FP16] = (struct capability_value){.value = 180e12, .known = true};
    draw();
    cr_expect_eq(
        svg_texts(picture, "GPU itself: L1, L2, DRAM 10000, 2000, 800 GB/s; 90000 GFLOP/s"), 1);
}

/* The page shows the example. When the picture changes, the new one takes the place of PAGE. */
Test(roofline_plot, the_page_has_the_picture_of_the_example) {
    char *want = NULL;
    size_t room = 0;
    snprintf(w.source.title, sizeof w.source.title, "a GPU");
    snprintf(w.target.title, sizeof w.target.title, "a faster GPU");
    worked_add(&w, "example", 0, 4000);
    worked_project(&w, 1);
    char *text = worked_text(plot, &w.results);
    FILE *f = fopen(PAGE, "r");
    cr_assert(f, "%s", PAGE);
    cr_assert_gt(getdelim(&want, &room, '\0', f), 0);
    fclose(f);
    cr_expect(!strcmp(text, want), "%s is not this picture:\n%s", PAGE, text);
    free(text);
    free(want);
}

Test(roofline_plot, names_are_escaped_and_cut) {
    char name[300], cut[110];
    memset(name, 'x', sizeof name);
    memcpy(name, "f<a & \"b\">", 10);
    name[sizeof name - 1] = '\0';
    snprintf(cut, sizeof cut, "%.105s..", name);
    worked_add(&w, name, 3, 4000);
    draw();
    cr_expect_eq(svg_texts(picture, cut), 1);
    cr_expect_eq(svg_texts(picture, "source: source"), 1); /* it has no title */
    cr_expect_eq(svg_texts(picture, "target: Target & Co"), 1);
    cr_expect_eq(
        svg_texts(picture, "launch 3; model paper; bound by L1 on source, by L1 on target"), 1);
}
