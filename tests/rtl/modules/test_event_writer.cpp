/* test_event_writer.cpp - rtl/top/event_writer.sv: every event comes once into the ring, in order,
 * whatever engines, memory and host do; bursts stay inside 4 KiB, the ring and what the host has
 * taken; a flush ends with all that fits, and the report behind it. Beats and report carry their
 * checks; an error of memory is a fault. */
#include <algorithm>
#include <cstring>
#include <deque>

#include "Vevent_writer.h"
#include "core_words.h"
#include "module_bench.h"
#include "timing/core_check.h"

enum : uint64_t { RING = UINT64_C(0x98765000), STATUS = UINT64_C(0x1122334455667780) };
enum { REPORT_WORDS = 6 }; /* 32 bits each, the highest of the beat */

using Bench = ModuleBench<Vevent_writer>;

struct Event {
    uint32_t w[4];
};

struct Chances {
    unsigned event, address, data, answer, host, flush, error = 0;
};

struct Seen {
    unsigned events = 0, reports = 0, full = 0, stopped = 0, partial = 0, long_bursts = 0;
};

struct Burst {
    uint64_t at;
    unsigned beats;
};

struct Test {
    Bench &b;
    uint32_t size;
    Chances c;
    Seen *seen;
    std::deque<Event> events;   /* taken, not yet written */
    std::deque<Burst> bursts;   /* addresses that memory has taken, their data not yet */
    std::deque<uint32_t> beats; /* 16 words each: data that has come before its address, ... */
    std::deque<bool> lasts;     /* ... and whether it is the last of its burst */
    std::deque<unsigned>
        complete; /* written: beats of bursts that are not acknowledged; 0: report */
    uint64_t addressed = 0, written = 0, counted = 0, acknowledged = 0, head = 0; /* beats */
    uint64_t before[2] = {0, 0};                                                  /* head was */
    uint32_t report[REPORT_WORDS] = {};
    bool offers = false; /* an event at the port, that may change until it is taken */
    bool reports = false;
    bool failed = false; /* memory has answered with an error */
    bool rests = false;  /* the host takes nothing */

    Test(Bench &bench, uint32_t beats_of_ring, const Chances &chances, Seen *counts)
        : b(bench), size(beats_of_ring), c(chances), seen(counts) {}

    /* A beat of a burst is in memory. */
    void store(const Burst &burst, uint32_t *w, bool last) {
        b.expect("last", last, burst.beats == 1);
        uint64_t beat[8];
        memcpy(beat, w, sizeof beat);
        if (!core_check_events(beat, (uint32_t)written)) b.fail("a beat without its check");
        for (unsigned e = 0; e < 3; e++) w[e * 4] &= ~7u;
        if (burst.at == STATUS) {
            for (unsigned i = 0; i < 16; i++)
                b.expect("report", w[i],
                         i < 16 - REPORT_WORDS ? 0 : report[i - (16 - REPORT_WORDS)]);
            return;
        }
        b.expect("address", burst.at, RING + written % size * 64);
        written++;
        for (unsigned e = 0; e < 4; e++) {
            Event event = {};
            if (!events.empty()) {
                event = events.front();
                events.pop_front();
            } else if (!b.v.flush_i || e == 0) {
                b.fail("a beat with %u events", e);
            } else {
                seen->partial += e == 3;
            }
            for (unsigned i = 0; i < 4; i++) b.expect("event", w[e * 4 + i], event.w[i]);
        }
    }

    /* Data and addresses meet. */
    void join() {
        while (!bursts.empty() && !lasts.empty()) {
            uint32_t w[16];
            std::copy_n(beats.begin(), 16, w);
            beats.erase(beats.begin(), beats.begin() + 16);
            Burst &burst = bursts.front();
            const bool report = burst.at == STATUS;
            store(burst, w, lasts.front());
            lasts.pop_front();
            burst.at += report ? 0 : 64;
            if (--burst.beats) continue;
            complete.push_back(report ? 0 : (unsigned)(written - counted));
            counted = written;
            bursts.pop_front();
        }
    }

    void address() {
        const Burst burst = {b.v.awaddr_o, b.v.awlen_o + 1u};
        if (burst.at / 4096 != (burst.at + burst.beats * 64 - 1) / 4096)
            b.fail("a burst crosses 4 KiB");
        if (burst.at != STATUS) {
            b.expect("address", burst.at, RING + addressed % size * 64);
            if (addressed % size + burst.beats > size) b.fail("a burst leaves the ring");
            if (burst.beats > 16) b.fail("a burst of %u beats", burst.beats);
            if (addressed + burst.beats - head > size) b.fail("what was not taken is lost");
            addressed += burst.beats;
            seen->long_bursts += burst.beats == 16;
        } else {
            b.expect("beats of the report", burst.beats, 1);
        }
        bursts.push_back(burst);
    }

