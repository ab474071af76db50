/* test_heddle_run.cpp - rtl/top/heddle_run.sv between stand-ins for the engines, the rings and the
 * host: commands reach the engines that they are for, in order; windows begin with the first work,
 * have the length that the latencies allow, and open when nothing is under way; each run ends with
 * the report that its end calls for, and the next one goes on from there. */
#include <algorithm>
#include <cstring>
#include <deque>
#include <set>

#include "Vheddle_run.h"
#include "core_words.h"
#include "module_bench.h"

enum : uint64_t { NEVER = UINT64_C(1) << 32, AHEAD = 1 << 13 /* of a Launch, with 16 bits */ };

using Bench = ModuleBench<Vheddle_run>;

struct Command {
    uint64_t w[2];
    unsigned kind() const { return core_command_kind(w); }
    bool for_sm() const {
        const unsigned k = kind();
        return k == CORE_CMD_PACKETS || k == CORE_CMD_LAUNCH || k == CORE_CMD_SET ||
               k == CORE_CMD_CLASS || k == CORE_CMD_FLUSH_L1;
    }
    bool for_net() const {
        const unsigned k = kind();
        return k == CORE_CMD_DRAM_REPLY || k == CORE_CMD_SET || k == CORE_CMD_FLUSH_L2 ||
               k == CORE_CMD_FILL_L2 || k == CORE_CMD_REMOTE || k == CORE_CMD_UNPIN_L2;
    }
};

/* An engine: when it has something to do, and for how many clocks it is at work. */
struct Engine {
    std::multiset<uint64_t> work;
    unsigned busy = 0;
    unsigned left = 0; /* of these, clocks that the window takes, without commands */
    uint64_t next() const { return work.empty() ? ~UINT64_C(0) : *work.begin(); }
    uint64_t word() const { return work.empty() ? (uint64_t)NEVER : (uint32_t)next(); }
};

struct Seen {
    unsigned stops[5] = {}, windows = 0, both = 0, cut = 0, streamed = 0, jumps = 0, resumed = 0;
    unsigned held = 0, later = 0; /* commands: a window ends first; a run ends first */
};

struct Test {
    Bench &b;
    Seen *seen;
    unsigned slow; /* most clocks that a neighbour takes */
    Engine sm = {}, net = {};
    unsigned goes_on = 75; /* percent of work that has more behind it */
    bool parked = false, opened = false, sm_went = true;
    uint64_t reached = 0, end = 0, until = 0; /* target time */
    uint32_t window = 32, net_request = 70, net_reply = 70;
    std::deque<Command> ring = {}; /* not yet taken */
    uint32_t taken = 0, first = 0; /* commands; those that are taken before time passes */
    unsigned replied = 0;          /* clocks until the replies are there */
    bool shown = false, full = false;
    size_t asked = 0;    /* beats of the ring, of which one may be shown */
    unsigned rested = 0; /* clocks since the window's work is done */
    uint32_t runs = 0, events = 0;

    unsigned some() { return b.pick(slow + 1); }

    /* Times are those of the bench, of which the module has the low bits. */
    uint64_t in_full(uint32_t time) const { return reached + (int32_t)(time - (uint32_t)reached); }

    void add(unsigned kind, uint64_t at, unsigned id = 0, uint32_t value = 0) {
        Command c = {{b.bits(64), b.bits(64)}};
        core_command_set_kind(c.w, kind);
        core_command_set_at(c.w, (uint32_t)at);
        core_command_set_id(c.w, id);
        core_command_set_value(c.w, value);
        ring.push_back(c);
    }

    /* What the host wants before time passes. */
    void commands() {
        static const unsigned params[] = {CORE_PARAM_WINDOW, CORE_PARAM_NET_REQUEST,
                                          CORE_PARAM_NET_REPLY, CORE_PARAM_L1_LATENCY};
        static const unsigned others[] = {CORE_CMD_PACKETS,  CORE_CMD_CLASS,   CORE_CMD_FLUSH_L1,
                                          CORE_CMD_FLUSH_L2, CORE_CMD_FILL_L2, CORE_CMD_REMOTE,
                                          CORE_CMD_NONE};
        const uint64_t from = std::max(until, reached);
        if (sm.work.empty() && net.work.empty() && !opened && ring.empty() && b.chance(80)) {
            add(CORE_CMD_LAUNCH, from + b.pick(1u << 20)); /* far ahead, when nothing is to come */
            return;
        }
        for (unsigned i = b.pick(6); i > 0; i--) {
            const unsigned x = b.pick(10);
            if (x < 3)
                add(CORE_CMD_LAUNCH, from + b.pick(100));
            else if (x < 6)
                add(CORE_CMD_DRAM_REPLY, from + b.pick(200));
            else if (x == 6 && !opened)
                add(CORE_CMD_SET, 0, params[b.pick(4)], 4 + b.pick(100));
            else {
                const unsigned kind = opened ? (unsigned)CORE_CMD_PACKETS : others[b.pick(7)];
                add(kind == CORE_CMD_FLUSH_L2 && reached & 1 ? +CORE_CMD_UNPIN_L2 : kind, 0);
            }
        }
    }

