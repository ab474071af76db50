/* test_sm_operation.cpp - rtl/sm/sm_operation.sv against rules 5 and 6: when the memory stage takes
 * an operation and looks its lines up, how long it is occupied, what a stall delays, and what is
 * counted at the warp; scrubbing changes nothing. */
#include <algorithm>

#include "Vsm_operation.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_operation>;

enum { NO_BAR = 7 };
/* what a visit does */
enum Do { NOTHING, TAKE, LINE, STALL, END, ANSWER, FILL, DOS };

struct Parameters {
    unsigned interval, l1, shared, shuffle, constant, queue, const_shared;
};

/* The stage of an SM. */
struct Sm {
    MemOp op = {};
    bool active = false, stalled = false, credit = false, for_port = false;
    unsigned sub = 0, turn = 0, index = 0, look = 0, misses = 0, set = 0;
    uint64_t free = FIRST_TIME - 256, base = 0, took = 0;
};

struct Visit {
    unsigned sm;
    Do what;
    bool stalls; /* of a TAKE: its first line */
    MemOp op;
    unsigned sub, set;
    bool missed, step, full, known;
    uint64_t port, head, fill_at, later;
    uint64_t look;
};

struct Seen {
    unsigned does[DOS] = {}, shorts = 0, lasts = 0, paid = 0, resumed = 0, indexed = 0, reports = 0,
             bounded = 0, looks = 0, data = 0, scrubs = 0;
};

static bool global(const MemOp &op) {
    return op.mem >= CORE_MEM_LOAD && op.mem <= CORE_MEM_ATOM;
}

static bool shared(const MemOp &op) {
    return op.mem >= CORE_MEM_SHARED_LOAD && op.mem <= CORE_MEM_SHARED_ATOM;
}

/* What is counted at the warp of an operation. */
struct Count {
    unsigned bar, delta, used;
    bool timed, credit;
    uint64_t at;
};

struct Test {
    Bench &b;
    Parameters p;
    Seen *seen;
    Sm sms[SMS] = {};
    uint64_t now = FIRST_TIME;

    std::optional<Visit> random_visit(unsigned n) {
        Sm &s = sms[n];
        Visit v = {};
        v.sm = n;
        v.port = now - 100 + b.pick(250);
        v.known = true;
        v.head = now + b.pick(30);
        v.missed = b.pick(2);
        v.step = b.chance(40);
        v.full = b.pick(2);
        v.set = b.pick(4);
        v.later = b.pick(60);
        v.op = random_op(b);
        v.sub = b.pick(SUBS);
        v.fill_at = now + b.pick(10);
        const unsigned x = b.pick(10);
        if (s.stalled) {
            v.what = x < 4 ? ANSWER : x < 8 ? FILL : END;
        } else if (s.active) {
            v.what = x < 7 ? LINE : x < 9 ? STALL : END;
        } else if (x < 8) {
            if (s.free > now + 300) return {};
            v.what = TAKE;
            v.stalls = b.chance(20);
            if (global(v.op)) v.op.lines = b.chance(10) ? 0 : 1 + b.pick(32);
            v.op.constant = b.pick(2) ? v.op.constant : 0;
        } else {
            v.what = x == 8 ? END : NOTHING;
            v.known = b.pick(2);
        }
        return v;
    }

    /* Stage KIN: the next look-up or start. */
    void looks(Visit &v) {
        const Sm &s = sms[v.sm];
        b.expect("a line is next", b.v.kin_active_o, s.active);
        b.expect("turn", b.v.kin_turn_o, s.turn);
        const bool never = s.active ? s.stalled : !v.known;
        b.expect("never", b.v.kin_look_o >> TIME_BITS, never);
        v.look = s.active ? s.base + s.look : std::max({v.head, s.free, v.port - p.queue});
        seen->bounded += !s.active && v.look == v.port - p.queue && v.look > v.head;
        if (!never) b.expect("at", kept(b.v.kin_look_o), kept(v.look));
    }

    void word(const Visit &v, bool ptr, bool wrd, bool tag, bool act) {
        const Sm &s = sms[v.sm];
        const bool takes = v.what == TAKE;
        const MemOp &op = takes ? v.op : s.op;
        const unsigned sub = takes ? v.sub : s.sub;
        if (!takes && !s.active) return;
        if (ptr) {
            b.expect("warp", b.v.ptr_warp_o, sub << WARP_BITS | op.warp);
            b.expect("has lines", b.v.ptr_lines_o, global(op) && op.lines);
        }
        if (wrd) {
            b.expect("CTA", b.v.wrd_cta_o, op.cta);
            b.expect("barrier", b.v.wrd_bar_id_o, op.bar_id);
        }
        if (tag) {
            b.expect("constant", b.v.tag_constant_o, op.constants << 11 | op.constant);
            if (v.what == TAKE || v.what == LINE || v.what == STALL)
                b.expect("look early", b.v.tag_look_o, kept(v.look));
        }
        if (act) {
            b.expect("operation", b.v.act_op_o, op.word());
            b.expect("sub-core", b.v.act_sub_o, sub);
            if (v.what == TAKE || v.what == LINE || v.what == STALL)
                b.expect("look", b.v.act_look_o, kept(v.look));
        }
    }

