/* ifconvert_test.c - branches that become guards (ptx/ir/lir_ifconvert.c): which ones, that results
 * and PTX counts stay. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Runs kernel k(a, n) on the memory at r->base. */
static void run_with(struct run *r, unsigned threads, unsigned n) {
    struct {
        uint64_t a;
        uint32_t n;
    } params = {(uint64_t)(uintptr_t)r->base, n};
    cr_assert_eq(run_kernel(r, "k", 1, threads, &params, 12, 0), HEDDLE_OK, "%s", r->diag.text);
}

/* A branch over two instructions becomes two guards; they count when a lane executes them. */
Test(ptx_lower, short_branches_become_guards) {
    struct run r;
    run_open(&r,
             RUN_HEAD ".entry k(.param .u64 a, .param .u32 n)\n{" RUN_REGS
                      "ld.param.u64 %rd1, [a];\n"
                      "ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
                      "add.s64 %rd3, %rd1, %rd2; setp.ge.u32 %p1, %r1, %r2; @%p1 bra L;\n"
                      "add.s32 %r3, %r1, 7; st.global.u32 [%rd3], %r3;\n"
                      "L: st.global.u32 [%rd3+4096], %r1; ret; }",
             NULL);
    const struct mir_function *f = &r.module->functions[0];
    cr_expect_eq(run_count(f, MIR_BRA), 0u, "%s", run_listing(f));
    cr_expect_eq(run_count(f, MIR_BSSY), 0u);
    for (unsigned n = 0; n <= 64; n += 8) {
        memset(r.base, 0, 8192);
        run_with(&r, 64, n);
        const uint32_t *w = (const uint32_t *)r.base;
        for (uint32_t i = 0; i < 64; i++) {
            cr_expect_eq(w[i], i < n ? i + 7 : 0);
            cr_expect_eq(w[i + 1024], i);
        }
        uint64_t warps_in = n == 0 ? 0 : n <= 32 ? 1 : 2;
        cr_expect_eq(r.counts.ptx_warp_inst, 2 * 9 + 2 * warps_in, "n = %u: %llu", n,
                     (unsigned long long)r.counts.ptx_warp_inst);
    }
    run_close(&r);
}

/* The two sides of a branch become guarded instructions if both are short: values that one side or
 * both write, or that only one keeps, come out as with branches. */
Test(ptx_lower, both_sides_become_guards) {
    struct run r;
    run_open(&r,
             RUN_HEAD ".entry k(.param .u64 a, .param .u32 n)\n{" RUN_REGS
                      "ld.param.u64 %rd1, [a];\n"
                      "ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
                      "add.s64 %rd3, %rd1, %rd2; mov.u32 %r5, 0; mov.u32 %r6, 3; mov.u32 %r7, 0;\n"
                      "LOOP: add.s32 %r8, %r1, %r7; setp.ge.u32 %p1, %r8, %r2; @%p1 bra T;\n"
                      "add.s32 %r3, %r1, 7; add.s32 %r5, %r5, %r3; mul.lo.s32 %r6, %r6, 5;\n"
                      "bra.uni J;\n"
                      "T: sub.s32 %r3, %r1, 9; xor.b32 %r3, %r3, %r7; sub.s32 %r5, %r5, %r3;\n"
                      "J: st.global.u32 [%rd3+4096], %r3; add.s32 %r7, %r7, 11;\n"
                      "setp.lt.s32 %p2, %r7, %r2; @%p2 bra LOOP;\n"
                      "st.global.u32 [%rd3], %r5; st.global.u32 [%rd3+8192], %r6; ret; }",
             NULL);
    const struct mir_function *f = &r.module->functions[0];
    cr_expect_eq(run_count(f, MIR_BSSY), 0u, "%s", run_listing(f)); /* the loop is uniform */
    for (unsigned n = 0; n <= 80; n += 8) {
        memset(r.base, 0, 16384);
        run_with(&r, 64, n);
        const uint32_t *w = (const uint32_t *)r.base;
        for (uint32_t i = 0; i < 64; i++) {
            uint32_t sum = 0, power = 3, last, k = 0;
            do {
                if (i + k < n) {
                    last = i + 7;
                    sum += last;
                    power *= 5;
                } else {
                    last = (i - 9) ^ k;
                    sum -= last;
                }
                k += 11;
            } while (k < n);
            cr_expect_eq(w[i], sum, "n %u, lane %u", n, i);
            cr_expect_eq(w[i + 1024], last, "n %u, lane %u", n, i);
            cr_expect_eq(w[i + 2048], power, "n %u, lane %u", n, i);
        }
    }
    run_close(&r);
}

/* A min of doubles has a guarded instruction; its comparison takes in the guard of the side. What
 * counts as PTX is the same as with a branch. */
