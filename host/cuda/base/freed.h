/* freed.h - the allocations freed last, so that a use after free can be called by its name. Fixed
 * size; owned by the address space. */
#ifndef HEDDLE_CUDA_BASE_FREED_H
#define HEDDLE_CUDA_BASE_FREED_H

#include <stdint.h>

enum { FREED_KEPT = 256 };

struct freed_block {
    uint64_t address, bytes, number;
};

struct freed {
    struct freed_block block[FREED_KEPT]; /* a ring */
    uint64_t count;                       /* ever noted */
};

void freed_note(struct freed *f, uint64_t address, uint64_t bytes, uint64_t number);
/* @return the block freed last of those that contained the address, or NULL. */
const struct freed_block *freed_find(const struct freed *f, uint64_t address);

#endif