    /* As the host does: what is behind the last command that is not Packets may come later. */
    void find_first() {
        uint32_t at = taken;
        bool some_first = false;
        for (const Command &c : ring) {
            at++;
            if (c.kind() == CORE_CMD_PACKETS || c.kind() == CORE_CMD_NONE) continue;
            first = at;
            some_first = true;
        }
        if (!some_first && (int32_t)(first - taken) < 0 && b.pick(2)) first = taken;
    }

    void deliver(const Command &c) {
        const uint64_t at = in_full(core_command_at(c.w));
        const uint32_t value = core_command_value(c.w);
        if (c.kind() == CORE_CMD_LAUNCH) {
            if (at < reached || at - reached >= AHEAD) b.fail("a Launch is too far away");
            sm.work.insert(at);
        }
        if (c.kind() == CORE_CMD_DRAM_REPLY) net.work.insert(at);
        if (c.kind() == CORE_CMD_SET) {
            if (core_command_id(c.w) == CORE_PARAM_WINDOW) window = value;
            if (core_command_id(c.w) == CORE_PARAM_NET_REQUEST) net_request = value;
            if (core_command_id(c.w) == CORE_PARAM_NET_REPLY) net_reply = value;
        }
        if (c.kind() == CORE_CMD_PACKETS && parked) parked = b.chance(20);
        if (c.for_sm()) sm.busy = 1 + some();
        if (c.for_net()) net.busy = 1 + some();
    }

    void at_rest(const char *what) {
        if (sm.busy || net.busy || parked) b.fail("%s while an engine is at work", what);
    }

    void opens() {
        at_rest("a window opens");
        if (opened || !sm_went) b.fail("a window opens inside another one");
        if ((int32_t)(first - taken) > 0) b.fail("commands are not taken yet");
        const uint64_t begin = std::min(sm.next(), net.next());
        const uint32_t length = std::min({window, net_request, net_reply});
        if (begin >= until) b.fail("a window that the host does not allow");
        end = std::min(begin + length, until);
        seen->cut += end < begin + length;
        seen->both += sm.next() < end && net.next() < end;
        reached = begin;
        b.expect("begin", b.v.reached_o, (uint32_t)reached);
        b.expect("end", b.v.window_end_o, (uint32_t)end);
        b.expect("counted", b.v.window_o, 1);
        seen->windows++;
        opened = true;
        sm_went = false;
        replied = 1 + some();
        advance(net);
    }

    /* An engine works on the window; what follows is behind its end. */
    void advance(Engine &e) {
        e.busy = e.left = 1 + some();
        while (!e.work.empty() && e.next() < end) {
            e.work.erase(e.work.begin());
            if (b.chance(goes_on)) e.work.insert(end + b.pick(60));
        }
    }

    void goes() {
        if (sm.busy || parked || sm_went || replied) b.fail("the SMs go too early");
        sm_went = true;
        advance(sm);
        parked = goes_on < 100 && b.chance(10);
    }

