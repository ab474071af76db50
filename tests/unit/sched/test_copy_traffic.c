/* test_copy_traffic.c - host/sched/copy_traffic.c: which lines copies request, and when. */
#include <criterion/criterion.h>

#include "sched/copy_traffic.h"

#define US UINT64_C(1000000)
static struct copy_traffic traffic;
static void set_up(void) {
    traffic = (struct copy_traffic){.l2_layout = {.slices = 8, .interleave = 1}};
}
TestSuite(copy_traffic, .init = set_up);

static void begin(enum copy_stream_kind kind, uint64_t at_ps, uint64_t step_ps, uint32_t line,
                  uint32_t lines, bool write) {
    copy_traffic_begin(
        &traffic, kind,
        &(struct copy_stream){
            .next_ps = at_ps, .step_ps = step_ps, .line = line, .left = lines, .write = write});
}
static void expect(uint64_t before_ps, uint64_t at_ps, uint64_t line, bool write) {
    struct hbm_request r;
    cr_assert(copy_traffic_take(&traffic, before_ps, &r));
    cr_expect(r.at_ps == at_ps && r.line == line && r.write == write,
              "line %llu at %llu instead of %llu at %llu", (unsigned long long)r.line,
              (unsigned long long)r.at_ps, (unsigned long long)line, (unsigned long long)at_ps);
    cr_expect(r.slice == line % 8 && r.sectors == 0xf && r.user == COPY_TRAFFIC);
}
static void expect_none(uint64_t before_ps) {
    struct hbm_request r;
    cr_assert_not(copy_traffic_take(&traffic, before_ps, &r));
}

Test(copy_traffic, lines_come_evenly_and_in_order) {
    copy_traffic_hear(&traffic, 900);
    begin(COPY_TO_DEVICE, 1000, 300, 40, 3, true);
    begin(COPY_TO_HOST, 1100, 200, 80, 2, false);
    expect(1300, 1000, 40, true);
    expect(1300, 1100, 80, false);
    expect_none(1300); /* the next two come at that time */
    expect(1301, 1300, 41, true);
    expect(1301, 1300, 81, false);
    expect_none(1600);
    expect(5000, 1600, 42, true);
    expect_none(UINT64_MAX);
}

Test(copy_traffic, a_copy_beside_no_kernel_has_none) {
    begin(COPY_WITHIN_TO, US, 100, 0, 1000000, true);
    expect_none(20 * US); /* 190,000 lines */
    copy_traffic_hear(&traffic, 20 * US);
    expect(20 * US + 1, 20 * US, 190000, true);
}

/* Between two requests of L2 that are far from each other, only the first microsecond counts. */
Test(copy_traffic, a_rest_of_kernels) {
    copy_traffic_hear(&traffic, US);
    begin(COPY_WITHIN_FROM, US, US / 4, 100, 20, false);
    for (unsigned i = 0; i < 4; i++) expect(4 * US, US + i * US / 4, 100 + i, false);
    expect_none(4 * US);
    copy_traffic_hear(&traffic, 4 * US);
    expect(UINT64_MAX, 4 * US, 112, false);
}

Test(copy_traffic, the_next_copy_takes_the_place) {
    copy_traffic_hear(&traffic, 1);
    begin(COPY_TO_DEVICE, 100, 100, 0, 5, true);
    expect(101, 100, 0, true);
    begin(COPY_TO_DEVICE, 150, 10, 500, 1, true);
    expect(1000, 150, 500, true);
    expect_none(1000);
}
