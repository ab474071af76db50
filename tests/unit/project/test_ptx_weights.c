/* test_ptx_weights.c - project/ptx_flow.c and ptx_weights.c: how often blocks of a PTX kernel
 * ran, by the counters of a profile. Worked out by hand. Expansions are those of 7.5: div.rn.f32
 * has 5 fused multiply-adds, 10 FLOP, and 11 instructions; 9.0 has one instruction less. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "project/ptx_weights.h"
#include "ptx/parse/ptx_parse.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
#define KERNEL "k.ptx" /* line 4 begins the kernel */

static struct arena arena;
static struct ptx_flow flow;
static struct project_kernel k;
static struct heddle_diag diag;
static double threads[64];

/* 100 CTAs of 100 threads. */
static void set_up(void) {
    arena_init(&arena);
    k = (struct project_kernel){.name = (char *)"k"};
    project_set(&k, METRIC_CTAS, 100);
    project_set(&k, METRIC_CTA_THREADS, 100);
    project_set(&k, METRIC_THREAD_INST, 10e6);
}
static void tear_down(void) {
    ptx_flow_clear(&flow);
    arena_free(&arena);
}
TestSuite(ptx_weights, .init = set_up, .fini = tear_down);

/* Makes the flow of the last function of a module. */
static heddle_err make(const char *text) {
    struct ptx_module *m;
    cr_assert_eq(ptx_parse(text, strlen(text), KERNEL, &arena, &m, &diag), HEDDLE_OK, "%s",
                 diag.text);
    const struct ptx_func *f = m->funcs;
    while (f->next) f = f->next;
    return ptx_flow_make(&flow, m, f, KERNEL, &diag);
}
static void body(const char *statements) {
    static char text[4096];
    snprintf(text, sizeof text,
             HEAD ".visible .entry k()\n{\n.reg .pred p, q; .reg .f32 a, b; .reg .f64 c; "
                  ".reg .b32 r, s;\n%s}\n",
             statements);
    cr_assert_eq(make(text), HEDDLE_OK, "%s", diag.text);
}
static void counted(double flop32, double flop64) {
    project_set(&k, METRIC_FP32_ADD, flop32);
    project_set(&k, METRIC_FP32_MUL, 0);
    project_set(&k, METRIC_FP32_FMA, 0);
    project_set(&k, METRIC_FP64_ADD, flop64);
    project_set(&k, METRIC_FP64_MUL, 0);
    project_set(&k, METRIC_FP64_FMA, 0);
}
static void check(enum ptx_certainty want) {
    cr_assert_eq(ptx_weights_find(threads, &flow, &k, 75), want);
}
/* Executions of special operation i. */
static void check_special(size_t i, const char *form, double want) {
    cr_assert_lt(i, flow.num_specials);
    cr_assert_str_eq(flow.special[i].form, form);
    cr_assert_float_eq(threads[flow.special[i].block], want, 1e-3 * want + 1e-3, "%s: %.12g", form,
                       threads[flow.special[i].block]);
}

Test(ptx_weights, every_thread_runs_what_no_branch_leads_around) {
    body("div.rn.f32 a, a, b;\nret;\n");
    cr_assert_eq(flow.num_blocks, 1);
    check(PTX_IDENTIFIED);
    check_special(0, "div.rn.f32", 10000);
}

/* The loop has 10 + 2 FLOP: 1,200,000 are 100,000 executions. */
Test(ptx_weights, flop_count_the_rounds_of_a_loop) {
    body(
        "L:\ndiv.rn.f32 a, a, b;\nfma.rn.f32 a, a, a, b;\nsetp.lt.u32 p, r, s;\n@p bra L;\nret;\n");
    counted(1.2e6, 0);
    check(PTX_IDENTIFIED);
    check_special(0, "div.rn.f32", 100000);
}

/* A branch takes the division, the other one a multiplication: 2,500 x 10 + 7,500 FLOP. */
Test(ptx_weights, flop_tell_two_sides_of_a_branch_apart) {
    body("@p bra L;\ndiv.rn.f32 a, a, b;\nbra M;\nL:\nmul.f32 a, a, b;\nM:\nret;\n");
    counted(32500, 0);
    check(PTX_IDENTIFIED);
    check_special(0, "div.rn.f32", 2500);
}

/* Double precision none: the division of that never ran. */
Test(ptx_weights, a_count_of_zero_excludes_a_block) {
    body("@p bra L;\ndiv.rn.f64 c, c, c;\nL:\nret;\n");
    counted(0, 0);
    check(PTX_IDENTIFIED);
    check_special(0, "div.rn.f64", 0);
}

