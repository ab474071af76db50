/* l1_curve.c - the emulation of L1 caches of other capacities, one set of caches for each SM of a
 * group, with the requests that wait for their turn; see l1_curve.h. group_l1.c calls it on the
 * thread that runs the SM group's component, and group.c creates and frees it; l1_curve_add() is
 * called between windows. So no lock is needed. Functions change the given l1_curve alone; out of
 * memory ends the process.
 *
 * The requests of an SM that wait are a heap, the earliest one at its root. */
#include "timing/l1_curve.h"

#include <stdlib.h>

#include "common/memory.h"

enum { SECTOR = 32, BLOCK = 1 << L1_BLOCK_BITS, CHILDREN = 4 };
_Static_assert((int)L1_POINTS <= (int)LRU_CACHES_MOST, "too many capacities");

/* An SM's caches and the requests that wait. */
struct sm {
    struct lru_caches *caches;
    struct l1_request *wait; /* the heap: of i, children are 4 i + 1 to 4 i + 4 */
    size_t count, capacity;
    uint64_t past; /* sectors that go to L2 whatever L1 holds */
};

struct l1_curve {
    uint32_t num_sms;
    struct sm *sms; /* owned */
};

/* @return a new emulation with empty caches for so many SMs, which l1_curve_free() frees. */
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

/* Frees caches, waiting requests and *c; accepts NULL. */
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

/* Adds a request of an SM to its heap, which grows if needed. Its line is followed
 * (lru_caches_follow()), and its key is not below that of the last l1_curve_advance(). */
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

/* Performs a request on the caches of its SM: a load allocates, all others count in s->past, and
 * L1_BYPASS drops the sectors. */
static void take(struct sm *s, const struct l1_request *r) {
    if (r->access == L1_LOAD) {
        lru_caches_read(s->caches, r->line, r->sectors);
        return;
    }
    s->past += (unsigned)__builtin_popcount(r->sectors);
    if (r->access == L1_BYPASS) lru_caches_drop(s->caches, r->line, r->sectors);
}

/* Performs an SM's waiting requests with keys below `key`, in order of their keys. */
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

/* Performs all waiting requests of all SMs. */
void l1_curve_finish(struct l1_curve *c) {
    for (uint32_t i = 0; i < c->num_sms; i++) l1_curve_advance(c, i, UINT64_MAX);
}

/* Performs all waiting requests, then empties all caches. Counts stay. */
void l1_curve_flush(struct l1_curve *c) {
    l1_curve_finish(c);
    for (uint32_t i = 0; i < c->num_sms; i++) lru_caches_flush(c->sms[i].caches);
}

/* Adds to *sum the bytes since creation, of all SMs, of the requests performed so far: the followed
 * sectors times the lines of a block. */
void l1_curve_add(const struct l1_curve *c, struct l1_curve_counts *sum) {
    for (uint32_t i = 0; i < c->num_sms; i++) {
        const struct lru_counts *counts = lru_caches_counts(c->sms[i].caches);
        for (int p = 0; p < L1_POINTS; p++)
            sum->bytes[p] += (c->sms[i].past + counts->read[p]) * SECTOR * BLOCK;
    }
}
