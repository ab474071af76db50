/* constant_cache.cpp - see constant_cache.h. */
#include "reference/constant_cache.h"

namespace reference {

Cycle ConstantCache::look(unsigned constants, unsigned line, Cycle now) {
    std::deque<Entry> &set = set_[line % shape_.sets];
    for (const Entry &e : set) {
        if (e.line != line || e.constants != constants) continue;
        sm_.hit(e.there <= now ? shape_.hit : shape_.joins);
        return e.there;
    }
    if (set.size() == shape_.ways) {
        sm_.hit(set.front().there > now ? shape_.evicts_soon : shape_.evicts);
        set.pop_front();
    }
    sm_.hit(shape_.misses);
    set.push_back({constants, line, now + shape_.miss});
    return set.back().there;
}

} // namespace reference