Test(ptx_lower, guards_within_guards) {
    struct run r;
    run_open(&r,
             RUN_HEAD ".entry k(.param .u64 a, .param .u32 n)\n{" RUN_REGS
                      "ld.param.u64 %rd1, [a];\n"
                      "ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8;\n"
                      "add.s64 %rd3, %rd1, %rd2; ld.global.f64 %fd1, [%rd3];\n"
                      "ld.global.f64 %fd2, [%rd3+512]; setp.ge.u32 %p1, %r1, %r2; @%p1 bra T;\n"
                      "min.f64 %fd3, %fd1, %fd2; bra.uni J;\n"
                      "T: max.f64 %fd3, %fd1, %fd2;\n"
                      "J: st.global.f64 [%rd3+1024], %fd3; ret; }",
             NULL);
    const struct mir_function *f = &r.module->functions[0];
    cr_expect_eq(run_count(f, MIR_BRA), 0u, "%s", run_listing(f));
    for (unsigned n = 0; n <= 40; n += 8) {
        uint64_t *w = (uint64_t *)r.base;
        for (uint32_t i = 0; i < 32; i++) { /* numbers, one NaN, two NaN */
            double a = i % 7 == 3 || i % 7 == 5 ? NAN : (double)i, b = i % 7 >= 4 ? NAN : 15.5;
            memcpy(w + i, &a, 8);
            memcpy(w + 64 + i, &b, 8);
        }
        run_with(&r, 32, n);
        for (uint32_t i = 0; i < 32; i++) {
            double a, b, got;
            memcpy(&a, w + i, 8);
            memcpy(&b, w + 64 + i, 8);
            memcpy(&got, w + 128 + i, 8);
            const double want = i < n ? fmin(a, b) : fmax(a, b);
            cr_expect(isnan(want) ? isnan(got) : want == got, "n %u, lane %u: %g", n, i, got);
        }
        const unsigned sides = (n > 0 ? 2 : 0) + (n < 32 ? 1 : 0); /* min and bra; max */
        cr_expect_eq(r.counts.ptx_warp_inst, 11 + sides, "n %u: %llu", n,
                     (unsigned long long)r.counts.ptx_warp_inst);
    }
    run_close(&r);
}

/* Compiles a kernel whose branch has `n` multiplications and `extra` behind it and `m` where it
 * leads, and `end` behind both. @return the branches that are left, times 100, and the guarded
 * instructions. */
static unsigned branches_and_guards(unsigned n, unsigned m, const char *extra, const char *end) {
    struct run r;
    char body[4096] = "", text[8192];
    for (unsigned i = 0; i < n; i++) strcat(body, "mad.lo.s32 %r3, %r3, %r4, %r1;\n");
    strcat(body, extra);
    if (m) strcat(body, "bra.uni J;\nT:\n");
    for (unsigned i = 0; i < m; i++) strcat(body, "mad.lo.s32 %r5, %r5, %r4, %r1;\n");
    snprintf(text, sizeof text, "%sbra %s;\n%sJ: %s ret; }",
             RUN_HEAD ".entry k(.param .u64 a)\n{" RUN_REGS
                      "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r4, %ctaid.x;\n"
                      "mov.u32 %r3, %ctaid.y; mov.u32 %r5, %ctaid.z;\n"
                      "setp.ge.u32 %p1, %r1, 7; @%p1 ",
             m ? "T" : "J", body, end);
    run_open(&r, text, NULL);
    const struct mir_function *f = &r.module->functions[0];
    unsigned guarded = 0;
    for (uint32_t i = 0; i < f->num_inst; i++)
        guarded += f->code[i].guard != MIR_PT && f->code[i].op != MIR_BRA;
    const unsigned result = run_count(f, MIR_BRA) * 100 + guarded;
    run_close(&r);
    return result;
}

/* ptxas's limits: 20 instructions, the jump between two sides included; no atomic; not before the
 * end of the kernel. */
Test(ptx_lower, which_sides_become_guards) {
    const char *store = "st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r5;";
    cr_expect_eq(branches_and_guards(20, 0, "", store), 20u);
    cr_expect_eq(branches_and_guards(21, 0, "", store), 100u);
    cr_expect_eq(branches_and_guards(9, 10, "", store), 19u);
    cr_expect_eq(branches_and_guards(18, 1, "", store), 19u);
    cr_expect_eq(branches_and_guards(10, 10, "", store), 200u);
    cr_expect_eq(branches_and_guards(1, 0, "red.global.add.u32 [%rd1+8], %r3;", store), 100u);
    cr_expect_eq(branches_and_guards(1, 0, "st.global.u32 [%rd1], %r3;", ""), 100u);
}
