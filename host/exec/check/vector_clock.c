/* vector_clock.c - the vector clocks of the race check on global memory: for each CTA of a launch
 * its last known epoch. Only global_race.c calls it, on the threads that execute or perform
 * accesses, always under the launch's lock; so reference counts need no atomics.
 *
 * A clock is a tree of nodes with FAN children each. A node changes nothing after it was made but
 * its reference count, so clocks share equal parts. NULL is the clock that knows nothing. Every
 * function that returns a clock gives the caller a new reference, released by exec_vclock_drop();
 * arguments keep theirs. `levels` is exec_vclock_levels() of the launch, but for the recursion into
 * children. */
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

/* @return the depth of trees whose leaves hold this many CTAs; 0: a single node. */
unsigned exec_vclock_levels(uint64_t ctas) {
    unsigned levels = 0;
    while (ctas > FAN) {
        ctas = (ctas + FAN - 1) / FAN;
        levels++;
    }
    return levels;
}

/* Adds a reference to c, if it is not NULL. @return c. */
struct exec_vclock *exec_vclock_keep(struct exec_vclock *c) {
    if (c) c->references++;
    return c;
}

/* Releases a reference; frees the node, and so on below, when it was the last. Accepts NULL. */
void exec_vclock_drop(struct exec_vclock *c, unsigned levels) {
    if (!c || --c->references) return;
    for (unsigned i = 0; levels && i < FAN; i++) exec_vclock_drop(c->child[i], levels - 1);
    free(c);
}

/* Which child (level 0: which value) of a node at that level belongs to a CTA. */
static unsigned place(uint32_t cta, unsigned levels) {
    return cta >> (BITS * levels) & (FAN - 1);
}

/* @return the last known epoch of a CTA, 0 (none) where nodes are missing. */
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

/* @return c with one value changed: copies the nodes on the way to it and shares the others; c
 * stays as it is. Without memory sets *failed and returns c. */
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

/* exec_vclock_join() of two nodes of level 0, neither NULL. @return a or b itself when it already
 * has the later values. */
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

/* @return the clock with the later epoch of a and b for every CTA; it shares their nodes wherever
 * one of them is the result. Without memory sets *failed and returns a clock that knows less. */
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
