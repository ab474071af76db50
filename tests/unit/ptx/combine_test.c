/* combine_test.c - passes that combine instructions: vector accesses, bit tests, offsets, hoisted
 * constants. Each test counts instructions of the optimised code, and runs the kernel optimised and
 * unoptimised with equal results. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, BYTES = 16 * THREADS };

/* %r1: the thread; %rd1: 16 bytes of its own in the results, into which %r30 to %r33 go; %r2: 16
 * bytes of its own in shared memory, %r3: 4 bytes; %r4: unknown to the compiler, in fact 20000. */
#define HEAD                                                                                     \
    ".version 7.5\n.target sm_70\n.address_size 64\n"                                            \
    ".visible .entry k(.param .u64 a, .param .u32 far)\n{ .reg .pred %p<9>; .reg .b32 %r<40>;\n" \
    ".reg .b64 %rd<9>; .reg .f64 %fd<9>; .shared .align 16 .b8 s[32768];\n"                      \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; ld.param.u64 %rd3, [a];\n"                 \
    "add.s64 %rd1, %rd3, %rd2; ld.param.u32 %r4, [far]; shl.b32 %r6, %r1, 4;\n"                  \
    "shl.b32 %r7, %r1, 2; mov.u32 %r5, s; add.s32 %r2, %r6, %r5; add.s32 %r3, %r7, %r5;\n"
#define TAIL                                                        \
    "\nst.global.u32 [%rd1], %r30; st.global.u32 [%rd1+4], %r31;\n" \
    "st.global.u32 [%rd1+8], %r32; st.global.u32 [%rd1+12], %r33; ret; }\n"
/* Fills the thread's shared memory. */
#define FILL                                                                        \
    "mad.lo.u32 %r10, %r1, 77, 5; st.volatile.shared.u32 [%r2], %r10;\n"            \
    "st.volatile.shared.u32 [%r2+4], %r1; not.b32 %r10, %r10;\n"                    \
    "st.volatile.shared.u32 [%r2+8], %r10; st.volatile.shared.u32 [%r2+12], %r4;\n" \
    "bar.sync 0;\n"

struct seen {
    unsigned n[MIR_OP_COUNT]; /* instructions by operation */
    unsigned wide, pair;      /* accesses of shared memory of 128, of 64 bits */
    unsigned tests;           /* LOP3 with a predicate as result */
    unsigned loop_movs;       /* MOV of constants inside a loop */
    uint8_t result[BYTES];
};

/* Compiles and runs one kernel, `plain`: without optimisation; counts its instructions and copies
 * its results to `out`. */
static void run_one(const char *text, bool plain, struct seen *out) {
    struct ptx_options o;
    struct run r;
    struct {
        uint64_t a;
        uint32_t far;
    } params = {.far = 20000};
    ptx_options_default(&o);
    o.no_optimize = plain;
    run_open(&r, text, &o);
    const struct mir_function *f = &r.module->functions[0];
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < f->num_inst; i++) {
        const struct mir_inst *in = &f->code[i];
        out->n[in->op]++;
        if (in->op == MIR_LDS || in->op == MIR_STS) {
            out->wide += in->width == 16;
            out->pair += in->width == 8;
        }
        for (int32_t at = in->imm; in->op == MIR_BRA && at >= 0 && (uint32_t)at < i; at++)
            out->loop_movs += f->code[at].op == MIR_MOV && f->code[at].src[0].kind != MIR_SRC_REG;
        out->tests += in->op == MIR_LOP3 && in->pdst[0] != MIR_PT;
    }
    params.a = (uint64_t)(uintptr_t)r.base;
    heddle_err e = run_kernel(&r, "k", 1, THREADS, &params, 12, 0);
    cr_assert_eq(e, HEDDLE_OK, "%s", heddle_err_text(e));
    memcpy(out->result, r.base, BYTES);
    run_close(&r);
}

/* Compiles and runs the body optimised and unoptimised, and compares the results. @return counts of
 * the optimised code */
static struct seen see(const char *body) {
    static struct seen optimised, plain;
    char text[8192], rest[256] = "";
    for (int i = 30; i < 34; i++) { /* a register that the body does not name */
        char name[16];
        snprintf(name, sizeof name, "%%r%d", i);
        size_t n = strlen(rest);
        if (!strstr(body, name)) snprintf(rest + n, sizeof rest - n, "mov.u32 %s, %d;\n", name, i);
    }
    snprintf(text, sizeof text, "%s%s%s%s", HEAD, rest, body, TAIL);
    run_one(text, false, &optimised);
    run_one(text, true, &plain);
    run_expect_same(optimised.result, plain.result, THREADS, 4, body);
    return optimised;
}

