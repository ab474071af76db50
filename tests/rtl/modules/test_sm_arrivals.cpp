/* test_sm_arrivals.cpp - rtl/sm/sm_arrivals.sv: the stage takes the operations of each sub-core in
 * their order, unchanged; among those that are there when it is free, the one in turn. */
#include <algorithm>
#include <deque>

#include "Vsm_arrivals.h"
#include "sm_bench.h"

enum { OP_BITS = WARP_BITS + 59, CREDITS = 4, QUEUE = 16, SLOTS = 5 };

using Bench = ModuleBench<Vsm_arrivals>;

/* Operations of a sub-core: issued, of those sent, when these arrive. */
struct SubCore {
    std::deque<uint64_t> words;
    std::deque<uint64_t> ats;
    unsigned issued = 0, sent = 0;
    uint64_t last = FIRST_TIME;
};

struct Visit {
    unsigned sm;
    uint64_t look; /* the stage is free, or waits for the first that arrives */
    unsigned turn;
    bool take;
};

static uint64_t first_of(const SubCore *subs) {
    uint64_t first = UINT64_MAX;
    for (unsigned s = 0; s < SUBS; s++)
        if (!subs[s].ats.empty()) first = std::min(first, subs[s].ats.front());
    return first;
}

/* Rule 5: among the heads with arrival <= start, the first in turn. */
static unsigned taken_of(const SubCore *subs, const Visit &v) {
    for (unsigned n = 0; n < SUBS; n++) {
        const SubCore &s = subs[(v.turn + n) % SUBS];
        if (!s.ats.empty() && s.ats.front() <= v.look) return (v.turn + n) % SUBS;
    }
    return SUBS;
}

static void run(uint32_t seed, unsigned send, unsigned visit, unsigned take) {
    Bench b(seed);
    Stages<Visit> stages(PASS_STAGES, PIPELINED);
    SubCore subs[SMS][SUBS];
    uint64_t now = FIRST_TIME;
    unsigned took = 0, in_turn[SUBS] = {};
    b.v.init_i = b.v.upd_arrive_we_i = 1;
    for (unsigned row = 0; row < SMS * SUBS; row++) {
        b.v.upd_row_i = (uint8_t)row;
        b.v.upd_sent_i = 0;
        b.v.init_sm_i = (uint8_t)(row / SUBS);
        b.tick();
    }
    b.v.init_i = b.v.upd_arrive_we_i = 0;
    for (int i = 0; i < 30000; i++) {
        now += b.pick(3);
        const unsigned sm = b.pick(SMS);
        std::optional<Visit> next;
        if (b.chance(visit) && !stages.any([&](Visit &v) { return v.sm == sm; })) {
            const uint64_t first = first_of(subs[sm]);
            const bool some = first != UINT64_MAX;
            next = {sm, some ? first + (b.chance(50) ? 0 : b.pick(60)) : now, b.pick(SUBS),
                    some && b.chance(take)};
        }
        stages.enter(next);

        /* A sub-core issues an operation, or sends the oldest that it has, or both. */
        const unsigned to = b.pick(SMS), from = b.pick(SUBS);
        SubCore &sub = subs[to][from];
        const bool free = !stages.any([&](Visit &v) { return v.sm == to; });
        const bool issues = sub.words.size() - sub.ats.size() < SLOTS && b.chance(send);
        const bool sends = free && sub.ats.size() < CREDITS && b.chance(send) &&
                           sub.issued + issues > sub.sent;
        const uint64_t word = b.bits(OP_BITS);
        const uint64_t at = sub.last = std::max(sub.last, now) + b.pick(20);
        b.v.upd_row_i = (uint8_t)(to * SUBS + from);
        b.v.upd_op_we_i = issues;
        b.v.upd_entry_i = sub.issued % QUEUE;
        b.v.upd_op_i = word;
        b.v.upd_arrive_we_i = sends;
        b.v.upd_arrive_entry_i = sub.sent % 8;
        b.v.upd_arrive_i = kept(at);
        b.v.upd_sent_i = (sub.sent + 1) % QUEUE;

        b.v.visit_i = stages.at(NXT) != nullptr;
        if (Visit *v = stages.at(NXT)) b.v.nxt_sm_i = (uint8_t)v->sm;
        if (Visit *v = stages.at(HED)) b.v.hed_sm_i = (uint8_t)v->sm;
        if (Visit *v = stages.at(KIN)) {
            b.v.kin_look_i = kept(v->look);
            b.v.kin_turn_i = (uint8_t)v->turn;
        }
        Visit *ops = stages.at(OPS), *act = stages.at(ACT);
        if (ops) b.v.ops_sm_i = (uint8_t)ops->sm;
        b.v.ops_take_i = ops && ops->take;
        b.v.act_take_i = act && act->take;
        if (act) {
            b.v.act_sm_i = (uint8_t)act->sm;
            b.v.act_sub_i = (uint8_t)(taken_of(subs[act->sm], *act) % SUBS);
        }
        b.settle();
        if (Visit *v = stages.at(PCK)) {
            const uint64_t first = first_of(subs[v->sm]);
            const uint64_t head = get_bits(b.v.pck_head_o, 0, TIME_BITS + 1);
            b.expect("nothing arrives", head >> TIME_BITS, first == UINT64_MAX);
            if (first != UINT64_MAX) b.expect("the first arrives at", head, kept(first));
        }
        if (ops && ops->take)
            b.expect("sub-core in turn", b.v.ops_sub_o, taken_of(subs[ops->sm], *ops));
        Visit *ptr = stages.at(PTR);
        if (ptr && ptr->take)
            b.expect("operation", b.v.ptr_op_o,
                     subs[ptr->sm][taken_of(subs[ptr->sm], *ptr)].words.front());

        if (act && act->take) {
            const unsigned s = taken_of(subs[act->sm], *act);
            subs[act->sm][s].words.pop_front();
            subs[act->sm][s].ats.pop_front();
            took++;
            in_turn[s]++;
        }
        if (issues) {
            sub.words.push_back(word);
            sub.issued++;
        }
        if (sends) {
            sub.ats.push_back(at);
            sub.sent++;
        }
        b.tick();
        stages.step();
    }
    for (unsigned s = 0; s < SUBS; s++)
        if (in_turn[s] < 100) b.fail("%u operations of sub-core %u, of %u", in_turn[s], s, took);
}

int main() {
    uint32_t seed = 1;
    const unsigned chances[][3] = {{100, 100, 100}, {60, 100, 50}, {100, 60, 30}, {20, 50, 100}};
    for (const auto &c : chances) run(seed++, c[0], c[1], c[2]);
    printf("sm_arrivals: passed\n");
    return 0;
}
