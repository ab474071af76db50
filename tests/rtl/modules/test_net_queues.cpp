/* test_net_queues.cpp - rtl/l2/net_queues.sv against rule 9: in a window each slice's messages are
 * in work in the order of the rule, at their times, until one is stuck or lies behind the window's
 * end; what is left, and when, stays for the next windows; scrubbing changes nothing. */
#include <algorithm>
#include <deque>
#include <vector>

#include "Vnet_queues.h"
#include "net_bench.h"

using Bench = ModuleBench<Vnet_queues>;

enum : uint64_t { NEVER = UINT64_C(1) << 32, NONE = ~UINT64_C(0) };
enum { ENTRIES = 40 }; /* of memory, that a slice may take */

struct Message {
    unsigned node;
    uint64_t at;
};

struct Slice {
    std::deque<Message> list[4]; /* by Op: requests, those of the other side, fills, from there */
    bool stuck[2] = {false, false};
    unsigned entries = 0;
    uint64_t free = 0, last_fill = 0; /* free: in 1/256 cycles */
};

/* What a slice does next. */
struct Next {
    uint64_t at = NONE; /* cycle */
    Op op = OpRequest;
    uint64_t start = 0; /* 1/256 cycles */
};

struct Seen {
    unsigned ops[4] = {}, stuck = 0, far_stuck = 0, waited = 0, equal = 0, left = 0, faults = 0,
             jumps = 0, in_turn = 0;
};

struct Test {
    Bench &b;
    bool two;
    unsigned slices, arrivals;
    Seen *seen;
    Slice slice[SLICES];
    std::vector<unsigned> free_nodes;
    uint64_t now = (UINT64_C(7) << 32) - 4000;

    Next next_of(const Slice &s) {
        Next n, come;
        for (Op op : {OpRequest, OpFar}) {
            if (s.list[op].empty() || s.stuck[op]) continue;
            if (n.at != NONE && n.at <= s.list[op].front().at) continue;
            n.at = s.list[op].front().at;
            n.op = op;
        }
        if (n.at != NONE) {
            n.start = std::max(n.at * 256, s.free);
            n.at = (n.start + 255) / 256;
        }
        for (Op op : {OpFill, OpBack}) {
            if (s.list[op].empty() || s.list[op].front().at >= come.at) continue;
            come.at = s.list[op].front().at;
            come.op = op;
        }
        seen->equal += come.at != NONE && come.at == n.at;
        return come.at <= n.at ? come : n;
    }

    unsigned take_node() {
        const size_t i = b.pick((uint32_t)free_nodes.size());
        const unsigned node = free_nodes[i];
        free_nodes.erase(free_nodes.begin() + (long)i);
        return node;
    }

    uint64_t bound() {
        uint64_t first = NONE;
        for (unsigned s = 0; s < slices; s++) first = std::min(first, next_of(slice[s]).at);
        return first == NONE ? (uint64_t)NEVER : (uint32_t)first;
    }

    /* Memory replies, or the host is wrong. */
    void memory() {
        const unsigned number = b.pick(slices);
        Slice &s = slice[number];
        const bool can = s.entries > s.list[OpFill].size(), wrong = b.chance(4);
        if (free_nodes.empty() || (!can && !wrong)) return;
        Message m = {take_node(), 0};
        m.at = std::max(now + b.pick(b.chance(50) ? 20 : 300),
                        s.list[OpFill].empty() ? 0 : s.list[OpFill].back().at);
        unsigned fault = CORE_FAULT_NONE;
        b.v.dram_i = 1;
        b.v.dram_written_i = b.chance(30);
        b.v.dram_asked_i = b.v.dram_written_i ? b.pick(16) : 1 + b.pick(15);
        if (wrong && b.pick(2)) {
            fault = CORE_FAULT_DRAM_ID;
            b.v.dram_written_i = b.v.dram_asked_i = 0;
        } else if (wrong) {
            fault = CORE_FAULT_DRAM_ORDER;
            m.at = s.list[OpFill].empty() ? now - 1 - b.pick(100) : s.list[OpFill].back().at - 1;
        }
        b.v.dram_node_i = (uint8_t)m.node;
        b.v.dram_slice_i = (uint8_t)number;
        b.v.dram_at_i = (uint32_t)m.at;
        b.tick();
        b.v.dram_i = 0;
        b.expect("fault", b.v.fault_o, fault);
        seen->faults += wrong;
        if (wrong)
            free_nodes.push_back(m.node);
        else
            s.list[OpFill].push_back(m);
        b.expect("next", b.v.next_o, bound());
    }

