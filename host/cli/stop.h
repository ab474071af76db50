/* stop.h - signals that ask a `heddle run` to stop: the program gets them, so that its end ends the
 * run, with a report. */
#ifndef HEDDLE_CLI_STOP_H
#define HEDDLE_CLI_STOP_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Sends a signal to the programs that are connected, but for the processes `except`. May be called
 * from the watching thread at any time. */
typedef void (*stop_others_fn)(void *user, int number, const pid_t *except, unsigned num);

/* The signals of this process. Borrowed by all functions here; not copied. */
struct stop {
    sigset_t before;  /* the mask of signals */
    sigset_t watched; /* of SIGTERM, SIGHUP, SIGINT, SIGQUIT, those that were not ignored */
    void (*pipe)(int), (*file_size)(int); /* what SIGPIPE and SIGXFSZ did */
    pthread_t thread;                     /* watches, if `watches` */
    bool watches;
    const pid_t *program; /* num_programs of them, borrowed */
    unsigned num_programs;
    stop_others_fn others;
    void *user;
    uint64_t timeout_ms; /* wall time until the program is asked to stop, 0: never */
    /* Of that time the run was paused, ms: before, and since then, by the clock of stop.c; 0: it is
     * not paused. */
    atomic_uint_least64_t paused_ms, paused_since;
    atomic_bool timed_out; /* it was asked */
    atomic_bool asked;     /* a signal was passed on, or sent for the time */
    atomic_bool ended;     /* the program has ended: the next signal ends the thread */
};

/* Takes over the signals of this process: blocks `watched` in this thread and in those that it
 * starts from now on, and ignores SIGPIPE and SIGXFSZ, so that a write to a closed pipe, or beyond
 * the limit of a file's size, is an error with a message. Call it before the first thread is
 * started. */
void stop_hold(struct stop *s);

/* @return a signal that has come since, and is taken now; 0: none. For the time before there is a
 * program that could get it. */
int stop_asked(const struct stop *s);

/* In a child, before it executes a program: signals are as they were before stop_hold(). */
void stop_restore(const struct stop *s);

/* Starts the thread that watches: it passes signals on to the programs and `others`. A signal that
 * comes STOP_PATIENCE_MS or more after the first one kills them. Without a thread (the system gives
 * none) signals wait until stop_end(). */
enum { STOP_PATIENCE_MS = 500 };
void stop_watch(struct stop *s, const pid_t *program, unsigned num, stop_others_fn others,
                void *user);
/* Before stop_watch(): the thread itself asks, with SIGTERM, when the programs have run for
 * `seconds`, and STOP_LAST_MS later kills. */
enum { STOP_LAST_MS = 2000 };
void stop_after(struct stop *s, double seconds);

/* From any thread: the run is paused, or goes on. The time of stop_after() stands still meanwhile,
 * until the program was asked. */
void stop_hold_time(struct stop *s, bool paused);

/* Ends the thread, when the program has ended. */
void stop_end(struct stop *s);

#endif
