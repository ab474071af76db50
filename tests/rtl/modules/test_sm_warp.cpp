/* test_sm_warp.cpp - rtl/sm/sm_warp.sv against rules 2 and 10: what each visit does to its warp:
 * its stall, its packets in order, Holds that vanish, and when the host hears of what was used. */
#include <algorithm>
#include <deque>

#include "Vsm_warp.h"
#include "core_regs.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_warp>;

enum { CHO, FET, COD, LOO, UPD, RDY, STAGES };
enum { WARPS = 8, BUFFER = 64, POINTER = 2 * BUFFER, LINES = 32 };
enum { /* causes */
       NO_WARP,
       STALL = CORE_COUNTER_WAIT_STALL - CORE_COUNTER_WAIT_NO_WARP,
       BARRIER = CORE_COUNTER_WAIT_BARRIER - CORE_COUNTER_WAIT_NO_WARP,
       MEMBAR = CORE_COUNTER_WAIT_MEMBAR - CORE_COUNTER_WAIT_NO_WARP,
       FETCH = CORE_COUNTER_WAIT_FETCH - CORE_COUNTER_WAIT_NO_WARP,
       CONSTANT = CORE_COUNTER_WAIT_CONSTANT - CORE_COUNTER_WAIT_NO_WARP,
       CAUSES = CONSTANT + 1
};

struct Packet {
    uint64_t w[2] = {0, 0};
    bool hold() const { return core_packet_cls(w) == CORE_CLASS_HOLD; }
};

struct Warp {
    unsigned id = 0, cta = 0, constants = 0, cause = 0, kinds = 0;
    bool live = false, waiting = false, fetched = false, constant = false;
    std::optional<Packet> head; /* an instruction, or a Hold */
    std::deque<Packet> packets; /* that wait in the buffer */
    unsigned rd = 0, consumed = 0, used = 0, lines_told = 0;
    bool come = false;    /* packets, since the host heard last */
    unsigned unheard = 0; /* packets that the host may think are still there */
    bool ends = false;    /* the last packet of the warp was sent */
    uint64_t stall = 0;

    bool has() const { return head && !head->hold(); }
};

struct Visit {
    unsigned warp;
    Kind kind;
    unsigned lines, cta, constants, cause, kinds;
    uint64_t at, issue_at, constant_at;
    bool conflict, looked, there, late, missed, sleeping, blocking;
    unsigned latency;
    /* after it */
    unsigned rd, mask, cls;
    bool stands, has;
    uint64_t stall;
};

struct Seen {
    unsigned kinds[8] = {}, issues = 0, holds = 0, wants = 0, line_wants = 0, ends = 0, yields = 0,
             sleeps = 0, blocks = 0, barriers = 0, rewakes = 0, scrubs = 0;
};

struct Test {
    Bench &b;
    unsigned half; /* of the buffer */
    Seen *seen;
    Warp warps[WARPS] = {};
    uint64_t now = FIRST_TIME;

    /* The host sends packets, as far as it knows that there is room. */
    void send(Warp &w) {
        for (unsigned n = b.pick(4); n > 0 && !w.ends && w.unheard + 1 < 2 * half; n--) {
            Packet p = {{b.bits(64), b.bits(64)}};
            core_packet_set_cls(p.w, b.chance(15) ? (unsigned)CORE_CLASS_HOLD : b.pick(60));
            core_packet_set_mem(p.w, b.pick(12));
            if (b.pick(3)) core_packet_set_stall(p.w, b.pick(3));
            core_packet_set_lines(p.w, PIPELINED ? 0 : b.pick(2)); /* of the number of a sleep */
            core_packet_set_passes(p.w, b.pick(2));
            w.ends = !p.hold() && b.chance(4);
            core_packet_set_last(p.w, w.ends);
            if (w.ends) core_packet_set_mem(p.w, 0);
            w.packets.push_back(p);
            w.come = true;
            w.unheard++;
        }
    }

