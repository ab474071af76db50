// test_random.cpp - random streams on the SM engine: the result may not depend on buffer sizes,
// windows, host delays, back-pressure, or the kind of assignment (blocking, non-blocking).
//
//   sm_random issue|memory|global SEED     issue: no memory pipe; memory: without global memory
#include "Vsm_engine.h"
#include "Vsm_engine_nba.h"
#ifdef HEDDLE_ONE_EVALUATION
#include "Vsm_engine___024root.h"
#include "Vsm_engine_nba___024root.h"
#endif
#include "bench.h"

HEDDLE_CLOCKED(Vsm_engine, clk_i)
HEDDLE_CLOCKED(Vsm_engine_nba, clk_i)

static void print(const char *name, const Result &r) {
    printf("%-32s issued %llu hash %016llx events %llu %016llx requests %llu %016llx L1 %llu/%llu "
           "last %u clocks %llu %.2fs\n",
           name, (unsigned long long)r.issued, (unsigned long long)r.hash,
           (unsigned long long)r.events, (unsigned long long)r.event_hash,
           (unsigned long long)r.requests, (unsigned long long)r.request_hash,
           (unsigned long long)r.l1_hits, (unsigned long long)r.l1_sectors, r.last,
           (unsigned long long)r.clocks, r.seconds);
}

// Where two runs part.
static void explain(Result &want, Result &got) {
    std::sort(got.trace.begin(), got.trace.end());
    std::sort(want.trace.begin(), want.trace.end());
    for (size_t i = 0; i < got.trace.size() && i < want.trace.size(); i++)
        if (!(got.trace[i] == want.trace[i])) {
            printf("  first difference: cycle %u SM %u warp %u, not %u %u %u\n", got.trace[i].at,
                   got.trace[i].sm, got.trace[i].warp, want.trace[i].at, want.trace[i].sm,
                   want.trace[i].warp);
            return;
        }
}

int main(int argc, char **argv) {
    Mix mix;
    const char *what = argc > 1 ? argv[1] : "issue";
    uint64_t seed = argc > 2 ? strtoull(argv[2], nullptr, 0) : 1;
    mix.memory = strcmp(what, "issue") != 0;
    mix.global = !strcmp(what, "global");
    mix.barriers = mix.memory;
    Setting base;
    base.num_sm = 3;
    base.num_ctas = 12;
    base.warps = 8;
    base.ctas_per_sm = 3;
    base.trace = true;
    base.max_clocks = 20000000;
    base.params[CORE_PARAM_POLICY] = (unsigned)(seed % 3);
    std::vector<std::vector<Stream>> ctas;
    for (unsigned c = 0; c < base.num_ctas; c++)
        ctas.push_back(random_cta(mix, seed, c, base.warps));
    Program program = [&](unsigned cta, unsigned warp) { return &ctas[cta][warp]; };
    Result want = Bench<Vsm_engine>(base, program).run();
    print("buffer 64, window 32", want);
    uint64_t total = 0;
    for (auto &c : ctas)
        for (auto &s : c)
            for (auto &i : s) total += core_packet_cls(i.packet) != CORE_CLASS_HOLD;
    if (want.issued != total || want.trace.size() != total) {
        printf("FAIL: %llu instructions issued of %llu\n", (unsigned long long)want.issued,
               (unsigned long long)total);
        return 1;
    }
    int rc = 0;
    static const struct {
        bool nba;
        unsigned buffer, window;
        uint64_t delay;
    } variants[] = {
        {false, 64, 5, 0}, {false, 64, 1, 0}, {false, 4, 32, 0}, {false, 64, 32, 1},
        {false, 4, 32, 2}, {false, 4, 1, 3},  {false, 16, 7, 4}, {true, 64, 32, 0},
        {true, 4, 32, 5},  {true, 64, 3, 6},
    };
    for (auto &v : variants) {
        Setting s = base;
        s.buffer = v.buffer;
        s.window = v.window;
        s.delay_seed = v.delay ? seed * 100 + v.delay : 0;
        char name[80];
        snprintf(name, sizeof name, "buffer %u, window %u%s%s", v.buffer, v.window,
                 v.delay ? ", delays" : "", v.nba ? ", nba" : "");
        Result got = v.nba ? Bench<Vsm_engine_nba>(s, program).run()
                           : Bench<Vsm_engine>(s, program).run();
        print(name, got);
        if (got.same(want)) continue;
        printf("FAIL: %s differs\n", name);
        explain(want, got);
        rc = 1;
    }
    return rc;
}
