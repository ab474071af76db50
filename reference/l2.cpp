/* l2.cpp - see l2.h. */
#include "reference/l2.h"

#include <algorithm>

namespace reference {

L2::L2(const Config &config, Coverage &coverage, std::vector<Event> &events)
    : config_(config), coverage_(coverage), events_(events) {
    for (unsigned i = 0; i < config.params[CORE_PARAM_NUM_SLICES]; i++)
        slices_.push_back(std::make_unique<Slice>(i, config, coverage, events));
}

Slice &L2::slice(unsigned number) {
    if (number >= slices_.size()) throw std::logic_error("reference: a command names no slice");
    return *slices_[number];
}

void L2::dram_reply(const std::uint64_t *beat, Cycle at) {
    Slice &s = slice(core_command_sm(beat));
    if (core_command_value(beat) & 1)
        s.dram_written(at);
    else
        s.dram_reply(core_command_id(beat), at);
}

void L2::flush(Cycle now) {
    for (auto &s : slices_) s->flush(now);
}

void L2::unpin() {
    for (auto &s : slices_) s->unpin();
}

void L2::fill(std::uint32_t line, std::uint32_t count, Cycle now) {
    for (; count; count--, line++) {
        const unsigned home = slice_of(line, config_.params);
        if (slice(home).copied(line)) slice(mirror_of(home, config_.params)).drop(line);
        slice(home).fill(line, now);
    }
}

void L2::request(const Request &r) {
    if (r.sm < FIRST_CUSTOMER && config_.params.outside(r.line.addr)) {
        coverage_.hit(Feature::OUTSIDE);
        events_.push_back(request_event(r));
        return;
    }
    slice(entry_of(r.line.addr, r.sm, config_.params))
        .request(r, r.at + config_.params[CORE_PARAM_NET_REQUEST]);
}

/* What slices say to each other arrives cycles later: their order does not matter. */
void L2::cycle(Cycle now, std::vector<Reply> &replies) {
    for (auto &s : slices_)
        if (s->wake <= now) s->cycle(now, replies, crossings_);
    for (const Crossing &c : crossings_) slice(c.to).crossing(c);
    crossings_.clear();
}

Cycle L2::next() const {
    Cycle at = NEVER;
    for (auto &s : slices_) at = std::min(at, s->wake);
    return at;
}

void L2::count(Counters &c) const {
    for (auto &s : slices_) {
        c.l2_accesses += s->accesses;
        c.l2_hits += s->hits;
        c.dram_reads += s->dram_reads;
        c.dram_writes += s->dram_writes;
        c.slice_hash += s->hash;
    }
}

} // namespace reference
