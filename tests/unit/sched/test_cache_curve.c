/* test_cache_curve.c - host/sched/cache_curve.c: sweeps whose traffic is known by hand, and random
 * requests against caches of one capacity each, written in the plainest way. */
#include <criterion/criterion.h>
#include <string.h>

#include "sched/cache_curve.h"

enum { MIB = 1 << 20, LINE = 128, OWN = 6 * MIB };

static struct cache_curve *curve;
static struct cache_curve_counts counts;

static void tear_down(void) {
    cache_curve_free(curve);
}
TestSuite(cache_curve, .fini = tear_down);

/* Bytes read and written behind an L2 of that many MiB since the last call. */
static uint64_t last_read, last_written;
static void ask(uint64_t mib) {
    struct cache_curve_counts now;
    uint32_t point = 0;
    while (cache_curve_capacity(point, OWN) != mib * MIB) cr_assert_lt(++point, CACHE_POINTS);
    cache_curve_get(curve, &now);
    last_read = now.read_bytes[point] - counts.read_bytes[point];
    last_written = now.write_bytes[point] - counts.write_bytes[point];
}
static void again(void) {
    cache_curve_get(curve, &counts);
}

static void sweep(uint32_t first, uint32_t bytes, bool write) {
    for (uint32_t line = first; line < first + bytes / LINE; line++)
        (write ? cache_curve_write : cache_curve_read)(curve, line, 15);
}

/* Sweeps over 20 MiB, again and again: a cache of 12 MiB has always just lost the next line, one of
 * 24 MiB has them all from the second sweep on. */
Test(cache_curve, cyclic_sweep) {
    curve = cache_curve_create(OWN, 0);
    sweep(0, 20 * MIB, false);
    ask(12);
    cr_assert_eq(last_read, 20 * MIB);
    ask(25);
    cr_assert_eq(last_read, 20 * MIB);
    again();
    sweep(0, 20 * MIB, false);
    ask(6);
    cr_assert_eq(last_read, 20 * MIB);
    ask(12);
    cr_assert_eq(last_read, 20 * MIB);
    ask(20); /* it just fits */
    cr_assert_eq(last_read, 0);
    ask(25);
    cr_assert_eq(last_read, 0);
    cr_assert_eq(last_written, 0);
}

/* 20 MiB written, then another 20 MiB read: 12 MiB keep none of the written lines, 32 MiB keep the
 * last 12. Lines that are written over have nothing to be read. */
Test(cache_curve, written_lines_leave) {
    curve = cache_curve_create(OWN, 0);
    sweep(0, 20 * MIB, true);
    ask(12);
    cr_assert_eq(last_written, 8 * MIB);
    ask(32);
    cr_assert_eq(last_written, 0);
    cr_assert_eq(last_read, 0);
    sweep(20 * MIB / LINE, 20 * MIB, false);
    ask(12);
    cr_assert_eq(last_written, 20 * MIB);
    ask(32);
    cr_assert_eq(last_written, 8 * MIB);
    ask(60);
    cr_assert_eq(last_written, 0);
}

/* 8 of 16 ways: 32 MiB keep 16 MiB of 20 waiting; the others are written, and stay to be read. */
Test(cache_curve, only_so_many_lines_wait) {
    curve = cache_curve_create(OWN, 8);
    sweep(0, 20 * MIB, true);
    ask(32);
    cr_assert_eq(last_written, 4 * MIB);
    sweep(0, 20 * MIB, false);
    ask(32);
    cr_assert_eq(last_read, 0);
    cr_assert_eq(last_written, 4 * MIB);
}

Test(cache_curve, copies_fill_and_flushes_empty) {
    curve = cache_curve_create(OWN, 0);
    cache_curve_fill(curve, 0, 20 * MIB / LINE);
    sweep(0, 20 * MIB, false);
    ask(25);
    cr_assert_eq(last_read, 0);
    ask(12);
    cr_assert_eq(last_read, 20 * MIB);
    sweep(0, 4 * MIB, true);
    cache_curve_flush(curve);
    ask(25);
    cr_assert_eq(last_written, 4 * MIB);
    sweep(0, 4 * MIB, false);
    ask(25);
    cr_assert_eq(last_read, 4 * MIB);
}

