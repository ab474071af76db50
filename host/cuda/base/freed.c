/* freed.c - see freed.h */
#include "cuda/base/freed.h"

#include <stddef.h>

void freed_note(struct freed *f, uint64_t address, uint64_t bytes, uint64_t number) {
    f->block[f->count++ % FREED_KEPT] = (struct freed_block){address, bytes, number};
}

const struct freed_block *freed_find(const struct freed *f, uint64_t address) {
    uint64_t kept = f->count < FREED_KEPT ? f->count : FREED_KEPT;
    for (uint64_t i = 1; i <= kept; i++) {
        const struct freed_block *b = &f->block[(f->count - i) % FREED_KEPT];
        if (address - b->address < b->bytes) return b;
    }
    return NULL;
}