/* A guarded division is a block that threads may go around: 1,000 of them did not. */
Test(ptx_weights, a_guarded_operation) {
    body("add.f32 a, a, b;\n@p div.rn.f32 a, a, b;\nret;\n");
    counted(20000, 0);
    check(PTX_IDENTIFIED);
    check_special(0, "div.rn.f32", 1000);
}

/* Special functions of the profile (nvprof's) bound a loop that has no FLOP. */
Test(ptx_weights, special_functions_are_a_bound) {
    body("L:\nrcp.rn.f32 a, a;\nadd.f32 b, b, a;\n@p bra L;\n@q bra M;\nM:\nret;\n");
    project_set(&k, METRIC_SPECIAL, 10000);
    check(PTX_IDENTIFIED);
    check_special(0, "rcp.rn.f32", 10000);
}

/* Integer divisions in a loop leave no trace among the counters. All blocks alike would run as
 * often as gives 10e6 instructions: 22 of the division, 3 others; but one of the bounds is the
 * flow. */
Test(ptx_weights, what_no_counter_tells_counts_alike) {
    body("L:\nrem.s32 r, r, s;\nsetp.lt.u32 p, r, s;\n@p bra L;\nret;\n");
    counted(0, 0);
    check(PTX_STATIC);
    check_special(0, "rem.s32", 10e6 / 25);
    cr_assert_float_eq(threads[1], 10000, 1, "every thread returns once: %.12g", threads[1]);
}

/* An operation that is the same on all capabilities needs no count. */
Test(ptx_weights, operations_without_effect_are_always_known) {
    body("L:\nex2.approx.ftz.f32 a, a;\n@p bra L;\nret;\n");
    check(PTX_IDENTIFIED);
}

/* 10,000 divisions of 10 FLOP, and the profile has 50,000. */
Test(ptx_weights, a_profile_of_another_kernel) {
    body("div.rn.f32 a, a, b;\nret;\n");
    counted(50000, 0);
    check(PTX_CONTRADICTED);
    check_special(0, "div.rn.f32", 10e6 / 12);
    counted(108000, 0); /* within 10 % */
    check(PTX_IDENTIFIED);
    check_special(0, "div.rn.f32", 10000);
}

Test(ptx_weights, without_a_shape_all_blocks_count_alike) {
    body("div.rn.f32 a, a, b;\nret;\n");
    k.known[METRIC_CTAS] = false;
    k.of[METRIC_CTAS] = 0;
    check(PTX_STATIC);
    check_special(0, "div.rn.f32", 10e6 / 12);
}

/* A table of branches, scopes, a call of the system, and half precision without ".rn". */
Test(ptx_weights, statements_of_all_kinds) {
    cr_assert_eq(make(HEAD ".extern .func (.param .b32 o) vprintf (.param .b64 a, .param .b64 b);\n"
                           ".visible .entry k()\n{\n.reg .b32 r, h; .reg .b64 d; .reg .pred p;\n"
                           ".param .b32 o; .param .b64 x, y;\n"
                           "t: .branchtargets A, B;\n"
                           "brx.idx r, t;\n"
                           "A:\n{\nmul.f16x2 h, h, h;\n}\nexit;\n"
                           "B:\ncall (o), vprintf, (x, y);\n@p trap;\n}\n"),
                 HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(flow.num_blocks, 4);
    cr_assert_eq(flow.num_ways, 6, "%zu",
                 flow.num_ways); /* 2 of the table, exit, trap, next, end */
    cr_assert_str_eq(flow.special[0].form, "mul.rn.f16x2");
    cr_assert_eq(flow.special[0].block, 1);
    cr_assert_eq(flow.special[0].line, 13);
}

static void refused(const char *functions, const char *statements, const char *message) {
    char text[2048];
    snprintf(text, sizeof text, HEAD "%s.visible .entry k()\n{\n.reg .b64 d;\n%s}\n", functions,
             statements);
    cr_assert_eq(make(text), HEDDLE_ERR_PTX_UNSUPPORTED);
    cr_assert_str_eq(diag.text, message);
    cr_assert_eq(flow.num_blocks, 0);
}
Test(ptx_weights, refuses_what_is_not_the_kernels_own) {
    refused(".func f() { ret; }\n", "call f;\nret;\n", "k.ptx:8: kernel k calls function f");
    refused("", "call d, ();\nret;\n", "k.ptx:7: kernel k calls function d");
    refused("", "bra L;\nret;\n", "k.ptx:7: kernel k branches to a label that is not in it: L");
    refused("", "brx.idx d, t;\nret;\n", "k.ptx:7: kernel k branches by a table that is not in it");
}
