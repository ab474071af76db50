/* special_test.c - how often special operations are counted: each form alone, and where the
 * compiler copies, merges, moves or removes them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "mir/mir_special.h"
#include "run_ptx.h"

enum { BLOCK = 40, WARPS = 2 };

/* Around the body of a kernel: each thread has the words 6 and 2 as %f, %fd, %r, %rd, %h, from
 * memory, and a guard that is true in threads below 8. Results go to %fo, %fdo, %ro, %rdo. */
static const char head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".entry k(.param .u64 p) {\n"
    ".reg .b64 %p0, %rd, %rd2, %rd3, %rdo;\n"
    ".reg .b32 %t, %n, %r, %r2, %ro, %h, %h2, %h3;\n"
    ".reg .f32 %f, %f2, %f3, %f4, %fo; .reg .f64 %fd, %fd2, %fdo; .reg .pred %low, %more;\n"
    "ld.param.u64 %p0, [p]; mov.u32 %t, %tid.x; setp.lt.u32 %low, %t, 8;\n"
    "ld.global.f32 %f, [%p0]; ld.global.f32 %f2, [%p0+4];\n"
    "ld.global.f64 %fd, [%p0+8]; ld.global.f64 %fd2, [%p0+16];\n"
    "ld.global.b32 %r, [%p0+24]; ld.global.b32 %r2, [%p0+28];\n"
    "ld.global.b64 %rd, [%p0+32]; ld.global.b64 %rd2, [%p0+40];\n"
    "ld.global.b32 %h, [%p0+48]; ld.global.b32 %h2, [%p0+52];\n"
    "mov.f32 %fo, 0f00000000; mov.f64 %fdo, 0d0000000000000000; mov.b32 %ro, 0; mov.b64 %rdo, 0;\n";
static const char tail[] = "\nst.global.f32 [%p0+64], %fo; st.global.f64 [%p0+72], %fdo;\n"
                           "st.global.b32 [%p0+80], %ro; st.global.b64 [%p0+88], %rdo; ret; }\n";

static struct run r;

static void run_body(const char *body) {
    static char text[8192];
    snprintf(text, sizeof text, "%s%s%s", head, body, tail);
    run_open(&r, text, NULL);
    *(float *)(void *)r.base = 6;
    *(float *)(void *)(r.base + 4) = 2;
    *(double *)(void *)(r.base + 8) = 6;
    *(double *)(void *)(r.base + 16) = 2;
    *(uint32_t *)(void *)(r.base + 24) = 6;
    *(uint32_t *)(void *)(r.base + 28) = 2;
    *(uint64_t *)(void *)(r.base + 32) = 6;
    *(uint64_t *)(void *)(r.base + 40) = 2;
    *(uint32_t *)(void *)(r.base + 48) = 0x46004600; /* 6, 6 */
    *(uint32_t *)(void *)(r.base + 52) = 0x40004000; /* 2, 2 */
    uint64_t p = (uint64_t)(uintptr_t)r.base;
    cr_assert_eq(run_kernel(&r, "k", 1, BLOCK, &p, sizeof p, 0), HEDDLE_OK, "%s", r.diag.text);
}

/* The count of a form; zeros: it is not in the list. */
static struct exec_special count_of(const char *form) {
    for (uint32_t i = 0; i < r.num_special; i++)
        if (!strcmp(r.special[i].form, form)) return r.special[i];
    return (struct exec_special){0};
}

static void expect(const char *body, const char *form, uint64_t warps, uint64_t threads,
                   uint64_t slow) {
    struct exec_special s = count_of(form);
    cr_expect(s.warps == warps && s.threads == threads && s.slow_threads == slow,
              "%s: %s in %llu warps, %llu threads, %llu of them slow", body, form,
              (unsigned long long)s.warps, (unsigned long long)s.threads,
              (unsigned long long)s.slow_threads);
}

