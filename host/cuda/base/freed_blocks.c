/* freed_blocks.c - the log of freed allocations, a ring that address_space.c fills; see
 * freed_blocks.h */
#include "cuda/base/freed_blocks.h"

#include <stddef.h>

void freed_blocks_add(struct freed_blocks *f, uint64_t address, uint64_t bytes, uint64_t number) {
    f->block[f->count++ % FREED_BLOCKS_KEPT] = (struct freed_block){address, bytes, number};
}

const struct freed_block *freed_blocks_find(const struct freed_blocks *f, uint64_t address) {
    uint64_t kept = f->count < FREED_BLOCKS_KEPT ? f->count : FREED_BLOCKS_KEPT;
    for (uint64_t i = 1; i <= kept; i++) {
        const struct freed_block *b = &f->block[(f->count - i) % FREED_BLOCKS_KEPT];
        if (address - b->address < b->bytes) return b;
    }
    return NULL;
}
