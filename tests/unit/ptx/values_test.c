/* values_test.c - values reach their uses: parameters, and values of earlier iterations. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAD ".version 7.5\n.target sm_70\n.address_size 64\n"
#define REGS ".reg .pred %p<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"

/* The largest parameters allowed: all bytes that constant bank 0 of a GPU has for them. */
Test(ptx_values, parameters_of_32764_bytes) {
    struct run r;
    run_open(&r,
             HEAD ".entry k(.param .u64 a, .param .align 4 .b8 p[32756])\n{" REGS
                  "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
                  "add.s64 %rd3, %rd1, %rd2; mov.b64 %rd4, p; add.s64 %rd5, %rd4, %rd2;\n"
                  "ld.param.u32 %r2, [p+32752]; ld.param.u32 %r3, [%rd5+32000];\n"
                  "add.u32 %r4, %r2, %r3; st.global.u32 [%rd3], %r4; ret; }",
             NULL);
    struct {
        uint64_t a;
        uint32_t word[32756 / 4];
    } *params = calloc(1, sizeof *params);
    cr_assert_not_null(params);
    params->a = (uint64_t)(uintptr_t)r.base;
    for (uint32_t i = 0; i < 32756 / 4; i++) params->word[i] = 3 * i;
    cr_assert_eq(run_kernel(&r, "k", 1, 32, params, 32764, 0), HEDDLE_OK, "%s", r.diag.text);
    for (uint32_t t = 0; t < 32; t++)
        cr_expect_eq(((const uint32_t *)r.base)[t], 3 * (8188 + 8000 + t));
    free(params);
    run_close(&r);
}

/* A value that only some iterations of a loop set, and that is undefined before the loop:
 * iterations that skip the assignment keep the value, although the branch becomes a guard. */
Test(ptx_values, guards_keep_values_of_earlier_rounds) {
    struct run r;
    run_open(&r,
             HEAD ".entry k(.param .u64 a)\n{" REGS "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x;\n"
                  "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, 0;\n"
                  /* the least key so far; its owner; whether that is an early one */
                  "mov.u32 %r3, -1;\n"
                  "L: .pragma \"nounroll\";\n"
                  "mad.lo.u32 %r4, %r2, 0x9e3779b1, %r1; mul.lo.u32 %r4, %r4, 0x85ebca6b;\n"
                  "shr.u32 %r7, %r4, 16; setp.ge.u32 %p1, %r7, %r3; @%p1 bra M;\n"
                  "mov.u32 %r3, %r7; mov.u32 %r5, %r4; setp.lt.u32 %p2, %r2, 8;\n"
                  "M: add.s32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 16; @%p3 bra L;\n"
                  "selp.u32 %r6, 1, 0, %p2; add.u32 %r8, %r5, %r6;\n"
                  "st.global.u32 [%rd3], %r8; ret; }",
             NULL);
    const struct mir_function *f = &r.module->functions[0];
    unsigned branches = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) branches += f->code[i].op == MIR_BRA;
    cr_expect_eq(branches, 1u, "%u branches: the one over the block is to be a guard", branches);
    uint64_t param = (uint64_t)(uintptr_t)r.base;
    cr_assert_eq(run_kernel(&r, "k", 1, 64, &param, 8, 0), HEDDLE_OK, "%s", r.diag.text);
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t least = UINT32_MAX, want = 0;
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t x = (i * 0x9e3779b1 + t) * 0x85ebca6b;
            if (x >> 16 >= least) continue;
            least = x >> 16;
            want = x + (i < 8);
        }
        cr_expect_eq(((const uint32_t *)r.base)[t], want, "%u: %u, not %u", t,
                     ((const uint32_t *)r.base)[t], want);
    }
    run_close(&r);
}

/* Adds `number` different doubles, whose low words are not zero, to a parameter. */
static void check_literals(unsigned number) {
    enum { BANK = MIR_LITERAL_BYTES / sizeof(double) };
    static char text[600 * 80];
    struct run r;
    struct {
        uint64_t a;
        double x;
    } params = {.x = 0.5};
    double want = params.x;
    size_t n = (size_t)snprintf(
        text, sizeof text, "%s",
        HEAD ".entry k(.param .u64 a, .param .f64 x)\n{" REGS
             ".reg .f64 %fd<600>;\nld.param.u64 %rd1, [a]; ld.param.f64 %fd0, [x];\n");
    for (unsigned i = 0; i < number; i++) {
        const union {
            double d;
            uint64_t bits;
        } literal = {.d = 1.1 + i};
        want += literal.d;
        n += (size_t)snprintf(text + n, sizeof text - n, "add.rn.f64 %%fd%u, %%fd%u, 0d%016llx;\n",
                              i + 1, i, (unsigned long long)literal.bits);
    }
    snprintf(text + n, sizeof text - n, "st.global.f64 [%%rd1], %%fd%u; ret; }\n", number);
    run_open(&r, text, NULL);
    const struct mir_function *f = run_function(&r, "k");
    cr_expect_eq(f->num_literals, number < BANK ? number : BANK);
    const unsigned others = 5; /* the prologue, and the parameters */
    cr_expect_eq(run_count(f, MIR_MOV), others + (number < BANK ? 0 : 2 * (number - BANK)));
    params.a = (uint64_t)(uintptr_t)r.base;
    cr_assert_eq(run_kernel(&r, "k", 1, 1, &params, sizeof params, 0), HEDDLE_OK, "%s",
                 r.diag.text);
    cr_expect_eq(*(const double *)(const void *)r.base, want);
    run_close(&r);
}

/* Doubles are operands in a constant bank, and beyond its end moves. */
Test(ptx_values, literals_and_the_end_of_their_bank) {
    check_literals(1);
    check_literals(40);
    check_literals(512);
    check_literals(520);
}
