/* test_sm_rings.cpp - rtl/sm/sm_rings.sv: of each sub-core of a visited SM the first that it has
 * sent and nobody has taken, when that arrives, and its number; which of them is the earliest. */
#include <algorithm>
#include <deque>

#include "Vsm_rings.h"
#include "sm_bench.h"

enum { COUNT_BITS = 4, PLACES = 8, MOST = 4 }; /* the module's defaults */

using Bench = ModuleBench<Vsm_rings>;

/* What a sub-core has sent. */
struct Ring {
    unsigned sent = 0, taken = 0;
    uint64_t last = FIRST_TIME;
    std::deque<uint64_t> ats;
};

struct Visit {
    unsigned sm, sub;
    bool take; /* the first of the sub-core */
};

static void check_first(Bench &b, const Ring *rings) {
    uint64_t earliest = UINT64_MAX;
    for (unsigned s = 0; s < SUBS; s++) {
        const uint64_t lane = get_bits(b.v.cmp_ats_o, s * (TIME_BITS + 1), TIME_BITS + 1);
        const bool none = rings[s].ats.empty();
        b.expect("nothing of the sub-core", lane >> TIME_BITS, none);
        if (none) continue;
        b.expect("its first", lane, kept(rings[s].ats.front()));
        earliest = std::min(earliest, rings[s].ats.front());
    }
    const uint64_t first = get_bits(b.v.cmp_first_o, 0, TIME_BITS + 1);
    b.expect("nothing", first >> TIME_BITS, earliest == UINT64_MAX);
    if (earliest != UINT64_MAX) b.expect("the first", first, kept(earliest));
}

/* `send`, `visit`, `take`: percent of clocks in which there is one, as far as rules allow. */
static void run(uint32_t seed, unsigned send, unsigned visit, unsigned take) {
    Bench b(seed);
    Stages<Visit> stages(PASS_STAGES, PIPELINED);
    Ring rings[SMS][SUBS];
    uint64_t now = FIRST_TIME, took = 0, full = 0;
    b.v.init_i = b.v.upd_we_i = 1;
    for (unsigned row = 0; row < SMS * SUBS; row++) {
        b.v.upd_row_i = (uint8_t)row;
        b.v.upd_sent_i = 0;
        b.v.init_sm_i = (uint8_t)(row / SUBS);
        b.tick();
    }
    b.v.init_i = b.v.upd_we_i = 0;
    for (int i = 0; i < 30000; i++) {
        now += b.pick(3);
        const unsigned sm = b.pick(SMS);
        std::optional<Visit> next;
        if (b.chance(visit) && !stages.any([&](Visit &v) { return v.sm == sm; })) {
            const unsigned sub = b.pick(SUBS);
            next = {sm, sub, !rings[sm][sub].ats.empty() && b.chance(take)};
        }
        stages.enter(next);

        const unsigned to = b.pick(SMS), from = b.pick(SUBS);
        Ring &ring = rings[to][from];
        b.v.upd_we_i = b.chance(send) && ring.ats.size() < MOST &&
                       !stages.any([&](Visit &v) { return v.sm == to; });
        b.v.upd_row_i = (uint8_t)(to * SUBS + from);
        const uint64_t at = ring.last = std::max(ring.last, now) + b.pick(20);
        b.v.upd_at_i = kept(at);
        b.v.upd_place_i = ring.sent % PLACES;
        b.v.upd_sent_i = (ring.sent + 1) % (1 << COUNT_BITS);

        b.v.visit_i = stages.at(NXT) != nullptr;
        if (Visit *v = stages.at(NXT)) b.v.nxt_sm_i = (uint8_t)v->sm;
        if (Visit *v = stages.at(HED)) b.v.hed_sm_i = (uint8_t)v->sm;
        if (Visit *v = stages.at(OPS)) b.v.ops_sub_i = (uint8_t)v->sub;
        Visit *act = stages.at(ACT);
        b.v.act_take_i = act && act->take;
        b.v.act_sm_i = (uint8_t)(act ? act->sm : b.pick(SMS));
        b.v.act_sub_i = (uint8_t)(act ? act->sub : b.pick(SUBS));
        b.settle();
        if (b.v.upd_we_i) b.expect("sent so far", b.v.upd_count_o, ring.sent % (1 << COUNT_BITS));
        if (Visit *v = stages.at(CMP)) check_first(b, rings[v->sm]);
        if (Visit *v = stages.at(OPS))
            b.expect("number of the first", b.v.ops_taken_o,
                     rings[v->sm][v->sub].taken % (1 << COUNT_BITS));

        if (b.v.upd_we_i) {
            ring.ats.push_back(at);
            ring.sent++;
            full += ring.ats.size() == MOST;
        }
        if (act && act->take) {
            Ring &r = rings[act->sm][act->sub];
            r.ats.pop_front();
            r.taken++;
            took++;
        }
        b.tick();
        stages.step();
    }
    if (took < 1000 || (send > take && !full))
        b.fail("%llu taken, full %llu times", (unsigned long long)took, (unsigned long long)full);
}

int main() {
    uint32_t seed = 1;
    const unsigned chances[][3] = {{100, 100, 100}, {50, 100, 50}, {100, 60, 20}, {20, 50, 100}};
    for (const auto &c : chances) run(seed++, c[0], c[1], c[2]);
    printf("sm_rings: passed\n");
    return 0;
}
