/* test_slots.c - which SM gets a CTA, and what limits how many. */
#include <criterion/criterion.h>

#include "sched/slots.h"

static const struct slots_limits v100 = {.ctas = 32, .warps = 64, .registers = 65536,
                                         .shared_bytes = 98304, .barriers = 512,
                                         .register_unit = 256, .shared_unit = 256};

Test(slots, occupancy_is_what_the_scarcest_resource_allows) {
    struct slots_need n = slots_need(&v100, 256, 32, 0, 1);
    cr_assert_eq(slots_occupancy(&v100, &n), 8); /* warps */
    n = slots_need(&v100, 32, 16, 0, 1);
    cr_assert_eq(slots_occupancy(&v100, &n), 32); /* CTA slots */
    n = slots_need(&v100, 256, 65, 0, 1); /* 65 * 32 = 2080, rounded to 2304 per warp */
    cr_assert_eq(n.registers, 8 * 2304);
    cr_assert_eq(slots_occupancy(&v100, &n), 3);
    n = slots_need(&v100, 64, 16, 30000, 1);
    cr_assert_eq(slots_occupancy(&v100, &n), 3); /* shared memory */
    n = slots_need(&v100, 1024, 255, 0, 1);
    cr_assert_eq(slots_occupancy(&v100, &n), 0);
}

Test(slots, ctas_go_breadth_first_and_room_comes_back) {
    struct slots *s;
    struct slots_need n = slots_need(&v100, 1024, 32, 0, 1);
    cr_assert_eq(slots_create(&s, 3, &v100), HEDDLE_OK);
    const int want[] = {0, 1, 2, 0, 1, 2, -1};
    for (unsigned i = 0; i < 7; i++) cr_assert_eq(slots_take(s, &n), want[i]);
    slots_give(s, 1, &n);
    cr_assert_eq(slots_take(s, &n), 1);
    cr_assert_eq(slots_take(s, &n), -1);
    slots_free(s);
}
