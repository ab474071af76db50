/* address_space.c - the memory that programs and the simulated GPUs share: its regions and their
 * mappings, and the allocations of each (block_tree.h); see address_space.h.
 *
 * Runs in the server's process. The command (run_setup.c) creates the address space before it
 * starts the program. (`heddle doctor` creates one as a test and frees it at once.) Then handlers
 * of calls use it on the server's thread. While that thread waits for the GPU, the simulation's
 * thread that performs a free (pool.c) uses it, and the executor that first needs the heap of
 * device malloc (run_setup.c) allocates. There is no lock: calls must not overlap. The functions
 * change the given address space, its mappings in this process and the state bytes of the executor
 * (s->memory), and send no messages. A pointer to a block is valid until it is removed. */
#define _GNU_SOURCE
#include "cuda/base/address_space_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory.h"
#include "cuda/protocol/mapping_conflict.h"
#include "exec/memory/managed_blocks.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
    GIB = 1 << 30,
    RETURN_BYTES = 1 << 16 /* freed pieces from this size go back to the host */
};

/* The next multiple of `unit`, which need not be a power of two. */
static uint64_t round_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* ---- mapping */

/* Records which mapping of this process is in the way. @return HEDDLE_ERR_IO. */
static heddle_err mapping_in_the_way(const char *what, uint64_t base, uint64_t bytes,
                                     struct heddle_diag *diag) {
    char culprit[MAPPING_CONFLICT_BYTES];
    mapping_conflict_describe(base, bytes, culprit);
    return heddle_fail(diag, HEDDLE_ERR_IO, "cannot map %s at 0x%llx, %llu bytes: in the way is %s",
                       what, (unsigned long long)base, (unsigned long long)bytes, culprit);
}

/* Creates a memory file, maps it at *at, and moves *at behind it, to a multiple of 1 GiB from its
 * base. 0 bytes: no region. @return HEDDLE_ERR_IO with the reason in *diag; the caller closes the
 * file then. */
