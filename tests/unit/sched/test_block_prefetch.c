/* test_block_prefetch.c - host/sched/block_prefetch.c: what the driver migrates besides the blocks
 * that have faulted. */
#include <criterion/criterion.h>

#include "sched/block_prefetch.h"

enum { DRIVERS = 51 }; /* percent */

Test(block_prefetch, a_fault_alone_brings_itself) {
    for (unsigned i = 0; i < PREFETCH_BLOCKS; i++)
        cr_assert_eq(block_prefetch(0, UINT32_C(1) << i, DRIVERS), UINT32_C(1) << i);
}

Test(block_prefetch, half_of_a_subtree_is_not_enough) {
    cr_assert_eq(block_prefetch(0x1, 0x2, DRIVERS), 0x3);
    cr_assert_eq(block_prefetch(0x3, 0x10, DRIVERS), 0x13);
    cr_assert_eq(block_prefetch(0xf, 0x100, DRIVERS), 0x10f);
}

Test(block_prefetch, more_than_half_brings_all_of_it) {
    cr_assert_eq(block_prefetch(0x3, 0x4, DRIVERS), 0xf);
    cr_assert_eq(block_prefetch(0xf, 0x10, DRIVERS), 0xff);
    cr_assert_eq(block_prefetch(0xff00, 0x1, DRIVERS), 0xffff);
    cr_assert_eq(block_prefetch(0xffff, 0x80000000, DRIVERS), UINT32_MAX);
}

/* The fault's own subtree counts, not what others hold elsewhere. */
Test(block_prefetch, other_subtrees_do_not_matter) {
    cr_assert_eq(block_prefetch(0x00ff0000, 0x1, DRIVERS), 0x00ff0001);
}

/* The driver looks at the tree as it was before the batch: a subtree that a fault brings does not
 * help another fault to a larger one. */
Test(block_prefetch, what_is_prefetched_does_not_count) {
    cr_assert_eq(block_prefetch(0, 0x7 | 0x10, DRIVERS), 0xf | 0x10);
}

Test(block_prefetch, a_threshold_of_zero_ends_it) {
    cr_assert_eq(block_prefetch(0xffff, 0x10000, 0), 0x1ffff);
}

Test(block_prefetch, of_all_only_full_subtrees_are_there) {
    cr_assert_eq(block_prefetch(0x7, 0x8, 100), 0xf);
    cr_assert_eq(block_prefetch(0x7fffffff, 0x80000000, 100), UINT32_MAX);
    cr_assert_eq(block_prefetch(0, 0x7, 100), 0x7);
}
