// test_cycles.cpp - hand-computed cycles of the SM engine, and an SM that stands still while others
// go on.
#include "Vsm_engine.h"
#ifdef HEDDLE_ONE_EVALUATION
#include "Vsm_engine___024root.h"
#endif
#include "bench.h"

HEDDLE_CLOCKED(Vsm_engine, clk_i)

static int failed;

static void check(bool ok, const char *what) {
    printf("%s %s\n", ok ? "ok  " : "FAIL", what);
    failed |= !ok;
}

// Issues of one warp, counted from the launch.
static std::vector<uint32_t> issues(const Result &r, unsigned sm, unsigned warp) {
    std::vector<uint32_t> out;
    for (const Issue &i : r.trace)
        if (i.sm == sm && i.warp == warp) out.push_back(i.at - 16);
    std::sort(out.begin(), out.end());
    return out;
}

static bool equals(const std::vector<uint32_t> &got, const std::vector<uint32_t> &want) {
    bool same = got.size() >= want.size() && std::equal(want.begin(), want.end(), got.begin());
    if (same) return true;
    for (uint32_t t : got) printf(" %u", t);
    printf("  instead of");
    for (uint32_t t : want) printf(" %u", t);
    printf("\n");
    return false;
}

static Stream finish(Stream s) {
    Item last = make_item(kBranch);
    core_packet_set_wait_mask(last.packet, 0x7f);
    core_packet_set_last(last.packet, 1);
    s.push_back(last);
    return s;
}

static Stream memory_stream(unsigned kind, unsigned count) {
    Stream s;
    for (unsigned i = 0; i < count; i++) {
        Item item = make_item(kind == CORE_MEM_LOAD ? kMemory : kShared);
        core_packet_set_mem(item.packet, kind);
        core_packet_set_wr_bar(item.packet, i % 6);
        core_packet_set_rd_bar(item.packet, (i + 1) % 6);
        if (kind == CORE_MEM_LOAD) {
            core_packet_set_lines(item.packet, 1);
            item.lines.push_back(make_line(5, 15, 0, 32));
        }
        s.push_back(item);
    }
    return finish(s);
}

static Result run(unsigned num_sm, unsigned warps, const Stream &s, uint64_t starve_sm0 = 0) {
    Setting set;
    set.num_sm = num_sm;
    set.num_ctas = num_sm;
    set.ctas_per_sm = 1;
    set.warps = warps;
    set.buffer = 8;
    set.trace = true;
    set.max_clocks = 5000000;
    set.starve_sm0 = starve_sm0;
    return Bench<Vsm_engine>(set, [&](unsigned, unsigned) { return &s; }).run();
}

// A pipe, the memory queue and the memory stage that nobody used for more than half of 32 bits of
// time: what they keep from then must not look like the future.
static void long_pause() {
    Stream used, other;
    for (unsigned i = 0; i < 4; i++) used.push_back(make_item(kFp64));
    for (const Item &i : memory_stream(CORE_MEM_SHARED_LOAD, 8)) used.push_back(i);
    for (unsigned i = 0; i < 4; i++) other.push_back(make_item(kInt));
    other = finish(other);
    Setting set;
    set.num_sm = set.ctas_per_sm = set.warps = 1;
    set.num_ctas = 3;
    set.trace = true;
    set.gap = (1u << 30) + 4096;
    set.max_clocks = 5000000;
    Result r = Bench<Vsm_engine>(set, [&](unsigned cta, unsigned) {
                   return cta == 1 ? &other : &used;
               }).run();
    std::vector<Issue> first, last;
    for (const Issue &i : r.trace) {
        if (i.at < 1u << 29) first.push_back(i);
        if (i.at > 1u << 31) last.push_back(i);
    }
    bool same = first.size() == used.size() && last.size() == first.size();
    for (size_t i = 0; same && i < last.size(); i++)
        same = last[i].at - last[0].at == first[i].at - first[0].at;
    check(same, "after a pause of more than 2^31 cycles: the same cycles");
}

// A shared load into even registers comes 3 + 8 + 2 + 8 cycles after its issue at 0. What issues at
// 17 and 18 writes in 4 cycles, and what waits for the load cannot issue in a cycle in which its
// bank is written.
static void write_ports() {
    static const struct {
        unsigned ports, first, second;
        uint32_t use;
        const char *what;
    } rows[] = {
        {1, 1, 1, 23, "a load's result waits for two of fixed latency in its bank"},
        {1, 1, 2, 22, "for one: the next one goes to the other bank"},
        {1, 2, 1, 21, "for none: the first one goes to the other bank"},
        {1, 3, 0, 22, "for one in both banks"},
        {0, 1, 1, 21, "for none with as many ports as are wanted"},
    };
    for (const auto &row : rows) {
        Item load = make_item(kShared), first = make_item(kFp32), second = make_item(kInt),
             use = make_item(kFp64);
        core_packet_set_mem(load.packet, CORE_MEM_SHARED_LOAD);
        core_packet_set_wr_bar(load.packet, 1);
        core_packet_set_stall(load.packet, 15);
        core_packet_set_dst(load.packet, 1);
        Item gap = make_item(kBranch);
        core_packet_set_stall(gap.packet, 2);
        core_packet_set_dst(first.packet, row.first);
        core_packet_set_dst(second.packet, row.second);
        core_packet_set_wait_mask(use.packet, 1 << 1);
        const Stream s = finish({load, gap, first, second, use});
        Setting set;
        set.num_sm = set.num_ctas = set.ctas_per_sm = set.warps = 1;
        set.trace = true;
        set.params[CORE_PARAM_WRITE_PORTS] = row.ports;
        Result r = Bench<Vsm_engine>(set, [&](unsigned, unsigned) { return &s; }).run();
        check(equals(issues(r, 0, 0), {0, 15, 17, 18, row.use}), row.what);
    }
}

