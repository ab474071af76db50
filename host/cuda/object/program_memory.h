/* program_memory.h - memory of ended programs. It outlives them while work in flight may use it. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H

#include "cuda/base/context.h"

/* Frees the memory of all ended programs if no work of any program is pending. What another program
 * has opened passes to that program. */
void program_collect_memory(struct server *s);
/* Kernels issued and not ended, of all programs. *given_up: kernels dropped by GPU resets. */
uint64_t program_kernels_pending(const struct server *s, uint64_t *given_up);

#endif
