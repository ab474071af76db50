/* test_sm_slots.cpp - rtl/sm/sm_slots.sv: what each slot has, until when it runs, and when nothing
 * is under way in it, whatever visits, passes, micro-operations and moves meet in a clock. */
#include <algorithm>

#include "Vsm_slots.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_slots>;

enum { SLOTS = 1 << SLOT_BITS, FLIGHTS = 18 };

struct Slot {
    bool used = false, pass = false, wait = false;
    std::optional<bool> open; /* once something has begun in it */
    unsigned sm = 0, flights = 0;
    uint64_t end = 0;
    Bound lsu, reply;
};

struct Seen {
    unsigned loads = 0, passes = 0, opens = 0, leaves = 0, ends = 0, pushes = 0, meets = 0,
             micros = 0, waits = 0, held = 0;
};

struct Test {
    Bench &b;
    Seen *seen;
    Slot slot[SLOTS] = {};
    uint64_t now = FIRST_TIME;

    Bound random_bound() {
        if (b.chance(30)) return {};
        return now + b.pick(300);
    }

    bool quiet(const Slot &s, unsigned n) const {
        return s.used && !s.pass && !(b.v.active_i >> n & 1) && !s.flights;
    }

    /* A visit is over, a pass, a micro-operation is on its way. */
    void effects() {
        const unsigned r = b.pick(SLOTS), e = b.pick(SLOTS), m = b.pick(SLOTS);
        b.v.row_slot_i = r;
        b.v.row_wake_i = b.v.row_micro_i = b.v.pass_end_i = b.v.micro_push_i = 0;
        Bound push, lsu, reply;
        /* pipelined, a sub-core that is visited is active */
        const bool visited = slot[r].used && (!PIPELINED || b.v.active_i >> r & 1);
        if (visited && b.chance(50)) push = random_bound();
        b.v.row_push_i = word(push);
        b.v.row_micro_i = visited && slot[r].flights && b.chance(60);
        if (slot[e].pass && b.chance(30)) {
            b.v.pass_end_i = 1;
            b.v.pass_end_slot_i = e;
            lsu = random_bound();
            reply = random_bound();
            b.v.pass_end_lsu_i = word(lsu);
            b.v.pass_end_reply_i = word(reply);
            b.v.pass_end_wait_i = b.pick(2);
        }
        b.v.row_wake_i = visited && !(b.v.pass_end_i && r == e) && b.chance(30);
        if (slot[m].pass && slot[m].flights < FLIGHTS && b.chance(50)) {
            b.v.micro_push_i = 1;
            b.v.micro_slot_i = m;
        }
        if (push) slot[r].lsu = first(slot[r].lsu, push);
        if (b.v.row_micro_i) slot[r].flights--;
        if (b.v.row_wake_i) slot[r].wait = false;
        if (b.v.pass_end_i) {
            slot[e].pass = false;
            slot[e].wait = b.v.pass_end_wait_i;
            slot[e].lsu = first(slot[e].lsu, lsu);
            slot[e].reply = reply;
            seen->ends++;
            seen->waits += slot[e].wait;
            seen->meets += push && r == e;
        }
        if (b.v.micro_push_i) slot[m].flights++;
        seen->pushes += push.has_value();
        seen->micros += b.v.micro_push_i && b.v.row_micro_i && m == r;
    }

    void shows(const Slot *all) {
        const unsigned n = b.v.read_slot_i;
        const Slot &s = all[n];
        for (unsigned k = 0; k < SLOTS; k++) {
            b.expect("quiet", b.v.quiet_o >> k & 1, quiet(all[k], k));
            seen->held += all[k].used && !all[k].pass && !(b.v.active_i >> k & 1) && all[k].flights;
        }
        if (!s.used) return;
        b.expect("SM", b.v.read_sm_o, s.sm);
        if (s.open) b.expect("open", b.v.read_open_o, *s.open);
        expect_bound(b, "memory stage", b.v.read_lsu_o, s.lsu);
        expect_bound(b, "reply port", b.v.read_reply_o, s.reply);
        b.expect("waits", b.v.read_wait_o, s.wait);
    }

    /* The window unit moves a slot in which nothing is under way. */
    void move() {
        const unsigned n = b.pick(SLOTS);
        Slot &s = slot[n];
        const uint64_t end = now + b.pick(40);
        b.v.move_slot_i = n;
        b.v.end_i = kept(end);
        b.v.load_i = b.v.pass_i = b.v.open_i = b.v.leave_i = 0;
        if (!s.used) {
            const unsigned sm = b.pick(SMS);
            for (const Slot &other : slot)
                if (other.used && other.sm == sm) return;
            s = Slot{true, false, false, {}, sm, 0, 0, random_bound(), random_bound()};
            b.v.load_i = 1;
            b.v.load_sm_i = sm;
            b.v.load_lsu_i = word(s.lsu);
            b.v.load_reply_i = word(s.reply);
            seen->loads++;
        } else if (b.v.quiet_o >> n & 1) {
            const unsigned what = b.pick(4);
            b.v.leave_i = what == 0;
            b.v.open_i = what == 1;
            b.v.pass_i = what > 1;
            s.used = what != 0;
            seen->leaves += !s.used;
            if (!s.used) return;
            s.open = what == 1;
            s.pass = what > 1;
            s.end = end;
            if (s.pass) { /* it finds what there is to do itself */
                s.lsu.reset();
                s.wait = false;
            }
            ++*(s.pass ? &seen->passes : &seen->opens);
        }
    }

    void clock() {
        if (b.chance(20)) now += b.pick(8);
        b.settle();
        for (unsigned k = 0; k < SLOTS; k++) {
            const Slot &s = slot[k];
            b.expect("used", b.v.used_o >> k & 1, s.used);
            b.expect("pass", b.v.pass_o >> k & 1, s.pass);
            if (s.used) b.expect("SM", get_bits(b.v.sm_o, k * SM_BITS, SM_BITS), s.sm);
            if (!s.open || !s.used) continue;
            b.expect("open", b.v.open_o >> k & 1, *s.open);
            b.expect("until", get_bits(b.v.end_o, k * TIME_BITS, TIME_BITS), kept(s.end));
        }
        b.v.active_i = 0;
        for (unsigned k = 0; k < SLOTS; k++) b.v.active_i |= (slot[k].used && b.pick(2)) << k;
        b.v.read_i = 1;
        b.v.read_slot_i = b.pick(SLOTS);
        Slot before[SLOTS];
        std::copy_n(slot, SLOTS, before);
        effects();
        b.v.load_i = b.v.pass_i = b.v.open_i = b.v.leave_i = 0;
        b.settle();
        shows(PIPELINED ? before : slot);
        move();
        b.tick();
    }

    void run() {
        for (int i = 0; i < 20000; i++) clock();
    }
};

int main() {
    Seen seen;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        Bench b(seed);
        Test t{b, &seen};
        t.run();
    }
    if (!all_reached({seen.loads, seen.passes, seen.opens, seen.leaves, seen.ends, seen.pushes,
                      seen.meets, seen.micros, seen.waits, seen.held},
                     20))
        return 1;
    printf("sm_slots: passed\n");
    return 0;
}
