/* test_worker_pool.c - host/fabric/worker_pool.c: each job of a round is done exactly once, however
 * late a thread is, and the thread that does the job in the next round sees the previous thread's
 * writes. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "fabric/worker_pool.h"

enum { JOBS = 9, ROUNDS = 3000 };

struct counts {
    uint32_t done[JOBS]; /* plain words: only the thread that has the job accesses its word */
};

static void work(void *self, uint32_t job) {
    struct counts *c = self;
    c->done[job]++;
}

/* Runs random sets of jobs on a pool of `threads` threads, where job i belongs to home i % homes,
 * and counts them. */
static void rounds(unsigned threads, unsigned homes) {
    struct counts c = {0};
    struct worker_pool *pool;
    unsigned home[JOBS];
    uint32_t want[JOBS] = {0}, state = 12345 + threads;
    for (unsigned i = 0; i < JOBS; i++) home[i] = i % homes;
    cr_assert_eq(worker_pool_create(&pool, threads, JOBS, home, work, &c), HEDDLE_OK);
    for (unsigned r = 0; r < ROUNDS; r++) {
        state = state * 1664525u + 1013904223u;
        /* sometimes no job, or a single one */
        uint32_t jobs = r % 5 ? state >> 16 : 1u << r % JOBS;
        for (unsigned i = 0; i < JOBS; i++)
            if (jobs >> i & 1) {
                worker_pool_add(pool, i);
                want[i]++;
            }
        worker_pool_run(pool);
        for (unsigned i = 0; i < JOBS; i++) cr_assert_eq(c.done[i], want[i], "job %u", i);
    }
    worker_pool_free(pool);
}

Test(pool, one_thread) {
    rounds(1, 1);
}

Test(pool, as_many_homes_as_threads) {
    for (unsigned threads = 2; threads <= 4; threads++) rounds(threads, threads);
}

Test(pool, jobs_of_a_thread_that_does_not_exist) {
    rounds(2, 5);
}

Test(pool, threads_without_jobs_of_their_own) {
    rounds(4, 1);
}
