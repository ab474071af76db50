/* loops_test.c - loops: which ones are unrolled, and that induction variables need no copies. Each
 * kernel runs optimised and unoptimised, with equal results. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 32, WORDS = 4, BYTES = 4 * WORDS * THREADS, DATA = 65536 };

/* %rd1: 16 bytes of the thread's own in the results, into which %r20 to %r23 go; %rd2: data, a word
 * of which is its number times 2654435761; %rd3: the thread's word there; %r1: the thread. */
#define HEAD                                                                                \
    ".version 7.5\n.target sm_70\n.address_size 64\n"                                       \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{ .reg .pred %p<9>;\n" \
    ".reg .b32 %r<40>; .reg .f32 %f<3>; .reg .b64 %rd<20>; .shared .align 4 .b8 s[128];\n"  \
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
    unsigned loads, copies; /* LDG, LDS; MOV of registers, in loops */
    uint64_t ptx;           /* PTX instructions that warps executed */
    uint8_t result[BYTES];
};

/* Compiles and runs one kernel, `plain`: without optimisation; counts its loads and copies, and
 * copies its results to `out`. */
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
        out->loads += f->code[i].op == MIR_LDG || f->code[i].op == MIR_LDS;
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
    out->ptx = r.counts.ptx_warp_inst;
    run_close(&r);
}

/* Runs the body optimised and unoptimised and compares the results. The optimised code must have
 * `loads` loads, and at most `copies` copies in loops. @return whether both executed the same
 * number of PTX instructions */
static bool check(const char *what, unsigned loads, unsigned copies, const char *body) {
    struct seen optimised, plain;
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
    run_one(text, false, &optimised);
    run_one(text, true, &plain);
    run_expect_same(optimised.result, plain.result, THREADS, WORDS, body);
    cr_expect_eq(optimised.loads, loads, "%s: %u loads", what, optimised.loads);
    cr_expect(optimised.copies <= copies, "%s: %u copies", what, optimised.copies);
    return optimised.ptx == plain.ptx;
}

/* The same for iterations that all lanes execute together: no PTX instruction is lost or counted
 * twice. */
static void check_known(const char *what, unsigned loads, unsigned copies, const char *body) {
    cr_expect(check(what, loads, copies, body), "%s: not the same PTX", what);
}

#define TURN(test) LOOP(SUM "add.s32 %r3, %r3, 1;" test)
#define FMA5                                                            \
    "mad.lo.s32 %r21, %r21, 3, %r4; mad.lo.s32 %r22, %r22, 5, %r21;\n"  \
    "mad.lo.s32 %r23, %r23, 7, %r22; mad.lo.s32 %r21, %r21, 9, %r23;\n" \
    "mad.lo.s32 %r22, %r22, 11, %r21;\n"

Test(ptx_loops, short_loops_of_known_length_are_written_out) {
    check_known("32 turns", 32, 0, LOOP(SUM COUNT("1", "32")));
    check_known("30 turns", 30, 0, LOOP(SUM COUNT("1", "30")));
    check_known("1 turn", 1, 0, LOOP(SUM COUNT("1", "1")));
    check_known("8 turns of 16", 8, 0, LOOP(SUM COUNT("16", "128")));
    check_known("down", 16, 0, "mov.u32 %r3, 16;" LOOP(SUM COUNT("-1", "0")));
    check_known("from 3", 16, 0, "mov.u32 %r3, 3;" LOOP(SUM COUNT("2", "35")));
    check_known("less", 11, 0, LOOP(SUM "add.s32 %r3, %r3, 3; setp.lt.s32 %p1, %r3, 32;"));
    check_known("less or equal", 12, 0, LOOP(SUM "add.s32 %r3, %r3, 3; setp.le.s32 %p1, %r3, 33;"));
    check_known("greater", 11, 0, LOOP(SUM "add.s32 %r3, %r3, -3; setp.gt.s32 %p1, %r3, -33;"));
    check_known("greater or equal", 12, 0,
                LOOP(SUM "add.s32 %r3, %r3, -3; setp.ge.s32 %p1, %r3, -33;"));
    check_known("unsigned", 5, 0,
                "mov.u32 %r3, 0xfffffff0;" LOOP(SUM "add.s32 %r3, %r3, 3;"
                                                    "setp.lt.u32 %p1, %r3, 0xfffffffe;"));
    check_known("equal", 2, 0, LOOP(SUM "setp.eq.s32 %p1, %r3, 0; add.s32 %r3, %r3, 1;"));
    check_known("the test before the step", 9, 0,
                LOOP(SUM "setp.lt.s32 %p1, %r3, 8; add.s32 %r3, %r3, 1;"));
    check_known("until the test fails", 8, 0,
                "L:\n" SUM "add.s32 %r3, %r3, 1;"
                "setp.ge.s32 %p1, %r3, 8; @!%p1 bra L;\n");
    check_known("a barrier in it", 16, 0, LOOP("bar.sync 0;" SUM COUNT("1", "16")));
    check_known(
        "two loops", 40, 0,
        LOOP(SUM COUNT("1", "16")) "mov.u32 %r3, 0; M:\n" SUM COUNT("1", "24") "@%p1 bra M;\n");
    check_known("one in another", 12, 0,
                "mov.u32 %r5, 0; O: mov.u32 %r3, 0;" LOOP(SUM COUNT(
                    "1", "4")) "add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra O;");
}

