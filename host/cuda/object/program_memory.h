/* program_memory.h - memory of ended programs. It outlives its program as long as work in flight
 * may use it. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H

#include "cuda/base/context.h"

/* Frees the memory of each ended program that has no work pending. Memory that another program has
 * open passes to that program. */
void program_collect_memory(struct server *s);
#endif
