/* figure11.c - Figure 11 of the paper: training of five workloads in five designs.
 *
 * How long a workload computes follows from the share of time that its reductions take in one
 * design. That design goes first, without computing: its time of reducing gives the time of
 * computing for all designs. Computing and reducing do not overlap, so results for other shares
 * follow by calculation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compnet/compnet.h"

enum workload {
#define WORKLOAD(NAME, name, ...) NAME,
#include "tables/cntk_workloads.def"
    WORKLOADS
};
static const struct row {
    const char *name;
    double parameters, gradients;
    const char *size_status, *size_source;
    double share;
    enum compnet_design design;
    const char *share_status, *share_source;
    double reductions;
    const char *count_status, *count_source;
} rows[WORKLOADS] = {
#define WORKLOAD(NAME, name, parameters, gradients, size, size_source, share, DESIGN,       \
                 share_status, share_source, reductions, count, count_source)               \
    {name,          parameters,   gradients,  #size,  size_source, share, COMPNET_##DESIGN, \
     #share_status, share_source, reductions, #count, count_source},
#include "tables/cntk_workloads.def"
};
static const char *const names[WORKLOADS] = {
#define WORKLOAD(NAME, name, ...) name,
#include "tables/cntk_workloads.def"
};

/* Times by design and workload. */
struct times {
    double us[COMPNET_DESIGNS][WORKLOADS];       /* of an iteration */
    double reducing[COMPNET_DESIGNS][WORKLOADS]; /* of this */
};
struct figure11 {
    struct times measured;
    double computing[WORKLOADS]; /* us of an iteration in the table's design besides reducing, */
    double asked[WORKLOADS];     /* and these without the launch of the kernel that computes */
};

/* Runs a workload with so many us of computing, and reductions of so many percent of its size. */
static heddle_err run(struct compnet *c, unsigned workload, enum compnet_design design,
                      double computing_us, unsigned percent, struct times *t,
                      struct heddle_diag *diag) {
    char computing[32], size[16];
    const char *const arguments[] = {
        "-w", rows[workload].name, "-i", "1", "-k", computing, "-p", size, NULL};
    const struct compnet_point point = {.design = design,
                                        .nodes = c->quick ? 2 : 8,
                                        .one_thread = c->quick,
                                        .queues = 48,
                                        .program = "cntk",
                                        .arguments = arguments};
    snprintf(computing, sizeof computing, "%.0f", computing_us * 1e3);
    snprintf(size, sizeof size, "%u", percent);
    struct compnet_result r;
    heddle_err e = compnet_run(c, &point, &r, diag);
    if (e) return e;
    e = compnet_number(&r, &point, "rings: ", &t->us[design][workload], diag);
    if (!e) e = compnet_number(&r, &point, "reducing ", &t->reducing[design][workload], diag);
    compnet_result_clear(&r);
    return e;
}

/* The size of reductions in percent: with --quick of some 40,000 elements at most. */
static unsigned percent_of(const struct compnet *c, unsigned w) {
    const double elements = rows[w].parameters / rows[w].gradients;
    return c->quick && elements > 40000 ? (unsigned)fmax(40000 * 100 / elements, 1) : 100;
}

/* Us of computing with which reductions take a share of the time in a design. */
static double computing_of(const struct times *t, enum compnet_design d, unsigned w, double share) {
    return t->reducing[d][w] * (1 - share) / share;
}

/* Finds out how long a workload computes. */
static heddle_err find_computing(struct compnet *c, struct figure11 *f, unsigned w,
                                 struct heddle_diag *diag) {
    const enum compnet_design d = rows[w].design;
    struct times t;
    heddle_err e = run(c, w, d, 0, percent_of(c, w), &t, diag);
    if (e) return e;
    f->computing[w] = computing_of(&t, d, w, rows[w].share);
    f->asked[w] = f->computing[w] - (t.us[d][w] - t.reducing[d][w]);
    if (f->asked[w] < 0)
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "%s: share %g in design %s: a launch would take longer than computing",
                           rows[w].name, rows[w].share, compnet_designs[d]);
    return HEDDLE_OK;
}

