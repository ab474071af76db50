/* sample.c - see sample.h. launch_way.c calls it at each launch's begin and end; gpu_records.c
 * reads the results.
 *
 * The estimate is a straight line through the weighted samples (warp instructions, cycles). Its
 * slope is kept between "cycles do not depend on instructions" (mean) and "cycles are proportional
 * to them" (ratio): a slope outside is noise among launches that are nearly the same. Functions
 * that take `s` or a stratum `h` change nothing else. */
#include "sched/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Below this spread of instructions, relative to their mean, launches count as equal. */
#define SAME_WORK 1e-3

const struct sample_options sample_defaults = {.first = 3, .gap = 64, .tolerance = 0.05, .warm = 1};

/* A measurement. */
struct point {
    double x, y, weight; /* warp instructions; cycles; launches for which it stands */
};

/* Launches that share one estimate. Launches are counted within the stratum, from 0. */
struct stratum {
    struct sample_key key;
    char *name; /* owned; key.name points to it */
    uint64_t launches, timed, timed_cycles, estimated, estimated_cycles;
    uint64_t next;      /* launch that is timed next, once `first` have been timed */
    uint64_t gap, last; /* launches between samples; number of the last timed launch + 1 */
    uint32_t before;   /* stratum of the launch in front of the first one, NONE: it was the first */
    uint32_t follower; /* stratum of the launch that followed the last one; NONE: none yet */
    struct point *point;
    uint32_t num_points;
    size_t capacity;
    double estimated_x; /* sum of the warp instructions of estimated launches */
    double missed;      /* sum of the squared errors of estimates that a measurement tested */
    uint32_t num_tests; /* number of those */
};

enum { NONE = UINT32_MAX };

/* Kernel sampling of a GPU: its strata, by number. */
struct sampler {
    struct sample_options o;
    struct stratum *stratum;
    uint32_t num;
    size_t capacity;
    uint32_t before; /* stratum of the launch before this one, NONE: none */
};

/* The fitted line y = mean_y + slope * (x - mean_x). */
struct line {
    double mean_x, mean_y, slope, spread; /* spread: weighted sum of (x - mean_x)^2 */
    double weight, weight_square;         /* sums of the weights and of their squares */
    unsigned parameters;                  /* fitted: 1 (mean or ratio) or 2 */
};

/* @return kernel sampling without strata; copies the options. Out of memory ends the process. */
struct sampler *sampler_create(const struct sample_options *options) {
    struct sampler *s = heddle_alloc(sizeof *s, "kernel sampling");
    s->o = *options;
    s->before = NONE;
    return s;
}

/* Frees the strata with their names and points. Accepts NULL. */
void sampler_free(struct sampler *s) {
    if (!s) return;
    for (uint32_t i = 0; i < s->num; i++) {
        free(s->stratum[i].name);
        free(s->stratum[i].point);
    }
    free(s->stratum);
    free(s);
}

/* ---- strata */

/* True if launches of both keys are alike: kernel, grid, block, shared memory, its size. */
static bool same_key(const struct sample_key *a, const struct sample_key *b) {
    return a->num_inst == b->num_inst && a->dynamic_shared == b->dynamic_shared &&
           a->shared_config == b->shared_config && !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) && !strcmp(a->name, b->name);
}

/* True if a launch of this key that follows a launch of stratum `before` belongs to stratum h. */
static bool belongs(const struct sampler *s, const struct stratum *h, const struct sample_key *key,
                    uint32_t before) {
    if (!same_key(&h->key, key)) return false;
    if (h->before == NONE || before == NONE) return h->before == before;
    return same_key(&s->stratum[h->before].key, &s->stratum[before].key);
}

/* @return the stratum of the next launch, or s->num: a new one. Tries the stratum that followed
 * last time first, because programs repeat themselves. */
static uint32_t find(const struct sampler *s, const struct sample_key *key) {
    if (s->before != NONE) {
        uint32_t guess = s->stratum[s->before].follower;
        if (guess != NONE && belongs(s, &s->stratum[guess], key, s->before)) return guess;
    }
    uint32_t i = 0;
    while (i < s->num && !belongs(s, &s->stratum[i], key, s->before)) i++;
    return i;
}

/* Adds an empty stratum. */
static void add(struct sampler *s, const struct sample_key *key) {
    s->stratum = heddle_grow(s->stratum, &s->capacity, s->num + 1, sizeof *s->stratum, "strata");
    char *name = heddle_copy_text(key->name, "a stratum");
    struct stratum *h = &s->stratum[s->num++];
    *h = (struct stratum){
        .key = *key, .name = name, .gap = 1, .before = s->before, .follower = NONE};
    h->key.name = name;
}

/* True if the stratum's next launch is to be timed. */
static bool is_due(const struct sampler *s, const struct stratum *h) {
    return h->num_points < s->o.first || h->launches >= h->next;
}

/* Finds or adds the launch's stratum and counts the launch in it. *stratum: its number. @return
 * whether the launch is timed: always with `beside`, else if its stratum is due. */
enum sample_way sampler_begin(struct sampler *s, const struct sample_key *key, bool beside,
                              uint32_t *stratum) {
    uint32_t i = find(s, key);
    if (i == s->num) add(s, key);
    struct stratum *h = &s->stratum[i];
    enum sample_way way = beside || is_due(s, h) ? SAMPLE_TIMED : SAMPLE_ESTIMATED;
    *stratum = i;
    if (s->before != NONE) s->stratum[s->before].follower = i;
    s->before = i;
    h->launches++;
    return way;
}

