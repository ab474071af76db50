/* test_remote_ops.c - timing/remote_ops.c: entering, finding and leaving remote operations, the
 * operations of other SM groups at a slice. */
#include <criterion/criterion.h>

#include "timing/remote_ops.h"

enum { SMS = 3 };

Test(remote_ops, each_operation_has_its_own) {
    struct remote_ops *v;
    struct exec_remote_op *x[SMS][4][8];
    cr_assert_eq(remote_ops_create(&v, SMS), HEDDLE_OK);
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint8_t warp = 0; warp < 4; warp++)
            for (uint8_t slot = 0; slot < 8; slot++) {
                cr_expect_null(remote_ops_find(v, sm, warp, slot));
                x[sm][warp][slot] = remote_ops_enter(v, sm, warp, slot);
                cr_expect_eq(x[sm][warp][slot]->lanes, 0);
                x[sm][warp][slot]->lanes = 0xf0 | slot;
            }
    for (uint32_t sm = 0; sm < SMS; sm++)
        for (uint8_t warp = 0; warp < 4; warp++)
            for (uint8_t slot = 0; slot < 8; slot++) {
                cr_expect_eq(remote_ops_find(v, sm, warp, slot), x[sm][warp][slot]);
                cr_expect_eq(remote_ops_enter(v, sm, warp, slot), x[sm][warp][slot]);
                cr_expect_eq(x[sm][warp][slot]->lanes, (0xf0u | slot));
            }
    remote_ops_free(v);
}

Test(remote_ops, the_last_lane_ends_one) {
    struct remote_ops *v;
    cr_assert_eq(remote_ops_create(&v, SMS), HEDDLE_OK);
    remote_ops_enter(v, 2, 63, 5)->lanes = 0x3;
    remote_ops_enter(v, 2, 63, 6)->lanes = 0x1;
    remote_ops_leave(v, 2, 63, 5, 0x1);
    cr_assert_not_null(remote_ops_find(v, 2, 63, 5));
    cr_expect_eq(remote_ops_find(v, 2, 63, 5)->lanes, 0x2);
    remote_ops_enter(v, 2, 63, 5)->lanes |= 0x8; /* of another request */
    remote_ops_leave(v, 2, 63, 5, 0x2);
    cr_expect_not_null(remote_ops_find(v, 2, 63, 5));
    remote_ops_leave(v, 2, 63, 5, 0x8);
    cr_expect_null(remote_ops_find(v, 2, 63, 5));
    cr_expect_not_null(remote_ops_find(v, 2, 63, 6));
    remote_ops_leave(v, 2, 63, 5, 0x8); /* no such remote operation */
    struct exec_remote_op *again = remote_ops_enter(v, 2, 63, 5);
    cr_expect_eq(again->lanes, 0);
    remote_ops_leave(v, 2, 63, 5, 0);
    cr_expect_null(remote_ops_find(v, 2, 63, 5));
    remote_ops_free(v);
}