Test(ptx_loops, longer_ones_are_written_out_in_part) {
    /* seven instructions and a load weigh 8, and 350 are allowed: 43 iterations */
    check_known("25 of 40", 40, 1, LOOP(SUM FMA5 COUNT("1", "1000")));
    check_known("25 of 40, and 1", 41, 1, LOOP(SUM FMA5 COUNT("1", "1001")));
    check_known("8 of 37, and 4", 41, 1, LOOP(SUM FMA5 COUNT("1", "300")));
}

Test(ptx_loops, unknown_lengths_four_turns_at_a_time) {
    check("until the parameter", 7, 1, TURN("setp.ne.s32 %p1, %r3, %r2;"));
    check("from the thread's number", 7, 1,
          "and.b32 %r3, %r1, 7; shl.b32 %r3, %r3, 2;" LOOP(SUM COUNT("1", "32")));
    /* each unrolled iteration weighs two more in the outer loop: 46 in all, then 51 */
#define AROUND(n)                              \
    "mov.u32 %r5, 0; O: mov.u32 %r3, 0;" LOOP( \
        SUM COUNT("1", n)) "add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r2; @%p2 bra O;"
    check("around a short one", 63, 1, AROUND("9"));
    check("around a longer one", 10, 1, AROUND("10"));
    check("from the counter of another", 7, 1,
          "mov.u32 %r5, 0; O: mov.u32 %r3, %r5;" LOOP(
              SUM COUNT("4", "16")) "add.s32 %r5, %r5, 4; setp.lt.u32 %p2, %r5, 16; @%p2 bra O;");
    /* trip counts that depend on the thread, from 1 on, up to both ends of a word's range */
    check("less", 7, 1, TURN("setp.lt.s32 %p1, %r3, %r1;"));
    check("less or equal", 7, 1, TURN("setp.le.s32 %p1, %r3, %r1;"));
    check("less, unsigned", 7, 1, TURN("setp.lt.u32 %p1, %r3, %r1;"));
    check("less or equal, unsigned", 7, 1, TURN("setp.le.u32 %p1, %r3, %r1;"));
    check("not equal", 7, 1, "add.u32 %r5, %r1, 1;" TURN("setp.ne.u32 %p1, %r3, %r5;"));
    check("the limit first", 7, 1, TURN("setp.gt.s32 %p1, %r1, %r3;"));
    check("at the lower end", 7, 1,
          "mov.u32 %r3, 0x80000000; add.u32 %r5, %r1, %r3;" TURN("setp.lt.s32 %p1, %r3, %r5;"));
    check("at the upper end", 7, 1,
          "sub.s32 %r5, 0x7ffffffe, %r1; mov.u32 %r3, 0x7fffffd0;" TURN(
              "setp.le.s32 %p1, %r3, %r5;"));
    check("at the upper end, unsigned", 7, 1,
          "sub.s32 %r5, 0xfffffffe, %r1; mov.u32 %r3, 0xffffffd0;" TURN(
              "setp.le.u32 %p1, %r3, %r5;"));
    check("not equal, around the end", 7, 1,
          "add.u32 %r5, %r1, 0x7ffffff0; mov.u32 %r3, 0x7fffffe0;" TURN(
              "setp.ne.s32 %p1, %r3, %r5;"));
    check("down", 7, 1,
          "neg.s32 %r5, %r1;" LOOP(SUM "sub.s32 %r3, %r3, 3; setp.gt.s32 %p1, %r3, %r5;"));
    check("down to the lower end", 7, 1,
          "add.u32 %r5, %r1, 0x80000001; mov.u32 %r3, 0x80000030;" LOOP(
              SUM "add.s32 %r3, %r3, -1; setp.ge.s32 %p1, %r3, %r5;"));
    check("down, unsigned", 7, 1,
          "add.u32 %r5, %r1, 1; mov.u32 %r3, 70;" LOOP(
              SUM "add.s32 %r3, %r3, -2; setp.gt.u32 %p1, %r3, %r5;"));
    check("down, not equal", 7, 1,
          "sub.u32 %r3, %r1, 40;" LOOP(SUM "add.s32 %r3, %r3, -1; setp.ne.s32 %p1, %r3, -44;"));
    check("by three, not equal", 7, 1,
          "mul.lo.u32 %r5, %r1, 3; add.u32 %r5, %r5, 6;" LOOP(
              SUM "add.s32 %r3, %r3, 3; setp.ne.s32 %p1, %r3, %r5;"));
    check("the test before the step", 7, 1,
          LOOP(SUM "setp.lt.s32 %p1, %r3, %r1; add.s32 %r3, %r3, 1;"));
}

