/* worker_pool.c - threads that carry out a round of jobs, each on whichever thread takes it first;
 * contracts in worker_pool.h. The fabric uses it: a round is a window, a job is a component.
 *
 * Each job has an atomic word, its ticket: 2 * round means that the job may be taken in that round,
 * 2 * round + 1 that a thread has taken it. A thread that wakes after its round is over finds no
 * ticket of that round and touches nothing: before it takes a job, it reads only atomics and the
 * pool's constant members.
 *
 * The caller's thread (number 0) runs the functions of worker_pool.h; each other thread runs
 * worker_main(); both run take() and take_all(). */
#include "fabric/worker_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/rescue.h"

/* A thread of the pool; workers[0] stands for the caller's and is not used. */
struct worker {
    struct worker_pool *pool;
    unsigned index; /* number of the thread, from 1 */
    pthread_t thread;
};

/* A pool. While its threads run, only the atomics, `round` and `added` change. */
struct worker_pool {
    unsigned num_threads; /* with the caller's */
    uint32_t num_jobs;
    unsigned *home;      /* per job: its thread */
    atomic_uint *ticket; /* per job, see above */
    void (*work)(void *self, uint32_t job);
    void *self;
    struct worker *workers;
    uint32_t round, added; /* number of the next round, its jobs so far; the caller's thread only */
    atomic_uint current;   /* number of the last round that has begun */
    atomic_uint left;      /* jobs of the running round that are not done */
    atomic_bool stop;      /* workers end when they wake */
    bool rescues;          /* whoever creates the pool has a way back: so have its threads */
    atomic_bool lost;      /* a worker ran out of memory, */
    const char *lost_for;  /* for this; */
    size_t lost_bytes;     /* so many */
    pthread_mutex_t lock;  /* for threads that sleep between rounds */
    pthread_cond_t wake;
};

/* Runs the job on this thread if it belongs to the round and no thread has taken it yet; then
 * counts it as done in c->left. */
static void take(struct worker_pool *c, unsigned round, uint32_t job) {
    unsigned open = 2 * round;
    if (atomic_load_explicit(&c->ticket[job], memory_order_relaxed) != open) return;
    if (!atomic_compare_exchange_strong_explicit(&c->ticket[job], &open, open + 1,
                                                 memory_order_acquire, memory_order_relaxed))
        return;
    c->work(c->self, job);
    atomic_fetch_sub_explicit(&c->left, 1, memory_order_release);
}

/* Takes every open job of the round: first those at home on this thread, then the others. */
static void take_all(struct worker_pool *c, unsigned round, unsigned thread) {
    for (uint32_t i = 0; i < c->num_jobs; i++)
        if (c->home[i] == thread) take(c, round, i);
    for (uint32_t i = 0; i < c->num_jobs; i++)
        if (c->home[i] != thread) take(c, round, i);
}

/* One step of waiting for another thread: spins at first, later yields the processor. */
static void wait_turn(unsigned turn) {
    if (turn < 2000)
        __builtin_ia32_pause();
    else
        sched_yield();
}

/* A worker has run out of memory within a job, which then counts as done. worker_pool_run() takes
 * the way back of its caller. */
static void lose(struct worker_pool *c, const struct heddle_rescue *r) {
    bool first = false;
    if (atomic_compare_exchange_strong(&c->lost, &first, true)) {
        c->lost_for = r->what;
        c->lost_bytes = r->bytes;
    }
    atomic_fetch_sub_explicit(&c->left, 1, memory_order_release);
}

/* A worker thread: waits for a round, takes its jobs, until `stop` is set. Rounds follow each other
 * within microseconds while a kernel runs, and do not come at all while the program computes, so
 * the thread spins and yields for a while and then sleeps on the condition. */
