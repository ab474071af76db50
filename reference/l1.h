/* l1.h - rule 6: tags and miss status registers of an SM's L1. */
#ifndef REFERENCE_L1_H
#define REFERENCE_L1_H

#include <array>
#include <vector>

#include "reference/policy_state.h"
#include "reference/sm_state.h"

namespace reference {

class L1 {
  public:
    explicit L1(SmState &sm) : sm_(sm), replacement_state_(sm.config.policy.l1_replacement, SETS) {}

    struct Miss {
        bool stalls;      /* no MSHR: look up again when one of the set is free */
        bool hits;        /* all sectors are there */
        unsigned mshr;    /* that the operation waits for, when it does not hit */
        unsigned request; /* sectors to ask from L2 now, may be 0 */
    };
    /* A line of a Load; a miss that does not stall waits in its MSHR from now on. */
    Miss load(const Line &line, unsigned warp, unsigned bar);
    enum : unsigned { NO_MSHR = ~0u };
    /* A line that nobody waits for. @return the MSHR that its sectors fill, or NO_MSHR: it is there
     * or on its way, or none is free */
    unsigned prefetch(std::uint32_t line);
    /* A line of an operation that bypasses L1. */
    void invalidate(const Line &line);
    bool mshr_free(std::uint32_t line) const;

    struct Waiter {
        unsigned warp, bar;
    };
    /* A cached reply becomes visible. @return whose counters fall: those that waited for an MSHR
     * of the line all of whose sectors have come. Valid until the next call. */
    const std::vector<Waiter> &fill(unsigned mshr, unsigned sectors);
    /* Empties it; from now on it has so many lines, 0: l1_ways in each set. */
    void flush(unsigned lines);

    std::uint64_t accesses = 0, hits = 0; /* sectors of loads */

  private:
    static constexpr unsigned SETS = 256, WAYS = 8, MSHR_SETS = 64, MSHR_WAYS = 4, WAITERS = 8;
    struct Way {
        bool present = false;
        std::uint32_t line = 0;
        unsigned valid = 0; /* sectors */
    };
    struct Set {
        std::array<Way, WAYS> way;
        unsigned pointer = 0;
    };
    struct Mshr {
        bool used = false;
        std::uint32_t line = 0;
        unsigned outstanding = 0, come = 0; /* sectors that it waits for, that it got */
        unsigned waiters = 0;
        Waiter waiter[WAITERS];
    };
    unsigned set_of(std::uint32_t line) const;
    unsigned ways_of(unsigned set) const;
    static unsigned mshr_set_of(std::uint32_t line) { return (line ^ line >> 6) % MSHR_SETS; }
    Way *find(std::uint32_t line);
    heddle_l1_set view(const Set &set, std::uint32_t *lines) const;
    unsigned victim(const Set &set, std::uint32_t line);
    void fill_tags(std::uint32_t line, unsigned sectors);

    SmState &sm_;
    PolicyState replacement_state_;
    unsigned lines_ = 0; /* of FlushL1 */
    std::array<Set, SETS> set_;
    std::array<Mshr, MSHR_SETS * MSHR_WAYS> mshr_;
    std::vector<Waiter> woken_; /* by fill() */
};

} // namespace reference

#endif