    /* A clock. @return what the module asked for is in its outputs */
    void clock(unsigned events_full) {
        if (b.v.command_enable_o && asked < ring.size() && b.chance(50))
            asked += 1 + b.pick((uint32_t)(ring.size() - asked));
        if (!shown && asked) shown = b.chance(70);
        b.v.command_quiet_i = asked == shown;
        b.v.command_valid_i = shown;
        if (shown) memcpy(&b.v.command_i, ring.front().w, sizeof ring.front().w);
        b.v.commands_i = taken;
        b.v.sm_idle_i = !sm.busy;
        b.v.sm_parked_i = !sm.busy && parked;
        b.v.sm_next_i = sm.word();
        b.v.rested_i = opened && sm_went && !sm.left && !net.left && !parked;
        rested = b.v.rested_i ? rested + 1 : 0;
        b.v.net_idle_i = !net.busy;
        b.v.net_next_i = net.word();
        b.v.net_replied_i = !replied;
        b.v.sm_command_ready_i = b.chance(70);
        b.v.net_command_ready_i = b.chance(70);
        if (b.pick(10000) < events_full) full = true;
        b.v.events_full_i = full && b.pick(2);
        b.v.events_empty_i = !full;
        b.settle();
        const bool takes = shown && b.v.command_ready_o;
        b.expect("for the SMs", b.v.sm_command_valid_o, takes && ring.front().for_sm());
        b.expect("for the network", b.v.net_command_valid_o, takes && ring.front().for_net());
        if (takes) {
            if (ring.front().for_sm() && !b.v.sm_command_ready_i) b.fail("not taken by the SMs");
            if (ring.front().for_net() && !b.v.net_command_ready_i) b.fail("not by the network");
            if (rested > 1 && (int32_t)(first - taken) <= 0 && !b.v.deliver_i)
                b.fail("a command keeps a window open");
        }
        seen->held += shown && rested > 1;
        const uint64_t now = in_full(b.v.reached_o);
        if (now < reached) b.fail("time goes back");
        if (opened && !b.v.net_go_o) {
            b.expect("reached", b.v.reached_o, (uint32_t)reached);
            b.expect("end", b.v.window_end_o, (uint32_t)end);
        }
        seen->jumps += shown && !opened && now > reached + AHEAD;
        if (!b.v.net_go_o) reached = now;
        const bool nets = b.v.net_go_o, sms = b.v.sm_go_o;
        const bool ends = opened && sm_went && !sm.busy && !net.busy && !parked;
        if (nets) opens();
        if (sms) goes();
        b.tick();
        if (ends && !sms) opened = false;
        for (Engine *e : {&sm, &net}) {
            if (e == &net ? nets : sms) continue;
            if (e->busy) e->busy--;
            if (e->left) e->left--;
        }
        if (!nets && replied) replied--;
        if (takes) {
            const Command c = ring.front();
            ring.pop_front();
            asked--;
            shown = false;
            seen->streamed += (int32_t)(first - taken) <= 0;
            taken++;
            deliver(c);
        }
        b.v.command_done_i = ring.empty() && b.v.commands_i == taken;
    }

    uint64_t report_bits(unsigned at, unsigned width) {
        return get_bits(b.v.report_o, at - 288, width);
    }

    /* @return why it ended */
    unsigned report(unsigned fault) {
        const unsigned stop = (unsigned)report_bits(476, 4);
        b.expect("run", report_bits(480, 32), runs);
        b.expect("fault", report_bits(472, 4), fault);
        b.expect("reached", report_bits(407, 32), (uint32_t)reached);
        b.expect("commands", report_bits(375, 32), taken);
        b.expect("events", report_bits(343, 32), events);
        const uint64_t next = std::min(sm.next(), net.next());
        if (fault) {
            b.expect("stop", stop, CORE_STOP_FAULT);
        } else if (full) {
            b.expect("stop", stop, CORE_STOP_EVENTS_FULL);
        } else if (b.v.deliver_i) {
            b.expect("stop", stop, CORE_STOP_DELIVERED);
        } else if (parked) {
            b.expect("stop", stop, CORE_STOP_PARKED);
            if (!opened || net.busy) b.fail("parked outside a window");
        } else {
            b.expect("stop", stop, CORE_STOP_REACHED);
            if (opened || next < until) b.fail("something is left to do");
            b.expect("reached", reached, std::max(until, reached));
        }
        if (stop != CORE_STOP_EVENTS_FULL && stop != CORE_STOP_FAULT) {
            if (!ring.empty() && (stop != CORE_STOP_REACHED || (int32_t)(first - taken) > 0))
                b.fail("%zu commands are not taken", ring.size());
            if (asked > shown) b.fail("a run ends while beats are on their way");
            seen->later += !ring.empty();
            b.expect("never", report_bits(471, 1), next == ~UINT64_C(0));
            if (next != ~UINT64_C(0)) b.expect("next", report_bits(439, 32), (uint32_t)next);
        }
        seen->stops[stop]++;
        return stop;
    }