/* 64-bit counters and pointers; %rd6: the thread's number. */
#define WIDE "cvt.u64.u32 %rd6, %r1; mov.u64 %rd5, 0;"
#define STEP(by) SUM "add.s64 %rd5, %rd5, " by ";"

Test(ptx_loops, counters_of_64_bits) {
    check_known("less", 11, 0, WIDE LOOP(STEP("3") "setp.lt.s64 %p1, %rd5, 32;"));
    check_known("greater or equal", 12, 0, WIDE LOOP(STEP("-3") "setp.ge.s64 %p1, %rd5, -33;"));
    check_known("around 2^32", 10, 0,
                WIDE
                "mov.u64 %rd5, 0xfffffff0;" LOOP(STEP("4") "setp.ne.s64 %p1, %rd5, 0x100000018;"));
    check_known("until 2^32", 8, 0,
                WIDE
                "mov.u64 %rd5, 0xfffffff0;" LOOP(STEP("2") "setp.lt.u64 %p1, %rd5, 0x100000000;"));
    check("until the thread's number", 7, 1, WIDE LOOP(STEP("1") "setp.lt.s64 %p1, %rd5, %rd6;"));
    check("unsigned", 7, 1, WIDE LOOP(STEP("2") "setp.le.u64 %p1, %rd5, %rd6;"));
    check("down to it", 7, 1,
          WIDE "mov.u64 %rd5, 50;" LOOP(STEP("-1") "setp.gt.u64 %p1, %rd5, %rd6;"));
    check("around 2^32 by it", 7, 1,
          WIDE "mov.u64 %rd5, 0xfffffff0; add.s64 %rd6, %rd6, %rd5;" LOOP(
              STEP("1") "setp.lt.s64 %p1, %rd5, %rd6;"));
    check("around the end", 7, 1,
          WIDE "mov.u64 %rd5, 0x7ffffffffffffff0; add.s64 %rd6, %rd6, %rd5;"
               "add.s64 %rd6, %rd6, 4;" LOOP(STEP("1") "setp.ne.s64 %p1, %rd5, %rd6;"));
    check("at the lower end", 7, 1,
          WIDE "mov.u64 %rd5, 0x8000000000000000; add.s64 %rd6, %rd6, %rd5;" LOOP(
              STEP("1") "setp.lt.s64 %p1, %rd5, %rd6;"));
    check("a product", 1, 0,
          WIDE "mov.u32 %r5, 1;" LOOP(SUM "mad.wide.u32 %rd5, %r5, 1, %rd5;"
                                          "setp.lt.s64 %p1, %rd5, %rd6;"));
    check("a pointer", 7, 2,
          WIDE "shl.b64 %rd6, %rd6, 7; add.s64 %rd6, %rd6, %rd3; add.s64 %rd6, %rd6, 128;" LOOP(
              SUM "setp.ne.s64 %p1, %rd3, %rd6;"));
    check("until the parameter", 7, 1,
          "ld.param.u64 %rd6, [b]; add.s64 %rd5, %rd6, -40;" LOOP(
              STEP("1") "setp.lt.u64 %p1, %rd5, %rd6;"));
}

