/* sweep_pool.h - runs many commands, so many at a time, each with its output in a file.
 *
 * A command dies with the process that runs the pool, however that ends. SIGINT, SIGTERM and
 * SIGHUP end the pool: what runs is killed, nothing more is started. One pool at a time in a
 * process, since signals belong to that. */
#ifndef HEDDLE_SWEEP_SWEEP_POOL_H
#define HEDDLE_SWEEP_SWEEP_POOL_H

#include <stdbool.h>

struct sweep_pool {
    unsigned jobs, count; /* at most so many at a time; commands */
    /* Prepares command `index`: *argv and *log (owned by the user until `ended`). false: leave it
     * out, `ended` is not called. */
    bool (*begin)(void *user, unsigned index, char ***argv, const char **log);
    /* Has ended: exit status, or 128 + signal, or 127 when it could not be started. */
    void (*ended)(void *user, unsigned index, int status);
    void *user;
    void (*waiting)(void *user, unsigned running); /* some times a second; NULL: nobody looks */
};

/* @return the signal that ended it, or 0. */
int sweep_pool_run(const struct sweep_pool *p);

#endif
