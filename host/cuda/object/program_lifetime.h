/* program_lifetime.h - creation, reset and end of programs. This file knows all kinds of objects
 * and destroys them together, in an order in which none is used after it was freed. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_LIFETIME_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_LIFETIME_H

#include "cuda/base/context.h"

/* Finds the program that sent this hello in server.programs, or adds it. @return NULL: no
 * memory. */
struct program *program_enter(struct server *s, const struct wire_hello *hello, int pid);
/* Called when a program's last thread has gone: ends its context, as a GPU driver does. Ends its
 * textures, and frees memory that nothing can use any more. The record stays in server.programs for
 * the report. If the program ended abruptly, cancels and counts the work left undone and writes a
 * notice to standard error. */
void program_end(struct server *s, struct program *p);
/* cudaDeviceReset: frees memory, streams, events and graphs of the program; its modules are loaded
 * again on use. Memory that another program has open passes to it. */
void program_reset(struct call *call);
/* Frees the record and everything left. No work of the program may be in flight. */
void program_free(struct server *s, struct program *p);

/* Resets the GPUs that stopped after a fault, so that programs can go on. Drops all their work in
 * flight. Reports a failure on standard error. @return cudaError_t. */
int program_revive_gpus(struct server *s);

#endif
