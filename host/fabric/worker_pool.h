/* worker_pool.h - threads that carry out a round of jobs, each on whichever thread takes it first.
 *
 * A job has a home, the thread that takes it if it can: the job's data are in that processor's
 * cache. A thread without jobs of its own takes any that nobody has begun. So a round waits only
 * for jobs that have begun, never for a thread that the machine has not woken or has descheduled.
 *
 * Threads: the caller's is number 0 and takes part. All calls come from one thread. */
#ifndef HEDDLE_FABRIC_WORKER_POOL_H
#define HEDDLE_FABRIC_WORKER_POOL_H

#include <stdint.h>

#include "common/error.h"

struct worker_pool;

/* `work(self, job)` is called once for each job of a round, on any of `threads` >= 1 threads.
 * home[job]: its thread, for jobs 0 .. num_jobs - 1; copied.
 * @return HEDDLE_ERR_NOMEM: the system gives no more threads. */
heddle_err worker_pool_create(struct worker_pool **out, unsigned threads, uint32_t num_jobs,
                              const unsigned *home, void (*work)(void *self, uint32_t job),
                              void *self);
void worker_pool_free(struct worker_pool *pool);

/* The job belongs to the next round. */
void worker_pool_add(struct worker_pool *pool, uint32_t job);
/* Carries out the jobs added since the last round, and returns when all are done. */
void worker_pool_run(struct worker_pool *pool);

#endif
