/* figure8.c - Figure 8 of the paper: the latency of a Get by its length; many work-groups by the
 * number of service threads, and the energy of these threads. With it the claims C1 and C2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compnet/compnet.h"

enum { SIZES = 12, COUNTS = 4 };

/* ---- 8a */

/* The times of Gets that shmem_latency printed. @return how many. */
static unsigned read_gets(const char *output, double *bytes, double *us) {
    unsigned n = 0;
    for (const char *at = output; at && n < SIZES; at = strchr(at, '\n')) {
        if (*at == '\n') at++;
        if (sscanf(at, "get %lf bytes %lf us", &bytes[n], &us[n]) == 2) n++;
    }
    return n;
}

/* The lines of 8a: the designs with service threads, and the dGPU's other place for queues. */
enum { AT_HOST = COMPNET_SERVED, LINES };

/* Claims about one work-group; us[line][size]. */
static void judge_gets(struct compnet *c, const double *bytes, double us[][SIZES], unsigned n) {
    double ratio = INFINITY, at_host = INFINITY, difference = 0, slope = INFINITY;
    for (unsigned i = 0; i < n && bytes[i] <= 1024; i++) {
        const double compnet = us[COMPNET_COMPNET][i], apu = us[COMPNET_APU][i];
        ratio = fmin(ratio, us[COMPNET_DGPU][i] / fmax(compnet, apu));
        at_host = fmin(at_host, us[AT_HOST][i] / fmax(compnet, apu));
        difference = fmax(difference, fabs(compnet - apu) / fmin(compnet, apu));
    }
    for (unsigned d = 0; d < COMPNET_SERVED; d++) {
        const double rate = (bytes[n - 1] - bytes[n - 2]) / (us[d][n - 1] - us[d][n - 2]) / 1e3;
        if (fabs(rate - 12.5) > fabs(slope - 12.5) || isinf(slope)) slope = rate;
    }
    c->value[COMPNET_C8A1] = ratio;
    c->value[COMPNET_C8A1_HOST] = at_host;
    c->value[COMPNET_C8A2] = difference;
    c->value[COMPNET_C8A3] = compnet_spread(&us[0][n - 1], COMPNET_SERVED, SIZES);
    c->value[COMPNET_C8A3S] = slope;
}

static heddle_err gets(struct compnet *c, struct heddle_diag *diag) {
    static const char *const arguments[] = {"-s", "2097152", "-r", "2", NULL};
    struct compnet_picture *p = compnet_add_picture(
        c, &(struct compnet_picture){.file = "figure8a.svg",
                                     .title = "Get of one work-group, by its length",
                                     .x = "bytes",
                                     .y = "us",
                                     .log_x = true,
                                     .log_y = true});
    static const char *const names[LINES] = {[COMPNET_DGPU] = "dgpu, queues in the GPU's memory",
                                             [COMPNET_APU] = "apu",
                                             [COMPNET_COMPNET] = "compnet",
                                             [AT_HOST] = "dgpu, queues in the host's memory"};
    static const char *const at_host[] = {"cpu.queues=1", NULL};
    double bytes[SIZES], us[LINES][SIZES];
    unsigned n = 0;
    for (unsigned d = 0; d < LINES; d++) {
        const struct compnet_point point = {.design = d == AT_HOST ? COMPNET_DGPU : d,
                                            .nodes = 2,
                                            .node_sets = d == AT_HOST ? at_host : NULL,
                                            .program = "shmem_latency",
                                            .arguments = arguments};
        struct compnet_result r;
        heddle_err e = compnet_run(c, &point, &r, diag);
        if (e) return e;
        n = read_gets(r.output, bytes, us[d]);
        if (d == COMPNET_COMPNET)
            c->value[COMPNET_C1] = compnet_sum(&r, "cp", "unseen_ps") /
                                   compnet_sum(&r, "cp", "commands") / 1e6 * COMPNET_MHZ;
        compnet_result_clear(&r);
        if (n < 4 || bytes[n - 1] < 1 << 20)
            return heddle_fail(diag, HEDDLE_ERR_IO, "shmem_latency did not print all Gets");
        struct compnet_series *s = compnet_add_series(p, names[d]);
        for (unsigned i = 0; i < n; i++) compnet_add(s, bytes[i], us[d][i]);
    }
    judge_gets(c, bytes, us, n);
    return HEDDLE_OK;
}

/* ---- 8b and 8c */

static const char *const threads[COUNTS] = {"1", "2", "4", "8"};

/* By design and number of service threads. */
struct many {
    double us[COMPNET_SERVED][COUNTS];
    struct compnet_energy nj[COMPNET_SERVED][COUNTS];
};

