/* vector_clock.c - see vector_clock.h. A clock is a tree of nodes with FAN children each; a node
 * changes nothing after it was made but its reference count. global_race.c calls all functions
 * under its lock. */
#include "exec/check/vector_clock.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 5, FAN = 1 << BITS };

struct exec_vclock {     /* a node; level 0 holds values, others nodes of the level below */
    uint64_t references; /* from clocks and from parent nodes */
    union {
        struct exec_vclock *child[FAN];
        uint32_t value[FAN];
    };
};

/* Depth of trees whose leaves hold this many CTAs. */
unsigned exec_vclock_levels(uint64_t ctas) {
    unsigned levels = 0;
    while (ctas > FAN) {
        ctas = (ctas + FAN - 1) / FAN;
        levels++;
    }
    return levels;
}

/* Adds a reference to c, if it is not NULL. */
struct exec_vclock *exec_vclock_keep(struct exec_vclock *c) {
    if (c) c->references++;
    return c;
}

/* Releases a reference; frees the node, and so on below, when it was the last. */
void exec_vclock_drop(struct exec_vclock *c, unsigned levels) {
    if (!c || --c->references) return;
    for (unsigned i = 0; levels && i < FAN; i++) exec_vclock_drop(c->child[i], levels - 1);
    free(c);
}

/* Which child (level 0: which value) of a node at that level belongs to a CTA. */
static unsigned place(uint32_t cta, unsigned levels) {
    return cta >> (BITS * levels) & (FAN - 1);
}

/* The epoch of a CTA, 0 where nodes are missing. */
uint32_t exec_vclock_get(const struct exec_vclock *c, unsigned levels, uint32_t cta) {
    for (; c && levels; levels--) c = c->child[place(cta, levels)];
    return c ? c->value[place(cta, 0)] : 0;
}

/* @return a new node like `c` (NULL: empty), with references of its own to the children; NULL, with
 * *failed set: no memory. */
static struct exec_vclock *copy(const struct exec_vclock *c, unsigned levels, bool *failed) {
    struct exec_vclock *n = calloc(1, sizeof *n);
    if (!n) {
        *failed = true;
        return NULL;
    }
    if (c) *n = *c;
    n->references = 1;
    for (unsigned i = 0; levels && i < FAN; i++) exec_vclock_keep(n->child[i]);
    return n;
}

/* c with one value changed: copies the nodes on the way to it and shares the others. */
struct exec_vclock *exec_vclock_set(struct exec_vclock *c, unsigned levels, uint32_t cta,
                                    uint32_t value, bool *failed) {
    struct exec_vclock *n = copy(c, levels, failed);
    if (!n) return exec_vclock_keep(c);
    unsigned i = place(cta, levels);
    if (levels) {
        struct exec_vclock *below = n->child[i];
        n->child[i] = exec_vclock_set(below, levels - 1, cta, value, failed);
        exec_vclock_drop(below, levels - 1);
    } else {
        n->value[i] = value;
    }
    return n;
}

/* exec_vclock_join() of two nodes of level 0. Returns a or b itself when it already has the later
 * values. */
static struct exec_vclock *join_values(struct exec_vclock *a, struct exec_vclock *b, bool *failed) {
    bool a_is_all = true, b_is_all = true;
    for (unsigned i = 0; i < FAN; i++) {
        a_is_all = a_is_all && a->value[i] >= b->value[i];
        b_is_all = b_is_all && b->value[i] >= a->value[i];
    }
    if (a_is_all || b_is_all) return exec_vclock_keep(a_is_all ? a : b);
    struct exec_vclock *n = copy(a, 0, failed);
    if (!n) return exec_vclock_keep(a);
    for (unsigned i = 0; i < FAN; i++)
        if (b->value[i] > n->value[i]) n->value[i] = b->value[i];
    return n;
}

/* The later epoch of every CTA. Shares nodes of a or b wherever one of them is the result. */
struct exec_vclock *exec_vclock_join(struct exec_vclock *a, struct exec_vclock *b, unsigned levels,
                                     bool *failed) {
    if (!a || !b || a == b) return exec_vclock_keep(a ? a : b);
    if (!levels) return join_values(a, b, failed);
    struct exec_vclock *child[FAN];
    for (unsigned i = 0; i < FAN; i++)
        child[i] = exec_vclock_join(a->child[i], b->child[i], levels - 1, failed);
    struct exec_vclock *one = !memcmp(child, a->child, sizeof child)   ? a
                              : !memcmp(child, b->child, sizeof child) ? b
                                                                       : NULL;
    struct exec_vclock *n = one ? NULL : calloc(1, sizeof *n);
    if (n) {
        n->references = 1;
        memcpy(n->child, child, sizeof child);
        return n;
    }
    *failed = *failed || !one;
    for (unsigned i = 0; i < FAN; i++) exec_vclock_drop(child[i], levels - 1);
    return exec_vclock_keep(one ? one : a);
}
