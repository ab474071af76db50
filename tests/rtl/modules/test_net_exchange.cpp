/* test_net_exchange.cpp - rtl/l2/net_exchange.sv: messages of other engines enter once, in order,
 * as what they are here, when the calendar lets them. */
#include <cstring>
#include <deque>

#include "Vnet_exchange.h"
#include "net_bench.h"

using Bench = ModuleBench<Vnet_exchange>;

/* `send`, `take`: percent of clocks in which a message is there, in which one may enter. */
static void run(uint32_t seed, unsigned send, unsigned take) {
    Bench b(seed);
    const Slices s = random_slices(b);
    const uint32_t net_request = (uint32_t)b.bits(32);
    std::deque<RemoteHere> inside;
    uint64_t word[2];
    unsigned entered = 0, held = 0, replies = 0;
    b.v.instances_i = (uint8_t)s.instances;
    b.v.instance_inv_i = reciprocal(INSTANCE_INV, s.instances);
    b.v.net_request_i = net_request;
    for (int i = 0; i < 10000; i++) {
        if (!b.v.valid_i && b.chance(send)) {
            random_remote(b, word, s);
            memcpy(&b.v.word_i, word, sizeof word);
            b.v.valid_i = 1;
        }
        b.settle();
        b.expect("busy", b.v.busy_o, !inside.empty());
        b.v.enter_i = b.v.offer_o && b.chance(take);
        b.settle();
        if (b.v.offer_o) {
            if (inside.empty()) b.fail("a message that did not come");
            const RemoteHere &r = inside.front();
            b.expect("a reply", b.v.reply_o, r.is_reply);
            b.expect("source", b.v.source_o, r.source);
            b.expect("at", b.v.time_o, r.at);
            b.expect("to", b.v.dest_o, r.dest);
            if (r.is_reply)
                b.expect("reply", b.v.answer_o, r.reply);
            else if (memcmp(r.request, &b.v.word_o, sizeof r.request))
                b.fail("another request");
        }
        const bool takes = b.v.valid_i && b.v.ready_o, enters = b.v.enter_i;
        held += b.v.valid_i && !takes;
        b.tick();
        if (enters) {
            entered++;
            replies += inside.front().is_reply;
            inside.pop_front();
        }
        if (takes) inside.push_back(remote_here(word, s, net_request));
        if (takes) b.v.valid_i = 0;
        if (inside.size() > 2) b.fail("%zu messages are here", inside.size());
    }
    /* a message each clock */
    if (entered < (send == 100 && take == 100 ? 9990 : 500) || replies < 100 ||
        (take < 50 && held < 500))
        b.fail("%u messages, %u replies, %u held", entered, replies, held);
}

int main() {
    uint32_t seed = 1;
    for (int i = 0; i < 4; i++) {
        run(seed++, 100, 100);
        run(seed++, 70, 20);
        run(seed++, 10, 60);
    }
    printf("net_exchange: passed\n");
    return 0;
}
