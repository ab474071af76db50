/* test_rescue.c - host/common/rescue.h: the way back of a thread that runs out of memory, and of
 * the threads of a pool that serve it. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "common/memory.h"
#include "common/rescue.h"
#include "fabric/worker_pool.h"

enum { JOBS = 4 };

Test(rescue, takes_the_way_back) {
    struct heddle_rescue outer, inner;
    cr_assert_null(heddle_rescue_set(&outer));
    cr_expect_eq(heddle_rescue_get(), &outer);
    if (setjmp(outer.back)) cr_assert_fail("the other one was set last");
    cr_assert_eq(heddle_rescue_set(&inner), &outer);
    if (!setjmp(inner.back)) {
        heddle_out_of_memory("a test", SIZE_MAX);
        cr_assert_fail("it has returned");
    }
    cr_expect_str_eq(inner.what, "a test");
    cr_expect_eq(inner.bytes, SIZE_MAX);
    cr_expect_eq(heddle_rescue_set(NULL), &inner);
    cr_expect_null(heddle_rescue_get());
}

/* Runs out of memory in each job. */
static void lose(void *self, uint32_t job) {
    (void)self, (void)job;
    heddle_out_of_memory("a job", 0);
}

/* Runs out in none. */
static void count(void *self, uint32_t job) {
    (void)job;
    __atomic_fetch_add((int *)self, 1, __ATOMIC_RELAXED);
}

/* Whatever thread loses, the caller of the round takes its way back. */
Test(rescue, of_a_pool) {
    static const unsigned home[JOBS] = {1, 1, 1, 1};
    struct heddle_rescue rescue;
    struct worker_pool *pool;
    volatile int back = 0;
    int jobs = 0;
    heddle_rescue_set(&rescue);
    cr_assert_eq(worker_pool_create(&pool, 2, JOBS, home, count, &jobs), HEDDLE_OK);
    for (uint32_t i = 0; i < JOBS; i++) worker_pool_add(pool, i);
    worker_pool_run(pool);
    cr_expect_eq(jobs, JOBS);
    worker_pool_free(pool);
    for (int round = 0; round < 50; round++) {
        cr_assert_eq(worker_pool_create(&pool, 2, JOBS, home, lose, NULL), HEDDLE_OK);
        if (setjmp(rescue.back)) {
            back++;
            cr_expect_str_eq(rescue.what, "a job");
            continue; /* nothing of the pool may be used */
        }
        for (uint32_t i = 0; i < JOBS; i++) worker_pool_add(pool, i);
        worker_pool_run(pool);
        cr_assert_fail("it has returned");
    }
    cr_expect_eq(back, 50);
}
