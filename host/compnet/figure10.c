/* figure10.c - Figure 10 of the paper: an allreduce on 2 to 32 nodes, and the energy of the service
 * threads. */
#include "compnet/compnet.h"

enum { COUNTS = 5 };

static const double nodes[COUNTS] = {2, 4, 8, 16, 32};

/* By design and number of nodes. */
struct figure10 {
    double us[COMPNET_DESIGNS][COUNTS];
    struct compnet_energy nj[COMPNET_DESIGNS][COUNTS];
};

/* compnet_sweep.measure: the time of 64 MiB of floats in 48 rings, or of 8 MiB in 16. */
static heddle_err measure(struct compnet *c, unsigned design, unsigned i, double *us, void *user,
                          struct heddle_diag *diag) {
    const char *const arguments[] = {"-n", c->quick ? "2097152" : "16777216",
                                     "-c", c->quick ? "16" : "48",
                                     "-t", c->quick ? "256" : "128",
                                     NULL}; /* 48 rings of 256 threads do not fit on the GPU */
    const char *const sets[] = {"cp.threads=2", NULL};
    const struct compnet_point point = {.design = design,
                                        .nodes = (unsigned)nodes[i],
                                        .queues = c->quick ? 16 : 48,
                                        .node_sets = sets,
                                        .program = "allreduce",
                                        .arguments = arguments};
    struct figure10 *f = user;
    heddle_err e = compnet_measure(c, &point, "rings: ", us, &f->nj[design][i], diag);
    f->us[design][i] = *us;
    return e;
}

/* The claims, of so many numbers of nodes. */
static void judge(struct compnet *c, const struct figure10 *f, unsigned counts) {
    const unsigned last = counts - 1;
    const double(*us)[COUNTS] = f->us;
    c->value[COMPNET_C10_1] = compnet_spread(us[0], COMPNET_CPU, COUNTS);
    if (c->quick) {
        c->why[COMPNET_C10_2] = c->why[COMPNET_C10_3] = c->why[COMPNET_C10E] =
            "two nodes only with --quick";
        return;
    }
    c->value[COMPNET_C10_2] = us[COMPNET_DGPU][last] / us[COMPNET_COMPNET][last];
    c->value[COMPNET_C10_3] = compnet_least(&us[0][last], COMPNET_CPU, COUNTS) /
                              us[COMPNET_CPU][last];
    compnet_set_ratio(c, COMPNET_C10E, &f->nj[COMPNET_COMPNET][last], &f->nj[COMPNET_DGPU][last]);
}

heddle_err compnet_figure10(struct compnet *c, struct heddle_diag *diag) {
    struct figure10 f = {0};
    struct compnet_picture picture = {.file = "figure10a.svg",
                                      .title = c->quick ? "Allreduce of 8 MiB"
                                                        : "Allreduce of 64 MiB",
                                      .x = "nodes",
                                      .y = "us",
                                      .log_x = true};
    const struct compnet_sweep sweep = {.picture = compnet_add_picture(c, &picture),
                                        .names = compnet_designs,
                                        .num_names = COMPNET_DESIGNS,
                                        .x = nodes,
                                        .count = c->quick ? 1 : COUNTS,
                                        .measure = measure,
                                        .user = &f};
    heddle_err e = compnet_sweep(c, &sweep, diag);
    if (e) return e;
    picture.file = "figure10b.svg";
    compnet_add_energies(c, &picture, nodes, sweep.count, f.nj[0], COUNTS);
    judge(c, &f, sweep.count);
    return HEDDLE_OK;
}
