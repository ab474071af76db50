/* symmetric_heap.h - PEs of a run: what the host calls of OpenSHMEM programs do (symmetric heap,
 * collective calls), and the commands of their kernels without timing.
 *
 * A run with nodes has a PE on each; any other run has one. A collective call is suspended until
 * all PEs have made it; a PE that makes another one meanwhile is an error that names both. All PEs
 * allocate at the same offsets, since they make the same calls. */
#ifndef HEDDLE_CUDA_OBJECT_SYMMETRIC_HEAP_H
#define HEDDLE_CUDA_OBJECT_SYMMETRIC_HEAP_H

#include "cuda/base/context.h"

/* Takes part as a PE, with a heap of `bytes` on the current device (collective). queues: how many,
 * 0: one for each SM. @return cudaErrorMemoryAllocation, cudaErrorAlreadyMapped (twice). */
int symmetric_heap_begin(struct call *call, uint64_t bytes, uint64_t queues);
/* Leaves, and frees the heap (collective). */
int symmetric_heap_end(struct call *call);
/* Allocates the same bytes at every PE (collective); *address: at this one, 0: there is no room. */
int symmetric_heap_alloc(struct call *call, uint64_t bytes, uint64_t alignment, uint64_t *address);
/* Frees what begins at the address, 0: nothing (collective). */
int symmetric_heap_free(struct call *call, uint64_t address);
/* Waits for all PEs (collective). */
int symmetric_heap_barrier(struct call *call);

/* Address of the state that the program's kernels read, 0: it is no PE. *number: of the PE. */
uint64_t symmetric_heap_state(const struct server *s, const struct program *p, uint32_t *number);
/* Number of PEs of the run. */
uint32_t symmetric_heap_pes(const struct server *s);
/* Carries out commands of kernels, with timing off. */
void symmetric_heap_serve(struct server *s);
/* With timing on: lets the PEs fail whose kernels have made wrong commands. */
void symmetric_heap_look(struct server *s);
/* What a suspended collective call waits for, in words that follow "waits". */
void symmetric_heap_story(const struct server *s, char *text, size_t size);
/* What a word of a PE's queues or symmetric heap is or was, in words; "": something else. */
void symmetric_heap_name(const struct server *s, uint64_t address, char *text, size_t size);
/* A program has ended: it is no PE any more. */
void symmetric_heap_leave(struct server *s, const struct program *p);
void symmetric_heap_drop(struct server *s); /* frees everything, at the end of the server */

#endif
