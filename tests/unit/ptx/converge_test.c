/* converge_test.c - where lanes that a branch has parted meet again: BSSY and BSYNC in the code of
 * given PTX. */
#include "run_ptx.h"

#include <inttypes.h>

#include <criterion/criterion.h>

/* Instructions, too many to be turned into guarded ones. */
#define LONG "red.shared.add.u32 [sh+0], %r1; " /* never becomes a guarded instruction */

Test(converge, branches) {
    struct run r;
    run_open(&r,
             RUN_HEAD
             ".entry uniform(.param .u32 n)\n{" RUN_REGS
             "ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0;\n"
             "@%p1 bra L; st.shared.u32 [sh+0], %r1; L: st.shared.u32 [sh+4], %r1; ret; }\n"
             ".entry divergent()\n{" RUN_REGS "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
             "@%p1 bra L; " LONG "L: st.shared.u32 [sh+4], %r1; ret; }\n"
             ".entry leave()\n{" RUN_REGS "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
             "@%p1 bra L; st.shared.u32 [sh+0], %r1; L: ret; }\n"
             ".entry loop()\n{" RUN_REGS
             "mov.u32 %r1, %tid.x; L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0;\n"
             "@%p1 bra L; st.shared.u32 [sh+4], %r1; ret; }\n",
             NULL);
    static const unsigned want[4] = {0, 1, 0, 1};
    for (unsigned i = 0; i < 4; i++) {
        const struct mir_function *f = &r.module->functions[i];
        cr_expect_eq(run_count(f, MIR_BSSY), want[i], "%s:\n%s", f->name, run_listing(f));
        cr_expect_eq(run_count(f, MIR_BSYNC), want[i]);
    }
    /* BSSY stands in front of the loop, and names the place of its BSYNC */
    const struct mir_function *f = run_function(&r, "loop");
    uint32_t bssy = 0, back = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) {
        if (f->code[i].op == MIR_BSSY) bssy = i;
        if (f->code[i].op == MIR_BRA) back = (uint32_t)f->code[i].imm;
    }
    cr_expect_lt(bssy, back);
    cr_expect_eq(f->code[f->code[bssy].imm].op, MIR_BSYNC);
    run_close(&r);
}

/* Divergent branches in front of a loop, in it and at its end, and one into a cycle with two
 * entries: each meets again at its own BSYNC. */
Test(converge, in_and_beside_cycles) {
    struct run r;
    run_open(&r,
             RUN_HEAD
             ".entry beside()\n{" RUN_REGS "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
             "@%p1 bra M; " LONG "M: st.shared.u32 [sh+4], %r1;\n"
             "L: sub.u32 %r1, %r1, 1; setp.eq.u32 %p2, %r1, 3;\n"
             "@%p2 bra N; " LONG "N: st.shared.u32 [sh+4], %r1; setp.ne.u32 %p3, %r1, 0;\n"
             "@%p3 bra L; st.shared.u32 [sh+4], %r1; ret; }\n"
             ".entry two_entries()\n{" RUN_REGS "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
             "@%p1 bra B; A: sub.u32 %r1, %r1, 1; " LONG "B: sub.u32 %r1, %r1, 2; " LONG
             "setp.gt.s32 %p2, %r1, 0; @%p2 bra A;\n"
             "st.shared.u32 [sh+4], %r1; ret; }\n",
             NULL);
    static const unsigned least[2] = {3, 1}; /* the loop's first round may stand in front of it */
    for (unsigned i = 0; i < 2; i++) {
        const struct mir_function *f = &r.module->functions[i];
        cr_expect_geq(run_count(f, MIR_BSSY), least[i], "%s:\n%s", f->name, run_listing(f));
        cr_expect_eq(run_count(f, MIR_BSYNC), run_count(f, MIR_BSSY));
        for (uint32_t k = 0; k < f->num_inst; k++)
            if (f->code[k].op == MIR_BSSY)
                cr_expect_eq(f->code[f->code[k].imm].op, MIR_BSYNC, "%s:\n%s", f->name,
                             run_listing(f));
    }
    run_close(&r);
}

