/* l1_sizes.cpp - see l1_sizes.h. */
#include "tests/rtl/reference/l1_sizes.h"

#include <map>

namespace reference {

/* The value of a parameter of the stream. */
static unsigned parameter(const Stream &stream, unsigned number, unsigned initial) {
    unsigned value = initial;
    for (const auto &p : stream.params)
        if (p.first == number) value = p.second;
    return value;
}

void add_l1_sizes(Stream &stream) {
    Random r(stream.seed ^ 0x6c315f73697au);
    const unsigned num_sm = parameter(stream, CORE_PARAM_NUM_SM, 1);
    const unsigned sets = parameter(stream, CORE_PARAM_L1_SETS, 128);
    const auto size = [&r, sets] {
        return r.chance(40) ? 0 : r.between(sets, (r.chance(50) ? 2 : 8) * sets);
    };
    for (Phase &p : stream.phases) {
        for (unsigned sm = 0; sm < num_sm; sm++) p.l1_lines.push_back(size());
        std::map<unsigned, unsigned> lanes; /* of each SM */
        for (const CtaProgram &c : p.ctas) lanes[c.sm] += c.after < 0;
        for (CtaProgram &c : p.ctas)
            if (c.after >= 0 && lanes[c.sm] == 1 && r.chance(60)) c.l1_lines = (int)size();
    }
}

} // namespace reference
