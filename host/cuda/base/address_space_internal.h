/* address_space_internal.h - the inside of an address space, shared by the files address_space*.c:
 * address_space.c has regions and allocations, address_space_mapping.c what programs map
 * themselves. */
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
    unsigned devices;
    uint64_t devices_end;      /* address behind REGION_VIRTUAL */
    uint64_t front;            /* address of the page of map_front(); 0: not mapped */
    struct exec_memory memory; /* state bytes of all regions */
    uint64_t number;           /* of the newest block of any region */
    struct freed_blocks freed;
    bool guard; /* as in struct address_space_size */
};

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
