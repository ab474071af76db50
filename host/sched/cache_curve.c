/* cache_curve.c - see cache_curve.h. The memory port calls it on the thread that simulates device
 * memory, and cache_curve_get() between windows.
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
#include "sched/cache_curve.h"

#include <stdlib.h>

#include "common/memory.h"

enum {
    LINE = 128,
    SECTOR = 32,
    SECTORS = 4,
    BLOCK_BITS = 5,
    BLOCK = 1 << BLOCK_BITS, /* lines, of which one is followed */
    WAYS = 16,
    CACHES = CACHE_POINTS - 1,
    NONE = 0, /* no entry: entries are numbered from 1 */
};
_Static_assert(CACHES *SECTORS <= 64, "a mask has room for all caches");
#define EVERY UINT64_C(0x1111111111111111) /* a sector in every cache */

/* A place in a list. */
struct place {
    uint32_t before, after; /* entries */
    uint8_t level;          /* first cache that holds it; CACHES: none */
    bool listed;
};

/* Entries by their last use. The first length[i] of them are in cache i, at most room[i]. */
struct list {
    struct place *place; /* of each entry */
    uint32_t first;      /* entry */
    uint32_t begin;      /* cache: those before it are not emulated */
    uint32_t room[CACHES], length[CACHES], last[CACHES];
};

/* A line that is followed. */
struct entry {
    uint32_t line, next; /* next: with the same hash, or the next free one */
    uint64_t valid, dirty;
};

struct cache_curve {
    uint32_t first;         /* cache: the first that is larger than the GPU's L2 */
    uint64_t mask;          /* of the sectors of all caches from `first` on */
    uint32_t most;          /* lines of the largest cache */
    struct entry *entry;    /* most + 2 */
    uint32_t *bucket, free; /* entries by hash; entries without a line */
    uint32_t bucket_bits;
    struct list used, written;
    uint64_t read[CACHE_POINTS], write[CACHE_POINTS]; /* sectors */
};

static uint32_t hash(uint32_t x) {
    return x * UINT32_C(2654435761);
}

/* Whether the line is the one of its block that is followed. */
static bool followed(uint32_t line) {
    return hash(line >> BLOCK_BITS) >> (32 - BLOCK_BITS) == line % BLOCK;
}

/* Makes all entries free. */
static void clear(struct cache_curve *c) {
    for (uint32_t b = 0; b < UINT32_C(1) << c->bucket_bits; b++) c->bucket[b] = NONE;
    for (uint32_t e = 1; e <= c->most + 1; e++) {
        c->entry[e] = (struct entry){.next = e <= c->most ? e + 1 : NONE};
        c->used.place[e].listed = c->written.place[e].listed = false;
    }
    c->free = 1;
    struct list *const lists[] = {&c->used, &c->written};
    for (int l = 0; l < 2; l++) {
        lists[l]->first = NONE;
        for (uint32_t i = 0; i < CACHES; i++) lists[l]->length[i] = lists[l]->last[i] = NONE;
    }
}

