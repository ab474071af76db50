/* lru_caches.c - caches of several capacities that replace the line used least recently, emulated
 * together over one stream of accesses; see lru_caches.h. The L2 curve calls it on the thread that
 * simulates device memory (sched/cache_curve.h), the L1 curve on that of an SM group
 * (timing/l1_curve.h). Functions change the given caches alone; only lru_caches_create() allocates,
 * and out of memory ends the process.
 *
 * LRU caches of all capacities hold the first so many lines of one list, the line used last in
 * front. So one list serves them all, with a mark for each cache on the last line that it holds. An
 * access moves a line to the front, and each mark that it passes moves by one line, which leaves
 * that cache.
 *
 * A second list of the same kind has the lines by their last write. A line that leaves the first
 * so many of it is written back, as the limit of waiting lines demands, and stays in the cache.
 *
 * Which sectors of a line are valid and which wait to be written is a mask of 4 bits for each
 * cache. */
#include "timing/lru_caches.h"

#include <stdlib.h>

#include "common/memory.h"

enum {
    LINE = 128,
    SECTORS = 4,
    WAYS = 16,
    NONE = 0, /* no entry: entries are numbered from 1 */
};
_Static_assert(LRU_CACHES_MOST *SECTORS <= 64, "a mask has room for all caches");
#define EVERY UINT64_C(0x1111111111111111) /* a sector in every cache */

/* A place in a list. */
struct place {
    uint32_t before, after; /* entries */
    uint8_t level;          /* first cache that holds it; the number of caches: none */
    bool listed;
};

/* Entries by their last use. The first length[i] of them are in cache i, at most room[i]. */
struct list {
    struct place *place; /* of each entry */
    uint32_t first;      /* entry */
    uint32_t caches;
    uint32_t room[LRU_CACHES_MOST], length[LRU_CACHES_MOST], last[LRU_CACHES_MOST];
};

/* A line that is followed. */
struct entry {
    uint32_t line, next; /* next: with the same hash, or the next free one */
    uint64_t valid, dirty;
};

struct lru_caches {
    uint32_t caches, block_bits;
    uint64_t mask;          /* of the sectors of all caches */
    uint32_t most;          /* lines of the largest cache */
    struct entry *entry;    /* most + 2 */
    uint32_t *bucket, free; /* entries by hash; entries without a line */
    uint32_t bucket_bits;
    struct list used, written;
    struct lru_counts counts;
};

/* Makes all entries free and both lists empty; counts stay. */
static void clear(struct lru_caches *c) {
    for (uint32_t b = 0; b < UINT32_C(1) << c->bucket_bits; b++) c->bucket[b] = NONE;
    for (uint32_t e = 1; e <= c->most + 1; e++) {
        c->entry[e] = (struct entry){.next = e <= c->most ? e + 1 : NONE};
        c->used.place[e].listed = c->written.place[e].listed = false;
    }
    c->free = 1;
    struct list *const lists[] = {&c->used, &c->written};
    for (int l = 0; l < 2; l++) {
        lists[l]->first = NONE;
        for (uint32_t i = 0; i < c->caches; i++) lists[l]->length[i] = lists[l]->last[i] = NONE;
    }
}

/* @return new empty caches of the shape's capacities, which ascend; lru_caches_free() frees them.
 * Where the largest has no room for a followed line, the accesses do nothing and count nothing. */
