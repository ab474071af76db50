/* session.h - one connection of the server: a host thread of a program, message by message. */
#ifndef HEDDLE_CUDA_SESSION_H
#define HEDDLE_CUDA_SESSION_H

#include <stdbool.h>

#include "cuda/call.h"

/* Reads one message and carries it out. @return false when the connection has ended. */
bool session_serve(struct server *s, struct host_thread *t);
/* Tries a call again that was set aside (words.h). @return as session_serve(). */
bool session_repeat(struct server *s, struct host_thread *t);
/* Closes the connection and frees the thread; the program ends with its last one. */
void session_close(struct server *s, struct host_thread *t);

/* Has the program's helper run a host function and waits for its end. @return false: the helper has
 * gone. `callback`: of the older kind, which is told stream and status. */
bool session_run_host_function(struct program *p, uint64_t function, uint64_t argument,
                               bool callback, uint64_t stream, int status);

/* The program that says hello, new or known. NULL: no memory. (server.c) */
struct program *server_program(struct server *s, const struct wire_hello *hello, int pid);
void server_program_ended(struct server *s, struct program *p);

#endif
