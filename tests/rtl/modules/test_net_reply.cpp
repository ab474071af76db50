/* test_net_reply.cpp - rtl/l2/net_reply.sv: each SM sees the replies that came to it, in their
 * order, the next one in the clock after a pop; nodes are given back once. */
#include <deque>
#include <set>

#include "Vnet_reply.h"
#include "module_bench.h"

enum { SMS = 256, NODES = 256 };

struct Reply {
    unsigned node;
    uint64_t word;
};

using Bench = ModuleBench<Vnet_reply>;

/* Clocks from a delivery to the next one, and from a pop to the next one of the same SM. */
static void run(uint32_t seed, unsigned sms, unsigned deliver_apart, unsigned pop_apart) {
    Bench b(seed);
    std::deque<Reply> queue[SMS];
    std::deque<unsigned> free_nodes;
    std::set<unsigned> out;
    unsigned popped = 0, in_turn = 0;
    uint64_t again[SMS] = {}; /* when an SM may be popped again */
    uint64_t last_pop = 0;    /* of any SM */
    for (unsigned n = 0; n < NODES; n++) free_nodes.push_back(n);
    while (!b.v.ready_o) b.tick();
    auto tick = [&] {
        b.tick();
        if (b.v.free_o) {
            if (!out.erase(b.v.free_node_o)) b.fail("node %u is free twice", b.v.free_node_o);
            free_nodes.push_back(b.v.free_node_o);
        }
    };
    for (int round = 0; round < 300; round++) {
        b.v.replied_i = 0;
        for (unsigned i = b.pick(60); i > 0 && !free_nodes.empty(); i--) {
            const Reply r = {free_nodes.front(), b.bits(64)};
            const unsigned sm = b.pick(sms);
            free_nodes.pop_front();
            out.insert(r.node);
            queue[sm].push_back(r);
            b.v.write_i = 1;
            b.v.write_node_i = r.node;
            b.v.write_word_i = r.word;
            tick();
            b.v.write_i = 0;
            b.v.deliver_i = 1;
            b.v.deliver_node_i = r.node;
            b.v.deliver_sm_i = sm;
            tick();
            b.v.deliver_i = 0;
            for (unsigned k = 1 + b.pick(2); k < deliver_apart; k++) tick();
        }
        for (int i = 0; i < 3; i++) tick();
        b.v.replied_i = 1;
        for (int look = 0; look < (round % 2 ? 100 : 2); look++) {
            const unsigned sm = b.pick(sms);
            b.v.reply_sm_i = sm;
            b.settle();
            for (;;) {
                if (b.v.reply_valid_o != !queue[sm].empty()) b.fail("SM %u: valid", sm);
                if (queue[sm].empty()) break;
                if (b.v.reply_o != queue[sm].front().word) b.fail("SM %u: another reply", sm);
                tick();
                if (b.chance(20)) break;
                b.v.reply_pop_i = 1;
                b.v.reply_pop_sm_i = sm;
                tick();
                b.v.reply_pop_i = 0;
                queue[sm].pop_front();
                popped++;
                b.settle();
                if (b.v.reply_valid_o != !queue[sm].empty() ||
                    (!queue[sm].empty() && b.v.reply_o != queue[sm].front().word))
                    b.fail("SM %u: behind a pop", sm);
                for (unsigned k = 2; k < pop_apart; k++) tick();
            }
            tick();
        }
        /* pops of different SMs in successive clocks, while another one is looked at */
        for (unsigned i = 0, pops = b.pick(100); i < pops; i++) {
            const unsigned looked = b.pick(sms);
            unsigned sm = b.pick(sms);
            for (unsigned k = 0; k < sms && (queue[sm].empty() || b.clocks < again[sm]); k++)
                sm = (sm + 1) % sms;
            b.v.reply_sm_i = looked;
            b.v.reply_pop_i = !queue[sm].empty() && b.clocks >= again[sm];
            b.v.reply_pop_sm_i = sm;
            b.settle();
            if (b.v.reply_valid_o != !queue[looked].empty() ||
                (!queue[looked].empty() && b.v.reply_o != queue[looked].front().word))
                b.fail("SM %u: another reply while SM %u is popped", looked, sm);
            if (b.v.reply_pop_i) {
                again[sm] = b.clocks + pop_apart;
                in_turn += last_pop && b.clocks == last_pop + 1;
                last_pop = b.clocks;
                queue[sm].pop_front();
            }
            tick();
            b.v.reply_pop_i = 0;
        }
        for (int i = 0; b.v.busy_o; i++) {
            if (i > 8) b.fail("busy for ever");
            tick();
        }
    }
    if (popped < 1000 || in_turn < 100) b.fail("%u, %u pops only", popped, in_turn);
}

int main() {
    for (uint32_t seed = 1; seed <= 4; seed++) {
        const unsigned sms = seed % 2 ? 3 : 60;
        run(seed, sms, PIPELINED ? 3 : 1, PIPELINED ? 4 : 2);
    }
    printf("net_reply: passed\n");
    return 0;
}
