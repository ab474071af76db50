/* test_sm_passes.cpp - rtl/sm/sm_passes.sv: which slot is visited, one visit to each at a time;
 * what comes first in target time, in the order that rule 13 gives within a cycle; where a visit
 * is. */
#include <tuple>

#include "Vsm_passes.h"
#include "sm_bench.h"

enum { SLOTS = 1 << SLOT_BITS };

using Bench = ModuleBench<Vsm_passes>;

struct Visit {
    unsigned sm, slot;
    bool scrub;
    unsigned set;
    /* what stage kin is told: times, or nothing */
    bool exit, active;
    std::optional<uint64_t> look, fill, ask;
    uint64_t end;
    unsigned kind, leaves;
};

/* Of what lies before the end the earliest; of one cycle replies, look-ups, asks for code. */
static unsigned first_of(const Visit &v) {
    std::tuple<uint64_t, unsigned, unsigned> first = {v.end, 0, PassEnd};
    auto consider = [&](const std::optional<uint64_t> &at, unsigned order, unsigned kind) {
        if (at && *at < v.end && std::make_tuple(*at, order, kind) < first)
            first = {*at, order, kind};
    };
    consider(v.fill, 0, PassReply);
    consider(v.look, 1, v.active ? PassLine : PassTake);
    consider(v.ask, 2, PassAsk);
    return std::get<2>(first);
}

static uint64_t bound(Bench &b, const std::optional<uint64_t> &at) {
    return at ? kept(*at) : UINT64_C(1) << TIME_BITS | kept(b.bits(32));
}

static void check(Bench &b, Stages<Visit> &stages) {
    auto sm = [&](unsigned stage, unsigned is) {
        if (Visit *v = stages.at(stage)) b.expect("SM of a stage", is, v->sm);
    };
    auto valid = [&](unsigned stage, bool is) {
        b.expect("a visit in a stage", is, stages.at(stage) != nullptr);
    };
    auto kind = [&](unsigned stage, unsigned is) {
        if (Visit *v = stages.at(stage)) b.expect("kind", is, v->kind);
    };
    sm(NXT, b.v.nxt_sm_o), sm(HED, b.v.hed_sm_o), sm(CMP, b.v.cmp_sm_o), sm(OPS, b.v.ops_sm_o);
    sm(PTR, b.v.ptr_sm_o), sm(WRD, b.v.wrd_sm_o), sm(MIS, b.v.mis_sm_o), sm(TAG, b.v.tag_sm_o);
    sm(ACT, b.v.act_sm_o);
    valid(NXT, b.v.nxt_valid_o), valid(OPS, b.v.ops_valid_o), valid(PTR, b.v.ptr_valid_o);
    valid(MIS, b.v.mis_valid_o), valid(TAG, b.v.tag_valid_o), valid(ACT, b.v.act_valid_o);
    kind(OPS, b.v.ops_kind_o), kind(PTR, b.v.ptr_kind_o), kind(MIS, b.v.mis_kind_o);
    kind(TAG, b.v.tag_kind_o), kind(ACT, b.v.act_kind_o);
    Visit *v = stages.at(OPS);
    if (v && v->scrub) b.expect("set of constants", b.v.ops_set_o, v->set);
    v = stages.at(ACT);
    if (v && !v->scrub) b.expect("slot", b.v.act_slot_o, v->slot);
    v = stages.at(KIN);
    if (v && !v->scrub) b.expect("slot in stage kin", b.v.kin_slot_o, v->slot);
}

