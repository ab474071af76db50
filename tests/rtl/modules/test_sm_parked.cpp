/* test_sm_parked.cpp - rtl/sm/sm_parked.sv: SMs without a slot keep from when on their units have
 * work, the earliest Launch with it; those that wait for the host go on in the order in which they
 * were woken up. */
#include <algorithm>
#include <deque>

#include "Vsm_parked.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_parked>;

struct Sm {
    Bound subs[SUBS], lsu, reply, launch;
    bool slot = false, parked = false, resumes = false;
};

struct Seen {
    unsigned reads = 0, launches = 0, earlier = 0, resumed = 0, twice = 0, waited = 0, both = 0;
};

static Bound random_bound(Bench &b, uint64_t now) {
    if (b.chance(30)) return {};
    return now + b.pick(300);
}

struct Test {
    Bench &b;
    Seen *seen;
    Sm sm[SMS] = {};
    std::deque<unsigned> resume = {}; /* woken up */
    uint64_t now = FIRST_TIME;
    struct Outside {
        unsigned sm, clocks;
    };
    std::optional<Outside> visit = {}; /* under way to an SM without slot; clocks left */

    unsigned parked() const {
        return (unsigned)std::count_if(sm, sm + SMS, [](const Sm &s) { return s.parked; });
    }

    void read() {
        const unsigned n = b.pick(SMS);
        b.v.read_i = 1;
        b.v.read_sm_i = n;
        b.settle();
        const Sm &s = sm[n];
        if (s.slot) return;
        for (unsigned k = 0; k < SUBS; k++) {
            Bound first = s.subs[k];
            if (s.launch && (!first || *s.launch < *first)) first = s.launch;
            seen->earlier += s.launch && s.subs[k] && first == s.launch;
            expect_bound(b, "sub-core",
                         get_bits(b.v.read_subs_o, k * (TIME_BITS + 1), TIME_BITS + 1), first);
        }
        expect_bound(b, "memory stage", b.v.read_lsu_o, s.lsu);
        expect_bound(b, "reply port", b.v.read_reply_o, s.reply);
        seen->reads++;
    }

    /* The window unit moves an SM. @return a Launch may come beside it */
    bool move() {
        const unsigned n = b.pick(SMS);
        Sm &s = sm[n];
        b.v.move_sm_i = n;
        if (!s.slot && !s.parked && !s.resumes && !(visit && visit->sm == n) && b.chance(40)) {
            b.v.load_i = 1;
            s.slot = true;
            s.launch.reset();
            return false;
        }
        if (!s.slot || !b.chance(40)) return true;
        b.v.leave_i = 1;
        b.v.park_i = b.chance(40);
        s.slot = false;
        s.parked = b.v.park_i;
        s.lsu = random_bound(b, now);
        s.reply = random_bound(b, now);
        b.v.leave_lsu_i = word(s.lsu);
        b.v.leave_reply_i = word(s.reply);
        for (unsigned k = 0; k < SUBS; k++) {
            s.subs[k] = random_bound(b, now);
            set_bits(b.v.leave_subs_i, k * (TIME_BITS + 1), TIME_BITS + 1, word(s.subs[k]));
        }
        return true;
    }

    void launch() {
        const unsigned n = b.pick(SMS);
        const uint64_t at = now + b.pick(200);
        b.v.launch_i = 1;
        b.v.launch_sm_i = n;
        b.v.launch_at_i = kept(at);
        Sm &s = sm[n];
        seen->twice += s.launch.has_value();
        if (!s.launch || at < *s.launch) s.launch = at;
        seen->launches++;
    }

    /* Visits to SMs without slot: one at a time; pipelined, a few clocks long. */
    void visits() {
        b.v.sel_valid_i = b.v.row_valid_i = b.v.row_wake_i = 0;
        if (!visit && b.chance(40)) {
            const unsigned n = b.pick(SMS);
            if (sm[n].slot || (b.v.leave_i && b.v.move_sm_i == n)) return;
            visit = Outside{n, PIPELINED ? 9u : 0u};
            b.v.sel_valid_i = 1;
            b.v.sel_sm_i = n;
        } else if (visit) {
            visit->clocks--;
        }
        if (!visit || visit->clocks) return;
        b.v.row_valid_i = 1;
        b.v.row_wake_i = b.chance(60);
        b.v.row_sm_i = visit->sm;
    }

    void clock(unsigned pops) {
        b.v.load_i = b.v.leave_i = b.v.park_i = b.v.launch_i = b.v.read_i = 0;
        if (b.chance(20)) now += b.pick(8);
        b.settle();
        const bool under_way = visit.has_value();
        const unsigned waiting = parked();
        b.expect("SMs wait", b.v.waits_o, waiting > 0);
        b.expect("one was woken up", b.v.resume_valid_o, !resume.empty());
        if (!resume.empty()) b.expect("it", b.v.resume_sm_o, resume.front());
        b.expect("a visit", b.v.outside_o, under_way);
        if (b.chance(50)) read();
        b.v.resume_pop_i = !resume.empty() && b.chance(pops);
        std::optional<unsigned> popped;
        if (b.v.resume_pop_i) popped = resume.front();
        const bool beside = move();
        if (beside && b.chance(30)) launch();
        visits();
        b.settle();
        const bool sees = PIPELINED ? under_way : b.v.sel_valid_i;
        b.expect("seen", b.v.seen_o, sees);
        if (sees) b.expect("to", b.v.seen_sm_o, visit->sm);
        const bool over = b.v.row_valid_i;
        const bool resumes = over && b.v.row_wake_i && sm[visit->sm].parked &&
                             !(b.v.park_i && b.v.move_sm_i == visit->sm);
        seen->both += resumes && b.v.park_i;
        b.tick();
        if (popped) {
            sm[*popped].resumes = false;
            resume.pop_front();
            seen->resumed++;
        }
        if (resumes) {
            sm[visit->sm].parked = false;
            sm[visit->sm].resumes = true;
            resume.push_back(visit->sm);
        }
        if (over) visit.reset();
        seen->waited += waiting > 0;
    }

    void run(unsigned pops) {
        for (unsigned n = 0; n < SMS; n++) {
            b.v.init_i = 1;
            b.v.init_sm_i = n;
            b.tick();
        }
        b.v.init_i = 0;
        for (int i = 0; i < 20000; i++) clock(pops);
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned pops : {100, 30, 5}) {
        Bench b(seed++);
        Test t{b, &seen};
        t.run(pops);
    }
    if (!all_reached({seen.reads, seen.launches, seen.earlier, seen.resumed, seen.twice,
                      seen.waited, seen.both},
                     20))
        return 1;
    printf("sm_parked: passed\n");
    return 0;
}
