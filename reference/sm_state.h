/* sm_state.h - what the parts of one SM share: warps, CTA slots, counters that fall later, events.
 */
#ifndef REFERENCE_SM_STATE_H
#define REFERENCE_SM_STATE_H

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/calendar.h"
#include "reference/core_under_test.h"
#include "reference/coverage.h"
#include "reference/packet_queue.h"
#include "reference/params.h"
#include "reference/ring.h"
#include "reference/words.h"
extern "C" {
#include "timing/core_watch.h"
}

namespace reference {

/* What a sub-core looks at in every cycle comes first. */
struct alignas(64) Warp {
    bool live = false, at_barrier = false, used = false;
    unsigned counting = 0; /* the counters in cnt that are not 0 */
    Cycle ready_at = 0;
    core_counter stalled_by = CORE_COUNTER_WAIT_NO_WARP; /* why ready_at is what it is */
    PacketQueue packets;
    unsigned cta = 0;
    unsigned constants = 0; /* whose constants it means */
    unsigned cnt[7] = {};   /* dependency counters; [STORES]: outstanding stores */
    Ring<Line> lines;       /* line words, in the order of execution */
    std::uint16_t consumed = 0, lines_consumed = 0;      /* since reset, for event Want */
    std::uint16_t lines_told = 0;                        /* lines_consumed of the last Want */
    bool came = false;                                   /* packets, since the last Want */
    core_counter stalls_for = CORE_COUNTER_WAIT_NO_WARP; /* why ready_at is what it is */
    core_counter counts_for[7] = {};                     /* what counts in cnt */
    Cycle zero_since[7] = {};                            /* the cycle in which cnt became 0 */
    unsigned banks[7] = {}; /* where the result that counts in cnt is written */

    void count(unsigned bar) {
        cnt[bar]++;
        counting |= 1u << bar;
    }
    /* One of the counters of `mask` is not 0. */
    bool waits(unsigned mask) const { return (mask & counting) != 0; }
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
    /* Borrows all. Events are appended to `events`, those of all SMs and slices. */
    SmState(unsigned number, const Config &config, Coverage &coverage, std::vector<Event> &events)
        : number(number), config(config), coverage(coverage), events(events) {}

    const unsigned number;
    const Config &config;
    Coverage &coverage;
    Warp warp[WARPS];
    Cta cta[CTA_SLOTS];
    std::vector<Event> &events;
    std::uint64_t waits[CORE_COUNTER_WAIT_CONSTANT + 1] = {}; /* rule 11, by counter */
    std::uint64_t fetch_misses = 0, constant_misses = 0;      /* rules 13 and 14 */

    std::uint32_t live[SUB_CORES] = {}; /* slots of each sub-core that have a live warp */
    std::uint64_t want = 0;             /* warps that have consumed something since report_want() */
    unsigned touched = 0; /* sub-cores whose warps have changed, so that one may issue or starve */
    const core_watch *watch = nullptr; /* is told of issues and look-ups */

    void set_live(unsigned w, bool live_now) {
        const std::uint32_t slot = 1u << w / SUB_CORES;
        warp[w].live = live_now;
        live[w % SUB_CORES] = live_now ? live[w % SUB_CORES] | slot : live[w % SUB_CORES] & ~slot;
    }
    void touch(unsigned w) { touched |= 1u << w % SUB_CORES; }
    /* cnt[bar] of the warp falls by 1, visible at `at`, which is not in the past. */
    void take_back(unsigned w, unsigned bar, Cycle at) {
        if (bar != NO_BAR) falling_.add({at, w, bar});
    }
    void take_back_visible(Cycle now) {
        while (next_fall() <= now) {
            fall(falling_.first().warp, falling_.first().bar, now);
            falling_.pop();
        }
    }
    void fall(unsigned w, unsigned bar, Cycle now) {
        if (bar == NO_BAR) return;
        if (warp[w].cnt[bar] == 0)
            throw std::logic_error("reference: counter " + std::to_string(bar) + " of SM " +
                                   std::to_string(number) + " warp " + std::to_string(w) +
                                   " falls below 0");
        if (--warp[w].cnt[bar]) return;
        warp[w].counting &= ~(1u << bar);
        warp[w].zero_since[bar] = now;
        touch(w);
    }
    Cycle next_fall() const { return falling_.empty() ? NEVER : falling_.first().at; }

    void emit(core_ev kind, Cycle at, unsigned w, unsigned slot, unsigned id) {
        events.push_back({(std::uint32_t)at, kind, number, w, slot, 0, id, 0, 0});
    }
    void hit(Feature f) { coverage.hit(f); }
    /* The warp as core_watch names it. */
    static unsigned place(unsigned w) {
        return w % SUB_CORES * (WARPS / SUB_CORES) + w / SUB_CORES;
    }

  private:
    struct Fall {
        Cycle at;
        unsigned warp, bar;
        bool operator>(const Fall &o) const { return at > o.at; }
    };
    Calendar<Fall> falling_;
};

} // namespace reference

#endif
