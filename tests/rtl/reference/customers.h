/* customers.h - customers of L2 that are no SMs (docs/timing-model.md, rule 9): how a bench
 * plays them.
 *
 * A customer sends its accesses in order, each so many cycles after the one before; or, where the
 * stream says so, after the answers to all before it. What they do follows from the stream and from
 * the content of events alone, as with all else that a bench does. */
#ifndef REFERENCE_CUSTOMERS_H
#define REFERENCE_CUSTOMERS_H

#include "tests/rtl/reference/partner.h"

namespace reference {

/* Plays the customers of a stream. */
class CustomerHost : Partner {
  public:
    using Partner::Partner;

    /* A phase begins, in which the host may give commands for `start` on. */
    void begin(const Phase &phase, Cycle start);
    /* Gives the core the requests that arrive before a time. */
    void give(Cycle before);
    /* An event Reply, with its time. */
    void reply(const Event &e, Cycle at);
    /* All accesses of the phase have been answered. */
    bool done() const;

  private:
    struct Running {
        const CustomerProgram *program;
        std::size_t next = 0;
        Cycle last = 0;     /* `at` of the request before */
        Cycle answered = 0; /* latest answer */
        unsigned waiting = 0;
    };
    bool ready(const Running &c, Cycle &at) const;
    void send(const Running &c, Cycle at);

    std::vector<Running> running_;
};

} // namespace reference

#endif
