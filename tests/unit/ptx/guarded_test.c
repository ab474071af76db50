/* guarded_test.c - results under a guard, registers that are assigned again, and groups gathered
 * again (ir/lir_guarded.c, lir_webs.c, lir_cse.c). Each kernel runs optimised and unoptimised, with
 * equal results. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 64, BYTES = 32 * THREADS, DATA = 4096 };

/* %rd1: the thread's 32 bytes of results; %rd2: its 32 bytes of data; %r1: the thread; %p1: its
 * number is odd; %p2: it is below 16. */
#define HEAD                                                                                   \
    ".version 7.5\n.target sm_70\n.address_size 64\n"                                          \
    ".visible .entry k(.param .u64 a, .param .u64 b)\n{ .reg .pred %p<9>; .reg .b32 %r<60>;\n" \
    ".reg .b64 %rd<20>; .reg .f32 %f<60>; .reg .f64 %fd<20>; .shared .align 16 .b8 s[4096];\n" \
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd9, %r1, 32; ld.param.u64 %rd10, [a];\n"              \
    "add.s64 %rd1, %rd10, %rd9; ld.param.u64 %rd11, [b]; add.s64 %rd2, %rd11, %rd9;\n"         \
    "and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0; setp.lt.u32 %p2, %r1, 16;\n"
#define TAIL " ret; }\n"
#define LOAD(n, at, p) \
    p " ld.global.v4.u32 {%r" n "0, %r" n "1, %r" n "2, %r" n "3}, [%rd2+" at "];\n"
#define SET(n, to)                                                                           \
    "mov.u32 %r" n "0, " to "; mov.u32 %r" n "1, " to "; mov.u32 %r" n "2, " to "; mov.u32 " \
    "%r" n "3, " to ";\n"
#define SAVE(n, at) "st.global.v4.u32 [%rd1+" at "], {%r" n "0, %r" n "1, %r" n "2, %r" n "3};\n"

struct seen {
    unsigned copies;  /* MOV of registers */
    unsigned between; /* those between the first load of global memory and the last */
    unsigned all;     /* instructions */
    uint64_t ptx;     /* PTX instructions that warps executed */
    uint8_t result[BYTES];
};

/* Compiles and runs one kernel, `plain`: without optimisation. */
static void run_one(const char *text, bool plain, struct seen *out) {
    struct ptx_options o;
    struct run r;
    ptx_options_default(&o);
    o.no_optimize = plain;
    run_open(&r, text, &o);
    const struct mir_function *f = &r.module->functions[0];
    unsigned pending = 0;
    bool loaded = false;
    memset(out, 0, sizeof *out);
    out->all = f->num_inst;
    for (uint32_t i = 0; i < f->num_inst; i++) {
        const struct mir_inst *in = &f->code[i];
        const bool copy = in->op == MIR_MOV && in->src[0].kind == MIR_SRC_REG &&
                          in->src[0].reg != MIR_RZ;
        out->copies += copy;
        pending += loaded && copy;
        if (in->op != MIR_LDG) continue;
        out->between += pending;
        pending = 0;
        loaded = true;
    }
    uint64_t params[2] = {(uintptr_t)r.base, (uintptr_t)r.base + DATA};
    for (uint32_t i = 0; i < BYTES / 4; i++) {
        const uint32_t word = 0x3f800000 + i * 2654435761u % 4096;
        memcpy(r.base + DATA + 4 * i, &word, 4);
    }
    heddle_err e = run_kernel(&r, "k", 1, THREADS, params, sizeof params, 0);
    cr_assert_eq(e, HEDDLE_OK, "%s", heddle_err_text(e));
    memcpy(out->result, r.base, BYTES);
    out->ptx = r.counts.ptx_warp_inst;
    run_close(&r);
}

/* Runs the body optimised and unoptimised and compares results and executed PTX. @return what the
 * optimised code is like. */
static struct seen check(const char *what, const char *body) {
    static char text[8192];
    static struct seen optimised, plain;
    snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
    run_one(text, false, &optimised);
    run_one(text, true, &plain);
    run_expect_same(optimised.result, plain.result, THREADS, 8, what);
    cr_expect_eq(optimised.ptx, plain.ptx, "%s: %lu PTX instructions, not %lu", what,
                 (unsigned long)optimised.ptx, (unsigned long)plain.ptx);
    return optimised;
}

