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
/* What two publications find of the launch overhead of one kind of GPU differs as much: on the A100
 * 2,447 cycles (PPT-GPU's model of sub-cores), 1.74 us, and 1.91 us (gpu-benches). */
static const double noise_of_launch = 0.10;

/* Exponents of the norm that adds times up. 8 is as good as the maximum. */
static const double overlaps[] = {2, 1, 8};
enum { CENTRE, NUM_OVERLAPS = sizeof overlaps / sizeof *overlaps };
/* The front end dispatches CTAs beside all else that a GPU does. */
static const double full_overlap = 8;

/* The time of all resources and of `latency` seconds together, by the norm with exponent p: 1 adds,
 * large ones take the maximum. */
static double norm(const struct demand *d, double latency, double p) {
    double sum = pow(latency, p);
    for (int i = 0; i < NUM_BOUNDS; i++) sum += pow(d->seconds[i], p);
    return pow(sum, 1 / p);
}

/* Of the time that warps wait for results: the shares (0 to 1) of memory and shared memory. */
struct waits {
    double memory, shared;
};

/* The latency of a CTA on the target, in cycles, when it is `cycles` on the source. First comes
 * what the source needs to replace a CTA, which takes the same cycles on the target: the figures
 * that there are of GPUs were not measured on their own, so that their ratio says nothing. Of the
 * rest, the shares of `waits` follow the latencies of memory and of shared memory, and arithmetic
 * takes the same cycles. */
static double latency_of_cta(double cycles, const struct waits *waits, const struct demand *s,
                             const struct demand *t) {
    double replace = fmin(cycles, s->replace), rest = cycles - replace;
    /* Unknown: as many nanoseconds as on the source. */
    double ratio = s->latency_known && t->latency_known ? t->latency / s->latency
                                                        : t->clock / s->clock;
    bool known = s->shared_latency > 0 && t->shared_latency > 0;
    double shared = known ? t->shared_latency / s->shared_latency : 1;
    double other = 1 - waits->memory - waits->shared;
    return replace + rest * (waits->memory * ratio + waits->shared * shared + other);
}

/* Seconds of latency that the kernel has at least on a GPU: each warp waits for its loads, one wait
 * after another, as long as they take without other traffic. Busy memory hides it on the source,
 * but not where a larger L2 takes memory's place. 0: waits or latencies are not known. */
static double least_latency(const struct project_kernel *k, const struct demand *d) {
    double warps = k->of[METRIC_CTAS] * ceil(k->of[METRIC_CTA_THREADS] / 32);
    if (!k->known[METRIC_MEMORY_WAITS] || !d->latency_known) return 0;
    return (d->replace + k->of[METRIC_MEMORY_WAITS] / warps * d->latency) * d->waves / d->clock;
}

/* The time of work and dispatch together, seconds. */
static double together(double work, double dispatch) {
    return pow(pow(work, full_overlap) + pow(dispatch, full_overlap), 1 / full_overlap);
}
/* What remains of `time` seconds without dispatch, the inverse of together(). Where dispatch
 * explains all of it, the result is `busy`, the resources' time, or `time` if that is less. */
static double apart_from(double time, double dispatch, double busy) {
    if (dispatch >= time) return fmin(busy, time);
    return pow(pow(time, full_overlap) - pow(dispatch, full_overlap), 1 / full_overlap);
}

/* @return seconds of the work on target *t that takes `work` seconds on source *s, with overlap p
 * (norm()). At least `least` seconds on the source are latency. *latency: seconds of latency on the
 * source; without latency (with_latency false) 0. */
static double project_work(double work, double least, double p, const struct waits *waits,
                           const struct demand *s, const struct demand *t, bool with_latency,
                           double *latency) {
    double busy = norm(s, 0, p), scale = 1;
    work = apart_from(work, s->dispatch, busy);
    *latency = with_latency && work > busy ? pow(pow(work, p) - pow(busy, p), 1 / p) : 0;
    if (with_latency) *latency = fmax(*latency, least);
    if (work <= 0)
        scale = 0;
    else if (*latency <= least)
        scale = work / norm(s, *latency, p);
    double cycles = *latency * s->clock / s->waves;
    double on_target = latency_of_cta(cycles, waits, s, t) * t->waves / t->clock;
    return together(scale * norm(t, *latency == 0 ? 0 : on_target, p), t->dispatch);
}

