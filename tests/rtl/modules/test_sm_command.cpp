/* test_sm_command.cpp - rtl/sm/sm_command.sv: each beat asks for what it means, once and in order;
 * its packets at once, then its line words; a warp that may stand is woken up, unless a wake-up for
 * it is on its way. */
#include <cstring>
#include <deque>

#include "Vsm_command.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_command>;

enum { BEATS = 2, WAKES = 16, WAY = PIPELINED ? 4 : 0 /* clocks from select to stage fetch */ };

struct Beat {
    uint64_t w[8];
    unsigned kind() const { return core_command_kind(w); }
    unsigned sm() const { return core_command_sm(w) % SMS; }
    /* {SM, sub-core, warp of it} */
    unsigned id() const {
        const unsigned warp = core_command_warp(w);
        return sm() << 6 | warp % SUBS << WARP_BITS | warp / SUBS;
    }
    unsigned used() const { return (1u << core_command_words(w)) - 1; }
    unsigned types(unsigned word) const { return core_command_types(w) >> 2 * word & 3; }
    unsigned lines() const { /* payload words that have line words */
        unsigned all = 0;
        for (unsigned k = 0; k < 3; k++) all |= (types(k) != 0) << k;
        return all & used();
    }
};

struct Wake {
    bool launch;
    unsigned id;
    Beat beat;
};

struct Chances {
    unsigned beat, hold, pop;
};

struct Seen {
    unsigned beats = 0, packets = 0, lines = 0, wakes = 0, spared = 0, launches = 0, full = 0;
};

struct Test {
    Bench &b;
    Chances c;
    Seen *seen;
    std::deque<Beat> beats = {};
    std::deque<Wake> wakes = {};
    std::deque<unsigned> way = {}; /* visits of wake-ups to stage fetch: clocks left, ... */
    std::deque<unsigned> ids = {}; /* ... and warps */
    unsigned done = 0;             /* words of the beat whose line words are done */
    Beat offer = {};
    bool offers = false;
    std::optional<Wake> wake = {};     /* that is made in this clock */
    std::optional<unsigned> last = {}; /* warp of the last one, whose visit was not in fetch yet */

    static unsigned sub_of(unsigned id) { return id >> WARP_BITS; }

    void random_beat() {
        static const unsigned kinds[] = {CORE_CMD_PACKETS,   CORE_CMD_PACKETS, CORE_CMD_PACKETS,
                                         CORE_CMD_PACKETS,   CORE_CMD_PACKETS, CORE_CMD_LAUNCH,
                                         CORE_CMD_SET,       CORE_CMD_CLASS,   CORE_CMD_FLUSH_L1,
                                         CORE_CMD_DRAM_REPLY};
        for (uint64_t &w : offer.w) w = b.bits(64);
        core_command_set_kind(offer.w, kinds[b.pick(10)]);
        core_command_set_words(offer.w, 1 + b.pick(3));
        core_command_set_warps(offer.w, 1 + b.pick(63));
        unsigned types = 0;
        for (unsigned k = 0; k < 3; k++) types |= b.pick(3) << 2 * k;
        core_command_set_types(offer.w, types);
        if (b.pick(4)) { /* often the same warps */
            core_command_set_sm(offer.w, b.pick(2));
            core_command_set_warp(offer.w, b.pick(3));
        }
    }

    /* The last wake-up that was made will do for this warp as well: its visit will see all. */
    bool wakes_soon(unsigned id, bool fetched) const {
        return last && *last == id && !(fetched && ids.front() == id);
    }

    /* The oldest beat, when it may be worked at. @return it is worked off */
    bool work(bool fetched) {
        const Beat &beat = beats.front();
        unsigned packets = 0, lines = 0;
        bool ends = true, launch = false;
        const unsigned kind = beat.kind();
        if (kind == CORE_CMD_PACKETS) {
            unsigned left = beat.lines() & ~done;
            if (!done) packets = beat.used() & ~beat.lines();
            lines = PIPELINED ? left & (0u - left) : left;
            ends = left == lines;
            done |= lines;
        } else if (kind == CORE_CMD_LAUNCH) {
            launch = ends = !b.v.launch_hold_i;
        }
        b.expect("packets", b.v.packets_o, packets);
        b.expect("line words", b.v.lines_o, lines);
        for (unsigned k = 0; k < 3; k++)
            if (lines >> k & 1) b.expect("two", b.v.line_twos_o >> k & 1, beat.types(k) == 2);
        b.expect("set", b.v.set_o, kind == CORE_CMD_SET);
        b.expect("class", b.v.class_o, kind == CORE_CMD_CLASS);
        b.expect("flush", b.v.flush_o, kind == CORE_CMD_FLUSH_L1);
        b.expect("launch", b.v.launch_o, launch);
        if (b.v.set_o || b.v.class_o) b.expect("number", b.v.number_o, core_command_id(beat.w));
        if (b.v.set_o || b.v.class_o || b.v.flush_o)
            b.expect("value", b.v.value_o, core_command_value(beat.w));
        if (launch || b.v.flush_o) b.expect("SM", b.v.sm_o, beat.sm());
        if (launch) {
            b.expect("CTA", b.v.launch_cta_o, core_command_cta(beat.w));
            b.expect("warps", b.v.launch_warps_o, core_command_warps(beat.w));
            b.expect("at", b.v.launch_at_o, core_command_at(beat.w));
        }
        seen->packets += (unsigned)__builtin_popcount(packets);
        seen->lines += lines != 0;
        seen->launches += launch;
        if (!ends) return false;
        const bool stands = kind == CORE_CMD_PACKETS &&
                            (b.v.needs_i || (b.v.lines_wanted_i && beat.lines()));
        if (launch || stands) {
            if (stands && wakes_soon(beat.id(), fetched))
                seen->spared++;
            else
                wake = Wake{launch, beat.id(), beat};
        }
        return true;
    }

