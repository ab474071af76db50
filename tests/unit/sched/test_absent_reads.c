/* test_absent_reads.c - host/sched/absent_reads.c: which reads wait, and when they go on. */
#include <criterion/criterion.h>

#include "sched/absent_reads.h"

enum { FIRST = 1 << 20, BLOCKS = 100, LINES = 512 };

static struct hbm_request read_of(uint64_t line, uint64_t user) {
    return (struct hbm_request){.line = line, .user = user};
}

Test(absent_reads, other_memory_does_not_wait) {
    struct absent_reads *a = absent_reads_create(FIRST, BLOCKS);
    uint32_t block;
    bool first;
    const uint64_t outside[] = {0, FIRST - 1, FIRST + BLOCKS * LINES, UINT32_MAX};
    for (unsigned i = 0; i < 4; i++) {
        const struct hbm_request r = read_of(outside[i], 0);
        cr_assert_not(absent_reads_keep(a, &r, &block, &first), "line %lu", outside[i]);
    }
    absent_reads_free(a);
}

Test(absent_reads, the_first_of_a_block_asks) {
    struct absent_reads *a = absent_reads_create(FIRST, BLOCKS);
    uint32_t block;
    bool first;
    struct hbm_request r = read_of(FIRST + 65 * LINES, 1);
    cr_assert(absent_reads_keep(a, &r, &block, &first));
    cr_assert(first);
    cr_assert_eq(block, 65);
    r = read_of(FIRST + 66 * LINES - 1, 2);
    cr_assert(absent_reads_keep(a, &r, &block, &first));
    cr_assert_not(first);
    cr_assert_eq(block, 65);
    absent_reads_free(a);
}

/* Reads go on in their order, those of other blocks go on waiting, and a block that has gone again
 * asks anew. */
Test(absent_reads, reads_go_on_with_their_block) {
    struct absent_reads *a = absent_reads_create(FIRST, BLOCKS);
    uint32_t block;
    bool first;
    for (unsigned i = 0; i < 6; i++) {
        const struct hbm_request r = read_of(FIRST + (i % 3) * LINES + i, i);
        cr_assert(absent_reads_keep(a, &r, &block, &first));
    }
    struct hbm_request r;
    cr_assert_not(absent_reads_take(a, &r));
    absent_reads_change(a, 0, 0x5, true);
    const uint64_t order[] = {0, 2, 3, 5};
    for (unsigned i = 0; i < 4; i++) {
        cr_assert(absent_reads_take(a, &r));
        cr_assert_eq(r.user, order[i]);
    }
    cr_assert_not(absent_reads_take(a, &r));
    r = read_of(FIRST, 9);
    cr_assert_not(absent_reads_keep(a, &r, &block, &first));
    absent_reads_change(a, 0, 0x1, false);
    cr_assert(absent_reads_keep(a, &r, &block, &first));
    cr_assert(first);
    absent_reads_change(a, 0, 0x2, true);
    cr_assert(absent_reads_take(a, &r));
    cr_assert_eq(r.user, 1);
    absent_reads_free(a);
}
