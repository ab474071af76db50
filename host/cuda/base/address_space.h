/* address_space.h - the address space that programs and the simulated GPUs share: the memory of
 * each device, pinned host memory and managed memory, their allocations, and the state bytes by
 * which the executor checks accesses.
 *
 * The regions are memory files mapped at fixed addresses, device after device, then pinned, then
 * managed memory, so that a pointer means the same everywhere. Allocations begin at multiples of
 * 256 bytes (of a page where programs map them) and keep a distance of at least 256 from the next
 * one, so that an index out of bounds meets unallocated bytes. First fit, neighbours are joined
 * again when freed. On request, freed blocks keep their addresses while there is room for others
 * (in half of the region, and up to ADDRESS_SPACE_ASIDE blocks), so that a use after free is not
 * taken for one of a later allocation.
 *
 * Behind the devices lies a range without memory (REGION_VIRTUAL, as long as one device's), where
 * programs reserve addresses and map physical memory (calls_virtual.c): the pages of the device's
 * file are mapped a second time there. Such physical memory occupies its device's region like an
 * allocation, but cannot be accessed at that address.
 *
 * Threads: allocation by one thread at a time. */
#ifndef HEDDLE_CUDA_BASE_ADDRESS_SPACE_H
#define HEDDLE_CUDA_BASE_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "cuda/base/block_tree.h"
#include "cuda/base/freed_blocks.h"
#include "exec/memory/device_memory.h"

#define ADDRESS_SPACE_BASE UINT64_C(0x00007e8000000000)
/* The begin of a space of more GPUs than a node has: from ADDRESS_SPACE_BASE on it would reach to
 * where the system maps libraries. */
#define ADDRESS_SPACE_LOW_BASE UINT64_C(0x0000700000000000)
enum {
    ADDRESS_SPACE_ALIGN = 256,
    ADDRESS_SPACE_PAGE = 4096,
    ADDRESS_SPACE_GRANULE = 2 << 20, /* unit of memory that programs map, as on NVIDIA's GPUs */
    ADDRESS_SPACE_MAX_DEVICES = 64,  /* of all nodes */
    ADDRESS_SPACE_HIGH_DEVICES = 16, /* at most, for ADDRESS_SPACE_BASE */
    ADDRESS_SPACE_PLACES = 64,       /* of address spaces in one process */
    ADDRESS_SPACE_ASIDE = 1 << 16    /* most freed blocks of a region that are set aside */
};

typedef enum memory_region {
    REGION_PINNED,
    REGION_MANAGED,
    REGION_DEVICE, /* device 0; device n is REGION_DEVICE + n */
    NUM_REGIONS = REGION_DEVICE + ADDRESS_SPACE_MAX_DEVICES,
    REGION_VIRTUAL, /* addresses for mappings, while nothing is mapped there */
    REGION_HOST     /* the program's own memory */
} memory_region;

struct address_space_size {
    uint64_t device_bytes, pinned_bytes, managed_bytes; /* of each device; managed may be 0 */
    unsigned devices; /* 1..ADDRESS_SPACE_MAX_DEVICES, 0 counts as 1 */
    bool guard; /* --memcheck free: set freed blocks aside, and leave a page behind each block */
    bool track; /* --memcheck init: keep which bytes of device memory have been written */
    bool elsewhere; /* if something is at the usual place, such as another space: take the next of
                     * ADDRESS_SPACE_PLACES */
};

struct address_space;

/* Maps all regions in this process and creates the state bytes. The caller owns *out. @return
 * HEDDLE_ERR_IO, and *diag names the conflicting mapping, or HEDDLE_ERR_NOMEM; *out is NULL
 * then. */
heddle_err address_space_create(struct address_space **out, const struct address_space_size *size,
                                struct heddle_diag *diag);
/* Unmaps all regions and closes their files; s may be NULL. */
void address_space_free(struct address_space *s);

/* The range of all regions, as the executor sees it; valid as long as the address space. Kernels of
 * no owner run on it. */
struct exec_memory *address_space_memory(struct address_space *s);
/* What the owner's kernels may access: its allocations, and what it shares (address_space_share()).
 * Valid until address_space_release_owner(). @return NULL: no memory. */
struct exec_memory *address_space_view(struct address_space *s, const void *owner);
int address_space_fd(const struct address_space *s, memory_region r); /* the memory file */
/* First address and size of a region; size 0: not mapped. */
uint64_t address_space_base(const struct address_space *s, memory_region r);
uint64_t address_space_bytes(const struct address_space *s, memory_region r);
/* Bytes still free for allocations. */
uint64_t address_space_available(const struct address_space *s, memory_region r);

/* Allocates `bytes` > 0 and permits kernels to access them. @return the address, or 0 when no gap
 * is large enough. */
uint64_t address_space_alloc(struct address_space *s, memory_region r, uint64_t bytes,
                             uint32_t flags, const void *owner);
/* Frees the allocation at `address`: accesses become errors, large blocks lose their contents, and
 * the log of freed blocks gets it. If it is held, its address stays reserved instead. If it was
 * reopened before this free, it stays allocated. @return false when there is none. */
