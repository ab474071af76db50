/* test_events.cpp - rtl/sm/sm_events.sv: every event leaves once, each kind in order, wants before
 * performs before reports, whatever the host's readiness; what half_o and report_room_o say is room
 * enough; the port's event is stable until it is taken. */
#include <cstring>
#include <deque>

#include "Vsm_events.h"
#include "core_words.h"
#include "module_bench.h"

enum { SM_BITS = 7, TIME_BITS = 16, UNDER_WAY = 4 };

struct Event {
    uint64_t word[2] = {0, 0};
};

/* An independent model of the queues. */
struct Expected {
    std::deque<Event> wants, performs, reports;
    size_t count() const { return wants.size() + performs.size() + reports.size(); }
};

using Bench = ModuleBench<Vsm_events>;

/* `present` and the low bits of a time near it: the time in full. */
static uint32_t time_near(Bench &b, uint32_t present, uint64_t *bits) {
    uint32_t at = present + b.pick(2000) - 1000;
    *bits = at & ((1u << TIME_BITS) - 1);
    return at;
}

static void push_want(Bench &b, Expected &e) {
    uint64_t sm = b.bits(SM_BITS), warp = b.bits(6), packets = b.bits(16), lines = b.bits(16);
    Event w;
    core_event_set_kind(w.word, CORE_EV_WANT);
    core_event_set_sm(w.word, (uint32_t)sm);
    core_event_set_warp(w.word, (uint32_t)warp);
    core_event_set_id(w.word, (uint32_t)packets);
    core_event_set_addr(w.word, (uint32_t)lines);
    e.wants.push_back(w);
    b.v.want_i = 1;
    b.v.want_word_i = sm << 38 | warp << 32 | packets << 16 | lines;
}

static void push_perform(Bench &b, Expected &e, uint32_t present) {
    uint64_t sm = b.bits(SM_BITS), warp = b.bits(6), slot = b.bits(5), bits;
    Event w;
    core_event_set_kind(w.word, CORE_EV_PERFORM);
    core_event_set_at(w.word, time_near(b, present, &bits));
    core_event_set_sm(w.word, (uint32_t)sm);
    core_event_set_warp(w.word, (uint32_t)warp);
    core_event_set_slot(w.word, (uint32_t)slot);
    e.performs.push_back(w);
    b.v.perform_i = 1;
    b.v.perform_word_i = bits << (SM_BITS + 11) | sm << 11 | warp << 5 | slot;
}

static void push_report(Bench &b, Expected &e, uint32_t present) {
    uint64_t sm = b.bits(SM_BITS), number = b.bits(6), slot = b.bits(5), bits, cta = b.pick(2);
    Event w;
    core_event_set_kind(w.word, cta ? CORE_EV_CTA_DONE : CORE_EV_PERFORM);
    core_event_set_at(w.word, time_near(b, present, &bits));
    core_event_set_sm(w.word, (uint32_t)sm);
    core_event_set_slot(w.word, (uint32_t)slot);
    if (cta)
        core_event_set_id(w.word, (uint32_t)number);
    else
        core_event_set_warp(w.word, (uint32_t)number);
    e.reports.push_back(w);
    b.v.report_i = 1;
    b.v.report_word_i = cta << (TIME_BITS + SM_BITS + 11) | bits << (SM_BITS + 11) | sm << 11 |
                        number << 5 | slot;
}

static Event port(const Bench &b) {
    Event e;
    memcpy(e.word, &b.v.ev_o, sizeof e.word);
    return e;
}

/* What a clock does to the queues: when the port is free, the oldest event of the first kind that
 * there is goes there. @return false: there is none. */
static bool to_port(Expected &e, Event *out) {
    for (auto *queue : {&e.wants, &e.performs, &e.reports}) {
        if (queue->empty()) continue;
        *out = queue->front();
        queue->pop_front();
        return true;
    }
    return false;
}

/* `push`: percent of clocks with a push of each kind, as far as there is room; `ready`: percent of
 * clocks in which the host takes an event. Events are pushed in the first half. */
static void run(uint32_t seed, unsigned push, unsigned ready) {
    enum { CLOCKS = 60000 };
    Bench b(seed);
    Expected e;
    uint32_t present = 123456;
    int room = UNDER_WAY, report_room = UNDER_WAY; /* pushes still allowed without room */
    uint64_t left = 0, pushed = 0;
    Event on_port;
    bool is_on_port = false;
    b.v.reached_i = present;
    for (int i = 0; i < CLOCKS; i++) {
        b.v.ev_ready_i = b.chance(i < CLOCKS / 2 ? ready : 100);
        b.v.want_i = b.v.perform_i = b.v.report_i = 0;
        b.settle();
        if (b.v.ev_valid_o != is_on_port) b.fail("valid is %u", b.v.ev_valid_o);
        if (is_on_port && memcmp(&on_port, port(b).word, sizeof on_port))
            b.fail("%016llx is on the port, not %016llx", (unsigned long long)port(b).word[1],
                   (unsigned long long)on_port.word[1]);
        if (b.v.busy_o != (is_on_port || e.count() > 0)) b.fail("busy is %u", b.v.busy_o);
        if (is_on_port && b.v.ev_ready_i) {
            is_on_port = false;
            left++;
        }
        if (!is_on_port) is_on_port = to_port(e, &on_port);
        /* Those who push saw the answer some clocks ago: as many pushes may follow a "no". */
        room = b.v.half_o ? room : UNDER_WAY;
        report_room = b.v.report_room_o ? UNDER_WAY : report_room;
        if (i < CLOCKS / 2) {
            if (room > 0 && b.chance(push)) push_want(b, e);
            if (room > 0 && b.chance(push)) push_perform(b, e, present);
            if (report_room > 0 && b.chance(push)) push_report(b, e, present);
        }
        room -= b.v.want_i || b.v.perform_i;
        report_room -= b.v.report_i;
        pushed += b.v.want_i + b.v.perform_i + b.v.report_i;
        b.tick();
    }
    if (e.count() || is_on_port || left != pushed || left < 1000)
        b.fail("%zu events are lost, %llu of %llu left", e.count(), (unsigned long long)left,
               (unsigned long long)pushed);
}

int main() {
    const unsigned chances[][2] = {{5, 100}, {30, 100}, {100, 100}, {100, 20}, {30, 50}, {60, 5}};
    uint32_t seed = 1;
    for (const auto &c : chances) run(seed++, c[0], c[1]);
    printf("sm_events: passed\n");
    return 0;
}