/* What bounds the kernel on a GPU: the resource that needs most time, or latency, or the launch
 * (both in seconds). Shared memory where it takes more than half of L1's time. */
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

/* Checks that the kernel has all metrics but the extra ones, a time and instructions. @return
 * HEDDLE_ERR_ARGUMENT, with the metric's name or the times in *diag. */
static heddle_err missing(const struct project_kernel *k, struct heddle_diag *diag) {
    for (int m = 0; m < NUM_PROJECT_METRICS; m++)
        if (project_metric_rows[m].need != NEED_EXTRA && !k->known[m])
            return project_lacks(k, (enum project_metric)m, diag);
    return project_check_time(k, diag);
}

/* Launch overhead on the target, seconds, from `launch` seconds on the source: by the GPUs' own
 * figures where both are known, else as many cycles. */
static double launch_on_target(double launch, const struct capability *source,
                               const struct capability *target, const struct demand *s,
                               const struct demand *t) {
    double from = capability_property(source, GPU_LAUNCH_GAP, 0);
    double to = capability_property(target, GPU_LAUNCH_GAP, 0);
    return launch * (from > 0 && to > 0 ? to / from : s->clock / t->clock);
}

/* @return whether it is known what the kernel's special operations become on the target, or whether
 * it makes no difference. A profile may count them all: none then is known. */
static bool isa_known(const struct project_kernel *k, const struct capability *source,
                      const struct capability *target, const struct project_terms *terms) {
    unsigned from, to;
    struct heddle_diag unused;
    bool same = !isa_of(&from, source, &unused) && !isa_of(&to, target, &unused) && from == to;
    bool none = k->known[METRIC_SPECIAL] && k->of[METRIC_SPECIAL] <= 0;
    bool counted = k->special_known && !k->special_doubt;
    return same || terms->off[TERM_ISA] || counted || none;
}

/* What a projection works with; all pointers are borrowed. */
struct case_of {
    const struct project_kernel *k, *on_target; /* with the source's, the target's instructions */
    const struct capability *source, *target;
    const struct project_terms *terms;
    struct waits waits;
    double work;     /* seconds on the source, without launch overhead */
    struct demand s; /* of the source */
};

/* What is known of the kernel on the target. */
struct knowledge {
    bool l1, l2, isa; /* the traffic behind its caches, its special operations */
};

/* @return the factor by which launch overhead that was not told apart lowers the confidence: its
 * likely share of the time is projected as work. 1 where it was told, or nothing is known of it. */
static double launch_doubt(const struct project_kernel *k, const struct capability *source,
                           const struct project_terms *terms) {
    double gap = capability_property(source, GPU_LAUNCH_GAP, 0);
    if (k->known[METRIC_LAUNCH] || terms->off[TERM_LAUNCH]) return 1;
    return fmax(0.5, 1 - gap / k->of[METRIC_TIME]);
}

/* Sets p->confidence and p->why: how narrow the interval is, times a factor for each thing that is
 * not known of kernel and GPUs. p->low_us and p->high_us are set. */
static void judge(struct projection *p, const struct case_of *c, const struct demand *t,
                  const struct knowledge *known) {
    const struct project_kernel *k = c->k;
    const struct demand *s = &c->s;
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
        {k->of[METRIC_SHARED_WAIT] > 0 && (s->shared_latency <= 0 || t->shared_latency <= 0), 0.95,
         "the latency of shared memory of one of the GPUs is not known"},
        {!known->l2, 0.9, "what the target's L2 keeps of the traffic is not known"},
        {!known->l1, 0.95, "what the target's L1 keeps of the traffic is not known"},
        {!known->isa, 0.95,
         k->special_doubt ? k->special_doubt
                          : "it is not known how often divisions and other special operations ran"},
        {true, launch_doubt(k, c->source, c->terms),
         "the profile does not tell launch overhead from work"},
        {true, 1, ""}, /* set below */
    };
    enum { TENSOR = sizeof doubts / sizeof *doubts - 1 };
    doubts[TENSOR].factor = roofs_tensor_doubt(k, c->source, &doubts[TENSOR].why);
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

/* Fills *t with the target's demand, with the traffic of its caches under the assumption `copies`.
 * *there: the kernel with this traffic; it borrows name and curves. known->l1, known->l2: what the
 * caches keep is known, or the term is off. @return the error of demand_make(). */
