/* test_sm_cause.cpp - rtl/sm/sm_cause.sv against rule 11: how many cycles without an issue have
 * ended, what they are lost to, and what the next ones of the warp will be. */
#include "Vsm_cause.h"
#include "core_regs.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_cause>;

enum { NUM_SUBS = SMS * SUBS, NO_BAR = 7, STORES = 6 };
enum { CAUSES = CORE_COUNTER_WAIT_CONSTANT - CORE_COUNTER_WAIT_NO_WARP + 1 };
enum { MEMORY, SHARED, SFU }; /* kinds of what counts in a counter */

/* Numbers of causes. */
static unsigned cause(unsigned counter) {
    return counter - CORE_COUNTER_WAIT_NO_WARP;
}

struct Sub {
    uint64_t after = FIRST_TIME; /* nothing issues before */
    unsigned held = 0;           /* cycles that the last one stood still, ... */
    bool constant = false;       /* ... for a constant */
};

struct Visit {
    unsigned sub;
    bool issue, missed; /* or neither */
    uint64_t at, stall;
    unsigned held, mem, stall_count, mask, wr, rd, latency, now, met, cause, kinds;
    bool last, mio, sleeping, blocking;
};

struct Gap {
    uint32_t cycles;
    unsigned cause;
};

struct Seen {
    unsigned causes[CAUSES] = {}, none = 0, long_ones = 0;
};

static Visit random_visit(Bench &b, unsigned number, const Sub &sub, uint64_t now) {
    Visit v = {};
    v.sub = number;
    const unsigned what = b.pick(10);
    v.issue = what < 7;
    v.missed = what == 7;
    v.at = std::max(now, sub.after) + (b.chance(40) ? 0 : b.pick(30));
    if (b.chance(40)) v.at = std::max(sub.after, now);
    v.stall = b.pick(2) ? v.at : v.at - 1 - b.pick(20);
    v.held = b.chance(40) ? b.pick(16) : 0;
    v.last = b.pick(2);
    v.mio = b.pick(2);
    v.mem = v.mio ? 1 + b.pick(11) : 0;
    v.stall_count = b.pick(16);
    v.mask = b.chance(5) ? 1u << STORES : b.pick(2) ? b.pick(128) : 0;
    v.wr = b.pick(8);
    v.rd = b.pick(8);
    v.latency = b.pick(30);
    v.now = b.pick(3) ? 0 : b.pick(128);
    v.met = b.pick(3) ? 0 : b.pick(64);
    static const unsigned stalls[] = {CORE_COUNTER_WAIT_NO_WARP, CORE_COUNTER_WAIT_BARRIER,
                                      CORE_COUNTER_WAIT_STALL,   CORE_COUNTER_WAIT_MEMBAR,
                                      CORE_COUNTER_WAIT_SLEEP,   CORE_COUNTER_WAIT_FETCH,
                                      CORE_COUNTER_WAIT_CONSTANT};
    v.cause = cause(stalls[b.pick(7)]);
    for (unsigned c = 0; c < 6; c++) v.kinds |= b.pick(3) << 2 * c;
    v.sleeping = b.chance(10);
    v.blocking = !v.sleeping && b.chance(20);
    return v;
}

static bool is_global(const Visit &v) {
    return v.mem >= CORE_MEM_LOAD && v.mem <= CORE_MEM_ATOM;
}

/* The first cause that holds of the cycles up to this visit. */
static std::optional<Gap> gap(const Visit &v, const Sub &sub) {
    const uint32_t cycles = (uint32_t)(v.at - sub.after) + sub.held;
    if (!cycles) return {};
    if (v.at == sub.after)
        return Gap{cycles,
                   cause(sub.constant ? CORE_COUNTER_WAIT_CONSTANT : CORE_COUNTER_WAIT_REGISTER)};
    const bool stalled = v.stall == v.at;
    if (stalled && (v.cause == cause(CORE_COUNTER_WAIT_NO_WARP) ||
                    v.cause == cause(CORE_COUNTER_WAIT_BARRIER)))
        return Gap{cycles, v.cause};
    for (unsigned c = 0; c < 7; c++) {
        if (!(v.mask & (v.now | v.met) & 1u << c)) continue;
        if (c == STORES)
            return Gap{cycles, cause(v.last ? CORE_COUNTER_WAIT_DRAIN : CORE_COUNTER_WAIT_MEMBAR)};
        static const unsigned kinds[] = {CORE_COUNTER_WAIT_MEMORY, CORE_COUNTER_WAIT_SHARED,
                                         CORE_COUNTER_WAIT_SFU};
        return Gap{cycles, cause(kinds[v.kinds >> 2 * c & 3])};
    }
    if (stalled) return Gap{cycles, v.cause};
    return Gap{cycles, cause(!v.mio         ? CORE_COUNTER_WAIT_PIPE
                             : is_global(v) ? CORE_COUNTER_WAIT_LG_THROTTLE
                                            : CORE_COUNTER_WAIT_MIO_THROTTLE)};
}

