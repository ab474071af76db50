/* coalesce.c - from the addresses of a warp to lines and sectors, to look-ups of L1's tags, and to
 * bank conflicts.
 *
 * Lanes of one instruction that touch the same 128-byte line share a coalesced request. The common
 * case, 32 consecutive elements, is recognised first and needs no search.
 *
 * All functions are pure: they read their arguments and write the list `line`, one word per
 * coalesced request (word `line` of tables/core_words.def). The caller gives `line` enough room
 * (feed_most_requests()). `mask` has the active lanes, `width` is bytes per lane, `base` the first
 * address of device memory. Accesses are aligned to their width. feed.c calls them, on the thread
 * that simulates an SM group. Tests call the exported functions too. */
#include <string.h>

#include "core_words.h"
#include "feed/feed.h"

enum {
    LINE = 128, /* bytes */
    SECTOR = 32,
    TURN = 256, /* unit of feed_turns() */
    MOST_TURNS = 63,
    TAG_BANKS = 4, /* of L1 */
};

/* @return the word of one coalesced request: line number `addr`, masks of the sectors touched and
 * of those written entirely. */
static uint64_t coalesced_request(uint32_t addr, unsigned sectors, unsigned full) {
    uint64_t w = 0;
    core_line_set_addr(&w, addr);
    core_line_set_sectors(&w, sectors);
    core_line_set_full(&w, full);
    return w;
}

/* True when all 32 lanes are active and lane i touches address[0] + i * width. */
static bool consecutive(const uint64_t *address, uint32_t mask, unsigned width) {
    if (mask != UINT32_MAX) return false;
    uint64_t wrong = 0;
    for (unsigned i = 0; i < MIR_WARP_SIZE; i++) wrong |= address[i] ^ (address[0] + i * width);
    return wrong == 0;
}

/* Coalesces 32 consecutive elements that begin `offset` bytes behind the base, and finds the
 * sectors covered entirely, for loads too. @return requests. */
static unsigned coalesce_consecutive(uint64_t *line, uint64_t offset, unsigned width) {
    uint64_t end = offset + (uint64_t)MIR_WARP_SIZE * width;
    unsigned n = 0;
    for (uint64_t at = offset; at < end; n++) {
        uint64_t first = at, base = at & ~(uint64_t)(LINE - 1), stop = base + LINE;
        if (stop > end) stop = end;
        unsigned sectors = 0, full = 0;
        for (unsigned s = 0; s < LINE / SECTOR; s++) {
            uint64_t lo = base + s * SECTOR, hi = lo + SECTOR;
            if (lo < stop && hi > first) sectors |= 1u << s;
            if (lo >= first && hi <= stop) full |= 1u << s;
        }
        line[n] = coalesced_request((uint32_t)(base / LINE), sectors, full);
        at = stop;
    }
    return n;
}

/* Coalesces any addresses, `texels` accesses of each lane; an address of 0 is none. `store`: finds
 * the sectors that are written entirely. @return requests. */
static unsigned search(uint64_t *line, const struct exec_access *access, unsigned texels,
                       uint32_t mask, unsigned width, uint64_t base, bool store) {
    uint32_t number[FEED_MAX_REQUESTS]; /* an aligned access lies in one line */
    uint8_t sectors[FEED_MAX_REQUESTS];
    uint32_t written[MIR_WARP_SIZE][LINE / SECTOR]; /* byte masks, only for stores */
    unsigned n = 0, last = 0;
    for (unsigned t = 0; t < texels; t++)
        for (uint32_t left = mask; left; left &= left - 1) {
            uint64_t address = access[t].address[__builtin_ctz(left)], offset = address - base;
            if (!address) continue;
            uint32_t want = (uint32_t)(offset / LINE);
            unsigned byte = (unsigned)(offset % LINE), s = byte / SECTOR;
            unsigned i = last;
            if (i >= n || number[i] != want)
                for (i = 0; i < n && number[i] != want;) i++;
            if (i == n) {
                number[n] = want;
                sectors[n] = 0;
                if (store) memset(written[n], 0, sizeof written[n]);
                n++;
            }
            last = i;
            sectors[i] |= (uint8_t)(1u << s);
            if (store) /* accesses are aligned, so one never leaves its sector */
                written[i][s] |= (uint32_t)(((UINT64_C(1) << width) - 1) << byte % SECTOR);
        }
    for (unsigned i = 0; i < n; i++) {
        unsigned full = 0;
        for (unsigned s = 0; store && s < LINE / SECTOR; s++)
            full |= (unsigned)(written[i][s] == UINT32_MAX) << s;
        line[i] = coalesced_request(number[i], sectors[i], full);
    }
    return n;
}

