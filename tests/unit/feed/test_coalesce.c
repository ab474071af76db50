/* test_coalesce.c - host/feed/coalesce.c: lines, sectors and bank conflicts, compared with a count
 * byte by byte; the order of look-ups. */
#include <criterion/criterion.h>
#include <string.h>

#include "core_words.h"
#include "feed/feed.h"

static uint64_t seed = 1;
static uint32_t rnd(uint32_t n) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

enum { SPAN = 64 * 128 };

/* The bank of L1's tags that has a line: a pair of bits at a time. */
static unsigned tag_bank(uint32_t line) {
    unsigned bank = 0;
    for (; line; line /= 4) bank ^= line % 4;
    return bank;
}

/* @return the first active lane whose access lies in the line. */
static unsigned first_lane(const uint64_t *address, uint32_t mask, uint64_t base, uint32_t line) {
    unsigned lane = 0;
    while (lane < 32 && (!(mask >> lane & 1) || (address[lane] - base) / 128 != line)) lane++;
    cr_assert_lt(lane, 32);
    return lane;
}

/* Checks the look-ups: line i is looked up in the cycle that `step` says, the n-th line of its bank
 * in the n-th cycle, the first lanes' first; no cycle is empty. */
static void check_look_ups(const uint64_t *line, unsigned n, const uint64_t *address, uint32_t mask,
                           uint64_t base) {
    unsigned used[4] = {0}, cycle = 0, last[4] = {0}, lane = 0;
    bool first = true;
    for (unsigned i = 0; i < n; i++) {
        uint32_t addr = core_line_addr(&line[i]);
        unsigned bank = tag_bank(addr), at = first_lane(address, mask, base, addr);
        cr_assert_eq(used[bank], cycle, "line %u of bank %u in cycle %u", addr, bank, cycle);
        cr_assert(first || at > lane, "lanes of a cycle");
        cr_assert(!used[bank]++ || at > last[bank], "lanes of a bank");
        lane = last[bank] = at;
        first = core_line_step(&line[i]);
        cycle += first;
    }
    cr_assert(!n || first, "the last cycle ends");
}

/* Compares the coalesced requests of an access with a count over every byte: which bytes are
 * accessed. */
static void check(const uint64_t *address, uint32_t mask, unsigned width, uint64_t base,
                  bool store) {
    static uint8_t touched[SPAN];
    uint64_t line[FEED_MAX_REQUESTS];
    memset(touched, 0, sizeof touched);
    unsigned lanes[SPAN / 128] = {0};
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1) {
            memset(touched + (address[i] - base), 1, width);
            lanes[(address[i] - base) / 128]++;
        }
    struct exec_access access;
    memcpy(access.address, address, sizeof access.address);
    unsigned n = feed_coalesce(line, &access, mask, width, base, store), total = 0;
    check_look_ups(line, n, address, mask, base);
    bool seen[SPAN / 128] = {false};
    for (unsigned i = 0; i < n; i++) {
        uint32_t addr = core_line_addr(&line[i]);
        cr_assert_lt(addr, SPAN / 128);
        cr_assert(!seen[addr], "line %u twice", addr);
        seen[addr] = true;
        for (unsigned s = 0; s < 4; s++) {
            unsigned bytes = 0;
            for (unsigned b = 0; b < 32; b++) bytes += touched[addr * 128 + s * 32 + b];
            cr_assert_eq(core_line_sectors(&line[i]) >> s & 1, bytes > 0);
            if (store) cr_assert_eq(core_line_full(&line[i]) >> s & 1, bytes == 32);
        }
    }
    for (unsigned i = 0; i < SPAN / 128; i++) total += lanes[i] > 0;
    cr_assert_eq(n, total);
}

/* Turns of a line as the timing model says: marks the lanes that go on with the run of the lane
 * before and those that repeat its word, and counts the others. */
static unsigned turns_of(const uint64_t *address, uint32_t mask, unsigned width, uint64_t line,
                         unsigned repeat) {
    uint32_t goes_on = 0, repeats = 0, here = 0;
    for (unsigned i = 0; i < 32; i++)
        if (address[i] / 128 == line / 128) here |= 1u << i;
    here &= mask;
    for (unsigned i = 1; i < 32; i++)
        if (address[i] / 32 == address[i - 1] / 32 && address[i] - address[i - 1] == width)
            goes_on |= 1u << i;
        else if (address[i] == address[i - 1])
            repeats |= 1u << i;
    repeats &= here & here << 1;
    const double first = __builtin_popcount(here & ~repeats & ~(goes_on & here << 1)),
                 turns = first + __builtin_popcount(repeats) * repeat / 256.0;
    return turns > 63 ? 63 : (unsigned)(turns + 0.5);
}