    /* Messages of this window, in order of time. */
    void arrive(uint64_t end, bool *started) {
        uint64_t at = now;
        for (unsigned left = b.pick(arrivals); left > 0 && free_nodes.size() > 8; left--) {
            at = std::min(end - 1, at + b.pick(3));
            const unsigned number = b.pick(slices), source = b.pick(two ? 3 : 1);
            const Op op = source == 0 ? OpRequest : source == 1 ? OpFar : OpBack;
            const Message m = {take_node(), at};
            slice[number].list[op].push_back(m);
            b.v.arrive_i = 1;
            b.v.arrive_source_i = (uint16_t)(op == OpRequest && b.chance(20)
                                                 ? FIRST_OTHER + b.pick(16)
                                             : op == OpRequest ? b.pick(FIRST_SLICE)
                                             : op == OpFar     ? FIRST_FAR + b.pick(SLICES)
                                                               : FIRST_BACK + b.pick(SLICES));
            b.v.arrive_time_i = (uint32_t)at;
            b.v.arrive_node_i = (uint8_t)m.node;
            b.v.arrive_slice_i = (uint8_t)number;
            b.v.start_i = *started = left == 1 && b.pick(2);
            b.tick();
            b.v.arrive_i = b.v.start_i = 0;
            if (!*started && b.chance(20)) b.tick();
        }
    }

    /* A message is in work, for a while. */
    void work(unsigned number, const Next &n) {
        Slice &s = slice[number];
        const Message m = s.list[n.op].front();
        const bool request = n.op == OpRequest || n.op == OpFar;
        bool pending = s.entries || !s.list[OpBack].empty();
        const bool stuck = request && pending && b.chance(15);
        const unsigned add = request && s.entries < ENTRIES ? b.pick(3) : 0;
        const uint32_t busy = b.chance(5) ? b.pick(1 << 20) : b.pick(3000);
        seen->ops[n.op]++;
        seen->waited += request && m.at * 256 < s.free;
        unsigned before = b.pick(3), after = b.pick(3) ? 0 : b.pick(4);
        b.expect("entries", b.v.entries_o, s.entries);
        for (unsigned clock = 0; clock <= before + after; clock++) {
            b.expect("work", b.v.work_o, 1);
            b.expect("pick", b.v.pick_o, clock == 0);
            b.expect("slice", b.v.slice_o, number);
            b.expect("op", b.v.op_o, n.op);
            b.expect("node", b.v.head_o, m.node);
            b.expect("service", b.v.service_o, (uint32_t)n.at);
            const bool acts = clock == before;
            b.v.take_i = acts && request && !stuck;
            b.v.stuck_i = acts && stuck;
            b.v.pop_i = acts && !stuck;
            b.v.again_i = acts && !request;
            b.v.add_i = acts && !stuck ? (uint8_t)add : 0;
            b.v.busy_i = b.v.take_i ? busy : (uint32_t)b.bits(24);
            b.v.done_i = clock == before + after;
            b.tick();
        }
        b.v.take_i = b.v.stuck_i = b.v.pop_i = b.v.again_i = b.v.add_i = b.v.done_i = 0;
        if (stuck) {
            s.stuck[n.op] = true;
            ++*(n.op == OpFar ? &seen->far_stuck : &seen->stuck);
            return;
        }
        s.list[n.op].pop_front();
        free_nodes.push_back(m.node);
        if (request) {
            s.free = n.start + busy;
            s.entries += add;
            return;
        }
        s.entries -= n.op == OpFill;
        if (s.stuck[0] || s.stuck[1]) s.free = std::max(s.free, n.at * 256);
        s.stuck[0] = s.stuck[1] = false;
    }

