/* test_net_window.cpp - rtl/l2/net_window.sv: the phases of a window come in their order, each
 * until its work is done; stored times are scrubbed in time (docs/timing-model.md, rule 15), sets
 * are emptied before they are used, and what comes next is said when all is done. */
#include <algorithm>

#include "Vnet_window.h"
#include "net_bench.h"

using Bench = ModuleBench<Vnet_window>;

enum : uint64_t { NEVER = UINT64_C(1) << 32 };

struct Seen {
    unsigned scrubs = 0, all = 0, clears = 0, both = 0, late = 0, never = 0;
};

/* What nobody wants now. */
static void phases(Bench &b, bool scrub, bool flush, bool extract, bool serve) {
    b.expect("scrub", b.v.scrub_o, scrub);
    b.expect("flush", b.v.flush_o, flush);
    b.expect("extract", b.v.extract_o, extract);
    b.expect("serve", b.v.serve_o, serve);
    b.expect("idle", b.v.idle_o, 0);
    b.expect("rests", b.v.rests_o, 0);
}

/* Others work: what they say of it is none of this module's affair. */
static void noise(Bench &b) {
    b.v.wake_i = b.chance(20);
    b.v.busy_i = b.chance(30);
    b.v.window_end_i = (uint32_t)b.bits(32);
    b.v.reached_i = (uint32_t)b.bits(32);
}

/* All slices, one after another. */
static void scrub(Bench &b, uint64_t reached, uint64_t since) {
    for (unsigned slice = 0; slice < SLICES; slice++) {
        phases(b, true, false, false, false);
        b.expect("slice", b.v.scrub_slice_o, slice);
        b.expect("all", b.v.scrub_all_o, since >> 31);
        b.expect("floor", b.v.scrub_floor_o, (uint32_t)(reached - (1 << 16)));
        noise(b);
        b.tick();
    }
    /* the clock that was read last is written */
    for (unsigned i = 0; i < 2; i++) {
        phases(b, false, false, false, false);
        b.expect("all", b.v.scrub_all_o, since >> 31);
        b.expect("floor", b.v.scrub_floor_o, (uint32_t)(reached - (1 << 16)));
        b.tick();
    }
}

static void clear(Bench &b) {
    phases(b, false, true, false, false);
    b.tick();
    for (unsigned left = 1 + b.pick(20); left > 0; left--) {
        b.v.flushing_i = 1;
        b.v.extracted_i = b.chance(20); /* of long ago */
        b.v.served_i = b.chance(20);
        noise(b);
        phases(b, false, false, false, false);
        b.tick();
    }
    b.v.flushing_i = b.v.clear_i = 0;
    b.tick();
}

/* Until the neighbour says that it is done, in its last clock. */
static void until(Bench &b, uint8_t &done, bool extract, uint32_t end) {
    for (unsigned left = b.pick(8);; left--) {
        done = left == 0;
        b.settle();
        phases(b, false, false, extract, !extract);
        b.expect("replied", b.v.replied_o, !extract);
        b.expect("window", b.v.window_end_o, end);
        noise(b);
        b.tick();
        if (!left) break;
    }
    done = 0;
}

/* Idle two clocks behind the last one in which something is done, with the first of both bounds. */
static void rest(Bench &b, uint64_t end, Seen *seen) {
    uint64_t bound[2], first = NEVER;
    for (uint64_t &next : bound) {
        next = b.chance(30) ? (uint64_t)NEVER : (uint32_t)(end + b.pick(1000));
        if (next == NEVER) continue;
        if (first == NEVER || (int32_t)((uint32_t)next - (uint32_t)first) < 0) first = next;
    }
    b.v.calendar_next_i = bound[0];
    b.v.queues_next_i = bound[1];
    for (unsigned left = b.pick(6); left > 0; left--) {
        const bool wakes = b.chance(50);
        b.v.wake_i = wakes;
        b.v.busy_i = !wakes;
        b.expect("idle", b.v.idle_o, 0);
        b.expect("rests", b.v.rests_o, 1);
        b.tick();
        seen->late++;
    }
    b.v.wake_i = b.v.busy_i = 0;
    b.expect("idle", b.v.idle_o, 0);
    b.tick();
    b.expect("idle", b.v.idle_o, 1);
    b.expect("next", b.v.next_o, first);
    seen->never += first == NEVER;
}

