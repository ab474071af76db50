/* worker_pool.h - threads that carry out a round of jobs, each on whichever thread takes it first.
 *
 * A job has a home, the thread that takes it if it can, because that processor's cache holds the
 * job's data. A thread without jobs of its own takes any job that no thread has begun. A round
 * therefore waits only for jobs that have begun, never for a thread that the operating system has
 * not woken or has descheduled.
 *
 * Threads: the caller's is number 0 and takes part. All calls come from one thread. */
#ifndef HEDDLE_FABRIC_WORKER_POOL_H
#define HEDDLE_FABRIC_WORKER_POOL_H

#include <stdint.h>

#include "common/error.h"

struct worker_pool;

/* Starts threads - 1 threads (`threads` >= 1 counts the caller's). Each round calls
 * `work(self, job)` once for each of its jobs, on any of the threads. home[job] is the job's
 * thread, for jobs 0 .. num_jobs - 1; it is copied. @return HEDDLE_ERR_NOMEM: the system gives no
 * more threads; *out is NULL. */
heddle_err worker_pool_create(struct worker_pool **out, unsigned threads, uint32_t num_jobs,
                              const unsigned *home, void (*work)(void *self, uint32_t job),
                              void *self);
/* Ends the threads and frees the pool. Accepts NULL. Between rounds. */
void worker_pool_free(struct worker_pool *pool);

/* Adds a job to the next round, once. Between rounds. */
void worker_pool_add(struct worker_pool *pool, uint32_t job);
/* Carries out the jobs added since the last round, and returns when all are done. */
void worker_pool_run(struct worker_pool *pool);

#endif