/* compnet_sweep.measure: the time of an iteration. */
static heddle_err measure(struct compnet *c, unsigned design, unsigned w, double *us, void *user,
                          struct heddle_diag *diag) {
    struct figure11 *f = user;
    heddle_err e = design ? HEDDLE_OK : find_computing(c, f, w, diag);
    if (!e) e = run(c, w, design, f->asked[w], percent_of(c, w), &f->measured, diag);
    *us = f->measured.us[design][w];
    return e;
}

/* ---- claims */

/* The mean over workloads of how much faster a design is than dGPU. */
static double speed_up(const struct times *t, enum compnet_design d) {
    double sum = 0;
    for (unsigned w = 0; w < WORKLOADS; w++) sum += t->us[COMPNET_DGPU][w] / t->us[d][w];
    return sum / WORKLOADS;
}

/* The values of the claims that times give. */
static void judge(const struct times *t, double value[COMPNET_CLAIMS]) {
    double gain[WORKLOADS], apart = 0, most = 0, least = INFINITY;
    for (unsigned w = 0; w < WORKLOADS; w++) {
        const double compnet = t->us[COMPNET_COMPNET][w];
        gain[w] = t->us[COMPNET_DGPU][w] / compnet;
        apart = fmax(apart, fabs(compnet / t->us[COMPNET_APU][w] - 1));
        if (w != AN4_LSTM) most = fmax(most, gain[w]);
        if (w != CIFAR) least = fmin(least, gain[w]);
    }
    const double inter_kernel = speed_up(t, COMPNET_INTER_KERNEL);
    value[COMPNET_C11_1] = speed_up(t, COMPNET_COMPNET);
    value[COMPNET_C11_2_AN4] = gain[AN4_LSTM];
    value[COMPNET_C11_2_CIFAR] = gain[CIFAR];
    value[COMPNET_C11_2_ORDER] = fmin(gain[AN4_LSTM] / most, least / gain[CIFAR]);
    value[COMPNET_C11_3] = (inter_kernel - speed_up(t, COMPNET_CPU)) -
                           (speed_up(t, COMPNET_COMPNET) - inter_kernel);
    value[COMPNET_C12_11] = apart;
}

static bool fails(const struct compnet *c, unsigned claim) {
    return compnet_claims[claim].figure == 11 && !compnet_holds(c, claim);
}

/* Adds to the note of each claim that fails which value it has with other times. */
static void note(struct compnet *c, const char *what, const struct times *t) {
    double value[COMPNET_CLAIMS];
    judge(t, value);
    for (unsigned i = 0; i < COMPNET_CLAIMS; i++) {
        char *text = c->note[i];
        if (!fails(c, i)) continue;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof c->note[i] - used, "%s%s: %.3f%s", used ? ", " : "", what,
                 value[i], compnet_would_hold(i, value[i]) ? " (holds)" : "");
    }
}

/* The times with reductions as in `reducing`, and with the share of the table times `factor`, taken
 * in a design (COMPNET_DESIGNS: that of the table). */
static struct times times_with(const struct figure11 *f, const struct times *reducing,
                               enum compnet_design design, double factor) {
    struct times t = *reducing;
    for (unsigned w = 0; w < WORKLOADS; w++) {
        const enum compnet_design its = design == COMPNET_DESIGNS ? rows[w].design : design;
        const double computing = computing_of(reducing, its, w, rows[w].share * factor);
        for (unsigned d = 0; d < COMPNET_DESIGNS; d++)
            t.us[d][w] = f->measured.us[d][w] - f->measured.reducing[d][w] - f->computing[w] +
                         computing + reducing->reducing[d][w];
    }
    return t;
}

