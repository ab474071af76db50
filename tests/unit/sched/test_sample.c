/* test_sample.c - host/sched/sample.c: which launches kernel sampling times, and its estimates of
 * the others. */
#include <criterion/criterion.h>
#include <math.h>

#include "common/interval.h"
#include "sched/sample.h"

static const struct sample_key first = {"a", 10, {4, 1, 1}, {64, 1, 1}, 0, 0};
static const struct sample_key second = {"b", 10, {4, 1, 1}, {64, 1, 1}, 0, 0};

static struct sampler *make(const struct sample_options *o) {
    return sampler_create(o);
}

/* Simulates a launch with these instructions and cycles. @return whether it was timed; if not,
 * *estimate is set */
static bool launch(struct sampler *s, const struct sample_key *key, uint64_t inst, uint64_t cycles,
                   uint64_t *estimate) {
    uint32_t stratum;
    enum sample_way way = sampler_begin(s, key, false, &stratum);
    if (way == SAMPLE_TIMED)
        sampler_measured(s, stratum, inst, cycles, 0);
    else
        *estimate = sampler_estimate(s, stratum, inst);
    return way == SAMPLE_TIMED;
}

Test(sample, gaps_double_while_estimates_hold) {
    struct sampler *s = make(&sample_defaults);
    uint64_t timed = 0, estimate = 0;
    launch(s, &second, 1, 1, &estimate); /* so that all of `first` but one follow `first` */
    launch(s, &first, 100, 1000, &estimate);
    for (uint64_t i = 0; i < 130; i++)
        if (launch(s, &first, 100, 1000, &estimate)) timed |= i < 64 ? UINT64_C(1) << i : 0;
    /* 0, 1, 2, then multiples of 2, 4, 8, .. behind the last one */
    cr_assert_eq(timed, 0x100010117, "%llx", (unsigned long long)timed);
    cr_assert_eq(estimate, 1000);
    struct sample_result r;
    cr_assert(sampler_result(s, 2, &r));
    cr_assert_eq(r.launches, 130);
    cr_assert_eq(r.timed, 9); /* 64 and 128 too */
    cr_assert_eq(r.estimated_cycles, 121 * 1000);
    cr_assert_float_eq(r.variance, 0, 1e-9);
    cr_assert(!sampler_result(s, 3, &r));
    sampler_free(s);
}

Test(sample, a_wrong_estimate_brings_the_next_samples_nearer) {
    struct sampler *s = make(&sample_defaults);
    unsigned timed[2] = {0, 0};
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < 64; i++) {
            uint64_t estimate;
            /* in the second pass every launch takes twice as long as the previous one */
            uint64_t cycles = pass ? 1000 << i % 4 : 1000;
            timed[pass] += launch(s, &first, 100, cycles, &estimate);
        }
    cr_assert_gt(timed[1], 2 * timed[0], "%u, then %u", timed[0], timed[1]);
    sampler_free(s);
}

Test(sample, time_follows_the_instructions) {
    struct sampler *s = make(&sample_defaults);
    uint64_t estimate = 0;
    for (uint64_t i = 0; i < 40; i++) {
        uint64_t inst = 1000 + 100 * (i * 7 % 11), cycles = 500 + 3 * inst;
        if (i > 2 && !launch(s, &first, inst, cycles, &estimate))
            cr_assert_lt(llabs((long long)estimate - (long long)cycles), 5, "launch %llu",
                         (unsigned long long)i);
        else if (i <= 2)
            cr_assert(launch(s, &first, inst, cycles, &estimate));
    }
    sampler_free(s);
}

Test(sample, fewer_cycles_for_more_instructions_are_noise) {
    struct sampler *s = make(&sample_defaults);
    uint64_t estimate = 0;
    launch(s, &second, 1, 1, &estimate);
    launch(s, &first, 100, 1000, &estimate);
    for (unsigned i = 0; i < 3; i++) launch(s, &first, 100 + i, 1010 - 10 * i, &estimate);
    cr_assert(!launch(s, &first, 1000, 0, &estimate));
    cr_assert_eq(estimate, 1000);
    sampler_free(s);
}

Test(sample, what_comes_before_tells_strata_apart) {
    struct sampler *s = make(&sample_defaults);
    uint64_t estimate = 0;
    /* a b b, a b b, ..: the two b take different times */
    for (unsigned i = 0; i < 30; i++) {
        launch(s, &first, 10, 100, &estimate);
        if (!launch(s, &second, 10, 2000, &estimate)) cr_assert_eq(estimate, 2000);
        if (!launch(s, &second, 10, 3000, &estimate)) cr_assert_eq(estimate, 3000);
    }
    sampler_free(s);
}

Test(sample, a_launch_beside_a_timed_one_is_timed) {
    struct sampler *s = make(&sample_defaults);
    uint64_t estimate;
    uint32_t stratum;
    for (unsigned i = 0; i < 6; i++) launch(s, &first, 10, 100, &estimate);
    cr_assert_eq(sampler_begin(s, &first, false, &stratum), SAMPLE_ESTIMATED);
    cr_assert_eq(sampler_begin(s, &first, true, &stratum), SAMPLE_TIMED);
    sampler_free(s);
}

/* Normal noise of 3 %: the true sum lies in the interval in nearly all runs. */
Test(sample, the_interval_holds_the_sum) {
    unsigned inside = 0, runs = 200;
    uint32_t seed = 1;
    for (unsigned run = 0; run < runs; run++) {
        struct sampler *s = make(&sample_defaults);
        double truth = 0, sum = 0, square = 0, said = 0;
        for (unsigned i = 0; i < 300; i++) {
            double noise = 0;
            uint64_t estimate;
            for (unsigned k = 0; k < 12; k++) {
                seed = seed * 1664525 + 1013904223;
                noise += (double)(seed >> 8) / (1 << 24);
            }
            uint64_t cycles = (uint64_t)(10000 * (1 + 0.03 * (noise - 6)));
            truth += (double)cycles;
            launch(s, &first, 10, cycles, &estimate);
        }
        struct sample_result r;
        for (uint32_t i = 0; sampler_result(s, i, &r); i++) {
            said += (double)(r.timed_cycles + r.estimated_cycles);
            sum += r.variance;
            if (r.variance > 0) square += r.variance * r.variance / r.freedom;
        }
        inside += fabs(said - truth) <= interval_half_width(sum, square);
        sampler_free(s);
    }
    cr_assert_geq(inside, runs * 92 / 100, "%u of %u", inside, runs);
}

Test(sample, half_widths) {
    cr_assert_float_eq(interval_half_width(0, 0), 0, 1e-9);
    cr_assert_float_eq(interval_half_width(100, 100.0 * 100 / 1), 127.06, 0.01);  /* t of 1 */
    cr_assert_float_eq(interval_half_width(100, 100.0 * 100 / 10), 22.28, 0.01);  /* of 10 */
    cr_assert_float_eq(interval_half_width(100, 100.0 * 100 / 1e6), 19.60, 0.01); /* normal */
}
