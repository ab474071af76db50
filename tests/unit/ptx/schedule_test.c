/* schedule_test.c - the instruction order that the compiler chooses (ir/lir_schedule.c). */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD \
    ".version 7.5\n.target sm_70\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n)\n{"

static const struct mir_function *compile(struct run *r, const char *ptx) {
    struct ptx_options o;
    ptx_options_default(&o);
    run_open(r, ptx, &o);
    return &r->module->functions[0];
}

static unsigned count(const struct mir_function *f, enum mir_op op) {
    unsigned n = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) n += f->code[i].op == op;
    return n;
}

/* Returns the number of loads of global memory before the first store to shared memory. */
static unsigned loads_ahead(const struct mir_function *f) {
    unsigned n = 0;
    for (uint32_t i = 0; i < f->num_inst && f->code[i].op != MIR_STS; i++)
        n += f->code[i].op == MIR_LDG;
    return n;
}

/* A column is copied to shared memory, four words at a time. As with ptxas, all loads begin before
 * an instruction waits for the first, and the registers suffice for all warps of an SM. */
Test(ptx_schedule, loads_begin_before_the_first_is_used) {
    enum { LOADS = 24 };
    struct run r;
    char ptx[4096];
    run_column_text(ptx, LOADS, 4);
    const struct mir_function *f = compile(&r, ptx);
    cr_expect_eq(count(f, MIR_LDG), LOADS);
    cr_expect_eq(count(f, MIR_STS), LOADS / 4);
    cr_expect_eq(loads_ahead(f), LOADS, "%u loads before the first store", loads_ahead(f));
    cr_expect_leq(f->num_regs, 32, "%u registers", f->num_regs);
    run_close(&r);
}

/* Each address has its own index, computed from the previous one. To compute all indices first
 * would take all registers. */
Test(ptx_schedule, indices_computed_from_one_another_wait_for_their_loads) {
    enum { LOADS = 20 };
    struct run r;
    char ptx[8192], *text = ptx;
    text += sprintf(
        text,
        HEAD ".reg .b32 %%r<%u>; .reg .b64 %%rd<%u>; .reg .f32 %%f<%u>; .shared .f32 s[%u];\n"
             "ld.param.u64 %%rd0, [a]; ld.param.u32 %%r0, [n]; mov.u32 %%r1, %%tid.x;\n",
        LOADS + 2, LOADS + 2, LOADS, 2 * LOADS);
    for (unsigned i = 0; i < LOADS; i++)
        text += sprintf(text,
                        "mul.wide.s32 %%rd%u, %%r%u, 4; add.s64 %%rd%u, %%rd0, %%rd%u;\n"
                        "ld.global.f32 %%f%u, [%%rd%u]; st.shared.f32 [s+%u], %%f%u;\n"
                        "add.s32 %%r%u, %%r%u, %%r0;\n",
                        i + 1, i + 1, i + 1, i + 1, i, i + 1, 8 * i, i, i + 2, i + 1);
    strcpy(text, "ret; }");
    const struct mir_function *f = compile(&r, ptx);
    cr_expect_eq(count(f, MIR_LDG), LOADS);
    cr_expect_geq(loads_ahead(f), 8, "%u loads before the first store", loads_ahead(f));
    run_close(&r);
}

/* The compares of a tree of sums, one per barrier, could all fill the time of the load, but there
 * are only seven predicates. */
Test(ptx_schedule, compares_wait_for_predicates) {
    enum { TESTS = 12 };
    struct run r;
    char ptx[8192], *text = ptx;
    text += sprintf(text,
                    HEAD
                    ".reg .b32 %%r<4>; .reg .b64 %%rd; .reg .pred %%p<%u>; .shared .u32 s[%u];\n"
                    "ld.param.u64 %%rd, [a]; mov.u32 %%r1, %%tid.x; ld.global.u32 %%r2, [%%rd];\n"
                    "st.shared.u32 [s], %%r2; bar.sync 0;\n",
                    TESTS, TESTS + 1);
    for (unsigned i = 0; i < TESTS; i++)
        text += sprintf(text,
                        "setp.gt.s32 %%p%u, %%r1, %u;\n@%%p%u ld.shared.u32 %%r3, [s+%u];\n"
                        "@%%p%u st.shared.u32 [s+%u], %%r3; bar.sync 0;\n",
                        i, i, i, 4 * i, i, 4 * i + 4);
    strcpy(text, "ret; }");
    const struct mir_function *f = compile(&r, ptx);
    cr_expect_eq(count(f, MIR_ISETP), TESTS, "%u compares", count(f, MIR_ISETP));
    cr_expect_eq(count(f, MIR_SEL), 0, "%u predicates are kept in registers", count(f, MIR_SEL));
    run_close(&r);
}

