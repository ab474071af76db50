/* session.h - serves one connection: a host thread of a program, message by message. Runs handlers,
 * which may change any state of the server. */
#ifndef HEDDLE_CUDA_SERVER_SESSION_H
#define HEDDLE_CUDA_SERVER_SESSION_H

#include <stdbool.h>

#include "cuda/base/context.h"

/* Reads and serves one message, if there is one. @return false: the connection has ended or is
 * refused, and the caller closes it with session_close(). */
bool session_serve(struct server *s, struct host_thread *t);
/* The two halves of that: reads one message, if there is one, into t->message, and serves what is
 * there. @return as session_serve(). */
bool session_take(struct host_thread *t);
bool session_serve_taken(struct server *s, struct host_thread *t);
/* Retries a suspended call (value_wait.h). @return as session_serve(). */
bool session_retry(struct server *s, struct host_thread *t);
/* Removes the thread from server.threads, closes its connection, destroys its default streams and
 * frees it. The last thread of a program ends the program (program_end()). */
void session_close(struct server *s, struct host_thread *t);

#endif
