/* test_sm_barriers.cpp - rtl/sm/sm_barriers.sv against rules 3 and 8: CTAs are launched, their
 * warps arrive at barriers and end; who goes on and when, and when a CTA ends, whatever the order
 * in which ends and arrivals are seen. */
#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <vector>

#include "Vsm_barriers.h"
#include "sm_bench.h"

enum { CTAS = 32, BARRIERS = 16, LATENCY = 9, EXIT_DELAY = 16, NUMBERED = 8 };

using Bench = ModuleBench<Vsm_barriers>;

struct Barrier {
    unsigned arrivals = 0;
    uint64_t at = 0; /* the latest */
    std::set<unsigned> waiting;
    bool all = false;
};

struct Cta {
    unsigned live = 0;
    uint64_t ended = 0;         /* the latest end of a warp; at first its launch less EXIT_DELAY */
    std::set<unsigned> running; /* have neither ended nor wait */
    Barrier barrier[BARRIERS];
    int current = -1;  /* the barrier that warps wait at */
    unsigned need = 0; /* arrivals that a numbered one names */
};

struct Open {
    unsigned warp;
    uint64_t at;
    bool operator<(const Open &o) const { return std::tie(warp, at) < std::tie(o.warp, o.at); }
};

struct Exit {
    unsigned cta;
    uint64_t at;
};

struct Sm {
    Cta cta[CTAS];
    std::set<unsigned> free_warps;
    std::deque<Exit> exits;          /* not looked at yet */
    std::multiset<Open> opens;       /* warps that are let go on, one a visit */
    unsigned bars = 0;               /* barriers to look at */
    bool open = false, look = false; /* what the visit before left to do */
    unsigned exited = 0;             /* the CTA whose barriers are looked at */
    uint64_t stage = FIRST_TIME;     /* latest operation taken: they are in order */
};

enum What { NOTHING, EXIT, BARS, ARRIVE, OPEN };
struct Visit {
    unsigned sm;
    What what;
    unsigned cta, bar, warp, need;
    bool waits;
    uint64_t at;
};

/* Lets those who wait go on. */
static void complete(Sm &sm, Cta &cta, unsigned number) {
    Barrier &bar = cta.barrier[number];
    const uint64_t at = bar.all ? std::max(bar.at, cta.ended + EXIT_DELAY) : bar.at;
    for (unsigned warp : bar.waiting) {
        sm.opens.insert({warp, at + LATENCY});
        cta.running.insert(warp);
    }
    if ((int)number == cta.current) cta.current = -1;
    bar = Barrier();
}

/* A warp of a CTA arrives somewhere: at the barrier at which others wait, which it may wait at too,
 * or at another one without waiting. */
static bool arrive(Bench &b, Sm &sm, uint64_t now, Visit *v) {
    v->cta = b.pick(CTAS);
    Cta &cta = sm.cta[v->cta];
    if (cta.running.empty()) return false;
    auto it = cta.running.begin();
    std::advance(it, b.pick((uint32_t)cta.running.size()));
    v->warp = *it;
    v->waits = b.chance(70);
    v->bar = b.pick(BARRIERS);
    if (v->waits) {
        if (cta.current < 0) {
            cta.current = (int)v->bar;
            cta.need = 1 + b.pick(cta.live);
        }
        v->bar = (unsigned)cta.current;
    }
    v->need = v->bar < NUMBERED ? 0 : cta.need;
    /* Without waiting: once each, which the last one would have to follow. */
    if (!v->waits && ((int)v->bar == cta.current || v->bar >= NUMBERED ||
                      cta.barrier[v->bar].arrivals + 1 >= cta.live))
        return false;
    v->at = sm.stage = std::max(sm.stage, now) + b.pick(5);
    return true;
}

static Visit visit(Bench &b, unsigned number, Sm &sm, uint64_t now) {
    Visit v = {number, NOTHING, 0, 0, 0, 0, false, 0};
    if (sm.open) {
        v.what = OPEN;
    } else if (sm.look) {
        v.what = BARS;
    } else if (!sm.exits.empty() && b.chance(70)) {
        v.what = EXIT;
    } else if (arrive(b, sm, now, &v)) {
        v.what = ARRIVE;
    }
    return v;
}

