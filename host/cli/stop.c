/* stop.c - passes signals that ask for an end on to the programs; see stop.h.
 *
 * cmd_run.c calls it on the main thread; watch() is a thread of its own, which shares only atomics
 * with it. A signal of the terminal (Ctrl-C, Ctrl-\, the end of the connection) has
 * reached the program as well, since it is in the same process group, and is not sent twice. */
#define _GNU_SOURCE
#include "cli/stop.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void stop_hold(struct stop *s) {
    static const int asks[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    *s = (struct stop){.program = NULL};
    sigemptyset(&s->watched);
    for (unsigned i = 0; i < sizeof asks / sizeof *asks; i++) {
        struct sigaction action;
        /* nohup, and shells for commands in the background, have some ignored: they stay so */
        if (sigaction(asks[i], NULL, &action) != 0 || action.sa_handler != SIG_IGN)
            sigaddset(&s->watched, asks[i]);
    }
    pthread_sigmask(SIG_BLOCK, &s->watched, &s->before);
    s->pipe = signal(SIGPIPE, SIG_IGN);
    s->file_size = signal(SIGXFSZ, SIG_IGN);
}

int stop_asked(const struct stop *s) {
    const int number = sigtimedwait(&s->watched, NULL, &(struct timespec){0});
    return number > 0 ? number : 0;
}

void stop_restore(const struct stop *s) {
    signal(SIGPIPE, s->pipe);
    signal(SIGXFSZ, s->file_size);
    sigprocmask(SIG_SETMASK, &s->before, NULL);
}

/* Milliseconds of wall time, from an arbitrary start. */
static uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

/* The same, less the time for which the run was paused. */
static uint64_t unpaused_ms(const struct stop *s) {
    const uint64_t now = now_ms(), since = atomic_load(&s->paused_since);
    return now - atomic_load(&s->paused_ms) - (since && now > since ? now - since : 0);
}

void stop_hold_time(struct stop *s, bool paused) {
    const uint64_t now = now_ms(), since = atomic_load(&s->paused_since);
    if (!paused && since) atomic_fetch_add(&s->paused_ms, now - since);
    atomic_store(&s->paused_since, paused ? now : 0);
}

/* To the program and all that are connected. */
static void send_all(const struct stop *s, int number) {
    for (unsigned i = 0; i < s->num_programs; i++) kill(s->program[i], number);
    s->others(s->user, number, s->program, s->num_programs);
}

/* Kills all, with a message. */
static void kill_all(const struct stop *s, const char *why) {
    char text[160];
    const int n = snprintf(text, sizeof text,
                           "heddle: %s: the program is killed; the report follows\n", why);
    if (write(STDERR_FILENO, text, (size_t)n) < 0) { /* nobody reads it */
    }
    send_all(s, SIGKILL);
}

/* The clock of the limit: pauses count again once the program was asked to stop. */
static uint64_t limit_now(const struct stop *s) {
    return atomic_load(&s->timed_out) ? now_ms() : unpaused_ms(s);
}

/* Waits for a signal, `limit` (ms of limit_now(), UINT64_MAX: none) at most. @return its number, 0:
 * the limit has passed, -1: neither. */
static int next_signal(const struct stop *s, uint64_t limit, siginfo_t *info) {
    enum { PAUSED_MS = 50 }; /* a pause moves the limit away */
    if (limit == UINT64_MAX) return sigwaitinfo(&s->watched, info);
    const uint64_t now = limit_now(s);
    uint64_t left = limit > now ? limit - now : 0;
    if (left < PAUSED_MS && atomic_load(&s->paused_since)) left = PAUSED_MS;
    const struct timespec wait = {.tv_sec = (time_t)(left / 1000),
                                  .tv_nsec = (long)(left % 1000) * 1000000};
    const int number = sigtimedwait(&s->watched, info, &wait);
    return number > 0 ? number : limit_now(s) >= limit ? 0 : -1;
}

/* The thread. The first signals are passed on; later ones kill, for the program may ignore them, or
 * handle them and go on. A signal that `timeout` and others send to a process and again to its
 * group comes twice at once, and asks once. */
static void *watch(void *user) {
    struct stop *s = user;
    uint64_t first = 0, limit = s->timeout_ms ? limit_now(s) + s->timeout_ms : UINT64_MAX;
    while (!atomic_load(&s->ended)) {
        siginfo_t info;
        const int number = next_signal(s, limit, &info);
        if (number < 0 || atomic_load(&s->ended)) continue;
        const uint64_t now = now_ms();
        atomic_store(&s->asked, true);
        if (!number && !atomic_load(&s->timed_out)) {
            fprintf(stderr,
                    "heddle: the run has taken %g s (--timeout): the program is asked to "
                    "stop\n",
                    (double)s->timeout_ms / 1000);
            atomic_store(&s->timed_out, true);
            limit = now + STOP_LAST_MS;
            send_all(s, SIGTERM);
            continue;
        }
        if (!number || (first && now - first >= STOP_PATIENCE_MS)) {
            kill_all(s, number ? "asked to stop again" : "it has not stopped");
            if (!number) limit = UINT64_MAX;
            continue;
        }
        if (!first) first = now;
        if (info.si_code != SI_KERNEL) send_all(s, info.si_signo);
    }
    return NULL;
}

void stop_watch(struct stop *s, const pid_t *program, unsigned num, stop_others_fn others,
                void *user) {
    s->program = program;
    s->num_programs = num;
    s->others = others;
    s->user = user;
    s->watches = !sigisemptyset(&s->watched) && pthread_create(&s->thread, NULL, watch, s) == 0;
}

void stop_after(struct stop *s, double seconds) {
    s->timeout_ms = (uint64_t)ceil(seconds * 1000);
}

void stop_end(struct stop *s) {
    if (!s->watches) return;
    /* pthread_cancel() would load a library, for which there may be no memory. */
    atomic_store(&s->ended, true);
    sigset_t none;
    sigemptyset(&none);
    int wakes = 0;
    for (int number = 1; number < NSIG && !wakes; number++)
        if (sigismember(&s->watched, number) == 1) wakes = number;
    if (wakes) pthread_kill(s->thread, wakes);
    pthread_join(s->thread, NULL);
    s->watches = false;
}