struct lru_caches *lru_caches_create(const struct lru_shape *shape) {
    static const char what[] = "caches of other sizes";
    struct lru_caches *c = heddle_alloc(sizeof *c, what);
    uint64_t ways = shape->dirty_ways ? shape->dirty_ways : WAYS;
    c->caches = c->used.caches = c->written.caches = shape->count;
    c->block_bits = shape->block_bits;
    for (uint32_t i = 0; i < shape->count; i++) {
        c->used.room[i] = (uint32_t)(shape->capacity[i] / LINE >> shape->block_bits);
        c->written.room[i] = (uint32_t)(c->used.room[i] * ways / WAYS);
        c->mask |= UINT64_C(15) << SECTORS * i;
        c->most = c->used.room[i];
    }
    while (UINT32_C(1) << c->bucket_bits < c->most) c->bucket_bits++;
    c->entry = heddle_alloc_array(c->most + 2, sizeof *c->entry, what);
    c->used.place = heddle_alloc_array(c->most + 2, sizeof *c->used.place, what);
    c->written.place = heddle_alloc_array(c->most + 2, sizeof *c->written.place, what);
    c->bucket = heddle_alloc_array((size_t)1 << c->bucket_bits, sizeof *c->bucket, what);
    clear(c);
    return c;
}

/* Frees the caches; accepts NULL. */
void lru_caches_free(struct lru_caches *c) {
    if (!c) return;
    free(c->entry);
    free(c->used.place);
    free(c->written.place);
    free(c->bucket);
    free(c);
}

/* ---- lines by their number */

/* The head of the list of entries with the line's hash. */
static uint32_t *bucket_of(const struct lru_caches *c, uint32_t line) {
    return &c->bucket[c->bucket_bits
                          ? lru_caches_hash(line >> c->block_bits) >> (32 - c->bucket_bits)
                          : 0];
}

/* The entry of a line, or NONE. */
static uint32_t find(const struct lru_caches *c, uint32_t line) {
    uint32_t e = *bucket_of(c, line);
    while (e && c->entry[e].line != line) e = c->entry[e].next;
    return e;
}

/* @return a new entry of a line that has none, in no list. There is one more entry than the largest
 * cache holds, so one is free. */
static uint32_t add(struct lru_caches *c, uint32_t line) {
    uint32_t e = c->free, *bucket = bucket_of(c, line);
    c->free = c->entry[e].next;
    c->entry[e] = (struct entry){.line = line, .next = *bucket};
    *bucket = e;
    return e;
}

/* Frees an entry, which is in no list. */
static void forget(struct lru_caches *c, uint32_t e) {
    uint32_t *link = bucket_of(c, c->entry[e].line);
    while (*link != e) link = &c->entry[*link].next;
    *link = c->entry[e].next;
    c->entry[e].next = c->free;
    c->free = e;
}

/* ---- the lists */

/* Takes an entry out of a list, if it is there. */
static void take_out(struct list *l, uint32_t e) {
    struct place *p = &l->place[e];
    if (!p->listed) return;
    p->listed = false;
    for (uint32_t i = p->level; i < l->caches; i++) {
        l->length[i]--;
        if (l->last[i] == e) l->last[i] = p->before;
    }
    if (p->after) l->place[p->after].before = p->before;
    if (p->before)
        l->place[p->before].after = p->after;
    else
        l->first = p->after;
}

/* Puts an entry in front of a list. */
static void put_in_front(struct list *l, uint32_t e) {
    l->place[e] = (struct place){.after = l->first, .listed = true};
    if (l->first) l->place[l->first].before = e;
    l->first = e;
}

/* Lets cache i hold one more entry, which is in front. @return the entry that leaves the cache, or
 * NONE. */
static uint32_t move_mark(struct list *l, uint32_t i) {
    uint32_t last = l->last[i];
    if (l->length[i] < l->room[i]) {
        l->length[i]++;
        if (!last) l->last[i] = l->first;
        return NONE;
    }
    l->last[i] = l->place[last].before;
    l->place[last].level = (uint8_t)(i + 1);
    return last;
}

/* Cache i writes the waiting sectors of an entry back. */
static void write_back(struct lru_caches *c, uint32_t e, uint32_t i) {
    uint64_t own = UINT64_C(15) << SECTORS * i;
    c->counts.write[i] += (unsigned)__builtin_popcountll(c->entry[e].dirty & own);
    c->entry[e].dirty &= ~own;
}

/* Moves an entry to the front of the list of uses. An entry that leaves a cache is written back and
 * invalid there; one that leaves the largest cache is freed. */