/* What an issue leaves to its warp. */
static void leaves(Bench &b, const Visit &v) {
    const bool fence = v.blocking && v.latency > v.stall_count;
    b.expect("next cause", b.v.upd_cause_o,
             cause(v.sleeping ? CORE_COUNTER_WAIT_SLEEP
                   : fence    ? CORE_COUNTER_WAIT_MEMBAR
                              : CORE_COUNTER_WAIT_STALL));
    const unsigned kind = !v.mio ? SFU : is_global(v) ? MEMORY : SHARED;
    unsigned kinds = v.kinds;
    for (unsigned c = 0; c < 6; c++)
        if (v.wr == c || v.rd == c) kinds = (kinds & ~(3u << 2 * c)) | kind << 2 * c;
    const bool counts = v.wr != NO_BAR || v.rd != NO_BAR;
    b.expect("kinds change", b.v.upd_banks_we_o, counts);
    if (counts) b.expect("kinds", b.v.upd_kinds_o, kinds);
}

static void run(uint32_t seed, unsigned enter, Seen *seen) {
    Bench b(seed);
    Stages<Visit> stages(2, PIPELINED);
    Sub subs[NUM_SUBS];
    uint64_t now = FIRST_TIME;
    std::optional<Gap> before;
    for (unsigned sub = 0; sub < NUM_SUBS; sub++) {
        b.v.upd_init_i = 1;
        b.v.upd_row_i = sub;
        b.tick();
    }
    b.v.upd_init_i = 0;
    for (int i = 0; i < 30000; i++) {
        if (b.chance(10)) now += b.pick(20);
        if (b.pick(1000) == 0 && !stages.any([](Visit &) { return true; }))
            now += 1000000; /* sub-cores were idle */
        std::optional<Visit> next;
        const unsigned sub = b.pick(8) * 7;
        if (b.chance(enter) && !stages.any([&](Visit &v) { return v.sub == sub; }))
            next = random_visit(b, sub, subs[sub], now);
        stages.enter(next);
        Visit *loo = stages.at(0), *upd = stages.at(1);
        b.v.reached_i = (uint32_t)now;
        if (loo) b.v.loo_row_i = loo->sub;
        b.v.upd_issue_i = upd && upd->issue;
        b.v.upd_missed_i = upd && upd->missed;
        if (upd) {
            b.v.upd_row_i = upd->sub;
            b.v.upd_at_i = kept(upd->at);
            b.v.upd_held_i = upd->held;
            b.v.upd_after_i = (uint32_t)subs[upd->sub].after;
            b.v.upd_last_i = upd->last;
            b.v.upd_mio_i = upd->mio;
            b.v.upd_mem_i = upd->mem;
            b.v.upd_stall_count_i = upd->stall_count;
            b.v.upd_mask_i = upd->mask;
            b.v.upd_wr_bar_i = upd->wr;
            b.v.upd_rd_bar_i = upd->rd;
            b.v.upd_latency_i = upd->latency;
            b.v.upd_sleeping_i = upd->sleeping;
            b.v.upd_blocking_i = upd->blocking;
            b.v.upd_now_i = upd->now;
            b.v.upd_met_i = upd->met;
            b.v.upd_stall_i = kept(upd->stall);
            b.v.upd_cause_i = upd->cause;
            b.v.upd_kinds_i = upd->kinds;
        }
        b.settle();
        b.expect("cycles have ended", b.v.gap_o, before.has_value());
        if (before) {
            b.expect("so many", b.v.gap_cycles_o, before->cycles);
            b.expect("lost to", b.v.gap_cause_o, before->cause);
            seen->causes[before->cause]++;
            seen->long_ones += before->cycles > 100000;
        }
        before.reset();
        if (upd && upd->issue)
            leaves(b, *upd);
        else
            b.expect("kinds change", b.v.upd_banks_we_o, 0);
        if (upd && (upd->issue || upd->missed)) {
            Sub &s = subs[upd->sub];
            before = gap(*upd, s);
            seen->none += !before;
            /* what is held is counted with the next one */
            s = {upd->at + 1 + upd->held, upd->held, upd->missed};
        }
        b.tick();
        stages.step();
    }
}

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned enter : {90, 50, 20}) run(seed++, enter, &seen);
    for (unsigned c = 0; c < CAUSES; c++)
        if (seen.causes[c] < 100) return fprintf(stderr, "cause %u: %u\n", c, seen.causes[c]), 1;
    if (seen.none < 100 || seen.long_ones < 30)
        return fprintf(stderr, "%u without, %u long\n", seen.none, seen.long_ones), 1;
    printf("sm_cause: passed\n");
    return 0;
}
