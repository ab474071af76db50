/* outside.h - memory outside the GPU (docs/timing-model.md, rule 9): how a bench answers
 * for it.
 *
 * When an answer comes follows from the stream and from the content of the request alone. */
#ifndef REFERENCE_OUTSIDE_H
#define REFERENCE_OUTSIDE_H

#include <map>
#include <tuple>

#include "tests/rtl/reference/partner.h"

namespace reference {

/* Answers for the memory outside. */
class OutsideHost : Partner {
  public:
    using Partner::Partner;

    /* An event Request, with its time. */
    void request(const Event &e, Cycle at);
    /* Gives the core the answers that arrive before a time. */
    void give(Cycle before);
    bool done() const { return pending_.empty(); }

  private:
    using Key = std::tuple<Cycle, unsigned, unsigned, std::uint32_t, unsigned, unsigned>;

    std::map<Key, Event> pending_; /* by arrival, then by content; equal ones in order of sending */
    Cycle last_ = 0;               /* arrival of the answer before, and its number of a slice */
    unsigned number_ = 0;
};

} // namespace reference

#endif