/* How far the claims that fail depend on what was assumed. */
static heddle_err vary(struct compnet *c, const struct figure11 *f, struct heddle_diag *diag) {
    static const struct {
        const char *what;
        enum compnet_design design;
        double factor;
    } shares[] = {{"share / 1.5", COMPNET_DESIGNS, 1 / 1.5},
                  {"share x 1.5", COMPNET_DESIGNS, 1.5},
                  {"share in dgpu", COMPNET_DGPU, 1}};
    static const struct {
        const char *what;
        unsigned percent;
    } sizes[] = {{"size / 2", 50}, {"size x 2", 200}};
    for (unsigned i = 0; i < G_N_ELEMENTS(shares); i++) {
        const struct times t = times_with(f, &f->measured, shares[i].design, shares[i].factor);
        note(c, shares[i].what, &t);
    }
    bool any = false;
    for (unsigned i = 0; i < COMPNET_CLAIMS; i++) any = any || fails(c, i);
    for (unsigned i = 0; i < G_N_ELEMENTS(sizes) && any && !c->quick; i++) {
        struct times reducing;
        for (unsigned d = 0; d < COMPNET_DESIGNS; d++)
            for (unsigned w = 0; w < WORKLOADS; w++) {
                heddle_err e = run(c, w, d, 0, sizes[i].percent, &reducing, diag);
                if (e) return e;
            }
        const struct times t = times_with(f, &reducing, COMPNET_DESIGNS, 1);
        note(c, sizes[i].what, &t);
    }
    return HEDDLE_OK;
}

/* ---- the figure */

static void add_inputs(struct compnet *c) {
    for (const struct row *r = rows; r < rows + WORKLOADS; r++) {
        const struct compnet_input inputs[] = {
            {r->name, "parameters", r->parameters, r->size_status, r->size_source},
            {r->name, "reductions a minibatch", r->gradients, r->size_status, r->size_source},
            {r->name,
             r->design == COMPNET_CPU ? "share of time reducing, on the CPU"
                                      : "share of time reducing, on dGPU",
             r->share, r->share_status, r->share_source},
            {r->name, "reductions of the training", r->reductions, r->count_status,
             r->count_source}};
        for (unsigned i = 0; i < G_N_ELEMENTS(inputs); i++) compnet_add_input(c, &inputs[i]);
    }
}

/* A picture of speed-ups over dGPU, and one of the us of reducing. */
static void add_pictures(struct compnet *c, const struct figure11 *f,
                         const struct compnet_picture *like) {
    struct compnet_picture *speed = compnet_add_picture(c, like);
    speed->file = "figure11.svg";
    speed->title = "Training: speed-up";
    speed->y = "over dgpu";
    struct compnet_picture *reducing = compnet_add_picture(c, like);
    reducing->file = "figure11-reducing.svg";
    reducing->title = "Training: a reduction";
    reducing->y = "us";
    for (unsigned d = 0; d < COMPNET_DESIGNS; d++) {
        struct compnet_series *a = compnet_add_series(speed, compnet_designs[d]);
        struct compnet_series *b = compnet_add_series(reducing, compnet_designs[d]);
        for (unsigned w = 0; w < WORKLOADS; w++) {
            compnet_add(a, w, f->measured.us[COMPNET_DGPU][w] / f->measured.us[d][w]);
            compnet_add(b, w, f->measured.reducing[d][w]);
        }
    }
}

heddle_err compnet_figure11(struct compnet *c, struct heddle_diag *diag) {
    static const double x[WORKLOADS] = {0, 1, 2, 3, 4};
    struct figure11 f = {.computing = {0}};
    const struct compnet_picture picture = {.file = "figure11-iteration.svg",
                                            .title = "Training: an iteration",
                                            .x = "workload",
                                            .y = "us",
                                            .labels = names,
                                            .log_y = true};
    struct compnet_picture plain = picture;
    plain.log_y = false;
    const struct compnet_sweep sweep = {.picture = compnet_add_picture(c, &picture),
                                        .names = compnet_designs,
                                        .num_names = COMPNET_DESIGNS,
                                        .x = x,
                                        .count = WORKLOADS,
                                        .measure = measure,
                                        .user = &f};
    heddle_err e = compnet_sweep(c, &sweep, diag);
    if (e) return e;
    add_inputs(c);
    add_pictures(c, &f, &plain);
    judge(&f.measured, c->value);
    return vary(c, &f, diag);
}
