/* block_prefetch.h - which blocks NVIDIA's driver migrates besides those that faulted: the tree of
 * uvm_perf_prefetch.c (open-gpu-kernel-modules).
 *
 * The 32 blocks of 64 KiB of a piece of 2 MiB are the leaves of a binary tree. Of the subtrees that
 * contain a block which faulted, the largest counts of which more than `threshold` percent are on
 * the device or have faulted: all of it is migrated. */
#ifndef HEDDLE_SCHED_BLOCK_PREFETCH_H
#define HEDDLE_SCHED_BLOCK_PREFETCH_H

#include <stdint.h>

enum { PREFETCH_BLOCKS = 32 }; /* of a piece */

/* Masks of the blocks of a piece: on the device, and faulted. threshold: percent; 0: nothing is
 * migrated that has not faulted. @return the blocks to be there, those of both masks among them. */
uint32_t block_prefetch(uint32_t there, uint32_t faulted, unsigned threshold);

#endif