static heddle_err map_region(struct region *r, const char *what, uint64_t *at, uint64_t bytes,
                             struct heddle_diag *diag) {
    r->blocks.base = *at;
    if (bytes == 0) return HEDDLE_OK;
    bytes = round_up(bytes, ADDRESS_SPACE_PAGE);
    uint64_t mapped = round_up(bytes, EXEC_PAGE); /* kernels may access padding behind the region */
    r->fd = memfd_create(what, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* Programs map some of these files, and must not make them smaller. */
    if (r->fd < 0 || ftruncate(r->fd, (off_t)mapped) != 0 ||
        fcntl(r->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot create %s of %llu bytes: %s%s", what,
                           (unsigned long long)bytes, strerror(errno), heddle_advice(errno));
    void *want = (void *)(uintptr_t)*at;
    void *got = mmap(want, mapped, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, r->fd, 0);
    if (got == want) {
        madvise(got, mapped, MADV_DONTDUMP);
        r->blocks.bytes = bytes; /* address_space_free() unmaps it */
        *at += round_up(bytes, GIB);
        return HEDDLE_OK;
    }
    int error = errno;
    if (got != MAP_FAILED) munmap(got, mapped); /* older kernels treat the address as a hint */
    if (got != MAP_FAILED || error == EEXIST) return mapping_in_the_way(what, *at, bytes, diag);
    return heddle_fail(diag, HEDDLE_ERR_IO, "cannot map %s at 0x%llx, %llu bytes: %s%s", what,
                       (unsigned long long)*at, (unsigned long long)bytes, strerror(error),
                       error == ENOMEM ? "; raise the limit of the address space (ulimit -v)" : "");
}

/* Maps addresses without access, so that no other part of the process gets them. how: MAP_FIXED
 * replaces an existing mapping, MAP_FIXED_NOREPLACE fails. @return as mmap(). */
void *space_take_out_of_use(uint64_t base, uint64_t bytes, int how) {
    return mmap((void *)(uintptr_t)base, bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
}

/* Takes the addresses for mappings (REGION_VIRTUAL) out of use, from *at on, and sets *at to their
 * end. @return HEDDLE_ERR_IO with the reason in *diag. */
static heddle_err set_apart(struct address_space *s, uint64_t *at, uint64_t bytes,
                            struct heddle_diag *diag) {
    bytes = round_up(bytes, GIB);
    void *got = space_take_out_of_use(*at, bytes, MAP_FIXED_NOREPLACE);
    if (got != (void *)(uintptr_t)*at) {
        if (got != MAP_FAILED) munmap(got, bytes);
        return mapping_in_the_way("addresses for mappings", *at, bytes, diag);
    }
    madvise(got, bytes, MADV_DONTDUMP);
    s->mapping.base = s->reservation.base = *at;
    s->mapping.bytes = s->reservation.bytes = bytes;
    *at += bytes;
    return HEDDLE_OK;
}

/* Maps a page behind all regions, which stands for the page before each device's memory
 * (exec_memory_padding()), and moves *at behind it. @return HEDDLE_ERR_IO with the reason in
 * *diag. */
static heddle_err map_front(struct address_space *s, uint64_t *at, struct heddle_diag *diag) {
    void *want = (void *)(uintptr_t)round_up(*at, EXEC_PAGE);
    void *got = mmap(want, EXEC_PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != want) {
        if (got != MAP_FAILED) munmap(got, EXEC_PAGE);
        return mapping_in_the_way("the driver's memory", (uintptr_t)want, EXEC_PAGE, diag);
    }
    s->front = (uintptr_t)got;
    *at = s->front + EXEC_PAGE;
    return HEDDLE_OK;
}

/* Maps the devices, the addresses for mappings, pinned and managed memory, in this order, the page
 * of map_front(), and the state bytes, from `base` on. @return HEDDLE_ERR_IO (a range is taken, no
 * file) or the error of exec_memory_init(), with the reason in *diag; then everything is undone and
 * *out is NULL. */
static heddle_err create_at(struct address_space **out, const struct address_space_size *size,
                            uint64_t base, struct heddle_diag *diag) {
    *out = NULL;
    struct address_space *s = heddle_alloc(sizeof *s, "the address space");
    for (int i = 0; i < NUM_REGIONS; i++) s->region[i].fd = -1;
    s->devices = size->devices ? size->devices : 1;
    s->guard = size->guard;
    s->track = size->track;
    s->base = base;
    uint64_t at = s->base;
    heddle_err e = HEDDLE_OK;
    for (unsigned i = 0; i < s->devices && !e; i++)
        e = map_region(&s->region[REGION_DEVICE + i], "device memory", &at, size->device_bytes,
                       diag);
    if (!e) e = set_apart(s, &at, size->device_bytes, diag);
    s->devices_end = at;
    if (!e)
        e = map_region(&s->region[REGION_PINNED], "pinned host memory", &at, size->pinned_bytes,
                       diag);
    if (!e)
        e = map_region(&s->region[REGION_MANAGED], "managed memory", &at, size->managed_bytes,
                       diag);
    if (!e) e = map_front(s, &at, diag);
    if (!e) {
        e = space_view_init(s, &s->memory, at - s->base);
        const struct block_tree *t = &s->region[REGION_MANAGED].blocks;
        if (!e && t->bytes) {
            s->memory.managed = managed_blocks_create(t->base, t->bytes, s->base);
            if (!s->memory.managed) e = HEDDLE_ERR_NOMEM;
        }
        if (e) heddle_fail(diag, e, "no memory for the state of device memory");
    }
    if (e)
        address_space_free(s);
    else
        *out = s;
    return e;
}

/* The first address of a place: the usual one, a few behind it, below where the system maps
 * libraries, then others below it. The same in every process, so that device addresses are. */
static uint64_t place_of(unsigned place) {
    enum { BEHIND = 4 }; /* the usual one among them */
    if (place < BEHIND) return ADDRESS_SPACE_BASE + place * (UINT64_C(128) << 30);
    return ADDRESS_SPACE_BASE - (place - BEHIND + 1) * (UINT64_C(1) << 40);
}

heddle_err address_space_create(struct address_space **out, const struct address_space_size *size,
                                struct heddle_diag *diag) {
    if (size->devices > ADDRESS_SPACE_HIGH_DEVICES)
        return create_at(out, size, ADDRESS_SPACE_LOW_BASE, diag);
    heddle_err e = create_at(out, size, ADDRESS_SPACE_BASE, diag);
    for (unsigned i = 1; e == HEDDLE_ERR_IO && size->elsewhere && i < ADDRESS_SPACE_PLACES; i++)
        e = create_at(out, size, place_of(i), diag);
    if (e != HEDDLE_ERR_IO || !size->elsewhere) return e;
    struct heddle_diag last = {.err = e};
    if (diag) last = *diag;
    return heddle_fail(diag, e,
                       "a process has %d places for the memory of GPUs, and all are taken; at the "
                       "last one: %.800s",
                       ADDRESS_SPACE_PLACES, last.text);
}

/* Unmaps everything, also mappings of programs, closes the files and frees the blocks, the state
 * bytes and s. Accepts NULL, and what a failed address_space_create() leaves. */
void address_space_free(struct address_space *s) {
    if (!s) return;
    for (int i = 0; i < NUM_REGIONS; i++) {
        struct region *r = &s->region[i];
        if (r->blocks.bytes)
            munmap((void *)(uintptr_t)r->blocks.base, round_up(r->blocks.bytes, EXEC_PAGE));
        if (r->fd >= 0) close(r->fd);
        block_tree_clear(&r->blocks);
    }
    if (s->mapping.bytes) munmap((void *)(uintptr_t)s->mapping.base, s->mapping.bytes);
    block_tree_clear(&s->mapping);
    block_tree_clear(&s->reservation);
    if (s->front) munmap((void *)(uintptr_t)s->front, EXEC_PAGE);
    managed_blocks_free(s->memory.managed);
    space_view_end_all(s);
    free(s);
}

struct exec_memory *address_space_memory(struct address_space *s) {
    return &s->memory;
}
int address_space_fd(const struct address_space *s, memory_region r) {
    return s->region[r].fd;
}
uint64_t address_space_base(const struct address_space *s, memory_region r) {
    return s->region[r].blocks.base;
}
uint64_t address_space_bytes(const struct address_space *s, memory_region r) {
    return s->region[r].blocks.bytes;
}

/* Bytes that no block occupies, perhaps in several gaps. A region that is not mapped has 0. */
uint64_t address_space_available(const struct address_space *s, memory_region r) {
    return s->region[r].blocks.bytes - s->region[r].blocks.used;
}

/* ---- allocation */

/* Adds a block and gives it the next number. @return the block. */
struct memory_block *space_insert(struct address_space *s, struct block_tree *t,
                                  struct memory_block block) {
    block.number = ++s->number;
    return block_tree_add(t, &block);
}

/* The first gap of the region, for which blocks that are set aside are let go if need be. @return
 * its address, or 0. */
uint64_t space_gap(struct block_tree *t, uint64_t reserved, uint64_t unit) {
    uint64_t at = block_tree_gap(t, reserved, unit);
    while (!at && block_tree_let_go(t)) at = block_tree_gap(t, reserved, unit);
    return at;
}

/* The first gap for a block of `bytes`, and 256 behind it, at a multiple of `unit`; *reserved: the
 * gap's size, a multiple as well. With s->guard a page more, if there is room. @return its address,
 * or 0. */
static uint64_t find_gap(const struct address_space *s, struct block_tree *t, uint64_t bytes,
                         uint64_t unit, uint64_t *reserved) {
    const uint64_t least = round_up(bytes + ADDRESS_SPACE_ALIGN, unit);
    *reserved = s->guard ? least + ADDRESS_SPACE_PAGE : least;
    const uint64_t at = space_gap(t, *reserved, unit);
    if (at || !s->guard) return at;
    *reserved = least;
    return space_gap(t, least, unit);
}

/* Takes the first gap of the region and permits kernels to access it. Keeps 256 bytes behind the
 * block free. Managed memory of two owners shares no block that migrates. @return the address, a
 * multiple of 256 (of a page, unless the region is a device's); 0: no gap is large enough, or
 * `bytes` is 0. */
uint64_t address_space_alloc(struct address_space *s, memory_region region, uint64_t bytes,
                             uint32_t flags, const void *owner) {
    struct block_tree *t = &s->region[region].blocks;
    if (bytes == 0 || bytes + ADDRESS_SPACE_ALIGN > t->bytes || bytes > UINT64_MAX / 2) return 0;
    /* Programs map each pinned or managed allocation separately, so it has pages of its own. */
    uint64_t unit = region_is_device(region) ? ADDRESS_SPACE_ALIGN : ADDRESS_SPACE_PAGE, reserved;
    uint64_t at = find_gap(s, t, bytes, unit, &reserved);
    const bool managed = at && region == REGION_MANAGED;
    if (managed && !managed_blocks_fit(s->memory.managed, at, bytes, owner))
        at = find_gap(s, t, bytes, MANAGED_BLOCK, &reserved);
    if (!at) return 0;
    struct memory_block *b = space_insert(s, t,
                                          (struct memory_block){.address = at,
                                                                .bytes = bytes,
                                                                .reserved = reserved,
                                                                .flags = flags,
                                                                .owner = owner,
                                                                .open = 1});
    if (!space_open(s, b)) {
        block_tree_remove(t, b);
        return 0;
    }
    space_map_pages(s, b);
    if (managed) managed_blocks_allocate(s->memory.managed, at, bytes, owner);
    return at;
}

/* Gives whole pages of a large block back to the host, so that they read as 0; other bytes keep
 * their values. */
static void return_pages(const struct memory_block *b) {
    uint64_t from = round_up(b->address, 4096), to = (b->address + b->bytes) & ~UINT64_C(4095);
    if (to > from && to - from >= RETURN_BYTES)
        madvise((void *)(uintptr_t)from, to - from, MADV_REMOVE);
}

/* Makes accesses of kernels errors and gives the pages back to the host. The block stays. */
static void close_block(struct address_space *s, const struct memory_block *b) {
    space_close(s, b);
    return_pages(b);
}

/* Frees a block: ends accesses, returns its pages, logs it in s->freed and removes it. */
void space_remove_block(struct address_space *s, struct block_tree *t, struct memory_block *b) {
    if (!b->physical) space_unmap_pages(s, b);
    if (t == &s->region[REGION_MANAGED].blocks)
        managed_blocks_release(s->memory.managed, b->address, b->bytes);
    if (b->open)
        close_block(s, b);
    else
        return_pages(b);
    freed_blocks_add(&s->freed, b->address, b->bytes, b->number);
    if (!s->guard || b->physical) {
        block_tree_remove(t, b);
        return;
    }
    b->owner = NULL;
    b->open = b->holders = 0;
    block_tree_set_aside(t, b);
    while (t->aside > t->bytes / 2 || t->num_aside > ADDRESS_SPACE_ASIDE) block_tree_let_go(t);
}

/* Ends one allocation of the block that begins at `address` in the region. With the last one,
 * accesses become errors, large blocks lose their contents, and the block is freed and logged,
 * unless it is held: then its address stays reserved. @return false: no block begins there, or it
 * is only held. */
bool address_space_release(struct address_space *s, memory_region region, uint64_t address) {
    struct memory_block *b = block_tree_at(&s->region[region].blocks, address);
    if (!b || b->address != address) return false;
    if (b->open > 1 || (b->open && b->holders)) {
        if (b->open-- == 1) {
            b->freeing = false;
            close_block(s, b);
        }
        return true;
    }
    if (b->holders) return false;
    space_remove_block(s, &s->region[region].blocks, b);
    return true;
}

/* ---- look-up */

/* The region of an address, allocated or not; REGION_HOST: the address is the program's own. Within
 * the addresses for mappings: the region of the memory mapped there, or REGION_VIRTUAL. */
memory_region address_space_region(const struct address_space *s, uint64_t address) {
    if (address - s->mapping.base < s->mapping.bytes) {
        const struct memory_block *b = block_tree_at(&s->mapping, address);
        return b ? address_space_region(s, b->memory) : REGION_VIRTUAL;
    }
    for (unsigned k = 0; k < REGION_DEVICE + s->devices; k++)
        if (address - s->region[k].blocks.base < s->region[k].blocks.bytes) return (memory_region)k;
    return REGION_HOST;
}

/* The mapping that contains the address, if it and the mappings that follow it without a gap
 * contain all `bytes`; else NULL. */
static const struct memory_block *find_mapped(const struct block_tree *t, uint64_t address,
                                              uint64_t bytes) {
    const struct memory_block *b = block_tree_at(t, address), *last = b;
    if (!b) return NULL;
    for (uint64_t left = b->address + b->bytes - address; left < bytes; left += last->bytes) {
        const struct memory_block *next = block_tree_behind(t, last->address);
        if (!next || next->address != last->address + last->bytes) return NULL;
        last = next;
    }
    return b;
}

/* The block that contains all of [address, address + bytes), or NULL; allocated or only held.
 * Adjacent mappings count as one block; the first is returned. */
const struct memory_block *address_space_find(const struct address_space *s, uint64_t address,
                                              uint64_t bytes) {
    if (address - s->mapping.base < s->mapping.bytes)
        return find_mapped(&s->mapping, address, bytes);
    memory_region k = address_space_region(s, address);
    if (k == REGION_HOST) return NULL;
    const struct memory_block *b = block_tree_at(&s->region[k].blocks, address);
    return b && bytes <= b->bytes - (address - b->address) ? b : NULL;
}

/* The block (a mapping or a block of a region, not a reservation) that begins at the address, or
 * NULL. */
struct memory_block *space_block_at(struct address_space *s, uint64_t address) {
    struct block_tree *t = &s->mapping;
    if (address - t->base >= t->bytes) {
        memory_region k = address_space_region(s, address);
        if (k == REGION_HOST) return NULL;
        t = &s->region[k].blocks;
    }
    struct memory_block *b = block_tree_at(t, address);
    return b && b->address == address ? b : NULL;
}

/* address_space_find(), but NULL for physical memory at its own address, to which no program has a
 * pointer. */
const struct memory_block *address_space_reachable(const struct address_space *s, uint64_t address,
                                                   uint64_t bytes) {
    const struct memory_block *b = address_space_find(s, address, bytes);
    return b && !b->physical ? b : NULL;
}

bool address_space_share(struct address_space *s, uint64_t address, const void *owner) {
    struct memory_block *b = space_block_at(s, address);
    return b && space_share(s, b, owner);
}

void address_space_unshare(struct address_space *s, uint64_t address, const void *owner) {
    const struct memory_block *b = space_block_at(s, address);
    if (b) space_unshare(s, b, owner);
}

/* Sets the owner of the block that begins at the address. @return false: there is none. */
bool address_space_set_owner(struct address_space *s, uint64_t address, const void *owner) {
    struct memory_block *b = space_block_at(s, address);
    if (!b || !space_share(s, b, owner)) return false;
    const void *before = b->owner;
    b->owner = owner;
    space_unshare(s, b, before);
    return true;
}

/* Sets the tag of the block that begins at the address. @return false: there is none. */
bool address_space_set_tag(struct address_space *s, uint64_t address, uint32_t tag) {
    struct memory_block *b = space_block_at(s, address);
    if (b) b->tag = tag;
    return b != NULL;
}

/* ---- addresses that outlive a free: a hold (b->holders) keeps a block in its tree, so that
 * nobody else gets the address; b->open counts its allocations */

/* Adds a hold to the block that begins at the address; ignores an address without one. */
void address_space_hold(struct address_space *s, uint64_t address) {
    struct memory_block *b = space_block_at(s, address);
    if (b) b->holders++;
}

/* Ends one hold of the block at the address. Frees and logs the block if that was the last and
 * nothing is allocated. Ignores an address without a held block. */
void address_space_let_go(struct address_space *s, uint64_t address) {
    struct memory_block *b = space_block_at(s, address);
    if (!b || !b->holders || --b->holders || b->open) return;
    space_remove_block(s, &s->region[address_space_region(s, address)].blocks, b);
}

/* Allocates the held block at the address again, and permits accesses if they were forbidden. A
 * free that is pending (b->freeing) then ends only the earlier allocation. @return false: no held
 * block, or it is allocated and no free is pending. */
bool address_space_reopen(struct address_space *s, uint64_t address) {
    struct memory_block *b = space_block_at(s, address);
    if (!b || !b->holders || (b->open && !b->freeing)) return false;
    b->freeing = false;
    return b->open++ || space_open(s, b);
}

/* Sets b->freeing, so that a second free of the block fails; address_space_release() follows later.
 * @return false: no block begins there, it is not allocated, or a free is pending. */
bool address_space_begin_free(struct address_space *s, uint64_t address) {
    struct memory_block *b = space_block_at(s, address);
    if (!b || !b->open || b->freeing) return false;
    b->freeing = true;
    return true;
}

uint64_t address_space_devices_bytes(const struct address_space *s) {
    return s->devices_end - s->base;
}

/* Bytes from the address to the nearest byte of the block, 0: it lies inside. */
static uint64_t distance(const struct memory_block *b, uint64_t address) {
    if (address < b->address) return b->address - address;
    uint64_t end = b->address + b->bytes;
    return address < end ? 0 : address - end + 1;
}

/* The block with the least distance from the address, in any region or among the mappings; NULL:
 * there is no block. Compares the neighbours of the address in each tree. */
const struct memory_block *address_space_nearest(const struct address_space *s, uint64_t address) {
    const struct memory_block *best = NULL;
    for (int k = 0; k <= NUM_REGIONS; k++) {
        const struct block_tree *t = k < NUM_REGIONS ? &s->region[k].blocks : &s->mapping;
        const struct memory_block *side[] = {block_tree_upto(t, address),
                                             block_tree_behind(t, address)};
        for (int i = 0; i < 2; i++)
            if (side[i] && (!best || distance(side[i], address) < distance(best, address)))
                best = side[i];
    }
    return best;
}

/* What is known of the freed block that contained the address last: one that is set aside, or an
 * entry of the log. @return false: nothing. */
bool address_space_freed(const struct address_space *s, uint64_t address, struct freed_block *out) {
    memory_region k = address_space_region(s, address);
    const struct memory_block *b = k < NUM_REGIONS
                                       ? block_tree_aside_at(&s->region[k].blocks, address)
                                       : NULL;
    const struct freed_block *logged = b ? NULL : freed_blocks_find(&s->freed, address);
    if (b) *out = (struct freed_block){b->address, b->bytes, b->number};
    if (logged) *out = *logged;
    return b || logged;
}

/* ---- what programs ask for, and what has been written */

void address_space_ask(struct address_space *s, uint64_t address) {
    struct memory_block *b = space_block_at(s, address);
    b->asked = true;
    if (region_is_device(address_space_region(s, address))) space_renew(s, b);
}

void address_space_note_write(struct address_space *s, uint64_t address, uint64_t bytes) {
    const struct memory_block *b = s->track ? address_space_find(s, address, 1) : NULL;
    if (b) space_note_write(s, b, address, bytes);
}

const struct memory_block *address_space_leaked(const struct address_space *s, const void *owner,
                                                const struct memory_block *last) {
    memory_region k = last ? address_space_region(s, last->address) : 0;
    for (; k < NUM_REGIONS; k++, last = NULL) {
        const struct memory_block *b = last;
        do b = block_tree_behind(&s->region[k].blocks, b ? b->address : 0);
        while (b && !(b->asked && b->open && b->owner == owner));
        if (b) return b;
    }
    return NULL;
}
