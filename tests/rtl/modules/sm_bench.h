/* sm_bench.h - what the benches of modules of the SM engine share (tests/rtl/modules/CMakeLists.txt
 * has their parameters). */
#ifndef HEDDLE_TESTS_SM_BENCH_H
#define HEDDLE_TESTS_SM_BENCH_H

#include "core_words.h"
#include "module_bench.h"

enum {
    SMS = 16, /* MaxSm */
    SM_BITS = 4,
    SUBS = 4, /* sub-cores of an SM */
    SUB_BITS = 2,
    WARP_BITS = 4, /* of a sub-core's warp */
    TIME_BITS = PIPELINED ? 16 : 32,
    SLOT_BITS = PIPELINED ? 4 : 2
};

/* stages of a visit of the memory stage (rtl/sm/sm_passes.sv) */
enum { NXT, HED, CMP, PCK, KIN, OPS, PTR, WRD, MIS, TAG, ACT, PASS_STAGES };

/* what such a visit does (pass_e of rtl/sm/sm_types.svh) */
enum Pass {
    PassEnd,
    PassExit,
    PassReply,
    PassAsk,
    PassTake,
    PassLine,
    PassScrub,
    PassWake,
    PassBars,
    PassOpen,
    PassAsks,
    PassTell
};

/* what a visit to a sub-core does (kind_e) */
enum Kind { KindIssue, KindCount, KindResume, KindWake, KindLaunch, KindInit, KindCode, KindScrub };

/* Target time begins a little before the bits that a module keeps of it wrap. */
enum : uint64_t { FIRST_TIME = (UINT64_C(1) << TIME_BITS) * 3 - 3000 };

/* The bits that modules keep of a time. */
inline uint64_t kept(uint64_t time) {
    return time & ((UINT64_C(1) << TIME_BITS) - 1);
}

/* The time 0 that modules have after the reset. */
enum : uint64_t { RESET_TIME = (UINT64_C(1) << TIME_BITS) * 3 };

/* A bound_t: from when on something has work; none: never. */
using Bound = std::optional<uint64_t>;

inline uint64_t word(const Bound &bound) {
    return bound ? kept(*bound) : UINT64_C(1) << TIME_BITS;
}

inline Bound first(const Bound &a, const Bound &b) {
    if (!a || !b) return a ? a : b;
    return *a < *b ? a : b;
}

template <class Bench>
void expect_bound(Bench &b, const char *what, uint64_t is, const Bound &should) {
    b.expect(what, is >> TIME_BITS, !should);
    if (should) b.expect(what, kept(is), kept(*should));
}

/* Scrubbing replaces a stored time of long ago (rule 15): any time, or one before the floor. */
inline uint64_t fresh(uint64_t at, bool all, uint64_t floor) {
    return all || at < floor ? floor : at;
}

/* The number of an SM that no visit under way is to. */
template <class Bench, class Visit>
std::optional<unsigned> free_sm(Bench &b, Stages<Visit> &stages, unsigned sms = SMS) {
    const unsigned sm = b.pick(sms);
    if (stages.any([&](Visit &v) { return v.sm == sm; })) return {};
    return sm;
}

/* An operation of the memory pipe, as a sub-core sends it (mem_op_t of rtl/sm/sm_types.svh). */
struct MemOp {
    unsigned mem, warp, bar, perform, slot, lines, passes, bar_id, bar_arrive, bar_warps, cta,
        constants, constant;
    uint64_t word() const {
        uint64_t w = mem;
        w = w << WARP_BITS | warp;
        w = w << 3 | bar;
        w = w << 1 | perform;
        w = w << 5 | slot;
        w = w << 6 | lines;
        w = w << 6 | passes;
        w = w << 4 | bar_id;
        w = w << 1 | bar_arrive;
        w = w << 6 | bar_warps;
        w = w << 5 | cta;
        w = w << 7 | constants;
        return w << 11 | constant;
    }
};

/* An operation with any value in each field; what the module looks at more closely is then set. */
template <class Bench> MemOp random_op(Bench &b) {
    MemOp op;
    op.mem = b.pick(12);
    op.warp = b.pick(1 << WARP_BITS);
    op.bar = b.pick(8);
    op.perform = b.pick(2);
    op.slot = b.pick(32);
    op.lines = b.pick(64);
    op.passes = b.pick(64);
    op.bar_id = b.pick(16);
    op.bar_arrive = b.pick(2);
    op.bar_warps = b.pick(64);
    op.cta = b.pick(32);
    op.constants = b.pick(128);
    op.constant = b.pick(2048);
    return op;
}

#endif