/* Loops that lanes leave in different rounds, by what others write, have a YIELD; other loops have
 * none. */
Test(converge, loops_that_spin_yield) {
    struct run r;
    run_open(&r,
             RUN_HEAD
             ".entry flag()\n{" RUN_REGS "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"
             "mov.u32 %r3, sh; add.u32 %r2, %r2, %r3;\n"
             "L: ld.volatile.shared.u32 %r4, [%r2]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;\n"
             "st.shared.u32 [sh+4], %r1; ret; }\n"
             ".entry swap(.param .u64 a)\n{" RUN_REGS "ld.param.u64 %rd1, [a];\n"
             "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
             "ld.global.u32 %r2, [%rd1]; L: mov.u32 %r3, %r2; add.u32 %r4, %r3, %r1;\n"
             "atom.global.cas.b32 %r2, [%rd1], %r3, %r4; setp.ne.u32 %p1, %r2, %r3;\n"
             "@%p1 bra L; st.shared.u32 [sh+4], %r1; ret; }\n"
             ".entry counted(.param .u64 a)\n{" RUN_REGS "ld.param.u64 %rd1, [a];\n"
             "mov.u32 %r1, %tid.x; L: sub.u32 %r1, %r1, 1; red.global.add.u32 [%rd1], %r1;\n"
             "setp.ne.u32 %p1, %r1, 0; @%p1 bra L; st.shared.u32 [sh+4], %r1; ret; }\n"
             ".entry list(.param .u64 a)\n{" RUN_REGS "ld.param.u64 %rd1, [a];\n"
             "mov.u32 %r1, %tid.x; L: mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;\n"
             "ld.global.u32 %r1, [%rd2]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n"
             "st.shared.u32 [sh+4], %r1; ret; }\n"
             ".entry before(.param .u64 a)\n{" RUN_REGS "ld.param.u64 %rd1, [a];\n"
             "atom.global.add.u32 %r1, [%rd1], 1; L: sub.u32 %r1, %r1, 1;\n"
             "red.global.add.u32 [%rd1], %r1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n"
             "st.shared.u32 [sh+4], %r1; ret; }\n",
             NULL);
    static const unsigned want[] = {1, 1, 0, 0, 0};
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
        const struct mir_function *f = &r.module->functions[i];
        cr_expect_eq(run_count(f, MIR_YIELD), want[i], "%s:\n%s", f->name, run_listing(f));
    }
    run_close(&r);
}

/* Each lane waits for the next one to have written what it writes behind the loop. BSYNC does not
 * hold a lane back, so that the loop is run about once for each, as on an H100. */
Test(converge, lanes_that_leave_a_spin_go_on) {
    struct run r;
    run_open(&r,
             RUN_HEAD
             ".entry chain(.param .u64 out)\n{" RUN_REGS "mov.u32 %r1, %tid.x;\n"
             "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
             "shl.b32 %r2, %r1, 2; mov.u32 %r3, sh; add.u32 %r2, %r2, %r3;\n"
             "mov.u32 %r5, 0; st.volatile.shared.u32 [%r2], %r5; setp.eq.u32 %p2, %r1, 31;\n"
             "mov.u32 %r6, 1; @%p2 st.volatile.shared.u32 [%r2+4], %r6; bar.warp.sync -1;\n"
             "L: ld.volatile.shared.u32 %r4, [%r2+4]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L;\n"
             "add.u32 %r4, %r4, 1; st.volatile.shared.u32 [%r2], %r4;\n"
             "st.global.u32 [%rd1], %r4; ret; }\n",
             NULL);
    uint64_t out = (uintptr_t)r.base;
    cr_assert_eq(run_kernel(&r, "chain", 1, 32, &out, sizeof out, 0), HEDDLE_OK);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_expect_eq(((uint32_t *)r.base)[lane], 33 - lane, "lane %u", lane);
    cr_expect_lt(r.counts.warp_inst, 32 * 12 + 40, "%" PRIu64 " instructions", r.counts.warp_inst);
    run_close(&r);
}