    void quiet() {
        b.expect("packets", b.v.packets_o, 0);
        b.expect("line words", b.v.lines_o, 0);
        b.expect("others", b.v.set_o | b.v.class_o | b.v.flush_o | b.v.launch_o, 0);
    }

    /* The queue of wake-ups, as the module shows it. */
    void shown() {
        b.expect("a wake-up", b.v.wake_valid_o, !wakes.empty());
        if (wakes.empty()) return;
        const Wake &w = wakes.front();
        const uint64_t word = b.v.wake_o;
        b.expect("is a launch", word >> (12 + SM_BITS + 6), w.launch);
        b.expect("warp", word >> 12 & ((1 << (SM_BITS + 6)) - 1), w.id);
        if (!w.launch) return;
        b.expect("CTA", word >> 7 & 31, core_command_cta(w.beat.w));
        b.expect("constants", word & 127, core_command_id(w.beat.w) % 128);
        b.expect("at", b.v.wake_at_o, kept(core_command_at(w.beat.w)));
    }

    void clock() {
        if (!offers && b.chance(c.beat)) {
            random_beat();
            offers = true;
        }
        b.v.cmd_valid_i = offers;
        memcpy(&b.v.cmd_i, offer.w, sizeof offer.w);
        b.v.hold_i = b.chance(c.hold);
        b.v.launch_hold_i = b.chance(c.hold);
        b.v.needs_i = b.chance(60);
        b.v.lines_wanted_i = b.chance(30);
        /* the visit of a wake-up, of which a sub-core has one at a time */
        bool free = !wakes.empty();
        for (unsigned id : ids) free = free && sub_of(id) != sub_of(wakes.front().id);
        const bool pops = free && b.chance(c.pop);
        b.v.wake_pop_i = pops;
        if (pops) {
            ids.push_back(wakes.front().id);
            way.push_back(WAY);
        }
        const bool fetched = !way.empty() && way.front() == 0;
        b.v.fet_valid_i = fetched;
        b.v.fet_id_i = (uint16_t)(fetched ? ids.front() : b.bits(SM_BITS + 6));
        b.settle();
        const bool here = !beats.empty();
        shown();
        b.expect("ready", b.v.cmd_ready_o, beats.size() < BEATS);
        b.expect("busy", b.v.busy_o, here || !wakes.empty());
        b.expect("look", b.v.look_o, here && beats.front().kind() == CORE_CMD_PACKETS);
        if (here) {
            if (memcmp(&b.v.beat_o, beats.front().w, sizeof(Beat))) b.fail("another beat");
            b.expect("warp", b.v.id_o, beats.front().id());
            b.expect("SM", b.v.sm_o, beats.front().sm());
        }
        bool ends = false;
        wake.reset();
        seen->full += wakes.size() == WAKES;
        if (here && !b.v.hold_i && wakes.size() < WAKES)
            ends = work(fetched);
        else
            quiet();
        const bool takes = offers && b.v.cmd_ready_o;
        b.tick();
        if (pops) wakes.pop_front();
        if (fetched) {
            if (last == ids.front() && wakes.empty()) last.reset();
            way.pop_front();
            ids.pop_front();
        }
        for (unsigned &w : way) w--;
        if (ends) {
            beats.pop_front();
            done = 0;
            seen->beats++;
        }
        if (takes) beats.push_back(offer);
        if (takes) offers = false;
        if (!wake) return;
        seen->wakes++;
        wakes.push_back(*wake);
        last.reset();
        if (!wake->launch) last = wake->id;
    }

    void run() {
        b.v.init_i = 1;
        for (int i = 0; i < 4; i++) {
            b.v.cmd_valid_i = 1;
            b.settle();
            b.expect("ready", b.v.cmd_ready_o, 0);
            b.tick();
        }
        b.v.init_i = 0;
        for (int i = 0; i < 20000; i++) clock();
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    const Chances chances[] = {{100, 0, 100}, {90, 30, 30}, {100, 5, 10}, {30, 10, 60}};
    for (int i = 0; i < 2; i++)
        for (const Chances &c : chances) {
            Bench b(seed++);
            Test t{b, c, &seen};
            t.run();
        }
    if (!all_reached({seen.beats, seen.packets, seen.lines, seen.wakes, seen.spared, seen.launches,
                      seen.full},
                     250))
        return 1;
    printf("sm_command: passed\n");
    return 0;
}
