/* test_command_reader.cpp - rtl/top/command_reader.sv: the beats of the ring come once, in order,
 * whatever memory and consumer do; bursts stay inside 4 KiB, the ring and what the host has
 * written. From a beat on that is damaged, old, or came with an error, none comes. */
#include <algorithm>
#include <deque>

#include "Vcommand_reader.h"
#include "core_words.h"
#include "module_bench.h"
#include "timing/core_check.h"

enum : uint64_t { RING = UINT64_C(0x1234567000) };

using Bench = ModuleBench<Vcommand_reader>;

/* What the host has written as beat n since reset. */
struct Beat {
    uint64_t w[8];
    explicit Beat(uint64_t n) {
        for (unsigned i = 0; i < 8; i++) w[i] = (n * 8 + i) * UINT64_C(0x9e3779b97f4a7c15);
        core_command_set_check(w, 0);
        core_check_command(w, (uint32_t)n);
    }
};

/* Shows a beat at the port. */
static void show(Bench &b, const Beat &beat) {
    for (unsigned w = 0; w < 8; w++) set_bits(b.v.rdata_i, w * 64, 64, beat.w[w]);
}

struct Chances {
    unsigned write, address, data, take, enable;
};

/* Addresses that memory has taken: it answers in their order, a beat at a time. */
static void take_burst(Bench &b, std::deque<uint64_t> &beats, uint64_t &asked, uint32_t size,
                       uint64_t tail) {
    const uint64_t at = b.v.araddr_o, length = b.v.arlen_o + 1u;
    b.expect("address", at, RING + asked % size * 64);
    if (at / 4096 != (at + length * 64 - 1) / 4096) b.fail("a burst crosses 4 KiB");
    if (asked % size + length > size) b.fail("a burst leaves the ring");
    if (asked + length > tail)
        b.fail("%llu beats are not written yet", (unsigned long long)(asked + length - tail));
    for (uint64_t n = 0; n < length; n++) beats.push_back(asked + n);
    asked += length;
}

static void run(uint32_t seed, uint32_t size, const Chances &c) {
    Bench b(seed);
    std::deque<uint64_t> beats; /* that memory still has to give */
    uint64_t asked = 0, taken = 0, tail = 0;
    bool answers = false, done = false; /* memory shows a beat; what done_o will be */
    bool shown = false;                 /* an address that was not taken */
    unsigned disabled = 0;
    b.v.ring_i = RING;
    b.v.size_i = size;
    b.v.enable_i = 1;
    for (int i = 0; i < 30000; i++) {
        /* the host never writes over what has not been taken */
        if (b.chance(c.write))
            tail += b.pick(1 + (uint32_t)std::min<uint64_t>(size - (tail - taken), 100));
        b.v.tail_i = (uint32_t)tail;
        b.v.enable_i = b.chance(c.enable);
        disabled = b.v.enable_i ? 0 : disabled + 1;
        b.v.arready_i = b.chance(c.address);
        answers = answers || (!beats.empty() && b.chance(c.data));
        b.v.rvalid_i = answers;
        if (answers) show(b, Beat(beats[0]));
        b.v.ready_i = b.chance(c.take);
        b.settle();
        b.expect("taken", b.v.taken_o, (uint32_t)taken);
        if (i) b.expect("done", b.v.done_o, done);
        b.expect("quiet", b.v.quiet_o, beats.empty() && !b.v.arvalid_o);
        /* An address that is shown stays; no other begins. */
        if (disabled > 1 && !shown && b.v.arvalid_o) b.fail("a burst begins while disabled");
        shown = b.v.arvalid_o && !b.v.arready_i;
        if (b.v.valid_o) {
            if (taken >= tail) b.fail("a beat that was not written");
            for (unsigned w = 0; w < 8; w++)
                b.expect("word", get_bits(b.v.beat_o, w * 64, 64), Beat(taken).w[w]);
        }
        const bool takes = b.v.valid_o && b.v.ready_i;
        if (b.v.arvalid_o && b.v.arready_i) take_burst(b, beats, asked, size, tail);
        if (b.v.rvalid_i && b.v.rready_o) {
            beats.pop_front();
            answers = false;
        }
        taken += takes;
        done = taken == tail;
        b.tick();
    }
    /* Everything comes in the end. */
    b.v.enable_i = b.v.arready_i = b.v.ready_i = 1;
    b.v.rvalid_i = 0;
    if (taken < 500) b.fail("%llu beats", (unsigned long long)taken);
    for (int i = 0; i < 2000 && taken < tail; i++) {
        b.v.rvalid_i = !beats.empty();
        if (!beats.empty()) show(b, Beat(beats[0]));
        b.settle();
        if (b.v.arvalid_o) take_burst(b, beats, asked, size, tail);
        if (b.v.rvalid_i && b.v.rready_o) beats.pop_front();
        taken += b.v.valid_o;
        b.tick();
    }
    if (taken != tail) b.fail("%llu beats do not come", (unsigned long long)(tail - taken));
    b.expect("fault", b.v.fault_o, CORE_FAULT_NONE);
}

