/* figure9.c - Figure 9 of the paper: Jacobi's iteration on a grid, by its size, in five designs. */
#include <math.h>
#include <stdlib.h>

#include "compnet/compnet.h"

enum { SIZES = 8 };

/* A size of the grid of a node, and how it is computed. */
struct size {
    const char *rows, *columns, *ctas, *iterations;
};

static const struct size sizes[SIZES] = {
    {"16", "64", "4", "4"},      {"32", "128", "8", "4"},     {"64", "256", "15", "4"},
    {"128", "512", "30", "4"},   {"256", "1024", "60", "4"},  {"512", "2048", "60", "4"},
    {"1024", "4096", "60", "3"}, {"2048", "8192", "60", "2"},
};

/* compnet_sweep.measure: the time of an iteration. */
static heddle_err iterate(struct compnet *c, unsigned design, unsigned i, double *us, void *user,
                          struct heddle_diag *diag) {
    double(*all)[SIZES] = user;
    const struct size *s = &sizes[i];
    const char *const arguments[] = {"-r", s->rows, "-c", s->columns,    "-b", s->ctas,
                                     "-t", "256",   "-i", s->iterations, NULL};
    const struct compnet_point point = {.design = design,
                                        .nodes = c->quick ? 2 : 8,
                                        .queues = (unsigned)atoi(s->ctas),
                                        .program = "jacobi2d",
                                        .arguments = arguments};
    heddle_err e = compnet_measure(c, &point, "each: ", us, NULL, diag);
    all[design][i] = *us;
    return e;
}

/* The claims; us[design][size]. */
static void judge(struct compnet *c, double us[][SIZES], unsigned n) {
    double gain = 0;
    c->value[COMPNET_C9_1] = compnet_least(us[0], COMPNET_CPU, SIZES) / us[COMPNET_CPU][0];
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
    c->value[COMPNET_C9_3] = compnet_spread(&us[0][n - 1], COMPNET_CPU, SIZES);
}

heddle_err compnet_figure9(struct compnet *c, struct heddle_diag *diag) {
    double us[COMPNET_DESIGNS][SIZES], elements[SIZES];
    for (unsigned i = 0; i < SIZES; i++) elements[i] = atof(sizes[i].rows) * atof(sizes[i].columns);
    const struct compnet_sweep sweep = {
        .picture = compnet_add_picture(
            c, &(struct compnet_picture){.file = "figure9.svg",
                                         .title = "Jacobi's iteration, by elements of a node",
                                         .x = "elements of a node",
                                         .y = "us of an iteration",
                                         .log_x = true,
                                         .log_y = true}),
        .names = compnet_designs,
        .num_names = COMPNET_DESIGNS,
        .x = elements,
        .count = c->quick ? 3 : SIZES,
        .measure = iterate,
        .user = us};
    heddle_err e = compnet_sweep(c, &sweep, diag);
    if (!e) judge(c, us, sweep.count);
    return e;
}
