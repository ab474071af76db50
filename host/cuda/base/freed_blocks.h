/* freed_blocks.h - a log of the allocations freed last, so that a use after free can be called by
 * its name. Fixed size; owned by the address space. */
#ifndef HEDDLE_CUDA_BASE_FREED_BLOCKS_H
#define HEDDLE_CUDA_BASE_FREED_BLOCKS_H

#include <stdint.h>

enum { FREED_BLOCKS_KEPT = 256 };

struct freed_block {
    uint64_t address, bytes, number;
};

struct freed_blocks {
    struct freed_block block[FREED_BLOCKS_KEPT]; /* a ring */
    uint64_t count;                              /* ever noted */
};

void freed_blocks_add(struct freed_blocks *f, uint64_t address, uint64_t bytes, uint64_t number);
/* @return the block freed last of those that contained the address, or NULL. */
const struct freed_block *freed_blocks_find(const struct freed_blocks *f, uint64_t address);

#endif
