/* test_net_tags.cpp - rtl/l2/net_tags.sv against rule 9: which way a line has or takes, which of
 * its sectors are here, under way or asked for, what leaves, and who waits; FlushL2 sees the same
 * sets. */
#include <vector>

#include "Vnet_tags.h"
#include "net_bench.h"

enum { HERE = 3, ROWS = 256, FETCHES = 8 }; /* slices; ways that may wait for the other partition */

using Bench = ModuleBench<Vnet_tags>;

struct Way {
    uint32_t line = 0;
    unsigned valid = 0, dirty = 0, flight = 0, full = 0;
    bool copied = false, pinned = false;
    bool used() const { return valid || flight; }
};

struct Waiting {
    bool some = false;
    unsigned head = 0, tail = 0;
    uint32_t word() const { return some << 16 | head << 8 | tail; }
};

struct Set {
    Way way[WAYS];
    unsigned pointer = 0, fetches = 0;
    Waiting waiting;
};

struct Parameters {
    unsigned sets, lines, fetch, dirty_ways;
    bool two;
    unsigned pinned_ways;
    unsigned fills;      /* percent of messages that are sectors that come */
    unsigned interleave; /* log2 of lines */
};

struct Seen {
    unsigned hits = 0, no_way = 0, merged = 0, evicted = 0, cleaned = 0, too_many = 0, filled = 0,
             dropped = 0, copied = 0, flushed = 0, fetched = 0, pinned = 0, refused = 0, ended = 0,
             unpinned = 0;
};

struct Message {
    unsigned slice, kind, sectors, full, come, node;
    uint32_t line;
    Act act;
    bool copy, fill, home, copies, locked, unpins;
};

struct Test {
    Bench &b;
    Parameters p;
    Seen *seen;
    std::vector<uint32_t> pool;
    Set rows[ROWS];

    Set &set_of(unsigned slice, uint32_t line) {
        uint32_t fold = 0;
        for (uint32_t left = line >> 6 >> p.interleave; left; left >>= 10) fold ^= left & 1023;
        return rows[slice * p.sets + fold % p.sets];
    }

    bool is_home(uint32_t line) const { return !p.two || line & 1; }

    /* The line's way, the one that it takes, or none. */
    int way_of(const Set &set, uint32_t line, bool takes, bool *hit) {
        *hit = true;
        for (int w = 0; w < WAYS; w++)
            if (set.way[w].used() && set.way[w].line == line) return w;
        *hit = false;
        if (!takes) return -1;
        for (int w = 0; w < WAYS; w++)
            if (!set.way[w].used()) return w;
        for (int i = 0; i < WAYS; i++)
            if (const int w = (int)(set.pointer + (unsigned)i) % WAYS;
                !set.way[w].flight && !set.way[w].pinned)
                return w;
        return -1;
    }

    /* A way that becomes clean because too many of the others are dirty. */
    int cleaned(const Set &set, int own) {
        int first = -1;
        unsigned dirty = 0;
        for (int i = WAYS; i-- > 0;) {
            const int w = (int)(set.pointer + (unsigned)i) % WAYS;
            if (w == own || !set.way[w].dirty) continue;
            dirty++;
            if (!set.way[w].flight && !set.way[w].pinned) first = w;
        }
        return p.dirty_ways && dirty >= p.dirty_ways ? first : -1;
    }

    unsigned pieces(unsigned sectors) const {
        const unsigned size = 1u << p.fetch;
        unsigned all = 0;
        for (unsigned piece = (1u << size) - 1; piece < 16; piece <<= size)
            if (sectors & piece) all |= piece;
        return all;
    }

    void ports(const Message &m) {
        b.v.act_i = m.act;
        b.v.copy_i = m.copy;
        b.v.fill_i = m.fill;
        b.v.slice_i = (uint8_t)m.slice;
        b.v.line_i = m.line;
        b.v.kind_i = (uint8_t)m.kind;
        b.v.sectors_i = (uint8_t)m.sectors;
        b.v.full_i = (uint8_t)m.full;
        b.v.come_i = (uint8_t)m.come;
        b.v.home_i = m.home;
        b.v.copies_i = m.copies;
        b.v.node_i = (uint8_t)m.node;
        b.v.locked_i = m.locked;
        b.v.unpins_i = m.unpins;
    }