enum Wrong { ERROR, BIT, OLD, PLACE, NUM_WRONG };

/* Of 64 beats, one is wrong: those before it come, and none after it. */
static void fault(uint32_t seed, Wrong wrong) {
    enum { SIZE = 16, BEATS = 64 };
    Bench b(seed);
    const unsigned at = SIZE + b.pick(BEATS - SIZE);
    unsigned come = 0, taken = 0;
    bool answers = false;
    b.v.ring_i = RING;
    b.v.size_i = SIZE;
    b.v.enable_i = b.v.arready_i = 1;
    uint64_t asked = 0;
    for (int i = 0; i < 2000; i++) {
        b.v.tail_i = std::min<uint32_t>(taken + SIZE, BEATS);
        answers = answers || (come < asked && b.chance(50));
        b.v.rvalid_i = answers;
        b.v.rerror_i = answers && come == at && wrong == ERROR;
        Beat beat(come);
        if (come == at && wrong == BIT) beat.w[b.pick(8)] ^= UINT64_C(1) << b.pick(64);
        if (come == at && wrong == OLD) beat = Beat(come - SIZE);
        if (come == at && wrong == PLACE) beat = Beat(come ^ 1u << b.pick(32));
        if (answers) show(b, beat);
        b.v.ready_i = b.chance(50);
        b.settle();
        if (b.v.valid_o)
            for (unsigned w = 0; w < 8; w++)
                b.expect("word", get_bits(b.v.beat_o, w * 64, 64), Beat(taken).w[w]);
        b.expect("fault", b.v.fault_o,
                 come <= at       ? CORE_FAULT_NONE
                 : wrong == ERROR ? CORE_FAULT_BUS
                                  : CORE_FAULT_RING);
        taken += b.v.valid_o && b.v.ready_i;
        if (b.v.arvalid_o) asked += b.v.arlen_o + 1u;
        if (answers && b.v.rready_o) {
            come++;
            answers = false;
        }
        b.tick();
    }
    b.expect("beats", taken, at);
}

int main() {
    uint32_t seed = 1;
    const Chances chances[] = {{100, 100, 100, 100, 100},
                               {10, 50, 50, 50, 100},
                               {50, 20, 90, 90, 60},
                               {50, 100, 30, 100, 20},
                               {50, 100, 100, 20, 90}};
    for (uint32_t size : {16, 64, 1024})
        for (const Chances &c : chances) run(seed++, size, c);
    for (unsigned i = 0; i < 50; i++)
        for (unsigned wrong = 0; wrong < NUM_WRONG; wrong++) fault(seed++, (Wrong)wrong);
    printf("command_reader: passed\n");
    return 0;
}
