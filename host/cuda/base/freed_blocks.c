/* freed_blocks.c - the log of freed allocations, a ring that address_space.c fills and reads under
 * its own rule: calls do not overlap; see freed_blocks.h. */
#include "cuda/base/freed_blocks.h"

#include <stddef.h>

/* Adds an entry; in a full ring it replaces the oldest. number: memory_block.number. */
void freed_blocks_add(struct freed_blocks *f, uint64_t address, uint64_t bytes, uint64_t number) {
    f->block[f->count++ % FREED_BLOCKS_KEPT] = (struct freed_block){address, bytes, number};
}

/* The entry added last of those that contain the address, or NULL. Valid until the next
 * addition. */
const struct freed_block *freed_blocks_find(const struct freed_blocks *f, uint64_t address) {
    uint64_t kept = f->count < FREED_BLOCKS_KEPT ? f->count : FREED_BLOCKS_KEPT;
    for (uint64_t i = 1; i <= kept; i++) {
        const struct freed_block *b = &f->block[(f->count - i) % FREED_BLOCKS_KEPT];
        if (address - b->address < b->bytes) return b;
    }
    return NULL;
}