static heddle_err demand_there(const struct case_of *c, enum cache_copies copies,
                               struct project_kernel *there, struct demand *t,
                               struct knowledge *known, struct heddle_diag *diag) {
    bool off = c->terms->off[TERM_CACHE];
    *there = *c->on_target;
    known->l2 = off || cache_term_apply(there, c->source, c->target, copies);
    known->l1 = off || l1_term_apply(there, c->source, c->target);
    return demand_make(t, there, c->target, c->source, c->terms, diag);
}

/* Widens the interval *low to *high (seconds on the target, without launch) by all overlaps.
 * @return the centre, of the first overlap; *latency: its seconds of latency on the source. */
static double widen(const struct case_of *c, const struct demand *t, double *low, double *high,
                    double *latency) {
    double least = least_latency(c->k, &c->s), centre = 0, of;
    for (int i = 0; i < NUM_OVERLAPS; i++) {
        double work = project_work(c->work, least, overlaps[i], &c->waits, &c->s, t,
                                   !c->terms->off[TERM_LATENCY], &of);
        *low = fmin(*low, work);
        *high = fmax(*high, work);
        if (i != CENTRE) continue;
        centre = work;
        *latency = of;
    }
    return centre;
}

/* Fills *out with the projection of kernel `k` from `source` to `target`; `on_target`: its metrics
 * as the target's instruction set has them, or k. Terms that are off in *terms are left out.
 * project.c calls it through its table of models. @return HEDDLE_ERR_ARGUMENT (a metric or time is
 * missing), HEDDLE_ERR_LAUNCH (a CTA does not fit a GPU) or HEDDLE_ERR_CONFIG (a rate is not
 * known), with text in *diag; *out is then incomplete. Sets all of *out but warp_inst and
 * thread_inst. */
heddle_err project_heddle(const struct project_kernel *k, const struct project_kernel *on_target,
                          const struct capability *source, const struct capability *target,
                          const struct project_terms *terms, struct projection *out,
                          struct heddle_diag *diag) {
    bool waits = k->known[METRIC_MEMORY_WAIT];
    double launch = terms->off[TERM_LAUNCH] ? 0 : k->of[METRIC_LAUNCH] * 1e-6;
    double time = k->of[METRIC_TIME] * 1e-6, low = INFINITY, high = 0, latency, unused;
    struct case_of c = {.k = k,
                        .on_target = on_target,
                        .source = source,
                        .target = target,
                        .terms = terms,
                        .waits = {.memory = waits ? k->of[METRIC_MEMORY_WAIT] : 1,
                                  .shared = waits ? k->of[METRIC_SHARED_WAIT] : 0},
                        .work = fmax(0, time - launch)};
    struct project_kernel there, other;
    struct demand t, also;
    struct knowledge known, same;
    heddle_err e = missing(k, diag);
    *out = (struct projection){.operations = roofs_operations(k)};
    if (!e) e = roofs_make(&out->source, k, source, source, diag);
    if (!e) e = demand_make(&c.s, k, source, source, terms, diag);
    if (!e) e = demand_there(&c, COPIES_OF_READS, &there, &t, &known, diag);
    if (!e) e = roofs_make(&out->target, &there, target, source, diag);
    if (e) return e;
    double launched = launch_on_target(launch, source, target, &c.s, &t);
    double centre = widen(&c, &t, &low, &high, &latency);
    for (enum cache_copies copies = COPIES_OF_READS + 1; copies < NUM_COPIES; copies++)
        if (!demand_there(&c, copies, &other, &also, &same, diag))
            widen(&c, &also, &low, &high, &unused);
    out->achieved = roofs_count(k) / time;
    out->source_bound = bound_of(&c.s, latency, launch);
    out->target_bound = bound_of(&t, latency * t.waves / c.s.waves * c.s.clock / t.clock, launched);
    double noise = out->target_bound == BOUND_L2 || out->target_bound == BOUND_DRAM
                       ? noise_of_memory
                       : noise_of_compute;
    out->centre_us = (centre + launched) * 1e6;
    out->low_us = (low * (1 - noise) + launched * (1 - noise_of_launch)) * 1e6;
    out->high_us = (high * (1 + noise) + launched * (1 + noise_of_launch)) * 1e6;
    known.isa = isa_known(k, source, target, terms);
    judge(out, &c, &t, &known);
    return HEDDLE_OK;
}
