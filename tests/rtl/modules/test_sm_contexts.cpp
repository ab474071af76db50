/* test_sm_contexts.cpp - rtl/sm/sm_contexts.sv: from when on each sub-core has work, whether that
 * is inside its window, whether a visit is under way and whether it stands still, whatever stages
 * of visits and moves of the window unit meet in a clock. */
#include <algorithm>

#include "Vsm_contexts.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_contexts>;

enum {
    SEL = 0,
    CHO = 3,
    RDY = 8,
    ROW = 9,
    STAGES = 10,
    SLOTS = 1 << SLOT_BITS,
    CONTEXTS = SLOTS * SUBS
};

struct Context {
    Bound bound;
    bool busy = false, runnable = false, starved = false, second = false;
};

struct Slot {
    bool used = false, open = false;
    uint64_t end = 0;
};

struct Visit {
    unsigned ctx;
    Kind kind;
    /* stage choose, of one that may issue */
    bool goes, starved;
    Bound bound;
    /* stages ready, row */
    Bound brings;
    bool micro, own, stays;
    uint64_t own_at, next;
};

struct Seen {
    unsigned issues = 0, ends = 0, starved = 0, wakes = 0, stays = 0, brought = 0, seconds = 0,
             loads = 0, opens = 0, reads = 0;
};

struct Test {
    Bench &b;
    Seen *seen;
    Context ctx[CONTEXTS] = {};
    Slot slot[SLOTS] = {};
    uint64_t now = FIRST_TIME;

    Bound random_bound() {
        if (b.chance(20)) return {};
        return now + b.pick(60);
    }

    bool due(unsigned c, const Bound &bound) const { return bound && *bound < slot[c / SUBS].end; }

    std::optional<Visit> random_visit() {
        const unsigned c = b.pick(CONTEXTS);
        Context &x = ctx[c];
        const Slot &s = slot[c / SUBS];
        Visit v = {};
        v.ctx = c;
        if (!s.used || (x.busy && !x.second)) return {};
        v.own = b.pick(2);
        v.own_at = now + b.pick(60);
        v.brings = b.pick(2) ? random_bound() : Bound();
        v.next = now + b.pick(60);
        v.stays = b.chance(30);
        if (x.second) { /* the second of two */
            v.kind = KindCount;
            v.micro = true;
            x.second = false;
            seen->seconds++;
        } else if (x.runnable && b.chance(70)) {
            v.kind = KindIssue;
            v.bound = *x.bound + b.pick(20);
            v.goes = due(c, v.bound) && b.pick(2);
            v.starved = !v.goes && due(c, v.bound);
            if (v.goes) v.bound = *v.bound + 1;
            if (!v.goes && !v.starved && b.chance(20)) v.bound.reset();
        } else {
            static const Kind kinds[] = {KindCount, KindCount,  KindResume, KindWake,
                                         KindWake,  KindLaunch, KindCode};
            v.kind = kinds[b.pick(7)];
            v.micro = v.kind != KindCount || b.chance(70);
        }
        return v;
    }

    void chooses(const Visit &v) {
        Context &x = ctx[v.ctx];
        x.bound = v.bound;
        x.runnable = !v.starved && due(v.ctx, v.bound);
        x.busy = x.busy && v.goes;
        x.starved = x.starved || v.starved;
        seen->issues += v.goes;
        seen->starved += v.starved;
        seen->ends += !v.goes && !v.starved;
    }

    void over(const Visit &v) {
        Context &x = ctx[v.ctx];
        if (v.kind == KindIssue) {
            if (v.stays) {
                x.bound = v.next;
                x.runnable = due(v.ctx, x.bound);
                seen->stays++;
            }
        } else {
            const Bound before = x.bound;
            x.bound = first(x.bound, v.brings);
            if (v.own) x.bound = first(x.bound, Bound(v.own_at));
            seen->brought += before && *x.bound < *before;
            seen->wakes += x.starved && v.kind == KindWake;
            if (v.kind == KindWake) x.starved = false;
            x.runnable = slot[v.ctx / SUBS].open && !x.starved && due(v.ctx, x.bound);
        }
        x.second = v.kind == KindCount && !v.micro;
        if (!x.second) x.busy = false;
    }

    void ports(Visit *sel, Visit *cho, Visit *rdy, Visit *row) {
        b.v.sel_valid_i = sel != nullptr;
        if (sel) b.v.sel_ctx_i = b.v.sel_turn_i = sel->ctx;
        if (rdy) {
            b.v.rdy_ctx_i = rdy->ctx;
            b.v.rdy_bound_i = word(rdy->brings);
        }
        b.v.cho_mark_i = cho && cho->kind == KindIssue;
        if (cho) {
            b.v.cho_ctx_i = cho->ctx;
            b.v.cho_go_i = cho->goes;
            b.v.cho_bound_i = word(cho->bound);
            b.v.cho_runnable_i = !cho->starved && due(cho->ctx, cho->bound);
            b.v.cho_starved_i = cho->starved;
        }
        b.v.row_valid_i = row != nullptr;
        if (!row) return;
        b.v.row_ctx_i = row->ctx;
        b.v.row_kind_i = row->kind;
        b.v.row_micro_i = row->micro;
        b.v.row_own_i = row->own;
        b.v.row_own_at_i = kept(row->own_at);
        b.v.row_stays_i = row->stays;
        b.v.row_next_i = kept(row->next);
    }