Test(ptx_loops, others_stay_as_they_are) {
    check("by the thread's number", 1, 0,
          "or.b32 %r5, %r1, 31;" LOOP(SUM "add.s32 %r3, %r3, %r5; setp.lt.s32 %p1, %r3, 992;"));
    check("nounroll", 1, 0, LOOP(".pragma \"nounroll\";" SUM COUNT("1", "32")));
    check("a counter stepped twice", 1, 0, LOOP(SUM "add.s32 %r3, %r3, 1;" COUNT("1", "32")));
    check("a counter that is set", 1, 0,
          LOOP(SUM "setp.eq.u32 %p2, %r3, 5; @%p2 mov.u32 %r3, 20;" COUNT("1", "32")));
    check("the limit changes", 1, 0,
          "mov.u32 %r5, 40;" LOOP(SUM "add.s32 %r3, %r3, 1; sub.u32 %r5, %r5, 1;"
                                      "setp.lt.s32 %p1, %r3, %r5;"));
    check("a shuffle in it", 1, 0,
          LOOP(SUM "shfl.sync.bfly.b32 %r20, %r20, 1, 31, -1;" COUNT("1", "16")));
    check("one in another, not to be unrolled", 1, 0,
          "mov.u32 %r5, 0; O: mov.u32 %r3, 0;" LOOP(".pragma \"nounroll\";" SUM COUNT(
              "1", "4")) "add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra O;");
    check("a way out of one of unknown length", 1, 1,
          LOOP(SUM "setp.lt.u32 %p2, %r4, 9; @%p2 bra X;"
                   "add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1;") "X:\n");
    check("heavy turns", 1, 1,
          LOOP(SUM FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 FMA5 COUNT(
              "1", "1000")));
}

/* A loop of a load and `products` multiply-adds, at the limits of unroll_limits.def. */
static void check_weight(const char *load, unsigned products, const char *test, unsigned loads) {
    static char body[6000], what[160];
    size_t n = (size_t)snprintf(body, sizeof body, "L: %s;\n", load);
    for (unsigned i = 0; i < products; i++)
        n += (size_t)snprintf(body + n, sizeof body - n, "mad.lo.s32 %%r20, %%r20, 3, %%r4;\n");
    snprintf(body + n, sizeof body - n, "add.s32 %%r3, %%r3, 1; %s; @%%p1 bra L;\n", test);
    snprintf(what, sizeof what, "%s and %u products, %s", load, products, test);
    check(what, loads, 1, body);
}

Test(ptx_loops, limits_of_weight) {
    check_weight("ld.global.u32 %r4, [%rd3]", 38, "setp.ne.s32 %p1, %r3, 16", 16);
    check_weight("ld.global.u32 %r4, [%rd3]", 39, "setp.ne.s32 %p1, %r3, 16", 8);
    check_weight("ld.global.u32 %r4, [%rd3+4]", 37, "setp.ne.s32 %p1, %r3, 16", 16);
    check_weight("ld.global.u32 %r4, [%rd3+4]", 38, "setp.ne.s32 %p1, %r3, 16", 8);
    check_weight("ld.global.u32 %r4, [%rd3]", 71, "setp.ne.s32 %p1, %r3, 100", 4);
    check_weight("ld.global.u32 %r4, [%rd3]", 72, "setp.ne.s32 %p1, %r3, 100", 1);
    check_weight("ld.global.u32 %r4, [%rd3]", 45, "setp.lt.s32 %p1, %r3, %r1", 7);
    check_weight("ld.global.u32 %r4, [%rd3]", 46, "setp.lt.s32 %p1, %r3, %r1", 1);
    check_weight("st.shared.u32 [s], %r1; ld.shared.u32 %r4, [s+4]", 20,
                 "setp.lt.s32 %p1, %r3, %r1", 7);
    check_weight("bar.warp.sync -1; ld.global.u32 %r4, [%rd3]", 5, "setp.lt.s32 %p1, %r3, 5", 1);
}

