/* test_sm_scoreboard.cpp - rtl/sm/sm_scoreboard.sv against rules 3, 4 and 12: what issues and
 * micro-operations do to the dependency counters of a warp, when its next instruction may issue,
 * and whether a result finds the write ports of its banks free. */
#include <algorithm>
#include <vector>

#include "Vsm_scoreboard.h"
#include "sm_bench.h"

enum { FET, COD, LOO, UPD, RDY, STAGES, WARPS = 8, COUNTERS = 7, BANKED = 6, NONE = 7 };

using Bench = ModuleBench<Vsm_scoreboard>;

struct Warp {
    unsigned count[COUNTERS] = {}; /* operations whose end is unknown */
    uint64_t until[COUNTERS] = {}; /* latest known end */
    unsigned banks[BANKED] = {};   /* of the result */
    uint64_t last = FIRST_TIME;
};

enum What { NOTHING, ISSUE, MEMORY, COUNT, LAUNCH, SCRUB };
struct Visit {
    unsigned id;
    What what;
    uint64_t at, issue_at, ends_at, release;
    unsigned mask, recent; /* of the instruction; banks written in the last four cycles */
    bool conflict;
    unsigned bar, wr_bar, rd_bar, banks;
    bool waits;
    int delta;
    bool timed, enters;
    /* the next instruction */
    unsigned next_mask, next_bar;
    uint64_t stall;
    bool stopped;
};

static bool written(const Visit &v, unsigned banks, unsigned ago) {
    return (v.recent >> (2 * (3 - ago)) & banks) != 0;
}

/* Rule 12: a counter that is 0 from r on is found not 0 at t if t < r + 3 and in every cycle from r
 * to t a bank of its result is written. */
static bool finds_no_port(const Visit &v, unsigned banks, uint64_t since) {
    if (v.at < since || v.at - since >= 3) return false;
    for (unsigned ago = 0; ago <= v.at - since; ago++)
        if (!written(v, banks, ago)) return false;
    return true;
}

static Visit visit(Bench &b, unsigned id, Warp &w, uint64_t now) {
    Visit v = {};
    v.id = id;
    v.at = std::max(w.last + b.pick(2), now) + b.pick(3);
    /* often just when a result has come */
    const unsigned result = b.pick(BANKED);
    if (b.chance(40) && w.until[result] < v.at + 60)
        v.at = std::max(v.at, w.until[result] + b.pick(4));
    w.last = v.at;
    const What kinds[] = {NOTHING, ISSUE, ISSUE, MEMORY, MEMORY, COUNT, COUNT, COUNT};
    v.what = b.chance(2) ? LAUNCH : b.chance(2) ? SCRUB : kinds[b.pick(8)];
    v.recent = b.pick(3) ? b.pick(256) | b.pick(256) | b.pick(256) : 0;
    v.bar = b.pick(8);
    v.wr_bar = v.what == MEMORY && v.bar == 6 ? (unsigned)NONE : v.bar;
    if (v.what == ISSUE && v.wr_bar == 6) v.wr_bar = NONE;
    v.rd_bar = b.pick(4) ? b.pick(BANKED) : (unsigned)NONE;
    v.banks = v.what == MEMORY ? b.pick(4) : 0;
    v.issue_at = v.at + b.pick(3);
    v.ends_at = v.issue_at + 2 + b.pick(30);
    v.release = v.at + 1 + b.pick(30);
    v.waits = b.pick(2);
    v.next_mask = b.pick(3) ? b.pick(128) : 0;
    v.next_bar = b.pick(8);
    v.stall = v.at + 1 + b.pick(12);
    v.stopped = b.chance(10);
    if (v.what == COUNT) {
        v.bar = b.pick(COUNTERS);
        v.delta = (int)b.pick(5) - 2 - (int)b.pick(6);
        if (v.delta < -(int)w.count[v.bar] || b.pick(2)) v.delta = -(int)w.count[v.bar];
        v.timed = b.pick(2);
        v.enters = b.chance(30);
    }
    /* Only what is over lets an instruction issue. */
    v.mask = 0;
    if (v.what == ISSUE || v.what == MEMORY || v.what == NOTHING)
        for (unsigned c = 0; c < COUNTERS; c++)
            if (w.count[c] == 0 && w.until[c] <= v.at && b.pick(2)) v.mask |= 1u << c;
    for (unsigned c = 0; c < BANKED; c++)
        v.conflict |= v.mask >> c & 1 && finds_no_port(v, w.banks[c], w.until[c]);
    if (v.conflict && v.what != LAUNCH) v.what = NOTHING;
    return v;
}

