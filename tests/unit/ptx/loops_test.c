/* loops_test.c - loops: which are unrolled, that loop variables need no copies, equal results.
 * Each kernel runs, optimised and as lowered; the results must be the same. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 32, WORDS = 4, BYTES = 4 * WORDS * THREADS, DATA = 65536 };

/* %rd1: 16 bytes of the thread's own in the results, into which %r20 to %r23 go; %rd2: data, a word
 * of which is its number times 2654435761; %rd3: the thread's word there; %r1: the thread. */
#define HEAD                                                                                \
    ".version 7.5\n.target sm_70\n.address_size 64\n"                                       \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{ .reg .pred %p<9>;\n" \
    ".reg .b32 %r<40>; .reg .b64 %rd<20>; .shared .align 4 .b8 s[128];\n"                   \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd9, %r1, 16; ld.param.u64 %rd10, [a];\n"           \
    "add.s64 %rd1, %rd10, %rd9; ld.param.u64 %rd2, [b]; mul.wide.u32 %rd11, %r1, 4;\n"      \
    "add.s64 %rd3, %rd2, %rd11; ld.param.u32 %r2, [n];\n"                                   \
    "mov.u32 %r20, 1; mov.u32 %r21, 2; mov.u32 %r22, 3; mov.u32 %r23, 4; mov.u32 %r3, 0;\n"
#define TAIL                                                        \
    "\nst.global.u32 [%rd1], %r20; st.global.u32 [%rd1+4], %r21;\n" \
    "st.global.u32 [%rd1+8], %r22; st.global.u32 [%rd1+12], %r23; ret; }\n"
#define LOOP(body) "L:\n" body "\n@%p1 bra L;\n"
#define COUNT(by, to) "add.s32 %r3, %r3, " by "; setp.ne.s32 %p1, %r3, " to ";"
#define SUM "ld.global.u32 %r4, [%rd3]; mad.lo.s32 %r20, %r20, 3, %r4; add.s64 %rd3, %rd3, 128;\n"

struct seen {
    unsigned loads, copies; /* LDG; MOV of registers, in loops */
    uint8_t result[BYTES];
};

static void run_one(const char *text, bool plain, struct seen *out) {
    struct ptx_options o;
    struct run r;
    struct {
        uint64_t a, b;
        uint32_t n;
    } params = {.n = 32};
    ptx_options_default(&o);
    o.no_optimize = plain;
    run_open(&r, text, &o);
    const struct mir_function *f = &r.module->functions[0];
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < f->num_inst; i++) {
        out->loads += f->code[i].op == MIR_LDG;
        for (int32_t at = f->code[i].imm; f->code[i].op == MIR_BRA && at >= 0 && (uint32_t)at < i;
             at++)
            out->copies += f->code[at].op == MIR_MOV && f->code[at].src[0].kind == MIR_SRC_REG &&
                           f->code[at].src[0].reg != MIR_RZ;
    }
    for (uint32_t i = 0; i < DATA / 4; i++) {
        uint32_t word = i * 2654435761u;
        memcpy(r.base + 4096 + 4 * i, &word, 4);
    }
    params.a = (uint64_t)(uintptr_t)r.base;
    params.b = params.a + 4096;
    heddle_err e = run_kernel(&r, "k", 1, THREADS, &params, 20, 0);
    cr_assert_eq(e, HEDDLE_OK, "%s", heddle_err_text(e));
    memcpy(out->result, r.base, BYTES);
    run_close(&r);
}

/* Runs the body both ways; the loads that are left are as told, and so many copies in
 * loops at most. */
static void check(const char *what, unsigned loads, unsigned copies, const char *body) {
    struct seen optimised, plain;
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
    run_one(text, false, &optimised);
    run_one(text, true, &plain);
    for (unsigned i = 0; i < BYTES; i += 4) {
        uint32_t x, y;
        memcpy(&x, optimised.result + i, 4);
        memcpy(&y, plain.result + i, 4);
        cr_assert_eq(x, y, "%s: thread %u, word %u: %#x, not %#x as without optimisation, in\n%s",
                     what, i / 16, i / 4 % 4, x, y, body);
    }
    cr_expect_eq(optimised.loads, loads, "%s: %u loads", what, optimised.loads);
    cr_expect(optimised.copies <= copies, "%s: %u copies", what, optimised.copies);
}

Test(ptx_loops, loops_of_known_length_are_unrolled) {
    check("32 turns", 4, 0, LOOP(SUM COUNT("1", "32")));
    check("8 turns", 4, 0, LOOP(SUM COUNT("16", "128")));
    check("down", 4, 0, "mov.u32 %r3, 16;" LOOP(SUM COUNT("-1", "0")));
    check("from 3", 4, 0, "mov.u32 %r3, 3;" LOOP(SUM COUNT("2", "35")));
    check("a barrier in it", 4, 0, LOOP("bar.sync 0;" SUM COUNT("1", "16")));
    check("two loops", 8, 0,
          LOOP(SUM COUNT("1", "16")) "mov.u32 %r3, 0; M:\n" SUM COUNT("1", "24") "@%p1 bra M;\n");
    check("in another", 4, 0,
          "mov.u32 %r5, 0; O: mov.u32 %r3, 0;" LOOP(
              SUM COUNT("1", "8")) "add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r2; @%p2 bra O;");
}