    /* What a service does to the pin of its way, which may be another line's. */
    unsigned pin(const Message &m, const Set &set, const Way &old) const {
        unsigned pinned = 0;
        for (const Way &w : set.way) pinned += w.pinned;
        if (m.copy) return CORE_PIN_NONE;
        if (m.unpins && old.pinned) return CORE_PIN_ENDS;
        if (!m.locked || old.pinned) return CORE_PIN_NONE;
        return pinned < p.pinned_ways ? CORE_PIN_BEGINS : CORE_PIN_REFUSED;
    }

    void leaves(const Way *w) {
        b.expect("a line leaves", b.v.leaves_o, w != nullptr);
        if (!w) return;
        b.expect("line that leaves", b.v.out_line_o, w->line);
        b.expect("its sectors", b.v.out_dirty_o, w->dirty);
        b.expect("full of these", b.v.out_full_o, w->full & w->dirty);
    }

    /* Looked at in each clock up to the commit. @return whether there may be one */
    bool serve(const Message &m, bool commit) {
        Set &set = set_of(m.slice, m.line);
        bool hit;
        const int own = way_of(set, m.line, true, &hit);
        b.expect("hit", b.v.hit_o, hit);
        b.expect("no way", b.v.no_way_o, own < 0);
        if (own < 0) return seen->no_way++, false;
        const Way old = hit ? set.way[own] : Way{};
        Way &way = set.way[own];
        const bool write = m.kind == CORE_REQ_WRITE, read = m.kind == CORE_REQ_READ;
        const bool evicts = !hit && way.dirty;
        const int clean = m.copy || read || evicts ? -1 : cleaned(set, own);
        leaves(evicts ? &way : clean >= 0 ? &set.way[clean] : nullptr);
        const unsigned missing = m.sectors & ~old.valid;
        unsigned asked = write ? 0 : missing & ~old.flight;
        if (m.home) asked = pieces(asked) & ~old.valid & ~old.flight;
        const bool fetch = !m.copy && !m.home && asked && !old.flight;
        const bool waits = !m.copy && !write && missing;
        b.expect("copied", b.v.copied_o, old.copied);
        b.expect("waits", b.v.waits_o, waits);
        b.expect("too many", b.v.too_many_o, fetch && set.fetches == FETCHES);
        const unsigned pins = pin(m, set, old);
        b.expect("pin", b.v.pin_o, pins);
        if (!m.copy) {
            b.expect("present", b.v.present_o, m.sectors & old.valid);
            b.expect("missing", b.v.missing_o, missing);
            b.expect("merged", b.v.merged_o, write ? 0 : missing & old.flight);
            b.expect("asked", b.v.asked_o, asked);
        }
        if (fetch && set.fetches == FETCHES) return seen->too_many++, false;
        if (!commit) return true;
        seen->hits += hit;
        seen->merged += !write && (missing & old.flight);
        seen->evicted += evicts;
        seen->cleaned += clean >= 0;
        seen->copied += old.copied && !read;
        if (clean >= 0) set.way[clean].dirty = 0;
        bool full = !hit;
        for (const Way &w : set.way) full = full && w.used();
        if (full) set.pointer = ((unsigned)own + 1) % WAYS;
        way = old;
        way.line = m.line;
        if (m.copy) {
            way.valid = way.full = 15;
            way.dirty = 0;
            way.copied = false;
            return true;
        }
        if (pins == CORE_PIN_BEGINS || pins == CORE_PIN_ENDS) way.pinned = pins == CORE_PIN_BEGINS;
        seen->pinned += pins == CORE_PIN_BEGINS;
        seen->refused += pins == CORE_PIN_REFUSED;
        seen->ended += pins == CORE_PIN_ENDS;
        way.flight |= asked;
        way.copied = m.copies || (old.copied && read);
        if (!read) way.dirty |= m.sectors;
        if (write) {
            way.valid |= m.sectors;
            way.full |= m.full & m.sectors;
        }
        set.fetches += fetch;
        if (waits) {
            if (!set.waiting.some) set.waiting.head = m.node;
            set.waiting.some = true;
            set.waiting.tail = m.node;
        }
        return true;
    }

