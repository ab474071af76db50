/* program_memory.h - memory of ended programs. It outlives its program as long as work in flight
 * may use it. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H

#include "cuda/base/context.h"

/* Frees the memory of all ended programs if no work of any program is pending. Memory that another
 * program has open passes to that program. */
void program_collect_memory(struct server *s);
/* Kernels of all programs that are issued and have not ended, without those that GPU resets
 * dropped. *given_up: the dropped ones. */
uint64_t program_kernels_pending(const struct server *s, uint64_t *given_up);

#endif
