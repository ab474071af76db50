/* schedule_test.c - the order of instructions that the compiler chooses. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A column that goes to shared memory four words at a time: as with ptxas, all loads begin before
 * the first is waited for, and all warps of an SM have their registers. */
Test(ptx_schedule, loads_begin_before_the_first_is_used) {
    enum { LOADS = 24 };
    struct run r;
    struct ptx_options o;
    char ptx[4096], *at = ptx;
    ptx_options_default(&o);
    at += sprintf(at,
                  ".version 7.5\n.target sm_70\n.address_size 64\n"
                  ".entry k(.param .u64 a, .param .u32 n)\n{"
                  ".reg .b32 %%r; .reg .b64 %%rd<%u>; .reg .f32 %%f<%u>; .shared .f32 s[%u];\n"
                  "ld.param.u64 %%rd0, [a]; ld.param.u32 %%r, [n]; mul.wide.s32 %%rd1, %%r, 4;\n"
                  "add.s64 %%rd2, %%rd0, %%rd1;\n",
                  LOADS + 3, LOADS, LOADS);
    for (unsigned i = 0; i < LOADS; i++)
        at += sprintf(at, "ld.global.f32 %%f%u, [%%rd%u]; add.s64 %%rd%u, %%rd%u, %%rd1;\n", i,
                      i + 2, i + 3, i + 2);
    for (unsigned i = 0; i < LOADS; i++)
        at += sprintf(at, "st.shared.f32 [s+%u], %%f%u;\n", 4 * i, i);
    strcpy(at, "ret; }");
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
