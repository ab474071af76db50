/* test_heddle_split.cpp - rtl/top/heddle_split.sv with four groups: each engine gets the commands
 * that are for it, once and in order, with its own numbers; what it must know of the groups comes
 * after the reset and after Set of Instances. */
#include <array>
#include <cstring>
#include <deque>

#include "Vheddle_split.h"
#include "core_words.h"
#include "module_bench.h"

enum { GROUPS = 4, SM = 0, NET = GROUPS, ENGINES = 2 * GROUPS };

using Bench = ModuleBench<Vheddle_split>;
using Beat = std::array<uint64_t, 8>;

struct Seen {
    unsigned taken[ENGINES] = {}, remote = 0, words = 0, instances = 0, waits = 0;
};

struct Test {
    Bench &b;
    Seen *seen;
    std::deque<Beat> queue[ENGINES] = {}; /* commands that it gets, all of which are here */
    unsigned shift = 0, instance = 0;
    bool fault = false;

    static Beat set(unsigned id, uint32_t value) {
        Beat beat = {};
        core_command_set_kind(beat.data(), CORE_CMD_SET);
        core_command_set_id(beat.data(), id);
        core_command_set_value(beat.data(), value);
        return beat;
    }

    unsigned group_of(unsigned number) const { return (number >> shift) % GROUPS; }

    /* To all engines: the number of this instance among those of all groups. */
    void tell_instance(Beat beat, unsigned value) {
        for (unsigned g = 0; g < GROUPS; g++) {
            core_command_set_value(beat.data(), value | g << shift);
            queue[SM + g].push_back(beat);
            queue[NET + g].push_back(beat);
        }
    }

    void to_all(const Beat &beat, bool sm, bool net) {
        for (unsigned g = 0; g < GROUPS; g++) {
            if (sm) queue[SM + g].push_back(beat);
            if (net) queue[NET + g].push_back(beat);
        }
    }

    void groups() {
        to_all(set(CORE_PARAM_INSTANCES, GROUPS << shift), true, true);
        tell_instance(set(CORE_PARAM_INSTANCE, 0), instance);
    }

    void remote(const Beat &beat) {
        const unsigned words = core_command_words(beat.data());
        for (unsigned i = 1; i <= words; i++) {
            const uint64_t *w = beat.data() + 2 * i;
            Beat one = {beat[0], beat[1], w[0], w[1]};
            core_command_set_words(one.data(), 1);
            const bool request = core_remote_kind(w) == CORE_EV_REQUEST;
            queue[NET + group_of(request ? core_remote_slice(w) : core_remote_sm(w))].push_back(
                one);
            seen->words++;
        }
        seen->remote += words > 1;
    }

    /* A random command of the host at the port. @return what it is */
    Beat command() {
        static const unsigned kinds[] = {CORE_CMD_PACKETS,    CORE_CMD_PACKETS, CORE_CMD_LAUNCH,
                                         CORE_CMD_DRAM_REPLY, CORE_CMD_CLASS,   CORE_CMD_FLUSH_L1,
                                         CORE_CMD_FLUSH_L2,   CORE_CMD_FILL_L2, CORE_CMD_REMOTE,
                                         CORE_CMD_REMOTE,     CORE_CMD_SET,     CORE_CMD_UNPIN_L2};
        static const unsigned ids[] = {CORE_PARAM_INSTANCES, CORE_PARAM_INSTANCE};
        Beat beat;
        for (uint64_t &w : beat) w = b.bits(64);
        uint64_t *c = beat.data();
        const unsigned kind = kinds[b.pick(12)];
        core_command_set_kind(c, kind);
        core_command_set_words(c, 1 + b.pick(3));
        if (kind == CORE_CMD_REMOTE)
            for (unsigned i = 1; i < 4; i++)
                core_remote_set_kind(c + 2 * i, b.pick(2) ? CORE_EV_REQUEST : CORE_EV_REPLY);
        if (kind == CORE_CMD_SET) {
            const unsigned id = b.chance(60) ? ids[b.pick(2)] : b.pick(54);
            core_command_set_id(c, id);
            if (id == CORE_PARAM_INSTANCES) core_command_set_value(c, 1u << b.pick(4));
            if (id == CORE_PARAM_INSTANCE) core_command_set_value(c, b.pick(1u << shift));
        }
        const bool both = kind == CORE_CMD_SET;
        const bool sm = kind == CORE_CMD_PACKETS || kind == CORE_CMD_LAUNCH ||
                        kind == CORE_CMD_CLASS || kind == CORE_CMD_FLUSH_L1;
        b.v.sm_valid_i = both || sm;
        b.v.net_valid_i = both || !sm;
        memcpy(&b.v.command_i, c, sizeof beat);
        return beat;
    }

