/* figure4.c - Figure 4 of the paper: what kernels wait for a service thread of the dGPU, by the
 * number of queues that it polls, in the GPU's memory and in the host's; and by the number of
 * threads. */
#include <stdio.h>

#include "compnet/compnet.h"

enum { COUNTS = 5, THREADS = 4, PLACES = 2 /* GPU, host */ };

/* Work-groups, each with a queue of its own and one Get under way. Few of them wait for the NIC and
 * the link, many for the threads: figure 4b needs many. */
static const double many[] = {1, 15, 60, 240, 480}, few_places[] = {1, 15, 60};
static const double few_threads[] = {15, 240};
static const double threads[THREADS] = {1, 2, 4, 8};

struct figure4 {
    const double *groups, *groups_b; /* of figures 4a and 4b */
    unsigned counts, counts_b;
    double by_place[PLACES][COUNTS];
    double by_threads[COUNTS][THREADS]; /* queues in the host's memory */
};

/* The time of a Get, us. */
static heddle_err gets(struct compnet *c, double groups, double threads_now, unsigned at_host,
                       double *us, struct heddle_diag *diag) {
    char ctas[16], of[32], place[32];
    const char *const arguments[] = {"-c", ctas, "-t", "64", "-r", "2", NULL};
    const char *const sets[] = {of, place, NULL};
    const struct compnet_point point = {.design = COMPNET_DGPU,
                                        .nodes = 2,
                                        .queues = (unsigned)groups,
                                        .node_sets = sets,
                                        .program = "service_rate",
                                        .arguments = arguments};
    snprintf(ctas, sizeof ctas, "%.0f", groups);
    snprintf(of, sizeof of, "cp.threads=%.0f", threads_now);
    snprintf(place, sizeof place, "cpu.queues=%u", at_host);
    return compnet_measure(c, &point, "gets/us, ", us, NULL, diag);
}

/* compnet_sweep.measure: series are places, points numbers of work-groups. */
static heddle_err by_place(struct compnet *c, unsigned at_host, unsigned i, double *us, void *user,
                           struct heddle_diag *diag) {
    struct figure4 *f = user;
    heddle_err e = gets(c, f->groups[i], 1, at_host, us, diag);
    f->by_place[at_host][i] = *us;
    return e;
}

/* The same: series are numbers of work-groups, points numbers of threads. */
static heddle_err by_threads(struct compnet *c, unsigned s, unsigned i, double *us, void *user,
                             struct heddle_diag *diag) {
    struct figure4 *f = user;
    heddle_err e = gets(c, f->groups_b[s], threads[i], 1, us, diag);
    f->by_threads[s][i] = *us;
    return e;
}

static void judge(struct compnet *c, const struct figure4 *f) {
    double ratio[COUNTS], growth[COUNTS];
    const unsigned last = f->counts - 1;
    for (unsigned i = 0; i <= last; i++) ratio[i] = f->by_place[0][i] / f->by_place[1][i];
    for (unsigned i = 0; i < last; i++) growth[i] = ratio[i + 1] / ratio[i];
    c->value[COMPNET_C4A] = compnet_least(ratio, f->counts, 1);
    c->value[COMPNET_C4A_GAP] = compnet_least(growth, last, 1);
    c->value[COMPNET_C4A_MIN] = f->by_place[1][0];
    if (c->quick)
        c->why[COMPNET_C4A_MAX] = "60 work-groups only with --quick";
    else
        c->value[COMPNET_C4A_MAX] = f->by_place[1][last];
    const double *most = f->by_threads[f->counts_b - 1];
    double gain[THREADS - 1];
    for (unsigned i = 0; i + 1 < THREADS; i++) gain[i] = most[i] / most[i + 1];
    c->value[COMPNET_C4B] = compnet_least(gain, THREADS - 1, 1);
    c->value[COMPNET_C4B_ALL] = most[0] / most[THREADS - 1];
}

heddle_err compnet_figure4(struct compnet *c, struct heddle_diag *diag) {
    static const char *const places[PLACES] = {"queues in the GPU's memory",
                                               "queues in the host's memory"};
    static const char *const few_names[] = {"15 work-groups", "240 work-groups"};
    static const char *const many_names[] = {"1 work-group", "15 work-groups", "60 work-groups",
                                             "240 work-groups", "480 work-groups"};
    struct figure4 f = {.groups = many, .groups_b = many, .counts = COUNTS, .counts_b = COUNTS};
    if (c->quick)
        f = (struct figure4){
            .groups = few_places, .groups_b = few_threads, .counts = 3, .counts_b = 2};
    struct compnet_picture picture = {.file = "figure4a.svg",
                                      .title = "Get of a dGPU with one service thread",
                                      .x = "work-groups",
                                      .y = "us of a Get",
                                      .log_x = true,
                                      .log_y = true};
    struct compnet_sweep sweep = {.picture = compnet_add_picture(c, &picture),
                                  .names = places,
                                  .num_names = PLACES,
                                  .x = f.groups,
                                  .count = f.counts,
                                  .measure = by_place,
                                  .user = &f};
    heddle_err e = compnet_sweep(c, &sweep, diag);
    if (e) return e;
    picture.file = "figure4b.svg";
    picture.title = "Get of a dGPU with queues in the host's memory";
    picture.x = "service threads";
    sweep = (struct compnet_sweep){.picture = compnet_add_picture(c, &picture),
                                   .names = c->quick ? few_names : many_names,
                                   .num_names = f.counts_b,
                                   .x = threads,
                                   .count = THREADS,
                                   .measure = by_threads,
                                   .user = &f};
    e = compnet_sweep(c, &sweep, diag);
    if (!e) judge(c, &f);
    return e;
}
