/* test_sm_indexed.cpp - rtl/sm/sm_indexed.sv against rule 14: from when on the SM's cache of
 * indexed constants has a line, the oldest of its set making room. */
#include <algorithm>
#include <deque>
#include <vector>

#include "Vsm_indexed.h"
#include "sm_bench.h"

enum { TAG_STAGE = 0, ACT_STAGE = 1, SETS = 4, WAYS = 8 };

using Bench = ModuleBench<Vsm_indexed>;

struct Line {
    unsigned tag; /* {whose, line} */
    uint64_t there;
};

struct Visit {
    unsigned sm, tag, set;
    bool takes, scrub;
    uint64_t at;
};

static void run(uint32_t seed, unsigned enter, unsigned fill, unsigned lines) {
    Bench b(seed);
    Stages<Visit> stages(2, PIPELINED);
    std::vector<std::deque<Line>> sets(SMS * SETS); /* the oldest first */
    uint64_t now = FIRST_TIME;
    unsigned missed = 0, found = 0, evicted = 0;
    b.v.const_fill_i = fill;
    b.v.init_i = 1;
    for (unsigned set = 0; set < SMS * SETS; set++) {
        b.v.init_sm_i = (uint8_t)(set / SETS);
        b.v.init_set_i = set % SETS;
        b.tick();
    }
    b.v.init_i = 0;
    for (int i = 0; i < 20000; i++) {
        now++;
        const bool all = b.pick(1000) == 0;
        const uint64_t floor = now - 256;
        b.v.scrub_all_i = all;
        b.v.scrub_floor_i = kept(floor);
        std::optional<Visit> next;
        if (b.chance(enter))
            if (auto sm = free_sm(b, stages, 4)) {
                next = Visit{*sm,          b.pick(2) << 17 | (1 + b.pick(lines)),
                             b.pick(SETS), b.chance(80),
                             false,        now + b.pick(30)};
                next->scrub = !next->takes && b.chance(40);
            }
        stages.enter(next);
        Visit *tag = stages.at(TAG_STAGE), *act = stages.at(ACT_STAGE);
        b.v.tag_scrub_i = tag && tag->scrub;
        b.v.tag_const_i = tag && tag->takes;
        if (tag) {
            b.v.tag_sm_i = (uint8_t)tag->sm;
            b.v.tag_set_i = (uint8_t)tag->set;
            b.v.tag_line_i = tag->tag;
        }
        b.v.act_indexed_i = act && act->takes;
        b.v.act_scrub_i = act && act->scrub;
        b.v.act_asked_i = kept(act ? act->at : now);
        if (act) b.v.act_sm_i = (uint8_t)act->sm;
        b.settle();
        uint64_t there = act ? act->at : now;
        if (act && act->takes) {
            auto &set = sets[act->sm * SETS + act->tag % SETS];
            auto line = std::find_if(set.begin(), set.end(),
                                     [&](const Line &l) { return l.tag == act->tag; });
            if (line == set.end()) {
                if (set.size() == WAYS) {
                    set.pop_front();
                    evicted++;
                }
                set.push_back({act->tag, act->at + fill});
                there = act->at + fill;
                missed++;
            } else {
                there = std::max(there, line->there);
                found++;
            }
        }
        b.expect("there from", b.v.act_there_o, kept(there));
        if (act && act->scrub)
            for (Line &l : sets[act->sm * SETS + act->set]) l.there = fresh(l.there, all, floor);
        b.tick();
        stages.step();
    }
    if (missed < 20 || found < 100 || (lines > 20 && !evicted))
        b.fail("%u missed, %u found", missed, found);
}

int main() {
    uint32_t seed = 1;
    for (unsigned fill : {1, 62, 4095})
        for (unsigned lines : {8, 20, 30}) run(seed++, lines == 20 ? 40 : 100, fill, lines);
    printf("sm_indexed: passed\n");
    return 0;
}
