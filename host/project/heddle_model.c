/* heddle_model.c - the default projection model (--model heddle); see projection.h and
 * docs/projection.md.
 *
 * A kernel's time is its launch overhead and its work. Each resource needs a time of its own for
 * the work (demand.h). What the resources do not explain of the measured work is latency: cycles
 * that each CTA spends waiting, however many SMs there are. The times overlap in part: between not
 * at all (their sum) and perfectly (their maximum). The centre takes the root of their squares; the
 * two extremes give the interval. On the target, each resource's time follows from its rate there,
 * and the latency from the target's own latencies, clock and number of waves.
 *
 * project.c calls project_heddle() for each kernel and target, on the main thread of `heddle
 * project`. All functions are pure but for their results and the text in *diag. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "project/cache_term.h"
#include "project/demand.h"
#include "project/isa.h"
#include "project/l1_term.h"
#include "project/roofs.h"

/* What times differ by between two runs on GPUs of one kind: nothing finer can be told. */
static const double noise_of_memory = 0.03, noise_of_compute = 0.10;

/* Exponents of the norm that adds times up. 8 is as good as the maximum. */
static const double overlaps[] = {2, 1, 8};
enum { CENTRE, NUM_OVERLAPS = sizeof overlaps / sizeof *overlaps };
/* The front end dispatches CTAs beside all else that a GPU does. */
static const double full_overlap = 8;

/* The time of all resources together. */
static double norm(const struct demand *d, double latency, double p) {
    double sum = pow(latency, p);
    for (int i = 0; i < NUM_BOUNDS; i++) sum += pow(d->seconds[i], p);
    return pow(sum, 1 / p);
}

/* The latency of a CTA on the target, in cycles, when it is `cycles` on the source. First comes
 * what the source needs to replace a CTA, which takes the same cycles on the target: the figures
 * that there are of GPUs were not measured on their own, so that their ratio says nothing. Of the
 * rest, the share `memory` follows the latency of memory, and arithmetic takes the same cycles. */
static double latency_of_cta(double cycles, double memory, const struct demand *s,
                             const struct demand *t) {
    double replace = fmin(cycles, s->replace), rest = cycles - replace;
    /* Unknown: as many nanoseconds as on the source. */
    double ratio = s->latency_known && t->latency_known ? t->latency / s->latency
                                                        : t->clock / s->clock;
    return replace + rest * (memory * ratio + 1 - memory);
}

/* Seconds of latency that the kernel has at least on a GPU: each warp waits for its loads, one wait
 * after another, as long as they take without other traffic. Busy memory hides it on the source,
 * but not where a larger L2 takes memory's place. 0: waits or latencies are not known. */
static double least_latency(const struct project_kernel *k, const struct demand *d) {
    double warps = k->of[METRIC_CTAS] * ceil(k->of[METRIC_CTA_THREADS] / 32);
    if (!k->known[METRIC_MEMORY_WAITS] || !d->latency_known) return 0;
    return (d->replace + k->of[METRIC_MEMORY_WAITS] / warps * d->latency) * d->waves / d->clock;
}

/* The time of work and dispatch together, and what of such a time is not explained by dispatch: at
 * least `busy`, which may be all of it. */
static double together(double work, double dispatch) {
    return pow(pow(work, full_overlap) + pow(dispatch, full_overlap), 1 / full_overlap);
}
static double apart_from(double time, double dispatch, double busy) {
    if (dispatch >= time) return fmin(busy, time);
    return pow(pow(time, full_overlap) - pow(dispatch, full_overlap), 1 / full_overlap);
}

/* Projects `work` seconds on the source with overlap p; `least` of them, or more, are latency.
 * *latency: seconds of latency there. */
static double project_work(double work, double least, double p, double memory,
                           const struct demand *s, const struct demand *t, bool with_latency,
                           double *latency) {
    double busy = norm(s, 0, p), scale = 1;
    work = apart_from(work, s->dispatch, busy);
    *latency = with_latency && work > busy ? pow(pow(work, p) - pow(busy, p), 1 / p) : 0;
    if (with_latency) *latency = fmax(*latency, least);
    if (*latency <= least) scale = work / norm(s, *latency, p);
    double cycles = *latency * s->clock / s->waves;
    double on_target = latency_of_cta(cycles, memory, s, t) * t->waves / t->clock;
    return together(scale * norm(t, *latency == 0 ? 0 : on_target, p), t->dispatch);
}

/* The resource that needs most time, or latency, or the launch. */
static enum project_bound bound_of(const struct demand *d, double latency, double launch) {
    enum project_bound most = BOUND_COMPUTE;
    for (int i = 0; i < NUM_BOUNDS; i++)
        if (d->seconds[i] > d->seconds[most]) most = (enum project_bound)i;
    double time = d->seconds[most];
    if (most == BOUND_L1 && d->shared_seconds > time / 2) most = BOUND_SHARED;
    if (latency > time) most = BOUND_LATENCY;
    launch = fmax(launch, d->dispatch);
    return launch > fmax(time, latency) ? BOUND_LAUNCH : most;
}

static heddle_err missing(const struct project_kernel *k, struct heddle_diag *diag) {
    for (int m = 0; m < NUM_PROJECT_METRICS; m++)
        if (project_metric_rows[m].need != NEED_EXTRA && !k->known[m])
            return project_lacks(k, (enum project_metric)m, diag);
    return project_check_time(k, diag);
}

