/* worked_example.h - the example that docs/projection.md works out by hand: a kernel and two GPUs
 * with round figures. */
#ifndef HEDDLE_TESTS_WORKED_EXAMPLE_H
#define HEDDLE_TESTS_WORKED_EXAMPLE_H

#include "project/projection.h"

/* 3e9 FMA, 1e9 additions, 1e9 multiplications in single precision, 24 of 32 lanes active; 4 GB pass
 * L1, 2 GB pass L2, 1 GB device memory; 2 GB of shared memory at 64 bytes a cycle; 4 ms. The caller
 * frees it with project_kernels_clear(). */
struct project_kernel *example_kernel(struct project_kernels *list);

/* 10 TFLOP/s fused, 5 separate; L1 and shared memory 10,000, L2 2,000, DRAM 800 GB/s. */
void example_source(struct capability *gpu);
/* 20 TFLOP/s fused, 10 separate; L1 and shared memory 20,000, L2 5,000, DRAM 2,000 GB/s. */
void example_target(struct capability *gpu);

#endif
