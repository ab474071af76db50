/* block_tree.h - the allocations of a range of addresses: a balanced tree by address. It finds the
 * block at an address, and the first gap of a size, in time logarithmic in the number of blocks.
 *
 * A freed block may be set aside: it keeps its addresses until it is let go, so that nobody gets
 * them, but no look-up returns it.
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
    bool shared;             /* others than its owner have opened it, now or before */
    bool asked;              /* a program asked for it (pool_alloc()); the leak report counts it */
    bool aside;              /* freed, set aside */
    struct memory_block *next_aside;
};

struct block_node;

/* The blocks of a range. Begins as zeros with base and bytes set; bytes 0: not mapped. */
struct block_tree {
    uint64_t base, bytes; /* the range */
    uint64_t used;        /* sum of the blocks' `reserved`, in bytes, without those aside */
    uint64_t aside;       /* of those that are set aside */
    uint32_t num_aside;
    struct memory_block *first_aside, *last_aside; /* in the order in which they were freed */
    struct block_node *root;
};

/* Frees all blocks. */
void block_tree_clear(struct block_tree *t);
/* Adds a copy of the block, whose addresses are free. @return the copy. */
struct memory_block *block_tree_add(struct block_tree *t, const struct memory_block *block);
/* Removes and frees a block of the tree. */
void block_tree_remove(struct block_tree *t, const struct memory_block *b);

/* Sets a block aside; @return false: none is aside, else lets go of the one that has been so for
 * the longest time. */
void block_tree_set_aside(struct block_tree *t, struct memory_block *b);
bool block_tree_let_go(struct block_tree *t);
/* The block aside that contains the address, or NULL. */
const struct memory_block *block_tree_aside_at(const struct block_tree *t, uint64_t address);

/* The last block that begins at or before the address; the first one that begins behind it. @return
 * NULL: there is none. */
struct memory_block *block_tree_upto(const struct block_tree *t, uint64_t address);
struct memory_block *block_tree_behind(const struct block_tree *t, uint64_t address);
/* The block that contains the address, or NULL. */
struct memory_block *block_tree_at(const struct block_tree *t, uint64_t address);
/* The lowest multiple of `unit` at which `reserved` > 0 bytes are free. @return 0: none. */
uint64_t block_tree_gap(const struct block_tree *t, uint64_t reserved, uint64_t unit);

#endif
