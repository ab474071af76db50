/* test_net_command.cpp - rtl/l2/net_command.sv: each command asks the other modules for what it
 * means, once and in order, when these are ready for it; FillL2 waits until sets have been emptied.
 * */
#include <cstring>
#include <deque>

#include "Vnet_command.h"
#include "net_bench.h"

using Bench = ModuleBench<Vnet_command>;

/* What is asked of another module. */
struct Ask {
    enum What { Set, Flush, Copy, Dram, Remote } what;
    bool node; /* it gets a node of its own */
    unsigned id = 0, slice = 0;
    uint32_t value = 0, at = 0;
    RemoteHere remote = {};
};

struct Chances {
    unsigned command, rests, node;
};

struct Seen {
    unsigned asks = 0, nodes = 0, requests = 0, replies = 0, twice = 0, emptied = 0;
};

/* A payload word of Remote, and what it asks for. */
static Ask remote_word(Bench &b, uint64_t *w, const Slices &s, uint32_t net_request, Seen *seen) {
    random_remote(b, w, s);
    Ask a = {};
    a.what = Ask::Remote;
    a.node = true;
    a.remote = remote_here(w, s, net_request);
    ++*(a.remote.is_reply ? &seen->replies : &seen->requests);
    return a;
}

/* A command at the port; what it asks for is appended. */
static void command(Bench &b, const Slices &s, uint32_t net_request, bool clear,
                    std::deque<Ask> &asks, Seen *seen) {
    static const unsigned kinds[] = {CORE_CMD_SET,     CORE_CMD_DRAM_REPLY, CORE_CMD_FLUSH_L2,
                                     CORE_CMD_FILL_L2, CORE_CMD_REMOTE,     CORE_CMD_NONE,
                                     CORE_CMD_UNPIN_L2};
    uint64_t beat[8];
    for (uint64_t &w : beat) w = b.bits(64);
    const unsigned kind = kinds[b.pick(7)], words = 1 + b.pick(3);
    core_command_set_kind(beat, kind);
    core_command_set_words(beat, words);
    Ask a = {};
    a.value = core_command_value(beat);
    a.at = core_command_at(beat);
    a.id = core_command_id(beat);
    switch (kind) {
    case CORE_CMD_SET:
        a.what = Ask::Set;
        asks.push_back(a);
        break;
    case CORE_CMD_DRAM_REPLY: {
        const unsigned slice = b.pick(SLICES / s.instances) * s.instances + s.instance;
        core_command_set_sm(beat, slice);
        a.what = Ask::Dram;
        a.node = a.value & 1;
        a.id %= NODES;
        a.slice = s.local(slice);
        asks.push_back(a);
        break;
    }
    case CORE_CMD_FILL_L2:
        seen->emptied += clear;
        if (clear) asks.push_back({Ask::Flush, false});
        a.what = Ask::Copy;
        asks.push_back(a);
        break;
    case CORE_CMD_FLUSH_L2:
    case CORE_CMD_UNPIN_L2:
        asks.push_back({Ask::Flush, false});
        asks.back().value = kind == CORE_CMD_UNPIN_L2;
        break;
    case CORE_CMD_REMOTE:
        for (unsigned i = 1; i <= words; i++)
            asks.push_back(remote_word(b, beat + 2 * i, s, net_request, seen));
        seen->twice += words > 1;
        break;
    default: break;
    }
    memcpy(&b.v.cmd_i, beat, sizeof beat);
}

