/* test_address_space.c - cuda/base/address_space.c: first fit, merging of free blocks, state bytes,
 * look-up by address. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/base/address_space.h"

enum { MIB = 1 << 20 };

/* The page before each device's memory stands for the same one. */
Test(space, padding_before_each_device) {
    struct address_space *s;
    struct heddle_diag diag = {0};
    const struct address_space_size size = {
        .device_bytes = 64 * MIB, .pinned_bytes = MIB, .devices = 3};
    cr_assert_eq(address_space_create(&s, &size, &diag), HEDDLE_OK, "%s", diag.text);
    const struct exec_memory *m = address_space_memory(s);
    uint64_t front = exec_memory_padding(m, address_space_base(s, REGION_DEVICE) - 4);
    cr_assert_neq(front, 0u);
    for (unsigned i = 1; i < 3; i++) {
        uint64_t base = address_space_base(s, REGION_DEVICE + i);
        cr_expect_eq(exec_memory_padding(m, base - 4), front);
        cr_expect_eq(exec_memory_padding(m, base), 0u);
        cr_expect_eq(exec_memory_padding(m, base - EXEC_PAGE - 1), 0u);
    }
    cr_expect_eq(exec_memory_padding(m, 2 * address_space_base(s, REGION_DEVICE + 2)), 0u);
    address_space_free(s);
}

