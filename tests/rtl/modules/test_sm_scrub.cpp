/* test_sm_scrub.cpp - rtl/sm/sm_scrub.sv against rule 15: before a window or a command that comes a
 * period after the last time, each warp of each SM gets one visit, with the floor of that time. */
#include "Vsm_scrub.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_scrub>;

enum { NEAR_BITS = TIME_BITS < 30 ? TIME_BITS : 30, MARGIN = 256, APART = PIPELINED ? 4 : 1 };

struct Seen {
    unsigned scrubs = 0, all = 0, commands = 0, waits = 0, none = 0;
};

/* From the clock behind the one that began it. */
static void scrub(Bench &b, uint64_t reached, bool all, Seen *seen) {
    const unsigned visits = (b.v.last_sm_i + 1u) * 64;
    b.v.go_i = 0;
    for (unsigned clock = 0; clock <= (visits - 1) * APART; clock++) {
        b.v.busy_i = b.chance(50);
        b.v.cmd_valid_i = b.chance(20); /* one more is no reason for another scrub */
        b.v.cmd_ready_i = b.chance(20);
        b.settle();
        b.expect("scrub", b.v.scrub_o, 1);
        b.expect("a visit", b.v.visit_o, clock % APART == 0);
        if (b.v.visit_o) b.expect("to", b.v.count_o, clock / APART);
        b.expect("floor", b.v.floor_o, kept(reached - MARGIN));
        b.expect("all", b.v.all_o, all);
        b.tick();
    }
    b.v.cmd_valid_i = 0;
    for (unsigned left = b.pick(10);; left--) { /* until nothing is under way */
        b.v.busy_i = left > 0;
        b.settle();
        b.expect("scrub", b.v.scrub_o, 1);
        b.expect("no visit", b.v.visit_o, 0);
        b.tick();
        seen->waits++;
        if (!left) break;
    }
    b.settle();
    b.expect("scrub", b.v.scrub_o, 0);
}

static void run(uint32_t seed, Seen *seen) {
    Bench b(seed);
    uint64_t reached = 0, scrubbed = 0;
    b.v.last_sm_i = (uint8_t)b.pick(4);
    b.v.period_i = 1u << (3 + b.pick(NEAR_BITS - 4));
    for (int i = 0; i < 200; i++) {
        reached += b.bits(b.chance(10) ? 32 : 2 + b.pick(NEAR_BITS));
        const uint32_t since = (uint32_t)(reached - scrubbed);
        b.v.reached_i = (uint32_t)reached;
        for (unsigned k = b.pick(4); k > 0; k--) { /* a beat that is offered only */
            const bool offered = b.pick(2);
            b.v.cmd_valid_i = offered;
            b.v.cmd_ready_i = !offered;
            b.v.busy_i = b.pick(2);
            b.tick();
            b.expect("scrub", b.v.scrub_o, 0);
            b.expect("no visit", b.v.visit_o, 0);
        }
        const bool command = b.pick(2);
        b.v.go_i = !command;
        b.v.cmd_valid_i = b.v.cmd_ready_i = command;
        b.tick();
        b.v.go_i = b.v.cmd_valid_i = 0;
        if (since < b.v.period_i) {
            b.expect("scrub", b.v.scrub_o, 0);
            seen->none++;
            continue;
        }
        scrubbed = reached;
        const bool all = since >> (NEAR_BITS - 1);
        scrub(b, reached, all, seen);
        seen->scrubs++;
        seen->all += all;
        seen->commands += command;
    }
}

int main() {
    Seen seen;
    for (uint32_t seed = 1; seed <= 10; seed++) run(seed, &seen);
    if (seen.scrubs < 300 || seen.all < 50 || seen.commands < 50 || seen.none < 50)
        return fprintf(stderr, "%u scrubs, %u of all, %u by commands, %u not yet\n", seen.scrubs,
                       seen.all, seen.commands, seen.none),
               1;
    printf("sm_scrub: passed\n");
    return 0;
}
