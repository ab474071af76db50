/* test_sm_mio.cpp - rtl/sm/sm_mio.sv against rule 4: when an operation enters the address unit,
 * frees its slot and arrives at the memory stage; which one waits for a credit. */
#include <algorithm>
#include <deque>
#include <vector>

#include "Vsm_mio.h"
#include "sm_bench.h"

enum { SEL, REL, MIN, CHO, FET, COD, LOO, UPD, STAGES, SUB_SLOTS = 5, SUB_CREDITS = 4, WAY = 8 };

using Bench = ModuleBench<Vsm_mio>;

struct Parameters {
    unsigned delay, interval, release;
};

/* An operation of a sub-core, n-th since reset. */
struct Operation {
    unsigned warp, rd_bar, replay;
    uint64_t issued, unit; /* unit: 0 while its credit is not known */
    uint64_t taken;        /* start in the memory stage, 0 not yet */
};

struct SubCore {
    std::vector<Operation> ops;
    size_t sent = 0, served = 0;
    uint64_t now = FIRST_TIME; /* of its visits */
    bool waits() const { return sent < ops.size(); }
};

enum What { NOTHING, ISSUE, CREDIT };
struct Visit {
    unsigned row;
    What what;
    unsigned warp;
    uint64_t at, took;
    MemOp op;
    unsigned rd_bar;
    bool late;
};

/* Rule 4: AU(n) = max(t_n + au_delay, AU(n-1) + au_interval, credit(n)) + replay(n). */
static unsigned replay_of(const MemOp &op) {
    return op.mem == CORE_MEM_CONST ? op.bar_id << 7 | op.bar_arrive << 6 | op.bar_warps : 0;
}
static void enter_unit(SubCore &s, const Parameters &p) {
    const size_t n = s.sent++;
    Operation &op = s.ops[n];
    op.unit = op.issued + p.delay;
    if (n > 0) op.unit = std::max(op.unit, s.ops[n - 1].unit + p.interval);
    if (n >= SUB_CREDITS) op.unit = std::max(op.unit, s.ops[n - SUB_CREDITS].taken + WAY);
    op.unit += op.replay;
}

/* A packet's upper half: the fields that the pipe passes on. */
static uint64_t head(const MemOp &op, unsigned wr_bar, unsigned rd_bar) {
    uint64_t h = 0;
    set_bits(h, 0, 6, op.bar_warps);
    set_bits(h, 6, 1, op.bar_arrive);
    set_bits(h, 7, 4, op.bar_id);
    set_bits(h, 11, 6, op.passes);
    set_bits(h, 17, 6, op.lines);
    set_bits(h, 23, 4, op.mem);
    set_bits(h, 27, 5, op.slot);
    set_bits(h, 32, 1, op.perform);
    set_bits(h, 40, 3, rd_bar);
    set_bits(h, 43, 3, wr_bar);
    return h;
}

static Visit visit(Bench &b, unsigned row, SubCore &s, unsigned issue) {
    Visit v = {};
    v.row = row;
    s.now += b.pick(6);
    v.at = s.now;
    v.warp = b.pick(16);
    /* The stage takes the operations in their order, when they have arrived. */
    if (s.served < s.sent && b.chance(50)) {
        const uint64_t arrives = s.ops[s.served].unit + WAY;
        v.what = CREDIT;
        v.took = arrives + b.pick(20);
        if (s.served) v.took = std::max(v.took, s.ops[s.served - 1].taken + 1);
        /* The credit is back WAY later, and that must not lie in the past. */
        v.took = std::max(v.took, s.now);
        v.at = s.now = std::max(s.now, v.took);
        v.late = s.waits();
        return v;
    }
    const size_t n = s.ops.size();
    const bool slot = n - s.sent < SUB_SLOTS;
    if (!b.chance(issue) || !slot) return v;
    if (n >= SUB_SLOTS) v.at = s.now = std::max(s.now, s.ops[n - SUB_SLOTS].unit);
    v.what = ISSUE;
    v.op = random_op(b);
    v.op.mem = 1 + b.pick(11);
    if (v.op.mem == CORE_MEM_CONST) v.op.bar_id %= 4; /* at most 511 cycles of replays */
    v.op.warp = v.warp;
    v.rd_bar = b.pick(8);
    return v;
}

/* Rule 4: stores count in cnt[6], whatever wr_bar is. */
static unsigned counter(const MemOp &op) {
    return op.mem == CORE_MEM_STORE || op.mem == CORE_MEM_RED ||
                   (op.mem == CORE_MEM_SHARED_STORE && op.perform)
               ? 6
               : op.bar;
}

static void arrives(Bench &b, const SubCore &s, const Parameters &p, size_t n) {
    const uint64_t unit = s.ops[n].unit;
    b.expect("it enters", b.v.upd_enter_o, 1);
    b.expect("is released at", b.v.upd_release_o, kept(unit + p.release));
    b.expect("it arrives", b.v.upd_arrive_we_o, 1);
    b.expect("at", b.v.upd_arrive_o, kept(unit + WAY));
    b.expect("as number", b.v.upd_arrive_entry_o, n % 8);
    b.expect("sent", b.v.upd_sent_o, (n + 1) % 16);
}