    void waiting(const Set &set) {
        b.expect("somebody waits", b.v.waiting_o >> 16, set.waiting.some);
        if (set.waiting.some) b.expect("who waits", b.v.waiting_o, set.waiting.word());
    }

    /* Sectors have come, or the copy of a line goes. */
    void comes(const Message &m) {
        Set &set = set_of(m.slice, m.line);
        bool hit;
        const int own = way_of(set, m.line, false, &hit);
        if (m.act == ActFill) {
            Way &way = set.way[own];
            way.valid |= m.come;
            way.full |= m.come;
            way.flight &= ~m.come;
            set.fetches -= !m.fill && !way.flight;
            seen->fetched += !m.fill && !way.flight;
            seen->filled++;
        } else if (hit) {
            const Way old = set.way[own];
            set.way[own] = Way{old.line, 0, 0, old.flight, 0, false, false};
            seen->dropped++;
        }
    }

    /* Those that go on waiting. */
    void walked(Set &set) {
        set.waiting = {b.chance(60), b.pick(NODES), b.pick(NODES)};
        b.v.walked_i = 1;
        b.v.stay_i = set.waiting.word();
    }

    void tick(bool message) {
        b.tick();
        b.v.commit_i = b.v.walked_i = b.v.done_i = 0;
        if (PIPELINED || !message) b.v.look_i = 0;
    }

    void message(const Message &m) {
        Set &set = set_of(m.slice, m.line);
        ports(m);
        b.v.runs_i = b.v.look_i = 1;
        b.settle();
        for (unsigned clock = 0; clock < PIPELINED * 8; clock++) {
            b.expect("found", b.v.found_o, 0);
            tick(true);
        }
        b.expect("found", b.v.found_o, 1);
        const bool commits = m.act == ActServe || m.act == ActFill || m.act == ActDrop;
        bool may = commits, hit;
        unsigned walk = 0;
        for (unsigned left = b.pick(3);; left--) {
            b.expect("found", b.v.found_o, 1);
            bool commit = !left && commits && b.chance(95);
            if (m.act == ActServe) {
                may = serve(m, commit);
                commit = commit && may;
            } else if (commits) {
                way_of(set, m.line, false, &hit);
                b.expect("hit", b.v.hit_o, hit);
            }
            if (m.act == ActFill) {
                waiting(set);
                commit = !left;
            }
            b.v.commit_i = commit;
            if (commit && m.act != ActServe) comes(m);
            if (commit && m.act == ActFill && !(walk = b.pick(4))) walked(set);
            b.v.done_i = !left && !walk;
            b.settle();
            tick(left || walk);
            if (!left) break;
        }
        for (; walk > 0; walk--) {
            b.expect("found", b.v.found_o, 1);
            if (walk == 1) walked(set);
            b.v.done_i = walk == 1;
            b.settle();
            tick(walk > 1);
        }
        b.settle();
        b.expect("found", b.v.found_o, 0);
        tick(false);
        b.v.runs_i = 0;
    }

    Message random_message() {
        Message m = {};
        m.slice = b.pick(HERE);
        m.line = pool[b.pick((uint32_t)pool.size())];
        m.home = is_home(m.line);
        m.kind = m.home ? b.pick(3) : (unsigned)CORE_REQ_READ;
        m.sectors = 1 + b.pick(15);
        m.full = b.pick(16);
        m.come = b.pick(16);
        m.node = b.pick(NODES);
        m.copies = p.two && m.home && m.kind == CORE_REQ_READ && b.chance(30);
        if (b.chance(p.fills)) { /* any sectors that are under way */
            Set &set = set_of(m.slice, m.line);
            const Way &way = set.way[b.pick(WAYS)];
            if (way.flight) {
                m.act = ActFill;
                m.line = way.line;
                m.home = m.fill = is_home(m.line);
                m.come = way.flight & (1 + b.pick(15));
                if (!m.come) m.come = way.flight;
                return m;
            }
        }
        const unsigned x = b.pick(100);
        m.act = x < 90 ? ActServe : x < 93 && p.two ? ActDrop : x < 96 ? ActPass : ActWritten;
        if (m.act == ActDrop && m.home) m.act = ActServe; /* copies go, at the mirror */
        m.copy = m.act == ActServe && m.home && b.chance(3);
        m.copies = m.copies && !m.copy;
        m.locked = m.home && m.kind == CORE_REQ_WRITE && b.chance(30);
        m.unpins = m.home && !m.locked && b.chance(10);
        return m;
    }