// Nothing of what an engine did before a reset is left, in any of its memories.
static void reset_again() {
    Stream s = memory_stream(CORE_MEM_SHARED_LOAD, 40);
    s.insert(s.begin(), 7, make_item(kInt)); // no multiple of what a buffer holds
    Setting set;
    set.num_sm = 2;
    set.num_ctas = set.ctas_per_sm = 4;
    set.warps = 4;
    Bench<Vsm_engine> bench(set, [&](unsigned, unsigned) { return &s; });
    const Result first = bench.run();
    check(bench.run().same(first), "a reset behind a run: the run is as it was");
}

int main() {
    // The known pattern 2, 3, 4, 5, 6, 13, 17, 21, 25: five queue slots, then the address unit.
    for (unsigned kind : {(unsigned)CORE_MEM_LOAD, (unsigned)CORE_MEM_SHARED_LOAD}) {
        Result r = run(1, 1, memory_stream(kind, 12));
        check(equals(issues(r, 0, 0), {0, 1, 2, 3, 4, 11, 15, 19, 23, 27, 31, 35}),
              "back-to-back memory operations of one sub-core");
    }
    // Four sub-cores share the memory stage: each issues every eight cycles in the end.
    Result four = run(1, 4, memory_stream(CORE_MEM_SHARED_LOAD, 40));
    bool steady = true;
    for (unsigned w = 0; w < 4; w++) {
        std::vector<uint32_t> at = issues(four, 0, w);
        for (size_t i = 20; i < 40; i++) steady &= at[i] - at[i - 1] == 8;
    }
    check(steady, "four sub-cores: every eight cycles");

    // FFMA: the pipe takes one every two cycles; its latency does not count without a dependence.
    Stream ffma;
    for (unsigned i = 0; i < 6; i++) ffma.push_back(make_item(kFp32));
    check(equals(issues(run(1, 1, finish(ffma)), 0, 0), {0, 2, 4, 6, 8, 10}),
          "FFMA every two cycles");

    // The longest wins of stall count, yield, variable latency and operand release.
    Stream s;
    Item a = make_item(kSfu); // latency 18, barrier 2; the next one waits for it
    core_packet_set_wr_bar(a.packet, 2);
    core_packet_set_stall(a.packet, 2);
    s.push_back(a);
    Item b = make_item(kInt);
    core_packet_set_wait_mask(b.packet, 1 << 2);
    core_packet_set_do_yield(b.packet, 1);
    core_packet_set_rd_bar(b.packet, 1);
    s.push_back(b);
    Item c = make_item(kBranch); // two cycles later because of the yield
    core_packet_set_stall(c.packet, 15);
    s.push_back(c);
    s.push_back(make_item(kBranch));
    check(equals(issues(run(1, 1, finish(s)), 0, 0), {0, 18, 20, 35}), "stall, yield, barriers");

    // Two warps of a sub-core meet at a CTA barrier: the later arrival at the memory stage is at
    // 1 + 3 + 4 + 8 cycles... which the next issues show: stage start + barrier latency.
    Stream meet;
    Item bar = make_item(kCtaBar);
    core_packet_set_mem(bar.packet, CORE_MEM_BARRIER);
    core_packet_set_stall(bar.packet, 2);
    meet.push_back(bar);
    meet.push_back(make_item(kBranch));
    Result met = run(1, 2, finish(meet)); // warps 0 and 1 lie in two sub-cores: starts 11, 13
    check(equals(issues(met, 0, 0), {0, 13 + 8}) && equals(issues(met, 0, 1), {0, 13 + 8}),
          "a CTA barrier opens eight cycles after the last arrival");

    // SM 0 starves for a long time of the host: SM 1 runs to the end of the window meanwhile, and
    // target time is as if nothing had happened.
    Stream longer = ffma_stream(200);
    Result plain = run(2, 4, longer), starved = run(2, 4, longer, 60000);
    unsigned before = 0, seen0 = 0;
    for (const Issue &i : starved.trace) {
        seen0 += i.sm == 0;
        before += i.sm == 1 && seen0 <= 4 * 8;
    }
    check(starved.same(plain), "an SM without packets: same cycles");
    check(starved.parked_clocks > 20000 && before >= 16, "an SM without packets: others go on");
    long_pause();
    write_ports();
    reset_again();
    return failed;
}
