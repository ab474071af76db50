/* test_net_events.cpp - rtl/l2/net_events.sv: the events of services, flushes and other instances
 * leave once, those of a service in their order and before those of the next one, requests to other
 * instances before all; an event on the port stays until it is taken. */
#include <cstring>
#include <deque>

#include "Vnet_events.h"
#include "core_words.h"
#include "module_bench.h"

using Bench = ModuleBench<Vnet_events>;

struct Word {
    uint64_t word[2] = {0, 0};
    bool operator==(const Word &w) const { return !memcmp(word, w.word, sizeof word); }
};

/* A service, or a line that leaves in a flush, at the module's ports; and its events. */
static void service(Bench &b, std::deque<Word> &out) {
    Word request, e;
    for (uint64_t &w : request.word) w = b.bits(64);
    memcpy(&b.v.word_i, request.word, sizeof request.word);
    const uint32_t at = (uint32_t)b.bits(32), miss = at + b.pick(500),
                   reached = (uint32_t)b.bits(32), line = (uint32_t)b.bits(32);
    const unsigned slice = b.pick(256), flush_slice = b.pick(256);
    b.v.service_i = at;
    b.v.miss_at_i = miss;
    b.v.reached_i = reached;
    b.v.line_i = line;
    b.v.global_i = (uint8_t)slice;
    b.v.flush_global_i = (uint8_t)flush_slice;
    b.v.out_line_i = (uint32_t)b.bits(32);
    b.v.out_dirty_i = (uint8_t)b.pick(16);
    b.v.out_full_i = (uint8_t)b.pick(16);
    b.v.asked_i = (uint8_t)b.pick(16);
    b.v.pin_i = (uint8_t)b.pick(4);
    b.v.node_i = (uint8_t)b.pick(256);
    const bool flush = b.chance(20), copy = !flush && b.chance(20);
    b.v.flush_i = flush;
    b.v.copy_i = copy;
    b.v.perform_i = !flush && !copy && b.pick(2);
    b.v.write_i = !flush && b.pick(2);
    b.v.read_i = !flush && !copy && b.pick(2);
    if (b.v.perform_i) {
        e = Word();
        core_event_set_at(e.word, at);
        core_event_set_kind(e.word,
                            core_request_perform(request.word) ? CORE_EV_PERFORM : CORE_EV_PIN);
        core_event_set_id(e.word, b.v.pin_i);
        core_event_set_sm(e.word, core_request_sm(request.word));
        core_event_set_warp(e.word, core_request_warp(request.word));
        core_event_set_slot(e.word, core_request_slot(request.word));
        core_event_set_sectors(e.word, core_request_sectors(request.word));
        core_event_set_addr(e.word, line);
        out.push_back(e);
    }
    if (b.v.write_i || flush) {
        e = Word();
        core_event_set_at(e.word, flush || copy ? reached : miss);
        core_event_set_kind(e.word, CORE_EV_DRAM_WRITE);
        core_event_set_id(e.word, !flush && !copy);
        core_event_set_sm(e.word, flush ? flush_slice : slice);
        core_event_set_sectors(e.word, b.v.out_dirty_i);
        core_event_set_full(e.word, b.v.out_full_i);
        core_event_set_addr(e.word, b.v.out_line_i);
        out.push_back(e);
    }
    if (b.v.read_i) {
        e = Word();
        core_event_set_at(e.word, miss);
        core_event_set_kind(e.word, CORE_EV_DRAM_READ);
        core_event_set_sm(e.word, slice);
        core_event_set_sectors(e.word, b.v.asked_i);
        core_event_set_id(e.word, b.v.node_i);
        core_event_set_addr(e.word, line);
        out.push_back(e);
    }
}

static Word random_word(Bench &b, unsigned kind) {
    Word w;
    for (uint64_t &half : w.word) half = b.bits(64);
    core_event_set_kind(w.word, kind);
    return w;
}

static void run(uint32_t seed, unsigned serve, unsigned remote, unsigned ready) {
    Bench b(seed);
    std::deque<Word> events;                   /* of services, in their order */
    std::optional<Word> leaves, answers, port; /* words remote that are held; the port's */
    uint64_t left = 0, services = 0;
    for (int i = 0; i < 40000; i++) {
        if (!leaves && b.chance(remote)) leaves = random_word(b, CORE_EV_REQUEST);
        if (!answers && b.chance(remote)) answers = random_word(b, CORE_EV_REPLY);
        b.v.leave_i = leaves.has_value();
        b.v.remote_i = answers.has_value();
        if (leaves) memcpy(&b.v.leave_word_i, leaves->word, sizeof leaves->word);
        if (answers) memcpy(&b.v.remote_word_i, answers->word, sizeof answers->word);
        b.v.ev_ready_i = b.chance(ready);
        b.v.perform_i = b.v.write_i = b.v.read_i = b.v.flush_i = 0;
        b.settle();
        b.expect("an event", b.v.ev_valid_o, port.has_value());
        Word shown;
        memcpy(shown.word, &b.v.ev_o, sizeof shown.word);
        if (port && !(shown == *port))
            b.fail("%016llx is on the port, not %016llx", (unsigned long long)shown.word[1],
                   (unsigned long long)port->word[1]);
        b.expect("busy", b.v.busy_o, port || !events.empty());
        const bool moves = !port || b.v.ev_ready_i;
        b.expect("a request leaves", b.v.leave_ready_o, leaves && moves);
        b.expect("an answer leaves", b.v.remote_ready_o,
                 answers && moves && !leaves && events.empty());
        /* room for a service: when the events of the one before are out, or the last one goes */
        b.expect("room", b.v.ready_o, events.empty() || (moves && !leaves && events.size() == 1));
        if (moves) {
            left += port.has_value();
            port.reset();
            if (leaves) {
                port = leaves;
                leaves.reset();
            } else if (!events.empty()) {
                port = events.front();
                events.pop_front();
            } else if (answers) {
                port = answers;
                answers.reset();
            }
        }
        if (b.v.ready_o && b.chance(serve)) {
            service(b, events);
            services++;
        }
        b.tick();
    }
    if (left < 500 || services < 200)
        b.fail("%llu events of %llu services", (unsigned long long)left,
               (unsigned long long)services);
}

int main() {
    uint32_t seed = 1;
    const unsigned chances[][3] = {
        {100, 0, 100}, {100, 20, 50}, {30, 30, 100}, {60, 60, 20}, {100, 5, 5}};
    for (const auto &c : chances) run(seed++, c[0], c[1], c[2]);
    printf("net_events: passed\n");
    return 0;
}