/* Branches within an iteration: which values differ from copy to copy, and which stay in one
 * register. */
Test(ptx_loops, turns_of_several_blocks) {
    check("a guard", 32, 33,
          LOOP(SUM "setp.lt.u32 %p2, %r1, 9; @%p2 add.u32 %r21, %r21, %r4;" COUNT("1", "32")));
    check("a way around", 12, 24,
          LOOP(SUM "and.b32 %r5, %r4, 3; setp.eq.u32 %p2, %r5, 0; @%p2 bra M;\n" FMA5
                   "st.global.u32 [%rd1+4], %r22;\n"
                   "M: add.u32 %r23, %r23, %r21;" COUNT("1", "12")));
    check("two ways", 12, 48,
          LOOP(SUM "and.b32 %r5, %r4, 3; setp.eq.u32 %p2, %r5, 0; @%p2 bra M;\n"
                   "add.u32 %r6, %r4, 17; mul.lo.u32 %r7, %r21, %r6; bra N;\n"
                   "M: shr.u32 %r6, %r4, 3; xor.b32 %r7, %r22, %r6;\n"
                   "N: add.u32 %r21, %r6, %r7; add.u32 %r22, %r22, %r3;" COUNT("1", "12")));
    check("of unknown length", 7, 12,
          LOOP(SUM "and.b32 %r5, %r4, 3; setp.eq.u32 %p2, %r5, 0; @%p2 bra M;\n" FMA5
                   "M: add.u32 %r23, %r23, %r21; add.s32 %r3, %r3, 1;"
                   "setp.lt.s32 %p1, %r3, %r1;"));
    check("a way out, and what it found", 16, 64,
          LOOP(SUM
               "and.b32 %r5, %r4, 15; setp.eq.u32 %p2, %r5, 3; mov.u32 %r22, %r5;\n"
               "@%p2 bra X; add.u32 %r21, %r21, %r5;" COUNT("1", "16")) "X: mov.u32 %r23, %r3;\n");
    check("an exit", 8, 16,
          LOOP(SUM "st.global.u32 [%rd1+8], %r4; setp.eq.u32 %p2, %r3, %r1; @%p2 exit;" COUNT(
              "1", "8")));
    check("a predicate of the turn before", 8, 16,
          "setp.eq.u32 %p2, %r1, 0;" LOOP(
              SUM "@%p2 bra M; add.u32 %r21, %r21, %r4;\n"
                  "M: setp.lt.u32 %p2, %r4, 2000000000; add.u32 %r22, %r22, 1;" COUNT("1", "8")));
}

Test(ptx_loops, what_one_turn_leaves_the_next_one_finds) {
    check("a pair of variables", 32, 0,
          LOOP(SUM
               "add.s32 %r5, %r21, %r22; xor.b32 %r21, %r22, %r4; add.s32 %r22, %r5, %r21;\n" COUNT(
                   "1", "32")));
    check("two that change places", 8, 4,
          LOOP(SUM "mov.u32 %r5, %r21; mov.u32 %r21, %r22; mov.u32 %r22, %r5;\n"
                   "add.s32 %r21, %r21, %r4;" COUNT("1", "8")));
    check("a predicate", 32, 0,
          "setp.eq.u32 %p2, %r1, 0;" LOOP(
              SUM "selp.b32 %r5, %r21, %r22, %p2; add.s32 %r23, %r23, %r5;\n"
                  "setp.lt.u32 %p2, %r4, 2000000000;" COUNT("1", "32")));
    check("what was written last", 16, 1, LOOP(SUM "mov.u32 %r21, %r4;" COUNT("1", "16")));
    check("a 64-bit sum", 16, 0,
          "mov.u64 %rd5, 0;" LOOP(SUM "cvt.u64.u32 %rd6, %r4; add.s64 %rd5, %rd5, %rd6;\n" COUNT(
              "1", "16")) "mov.b64 {%r21, %r22}, %rd5;");
}

