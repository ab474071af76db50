/* test_block_tree.c - cuda/base/block_tree.c against a plain list of blocks, with random
 * allocations and frees; and with as many as a program may make. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/base/block_tree.h"

enum { MOST = 300, BASE = 1 << 20, BYTES = 1 << 17 };

/* The same blocks, sorted by address. */
struct list {
    struct memory_block block[MOST];
    size_t n;
};

/* The first gap, found by looking at all blocks. */
static uint64_t gap_of(const struct list *l, uint64_t reserved, uint64_t unit) {
    uint64_t at = BASE;
    for (size_t i = 0; i < l->n; i++) {
        if (at <= l->block[i].address && l->block[i].address - at >= reserved) return at;
        at = (l->block[i].address + l->block[i].reserved + unit - 1) / unit * unit;
    }
    return at + reserved <= BASE + BYTES ? at : 0;
}

static void add(struct list *l, const struct memory_block *b) {
    size_t i = l->n++;
    for (; i > 0 && l->block[i - 1].address > b->address; i--) l->block[i] = l->block[i - 1];
    l->block[i] = *b;
}

static void expect_same(const struct list *l, const struct block_tree *t, uint64_t address) {
    const struct memory_block *upto = NULL, *behind = NULL;
    for (size_t i = 0; i < l->n; i++)
        if (l->block[i].address <= address) upto = &l->block[i];
    for (size_t i = l->n; i-- > 0;)
        if (l->block[i].address > address) behind = &l->block[i];
    const struct memory_block *got = block_tree_upto(t, address);
    cr_assert_eq(upto == NULL, got == NULL);
    if (got) cr_assert_eq(got->address, upto->address);
    const struct memory_block *in = block_tree_at(t, address);
    bool inside = upto && address - upto->address < upto->bytes;
    cr_assert_eq(in != NULL, inside);
    got = block_tree_behind(t, address);
    cr_assert_eq(behind == NULL, got == NULL);
    if (got) cr_assert_eq(got->address, behind->address);
}

Test(block_tree, as_a_list) {
    static struct list l;
    struct block_tree t = {.base = BASE, .bytes = BYTES};
    uint32_t seed = 1;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t r = seed >> 8;
        if (r % 8 < 5 && l.n < MOST) {
            uint64_t unit = r & 64 ? 256 : r & 128 ? 4096 : 1024;
            uint64_t reserved = (1 + r / 256 % 24) * 256;
            uint64_t at = block_tree_gap(&t, reserved, unit);
            cr_assert_eq(at, gap_of(&l, reserved, unit), "step %d", step);
            if (!at) continue;
            const struct memory_block b = {
                .address = at, .bytes = reserved - 100, .reserved = reserved};
            add(&l, &b);
            cr_assert_eq(block_tree_add(&t, &b)->address, at);
        } else if (l.n) {
            size_t i = r / 8 % l.n;
            block_tree_remove(&t, block_tree_at(&t, l.block[i].address));
            memmove(&l.block[i], &l.block[i + 1], (--l.n - i) * sizeof l.block[0]);
        }
        expect_same(&l, &t, BASE + r % (BYTES + 512));
        uint64_t used = 0;
        for (size_t i = 0; i < l.n; i++) used += l.block[i].reserved;
        cr_assert_eq(t.used, used);
    }
    block_tree_clear(&t);
    cr_expect_null(block_tree_upto(&t, UINT64_MAX));
}

/* A million blocks, every second one freed, and the gaps filled again: with a list it took hours.
 * The limit is generous, because the test may share the machine. */
Test(block_tree, a_million_blocks) {
    enum { MANY = 1000000 };
    struct block_tree t = {.base = BASE, .bytes = UINT64_C(1) << 40};
    clock_t begin = clock();
    for (int i = 0; i < MANY; i++) {
        uint64_t at = block_tree_gap(&t, 512, 256);
        cr_assert_eq(at, BASE + 512 * (uint64_t)i);
        block_tree_add(&t, &(struct memory_block){.address = at, .bytes = 100, .reserved = 512});
    }
    for (int i = 0; i < MANY; i += 2)
        block_tree_remove(&t, block_tree_at(&t, BASE + 512 * (uint64_t)i));
    for (int i = 0; i < MANY; i += 2) {
        uint64_t at = block_tree_gap(&t, 512, 256);
        cr_assert_eq(at, BASE + 512 * (uint64_t)i);
        block_tree_add(&t, &(struct memory_block){.address = at, .bytes = 100, .reserved = 512});
    }
    cr_expect_eq(block_tree_gap(&t, 512, 256), BASE + 512 * (uint64_t)MANY);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    cr_expect_lt(seconds, 20.0, "%g s", seconds);
    block_tree_clear(&t);
}