/* compnet_sweep.measure: the time of a Get of many work-groups. */
static heddle_err measure_many(struct compnet *c, unsigned design, unsigned i, double *us,
                               void *user, struct heddle_diag *diag) {
    const char *const arguments[] = {"-c", c->quick ? "60" : "480", "-t", "64", "-r", "2", NULL};
    char set[32];
    const char *const sets[] = {set, NULL};
    snprintf(set, sizeof set, "cp.threads=%s", threads[i]);
    const struct compnet_point point = {.design = design,
                                        .nodes = 2,
                                        .queues = c->quick ? 60 : 480,
                                        .node_sets = sets,
                                        .program = "service_rate",
                                        .arguments = arguments};
    struct many *m = user;
    heddle_err e = compnet_measure(c, &point, "gets/us, ", us, &m->nj[design][i], diag);
    m->us[design][i] = *us;
    return e;
}

static void judge_many(struct compnet *c, const struct many *m) {
    const double(*us)[COUNTS] = m->us;
    double least = INFINITY, others = 0;
    for (unsigned i = 0; i < COUNTS; i++) {
        const double compnet = us[COMPNET_COMPNET][i];
        least = fmin(least, us[COMPNET_DGPU][i] / fmax(compnet, us[COMPNET_APU][i]));
        if (i) others = fmax(others, us[COMPNET_DGPU][i] / compnet);
    }
    const double best = compnet_least(us[COMPNET_COMPNET], COUNTS, 1);
    unsigned knee = 0;
    while (us[COMPNET_COMPNET][knee] > 1.05 * best) knee++;
    c->value[COMPNET_C8B1] = least;
    c->value[COMPNET_C8B2] = us[COMPNET_DGPU][0] / us[COMPNET_COMPNET][0] / others;
    const struct compnet_energy *own = &m->nj[COMPNET_COMPNET][knee];
    compnet_set_ratio(c, COMPNET_C8C_DGPU, own, &m->nj[COMPNET_DGPU][knee]);
    compnet_set_ratio(c, COMPNET_C8C_APU, own, &m->nj[COMPNET_APU][knee]);
    c->value[COMPNET_C12] = fabs(us[COMPNET_COMPNET][knee] / us[COMPNET_APU][knee] - 1);
}

static heddle_err many(struct compnet *c, struct heddle_diag *diag) {
    struct many m = {0};
    double x[COUNTS];
    for (unsigned i = 0; i < COUNTS; i++) x[i] = atof(threads[i]);
    struct compnet_picture picture = {.file = "figure8b.svg",
                                      .title = c->quick
                                                   ? "Gets of 60 work-groups, by service threads"
                                                   : "Gets of 480 work-groups, by service threads",
                                      .x = "service threads",
                                      .y = "us of a Get",
                                      .log_x = true,
                                      .log_y = true};
    const struct compnet_sweep sweep = {.picture = compnet_add_picture(c, &picture),
                                        .names = compnet_designs,
                                        .num_names = COMPNET_SERVED,
                                        .x = x,
                                        .count = COUNTS,
                                        .measure = measure_many,
                                        .user = &m};
    heddle_err e = compnet_sweep(c, &sweep, diag);
    if (e) return e;
    picture.file = "figure8c.svg";
    compnet_add_energies(c, &picture, x, COUNTS, m.nj[0], COUNTS);
    judge_many(c, &m);
    return HEDDLE_OK;
}

/* ---- the boundary of kernels */

/* From the end of a kernel to the first instruction of the next one of its stream, where one
 * follows the other at once: the least of a program with many. */
static heddle_err boundary(struct compnet *c, struct heddle_diag *diag) {
    static const char *const arguments[] = {NULL};
    const struct compnet_point point = {.design = COMPNET_COMPNET,
                                        .nodes = 1,
                                        .program = "lu_decomposition",
                                        .arguments = arguments};
    struct compnet_result r;
    heddle_err e = compnet_run(c, &point, &r, diag);
    if (e) return e;
    const json_t *list = json_object_get(r.report, "kernels");
    double least = NAN;
    for (size_t i = 0; i + 1 < json_array_size(list); i++) {
        const json_t *a = json_array_get(list, i), *b = json_array_get(list, i + 1);
        const double gap_ps = json_number_value(json_object_get(b, "start_ps")) -
                              json_number_value(json_object_get(a, "end_ps"));
        const double us = gap_ps / 1e6 +
                          json_number_value(json_object_get(b, "launch_cycles")) / COMPNET_MHZ;
        if (gap_ps > 0) least = fmin(isnan(least) ? us : least, us);
    }
    c->value[COMPNET_C2] = least;
    compnet_result_clear(&r);
    return HEDDLE_OK;
}

heddle_err compnet_figure8(struct compnet *c, struct heddle_diag *diag) {
    heddle_err e = gets(c, diag);
    if (!e) e = many(c, diag);
    if (!e) e = boundary(c, diag);
    return e;
}