/* A part of a line is fetched alone. */
Test(cache_curve, sectors) {
    curve = cache_curve_create(OWN, 0);
    for (uint32_t line = 0; line < MIB / LINE; line++) cache_curve_read(curve, line, 1);
    for (uint32_t line = 0; line < MIB / LINE; line++) cache_curve_read(curve, line, 3);
    ask(6);
    cr_assert_eq(last_read, 3 * MIB / 4);
    ask(12);
    cr_assert_eq(last_read, MIB / 2);
}

/* No cache is larger: what comes is counted, and nothing else. */
Test(cache_curve, nothing_larger) {
    curve = cache_curve_create(UINT64_C(1) << 30, 0);
    sweep(0, MIB, false);
    sweep(0, MIB, true);
    cache_curve_fill(curve, 0, 100);
    cache_curve_flush(curve);
    cache_curve_get(curve, &counts);
    cr_assert_eq(counts.read_bytes[0], MIB);
    cr_assert_eq(counts.write_bytes[0], MIB);
    for (uint32_t i = 1; i < CACHE_POINTS; i++) {
        cr_assert_eq(cache_curve_capacity(i, UINT64_C(1) << 30), 0);
        cr_assert_eq(counts.read_bytes[i] + counts.write_bytes[i], 0);
    }
}

/* A cache of one capacity: its lines by last use and by last write, the latest one first. */
enum { LINES = 4096 };
struct plain {
    uint32_t used[LINES], written[LINES], num_used, num_written;
    uint8_t valid[LINES], dirty[LINES];
    uint64_t reads, writes;
    uint32_t room, room_dirty;
};

/* Moves line n to the front of an order. @return the line at place `room`, or LINES. */
static uint32_t to_front(uint32_t *order, uint32_t *count, uint32_t n, uint32_t room) {
    uint32_t at = 0;
    while (at < *count && order[at] != n) at++;
    if (at == *count) ++*count;
    memmove(order + 1, order, at * sizeof *order);
    order[0] = n;
    return *count > room ? order[room] : LINES;
}

static void plain_clean(struct plain *p, uint32_t n) {
    p->writes += (unsigned)__builtin_popcount(p->dirty[n]);
    p->dirty[n] = 0;
}

static void plain_access(struct plain *p, uint32_t n, uint8_t sectors, bool write) {
    if (!write) p->reads += (unsigned)__builtin_popcount(sectors & (uint8_t)~p->valid[n]);
    p->valid[n] |= sectors;
    uint32_t gone = to_front(p->used, &p->num_used, n, p->room);
    if (gone < LINES) {
        plain_clean(p, gone);
        p->valid[gone] = 0;
    }
    if (!write) return;
    p->dirty[n] |= sectors;
    uint32_t cleaned = to_front(p->written, &p->num_written, n, p->room_dirty);
    if (cleaned < LINES) plain_clean(p, cleaned);
}

/* Requests to 4,096 followed lines, more than 12 MiB hold (3,072), in an order that returns to
 * lines sooner and later. */
Test(cache_curve, random_requests) {
    static struct plain p = {.room = 12 * MIB / LINE / 32,
                             .room_dirty = 12 * MIB / LINE / 32 / 16 * 7};
    uint32_t lines[LINES], n = 0, random = 1;
    curve = cache_curve_create(OWN, 7);
    for (uint32_t line = 0; n < LINES; line++) {
        again();
        cache_curve_read(curve, line, 0);
        cache_curve_write(curve, line, 1);
        ask(6);
        if (last_written) lines[n++] = line;
    }
    cache_curve_flush(curve);
    again();
    for (uint32_t i = 0; i < 60000; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t which = random >> 8 & (random >> 28 ? 4095 : 255),
                 sectors = 1 + (random >> 20) % 15;
        bool write = random >> 27 & 1;
        plain_access(&p, which, (uint8_t)sectors, write);
        (write ? cache_curve_write : cache_curve_read)(curve, lines[which], sectors);
    }
    ask(12);
    cr_assert_gt(p.reads, 1000);
    cr_assert_gt(p.writes, 1000);
    cr_assert_eq(last_read, p.reads * 32 * 32);
    cr_assert_eq(last_written, p.writes * 32 * 32);
}
