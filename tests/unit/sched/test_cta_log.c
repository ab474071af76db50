/* test_cta_log.c - the CTAs of a window: which began where, and in which order they ended. */
#include <criterion/criterion.h>

#include "sched/cta_log.h"
#include "sched/kernel.h"

enum { SMS = 3 };

static void expect(const struct cta_span *s, const struct kernel *k, uint64_t number, uint32_t sm,
                   uint32_t slot, uint64_t begin_cycle, uint64_t end_cycle) {
    cr_expect_eq(s->kernel, k);
    cr_expect_eq(s->number, number);
    cr_expect_eq(s->sm, sm);
    cr_expect_eq(s->slot, slot);
    cr_expect_eq(s->begin_cycle, begin_cycle);
    cr_expect_eq(s->end_cycle, end_cycle);
}

/* Two kernels on the last slot of the last SM and its neighbours; a slot is taken again. */
Test(cta_log, slots) {
    struct cta_log *log = cta_log_create(SMS);
    struct kernel a = {.number = 0}, b = {.number = 1};
    const struct occupancy_table_place first = {.sm = 0, .cta = 0};
    const struct occupancy_table_place last = {.sm = SMS - 1, .cta = TIMING_MAX_CTAS - 1};
    cta_log_begin(log, &first, 0, 100);
    cta_log_begin(log, &last, 1, 102);
    cta_log_end(log, &b, &last, 200);
    cta_log_begin(log, &last, 2, 250);
    cta_log_end(log, &a, &first, 300);
    cta_log_end(log, &b, &last, 290);
    cr_assert_eq(log->num_ended, 3);
    expect(&log->ended[0], &b, 1, SMS - 1, TIMING_MAX_CTAS - 1, 102, 200);
    expect(&log->ended[1], &a, 0, 0, 0, 100, 300);
    expect(&log->ended[2], &b, 2, SMS - 1, TIMING_MAX_CTAS - 1, 250, 290);
    cta_log_free(log);
}

Test(cta_log, none) {
    cta_log_free(NULL);
}
