/* test_net_waiters.cpp - rtl/l2/net_waiters.sv against rule 9: when sectors of a line come, the
 * requests of the set that wait for nothing more are answered, in the order in which they were
 * served; the others keep their order. */
#include <deque>
#include <set>
#include <vector>

#include "Vnet_waiters.h"
#include "module_bench.h"

enum { NODE_BITS = 8, NODES = 256, SETS = 4 };

using Bench = ModuleBench<Vnet_waiters>;

struct Waiter {
    unsigned node, need, answer, sm, warp, bar, mshr, cached, trip;
    uint32_t line;
};

/* Requests of a set that wait, and what the slice keeps of them: a list with head and tail. */
struct Set {
    std::deque<Waiter> waiters;
    uint32_t list = 0;
};

static void shows(Bench &b, const Waiter &w) {
    b.expect("node", b.v.wake_node_o, w.node);
    b.expect("SM", b.v.wake_sm_o, w.sm);
    b.expect("warp", b.v.wake_warp_o, w.warp);
    b.expect("counter", b.v.wake_bar_o, w.bar);
    b.expect("MSHR", b.v.wake_mshr_o, w.mshr);
    b.expect("cached", b.v.wake_cached_o, w.cached);
    b.expect("trip", b.v.wake_trip_o, w.trip);
    b.expect("sectors", b.v.wake_sectors_o, w.answer);
}

static uint32_t list_of(unsigned head, unsigned tail) {
    return 1u << 2 * NODE_BITS | head << NODE_BITS | tail;
}

static void add(Bench &b, Set &set, std::set<unsigned> &free) {
    auto it = free.begin();
    std::advance(it, b.pick((uint32_t)free.size()));
    Waiter w = {*it,       1 + b.pick(15), b.pick(16), b.pick(256), b.pick(64),
                b.pick(8), b.pick(512),    b.pick(2),  b.pick(7),   b.pick(3) * 0x40000100u};
    free.erase(it);
    b.v.add_i = 1;
    b.v.node_i = (uint8_t)w.node;
    b.v.sm_i = (uint8_t)w.sm;
    b.v.warp_i = (uint8_t)w.warp;
    b.v.bar_i = (uint8_t)w.bar;
    b.v.mshr_i = (uint16_t)w.mshr;
    b.v.cached_i = (uint8_t)w.cached;
    b.v.trip_i = (uint8_t)w.trip;
    b.v.need_i = (uint8_t)w.need;
    b.v.answer_i = (uint8_t)w.answer;
    b.v.line_i = w.line;
    b.v.waiting_i = set.waiters.empty() ? b.bits(2 * NODE_BITS) : set.list;
    b.tick();
    b.v.add_i = 0;
    set.list = list_of(set.waiters.empty() ? w.node : set.waiters.front().node, w.node);
    set.waiters.push_back(w);
}

/* Sectors of a line come. @return clocks that the walk took */
static unsigned walk(Bench &b, Set &set, std::set<unsigned> &free, unsigned ready,
                     unsigned *answers) {
    const uint32_t line = set.waiters[b.pick((uint32_t)set.waiters.size())].line;
    const unsigned come = 1 + b.pick(15);
    std::deque<Waiter> woken, stays;
    for (Waiter w : set.waiters) {
        if (w.line == line) w.need &= ~come;
        (w.need ? stays : woken).push_back(w);
    }
    const size_t looks = set.waiters.size();
    b.v.start_i = 1;
    b.v.ready_i = 1;
    b.v.come_i = (uint8_t)come;
    b.v.line_i = line;
    b.v.waiting_i = set.list;
    unsigned clocks = 0, accepted = 0;
    for (;; clocks++) {
        if (clocks > 100000) b.fail("a walk does not end");
        if (clocks > 0) {
            b.v.start_i = 0;
            b.v.ready_i = b.chance(ready);
            b.v.waiting_i = b.bits(2 * NODE_BITS + 1);
            b.v.line_i = (uint32_t)b.bits(32);
            b.v.come_i = (uint8_t)b.pick(16);
        }
        b.settle();
        accepted += b.v.ready_i;
        if (b.v.wake_o) {
            if (woken.empty()) b.fail("node %u waits for more", b.v.wake_node_o);
            if (!b.v.ready_i) b.fail("an answer that is not taken");
            shows(b, woken.front());
            free.insert(woken.front().node);
            woken.pop_front();
            ++*answers;
        }
        const bool last = b.v.last_o;
        if (last) {
            b.expect("somebody stays", b.v.stay_o >> 2 * NODE_BITS, !stays.empty());
            if (!stays.empty())
                b.expect("who stays", b.v.stay_o, list_of(stays.front().node, stays.back().node));
            if (!woken.empty()) b.fail("%zu are not answered", woken.size());
        }
        b.tick();
        if (last) break;
    }
    b.v.start_i = b.v.ready_i = 0;
    if (ready == 100) /* two clocks a request and one to begin, or one */
        b.expect("clocks", clocks + 1, PIPELINED ? 2 * looks + 1 : looks);
    set.waiters = stays;
    set.list = stays.empty() ? 0 : list_of(stays.front().node, stays.back().node);
    return clocks;
}

static void run(uint32_t seed, unsigned adds, unsigned ready) {
    Bench b(seed);
    Set sets[SETS];
    std::set<unsigned> free;
    unsigned answers = 0, walks = 0;
    for (unsigned n = 0; n < NODES; n++) free.insert(n);
    b.v.runs_i = 1;
    b.settle();
    for (int i = 0; i < 6000; i++) {
        Set &set = sets[b.pick(SETS)];
        if (b.chance(adds) && !free.empty()) {
            add(b, set, free);
        } else if (!set.waiters.empty()) {
            walk(b, set, free, ready, &answers);
            walks++;
        } else {
            b.v.ready_i = (uint8_t)b.pick(2);
            b.settle();
            b.expect("nobody is answered", b.v.wake_o, 0);
            b.tick();
        }
    }
    if (answers < 500 || walks < 500) b.fail("%u answers in %u walks", answers, walks);
}

int main() {
    uint32_t seed = 1;
    for (unsigned adds : {50, 70, 80})
        for (unsigned ready : {100, 40}) run(seed++, adds, ready);
    printf("net_waiters: passed\n");
    return 0;
}
