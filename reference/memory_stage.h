/* memory_stage.h - rules 5, 8 and 14: the SM's memory stage with its request port, CTA barriers,
 * indexed constants. */
#ifndef REFERENCE_MEMORY_STAGE_H
#define REFERENCE_MEMORY_STAGE_H

#include "reference/l1.h"
#include "reference/sm_code.h"
#include "reference/sub_core.h"

namespace reference {

class MemoryStage {
  public:
    MemoryStage(SmState &sm, L1 &l1, SmCode &code)
        : sm_(sm), l1_(l1), code_(code), prefetcher_state_(sm.config.policy.l1_prefetcher),
          constants_(sm, {4, 8, sm.config.params[CORE_PARAM_CONST_FILL], Feature::SM_CONSTANT_HIT,
                          Feature::SM_CONSTANT_JOIN, Feature::SM_CONSTANT_MISS,
                          Feature::SM_CONSTANT_EVICT, Feature::SM_CONSTANT_EVICT_SOON}) {}

    /* The operation that it would start now lacks line words: the host is to deliver them first. */
    bool starves(Cycle now, const SubCore *sub_core) const;
    /* One cycle. Requests that leave are appended to `requests`, with their time. */
    void cycle(Cycle now, SubCore *sub_core, std::vector<Request> &requests);
    /* One warp of each of these CTAs (several: listed as often) counts no longer at the barriers.
     */
    void warps_ended(const std::vector<unsigned> &ctas, Cycle now);
    bool idle(Cycle now) const { return !busy_ && now >= free_; }
    /* As that of SubCore. A stall ends with a reply. */
    Cycle next(Cycle now, const SubCore *sub_core) const;

    /* A request that L1 does not keep has been answered. */
    void answered() { outstanding_--; }

  private:
    static constexpr unsigned MAX_LINES = 32;
    unsigned choose(Cycle now, const SubCore *sub_core) const;
    void begin(Cycle now);
    void look_up(Cycle now, std::vector<Request> &requests);
    bool may_go(const Line &line) const;
    bool look_up_line(const Line &line, Cycle now, std::vector<Request> &requests);
    void send(const Line &line, unsigned kind, unsigned bar, Cycle now,
              std::vector<Request> &requests);
    void fetch(Line line, unsigned sectors, unsigned bar, unsigned mshr, Cycle now,
               std::vector<Request> &requests);
    void prefetch(const Line &line, unsigned hits, Cycle now, std::vector<Request> &requests);
    void fetch_code(Cycle now, SubCore *sub_core, std::vector<Request> &requests);
    void finish();
    void arrive(Cycle now);
    void complete(Barrier &barrier, Cycle now);

    SmState &sm_;
    L1 &l1_;
    SmCode &code_;
    PolicyState prefetcher_state_;
    ConstantCache constants_;  /* of indexed ones */
    bool busy_ = false;        /* `op_` has lines left to look up */
    bool stalled_ = false;     /* line `next_` waits for an MSHR of its set or for an answer */
    unsigned outstanding_ = 0; /* requests that L1 does not keep */
    MioOp op_{};
    Line line_[MAX_LINES]; /* of it */
    unsigned next_ = 0;    /* line to look up, */
    unsigned looked_ = 0;  /* so many cycles after the first one, without stalls */
    Cycle start_ = 0, free_ = 0, stall_ = 0;
    std::vector<SmCode::Fetch> fetches_; /* of one cycle */
    unsigned served_ = SUB_CORES - 1;
    Cycle port_free_ = 0;
};

} // namespace reference

#endif