/* ---- vector accesses ------------------------------------------------------------------------ */

#define LOAD(r, at) "ld.shared.u32 %" r ", [" at "];\n"

Test(ptx_combine, loads) {
    struct seen s = see(FILL LOAD("r30", "%r2") LOAD("r33", "%r2+12") LOAD("r31", "%r2+4")
                            LOAD("r32", "%r2+8"));
    cr_expect_eq(s.wide, 1);
    cr_expect_eq(s.n[MIR_LDS], 1);
    s = see(FILL LOAD("r30", "%r2+4") LOAD("r31", "%r2+8") LOAD("r32", "%r2+12"));
    cr_expect_eq(s.pair, 1, "8 and 12 are a pair, 4 and 8 are none");
    cr_expect_eq(s.n[MIR_LDS], 2);
}

Test(ptx_combine, loads_that_stay_apart) {
    struct seen s = see(FILL LOAD("r30", "%r3") LOAD("r31", "%r3+4"));
    cr_expect_eq(s.n[MIR_LDS], 2, "not known to be aligned");
    s = see(FILL "ld.volatile.shared.u32 %r30, [%r2]; ld.volatile.shared.u32 %r31, [%r2+4];");
    cr_expect_eq(s.n[MIR_LDS], 2, "volatile");
    s = see(FILL LOAD("r30", "%r2") "st.shared.u32 [%r4+1024], %r30;\n" LOAD("r31", "%r2+4"));
    cr_expect_eq(s.n[MIR_LDS], 2, "a store between them that may meet the second");
    s = see(FILL LOAD("r30", "%r2") "bar.sync 0;\n" LOAD("r31", "%r2+4"));
    cr_expect_eq(s.n[MIR_LDS], 2, "a barrier between them");
    s = see(FILL LOAD("r30", "%r2") "add.s32 %r2, %r2, 16; and.b32 %r2, %r2, 1008;\n" LOAD(
        "r31", "%r2+4"));
    cr_expect_eq(s.n[MIR_LDS], 2, "another base");
    s = see(FILL LOAD("r30", "%r2") "setp.eq.u32 %p1, %r30, 5;\n@%p1 ld.shared.u32 %r31, [%r2+4];");
    cr_expect_eq(s.n[MIR_LDS], 2, "not always loaded");
    s = see(FILL LOAD("r2", "%r2") "and.b32 %r2, %r2, 1008;\n" LOAD("r30", "%r2+4"));
    cr_expect_eq(s.n[MIR_LDS], 2, "the first load makes the second's address");
}

Test(ptx_combine, stores) {
    struct seen s = see("add.s32 %r10, %r1, 1; add.s32 %r11, %r1, 2; xor.b32 %r12, %r1, 255;\n"
                        "st.shared.u32 [%r2+12], %r12; st.shared.u32 [%r2], %r10;\n"
                        "st.shared.u32 [%r2+8], %r1; st.shared.u32 [%r2+4], %r11; bar.sync 0;\n"
                        "ld.volatile.shared.u32 %r30, [%r2]; ld.volatile.shared.u32 %r31, [%r2+4];"
                        "ld.volatile.shared.u32 %r32, [%r2+8];"
                        "ld.volatile.shared.u32 %r33, [%r2+12];");
    cr_expect_eq(s.n[MIR_STS], 1);
    cr_expect_eq(s.wide, 1);
    s = see("st.shared.u32 [%r2], 0; st.shared.u32 [%r2+4], 0;" LOAD("r30", "%r2"));
    cr_expect_eq(s.n[MIR_STS], 1, "zeros need no registers");
    s = see(
        "st.shared.u32 [%r2], %r1; ld.shared.u32 %r30, [%r4]; st.shared.u32 [%r2+4], %r30;\n" LOAD(
            "r31", "%r2"));
    cr_expect_eq(s.n[MIR_STS], 2, "a load between them may meet the first");
    s = see("st.shared.u32 [%r2], %r1; add.s32 %r1, %r1, 1; st.shared.u32 [%r2+4], %r1;\n"
            "ld.volatile.shared.u32 %r30, [%r2]; ld.volatile.shared.u32 %r31, [%r2+4];");
    cr_expect_leq(s.n[MIR_STS], 2);
}

/* ---- tests of bits, shifted sums ------------------------------------------------------------ */

