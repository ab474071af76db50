/* core_under_test.h - a timing core as the benches see it: the reference model, an RTL engine with
 * an ideal counterpart, or the whole core behind its host interface.
 *
 * Protocol (docs/timing-model.md, rule 10): command() takes 64-byte beats. run(until) simulates all
 * cycles before `until`, or parks earlier when a warp starves; after more packets the same run is
 * asked for again. Events of a run are complete when it returns, in any order but one: nothing of a
 * warp comes after the CtaDone of its CTA. */
#ifndef REFERENCE_CORE_UNDER_TEST_H
#define REFERENCE_CORE_UNDER_TEST_H

#include <vector>

#include "core_regs.h"
#include "reference/words.h"

namespace reference {

struct Status {
    Cycle reached;
    bool parked; /* a warp starves: deliver and run again */
};

struct Issue {
    Cycle at;
    unsigned sm, warp;
    bool operator==(const Issue &o) const { return at == o.at && sm == o.sm && warp == o.warp; }
};

struct Counters {
    std::uint64_t issued, issue_hash, l1_accesses, l1_hits, l2_accesses, l2_hits, dram_reads,
        dram_writes, slice_hash, fetch_misses, constant_misses;
    std::uint64_t wait[CORE_COUNTER_WAIT_CONSTANT + 1]; /* by counter, rule 11 */
};

class CoreUnderTest {
  public:
    virtual ~CoreUnderTest() = default;
    virtual const char *name() const = 0;
    virtual void command(const std::uint64_t beat[8]) = 0;
    virtual Status run(Cycle until) = 0;
    /* Appends the events since the last call. */
    virtual void take_events(std::vector<Event> &out) = 0;
    virtual Counters counters() const = 0;
    /* Every issue goes here from now on. @return false: this core cannot show its issues. */
    virtual bool trace_to(std::vector<Issue> *) { return false; }
};

} // namespace reference

#endif
