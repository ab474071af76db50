/* session.h - one connection of the server: a host thread of a program, message by message. */
#ifndef HEDDLE_CUDA_SERVER_SESSION_H
#define HEDDLE_CUDA_SERVER_SESSION_H

#include <stdbool.h>

#include "cuda/base/context.h"

/* Reads one message and carries it out. @return false when the connection has ended. */
bool session_serve(struct server *s, struct host_thread *t);
/* Tries a call again that was suspended (value_wait.h). @return as session_serve(). */
bool session_retry(struct server *s, struct host_thread *t);
/* Closes the connection and frees the thread; the program ends with its last one. */
void session_close(struct server *s, struct host_thread *t);

#endif