Test(ptx_loops, others_are_not) {
    check("30 turns", 1, 0, LOOP(SUM COUNT("1", "30")));
    check("4 turns", 1, 0, LOOP(SUM COUNT("1", "4")));
    check("until the parameter", 1, 0, LOOP(SUM "add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r3, %r2;"));
    check("from the thread's number", 1, 0,
          "and.b32 %r3, %r1, 7; shl.b32 %r3, %r3, 2;" LOOP(SUM COUNT("1", "32")));
    check("by the thread's number", 1, 0,
          "or.b32 %r5, %r1, 31;" LOOP(SUM "add.s32 %r3, %r3, %r5; setp.lt.s32 %p1, %r3, 992;"));
    check("nounroll", 1, 0, LOOP(".pragma \"nounroll\";" SUM COUNT("1", "32")));
    check("a guard in it", 2, 2,
          LOOP(SUM "setp.lt.u32 %p2, %r1, 9; @%p2 ld.global.u32 %r21, [%rd3];" COUNT("1", "32")));
    check("a counter stepped twice", 1, 0, LOOP(SUM "add.s32 %r3, %r3, 1;" COUNT("1", "32")));
}

Test(ptx_loops, what_one_turn_leaves_the_next_one_finds) {
    check("a pair of variables", 4, 0,
          LOOP(SUM
               "add.s32 %r5, %r21, %r22; xor.b32 %r21, %r22, %r4; add.s32 %r22, %r5, %r21;\n" COUNT(
                   "1", "32")));
    check("two that change places", 4, 4,
          LOOP(SUM "mov.u32 %r5, %r21; mov.u32 %r21, %r22; mov.u32 %r22, %r5;\n"
                   "add.s32 %r21, %r21, %r4;" COUNT("1", "8")));
    check("a predicate", 4, 0,
          "setp.eq.u32 %p2, %r1, 0;" LOOP(
              SUM "selp.b32 %r5, %r21, %r22, %p2; add.s32 %r23, %r23, %r5;\n"
                  "setp.lt.u32 %p2, %r4, 2000000000;" COUNT("1", "32")));
    check("what was written last", 4, 1, LOOP(SUM "mov.u32 %r21, %r4;" COUNT("1", "16")));
    check("a 64-bit sum", 4, 0,
          "mov.u64 %rd5, 0;" LOOP(SUM "cvt.u64.u32 %rd6, %r4; add.s64 %rd5, %rd5, %rd6;\n" COUNT(
              "1", "16")) "mov.b64 {%r21, %r22}, %rd5;");
}

Test(ptx_loops, addresses_become_offsets) {
    check("a stepped word and one that stays", 4, 0,
          "mov.u64 %rd4, %rd2;" LOOP(
              "add.s64 %rd5, %rd4, %rd11; ld.global.u32 %r4, [%rd5+64];\n"
              "add.s32 %r20, %r20, %r4; add.s64 %rd4, %rd4, 256;" COUNT("1", "16")));
    check("the sum after the step", 4, 0,
          "mov.u64 %rd4, %rd2;" LOOP(
              "add.s64 %rd4, %rd4, 256; add.s64 %rd5, %rd4, %rd11;\n"
              "ld.global.u32 %r4, [%rd5+64]; add.s32 %r20, %r20, %r4;" COUNT("1", "16")));
    check("the sum is read behind the loop", 5, 0,
          "mov.u64 %rd4, %rd2;" LOOP("add.s64 %rd5, %rd4, %rd11; ld.global.u32 %r4, [%rd5+64];\n"
                                     "add.s32 %r20, %r20, %r4; add.s64 %rd4, %rd4, 256;" COUNT(
                                         "1", "16")) "ld.global.u32 %r21, [%rd5+4];");
    check("so is the stepped word", 5, 0,
          LOOP(SUM COUNT("1", "16")) "ld.global.u32 %r21, [%rd3+8];");
    check("a step that is no constant", 4, 0,
          "cvt.u64.u32 %rd6, %r1; shl.b64 %rd6, %rd6, 3; mov.u64 %rd4, %rd2;" LOOP(
              "add.s64 %rd5, %rd4, %rd11; ld.global.u32 %r4, [%rd5];\n"
              "add.s32 %r20, %r20, %r4; add.s64 %rd4, %rd4, %rd6;" COUNT("1", "16")));
    check(
        "far ones", 4, 0,
        "mov.u64 %rd4, %rd2;" LOOP("add.s64 %rd5, %rd4, %rd11; and.b64 %rd5, %rd5, 0x7fffffffffc;\n"
                                   "add.s64 %rd7, %rd4, 0x7ffffff0; sub.s64 %rd5, %rd7, %rd4;\n"
                                   "mov.b64 {%r4, %r5}, %rd5; ld.global.u32 %r5, [%rd3];\n"
                                   "add.s32 %r20, %r20, %r4; add.s32 %r21, %r21, %r5;\n"
                                   "add.s64 %rd4, %rd4, 0x40000000;" COUNT("1", "16")));
}
