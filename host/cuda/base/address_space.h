/* address_space.h - the address space that programs and the simulated GPUs share: the memory of
 * each device, pinned host memory and managed memory, their allocations, and the state bytes by
 * which the executor checks accesses.
 *
 * The regions are memory files mapped at fixed addresses, device after device, then pinned, then
 * managed memory, so that a pointer means the same everywhere. Allocations begin at multiples of
 * 256 bytes (of a page where programs map them) and keep a distance of at least 256 from the next
 * one, so that an index out of bounds meets unallocated bytes. First fit, neighbours are joined
 * again when freed.
 *
 * Behind the devices lies a range without memory (REGION_VIRTUAL, as long as one device's), where
 * programs reserve addresses and map memory that they have made without an address
 * (calls_virtual.c): there the pages of the device's file are mapped a second time. That memory
 * takes its place in its device's region as an allocation does, but cannot be accessed there.
 *
 * Threads: allocation by one thread at a time. */
#ifndef HEDDLE_CUDA_BASE_ADDRESS_SPACE_H
#define HEDDLE_CUDA_BASE_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "cuda/base/freed_blocks.h"
#include "exec/memory/device_memory.h"

#define ADDRESS_SPACE_BASE UINT64_C(0x00007e8000000000)
enum {
    ADDRESS_SPACE_ALIGN = 256,
    ADDRESS_SPACE_PAGE = 4096,
    ADDRESS_SPACE_GRANULE = 2 << 20, /* of memory that programs map: as NVIDIA's GPUs have it */
    ADDRESS_SPACE_MAX_DEVICES = 16
};

typedef enum memory_region {
    REGION_PINNED,
    REGION_MANAGED,
    REGION_DEVICE, /* device 0; device n is REGION_DEVICE + n */
    NUM_REGIONS = REGION_DEVICE + ADDRESS_SPACE_MAX_DEVICES,
    REGION_VIRTUAL, /* addresses for mappings, where nothing is mapped */
    REGION_HOST     /* the program's own memory */
} memory_region;

struct address_space_size {
    uint64_t device_bytes, pinned_bytes, managed_bytes; /* managed may be 0 */
    unsigned devices; /* 1..ADDRESS_SPACE_MAX_DEVICES, 0 counts as 1 */
};

/* An allocation. */
struct memory_block {
    uint64_t address, bytes; /* what was asked for */
    uint64_t reserved;       /* what it takes from the region, from `address` on */
    uint64_t number;         /* 1 for the first allocation of the run */
    uint32_t flags;          /* the caller's */
    uint32_t tag;            /* the caller's, 0 at first: see address_space_tag() */
    const void *owner;       /* the caller's, to free all of a process */
    uint32_t holders;        /* who keeps the address beyond a free: see address_space_hold() */
    uint32_t open;           /* times given out and not taken back; 0: held only */
    bool freeing;            /* a free is under way: see address_space_begin_free() */
    bool place;              /* made by address_space_make() */
    uint64_t memory;         /* of a mapping: where the memory has its place; else 0 */
};

struct address_space;

/* Maps all regions. @return HEDDLE_ERR_IO with the mapping that is in the way. */
heddle_err address_space_create(struct address_space **out, const struct address_space_size *size,
                                struct heddle_diag *diag);
void address_space_free(struct address_space *s);

/* For the executor: valid as long as the space. */
struct exec_memory *address_space_memory(struct address_space *s);
int address_space_fd(const struct address_space *s, memory_region r); /* the memory file */
uint64_t address_space_base(const struct address_space *s, memory_region r);
uint64_t address_space_bytes(const struct address_space *s, memory_region r);
/* Bytes still free for allocations. */
uint64_t address_space_available(const struct address_space *s, memory_region r);

/* Allocates `bytes` > 0. @return the address, or 0 when no gap is large enough. */
uint64_t address_space_alloc(struct address_space *s, memory_region r, uint64_t bytes,
                             uint32_t flags, const void *owner);
/* Frees the allocation that begins at `address`; the address of one that is held stays reserved.
 * @return false when there is none. */
bool address_space_release(struct address_space *s, memory_region r, uint64_t address);
/* Keeps the address of an allocation when it is freed, so that address_space_reopen() can give it
 * out again, until as many holders have let go of it. */
void address_space_hold(struct address_space *s, uint64_t address);
void address_space_let_go(struct address_space *s, uint64_t address);
/* @return false when nothing is held there, or when it is given out and no free is under way. */
bool address_space_reopen(struct address_space *s, uint64_t address);
/* Notes that the allocation will be released later. @return false when it is not given out, or a
 * free is under way already. */
bool address_space_begin_free(struct address_space *s, uint64_t address);
/* Frees everything of an owner. */
void address_space_release_owner(struct address_space *s, const void *owner);

/* ---- mappings. All sizes and addresses are multiples of ADDRESS_SPACE_GRANULE. */

/* Memory without an address of its own, held once; it goes with its last holder.
 * @return its place in the region, where nothing can be accessed, or 0. */
uint64_t address_space_make(struct address_space *s, memory_region device, uint64_t bytes,
                            uint32_t flags, const void *owner);
/* Reserves addresses, from `hint` on if they are free. @return the first one, or 0. */
uint64_t address_space_reserve(struct address_space *s, uint64_t bytes, uint64_t alignment,
                               uint64_t hint, const void *owner);
/* The reservation that contains the range, or NULL. */
const struct memory_block *address_space_reserved(const struct address_space *s, uint64_t address,
                                                  uint64_t bytes);
bool address_space_unreserve(struct address_space *s, uint64_t address);
/* Maps the first `bytes` of `memory` (address_space_make) at reserved addresses where nothing is
 * mapped, and holds it; accesses are errors until address_space_permit(). @return false: something
 * is mapped there, or the system says no. */
bool address_space_map(struct address_space *s, uint64_t address, uint64_t memory, uint64_t bytes);
/* The mapping at the address goes; what the memory holds stays. */
void address_space_unmap(struct address_space *s, uint64_t address);
void address_space_permit(struct address_space *s, const struct memory_block *mapping, bool permit);

/* ---- look-up */

/* The region an address lies in, allocated or not; REGION_HOST: none of them. Of a mapped address,
 * the device whose memory it is. */
memory_region address_space_region(const struct address_space *s, uint64_t address);
static inline bool region_is_device(memory_region r) {
    return r >= REGION_DEVICE && r < NUM_REGIONS;
}
/* From the first byte of device memory to behind the last address for mappings. */
uint64_t address_space_devices_bytes(const struct address_space *s);
/* The allocation that contains all of [address, address + bytes), or NULL. Of mappings side by
 * side, the first. */
const struct memory_block *address_space_find(const struct address_space *s, uint64_t address,
                                              uint64_t bytes);
/* The same, but not for memory that has only its place there (address_space_make): no pointer of
 * any program means it. */
const struct memory_block *address_space_reachable(const struct address_space *s, uint64_t address,
                                                   uint64_t bytes);
/* Another owner for the allocation that begins at `address`. @return false when there is none. */
bool address_space_give(struct address_space *s, uint64_t address, const void *owner);
/* Sets the tag of the allocation that begins at `address`. @return false when there is none. */
bool address_space_tag(struct address_space *s, uint64_t address, uint32_t tag);
/* The allocation nearest to the address, or NULL when there is none at all. */
const struct memory_block *address_space_nearest(const struct address_space *s, uint64_t address);
/* The allocation freed last that contained the address, or NULL. */
const struct freed_block *address_space_freed(const struct address_space *s, uint64_t address);

#endif