Test(special, forms_are_found_by_their_names) {
    int n = mir_special_find("div.rn.f32");
    cr_assert_geq(n, 0);
    cr_assert_str_eq(mir_special_form((unsigned)n), "div.rn.f32");
    cr_assert_eq(mir_special_find("add.rn.f32"), -1);
    cr_assert_eq(mir_special_find("div.rn.f3"), -1);
    cr_assert_eq(mir_special_find("tanh.approx.bf16"), -1, "7.5 has no such instruction");
}

/* Each form alone: once by each thread. */
Test(special, each_form_counts_once) {
    static const struct {
        const char *form, *operands;
    } rows[] = {
        {"div.rn.f32", "%fo, %f, %f2"},
        {"div.rz.f32", "%fo, %f, %f2"},
        {"div.rn.ftz.f32", "%fo, %f, %f2"},
        {"div.full.f32", "%fo, %f, %f2"},
        {"div.approx.f32", "%fo, %f, %f2"},
        {"div.rn.f64", "%fdo, %fd, %fd2"},
        {"div.rp.f64", "%fdo, %fd, %fd2"},
        {"rcp.rn.f32", "%fo, %f"},
        {"rcp.rz.f32", "%fo, %f"},
        {"rcp.approx.f32", "%fo, %f"},
        {"rcp.rn.f64", "%fdo, %fd"},
        {"rcp.approx.ftz.f64", "%fdo, %fd"},
        {"sqrt.rn.f32", "%fo, %f"},
        {"sqrt.approx.f32", "%fo, %f"},
        {"sqrt.rm.f32", "%fo, %f"},
        {"sqrt.rn.f64", "%fdo, %fd"},
        {"sqrt.rp.f64", "%fdo, %fd"},
        {"rsqrt.approx.f32", "%fo, %f"},
        {"rsqrt.approx.f64", "%fdo, %fd"},
        {"rsqrt.approx.ftz.f32", "%fo, %f"},
        {"sin.approx.f32", "%fo, %f"},
        {"cos.approx.ftz.f32", "%fo, %f"},
        {"lg2.approx.f32", "%fo, %f"},
        {"ex2.approx.f32", "%fo, %f"},
        {"tanh.approx.f32", "%fo, %f"},
        {"div.u32", "%ro, %r, %r2"},
        {"div.s32", "%ro, %r, %r2"},
        {"rem.u32", "%ro, %r, %r2"},
        {"rem.s32", "%ro, %r, %r2"},
        {"div.u64", "%rdo, %rd, %rd2"},
        {"div.s64", "%rdo, %rd, %rd2"},
        {"rem.u64", "%rdo, %rd, %rd2"},
        {"rem.s64", "%rdo, %rd, %rd2"},
        {"mul.lo.s64", "%rdo, %rd, %rd2"},
        {"mul.hi.u64", "%rdo, %rd, %rd2"},
        {"mul.hi.u32", "%ro, %r, %r2"},
        {"mad.lo.u64", "%rdo, %rd, %rd2, %rd"},
        {"popc.b64", "%ro, %rd"},
        {"clz.b32", "%ro, %r"},
        {"abs.s64", "%rdo, %rd"},
        {"min.s64", "%rdo, %rd, %rd2"},
        {"sad.u32", "%ro, %r, %r2, %r"},
        {"cvt.rn.f32.f64", "%fo, %fd"},
        {"cvt.rzi.s32.f32", "%ro, %f"},
        {"cvt.rn.f64.s64", "%fdo, %rd"},
        {"cvt.rmi.f32.f32", "%fo, %f"},
        {"add.rn.f16x2", "%ro, %h, %h2"},
        {"mul.rn.f16x2", "%ro, %h, %h2"},
        {"fma.rn.f16x2", "%ro, %h, %h2, %h"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[128];
        snprintf(body, sizeof body, "%s %s;", rows[i].form, rows[i].operands);
        run_body(body);
        cr_expect_eq(r.num_special, 1, "%s: %u forms", body, r.num_special);
        expect(body, rows[i].form, WARPS, BLOCK, 0);
        run_close(&r);
        snprintf(body, sizeof body, "@%%low %s %s;", rows[i].form, rows[i].operands);
        run_body(body);
        expect(body, rows[i].form, 1, 8, 0);
        run_close(&r);
    }
}

/* PTX without rounding means to nearest. */
Test(special, halves_round_to_nearest) {
    run_body("add.f16x2 %ro, %h, %h2;");
    expect("add.f16x2", "add.rn.f16x2", WARPS, BLOCK, 0);
    run_close(&r);
}

/* A subnormal dividend and divisor, a root of 0, 64-bit integers. Lanes 0 to 7 alone, where there
 * is a guard: these warps run both ways. */
Test(special, slow_ways_are_counted) {
    run_body("mul.f32 %f, %f, 0f00000100; div.rn.f32 %fo, %f, %f2;"); /* 2^-141 times 6 */
    expect("subnormal", "div.rn.f32", WARPS, BLOCK, BLOCK);
    run_close(&r);
    run_body("@%low mov.f32 %f, 0f00000000; sqrt.rn.f32 %fo, %f;");
    expect("0", "sqrt.rn.f32", WARPS + 1, BLOCK, 8);
    run_close(&r);
    run_body("@%low mov.f32 %f, 0f00000000; rcp.rn.f32 %fo, %f;");
    expect("0", "rcp.rn.f32", WARPS + 1, BLOCK, 8);
    run_close(&r);
    run_body("@%low mov.f64 %fd, 0d0000000000000000; sqrt.rn.f64 %fdo, %fd;");
    expect("0", "sqrt.rn.f64", WARPS, BLOCK, 8);
    run_close(&r);
    run_body("@%low shl.b64 %rd, %rd, 40; rem.u64 %rdo, %rd, %rd2;");
    expect("6 << 40", "rem.u64", WARPS + 1, BLOCK, 8);
    run_close(&r);
}

/* Four iterations, whether the compiler unrolls them or not. */
Test(special, loops_count_each_iteration) {
    static const char body[] = "mov.u32 %n, 0;\nL: %s\n"
                               "add.f32 %f, %f, 0f40000000; sqrt.rn.f32 %f, %f;\n"
                               "add.u32 %n, %n, 1; setp.lt.u32 %more, %n, 4;\n"
                               "@%more bra L; mov.f32 %fo, %f;";
    static const char *const pragmas[] = {"", ".pragma \"nounroll\";"};
    for (unsigned i = 0; i < 2; i++) {
        char text[512];
        const char *at = strstr(body, "%s");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - body), body, pragmas[i], at + 2);
        run_body(text);
        expect(text, "sqrt.rn.f32", 4 * WARPS, 4 * BLOCK, 0);
        run_close(&r);
    }
}

/* As in ptxas, what the compiler removes or merges does not run. */
Test(special, removed_operations_do_not_count) {
    run_body("div.rn.f32 %f3, %f, %f2;");
    expect("dead", "div.rn.f32", 0, 0, 0);
    run_close(&r);
    run_body("mul.lo.s64 %rd3, %rd, %rd2; mul.lo.s64 %rdo, %rd3, %rd2;");
    expect("two", "mul.lo.s64", 2 * WARPS, 2 * BLOCK, 0);
    run_close(&r);
    run_body("sin.approx.f32 %f3, %f; sin.approx.f32 %f4, %f; add.f32 %fo, %f3, %f4;");
    expect("equal", "sin.approx.f32", WARPS, BLOCK, 0);
    run_close(&r);
    run_body("mul.f16x2 %h3, %h, %h2; add.f16x2 %ro, %h3, %h;"); /* one multiply-add */
    expect("fused", "mul.rn.f16x2", 0, 0, 0);
    expect("fused", "add.rn.f16x2", 0, 0, 0);
    run_close(&r);
}
