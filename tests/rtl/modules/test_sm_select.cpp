/* test_sm_select.cpp - rtl/sm/sm_select.sv: each visit comes once, in the order of the stage, never
 * to a sub-core that has one, and none that could push when there is no room. */
#include <algorithm>
#include <deque>

#include "Vsm_select.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_select>;

enum { SLOTS = 1 << SLOT_BITS, CONTEXTS = SLOTS * SUBS, ID_BITS = SM_BITS + SUB_BITS + WARP_BITS };
enum { ARG_BITS = 24, EXTRA_BITS = TIME_BITS > 17 ? TIME_BITS : 17, AGAINS = 8, REWAKES = 32 };
enum { INITS = SMS * 256, CREDIT = 12 /* bit of arg_t */ };

struct Again {
    unsigned ctx, id;
    uint64_t arg, at;
    bool half; /* the first of the two visits is over */
};

struct Micro {
    Kind kind;
    unsigned ctx, id;
    uint64_t arg, at, extra;
};

struct Wake {
    bool launch;
    unsigned id, cta, constants;
    uint64_t at;
};

/* The visit that comes now. */
struct Visit {
    Kind kind = KindIssue;
    bool in_slot = true, bound = false, micro = false, wake = false;
    unsigned ctx = 0, id = 0;
    uint64_t arg = 0, at = 0, extra = 0;
};

struct Seen {
    unsigned issues = 0, agains = 0, micros = 0, wakes = 0, rewakes = 0, launches = 0, outside = 0,
             held = 0, no_room = 0, full = 0, scrubs = 0;
};

static unsigned sub_of(unsigned id) {
    return id >> WARP_BITS & (SUBS - 1);
}

struct Test {
    Bench &b;
    Seen *seen;
    std::deque<Again> agains = {};
    std::deque<unsigned> rewakes = {};
    std::optional<Micro> micro = {};
    std::optional<Wake> wake = {};
    unsigned turn = 0; /* context first in turn; pipelined, the one found a clock ahead, if */
    bool found = false;
    std::optional<unsigned> slot[SLOTS] = {};
    bool busy[CONTEXTS] = {}, runnable[CONTEXTS] = {};

    /* A wake-up, or a launch: where its warp is. @return whether it may come now */
    bool place(unsigned id, Visit *v) {
        v->id = id;
        v->in_slot = false;
        for (unsigned s = 0; s < SLOTS; s++)
            if (slot[s] == id >> (SUB_BITS + WARP_BITS)) {
                v->in_slot = true;
                v->ctx = s * SUBS + sub_of(id);
            }
        if (!v->in_slot) return !b.v.outside_i && !b.v.hold_load_i;
        const bool held = b.v.hold_i && b.v.hold_slot_i == v->ctx / SUBS;
        seen->held += held;
        return !busy[v->ctx] && !held;
    }

    std::optional<Visit> next() {
        Visit v;
        if (b.v.scrub_i) {
            if (!b.v.scrub_visit_i) return {};
            v.kind = KindScrub;
            v.in_slot = false;
            v.id = b.v.scrub_count_i;
            return v;
        }
        if (!agains.empty() && agains.front().half) {
            const Again &a = agains.front();
            v.kind = KindCount;
            v.ctx = a.ctx;
            v.id = a.id;
            v.arg = a.arg;
            v.at = a.at;
            return v;
        }
        seen->no_room += !b.v.room_i;
        if (!b.v.room_i) return {};
        if (micro && !busy[micro->ctx]) {
            const bool full = micro->arg >> CREDIT & 1 && agains.size() >= AGAINS / 2;
            seen->full += full;
            if (!full) {
                v.kind = micro->kind;
                v.ctx = micro->ctx;
                v.id = micro->id;
                v.arg = micro->arg;
                v.at = micro->at;
                v.extra = micro->extra;
                v.micro = true;
                return v;
            }
        }
        if (!rewakes.empty()) {
            v.kind = KindWake;
            if (place(rewakes.front(), &v)) return v;
        } else if (wake && place(wake->id, &v)) {
            v.kind = wake->launch ? KindLaunch : KindWake;
            v.wake = true;
            v.arg = (uint64_t)wake->constants << 14 | wake->cta;
            v.at = wake->at;
            return v;
        }
        v = Visit();
        const auto c = PIPELINED ? (may_go() ? std::optional(turn) : std::nullopt)
                                 : first_of({}, {});
        if (!c) return {};
        v.ctx = *c;
        v.id = *slot[*c / SUBS] << (SUB_BITS + WARP_BITS) | *c % SUBS << WARP_BITS;
        v.bound = true;
        return v;
    }

