/* test_directed.cpp - the reference model against cycles worked out by hand from
 * docs/timing-model.md. Parameters are the defaults; a CTA begins at cycle 128. */
#include <criterion/criterion.h>

#include <cstring>

#include "tests/rtl/reference/compare.h"
#include "reference/reference_core.h"

using namespace reference;

struct Run {
    Outcome out;
    std::vector<Issue> trace;
    /* Cycles at which a warp issued. */
    std::vector<Cycle> of(unsigned warp) const {
        std::vector<Cycle> cycles;
        for (const Issue &i : trace)
            if (i.warp == warp) cycles.push_back(i.at);
        return cycles;
    }
    std::vector<Cycle> events(unsigned kind) const {
        std::vector<Cycle> cycles;
        for (const Event &e : out.events)
            if (e.kind == kind) cycles.push_back(e.at);
        return cycles;
    }
};

static Run run(const Stream &stream) {
    ReferenceCore core;
    Run r;
    core.trace_to(&r.trace);
    HostOptions host;
    host.up_front = true;
    r.out = run_stream(core, stream, host);
    cr_assert(r.out.error.empty(), "%s", r.out.error.c_str());
    return r;
}

static Run run(const char *name) {
    for (const Directed &d : directed_streams())
        if (!std::strcmp(d.name, name)) return run(d.make());
    cr_assert(false, "no directed stream %s", name);
    return {};
}

static void expect(const std::vector<Cycle> &got, const std::vector<Cycle> &want,
                   const char *what) {
    std::string g, w;
    for (Cycle c : got) g += " " + std::to_string(c);
    for (Cycle c : want) w += " " + std::to_string(c);
    cr_expect(got == want, "%s:\n  expected%s\n  got     %s", what, w.c_str(), g.c_str());
}

/* The pipe takes one every 2 cycles; the lowest warp is "last" after reset and stays, then the
 * highest ones follow; an exit is on another pipe and fits in between. */
Test(directed, ffma) {
    const Run r = run("ffma");
    for (unsigned sub = 0; sub < 4; sub++)
        for (unsigned k = 0; k < 4; k++) {
            const Cycle begin = 128 + 128 * (k ? 4 - k : 0);
            std::vector<Cycle> want;
            for (unsigned i = 0; i < 64; i++) want.push_back(begin + 2 * i);
            want.push_back(begin + 127);
            expect(r.of(4 * k + sub), want, "a warp's FFMA");
        }
    expect(r.out.ends, {639}, "end");
}

Test(directed, ffma_dependent) {
    std::vector<Cycle> want;
    for (unsigned i = 0; i <= 16; i++) want.push_back(128 + 4 * i);
    expect(run("ffma-dependent").of(0), want, "stall 4");
}

/* Relative to an issue at 2: 2, 3, 4, 5, 6, 13, 17, 21, then every 4 (address unit). The exit waits
 * for the last line from memory: issue 179, AU 182, stage 190, request 194, slice 264, DramRead
 * 284, data 412, reply leaves 432, arrives 502, enters in 1, usable 507. But all sixteen loads: 4
 * slices. */
Test(directed, loads) {
    const Run r = run("loads");
    std::vector<Cycle> got = r.of(0);
    got.pop_back();
    expect(got, {128, 129, 130, 131, 132, 139, 143, 147, 151, 155, 159, 163, 167, 171, 175, 179},
           "back-to-back loads");
    /* The n-th enters the address unit at 131 + 4 n. */
    std::vector<Cycle> reads;
    for (unsigned n = 0; n < 16; n++) reads.push_back(131 + 4 * n + 8 + 4 + 70 + 20);
    expect(r.events(CORE_EV_DRAM_READ), reads, "DramRead");
    expect(r.out.ends, {131 + 4 * 15 + 8 + 4 + 70 + 20 + 128 + 20 + 70 + 1 + 4}, "end");
}