/* What is asked for now is what comes next. */
static void check(Bench &b, std::deque<Ask> &asks, unsigned node, Seen *seen) {
    const unsigned some = b.v.set_o + b.v.flush_o + b.v.copy_o + b.v.dram_o + b.v.remote_o;
    if (!some) return b.expect("a node is taken", b.v.spare_take_o, 0);
    if (some > 1) b.fail("%u modules are asked", some);
    if (asks.empty()) b.fail("nothing was commanded");
    const Ask a = asks.front();
    asks.pop_front();
    const bool is[] = {(bool)b.v.set_o, (bool)b.v.flush_o, (bool)b.v.copy_o, (bool)b.v.dram_o,
                       (bool)b.v.remote_o};
    b.expect("that module is asked", is[a.what], 1);
    b.expect("busy", b.v.busy_o, 1);
    b.expect("a node is taken", b.v.spare_take_o, a.node);
    if (a.what == Ask::Set) {
        b.expect("parameter", b.v.set_id_o, a.id);
        b.expect("value", b.v.set_value_o, a.value);
    } else if (a.what == Ask::Flush) {
        b.expect("pins alone", b.v.unpin_o, a.value);
    } else if (a.what == Ask::Copy) {
        b.expect("line", b.v.copy_line_o, a.at);
        b.expect("lines", b.v.copy_count_o, a.value);
    } else if (a.what == Ask::Dram) {
        b.expect("written", b.v.dram_written_o, a.node);
        b.expect("at", b.v.dram_at_o, a.at);
        b.expect("slice", b.v.slice_o, a.slice);
        b.expect("node", b.v.node_o, a.node ? node : a.id);
    } else if (a.what == Ask::Remote) {
        const RemoteHere &r = a.remote;
        b.expect("a reply", b.v.remote_reply_o, r.is_reply);
        b.expect("node", b.v.node_o, node);
        b.expect("source", b.v.remote_source_o, r.source);
        b.expect("at", b.v.remote_time_o, r.at);
        b.expect("to", b.v.remote_dest_o, r.dest);
        if (r.is_reply)
            b.expect("reply", b.v.remote_answer_o, r.reply);
        else if (memcmp(r.request, &b.v.remote_word_o, sizeof r.request))
            b.fail("another request");
    }
    seen->asks++;
    seen->nodes += a.node;
}

static void run(uint32_t seed, const Chances &c) {
    Bench b(seed);
    const Slices s = random_slices(b);
    const uint32_t net_request = (uint32_t)b.bits(32);
    std::deque<Ask> asks;
    Seen seen;
    unsigned flushing = 0, copying = 0, setting = 0; /* clocks that others are at work */
    bool clear = true, pending = false;
    b.v.instances_i = (uint8_t)s.instances;
    b.v.instance_inv_i = reciprocal(INSTANCE_INV, s.instances);
    b.v.net_request_i = net_request;
    for (int i = 0; i < 20000; i++) {
        if (!pending && b.chance(c.command)) {
            if (asks.empty() && b.chance(10)) clear = true; /* by a parameter, before */
            /* whether sets will be empty when it is its turn */
            bool emptied = !clear;
            for (const Ask &a : asks) emptied = emptied || a.what == Ask::Flush;
            command(b, s, net_request, !emptied && !flushing, asks, &seen);
            pending = true;
        }
        b.v.cmd_valid_i = pending;
        b.v.rests_i = !flushing && !copying && b.chance(c.rests);
        b.v.setting_i = setting > 0;
        b.v.clear_i = clear;
        b.v.spare_ok_i = !b.v.spare_take_o && b.chance(c.node);
        b.v.empty_i = !b.v.spare_ok_i && b.chance(1);
        b.v.spare_node_i = (uint8_t)b.bits(8);
        b.settle();
        const bool may = b.v.rests_i && !b.v.setting_i && (b.v.spare_ok_i || b.v.empty_i);
        const bool taken = pending && b.v.cmd_ready_o;
        const bool asked = b.v.set_o || b.v.flush_o || b.v.copy_o;
        const unsigned node = b.v.spare_node_i;
        b.tick();
        if (taken) pending = false;
        if (!pending && !asks.empty()) b.expect("busy", b.v.busy_o, 1);
        const size_t left = asks.size();
        check(b, asks, node, &seen);
        if (left != asks.size() && (!may || asked)) b.fail("others were not ready for it");
        setting = b.v.set_o ? b.pick(30) : setting ? setting - 1 : 0;
        copying = b.v.copy_o ? 1 + b.pick(20) : copying ? copying - 1 : 0;
        if (b.v.flush_o) {
            flushing = 1 + b.pick(20);
        } else if (flushing && --flushing == 0) {
            clear = false;
        }
    }
    if (seen.asks < 1000 || seen.nodes < 200 || !seen.requests || !seen.replies || !seen.twice ||
        !seen.emptied)
        b.fail("%u asks, %u nodes, %u FillL2 emptied sets first", seen.asks, seen.nodes,
               seen.emptied);
}

int main() {
    uint32_t seed = 1;
    const Chances chances[] = {{100, 100, 100}, {100, 70, 100}, {50, 100, 40}, {30, 60, 70}};
    for (int i = 0; i < 2; i++)
        for (const Chances &c : chances) run(seed++, c);
    printf("net_command: passed\n");
    return 0;
}
