/* calls_test.c - recursive functions, mutual recursion, function pointers and frames in local
 * memory, compared with C. Each thread of two warps has its own depth. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <string.h>

enum { THREADS = 64 };

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
/* A kernel that stores f(thread) to out[thread]. */
#define KERNEL(call)                                                                              \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<4>;\n" \
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"                   \
    "add.s64 %rd2, %rd2, %rd1;\n" call "st.global.u32 [%rd2], %r2;\nret;\n}\n"
#define CALL(f, ret, arg)                                                             \
    "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], " arg "; call.uni (r0), " f \
    ", (a0); ld.param.b32 " ret ", [r0]; }\n"

/* Runs the text optimised, unoptimised, and unoptimised with 16 registers; thread t's word must be
 * want(t). */
static void check(const char *text, int (*want)(int), const char *what) {
    for (unsigned way = 0; way < 3; way++) {
        struct ptx_options o;
        struct run r;
        ptx_options_default(&o);
        o.no_optimize = way > 0;
        if (way == 2) o.max_regs = 16;
        run_open(&r, text, &o);
        uint64_t base = (uint64_t)(uintptr_t)r.base;
        heddle_err e = run_kernel(&r, "k", 1, THREADS, &base, 8, 0);
        cr_assert_eq(e, HEDDLE_OK, "%s: %s", what, r.diag.text);
        const int32_t *out = (const int32_t *)(const void *)r.base;
        for (int t = 0; t < THREADS; t++)
            cr_expect_eq(out[t], want(t), "%s, way %u: thread %d: %d, not %d", what, way, t, out[t],
                         want(t));
        run_close(&r);
    }
}

static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int want_fib(int t) {
    return fib(t % 12);
}
Test(ptx_calls, itself) {
    check(HEAD ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .pred %p;\n"
               "ld.param.b32 %r1, [n]; setp.lt.s32 %p, %r1, 2; @%p bra OUT;\n"
               "sub.s32 %r2, %r1, 1;\n" CALL("fib", "%r3", "%r2") "sub.s32 %r2, %r1, 2;\n" CALL(
                   "fib", "%r4", "%r2") "add.s32 %r1, %r3, %r4;\n"
                                        "OUT: st.param.b32 [r], %r1; ret;\n}\n" KERNEL(
                                            "rem.u32 %r3, %r1, 12;\n" CALL("fib", "%r2", "%r3")),
          want_fib, "fib");
}

/* Two functions that call each other, a predicate that is live across a call, and guarded calls. */
static int odd(int n);
static int even(int n) {
    return n == 0 ? 1 : (n > 5 ? 2 : 3) * odd(n - 1);
}
static int odd(int n) {
    return n == 0 ? 0 : even(n - 1) + (n & 1 ? 7 : 0);
}
static int want_even(int t) {
    return t % 3 ? even(t % 9) : -1;
}
Test(ptx_calls, each_other) {
    check(
        HEAD
        ".func (.param .b32 r) odd(.param .b32 n);\n"
        ".func (.param .b32 r) even(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .pred %p<4>;\n"
        "ld.param.b32 %r1, [n]; setp.gt.s32 %p2, %r1, 5; setp.eq.s32 %p1, %r1, 0;\n"
        "mov.u32 %r4, 1; @%p1 bra OUT;\nsub.s32 %r2, %r1, 1;\n" CALL(
            "odd", "%r3",
            "%r2") "selp.b32 %r4, 2, 3, %p2; mul.lo.s32 %r4, %r4, %r3;\n"
                   "OUT: st.param.b32 [r], %r4; ret;\n}\n"
                   ".func (.param .b32 r) odd(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .pred "
                   "%p<4>;\n"
                   "ld.param.b32 %r1, [n]; setp.eq.s32 %p1, %r1, 0; mov.u32 %r4, 0; @%p1 bra OUT;\n"
                   "sub.s32 %r2, %r1, 1;\n" CALL(
                       "even", "%r3",
                       "%r2") "and.b32 %r5, %r1, 1;\n"
                              "setp.ne.s32 %p2, %r5, 0; @%p2 add.s32 %r3, %r3, 7; mov.u32 %r4, "
                              "%r3;\n"
                              "OUT: st.param.b32 [r], %r4; ret;\n}\n" KERNEL(
                                  "rem.u32 %r3, %r1, 3; setp.ne.u32 %p1, %r3, 0; mov.u32 %r2, -1;\n"
                                  "rem.u32 %r4, %r1, 9; @!%p1 bra SKIP;\n" CALL("even", "%r2",
                                                                                "%r4") "SKIP:\n"),
        want_even, "even and odd");
}