Test(coalesce, turns_of_atomics) {
    const uint64_t base = UINT64_C(0x7e8000000000);
    for (unsigned round = 0; round < 20000; round++) {
        unsigned width = 2u << rnd(4), span = 1u << rnd(11), runs = 1 + rnd(8);
        uint32_t mask = rnd(3) ? UINT32_MAX : rnd(UINT32_MAX);
        struct exec_access access;
        for (unsigned i = 0; i < 32; i++)
            access.address[i] = i && rnd(runs) ? access.address[i - 1] + width * rnd(2)
                                               : base + 4096 + rnd(span) * width;
        uint64_t line[FEED_MAX_REQUESTS];
        unsigned n = feed_coalesce(line, &access, mask, width, base, false);
        unsigned repeat = 256 + rnd(600);
        feed_turns(line, n, &access, mask, width, base, repeat);
        for (unsigned i = 0; i < n; i++)
            cr_assert_eq(core_line_turns(&line[i]),
                         turns_of(access.address, mask, width,
                                  base + core_line_addr(&line[i]) * UINT64_C(128), repeat));
    }
}

Test(coalesce, random_addresses) {
    const uint64_t base = UINT64_C(0x7e8000000000);
    for (unsigned round = 0; round < 20000; round++) {
        unsigned width = 1u << rnd(5);
        uint32_t mask = rnd(3) ? UINT32_MAX : rnd(UINT32_MAX);
        uint64_t address[32];
        unsigned kind = rnd(4), start = rnd(8) * width, stride = 1 + rnd(4);
        for (unsigned i = 0; i < 32; i++) {
            uint64_t at = kind == 0   ? start + i * width
                          : kind == 1 ? start + (uint64_t)i * width * stride
                          : kind == 2 ? start
                                      : rnd(SPAN / width) * (uint64_t)width;
            address[i] = base + at % (SPAN - 16) / width * width;
        }
        check(address, mask, width, base, rnd(2));
    }
}

Test(coalesce, each_bank_of_tags_looks_up_a_line_per_cycle) {
    static const struct {
        unsigned stride, first, lines, cycles; /* in lines */
    } rows[] = {{1, 0, 1, 1},  {1, 0, 4, 1}, {1, 3, 4, 2},  {1, 7, 2, 2}, {1, 5, 3, 1},
                {1, 0, 32, 8}, {4, 0, 4, 1}, {4, 0, 32, 8}, {5, 0, 4, 4}, {16, 0, 32, 8}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint64_t line[32] = {0};
        unsigned cycles = 0;
        for (unsigned i = 0; i < rows[k].lines; i++)
            core_line_set_addr(&line[i], rows[k].first + i * rows[k].stride);
        feed_look_ups(line, rows[k].lines);
        for (unsigned i = 0; i < rows[k].lines; i++) cycles += core_line_step(&line[i]);
        cr_expect_eq(cycles, rows[k].cycles, "row %u: %u", k, cycles);
    }
    feed_look_ups(NULL, 0);
}

/* Returns the passes of a shared-memory access: for each group of lanes that is served together,
 * the largest number of different words in one bank (for atomics, of lanes), summed over the
 * groups. Loads of 16 bytes are served 16 lanes at a time if no lane differs from its neighbour, or
 * none from the one two further. */
static unsigned conflicts(const uint64_t *address, uint32_t mask, unsigned width,
                          enum feed_words kind) {
    unsigned lanes = width <= 4 ? 32 : 128 / width, passes = 0, differ[3] = {0};
    bool atomic = kind == FEED_ATOMIC;
    for (unsigned a = 0; a < 32; a++)
        for (unsigned b = 0; b < a; b++) {
            bool both = mask >> a & 1 && mask >> b & 1 && address[a] != address[b];
            differ[1] += both && a / 2 == b / 2;
            differ[2] += both && a / 4 == b / 4 && a % 2 == b % 2;
        }
    if (kind == FEED_READ && width == 16 && (!differ[1] || !differ[2])) lanes = 16;
    for (unsigned first = 0; first < 32; first += lanes) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            unsigned different = 0;
            uint64_t words[128];
            for (unsigned i = first; i < first + lanes; i++)
                for (unsigned k = 0; (mask >> i & 1) && k < (width + 3) / 4; k++) {
                    uint64_t w = address[i] / 4 + k;
                    if (w % 32 != bank) continue;
                    unsigned j = 0;
                    while (j < different && (atomic || words[j] != w)) j++;
                    if (j == different) words[different++] = w;
                }
            if (different > most) most = different;
        }
        passes += most;
    }
    return passes ? passes : 1;
}