/* The old value lies in the load's registers before; nothing is copied behind it. */
Test(ptx_guarded, a_vector_is_loaded_over_its_old_value) {
    struct seen s = check("constant", SET("1", "7") LOAD("1", "0", "@%p1") SAVE("1", "0"));
    cr_expect_eq(s.copies, 0, "constant: %u copies", s.copies);
    s = check("negated", SET("1", "7") LOAD("1", "0", "@!%p1") SAVE("1", "0"));
    cr_expect_eq(s.copies, 0, "negated: %u copies", s.copies);
    s = check("of another load", "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2+16];\n" LOAD(
                                     "1", "0", "@%p1") SAVE("1", "0"));
    cr_expect_eq(s.copies, 0, "of another load: %u copies", s.copies);
}

Test(ptx_guarded, loads_wait_for_none_of_the_others) {
    struct seen s = check("two", SET("1", "7") SET("2", "8") LOAD("1", "0", "@%p1")
                                     LOAD("2", "16", "@%p2") SAVE("1", "0") SAVE("2", "16"));
    cr_expect_eq(s.between, 0, "%u copies between the loads", s.between);
    s = check("in place of branches",
              SET("1", "7") SET("2", "8") "@%p1 bra A;\n" LOAD(
                  "1", "0", "") "A: @%p2 bra B;\n" LOAD("2", "16", "") "B:\n" SAVE("1", "0")
                  SAVE("2", "16"));
    cr_expect_eq(s.between, 0, "%u copies between the loads in place of branches", s.between);
    cr_expect_eq(s.copies, 0, "%u copies in place of branches", s.copies);
}

/* Old values that others read as well, or that have another place in their group, are kept. */
Test(ptx_guarded, old_values_with_other_readers) {
    check("read behind", SET("1", "%r1") "mov.u32 %r30, %r11;\n" LOAD("1", "0", "@%p1")
                             SAVE("1", "0") "st.global.u32 [%rd1+16], %r30;\n");
    check("read in between", SET("1", "%r1") LOAD("1", "0", "@%p1") "add.u32 %r30, %r12, 5;\n" SAVE(
                                 "1", "0") "st.global.u32 [%rd1+16], %r30;\n");
    check(
        "turned round",
        SET("1", "%r1") "@%p1 ld.global.v4.u32 {%r13, %r12, %r11, %r10}, [%rd2];\n" SAVE("1", "0"));
    check("twice", SET("1", "%r1") LOAD("1", "0", "@%p1") LOAD("1", "0", "@%p2") SAVE("1", "0"));
    check("one register twice",
          SET("1", "%r1") "@%p1 ld.global.v2.u32 {%r10, %r10}, [%rd2];\n" SAVE("1", "0"));
    check("the guard changes",
          SET("1", "%r1")
              LOAD("1", "0", "@%p1") "setp.lt.u32 %p1, %r1, 9;\n" LOAD("1", "0", "@!%p1")
                  SAVE("1", "0"));
    check("an address", "mov.u64 %rd5, %rd2; @%p1 ld.global.v2.u64 {%rd5, %rd6}, [%rd5];\n"
                        "and.b64 %rd5, %rd5, 31; st.global.u64 [%rd1], %rd5;\n");
}

/* Not read in lanes that do not load: nothing is kept. */
Test(ptx_guarded, without_old_value) {
    struct seen s = check("read under the guard",
                          LOAD("1", "0", "@%p1") "@%p1 st.global.v4.u32 [%rd1], "
                                                 "{%r10, %r11, %r12, %r13};\n");
    cr_expect_eq(s.copies, 0, "read under the guard: %u copies", s.copies);
    s = check("selected", LOAD("1", "0", "@%p1") "selp.u32 %r20, %r10, 1, %p1;\n"
                                                 "st.global.u32 [%rd1], %r20;\n");
    cr_expect_eq(s.copies, 0, "selected: %u copies", s.copies);
}

/* In a loop, lanes that skip the load keep the value of the iteration before. */
Test(ptx_guarded, of_an_earlier_iteration) {
    check(
        "a vector",
        SET("1", "1") "mov.u32 %r3, 0;\nL: and.b32 %r4, %r3, %r1; setp.ne.u32 %p3, %r4, 0;\n" LOAD(
            "1", "0",
            "@%p3") "add.u32 %r30, %r30, %r10;\n add.s64 %rd2, %rd2, 16;\n"
                    "add.s32 %r3, %r3, 1; setp.ne.s32 %p4, %r3, 3; @%p4 bra L;\n" SAVE("1", "0"));
    check("a sum", "mov.f64 %fd1, 0d3FF0000000000000; mov.u32 %r3, 1;\n"
                   "L: setp.lt.u32 %p3, %r1, %r3; @%p3 bra N;\n"
                   "ld.global.f64 %fd2, [%rd2]; add.f64 %fd1, %fd1, %fd2;\n"
                   "N: shl.b32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, 64; @%p4 bra L;\n"
                   "st.global.f64 [%rd1], %fd1;\n");
}