/* As many values as there are registers, all needed at the end. In the text, the minima, which take
 * one more register each, come before the masks, which reuse their operand's, and the sums, which
 * free one. In that order some values would be spilled. */
Test(ptx_schedule, what_takes_no_register_goes_before_what_takes_one) {
    enum { VALUES = 58, SUMS = 12 };
    struct run r;
    char ptx[16384], *text = ptx;
    text += sprintf(text,
                    ".version 7.5\n.target sm_70\n.address_size 64\n"
                    ".entry k(.param .u64 a) .maxnreg 64 {\n"
                    ".reg .b32 %%r<%u>, %%m<%u>, %%p<%u>, %%s<%u>, %%q<%u>; .reg .b64 %%rd;\n"
                    "ld.param.u64 %%rd, [a]; mov.u32 %%s0, %%tid.x;\n",
                    VALUES, SUMS, SUMS, 2 * SUMS + 1, VALUES);
    for (unsigned i = 0; i < VALUES; i++)
        text += sprintf(text, "ld.global.u32 %%r%u, [%%rd+%u];\n", i, 4 * i);
    for (unsigned i = 0; i < SUMS; i++)
        text += sprintf(text, "min.u32 %%p%u, %%r%u, %u;\n", i, VALUES - 1, 5000 + i);
    for (unsigned i = 0; i < SUMS; i++)
        text += sprintf(text, "xor.b32 %%m%u, %%r%u, %u;\n", i, i, 1000 + i);
    for (unsigned i = 0; i < SUMS; i++)
        text += sprintf(text, "add.u32 %%s%u, %%m%u, %%p%u; or.b32 %%s%u, %%s%u, %%s%u;\n",
                        2 * i + 1, i, i, 2 * i + 2, 2 * i, 2 * i + 1);
    for (unsigned i = SUMS; i < VALUES; i++)
        text += sprintf(text, "add.u32 %%q%u, %%r%u, %%s%u; st.global.u32 [%%rd+%u], %%q%u;\n", i,
                        i, 2 * SUMS, 512 + 4 * i, i);
    strcpy(text, "ret; }");
    const struct mir_function *f = compile(&r, ptx);
    cr_expect_eq(f->spill_bytes, 0, "%u bytes spilled", f->spill_bytes);
    cr_expect_leq(f->num_regs, 64, "%u registers", f->num_regs);
    run_close(&r);
}

/* Position of the only access with these semantics. */
static uint32_t position(const struct mir_function *f, enum mir_op op, enum mir_sem sem) {
    uint32_t i = 0;
    while (i < f->num_inst && (f->code[i].op != op || f->code[i].sem != sem)) i++;
    cr_assert_lt(i, f->num_inst);
    return i;
}

/* What is stored before a release stays before it, although the value of a store comes late; what
 * is loaded behind an acquire stays behind it, although its address is there at once. */
Test(ptx_schedule, nothing_passes_a_release_or_an_acquire) {
    struct run r;
    const struct mir_function *f = compile(
        &r, HEAD ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                 "ld.param.u64 %rd0, [a]; ld.param.u32 %r0, [n];\n"
                 "rem.u32 %r1, 1000000, %r0; rem.u32 %r2, 999999, %r1;\n"
                 "st.global.u32 [%rd0+16], %r2; st.global.u32 [%rd0+4], %r0;\n"
                 "st.release.gpu.global.u32 [%rd0], %r0; ret; }");
    for (uint32_t i = position(f, MIR_STG, MIR_RELEASE) + 1; i < f->num_inst; i++)
        cr_expect_neq(f->code[i].op, MIR_STG, "a store passes the release");
    run_close(&r);
    f = compile(&r, HEAD ".reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                         "ld.param.u64 %rd0, [a]; ld.param.u32 %r0, [n];\n"
                         "rem.u32 %r1, 1000000, %r0; cvt.u64.u32 %rd1, %r1;\n"
                         "add.u64 %rd2, %rd0, %rd1; ld.acquire.gpu.global.u32 %r2, [%rd2];\n"
                         "ld.global.u32 %r3, [%rd0+4]; add.u32 %r4, %r2, %r3;\n"
                         "st.global.u32 [%rd0+8], %r4; ret; }");
    for (uint32_t i = 0; i < position(f, MIR_LDG, MIR_ACQUIRE); i++)
        cr_expect_neq(f->code[i].op, MIR_LDG, "a load passes the acquire");
    run_close(&r);
}

/* Writes a kernel that keeps `kept` words in registers while it brings four vectors from global to
 * shared memory; `bounds`: its directives. */