static void *worker_main(void *arg) {
    struct worker *m = arg;
    struct worker_pool *c = m->pool;
    struct heddle_rescue rescue;
    volatile unsigned last = 0;
    if (c->rescues) heddle_rescue_set(&rescue);
    if (c->rescues && setjmp(rescue.back)) lose(c, &rescue);
    unsigned seen = last;
    for (;;) {
        unsigned now;
        for (unsigned turn = 0;
             (now = atomic_load_explicit(&c->current, memory_order_acquire)) == seen; turn++) {
            if (turn < 2200) {
                wait_turn(turn);
                continue;
            }
            pthread_mutex_lock(&c->lock);
            while (atomic_load(&c->current) == seen) pthread_cond_wait(&c->wake, &c->lock);
            pthread_mutex_unlock(&c->lock);
        }
        last = seen = now;
        if (atomic_load(&c->stop)) return NULL;
        take_all(c, seen, m->index);
    }
}

/* Publishes the next round to the workers and wakes those that sleep. Takes the lock. */
static void begin_round(struct worker_pool *c) {
    pthread_mutex_lock(&c->lock);
    atomic_store_explicit(&c->current, c->round, memory_order_release);
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->lock);
    c->round++;
}

/* Allocates the pool and starts threads - 1 threads, which wait for the first round. `home`: the
 * home thread of each job, copied; `work(self, job)` runs on any of the threads. @return
 * HEDDLE_ERR_NOMEM if the system gives no more threads: those that were started end, and *out is
 * NULL. */
heddle_err worker_pool_create(struct worker_pool **out, unsigned threads, uint32_t num_jobs,
                              const unsigned *home, void (*work)(void *self, uint32_t job),
                              void *self) {
    struct worker_pool *c = heddle_alloc(sizeof *c, "simulation threads");
    *out = NULL;
    c->num_threads = 1;
    c->num_jobs = num_jobs;
    c->round = 1;
    c->work = work;
    c->self = self;
    c->rescues = heddle_rescue_get() != NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    c->home = heddle_alloc_array(num_jobs, sizeof *c->home, "homes of jobs");
    c->ticket = heddle_alloc_array(num_jobs, sizeof *c->ticket, "tickets of jobs");
    c->workers = heddle_alloc_array(threads, sizeof *c->workers, "simulation threads");
    memcpy(c->home, home, num_jobs * sizeof *c->home);
    bool made = true;
    while (made && c->num_threads < threads) {
        struct worker *m = &c->workers[c->num_threads];
        *m = (struct worker){.pool = c, .index = c->num_threads};
        made = !pthread_create(&m->thread, NULL, worker_main, m);
        if (made) c->num_threads++;
    }
    if (!made) {
        worker_pool_free(c);
        return HEDDLE_ERR_NOMEM;
    }
    *out = c;
    return HEDDLE_OK;
}

/* Between rounds: wakes the threads with `stop` set, joins them, and frees the pool. Accepts
 * NULL. */
void worker_pool_free(struct worker_pool *c) {
    if (!c) return;
    atomic_store(&c->stop, true);
    if (c->num_threads > 1) begin_round(c);
    for (unsigned i = 1; i < c->num_threads; i++) pthread_join(c->workers[i].thread, NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->wake);
    free(c->home);
    free(c->ticket);
    free(c->workers);
    free(c);
}

/* Between rounds, on the caller's thread: adds the job to the next round by opening its ticket, so
 * that any thread may take it once worker_pool_run() has published the round. */
void worker_pool_add(struct worker_pool *c, uint32_t job) {
    atomic_store_explicit(&c->ticket[job], 2 * c->round, memory_order_relaxed);
    c->added++;
}

/* Carries out the jobs added since the last round, on this thread and the others, and returns when
 * all are done. Wakes no thread for fewer than two jobs: the caller's runs them alone. Takes the
 * lock to wake the others. */
void worker_pool_run(struct worker_pool *c) {
    unsigned round = c->round;
    bool alone = c->num_threads == 1 || c->added < 2;
    atomic_store_explicit(&c->left, c->added, memory_order_relaxed);
    c->added = 0;
    if (alone)
        c->round++;
    else
        begin_round(c);
    take_all(c, round, 0);
    for (unsigned turn = 0; atomic_load_explicit(&c->left, memory_order_acquire); turn++)
        wait_turn(turn);
    if (atomic_load_explicit(&c->lost, memory_order_relaxed))
        heddle_out_of_memory(c->lost_for, c->lost_bytes);
}
