/* program_lifetime.h - creation, reset and end of programs. This file knows all kinds of objects
 * and destroys them together, in an order in which none is used after it was freed. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_LIFETIME_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_LIFETIME_H

#include "cuda/base/context.h"

/* The program that sent this hello: found in server.programs, or added. NULL: no memory. */
struct program *program_enter(struct server *s, const struct wire_hello *hello, int pid);
/* A program's last thread has gone: destroys its context, as a GPU driver does. The record stays in
 * server.programs for the report. A program that ended abruptly gets a notice that counts the work
 * left undone. */
void program_end(struct server *s, struct program *p);
/* cudaDeviceReset: frees memory, streams, events and graphs; modules are loaded again on use. */
void program_reset(struct call *call);
/* Frees the record and everything left. No work of the program may be in flight. */
void program_free(struct server *s, struct program *p);

/* Resets GPUs that stopped after a fault or because a program died in a kernel, so that other
 * programs can go on. All work in flight there is dropped. @return cudaError_t. */
int program_revive_gpus(struct server *s);

#endif
