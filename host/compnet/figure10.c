/* figure10.c - Figure 10 of the paper: an allreduce on 2 to 32 nodes, and the energy of the service
 * threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compnet/compnet.h"

enum { COUNTS = 5 };

heddle_err compnet_figure10(struct compnet *c, struct heddle_diag *diag) {
    static const unsigned nodes[COUNTS] = {2, 4, 8, 16, 32};
    const unsigned counts = c->quick ? 1 : COUNTS;
    /* 64 MiB of floats in 48 rings; or 4 MiB in 3, which send the same lengths */
    const char *const elements = c->quick ? "1048576" : "16777216";
    const char *const arguments[] = {"-n", elements, "-c", c->quick ? "3" : "48",
                                     "-t", "256",    NULL};
    const char *const sets[] = {"cp.threads=2", NULL};
    struct compnet_picture *time = compnet_add_picture(
        c, "figure10a.svg", c->quick ? "Allreduce of 4 MiB" : "Allreduce of 64 MiB");
    struct compnet_picture *energy = compnet_add_picture(c, "figure10b.svg",
                                                         "Energy of the service threads");
    double us[COMPNET_DESIGNS][COUNTS];
    struct compnet_energy nj[COMPNET_DESIGNS][COUNTS];
    time->x = energy->x = "nodes";
    time->y = "us";
    energy->y = "uJ";
    time->log_x = energy->log_x = true;
    for (unsigned d = 0; d < COMPNET_DESIGNS; d++) {
        struct compnet_series *t = compnet_add_series(time, compnet_designs[d]);
        struct compnet_series *j = d < COMPNET_SERVED
                                       ? compnet_add_series(energy, compnet_designs[d])
                                       : NULL;
        for (unsigned i = 0; i < counts; i++) {
            const struct compnet_point point = {.design = d,
                                                .nodes = nodes[i],
                                                .queues = c->quick ? 3 : 48,
                                                .node_sets = sets,
                                                .program = "allreduce",
                                                .arguments = arguments};
            struct compnet_result r;
            heddle_err e = compnet_run(c, &point, &r, diag);
            if (e) return e;
            const char *at = strstr(r.output, "rings: ");
            us[d][i] = at ? atof(at + strlen("rings: ")) : NAN;
            nj[d][i] = compnet_energy_of(&r);
            compnet_result_clear(&r);
            if (isnan(us[d][i]))
                return heddle_fail(diag, HEDDLE_ERR_IO, "allreduce did not print its time");
            compnet_add(t, nodes[i], us[d][i]);
            if (j) compnet_add(j, nodes[i], nj[d][i].sum / 1e3);
        }
    }
    double least = INFINITY, most = 0;
    for (unsigned d = 0; d < COMPNET_CPU; d++) {
        least = fmin(least, us[d][0]);
        most = fmax(most, us[d][0]);
    }
    c->value[COMPNET_C10_1] = most / least - 1;
    if (c->quick) {
        c->why[COMPNET_C10_2] = c->why[COMPNET_C10_3] = c->why[COMPNET_C10E] =
            "two nodes only with --quick";
        return HEDDLE_OK;
    }
    const unsigned last = counts - 1;
    double best = INFINITY;
    for (unsigned d = 0; d < COMPNET_CPU; d++) best = fmin(best, us[d][last]);
    c->value[COMPNET_C10_2] = us[COMPNET_DGPU][last] / us[COMPNET_COMPNET][last];
    c->value[COMPNET_C10_3] = best / us[COMPNET_CPU][last];
    compnet_set_ratio(c, COMPNET_C10E, &nj[COMPNET_COMPNET][last], &nj[COMPNET_DGPU][last]);
    return HEDDLE_OK;
}