/* An array in every frame, and a parameter whose address is taken. */
static int depth(int n) {
    int a[4];
    for (int i = 0; i < 4; i++) a[(i + n) & 3] = n * i + 3;
    if (n > 0) a[1] += depth(n - 1);
    return a[0] + 3 * a[1] + a[n & 3];
}
static int want_depth(int t) {
    return depth(t % 7);
}
Test(ptx_calls, frames) {
    check(
        HEAD
        ".func (.param .b32 r) depth(.param .b32 n)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<9>;\n"
        ".reg .pred %p<4>; .local .align 4 .b8 arr[16];\n"
        "mov.b64 %rd3, n; ld.param.b32 %r1, [n]; mov.u64 %rd1, arr; mov.u32 %r2, 0;\n"
        "LOOP: add.s32 %r3, %r2, %r1; and.b32 %r3, %r3, 3; mul.wide.u32 %rd2, %r3, 4;\n"
        "add.s64 %rd2, %rd1, %rd2; mad.lo.s32 %r4, %r1, %r2, 3; st.local.u32 [%rd2], %r4;\n"
        "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, 4; @%p1 bra LOOP;\n"
        "setp.le.s32 %p1, %r1, 0; @%p1 bra LAST; sub.s32 %r5, %r1, 1;\n" CALL(
            "depth", "%r6",
            "%r5") "ld.local.u32 %r7, [arr+4]; add.s32 %r7, %r7, %r6;\n"
                   "st.local.u32 [arr+4], %r7;\n"
                   "LAST: ld.local.u32 %r8, [arr]; ld.local.u32 %r9, [arr+4]; mad.lo.s32 %r8, %r9, "
                   "3, %r8;\n"
                   "ld.local.u32 %r10, [%rd3]; and.b32 %r10, %r10, 3; mul.wide.u32 %rd2, %r10, 4;\n"
                   "add.s64 %rd2, %rd1, %rd2; ld.local.u32 %r11, [%rd2]; add.s32 %r8, %r8, %r11;\n"
                   "st.param.b32 [r], %r8; ret;\n}\n" KERNEL(
                       "rem.u32 %r3, %r1, 7;\n" CALL("depth", "%r2", "%r3")),
        want_depth, "depth");
}

/* Function pointers in a table, one of them to a recursive function. */
static int want_table(int t) {
    return t % 3 == 0 ? t + 5 : t % 3 == 1 ? fib(t % 8) : 3 * t;
}
Test(ptx_calls, pointers) {
    check(HEAD
          ".func (.param .b32 r) plus(.param .b32 n)\n{\n.reg .b32 %r<4>; ld.param.b32 %r1, [n];\n"
          "add.s32 %r1, %r1, 5; st.param.b32 [r], %r1; ret;\n}\n"
          ".func (.param .b32 r) thrice(.param .b32 n)\n{\n.reg .b32 %r<4>; ld.param.b32 %r1, [n];"
          "\nmul.lo.s32 %r1, %r1, 3; st.param.b32 [r], %r1; ret;\n}\n"
          ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .pred %p<2>;\n"
          "ld.param.b32 %r1, [n]; and.b32 %r1, %r1, 7; setp.lt.s32 %p1, %r1, 2; @%p1 bra OUT;\n"
          "sub.s32 %r2, %r1, 1;\n" CALL("fib", "%r3", "%r2") "sub.s32 %r2, %r1, 2;\n" CALL(
              "fib", "%r4",
              "%r2") "add.s32 %r1, %r3, %r4;\nOUT: st.param.b32 [r], %r1; ret;\n}\n"
                     ".global .align 8 .u64 table[3] = {plus, fib, thrice};\n" KERNEL(
                         "rem.u32 %r3, %r1, 3; mul.wide.u32 %rd3, %r3, 8; mov.u64 %rd4, table;\n"
                         "add.s64 %rd4, %rd4, %rd3; ld.global.u64 %rd5, [%rd4];\n"
                         "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %r1;\n"
                         "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                         "call (r0), %rd5, (a0), P; ld.param.b32 %r2, [r0]; }\n"),
          want_table, "table");
}

