/* converge_test.c - where lanes that a branch has parted meet again: BSSY and BSYNC in the code of
 * given PTX. */
#include "run_ptx.h"

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
