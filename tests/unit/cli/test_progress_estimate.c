/* test_progress_estimate.c - estimates of kernels whose course is known: how far off they are, and
 * that they do not jump. */
#include <criterion/criterion.h>
#include <math.h>

#include "cli/progress_estimate.h"

/* A kernel of equal CTAs, of which `at_a_time` run together for `wave_s` seconds each; each issues
 * 1,000 instructions evenly. */
struct course {
    uint64_t ctas, at_a_time;
    double wave_s;
    bool timed;
};

static double length_of(const struct course *c) {
    return ceil((double)c->ctas / (double)c->at_a_time) * c->wave_s;
}

/* Its progress t seconds after its begin. Without timing, CTAs run one after another. */
static struct gpu_progress at(const struct course *c, uint64_t launch, double t) {
    const double waves = t / c->wave_s, whole = floor(waves);
    const double done = fmin((double)c->ctas, whole * (double)c->at_a_time);
    const double running = fmin((double)c->ctas - done, (double)c->at_a_time);
    struct gpu_progress p = {
        .kernel = "k", .launch = launch, .ctas = c->ctas, .ctas_done = (uint64_t)done, .wall_s = t};
    if (!c->timed) p.ctas_done = (uint64_t)((double)c->ctas * t / length_of(c));
    if (!c->timed) return p;
    p.cycles = 1 + (uint64_t)(t * 1e6);
    p.retired_warp_inst = (uint64_t)done * 1000;
    p.warp_inst = p.retired_warp_inst + (uint64_t)(running * (waves - whole) * 1000);
    return p;
}

/* Follows a launch, a report each fifth of a second. From the first estimate on, each is within
 * `share` of what is left and 2 s, and falls by little more than it should and never rises by more
 * than a second and a hundredth. @return when the first estimate came, in shares of the launch. */
static double follow(struct progress_estimate *e, const struct course *c, uint64_t launch,
                     double share) {
    const double length_s = length_of(c);
    double first = -1, before = -1;
    for (double t = 0.2; t < length_s; t += 0.2) {
        const struct gpu_progress p = at(c, launch, t);
        const double left_s = progress_estimate(e, &p);
        if (left_s < 0) continue;
        if (first < 0) first = t / length_s;
        cr_expect(fabs(left_s - (length_s - t)) < share * (length_s - t) + 2,
                  "%g s of %g s: %g s left", t, length_s, left_s);
        if (before >= 0)
            cr_expect(left_s < 1.01 * before + 1 && left_s > before - 0.2 - 0.1 * before - 1,
                      "%g s of %g s: %g s left, before %g s", t, length_s, left_s, before);
        before = left_s;
    }
    return first;
}

Test(progress_estimate, many_waves) {
    struct progress_estimate e = {0};
    cr_expect_lt(follow(&e, &(struct course){6400, 640, 30, true}, 0, 0.2), 0.12);
}

/* The last wave is most of the kernel. */
Test(progress_estimate, two_waves) {
    struct progress_estimate e = {0};
    cr_expect_lt(follow(&e, &(struct course){1280, 640, 127, true}, 0, 0.2), 0.51);
}

Test(progress_estimate, one_after_another) {
    struct progress_estimate e = {0};
    cr_expect_lt(follow(&e, &(struct course){100, 1, 3, false}, 0, 0.2), 0.05);
}

/* One wave says nothing of its length; the next launch of the kernel knows it. */
Test(progress_estimate, launched_again) {
    struct progress_estimate e = {0};
    const struct course one = {640, 640, 100, true};
    cr_expect_lt(follow(&e, &one, 0, 0.2), 0);
    struct gpu_progress end = at(&one, 0, 99.99);
    end.ctas_done = 600;
    end.retired_warp_inst = 600000;
    progress_estimate(&e, &end);
    cr_expect_lt(follow(&e, &one, 1, 0.2), 0.05);
    /* another grid says nothing again */
    cr_expect_lt(follow(&e, &(struct course){320, 320, 100, true}, 2, 0.2), 0);
}
