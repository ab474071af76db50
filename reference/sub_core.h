/* sub_core.h - rules 2 to 4 and 12 to 14: issue, results of fixed latency, the memory pipe of a
 * sub-core up to the SM's memory stage, the ports of its registers, its caches. */
#ifndef REFERENCE_SUB_CORE_H
#define REFERENCE_SUB_CORE_H

#include "reference/code_cache.h"
#include "reference/constant_cache.h"
#include "reference/policy_state.h"
#include "reference/register_file.h"
#include "reference/sm_state.h"

namespace reference {

/* A memory operation on its way to the memory stage. */
struct MioOp {
    unsigned warp;
    unsigned constants; /* its launch's; the warp may have been launched anew meanwhile */
    Packet packet;
    Cycle issued, arrival; /* arrival at the memory stage, set by the address unit */
};

class SubCore {
  public:
    SubCore(unsigned number, SmState &sm)
        : number_(number), sm_(sm), scheduler_state_(sm.config.policy.scheduler), registers_(sm),
          code_(sm), constants_(sm, {sm.config.params[CORE_PARAM_CONST_SETS],
                                     sm.config.params[CORE_PARAM_CONST_WAYS],
                                     sm.config.params[CORE_PARAM_CONST_MISS], Feature::CONSTANT_HIT,
                                     Feature::CONSTANT_JOIN, Feature::CONSTANT_MISS,
                                     Feature::CONSTANT_EVICT, Feature::CONSTANT_EVICT_SOON}) {}

    /* False also where nothing has changed since the last cycle that was looked at. */
    bool starves(Cycle now) const;
    /* Lines of code come: with the base of the stream, all warps that wait for it look again. */
    void take_code(Cycle now);
    /* The first cycle after `now` in which something happens here by itself, if nothing comes from
     * elsewhere: neither the memory stage nor a reply nor the host. */
    Cycle next(Cycle now) const;
    CodeCache &code() { return code_; }
    const CodeCache &code() const { return code_; }
    void address_unit(Cycle now);
    /* @return the warp that issued at `now`, or -1 */
    int issue(Cycle now);

    /* The memory stage takes the oldest operation that has passed the address unit. */
    const MioOp *head(Cycle now) const {
        return !to_stage_.empty() && to_stage_.front().arrival <= now ? &to_stage_.front()
                                                                      : nullptr;
    }
    Cycle next_head() const { return to_stage_.empty() ? NEVER : to_stage_.front().arrival; }
    MioOp start(Cycle now);
    bool idle() const { return queue_.empty() && to_stage_.empty() && code_.asks.empty(); }

    struct End {
        Cycle at;
        unsigned cta;
    };
    std::vector<End> ended; /* warps that issued their last instruction; rule 8 empties this */

  private:
    static constexpr unsigned SLOTS = WARPS / SUB_CORES, QUEUE = 5, CREDITS = 4, STAGE_WAY = 8;
    static constexpr unsigned HISTORY = 8; /* at least QUEUE and CREDITS */
    static constexpr Cycle ALU_OPERANDS_READ = 4;
    static constexpr unsigned LONGEST_WRITTEN = 29; /* latency; longer ones are not looked at */

    /* For each slot s with a live warp, the lowest first. */
    template <class Do> void for_live(Do f) const {
        for (std::uint32_t left = sm_.live[number_]; left; left &= left - 1)
            f((unsigned)__builtin_ctz(left));
    }
    unsigned warp_number(unsigned slot) const { return slot * SUB_CORES + number_; }
    const Class &class_of(const Packet &p) const { return sm_.config.cls[p.cls]; }
    bool ready(unsigned slot, Cycle now) const;
    bool finds_unwritten(const Warp &w, unsigned mask, Cycle now) const;
    unsigned unwritten(const Warp &w, unsigned mask, Cycle now) const;
    bool mio_slot_free(Cycle now) const;
    bool due(Cycle now) const;
    Cycle wake_after(Cycle now) const;
    Cycle next_entry() const;
    int pick(Cycle now) const;
    int pick_fetched(Cycle now);
    int pick_complete(Cycle now);
    void count_quiet(unsigned slot, Cycle now);
    core_counter waited_for(unsigned slot, Cycle at) const;
    void tell(unsigned slot, Cycle now, bool issued) const;
    void look(Cycle now);
    void issue_mio(unsigned w, const Packet &p, Cycle now);

    int choose(const bool *is_ready, Cycle now) const;
    heddle_issue issue_view(Cycle now) const;

    const unsigned number_;
    SmState &sm_;
    mutable PolicyState scheduler_state_;
    int last_ = 0; /* slot that issued last */
    bool last_yields_ = false;
    unsigned last_kind_ = 0;
    Cycle pipe_free_[16] = {};
    RegisterFile registers_;
    CodeCache code_;
    ConstantCache constants_;
    enum class Awaits {
        NOTHING,
        LINE,
        TURN
    } awaits_[SLOTS] = {}; /* code: that it comes; to look */
    Cycle held_until_ = 0; /* nothing issues before */
    core_counter held_for_ = CORE_COUNTER_WAIT_REGISTER;
    Cycle quiet_since_ = 0; /* the cycle after the last issue */
    Cycle wake_ = NEVER; /* the first in which a warp may issue or starve, unless it is touched */
    std::uint32_t seen_live_ = 0; /* slots with a warp in the cycle last looked at, */
    struct Seen {                 /* and what they were like then, and up to the next one */
        Cycle ready_at;
        core_counter stalls_for;
        bool at_barrier, awaits;
        std::uint8_t counting; /* counters that are not zero */
    } seen_[SLOTS] = {};
    bool seen_unwritten_ = false; /* a counter in `counting` is one that waits to be written */

    Ring<MioOp> queue_;                                    /* issued, not yet in the address unit */
    Ring<MioOp> to_stage_;                                 /* through the address unit */
    std::uint64_t issued_ = 0, entered_ = 0, started_ = 0; /* MIO operations since reset */
    Cycle entry_ = 0;               /* of the last operation into the address unit */
    Cycle slot_free_[HISTORY] = {}; /* of operation n at n % HISTORY */
    Cycle start_[HISTORY] = {};
};

} // namespace reference

#endif
