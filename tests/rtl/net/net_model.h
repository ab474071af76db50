/* net_model.h - rule 9 of docs/timing-model.md written down once more, slice by slice, with plain
 * containers: what the bench of net_engine compares with. Requests are given as a whole; memory
 * answers by a function of the request, so that nothing depends on an order of work. */
#ifndef HEDDLE_TESTS_NET_MODEL_H
#define HEDDLE_TESTS_NET_MODEL_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

struct Config {
    uint32_t num_sm = 80, num_slices = 64, sets = 48, net_request = 70, net_reply = 70,
             l2_latency = 30, l2_miss = 20, l2_fill = 20, hash = 1, interleave = 1, lookahead = 128,
             atomic_time = 256, dram_spread = 300, flit_sectors = 1, flit_time = 256, fetch = 1,
             dirty_ways = 0;
};

struct Request {
    uint32_t at, emit, sm, warp, bar, kind, perform, slot, mshr, cached, sectors, full, lanes, addr;
};

struct Reply {
    uint32_t at, slice, sm, warp, bar, mshr, cached, sectors;
    auto key() const { return std::tie(at, slice, sm, warp, bar, mshr, cached, sectors); }
    bool operator<(const Reply &o) const { return key() < o.key(); }
    bool operator==(const Reply &o) const { return key() == o.key(); }
};

/* Perform, DramRead or DramWrite; `id` is left out: it names a place in the core. */
struct Event {
    uint32_t kind, at, sm, warp, slot, sectors, addr, full;
    auto key() const { return std::tie(kind, at, sm, warp, slot, sectors, addr, full); }
    bool operator<(const Event &o) const { return key() < o.key(); }
    bool operator==(const Event &o) const { return key() == o.key(); }
};

enum { kRead, kWrite, kAtomic };                      /* core_req */
enum { kPerform = 2, kDramRead = 4, kDramWrite = 5 }; /* core_ev */

/* When memory answers a read at `at`, given the answer before it of the same slice. */
inline uint32_t dram_answer(const Config &c, uint32_t slice, uint32_t line, uint32_t at,
                            uint32_t before) {
    uint32_t r = (slice * 2654435761u) ^ (line * 40503u) ^ (at * 2246822519u);
    r ^= r >> 15;
    return std::max(before, at + c.lookahead + (c.dram_spread ? r % c.dram_spread : 0));
}

class Model {
  public:
    std::vector<Reply> replies;
    std::vector<Event> events;
    uint64_t accesses = 0, hits = 0, reads = 0, writes = 0, hash = 0;
    /* how often the rules that are easy to miss were at work */
    uint64_t no_way = 0, merges = 0, splits = 0, evictions = 0, port_waits = 0,
             in_flight_writes = 0, more = 0, cleanings = 0;

    explicit Model(const Config &config) : c(config), slice(config.num_slices) {
        for (Slice &s : slice) s.set.resize(c.sets);
    }

    uint32_t slice_of(uint32_t line) const {
        line /= c.interleave;
        if (!c.hash) return line % c.num_slices;
        uint32_t twos = __builtin_ctz(c.num_slices), bits = std::max(twos, 4u), fold = 0;
        for (uint64_t left = line; left; left >>= bits) fold ^= left;
        fold &= (1u << twos) - 1;
        return (line >> twos) % (c.num_slices >> twos) << twos | fold;
    }

    void fill(uint32_t line, uint32_t count, uint32_t now) {
        for (; count; count--, line++) {
            uint32_t s = slice_of(line);
            Way *w = find(s, line, now);
            *w = {line, 15, 0, 15, 0};
        }
    }

    void flush(uint32_t now) {
        for (uint32_t s = 0; s < c.num_slices; s++)
            for (Set &set : slice[s].set) {
                for (Way &w : set.way)
                    if (w.dirty) leave(s, w, now);
                set = Set();
            }
    }

