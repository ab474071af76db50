/* test_clocks.c - exec/check/vector_clock.c compared with plain arrays: random sets and joins, on
 * grids whose trees have one to four levels. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "exec/check/vector_clock.h"

enum { CLOCKS = 8, STEPS = 3000 };

static uint32_t draw(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Applies random operations to clocks over `ctas` CTAs and to plain arrays, and compares them. */
static void compare(uint32_t ctas) {
    unsigned levels = exec_vclock_levels(ctas);
    struct exec_vclock *clock[CLOCKS] = {NULL};
    uint32_t *plain[CLOCKS];
    uint64_t seed = ctas;
    bool failed = false;
    for (unsigned i = 0; i < CLOCKS; i++) plain[i] = calloc(ctas, sizeof **plain);
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned to = draw(&seed) % CLOCKS, from = draw(&seed) % CLOCKS;
        struct exec_vclock *before = clock[to];
        if (draw(&seed) % 4) {
            uint32_t cta = draw(&seed) % ctas, value = draw(&seed) % 1000;
            clock[to] = exec_vclock_set(before, levels, cta, value, &failed);
            plain[to][cta] = value;
        } else {
            clock[to] = exec_vclock_join(before, clock[from], levels, &failed);
            for (uint32_t i = 0; i < ctas; i++)
                if (plain[from][i] > plain[to][i]) plain[to][i] = plain[from][i];
        }
        exec_vclock_drop(before, levels);
        uint32_t cta = draw(&seed) % ctas;
        cr_assert_eq(exec_vclock_get(clock[to], levels, cta), plain[to][cta]);
    }
    cr_assert(!failed);
    for (unsigned i = 0; i < CLOCKS; i++) {
        for (uint32_t j = 0; j < ctas; j++)
            cr_assert_eq(exec_vclock_get(clock[i], levels, j), plain[i][j], "clock %u, CTA %u", i,
                         j);
        exec_vclock_drop(clock[i], levels);
        free(plain[i]);
    }
}

Test(clocks, as_arrays) {
    cr_assert_eq(exec_vclock_levels(32), 0);
    cr_assert_eq(exec_vclock_levels(33), 1);
    cr_assert_eq(exec_vclock_levels(UINT32_MAX), 6);
    compare(1);
    compare(32);
    compare(33);
    compare(5000);
    compare(40000);
}

/* Clocks share common parts: a join with a clock that has no later entry returns the same clock. */
Test(clocks, shared) {
    bool failed = false;
    unsigned levels = exec_vclock_levels(5000);
    struct exec_vclock *a = exec_vclock_set(NULL, levels, 4999, 3, &failed);
    struct exec_vclock *b = exec_vclock_set(a, levels, 7, 2, &failed);
    struct exec_vclock *c = exec_vclock_join(a, b, levels, &failed);
    struct exec_vclock *d = exec_vclock_join(b, NULL, levels, &failed);
    cr_assert_eq(c, b);
    cr_assert_eq(d, b);
    cr_assert_eq(exec_vclock_get(a, levels, 7), 0);
    cr_assert(!failed);
    exec_vclock_drop(a, levels);
    exec_vclock_drop(b, levels);
    exec_vclock_drop(c, levels);
    exec_vclock_drop(d, levels);
}