/* Confidence: how narrow the interval is, less what is not known of kernel and GPUs. */
static void judge(struct projection *p, const struct project_kernel *k,
                  const struct capability *source, const struct demand *s, const struct demand *t,
                  bool cache_known, bool isa_known) {
    struct {
        bool applies;
        double factor;
        const char *why;
    } doubts[] = {
        {t->by_peak, 0.9, "a rate of the target is known by its peak alone"},
        {!(s->latency_known && t->latency_known), 0.9,
         "the latencies of one of the GPUs are not known"},
        {!k->known[METRIC_MEMORY_WAIT], 0.95,
         "the share of memory in the waiting time is not known"},
        {!cache_known, 0.9, "what the target's L2 keeps of the traffic is not known"},
        {!isa_known, 0.95,
         "the profile does not say how often divisions and other special operations ran"},
        {true, 1, ""}, /* set below */
    };
    enum { TENSOR = sizeof doubts / sizeof *doubts - 1 };
    doubts[TENSOR].factor = roofs_tensor_doubt(k, source, &doubts[TENSOR].why);
    double most = 1; /* the factor that lowers it most, of those that have a reason */
    p->confidence = p->low_us / p->high_us;
    if (p->confidence < 0.7) {
        most = p->confidence;
        snprintf(p->why, sizeof p->why, "resources and latency overlap to an unknown degree");
    }
    for (unsigned i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        if (!doubts[i].applies) continue;
        p->confidence *= doubts[i].factor;
        if (doubts[i].factor >= most) continue;
        most = doubts[i].factor;
        snprintf(p->why, sizeof p->why, "%s", doubts[i].why);
    }
}

/* Launch overhead on the target, seconds: by the GPUs' own figures, else as many cycles. */
static double launch_on_target(double launch, const struct capability *source,
                               const struct capability *target, const struct demand *s,
                               const struct demand *t) {
    double from = capability_property(source, GPU_LAUNCH_GAP, 0);
    double to = capability_property(target, GPU_LAUNCH_GAP, 0);
    return launch * (from > 0 && to > 0 ? to / from : s->clock / t->clock);
}

/* What the kernel's special operations are on the target is known, or makes no difference. */
static bool isa_known(const struct project_kernel *k, const struct capability *source,
                      const struct capability *target, const struct project_terms *terms) {
    unsigned from, to;
    struct heddle_diag unused;
    bool same = !isa_of(&from, source, &unused) && !isa_of(&to, target, &unused) && from == to;
    return same || terms->off[TERM_ISA] || k->special_known || k->of[METRIC_SPECIAL] <= 0;
}

heddle_err project_heddle(const struct project_kernel *k, const struct project_kernel *on_target,
                          const struct capability *source, const struct capability *target,
                          const struct project_terms *terms, struct projection *out,
                          struct heddle_diag *diag) {
    struct demand s, t;
    struct project_kernel there = *on_target; /* borrows name and curves */
    bool cache_known = terms->off[TERM_CACHE] || cache_term_apply(&there, source, target);
    if (!terms->off[TERM_CACHE]) l1_term_apply(&there, source, target);
    heddle_err e = missing(k, diag);
    *out = (struct projection){.operations = roofs_operations(k)};
    if (!e) e = roofs_make(&out->source, k, source, source, diag);
    if (!e) e = roofs_make(&out->target, &there, target, source, diag);
    if (!e) e = demand_make(&s, k, source, source, terms, diag);
    if (!e) e = demand_make(&t, &there, target, source, terms, diag);
    if (e) return e;
    double time = k->of[METRIC_TIME] * 1e-6;
    double launch = terms->off[TERM_LAUNCH] ? 0 : k->of[METRIC_LAUNCH] * 1e-6;
    double launched = launch_on_target(launch, source, target, &s, &t);
    double memory = k->known[METRIC_MEMORY_WAIT] ? k->of[METRIC_MEMORY_WAIT] : 1;
    double least = least_latency(k, &s);
    double latency[NUM_OVERLAPS], work[NUM_OVERLAPS], low = INFINITY, high = 0;
    for (int i = 0; i < NUM_OVERLAPS; i++) {
        work[i] = project_work(time - launch, least, overlaps[i], memory, &s, &t,
                               !terms->off[TERM_LATENCY], &latency[i]);
        low = fmin(low, work[i]);
        high = fmax(high, work[i]);
    }
    out->achieved = roofs_count(k) / time;
    out->source_bound = bound_of(&s, latency[CENTRE], launch);
    out->target_bound = bound_of(&t, latency[CENTRE] * t.waves / s.waves * s.clock / t.clock,
                                 launched);
    double noise = out->target_bound == BOUND_L2 || out->target_bound == BOUND_DRAM
                       ? noise_of_memory
                       : noise_of_compute;
    out->centre_us = (work[CENTRE] + launched) * 1e6;
    out->low_us = (low * (1 - noise) + launched) * 1e6;
    out->high_us = (high * (1 + noise) + launched) * 1e6;
    judge(out, k, source, &s, &t, cache_known, isa_known(k, source, target, terms));
    return HEDDLE_OK;
}