Test(ptx_loops, addresses_become_offsets) {
    check("a stepped word and one that stays", 16, 0,
          "mov.u64 %rd4, %rd2;" LOOP(
              "add.s64 %rd5, %rd4, %rd11; ld.global.u32 %r4, [%rd5+64];\n"
              "add.s32 %r20, %r20, %r4; add.s64 %rd4, %rd4, 256;" COUNT("1", "16")));
    check("the sum after the step", 16, 0,
          "mov.u64 %rd4, %rd2;" LOOP(
              "add.s64 %rd4, %rd4, 256; add.s64 %rd5, %rd4, %rd11;\n"
              "ld.global.u32 %r4, [%rd5+64]; add.s32 %r20, %r20, %r4;" COUNT("1", "16")));
    check("the sum is read behind the loop", 17, 0,
          "mov.u64 %rd4, %rd2;" LOOP("add.s64 %rd5, %rd4, %rd11; ld.global.u32 %r4, [%rd5+64];\n"
                                     "add.s32 %r20, %r20, %r4; add.s64 %rd4, %rd4, 256;" COUNT(
                                         "1", "16")) "ld.global.u32 %r21, [%rd5+4];");
    check("so is the stepped word", 17, 0,
          LOOP(SUM COUNT("1", "16")) "ld.global.u32 %r21, [%rd3+8];");
    check("a step that is no constant", 16, 0,
          "cvt.u64.u32 %rd6, %r1; shl.b64 %rd6, %rd6, 3; mov.u64 %rd4, %rd2;" LOOP(
              "add.s64 %rd5, %rd4, %rd11; ld.global.u32 %r4, [%rd5];\n"
              "add.s32 %r20, %r20, %r4; add.s64 %rd4, %rd4, %rd6;" COUNT("1", "16")));
    check(
        "far ones", 16, 0,
        "mov.u64 %rd4, %rd2;" LOOP("add.s64 %rd5, %rd4, %rd11; and.b64 %rd5, %rd5, 0x7fffffffffc;\n"
                                   "add.s64 %rd7, %rd4, 0x7ffffff0; sub.s64 %rd5, %rd7, %rd4;\n"
                                   "mov.b64 {%r4, %r5}, %rd5; ld.global.u32 %r5, [%rd3];\n"
                                   "add.s32 %r20, %r20, %r4; add.s32 %r21, %r21, %r5;\n"
                                   "add.s64 %rd4, %rd4, 0x40000000;" COUNT("1", "16")));
}

/* ---- random loops --------------------------------------------------------------------------- */

struct writer {
    char text[6000];
    size_t n;
    uint32_t seed, labels;
};

static uint32_t draw(struct writer *w, uint32_t below) {
    w->seed = w->seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(w->seed >> 8) * below >> 24);
}

__attribute__((format(printf, 2, 3))) static void say(struct writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    w->n += (size_t)vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
    va_end(args);
    cr_assert(w->n < sizeof w->text);
}

/* Returns one of %r20 to %r23, which are live on all paths. */
static unsigned variable(struct writer *w) {
    return 20 + draw(w, 4);
}

/* Writes a random statement; `depth`: how deep branches may nest; `out`: the label of the loop's
 * exit, 0: none. */