/* A sum under a guard is computed in the register of its old value. */
Test(ptx_guarded, a_sum_in_place) {
    struct seen s = check("a double", "ld.global.f64 %fd1, [%rd2]; @%p1 bra N;\n"
                                      "ld.global.f64 %fd2, [%rd2+8]; add.f64 %fd1, %fd1, %fd2;\n"
                                      "N: st.global.f64 [%rd1], %fd1;\n");
    cr_expect_eq(s.copies, 0, "%u copies", s.copies);
}

/* A register is used for unrelated values: each is folded like one with a name of its own. */
Test(ptx_webs, registers_that_are_assigned_again) {
    struct seen s = check("dead", "mov.u32 %r3, %r1; st.global.u32 [%rd1], %r3;\n"
                                  "mov.u32 %r3, %r2; st.global.u32 [%rd1+4], %r3;\n"
                                  "mov.u32 %r3, 9; mov.u32 %r3, %r1;\n");
    cr_expect_eq(s.copies, 0, "dead: %u copies", s.copies);
    s = check("constants", "mov.u32 %r3, 5; add.u32 %r4, %r1, %r3; st.global.u32 [%rd1], %r4;\n"
                           "mov.u32 %r3, 6; add.u32 %r4, %r2, %r3; st.global.u32 [%rd1+4], %r4;\n");
    struct seen t = check("of their own",
                          "mov.u32 %r3, 5; add.u32 %r4, %r1, %r3; st.global.u32 [%rd1], %r4;\n"
                          "mov.u32 %r5, 6; add.u32 %r6, %r2, %r5; st.global.u32 [%rd1+4], %r6;\n");
    cr_expect_eq(s.all, t.all, "%u instructions, with other names %u", s.all, t.all);
}

Test(ptx_webs, values_that_meet_keep_one_name) {
    check("two ways", "@%p1 bra A; mul.lo.u32 %r3, %r1, 3; mul.lo.u32 %r4, %r1, %r3;\n"
                      "st.global.u32 [%rd1+4], %r4; bra B;\nA: ld.global.u32 %r3, [%rd2];\n"
                      "mul.lo.u32 %r4, %r3, %r3; st.global.u32 [%rd1+8], %r4;\n"
                      "B: st.global.u32 [%rd1], %r3; mov.u32 %r3, 4; add.u32 %r3, %r3, %r1;\n"
                      "st.global.u32 [%rd1+12], %r3;\n");
    check("pairs by words", "mov.b64 %rd5, {%r1, %r2}; st.global.u64 [%rd1], %rd5;\n"
                            "mov.b64 {%r5, %r6}, %rd5; add.u32 %r5, %r5, 1; mov.b64 %rd5, "
                            "{%r6, %r5}; st.global.u64 [%rd1+8], %rd5;\n");
    check("predicates", "setp.gt.u32 %p1, %r1, 40; selp.u32 %r3, 1, 2, %p1;\n"
                        "@%p2 setp.eq.u32 %p1, %r1, 3; selp.u32 %r4, 1, 2, %p1;\n"
                        "st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4;\n"
                        "setp.lt.u32 %p1, %r1, 7; selp.u32 %r5, 5, 6, %p1;\n"
                        "st.global.u32 [%rd1+8], %r5;\n");
    check("a loop", "mov.u32 %r3, 0; mov.u32 %r4, %r1;\nL: add.u32 %r4, %r4, %r3; mov.u32 %r5, %r4;"
                    "add.u32 %r3, %r3, 1; mov.u32 %r4, %r5; setp.lt.u32 %p3, %r3, 5;\n"
                    "@%p3 bra L; st.global.u32 [%rd1], %r4; mov.u32 %r4, %r3;\n"
                    "st.global.u32 [%rd1+4], %r4;\n");
}

