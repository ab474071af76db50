/* test_sm_choose.cpp - rtl/sm/sm_choose.sv: the first warp issues if its time lies inside the
 * window; else the sub-core's bound moves on, or it stands still; a credit may go to another warp
 * first. */
#include "Vsm_choose.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_choose>;

enum { FAR = 254, BLOCKED = 255, NO_BAR = 7, ID_BITS = SM_BITS + SUB_BITS + WARP_BITS };

/* What a visit brings (arg_t of rtl/sm/sm_types.svh). */
struct Arg {
    unsigned bar, delta, timed, credit, micro, lines, cta;
    uint64_t word() const {
        return (uint64_t)bar << 21 | delta << 14 | timed << 13 | credit << 12 | micro << 11 |
               lines << 5 | cta;
    }
};

struct Seen {
    unsigned issues = 0, far = 0, blocked = 0, later = 0, starved = 0, split = 0, again = 0;
};

/* A visit that may issue. */
static void issue(Bench &b, Seen *seen) {
    const uint64_t at = FIRST_TIME + b.pick(6000);
    const unsigned away = b.pick(2) ? FAR : BLOCKED;
    const unsigned rel = b.chance(20) ? away : b.pick(b.pick(2) ? 20u : (unsigned)FAR);
    const uint64_t end = at + (b.chance(20) ? b.pick(600) : b.pick(16));
    const bool ready = b.chance(80);
    b.v.at_i = kept(at);
    b.v.end_i = kept(end);
    b.v.rel_i = (uint8_t)rel;
    b.v.warp_i = (uint8_t)b.pick(1 << WARP_BITS);
    b.v.ready_i = ready;
    b.settle();
    const uint64_t first = at + rel;
    const bool inside = rel < FAR && first < end, goes = inside && ready;
    b.expect("goes on", b.v.go_o, goes);
    b.expect("looked at", b.v.mark_o, 1);
    b.expect("starved", b.v.starved_o, inside && !ready);
    b.expect("never", b.v.bound_o >> TIME_BITS, !goes && rel == BLOCKED);
    /* after an issue, from the next cycle on; a warp that is far must be looked at again there */
    const uint64_t from = goes ? first + 1 : first;
    if (goes || rel != BLOCKED) b.expect("from", kept(b.v.bound_o), kept(from));
    b.expect("runnable", b.v.runnable_o, from < end && (goes || rel == FAR));
    if (goes) {
        b.expect("at", b.v.at_o, kept(first));
        b.expect("warp", b.v.id_o, b.v.id_i >> WARP_BITS << WARP_BITS | b.v.warp_i);
    }
    seen->issues += goes;
    seen->far += rel == FAR && b.v.runnable_o;
    seen->blocked += rel == BLOCKED;
    seen->later += !inside && rel < FAR;
    seen->starved += inside && !ready;
}

/* Another visit goes on, with its time; a credit may let an operation of another warp go. */
static void other(Bench &b, const Arg &arg, bool queued, unsigned late_bar, Seen *seen) {
    const uint64_t at = kept(b.bits(32));
    b.v.at_i = at;
    b.v.late_warp_i = (uint8_t)b.pick(1 << WARP_BITS);
    b.settle();
    const bool late = arg.credit && queued, split = late && late_bar != NO_BAR;
    const bool again = split && (arg.bar != NO_BAR || arg.lines);
    b.expect("goes on", b.v.go_o, 1);
    b.expect("looked at", b.v.mark_o, 0);
    b.expect("starved", b.v.starved_o, 0);
    b.expect("at", b.v.at_o, at);
    b.expect("late", b.v.late_o, late);
    b.expect("its counter", b.v.late_bar_o, late ? late_bar : (unsigned)NO_BAR);
    b.expect("again", b.v.again_o, again);
    const unsigned warp = split ? b.v.late_warp_i : b.v.id_i & ((1u << WARP_BITS) - 1);
    b.expect("warp", b.v.id_o, (b.v.id_i >> WARP_BITS << WARP_BITS | warp));
    Arg first = arg, second = arg;
    if (split) /* its counter of operands, one less, at a time */
        first = {late_bar, 127, 1, 1, arg.micro && !again, 0, arg.cta};
    second.credit = 0;
    b.expect("what it brings", b.v.arg_o, first.word());
    if (again) b.expect("the second one", b.v.again_arg_o, second.word());
    seen->split += split;
    seen->again += again;
}

int main() {
    Bench b(1);
    Seen seen;
    for (int i = 0; i < 100000; i++) {
        Arg arg = {b.pick(8), b.pick(128), b.pick(2), b.pick(2), b.pick(2), b.pick(2) * b.pick(64),
                   b.pick(32)};
        const bool queued = b.pick(2), issues = b.pick(2);
        const unsigned late_bar = b.pick(8);
        if (issues) arg = {};
        b.v.valid_i = 1;
        b.v.issue_i = issues;
        b.v.id_i = (uint16_t)b.bits(ID_BITS);
        b.v.arg_i = (uint32_t)arg.word();
        b.v.queued_i = queued;
        b.v.late_bar_i = (uint8_t)late_bar;
        if (issues)
            issue(b, &seen);
        else
            other(b, arg, queued, late_bar, &seen);
        b.v.valid_i = b.v.issue_i = 0;
        b.settle();
        b.expect("no visit", b.v.go_o | b.v.mark_o | b.v.again_o | b.v.late_o, 0);
    }
    if (!all_reached(
            {seen.issues, seen.far, seen.blocked, seen.later, seen.starved, seen.split, seen.again},
            500))
        return 1;
    printf("sm_choose: passed\n");
    return 0;
}
