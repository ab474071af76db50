/* test_sm_write_ports.cpp - rtl/sm/sm_write_ports.sv against rule 12: in which of the last four
 * cycles results of fixed latency are written to the banks of a sub-core. */
#include <algorithm>
#include <set>
#include <vector>

#include "Vsm_write_ports.h"
#include "sm_bench.h"

enum { FET, COD, LOO, UPD, STAGES, BANKS = 2, LONGEST = 29, ROWS = SMS * SUBS };

using Bench = ModuleBench<Vsm_write_ports>;

struct SubCore {
    std::set<uint64_t> written[BANKS];
    uint64_t after = FIRST_TIME; /* nothing issues before */
};

struct Visit {
    unsigned row;
    uint64_t at; /* an instruction could issue */
    bool scrub, moves, writes;
    uint64_t next; /* nothing issues before from now on */
    unsigned latency, banks;
};

static void run(uint32_t seed, unsigned enter, unsigned apart, bool one_port) {
    Bench b(seed);
    Stages<Visit> stages(STAGES, PIPELINED);
    std::vector<SubCore> subs(ROWS);
    unsigned met = 0;
    b.v.one_port_i = one_port;
    b.v.upd_init_i = 1;
    for (unsigned row = 0; row < ROWS; row++) {
        b.v.upd_row_i = (uint8_t)row;
        b.tick();
    }
    b.v.upd_init_i = 0;
    for (int i = 0; i < 30000; i++) {
        std::optional<Visit> next;
        const unsigned row = b.pick(8);
        if (b.chance(enter) && !stages.any([&](Visit &v) { return v.row == row; })) {
            SubCore &s = subs[row];
            const uint64_t at = s.after + b.pick(b.chance(5) ? 100 : apart);
            next = Visit{row,
                         at,
                         b.chance(3),
                         b.chance(80),
                         b.chance(80),
                         at + 1 + b.pick(2),
                         1 + b.pick(b.chance(90) ? LONGEST : 40),
                         b.pick(4)};
            if (next->scrub) next->moves = false;
            next->writes = next->writes && next->moves;
        }
        stages.enter(next);
        Visit *fet = stages.at(FET), *cod = stages.at(COD), *loo = stages.at(LOO),
              *upd = stages.at(UPD);
        if (fet) b.v.fet_row_i = (uint8_t)fet->row;
        if (cod) {
            b.v.cod_at_i = kept(cod->at);
            b.v.cod_after_i = (uint32_t)subs[cod->row].after;
        }
        if (loo) b.v.loo_row_i = (uint8_t)loo->row;
        b.v.upd_move_i = upd && upd->moves;
        b.v.upd_write_i = upd && upd->writes;
        b.v.upd_scrub_i = upd && upd->scrub;
        b.v.scrub_all_i = 0;
        if (upd) {
            b.v.upd_row_i = (uint8_t)upd->row;
            b.v.upd_after_i = (uint32_t)subs[upd->row].after;
            b.v.upd_next_i = kept(upd->next);
            b.v.reached_i = (uint32_t)(upd->next - b.pick(1000));
            b.v.upd_latency_i = (uint16_t)upd->latency;
            b.v.upd_banks_i = (uint8_t)upd->banks;
        }
        /* Scrubbing in a sub-core that has stood still, and now and then for long. */
        if (upd && upd->scrub) {
            const uint64_t ahead = b.pick(2) ? b.pick(200) : 300 + b.pick(1000);
            b.v.reached_i = (uint32_t)(subs[upd->row].after + ahead);
            if (ahead > 256) subs[upd->row].after += 256;
            b.v.scrub_all_i = ahead > 256 && b.pick(2);
        }
        b.settle();
        if (cod) {
            unsigned recent = 0;
            for (unsigned ago = 0; ago < 4; ago++)
                for (unsigned bank = 0; bank < BANKS; bank++)
                    recent |= (unsigned)subs[cod->row].written[bank].count(cod->at - ago)
                              << (2 * (3 - ago) + bank);
            met += recent != 0;
            b.expect("written", b.v.cod_recent_o, recent);
        }
        if (upd && upd->moves) {
            SubCore &s = subs[upd->row];
            s.after = upd->next;
            /* issued in the cycle before, its operands included */
            if (upd->writes && one_port && upd->latency <= LONGEST)
                for (unsigned bank = 0; bank < BANKS; bank++)
                    if (upd->banks >> bank & 1) s.written[bank].insert(s.after - 1 + upd->latency);
            for (auto &written : s.written)
                written.erase(written.begin(), written.lower_bound(s.after - 4));
        }
        b.tick();
        stages.step();
    }
    if (one_port != (met > 1000)) b.fail("%u times written", met);
}

int main() {
    uint32_t seed = 1;
    for (unsigned apart : {1, 3, 12}) {
        run(seed++, 100, apart, true);
        run(seed++, 40, apart, true);
    }
    run(seed++, 100, 2, false);
    printf("sm_write_ports: passed\n");
    return 0;
}
