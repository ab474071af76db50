/* test_colours.c - tables/cpi_colours.def: any two parts of the CPI stack can be told apart, also
 * by eyes that lack one kind of cone, and each stands out from a white and a dark page.
 *
 * Distances are Euclidean in OKLab, times 100. The matrices, for linear sRGB, are those of Machado,
 * Oliveira and Fernandes (2009) for complete loss of one kind of cone. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "report/report_internal.h"

enum { VIEWS = 4, LEAST = 8 };

static const double seen_by[VIEWS][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                            {{0.152286, 1.052583, -0.204868},
                                             {0.114503, 0.786281, 0.099216},
                                             {-0.003882, -0.048116, 1.051998}},
                                            {{0.367322, 0.860646, -0.227968},
                                             {0.280085, 0.672501, 0.047413},
                                             {-0.011820, 0.042940, 0.968881}},
                                            {{1.255528, -0.076749, -0.178779},
                                             {-0.078411, 0.930809, 0.147602},
                                             {0.004733, 0.691367, 0.303900}}};

/* A colour "#rrggbb" in OKLab, as a kind of eye sees it. */
static void lab_of(const char *colour, unsigned view, double lab[3]) {
    static const double to_cones[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                          {0.2119034982, 0.6806995451, 0.1073969566},
                                          {0.0883024619, 0.2817188376, 0.6299787005}};
    static const double to_lab[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                        {1.9779984951, -2.4285922050, 0.4505937099},
                                        {0.0259040371, 0.7827717662, -0.8086757660}};
    unsigned rgb[3];
    double linear[3], seen[3], cone[3];
    cr_assert_eq(sscanf(colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]), 3, "%s", colour);
    for (unsigned i = 0; i < 3; i++) {
        double x = rgb[i] / 255.0;
        linear[i] = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
    }
    for (unsigned i = 0; i < 3; i++) {
        seen[i] = 0;
        for (unsigned k = 0; k < 3; k++) seen[i] += seen_by[view][i][k] * linear[k];
        seen[i] = fmin(1, fmax(0, seen[i]));
    }
    for (unsigned i = 0; i < 3; i++) {
        cone[i] = 0;
        for (unsigned k = 0; k < 3; k++) cone[i] += to_cones[i][k] * seen[k];
        cone[i] = cbrt(cone[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        lab[i] = 0;
        for (unsigned k = 0; k < 3; k++) lab[i] += to_lab[i][k] * cone[k];
    }
}

/* The least distance of two colours, over all kinds of eyes. */
static double distance(const char *a, const char *b) {
    double least = INFINITY;
    for (unsigned view = 0; view < VIEWS; view++) {
        double of[2][3];
        lab_of(a, view, of[0]);
        lab_of(b, view, of[1]);
        least = fmin(least, 100 * sqrt(pow(of[0][0] - of[1][0], 2) + pow(of[0][1] - of[1][1], 2) +
                                       pow(of[0][2] - of[1][2], 2)));
    }
    return least;
}

Test(colours, measure) {
    cr_expect_float_eq(distance("#000000", "#ffffff"), 100, 0.1);
    cr_expect_lt(distance("#ff0000", "#808000"), LEAST); /* red and green, without that cone */
}

Test(colours, parts_differ) {
    for (unsigned a = 0; a < CPI_PARTS; a++)
        for (unsigned b = 0; b < a; b++)
            cr_expect_geq(distance(cpi_colour(a), cpi_colour(b)), LEAST, "%s and %s: %.1f",
                          cpi_name(a), cpi_name(b), distance(cpi_colour(a), cpi_colour(b)));
}

Test(colours, backgrounds) {
    static const char *const pages[] = {"#ffffff", "#16181d"};
    for (unsigned a = 0; a < CPI_PARTS; a++)
        for (unsigned p = 0; p < 2; p++)
            cr_expect_geq(distance(cpi_colour(a), pages[p]), LEAST, "%s on %s", cpi_name(a),
                          pages[p]);
}