    /* The first sub-core in turn that may have a visit: `ends` has its last one's end now, `not_it`
     * has found a visit already. */
    std::optional<unsigned> first_of(std::optional<unsigned> ends,
                                     std::optional<unsigned> not_it) const {
        for (unsigned k = 0; k < CONTEXTS; k++) {
            const unsigned c = (turn + k) % CONTEXTS;
            if (runnable[c] && (!busy[c] || c == ends) && c != not_it) return c;
        }
        return {};
    }

    bool may_go() const { return found && runnable[turn] && !busy[turn]; }

    /* Pipelined: looks a clock ahead, unless the one found waits for its turn. */
    void look_ahead(bool went) {
        if (!went && may_go()) return;
        std::optional<unsigned> ends, not_it;
        if (b.v.row_i && !b.v.half_i) ends = b.v.half_ctx_i;
        if (found) not_it = turn;
        const auto c = first_of(ends, not_it);
        found = c.has_value();
        turn = c.value_or(0);
    }

    /* What others offer in this clock. */
    void offers(unsigned load) {
        for (auto &s : slot) {
            if (b.chance(99)) continue;
            const unsigned sm = b.pick(SMS);
            if (std::find(slot, slot + SLOTS, sm) == slot + SLOTS) s = sm;
            if (b.pick(2)) s.reset();
        }
        b.v.slot_used_i = 0;
        for (unsigned s = 0; s < SLOTS; s++) {
            b.v.slot_used_i |= slot[s].has_value() << s;
            set_bits(b.v.slot_sm_i, s * SM_BITS, SM_BITS, slot[s] ? *slot[s] : b.pick(SMS));
        }
        for (unsigned c = 0; c < CONTEXTS; c++) {
            busy[c] = b.chance(30);
            for (const Again &a : agains) busy[c] = busy[c] || a.ctx == c;
            runnable[c] = slot[c / SUBS] && b.chance(load / 2);
            set_bits(b.v.busy_i, c, 1, busy[c]);
            set_bits(b.v.runnable_i, c, 1, runnable[c]);
        }
        if (!micro && b.chance(load)) {
            static const Kind kinds[] = {KindCount, KindCount, KindResume, KindCode};
            const unsigned s = b.pick(SLOTS), id = b.pick(1 << ID_BITS);
            micro = Micro{kinds[b.pick(4)], s * SUBS + sub_of(id), id,
                          b.bits(ARG_BITS), b.bits(TIME_BITS),     b.bits(EXTRA_BITS)};
        }
        b.v.micro_valid_i = micro.has_value();
        if (micro) {
            const unsigned place = micro->ctx / SUBS;
            b.v.micro_visit_i =
                ((((uint64_t)micro->kind << 1 | 1) << SLOT_BITS | place) << ID_BITS | micro->id)
                    << ARG_BITS |
                micro->arg;
            b.v.micro_at_i = micro->at;
            b.v.micro_extra_i = micro->extra;
        }
        if (!wake && b.chance(load / 2))
            wake = Wake{(bool)b.pick(2), b.pick(1 << ID_BITS), b.pick(32), b.pick(128),
                        b.bits(TIME_BITS)};
        b.v.wake_valid_i = wake.has_value();
        if (wake) {
            b.v.wake_i = ((wake->launch << ID_BITS | wake->id) << 5 | wake->cta) << 7 |
                         wake->constants;
            b.v.wake_at_i = wake->at;
        }
        b.v.room_i = b.chance(80);
        b.v.outside_i = b.chance(50);
        b.v.hold_i = b.chance(20);
        b.v.hold_slot_i = b.pick(SLOTS);
        b.v.hold_load_i = b.chance(20);
        b.v.scrub_visit_i = b.pick(2);
        b.v.scrub_count_i = b.pick(SMS * 64);
    }

