/* code_cache.cpp - see code_cache.h. */
#include "tests/rtl/reference/code_cache.h"

#include <algorithm>

namespace reference {

Cycle CodeCache::fetch(unsigned line, bool first, Cycle from) {
    const Params &p = sm_.config.params;
    std::deque<unsigned> &set = set_[line % p[CORE_PARAM_CODE_SETS]];
    if (free_ > from) sm_.hit(Feature::CODE_QUEUE);
    const Cycle begin = std::max(from, free_);
    if (std::find(set.begin(), set.end(), line) != set.end()) {
        sm_.hit(Feature::CODE_HIT);
        return begin;
    }
    const bool ahead = first || ((line - next_) & LINE_MASK) < p[CORE_PARAM_CODE_PREFETCH];
    sm_.hit(ahead ? Feature::CODE_AHEAD : Feature::CODE_MISS);
    if (set.size() == p[CORE_PARAM_CODE_WAYS]) set.pop_front();
    set.push_back(line);
    next_ = line + 1;
    if (!ahead) free_ = begin + p[CORE_PARAM_CODE_LATENCY];
    return ahead ? begin : free_;
}

} // namespace reference
