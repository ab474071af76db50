/* program_memory.h - memory, code and graphs of ended programs. They outlive their program as long
 * as work in flight may use them. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_MEMORY_H

#include "cuda/base/context.h"

/* Frees memory, code, graphs and counts of each ended program that has no work pending; its record
 * stays. Memory that another program has open passes to that program, counts pass to the server. */
void program_collect_memory(struct server *s);
#endif
