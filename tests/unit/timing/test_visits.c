/* test_visits.c - timing/visits.c: entering, finding and leaving visits, the operations of other SM
 * groups at a slice. */
#include <criterion/criterion.h>

#include "timing/visits.h"

enum { SMS = 3 };

Test(visits, each_operation_has_its_own) {
    struct visits *v;
    struct exec_visit *x[SMS][4][8];
    cr_assert_eq(visits_create(&v, SMS), HEDDLE_OK);
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint8_t warp = 0; warp < 4; warp++)
            for (uint8_t slot = 0; slot < 8; slot++) {
                cr_expect_null(visits_find(v, sm, warp, slot));
                x[sm][warp][slot] = visits_enter(v, sm, warp, slot);
                cr_expect_eq(x[sm][warp][slot]->lanes, 0);
                x[sm][warp][slot]->lanes = 0xf0 | slot;
            }
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint8_t warp = 0; warp < 4; warp++)
            for (uint8_t slot = 0; slot < 8; slot++) {
                cr_expect_eq(visits_find(v, sm, warp, slot), x[sm][warp][slot]);
                cr_expect_eq(visits_enter(v, sm, warp, slot), x[sm][warp][slot]);
                cr_expect_eq(x[sm][warp][slot]->lanes, (0xf0u | slot));
            }
    visits_free(v);
}

Test(visits, the_last_lane_ends_one) {
    struct visits *v;
    cr_assert_eq(visits_create(&v, SMS), HEDDLE_OK);
    visits_enter(v, 2, 63, 5)->lanes = 0x3;
    visits_enter(v, 2, 63, 6)->lanes = 0x1;
    visits_leave(v, 2, 63, 5, 0x1);
    cr_assert_not_null(visits_find(v, 2, 63, 5));
    cr_expect_eq(visits_find(v, 2, 63, 5)->lanes, 0x2);
    visits_enter(v, 2, 63, 5)->lanes |= 0x8; /* of another request */
    visits_leave(v, 2, 63, 5, 0x2);
    cr_expect_not_null(visits_find(v, 2, 63, 5));
    visits_leave(v, 2, 63, 5, 0x8);
    cr_expect_null(visits_find(v, 2, 63, 5));
    cr_expect_not_null(visits_find(v, 2, 63, 6));
    visits_leave(v, 2, 63, 5, 0x8); /* no such visit */
    struct exec_visit *again = visits_enter(v, 2, 63, 5);
    cr_expect_eq(again->lanes, 0);
    visits_leave(v, 2, 63, 5, 0);
    cr_expect_null(visits_find(v, 2, 63, 5));
    visits_free(v);
}