/* Four sub-cores: the stage takes one in 2 cycles, so each sub-core one in 8, by credit. */
Test(directed, loads_four) {
    const Run r = run("loads-four");
    for (unsigned s = 0; s < 4; s++) {
        std::vector<Cycle> got = r.of(s), want = {128, 129, 130, 131, 132, 139, 143, 147, 151};
        got.pop_back();
        for (unsigned n = 9; n < 16; n++) want.push_back(155 + 2 * s + 8 * (n - 9));
        expect(got, want, "loads of one of four sub-cores");
    }
}

/* L1: 3 + 8 + 2 + 18. L2: 3 + 8 + 4 + 70 + (1 + 30 - 1) + 70 + 1 + 4. Memory: 3 + 8 + 4 + 70 + 20 +
 * 128 + 20 + 70 + 1 + 4. */
Test(directed, chase) {
    std::vector<Cycle> got = run("chase").of(0), want = {128};
    for (Cycle step : {328, 31, 31, 31, 190, 190, 190}) want.push_back(want.back() + step);
    expect(got, want, "latency of a load");
}

/* The port takes 5 cycles for a line of four sectors; the acknowledgement of the last one ends the
 * warp: 143 + 5 * 23 + 70 + 30 + 70 + 4. */
Test(directed, stores) {
    const Run r = run("stores");
    expect(r.out.ends, {432}, "end");
    cr_expect(r.events(CORE_EV_DRAM_WRITE).size() == 24, "all lines are written back by the flush");
    cr_expect(r.out.counters.dram_reads == 0, "a write reads nothing");
}

/* Store n is served at 143 + 5 n + 70, the reduction, n = 6, takes the slice for 32 cycles from
 * then on. What is cleaned goes to memory 20 cycles after the service. The second store to line 0
 * finds it dirty; line 8, in flight, is passed over, and stays dirty with line 10. */
Test(directed, dirty_ways) {
    const Run r = run("dirty-ways");
    std::vector<Cycle> lines, at;
    for (const Event &e : r.out.events)
        if (e.kind == CORE_EV_DRAM_WRITE) {
            lines.push_back(e.addr);
            at.push_back(e.at);
        }
    expect(lines, {0, 1, 2, 0, 3, 9, 8, 10}, "lines written");
    at.resize(6); /* the flush comes at the end */
    expect(at, {248, 253, 258, 263, 295, 299}, "DramWrite");
    cr_expect_eq(r.out.counters.dram_writes, 7 * 4 + 1);
}

/* 3 + 8 to the stage, 2 for the other sub-core's, 8 to open. */
Test(directed, ping_pong) {
    const Run r = run("ping-pong");
    std::vector<Cycle> want;
    for (unsigned i = 0; i <= 8; i++) want.push_back(128 + 21 * i);
    expect(r.of(0), want, "barriers of warp 0");
    expect(r.of(1), want, "barriers of warp 1");
}

Test(directed, end_opens_barrier) {
    const Run r = run("end-opens-barrier");
    cr_expect(r.of(0).back() == 128 + 39 * 4 + 4);
    expect(r.of(1), {128, 288 + 16 + 8, 288 + 16 + 8 + 1}, "waits for the end of the other");
}

/* Warp 0 first, as "last"; warp 4 in every fourth cycle from then on, also in the one in which warp
 * 0 could follow. The exit follows the last sleep. */
Test(directed, sleeps) {
    const Run r = run("sleeps");
    expect(r.of(0), {128, 134, 139, 1139, 9330}, "a warp that sleeps");
    std::vector<Cycle> want;
    for (unsigned i = 0; i <= 8; i++) want.push_back(129 + 4 * i);
    expect(r.of(4), want, "a warp beside it");
}

/* Warp 0 is "last" and goes first; then warp 8 is preferred, and warp 4 has the cycles in between.
 * Warp 8 ends at 141, warp 4 at 143: its exit waits 2 cycles for that pipe. */
