/* figure10.c - Figure 10 of the paper: an allreduce on 2 to 32 nodes, and the energy of the service
 * threads. */
#include <math.h>

#include "compnet/compnet.h"

enum { COUNTS = 5 };

static const double nodes[COUNTS] = {2, 4, 8, 16, 32};

/* An array of floats, summed up in rings. */
struct size {
    const char *elements, *rings, *threads, *title;
    unsigned queues, counts; /* numbers of nodes */
};
/* 48 rings of 256 threads do not fit on the GPU. */
static const struct size large = {"16777216", "48", "128", "Allreduce of 64 MiB", 48, COUNTS};
/* Two arrays stand for the large one: on two nodes with long messages, which the wire limits as it
 * does the paper's; and on more with messages of 64 and 32 KiB, as the paper's on 16 to 32 nodes
 * have 85 to 43. */
static const struct size long_messages = {"2097152", "16", "256", "Allreduce of 8 MiB", 16, 1};
static const struct size short_messages = {"262144", "8", "256", "Allreduce of 1 MiB", 8, 2};

/* By design and number of nodes. */
struct figure10 {
    const struct size *size;
    double us[COMPNET_DESIGNS][COUNTS];
    struct compnet_energy nj[COMPNET_DESIGNS][COUNTS];
};

/* compnet_sweep.measure: the time of an allreduce. */
static heddle_err measure(struct compnet *c, unsigned design, unsigned i, double *us, void *user,
                          struct heddle_diag *diag) {
    struct figure10 *f = user;
    const struct size *s = f->size;
    const char *const arguments[] = {"-n", s->elements, "-c", s->rings, "-t", s->threads, NULL};
    const char *const sets[] = {"cp.threads=2", NULL};
    const struct compnet_point point = {.design = design,
                                        .nodes = (unsigned)nodes[i],
                                        .queues = s->queues,
                                        .node_sets = sets,
                                        .program = "allreduce",
                                        .arguments = arguments};
    heddle_err e = compnet_measure(c, &point, "rings: ", us, &f->nj[design][i], diag);
    f->us[design][i] = *us;
    return e;
}

/* Figure 10a of a size. */
static heddle_err sweep(struct compnet *c, struct figure10 *f, struct compnet_picture *picture,
                        struct heddle_diag *diag) {
    picture->title = f->size->title;
    const struct compnet_sweep all = {.picture = compnet_add_picture(c, picture),
                                      .names = compnet_designs,
                                      .num_names = COMPNET_DESIGNS,
                                      .x = nodes,
                                      .count = f->size->counts,
                                      .measure = measure,
                                      .user = f};
    return compnet_sweep(c, &all, diag);
}

/* By what a design's time over ComP-Net's grows from one number of nodes to the next, least. */
static double least_growth(const struct figure10 *f, unsigned design) {
    const double(*us)[COUNTS] = f->us;
    double growth[COUNTS - 1];
    for (unsigned i = 0; i + 1 < f->size->counts; i++)
        growth[i] = us[design][i + 1] / us[COMPNET_COMPNET][i + 1] /
                    (us[design][i] / us[COMPNET_COMPNET][i]);
    return compnet_least(growth, f->size->counts - 1, 1);
}

/* The claims about more nodes than two. */
static void judge_growth(struct compnet *c, const struct figure10 *f) {
    const unsigned last = f->size->counts - 1;
    c->value[COMPNET_C10_2_DGPU] = least_growth(f, COMPNET_DGPU);
    c->value[COMPNET_C10_2_KERNEL] = least_growth(f, COMPNET_INTER_KERNEL);
    c->value[COMPNET_C10_2_APU] = fabs(f->us[COMPNET_APU][last] / f->us[COMPNET_COMPNET][last] - 1);
}

/* The claims about the paper's size on the most nodes. */
static void judge_most(struct compnet *c, const struct figure10 *f) {
    enum { LAST = COUNTS - 1 };
    const double(*us)[COUNTS] = f->us;
    c->value[COMPNET_C10_2] = us[COMPNET_DGPU][LAST] / us[COMPNET_COMPNET][LAST];
    c->value[COMPNET_C10_3] = compnet_least(&us[0][LAST], COMPNET_CPU, COUNTS) /
                              us[COMPNET_CPU][LAST];
    compnet_set_ratio(c, COMPNET_C10E, &f->nj[COMPNET_COMPNET][LAST], &f->nj[COMPNET_DGPU][LAST]);
}

heddle_err compnet_figure10(struct compnet *c, struct heddle_diag *diag) {
    struct figure10 f = {.size = c->quick ? &long_messages : &large};
    struct figure10 quick = {.size = &short_messages};
    struct compnet_picture picture = {
        .file = "figure10a.svg", .x = "nodes", .y = "us", .log_x = true};
    heddle_err e = sweep(c, &f, &picture, diag);
    if (e) return e;
    picture.file = "figure10b.svg";
    compnet_add_energies(c, &picture, nodes, f.size->counts, f.nj[0], COUNTS);
    c->value[COMPNET_C10_1] = compnet_spread(f.us[0], COMPNET_CPU, COUNTS);
    if (c->quick) {
        picture.file = "figure10-small.svg";
        c->why[COMPNET_C10_2] = c->why[COMPNET_C10_3] = c->why[COMPNET_C10E] =
            "four nodes at most with --quick";
        e = sweep(c, &quick, &picture, diag);
    } else {
        judge_most(c, &f);
    }
    if (!e) judge_growth(c, c->quick ? &quick : &f);
    return e;
}
