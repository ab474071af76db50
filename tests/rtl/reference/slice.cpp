/* slice.cpp - see slice.h. */
#include "tests/rtl/reference/slice.h"

#include <algorithm>

namespace reference {

/* ------------------------------------------------------------------------ slice and set */

unsigned slice_of(std::uint32_t line, const Params &params) {
    const unsigned slices = params[CORE_PARAM_NUM_SLICES];
    if (params[CORE_PARAM_HASH] == 0) return line % slices;
    unsigned width = 4, folded = 0;
    while ((slices - 1) >> width) width++;
    for (std::uint32_t left = line; left; left >>= width) folded ^= left & ((1u << width) - 1);
    return folded % slices;
}

static unsigned set_number(std::uint32_t line, const Params &params) {
    unsigned folded = 0;
    for (std::uint32_t left = line >> 6; left; left >>= 10) folded ^= left & 0x3ff;
    return folded % params[CORE_PARAM_L2_SETS];
}

Slice::Slice(unsigned number, const Config &config, Coverage &coverage)
    : number_(number), config_(config), coverage_(coverage),
      set_(config.params[CORE_PARAM_L2_SETS]) {}

Slice::Set &Slice::set_of(std::uint32_t line) {
    return set_[set_number(line, config_.params)];
}

Slice::Way *Slice::find(std::uint32_t line) {
    for (Way &w : set_of(line).way)
        if (!w.empty() && w.line == line) return &w;
    return nullptr;
}

/* @return a way for a line that no way holds; NULL: all have sectors in flight */
Slice::Way *Slice::allocate(std::uint32_t line, Cycle now) {
    Set &set = set_of(line);
    for (Way &w : set.way)
        if (w.empty()) {
            w = Way();
            w.line = line;
            return &w;
        }
    for (unsigned i = 0; i < WAYS; i++) {
        const unsigned n = (set.pointer + i) % WAYS;
        Way &w = set.way[n];
        if (w.flight) {
            coverage_.hit(Feature::L2_SKIP_FLIGHT);
            continue;
        }
        set.pointer = (n + 1) % WAYS;
        if (w.dirty) {
            emit(CORE_EV_DRAM_WRITE, now + config_.params[CORE_PARAM_L2_MISS], 0, w.line, w.dirty,
                 w.dirty & w.full);
            dram_writes += count_bits(w.dirty);
        }
        coverage_.hit(w.dirty ? Feature::L2_EVICT_DIRTY : Feature::L2_EVICT_CLEAN);
        w = Way();
        w.line = line;
        return &w;
    }
    coverage_.hit(Feature::L2_ALL_FLIGHT);
    return nullptr;
}

void Slice::emit(core_ev kind, Cycle at, unsigned id, std::uint32_t line, unsigned sectors,
                 unsigned full) {
    events.push_back({(std::uint32_t)at, kind, number_, 0, 0, sectors, id, line, full});
}

/* ------------------------------------------------------------------------ order */

void Slice::request(const Request &r, Cycle arrival) {
    auto next = queue_.lower_bound({arrival, 0});
    if (next != queue_.end() && next->first.first == arrival) coverage_.hit(Feature::SLICE_TIE);
    if (!queue_.insert({{arrival, r.sm}, r}).second)
        throw std::logic_error("reference: two requests of an SM at one time");
}

void Slice::dram_reply(unsigned id, Cycle at) {
    if (!reads_.count(id)) throw std::logic_error("reference: DramReply to no DramRead");
    from_memory_.insert({at, id});
}

void Slice::cycle(Cycle now, std::vector<Reply> &replies) {
    while (!from_memory_.empty() && from_memory_.begin()->first <= now) {
        take_memory(from_memory_.begin()->second, now, replies);
        from_memory_.erase(from_memory_.begin());
    }
    if (queue_.empty() || queue_.begin()->first.first > now) return;
    if (now < free_) {
        coverage_.hit(Feature::SLICE_WAIT);
        return;
    }
    if (serve(queue_.begin()->second, now, replies)) queue_.erase(queue_.begin());
}

/* ------------------------------------------------------------------------ service */

/* @return false: the slice waits for a way */
bool Slice::serve(const Request &r, Cycle now, std::vector<Reply> &replies) {
    const Params &params = config_.params;
    const unsigned sectors = r.line.sectors;
    Way *way = find(r.line.addr);
    if (!way) way = allocate(r.line.addr, now);
    if (!way) return false;
    const unsigned present = sectors & way->valid, missing = sectors & ~way->valid;
    const unsigned merged = missing & way->flight, fresh = missing & ~way->flight;
    unsigned occupied = count_bits(sectors);
    if (r.kind == CORE_REQ_ATOMIC)
        occupied = std::max(occupied, r.line.lanes * params[CORE_PARAM_ATOMIC_INTERVAL]);
    free_ = now + occupied;
    if (r.perform) {
        events.push_back({(std::uint32_t)now, CORE_EV_PERFORM, r.sm, r.warp, r.slot, sectors, 0,
                          r.line.addr, 0});
        coverage_.hit(Feature::PERFORM_L2);
    }

    const bool write = r.kind == CORE_REQ_WRITE;
    const std::uint64_t v = (std::uint64_t)(std::uint32_t)now << 32 | r.line.addr;
    const std::uint64_t m = (std::uint64_t)number_ << 15 | r.kind << 13 | present << 9 |
                            (write ? 0 : fresh << 5 | merged << 1) | 1;
    hash += (v ^ v >> 29) * m;
    accesses += count_bits(sectors);
    hits += write ? count_bits(sectors) : count_bits(present);

    if (write) {
        if (present) coverage_.hit(Feature::L2_WRITE_HIT);
        if (sectors & way->flight) coverage_.hit(Feature::L2_WRITE_FLIGHT);
        way->valid |= sectors;
        way->dirty |= sectors;
        way->full |= r.line.full;
        answer(r, r.bar, 0, now + params[CORE_PARAM_L2_LATENCY], replies);
        return true;
    }

    if (!missing) coverage_.hit(Feature::L2_HIT);
    if (merged) coverage_.hit(Feature::L2_MERGE);
    if (fresh) read_memory(*way, fresh, now);
    const bool atomic = r.kind == CORE_REQ_ATOMIC;
    const Cycle hit = now + occupied + params[CORE_PARAM_L2_LATENCY] - 1;
    if (atomic) {
        way->dirty |= sectors;
        if (missing) coverage_.hit(Feature::L2_ATOMIC_MISS);
        const unsigned result = r.bar == STORES ? 0 : sectors;
        if (missing)
            waiting_[r.line.addr].push_back({r, missing, result});
        else
            answer(r, r.bar, result, hit, replies);
        return true;
    }
    if (missing) waiting_[r.line.addr].push_back({r, missing, missing});
    if (present && missing) coverage_.hit(Feature::L2_TWO_REPLIES);
    if (present) answer(r, missing ? (unsigned)NO_BAR : r.bar, present, hit, replies);
    return true;
}

void Slice::read_memory(Way &way, unsigned sectors, Cycle now) {
    if (reads_.size() > 0xffff) throw std::logic_error("reference: too many DramReads in flight");
    while (reads_.count(next_id_ & 0xffff)) next_id_++;
    const unsigned id = next_id_++ & 0xffff;
    reads_[id] = {way.line, sectors};
    way.flight |= sectors;
    emit(CORE_EV_DRAM_READ, now + config_.params[CORE_PARAM_L2_MISS], id, way.line, sectors, 0);
    dram_reads += count_bits(sectors);
    coverage_.hit(Feature::L2_MISS);
}

void Slice::take_memory(unsigned id, Cycle now, std::vector<Reply> &replies) {
    const Read read = reads_.at(id);
    reads_.erase(id);
    Way &way = *find(read.line);
    way.valid |= read.sectors;
    way.full |= read.sectors;
    way.flight &= ~read.sectors;
    std::deque<Waiting> &list = waiting_[read.line];
    for (Waiting &w : list) {
        if (!(w.missing & read.sectors)) continue;
        w.missing &= ~read.sectors;
        if (!w.missing)
            answer(w.request, w.request.bar, w.sectors, now + config_.params[CORE_PARAM_L2_FILL],
                   replies);
    }
    list.erase(
        std::remove_if(list.begin(), list.end(), [](const Waiting &w) { return w.missing == 0; }),
        list.end());
    if (list.empty()) waiting_.erase(read.line);
}

void Slice::answer(const Request &r, unsigned bar, unsigned sectors, Cycle wanted,
                   std::vector<Reply> &replies) {
    const Cycle leave = std::max(wanted, port_free_);
    if (leave > wanted) coverage_.hit(Feature::SLICE_PORT_WAIT);
    port_free_ = leave + std::max(count_bits(sectors), 1u);
    replies.push_back({leave + config_.params[CORE_PARAM_NET_REPLY], number_, r.sm, r.warp, bar,
                       r.mshr, r.cached, r.line.addr, sectors});
}

/* ------------------------------------------------------------------------ flush and fill */

void Slice::flush(Cycle now) {
    if (!idle()) throw std::logic_error("reference: FlushL2 with requests in flight");
    for (Set &set : set_) {
        for (Way &w : set.way)
            if (w.dirty) {
                emit(CORE_EV_DRAM_WRITE, now, 0, w.line, w.dirty, w.dirty & w.full);
                dram_writes += count_bits(w.dirty);
            }
        set = Set();
    }
}

void Slice::fill(std::uint32_t line, Cycle now) {
    Way *way = find(line);
    const Cycle miss = config_.params[CORE_PARAM_L2_MISS];
    if (!way) way = allocate(line, now - miss); /* an eviction is reported at `now` */
    if (!way) throw std::logic_error("reference: FillL2 with reads in flight");
    way->valid = way->full = 0xf;
    way->dirty = 0;
}

} // namespace reference
