/* vector_clock.c - see vector_clock.h. */
#include "exec/check/vector_clock.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 5, FAN = 1 << BITS };

struct exec_clocks { /* a node; level 0 holds values, others nodes of the level below */
    uint64_t references;
    union {
        struct exec_clocks *child[FAN];
        uint32_t value[FAN];
    };
};

unsigned exec_clocks_levels(uint64_t ctas) {
    unsigned levels = 0;
    while (ctas > FAN) {
        ctas = (ctas + FAN - 1) / FAN;
        levels++;
    }
    return levels;
}

struct exec_clocks *exec_clocks_keep(struct exec_clocks *c) {
    if (c) c->references++;
    return c;
}

void exec_clocks_drop(struct exec_clocks *c, unsigned levels) {
    if (!c || --c->references) return;
    for (unsigned i = 0; levels && i < FAN; i++) exec_clocks_drop(c->child[i], levels - 1);
    free(c);
}

static unsigned place(uint32_t cta, unsigned levels) {
    return cta >> (BITS * levels) & (FAN - 1);
}

uint32_t exec_clocks_get(const struct exec_clocks *c, unsigned levels, uint32_t cta) {
    for (; c && levels; levels--) c = c->child[place(cta, levels)];
    return c ? c->value[place(cta, 0)] : 0;
}

/* A node like `c`, with references of its own to what lies below. */
static struct exec_clocks *copy(const struct exec_clocks *c, unsigned levels, bool *failed) {
    struct exec_clocks *n = calloc(1, sizeof *n);
    if (!n) {
        *failed = true;
        return NULL;
    }
    if (c) *n = *c;
    n->references = 1;
    for (unsigned i = 0; levels && i < FAN; i++) exec_clocks_keep(n->child[i]);
    return n;
}

struct exec_clocks *exec_clocks_set(struct exec_clocks *c, unsigned levels, uint32_t cta,
                                    uint32_t value, bool *failed) {
    struct exec_clocks *n = copy(c, levels, failed);
    if (!n) return exec_clocks_keep(c);
    unsigned i = place(cta, levels);
    if (levels) {
        struct exec_clocks *below = n->child[i];
        n->child[i] = exec_clocks_set(below, levels - 1, cta, value, failed);
        exec_clocks_drop(below, levels - 1);
    } else {
        n->value[i] = value;
    }
    return n;
}

static struct exec_clocks *join_values(struct exec_clocks *a, struct exec_clocks *b, bool *failed) {
    bool a_is_all = true, b_is_all = true;
    for (unsigned i = 0; i < FAN; i++) {
        a_is_all = a_is_all && a->value[i] >= b->value[i];
        b_is_all = b_is_all && b->value[i] >= a->value[i];
    }
    if (a_is_all || b_is_all) return exec_clocks_keep(a_is_all ? a : b);
    struct exec_clocks *n = copy(a, 0, failed);
    if (!n) return exec_clocks_keep(a);
    for (unsigned i = 0; i < FAN; i++)
        if (b->value[i] > n->value[i]) n->value[i] = b->value[i];
    return n;
}

struct exec_clocks *exec_clocks_join(struct exec_clocks *a, struct exec_clocks *b, unsigned levels,
                                     bool *failed) {
    if (!a || !b || a == b) return exec_clocks_keep(a ? a : b);
    if (!levels) return join_values(a, b, failed);
    struct exec_clocks *child[FAN];
    for (unsigned i = 0; i < FAN; i++)
        child[i] = exec_clocks_join(a->child[i], b->child[i], levels - 1, failed);
    struct exec_clocks *one = !memcmp(child, a->child, sizeof child)   ? a
                              : !memcmp(child, b->child, sizeof child) ? b
                                                                       : NULL;
    struct exec_clocks *n = one ? NULL : calloc(1, sizeof *n);
    if (n) {
        n->references = 1;
        memcpy(n->child, child, sizeof child);
        return n;
    }
    *failed = *failed || !one;
    for (unsigned i = 0; i < FAN; i++) exec_clocks_drop(child[i], levels - 1);
    return exec_clocks_keep(one ? one : a);
}
