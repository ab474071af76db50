/* test_occupancy_table.c - host/sched/occupancy_table.c: which SM gets a CTA, and what limits the
 * number of CTAs. */
#include <criterion/criterion.h>

#include "common/occupancy.h"
#include "sched/gpu_internal.h"

static const struct occupancy_table_limits v100 = {.ctas = 32,
                                                   .warps = 64,
                                                   .registers = 65536,
                                                   .shared_bytes = 98304,
                                                   .barriers = 512,
                                                   .register_unit = 256,
                                                   .shared_unit = 256};

Test(occupancy_table, occupancy_is_what_the_scarcest_resource_allows) {
    struct occupancy_table_need n = occupancy_table_need(&v100, 256, 32, 0, 1);
    cr_assert_eq(occupancy_table_occupancy(&v100, &n), 8); /* warps */
    n = occupancy_table_need(&v100, 32, 16, 0, 1);
    cr_assert_eq(occupancy_table_occupancy(&v100, &n), 32); /* CTA slots */
    n = occupancy_table_need(&v100, 256, 65, 0, 1); /* 65 * 32 = 2080, rounded to 2304 per warp */
    cr_assert_eq(n.registers, 2340);                /* 28 warps fit the four files: 65536 / 28 */
    cr_assert_eq(occupancy_table_occupancy(&v100, &n), 3);
    n = occupancy_table_need(&v100, 64, 16, 30000, 1);
    cr_assert_eq(occupancy_table_occupancy(&v100, &n), 3); /* shared memory */
    struct occupancy_table_limits four =
        v100; /* 72 threads with 130 registers: three warps per register file */
    four.subcores = 4;
    n = occupancy_table_need(&four, 72, 130, 0, 1);
    cr_assert_eq(occupancy_table_occupancy(&four, &n), 4);
    struct occupancy_table_limits two =
        v100;         /* 200 registers: two warps in each of four register files, or five in */
    two.subcores = 2; /* each of two */
    n = occupancy_table_need(&four, 32, 200, 0, 1);
    cr_assert_eq(occupancy_table_occupancy(&four, &n), 8);
    n = occupancy_table_need(&two, 32, 200, 0, 1);
    cr_assert_eq(occupancy_table_occupancy(&two, &n), 10);
    n = occupancy_table_need(&v100, 1024, 255, 0, 1);
    cr_assert_eq(occupancy_table_occupancy(&v100, &n), 0);
}

/* Takes CTA slots until none is left. want[i]: the SM of the i-th CTA; -1: no more room. */
static void fill_in_order(struct occupancy_table *s, const struct occupancy_table_need *need,
                          const int *want) {
    struct occupancy_table_place p;
    do {
        cr_assert_eq(occupancy_table_take(s, need, &p, 0), *want >= 0);
        if (*want >= 0) cr_assert_eq(p.sm, (unsigned)*want);
    } while (*want++ >= 0);
}

Test(occupancy_table, ctas_go_breadth_first_and_room_comes_back) {
    struct occupancy_table *s;
    struct occupancy_table_need n = occupancy_table_need(&v100, 1024, 32, 0, 1);
    cr_assert_eq(occupancy_table_create(&s, 3, &v100, OCCUPANCY_TABLE_BREADTH_FIRST), HEDDLE_OK);
    fill_in_order(s, &n, (const int[]){0, 1, 2, 0, 1, 2, -1});
    struct occupancy_table_place p;
    struct occupancy_table_place back = {
        .sm = 1, .cta = 1, .warps = {.slots = UINT64_C(0xffffffff) << 32}};
    occupancy_table_give(s, &back, &n, 0);
    cr_assert(occupancy_table_take(s, &n, &p, 0));
    cr_assert_eq(p.sm, 1);
    cr_assert_eq(p.cta, 1);
    cr_assert_eq(p.warps.slots, UINT64_C(0xffffffff) << 32);
    cr_assert_not(occupancy_table_take(s, &n, &p, 0));
    occupancy_table_free(s);
}

Test(occupancy_table, room_comes_back_when_it_is_free) {
    struct occupancy_table *s;
    struct occupancy_table_need n = occupancy_table_need(&v100, 1024, 32, 0, 1);
    struct occupancy_table_place p[2], q;
    cr_assert_eq(occupancy_table_create(&s, 1, &v100, OCCUPANCY_TABLE_BREADTH_FIRST), HEDDLE_OK);
    for (unsigned i = 0; i < 2; i++) cr_assert(occupancy_table_take(s, &n, &p[i], 10));
    cr_assert_eq(occupancy_table_more_at(s), UINT64_MAX);
    occupancy_table_give(s, &p[1], &n, 50);
    occupancy_table_give(s, &p[0], &n, 60);
    cr_assert_not(occupancy_table_take(s, &n, &q, 49));
    cr_assert_eq(occupancy_table_more_at(s), 50);
    cr_assert(occupancy_table_take(s, &n, &q, 50));
    cr_assert_eq(q.cta, 1);
    cr_assert_not(occupancy_table_take(s, &n, &q, 50));
    cr_assert_eq(occupancy_table_more_at(s), 60);
    cr_assert(occupancy_table_take(s, &n, &q, 100));
    cr_assert_eq(q.cta, 0);
    cr_assert_eq(occupancy_table_more_at(s), UINT64_MAX);
    occupancy_table_free(s);
}

