/* memory_near.c - the words of a message for the memory near a bad address; see memory_near.h.
 * wait.c and findings.c call it on the server's thread. */
#include "cuda/base/memory_near.h"

#include <stdio.h>

typedef unsigned long long number;

/* Bytes from the address to a block that does not contain it. */
static uint64_t distance(const struct memory_block *b, uint64_t address) {
    return address < b->address ? b->address - address : address - (b->address + b->bytes) + 1;
}

/* True if the address was left of or right of a newer allocation rather than in the freed block: it
 * lies in the distance that allocations keep. */
static bool is_beside(const struct memory_block *b, const struct freed_block *freed,
                      uint64_t address) {
    return b && b->number > freed->number && distance(b, address) <= ADDRESS_SPACE_ALIGN;
}

/* Describes the memory near the address. */
static void describe(const struct address_space *space, uint64_t address, char *out, size_t size) {
    struct freed_block freed;
    bool was_freed = address_space_freed(space, address, &freed);
    const struct memory_block *found = address_space_find(space, address, 1);
    const struct memory_block *b = found ? found : address_space_nearest(space, address);
    if (found && !found->open) {
        snprintf(out, size, "; in allocation number %llu, %llu bytes at 0x%llx, %s",
                 (number)found->number, (number)found->bytes, (number)found->address,
                 found->memory ? "mapped, but without access (cuMemSetAccess)"
                               : "of a graph's allocation node: not allocated at that time");
    } else if (was_freed && !found && !is_beside(b, &freed, address)) {
        snprintf(out, size,
                 "; use after free: allocation number %llu, %llu bytes at 0x%llx, was freed",
                 (number)freed.number, (number)freed.bytes, (number)freed.address);
    } else if (!b) {
        snprintf(out, size, "; nothing is allocated");
    } else {
        char place[64];
        if (found)
            snprintf(place, sizeof place, "contains it from byte %llu on",
                     (number)(address - b->address));
        else if (address < b->address)
            snprintf(place, sizeof place, "begins %llu bytes behind it",
                     (number)distance(b, address));
        else
            snprintf(place, sizeof place, "ends %llu bytes before it",
                     (number)distance(b, address) - 1);
        snprintf(out, size, "; nearest allocation: number %llu, %llu bytes at 0x%llx, %s",
                 (number)b->number, (number)b->bytes, (number)b->address, place);
    }
}

void memory_near_fault(const struct address_space *space, const struct exec_fault *f,
                       char out[MEMORY_NEAR_BYTES]) {
    bool memory = f->err == HEDDLE_ERR_ILLEGAL_ADDRESS || f->err == HEDDLE_ERR_MISALIGNED ||
                  f->err == HEDDLE_ERR_GLOBAL_RACE || f->err == HEDDLE_ERR_UNWRITTEN;
    out[0] = 0;
    if (memory && (f->space == MIR_SPACE_GLOBAL || f->space == MIR_SPACE_GENERIC))
        describe(space, f->address, out, MEMORY_NEAR_BYTES);
}
