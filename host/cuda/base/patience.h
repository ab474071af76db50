/* patience.h - how long the server waits for a program that it has asked for something.
 *
 * Server's thread, or the simulation's while that one waits. The wait is in wall time and decides
 * no result: a program either answers, however late, or loses its connection, which is reported. */
#ifndef HEDDLE_CUDA_BASE_PATIENCE_H
#define HEDDLE_CUDA_BASE_PATIENCE_H

#include "cuda/base/context.h"

/* What the program was asked to do. */
enum patience_task {
    PATIENCE_COPIES, /* move bytes between its memory and the staging memory */
    PATIENCE_WRITES, /* write device output, perhaps into a pipe that is full */
    PATIENCE_CALLS,  /* run a host function */
};

/* Blocks until the program has sent something or closed the connection, or has kept others waiting
 * for too long: then it is reported, all connections of its process end, and this returns false. */
bool patience_wait(struct server *s, const struct host_thread *t, enum patience_task task);
/* Whether a thread other than `but` has sent something, or one wants to connect. `own`: threads of
 * the same process count. */
bool others_ask(const struct server *s, const struct host_thread *but, bool own);

#endif