/* What a visit does, and what the module says of it. */
static void act(Bench &b, Sm &sm, const Visit &v, unsigned *opened, unsigned *ended) {
    bool ends = false;
    if (v.what == EXIT) {
        const Exit e = sm.exits.front();
        sm.exits.pop_front();
        Cta &cta = sm.cta[e.cta];
        cta.ended = std::max(cta.ended, e.at);
        sm.exited = e.cta;
        sm.bars = 0;
        ends = --cta.live == 0;
        if (ends) {
            b.expect("a CTA ends at", b.v.act_ended_at_o, kept(cta.ended));
            b.expect("CTA slot", b.v.act_cta_o, e.cta);
            ++*ended;
        } else {
            for (const Barrier &bar : cta.barrier) sm.bars += bar.arrivals != 0;
        }
    } else if (v.what == ARRIVE) {
        Cta &cta = sm.cta[v.cta];
        Barrier &bar = cta.barrier[v.bar];
        bar.arrivals++;
        bar.at = v.at;
        bar.all = v.need == 0;
        if (v.waits) bar.waiting.insert(v.warp);
        if (bar.arrivals == (bar.all ? cta.live : v.need)) complete(sm, cta, v.bar);
    } else if (v.what == OPEN) {
        const unsigned warp = b.v.act_warp_o;
        auto it = std::find_if(sm.opens.begin(), sm.opens.end(), [&](const Open &o) {
            return o.warp == warp && kept(o.at) == b.v.act_open_at_o;
        });
        if (it == sm.opens.end()) b.fail("warp %u does not go on at %x", warp, b.v.act_open_at_o);
        sm.opens.erase(it);
        ++*opened;
    } else if (v.what == BARS) {
        /* The module has the barriers one after another, the lowest first. */
        sm.bars--;
    }
    b.expect("a CTA has ended", b.v.act_ended_o, ends);
}

/* Number of the barrier that a visit of kind BARS looks at: those of the CTA with arrivals, from
 * the lowest, of which so many are left. */
static unsigned looked_at(const Cta &cta, unsigned left) {
    for (unsigned bar = BARRIERS; bar-- > 0;)
        if (cta.barrier[bar].arrivals && left-- == 0) return bar;
    return BARRIERS;
}

static void launch(Bench &b, Sm *sms, uint64_t now) {
    const unsigned number = b.pick(SMS), slot = b.pick(CTAS);
    Sm &sm = sms[number];
    Cta &cta = sm.cta[slot];
    const unsigned warps = 1 + b.pick(b.pick(2) ? 3 : 12);
    b.v.launch_i = !b.v.launch_hold_o && !cta.live && sm.free_warps.size() >= warps;
    if (!b.v.launch_i) return;
    cta = Cta();
    cta.live = warps;
    const uint64_t at = std::max(now, sm.stage) + 1;
    sm.stage = at; /* nobody arrives earlier */
    cta.ended = at - EXIT_DELAY;
    for (unsigned w = 0; w < warps; w++) {
        cta.running.insert(*sm.free_warps.begin());
        sm.free_warps.erase(sm.free_warps.begin());
    }
    b.v.launch_sm_i = (uint8_t)number;
    b.v.launch_cta_i = (uint8_t)slot;
    b.v.launch_warps_i = (uint8_t)warps;
    b.v.launch_at_i = (uint32_t)at;
}

/* A running warp ends, while no visit to its SM is under way. */
static void warp_ends(Bench &b, Stages<Visit> &stages, Sm *sms, uint64_t now) {
    const auto number = free_sm(b, stages);
    if (!number) return;
    Sm &sm = sms[*number];
    const unsigned slot = b.pick(CTAS);
    Cta &cta = sm.cta[slot];
    /* Not while others wait for a number of arrivals. */
    if (cta.running.empty() || cta.current >= NUMBERED || sm.open || sm.look) return;
    const unsigned warp = *cta.running.begin();
    cta.running.erase(cta.running.begin());
    sm.free_warps.insert(warp);
    const uint64_t at = std::max(now, cta.ended) + b.pick(30);
    sm.exits.push_back({slot, at});
    b.v.upd_exit_i = 1;
    b.v.upd_sm_i = (uint8_t)*number;
    b.v.upd_at_i = kept(at);
    b.v.upd_cta_i = (uint8_t)slot;
}

