/* test_heddle_exchange.cpp - rtl/top/heddle_exchange.sv with four engines: each word comes once, to
 * the engine of its slice or SM, in the order of its sender, whatever the pauses; the rest goes to
 * the host, requests for lines outside the GPU too. */
#include <cstring>
#include <deque>

#include "Vheddle_exchange.h"
#include "core_regs.h"
#include "core_words.h"
#include "module_bench.h"

using Bench = ModuleBench<Vheddle_exchange>;

constexpr unsigned GROUPS = 4;

struct Word {
    uint64_t w[2];
};

static bool same(const Word &a, const uint32_t *b) {
    return !memcmp(a.w, b, sizeof a.w);
}

/* `send`, `take`: percent of clocks in which a sender begins, a receiver or the host takes. */
static void run(uint32_t seed, unsigned shift, unsigned instance, unsigned send, unsigned take) {
    Bench b(seed);
    std::deque<Word> under_way[GROUPS][GROUPS]; /* from, to */
    Word next[GROUPS] = {};
    unsigned to[GROUPS] = {}, given[GROUPS] = {}, hosts = 0;
    b.v.host_shift_i = shift;
    b.v.instance_i = instance;
    for (int i = 0; i < 20000; i++) {
        const bool ends = i > 19000;
        for (unsigned g = 0; g < GROUPS; g++) {
            if (!(b.v.valid_i >> g & 1) && !ends && b.chance(send)) {
                const bool request = b.chance(50), event = b.chance(10);
                const bool elsewhere = shift && b.chance(20);
                const bool other = !event && !request && b.chance(10); /* a customer, no SM */
                const bool outside = request && b.chance(10);
                to[g] = event || elsewhere || other || outside
                            ? GROUPS
                            : (g + b.pick(GROUPS - 1) + 1) % GROUPS;
                const unsigned place = elsewhere ? instance ^ 1 : instance;
                const unsigned owner = b.pick(3) * (GROUPS << shift) + ((to[g] % GROUPS) << shift) +
                                       place;
                next[g] = {{b.bits(64), b.bits(64)}};
                core_remote_set_kind(next[g].w, event     ? CORE_EV_DRAM_READ
                                                : request ? CORE_EV_REQUEST
                                                          : CORE_EV_REPLY);
                if (request)
                    core_remote_set_slice(next[g].w, outside ? +CORE_OUTSIDE : owner);
                else
                    core_remote_set_sm(next[g].w, other ? 240 + b.pick(16) : owner);
                memcpy(&b.v.word_i[g * 4], next[g].w, sizeof next[g].w);
                b.v.valid_i |= 1u << g;
            }
        }
        b.v.ready_i = b.v.ev_ready_i = 0;
        for (unsigned g = 0; g < GROUPS; g++) {
            b.v.ready_i |= (ends || b.chance(take)) << g;
            b.v.ev_ready_i |= (ends || b.chance(take)) << g;
        }
        b.settle();
        unsigned inside = 0;
        for (unsigned g = 0; g < GROUPS; g++) {
            if (b.v.valid_o >> g & b.v.ready_i >> g & 1) {
                unsigned from = GROUPS;
                for (unsigned s = 0; s < GROUPS; s++)
                    if (!under_way[s][g].empty() &&
                        same(under_way[s][g].front(), &b.v.word_o[g * 4]))
                        from = s;
                if (from == GROUPS) b.fail("engine %u gets a word that was not next", g);
                under_way[from][g].pop_front();
                given[g]++;
            }
            if ((b.v.ev_valid_o >> g & 1) != ((b.v.valid_i >> g & 1) && to[g] == GROUPS))
                b.fail("an event of engine %u, or none", g);
        }
        const unsigned accepted = b.v.valid_i & b.v.ready_o;
        b.tick();
        for (unsigned g = 0; g < GROUPS; g++)
            if (accepted >> g & 1) {
                if (to[g] == GROUPS)
                    hosts++;
                else
                    under_way[g][to[g]].push_back(next[g]);
            }
        b.v.valid_i &= ~accepted;
        b.settle();
        for (auto &from : under_way)
            for (auto &list : from) inside += (unsigned)list.size();
        if (b.v.busy_o != (inside > 0)) b.fail("busy with %u words", inside);
    }
    for (auto &from : under_way)
        for (auto &list : from)
            if (!list.empty()) b.fail("%zu words have not come", list.size());
    for (unsigned g = 0; g < GROUPS; g++)
        if (given[g] < 1000) b.fail("%u words for engine %u", given[g], g);
    if (hosts < 500) b.fail("%u events", hosts);
}

int main() {
    uint32_t seed = 1;
    for (unsigned shift = 0; shift < 3; shift++) {
        const unsigned instance = shift ? 1 : 0;
        run(seed++, shift, instance, 100, 100);
        run(seed++, shift, instance, 60, 30);
        run(seed++, shift, instance, 20, 90);
    }
    printf("heddle_exchange: passed\n");
    return 0;
}