bool address_space_release(struct address_space *s, memory_region r, uint64_t address);
/* Reserves the address of an allocation beyond its free, so that address_space_reopen() can
 * allocate it again. Each hold needs one address_space_let_go(). */
void address_space_hold(struct address_space *s, uint64_t address);
/* Ends one hold. The last one frees a block that is not allocated. */
void address_space_let_go(struct address_space *s, uint64_t address);
/* Allocates a held address again. @return false when nothing is held there, or when it is allocated
 * and no free is pending. */
bool address_space_reopen(struct address_space *s, uint64_t address);
/* Marks an allocation as about to be freed. @return false when it is not allocated, or a free is
 * pending already. */
bool address_space_begin_free(struct address_space *s, uint64_t address);
/* Notes that a program asked for the allocation at the address, so that a leak report counts it.
 * Its bytes count as not written, if the address space tracks that (and a device has them). */
void address_space_ask(struct address_space *s, uint64_t address);
/* The server has written the range, which may lie anywhere. */
void address_space_note_write(struct address_space *s, uint64_t address, uint64_t bytes);
/* The next allocation that the owner asked for and has not freed, by region and address; NULL as
 * `last` gives the first one. @return NULL: there is no more. */
const struct memory_block *address_space_leaked(const struct address_space *s, const void *owner,
                                                const struct memory_block *last);
/* Frees everything of an owner: mappings, reservations and allocations, held or not. */
void address_space_release_owner(struct address_space *s, const void *owner);

/* ---- mappings. All sizes and addresses are multiples of ADDRESS_SPACE_GRANULE. */

/* Allocates physical memory (cuMemCreate), held once and freed with its last holder. @return its
 * address in the region, where it cannot be accessed, or 0. */
uint64_t address_space_alloc_physical(struct address_space *s, memory_region device, uint64_t bytes,
                                      uint32_t flags, const void *owner);
/* Reserves addresses, at `hint` if they are free. @return the first one, or 0. */
uint64_t address_space_reserve(struct address_space *s, uint64_t bytes, uint64_t alignment,
                               uint64_t hint, const void *owner);
/* The reservation that contains the range, or NULL. */
const struct memory_block *address_space_reserved(const struct address_space *s, uint64_t address,
                                                  uint64_t bytes);
/* Ends the reservation that begins at the address. @return false when there is none. */
bool address_space_unreserve(struct address_space *s, uint64_t address);
/* Maps the first `bytes` of `memory` (address_space_alloc_physical) at reserved addresses where
 * nothing is mapped, and holds the memory. Accesses are errors until address_space_set_access().
 * @return false: something is mapped there, or mmap() failed. */
bool address_space_map(struct address_space *s, uint64_t address, uint64_t memory, uint64_t bytes);
/* Removes the mapping at the address; the memory keeps its contents. */
void address_space_unmap(struct address_space *s, uint64_t address);
/* Permits or forbids accesses of kernels, of all devices, to a whole mapping. @return false: no
 * memory to note the permission; nothing has changed. */
bool address_space_set_access(struct address_space *s, const struct memory_block *mapping,
                              bool permit);

/* ---- look-up */

/* The region of an address, allocated or not; REGION_HOST: none of them. For a mapped address, the
 * region of its physical memory. */
memory_region address_space_region(const struct address_space *s, uint64_t address);
static inline bool region_is_device(memory_region r) {
    return r >= REGION_DEVICE && r < NUM_REGIONS;
}
/* Bytes from the start of device memory to the end of the addresses for mappings. */
uint64_t address_space_devices_bytes(const struct address_space *s);
/* The allocation that contains all of [address, address + bytes), or NULL. Adjacent mappings count
 * as one allocation; the first is returned. */
const struct memory_block *address_space_find(const struct address_space *s, uint64_t address,
                                              uint64_t bytes);
/* The same, without physical memory (address_space_alloc_physical): no program has a pointer to
 * it. */
const struct memory_block *address_space_reachable(const struct address_space *s, uint64_t address,
                                                   uint64_t bytes);
/* Permits another owner's kernels to access the allocation at `address` as well, until it is freed;
 * and ends that. @return false: there is none, or no memory. */
bool address_space_share(struct address_space *s, uint64_t address, const void *owner);
void address_space_unshare(struct address_space *s, uint64_t address, const void *owner);
/* Changes the owner of the allocation at `address`, with its kernels' access to it. @return false
 * when there is none. */
bool address_space_set_owner(struct address_space *s, uint64_t address, const void *owner);
/* Sets the tag of the allocation at `address`. @return false when there is none. */
bool address_space_set_tag(struct address_space *s, uint64_t address, uint32_t tag);
/* The allocation nearest to the address, or NULL when there is none at all. */
const struct memory_block *address_space_nearest(const struct address_space *s, uint64_t address);
/* *out: the most recently freed allocation that contained the address. @return false: none is
 * known. */
bool address_space_freed(const struct address_space *s, uint64_t address, struct freed_block *out);

#endif