static void use(struct lru_caches *c, uint32_t e) {
    take_out(&c->used, e);
    put_in_front(&c->used, e);
    for (uint32_t i = 0; i < c->caches; i++) {
        uint32_t left = move_mark(&c->used, i);
        if (!left) continue;
        write_back(c, left, i);
        c->entry[left].valid &= ~(UINT64_C(15) << SECTORS * i);
        if (i + 1 < c->caches) continue;
        take_out(&c->used, left);
        take_out(&c->written, left);
        forget(c, left);
    }
}

/* Moves an entry to the front of the list of writes. An entry that exceeds a cache's limit of
 * waiting lines is written back there. */
static void note_write(struct lru_caches *c, uint32_t e) {
    take_out(&c->written, e);
    put_in_front(&c->written, e);
    for (uint32_t i = 0; i < c->caches; i++) {
        uint32_t left = move_mark(&c->written, i);
        if (!left) continue;
        write_back(c, left, i);
        if (i + 1 == c->caches) take_out(&c->written, left);
    }
}

/* @return the entry of a line that is accessed now, new or found, in front of the list of uses. */
static uint32_t access(struct lru_caches *c, uint32_t line) {
    uint32_t e = find(c, line);
    if (e && e == c->used.first) return e;
    if (!e) e = add(c, line);
    use(c, e);
    return e;
}

/* Reads sectors (a mask) of a followed line: uses it, makes them valid in all caches, and counts
 * those that a cache lacked in its counts.read. */
void lru_caches_read(struct lru_caches *c, uint32_t line, uint32_t sectors) {
    if (!c->most) return;
    struct entry *e = &c->entry[access(c, line)];
    uint64_t all = EVERY * sectors & c->mask, missing = all & ~e->valid;
    e->valid |= all;
    for (uint32_t i = 0; missing && i < c->caches; i++)
        c->counts.read[i] += (unsigned)__builtin_popcountll(missing & UINT64_C(15) << SECTORS * i);
}

/* Writes sectors (a mask) of a followed line: uses it, makes them valid and waiting in all caches.
 * Lines that leave a cache, or exceed its limit of waiting ones, count in counts.write. */
void lru_caches_write(struct lru_caches *c, uint32_t line, uint32_t sectors) {
    if (!c->most) return;
    uint32_t number = access(c, line);
    struct entry *e = &c->entry[number];
    uint64_t all = EVERY * sectors & c->mask;
    e->valid |= all;
    e->dirty |= all;
    note_write(c, number);
}

/* Makes sectors (a mask) of a followed line invalid in all caches, if they hold it; does not use
 * it. */
void lru_caches_drop(struct lru_caches *c, uint32_t line, uint32_t sectors) {
    uint32_t e = find(c, line);
    if (e) c->entry[e].valid &= ~(EVERY * sectors);
}

/* Uses the followed ones of `count` lines from `first` on, and makes all their sectors valid;
 * counts no read. Sectors that wait still wait. */
void lru_caches_fill(struct lru_caches *c, uint32_t first, uint32_t count) {
    if (!c->most) return;
    uint64_t end = (uint64_t)first + count, size = UINT64_C(1) << c->block_bits;
    for (uint64_t block = first & ~(size - 1); block < end; block += size) {
        uint32_t line = (uint32_t)block + lru_caches_chosen((uint32_t)block, c->block_bits);
        if (line < first || line >= end) continue;
        c->entry[access(c, line)].valid = c->mask;
    }
}

/* Counts the waiting sectors as written and empties the caches. */
void lru_caches_flush(struct lru_caches *c) {
    for (uint32_t e = c->used.first; e; e = c->used.place[e].after)
        for (uint32_t i = 0; i < c->caches; i++) write_back(c, e, i);
    clear(c);
}

/* @return the counts of sectors since creation, in *c: valid as long as the caches. */
const struct lru_counts *lru_caches_counts(const struct lru_caches *c) {
    return &c->counts;
}