static void run(uint32_t seed, unsigned pass, unsigned room) {
    Bench b(seed);
    Stages<Visit> stages(PASS_STAGES, PIPELINED);
    unsigned left[SMS] = {}; /* to do in an SM, pass_e */
    uint64_t now = FIRST_TIME;
    unsigned kinds[PassTell + 1] = {};
    unsigned passes = 0, no_pass = 0;
    unsigned sm_of[SLOTS];
    for (unsigned s = 0; s < SLOTS; s++) sm_of[s] = s;
    b.v.init_i = 1;
    for (unsigned sm = 0; sm < SMS; sm++) {
        b.v.init_sm_i = (uint8_t)sm;
        b.tick();
    }
    b.v.init_i = 0;
    for (int i = 0; i < 30000; i++) {
        now += b.pick(3);
        b.v.hold_i = b.chance(5);
        b.v.room_i = b.chance(room);
        /* New passes, of SMs that get the slot; now and then none for a while, to scrub. */
        if (no_pass == 0 && b.pick(2000) == 0) no_pass = 1200;
        no_pass -= no_pass > 0;
        const unsigned slot = b.pick(SLOTS);
        if (!no_pass && !(passes >> slot & 1) && b.chance(pass)) {
            const unsigned sm = b.pick(SMS / SLOTS) * SLOTS + slot;
            if (!stages.any([&](Visit &v) { return v.sm == sm; })) {
                sm_of[slot] = sm;
                passes |= 1u << slot;
            }
        }
        b.v.pass_i = (uint16_t)passes;
        b.v.scrub_i = !passes && no_pass && b.chance(50) &&
                      !stages.any([](Visit &v) { return !v.scrub; });
        b.v.scrub_sm_i = (uint8_t)b.pick(SMS);
        b.v.scrub_set_i = (uint8_t)b.pick(4);
        b.settle();

        unsigned waiting = passes;
        stages.any([&](Visit &v) {
            if (PIPELINED && !v.scrub) waiting &= ~(1u << v.slot);
            return false;
        });
        std::optional<Visit> next;
        if (b.v.scrub_i) {
            next = Visit{};
            next->scrub = true;
            next->sm = b.v.scrub_sm_i;
            next->set = b.v.scrub_set_i;
        } else if (waiting && b.v.room_i && !b.v.hold_i) {
            unsigned first = 0;
            while (!(waiting >> first & 1)) first++;
            next = Visit{};
            next->slot = first;
            next->sm = sm_of[first];
            b.expect("next slot", b.v.beg_slot_o, first);
        }
        if (next) {
            b.v.beg_sm_i = (uint8_t)next->sm;
            next->end = now + 8;
            next->exit = b.chance(10);
            next->active = b.pick(2);
            if (b.chance(60)) next->look = now + b.pick(10);
            if (b.chance(60)) next->fill = now + b.pick(10);
            if (b.chance(60)) next->ask = now + b.pick(10);
            next->kind = next->scrub                 ? (unsigned)PassScrub
                         : left[next->sm] != PassEnd ? left[next->sm]
                         : next->exit                ? (unsigned)PassExit
                                                     : first_of(*next);
            next->leaves = next->scrub || next->kind == PassEnd || b.chance(60)
                               ? (unsigned)PassEnd
                               : (unsigned)PassWake + b.pick(5);
            kinds[next->kind]++;
        }
        if (PIPELINED)
            b.expect("busy", b.v.busy_o, next || stages.any([](Visit &) { return true; }));
        /* A visit is in stage beg now, and in nxt a clock later. */
        if (!PIPELINED) stages.enter(next);
        if (Visit *v = stages.at(KIN)) {
            b.v.kin_end_i = kept(v->end);
            b.v.kin_exit_i = v->exit;
            b.v.kin_active_i = v->active;
            b.v.kin_look_i = bound(b, v->look);
            b.v.kin_fill_i = bound(b, v->fill);
            b.v.kin_ask_i = bound(b, v->ask);
        }
        Visit *act = stages.at(ACT);
        b.v.act_more_i = act ? act->leaves : (unsigned)PassEnd;
        b.settle();
        check(b, stages);
        for (unsigned stage : {CMP, PCK})
            if (Visit *v = stages.at(stage))
                b.expect("left to do", stage == CMP ? b.v.cmp_more_o : b.v.pck_more_o, left[v->sm]);
        const unsigned ended = act && act->kind == PassEnd ? 1u << act->slot : 0;
        if (act) left[act->sm] = act->leaves;
        b.tick();
        passes &= ~ended;
        stages.step();
        if (PIPELINED) stages.enter(next);
    }
    for (unsigned kind = PassEnd; kind <= PassTell; kind++)
        if (kinds[kind] < 20) b.fail("kind %u: %u visits", kind, kinds[kind]);
}

int main() {
    uint32_t seed = 1;
    for (unsigned pass : {100, 50, 10})
        for (unsigned room : {100, 50}) run(seed++, pass, room);
    printf("sm_passes: passed\n");
    return 0;
}