static void crowded_text(char *text, unsigned kept, const char *bounds) {
    text += sprintf(text,
                    ".version 7.5\n.target sm_70\n.address_size 64\n"
                    ".entry k(.param .u64 a, .param .u32 n) %s\n"
                    "{.reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f32 %%f<%u>;\n"
                    ".shared .align 16 .b8 s[16384];\n"
                    "ld.param.u64 %%rd0, [a]; mov.u32 %%r0, %%tid.x; ld.param.u32 %%r1, [n];\n"
                    "mul.wide.u32 %%rd1, %%r0, 16; add.s64 %%rd2, %%rd0, %%rd1;\n"
                    "mov.u32 %%r2, s; mad.lo.u32 %%r3, %%r0, 16, %%r2;\n",
                    bounds, kept + 16);
    for (unsigned i = 0; i < kept; i++)
        text += sprintf(text, "ld.global.f32 %%f%u, [%%rd2+%u];\n", i, 8192 + 4 * i);
    text += sprintf(text, "bar.sync 0;\n");
    for (unsigned i = 0; i < 4; i++) {
        const unsigned f = kept + 4 * i;
        text += sprintf(text,
                        "mad.wide.u32 %%rd%u, %%r1, %u, %%rd2;\n"
                        "ld.global.v4.f32 {%%f%u, %%f%u, %%f%u, %%f%u}, [%%rd%u];\n"
                        "st.shared.v4.f32 [%%r3+%u], {%%f%u, %%f%u, %%f%u, %%f%u};\n",
                        4 + i, 16 * (i + 1), f, f + 1, f + 2, f + 3, 4 + i, 4096 * i, f, f + 1,
                        f + 2, f + 3);
    }
    text += sprintf(text, "bar.sync 0;\n");
    for (unsigned i = 0; i < kept; i++)
        text += sprintf(text, "st.global.f32 [%%rd2+%u], %%f%u;\n", 4 * i, i);
    strcpy(text, "ret; }");
}

/* The vectors loaded before the first of them is stored, in the code between the barriers. */
static unsigned vectors_ahead(const struct mir_function *f) {
    unsigned n = 0;
    for (uint32_t i = 0; i < f->num_inst && f->code[i].op != MIR_STS; i++)
        n += f->code[i].op == MIR_LDG && f->code[i].width == 16;
    return n;
}

/* With one load at a time a thread would have 76 registers, and an SM would take three CTAs of
 * eight warps. It does with 80, too: so the loads begin together. */
Test(ptx_schedule, registers_that_cost_no_warp_hold_loads) {
    struct run r;
    static char ptx[32768];
    crowded_text(ptx, 60, ".maxntid 256, 1, 1");
    const struct mir_function *f = compile(&r, ptx);
    cr_expect_eq(vectors_ahead(f), 4, "%u vectors ahead", vectors_ahead(f));
    cr_expect_leq(f->num_regs, 80, "%u registers for three CTAs", f->num_regs);
    cr_expect_eq(f->spill_bytes, 0);
    run_close(&r);
}

/* Bounds, or an SM with fewer registers, leave a thread no more than without those loads. */
Test(ptx_schedule, registers_that_cost_warps_hold_none) {
    struct run r;
    struct ptx_options o;
    static char ptx[32768];
    crowded_text(ptx, 60, ".maxntid 256, 1, 1 .minnctapersm 3");
    const struct mir_function *f = compile(&r, ptx);
    cr_expect_leq(f->num_regs, 80, "%u registers for three CTAs", f->num_regs);
    cr_expect_eq(f->spill_bytes, 0);
    run_close(&r);
    crowded_text(ptx, 60, ".maxntid 256, 1, 1");
    for (unsigned regs = 16384; regs <= 65536; regs *= 2) {
        ptx_options_default(&o);
        o.registers_per_sm = regs;
        run_open(&r, ptx, &o);
        f = &r.module->functions[0];
        cr_expect_eq(f->spill_bytes, regs == 16384 ? f->spill_bytes : 0);
        cr_expect_leq(f->num_regs,
                      regs == 16384   ? 64
                      : regs == 32768 ? 128
                                      : 80,
                      "%u registers of %u", f->num_regs, regs);
        run_close(&r);
    }
}

/* Shared memory that admits one CTA leaves it the registers of all. */
Test(ptx_schedule, shared_memory_limits_the_warps) {
    struct run r;
    struct ptx_options o;
    static char ptx[32768];
    crowded_text(ptx, 60, ".maxntid 256, 1, 1");
    ptx_options_default(&o);
    run_open(&r, ptx, &o);
    const unsigned usual = r.module->functions[0].num_regs;
    run_close(&r);
    o.shared_per_sm = 16384;
    run_open(&r, ptx, &o);
    cr_expect_geq(r.module->functions[0].num_regs, usual);
    cr_expect_eq(vectors_ahead(&r.module->functions[0]), 4);
    run_close(&r);
}
