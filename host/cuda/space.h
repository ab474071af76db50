/* space.h - the address space that programs and the simulated GPU share: device memory and pinned
 * host memory, their allocations, and the state bytes by which the executor checks accesses.
 *
 * Both regions are memory files mapped at fixed addresses, pinned memory right behind device
 * memory, so that a pointer means the same everywhere. Allocations begin at multiples of 256 bytes
 * and keep a distance of at least 256 from the next one, so that an index out of bounds meets
 * unallocated bytes. First fit, neighbours are joined again when freed.
 *
 * Threads: allocation by one thread at a time. */
#ifndef HEDDLE_CUDA_SPACE_H
#define HEDDLE_CUDA_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "cuda/freed.h"
#include "exec/memory.h"

#define SPACE_BASE UINT64_C(0x00007e8000000000)
enum { SPACE_ALIGN = 256, SPACE_PAGE = 4096 };

typedef enum space_region {
    SPACE_DEVICE,
    SPACE_PINNED,
    SPACE_NUM_REGIONS,
    SPACE_HOST
} space_region;

/* An allocation. */
struct space_block {
    uint64_t address, bytes; /* what was asked for */
    uint64_t reserved;       /* what it takes from the region, from `address` on */
    uint64_t number;         /* 1 for the first allocation of the run */
    uint32_t flags;          /* the caller's */
    const void *owner;       /* the caller's, to free all of a process */
};

struct space;

/* Maps both regions. @return HEDDLE_ERR_IO with the mapping that is in the way. */
heddle_err space_create(struct space **out, uint64_t device_bytes, uint64_t pinned_bytes,
                        struct heddle_diag *diag);
void space_free(struct space *s);

/* For the executor: valid as long as the space. */
struct exec_memory *space_memory(struct space *s);
int space_fd(const struct space *s, space_region r); /* the memory file */
uint64_t space_base(const struct space *s, space_region r);
uint64_t space_bytes(const struct space *s, space_region r);
/* Bytes still free for allocations. */
uint64_t space_available(const struct space *s, space_region r);

/* Allocates `bytes` > 0. @return the address, or 0 when no gap is large enough. */
uint64_t space_alloc(struct space *s, space_region r, uint64_t bytes, uint32_t flags,
                     const void *owner);
/* Frees the allocation that begins at `address`. @return false when there is none. */
bool space_release(struct space *s, space_region r, uint64_t address);
/* Frees everything of an owner. */
void space_release_owner(struct space *s, const void *owner);

/* The region an address lies in, allocated or not; SPACE_HOST: neither. */
space_region space_where(const struct space *s, uint64_t address);
/* The allocation that contains all of [address, address + bytes), or NULL. */
const struct space_block *space_find(const struct space *s, uint64_t address, uint64_t bytes);
/* The allocation nearest to the address, or NULL when there is none at all. */
const struct space_block *space_nearest(const struct space *s, uint64_t address);
/* The allocation freed last that contained the address, or NULL. */
const struct freed_block *space_freed(const struct space *s, uint64_t address);

#endif
