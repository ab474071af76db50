/* code_cache.cpp - see code_cache.h. */
#include "reference/code_cache.h"

#include <algorithm>

namespace reference {

bool CodeCache::cached(unsigned line) const {
    const auto set = set_.find(line % sm_.config.params[CORE_PARAM_CODE_SETS]);
    return set != set_.end() &&
           std::find(set->second.begin(), set->second.end(), line) != set->second.end();
}

void CodeCache::insert(unsigned line) {
    std::deque<unsigned> &set = set_[line % sm_.config.params[CORE_PARAM_CODE_SETS]];
    if (set.size() == sm_.config.params[CORE_PARAM_CODE_WAYS]) set.pop_front();
    set.push_back(line);
}

void CodeCache::move(unsigned line, const Packet &packet, Cycle now) {
    const Params &p = sm_.config.params;
    const unsigned far = behind(line), prefetch = p[CORE_PARAM_CODE_PREFETCH];
    const bool inside = far <= prefetch;
    insert(line);
    if (!inside) {
        there_.clear();
        stream_ = (stream_ + 1) % STREAMS;
    }
    base_ = line;
    base_there_ = packet.start || there_.count(line) != 0;
    for (auto i = there_.begin(); i != there_.end();) /* lines in front of it have left */
        i = behind(i->first) - 1 < prefetch ? std::next(i) : there_.erase(i);
    sm_.hit(base_there_ ? Feature::CODE_AHEAD
            : inside    ? Feature::CODE_TOO_SOON
                        : Feature::CODE_MISS);
    const bool all = packet.start && packet.launched;
    for (unsigned n = 1; all && n <= prefetch; n++) there_[(line + n) & LINE_MASK] = true;
    const unsigned fresh = all ? 0 : inside ? far : prefetch;
    if (!base_there_) sm_.fetch_misses++;
    if (!base_there_ || fresh)
        asks.push_back(
            {now + p[CORE_PARAM_CODE_WAY], stream_, line, packet.launched, !base_there_, fresh});
}

bool CodeCache::look(const Packet &p, Cycle now) {
    const unsigned line = p.pc / 8;
    if (!base_there_) {
        if (line != base_ && cached(line)) {
            sm_.hit(Feature::CODE_HIT_UNDER_MISS);
            return true;
        }
        if (!p.start) sm_.hit(line == base_ ? Feature::CODE_JOIN : Feature::CODE_QUEUE);
        return p.start;
    }
    if (line == base_ || cached(line)) {
        sm_.hit(Feature::CODE_HIT);
        return true;
    }
    move(line, p, now);
    return base_there_;
}

bool CodeCache::take_answers(Cycle now) {
    bool base_comes = false;
    while (!coming_.empty() && coming_.begin()->first <= now) {
        for (const Answer &a : coming_.begin()->second) {
            const unsigned n = behind(a.line);
            if (a.stream != stream_) {
                sm_.hit(Feature::CODE_STALE);
            } else if (n == 0) {
                base_comes |= !base_there_;
                base_there_ = true;
            } else if (n <= sm_.config.params[CORE_PARAM_CODE_PREFETCH]) {
                there_[a.line] = true;
            }
        }
        coming_.erase(coming_.begin());
    }
    return base_comes;
}

} // namespace reference