/* The bank of L1's tags that has a line: the XOR of all pairs of bits of its number. */
static unsigned tag_bank(uint32_t line) {
    line ^= line >> 16;
    line ^= line >> 8;
    line ^= line >> 4;
    line ^= line >> 2;
    return line % TAG_BANKS;
}

/* Puts the coalesced requests of an operation into the order in which L1 looks them up, and marks
 * the last one of each cycle: every bank of the tags serves one line per cycle, so the n-th line of
 * a bank is looked up in the n-th cycle. Lines of one cycle keep their order. */
void feed_look_ups(uint64_t *line, unsigned n) {
    uint16_t cycle[FEED_MAX_REQUESTS], first[FEED_MAX_REQUESTS + 1];
    uint64_t old[FEED_MAX_REQUESTS];
    unsigned used[TAG_BANKS] = {0}, cycles = 0, latest = 0;
    bool in_order = true;
    if (n == 1) core_line_set_step(line, 1);
    if (n <= 1) return;
    for (unsigned i = 0; i < n; i++) {
        unsigned c = used[tag_bank(core_line_addr(&line[i]))]++;
        cycle[i] = (uint16_t)c;
        in_order &= c >= latest;
        latest = c;
        if (c == cycles) first[++cycles] = 0;
        first[c + 1]++;
    }
    if (!in_order) {
        first[0] = 0;
        for (unsigned c = 1; c < cycles; c++) first[c] = (uint16_t)(first[c] + first[c - 1]);
        memcpy(old, line, n * sizeof *line);
        for (unsigned i = 0; i < n; i++) line[first[cycle[i]]++] = old[i];
        /* Now first[c] is the end of cycle c. */
        for (unsigned c = 0; c < cycles; c++) core_line_set_step(&line[first[c] - 1], 1);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        core_line_set_step(&line[i], i + 1 == n || cycle[i + 1] != cycle[i]);
}

/* @return cycles for which L1's data, 128 bytes wide, takes or gives the sectors of these
 * coalesced requests; for accesses whose banks feed_conflicts() does not count. */
unsigned feed_sector_passes(const uint64_t *line, unsigned n) {
    unsigned sectors = 0;
    for (unsigned i = 0; i < n; i++)
        sectors += (unsigned)__builtin_popcount(core_line_sectors(&line[i]));
    return (sectors + LINE / SECTOR - 1) / (LINE / SECTOR);
}

/* Sets the turns of an atomic's n coalesced requests. A slice performs a run of lanes at once: each
 * accesses the word behind that of the lane before it, in the same sector. A lane at the word of
 * the lane before it waits for that one's result: `repeat`, 1/256 turns. */
void feed_turns(uint64_t *line, unsigned n, const struct exec_access *access, uint32_t mask,
                unsigned width, uint64_t base, unsigned repeat) {
    const uint64_t *address = access->address;
    uint32_t time[MIR_WARP_SIZE] = {0}; /* 1/256 turns; an aligned word lies in one line */
    unsigned i = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t at = address[lane] - base;
        const bool follows = lane && mask >> (lane - 1) & 1;
        if (!address[lane]) continue; /* has no request either */
        if (follows && address[lane] == address[lane - 1] + width && at % SECTOR) continue;
        while (core_line_addr(&line[i]) != at / LINE) i = (i + 1) % n;
        time[i] += follows && address[lane] == address[lane - 1] ? repeat : TURN;
    }
    for (i = 0; i < n; i++) {
        const uint32_t turns = (time[i] + TURN / 2) / TURN;
        core_line_set_turns(&line[i], turns < MOST_TURNS ? turns : MOST_TURNS);
    }
}