static void run(uint32_t seed, unsigned enter, unsigned end) {
    Bench b(seed);
    Stages<Visit> stages(PASS_STAGES, PIPELINED);
    std::vector<Sm> sms(SMS);
    uint64_t now = FIRST_TIME;
    unsigned opened = 0, ended = 0, by_end = 0;
    b.v.barrier_latency_i = LATENCY;
    b.v.init_i = b.v.upd_init_i = 1;
    for (unsigned sm = 0; sm < SMS; sm++) {
        b.v.init_sm_i = b.v.upd_sm_i = (uint8_t)sm;
        for (unsigned w = 0; w < 64; w++) sms[sm].free_warps.insert(w);
        b.tick();
    }
    b.v.init_i = b.v.upd_init_i = 0;
    for (int i = 0; i < 60000; i++) {
        now += b.pick(2);
        b.v.reached_i = (uint32_t)now;
        std::optional<Visit> next;
        if (b.chance(enter))
            if (auto sm = free_sm(b, stages)) next = visit(b, *sm, sms[*sm], now);
        stages.enter(next);
        b.v.visit_i = stages.at(NXT) != nullptr;
        if (Visit *v = stages.at(NXT)) b.v.nxt_sm_i = (uint8_t)v->sm;
        if (Visit *v = stages.at(OPS)) b.v.ops_sm_i = (uint8_t)v->sm;
        if (Visit *v = stages.at(PTR)) b.v.ptr_sm_i = (uint8_t)v->sm;
        if (Visit *v = stages.at(WRD)) {
            b.v.wrd_cta_i = (uint8_t)v->cta;
            b.v.wrd_bar_i = (uint8_t)v->bar;
        }
        Visit *mis = stages.at(MIS), *now_in = stages.at(ACT);
        b.v.mis_exit_i = mis && mis->what == EXIT;
        b.v.mis_bars_i = mis && mis->what == BARS;
        if (mis) b.v.mis_sm_i = (uint8_t)mis->sm;
        Visit *tag = stages.at(TAG);
        b.v.tag_exit_i = tag && tag->what == EXIT;
        if (tag) {
            b.v.tag_sm_i = (uint8_t)tag->sm;
            b.v.tag_look_i = kept(tag->at);
        }
        const What what = now_in ? now_in->what : NOTHING;
        b.v.act_exit_i = what == EXIT;
        b.v.act_bars_i = what == BARS;
        b.v.act_arrive_i = what == ARRIVE;
        b.v.act_open_i = what == OPEN;
        if (now_in) {
            MemOp op = {};
            op.mem = CORE_MEM_BARRIER;
            op.warp = now_in->warp % 16;
            op.bar_id = now_in->bar;
            op.bar_arrive = !now_in->waits;
            op.bar_warps = now_in->need;
            op.cta = now_in->cta;
            b.v.act_op_i = op.word();
            b.v.act_sub_i = (uint8_t)(now_in->warp / 16);
            b.v.act_sm_i = (uint8_t)now_in->sm;
        }
        b.v.launch_i = b.v.upd_exit_i = 0;
        b.settle();
        if (Visit *v = stages.at(KIN))
            b.expect("a warp has ended", b.v.kin_exit_o, !sms[v->sm].exits.empty());
        if (now_in) {
            Sm &sm = sms[now_in->sm];
            if (what == ARRIVE) { /* the warp stands from its issue on */
                Cta &cta = sm.cta[now_in->cta];
                if (now_in->waits) cta.running.erase(now_in->warp);
            }
            if (what == BARS) {
                Cta &cta = sm.cta[sm.exited];
                const unsigned bar = looked_at(cta, sm.bars - 1);
                if (cta.barrier[bar].all && cta.barrier[bar].arrivals >= cta.live) {
                    by_end += !cta.barrier[bar].waiting.empty();
                    complete(sm, cta, bar);
                }
            }
            act(b, sm, *now_in, &opened, &ended);
            sm.open = !sm.opens.empty();
            sm.look = sm.bars != 0;
            b.expect("warps go on", b.v.act_more_open_o, sm.open);
            /* while warps go on, what is left of the barriers is not said */
            if (what != NOTHING && !sm.open) b.expect("barriers", b.v.act_more_bars_o, sm.look);
        }
        if (b.chance(60)) launch(b, sms.data(), now);
        if (b.chance(end)) warp_ends(b, stages, sms.data(), now);
        b.tick();
        stages.step();
    }
    if (opened < 500 || ended < 200 || by_end < 20)
        b.fail("%u warps go on, %u CTAs end, %u barriers by ends", opened, ended, by_end);
}

int main() {
    uint32_t seed = 1;
    const unsigned chances[][2] = {{100, 50}, {100, 15}, {40, 30}, {70, 90}};
    for (const auto &c : chances) run(seed++, c[0], c[1]);
    printf("sm_barriers: passed\n");
    return 0;
}
