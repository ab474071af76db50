/* test_sm_asks.cpp - rtl/sm/sm_asks.sv: the SM's cache takes one ask a cycle, the earliest, of the
 * lowest sub-core among equals (rule 13); what is gone on with keeps its word and its time. */
#include <algorithm>
#include <deque>

#include "Vsm_asks.h"
#include "sm_bench.h"

enum { WORD_BITS = 17 + 5 + 7, MOST = 31 };

using Bench = ModuleBench<Vsm_asks>;

struct Ask {
    uint64_t at, word;
};

struct Sm {
    std::deque<Ask> asks[SUBS];
    uint64_t free = 0;      /* the cache is free at; 0 after the reset */
    bool under_way = false; /* an ask was taken and has lines left: */
    unsigned sub = 0;
    uint64_t taken = 0; /* at */
};

struct Visit {
    unsigned sm;
    bool more, first, last, scrub; /* goes on with the ask; takes one; done with it; is scrubbed */
    unsigned sub;
    uint64_t at;
};

static bool next_ask(const Sm &sm, unsigned *sub, uint64_t *at) {
    uint64_t first = UINT64_MAX;
    for (unsigned s = 0; s < SUBS; s++)
        if (!sm.asks[s].empty() && sm.asks[s].front().at < first) {
            first = sm.asks[s].front().at;
            *sub = s;
        }
    *at = std::max(first, sm.free);
    return first != UINT64_MAX;
}

static Visit visit(Bench &b, unsigned number, const Sm &sm, unsigned take, bool scrub) {
    Visit v = {number, sm.under_way, false, false, scrub, sm.sub, sm.taken};
    if (scrub) {
        v.more = false;
    } else if (sm.under_way) {
        v.last = b.chance(60);
    } else if (b.chance(take) && next_ask(sm, &v.sub, &v.at)) {
        v.first = true;
        v.last = b.chance(50);
    }
    return v;
}

static void check(Bench &b, Stages<Visit> &stages, const Sm *sms) {
    if (Visit *v = stages.at(KIN)) {
        unsigned sub;
        uint64_t at = v->at;
        const bool some = v->more || next_ask(sms[v->sm], &sub, &at);
        const uint64_t ask = get_bits(b.v.kin_ask_o, 0, TIME_BITS + 1);
        b.expect("no ask", ask >> TIME_BITS, !some);
        if (some) b.expect("the ask is taken at", ask, kept(at));
    }
    Visit *v = stages.at(OPS);
    if (v && (v->more || v->first)) b.expect("its sub-core", b.v.ops_sub_o, v->sub);
    v = stages.at(PTR);
    if (v && (v->more || v->first))
        b.expect("its word", b.v.ptr_word_o, sms[v->sm].asks[v->sub].front().word);
    v = stages.at(ACT);
    if (v && (v->more || v->first)) b.expect("it was taken at", b.v.act_ask_o, kept(v->at));
}

static void run(uint32_t seed, unsigned send, unsigned enter, unsigned take) {
    Bench b(seed);
    Stages<Visit> stages(PASS_STAGES, PIPELINED);
    Sm sms[SMS];
    uint64_t now = FIRST_TIME, last[SMS][SUBS] = {}, taken = 0, equal = 0;
    b.v.init_i = b.v.upd_init_i = 1;
    for (unsigned row = 0; row < SMS * SUBS; row++) {
        b.v.upd_row_i = (uint8_t)row;
        b.v.init_sm_i = (uint8_t)(row / SUBS);
        b.tick();
    }
    b.v.init_i = b.v.upd_init_i = 0;
    for (unsigned s = 0; s < SMS; s++) sms[s].free = FIRST_TIME - kept(FIRST_TIME);
    /* Scrub the zeros first: that makes the times of all SMs recent. */
    for (int i = 0; i < 30000; i++) {
        now += b.pick(3);
        const unsigned sm = b.pick(SMS);
        const bool scrub = i < 400 ? true : b.chance(2);
        std::optional<Visit> next;
        if (i < 400) {
            if (i % 16 == 0) next = visit(b, i / 16 % SMS, sms[i / 16 % SMS], take, true);
        } else if (b.chance(enter) && !stages.any([&](Visit &v) { return v.sm == sm; })) {
            next = visit(b, sm, sms[sm], take, scrub && !sms[sm].under_way);
        }
        stages.enter(next);

        const unsigned to = b.pick(SMS), from = b.pick(SUBS);
        std::deque<Ask> &asks = sms[to].asks[from];
        const bool sends = i >= 400 && b.chance(send) && asks.size() < MOST &&
                           !stages.any([&](Visit &v) { return v.sm == to; });
        const Ask ask = {std::max(last[to][from], now + b.pick(40)), b.bits(WORD_BITS)};
        b.v.upd_row_i = (uint8_t)(to * SUBS + from);
        b.v.upd_ask_i = sends;
        b.v.upd_word_i = (uint32_t)ask.word;
        b.v.upd_at_i = kept(ask.at);
        b.v.scrub_all_i = i < 400;
        const uint64_t floor = now - 256;
        b.v.scrub_floor_i = kept(floor);

        b.v.visit_i = stages.at(NXT) != nullptr;
        if (Visit *v = stages.at(NXT)) b.v.nxt_sm_i = (uint8_t)v->sm;
        if (Visit *v = stages.at(HED)) b.v.hed_sm_i = (uint8_t)v->sm;
        Visit *pck = stages.at(PCK), *ops = stages.at(OPS), *act = stages.at(ACT);
        b.v.pck_more_i = pck && pck->more;
        b.v.pck_sub_i = (uint8_t)(pck ? pck->sub : b.pick(SUBS));
        b.v.ops_ask_i = ops && (ops->more || ops->first);
        if (ops) b.v.ops_sm_i = (uint8_t)ops->sm;
        b.v.act_first_i = act && act->first;
        b.v.act_last_i = act && act->last;
        b.v.act_scrub_i = act && act->scrub;
        if (act) {
            b.v.act_sm_i = (uint8_t)act->sm;
            b.v.act_sub_i = (uint8_t)act->sub;
        }
        b.settle();
        check(b, stages, sms);

        if (act) {
            Sm &s = sms[act->sm];
            if (act->scrub) s.free = b.v.scrub_all_i ? floor : std::max(s.free, floor);
            if (act->first) {
                s.under_way = true;
                s.sub = act->sub;
                s.taken = act->at;
                s.free = act->at + 1;
                taken++;
                for (unsigned n = act->sub + 1; n < SUBS; n++)
                    equal += !s.asks[n].empty() &&
                             s.asks[n].front().at == s.asks[act->sub].front().at;
            }
            if (act->last) {
                s.under_way = false;
                s.asks[act->sub].pop_front();
            }
        }
        if (sends) {
            asks.push_back(ask);
            last[to][from] = ask.at;
        }
        b.tick();
        stages.step();
    }
    if (taken < 500 || !equal)
        b.fail("%llu taken, %llu of equals", (unsigned long long)taken, (unsigned long long)equal);
}

int main() {
    uint32_t seed = 1;
    const unsigned chances[][3] = {{100, 100, 100}, {40, 100, 60}, {100, 60, 30}, {30, 60, 100}};
    for (const auto &c : chances) run(seed++, c[0], c[1], c[2]);
    printf("sm_asks: passed\n");
    return 0;
}