    /* One that does not touch global memory, or no line of it. */
    Count short_one(Sm &s, const Visit &v) {
        const MemOp &op = v.op;
        const uint64_t end = v.look + std::max(p.interval, op.passes);
        const unsigned latency = shared(op)                   ? p.shared
                                 : op.mem == CORE_MEM_SHUFFLE ? p.shuffle
                                 : op.mem == CORE_MEM_CONST   ? p.constant
                                                              : p.l1;
        const bool indexed = op.mem == CORE_MEM_CONST && op.constant && p.const_shared;
        b.expect("indexed", b.v.act_indexed_o, indexed);
        b.expect("asked at", b.v.act_asked_o, kept(end));
        const uint64_t there = indexed ? end + v.later : end;
        b.v.act_there_i = kept(there);
        b.settle();
        seen->indexed += indexed;
        seen->shorts++;
        s.active = false;
        s.free = end;
        return {op.bar, 127, 0, true, true, there + latency};
    }

    /* A line. @return what is counted, behind the last one */
    std::optional<Count> line(Sm &s, const Visit &v) {
        s.index++;
        s.misses += v.missed;
        if (s.index < s.op.lines) {
            s.look += v.step;
            return {};
        }
        const unsigned took = std::max({p.interval, s.op.passes, s.look + 1});
        seen->looks += took > std::max(p.interval, s.op.passes);
        seen->data += took > std::max(p.interval, s.look + 1);
        s.free = s.base + took;
        s.active = false;
        seen->lasts++;
        return Count{s.op.bar, (s.misses - 1) & 127, s.index, true, s.credit, s.free + p.l1};
    }

    /* What has been missed so far, and the credit. */
    std::optional<Count> pay(Sm &s) {
        if (!s.active || (!s.credit && !s.misses)) return {};
        const Count c = {s.misses ? s.op.bar : (unsigned)NO_BAR, s.misses, 0, false, s.credit, 0};
        s.credit = false;
        s.misses = 0;
        seen->paid++;
        return c;
    }

    void stalls(Sm &s, const Visit &v) {
        s.stalled = true;
        s.for_port = v.full;
        s.set = v.set;
    }

    void acts(const Visit &v) {
        Sm &s = sms[v.sm];
        std::optional<Count> count;
        bool report = false;
        seen->does[v.what]++;
        if (v.what == TAKE) {
            const bool lines = global(v.op) && v.op.lines;
            s.op = v.op;
            s.sub = v.sub;
            s.turn = (v.sub + 1) % SUBS;
            s.base = s.took = v.look;
            s.index = s.look = s.misses = 0;
            s.active = s.credit = true;
            report = !lines && v.op.perform && !global(v.op);
            if (!lines)
                count = short_one(s, v);
            else if (!v.stalls)
                count = line(s, v);
        } else if (v.what == LINE) {
            count = line(s, v);
        }
        if (v.what == STALL || (v.what == TAKE && s.active && v.stalls)) {
            count = pay(s);
            stalls(s, v);
        }
        if (v.what == END) count = pay(s);
        if (s.stalled && ((v.what == ANSWER && s.for_port) ||
                          (v.what == FILL && !s.for_port && s.set == v.set))) {
            s.stalled = false; /* its line is looked up again then */
            s.base = v.fill_at - s.look;
            seen->resumed++;
        }
        b.expect("counts", b.v.act_count_o, count.has_value());
        b.expect("performed", b.v.act_report_o, report);
        seen->reports += report;
        if (s.active || v.what == TAKE) b.expect("taken", b.v.act_took_o, kept(s.took));
        if (!count) return;
        b.expect("counter", b.v.act_bar_o, count->bar);
        b.expect("delta", b.v.act_delta_o, count->delta);
        b.expect("timed", b.v.act_timed_o, count->timed);
        b.expect("credit", b.v.act_credit_o, count->credit);
        b.expect("words used", b.v.act_used_o, count->used);
        if (count->timed) b.expect("at", b.v.act_count_at_o, kept(count->at));
    }