Test(directed, yield) {
    const Run r = run("yield");
    expect(r.of(8), {129, 131, 133, 135, 137, 139, 141}, "warp 8");
    expect(r.of(4), {130, 132, 134, 136, 138, 140, 143}, "warp 4");
    expect(r.of(0), {128, 142, 144, 146, 148, 150, 152}, "warp 0");
}

Test(directed, clocks) {
    expect(run("clocks").events(CORE_EV_PERFORM), {128, 136, 144, 152}, "clock reads");
}

/* 3 + 8 to the stage, max(2, passes), 8 to the result. */
Test(directed, shared) {
    expect(run("shared").of(0), {128, 149, 170, 197, 248}, "shared loads");
}

/* Lines 0..3 take the set's MSHRs at 139, leave at 143.. and are back at 456..459, in slices of
 * their own. Each return lets one of lines 4..7 be looked up; line 8 waits for line 4 and is back
 * after another 317 + 317 cycles. */
Test(directed, mshr_stall) {
    const Run r = run("mshr-stall");
    expect(r.events(CORE_EV_DRAM_READ), {233, 234, 235, 236, 550, 551, 552, 553, 867}, "DramRead");
    expect(r.out.ends, {1090}, "end");
}

/* Three of a bank's cycles are free at first; then it is busy all the time. */
Test(directed, registers) {
    expect(run("registers-three").of(0), {128, 129, 132, 135, 138, 141, 144}, "three of one bank");
    expect(run("registers-two").of(0), {128, 129, 130, 132, 134, 136, 138}, "two of one bank");
    expect(run("registers-pairs").of(0), {128, 129, 130, 132, 134, 136, 138}, "two of each bank");
    expect(run("registers-reuse").of(0), {128, 129, 130, 131, 132, 133, 134}, "two of three kept");
    const Counters c = run("registers-three").out.counters;
    cr_expect_eq(c.wait[CORE_COUNTER_WAIT_REGISTER], 10);
    cr_expect_eq(c.wait[CORE_COUNTER_WAIT_STALL] + c.wait[CORE_COUNTER_WAIT_PIPE], 0);
}

/* The load's result comes at 128 + 21. Warp 4 issues every cycle from 129 to 137, then nobody. */
Test(directed, writes) {
    expect(run("writes-other").of(0), {128, 149, 150}, "nothing is written then");
    expect(run("writes-once").of(0), {128, 150, 151}, "the bank is written then");
    expect(run("writes-again").of(0), {128, 151, 152}, "and in the cycle behind that");
    expect(run("writes-pair").of(0), {128, 152, 153}, "one of two banks is always written");
    expect(run("writes-long").of(0), {128, 152, 153}, "no later than 3 cycles");
    cr_expect_eq(run("writes-again").out.counters.wait[CORE_COUNTER_WAIT_SHARED], 13);
}

/* A miss costs 79 cycles; in the first 4 nobody else may look. The pipe takes one in 2 cycles. */
Test(directed, constants) {
    const Run shared = run("constants-shared");
    expect(shared.of(0), {207, 208}, "the warp that looks first");
    expect(shared.of(8), {209, 210}, "the one that looks at 132");
    expect(shared.of(4), {211, 212}, "the one that looks at 136");
    cr_expect_eq(shared.out.counters.wait[CORE_COUNTER_WAIT_CONSTANT], 79);
    cr_expect_eq(shared.out.counters.wait[CORE_COUNTER_WAIT_PIPE], 0);
    expect(run("constants-evicted").of(0), {207, 288, 369, 450, 452, 533, 534}, "one set");
    const Run two = run("constants-of-two");
    const std::vector<Cycle> of = two.of(0);
    cr_assert_eq(of.size(), 9);
    expect({of[0], of[1], of[2]}, {207, 209, 210}, "the first");
    /* the second finds nothing, the third what the first has left */
    cr_expect_eq(two.out.counters.wait[CORE_COUNTER_WAIT_CONSTANT], 158);
}
