/* test_sm_constant.cpp - rtl/sm/sm_constant.sv against rule 14: which lines of constants a sub-core
 * has, when one that misses is there, and for how long the sub-core stands still. */
#include <algorithm>
#include <deque>
#include <map>

#include "Vsm_constant.h"
#include "sm_bench.h"

enum { COD, LOO, UPD, STAGES, ROWS = SMS * SUBS };

using Bench = ModuleBench<Vsm_constant>;

struct Line {
    unsigned constants, number;
    uint64_t there;
};

/* A sub-core: of each set its lines, the oldest first. */
using Cache = std::map<unsigned, std::deque<Line>>;

struct Parameters {
    unsigned sets, ways, miss, hold;
};

struct Visit {
    unsigned row, warp, line, constants;
    bool wanted, issues, scrub;
    uint64_t at;
    bool misses;
};

/* @return the cycle from which the line is there */
static uint64_t look(Cache &cache, const Parameters &p, const Visit &v) {
    std::deque<Line> &set = cache[v.line % p.sets];
    for (const Line &l : set)
        if (l.number == v.line && l.constants == v.constants) return l.there;
    if (set.size() == p.ways) set.pop_front();
    set.push_back({v.constants, v.line, v.at + p.miss});
    return v.at + p.miss;
}

static void run(uint32_t seed, unsigned enter, const Parameters &p) {
    Bench b(seed);
    Stages<Visit> stages(STAGES, PIPELINED);
    std::vector<Cache> caches(ROWS);
    uint64_t now = FIRST_TIME;
    unsigned missed = 0, found = 0, joined = 0;
    b.v.sets_i = p.sets == 8;
    b.v.ways_i = p.ways;
    b.v.miss_i = p.miss;
    b.v.hold_i = p.hold;
    b.v.cod_init_i = b.v.upd_init_i = 1;
    for (unsigned i = 0; i < ROWS * 8 + 4; i++) {
        const unsigned two = i < 2 || !PIPELINED ? i : i - 2; /* stages behind */
        b.v.cod_row_i = i / 8 % ROWS;
        b.v.cod_warp_i = i % 8;
        b.v.upd_row_i = two / 8 % ROWS;
        b.tick();
    }
    b.v.cod_init_i = b.v.upd_init_i = 0;
    for (int i = 0; i < 20000; i++) {
        now++;
        const bool all = b.pick(1000) == 0;
        const uint64_t floor = now - 256;
        std::optional<Visit> next;
        const unsigned row = b.pick(8); /* few, so that lines meet again */
        if (b.chance(enter) && !stages.any([&](Visit &v) { return v.row == row; })) {
            next = Visit{row,
                         b.pick(8),
                         1 + b.pick(p.sets * (p.ways + 1) / 2),
                         b.pick(2) * 99,
                         b.chance(80),
                         b.chance(80),
                         b.chance(3),
                         now + b.pick(3),
                         false};
            if (next->scrub) next->wanted = next->issues = false;
        }
        stages.enter(next);
        b.v.scrub_all_i = all;
        b.v.scrub_floor_i = kept(floor);
        Visit *cod = stages.at(COD), *loo = stages.at(LOO), *upd = stages.at(UPD);
        b.v.cod_wanted_i = cod && cod->wanted;
        b.v.cod_scrub_i = cod && cod->scrub;
        if (cod) {
            b.v.cod_row_i = cod->row;
            b.v.cod_warp_i = cod->warp;
            b.v.cod_line_i = cod->line;
        }
        b.v.loo_issue_i = loo && loo->issues;
        b.v.loo_at_i = kept(loo ? loo->at : b.bits(32));
        if (loo) b.v.loo_constants_i = loo->constants;
        b.settle();
        if (loo) {
            const bool looks = loo->wanted && loo->issues && p.ways;
            uint64_t there = 0;
            if (looks) {
                there = look(caches[loo->row], p, *loo);
                loo->misses = there > loo->at;
                if (loo->misses)
                    ++(there < loo->at + p.miss ? joined : missed);
                else
                    found++;
            }
            b.expect("missed", b.v.loo_missed_o, loo->misses);
            if (loo->misses) {
                b.expect("there at", b.v.loo_there_o, kept(there));
                b.expect("hold", b.v.loo_hold_o, std::min<uint64_t>(there - loo->at, p.hold));
            }
        }
        b.v.upd_missed_i = upd && upd->misses;
        b.v.upd_scrub_i = upd && upd->scrub;
        if (upd) {
            b.v.upd_row_i = upd->row;
            if (upd->scrub)
                for (Line &l : caches[upd->row][upd->warp]) l.there = fresh(l.there, all, floor);
        }
        b.tick();
        stages.step();
    }
    if (p.ways && (missed < 100 || found < 20 || (p.miss > 20 && !joined)))
        b.fail("%u missed, %u found, %u waited for", missed, found, joined);
}

int main() {
    uint32_t seed = 1;
    for (const Parameters &p :
         {Parameters{4, 1, 79, 4}, Parameters{8, 4, 79, 15}, Parameters{8, 3, 4095, 1},
          Parameters{4, 2, 1, 4}, Parameters{4, 0, 79, 4}}) {
        run(seed++, 100, p);
        run(seed++, 40, p);
    }
    printf("sm_constant: passed\n");
    return 0;
}
