/* memory.h - the GPU's memory as the executor sees it: one address range that is mapped at the same
 * address in this process, and one state byte per 32-byte sector.
 *
 * A device address is a host pointer. A sector's state says how many of its bytes, counted from its
 * start, belong to an allocation (allocations begin on sector boundaries), and whether an access
 * with memory ordering touched it in the running launch.
 *
 * Owned by the CUDA layer's allocator, which writes `bytes`; the executor reads it and sets
 * `strong`. Threads: state bytes are accessed with relaxed atomics. */
#ifndef HEDDLE_EXEC_MEMORY_H
#define HEDDLE_EXEC_MEMORY_H

#include <stdint.h>

enum {
    EXEC_SECTOR = 32,         /* bytes */
    EXEC_SECTOR_BYTES = 0x3f, /* state: allocated bytes from the sector's start, 0..32 */
    EXEC_SECTOR_STRONG = 0x80,/* state: a strong access touched it in this launch */
};

struct exec_memory {
    uint64_t base;   /* first address, a multiple of 4096 (0x7e80_0000_0000) */
    uint64_t size;   /* bytes */
    uint8_t *state;  /* size / EXEC_SECTOR entries; borrowed */
};

#endif
