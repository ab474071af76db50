/* program_memory.h - memory of programs that have ended: work of theirs that is still in flight may
 * use it. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H

#include "cuda/base/context.h"

/* Frees it, of all programs, once no work of any program is left that might use it. What another
 * program has opened becomes that program's. */
void program_collect_memory(struct server *s);
/* Kernels that have been issued and not ended, of all programs; *given_up: by resets of devices. */
uint64_t program_kernels_pending(const struct server *s, uint64_t *given_up);

#endif
