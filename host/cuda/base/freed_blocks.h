/* freed_blocks.h - a log of recently freed allocations, from which use-after-free messages name the
 * allocation. Fixed size; the address space owns it. The memory itself is reused at once. */
#ifndef HEDDLE_CUDA_BASE_FREED_BLOCKS_H
#define HEDDLE_CUDA_BASE_FREED_BLOCKS_H

#include <stdint.h>

enum { FREED_BLOCKS_KEPT = 256 };

/* A freed allocation: where it was, and its number (memory_block.number). */
struct freed_block {
    uint64_t address, bytes, number;
};

/* The log; begins as zeros. */
struct freed_blocks {
    struct freed_block block[FREED_BLOCKS_KEPT]; /* a ring */
    uint64_t count;                              /* added so far */
};

/* Adds a freed allocation; the oldest entry of a full log makes room. */
void freed_blocks_add(struct freed_blocks *f, uint64_t address, uint64_t bytes, uint64_t number);
/* @return the block freed last of those that contained the address, or NULL. */
const struct freed_block *freed_blocks_find(const struct freed_blocks *f, uint64_t address);

#endif