    /* Visits under way want further ones. */
    void pushes(std::optional<Again> *again, std::optional<unsigned> *rewake) {
        const unsigned ctx = b.pick(CONTEXTS), id = b.pick(1 << ID_BITS);
        bool has = false;
        for (const Again &a : agains) has = has || a.ctx == ctx;
        b.v.again_i = b.v.rewake_i = b.v.half_i = 0;
        for (Again &a : agains)
            if (!a.half && b.chance(15) && !b.v.half_i) {
                b.v.half_i = 1;
                b.v.half_ctx_i = a.ctx;
            }
        b.v.row_i = b.v.half_i || b.chance(20);
        if (b.v.row_i && !b.v.half_i) b.v.half_ctx_i = b.pick(CONTEXTS);
        if (!has && busy[ctx] && agains.size() < AGAINS && b.chance(20)) {
            const unsigned sub = ctx % SUBS;
            *again = Again{ctx, (id & ~((SUBS - 1) << WARP_BITS)) | sub << WARP_BITS,
                           b.bits(ARG_BITS), b.bits(TIME_BITS), false};
            b.v.again_i = 1;
            b.v.again_slot_i = ctx / SUBS;
            b.v.again_id_i = (*again)->id;
            b.v.again_arg_i = (*again)->arg;
            b.v.again_at_i = (*again)->at;
        }
        if (rewakes.size() < REWAKES && b.chance(20)) {
            *rewake = id;
            b.v.rewake_i = 1;
            b.v.rewake_id_i = id;
        }
    }

    void expect(const std::optional<Visit> &v) {
        b.expect("a visit", b.v.valid_o, v.has_value());
        b.expect("micro-operation taken", b.v.micro_pop_o, v && v->micro);
        b.expect("wake-up taken", b.v.wake_pop_o, v && v->wake);
        b.expect("at the bound", b.v.bound_o, v && v->bound);
        if (!v) return;
        b.expect("kind", b.v.kind_o, v->kind);
        b.expect("in a slot", b.v.in_slot_o, v->in_slot);
        b.expect("warp", b.v.id_o, v->id);
        if (v->in_slot) b.expect("place", b.v.ctx_o, v->ctx);
        if (v->bound || v->kind == KindScrub) return;
        b.expect("brings", b.v.arg_o, v->arg);
        b.expect("at", b.v.at_o, v->at);
        b.expect("and", b.v.extra_o, v->extra);
    }

    void takes(const Visit &v) {
        if (v.bound && !PIPELINED) turn = (v.ctx + 1) % CONTEXTS;
        seen->issues += v.bound;
        seen->scrubs += v.kind == KindScrub;
        seen->micros += v.micro;
        seen->outside += v.wake && !v.in_slot;
        if (v.micro) {
            micro.reset();
        } else if (v.wake) {
            ++*(v.kind == KindLaunch ? &seen->launches : &seen->wakes);
            wake.reset();
        } else if (v.kind == KindWake) {
            rewakes.pop_front();
            seen->rewakes++;
        } else if (v.kind == KindCount) {
            agains.pop_front();
            seen->agains++;
        }
    }

    void init() {
        b.v.room_i = 1;
        for (unsigned n = 0; n < INITS; n++) {
            b.settle();
            b.expect("initialises", b.v.init_o, 1);
            b.expect("a visit", b.v.valid_o, 1);
            b.expect("kind", b.v.kind_o, KindInit);
            b.expect("in a slot", b.v.in_slot_o, 0);
            b.expect("warp", b.v.id_o, n / 256 * 64 + n % 64);
            b.expect("set", b.v.arg_o >> 21, n % 256 / 64);
            b.tick();
        }
        b.expect("initialises", b.v.init_o, 0);
    }

    void run(unsigned load) {
        init();
        unsigned scrubs = 0;
        for (int i = 0; i < 20000; i++) {
            if (!scrubs && b.pick(500) == 0) scrubs = 20;
            scrubs -= scrubs > 0;
            offers(load);
            b.v.scrub_i = scrubs > 0;
            std::optional<Again> again;
            std::optional<unsigned> rewake;
            pushes(&again, &rewake);
            b.settle();
            b.expect("half full", b.v.rewake_half_o, rewakes.size() >= REWAKES / 2);
            b.expect("wake-ups are left", b.v.rewake_busy_o, !rewakes.empty());
            b.expect("second visits are left", b.v.again_busy_o, !agains.empty());
            const auto v = next();
            expect(v);
            if (PIPELINED) look_ahead(v && v->bound);
            b.tick();
            if (v) takes(*v);
            for (Again &a : agains)
                if (b.v.half_i && a.ctx == b.v.half_ctx_i) a.half = true;
            if (again) agains.push_back(*again);
            if (rewake) rewakes.push_back(*rewake);
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned load : {100, 40, 10}) {
        Bench b(seed++);
        Test t{b, &seen};
        t.run(load);
    }
    if (!all_reached({seen.issues, seen.agains, seen.micros, seen.wakes, seen.rewakes, seen.held,
                      seen.no_room, seen.launches, seen.outside, seen.full, seen.scrubs},
                     15))
        return 1;
    printf("sm_select: passed\n");
    return 0;
}
