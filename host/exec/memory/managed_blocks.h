/* managed_blocks.h - where managed memory is: a table of its blocks of 64 KiB, the pages by which
 * NVIDIA's driver migrates it on x86.
 *
 * A block is on the host, on one device, or nowhere: nobody has touched it since its allocation, so
 * that it comes to a device as zeros. The table belongs to the address space; timed GPUs change it
 * as their blocks come and go (sched/fault_service.h), the CUDA layer as memory is allocated, freed
 * and touched by the host.
 *
 * Threads: the server's thread between windows, and the scheduler of each GPU inside them, which
 * changes blocks of those programs that run on it. GPUs of one node advance one at a time, and
 * programs of several nodes share no block. */
#ifndef HEDDLE_EXEC_MANAGED_BLOCKS_H
#define HEDDLE_EXEC_MANAGED_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MANAGED_BLOCK = 1 << 16, /* bytes */
    MANAGED_LINE_BITS = 9,   /* lines of 128 bytes in a block, as a power of two */
    MANAGED_PAGE = 4096,     /* bytes: the unit of allocations */
    MANAGED_RUN = 64         /* blocks that a message names by a mask; begins at a multiple */
};

/* Where a block is; device n is MANAGED_DEVICE + n. */
enum managed_place { MANAGED_NOWHERE, MANAGED_HOST, MANAGED_DEVICE };

struct managed_block {
    uint8_t place; /* enum managed_place */
    uint8_t pages; /* that are allocated; 0: the block does not exist */
    bool told;     /* the host has touched it since it came to where `place` says, and this is on
                    * its way to the GPU */
    uint32_t born; /* managed_blocks.births when it began to exist */
    const void *owner; /* of its allocations; changes between windows only */
};

struct managed_blocks {
    uint64_t base;       /* address of block 0 */
    uint64_t first_line; /* of block 0, counted from the first device's memory */
    uint32_t count, end; /* blocks; those from `end` on were never allocated */
    uint64_t changes;    /* atomic; grows when a device may have lost a block without its doing */
    uint32_t births;     /* allocations so far */
    bool any;            /* memory was allocated, ever */
    struct managed_block block[]; /* `count` of them */
};

/* @return the table of `bytes` from `base` on, none of them allocated, in a range of memory that
 * begins at memory_base; NULL: no memory. Untouched parts of it take none. */
struct managed_blocks *managed_blocks_create(uint64_t base, uint64_t bytes, uint64_t memory_base);
void managed_blocks_free(struct managed_blocks *t); /* accepts NULL */

/* Memory is allocated, and freed; `address` is a multiple of MANAGED_PAGE and the range lies in the
 * table. */
void managed_blocks_allocate(struct managed_blocks *t, uint64_t address, uint64_t bytes,
                             const void *owner);
void managed_blocks_release(struct managed_blocks *t, uint64_t address, uint64_t bytes);
/* @return whether the range shares no block with another owner's memory. */
bool managed_blocks_fit(const struct managed_blocks *t, uint64_t address, uint64_t bytes,
                        const void *owner);
/* The host has filled the range with what it holds at first. */
void managed_blocks_fill(struct managed_blocks *t, uint64_t address, uint64_t bytes);

/* The blocks that a range of addresses touches: first .. end - 1, none if it lies elsewhere. */
struct managed_range {
    uint32_t first, end;
};
static inline struct managed_range managed_range_of(const struct managed_blocks *t,
                                                    uint64_t address, uint64_t bytes) {
    const uint64_t offset = address - t->base, all = (uint64_t)t->count * MANAGED_BLOCK;
    if (!bytes || offset >= all || bytes > all - offset) return (struct managed_range){0, 0};
    return (struct managed_range){(uint32_t)(offset / MANAGED_BLOCK),
                                  (uint32_t)((offset + bytes - 1) / MANAGED_BLOCK + 1)};
}
/* Bytes of a block that are allocated. */
static inline uint64_t managed_block_bytes(const struct managed_blocks *t, uint32_t block) {
    return (uint64_t)t->block[block].pages * MANAGED_PAGE;
}

#endif
