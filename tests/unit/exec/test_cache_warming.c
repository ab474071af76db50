/* test_cache_warming.c - exec/memory/cache_warming.c: the list of lines that launches have touched,
 * the latest last. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "exec/memory/cache_warming_log.h"

enum { BASE = 1 << 20, SIZE = 1 << 20, LOCAL = 1u << 30 };

/* Makes a log for a cache of `cache` lines, with 2 SMs of 4 warps. */
static struct exec_warming *make(uint32_t cache) {
    const struct exec_memory memory = {.base = BASE, .size = SIZE};
    const struct exec_warming_options o = {
        .cache = cache, .local_line = LOCAL, .sms = 2, .sm_warps = 4};
    struct exec_warming *t;
    cr_assert_eq(exec_warming_create(&t, &memory, &o), HEDDLE_OK);
    return t;
}

static void touch(struct exec_warming *t, uint32_t line) {
    exec_warming_note(t, BASE + (uint64_t)line * WARMING_LINE + 4);
}

Test(touched, runs_of_lines_each_once) {
    struct exec_warming *t = make(100);
    uint32_t n;
    cr_assert_eq(exec_warming_begin(t, 0), HEDDLE_OK);
    const uint32_t lines[] = {7, 5, 6, 5, 5, 90, 7};
    for (unsigned i = 0; i < 7; i++) touch(t, lines[i]);
    exec_warming_note(t, 0); /* outside */
    const struct exec_warming_run *r = exec_warming_take(t, &n);
    cr_assert_eq(n, 2);
    cr_assert(r[0].first == 5 && r[0].count == 3);
    cr_assert(r[1].first == 90 && r[1].count == 1);
    exec_warming_take(t, &n);
    cr_assert_eq(n, 0);
    exec_warming_free(t);
}

Test(touched, the_latest_are_kept) {
    struct exec_warming *t = make(10);
    uint32_t n, lines = 0;
    for (uint32_t launch = 0; launch < 20; launch++) {
        cr_assert_eq(exec_warming_begin(t, 0), HEDDLE_OK);
        for (uint32_t i = 0; i < 30; i++) touch(t, 100 * launch + 2 * i);
    }
    const struct exec_warming_run *r = exec_warming_take(t, &n);
    for (uint32_t i = 0; i < n; i++) {
        lines += r[i].count;
        cr_assert_geq(r[i].first, 1900 + 2 * 20);
    }
    cr_assert_eq(lines, 10);
    exec_warming_free(t);
}

/* A line that a later launch touches moves to that launch's place in the list. */
Test(touched, a_launch_touches_anew) {
    struct exec_warming *t = make(2);
    uint32_t n;
    for (uint32_t launch = 0; launch < 2; launch++) {
        cr_assert_eq(exec_warming_begin(t, 0), HEDDLE_OK);
        touch(t, 40);
        touch(t, launch ? 50 : 60);
        if (!launch) touch(t, 70);
    }
    const struct exec_warming_run *r = exec_warming_take(t, &n);
    cr_assert_eq(n, 2);
    cr_assert(r[0].first == 40 && r[1].first == 50);
    exec_warming_free(t);
}

Test(touched, local_memory_has_lines_of_its_own) {
    struct exec_warming *t = make(100);
    uint32_t n;
    cr_assert_eq(exec_warming_begin(t, 8), HEDDLE_OK); /* two words for each thread */
    exec_warming_note_local(t, 1, 3, 4);
    exec_warming_note_local(t, 1, 3, 4);
    cr_assert_eq(exec_warming_begin(t, 400), HEDDLE_OK); /* more than before */
    exec_warming_note_local(t, 0, 1, 0);
    const struct exec_warming_run *r = exec_warming_take(t, &n);
    cr_assert_eq(n, 2);
    cr_assert_eq(r[0].first, LOCAL + (1 * 4 + 3) * 2 + 1);
    cr_assert_eq(r[1].first, LOCAL + 100);
    exec_warming_free(t);
}
