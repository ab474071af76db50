/* test_managed_blocks.c - host/exec/memory/managed_blocks.c: which blocks exist, as memory is
 * allocated and freed. */
#include <criterion/criterion.h>

#include "exec/memory/managed_blocks.h"

#define MEMORY UINT64_C(0x7e8000000000)
#define BASE (MEMORY + (UINT64_C(1) << 30))

Test(managed_blocks, lines_count_from_the_memory) {
    struct managed_blocks *t = managed_blocks_create(BASE, 10 * MANAGED_BLOCK, MEMORY);
    cr_assert_eq(t->first_line, (UINT64_C(1) << 30) / 128);
    cr_assert_eq(t->count, 10);
    cr_assert_not(t->any);
    managed_blocks_free(t);
}

Test(managed_blocks, ranges_touch_whole_blocks) {
    struct managed_blocks *t = managed_blocks_create(BASE, 10 * MANAGED_BLOCK, MEMORY);
    struct managed_range r = managed_range_of(t, BASE + MANAGED_BLOCK - 1, 2);
    cr_assert(r.first == 0 && r.end == 2);
    r = managed_range_of(t, BASE + MANAGED_BLOCK, MANAGED_BLOCK);
    cr_assert(r.first == 1 && r.end == 2);
    const uint64_t none[][2] = {{BASE, 0},
                                {BASE - 1, 2},
                                {BASE + 10 * MANAGED_BLOCK, 1},
                                {BASE + 9 * MANAGED_BLOCK, MANAGED_BLOCK + 1}};
    for (unsigned i = 0; i < 4; i++) {
        r = managed_range_of(t, none[i][0], none[i][1]);
        cr_assert_eq(r.first, r.end, "range %u", i);
    }
    managed_blocks_free(t);
}

/* An allocation behind another one in its last block finds that block as it is; the block ends with
 * the last of both. */
Test(managed_blocks, allocations_may_share_a_block) {
    struct managed_blocks *t = managed_blocks_create(BASE, 10 * MANAGED_BLOCK, MEMORY);
    const uint64_t second = BASE + MANAGED_BLOCK + 2 * MANAGED_PAGE;
    managed_blocks_allocate(t, BASE, MANAGED_BLOCK + 5000, NULL);
    cr_assert_eq(managed_block_bytes(t, 0), MANAGED_BLOCK);
    cr_assert_eq(managed_block_bytes(t, 1), 2 * MANAGED_PAGE);
    managed_blocks_fill(t, BASE, MANAGED_BLOCK + 5000);
    cr_assert(managed_blocks_fit(t, second, 1, NULL));
    cr_assert_not(managed_blocks_fit(t, second, 1, t));
    cr_assert(managed_blocks_fit(t, BASE + 2 * MANAGED_BLOCK, 1, t));
    managed_blocks_allocate(t, second, 1, NULL);
    cr_assert_eq(managed_block_bytes(t, 1), 3 * MANAGED_PAGE);
    cr_assert_eq(t->block[1].place, MANAGED_HOST);
    managed_blocks_release(t, BASE, MANAGED_BLOCK + 5000);
    cr_assert_eq(t->block[0].place, MANAGED_NOWHERE);
    cr_assert_eq(t->block[1].place, MANAGED_HOST);
    managed_blocks_release(t, second, 1);
    cr_assert_eq(managed_block_bytes(t, 1), 0);
    cr_assert_eq(t->block[1].place, MANAGED_NOWHERE);
    cr_assert_eq(t->end, 2);
    cr_assert(t->any);
    managed_blocks_free(t);
}
