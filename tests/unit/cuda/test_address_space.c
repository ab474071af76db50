/* test_address_space.c - cuda/base/address_space.c: first fit, merging of free blocks, state bytes,
 * look-up by address. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/base/address_space.h"

enum { MIB = 1 << 20 };

static struct address_space *make(void) {
    struct address_space *s;
    struct heddle_diag diag = {0};
    cr_assert_eq(
        address_space_create(&s, &(struct address_space_size){64 * MIB, 16 * MIB, 0, 1}, &diag),
        HEDDLE_OK, "%s", diag.text);
    return s;
}

static uint8_t state_at(struct address_space *s, uint64_t address) {
    struct exec_memory *m = address_space_memory(s);
    return m->state[(address - m->base) / EXEC_SECTOR];
}

Test(space, first_fit_and_joining) {
    struct address_space *s = make();
    uint64_t a = address_space_alloc(s, REGION_DEVICE, 1000, 0, NULL);
    uint64_t b = address_space_alloc(s, REGION_DEVICE, 1, 0, NULL);
    uint64_t c = address_space_alloc(s, REGION_DEVICE, 256, 0, NULL);
    cr_expect_eq(a, ADDRESS_SPACE_BASE);
    cr_expect_eq(b, a + 1024 + 256);
    cr_expect_eq(c, b + 256 + 256);
    cr_expect(address_space_release(s, REGION_DEVICE, a));
    cr_expect(address_space_release(s, REGION_DEVICE, b));
    cr_expect_not(address_space_release(s, REGION_DEVICE, b), "freed twice");
    cr_expect_eq(address_space_alloc(s, REGION_DEVICE, 1400, 0, NULL), a, "the two gaps are one");
    address_space_free(s);
}

Test(space, whole_region_and_nothing_left) {
    struct address_space *s = make();
    uint64_t all = address_space_bytes(s, REGION_DEVICE);
    cr_expect_eq(address_space_available(s, REGION_DEVICE), all);
    cr_expect_eq(address_space_alloc(s, REGION_DEVICE, all, 0, NULL), 0u);
    cr_expect_neq(address_space_alloc(s, REGION_DEVICE, all - 256, 0, NULL), 0u);
    cr_expect_eq(address_space_alloc(s, REGION_DEVICE, 1, 0, NULL), 0u);
    cr_expect_eq(address_space_alloc(s, REGION_DEVICE, 0, 0, NULL), 0u);
    cr_expect_eq(address_space_alloc(s, REGION_DEVICE, UINT64_MAX, 0, NULL), 0u);
    cr_expect_eq(address_space_available(s, REGION_DEVICE), 0u);
    address_space_free(s);
}

Test(space, state_says_how_many_bytes_are_there) {
    struct address_space *s = make();
    uint64_t a = address_space_alloc(s, REGION_DEVICE, 70, 0, NULL);
    cr_expect_eq(state_at(s, a), 32);
    cr_expect_eq(state_at(s, a + 32), 32);
    cr_expect_eq(state_at(s, a + 64), 6);
    cr_expect_eq(state_at(s, a + 96), 0);
    address_space_release(s, REGION_DEVICE, a);
    for (int i = 0; i < 4; i++) cr_expect_eq(state_at(s, a + 32u * (unsigned)i), 0);
    address_space_free(s);
}

Test(space, look_up) {
    struct address_space *s = make();
    uint64_t a = address_space_alloc(s, REGION_DEVICE, 100, 0, NULL);
    uint64_t p = address_space_alloc(s, REGION_PINNED, 100, 7, NULL);
    cr_expect_eq(address_space_region(s, a), REGION_DEVICE);
    cr_expect_eq(address_space_region(s, p), REGION_PINNED);
    cr_expect_eq(address_space_region(s, 4096), REGION_HOST);
    cr_expect_eq(address_space_region(s, ADDRESS_SPACE_BASE - 1), REGION_HOST);
    cr_expect(address_space_find(s, a, 100));
    cr_expect(address_space_find(s, a + 99, 1));
    cr_expect_null(address_space_find(s, a, 101));
    cr_expect_null(address_space_find(s, a + 100, 0));
    cr_expect_eq(address_space_find(s, p + 5, 1)->flags, 7u);
    cr_expect_eq(address_space_nearest(s, a + 120)->address, a);
    cr_expect_eq(address_space_nearest(s, p - 10)->address, p);
    address_space_free(s);
}

Test(space, both_views_are_one_memory) {
    struct address_space *s = make();
    uint64_t a = address_space_alloc(s, REGION_DEVICE, 4096, 0, NULL);
    *(volatile int *)(uintptr_t)a = 42;
    int seen = 0;
    cr_expect_eq(pread(address_space_fd(s, REGION_DEVICE), &seen, sizeof seen,
                       (off_t)(a - ADDRESS_SPACE_BASE)),
                 4);
    cr_expect_eq(seen, 42);
    address_space_free(s);
}

Test(space, the_mapping_in_the_way_is_named) {
    struct address_space *s = make(), *second;
    struct heddle_diag diag = {0};
    cr_expect_eq(address_space_create(&second, &(struct address_space_size){MIB, MIB, 0, 1}, &diag),
                 HEDDLE_ERR_IO);
    cr_expect(strstr(diag.text, "cannot map device memory at 0x7e8000000000, 1048576 bytes: in the "
                                "way is 7e8000000000-"),
              "%s", diag.text);
    address_space_free(s);
}

/* Compares random allocations and frees with a plain list: blocks never overlap, and the free bytes
 * are right. */
Test(space, random_against_a_list) {
    enum { SLOTS = 200, STEPS = 20000 };
    struct address_space *s = make();
    struct {
        uint64_t at, bytes;
    } live[SLOTS] = {{0, 0}};
    unsigned seed = 7;
    for (int step = 0; step < STEPS; step++) {
        int i = rand_r(&seed) % SLOTS;
        if (live[i].at) {
            cr_assert(address_space_release(s, REGION_DEVICE, live[i].at));
            live[i].at = 0;
            continue;
        }
        uint64_t bytes = (uint64_t)(rand_r(&seed) % (rand_r(&seed) % 8 ? 5000 : MIB)) + 1;
        uint64_t at = address_space_alloc(s, REGION_DEVICE, bytes, 0, NULL);
        if (!at) continue;
        cr_assert_eq(at % ADDRESS_SPACE_ALIGN, 0u);
        for (int j = 0; j < SLOTS; j++)
            if (live[j].at)
                cr_assert(at + bytes + ADDRESS_SPACE_ALIGN <= live[j].at ||
                          live[j].at + live[j].bytes + ADDRESS_SPACE_ALIGN <= at);
        live[i].at = at;
        live[i].bytes = bytes;
    }
    for (int i = 0; i < SLOTS; i++)
        if (live[i].at) cr_assert(address_space_release(s, REGION_DEVICE, live[i].at));
    cr_expect_eq(address_space_available(s, REGION_DEVICE), address_space_bytes(s, REGION_DEVICE));
    address_space_free(s);
}