/* Too deep: the stack overflows, and the error names that. */
Test(ptx_calls, too_deep) {
    struct run r;
    run_open(&r,
             HEAD ".func (.param .b32 r) down(.param .b32 n)\n{\n.reg .b32 %r<4>; "
                  ".reg .pred %p;\nld.param.b32 %r1, [n]; mov.u32 %r3, 1;\n"
                  "setp.gt.s32 %p, %r1, 100000; @%p bra OUT; add.s32 %r2, %r1, 1;\n" CALL(
                      "down", "%r3", "%r2") "add.s32 %r3, %r3, %r1;\nOUT: st.param.b32 [r], %r3; "
                                            "ret;\n}\n" KERNEL(CALL("down", "%r2", "%r1")),
             NULL);
    uint64_t base = (uint64_t)(uintptr_t)r.base;
    cr_expect_eq(run_kernel(&r, "k", 1, THREADS, &base, 8, 0), HEDDLE_ERR_ILLEGAL_ADDRESS);
    cr_expect_str_eq(r.fault.reason, "beyond the thread's stack");
    run_close(&r);
}

/* ld.param by a parameter's address in a register, as LLVM loads a structure that is passed by
 * value; in a function that is inlined and in one that calls itself. */
static int want_by_address(int t) {
    return 3 * t + 5;
}
Test(ptx_calls, parameter_by_address) {
    check(HEAD
          ".func (.param .b32 r) sum(.param .align 8 .b8 v[16])\n{\n.reg .b32 %r<9>; .reg .b64 "
          "%rd<4>;\n"
          "mov.b64 %rd1, v; mov.u64 %rd2, %rd1; ld.param.u32 %r1, [%rd2];\n"
          "ld.param.v2.u32 {%r2, %r3}, [%rd2+8]; add.s32 %r1, %r1, %r2; add.s32 %r1, %r1, "
          "%r3;\n"
          "st.param.b32 [r], %r1; ret;\n}\n" KERNEL(
              "{ .param .align 8 .b8 a0[16]; .param .b32 r0; add.s32 %r3, %r1, 5;\n"
              "st.param.b32 [a0], %r1; st.param.b32 [a0+4], 77; st.param.b32 [a0+8], %r1;\n"
              "st.param.b32 [a0+12], %r3; call.uni (r0), sum, (a0); ld.param.b32 %r2, [r0]; "
              "}\n"),
          want_by_address, "inlined");
    check(HEAD
          ".func (.param .b32 r) sum(.param .align 8 .b8 v[16])\n{\n.reg .b32 %r<9>; .reg .b64 "
          "%rd<4>; .reg .pred %p;\n"
          "mov.b64 %rd1, v; ld.param.u32 %r1, [%rd1]; ld.param.u32 %r2, [%rd1+8];\n"
          "ld.param.u32 %r3, [v+12]; setp.eq.s32 %p, %r3, 0; @%p bra OUT;\n"
          "{ .param .align 8 .b8 a0[16]; .param .b32 r0; st.param.b32 [a0], %r1;\n"
          "st.param.b32 [a0+4], 0; st.param.b32 [a0+8], %r2; st.param.b32 [a0+12], 0;\n"
          "call.uni (r0), sum, (a0); ld.param.b32 %r1, [r0]; }\n"
          "mov.u32 %r2, %r3;\n"
          "OUT: add.s32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret;\n}\n" KERNEL(
              "{ .param .align 8 .b8 a0[16]; .param .b32 r0; add.s32 %r3, %r1, 5;\n"
              "st.param.b32 [a0], %r1; st.param.b32 [a0+4], 77; st.param.b32 [a0+8], %r1;\n"
              "st.param.b32 [a0+12], %r3; call.uni (r0), sum, (a0); ld.param.b32 %r2, [r0]; "
              "}\n"),
          want_by_address, "itself");
}
