/* test_sm_operands.cpp - rtl/sm/sm_operands.sv against rule 12: when an instruction has its
 * operands, cycle by cycle of each bank's port, and what the reuse cache keeps. */
#include <algorithm>
#include <set>
#include <vector>

#include "Vsm_operands.h"
#include "sm_bench.h"

enum { COD, LOO, UPD, STAGES, BANKS = 2, SLOTS = 3, ROWS = SMS * SUBS };

using Bench = ModuleBench<Vsm_operands>;

struct Kept {
    bool valid = false;
    unsigned warp = 0, reg = 0;
};

/* The register file of a sub-core: cycles in which a bank's port is taken. */
struct RegisterFile {
    std::set<uint64_t> taken[BANKS];
    Kept kept[BANKS][SLOTS];
    uint64_t next = FIRST_TIME; /* nothing issues before */
};

struct Visit {
    unsigned row, warp;
    uint64_t at;
    unsigned reg[SLOTS], slots[BANKS], keep;
    bool may, issues, ports, reuse, scrub;
    uint64_t issue_at;
};

static bool fits(const RegisterFile &f, const unsigned *reads, uint64_t from) {
    for (unsigned bank = 0; bank < BANKS; bank++) {
        unsigned free = 0;
        for (uint64_t t = from; t < from + 3; t++) free += !f.taken[bank].count(t);
        if (free < reads[bank]) return false;
    }
    return true;
}

/* Rule 12. @return the time that the issue counts as */
static uint64_t read(RegisterFile &f, const Visit &v) {
    unsigned reads[BANKS] = {0, 0};
    if (!v.ports) return v.at;
    for (unsigned bank = 0; bank < BANKS; bank++)
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            if (!(v.slots[bank] >> slot & 1)) continue;
            Kept &kept = f.kept[bank][slot];
            reads[bank] += !(kept.valid && kept.warp == v.warp && kept.reg == v.reg[slot]);
            kept = {v.reuse && (v.keep >> slot & 1), v.warp, v.reg[slot]};
        }
    uint64_t late = 0;
    while (!fits(f, reads, v.at + 2 + late)) late++;
    for (unsigned bank = 0; bank < BANKS; bank++)
        for (uint64_t t = v.at + 2 + late; reads[bank]; t++)
            reads[bank] -= f.taken[bank].insert(t).second;
    return v.at + late;
}

static void run(uint32_t seed, unsigned enter, unsigned apart, unsigned reuse) {
    Bench b(seed);
    Stages<Visit> stages(STAGES, PIPELINED);
    std::vector<RegisterFile> files(ROWS);
    uint64_t now = FIRST_TIME;
    unsigned late = 0, in_time = 0;
    /* Empty memories, and then the times in them are those of before the first visit. */
    b.v.scrub_all_i = 1;
    b.v.scrub_floor_i = kept(FIRST_TIME - 256);
    for (bool init : {true, false})
        for (unsigned row = 0; row < ROWS; row++) {
            b.v.upd_init_i = init;
            b.v.upd_scrub_i = !init;
            b.v.upd_row_i = (uint8_t)row;
            b.tick();
        }
    b.v.upd_scrub_i = b.v.scrub_all_i = 0;
    for (int i = 0; i < 30000; i++) {
        now += b.pick(4) == 0;
        std::optional<Visit> next;
        const unsigned row = b.pick(PIPELINED ? 8 : 2);
        if (b.chance(enter) && !stages.any([&](Visit &v) { return v.row == row; })) {
            RegisterFile &f = files[row];
            f.next = std::max(f.next, now > 400 ? now - 400 : now) + b.pick(apart);
            next = Visit{row,          b.pick(3),       f.next,       {},
                         {},           b.pick(8),       b.chance(90), b.chance(80),
                         b.chance(80), b.chance(reuse), b.chance(3),  0};
            for (unsigned &reg : next->reg) reg = b.pick(3) + 40 * b.pick(3);
            for (unsigned &slots : next->slots) slots = b.pick(8);
            if (next->scrub) next->may = false;
            next->issues = next->issues && next->may;
        }
        stages.enter(next);
        const uint64_t floor = now - 800;
        b.v.scrub_floor_i = kept(floor);
        Visit *loo = stages.at(LOO), *upd = stages.at(UPD);
        if (Visit *v = stages.at(COD)) b.v.cod_row_i = (uint8_t)v->row;
        b.v.loo_issue_i = loo && loo->may;
        if (loo) {
            b.v.loo_warp_i = (uint8_t)loo->warp;
            b.v.loo_at_i = kept(loo->at);
            b.v.loo_ports_i = loo->ports;
            b.v.loo_reuse_i = loo->reuse;
            b.v.loo_src_i = loo->reg[2] << 14 | loo->reg[1] << 7 | loo->reg[0];
            b.v.loo_even_i = (uint8_t)loo->slots[0];
            b.v.loo_odd_i = (uint8_t)loo->slots[1];
            b.v.loo_keep_i = (uint8_t)loo->keep;
        }
        b.v.upd_issue_i = upd && upd->issues;
        b.v.upd_scrub_i = upd && upd->scrub;
        if (upd) b.v.upd_row_i = (uint8_t)upd->row;
        b.settle();
        if (loo && loo->may) {
            RegisterFile after = files[loo->row];
            loo->issue_at = read(after, *loo);
            b.expect("issues as at", b.v.loo_issue_at_o, kept(loo->issue_at));
            if (loo->issues) {
                after.next = loo->issue_at + 1;
                for (auto &taken : after.taken)
                    taken.erase(taken.begin(), taken.lower_bound(loo->at));
                files[loo->row] = after;
                ++(loo->issue_at > loo->at ? late : in_time);
            }
        }
        b.tick();
        stages.step();
    }
    if (in_time < 200 || (apart == 1 && late < 200)) b.fail("%u late, %u in time", late, in_time);
}

int main() {
    uint32_t seed = 1;
    for (unsigned apart : {1, 2, 5})
        for (unsigned reuse : {0, 50, 100}) run(seed++, apart == 2 ? 50 : 100, apart, reuse);
    printf("sm_operands: passed\n");
    return 0;
}
