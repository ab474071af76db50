/* test_sm_l1.cpp - rtl/sm/sm_l1.sv: tags against rule 6: look-ups, fills with their replacement,
 * sectors that are invalidated, and FlushL1 of an SM, which gives it another size, often enough for
 * its epochs to be used up. */
#include <vector>

#include "Vsm_l1.h"
#include "sm_bench.h"

enum { L1_SMS = 4, TAG_STAGE = 0, ACT_STAGE = 1 };

using Bench = ModuleBench<Vsm_l1>;

struct Way {
    uint32_t line;
    unsigned valid;
};

/* A set as rule 6 has it: the lines that are present, each at the place that it was filled into. */
struct Set {
    std::optional<Way> way[8];
    unsigned pointer = 0;
};

struct L1 {
    unsigned sets, lines; /* rule 6: so many in all sets */
    std::vector<Set> set;
    L1(unsigned sets, unsigned lines) : sets(sets), lines(lines), set(sets) {}
    Set &of(uint32_t line) {
        return set[sets == 128 ? (line ^ line >> 7) & 127 : (line ^ line >> 8) & 255];
    }
    unsigned ways_of(const Set &s) const {
        return lines / sets + (unsigned(&s - set.data()) < lines % sets);
    }
    Way *find(uint32_t line) {
        for (auto &way : of(line).way)
            if (way && way->line == line) return &*way;
        return nullptr;
    }
    void fill(uint32_t line, unsigned sectors) {
        if (Way *way = find(line)) {
            way->valid |= sectors;
            return;
        }
        Set &s = of(line);
        s.way[s.pointer] = Way{line, sectors};
        s.pointer = (s.pointer + 1) % ways_of(s);
    }
};

struct Visit {
    unsigned sm;
    uint32_t line;
    bool fill, clear;
    unsigned sectors;
};

static void run(uint32_t seed, unsigned sets, unsigned ways, unsigned enter, unsigned flush) {
    Bench b(seed);
    Stages<Visit> stages(2, PIPELINED);
    std::vector<L1> l1(L1_SMS, L1(sets, ways * sets));
    unsigned hits = 0, flushes = 0, emptied = 0;
    b.v.ways_i = ways;
    b.v.sets_i = sets == 256;
    b.v.init_i = 1;
    for (unsigned set = 0; set < L1_SMS * 256; set++) {
        b.v.init_set_i = set;
        b.tick();
    }
    b.v.init_i = 0;
    b.v.busy_i = 0;
    for (int i = 0; i < 40000; i++) {
        const bool flushing = b.v.flushing_o;
        emptied += flushing;
        b.v.flush_i = 0;
        std::optional<Visit> next;
        const unsigned sm = b.pick(L1_SMS);
        if (!flushing && !stages.any([sm](Visit &v) { return v.sm == sm; }) &&
            b.pick(10000) < flush) {
            const unsigned lines = b.chance(30) ? 0 : sets + b.pick(7 * sets + 1);
            b.v.flush_i = 1;
            b.v.flush_sm_i = sm;
            b.v.flush_lines_i = lines;
            l1[sm] = L1(sets, lines ? lines : ways * sets);
            flushes++;
        } else if (!flushing && b.chance(enter)) {
            /* few sets, and in each more lines than ways */
            if (auto sm = free_sm(b, stages, L1_SMS))
                next = Visit{*sm, b.pick(3) << 29 | b.pick(4) << 14 | b.pick(4) << 7 | b.pick(4),
                             b.chance(40), b.chance(20), 1 + b.pick(15)};
        }
        stages.enter(next);
        Visit *tag = stages.at(TAG_STAGE), *act = stages.at(ACT_STAGE);
        b.v.visit_i = tag != nullptr;
        b.v.busy_i = PIPELINED && stages.any([](Visit &) { return true; });
        b.v.act_fill_i = b.v.act_clear_i = 0;
        if (tag) {
            b.v.tag_sm_i = tag->sm;
            b.v.tag_addr_i = tag->line;
        }
        if (act) {
            Way *way = l1[act->sm].find(act->line);
            b.v.act_sm_i = act->sm;
            b.v.act_addr_i = act->line;
            b.v.act_fill_i = act->fill;
            b.v.act_clear_i = !act->fill && act->clear && way && way->valid & act->sectors;
            b.v.act_clear_sectors_i = b.v.act_come_i = act->sectors;
            b.settle();
            b.expect("sectors", b.v.act_valid_o, way ? way->valid : 0);
            hits += way != nullptr;
            if (act->fill)
                l1[act->sm].fill(act->line, act->sectors);
            else if (b.v.act_clear_i)
                way->valid &= ~act->sectors;
        }
        b.tick();
        stages.step();
    }
    if (hits < 100 || (flush > 20 && (flushes < 8 * L1_SMS || !emptied)))
        b.fail("%u hits, %u flushes", hits, flushes);
}

int main() {
    uint32_t seed = 1;
    for (unsigned sets : {128, 256})
        for (unsigned ways : {1, 3, 7, 8}) {
            run(seed++, sets, ways, 100, 2);
            run(seed++, sets, ways, 60, 100);
        }
    printf("sm_l1: passed\n");
    return 0;
}
