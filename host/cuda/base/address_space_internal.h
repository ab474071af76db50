/* address_space_internal.h - the inside of an address space, shared by the files address_space*.c:
 * address_space.c has regions and allocations, address_space_mapping.c what programs map
 * themselves, address_space_view.c what the kernels of each program may access. */
#ifndef HEDDLE_CUDA_BASE_ADDRESS_SPACE_INTERNAL_H
#define HEDDLE_CUDA_BASE_ADDRESS_SPACE_INTERNAL_H

#include "cuda/base/address_space.h"

/* A range of addresses and its allocations. */
struct region {
    struct block_tree blocks;
    int fd; /* the memory file, -1: none */
};

struct address_space {
    struct region region[NUM_REGIONS];
    /* Both cover REGION_VIRTUAL: its mappings, and its reservations by programs. */
    struct block_tree mapping, reservation;
    uint64_t base; /* first address of the first device */
    unsigned devices;
    uint64_t devices_end;      /* address behind REGION_VIRTUAL */
    uint64_t front;            /* address of the page of map_front(); 0: not mapped */
    struct exec_memory memory; /* the range of all regions; the view of no owner */
    struct space_view *views;  /* of owners that have allocated or launched */
    uint64_t number;           /* of the newest block of any region */
    struct freed_blocks freed;
    bool guard, track; /* as in struct address_space_size */
};

/* Makes state bytes for the range of s, `bytes` long. @return HEDDLE_ERR_NOMEM. */
heddle_err space_view_init(const struct address_space *s, struct exec_memory *m, uint64_t bytes);
/* Frees the view of an owner, of all. */
void space_view_end(struct address_space *s, const void *owner);
void space_view_end_all(struct address_space *s);
/* Permits the owner's kernels to access a block. @return false: no memory for its view. */
bool space_open(struct address_space *s, const struct memory_block *b);
/* Forbids it to all. */
void space_close(struct address_space *s, const struct memory_block *b);
/* The block takes its pages in its owner's view; it gives them back in all where it is open, and in
 * its owner's. */
void space_map_pages(struct address_space *s, const struct memory_block *b);
void space_unmap_pages(struct address_space *s, const struct memory_block *b);
/* The block counts as not written; a range of it has been written. */
void space_renew(struct address_space *s, const struct memory_block *b);
void space_note_write(struct address_space *s, const struct memory_block *b, uint64_t address,
                      uint64_t bytes);
/* Permits another owner to access the block, and ends that. @return false: no memory. */
bool space_share(struct address_space *s, struct memory_block *b, const void *owner);
void space_unshare(struct address_space *s, const struct memory_block *b, const void *owner);

/* Adds a copy of the block and gives it the next number. @return the block. */
struct memory_block *space_insert(struct address_space *s, struct block_tree *t,
                                  struct memory_block block);
/* Frees a block: ends accesses, returns its pages, logs it, and removes it or sets it aside. */
void space_remove_block(struct address_space *s, struct block_tree *t, struct memory_block *b);
/* The first gap, for which blocks that are set aside are let go if need be. @return its address, or
 * 0. */
uint64_t space_gap(struct block_tree *t, uint64_t reserved, uint64_t unit);
/* The block (a mapping or a block of a region, not a reservation) that begins at the address, or
 * NULL. */
struct memory_block *space_block_at(struct address_space *s, uint64_t address);
/* Maps addresses without access, so that no other part of the process gets them. how: MAP_FIXED
 * replaces an existing mapping, MAP_FIXED_NOREPLACE fails. @return as mmap(). */
void *space_take_out_of_use(uint64_t base, uint64_t bytes, int how);

#endif