    /* A clock; memory and host do something. */
    void clock(bool offer) {
        if (offer && !offers) offers = true;
        b.v.valid_i = offers;
        if (offers)
            for (unsigned i = 0; i < 4; i++)
                b.v.event_i[i] = (uint32_t)b.bits(32) & (i ? ~0u : ~7u);
        b.v.awready_i = b.chance(c.address);
        b.v.wready_i = b.chance(c.data);
        b.v.bvalid_i = !complete.empty() && b.chance(c.answer);
        if (!rests && b.chance(c.host)) head += b.pick((uint32_t)(acknowledged - head) + 1);
        b.v.head_i = (uint32_t)head;
        b.settle();
        if (b.v.full_o) b.expect("beats in a full ring", addressed - before[1], size);
        seen->full += b.v.full_o;
        before[1] = before[0];
        before[0] = head;
        const bool leaves = b.v.awvalid_o && !reports;
        b.expect("written", b.v.written_o - (uint32_t)addressed, leaves ? b.v.awlen_o + 1u : 0u);
        const bool takes = offers && b.v.ready_o;
        if (takes)
            events.push_back({{b.v.event_i[0], b.v.event_i[1], b.v.event_i[2], b.v.event_i[3]}});
        if (b.v.awvalid_o && b.v.awready_i) address();
        if (b.v.wvalid_o && b.v.wready_i) {
            for (unsigned i = 0; i < 16; i++) beats.push_back(b.v.wdata_o[i]);
            lasts.push_back(b.v.wlast_o);
        }
        b.v.berror_i = b.v.bvalid_i && b.chance(c.error);
        failed |= b.v.berror_i;
        const bool answers = b.v.bvalid_i;
        b.tick();
        b.expect("fault", b.v.fault_o, failed ? CORE_FAULT_BUS : CORE_FAULT_NONE);
        if (takes) offers = false;
        seen->events += takes;
        if (answers) {
            acknowledged += complete.front();
            complete.pop_front();
        }
        join();
        if (b.v.empty_o && !events.empty()) b.fail("%zu events are left", events.size());
    }

    void flush() {
        b.v.flush_i = 1;
        rests = b.pick(2);
        for (unsigned clocks = 0; !b.v.flushed_o; clocks++) {
            if (clocks > 20000) b.fail("a flush does not end");
            clock(false);
        }
        if (acknowledged != addressed || !complete.empty() || !bursts.empty())
            b.fail("something is not acknowledged");
        b.expect("empty", b.v.empty_o, events.empty());
        seen->stopped += !b.v.empty_o; /* the ring is full */
        if (b.pick(2)) {
            reports = true;
            b.v.report_valid_i = 1;
            for (unsigned i = 0; i < REPORT_WORDS; i++)
                b.v.report_i[i] = report[i] = (uint32_t)b.bits(32);
            for (unsigned clocks = 0; !b.v.report_done_o; clocks++) {
                if (clocks > 20000) b.fail("a report is not written");
                clock(false);
            }
            clock(false); /* heddle_run hears of it */
            b.v.report_valid_i = 0;
            reports = false;
            seen->reports++;
        }
        b.v.flush_i = 0;
        rests = false;
        clock(false);
    }

    void run() {
        b.v.ring_i = RING;
        b.v.size_i = size;
        b.v.status_i = STATUS;
        for (int i = 0; i < 12000; i++) {
            clock(b.chance(c.event));
            if (!offers && b.pick(1000) < c.flush) flush();
        }
        while (offers) clock(false);
        c.host = 100;
        for (int i = 0; i < 100 && (i < 2 || !events.empty()); i++) flush();
        if (!events.empty()) b.fail("%zu events do not come", events.size());
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    const Chances chances[] = {{100, 100, 100, 100, 100, 2}, {90, 50, 50, 50, 5, 20},
                               {30, 20, 90, 20, 50, 20},     {100, 100, 20, 100, 1, 20},
                               {60, 100, 100, 10, 30, 10},   {5, 70, 70, 70, 70, 50}};
    for (uint32_t size : {16, 64, 1024})
        for (const Chances &c : chances) {
            Bench b(seed++);
            Test t(b, size, c, &seen);
            t.run();
        }
    /* an error changes nothing else */
    Bench b(seed++);
    Test t(b, 64, {60, 100, 100, 10, 30, 10, 1}, &seen);
    t.run();
    if (!all_reached({seen.reports, seen.full, seen.stopped, seen.partial, seen.long_bursts}, 50))
        return 1;
    if (seen.events < 20000) return fprintf(stderr, "%u events\n", seen.events), 1;
    printf("event_writer: passed\n");
    return 0;
}
