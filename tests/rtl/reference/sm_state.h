/* sm_state.h - what the parts of one SM share: warps, CTA slots, counters that fall later, events.
 */
#ifndef REFERENCE_SM_STATE_H
#define REFERENCE_SM_STATE_H

#include <array>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/rtl/reference/core_under_test.h"
#include "tests/rtl/reference/coverage.h"
#include "tests/rtl/reference/params.h"
#include "tests/rtl/reference/words.h"

namespace reference {

struct Warp {
    bool live = false, at_barrier = false, used = false;
    Cycle ready_at = 0;
    unsigned cta = 0;
    unsigned constants = 0; /* whose constants it means */
    unsigned cnt[7] = {};   /* dependency counters; [STORES]: outstanding stores */
    std::deque<Packet> packets;
    std::deque<Line> lines;                         /* line words, in the order of execution */
    std::uint16_t consumed = 0, lines_consumed = 0; /* since reset, for event Want */
    bool want = false;                              /* consumed something since the last Want */
    core_counter stalls_for = CORE_COUNTER_WAIT_NO_WARP; /* why ready_at is what it is */
    core_counter counts_for[7] = {};                     /* what counts in cnt */
    Cycle zero_since[7] = {};                            /* the cycle in which cnt became 0 */
    unsigned banks[7] = {}; /* where the result that counts in cnt is written */
};

struct Barrier {
    unsigned arrivals = 0, warps = 0; /* of the packet that arrived last; 0: the live warps */
    std::vector<unsigned> waiting;
};

struct Cta {
    unsigned live = 0;             /* warps */
    unsigned live_at_barriers = 0; /* the same, but a warp's end counts 16 cycles late (rule 8) */
    std::array<Barrier, 16> barrier;
};

class SmState {
  public:
    SmState(unsigned number, const Config &config, Coverage &coverage)
        : number(number), config(config), coverage(coverage) {}

    const unsigned number;
    const Config &config;
    Coverage &coverage;
    Warp warp[WARPS];
    Cta cta[CTA_SLOTS];
    std::vector<Event> events;
    std::uint64_t waits[CORE_COUNTER_WAIT_CONSTANT + 1] = {}; /* rule 11, by counter */
    std::uint64_t fetch_misses = 0, constant_misses = 0;      /* rules 13 and 14 */

    /* cnt[bar] of the warp falls by 1, visible at `at`, which is not in the past. */
    void take_back(unsigned w, unsigned bar, Cycle at) {
        if (bar != NO_BAR) falling_[at].push_back({w, bar});
    }
    void take_back_visible(Cycle now) {
        while (!falling_.empty() && falling_.begin()->first <= now) {
            for (const Fall &f : falling_.begin()->second) fall(f.warp, f.bar, now);
            falling_.erase(falling_.begin());
        }
    }
    void fall(unsigned w, unsigned bar, Cycle now) {
        if (bar == NO_BAR) return;
        if (warp[w].cnt[bar] == 0)
            throw std::logic_error("reference: counter " + std::to_string(bar) + " of SM " +
                                   std::to_string(number) + " warp " + std::to_string(w) +
                                   " falls below 0");
        if (--warp[w].cnt[bar] == 0) warp[w].zero_since[bar] = now;
    }
    bool nothing_falls() const { return falling_.empty(); }

    void emit(core_ev kind, Cycle at, unsigned w, unsigned slot, unsigned id) {
        events.push_back({(std::uint32_t)at, kind, number, w, slot, 0, id, 0, 0});
    }
    void hit(Feature f) { coverage.hit(f); }

  private:
    struct Fall {
        unsigned warp, bar;
    };
    std::map<Cycle, std::vector<Fall>> falling_;
};

} // namespace reference

#endif