/* Something comes while it is idle; then it is idle again. */
static void wake(Bench &b) {
    b.v.wake_i = 1;
    b.tick();
    b.v.wake_i = 0;
    b.expect("idle", b.v.idle_o, 0);
    for (unsigned left = b.pick(5); left > 0; left--) {
        b.v.busy_i = 1;
        b.tick();
        b.expect("idle", b.v.idle_o, 0);
    }
    b.v.busy_i = 0;
    const uint64_t next = (uint32_t)(b.v.window_end_o + b.pick(1000));
    b.v.calendar_next_i = NEVER;
    b.v.queues_next_i = next;
    b.tick();
    b.expect("idle", b.v.idle_o, 1);
    b.expect("next", b.v.next_o, next);
}

static void run(uint32_t seed, Seen *seen) {
    Bench b(seed);
    uint64_t reached = 0, scrubbed = 0;
    b.v.scrub_period_i = 1u << (10 + b.pick(20));
    b.v.clear_i = 1;
    b.v.calendar_next_i = b.v.queues_next_i = NEVER;
    while (!b.v.idle_o) b.tick();
    for (int i = 0; i < 300; i++) {
        reached += b.chance(5) ? b.bits(32) : b.bits(4 + b.pick(20));
        const uint64_t since = (reached - scrubbed) & 0xffffffff, end = reached + 1 + b.pick(32);
        const bool scrubs = since >= b.v.scrub_period_i, clears = b.v.clear_i;
        b.v.go_i = 1;
        b.v.reached_i = (uint32_t)reached;
        b.v.window_end_i = (uint32_t)end;
        b.tick();
        b.v.go_i = 0;
        /* what was the next work is in this window; the rest is not before its end */
        b.v.calendar_next_i = b.v.queues_next_i = NEVER;
        b.expect("replied", b.v.replied_o, 0);
        if (scrubs) scrub(b, reached, since);
        if (scrubs) scrubbed = reached;
        if (clears) clear(b);
        seen->scrubs += scrubs;
        seen->all += scrubs && since >> 31;
        seen->clears += clears;
        seen->both += scrubs && clears;
        until(b, b.v.extracted_i, true, (uint32_t)end);
        until(b, b.v.served_i, false, (uint32_t)end);
        rest(b, end, seen);
        if (b.chance(40)) wake(b);
        for (unsigned k = b.pick(4); k > 0; k--) b.tick();
        b.v.clear_i = b.chance(20);
        b.expect("fault", b.v.fault_o, CORE_FAULT_NONE);
    }
}

/* The first fault stays; of several in a clock the parameter's, flush's, serve's, queues' go first.
 * */
static void faults(uint32_t seed) {
    Bench b(seed);
    unsigned first = CORE_FAULT_NONE;
    for (int i = 0; i < 60; i++) {
        uint8_t *ports[] = {&b.v.parameter_fault_i, &b.v.flush_fault_i, &b.v.serve_fault_i,
                            &b.v.queues_fault_i};
        unsigned now = CORE_FAULT_NONE;
        for (uint8_t *port : ports) {
            *port = b.chance(3) ? (uint8_t)(1 + b.pick(8)) : (uint8_t)CORE_FAULT_NONE;
            if (!now) now = *port;
        }
        b.v.order_i = b.chance(3);
        b.v.empty_i = b.chance(3);
        if (!now && b.v.order_i) now = CORE_FAULT_REQUEST_ORDER;
        if (!now && b.v.empty_i) now = CORE_FAULT_REQUEST_POOL;
        if (!first) first = now;
        b.v.wake_i = 1;
        b.tick();
        b.expect("fault", b.v.fault_o, first);
    }
}

int main() {
    Seen seen;
    for (uint32_t seed = 1; seed <= 20; seed++) run(seed, &seen);
    for (uint32_t seed = 1; seed <= 200; seed++) faults(seed);
    if (std::min({seen.scrubs, seen.all, seen.clears, seen.both, seen.late, seen.never}) < 50) {
        fprintf(stderr, "%u scrubs, %u of all, %u clears, %u both, %u late, %u never\n",
                seen.scrubs, seen.all, seen.clears, seen.both, seen.late, seen.never);
        return 1;
    }
    printf("net_window: passed\n");
    return 0;
}
