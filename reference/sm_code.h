/* sm_code.h - rule 13: the instruction cache of an SM, which its sub-cores ask for lines. */
#ifndef REFERENCE_SM_CODE_H
#define REFERENCE_SM_CODE_H

#include <array>

#include "reference/sub_core.h"

namespace reference {

class SmCode {
  public:
    explicit SmCode(SmState &sm) : sm_(sm) {}

    struct Fetch {
        unsigned line, set, way;
    };
    /* One cycle: an ask, if one has come. Lines to be fetched from L2 are appended. */
    void cycle(Cycle now, SubCore *sub_core, std::vector<Fetch> &fetches);
    /* The first cycle after `now` in which an ask is taken. */
    Cycle next(Cycle now, const SubCore *sub_core) const;
    /* Sectors of a line that was fetched are visible at `now`. */
    void fill(unsigned set, unsigned way, unsigned sectors, Cycle now, SubCore *sub_core);

  private:
    static constexpr unsigned SETS = 64, WAYS = 16, FLIGHTS = 12, ALL = 0xf;
    struct Way {
        bool used = false;
        unsigned line = 0, come = 0; /* sectors */
    };
    struct Set {
        std::array<Way, WAYS> way;
        unsigned pointer = 0;
    };
    struct Waiting { /* a sub-core's lines on their way, of its newest stream */
        unsigned stream = 0;
        std::vector<unsigned> lines;
    };
    void look_up(const CodeAsk &ask, unsigned line, SubCore &s, Waiting &w, Cycle now,
                 std::vector<Fetch> &fetches);

    SmState &sm_;
    std::array<Set, SETS> set_;
    std::array<Waiting, SUB_CORES> waiting_;
    unsigned flights_ = 0; /* lines on their way */
    Cycle free_ = 0;
};

} // namespace reference

#endif
