/* test_sm_window.cpp - rtl/sm/sm_window.sv between stand-ins for slots, SMs and the host: each SM
 * works until all that lies before the window's end is done, or waits for the host; no effect of a
 * unit comes to another one before the time that this has reached. */
#include <algorithm>
#include <deque>

#include "Vsm_window.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_window>;

enum { SLOTS = 1 << SLOT_BITS, STAGE_DELAY = 8, VISIT = PIPELINED ? 9 : 0 /* clocks */ };

struct Sm {
    Bound sub[SUBS], lsu;
    bool starved[SUBS] = {}, waits = false; /* for packets; for line words */
    std::deque<uint64_t> replies;           /* when they take effect */
    bool parked = false, resumes = false;
    uint64_t sub_done = 0, lsu_done = 0; /* how far they have gone */

    Bound reply() const { return replies.empty() ? Bound() : Bound(replies.front()); }
    Bound work() const {
        Bound all = first(lsu, reply());
        for (const Bound &s : sub) all = first(all, s);
        return all;
    }
    bool starves() const { return std::count(starved, starved + SUBS, true); }
};

struct Slot {
    std::optional<unsigned> sm;
    bool open = false;
    unsigned busy = 0;   /* clocks that its units still work */
    unsigned visit = 0;  /* clocks of a wake-up */
    bool passes = false; /* the memory stage, else the sub-cores */
    uint64_t end = 0;
    bool quiet() const { return sm && !busy && !visit; }
};

struct Seen {
    unsigned windows = 0, loads = 0, passes = 0, opens = 0, parks = 0, resumes = 0, replies = 0,
             wakes = 0, given_up = 0, launches = 0, kept = 0;
};

struct Test {
    Bench &b;
    Seen *seen;
    unsigned sms, step, start, slow; /* SMs of this instance: start, start + step, ... */
    std::vector<Sm> sm = std::vector<Sm>(SMS);
    Slot slot[SLOTS] = {};
    std::deque<unsigned> resume = {};
    std::optional<std::pair<unsigned, unsigned>> outside = {}; /* SM, clocks left */
    uint64_t now = FIRST_TIME, end = FIRST_TIME;
    unsigned fill_delay = 4;
    bool host = false; /* sends what warps wait for */

    bool here(unsigned n) const { return n < sms && n >= start && (n - start) % step == 0; }
    unsigned any_sm() {
        unsigned n;
        do n = b.pick(sms);
        while (!here(n));
        return n;
    }

    Bound first_work() const {
        Bound all;
        for (unsigned n = 0; n < SMS; n++) all = first(all, sm[n].work());
        return all;
    }

    void to_sub(Sm &s, uint64_t at) {
        if (at < s.sub_done) b.fail("something reaches a sub-core in its past");
        Bound &x = s.sub[b.pick(SUBS)];
        x = first(x, at);
    }

    /* The memory stage works until `until`. */
    void pass(Sm &s, uint64_t until) {
        while (s.lsu && *s.lsu < until) {
            const uint64_t t = *s.lsu;
            s.waits = b.chance(15);
            if (s.waits) break;
            if (b.pick(2)) to_sub(s, t + STAGE_DELAY + b.pick(2) * b.pick(10));
            s.lsu.reset();
            if (b.pick(2)) s.lsu = t + 1 + b.pick(20);
        }
        while (!s.replies.empty() && s.replies.front() < until &&
               !(s.waits && *s.lsu < s.replies.front())) {
            to_sub(s, s.replies.front());
            s.replies.pop_front();
            seen->replies++;
        }
        s.lsu_done = s.waits ? std::min(*s.lsu, until) : until;
        seen->passes++;
    }

    /* The sub-cores work. */
    void run_subs(Sm &s, uint64_t until) {
        uint64_t done = until;
        for (unsigned k = 0; k < SUBS; k++) {
            while (s.sub[k] && *s.sub[k] < until && !s.starved[k]) {
                const uint64_t t = *s.sub[k];
                s.starved[k] = b.chance(8);
                if (s.starved[k]) break;
                if (b.pick(2)) {
                    const uint64_t at = t + STAGE_DELAY + b.pick(2) * b.pick(10);
                    if (at < s.lsu_done) b.fail("an operation comes in the memory stage's past");
                    s.lsu = first(s.lsu, at);
                }
                s.sub[k].reset();
                if (b.chance(85)) s.sub[k] = t + 1 + b.pick(12);
            }
            if (s.starved[k]) done = std::min(done, *s.sub[k]);
        }
        s.sub_done = done;
        seen->opens++;
    }

    /* Packets or line words come. */
    void wake(Sm &s) {
        for (bool &x : s.starved) x = false;
        s.waits = false;
        seen->wakes++;
    }