static void random_statement(struct writer *w, unsigned depth, unsigned out) {
    unsigned a = variable(w), b = variable(w), label = w->labels++;
    switch (draw(w, depth ? 10 : 7)) {
    case 0: say(w, "add.s32 %%r%u, %%r%u, %%r3;\n", a, b); break;
    case 1: say(w, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u;\n", a, b, draw(w, 99), variable(w)); break;
    case 2:
        say(w, "ld.global.u32 %%r4, [%%rd3+%u]; xor.b32 %%r%u, %%r%u, %%r4;\n", 4 * draw(w, 32), a,
            b);
        break;
    case 3: /* the thread's word of shared memory, and one that the counter names */
        say(w,
            "shl.b32 %%r7, %%r1, 2; st.shared.u32 [%%r7], %%r%u; and.b32 %%r6, %%r3, 31;\n"
            "mul.wide.u32 %%rd12, %%r6, 4; add.s64 %%rd13, %%rd3, %%rd12;\n"
            "ld.global.u32 %%r6, [%%rd13+8]; ld.shared.u32 %%r7, [%%r7];\n"
            "sub.u32 %%r%u, %%r7, %%r6;\n",
            b, a);
        break;
    case 4:
        say(w, "mov.u32 %%r5, %%r%u; mov.u32 %%r%u, %%r%u; mov.u32 %%r%u, %%r5;\n", a, a, b, b);
        break;
    case 5:
        say(w, "setp.lt.s32 %%p2, %%r%u, %%r%u; @%%p2 add.s32 %%r%u, %%r%u, %u;\n", a, b, a, b,
            draw(w, 9));
        break;
    case 6: /* with a guard of its own */
        say(w, "cvt.rn.f32.u32 %%f1, %%r%u; rsqrt.approx.f32 %%f1, %%f1; mov.b32 %%r%u, %%f1;\n", a,
            b);
        break;
    case 7: /* a way around */
        say(w, "and.b32 %%r8, %%r%u, %u; setp.eq.u32 %%p3, %%r8, 0; @%%p3 bra A%u;\n", a,
            1u << draw(w, 4), label);
        for (unsigned i = 1 + draw(w, 5); i--;) random_statement(w, depth - 1, out);
        say(w, "A%u:\n", label);
        break;
    case 8: /* two ways */
        say(w, "setp.lt.u32 %%p4, %%r%u, %%r%u; @%%p4 bra A%u;\n", a, b, label);
        random_statement(w, depth - 1, out);
        say(w, "bra B%u;\nA%u:\n", label, label);
        random_statement(w, depth - 1, out);
        say(w, "B%u:\n", label);
        break;
    default: /* a way out */
        if (out && draw(w, 3) == 0)
            say(w, "and.b32 %%r8, %%r%u, 31; setp.eq.u32 %%p5, %%r8, %u; @%%p5 bra X%u;\n", a,
                draw(w, 32), out);
    }
}

/* Writes a loop with counter %r3 (the outer one: %r9), up or down to a constant or to the thread's
 * number. */
static void random_loop(struct writer *w, unsigned counter, unsigned inner) {
    static const char *const test[2][3] = {{"lt", "le", "ne"}, {"gt", "ge", "ne"}};
    unsigned label = w->labels++, down = draw(w, 2), step = 1 + draw(w, 3), turns = 1 + draw(w, 20);
    unsigned cmp = draw(w, 3), way = draw(w, 3) ? 0 : label;
    int start = down ? 1000 : (int)draw(w, 5) - 2, by = (int)step * (down ? -1 : 1);
    char limit[16];
    say(w, "mov.u32 %%r%u, %d;\n", counter, start);
    if (draw(w, 2)) {
        snprintf(limit, sizeof limit, "%d", start + (int)turns * by);
    } else {
        snprintf(limit, sizeof limit, "%%r%u", counter + 10);
        say(w, "and.b32 %%r8, %%r1, %u; add.u32 %%r8, %%r8, 1;\n", (1u << draw(w, 5)) - 1);
        say(w, "mad.lo.s32 %s, %%r8, %d, %d;\n", limit, by, start);
    }
    say(w, "L%u:\n", label);
    for (unsigned i = 1 + draw(w, 4); i--;) random_statement(w, 2, inner ? 0 : way);
    if (inner) random_loop(w, counter - 6, inner - 1);
    say(w, "add.s32 %%r%u, %%r%u, %d;\n", counter, counter, by);
    say(w, "setp.%s.s32 %%p1, %%r%u, %s;\n@%%p1 bra L%u;\n", test[down][cmp], counter, limit,
        label);
    if (way && !inner) say(w, "X%u:\n", label);
}

Test(ptx_loops, random_ones_give_the_same) {
    static struct writer w;
    struct seen optimised, plain;
    static char text[8192];
    for (uint32_t seed = 1; seed <= 400; seed++) {
        w.n = 0;
        w.seed = seed * 2654435761u;
        w.labels = 1;
        for (unsigned i = 1 + draw(&w, 2); i--;) random_loop(&w, draw(&w, 3) ? 3 : 9, 0);
        if (draw(&w, 2)) random_loop(&w, 9, 1);
        say(&w, "add.u32 %%r23, %%r23, %%r3;\n");
        snprintf(text, sizeof text, "%s%s%s", HEAD, w.text, TAIL);
        run_one(text, false, &optimised);
        run_one(text, true, &plain);
        cr_assert(!memcmp(optimised.result, plain.result, BYTES), "seed %u: other results of\n%s",
                  seed, w.text);
    }
}