/* ---- estimates */

/* Fits the line to the stratum's points by weighted least squares; a constant (slope 0) when there
 * are fewer than three or their instructions are nearly equal. All zeros without points. */
static struct line fit(const struct stratum *h) {
    struct line l = {.parameters = 1};
    double product = 0;
    for (uint32_t i = 0; i < h->num_points; i++) {
        const struct point *p = &h->point[i];
        l.weight += p->weight;
        l.weight_square += p->weight * p->weight;
        l.mean_x += p->weight * p->x;
        l.mean_y += p->weight * p->y;
    }
    if (l.weight <= 0) return l;
    l.mean_x /= l.weight;
    l.mean_y /= l.weight;
    for (uint32_t i = 0; i < h->num_points; i++) {
        const struct point *p = &h->point[i];
        l.spread += p->weight * (p->x - l.mean_x) * (p->x - l.mean_x);
        product += p->weight * (p->x - l.mean_x) * (p->y - l.mean_y);
    }
    if (h->num_points < 3 || sqrt(l.spread / l.weight) <= SAME_WORK * l.mean_x) return l;
    double most = l.mean_y / l.mean_x;
    l.slope = fmin(fmax(product / l.spread, 0), most);
    l.parameters = l.slope > 0 && l.slope < most ? 2 : 1;
    return l;
}

/* Cycles of the line at x warp instructions, at least 1. */
static double at(const struct line *l, double x) {
    return fmax(l->mean_y + l->slope * (x - l->mean_x), 1);
}

/* @return the estimated execution, in core cycles, of a launch with this number of warp
 * instructions: fits the line to the stratum's points and evaluates it. Counts the launch as
 * estimated. */
uint64_t sampler_estimate(struct sampler *s, uint32_t stratum, uint64_t warp_inst) {
    struct stratum *h = &s->stratum[stratum];
    const struct line l = fit(h);
    uint64_t cycles = (uint64_t)llround(at(&l, (double)warp_inst));
    h->estimated++;
    h->estimated_cycles += cycles;
    h->estimated_x += (double)warp_inst;
    return cycles;
}

/* Adds a measurement to the stratum. */
static void add_point(struct stratum *h, const struct point *p) {
    h->point = heddle_grow(h->point, &h->capacity, h->num_points + 1, sizeof *h->point,
                           "samples of a stratum");
    h->point[h->num_points++] = *p;
}

/* Adds a measurement of a timed launch to its stratum: warp instructions, core cycles of execution,
 * and of launch overhead. If an estimate was possible (two points or more), its error doubles or
 * halves the gap; then sets the next timed launch. */
void sampler_measured(struct sampler *s, uint32_t stratum, uint64_t warp_inst, uint64_t cycles,
                      uint64_t launch_cycles) {
    struct stratum *h = &s->stratum[stratum];
    double x = (double)warp_inst, y = (double)cycles;
    h->timed++;
    h->timed_cycles += cycles;
    if (h->num_points >= 2) {
        const struct line l = fit(h);
        double error = y - at(&l, x);
        bool good = fabs(error) <= s->o.tolerance * (y + (double)launch_cycles);
        h->missed += error * error;
        h->num_tests++;
        if (good && h->gap < s->o.gap)
            h->gap *= 2;
        else if (!good && h->gap > 1)
            h->gap /= 2;
    }
    struct point p = {x, y, h->launches > h->last ? (double)(h->launches - h->last) : 1};
    add_point(h, &p);
    h->last = h->launches;
    h->next = ((h->launches - 1) / h->gap + 1) * h->gap;
}

/* ---- results */

/* Variance of a single launch around the line, in cycles squared: the residual variance of the
 * samples or the mean squared error of tested estimates, whichever is larger. */
static double variance_of_one(const struct stratum *h, const struct line *l) {
    double sum = 0, freedom = (double)h->num_points - l->parameters;
    for (uint32_t i = 0; i < h->num_points; i++) {
        double rest = h->point[i].y - at(l, h->point[i].x);
        sum += h->point[i].weight * rest * rest;
    }
    double around = freedom > 0 ? sum / l->weight * (double)h->num_points / freedom : 0;
    double ahead = h->num_tests ? h->missed / h->num_tests : 0;
    return fmax(around, ahead);
}

/* Fills *out with the stratum's counts, and the variance of the sum of its estimates (cycles
 * squared; 0 without estimates). out->key.name stays the sampler's. @return false: there is no such
 * stratum. */
bool sampler_result(const struct sampler *s, uint32_t stratum, struct sample_result *out) {
    if (stratum >= s->num) return false;
    const struct stratum *h = &s->stratum[stratum];
    const struct line l = fit(h);
    double n = (double)h->estimated;
    *out = (struct sample_result){.key = h->key,
                                  .launches = h->launches,
                                  .timed = h->timed,
                                  .timed_cycles = h->timed_cycles,
                                  .estimated_cycles = h->estimated_cycles,
                                  .freedom = fmax((double)h->num_points - l.parameters, 1)};
    if (!h->estimated) return true;
    double one = variance_of_one(h, &l), off = h->estimated_x / n - l.mean_x;
    double of_line = l.weight_square / (l.weight * l.weight);
    if (l.parameters == 2) of_line += off * off / l.spread;
    out->variance = one * (n * n * of_line + n);
    return true;
}