Test(ptx_combine, bit_tests) {
    struct seen s = see(
        "and.b32 %r10, %r1, 8; setp.ne.s32 %p1, %r10, 0; selp.u32 %r30, 3, 4, %p1;\n"
        "and.b32 %r11, %r1, 1; setp.eq.b32 %p2, %r11, 1; selp.u32 %r31, 5, 6, %p2;\n"
        "and.b32 %r12, %r1, 48; setp.eq.s32 %p3, %r12, 0; selp.u32 %r32, 7, 8, %p3;\n"
        "and.b32 %r13, %r1, 4; setp.ne.b32 %p4, %r13, 4; selp.u32 %r33, %r1, 9, %p4;");
    cr_expect_eq(s.tests, 4);
    cr_expect_eq(s.n[MIR_ISETP], 0);
    s = see("and.b32 %r10, %r1, 3; setp.eq.s32 %p1, %r10, 1; selp.u32 %r30, 3, 4, %p1;");
    cr_expect_eq(s.tests, 0, "one of two bits");
    s = see("and.b32 %r10, %r1, 8; setp.ne.s32 %p1, %r10, 0; selp.u32 %r30, %r10, 4, %p1;");
    cr_expect_eq(s.tests, 0, "the bits are wanted, too");
}

Test(ptx_combine, halves_of_signed_numbers) {
    struct seen s = see("sub.s32 %r10, %r1, 30; shr.u32 %r11, %r10, 31; add.s32 %r12, %r10, %r11;\n"
                        "shr.s32 %r30, %r12, 1;");
    cr_expect_eq(s.n[MIR_SHF], 1, "the last shift");
    cr_expect_eq(s.n[MIR_LEA], 1);
}

/* ---- addresses ------------------------------------------------------------------------------ */

Test(ptx_combine, constants_become_offsets) {
    struct seen s = see(
        FILL "add.s32 %r10, %r3, 4096; shl.b32 %r16, %r4, 2; sub.s32 %r11, %r16, 79000;\n"
             "add.s32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;\n"
             "add.s32 %r13, %r3, 8192; add.s32 %r14, %r13, %r11; st.shared.u32 [%r14], %r4;\n"
             "add.s32 %r15, %r11, %r3; st.shared.u32 [%r15+256], %r10;\n"
             "ld.shared.u32 %r30, [%r12]; ld.shared.u32 %r31, [%r14];"
             "ld.shared.u32 %r32, [%r15+256];");
    cr_expect_leq(s.n[MIR_IADD3], 2, "one sum for all three places, %u", s.n[MIR_IADD3]);
}

/* ---- constants ------------------------------------------------------------------------------ */

Test(ptx_combine, constants_leave_loops) {
    struct seen s = see("mov.u32 %r10, 0; L: mul.wide.u32 %rd5, %r10, 4; ld.param.u64 %rd6, [a];\n"
                        "add.s64 %rd7, %rd6, %rd5; ld.global.u32 %r11, [%rd7+4096];\n"
                        "add.s32 %r30, %r30, %r11; setp.gt.u32 %p1, %r11, 7; @%p1 bra M;\n"
                        "mad.lo.u32 %r31, %r31, 3, %r10; M: add.s32 %r10, %r10, 1;\n"
                        "setp.lt.u32 %p2, %r10, 9; @%p2 bra L;");
    cr_expect_eq(s.loop_movs, 0, "%u", s.loop_movs);
}

Test(ptx_combine, no_carry) {
    struct seen s = see("mov.b64 %rd5, {%r1, %r4}; mov.b64 %rd6, 0; add.s64 %rd7, %rd5, %rd6;\n"
                        "mov.b64 {%r30, %r31}, %rd7; sub.s64 %rd7, %rd5, %rd6;\n"
                        "mov.b64 {%r32, %r33}, %rd7;");
    cr_expect_leq(s.n[MIR_IADD3], 2, "%u", s.n[MIR_IADD3]);
}

Test(ptx_combine, conversions_of_constants) {
    struct seen s = see("cvt.rzi.s32.f32 %r30, 0f40880000; cvt.rni.u32.f32 %r31, 0fC0880000;\n"
                        "cvt.rn.f32.s32 %r10, -3; mov.b32 %r32, %r10; abs.s32 %r33, -2147483648;");
    cr_expect_eq(s.n[MIR_F2I] + s.n[MIR_I2F] + s.n[MIR_IABS], 0);
}

/* ---- coordinates ---------------------------------------------------------------------------- */

