/* sm.h - one SM of the reference model: four sub-cores, the memory stage, L1, and the port where
 * replies come in (rule 7). Every cycle is stepped. */
#ifndef REFERENCE_SM_H
#define REFERENCE_SM_H

#include <map>

#include "tests/rtl/reference/memory_stage.h"

namespace reference {

class Sm {
  public:
    Sm(unsigned number, const Config &config, Coverage &coverage);
    Sm(const Sm &) = delete;
    Sm &operator=(const Sm &) = delete;

    SmState state;
    L1 l1;

    void launch(unsigned warp, unsigned cta, unsigned cta_warps, unsigned constants, Cycle at);
    void deliver(unsigned warp, Packet &&p);
    void deliver_line(unsigned warp, const Line &line) { state.warp[warp].lines.push_back(line); }
    void reply(const Reply &r) { arriving_[{r.at, r.slice}] = r; }

    /* Cycle `now`, in two parts: what becomes visible, and, unless a warp starves, the rest. */
    void begin_cycle(Cycle now);
    bool starves(Cycle now) const;
    void end_cycle(Cycle now, std::vector<Request> &requests, std::vector<Issue> &issues);
    /* Nothing can happen before a command or a reply comes. */
    bool idle(Cycle now) const;
    /* Event Want for every warp that has consumed something since the last call. */
    void report_want(Cycle now);

  private:
    struct Launch {
        unsigned warp, cta, cta_warps, constants;
    };
    void take_replies(Cycle now);
    void make_visible(Cycle now);
    void start_warp(const Launch &l, Cycle now);

    static constexpr Cycle END_TO_BARRIER = 16;
    std::vector<SubCore> sub_core_; /* SUB_CORES */
    SmCode code_;
    MemoryStage stage_;
    std::multimap<Cycle, Launch> launching_;
    std::map<std::pair<Cycle, unsigned>, Reply> arriving_; /* by (at, slice) */
    std::deque<std::pair<Cycle, Reply>> filling_;          /* by the cycle they are visible */
    std::deque<SubCore::End> ended_;
    Cycle reply_port_free_ = 0;
};

} // namespace reference

#endif