struct cache_curve *cache_curve_create(uint64_t own, uint64_t dirty_ways) {
    static const char what[] = "caches of other sizes";
    struct cache_curve *c = heddle_alloc(sizeof *c, what);
    uint64_t ways = dirty_ways ? dirty_ways : WAYS;
    c->first = CACHES;
    for (uint32_t i = CACHES; i-- && cache_curve_capacity(i + 1, own);) c->first = i;
    c->used.begin = c->written.begin = c->first;
    for (uint32_t i = c->first; i < CACHES; i++) {
        c->used.room[i] = (uint32_t)(cache_curve_capacity(i + 1, own) / (LINE * BLOCK));
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

void cache_curve_free(struct cache_curve *c) {
    if (!c) return;
    free(c->entry);
    free(c->used.place);
    free(c->written.place);
    free(c->bucket);
    free(c);
}

/* ---- lines by their number */

static uint32_t *bucket_of(const struct cache_curve *c, uint32_t line) {
    return &c->bucket[c->bucket_bits ? hash(line >> BLOCK_BITS) >> (32 - c->bucket_bits) : 0];
}

/* The entry of a line, or NONE. */
static uint32_t find(const struct cache_curve *c, uint32_t line) {
    uint32_t e = *bucket_of(c, line);
    while (e && c->entry[e].line != line) e = c->entry[e].next;
    return e;
}

/* A new entry of a line. There is one more than the largest cache holds. */
static uint32_t add(struct cache_curve *c, uint32_t line) {
    uint32_t e = c->free, *bucket = bucket_of(c, line);
    c->free = c->entry[e].next;
    c->entry[e] = (struct entry){.line = line, .next = *bucket};
    *bucket = e;
    return e;
}

/* Frees an entry, which is in no list. */
static void forget(struct cache_curve *c, uint32_t e) {
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
    for (uint32_t i = p->level; i < CACHES; i++) {
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
    l->place[e] = (struct place){.after = l->first, .level = (uint8_t)l->begin, .listed = true};
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
static void write_back(struct cache_curve *c, uint32_t e, uint32_t i) {
    uint64_t own = UINT64_C(15) << SECTORS * i;
    c->write[i + 1] += (unsigned)__builtin_popcountll(c->entry[e].dirty & own);
    c->entry[e].dirty &= ~own;
}

/* Moves an entry to the front of the list of uses. */
static void use(struct cache_curve *c, uint32_t e) {
    take_out(&c->used, e);
    put_in_front(&c->used, e);
    for (uint32_t i = c->first; i < CACHES; i++) {
        uint32_t left = move_mark(&c->used, i);
        if (!left) continue;
        write_back(c, left, i);
        c->entry[left].valid &= ~(UINT64_C(15) << SECTORS * i);
        if (i + 1 < CACHES) continue;
        take_out(&c->used, left);
        take_out(&c->written, left);
        forget(c, left);
    }
}

/* Moves an entry to the front of the list of writes. */
static void note_write(struct cache_curve *c, uint32_t e) {
    take_out(&c->written, e);
    put_in_front(&c->written, e);
    for (uint32_t i = c->first; i < CACHES; i++) {
        uint32_t left = move_mark(&c->written, i);
        if (!left) continue;
        write_back(c, left, i);
        if (i + 1 == CACHES) take_out(&c->written, left);
    }
}

/* The entry of a line that is accessed now. */
static uint32_t access(struct cache_curve *c, uint32_t line) {
    uint32_t e = find(c, line);
    if (!e) e = add(c, line);
    use(c, e);
    return e;
}

void cache_curve_read(struct cache_curve *c, uint32_t line, uint32_t sectors) {
    if (!followed(line)) return;
    c->read[CACHE_POINT_OWN] += (unsigned)__builtin_popcount(sectors);
    if (!c->most) return;
    struct entry *e = &c->entry[access(c, line)];
    uint64_t all = EVERY * sectors & c->mask, missing = all & ~e->valid;
    e->valid |= all;
    for (uint32_t i = c->first; missing && i < CACHES; i++)
        c->read[i + 1] += (unsigned)__builtin_popcountll(missing & UINT64_C(15) << SECTORS * i);
}

void cache_curve_write(struct cache_curve *c, uint32_t line, uint32_t sectors) {
    if (!followed(line)) return;
    c->write[CACHE_POINT_OWN] += (unsigned)__builtin_popcount(sectors);
    if (!c->most) return;
    uint32_t number = access(c, line);
    struct entry *e = &c->entry[number];
    uint64_t all = EVERY * sectors & c->mask;
    e->valid |= all;
    e->dirty |= all;
    note_write(c, number);
}

void cache_curve_fill(struct cache_curve *c, uint32_t first, uint32_t count) {
    if (!c->most) return;
    uint64_t end = (uint64_t)first + count;
    for (uint64_t block = first & ~(uint64_t)(BLOCK - 1); block < end; block += BLOCK) {
        uint32_t line = (uint32_t)block +
                        (hash((uint32_t)block >> BLOCK_BITS) >> (32 - BLOCK_BITS));
        if (line < first || line >= end) continue;
        c->entry[access(c, line)].valid = c->mask;
    }
}

void cache_curve_flush(struct cache_curve *c) {
    for (uint32_t e = c->used.first; e; e = c->used.place[e].after)
        for (uint32_t i = c->first; i < CACHES; i++) write_back(c, e, i);
    clear(c);
}

void cache_curve_get(const struct cache_curve *c, struct cache_curve_counts *out) {
    for (uint32_t i = 0; i < CACHE_POINTS; i++) {
        out->read_bytes[i] = c->read[i] * SECTOR * BLOCK;
        out->write_bytes[i] = c->write[i] * SECTOR * BLOCK;
    }
}
