/* device_memory.h - the GPU's memory as the executor sees it: one address range that is mapped at
 * the same address in this process, and one state byte per 32-byte sector.
 *
 * A device address is a host pointer. A sector's state holds the number of allocated bytes, counted
 * from its start (allocations begin on sector boundaries), and whether an access with memory
 * ordering touched it in the running launch.
 *
 * A GPU does not know allocations, but pages of 2 MiB: an access beside an allocation fails only if
 * the page has none at all. So each page counts the allocations in it, and what lies between them
 * is padding, where an access is a finding but no fault. The page before the memory of each device
 * is mapped as well (a driver has memory of its own there): its bytes are those of page `front`.
 *
 * The CUDA layer owns the range and marks what is allocated. The executor reads the marks and sets
 * `strong`. Threads: state bytes are accessed with relaxed atomics, so executors of several threads
 * may share a memory; exec_memory_allow/forbid are called by the thread that owns the allocator of
 * that part (for the device heap: under the lock of exec_io). */
#ifndef HEDDLE_EXEC_DEVICE_MEMORY_H
#define HEDDLE_EXEC_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum {
    EXEC_SECTOR = 32,          /* bytes */
    EXEC_SECTOR_BYTES = 0x3f,  /* state: allocated bytes from the sector's start, 0..32 */
    EXEC_SECTOR_FRESH = 0x40,  /* state: not all of its bytes have been written, see `written` */
    EXEC_SECTOR_STRONG = 0x80, /* state: a strong access touched it in this launch */
    EXEC_REGION = 128 * 1024,  /* bytes of memory for each entry of `touched` */
    EXEC_PAGE = 2 << 20,       /* bytes that NVIDIA's driver maps for a GPU at a time */
};

struct managed_blocks;
struct texture_table;

/* The memory of a GPU. */
struct exec_memory {
    uint64_t base;     /* first address, a multiple of EXEC_REGION (0x7e80_0000_0000) */
    uint64_t size;     /* bytes, a multiple of EXEC_REGION */
    uint8_t *state;    /* size / EXEC_SECTOR entries */
    uint8_t *touched;  /* size / EXEC_REGION entries: a sector of the region may be strong */
    uint32_t *mapped;  /* size / EXEC_PAGE + 1 entries: allocations that lie in the page */
    uint32_t *written; /* size / EXEC_SECTOR entries, a bit for each byte of a fresh sector that has
                        * been written; NULL: no sector is fresh */
    /* The same for all programs, if others have memory in the range; NULL: `mapped` has all. A page
     * in which another program has an allocation is not this one's. */
    const uint32_t *all;
    /* The device memories lie `stride` bytes apart from `base` on; 0: only one, or none. front: a
     * page of the range that stands for the page before each of them; 0: there is none. */
    uint64_t stride, front;
    uint32_t devices;
    uint32_t launches;                    /* timed launches that run on it now; atomic */
    const struct texture_table *textures; /* texture/texture.h; NULL: none */
    struct managed_blocks *managed;       /* managed_blocks.h; borrowed; NULL: none */
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
/* @return whether the first byte of the sector of an address in the memory is allocated. */
static inline bool exec_memory_allowed(const struct exec_memory *memory, uint64_t address) {
    return memory->state[(address - memory->base) / EXEC_SECTOR] & EXEC_SECTOR_BYTES;
}

/* An allocation of [address, address + bytes), bytes > 0, takes its pages, or gives them back; the
 * range lies in the memory. Threads: as exec_memory_allow(). */
void exec_memory_map(struct exec_memory *memory, uint64_t address, uint64_t bytes);
void exec_memory_unmap(struct exec_memory *memory, uint64_t address, uint64_t bytes);
/* Where the bytes at an address lie that is in no allocation, but in a mapped page: the same
 * address, or for the page before the memory of a device one of page `front`. @return 0: no such
 * page. An address of a mapped page stays what it is. */
uint64_t exec_memory_padding(const struct exec_memory *memory, uint64_t address);

/* Begins to keep which bytes are written (EXEC_CHECK_INIT). @return HEDDLE_ERR_NOMEM. */
heddle_err exec_memory_track(struct exec_memory *memory);
/* The allocated range counts as not written, if the memory keeps that. Threads: as
 * exec_memory_allow(). */
void exec_memory_renew(struct exec_memory *memory, uint64_t address, uint64_t bytes);
/* The range has been written; it may lie anywhere. Any thread. */
void exec_memory_write(struct exec_memory *memory, uint64_t address, uint64_t bytes);
/* @return whether all of up to 32 bytes in one sector of the memory have been written, or it does
 * not keep that of them. Any thread. */
bool exec_memory_written(const struct exec_memory *memory, uint64_t address, uint32_t bytes);

/* A timed launch begins and ends on the memory: the first to begin clears all strong bits. */
void exec_memory_begin(struct exec_memory *memory);
void exec_memory_end(struct exec_memory *memory);

#endif