Test(occupancy_table, depth_first_fills_an_sm_before_the_next_one) {
    struct occupancy_table *s;
    struct occupancy_table_need n = occupancy_table_need(&v100, 1024, 32, 0, 1);
    cr_assert_eq(occupancy_table_create(&s, 3, &v100, OCCUPANCY_TABLE_DEPTH_FIRST), HEDDLE_OK);
    fill_in_order(s, &n, (const int[]){0, 0, 1, 1, 2, 2, -1});
    struct occupancy_table_place p;
    struct occupancy_table_place back = {
        .sm = 0, .cta = 1, .warps = {.slots = UINT64_C(0xffffffff) << 32}};
    occupancy_table_give(s, &back, &n, 0);
    cr_assert(occupancy_table_take(s, &n, &p, 0));
    cr_assert_eq(p.sm, 0);
    occupancy_table_free(s);
}

Test(occupancy_table, warps_and_slots_of_an_sm_are_the_lowest_free_ones) {
    struct occupancy_table *s;
    struct occupancy_table_place p[4];
    struct occupancy_table_need two = occupancy_table_need(&v100, 64, 16, 0, 1),
                                three = occupancy_table_need(&v100, 96, 16, 0, 1);
    cr_assert_eq(occupancy_table_create(&s, 1, &v100, OCCUPANCY_TABLE_BREADTH_FIRST), HEDDLE_OK);
    for (unsigned i = 0; i < 3; i++) cr_assert(occupancy_table_take(s, &two, &p[i], 0));
    cr_assert_eq(p[2].warps.slots, UINT64_C(0x30));
    occupancy_table_give(s, &p[1], &two, 0);
    cr_assert(occupancy_table_take(s, &three, &p[3], 0));
    cr_assert_eq(p[3].cta, 1);
    cr_assert_eq(p[3].warps.slots, UINT64_C(0x4c));
    occupancy_table_free(s);
}

/* A CTA of 1024 threads that wants this much shared memory of its SM. */
static struct occupancy_table_need wanting(uint32_t size, bool exact) {
    struct occupancy_table_need n = occupancy_table_need(&v100, 1024, 32, 0, 1);
    n.shared_size = size;
    n.exact = exact;
    return n;
}

Test(occupancy_table, an_sm_changes_its_shared_memory_without_ctas) {
    struct occupancy_table *s;
    struct occupancy_table_place p, q;
    const struct occupancy_table_need none = wanting(0, false), some = wanting(32768, false),
                                      exact = wanting(0, true);
    cr_assert_eq(occupancy_table_create(&s, 2, &v100, OCCUPANCY_TABLE_BREADTH_FIRST), HEDDLE_OK);
    cr_assert(occupancy_table_take(s, &none, &p, 0));
    cr_assert(p.sm == 0 && p.resized);
    cr_assert(occupancy_table_take(s, &some, &q, 0));
    cr_assert(q.sm == 1 && q.resized);
    cr_assert_not(occupancy_table_take(s, &some, &q, 0) && q.sm == 0); /* SM 0 has less */
    cr_assert(q.sm == 1 && !q.resized);
    cr_assert_not(occupancy_table_take(s, &some, &q, 0));
    occupancy_table_give(s, &p, &none, 100);
    cr_assert_not(occupancy_table_take(s, &some, &q, 99)); /* until its place is free */
    cr_assert(occupancy_table_take(s, &some, &p, 100));
    cr_assert(p.sm == 0 && p.resized);
    cr_assert_not(occupancy_table_take(s, &exact, &q, 100)); /* more will not do */
    cr_assert(occupancy_table_take(s, &none, &q, 100));      /* more will do */
    cr_assert(q.sm == 0 && !q.resized);
    occupancy_table_free(s);
}

Test(occupancy_table, the_size_limits_the_ctas_of_all_kernels) {
    struct occupancy_table *s;
    struct occupancy_table_place p;
    struct occupancy_table_need n = occupancy_table_need(&v100, 64, 16, 5000, 1);
    n.shared_size = 16384; /* three CTAs of 5,120 bytes */
    cr_assert_eq(occupancy_table_occupancy(&v100, &n), 3);
    cr_assert_eq(occupancy_table_create(&s, 1, &v100, OCCUPANCY_TABLE_BREADTH_FIRST), HEDDLE_OK);
    for (unsigned i = 0; i < 3; i++) cr_assert(occupancy_table_take(s, &n, &p, 0));
    cr_assert_not(occupancy_table_take(s, &n, &p, 0));
    n.shared_bytes = 1024;
    cr_assert(occupancy_table_take(s, &n, &p, 0));
    cr_assert_not(occupancy_table_take(s, &n, &p, 0));
    occupancy_table_free(s);
}

/* The number that programs get from cudaOccupancyMaxActiveBlocksPerMultiprocessor is the number of
 * CTAs that an SM holds. */
Test(occupancy_table, occupancy_is_what_programs_are_told) {
    struct config *c;
    struct occupancy_table_limits l;
    cr_assert_eq(config_load(&c, "v100", GPUS, NULL, 0, NULL), HEDDLE_OK);
    gpu_limits(c, &l);
    for (uint32_t threads = 1; threads <= 1024; threads += 31)
        for (uint32_t regs = 16; regs < 256; regs++)
            for (uint32_t shared = 0; shared <= 98304; shared += 12289) {
                struct occupancy_need need = {threads, regs, shared};
                struct occupancy_table_need n = occupancy_table_need(&l, threads, regs, shared, 1);
                uint32_t told = occupancy_ctas(c, &need, NULL);
                if (told)
                    cr_assert_eq(occupancy_table_occupancy(&l, &n), told,
                                 "%u threads, %u registers, %u bytes", threads, regs, shared);
            }
    config_free(c);
}
