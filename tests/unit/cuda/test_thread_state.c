/* test_thread_state.c - host/cuda/base/thread_state.c: threads and children of this process that
 * compute, sleep for a time, sleep for others, and have ended. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/base/thread_state.h"

enum what { COMPUTES, SLEEPS, LOCKS, CONDITION };

struct worker {
    pthread_t thread;
    enum what what;
    atomic_int tid;
    atomic_bool ends;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void *work(void *user) {
    struct worker *w = user;
    atomic_store(&w->tid, (int)syscall(SYS_gettid));
    if (w->what == LOCKS || w->what == CONDITION) pthread_mutex_lock(&w->lock);
    while (!atomic_load(&w->ends)) {
        if (w->what == SLEEPS) usleep(20000);
        if (w->what == CONDITION) pthread_cond_wait(&w->changed, &w->lock);
    }
    if (w->what == LOCKS || w->what == CONDITION) pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void begin(struct worker *w, enum what what) {
    w->what = what;
    atomic_store(&w->tid, 0);
    atomic_store(&w->ends, false);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (what == LOCKS) pthread_mutex_lock(&w->lock);
    cr_assert_eq(pthread_create(&w->thread, NULL, work, w), 0);
    while (!atomic_load(&w->tid)) usleep(1000);
}

static void end(struct worker *w) {
    atomic_store(&w->ends, true);
    if (w->what == LOCKS) pthread_mutex_unlock(&w->lock);
    pthread_mutex_lock(&w->lock);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
}

/* Waits until the thread is in the state. */
static bool comes_to(int pid, int tid, char state) {
    for (int i = 0; i < 2000; i++) {
        if (thread_state(pid, tid) == state) return true;
        usleep(1000);
    }
    return false;
}

Test(thread_state, what_threads_do) {
    const int pid = getpid();
    struct worker w;
    begin(&w, COMPUTES);
    cr_expect(comes_to(pid, w.tid, 'R'));
    cr_expect_not(thread_sleeps_for_others(pid, w.tid));
    end(&w);
    begin(&w, SLEEPS);
    cr_expect(comes_to(pid, w.tid, 'S'));
    cr_expect_not(thread_sleeps_for_others(pid, w.tid));
    const uint64_t runs = thread_runs(pid, w.tid);
    usleep(100000);
    cr_expect(runs == 0 || thread_runs(pid, w.tid) > runs); /* 0: this system does not count */
    end(&w);
    for (enum what what = LOCKS; what <= CONDITION; what++) {
        begin(&w, what);
        cr_expect(comes_to(pid, w.tid, 'S'));
        usleep(20000);
        const uint64_t before = thread_runs(pid, w.tid);
        usleep(50000);
        cr_expect_eq(thread_runs(pid, w.tid), before);
        end(&w);
    }
    cr_expect(comes_to(pid, w.tid, '?')); /* a joined thread may stand in /proc a little longer */
}

Test(thread_state, children_and_threads) {
    const int pid = getpid();
    struct worker w;
    GArray *list = g_array_new(FALSE, FALSE, sizeof(int));
    const unsigned threads = process_num_threads(pid);
    begin(&w, SLEEPS);
    cr_expect_eq(process_num_threads(pid), threads + 1);
    process_threads(pid, list);
    cr_assert_eq(list->len, threads + 1);
    for (unsigned i = 1; i < list->len; i++)
        cr_expect_lt(g_array_index(list, int, i - 1), g_array_index(list, int, i));
    end(&w);
    const int child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        pause();
        _exit(0);
    }
    cr_expect(comes_to(child, child, 'S'));
    g_array_set_size(list, 0);
    process_children(pid, list);
    cr_assert_eq(list->len, 1u);
    cr_expect_eq(g_array_index(list, int, 0), child);
    kill(child, SIGKILL);
    cr_expect(comes_to(child, child, 'Z'));
    waitpid(child, NULL, 0);
    cr_expect_eq(thread_state(child, child), '?');
    cr_expect_eq(process_num_threads(child), 0u);
    g_array_unref(list);
}
