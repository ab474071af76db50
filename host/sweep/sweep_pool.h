/* sweep_pool.h - runs many commands, a limited number at a time, each with its output in a file.
 *
 * Commands are killed when the process that runs the pool ends, in whatever way. SIGINT, SIGTERM
 * and SIGHUP end the pool: running commands are killed, no others start. A process has at most
 * one pool at a time, because signals are per process. */
#ifndef HEDDLE_SWEEP_SWEEP_POOL_H
#define HEDDLE_SWEEP_SWEEP_POOL_H

#include <stdbool.h>

struct sweep_pool {
    unsigned jobs, count; /* at most so many at a time; commands */
    /* Prepares command `index`: *argv and *log (owned by the user until `ended`). false: leave it
     * out, `ended` is not called. */
    bool (*begin)(void *user, unsigned index, char ***argv, const char **log);
    /* A command has ended. status: exit status, 128 + signal, or 127: it could not be started. */
    void (*ended)(void *user, unsigned index, int status);
    void *user;
    void (*waiting)(void *user, unsigned running); /* some times a second; NULL: nobody looks */
};

/* @return the signal that ended it, or 0. */
int sweep_pool_run(const struct sweep_pool *p);

#endif
