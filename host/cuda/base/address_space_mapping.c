/* address_space_mapping.c - physical memory that programs create, addresses that they reserve, and
 * mappings of one at the other (calls_virtual.c); and the end of all that an owner has. See
 * address_space.h. Threads and conventions:
 * address_space.c. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "cuda/base/address_space_internal.h"

/* Takes a gap of the device's region at a multiple of the granule, without permitting accesses: a
 * block with one hold and no allocation. `bytes` is a multiple of the granule. @return its address,
 * or 0: no gap. */
uint64_t address_space_alloc_physical(struct address_space *s, memory_region device, uint64_t bytes,
                                      uint32_t flags, const void *owner) {
    struct block_tree *t = &s->region[device].blocks;
    uint64_t at = space_gap(t, bytes, ADDRESS_SPACE_GRANULE);
    if (at)
        space_insert(s, t,
                     (struct memory_block){.address = at,
                                           .bytes = bytes,
                                           .reserved = bytes,
                                           .flags = flags,
                                           .owner = owner,
                                           .holders = 1,
                                           .physical = true});
    return at;
}

/* Takes the hint if it is aligned and free, else the first gap; maps nothing. bytes: a multiple of
 * the granule; alignment: a power of two, or 0: the granule. @return the first address, or 0: no
 * gap. */
uint64_t address_space_reserve(struct address_space *s, uint64_t bytes, uint64_t alignment,
                               uint64_t hint, const void *owner) {
    struct block_tree *t = &s->reservation;
    uint64_t unit = alignment > ADDRESS_SPACE_GRANULE ? alignment : ADDRESS_SPACE_GRANULE;
    if (bytes > t->bytes || unit > t->bytes) return 0;
    const struct memory_block *below = block_tree_upto(t, hint), *next = block_tree_behind(t, hint);
    bool good = hint % unit == 0 && hint - t->base < t->bytes &&
                t->base + t->bytes - hint >= bytes &&
                (!below || hint - below->address >= below->reserved) &&
                (!next || next->address - hint >= bytes);
    uint64_t at = good ? hint : block_tree_gap(t, bytes, unit);
    if (at)
        space_insert(s, t,
                     (struct memory_block){
                         .address = at, .bytes = bytes, .reserved = bytes, .owner = owner});
    return at;
}

/* The reservation that contains the whole range, or NULL. */
const struct memory_block *address_space_reserved(const struct address_space *s, uint64_t address,
                                                  uint64_t bytes) {
    const struct memory_block *b = block_tree_at(&s->reservation, address);
    return b && bytes <= b->bytes - (address - b->address) ? b : NULL;
}

/* Ends the reservation that begins at the address; the caller has unmapped what lay in it. @return
 * false: no reservation begins there. */
bool address_space_unreserve(struct address_space *s, uint64_t address) {
    struct memory_block *b = block_tree_at(&s->reservation, address);
    if (!b || b->address != address) return false;
    block_tree_remove(&s->reservation, b);
    return true;
}

/* Maps the first `bytes` of the physical memory that begins at `memory` a second time, at the
 * address, and adds a hold to it. The caller has checked that a reservation contains the range.
 * Kernels have no access yet. @return false: a mapping is there, no memory begins at `memory`, or
 * mmap() failed. */
bool address_space_map(struct address_space *s, uint64_t address, uint64_t memory, uint64_t bytes) {
    const struct memory_block *next = block_tree_behind(&s->mapping, address);
    bool taken = block_tree_at(&s->mapping, address) || (next && next->address - address < bytes);
    struct memory_block *whole = space_block_at(s, memory);
    const struct region *device = &s->region[address_space_region(s, memory)];
    if (taken || !whole) return false;
    if (mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             device->fd, (off_t)(memory - device->blocks.base)) == MAP_FAILED)
        return false;
    madvise((void *)(uintptr_t)address, bytes, MADV_DONTDUMP);
    whole->holders++;
    space_insert(s, &s->mapping,
                 (struct memory_block){.address = address,
                                       .bytes = bytes,
                                       .reserved = bytes,
                                       .owner = whole->owner,
                                       .memory = memory});
    return true;
}

/* Permits or forbids accesses of kernels, of all devices, to the mapping: changes its state bytes,
 * and maps or unmaps its pages. @return false: its owner's view cannot be made. */
bool address_space_set_access(struct address_space *s, const struct memory_block *mapping,
                              bool permit) {
    struct memory_block *b = space_block_at(s, mapping->address);
    if (permit && !space_open(s, b)) return false;
    if (!permit) space_close(s, b);
    if (permit != b->accessible) (permit ? space_map_pages : space_unmap_pages)(s, b);
    b->accessible = permit;
    return true;
}

/* Ends the mapping that begins at the address, which must exist: forbids accesses, makes the
 * addresses unusable in this process, logs the block as freed, and lets go of the memory, which
 * frees memory that nothing else holds. */
void address_space_unmap(struct address_space *s, uint64_t address) {
    struct memory_block *b = space_block_at(s, address);
    uint64_t memory = b->memory;
    address_space_set_access(s, b, false);
    space_take_out_of_use(b->address, b->bytes, MAP_FIXED);
    freed_blocks_add(&s->freed, b->address, b->bytes, b->number);
    block_tree_remove(&s->mapping, b);
    address_space_let_go(s, memory);
}

/* ---- the end of an owner */

/* The block before b, or NULL; of the tree's last one, if b is NULL. */
static struct memory_block *before(const struct block_tree *t, const struct memory_block *b) {
    return block_tree_upto(t, b ? b->address - 1 : UINT64_MAX);
}

/* Frees everything of an owner: unmaps its mappings, ends its reservations and frees its blocks in
 * all regions, held or not. Accesses become errors; the log of freed blocks gets mappings and
 * blocks. */
void address_space_release_owner(struct address_space *s, const void *owner) {
    struct memory_block *b, *next;
    for (b = before(&s->mapping, NULL); b; b = next) {
        next = before(&s->mapping, b);
        if (b->owner == owner) address_space_unmap(s, b->address);
    }
    for (b = before(&s->reservation, NULL); b; b = next) {
        next = before(&s->reservation, b);
        if (b->owner == owner) block_tree_remove(&s->reservation, b);
    }
    for (int k = 0; k < NUM_REGIONS; k++) {
        struct block_tree *t = &s->region[k].blocks;
        for (b = before(t, NULL); b; b = next) {
            next = before(t, b);
            if (b->owner == owner) space_remove_block(s, t, b);
        }
    }
    space_view_end(s, owner);
}