    void run(std::vector<Request> request) {
        std::stable_sort(request.begin(), request.end(), [](const Request &a, const Request &b) {
            return std::tie(a.at, a.sm) < std::tie(b.at, b.sm);
        });
        std::vector<std::deque<Request>> queue(c.num_slices);
        for (const Request &r : request) queue[slice_of(r.addr)].push_back(r);
        for (uint32_t s = 0; s < c.num_slices; s++) run_slice(s, queue[s]);
        std::sort(replies.begin(), replies.end());
        std::sort(events.begin(), events.end());
    }

  private:
    struct Way {
        uint32_t line = 0, valid = 0, dirty = 0, full = 0, flight = 0;
        bool used() const { return valid | flight; }
    };
    struct Set {
        Way way[16];
        unsigned pointer = 0;
    };
    struct Waiter {
        Request r;
        uint32_t need, answer;
    };
    struct Fill {
        uint32_t at, line, sectors;
    };
    struct Slice {
        std::vector<Set> set;
        std::deque<Fill> fills;
        std::deque<Waiter> waiting;
        uint64_t free = 0, port = 0; /* in 1/256 cycles */
        uint32_t last_fill = 0, last_taken = 0;
    };
    const Config c;
    std::vector<Slice> slice;

    static uint32_t count(uint32_t sectors) { return __builtin_popcount(sectors); }
    static uint32_t cycles(uint64_t parts) { return (uint32_t)((parts + 255) / 256); }
    uint64_t flits(uint32_t sectors) const {
        return std::max((count(sectors) + c.flit_sectors - 1) / c.flit_sectors, 1u) * c.flit_time;
    }

    Set &set_of(uint32_t s, uint32_t line) {
        uint32_t fold = 0;
        for (uint32_t left = line / c.interleave >> 6; left; left >>= 10) fold ^= left & 1023;
        return slice[s].set[fold % c.sets];
    }

    void leave(uint32_t s, const Way &w, uint32_t at) {
        events.push_back({kDramWrite, at, s, 0, 0, w.dirty, w.line, w.full & w.dirty});
        writes += count(w.dirty);
    }

    /* A line of the set is written: too many others are dirty, and the first of them leaves. */
    void clean(uint32_t s, Set &set, const Way *own, uint32_t at) {
        Way *first = nullptr;
        unsigned others = 0;
        for (unsigned i = 16; i-- > 0;) {
            Way &w = set.way[(set.pointer + i) % 16];
            if (&w == own || !w.dirty) continue;
            others++;
            if (!w.flight) first = &w;
        }
        if (!c.dirty_ways || others < c.dirty_ways || !first) return;
        leave(s, *first, at);
        first->dirty = 0;
        cleanings++;
    }

    /* The way of a line, taken if need be; NULL: all are in flight. */
    Way *find(uint32_t s, uint32_t line, uint32_t write_at) {
        Set &set = set_of(s, line);
        for (Way &w : set.way)
            if (w.used() && w.line == line) return &w;
        for (Way &w : set.way)
            if (!w.used()) return &(w = Way{line, 0, 0, 0, 0});
        for (unsigned i = 0; i < 16; i++) {
            unsigned n = (set.pointer + i) % 16;
            Way &w = set.way[n];
            if (w.flight) continue;
            if (w.dirty) leave(s, w, write_at), evictions++;
            set.pointer = (n + 1) % 16;
            return &(w = Way{line, 0, 0, 0, 0});
        }
        return nullptr;
    }

    void answer(uint32_t s, const Request &r, uint32_t at, uint32_t sectors, uint32_t bar) {
        uint64_t start = std::max((uint64_t)at * 256, slice[s].port);
        uint32_t leave_at = cycles(start);
        port_waits += leave_at != at;
        slice[s].port = start + flits(sectors);
        replies.push_back(
            {leave_at + c.net_reply, s, r.sm, r.warp, bar, r.mshr, r.cached, sectors});
    }

    void run_slice(uint32_t s, std::deque<Request> &queue) {
        Slice &sl = slice[s];
        bool stuck = false;
        while (!queue.empty() || !sl.fills.empty()) {
            uint64_t arrival = queue.empty() ? 0 : queue.front().at + c.net_request;
            uint64_t start = queue.empty() ? 0 : std::max(arrival * 256, sl.free);
            uint32_t service = cycles(start);
            bool request = !queue.empty() && !stuck;
            if (!sl.fills.empty() && (!request || sl.fills.front().at <= service)) {
                take_fill(s);
                if (stuck) sl.free = std::max(sl.free, (uint64_t)sl.last_taken * 256);
                stuck = false;
            } else if (serve(s, queue.front(), start)) {
                queue.pop_front();
            } else {
                stuck = true;
                no_way++;
            }
        }
    }