static bool may(const Visit &v) {
    return v.what == ISSUE || v.what == MEMORY || v.what == NOTHING;
}

static void ends(Warp &w, unsigned bar, uint64_t at) {
    if (bar != NONE) w.until[bar] = std::max(w.until[bar], at);
}

static void change(Warp &w, const Visit &v, uint64_t floor) {
    if (v.what == ISSUE) {
        ends(w, v.wr_bar, v.ends_at);
        ends(w, v.rd_bar, v.issue_at + 4);
    } else if (v.what == MEMORY) {
        if (v.bar != NONE) w.count[v.bar]++;
        if (v.rd_bar == NONE) return;
        if (v.waits)
            w.count[v.rd_bar]++;
        else
            ends(w, v.rd_bar, v.release);
    } else if (v.what == COUNT) {
        w.count[v.bar] += (unsigned)v.delta;
        if (v.timed) ends(w, v.bar, v.enters ? v.release : v.at);
    } else if (v.what == SCRUB) {
        for (uint64_t &until : w.until) until = fresh(until, false, floor);
    }
}

static void change_banks(Warp &w, const Visit &v) {
    if (v.what == LAUNCH) {
        for (unsigned &banks : w.banks) banks = 0;
    } else if (v.what == ISSUE || v.what == MEMORY) {
        if (v.rd_bar < BANKED) w.banks[v.rd_bar] = 0;
        if (v.wr_bar < BANKED) w.banks[v.wr_bar] = v.banks;
    }
}

static void drive(Bench &b, Stages<Visit> &stages) {
    Visit *fet = stages.at(FET), *cod = stages.at(COD), *loo = stages.at(LOO),
          *upd = stages.at(UPD), *rdy = stages.at(RDY);
    b.v.fet_issue_i = fet && may(*fet);
    b.v.cod_issue_i = cod && may(*cod);
    b.v.loo_valid_i = loo != nullptr;
    b.v.rdy_valid_i = rdy != nullptr;
    const What what = upd ? upd->what : NOTHING;
    b.v.upd_may_i = upd && may(*upd) && !upd->conflict;
    b.v.upd_launch_i = what == LAUNCH;
    b.v.upd_count_i = what == COUNT;
    b.v.upd_issue_i = b.v.upd_kind_we_i = what == ISSUE || what == MEMORY;
    b.v.upd_mio_i = what == MEMORY;
    if (fet) b.v.fet_id_i = fet->id;
    if (cod) {
        b.v.cod_at_i = kept(cod->at);
        b.v.cod_mask_i = cod->mask;
        b.v.cod_recent_i = cod->recent;
    }
    if (loo) b.v.loo_id_i = loo->id;
    if (upd) {
        b.v.upd_id_i = upd->id;
        b.v.upd_at_i = kept(upd->at);
        b.v.upd_count_bar_i = upd->bar;
        b.v.upd_delta_i = upd->delta & 0x7f;
        b.v.upd_timed_i = upd->timed;
        b.v.upd_mask_i = upd->mask;
        b.v.upd_issue_at_i = kept(upd->issue_at);
        b.v.upd_ends_at_i = kept(upd->ends_at);
        b.v.upd_bar_i = upd->bar;
        b.v.upd_waits_i = upd->waits;
        b.v.upd_release_i = kept(upd->release);
        b.v.upd_enter_i = what == COUNT && upd->enters;
        b.v.upd_late_bar_i = upd->enters ? upd->bar : (unsigned)NONE;
        b.v.upd_wr_bar_i = upd->wr_bar;
        b.v.upd_banks_i = upd->banks;
        b.v.upd_rd_bar_i = upd->rd_bar;
    }
    b.v.rdy_scrub_i = rdy && rdy->what == SCRUB;
    if (rdy) {
        b.v.rdy_id_i = rdy->id;
        b.v.rdy_bar_i = rdy->next_bar;
        b.v.rdy_stopped_i = rdy->stopped;
        b.v.rdy_mask_i = rdy->next_mask;
        b.v.rdy_stall_i = kept(rdy->stall);
    }
}

