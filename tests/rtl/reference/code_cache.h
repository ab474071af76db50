/* code_cache.h - rule 13: the instruction cache of a sub-core and its stream buffer. */
#ifndef REFERENCE_CODE_CACHE_H
#define REFERENCE_CODE_CACHE_H

#include <deque>
#include <map>

#include "tests/rtl/reference/sm_state.h"

namespace reference {

class CodeCache {
  public:
    explicit CodeCache(SmState &sm) : sm_(sm) {}
    bool exists() const { return sm_.config.params[CORE_PARAM_CODE_WAYS] != 0; }
    /* A warp wants a line, its first one or a later one, from a cycle on. @return when it comes */
    Cycle fetch(unsigned line, bool first, Cycle from);

  private:
    SmState &sm_;
    std::map<unsigned, std::deque<unsigned>> set_;        /* lines, the oldest first */
    static constexpr unsigned LINE_MASK = (1u << 17) - 1; /* 20 bits of pc, 8 a line */
    unsigned next_ = 0;                                   /* line behind the last one fetched */
    Cycle free_ = 0;                                      /* a line is being fetched until then */
};

} // namespace reference

#endif
