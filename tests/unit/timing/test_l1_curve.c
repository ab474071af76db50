/* test_l1_curve.c - host/timing/l1_curve.c: requests whose traffic is known by hand, and the order
 * in which they are taken. */
#include <criterion/criterion.h>

#include "timing/l1_curve.h"

enum { KIB = 1024, LINE = 128 };

static struct l1_curve *curve;
static struct l1_curve_counts before;
static void set_up(void) {
    curve = l1_curve_create(2);
    before = (struct l1_curve_counts){0};
}
static void tear_down(void) {
    l1_curve_free(curve);
}
TestSuite(l1_curve, .init = set_up, .fini = tear_down);

/* Bytes with an L1 of that many KiB since again(). All waiting requests are taken. */
static uint64_t bytes(uint64_t kib) {
    struct l1_curve_counts now = {0};
    uint32_t point = 0;
    while (l1_curve_capacity(point) != kib * KIB) cr_assert_lt(++point, (uint32_t)L1_POINTS);
    l1_curve_finish(curve);
    l1_curve_add(curve, &now);
    return now.bytes[point] - before.bytes[point];
}
static void again(void) {
    before = (struct l1_curve_counts){0};
    l1_curve_finish(curve);
    l1_curve_add(curve, &before);
}

static void request(uint32_t sm, uint64_t at, uint32_t line, uint8_t sectors,
                    enum l1_access access) {
    if (!lru_caches_follow(line, L1_BLOCK_BITS)) return;
    l1_curve_request(
        curve, sm,
        &(struct l1_request){.key = at, .line = line, .sectors = sectors, .access = access});
}
/* Accesses to all lines of so many KiB from address 0. */
static void sweep(uint32_t sm, uint64_t at, uint32_t kib, enum l1_access access) {
    for (uint32_t i = 0; i < kib * KIB / LINE; i++) request(sm, at + i, i, 15, access);
}

/* 160 KiB, twice: 128 KiB have always just lost the next line, 160 KiB have all of them. */
Test(l1_curve, cyclic_sweep) {
    sweep(0, 0, 160, L1_LOAD);
    cr_assert_eq(bytes(256), 160 * KIB);
    again();
    sweep(0, 10000, 160, L1_LOAD);
    cr_assert_eq(bytes(16), 160 * KIB);
    cr_assert_eq(bytes(128), 160 * KIB);
    cr_assert_eq(bytes(160), 0);
    cr_assert_eq(bytes(256), 0);
}

/* Each SM has caches of its own. */
Test(l1_curve, sms) {
    sweep(0, 0, 64, L1_LOAD);
    again();
    sweep(1, 10000, 64, L1_LOAD);
    cr_assert_eq(bytes(64), 64 * KIB);
    again();
    sweep(0, 20000, 64, L1_LOAD);
    sweep(1, 20000, 64, L1_LOAD);
    cr_assert_eq(bytes(64), 0);
}

/* Stores pass on to L2, and leave L1 as it is: written lines are not there to be loaded, loaded
 * ones stay. */
Test(l1_curve, stores) {
    sweep(0, 0, 64, L1_STORE);
    cr_assert_eq(bytes(16), 64 * KIB);
    cr_assert_eq(bytes(256), 64 * KIB);
    again();
    sweep(0, 10000, 64, L1_LOAD);
    cr_assert_eq(bytes(256), 64 * KIB);
    again();
    sweep(0, 20000, 64, L1_STORE);
    sweep(0, 30000, 64, L1_LOAD);
    cr_assert_eq(bytes(256), 64 * KIB);
}

/* An atomic operation takes its sector out of L1, and leaves the line's others. */
Test(l1_curve, atomics) {
    sweep(0, 0, 64, L1_LOAD);
    again();
    for (uint32_t i = 0; i < 64 * KIB / LINE; i++) request(0, 10000 + i, i, 2, L1_BYPASS);
    cr_assert_eq(bytes(64), 16 * KIB);
    again();
    sweep(0, 20000, 64, L1_LOAD);
    cr_assert_eq(bytes(64), 16 * KIB);
}

Test(l1_curve, flush) {
    sweep(0, 0, 32, L1_LOAD);
    l1_curve_flush(curve);
    sweep(0, 10000, 32, L1_LOAD);
    cr_assert_eq(bytes(32), 64 * KIB);
}

/* Two warps sweep over 64 KiB in step. However far one is ahead of the other when requests come,
 * its lines are used again at once: 16 KiB suffice. */
Test(l1_curve, order) {
    uint32_t lines = 64 * KIB / LINE;
    for (uint32_t from = 0; from < lines; from += lines / 4) /* both halves of each quarter */
        for (uint16_t warp = 0; warp < 2; warp++)
            for (uint32_t i = from; i < from + lines / 4; i++) {
                if (!lru_caches_follow(i, L1_BLOCK_BITS)) continue;
                l1_curve_request(
                    curve, 0, &(struct l1_request){.key = 2 * i + warp, .line = i, .sectors = 15});
            }
    cr_assert_eq(bytes(16), 64 * KIB);
}

/* Only requests before the time that is reached are taken. */
Test(l1_curve, requests_wait) {
    struct l1_curve_counts now = {0};
    sweep(0, 0, 64, L1_LOAD);
    cr_assert_eq(l1_curve_waiting(curve, 0), 16);
    cr_assert_eq(l1_curve_waiting(curve, 1), 0);
    l1_curve_advance(curve, 0, 32 * KIB / LINE);
    cr_assert_eq(l1_curve_waiting(curve, 0), 8);
    l1_curve_add(curve, &now);
    cr_assert_eq(now.bytes[L1_POINT_64], 32 * KIB);
}