Test(coalesce, random_bank_conflicts) {
    for (unsigned round = 0; round < 20000; round++) {
        unsigned width = 1u << rnd(5);
        uint32_t mask = rnd(2) ? UINT32_MAX : rnd(UINT32_MAX);
        enum feed_words kind = rnd(2) ? FEED_READ : (enum feed_words)rnd(4);
        uint64_t address[32];
        unsigned stride = rnd(40), range = 1 + rnd(4096 / width), same = rnd(4);
        bool scattered = rnd(2);
        for (unsigned i = 0; i < 32; i++)
            address[i] = (scattered ? rnd(range) : i * stride) * (uint64_t)width;
        for (unsigned i = 0; i < 32; i++) /* pairs agree */
            if (same == 1 || same == 2) address[i] = address[i & ~same];
        cr_assert_eq(feed_conflicts(address, mask, width, kind),
                     conflicts(address, mask, width, kind), "width %u mask %x", width, mask);
    }
}

Test(coalesce, loads_of_16_bytes_whose_pairs_of_lanes_agree_take_half_the_passes) {
    static const struct {
        enum feed_words kind;
        unsigned width, passes;
        uint32_t mask;
        uint8_t lane[8]; /* of eight lanes each: which element */
        uint8_t step;    /* and how many elements further the next eight begin */
    } rows[] = {
        {FEED_READ, 16, 2, UINT32_MAX, {0, 0, 0, 0, 0, 0, 0, 0}, 0},
        {FEED_READ, 16, 2, UINT32_MAX, {0, 0, 1, 1, 2, 2, 3, 3}, 4},
        {FEED_READ, 16, 2, UINT32_MAX, {0, 1, 0, 1, 2, 3, 2, 3}, 4},
        {FEED_READ, 16, 2, UINT32_MAX, {0, 0, 0, 0, 1, 1, 1, 1}, 2},
        {FEED_READ, 16, 4, UINT32_MAX, {0, 1, 2, 3, 0, 1, 2, 3}, 0},
        {FEED_READ, 16, 4, UINT32_MAX, {0, 1, 2, 3, 4, 5, 6, 7}, 8},
        {FEED_READ, 16, 4, UINT32_MAX, {0, 0, 1, 1, 2, 2, 3, 4}, 5}, /* one pair does not */
        {FEED_READ, 16, 2, 0x7f7f7f7f, {0, 0, 1, 1, 2, 2, 3, 4}, 4}, /* its lane is off */
        {FEED_READ, 16, 2, 0x55555555, {0, 9, 1, 9, 2, 9, 3, 9}, 4},
        {FEED_READ, 16, 4, UINT32_MAX, {0, 0, 1, 1, 2, 2, 3, 3}, 8}, /* conflicts of two groups */
        {FEED_WRITE, 16, 4, UINT32_MAX, {0, 0, 1, 1, 2, 2, 3, 3}, 4},
        {FEED_ROWS, 16, 4, UINT32_MAX, {0, 0, 1, 1, 2, 2, 3, 3}, 4},
        {FEED_ROWS, 16, 2, 0xffff, {0, 1, 2, 3, 4, 5, 6, 7}, 8},
        {FEED_ROWS, 16, 8, 0xff, {0, 8, 16, 24, 32, 40, 48, 56}, 0}, /* rows of 128 bytes */
        {FEED_READ, 8, 2, UINT32_MAX, {0, 0, 0, 0, 0, 0, 0, 0}, 0},
        {FEED_READ, 8, 2, UINT32_MAX, {0, 0, 1, 1, 2, 2, 3, 3}, 4},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint64_t address[32];
        for (unsigned i = 0; i < 32; i++)
            address[i] = (rows[k].lane[i % 8] + i / 8 * rows[k].step) * (uint64_t)rows[k].width;
        unsigned passes = feed_conflicts(address, rows[k].mask, rows[k].width, rows[k].kind);
        cr_expect_eq(passes, rows[k].passes, "row %u: %u", k, passes);
    }
}