    void take_fill(uint32_t s);
    bool serve(uint32_t s, const Request &r, uint64_t start);
};

inline void Model::take_fill(uint32_t s) {
    Slice &sl = slice[s];
    Fill f = sl.fills.front();
    sl.fills.pop_front();
    sl.last_taken = f.at;
    for (Way &w : set_of(s, f.line).way)
        if (w.used() && w.line == f.line) {
            w.valid |= f.sectors;
            w.full |= f.sectors;
            w.flight &= ~f.sectors;
        }
    std::deque<Waiter> stay;
    for (Waiter &w : sl.waiting) {
        if (w.r.addr == f.line) w.need &= ~f.sectors;
        if (w.need)
            stay.push_back(w);
        else
            answer(s, w.r, f.at + c.l2_fill, w.answer, w.r.bar);
    }
    sl.waiting = stay;
}

inline bool Model::serve(uint32_t s, const Request &r, uint64_t start) {
    uint32_t service = cycles(start);
    Slice &sl = slice[s];
    uint64_t left = evictions;
    Way *w = find(s, r.addr, service + c.l2_miss);
    if (!w) return false;
    if (r.kind != kRead && left == evictions) clean(s, set_of(s, r.addr), w, service + c.l2_miss);
    uint32_t present = r.sectors & w->valid, missing = r.sectors & ~w->valid;
    uint32_t merged = missing & w->flight, asked = missing & ~w->flight;
    for (uint32_t piece = (1u << c.fetch) - 1; piece < 16; piece <<= c.fetch)
        if (missing & ~w->flight & piece) asked |= piece & ~w->valid & ~w->flight;
    more += r.kind != kWrite && asked & ~missing;
    uint64_t busy = flits(r.sectors);
    if (r.kind == kAtomic) busy = std::max(busy, (uint64_t)r.lanes * c.atomic_time);
    if (r.kind == kWrite) asked = merged = 0;
    merges += r.kind != kWrite && merged;
    splits += r.kind == kRead && present && missing;
    in_flight_writes += r.kind == kWrite && (r.sectors & w->flight);
    if (r.perform)
        events.push_back({kPerform, service, r.sm, r.warp, r.slot, r.sectors, r.addr, 0});
    if (asked) {
        uint32_t at = service + c.l2_miss;
        events.push_back({kDramRead, at, s, 0, 0, asked, r.addr, 0});
        sl.last_fill = dram_answer(c, s, r.addr, at, sl.last_fill);
        sl.fills.push_back({sl.last_fill, r.addr, asked});
        w->flight |= asked;
    }
    uint32_t done = service + cycles(busy) + c.l2_latency - 1;
    switch (r.kind) {
    case kRead:
        if (present) answer(s, r, done, present, missing && !r.cached ? 7 : r.bar);
        if (missing) sl.waiting.push_back({r, missing, missing});
        break;
    case kWrite:
        w->valid |= r.sectors;
        w->dirty |= r.sectors;
        w->full |= r.full & r.sectors;
        answer(s, r, service + c.l2_latency, 0, r.bar);
        break;
    default: {
        uint32_t sectors = r.bar == 6 ? 0 : r.sectors;
        w->dirty |= r.sectors;
        if (missing)
            sl.waiting.push_back({r, missing, sectors});
        else
            answer(s, r, done, sectors, r.bar);
    }
    }
    sl.free = start + busy;
    accesses += count(r.sectors);
    hits += count(r.kind == kWrite ? r.sectors : present | merged);
    reads += count(asked);
    uint64_t v = (uint64_t)service << 32 | r.addr;
    uint64_t m = s << 15 | r.kind << 13 | present << 9 | asked << 5 | merged << 1 | 1;
    hash += (v ^ v >> 29) * m;
    return true;
}

#endif
