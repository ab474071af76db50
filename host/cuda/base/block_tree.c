/* block_tree.c - a treap of memory blocks by address; see block_tree.h.
 *
 * address_space.c has one for each region, and calls all functions, with no two calls at a time.
 * They change the given tree only.
 *
 * A treap is a search tree by address and a heap by priority, here a hash of the address. So the
 * same blocks always make the same tree, whatever the order in which they came, and its depth is
 * logarithmic. Each node knows the ends of its subtree and the largest gap inside, by which
 * block_tree_gap() leaves out subtrees without room. */
#include "cuda/base/block_tree.h"

#include <stdlib.h>

#include "common/memory.h"

struct block_node {
    struct memory_block block; /* first, so that a block's address is its node's */
    struct block_node *left, *right;
    uint64_t priority;
    uint64_t first, end; /* of the subtree: its lowest address, and the one behind its last block */
    uint64_t widest;     /* the largest gap between two blocks of the subtree, in bytes */
};

/* A hash of the address (SplitMix64): neighbours get priorities that have nothing in common. */
static uint64_t priority_of(uint64_t address) {
    uint64_t x = address + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t block_end(const struct memory_block *b) {
    return b->address + b->reserved;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Computes what the node knows of its subtree from its children. */
static void update(struct block_node *n) {
    const struct block_node *l = n->left, *r = n->right;
    n->first = l ? l->first : n->block.address;
    n->end = r ? r->end : block_end(&n->block);
    n->widest = 0;
    if (l) n->widest = larger(l->widest, n->block.address - l->end);
    if (r) n->widest = larger(n->widest, larger(r->widest, r->first - block_end(&n->block)));
}

/* Parts a subtree: *low gets the blocks below the address, *high the others. */
static void split(struct block_node *n, uint64_t address, struct block_node **low,
                  struct block_node **high) {
    if (!n) {
        *low = *high = NULL;
    } else if (n->block.address < address) {
        split(n->right, address, &n->right, high);
        *low = n;
        update(n);
    } else {
        split(n->left, address, low, &n->left);
        *high = n;
        update(n);
    }
}

/* Joins two subtrees, all of `low` below all of `high`. @return the root. */
static struct block_node *join(struct block_node *low, struct block_node *high) {
    if (!low || !high) return low ? low : high;
    struct block_node *root = low->priority >= high->priority ? low : high;
    if (root == low)
        low->right = join(low->right, high);
    else
        high->left = join(low, high->left);
    update(root);
    return root;
}

/* Puts node x into the subtree. @return its root. */
static struct block_node *put(struct block_node *n, struct block_node *x) {
    if (n && n->priority >= x->priority) {
        struct block_node **side = x->block.address < n->block.address ? &n->left : &n->right;
        *side = put(*side, x);
        update(n);
        return n;
    }
    split(n, x->block.address, &x->left, &x->right);
    update(x);
    return x;
}

/* Takes node x out of the subtree. @return its root. */
static struct block_node *take(struct block_node *n, const struct block_node *x) {
    if (n == x) return join(n->left, n->right);
    struct block_node **side = x->block.address < n->block.address ? &n->left : &n->right;
    *side = take(*side, x);
    update(n);
    return n;
}

static void free_all(struct block_node *n) {
    if (!n) return;
    free_all(n->left);
    free_all(n->right);
    free(n);
}

void block_tree_clear(struct block_tree *t) {
    free_all(t->root);
    *t = (struct block_tree){.base = t->base, .bytes = t->bytes};
}

struct memory_block *block_tree_add(struct block_tree *t, const struct memory_block *block) {
    struct block_node *x = heddle_alloc(sizeof *x, "an allocation");
    x->block = *block;
    x->priority = priority_of(block->address);
    t->root = put(t->root, x);
    t->used += block->reserved;
    return &x->block;
}

/* Takes the block out of the tree and frees it. */
static void drop(struct block_tree *t, const struct memory_block *b) {
    const struct block_node *x = (const struct block_node *)(const void *)b;
    t->root = take(t->root, x);
    free((void *)(uintptr_t)x); /* the tree's own, which the caller sees as constant */
}

void block_tree_remove(struct block_tree *t, const struct memory_block *b) {
    t->used -= b->reserved;
    drop(t, b);
}

void block_tree_set_aside(struct block_tree *t, struct memory_block *b) {
    t->used -= b->reserved;
    t->aside += b->reserved;
    t->num_aside++;
    b->aside = true;
    b->next_aside = NULL;
    *(t->last_aside ? &t->last_aside->next_aside : &t->first_aside) = b;
    t->last_aside = b;
}

bool block_tree_let_go(struct block_tree *t) {
    const struct memory_block *b = t->first_aside;
    if (!b) return false;
    t->first_aside = b->next_aside;
    if (!t->first_aside) t->last_aside = NULL;
    t->aside -= b->reserved;
    t->num_aside--;
    drop(t, b);
    return true;
}

/* block_tree_upto() and block_tree_behind(), also of blocks that are set aside. */
static struct memory_block *upto(const struct block_tree *t, uint64_t address) {
    struct memory_block *found = NULL;
    for (struct block_node *n = t->root; n;) {
        bool right = n->block.address <= address;
        if (right) found = &n->block;
        n = right ? n->right : n->left;
    }
    return found;
}

static struct memory_block *behind(const struct block_tree *t, uint64_t address) {
    struct memory_block *found = NULL;
    for (struct block_node *n = t->root; n;) {
        bool left = n->block.address > address;
        if (left) found = &n->block;
        n = left ? n->left : n->right;
    }
    return found;
}

struct memory_block *block_tree_upto(const struct block_tree *t, uint64_t address) {
    struct memory_block *b = upto(t, address);
    while (b && b->aside) b = b->address ? upto(t, b->address - 1) : NULL;
    return b;
}

struct memory_block *block_tree_behind(const struct block_tree *t, uint64_t address) {
    struct memory_block *b = behind(t, address);
    while (b && b->aside) b = behind(t, b->address);
    return b;
}

struct memory_block *block_tree_at(const struct block_tree *t, uint64_t address) {
    struct memory_block *b = upto(t, address);
    return b && !b->aside && address - b->address < b->bytes ? b : NULL;
}

const struct memory_block *block_tree_aside_at(const struct block_tree *t, uint64_t address) {
    const struct memory_block *b = upto(t, address);
    return b && b->aside && address - b->address < b->bytes ? b : NULL;
}

/* The lowest multiple of `unit` in [from, to) with `reserved` bytes before `to`, or 0. */
static uint64_t place(uint64_t from, uint64_t to, uint64_t reserved, uint64_t unit) {
    uint64_t at = (from + unit - 1) / unit * unit;
    return at <= to && to - at >= reserved ? at : 0;
}

/* block_tree_gap() in [from, to), in which the subtree lies. */
static uint64_t gap_in(const struct block_node *n, uint64_t from, uint64_t to, uint64_t reserved,
                       uint64_t unit) {
    if (!n) return place(from, to, reserved, unit);
    uint64_t most = larger(n->widest, larger(n->first - from, to - n->end));
    if (most < reserved) return 0;
    uint64_t at = gap_in(n->left, from, n->block.address, reserved, unit);
    return at ? at : gap_in(n->right, block_end(&n->block), to, reserved, unit);
}

uint64_t block_tree_gap(const struct block_tree *t, uint64_t reserved, uint64_t unit) {
    return gap_in(t->root, t->base, t->base + t->bytes, reserved, unit);
}
