/* managed_blocks.c - see managed_blocks.h. */
#include "exec/memory/managed_blocks.h"

#include <stdlib.h>

struct managed_blocks *managed_blocks_create(uint64_t base, uint64_t bytes, uint64_t memory_base) {
    const uint64_t count = (bytes + MANAGED_BLOCK - 1) / MANAGED_BLOCK;
    /* calloc() of so much maps zeros, which take no memory until they are written */
    struct managed_blocks *t = calloc(1, sizeof *t + count * sizeof *t->block);
    if (!t) return NULL;
    t->base = base;
    t->first_line = (base - memory_base) >> (16 - MANAGED_LINE_BITS);
    t->count = (uint32_t)count;
    return t;
}

void managed_blocks_free(struct managed_blocks *t) {
    free(t);
}

/* Pages of [address, address + bytes) that lie in a block. */
static uint8_t pages_in(const struct managed_blocks *t, uint32_t block, uint64_t address,
                        uint64_t bytes) {
    const uint64_t begin = t->base + (uint64_t)block * MANAGED_BLOCK, end = begin + MANAGED_BLOCK;
    const uint64_t from = address > begin ? address : begin;
    const uint64_t to = address + bytes < end ? address + bytes : end;
    return (uint8_t)((to - from + MANAGED_PAGE - 1) / MANAGED_PAGE);
}

/* Two allocations of an owner may share a block: the second one finds it where the first has left
 * it. */
void managed_blocks_allocate(struct managed_blocks *t, uint64_t address, uint64_t bytes,
                             const void *owner) {
    const struct managed_range r = managed_range_of(t, address, bytes);
    t->births++;
    for (uint32_t b = r.first; b < r.end; b++) {
        if (!t->block[b].pages)
            t->block[b] = (struct managed_block){
                .place = MANAGED_NOWHERE, .born = t->births, .owner = owner};
        t->block[b].pages += pages_in(t, b, address, bytes);
    }
    if (r.end > t->end) t->end = r.end;
    t->any = true;
}

void managed_blocks_release(struct managed_blocks *t, uint64_t address, uint64_t bytes) {
    const struct managed_range r = managed_range_of(t, address, bytes);
    for (uint32_t b = r.first; b < r.end; b++) {
        t->block[b].pages -= pages_in(t, b, address, bytes);
        if (!t->block[b].pages) t->block[b] = (struct managed_block){.place = MANAGED_NOWHERE};
    }
    __atomic_fetch_add(&t->changes, 1, __ATOMIC_RELAXED);
}

bool managed_blocks_fit(const struct managed_blocks *t, uint64_t address, uint64_t bytes,
                        const void *owner) {
    const struct managed_range r = managed_range_of(t, address, bytes);
    const uint32_t edge[] = {r.first, r.end - 1};
    for (unsigned i = 0; i < 2 && r.end > r.first; i++)
        if (t->block[edge[i]].pages && t->block[edge[i]].owner != owner) return false;
    return true;
}

void managed_blocks_fill(struct managed_blocks *t, uint64_t address, uint64_t bytes) {
    const struct managed_range r = managed_range_of(t, address, bytes);
    for (uint32_t b = r.first; b < r.end; b++)
        if (t->block[b].place == MANAGED_NOWHERE) t->block[b].place = MANAGED_HOST;
}
