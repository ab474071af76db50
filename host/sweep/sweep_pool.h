/* sweep_pool.h - runs many commands, a limited number at a time, each with its output in a file.
 *
 * Commands are killed when the process that runs the pool ends, however it ends. SIGINT, SIGTERM
 * and SIGHUP end the pool: running commands are killed, and no more start. A process has at most
 * one pool at a time, because signals are per process. The callbacks run on the calling thread. */
#ifndef HEDDLE_SWEEP_SWEEP_POOL_H
#define HEDDLE_SWEEP_SWEEP_POOL_H

#include <stdbool.h>

/* The commands and their callbacks. */
struct sweep_pool {
    unsigned jobs, count; /* most commands at a time; number of commands */
    /* Prepares command `index`: *argv, which the callback owns and must keep until its next call,
     * and *log, a file that is open for its output, which the pool closes. @return false: skip this
     * command, without a call of `ended`. */
    bool (*begin)(void *user, unsigned index, char ***argv, int *log);
    /* Called when a command has ended. status: exit status, 128 + signal, or 127: not started. */
    void (*ended)(void *user, unsigned index, int status);
    void *user;
    void (*waiting)(void *user, unsigned running); /* called some times a second; may be NULL */
};

/* Runs all commands; each is told its share of the processors (common/processors.h), at least one.
 * @return the signal that ended the pool, or 0. */
int sweep_pool_run(const struct sweep_pool *p);

#endif