/* When may the next instruction issue? Counters are those after the visit. */
static void check_ready(Bench &b, const Warp &w, const Visit &v) {
    bool stopped = v.stopped;
    uint64_t at = v.stall;
    for (unsigned c = 0; c < COUNTERS; c++)
        if (v.next_mask >> c & 1) {
            stopped |= w.count[c] != 0;
            at = std::max(at, w.until[c]);
        }
    b.expect("stopped", b.v.rdy_stopped_o, stopped);
    b.expect("waits for the visit's counter", b.v.rdy_waits_o, v.next_mask >> v.next_bar & 1);
    if (!stopped) b.expect("ready at", b.v.rdy_at_o, kept(at));
}

static void run(uint32_t seed, unsigned enter) {
    Bench b(seed);
    Stages<Visit> stages(STAGES, PIPELINED);
    std::vector<Warp> warps(WARPS);
    uint64_t now = FIRST_TIME;
    unsigned conflicts = 0, ready = 0;
    b.v.rdy_valid_i = b.v.rdy_init_i = b.v.upd_launch_i = 1;
    for (unsigned id = 0; id < WARPS; id++) {
        b.v.upd_id_i = b.v.rdy_id_i = id;
        b.tick();
    }
    b.v.rdy_init_i = b.v.upd_launch_i = 0;
    for (Warp &w : warps)
        for (uint64_t &until : w.until) until = RESET_TIME;
    for (int i = 0; i < 40000; i++) {
        now += b.pick(4) == 0;
        const uint64_t floor = now - 256;
        b.v.scrub_floor_i = kept(floor);
        std::optional<Visit> next;
        const unsigned id = b.pick(WARPS);
        if (b.chance(enter) && !stages.any([&](Visit &v) { return v.id == id; }))
            next = visit(b, id, warps[id], now);
        stages.enter(next);
        drive(b, stages);
        b.settle();
        Visit *loo = stages.at(LOO), *upd = stages.at(UPD), *rdy = stages.at(RDY);
        if (loo && may(*loo)) {
            const Warp &w = warps[loo->id];
            b.expect("conflict", b.v.loo_conflict_o, loo->conflict);
            conflicts += loo->conflict;
            /* results that have come earlier and could not be written in any cycle before */
            for (unsigned c = 0; c < BANKED; c++) {
                if (!(loo->mask >> c & 1) || w.until[c] == loo->at) continue;
                const uint64_t ago = loo->at - w.until[c];
                bool met = ago <= 3;
                for (unsigned k = 1; met && k <= ago; k++) met = written(*loo, w.banks[c], k);
                b.expect("met", b.v.loo_met_o >> c & 1, met);
            }
        }
        if (upd && b.v.upd_may_i)
            for (unsigned c = 0; c < COUNTERS; c++)
                if (upd->mask >> c & 1)
                    b.expect("ends now", b.v.upd_now_o >> c & 1,
                             warps[upd->id].until[c] == upd->at);
        if (upd) change_banks(warps[upd->id], *upd);
        if (rdy) {
            change(warps[rdy->id], *rdy, floor);
            check_ready(b, warps[rdy->id], *rdy);
            ready += !b.v.rdy_stopped_o;
        }
        b.tick();
        stages.step();
    }
    if ((enter == 100 && conflicts < 20) || ready < 1000)
        b.fail("%u conflicts, %u ready", conflicts, ready);
}

int main() {
    uint32_t seed = 1;
    for (unsigned enter : {100, 50, 20}) run(seed++, enter);
    printf("sm_scoreboard: passed\n");
    return 0;
}