    /* Of a set: all that it has, or only its pins. */
    void clear(unsigned row, bool unpin) {
        b.v.flush_clear_i = !unpin;
        b.v.flush_unpin_i = 1;
        for (Way &w : rows[row].way) {
            seen->unpinned += unpin && w.pinned;
            w.pinned = false;
        }
        b.tick();
        b.v.flush_clear_i = b.v.flush_unpin_i = b.v.flush_read_i = 0;
        if (!unpin) rows[row] = Set();
    }

    void flush(unsigned row) {
        b.v.flush_row_i = (uint8_t)row;
        b.v.flush_read_i = 1;
        b.settle();
        if (PIPELINED) {
            b.tick();
            b.v.flush_read_i = 0;
            b.tick();
        }
        unsigned dirty = 0;
        for (unsigned w = 0; w < WAYS; w++) dirty |= (rows[row].way[w].dirty != 0) << w;
        b.expect("dirty ways", b.v.flush_dirty_o, dirty);
        for (unsigned w = 0; w < WAYS; w++) {
            if (!(dirty >> w & 1)) continue;
            b.v.flush_pick_i = 1;
            b.v.flush_way_i = (uint8_t)w;
            b.settle();
            if (PIPELINED) {
                b.tick();
                b.v.flush_pick_i = 0;
            }
            const Way &way = rows[row].way[w];
            b.expect("line", b.v.out_line_o, way.line);
            b.expect("dirty", b.v.out_dirty_o, way.dirty);
            b.expect("full", b.v.out_full_o, way.dirty & way.full);
            if (!PIPELINED) b.tick();
        }
        b.v.flush_pick_i = 0;
        clear(row, b.chance(30));
        seen->flushed += dirty != 0;
    }

    void run() {
        for (unsigned i = 0; i < p.lines; i++) pool.push_back((uint32_t)b.bits(32));
        b.v.sets_i = (uint16_t)p.sets;
        b.v.set_inv_i = reciprocal(SET_INV, p.sets);
        b.v.interleave_i = (uint8_t)p.interleave;
        b.v.fetch_i = (uint8_t)p.fetch;
        b.v.dirty_ways_i = (uint8_t)p.dirty_ways;
        b.v.pinned_ways_i = (uint8_t)p.pinned_ways;
        for (unsigned row = 0; row < ROWS; row++) { /* whatever is in it */
            b.v.flush_row_i = (uint8_t)row;
            b.v.flush_clear_i = b.v.flush_unpin_i = 1;
            b.tick();
        }
        b.v.flush_clear_i = b.v.flush_unpin_i = 0;
        for (int i = 0; i < 8000; i++) {
            if (b.pick(500) == 0)
                flush(b.pick(HERE * p.sets));
            else
                message(random_message());
        }
        for (unsigned row = 0; row < HERE * p.sets; row++) flush(row);
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    const Parameters all[] = {{1, 40, 0, 0, false, 8, 10, 0},   {2, 80, 1, 3, false, 15, 40, 1},
                              {3, 100, 2, 15, true, 3, 10, 2},  {1, 40, 0, 5, true, 7, 25, 0},
                              {85, 2000, 1, 1, true, 1, 30, 2}, {7, 150, 0, 8, false, 0, 50, 0}};
    for (const Parameters &p : all) {
        Bench b(seed++);
        Test t{b, p, &seen, {}, {}};
        t.run();
    }
    if (!all_reached({seen.hits, seen.no_way, seen.merged, seen.evicted, seen.cleaned,
                      seen.too_many, seen.filled, seen.dropped, seen.copied, seen.flushed,
                      seen.fetched, seen.pinned, seen.refused, seen.ended, seen.unpinned},
                     30))
        return 1;
    printf("net_tags: passed\n");
    return 0;
}
