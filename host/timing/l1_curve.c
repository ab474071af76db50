/* l1_curve.c - see l1_curve.h. group_l1.c calls it, on the thread that simulates the SM group.
 *
 * The requests of an SM that wait are a heap, the earliest one at its root. */
#include "timing/l1_curve.h"

#include <stdlib.h>

#include "common/memory.h"

enum { SECTOR = 32, BLOCK = 1 << L1_BLOCK_BITS, CHILDREN = 4 };
_Static_assert((int)L1_POINTS <= (int)LRU_CACHES_MOST, "too many capacities");

struct sm {
    struct lru_caches *caches;
    struct l1_request *wait; /* the heap: of i, children are 4 i + 1 to 4 i + 4 */
    size_t count, capacity;
    uint64_t past; /* sectors that go to L2 whatever L1 holds */
};

struct l1_curve {
    uint32_t num_sms;
    struct sm *sms;
};

struct l1_curve *l1_curve_create(uint32_t num_sms) {
    static const char what[] = "L1 caches of other sizes";
    struct l1_curve *c = heddle_alloc(sizeof *c, what);
    uint64_t capacity[L1_POINTS];
    for (uint32_t i = 0; i < L1_POINTS; i++) capacity[i] = l1_curve_capacity(i);
    c->num_sms = num_sms;
    c->sms = heddle_alloc_array(num_sms, sizeof *c->sms, what);
    for (uint32_t i = 0; i < num_sms; i++)
        c->sms[i].caches = lru_caches_create(&(struct lru_shape){
            .capacity = capacity, .count = L1_POINTS, .block_bits = L1_BLOCK_BITS});
    return c;
}

void l1_curve_free(struct l1_curve *c) {
    if (!c) return;
    for (uint32_t i = 0; i < c->num_sms; i++) {
        lru_caches_free(c->sms[i].caches);
        free(c->sms[i].wait);
    }
    free(c->sms);
    free(c);
}

/* ---- the heap */

void l1_curve_request(struct l1_curve *c, uint32_t sm, const struct l1_request *r) {
    struct sm *s = &c->sms[sm];
    if (s->count == s->capacity)
        s->wait = heddle_grow(s->wait, &s->capacity, s->count + 1, sizeof *s->wait,
                              "requests to L1");
    size_t i = s->count++;
    for (size_t up; i && r->key < s->wait[up = (i - 1) / CHILDREN].key; i = up)
        s->wait[i] = s->wait[up];
    s->wait[i] = *r;
}

/* Removes the root of a heap that is not empty. */
static struct l1_request pop(struct sm *s) {
    const struct l1_request root = s->wait[0], moved = s->wait[--s->count];
    size_t i = 0;
    for (size_t down; (down = CHILDREN * i + 1) < s->count; i = down) {
        size_t end = down + CHILDREN < s->count ? down + CHILDREN : s->count;
        for (size_t other = down + 1; other < end; other++)
            if (s->wait[other].key < s->wait[down].key) down = other;
        if (moved.key <= s->wait[down].key) break;
        s->wait[i] = s->wait[down];
    }
    s->wait[i] = moved;
    return root;
}

/* ---- the caches */

static void take(struct sm *s, const struct l1_request *r) {
    if (r->access == L1_LOAD) {
        lru_caches_read(s->caches, r->line, r->sectors);
        return;
    }
    s->past += (unsigned)__builtin_popcount(r->sectors);
    if (r->access == L1_BYPASS) lru_caches_drop(s->caches, r->line, r->sectors);
}

void l1_curve_advance(struct l1_curve *c, uint32_t sm, uint64_t key) {
    struct sm *s = &c->sms[sm];
    while (s->count && s->wait[0].key < key) {
        const struct l1_request r = pop(s);
        take(s, &r);
    }
}

size_t l1_curve_waiting(const struct l1_curve *c, uint32_t sm) {
    return c->sms[sm].count;
}

void l1_curve_finish(struct l1_curve *c) {
    for (uint32_t i = 0; i < c->num_sms; i++) l1_curve_advance(c, i, UINT64_MAX);
}

void l1_curve_flush(struct l1_curve *c) {
    l1_curve_finish(c);
    for (uint32_t i = 0; i < c->num_sms; i++) lru_caches_flush(c->sms[i].caches);
}

void l1_curve_add(const struct l1_curve *c, struct l1_curve_counts *sum) {
    for (uint32_t i = 0; i < c->num_sms; i++) {
        const struct lru_counts *counts = lru_caches_counts(c->sms[i].caches);
        for (int p = 0; p < L1_POINTS; p++)
            sum->bytes[p] += (c->sms[i].past + counts->read[p]) * SECTOR * BLOCK;
    }
}
