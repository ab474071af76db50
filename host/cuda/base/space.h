/* space.h - the address space that programs and the simulated GPUs share: the memory of each
 * device, pinned host memory and managed memory, their allocations, and the state bytes by which
 * the executor checks accesses.
 *
 * The regions are memory files mapped at fixed addresses, device after device, then pinned, then
 * managed memory, so that a pointer means the same everywhere. Allocations begin at multiples of
 * 256 bytes (of a page where programs map them) and keep a distance of at least 256 from the next
 * one, so that an index out of bounds meets unallocated bytes. First fit, neighbours are joined
 * again when freed.
 *
 * Behind the devices lies a range without memory (SPACE_VIRTUAL, as long as one device's), where
 * programs reserve addresses and map memory that they have made without an address
 * (calls_virtual.c): there the pages of the device's file are mapped a second time. That memory
 * takes its place in its device's region as an allocation does, but cannot be accessed there.
 *
 * Threads: allocation by one thread at a time. */
#ifndef HEDDLE_CUDA_BASE_SPACE_H
#define HEDDLE_CUDA_BASE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "cuda/base/freed.h"
#include "exec/memory/device_memory.h"

#define SPACE_BASE UINT64_C(0x00007e8000000000)
enum {
    SPACE_ALIGN = 256,
    SPACE_PAGE = 4096,
    SPACE_GRANULE = 2 << 20, /* of memory that programs map: as NVIDIA's GPUs have it */
    SPACE_MAX_DEVICES = 16
};

typedef enum space_region {
    SPACE_PINNED,
    SPACE_MANAGED,
    SPACE_DEVICE, /* device 0; device n is SPACE_DEVICE + n */
    SPACE_NUM_REGIONS = SPACE_DEVICE + SPACE_MAX_DEVICES,
    SPACE_VIRTUAL, /* addresses for mappings, where nothing is mapped */
    SPACE_HOST     /* the program's own memory */
} space_region;

struct space_size {
    uint64_t device_bytes, pinned_bytes, managed_bytes; /* managed may be 0 */
    unsigned devices;                                   /* 1..SPACE_MAX_DEVICES, 0 counts as 1 */
};

/* An allocation. */
struct space_block {
    uint64_t address, bytes; /* what was asked for */
    uint64_t reserved;       /* what it takes from the region, from `address` on */
    uint64_t number;         /* 1 for the first allocation of the run */
    uint32_t flags;          /* the caller's */
    uint32_t tag;            /* the caller's, 0 at first: see space_tag() */
    const void *owner;       /* the caller's, to free all of a process */
    uint32_t holders;        /* who keeps the address beyond a free: see space_hold() */
    uint32_t open;           /* times given out and not taken back; 0: held only */
    bool freeing;            /* a free is under way: see space_begin_free() */
    bool place;              /* made by space_make() */
    uint64_t memory;         /* of a mapping: where the memory has its place; else 0 */
};

struct space;

/* Maps all regions. @return HEDDLE_ERR_IO with the mapping that is in the way. */
heddle_err space_create(struct space **out, const struct space_size *size,
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
/* Frees the allocation that begins at `address`; the address of one that is held stays reserved.
 * @return false when there is none. */
bool space_release(struct space *s, space_region r, uint64_t address);
/* Keeps the address of an allocation when it is freed, so that space_reopen() can give it out
 * again, until as many holders have let go of it. */
void space_hold(struct space *s, uint64_t address);
void space_let_go(struct space *s, uint64_t address);
/* @return false when nothing is held there, or when it is given out and no free is under way. */
bool space_reopen(struct space *s, uint64_t address);
/* Notes that the allocation will be released later. @return false when it is not given out, or a
 * free is under way already. */
bool space_begin_free(struct space *s, uint64_t address);
/* Frees everything of an owner. */
void space_release_owner(struct space *s, const void *owner);

/* ---- mappings. All sizes and addresses are multiples of SPACE_GRANULE. */

/* Memory without an address of its own, held once; it goes with its last holder.
 * @return its place in the region, where nothing can be accessed, or 0. */
uint64_t space_make(struct space *s, space_region device, uint64_t bytes, uint32_t flags,
                    const void *owner);
/* Reserves addresses, from `hint` on if they are free. @return the first one, or 0. */
uint64_t space_reserve(struct space *s, uint64_t bytes, uint64_t alignment, uint64_t hint,
                       const void *owner);
/* The reservation that contains the range, or NULL. */
const struct space_block *space_reserved(const struct space *s, uint64_t address, uint64_t bytes);
bool space_unreserve(struct space *s, uint64_t address);
/* Maps the first `bytes` of `memory` (space_make) at reserved addresses where nothing is mapped,
 * and holds it; accesses are errors until space_permit(). @return false: something is mapped there,
 * or the system says no. */
bool space_map(struct space *s, uint64_t address, uint64_t memory, uint64_t bytes);
/* The mapping at the address goes; what the memory holds stays. */
void space_unmap(struct space *s, uint64_t address);
void space_permit(struct space *s, const struct space_block *mapping, bool permit);

/* ---- look-up */

/* The region an address lies in, allocated or not; SPACE_HOST: none of them. Of a mapped address,
 * the device whose memory it is. */
space_region space_where(const struct space *s, uint64_t address);
static inline bool space_is_device(space_region r) {
    return r >= SPACE_DEVICE && r < SPACE_NUM_REGIONS;
}
/* From the first byte of device memory to behind the last address for mappings. */
uint64_t space_devices_bytes(const struct space *s);
/* The allocation that contains all of [address, address + bytes), or NULL. Of mappings side by
 * side, the first. */
const struct space_block *space_find(const struct space *s, uint64_t address, uint64_t bytes);
/* The same, but not for memory that has only its place there (space_make): no pointer of any
 * program means it. */
const struct space_block *space_reachable(const struct space *s, uint64_t address, uint64_t bytes);
/* Another owner for the allocation that begins at `address`. @return false when there is none. */
bool space_give(struct space *s, uint64_t address, const void *owner);
/* Sets the tag of the allocation that begins at `address`. @return false when there is none. */
bool space_tag(struct space *s, uint64_t address, uint32_t tag);
/* The allocation nearest to the address, or NULL when there is none at all. */
const struct space_block *space_nearest(const struct space *s, uint64_t address);
/* The allocation freed last that contained the address, or NULL. */
const struct freed_block *space_freed(const struct space *s, uint64_t address);

#endif
