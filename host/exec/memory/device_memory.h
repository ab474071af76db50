/* device_memory.h - the GPU's memory as the executor sees it: one address range that is mapped at
 * the same address in this process, and one state byte per 32-byte sector.
 *
 * A device address is a host pointer. A sector's state holds the number of allocated bytes, counted
 * from its start (allocations begin on sector boundaries), and whether an access with memory
 * ordering touched it in the running launch.
 *
 * The CUDA layer owns the range and marks what is allocated. The executor reads the marks and sets
 * `strong`. Threads: state bytes are accessed with relaxed atomics, so executors of several threads
 * may share a memory; exec_memory_allow/forbid are called by the thread that owns the allocator of
 * that part (for the device heap: under the lock of exec_io). */
#ifndef HEDDLE_EXEC_DEVICE_MEMORY_H
#define HEDDLE_EXEC_DEVICE_MEMORY_H

#include <stdint.h>

#include "common/error.h"

enum {
    EXEC_SECTOR = 32,          /* bytes */
    EXEC_SECTOR_BYTES = 0x3f,  /* state: allocated bytes from the sector's start, 0..32 */
    EXEC_SECTOR_STRONG = 0x80, /* state: a strong access touched it in this launch */
    EXEC_REGION = 128 * 1024,  /* bytes of memory for each entry of `touched` */
};

struct texture_table;

/* The memory of a GPU. */
struct exec_memory {
    uint64_t base;     /* first address, a multiple of EXEC_REGION (0x7e80_0000_0000) */
    uint64_t size;     /* bytes, a multiple of EXEC_REGION */
    uint8_t *state;    /* size / EXEC_SECTOR entries */
    uint8_t *touched;  /* size / EXEC_REGION entries: a sector of the region may be strong */
    uint32_t launches; /* timed launches that run on it now; atomic */
    const struct texture_table *textures; /* texture/texture.h; NULL: none */
};

/* Maps the state of a range, in which nothing is allocated yet; untouched pages of it take no
 * memory. The range itself is the caller's. @return HEDDLE_ERR_ARGUMENT, HEDDLE_ERR_NOMEM. */
heddle_err exec_memory_init(struct exec_memory *memory, uint64_t base, uint64_t size);
/* Unmaps the state. Accepts a memory that is all zeros. */
void exec_memory_fini(struct exec_memory *memory);

/* Marks [address, address + bytes) as allocated, or not. `address` is a multiple of EXEC_SECTOR and
 * the range lies in the memory. Both clear the strong bits of its sectors. */
void exec_memory_allow(struct exec_memory *memory, uint64_t address, uint64_t bytes);
void exec_memory_forbid(struct exec_memory *memory, uint64_t address, uint64_t bytes);

/* A timed launch begins and ends on the memory: the first to begin clears all strong bits. */
void exec_memory_begin(struct exec_memory *memory);
void exec_memory_end(struct exec_memory *memory);

#endif
