/* figure7.c - Figure 7 of the paper: whether service threads find commands in L2 while other
 * work-groups stream through it, with and without locked stores. */
#include <math.h>
#include <stdio.h>

#include "compnet/compnet.h"

enum { SHARES = 3, SENDERS = 13 };

/* A run in which SENDERS work-groups use the network, of `every` times as many; the others stream.
 * *hits: share of commands that L2 had; *pin_us: mean time for which a line stayed locked.
 *
 * Barriers before and after send commands while nothing streams. They do not count: L2 has them. */
static heddle_err stream(struct compnet *c, unsigned every, bool locked, double *hits,
                         double *pin_us, struct heddle_diag *diag) {
    char groups[16], of[16], rounds[16];
    const unsigned times = c->quick ? 24 : 60;
    /* one CU of the paper, of 40 work-groups of a wavefront: two SMs hold as many; an L2 that is as
     * much smaller */
    const char *const sets[] = {"sm.count=2", "l2.size=98304", "l2.slices=4",
                                locked ? "l2.max_pinned_ways=8" : "l2.max_pinned_ways=0", NULL};
    const char *const arguments[] = {"-k", "2",  "-p",   "12000", "-r", rounds, "-e",
                                     of,   "-c", groups, "-t",    "64", NULL};
    snprintf(groups, sizeof groups, "%u", SENDERS * every);
    snprintf(of, sizeof of, "%u", every);
    snprintf(rounds, sizeof rounds, "%u", times);
    const struct compnet_point point = {.design = COMPNET_COMPNET,
                                        .nodes = 2,
                                        .queues = SENDERS,
                                        .sets = sets,
                                        .program = "cp_l2_hits",
                                        .arguments = arguments};
    struct compnet_result r;
    heddle_err e = compnet_run(c, &point, &r, diag);
    if (e) return e;
    const double own = SENDERS * (times + 1.); /* a quiet behind the values */
    const double others = compnet_sum(&r, "cp", "commands") - own;
    const double pins = compnet_statistic(&r, "l2_pins");
    *hits = (compnet_sum(&r, "cp", "command_hits") - others) / own;
    *pin_us = pins > 0 ? compnet_statistic(&r, "l2_pin_cycles") / pins / COMPNET_MHZ : NAN;
    compnet_result_clear(&r);
    return HEDDLE_OK;
}

static const unsigned every[SHARES] = {1, 2, 3};

/* By locked stores or not, and share of senders. */
struct figure7 {
    double hits[2][SHARES], pin_us[2][SHARES];
};

/* compnet_sweep.measure */
static heddle_err measure(struct compnet *c, unsigned locked, unsigned i, double *y, void *user,
                          struct heddle_diag *diag) {
    struct figure7 *f = user;
    heddle_err e = stream(c, every[i], locked, &f->hits[locked][i], &f->pin_us[locked][i], diag);
    *y = f->hits[locked][i];
    return e;
}

heddle_err compnet_figure7(struct compnet *c, struct heddle_diag *diag) {
    static const char *const stores[] = {"plain stores", "locked stores"};
    static const double streaming[SHARES] = {0, SENDERS, 2 * SENDERS};
    struct figure7 f = {0};
    double(*hits)[SHARES] = f.hits, gain = INFINITY;
    const struct compnet_sweep sweep = {
        .picture = compnet_add_picture(
            c, &(struct compnet_picture){.file = "figure7.svg",
                                         .title = "Commands that the command processor finds in L2",
                                         .x = "streaming work-groups",
                                         .y = "share of commands"}),
        .names = stores,
        .num_names = 2,
        .x = streaming,
        .count = SHARES,
        .measure = measure,
        .user = &f};
    heddle_err e = compnet_sweep(c, &sweep, diag);
    if (e) return e;
    for (unsigned i = 0; i < SHARES; i++) {
        gain = fmin(gain, hits[1][i] - hits[0][i]);
        if (i) gain = fmin(gain, hits[0][i - 1] - hits[0][i]); /* plain ones only lose */
    }
    c->value[COMPNET_C7A] = hits[0][0];
    c->value[COMPNET_C7B] = hits[0][SHARES - 1];
    c->value[COMPNET_C7C] = hits[1][SHARES - 1] / hits[0][0];
    c->value[COMPNET_C7D] = gain;
    c->value[COMPNET_C7E] = f.pin_us[1][0];
    return HEDDLE_OK;
}