static void update(Bench &b, SubCore &s, const Visit &v, const Parameters &p, unsigned *waited) {
    if (v.what == ISSUE) {
        const size_t n = s.ops.size();
        MemOp op = v.op;
        op.bar = counter(v.op);
        b.expect("operation", b.v.upd_op_o, op.word());
        b.expect("counter", b.v.upd_bar_o, op.bar);
        b.expect("number", b.v.upd_entry_o, n % 16);
        /* the slot of operation n + 1: that of n - 4, if its end is known */
        if (n >= SUB_SLOTS - 1 && s.sent > n - (SUB_SLOTS - 1))
            b.expect("a slot is free at", b.v.upd_place_o,
                     kept(s.ops[n - (SUB_SLOTS - 1)].unit + p.release));
        const bool waits = s.waits() || s.sent - s.served >= SUB_CREDITS;
        s.ops.push_back({v.warp, v.rd_bar, replay_of(v.op), v.at, 0, 0});
        b.expect("it waits", b.v.upd_waits_o, waits);
        *waited += waits;
        if (waits) {
            b.expect("nothing enters", b.v.upd_enter_o, 0);
        } else {
            enter_unit(s, p);
            arrives(b, s, p, n);
        }
    } else if (v.what == CREDIT) {
        const bool was_full = s.ops.size() - s.sent == SUB_SLOTS;
        s.ops[s.served++].taken = v.took;
        b.expect("the queue was full", b.v.upd_filled_o, v.late && was_full);
        if (v.late) {
            enter_unit(s, p);
            arrives(b, s, p, s.sent - 1);
        } else {
            b.expect("nothing enters", b.v.upd_enter_o, 0);
        }
    }
    if (v.what != NOTHING) b.expect("full", b.v.upd_full_o, s.ops.size() - s.sent >= SUB_SLOTS);
}

static void run(uint32_t seed, unsigned enter, unsigned issue, const Parameters &p) {
    Bench b(seed);
    Stages<Visit> stages(STAGES, PIPELINED);
    std::vector<SubCore> subs(SMS * SUBS);
    unsigned waited = 0;
    b.v.au_delay_i = p.delay;
    b.v.au_interval_i = p.interval;
    b.v.au_release_i = p.release;
    /* Empty memories, and then the times in them are those of long before the first visit. */
    b.v.scrub_all_i = 1;
    b.v.scrub_floor_i = kept(FIRST_TIME - 256);
    for (bool init : {true, false})
        for (unsigned i = 0; i < SMS * SUBS * 16; i++) {
            b.v.upd_init_i = init;
            b.v.upd_scrub_i = !init;
            b.v.upd_row_i = b.v.cod_row_i = b.v.loo_row_i = (uint8_t)(i / 16);
            b.v.upd_warp_i = i % 16;
            b.tick();
        }
    b.v.upd_scrub_i = 0;
    for (int i = 0; i < 20000; i++) {
        std::optional<Visit> next;
        const unsigned row = b.pick(SMS * SUBS);
        if (b.chance(enter) && !stages.any([&](Visit &v) { return v.row == row; }))
            next = visit(b, row, subs[row], issue);
        stages.enter(next);
        if (Visit *v = stages.at(SEL)) b.v.sel_row_i = (uint8_t)v->row;
        if (Visit *v = stages.at(REL)) b.v.rel_row_i = (uint8_t)v->row;
        if (Visit *v = stages.at(COD)) b.v.cod_row_i = (uint8_t)v->row;
        if (Visit *v = stages.at(LOO)) {
            b.v.loo_row_i = (uint8_t)v->row;
            b.v.loo_warp_i = (uint8_t)v->warp;
        }
        Visit *upd = stages.at(UPD);
        b.v.upd_issue_i = upd && upd->what == ISSUE;
        b.v.upd_credit_i = upd && upd->what == CREDIT;
        if (upd) {
            b.v.upd_row_i = (uint8_t)upd->row;
            b.v.upd_warp_i = (uint8_t)upd->warp;
            b.v.upd_at_i = kept(upd->at);
            b.v.upd_extra_i = kept(upd->took);
            b.v.upd_head_i = head(upd->op, upd->op.bar, upd->rd_bar);
            b.v.upd_constant_i = (uint16_t)upd->op.constant;
            b.v.upd_constants_i = (uint8_t)upd->op.constants;
            b.v.upd_cta_i = (uint8_t)upd->op.cta;
            b.v.upd_late_i = upd->late;
        }
        b.settle();
        if (Visit *v = stages.at(CHO)) {
            const SubCore &s = subs[v->row];
            b.expect("an operation waits", b.v.cho_queued_o, s.waits());
            if (s.waits()) {
                b.expect("its warp", b.v.cho_late_warp_o, s.ops[s.sent].warp);
                b.expect("its counter", b.v.cho_late_bar_o, s.ops[s.sent].rd_bar);
            }
        }
        if (upd) update(b, subs[upd->row], *upd, p, &waited);
        b.tick();
        stages.step();
    }
    size_t served = 0;
    for (const SubCore &s : subs) served += s.served;
    if (served < 500 || (issue > 50 && !waited)) b.fail("%zu served, %u waited", served, waited);
}

int main() {
    uint32_t seed = 1;
    run(seed++, 100, 100, {5, 2, 8});
    run(seed++, 100, 60, {20, 1, 1});
    run(seed++, 40, 100, {1, 30, 4});
    run(seed++, 100, 30, {9, 4, 40});
    printf("sm_mio: passed\n");
    return 0;
}
