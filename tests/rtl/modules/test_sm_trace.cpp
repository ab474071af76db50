/* test_sm_trace.cpp - rtl/sm/sm_trace.sv: each issue is seen once, with the warp's number on its SM
 * and the time in full. */
#include "Vsm_trace.h"
#include "sm_bench.h"

static void run(uint32_t seed, unsigned issues) {
    ModuleBench<Vsm_trace> b(seed);
    uint64_t now = FIRST_TIME;
    unsigned seen = 0;
    for (int i = 0; i < 10000; i++) {
        now += b.pick(b.chance(5) ? 100000 : 4);
        const uint64_t at = now + b.pick(400);
        const unsigned sm = b.pick(SMS), sub = b.pick(SUBS), warp = b.pick(1 << WARP_BITS);
        const bool issue = b.chance(issues);
        b.v.reached_i = (uint32_t)now;
        b.v.upd_issue_i = issue;
        b.v.upd_id_i = (sm << SUB_BITS | sub) << WARP_BITS | warp;
        b.v.upd_at_i = kept(at);
        b.tick();
        b.expect("an issue", b.v.issue_valid_o, issue);
        if (!issue) continue;
        b.expect("SM", b.v.issue_sm_o, sm);
        b.expect("warp", b.v.issue_warp_o, warp * SUBS + sub);
        b.expect("at", b.v.issue_time_o, (uint32_t)at);
        seen++;
    }
    if (seen < 1000) b.fail("%u issues", seen);
}

int main() {
    run(1, 100);
    run(2, 30);
    printf("sm_trace: passed\n");
    return 0;
}
