/* test_sm_lines.cpp - rtl/sm/sm_lines.sv: line words of each warp come out in their order, one or
 * two at a time put in; a look-up says when the next has not come, and words that come then say
 * that somebody waits. */
#include <deque>

#include "Vsm_lines.h"
#include "sm_bench.h"

enum { WARPS = 64, ROOM = 64, ID_WARPS = 4 };

using Bench = ModuleBench<Vsm_lines>;

struct Visit {
    unsigned sm, id;
    bool looks, uses;   /* looks for a word; uses it, if it has come */
    bool found, behind; /* it had come; the visit is in stage ptr or behind it */
};

static void run(uint32_t seed, unsigned come, unsigned enter, unsigned use) {
    Bench b(seed);
    Stages<Visit> stages(PASS_STAGES, PIPELINED);
    std::deque<uint64_t> words[SMS * WARPS];
    bool waits[SMS] = {}; /* a visit has found none */
    unsigned used = 0, none = 0, wanted = 0, full = 0;
    b.v.clear_i = 1;
    for (unsigned id = 0; id < SMS * WARPS; id++) {
        b.v.clear_id_i = (uint16_t)id;
        b.tick();
    }
    b.v.clear_i = 0;
    for (int i = 0; i < 30000; i++) {
        std::optional<Visit> next;
        if (b.chance(enter))
            if (auto sm = free_sm(b, stages))
                next = Visit{
                    *sm, *sm * WARPS + b.pick(ID_WARPS), b.chance(80), b.chance(use), false, false};
        stages.enter(next);
        Visit *nxt = stages.at(NXT), *ptr = stages.at(PTR), *act = stages.at(ACT);
        b.v.nxt_valid_i = nxt != nullptr;
        if (nxt) b.v.nxt_sm_i = (uint8_t)nxt->sm;
        b.v.ptr_line_i = ptr && ptr->looks;
        b.v.ptr_id_i = (uint16_t)(ptr ? ptr->id : b.pick(SMS * WARPS));

        /* Words come: of three payload words any, in the pipelined form one. */
        const unsigned sm = b.pick(SMS), id = sm * WARPS + b.pick(ID_WARPS);
        std::vector<uint64_t> came;
        b.v.cmd_lines_i = b.v.cmd_twos_i = 0;
        for (auto &word : b.v.cmd_beat_i.m_storage) word = (uint32_t)b.bits(32);
        b.v.cmd_id_i = (uint16_t)id;
        b.v.cmd_look_i = b.chance(come);
        const unsigned only = b.pick(3);
        for (unsigned n = 0; b.v.cmd_look_i && n < 3; n++) {
            if (PIPELINED ? n != only : b.chance(40)) continue;
            const unsigned count = 1 + b.pick(2);
            if (words[id].size() + came.size() + count > ROOM) break;
            b.v.cmd_lines_i |= 1u << n;
            if (count == 2) b.v.cmd_twos_i |= 1u << n;
            for (unsigned w = 0; w < count; w++)
                came.push_back(get_bits(b.v.cmd_beat_i, 128 + n * 128 + w * 64, 64));
        }
        if (!b.v.cmd_lines_i) b.v.cmd_twos_i = (uint8_t)b.pick(8); /* means nothing */

        b.v.act_line_i = b.v.act_none_i = 0;
        b.settle();
        if (ptr) {
            ptr->behind = true;
            ptr->found = ptr->looks && !words[ptr->id].empty();
            ptr->uses = ptr->uses && ptr->found;
        }
        if (Visit *v = stages.at(WRD)) b.expect("there", b.v.wrd_there_o, v->found);
        Visit *mis = stages.at(MIS);
        if (mis && mis->found) b.expect("line", b.v.mis_line_o, words[mis->id].front());
        if (act) {
            b.expect("there in stage act", b.v.act_there_o, act->found);
            if (act->found) b.expect("line in stage act", b.v.act_line_o, words[act->id].front());
            b.v.act_line_i = act->uses;
            b.v.act_none_i = act->looks && !act->found;
            b.v.act_sm_i = (uint8_t)act->sm;
        }
        b.settle();
        /* Somebody waits: the SM's last visit found none, or one under way is looking. */
        const bool looking = stages.any(
            [&](Visit &v) { return v.behind && v.looks && v.sm == sm; });
        b.expect("wanted", b.v.cmd_wanted_o, b.v.cmd_look_i && (waits[sm] || looking));
        wanted += b.v.cmd_wanted_o;

        if (nxt) waits[nxt->sm] = false;
        if (act && b.v.act_none_i) {
            waits[act->sm] = true;
            none++;
        }
        if (act && act->uses) {
            words[act->id].pop_front();
            used++;
        }
        words[id].insert(words[id].end(), came.begin(), came.end());
        full += words[id].size() == ROOM;
        b.tick();
        stages.step();
    }
    if (used < 500 || !none || !wanted || (come > use && !full))
        b.fail("%u used, %u times none, %u times wanted, full %u times", used, none, wanted, full);
}

int main() {
    uint32_t seed = 1;
    const unsigned chances[][3] = {{100, 60, 50}, {30, 100, 100}, {5, 100, 100}, {60, 50, 90}};
    for (const auto &c : chances) run(seed++, c[0], c[1], c[2]);
    printf("sm_lines: passed\n");
    return 0;
}
