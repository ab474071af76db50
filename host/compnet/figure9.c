/* figure9.c - Figure 9 of the paper: Jacobi's iteration on a grid, by its size, in five designs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compnet/compnet.h"

enum { SIZES = 8 };

/* A size of the grid of a node, and how it is computed. */
struct size {
    const char *rows, *columns, *ctas, *iterations;
};

/* The time of an iteration. */
static heddle_err iterate(struct compnet *c, enum compnet_design design, const struct size *s,
                          double *us, struct heddle_diag *diag) {
    const char *const arguments[] = {"-r", s->rows, "-c", s->columns,    "-b", s->ctas,
                                     "-t", "256",   "-i", s->iterations, NULL};
    const struct compnet_point point = {.design = design,
                                        .nodes = c->quick ? 2 : 8,
                                        .queues = (unsigned)atoi(s->ctas),
                                        .program = "jacobi2d",
                                        .arguments = arguments};
    struct compnet_result r;
    heddle_err e = compnet_run(c, &point, &r, diag);
    if (e) return e;
    const char *at = strstr(r.output, "each: ");
    *us = at ? atof(at + strlen("each: ")) : NAN;
    compnet_result_clear(&r);
    return isnan(*us) ? heddle_fail(diag, HEDDLE_ERR_IO, "jacobi2d did not print its time")
                      : HEDDLE_OK;
}

/* The claims; us[design][size]. */
static void judge(struct compnet *c, double us[][SIZES], unsigned n) {
    double best = INFINITY, gain = 0, least = INFINITY, most = 0;
    for (unsigned d = 0; d < COMPNET_DESIGNS; d++) {
        if (d == COMPNET_CPU) continue;
        best = fmin(best, us[d][0]);
        least = fmin(least, us[d][n - 1]);
        most = fmax(most, us[d][n - 1]);
    }
    c->value[COMPNET_C9_1] = best / us[COMPNET_CPU][0];
    if (c->quick) {
        c->why[COMPNET_C9_2] = c->why[COMPNET_C9_3] = "no large grids with --quick";
        return;
    }
    /* some grid has a gain of 10 to 20 %: that which comes nearest */
    for (unsigned i = 0; i < n; i++) {
        const double here = us[COMPNET_DGPU][i] / us[COMPNET_COMPNET][i];
        if (fabs(here - 1.15) < fabs(gain - 1.15)) gain = here;
    }
    c->value[COMPNET_C9_2] = gain;
    c->value[COMPNET_C9_3] = most / least - 1;
}

heddle_err compnet_figure9(struct compnet *c, struct heddle_diag *diag) {
    static const struct size sizes[SIZES] = {
        {"16", "64", "4", "4"},      {"32", "128", "8", "4"},     {"64", "256", "15", "4"},
        {"128", "512", "30", "4"},   {"256", "1024", "60", "4"},  {"512", "2048", "60", "4"},
        {"1024", "4096", "60", "3"}, {"2048", "8192", "60", "2"},
    };
    const unsigned n = c->quick ? 3 : SIZES;
    struct compnet_picture *p = compnet_add_picture(c, "figure9.svg",
                                                    "Jacobi's iteration, by elements of a node");
    double us[COMPNET_DESIGNS][SIZES];
    p->x = "elements of a node";
    p->y = "us of an iteration";
    p->log_x = p->log_y = true;
    for (unsigned d = 0; d < COMPNET_DESIGNS; d++) {
        struct compnet_series *s = compnet_add_series(p, compnet_designs[d]);
        for (unsigned i = 0; i < n; i++) {
            heddle_err e = iterate(c, d, &sizes[i], &us[d][i], diag);
            if (e) return e;
            compnet_add(s, atof(sizes[i].rows) * atof(sizes[i].columns), us[d][i]);
        }
    }
    judge(c, us, n);
    return HEDDLE_OK;
}
