/* test_timeline_counters.c - counts by interval: what they become when there are too many. */
#include <criterion/criterion.h>

#include "timeline/timeline_counters.h"

enum { MOST_WRITTEN = 5 * TIMELINE_INTERVALS };
static struct {
    uint64_t begin_ps, first, second;
    bool any;
    double us;
} written[MOST_WRITTEN];
static unsigned num_written;

static void note(void *user, const struct series *s, const uint64_t *counted, uint64_t begin_ps,
                 double us) {
    cr_assert_eq(user, written);
    cr_assert_eq(s->index, 5);
    cr_assert_lt(num_written, MOST_WRITTEN);
    written[num_written].begin_ps = begin_ps;
    written[num_written].us = us;
    written[num_written].any = counted != NULL;
    written[num_written].first = counted ? counted[0] : 0;
    written[num_written++].second = counted ? counted[1] : 0;
}

static struct series begin(bool fixed) {
    struct series s = {.interval_ps = 1000,
                       .fixed = fixed,
                       .counts = 2,
                       .write = note,
                       .user = written,
                       .index = 5};
    series_begin(&s);
    num_written = 0;
    return s;
}

/* Intervals in which nothing was counted become one end. */
Test(timeline_counters, gaps) {
    struct series s = begin(false);
    series_add(&s, 3, (uint64_t[]){1, 2});
    series_add(&s, 4, (uint64_t[]){0, 4});
    series_add(&s, 5, (uint64_t[]){0, 0});
    series_add(&s, 6, (uint64_t[]){0, 0});
    series_add(&s, 9, (uint64_t[]){7, 0});
    series_end(&s);
    cr_assert_eq(num_written, 5);
    cr_expect_eq(written[0].begin_ps, 3000);
    cr_expect_eq(written[0].first, 1);
    cr_expect_eq(written[1].second, 4);
    cr_expect(!written[2].any);
    cr_expect_eq(written[2].begin_ps, 5000);
    cr_expect_eq(written[3].begin_ps, 9000);
    cr_expect_float_eq(written[3].us, 0.001, 1e-12);
    cr_expect(!written[4].any);
    cr_expect_eq(written[4].begin_ps, 10000);
    series_free(&s);
}

/* Counts of one interval that come in pieces add up. */
Test(timeline_counters, pieces) {
    struct series s = begin(false);
    series_add(&s, 3, (uint64_t[]){1, 2});
    series_add(&s, 3, (uint64_t[]){10, 20});
    series_end(&s);
    cr_assert_eq(num_written, 2);
    cr_expect_eq(written[0].first, 11);
    cr_expect_eq(written[0].second, 22);
    series_free(&s);
}

/* The interval doubles; no count is lost, and what is written does not depend on gaps of zeros. */
Test(timeline_counters, doubles) {
    struct series s = begin(false);
    uint64_t sum = 0, written_sum = 0;
    const unsigned n = 5 * TIMELINE_INTERVALS / 2;
    for (unsigned i = 0; i < n; i++) series_add(&s, i, (uint64_t[]){i, 1});
    for (unsigned i = 0; i < n; i++) sum += i;
    series_end(&s);
    cr_expect_eq(s.shift, 2);
    cr_expect_leq(num_written, TIMELINE_INTERVALS + 1);
    for (unsigned i = 0; i < num_written; i++) {
        written_sum += written[i].first;
        cr_expect_eq(written[i].begin_ps, i * 4000);
    }
    cr_expect_eq(written_sum, sum);
    cr_expect_eq(written[0].first, 0 + 1 + 2 + 3);
    series_free(&s);
}

/* A fixed interval stays, however many there are, in the same memory. */
Test(timeline_counters, fixed) {
    struct series s = begin(true);
    const unsigned n = 2 * TIMELINE_INTERVALS + 7;
    for (unsigned i = 0; i < n; i++) series_add(&s, 2 * i, (uint64_t[]){i + 1, 0});
    cr_expect_eq(num_written, 2 * (2 * TIMELINE_INTERVALS) - 1);
    num_written = 0;
    series_end(&s);
    cr_expect_eq(s.shift, 0);
    cr_expect_eq(num_written, 15);
    cr_expect_eq(written[13].begin_ps, 2000 * (uint64_t)(n - 1));
    series_free(&s);
}