    void window() {
        const uint64_t end = now + 1 + b.pick(32);
        bool started = false;
        b.v.reached_i = (uint32_t)now;
        b.v.window_end_i = (uint32_t)end;
        arrive(end, &started);
        if (!started) {
            b.v.start_i = 1;
            b.tick();
            b.v.start_i = 0;
        }
        b.v.serve_i = 1;
        bool first = true;
        for (unsigned number = 0; number < slices; number++) {
            bool any = false; /* messages of this slice before */
            bool active = false;
            for (auto &list : slice[number].list) active = active || !list.empty();
            for (;; any = true) {
                const Next n = next_of(slice[number]);
                if (n.at >= end) break;
                unsigned clocks = 1;
                while (!b.v.work_o) {
                    if (b.v.served_o || clocks > 5000) b.fail("slice %u is not served", number);
                    b.tick();
                    clocks++;
                }
                if (any) b.expect("clocks from a message to the next", clocks, PIPELINED ? 4 : 1);
                if (first && !any)
                    b.expect("clocks to the first message", clocks, PIPELINED ? 6 : 2);
                work(number, n);
            }
            if (active) first = false;
            seen->in_turn += any;
        }
        for (unsigned clocks = 0; !b.v.served_o; clocks++) {
            b.expect("no message is left", b.v.work_o, 0);
            if (clocks > 5000) b.fail("the window does not end");
            b.tick();
        }
        b.tick();
        b.v.serve_i = 0;
        b.expect("next", b.v.next_o, bound());
        seen->left += bound() != NEVER;
        now = end;
    }

    void scrub(bool all) {
        b.v.scrub_all_i = all;
        b.v.scrub_floor_i = (uint32_t)(now - (all ? 1 : 1000));
        for (unsigned number = 0; number < SLICES; number++) {
            b.v.scrub_i = 1;
            b.v.scrub_slice_i = (uint8_t)number;
            b.tick();
        }
        b.v.scrub_i = 0;
        b.tick();
    }

    /* Nothing is left, for a long time. */
    void jump() {
        for (auto &s : slice) {
            if (s.free >= now * 256) return;
            for (auto &list : s.list)
                if (!list.empty()) return;
        }
        now += (UINT64_C(1) << 31) + b.bits(30);
        scrub(true);
        seen->jumps++;
    }

    void run() {
        for (unsigned n = 0; n < NODES; n++) free_nodes.push_back(n);
        b.v.two_i = two;
        while (!b.v.ready_o) b.tick();
        scrub(true);
        for (int i = 0; i < 1500; i++) {
            b.v.reached_i = (uint32_t)now;
            for (unsigned left = b.pick(2 * slices); left > 0; left--) memory();
            if (b.chance(5)) scrub(false);
            if (b.chance(70)) jump();
            window();
            if (b.chance(20)) now += b.pick(100); /* to the next work, at most */
            if (const uint64_t next = bound(); next != NEVER && (int32_t)(next - now) < 0)
                now -= (uint32_t)(now - next);
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned slices : {1, 3, 96})
        for (unsigned arrivals : {2, 4, 20}) {
            Bench b(seed);
            Test t{b, seed++ % 2 == 0, slices, arrivals, &seen, {}, {}};
            t.run();
        }
    if (seen.jumps < 10) return fprintf(stderr, "%u jumps\n", seen.jumps), 1;
    if (!all_reached({seen.ops[0], seen.ops[1], seen.ops[2], seen.ops[3], seen.stuck, seen.waited,
                      seen.equal, seen.left, seen.far_stuck, seen.faults, seen.in_turn},
                     40))
        return 1;
    printf("net_queues: passed\n");
    return 0;
}
