/* program_lifetime.h - the life of programs: a program image comes, is reset, ends. Here all its
 * objects end together, in an order in which none is used after it has gone. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_LIFETIME_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_LIFETIME_H

#include "cuda/base/context.h"

/* The program that says hello, new or known, in server.programs. NULL: no memory. */
struct program *program_enter(struct server *s, const struct wire_hello *hello, int pid);
/* The last thread of a program has gone: its context ends, as it would on a GPU. The record stays
 * for the report. Says on standard error what was not carried out. */
void program_end(struct server *s, struct program *p);
/* cudaDeviceReset: memory, streams, events and graphs go, modules are unloaded until used again. */
void program_reset(struct call *call);
/* Frees the record and all that is left; no work of the program may be in flight. */
void program_free(struct server *s, struct program *p);

/* After a fault, or the death of a program in a kernel, a GPU has stopped; the programs that are
 * not concerned get a GPU that goes on. What was in flight is given up. @return cudaError_t. */
int program_revive_gpus(struct server *s);

#endif