    /* What wake-ups do in this clock, except to a slot that is moved in it. */
    void visits() {
        b.v.outside_i = 0;
        if (outside) {
            b.v.outside_i = 1;
            b.v.outside_sm_i = outside->first;
        }
        if (!host || !b.chance(20)) return;
        const unsigned n = any_sm();
        for (unsigned k = 0; k < SLOTS; k++)
            if (slot[k].sm == n) {
                if (!PIPELINED) { /* it is over in this clock; the slot is not looked at before */
                    if (slot[k].quiet()) wake(sm[n]);
                } else if (slot[k].quiet() && !(b.v.hold_o && b.v.move_slot_o == k) &&
                           (sm[n].starves() || sm[n].waits)) {
                    begins = k;
                }
                return;
            }
        if (outside || b.v.hold_load_o || !(sm[n].parked || b.chance(5))) return;
        outside = {n, VISIT};
        if (PIPELINED) return; /* it is seen from the next clock on */
        b.v.outside_i = 1;
        b.v.outside_sm_i = n;
    }
    std::optional<unsigned> begins = {}; /* a visit to this slot */

    void read() {
        const unsigned s = b.v.read_slot_o, p = b.v.read_sm_o;
        const auto bounds = [&](auto &port, const Sm &x) {
            for (unsigned k = 0; k < SUBS; k++)
                set_bits(port, k * (TIME_BITS + 1), TIME_BITS + 1, word(x.sub[k]));
        };
        if (b.v.read_o && slot[s].sm) {
            const Sm &x = sm[*slot[s].sm];
            b.v.slot_sm_i = *slot[s].sm;
            b.v.slot_open_i = slot[s].open;
            b.v.slot_lsu_i = word(x.lsu);
            b.v.slot_reply_i = word(x.reply());
            b.v.slot_wait_i = x.waits;
            bounds(b.v.ctx_bounds_i, x);
            b.v.ctx_starved_i = 0;
            for (unsigned k = 0; k < SUBS; k++) b.v.ctx_starved_i |= x.starved[k] << k;
        }
        if (b.v.read_parked_o) {
            b.v.parked_lsu_i = word(sm[p].lsu);
            b.v.parked_reply_i = word(sm[p].reply());
            bounds(b.v.parked_subs_i, sm[p]);
        }
    }

    void begin(unsigned n, bool passes) {
        Slot &s = slot[n];
        const uint64_t ends = end - kept(end - b.v.end_o);
        if (kept(end - b.v.end_o) >> (TIME_BITS - 1)) b.fail("it works beyond the window");
        s.passes = passes;
        s.open = !passes;
        s.end = ends;
        s.busy = 1 + b.pick(slow);
    }

    /* A slot or an SM is moved. */
    void moves() {
        const unsigned n = b.v.move_slot_o;
        Slot &s = slot[n];
        const bool any = b.v.load_o || b.v.pass_o || b.v.open_o || b.v.leave_o;
        if (b.v.load_o) {
            const unsigned m = b.v.move_sm_o;
            if (s.sm) b.fail("slot %u has an SM", n);
            for (const Slot &other : slot)
                if (other.sm == m) b.fail("SM %u has a slot", m);
            if (!here(m) || sm[m].parked) b.fail("SM %u should not be loaded", m);
            if (!sm[m].work() || *sm[m].work() >= end) b.fail("SM %u has nothing to do", m);
            s.sm = m;
            wake(sm[m]); /* what was left is looked at again */
            seen->loads++;
        } else if (any && !s.quiet()) {
            b.fail("slot %u is moved while something is under way", n);
        }
        if (any) {
            const Sm &x = sm[*s.sm];
            b.expect("SM", b.v.move_sm_o, *s.sm);
            expect_bound(b, "memory stage", b.v.move_lsu_o, x.lsu);
            expect_bound(b, "reply port", b.v.move_reply_o, x.reply());
            for (unsigned k = 0; k < SUBS; k++)
                expect_bound(b, "sub-core",
                             get_bits(b.v.move_subs_o, k * (TIME_BITS + 1), TIME_BITS + 1),
                             x.sub[k]);
        }
        if (b.v.pass_o) begin(n, true);
        if (b.v.open_o) begin(n, false);
        if (!b.v.leave_o) return;
        Sm &x = sm[*s.sm];
        const bool left = x.work() && *x.work() < end;
        b.expect("parked", b.v.park_o, left);
        if (left && !x.starves() && !x.waits) b.fail("SM %u waits for nothing", *s.sm);
        x.parked = left;
        seen->parks += left;
        seen->kept += !left;
        s = Slot();
    }

