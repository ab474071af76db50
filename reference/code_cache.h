/* code_cache.h - rule 13: the instruction cache of a sub-core, and its stream buffer. */
#ifndef REFERENCE_CODE_CACHE_H
#define REFERENCE_CODE_CACHE_H

#include <deque>
#include <map>
#include <optional>

#include "reference/sm_state.h"

namespace reference {

/* What a sub-core asks of the SM's cache: lines of its stream, at one time. */
struct CodeAsk {
    Cycle arrival;
    unsigned stream; /* counts streams */
    unsigned base;
    bool launched;  /* the SM's cache has the lines since the launch */
    bool demand;    /* the base itself, */
    unsigned fresh; /* and so many of the last lines behind it */
};

class CodeCache {
  public:
    explicit CodeCache(SmState &sm) : sm_(sm) {}
    bool exists() const { return sm_.config.params[CORE_PARAM_CODE_WAYS] != 0; }
    /* A warp that could issue wants a line, its first one or a later one. @return it is there */
    bool look(const Packet &p, Cycle now);
    /* A line of a stream comes at a time. */
    void answer(unsigned stream, unsigned line, Cycle at) { coming_[at].push_back({stream, line}); }
    /* What comes at `now`. @return the base is among it */
    bool take_answers(Cycle now);
    /* When the next one comes. */
    Cycle next_answer() const { return coming_.empty() ? NEVER : coming_.begin()->first; }

    Ring<CodeAsk> asks; /* on their way to the SM's cache */

  private:
    static constexpr unsigned LINE_MASK = (1u << 17) - 1; /* 20 bits of pc, 8 a line */
    struct Answer {
        unsigned stream, line;
    };
    unsigned behind(unsigned line) const { return (line - base_) & LINE_MASK; }
    bool cached(unsigned line) const;
    void insert(unsigned line);
    void move(unsigned line, const Packet &p, Cycle now);

    SmState &sm_;
    std::map<unsigned, std::deque<unsigned>> set_; /* lines, the oldest first */
    static constexpr unsigned STREAMS = 32;        /* they are counted modulo that */
    unsigned stream_ = 0;
    unsigned base_ = LINE_MASK - 8;
    bool base_there_ = true;
    std::map<unsigned, bool> there_; /* the lines behind the base that have come */
    std::map<Cycle, std::vector<Answer>> coming_;
};

} // namespace reference

#endif