/* A comparison that asks again for what a selection answered is the predicate itself. */
Test(ptx_guarded, a_predicate_by_way_of_a_number) {
    struct seen s = check("asked again", "selp.u32 %r3, 1, 0, %p1; setp.ne.b32 %p3, %r3, 0;\n"
                                         "@%p3 st.global.u32 [%rd1], %r1;\n");
    struct seen t = check("itself", "@%p1 st.global.u32 [%rd1], %r1;\n");
    cr_expect_eq(s.all, t.all, "%u instructions, not %u", s.all, t.all);
    check("other numbers",
          "selp.u32 %r3, 5, -7, %p1; setp.lt.s32 %p3, %r3, 5; setp.lt.u32 %p4, "
          "%r3, 5;\n@%p3 st.global.u32 [%rd1], %r1;\n"
          "@%p4 st.global.u32 [%rd1+4], %r1; @!%p4 st.global.u32 [%rd1+8], %r1;\n");
    check("the predicate changes",
          "selp.u32 %r3, 1, 0, %p1; setp.lt.u32 %p1, %r1, 20; setp.ne.b32 %p3, %r3, 0;\n"
          "@%p3 st.global.u32 [%rd1], %r1; @%p1 st.global.u32 [%rd1+4], %r1;\n");
}

/* Words that several operands need side by side are gathered once. */
Test(ptx_groups, the_same_words_are_gathered_once) {
    struct seen one = check("one", "mov.b64 %rd5, {%r1, %r2}; st.global.u64 [%rd1], %rd5;\n");
    struct seen two = check("three", "mov.b64 %rd5, {%r1, %r2}; st.global.u64 [%rd1], %rd5;\n"
                                     "mov.b64 %rd6, {%r1, %r2}; st.global.u64 [%rd1+8], %rd6;\n"
                                     "mov.b64 %rd7, {%r1, %r2}; st.global.u64 [%rd1+16], %rd7;\n");
    cr_expect_eq(two.all, one.all + 2, "%u instructions for two stores more, not %u",
                 two.all - one.all, 2);
    check("other words", "mov.b64 %rd5, {%r1, %r2}; mov.b64 %rd6, {%r2, %r1};\n"
                         "st.global.u64 [%rd1], %rd5; st.global.u64 [%rd1+8], %rd6;\n"
                         "add.u32 %r1, %r1, 1; mov.b64 %rd7, {%r1, %r2};\n"
                         "st.global.u64 [%rd1+16], %rd7;\n");
    check("behind branches", "@%p1 bra A; mov.b64 %rd5, {%r1, 4}; st.global.u64 [%rd1], %rd5;\n"
                             "A: mov.b64 %rd6, {%r1, 4}; st.global.u64 [%rd1+8], %rd6;\n");
}

/* Divisions by the same number, and equal roots, stay apart, as with ptxas. */
Test(ptx_groups, divisions_are_not_merged) {
    static const struct {
        const char *name, *body;
        unsigned approximations;
    } row[] = {
        {"f64", "div.rn.f64 %fd4, %fd1, %fd3; div.rn.f64 %fd5, %fd2, %fd3;", 2},
        {"f32", "div.rn.f32 %f4, %f1, %f3; div.rn.f32 %f5, %f2, %f3;", 2},
        {"reciprocals", "rcp.rn.f64 %fd4, %fd3; rcp.rn.f64 %fd5, %fd3;", 2},
        {"roots", "sqrt.rn.f32 %f4, %f3; sqrt.rn.f32 %f5, %f3;", 2},
        {"approximations", "rcp.approx.ftz.f32 %f4, %f3; rcp.approx.ftz.f32 %f5, %f3;", 1},
    };
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct run r;
        static char text[4096];
        snprintf(text, sizeof text,
                 "%sld.global.v2.f64 {%%fd1, %%fd2}, [%%rd2]; ld.global.f64 %%fd3, [%%rd2+16];\n"
                 "ld.global.v2.f32 {%%f1, %%f2}, [%%rd2]; ld.global.f32 %%f3, [%%rd2+16];\n"
                 "mov.f64 %%fd4, 0d0000000000000000; mov.f64 %%fd5, 0d0000000000000000; mov.f32 "
                 "%%f4, 0f00000000; mov.f32 %%f5, 0f00000000;\n"
                 "%s\nst.global.v2.f64 [%%rd1], {%%fd4, %%fd5};\n"
                 "st.global.v2.f32 [%%rd1+16], {%%f4, %%f5};\n%s",
                 HEAD, row[i].body, TAIL);
        run_open(&r, text, NULL);
        const unsigned n = run_count(&r.module->functions[0], MIR_MUFU);
        cr_expect_eq(n, row[i].approximations, "%s: %u", row[i].name, n);
        run_close(&r);
    }
}
