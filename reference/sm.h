/* sm.h - one SM of the reference model: its sub-cores, the memory stage, L1, and the port where
 * replies come in (rule 7). It says itself which cycle is the next in which something happens. */
#ifndef REFERENCE_SM_H
#define REFERENCE_SM_H

#include <map>

#include "reference/memory_stage.h"

namespace reference {

class Sm {
  public:
    Sm(unsigned number, const Config &config, Coverage &coverage, std::vector<Event> &events);
    Sm(const Sm &) = delete;
    Sm &operator=(const Sm &) = delete;

    SmState state;
    L1 l1;

    /* `now`: the next cycle to be simulated. */
    void launch(unsigned warp, unsigned cta, unsigned cta_warps, unsigned constants, Cycle at);
    void deliver(unsigned warp, const std::uint64_t *packet, Cycle now);
    void deliver_line(unsigned warp, const Line &line) { state.warp[warp].lines.push_back(line); }
    void reply(const Reply &r) {
        arriving_.add({r});
        wake = std::min(wake, r.at);
    }
    /* Nothing happens before this cycle, unless a command or a reply comes. */
    Cycle wake = NEVER;

    /* Cycle `now`, in two parts: what becomes visible, and, unless a warp starves, the rest. */
    void begin_cycle(Cycle now);
    bool starves(Cycle now) const;
    void end_cycle(Cycle now, std::vector<Request> &requests, std::vector<Issue> &issues);
    /* Nothing can happen before a command or a reply comes. */
    bool idle(Cycle now) const;
    /* Event Want for the warps of which rule 10 asks for it. */
    void report_want(Cycle now);

  private:
    struct Launch {
        unsigned warp, cta, cta_warps, constants;
    };
    struct Arriving {
        Reply reply;
        bool operator>(const Arriving &o) const {
            return std::tie(reply.at, reply.slice) > std::tie(o.reply.at, o.reply.slice);
        }
    };
    struct Filling {
        Cycle at; /* visible */
        Reply reply;
    };
    Cycle next(Cycle now) const;
    void take_replies(Cycle now);
    void make_visible(Cycle now);
    void start_warp(const Launch &l, Cycle now);

    static constexpr Cycle END_TO_BARRIER = 16;
    static constexpr unsigned LINES_TOLD = 32; /* words used up that ask for event Want */
    std::vector<SubCore> sub_core_;            /* SUB_CORES */
    SmCode code_;
    MemoryStage stage_;
    std::multimap<Cycle, Launch> launching_;
    Calendar<Arriving> arriving_; /* by (at, slice) */
    Ring<Filling> filling_;       /* by the cycle they are visible */
    Ring<SubCore::End> ended_;
    std::vector<unsigned> ctas_; /* of warps whose end counts in a cycle */
    Cycle reply_port_free_ = 0;
};

} // namespace reference

#endif