    bool clock(bool go) {
        b.v.go_i = go;
        b.v.window_end_i = kept(end);
        b.v.reached_i = (uint32_t)now;
        b.v.used_i = b.v.quiet_i = b.v.visited_i = 0;
        for (unsigned k = 0; k < SLOTS; k++) {
            b.v.used_i |= slot[k].sm.has_value() << k;
            b.v.quiet_i |= slot[k].quiet() << k;
            b.v.visited_i |= (slot[k].visit > 0) << k;
        }
        b.v.resume_valid_i = !resume.empty();
        if (!resume.empty()) b.v.resume_sm_i = resume.front();
        unsigned waiting = 0;
        for (const Sm &x : sm) waiting += x.parked;
        b.v.waits_i = waiting > 0;
        b.v.busy_i = b.chance(20) || outside.has_value();
        b.v.port_free_i = b.chance(60);
        begins.reset();
        b.settle();
        visits();
        b.settle();
        const unsigned shown = b.v.load_sm_o;
        b.v.reply_valid_i = !sm[shown].replies.empty();
        if (b.v.reply_valid_i) b.v.reply_at_i = kept(sm[shown].replies.front() - fill_delay);
        read();
        b.settle();
        read();
        b.settle();
        const bool pops = b.v.resume_pop_o, held = b.v.hold_o;
        const bool moved = b.v.load_o || b.v.pass_o || b.v.open_o || b.v.leave_o;
        seen->given_up += held && !moved && !b.v.hold_load_o;
        if (pops && (resume.empty() || b.v.move_sm_o != resume.front())) b.fail("another SM");
        moves();
        b.tick();
        b.v.launch_i = 0;
        if (pops) {
            sm[resume.front()].resumes = false;
            resume.pop_front();
            seen->resumes++;
        }
        for (Slot &s : slot) {
            if (s.busy && --s.busy == 0 && s.sm)
                s.passes ? pass(sm[*s.sm], s.end) : run_subs(sm[*s.sm], s.end);
            if (s.visit && --s.visit == 0) wake(sm[*s.sm]);
        }
        if (begins) slot[*begins].visit = VISIT;
        if (outside && outside->second-- == 0) {
            Sm &x = sm[outside->first];
            if (x.parked) {
                x.parked = false;
                x.resumes = true;
                resume.push_back(outside->first);
            }
            outside.reset();
        }
        return b.v.idle_o && !go;
    }

    /* Everything before the end of the window is done, or waits for the host. */
    void window() {
        host = b.pick(2);
        bool idle = clock(true);
        for (unsigned clocks = 0;; clocks++) {
            if (clocks > 20000) b.fail("a window does not end");
            idle = clock(false);
            if (!idle) continue;
            if (!b.v.parked_o) break;
            host = true;
        }
        for (unsigned n = 0; n < SMS; n++)
            if (sm[n].work() && *sm[n].work() < end) b.fail("SM %u has more to do", n);
        next();
        seen->windows++;
    }

    void next() {
        const Bound left = first_work();
        b.expect("never", b.v.next_o >> 32, !left);
        if (left) b.expect("next", b.v.next_o, (uint32_t)*left);
    }

    /* Between windows: replies come, warps are launched. */
    void between() {
        host = false;
        while (outside) clock(false);
        for (int i = 0; i < 3; i++) clock(false);
        const Bound left = first_work();
        now = end + b.pick(60);
        if (left) now = std::min(now, *left);
        for (unsigned k = b.pick(4); k > 0 || !first_work(); k -= k > 0) {
            Sm &x = sm[any_sm()];
            const uint64_t at = now + b.pick(100);
            Bound &sub = x.sub[b.pick(SUBS)];
            sub = first(sub, at);
            b.v.launch_i = 1;
            b.v.launch_at_i = kept(at);
            clock(false);
            seen->launches++;
        }
        while (!clock(false)) {
        }
        next();
        end = now + 1 + b.pick(32);
        for (unsigned k = b.pick(6); k > 0; k--) {
            Sm &x = sm[any_sm()];
            uint64_t at = now + b.pick(40) + fill_delay;
            if (!x.replies.empty()) at = std::max(at, x.replies.back());
            x.replies.push_back(at);
        }
        for (Sm &x : sm) x.sub_done = x.lsu_done = 0;
    }

    void run() {
        b.v.last_sm_i = sms - 1;
        b.v.instances_i = step;
        b.v.instance_i = start;
        b.v.fill_delay_i = fill_delay;
        while (!clock(false)) {
        }
        for (int i = 0; i < 300; i++) {
            between();
            window();
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned slow : {1, 6, 30}) {
        for (unsigned step : {1, 3}) {
            Bench b(seed++);
            Test t{b, &seen, step == 1 ? 9u : 16u, step, step / 2, slow};
            t.run();
        }
    }
    if (!all_reached({seen.loads, seen.passes, seen.opens, seen.parks, seen.resumes, seen.replies,
                      seen.wakes, seen.kept, seen.launches},
                     100))
        return 1;
    if (PIPELINED && seen.given_up < 5) return fprintf(stderr, "%u given up\n", seen.given_up), 1;
    printf("sm_window: passed\n");
    return 0;
}
