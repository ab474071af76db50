/* block_tree.h - the allocations of a range of addresses: a balanced tree by address. It finds the
 * block at an address, and the first gap of a size, in time logarithmic in the number of blocks.
 *
 * The blocks belong to the tree; a pointer to one is valid until it is removed. What the functions
 * return depends on the blocks alone. Threads: one at a time. */
#ifndef HEDDLE_CUDA_BASE_BLOCK_TREE_H
#define HEDDLE_CUDA_BASE_BLOCK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An allocation. */
struct memory_block {
    uint64_t address, bytes; /* as requested */
    uint64_t reserved;       /* bytes it occupies in the region, from `address` on */
    uint64_t number;         /* 1 for the first allocation of the run */
    uint32_t flags;          /* the caller's, from its allocation */
    uint32_t tag;            /* the caller's, 0 at first: see address_space_set_tag() */
    const void *owner;       /* the caller's: the program, to free all of its memory */
    uint32_t holders;        /* holds that keep the address after a free: address_space_hold() */
    uint32_t open;           /* allocations not yet freed; 0: only held */
    bool freeing;            /* a free is pending: see address_space_begin_free() */
    bool physical;           /* made by address_space_alloc_physical() */
    uint64_t memory;         /* of a mapping: address of its physical memory; else 0 */
    bool accessible;         /* of a mapping: kernels have access */
};

struct block_node;

/* The blocks of a range. Begins as zeros with base and bytes set; bytes 0: not mapped. */
struct block_tree {
    uint64_t base, bytes; /* the range */
    uint64_t used;        /* sum of the blocks' `reserved`, in bytes */
    struct block_node *root;
};

/* Frees all blocks. */
void block_tree_clear(struct block_tree *t);
/* Adds a copy of the block, whose addresses are free. @return the copy. */
struct memory_block *block_tree_add(struct block_tree *t, const struct memory_block *block);
/* Removes and frees a block of the tree. */
void block_tree_remove(struct block_tree *t, const struct memory_block *b);

/* The last block that begins at or before the address; the first one that begins behind it. @return
 * NULL: there is none. */
struct memory_block *block_tree_upto(const struct block_tree *t, uint64_t address);
struct memory_block *block_tree_behind(const struct block_tree *t, uint64_t address);
/* The block that contains the address, or NULL. */
struct memory_block *block_tree_at(const struct block_tree *t, uint64_t address);
/* The lowest multiple of `unit` at which `reserved` > 0 bytes are free. @return 0: none. */
uint64_t block_tree_gap(const struct block_tree *t, uint64_t reserved, uint64_t unit);

#endif