/* Sums in coordinates of textures and surfaces stay, because those have no offset field. */
Test(ptx_combine, coordinates) {
    static const char text[] =
        ".version 7.5\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 t)\n"
        "{ .reg .b32 %r<9>; .reg .b64 %rd<4>; mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [t];\n"
        "ld.param.u64 %rd2, [a]; add.s32 %r2, %r1, 4; mov.u32 %r7, 8;\n"
        "tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r2}]; st.global.u32 [%rd2], %r3;\n"
        "tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r7}]; st.global.u32 [%rd2+4], %r3;\n"
        "suld.b.1d.b32.trap {%r3}, [%rd1, {%r2}]; st.global.u32 [%rd2+8], %r3;\n"
        "sust.b.1d.b32.trap [%rd1, {%r2}], {%r1}; ret; }\n";
    struct run r;
    struct ptx_options o;
    ptx_options_default(&o);
    run_open(&r, text, &o);
    const struct mir_function *f = &r.module->functions[0];
    unsigned seen = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) {
        const struct mir_inst *in = &f->code[i];
        if (in->op != MIR_TEX && in->op != MIR_SULD && in->op != MIR_SUST) continue;
        cr_expect_eq(in->imm, 0, "%s has offset %d", mir_op_name(in->op), in->imm);
        cr_expect_eq(in->src[0].kind, MIR_SRC_REG);
        seen++;
    }
    cr_expect_eq(seen, 4);
    run_close(&r);
}

/* ---- products and sums: values that are exact either way ------------------------------------- */

#define FLOATS "cvt.rn.f32.u32 %r10, %r1; cvt.rn.f32.u32 %r11, %r4; mov.b32 %r12, 0f40400000;\n"

Test(ptx_combine, multiply_add) {
    struct seen s = see(FLOATS "mul.f32 %r13, %r10, %r12; sub.f32 %r30, %r11, %r13;\n"
                               "mul.f32 %r14, %r10, %r10; add.f32 %r31, %r14, %r11;");
    cr_expect_eq(s.n[MIR_FFMA], 2);
    cr_expect_eq(s.n[MIR_FMUL] + s.n[MIR_FADD], 0);
    s = see(FLOATS "mul.f32 %r13, %r10, %r12; sub.f32 %r30, %r11, %r13; add.f32 %r31, %r13, %r10;");
    cr_expect_eq(s.n[MIR_FFMA], 2, "both readers take the product");
    cr_expect_eq(s.n[MIR_FMUL], 0);
    s = see(FLOATS "cvt.f64.f32 %fd1, %r10; cvt.f64.f32 %fd2, %r11; mul.f64 %fd3, %fd1, %fd1;\n"
                   "sub.f64 %fd4, %fd3, %fd2; mov.b64 {%r30, %r31}, %fd4;");
    cr_expect_eq(s.n[MIR_DFMA], 1);
    cr_expect_eq(s.n[MIR_DMUL] + s.n[MIR_DADD], 0);
}

Test(ptx_combine, products_that_stay_apart) {
    struct seen s = see(FLOATS "mul.rn.f32 %r13, %r10, %r12; sub.f32 %r30, %r11, %r13;");
    cr_expect_eq(s.n[MIR_FFMA], 0, "the product's rounding is asked for");
    s = see(FLOATS "mul.f32 %r13, %r10, %r12; sub.rn.f32 %r30, %r11, %r13;");
    cr_expect_eq(s.n[MIR_FFMA], 0, "the sum's rounding is asked for");
    s = see(FLOATS "mul.f32 %r13, %r10, %r12; sub.f32 %r30, %r11, %r13; mov.b32 %r31, %r13;");
    cr_expect_eq(s.n[MIR_FFMA], 0, "the product is wanted as well");
    s = see(FLOATS "mul.f32 %r13, %r10, %r12; sub.f32 %r30, %r11, %r13; add.f32 %r31, %r13, %r12;");
    cr_expect_eq(s.n[MIR_FFMA], 0, "one reader would have two constants");
    s = see(FLOATS "mul.ftz.f32 %r13, %r10, %r12; sub.f32 %r30, %r11, %r13;");
    cr_expect_eq(s.n[MIR_FFMA], 0, "one of them flushes small numbers");
    s = see(FLOATS "mul.sat.f32 %r13, %r10, %r12; sub.f32 %r30, %r11, %r13;");
    cr_expect_eq(s.n[MIR_FFMA], 0, "the product saturates");
    s = see(FLOATS "mul.f32 %r13, %r10, %r12; abs.f32 %r13, %r13; sub.f32 %r30, %r11, %r13;");
    cr_expect_eq(s.n[MIR_FFMA], 0, "the product's size alone is wanted");
}