static struct address_space *make_with(bool guard, bool track) {
    struct address_space *s;
    struct heddle_diag diag = {0};
    const struct address_space_size size = {
        .device_bytes = 64 * MIB, .pinned_bytes = 16 * MIB, .guard = guard, .track = track};
    cr_assert_eq(address_space_create(&s, &size, &diag), HEDDLE_OK, "%s", diag.text);
    return s;
}
static struct address_space *make(void) {
    return make_with(false, false);
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
    cr_expect_eq(
        address_space_create(
            &second, &(struct address_space_size){.device_bytes = MIB, .pinned_bytes = MIB}, &diag),
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

/* Pages of 2 MiB are mapped as long as an allocation lies in them; the one before the device's
 * memory always. */
Test(space, padding) {
    struct address_space *s = make();
    struct exec_memory *m = address_space_memory(s);
    uint64_t a = address_space_alloc(s, REGION_DEVICE, 100, 0, NULL);
    uint64_t b = address_space_alloc(s, REGION_DEVICE, 3 * MIB, 0, NULL);
    cr_expect_eq(exec_memory_padding(m, a + 100), a + 100);
    cr_expect_eq(exec_memory_padding(m, a + 4 * MIB - 1), a + 4 * MIB - 1);
    cr_expect_eq(exec_memory_padding(m, a + 4 * MIB), 0u);
    uint64_t front = exec_memory_padding(m, a - 4);
    cr_assert_neq(front, 0u);
    *(volatile uint32_t *)(uintptr_t)front = 7; /* its bytes exist */
    cr_expect_eq(exec_memory_padding(m, a - EXEC_PAGE - 1), 0u);
    cr_expect(address_space_release(s, REGION_DEVICE, a));
    cr_expect_neq(exec_memory_padding(m, a), 0u, "the other block lies in the page, too");
    cr_expect(address_space_release(s, REGION_DEVICE, b));
    cr_expect_eq(exec_memory_padding(m, a), 0u);
    cr_expect_eq(exec_memory_padding(m, b + 2 * MIB), 0u);
    uint64_t p = address_space_alloc(s, REGION_PINNED, 1, 0, NULL);
    uint64_t last = p + 16 * MIB - 1;
    cr_expect_eq(exec_memory_padding(m, last), 0u);
    address_space_free(s);
}

/* With `guard`, freed blocks keep their addresses until the room is needed, oldest first. */
Test(space, freed_blocks_are_set_aside) {
    struct address_space *s = make_with(true, false);
    uint64_t all = address_space_bytes(s, REGION_DEVICE);
    uint64_t a = address_space_alloc(s, REGION_DEVICE, 1000, 0, s);
    uint64_t b = address_space_alloc(s, REGION_DEVICE, 1000, 0, s);
    cr_expect_geq(b - a, 1000u + 4096u, "a page lies between them");
    cr_expect(address_space_release(s, REGION_DEVICE, a));
    cr_expect_not(address_space_release(s, REGION_DEVICE, a), "freed twice");
    cr_expect_null(address_space_find(s, a, 1));
    cr_expect_eq(address_space_nearest(s, a)->address, b);
    cr_expect_gt(address_space_alloc(s, REGION_DEVICE, 1000, 0, s), b, "not the freed block");
    for (int i = 0; i < 300; i++) /* more than the log of freed blocks holds */
        address_space_release(s, REGION_DEVICE, address_space_alloc(s, REGION_DEVICE, 9, 0, s));
    struct freed_block freed = {0};
    cr_expect(address_space_freed(s, a + 999, &freed));
    cr_expect_eq(freed.address, a);
    cr_expect_eq(freed.number, 1u);
    address_space_release_owner(s, s);
    cr_expect_eq(address_space_available(s, REGION_DEVICE), all);
    uint64_t whole = address_space_alloc(s, REGION_DEVICE, all - 256, 0, s);
    cr_expect_eq(whole, a, "they make room");
    cr_expect(address_space_find(s, a, 1));
    address_space_free(s);
}

Test(space, leaks) {
    struct address_space *s = make();
    int owner;
    cr_expect_null(address_space_leaked(s, &owner, NULL));
    uint64_t p = address_space_alloc(s, REGION_PINNED, 1, 0, &owner);
    uint64_t a = address_space_alloc(s, REGION_DEVICE, 1, 0, &owner);
    uint64_t b = address_space_alloc(s, REGION_DEVICE, 1, 0, &owner);
    address_space_alloc(s, REGION_DEVICE, 1, 0, &owner); /* nobody asked for it */
    address_space_ask(s, address_space_alloc(s, REGION_DEVICE, 1, 0, s));
    address_space_ask(s, a);
    address_space_ask(s, b);
    address_space_ask(s, p);
    address_space_release(s, REGION_DEVICE, a);
    const struct memory_block *first = address_space_leaked(s, &owner, NULL);
    cr_assert(first && first->address == p);
    const struct memory_block *second = address_space_leaked(s, &owner, first);
    cr_assert(second && second->address == b);
    cr_expect_null(address_space_leaked(s, &owner, second));
    address_space_free(s);
}

Test(space, unwritten_bytes) {
    struct address_space *s = make_with(false, true);
    struct exec_memory *m = address_space_memory(s);
    uint64_t a = address_space_alloc(s, REGION_DEVICE, 100, 0, NULL);
    cr_expect(exec_memory_written(m, a, 32), "nobody asked for it");
    address_space_ask(s, a);
    cr_expect_not(exec_memory_written(m, a, 1));
    address_space_note_write(s, a + 30, 40);
    cr_expect_not(exec_memory_written(m, a + 29, 1));
    cr_expect_not(exec_memory_written(m, a + 28, 4));
    cr_expect(exec_memory_written(m, a + 30, 2));
    cr_expect(exec_memory_written(m, a + 32, 32));
    cr_expect_eq(state_at(s, a + 32), EXEC_SECTOR, "nothing left to check");
    cr_expect(exec_memory_written(m, a + 64, 6));
    cr_expect_not(exec_memory_written(m, a + 64, 8));
    address_space_release(s, REGION_DEVICE, a);
    cr_expect_eq(address_space_alloc(s, REGION_DEVICE, 100, 0, NULL), a);
    address_space_ask(s, a);
    cr_expect_not(exec_memory_written(m, a + 32, 4), "allocated anew");
    address_space_note_write(s, a - 1000, 10); /* elsewhere: ignored */
    address_space_note_write(s, 4096, 10);
    address_space_free(s);
}