    std::optional<Visit> random_visit(unsigned n) {
        Warp &w = warps[n];
        Visit v = {};
        v.warp = n;
        v.at = now + b.pick(10);
        const unsigned x = b.pick(10);
        if (!w.live) {
            v.kind = x < 5 ? KindLaunch : x < 9 ? KindCount : KindCode;
        } else if (w.waiting && x < 4) {
            v.kind = KindResume;
        } else if (w.has() && !w.waiting && x < 8) {
            v.kind = KindIssue;
            if (w.stall > now + 200) return {};
            v.at = std::max(v.at, w.stall);
            v.conflict = b.chance(8);
            v.looked = !v.conflict && b.chance(20);
            v.there = v.looked && b.chance(70);
            v.late = v.looked && (!v.there || b.chance(30));
            v.missed = !v.conflict && !v.late && b.chance(8);
        } else {
            v.kind = x < 6 ? KindWake : x < 9 ? KindCount : KindCode;
        }
        v.issue_at = v.at + (b.pick(3) ? 0 : b.pick(4));
        v.constant_at = v.at + 1 + b.pick(80);
        v.lines = b.pick(3) ? b.pick(33) : 0;
        v.cta = b.pick(32);
        v.constants = b.pick(128);
        v.cause = b.pick(CAUSES);
        v.kinds = b.pick(1 << 12);
        v.latency = b.pick(60);
        v.sleeping = b.chance(5);
        v.blocking = !v.sleeping && b.chance(15);
        seen->kinds[v.kind]++;
        return v;
    }

    /* The next packet takes the place of the head, if there is one. @return another visit follows
     * */
    bool next(Warp &w) {
        w.head.reset();
        if (w.packets.empty()) return false;
        w.head = w.packets.front();
        w.packets.pop_front();
        w.rd++;
        return w.head->hold() && !w.packets.empty();
    }

    struct Effects {
        bool issues = false, wants = false, rewake = false;
    };

    /* A packet was used up. @return the host hears of it */
    bool use(Warp &w, size_t left) {
        w.consumed++;
        if (left > half || !w.come) return false;
        w.come = false;
        w.unheard = (unsigned)left; /* as of the next head */
        seen->wants++;
        return true;
    }

    Effects issue(Warp &w, const Visit &v) {
        Effects e;
        if (v.conflict) {
            w.stall = v.at + 1;
            w.cause = STALL;
            return e;
        }
        if (v.looked) w.fetched = v.there;
        if (v.late && v.there) {
            w.stall = v.at;
            w.cause = FETCH;
        }
        if (v.missed) {
            w.constant = true;
            w.cause = CONSTANT;
            w.stall = v.constant_at;
        }
        if (v.late || v.missed) return e;
        const uint64_t *p = w.head->w;
        uint64_t ready = std::max(core_packet_stall(p), 1u);
        if (core_packet_do_yield(p)) ready = std::max<uint64_t>(ready, 2);
        seen->yields += core_packet_do_yield(p) && core_packet_stall(p) < 2;
        if (v.blocking) ready = std::max<uint64_t>(ready, v.latency);
        if (v.sleeping) ready = std::max<uint64_t>(ready, p[1] & ((1 << 23) - 1));
        seen->blocks += v.blocking && ready == v.latency;
        seen->sleeps += v.sleeping;
        w.stall = v.issue_at + ready;
        w.fetched = w.constant = false;
        w.cause = v.cause;
        w.kinds = v.kinds;
        w.waiting = core_packet_mem(p) == CORE_MEM_BARRIER && !core_packet_bar_arrive(p);
        if (core_packet_last(p)) {
            w.live = w.ends = false;
            seen->ends++;
        }
        seen->barriers += w.waiting;
        e.issues = true;
        e.wants = use(w, w.packets.size());
        e.rewake = next(w);
        if (!w.live) w.unheard = (unsigned)w.packets.size(); /* the end says so */
        seen->issues++;
        return e;
    }

