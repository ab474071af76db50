/* schedule_test.c - the order of instructions that the compiler chooses. */
#include "run_ptx.h"

#include <criterion/criterion.h>

/* A column that goes to shared memory four words at a time: as with ptxas, all loads begin before
 * the first is waited for, and all warps of an SM have their registers. */
Test(ptx_schedule, loads_begin_before_the_first_is_used) {
    enum { LOADS = 24 };
    struct run r;
    struct ptx_options o;
    char ptx[4096];
    ptx_options_default(&o);
    run_column_text(ptx, LOADS, 4);
    run_open(&r, ptx, &o);
    const struct mir_function *f = &r.module->functions[0];
    unsigned loads = 0, ahead = 0, stores = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) {
        loads += f->code[i].op == MIR_LDG;
        stores += f->code[i].op == MIR_STS;
        if (!stores) ahead = loads;
    }
    cr_expect_eq(loads, LOADS);
    cr_expect_eq(stores, LOADS / 4);
    cr_expect_eq(ahead, LOADS, "%u loads before the first store", ahead);
    cr_expect_leq(f->num_regs, 32, "%u registers", f->num_regs);
    run_close(&r);
}
