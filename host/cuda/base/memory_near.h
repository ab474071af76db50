/* memory_near.h - the words of a message for the memory near a bad address. */
#ifndef HEDDLE_CUDA_BASE_MEMORY_NEAR_H
#define HEDDLE_CUDA_BASE_MEMORY_NEAR_H

#include "cuda/base/address_space.h"
#include "sched/gpu.h"

enum { MEMORY_NEAR_BYTES = 200 };

/* Writes "; " and what lies near the address of a fault or finding: "use after free: allocation
 * number 2, ...", or "nearest allocation: number 3, 32 bytes at 0x..., ends 5 bytes before it". An
 * empty text: it is none of global memory. Only reads the address space. */
void memory_near_fault(const struct address_space *space, const struct exec_fault *f,
                       char out[MEMORY_NEAR_BYTES]);

#endif
