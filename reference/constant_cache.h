/* constant_cache.h - rule 14: a cache of constants, of a sub-core or of an SM. */
#ifndef REFERENCE_CONSTANT_CACHE_H
#define REFERENCE_CONSTANT_CACHE_H

#include <deque>
#include <vector>

#include "reference/sm_state.h"

namespace reference {

class ConstantCache {
  public:
    struct Shape {
        unsigned sets, ways;
        Cycle miss; /* look-up to line there */
        Feature hit, joins, misses, evicts, evicts_soon;
    };
    ConstantCache(SmState &sm, const Shape &shape) : sm_(sm), shape_(shape), set_(shape.sets) {}
    /* A line of a launch's constants is wanted.
     * @return the cycle from which it is there, `now` or before: it was */
    Cycle look(unsigned constants, unsigned line, Cycle now);

  private:
    struct Entry {
        unsigned constants, line;
        Cycle there;
    };
    SmState &sm_;
    const Shape shape_;
    std::vector<std::deque<Entry>> set_; /* the oldest first */
};

} // namespace reference

#endif
