/* partner.h - what a bench plays beside the host: a part that gives the core words of its own, and
 * follows from the stream. */
#ifndef REFERENCE_PARTNER_H
#define REFERENCE_PARTNER_H

#include <algorithm>

#include "reference/core_under_test.h"
#include "reference/params.h"
#include "tests/rtl/reference/stream.h"

namespace reference {

/* Their parts of every other random stream: customers, while nothing else of the stream changes;
 * and a part of its lines moved out of the GPU, with the sets that they have in L1. */
void add_customers(Stream &stream);
void add_outside(Stream &stream);

class Partner {
  public:
    /* Borrows both. */
    Partner(CoreUnderTest &core, const Stream &stream) : stream_(stream), core_(core) {
        for (auto &p : stream.params) params_.set(p.first, p.second);
    }

  protected:
    /* Gives the core a word `remote`. */
    void give_word(const std::uint64_t word[2]) {
        std::uint64_t beat[8] = {};
        core_command_set_kind(beat, CORE_CMD_REMOTE);
        core_command_set_words(beat, 1);
        std::copy(word, word + 2, beat + 2);
        core_.command(beat);
    }

    const Stream &stream_;
    Params params_;

  private:
    CoreUnderTest &core_;
};

} // namespace reference

#endif