/* Coalesces the active lanes' accesses into `line`, a word per line of memory in the order of their
 * look-ups. `store`: also finds the sectors that are written entirely. @return the number of
 * requests, 0 when no lane is active. */
unsigned feed_coalesce(uint64_t *line, const struct exec_access *access, uint32_t mask,
                       unsigned width, uint64_t base, bool store) {
    if (!mask) return 0;
    const uint64_t *address = access->address;
    unsigned n;
    if (consecutive(address, mask, width) && address[0] % width == 0)
        n = coalesce_consecutive(line, address[0] - base, width);
    else
        n = search(line, access, 1, mask, width, base, store);
    feed_look_ups(line, n);
    return n;
}

/* Coalesces `texels` accesses of each lane together, access[0..texels), into `line`; an address of
 * 0 is none. `store` as above. @return the number of requests, which may be 0. */
unsigned feed_texels(uint64_t *line, const struct exec_access *access, unsigned texels,
                     uint32_t mask, unsigned width, uint64_t base, bool store) {
    unsigned n = search(line, access, texels, mask, width, base, store);
    feed_look_ups(line, n);
    return n;
}

/* @return no two active lanes whose numbers differ in just the bit `apart` have different
 * addresses. */
static bool pairs_agree(const uint64_t *address, uint32_t mask, unsigned apart) {
    uint64_t wrong = 0;
    for (unsigned i = 0; i < MIR_WARP_SIZE; i++)
        if (mask >> i & mask >> (i ^ apart) & 1) wrong |= address[i] ^ address[i ^ apart];
    return wrong == 0;
}

/* Counts bank conflicts: @return the cycles (passes) for which shared memory, or L1's data, serves
 * the access, at least 1. Groups of 32 lanes (8 bytes: 16, 16 bytes: 8) are served one after the
 * other; each takes as many passes as it has different words in its fullest bank. Lanes that read
 * or write one word share it. If in this way each lane of a load of 16 bytes has a partner, the one
 * beside it or the one behind that, a group is 16 lanes. */
unsigned feed_conflicts(const uint64_t *address, uint32_t mask, unsigned width,
                        enum feed_words kind) {
    bool atomic = kind == FEED_ATOMIC;
    unsigned group = width <= 4 ? 32 : 128 / width; /* lanes served together */
    unsigned words = width <= 4 ? 1 : width / 4, passes = 0;
    if (width == 16 && kind == FEED_READ &&
        (pairs_agree(address, mask, 1) || pairs_agree(address, mask, 2)))
        group = 16;
    for (unsigned first = 0; first < MIR_WARP_SIZE; first += group) {
        uint32_t word[32][4]; /* per bank: the first four different words; more are only counted */
        uint8_t count[32] = {0};
        unsigned most = 0;
        for (unsigned lane = first; lane < first + group; lane++) {
            if (!(mask >> lane & 1)) continue;
            for (unsigned k = 0; k < words; k++) {
                uint32_t w = (uint32_t)(address[lane] / 4 + k);
                unsigned bank = w % 32, i = 0;
                unsigned known = count[bank] < 4 ? count[bank] : 4;
                while (!atomic && i < known && word[bank][i] != w) i++;
                if (!atomic && i < known) continue; /* broadcast */
                if (!atomic && count[bank] >= 4) {
                    /* Rare: search the earlier lanes for the same word. */
                    bool seen = false;
                    for (unsigned p = first; p < lane && !seen; p++)
                        if (mask >> p & 1)
                            for (unsigned q = 0; q < words; q++)
                                seen |= (uint32_t)(address[p] / 4 + q) == w;
                    if (seen) continue;
                } else if (count[bank] < 4) {
                    word[bank][count[bank]] = w;
                }
                if (++count[bank] > most) most = count[bank];
            }
        }
        passes += most;
    }
    return passes ? passes : 1;
}