    Effects effects(Warp &w, const Visit &v) {
        Effects e;
        switch (v.kind) {
        case KindIssue: return issue(w, v);
        case KindCount:
            w.used += v.lines;
            e.wants = v.lines && w.used - w.lines_told >= LINES;
            seen->line_wants += e.wants;
            break;
        case KindResume:
            w.waiting = false;
            if (v.at >= w.stall) w.cause = BARRIER;
            w.stall = std::max(w.stall, v.at);
            break;
        case KindWake:
            if (!w.live || w.has()) break;
            if (w.packets.empty()) break;
            if (w.head) {
                e.wants = use(w, w.packets.size());
                seen->holds++;
            }
            e.rewake = next(w);
            break;
        case KindLaunch: {
            Warp fresh;
            fresh.id = w.id;
            fresh.cta = v.cta;
            fresh.constants = v.constants;
            fresh.live = fresh.come = true;
            fresh.packets = w.packets;
            fresh.rd = w.rd;
            fresh.consumed = w.consumed;
            fresh.used = w.used;
            fresh.lines_told = w.lines_told;
            fresh.unheard = w.unheard;
            fresh.ends = w.ends;
            fresh.kinds = w.kinds;
            fresh.stall = v.at;
            fresh.cause = NO_WARP;
            w = fresh;
            e.rewake = next(w);
            break;
        }
        default: break;
        }
        return e;
    }

    /* Stage update. */
    void update(Visit &v) {
        Warp &w = warps[v.warp];
        const Warp was = w;
        const Effects e = effects(w, v);
        if (e.wants) w.lines_told = w.used;
        b.expect("issues", b.v.upd_issue_o, e.issues);
        b.expect("stall", b.v.upd_stall_o, kept(was.stall));
        b.expect("cause", b.v.upd_cause_o, was.cause);
        b.expect("kinds", b.v.upd_kinds_o, was.kinds);
        b.expect("CTA", b.v.upd_cta_o, was.cta);
        b.expect("constants", b.v.upd_constants_o, was.constants);
        if (e.issues) {
            b.expect("packet", b.v.upd_head_o, was.head->w[1]);
            b.expect("ends at", b.v.upd_ends_at_o, kept(v.issue_at + v.latency));
        }
        b.expect("needs", b.v.upd_needs_o, w.live && !w.has());
        b.expect("want", b.v.upd_want_o, e.wants);
        if (e.wants)
            b.expect("used", b.v.upd_want_word_o, (w.consumed & 0xffff) << 16 | (w.used & 0xffff));
        b.expect("another visit", b.v.upd_rewake_o, e.rewake);
        seen->rewakes += e.rewake;
        v.stall = w.stall;
        v.stands = !w.live || w.waiting;
        v.has = w.has();
        v.mask = w.head ? core_packet_wait_mask(w.head->w) : 0;
        v.cls = w.head ? core_packet_cls(w.head->w) : 0;
        v.rd = w.rd % POINTER;
    }

    void ports(Visit *v[STAGES]) {
        b.v.go_issue_i = v[CHO] != nullptr;
        if (v[CHO]) b.v.go_id_i = warps[v[CHO]->warp].id;
        if (v[FET]) b.v.fet_id_i = warps[v[FET]->warp].id;
        if (v[LOO]) b.v.loo_id_i = warps[v[LOO]->warp].id;
        b.v.upd_valid_i = v[UPD] != nullptr;
        if (!v[UPD]) return;
        const Visit &u = *v[UPD];
        const Warp &w = warps[u.warp];
        b.v.upd_kind_i = u.kind;
        b.v.upd_id_i = w.id;
        b.v.upd_lines_i = u.lines;
        b.v.upd_new_cta_i = u.cta;
        b.v.upd_new_constants_i = u.constants;
        b.v.upd_at_i = kept(u.at);
        b.v.upd_issue_at_i = kept(u.issue_at);
        b.v.upd_next_i = w.packets.empty() ? b.bits(64) : w.packets.front().w[1];
        b.v.upd_written_i = (w.rd + w.packets.size()) % POINTER;
        b.v.upd_conflict_i = u.conflict;
        b.v.upd_looked_i = u.looked;
        b.v.upd_there_i = u.there;
        b.v.upd_late_i = u.late;
        b.v.upd_missed_i = u.missed;
        b.v.upd_constant_i = kept(u.constant_at);
        b.v.upd_latency_i = u.latency;
        b.v.upd_sleeping_i = u.sleeping;
        b.v.upd_blocking_i = u.blocking;
        b.v.upd_cause_i = u.cause;
        b.v.upd_kinds_i = u.kinds;
    }