    /* A run, from start_i to done_o. `again`: the event ring was full; `fault_at`: the clock in
     * which the network has a fault. */
    unsigned run(unsigned events_full, bool again = false, unsigned fault_at = ~0u,
                 unsigned fault = CORE_FAULT_NONE) {
        b.v.start_i = 1;
        b.v.run_until_i = (uint32_t)until;
        if (again) find_first();
        b.v.command_first_i = first;
        b.v.events_i = events = (uint32_t)b.bits(32);
        runs++;
        unsigned flushing = some(), reporting = some(), stop = 0, clocks = 0, flushed_at = 0;
        for (;; clocks++) {
            if (clocks > 100000) b.fail("a run does not end");
            if (clocks == fault_at) b.v.fault_i = (uint8_t)fault;
            b.v.flushed_i = b.v.flush_o && !flushing;
            if (!b.v.report_valid_o) flushed_at = clocks - 1;
            if (b.v.flush_o && flushing) flushing--;
            b.v.report_done_i = b.v.report_valid_o && !reporting;
            if (b.v.report_valid_o && reporting) reporting--;
            const bool done = b.v.report_done_i;
            if (done) {
                stop = report(fault);
                b.expect("clocks in the report", report_bits(311, 32), flushed_at);
            }
            b.settle();
            b.expect("done", b.v.done_o, done);
            b.expect("clocks are valid", b.v.clocks_valid_o, done);
            if (done) b.expect("clocks", b.v.clocks_o, clocks - 1);
            clock(b.v.flush_o ? 0 : events_full);
            if (done) break;
        }
        b.v.start_i = b.v.flushed_i = b.v.report_done_i = 0;
        for (unsigned i = some(); i > 0; i--) clock(0);
        return stop;
    }

    void runs_of(unsigned events_full) {
        b.v.command_done_i = 1;
        for (int i = 0; i < 300; i++) {
            commands();
            b.v.deliver_i = !parked && b.chance(10);
            if (!b.v.deliver_i || b.pick(2)) /* packets may follow */
                for (unsigned k = b.pick(9); k > 0; k--) add(CORE_CMD_PACKETS, 0);
            find_first();
            if (!opened) until = std::max(until, reached);
            const bool rests = sm.work.empty() && net.work.empty() && ring.empty();
            until += rests && b.chance(30) ? b.bits(29) : b.pick(300);
            for (bool again = false; run(events_full, again) == CORE_STOP_EVENTS_FULL;) {
                again = true; /* the host has taken the events, */
                full = false;
                seen->resumed++;
                if (b.pick(2) || until > reached + 1000) continue;
                /* or it had already asked for the next run */
                for (unsigned k = b.pick(4); k > 0; k--)
                    add(b.pick(2) ? CORE_CMD_LAUNCH : CORE_CMD_DRAM_REPLY,
                        std::max(until, reached) + b.pick(100));
                until = std::max(until, reached) + b.pick(300);
            }
        }
    }
};

/* A fault ends the run, whatever it was about to do, and stays. */
static void faults(uint32_t seed, Seen *seen) {
    Bench b(seed);
    Test t{b, seen, b.pick(5)};
    const unsigned fault = 1 + b.pick(CORE_FAULT_RING);
    b.v.command_done_i = 1;
    t.add(CORE_CMD_LAUNCH, 10);
    if (b.pick(2)) t.add(CORE_CMD_DRAM_REPLY, 30);
    t.first = (uint32_t)t.ring.size();
    t.until = 1000000;
    t.goes_on = 100;
    t.run(0, false, 1 + b.pick(300), fault);
    t.run(0, false, ~0u, fault);
}

/* Commands that the core cannot take. */
static void wrong(uint32_t seed, Seen *seen) {
    Bench b(seed);
    Test t{b, seen, b.pick(5)};
    b.v.command_done_i = 1;
    t.until = 100;
    t.run(0);
    const unsigned what = b.pick(3);
    t.until = 200;
    static const unsigned kinds[] = {15, CORE_CMD_LAUNCH, CORE_CMD_CLASS};
    t.add(kinds[what], 100 - 1 - b.pick(90));
    t.first = t.taken + (what != 2); /* the last one comes too late, */
    b.v.deliver_i = what == 2;       /* to a run that looks at it */
    t.run(0, false, ~0u, what == 1 ? CORE_FAULT_LAUNCH : CORE_FAULT_COMMAND);
}

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned slow : {0, 3, 20})
        for (unsigned events_full : {0, 30, 200}) {
            Bench b(seed++);
            Test t{b, &seen, slow};
            t.runs_of(events_full);
        }
    for (int i = 0; i < 200; i++) faults(seed++, &seen);
    for (int i = 0; i < 60; i++) wrong(seed++, &seen);
    if (!all_reached({seen.stops[0], seen.stops[1], seen.stops[2], seen.stops[3], seen.stops[4],
                      seen.windows, seen.both, seen.cut, seen.streamed, seen.jumps, seen.resumed,
                      seen.held, seen.later},
                     25))
        return 1;
    printf("heddle_run: passed\n");
    return 0;
}