    void accept(Beat beat) {
        uint64_t *c = beat.data();
        const unsigned kind = core_command_kind(c), sm = core_command_sm(c);
        const uint32_t value = core_command_value(c);
        switch (kind) {
        case CORE_CMD_PACKETS:
        case CORE_CMD_LAUNCH:
        case CORE_CMD_FLUSH_L1:
            core_command_set_sm(c, sm >> shift >> 2);
            queue[SM + group_of(sm)].push_back(beat);
            break;
        case CORE_CMD_DRAM_REPLY: queue[NET + group_of(sm)].push_back(beat); break;
        case CORE_CMD_REMOTE: remote(beat); break;
        case CORE_CMD_SET:
            if (core_command_id(c) == CORE_PARAM_INSTANCES) {
                shift = (unsigned)__builtin_ctz(value);
                core_command_set_value(c, value * GROUPS);
                to_all(beat, true, true);
                tell_instance(set(CORE_PARAM_INSTANCE, 0), instance);
                seen->instances++;
            } else if (core_command_id(c) == CORE_PARAM_INSTANCE) {
                instance = value;
                tell_instance(beat, value);
            } else {
                to_all(beat, true, true);
            }
            break;
        default: to_all(beat, b.v.sm_valid_i, b.v.net_valid_i);
        }
    }

    /* An engine takes what is shown to it. */
    void take(unsigned engine) {
        if (queue[engine].empty()) b.fail("engine %u gets a command too many", engine);
        const Beat &should = queue[engine].front();
        const unsigned g = engine % GROUPS;
        const bool remote = core_command_kind(should.data()) == CORE_CMD_REMOTE;
        Beat is;
        memcpy(is.data(), &b.v.command_o[g * 4], 16);
        memcpy(is.data() + 2, &b.v.beat_o, 48);
        for (unsigned w = 0; w < (remote ? 4 : 8); w++) /* a word; behind it is nothing of use */
            if (is[w] != should[w])
                b.fail("engine %u: word %u is %llx, not %llx", engine, w, (unsigned long long)is[w],
                       (unsigned long long)should[w]);
        queue[engine].pop_front();
        seen->taken[engine]++;
    }

    bool any() const {
        for (auto &q : queue)
            if (!q.empty()) return true;
        return false;
    }

    void run(unsigned send, unsigned ready) {
        groups();
        for (int i = 0; i < 20000; i++) {
            b.v.sm_valid_i = b.v.net_valid_i = 0;
            b.v.sm_ready_i = b.v.net_ready_i = 0;
            for (unsigned g = 0; g < GROUPS; g++) {
                b.v.sm_ready_i |= b.chance(ready) << g;
                b.v.net_ready_i |= b.chance(ready) << g;
            }
            b.settle();
            b.expect("busy", b.v.busy_o, any());
            b.expect("shift", b.v.host_shift_o, shift);
            b.expect("instance", b.v.instance_o, instance);
            for (unsigned g = 0; g < GROUPS; g++) {
                if (b.v.sm_valid_o & b.v.sm_ready_i & 1u << g) take(SM + g);
                if (b.v.net_valid_o & b.v.net_ready_i & 1u << g) take(NET + g);
            }
            seen->waits += any();
            b.expect("ready", b.v.ready_o, !any());
            if (b.v.ready_o && b.chance(send)) accept(command());
            b.tick();
            b.expect("fault", b.v.fault_o, CORE_FAULT_NONE);
        }
    }

    /* A number of instances that is no power of two; the fault stays. */
    void wrong() {
        b.v.sm_ready_i = b.v.net_ready_i = (1u << GROUPS) - 1;
        for (int i = 0; i < 4; i++) b.tick();
        for (const uint32_t value : {3u, 1u}) {
            const Beat beat = set(CORE_PARAM_INSTANCES, value);
            memcpy(&b.v.command_i, beat.data(), sizeof beat);
            b.v.sm_valid_i = b.v.net_valid_i = 1;
            b.tick();
            b.v.sm_valid_i = b.v.net_valid_i = 0;
            for (int i = 0; i < 4; i++) b.tick();
            b.expect("fault", b.v.fault_o, CORE_FAULT_PARAMETER);
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned send : {100, 40})
        for (unsigned ready : {100, 60, 20}) {
            Bench b(seed++);
            Test t{b, &seen};
            t.run(send, ready);
        }
    Bench b(seed);
    Test t{b, &seen};
    t.wrong();
    for (unsigned taken : seen.taken)
        if (taken < 5000) return fprintf(stderr, "%u commands for an engine\n", taken), 1;
    if (seen.remote < 500 || seen.instances < 500 || seen.waits < 5000)
        return fprintf(stderr, "a rare case was not reached\n"), 1;
    printf("heddle_split: passed\n");
    return 0;
}
