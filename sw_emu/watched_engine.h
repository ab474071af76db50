/* watched_engine.h - looks into the Verilated SM engine, for a core_watch (timing/core_watch.h).
 *
 * The engine's signals are members of Verilator's root class, which names and keeps them as it
 * likes. A model without one of them cannot be watched: several engines in a kernel, a netlist,
 * another Verilator. Neither can the pipelined form, whose stages lie in different clocks
 * (HEDDLE_WATCHED: it is the other one). The system test of the counts fails where the emulation
 * that users run cannot be watched. */
#ifndef HEDDLE_SW_EMU_WATCHED_ENGINE_H
#define HEDDLE_SW_EMU_WATCHED_ENGINE_H

#include <type_traits>
#include <utility>

extern "C" {
#include "timing/core_watch.h"
}

namespace sw_emu {

/* An engine of ports P that cannot be watched. */
template <class P, class = void> struct WatchedEngine {
    static constexpr bool watchable = false;
    static void look(const P &, const core_watch &) {}
};

#ifdef HEDDLE_WATCHED
/* What follows is computed for the next clock: a visit to a sub-core passes all its stages, from
 * choose to update, in one clock, and so does one of the memory stage. */
#define HEDDLE_SM(name) rootp->heddle_kernel__DOT__u_top__DOT__gen_one__DOT__u_sm__DOT__##name
#define HEDDLE_SM_ID HEDDLE_SM(__Vcellout__choose__id_o)
template <class P>
struct WatchedEngine<P,
                     std::void_t<decltype(std::declval<P>().HEDDLE_SM(upd_issue)),
                                 decltype(std::declval<P>().HEDDLE_SM(causes__DOT__upd_gap)),
                                 decltype(std::declval<P>().HEDDLE_SM(causes__DOT__upd_gap_cause)),
                                 decltype(std::declval<P>().HEDDLE_SM(causes__DOT__upd_gap_cycles)),
                                 decltype(std::declval<P>().HEDDLE_SM_ID),
                                 decltype(std::declval<P>().HEDDLE_SM(l1_sectors)),
                                 decltype(std::declval<P>().HEDDLE_SM(l1_hits)),
                                 decltype(std::declval<P>().HEDDLE_SM(beg_sm)),
                                 decltype(std::declval<P>().HEDDLE_SM(ptr_warp))>> {
    static constexpr bool watchable = true;
    static constexpr unsigned kPlaceBits = 6; /* of {SM, sub-core, warp slot} the last two */

    /* Tells what the next clock does. Before each clock. */
    static void look(const P &p, const core_watch &watch) {
        const unsigned issued = p.HEDDLE_SM(upd_issue), gap = p.HEDDLE_SM(causes__DOT__upd_gap);
        if (issued | gap) {
            const unsigned id = p.HEDDLE_SM_ID;
            watch.visited(watch.user, id >> kPlaceBits, id & ((1u << kPlaceBits) - 1), issued,
                          gap ? p.HEDDLE_SM(causes__DOT__upd_gap_cycles) : 0,
                          p.HEDDLE_SM(causes__DOT__upd_gap_cause));
        }
        if (const unsigned sectors = p.HEDDLE_SM(l1_sectors))
            watch.looked_up(watch.user, p.HEDDLE_SM(beg_sm), p.HEDDLE_SM(ptr_warp),
                            (unsigned)__builtin_popcount(sectors),
                            (unsigned)__builtin_popcount(p.HEDDLE_SM(l1_hits)));
    }
};
#undef HEDDLE_SM_ID
#undef HEDDLE_SM
#endif

} // namespace sw_emu

#endif