    /* Where a visit is an operation's, or another's. */
    void ports(Visit *v[PASS_STAGES]) {
        b.v.visit_i = v[ACT] != nullptr;
        if (v[HED]) b.v.hed_sm_i = v[HED]->sm;
        if (v[CMP]) {
            b.v.cmp_sm_i = v[CMP]->sm;
            b.v.cmp_port_i = kept(v[CMP]->port);
        }
        if (v[PCK]) b.v.pck_head_i = (uint64_t)!v[PCK]->known << TIME_BITS | kept(v[PCK]->head);
        if (v[OPS]) {
            b.v.ops_sm_i = v[OPS]->sm;
            b.v.ops_sub_i = v[OPS]->sub;
        }
        b.v.ptr_take_i = v[PTR] && v[PTR]->what == TAKE;
        if (v[PTR]) b.v.ptr_op_i = v[PTR]->op.word();
        if (v[MIS]) b.v.mis_sm_i = v[MIS]->sm;
        Visit *t = v[TAG];
        b.v.tag_take_i = t && t->what == TAKE;
        b.v.tag_some_i = t && (t->what == TAKE || t->what == LINE || t->what == STALL);
        if (t) b.v.tag_sm_i = t->sm;
        Visit *a = v[ACT];
        const bool lines = a && a->what == TAKE && global(a->op) && a->op.lines;
        b.v.act_take_i = a && a->what == TAKE;
        b.v.act_line_i = a && (a->what == LINE || (lines && !a->stalls));
        b.v.act_stall_i = a && (a->what == STALL || (lines && a->stalls));
        b.v.act_end_i = a && a->what == END;
        b.v.act_answer_i = a && a->what == ANSWER;
        b.v.act_fill_i = a && a->what == FILL;
        if (!a) return;
        b.v.act_sm_i = a->sm;
        b.v.act_missed_i = a->missed;
        b.v.act_step_i = a->step;
        b.v.act_full_i = a->full;
        b.v.act_set_i = a->set;
        b.v.act_fill_at_i = kept(a->fill_at);
    }

    void scrub(bool all) {
        Visit *none[PASS_STAGES] = {};
        ports(none);
        for (unsigned sm = 0; sm < SMS; sm++)
            for (unsigned stage = 0; stage < (PIPELINED ? 2 : 1); stage++) {
                b.v.visit_i = 1;
                b.v.tag_sm_i = b.v.act_sm_i = sm;
                b.v.act_scrub_i = !PIPELINED || stage == 1;
                b.v.scrub_all_i = all;
                b.v.scrub_floor_i = kept(now - 256);
                b.tick();
            }
        b.v.act_scrub_i = 0;
        seen->scrubs++;
    }

    void run(unsigned enter) {
        Stages<Visit> stages(PASS_STAGES, PIPELINED);
        uint64_t scrubbed = now;
        b.v.stage_interval_i = p.interval;
        b.v.l1_latency_i = p.l1;
        b.v.shared_latency_i = p.shared;
        b.v.shuffle_latency_i = p.shuffle;
        b.v.const_latency_i = p.constant;
        b.v.port_queue_i = p.queue;
        b.v.const_shared_i = p.const_shared;
        for (unsigned sm = 0; sm < SMS; sm++) {
            b.v.init_i = 1;
            b.v.init_sm_i = sm;
            b.tick();
        }
        b.v.init_i = 0;
        scrub(true);
        for (int i = 0; i < 30000; i++) {
            if (b.chance(50)) now += b.pick(4);
            const bool pause = now - scrubbed > 1 << 12;
            std::optional<Visit> next;
            if (!pause && b.chance(enter))
                if (auto n = free_sm(b, stages)) next = random_visit(*n);
            if (pause && !stages.any([](Visit &) { return true; })) {
                bool rests = true; /* an operation in work keeps its times */
                for (const Sm &s : sms) rests = rests && !s.active && s.free < now;
                if (rests) now += UINT64_C(5) << (TIME_BITS - 2);
                scrub(rests);
                scrubbed = now;
            }
            stages.enter(next);
            Visit *v[PASS_STAGES];
            for (unsigned s = 0; s < PASS_STAGES; s++) v[s] = stages.at(s);
            ports(v);
            b.settle();
            if (v[KIN]) looks(*v[KIN]);
            for (unsigned s : {PTR, WRD, TAG, ACT})
                if (v[s]) word(*v[s], s == PTR, s == WRD, s == TAG, s == ACT);
            if (v[ACT]) acts(*v[ACT]);
            b.tick();
            stages.step();
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (const Parameters &p :
         {Parameters{2, 18, 8, 10, 16, 64, 1}, Parameters{1, 30, 9, 7, 20, 1, 0},
          Parameters{9, 7, 25, 12, 7, 200, 1}})
        for (unsigned enter : {100, 40}) {
            Bench b(seed++);
            Test t{b, p, &seen};
            t.run(enter);
        }
    for (unsigned what = TAKE; what < DOS; what++)
        if (seen.does[what] < 1000) return fprintf(stderr, "do %u: %u\n", what, seen.does[what]), 1;
    if (!all_reached({seen.shorts, seen.lasts, seen.paid, seen.resumed, seen.indexed, seen.reports,
                      seen.bounded, seen.looks, seen.data},
                     40))
        return 1;
    if (seen.scrubs < 6) return fprintf(stderr, "%u scrubs\n", seen.scrubs), 1;
    printf("sm_operation: passed\n");
    return 0;
}
