/* test_heddle_merge.cpp - rtl/top/heddle_merge.sv with four groups: each event comes once, those of
 * a sender in their order, the groups in turn and of a group the network's first; SMs have the
 * numbers of the host. */
#include <algorithm>
#include <cstring>
#include <deque>

#include "Vheddle_merge.h"
#include "core_words.h"
#include "module_bench.h"

enum { GROUPS = 4, SM = 0, NET = GROUPS, SENDERS = 2 * GROUPS };

using Bench = ModuleBench<Vheddle_merge>;

struct Event {
    uint64_t w[2];
};

/* `send`, `take`: percent of clocks in which a sender begins, in which an event is taken. */
static void run(uint32_t seed, unsigned shift, unsigned send, unsigned take) {
    Bench b(seed);
    std::optional<Event> offered[SENDERS];
    std::optional<Event> out; /* at the port */
    unsigned last = 0, taken[SENDERS] = {}, stalls = 0, together = 0;
    const unsigned instance = b.pick(1u << shift);
    b.v.host_shift_i = (uint8_t)shift;
    b.v.instance_i = (uint8_t)instance;
    for (int i = 0; i < 20000; i++) {
        b.v.net_valid_i = b.v.sm_valid_i = 0;
        for (unsigned s = 0; s < SENDERS; s++) {
            const unsigned g = s % GROUPS;
            if (!offered[s] && b.chance(send)) {
                offered[s] = Event{{b.bits(64), b.bits(64)}};
                /* the number of an SM in its group */
                if (s < NET) core_event_set_sm(offered[s]->w, b.pick(256 >> shift >> 2));
            }
            auto &valid = s < NET ? b.v.sm_valid_i : b.v.net_valid_i;
            auto &words = s < NET ? b.v.sm_word_i : b.v.net_word_i;
            if (offered[s]) {
                valid |= 1u << g;
                memcpy(&words[g * 4], offered[s]->w, sizeof offered[s]->w);
            }
        }
        b.v.ready_i = b.chance(take);
        b.settle();
        b.expect("valid", b.v.valid_o, out.has_value());
        if (out && memcmp(out->w, &b.v.word_o, sizeof out->w)) b.fail("another event");
        const bool free = !out || b.v.ready_i;
        stalls += !free;
        /* the group behind the last one that has an event */
        std::optional<unsigned> next;
        unsigned want = 0;
        for (unsigned k = GROUPS; k > 0; k--) {
            const unsigned g = (last + k) % GROUPS;
            if (!offered[NET + g] && !offered[SM + g]) continue;
            next = offered[NET + g] ? NET + g : SM + g;
            want++;
        }
        together += want > 1;
        for (unsigned g = 0; g < GROUPS; g++)
            for (unsigned s : {SM + g, NET + g}) {
                const unsigned ready = (s < NET ? b.v.sm_ready_o : b.v.net_ready_o) >> g & 1;
                if (offered[s]) b.expect("it is taken", ready, free && next == s);
            }
        b.tick();
        if (!free) continue;
        out.reset();
        if (!next) continue;
        last = *next % GROUPS;
        out = offered[*next];
        if (*next < NET)
            core_event_set_sm(out->w, (core_event_sm(out->w) * GROUPS + last) << shift | instance);
        offered[*next].reset();
        taken[*next]++;
    }
    /* the network goes first: SMs come seldom when it always has something */
    const unsigned fewest = *std::min_element(taken, taken + SENDERS);
    if (send < 50 && fewest < 100) b.fail("%u events of a sender", fewest);
    if (send >= 50 && (together < 1000 || (take < 100 && stalls < 1000)))
        b.fail("%u clocks with several events, %u stalls", together, stalls);
}

int main() {
    uint32_t seed = 1;
    for (unsigned shift = 0; shift < 4; shift++) {
        run(seed++, shift, 100, 100);
        run(seed++, shift, 50, 30);
        run(seed++, shift, 5, 90);
    }
    printf("heddle_merge: passed\n");
    return 0;
}