    /* What the window unit sees: of before the clock, or with what visits change in it. */
    void shows(const Context *all) {
        for (unsigned s = 0; s < SLOTS; s++) {
            bool visited = false, active = false;
            for (unsigned k = 0; k < SUBS; k++) {
                const Context &x = all[s * SUBS + k];
                visited = visited || x.busy;
                active = active || x.busy || x.runnable;
            }
            b.expect("visited", b.v.visited_o >> s & 1, PIPELINED && visited);
            b.expect("active", b.v.active_o >> s & 1, active);
        }
        if (!slot[b.v.read_slot_i].used) return;
        seen->reads++;
        for (unsigned k = 0; k < SUBS; k++) {
            const Context &x = all[b.v.read_slot_i * SUBS + k];
            expect_bound(b, "work from", get_bits(b.v.bounds_o, k * (TIME_BITS + 1), TIME_BITS + 1),
                         x.bound);
            b.expect("starved", b.v.starved_o >> k & 1, x.starved);
        }
    }

    /* The window unit moves a slot in which no visit is under way. @return its slot afterwards */
    void move() {
        const unsigned n = b.pick(SLOTS);
        Slot &s = slot[n];
        b.v.move_slot_i = n;
        b.v.load_i = b.v.open_i = 0;
        if (s.used && (b.v.active_o >> n & 1)) return;
        if (!s.used || b.chance(20)) { /* another SM, or first one */
            s = Slot{true, false, now};
            b.v.load_i = 1;
            for (unsigned k = 0; k < SUBS; k++) {
                Context &x = ctx[n * SUBS + k];
                x = Context();
                x.bound = random_bound();
                set_bits(b.v.load_bounds_i, k * (TIME_BITS + 1), TIME_BITS + 1, word(x.bound));
            }
            seen->loads++;
            return;
        }
        s.open = b.chance(70); /* or the memory stage works */
        s.end = now + b.pick(40);
        b.v.open_i = s.open;
        b.v.open_work_i = 0;
        for (unsigned k = 0; k < SUBS && s.open; k++) {
            Context &x = ctx[n * SUBS + k];
            x.runnable = !x.starved && due(n * SUBS + k, x.bound);
            b.v.open_work_i |= x.runnable << k;
        }
        seen->opens += s.open;
    }

    /* As sm_slots.sv has them, as the clock begins. */
    void slots() {
        b.v.slot_used_i = b.v.slot_open_i = 0;
        for (unsigned s = 0; s < SLOTS; s++) {
            b.v.slot_used_i |= slot[s].used << s;
            b.v.slot_open_i |= slot[s].open << s;
            set_bits(b.v.slot_end_i, s * TIME_BITS, TIME_BITS, kept(slot[s].end));
        }
    }

    void run(unsigned enter) {
        Stages<Visit> stages(STAGES, PIPELINED);
        for (int i = 0; i < 20000; i++) {
            if (b.chance(20)) now += b.pick(4);
            slots();
            b.settle();
            for (unsigned c = 0; c < CONTEXTS; c++) {
                b.expect("busy", get_bits(b.v.busy_o, c, 1), ctx[c].busy);
                b.expect("runnable", get_bits(b.v.runnable_o, c, 1), ctx[c].runnable);
            }
            std::optional<Visit> next;
            if (b.chance(enter)) next = random_visit();
            stages.enter(next);
            Visit *sel = stages.at(SEL), *cho = stages.at(CHO), *row = stages.at(ROW);
            if (row && row->kind == KindIssue && !row->goes) row = nullptr;
            ports(sel, cho, stages.at(RDY), row);
            b.v.read_i = 1;
            b.v.read_slot_i = b.pick(SLOTS);
            b.v.load_i = b.v.open_i = 0;
            b.settle();
            if (sel && ctx[sel->ctx].bound)
                b.expect("at", b.v.sel_at_o, kept(*ctx[sel->ctx].bound));
            Context before[CONTEXTS];
            std::copy_n(ctx, CONTEXTS, before);
            if (sel) ctx[sel->ctx].busy = true;
            if (cho && cho->kind == KindIssue) chooses(*cho);
            if (row) over(*row);
            shows(PIPELINED ? before : ctx);
            /* pipelined, one that begins now was not seen; the window unit looks at it itself */
            if (!PIPELINED || !sel) move();
            b.tick();
            stages.step();
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned enter : {100, 50, 20}) {
        Bench b(seed++);
        Test t{b, &seen};
        t.run(enter);
    }
    if (!all_reached({seen.issues, seen.ends, seen.starved, seen.wakes, seen.stays, seen.brought,
                      seen.seconds, seen.loads, seen.opens, seen.reads},
                     50))
        return 1;
    printf("sm_contexts: passed\n");
    return 0;
}
