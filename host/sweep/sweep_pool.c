/* sweep_pool.c - runs the points of a sweep as child processes, at most `jobs` at a time.
 * cli/cmd_sweep.c calls sweep_pool_run() on the main thread of `heddle sweep`. Everything runs on
 * that thread, the callbacks of struct sweep_pool included, except become(), which runs in the
 * child. The thread waits for signals with sigtimedwait(). */
#include "sweep/sweep_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/processors.h"

enum { TICK_MS = 250 }; /* between two looks at the children */
static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

/* A place for a running command. */
struct job {
    pid_t pid; /* 0: free */
    unsigned index;
};

/* The signals that the pool waits for: end of a child, and `stops`. */
static void watched(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (unsigned i = 0; i < sizeof stops / sizeof *stops; i++) sigaddset(set, stops[i]);
}

/* In the child: becomes the command, with its input from /dev/null and its output in `log`, or
 * exits with 127. It is killed when the parent dies; if the parent died before prctl(), it exits at
 * once. Never returns. */
static void become(char **argv, int log, pid_t parent, const sigset_t *mask) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    int in = open("/dev/null", O_RDONLY);
    if (in < 0 || dup2(in, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) _exit(127);
    close(in);
    close(log);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv(argv[0], argv);
    _exit(127);
}

/* Starts commands from index `next` on until all places are taken: p->begin() gives the command
 * line or skips it; p->ended() reports one that cannot be forked (127). `mask`: signal mask of the
 * commands. @return the next index. */
static unsigned fill(const struct sweep_pool *p, struct job *jobs, unsigned next,
                     const sigset_t *mask) {
    for (unsigned j = 0; j < p->jobs && next < p->count; j++) {
        while (!jobs[j].pid && next < p->count) {
            char **argv;
            int log;
            unsigned index = next++;
            if (!p->begin(p->user, index, &argv, &log)) continue;
            pid_t parent = getpid(), pid = fork();
            if (pid == 0) become(argv, log, parent, mask);
            close(log);
            if (pid < 0)
                p->ended(p->user, index, 127);
            else
                jobs[j] = (struct job){pid, index};
        }
    }
    return next;
}

/* Reaps commands that have ended, frees their places and reports them with p->ended(); with
 * `stopped`, waits for all and reports none. @return the number still running. */
static unsigned reap(const struct sweep_pool *p, struct job *jobs, bool stopped) {
    unsigned running = 0;
    for (unsigned j = 0; j < p->jobs; j++) {
        int status;
        if (!jobs[j].pid) continue;
        if (waitpid(jobs[j].pid, &status, stopped ? 0 : WNOHANG) != jobs[j].pid) {
            running++;
            continue;
        }
        jobs[j].pid = 0;
        if (!stopped)
            p->ended(p->user, jobs[j].index,
                     WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
    return running;
}

/* Waits for a signal, at most TICK_MS. @return one of `stops`, or 0. */
static int wait_for_signal(const sigset_t *set) {
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    int number = sigtimedwait(set, NULL, &tick);
    return number == SIGCHLD || number < 0 ? 0 : number;
}

/* Each command gets its share of the processors, at least one. */
static void share_processors(unsigned jobs) {
    char text[16];
    snprintf(text, sizeof text, "%u", processors() > jobs ? processors() / jobs : 1);
    setenv(PROCESSORS_VARIABLE, text, 1);
}

/* Runs all commands and returns when they have ended. Blocks the signals of watched() in this
 * process meanwhile; one of `stops` kills the running commands and ends the pool. @return that
 * signal, or 0. */
int sweep_pool_run(const struct sweep_pool *p) {
    sigset_t set, before;
    int stopped = 0;
    unsigned next = 0, running = 0;
    struct job *jobs = heddle_alloc_array(p->jobs, sizeof *jobs, "jobs of a sweep");
    share_processors(p->jobs);
    watched(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    do {
        next = fill(p, jobs, next, &before);
        running = reap(p, jobs, false);
        if (p->waiting) p->waiting(p->user, running);
        if (running) stopped = wait_for_signal(&set);
    } while (!stopped && (running || next < p->count));
    if (stopped) {
        for (unsigned j = 0; j < p->jobs; j++)
            if (jobs[j].pid) kill(jobs[j].pid, SIGKILL);
        reap(p, jobs, true);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(jobs);
    return stopped;
}