    void shows(Visit *v[STAGES]) {
        if (v[FET]) b.expect("place", b.v.fet_rd_o, warps[v[FET]->warp].rd % POINTER);
        if (v[COD]) {
            const Warp &w = warps[v[COD]->warp];
            if (w.head) b.expect("head", b.v.cod_head_o, w.head->w[1]);
            b.expect("code was looked for", b.v.cod_fetched_o, w.fetched);
            b.expect("constant was looked for", b.v.cod_looked_o, w.constant);
        }
        if (v[LOO]) b.expect("constants", b.v.loo_constants_o, warps[v[LOO]->warp].constants);
        if (v[UPD]) update(*v[UPD]);
        if (!v[RDY]) return;
        b.expect("ready", b.v.rdy_stall_o, kept(v[RDY]->stall));
        b.expect("stands", b.v.rdy_stands_o, v[RDY]->stands);
        b.expect("has", b.v.rdy_has_o, v[RDY]->has);
        b.expect("mask", b.v.rdy_mask_o, v[RDY]->mask);
        b.expect("behind", b.v.rdy_rd_o, v[RDY]->rd);
        if (v[RDY]->has) b.expect("class", b.v.rdy_cls_o, v[RDY]->cls);
    }

    /* A visit alone to each warp: after the reset, or one that scrubs. */
    void all(Kind kind, bool old) {
        b.v.scrub_all_i = old;
        b.v.scrub_floor_i = kept(now - 256);
        for (Warp &w : warps)
            for (unsigned stage = 0; stage < (PIPELINED ? 5u : 1u); stage++) {
                b.v.go_issue_i = 1;
                b.v.go_id_i = b.v.fet_id_i = b.v.loo_id_i = b.v.upd_id_i = w.id;
                b.v.upd_valid_i = !PIPELINED || stage == UPD;
                b.v.upd_kind_i = kind;
                b.v.upd_written_i = (w.rd + w.packets.size()) % POINTER;
                b.tick();
            }
        b.v.upd_valid_i = 0;
        for (Warp &w : warps) /* past either way, but shown */
            if (kind == KindScrub && (old || w.stall < now - 256)) w.stall = now - 256;
    }

    void run(unsigned enter) {
        Stages<Visit> stages(STAGES, PIPELINED);
        uint64_t scrubbed = now;
        for (unsigned n = 0; n < WARPS; n++) warps[n].id = (n * 397) % (SMS * 64);
        b.v.buffer_half_i = half;
        all(KindInit, false);
        all(KindScrub, true);
        for (int i = 0; i < 25000; i++) {
            if (b.chance(30)) now += b.pick(4);
            if (b.chance(70)) send(warps[b.pick(WARPS)]);
            bool pause = now - scrubbed > 1 << 12;
            std::optional<Visit> enters;
            const unsigned n = b.pick(WARPS);
            if (!pause && b.chance(enter) && !stages.any([&](Visit &v) { return v.warp == n; }))
                enters = random_visit(n);
            if (pause && !stages.any([](Visit &) { return true; })) {
                for (Warp &w : warps) now = std::max(now, w.stall); /* whoever sleeps */
                const bool old = b.chance(30);
                if (old) now += UINT64_C(5) << (TIME_BITS - 2);
                all(KindScrub, old);
                scrubbed = now;
                seen->scrubs++;
            }
            stages.enter(enters);
            Visit *v[STAGES];
            for (unsigned s = 0; s < STAGES; s++) v[s] = stages.at(s);
            ports(v);
            b.settle();
            shows(v);
            b.tick();
            stages.step();
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned half : {32, 4, 1})
        for (unsigned enter : {100, 40}) {
            Bench b(seed++);
            Test t{b, half, &seen};
            t.run(enter);
        }
    if (!all_reached({seen.kinds[0], seen.kinds[1], seen.kinds[2], seen.kinds[3], seen.kinds[4],
                      seen.issues, seen.holds, seen.wants, seen.ends, seen.yields, seen.sleeps,
                      seen.blocks, seen.barriers, seen.rewakes, seen.line_wants, seen.kinds[6]},
                     50))
        return 1;
    if (seen.scrubs < 6) return fprintf(stderr, "%u scrubs\n", seen.scrubs), 1;
    printf("sm_warp: passed\n");
    return 0;
}
