/* alloca_test.c - alloca, stacksave and stackrestore, compared with C: random sizes and alignments,
 * a recursive function, loops that free what they allocated, and allocations that are too large.
 * Each thread of two warps has its own sizes. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 64, BLOCKS = 4, WORDS = 8 };

#define HEAD ".version 7.3\n.target sm_70\n.address_size 64\n"
#define REGS ".reg .b64 %rd<30>; .reg .b32 %r<30>; .reg .pred %p<9>;\n"
/* %rd1: the thread's WORDS words of results; %r1: the thread's number */
#define BEGIN                                                                    \
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 32;\n" \
    "add.u64 %rd1, %rd1, %rd2;\n"
#define KERNEL(body) ".visible .entry k(.param .u64 p)\n{\n" REGS BEGIN body "ret;\n}\n"

/* Compiles the text and runs it. `way`: 0 optimised, 1 unoptimised, 2 unoptimised with 16
 * registers. */
static heddle_err run(struct run *r, const char *text, unsigned way) {
    struct ptx_options o;
    ptx_options_default(&o);
    o.no_optimize = way > 0;
    if (way == 2) o.max_regs = 16;
    run_open(r, text, &o);
    uint64_t base = (uint64_t)(uintptr_t)r->base;
    return run_kernel(r, "k", 1, THREADS, &base, 8, 0);
}

/* Runs the text in all three ways; word i of thread t must be want(t, i). */
static void check(const char *text, uint32_t (*want)(uint32_t thread, uint32_t word),
                  unsigned words, const char *what) {
    for (unsigned way = 0; way < 3; way++) {
        struct run r;
        heddle_err e = run(&r, text, way);
        cr_assert_eq(e, HEDDLE_OK, "%s: %s", what, r.diag.text);
        const uint32_t *out = (const uint32_t *)(const void *)r.base;
        for (uint32_t t = 0; t < THREADS; t++)
            for (uint32_t i = 0; i < words; i++)
                cr_assert_eq(out[WORDS * t + i], want(t, i), "%s, way %u, thread %u, word %u: %u",
                             what, way, t, i, out[WORDS * t + i]);
        run_close(&r);
    }
}

/* Blocks whose sizes depend on the thread, filled to the last byte and then summed, the first one
 * through generic addresses. Result word i is the sum of block i's bytes; then follow alignment and
 * overlap. */
static uint32_t size_of(uint32_t t, uint32_t i) {
    return (t * (13 + 7 * i) + 5 * i) % 211 + (i == 2);
}
static uint32_t want_blocks(uint32_t t, uint32_t i) {
    uint32_t sum = 0;
    for (uint32_t k = 0; i < BLOCKS && k < size_of(t, i); k++) sum += (t + 3 * i + k) & 255;
    return i < BLOCKS ? sum : 0;
}
Test(ptx_alloca, random_sizes) {
    static const unsigned align[BLOCKS] = {8, 64, 4, 256};
    static char text[8192];
    size_t n = 0;
#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    ADD("%s.visible .entry k(.param .u64 p)\n{\n%s%s", HEAD, REGS, BEGIN);
    ADD(".local .align 8 .b8 fixed[24]; st.local.u32 [fixed+20], %%r1; mov.u32 %%r20, 0;\n");
    for (unsigned i = 0; i < BLOCKS; i++) { /* size in %r10 + i, address in %rd10 + i */
        ADD("mad.lo.u32 %%r2, %%r1, %u, %u; rem.u32 %%r%u, %%r2, 211;\n", 13 + 7 * i, 5 * i,
            10 + i);
        if (i == 2) ADD("add.u32 %%r12, %%r12, 1;\n");
        if (i == 1) { /* addresses of 32 bits */
            ADD("alloca.u32 %%r3, %%r11, 64; cvt.u64.u32 %%rd11, %%r3;\n");
        } else {
            ADD("cvt.u64.u32 %%rd3, %%r%u; alloca.u64 %%rd%u, %%rd3, %u;\n", 10 + i, 10 + i,
                align[i]);
        }
        ADD("and.b64 %%rd4, %%rd%u, %u; cvt.u32.u64 %%r4, %%rd4; or.b32 %%r20, %%r20, %%r4;\n",
            10 + i, (align[i] < 8 ? 8 : align[i]) - 1);
    }
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < BLOCKS; i++) {
            const char *space = i ? ".local" : "";
            ADD("mov.u32 %%r5, 0; mov.u32 %%r6, 0;\n");
            ADD(i ? "mov.u64 %%rd5, %%rd%u;\n" : "cvta.local.u64 %%rd5, %%rd%u;\n", 10 + i);
            ADD("L%u_%u: setp.ge.u32 %%p1, %%r5, %%r%u; @%%p1 bra E%u_%u;\n", pass, i, 10 + i, pass,
                i);
            if (pass)
                ADD("ld%s.u8 %%r7, [%%rd5]; add.u32 %%r6, %%r6, %%r7;\n", space);
            else
                ADD("add.u32 %%r7, %%r1, %u; add.u32 %%r7, %%r7, %%r5; st%s.u8 [%%rd5], %%r7;\n",
                    3 * i, space);
            ADD("add.u64 %%rd5, %%rd5, 1; add.u32 %%r5, %%r5, 1; bra L%u_%u;\nE%u_%u:\n", pass, i,
                pass, i);
            if (pass) ADD("st.global.u32 [%%rd1+%u], %%r6;\n", 4 * i);
        }
    /* the array declared before is unchanged */
    ADD("ld.local.u32 %%r7, [fixed+20]; sub.u32 %%r7, %%r7, %%r1; or.b32 %%r20, %%r20, %%r7;\n");
    ADD("st.global.u32 [%%rd1+16], %%r20; ret;\n}\n");
#undef ADD
    cr_assert_lt(n, sizeof text);
    check(text, want_blocks, BLOCKS + 1, "blocks");
}

/* f(n): allocates n + 8 bytes and fills them with a pattern, calls itself n levels deep, then
 * checks them. Memory of its callees is free again. */
static uint32_t want_deep(uint32_t t, uint32_t i) {
    uint32_t sum = 0;
    for (uint32_t n = t % 20; n; n--) sum += n * 257;
    return i == 0 ? sum : 0;
}
Test(ptx_alloca, deep) {
    check(HEAD ".func (.param .b32 r) f(.param .b32 n)\n{\n" REGS
               "ld.param.b32 %r1, [n]; mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra OUT;\n"
               "add.u32 %r2, %r1, 8; alloca.u32 %r4, %r2; mul.lo.u32 %r5, %r1, 257;\n"
               "st.local.u32 [%r4], %r5; st.local.u32 [%r4+4], %r1; sub.u32 %r6, %r1, 1;\n"
               "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %r6; call.uni (r0), f, (a0);\n"
               "ld.param.b32 %r3, [r0]; }\n"
               "ld.local.u32 %r7, [%r4]; add.u32 %r3, %r3, %r7; ld.local.u32 %r8, [%r4+4];\n"
               "setp.ne.u32 %p2, %r8, %r1; @%p2 trap;\n"
               "OUT: st.param.b32 [r], %r3; ret;\n}\n"
               ".func (.param .b32 r) g(.param .b32 n)\n{\n" REGS /* in place of its calls */
               "ld.param.b32 %r1, [n]; alloca.u32 %r2, 1000; st.local.u32 [%r2+996], %r1;\n"
               "ld.local.u32 %r3, [%r2+996]; st.param.b32 [r], %r3; ret;\n}\n" KERNEL(
                   "rem.u32 %r2, %r1, 20; stacksave.u32 %r10; mov.u32 %r9, 0;\n"
                   "AGAIN: { .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %r2;\n"
                   "call.uni (r0), f, (a0); ld.param.b32 %r3, [r0]; }\n"
                   "{ .param .b32 a1; .param .b32 r1; st.param.b32 [a1], %r3;\n"
                   "call.uni (r1), g, (a1); ld.param.b32 %r3, [r1]; }\n"
                   "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 40; @%p1 bra AGAIN;\n"
                   "stacksave.u32 %r11; sub.u32 %r11, %r11, %r10; st.global.u32 [%rd1], %r3;\n"
                   "st.global.u32 [%rd1+4], %r11;\n"),
          want_deep, 2, "deep");
}

/* A loop that allocates up to 200 bytes in each of 100 iterations and frees them; a guarded
 * alloca. */
static uint32_t want_loop(uint32_t t, uint32_t i) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 100; k++) sum += k * t;
    return i == 0 ? sum : t % 2 ? 77 : 5;
}
Test(ptx_alloca, given_back) {
    check(HEAD KERNEL("mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                      "LOOP: stacksave.u64 %rd3; add.u32 %r4, %r1, %r2; and.b32 %r4, %r4, 127;\n"
                      "add.u32 %r4, %r4, 8; cvt.u64.u32 %rd4, %r4; alloca.u64 %rd5, %rd4;\n"
                      "mul.lo.u32 %r5, %r1, %r2; st.local.u32 [%rd5], %r5;\n"
                      "ld.local.u32 %r6, [%rd5]; add.u32 %r3, %r3, %r6; stackrestore.u64 %rd3;\n"
                      "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra LOOP;\n"
                      "st.global.u32 [%rd1], %r3;\n"
                      ".local .align 4 .b32 other; mov.u64 %rd6, other; mov.u32 %r7, 5;\n"
                      "st.local.u32 [other], %r7; and.b32 %r8, %r1, 1; setp.ne.u32 %p2, %r8, 0;\n"
                      "@%p2 alloca.u64 %rd6, 4000; @%p2 mov.u32 %r7, 77;\n"
                      "@%p2 st.local.u32 [%rd6+3996], %r7; selp.u64 %rd7, 3996, 0, %p2;\n"
                      "add.u64 %rd6, %rd6, %rd7; ld.local.u32 %r9, [%rd6];\n"
                      "st.global.u32 [%rd1+4], %r9;\n"),
          want_loop, 2, "loop");
}

/* All of the stack exactly, then one byte more; more than 32 bits; an invalid pointer. */
static const char wrong[] = "alloca or stackrestore goes beyond the thread's stack of 8 KiB";
Test(ptx_alloca, too_much) {
    static const struct {
        const char *text;
        heddle_err want;
    } tries[] = {
        {HEAD KERNEL("alloca.u64 %rd3, 8192; st.local.u8 [%rd3], %r1; st.local.u8 [%rd3+8191], "
                     "%r1;\n"),
         HEDDLE_OK},
        {HEAD KERNEL("alloca.u64 %rd3, 8193; st.local.u8 [%rd3], %r1;\n"),
         HEDDLE_ERR_ILLEGAL_ADDRESS},
        {HEAD KERNEL(".local .align 16 .b8 x[16]; st.local.u32 [x], %r1;\n"
                     "alloca.u64 %rd3, 8000; alloca.u64 %rd4, 8, 4096; st.local.u8 [%rd4], %r1;\n"),
         HEDDLE_ERR_ILLEGAL_ADDRESS},
        {HEAD KERNEL(
             "mov.u64 %rd3, 0x100000008; alloca.u64 %rd4, %rd3; st.local.u8 [%rd4], %r1;\n"),
         HEDDLE_ERR_ILLEGAL_ADDRESS},
        {HEAD KERNEL("stacksave.u64 %rd3; add.u64 %rd3, %rd3, 16; stackrestore.u64 %rd3;\n"),
         HEDDLE_ERR_ILLEGAL_ADDRESS},
        {HEAD KERNEL("LOOP: alloca.u64 %rd3, 64; st.local.u8 [%rd3], %r1; setp.ge.u32 %p1, %r1, 0; "
                     "@%p1 bra LOOP;\n"),
         HEDDLE_ERR_ILLEGAL_ADDRESS},
    };
    for (unsigned i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct run r;
        heddle_err e = run(&r, tries[i].text, 0);
        cr_expect_eq(e, tries[i].want, "try %u: %s", i, r.diag.text);
        if (tries[i].want) cr_expect(strstr(r.diag.text, wrong), "try %u: %s", i, r.diag.text);
        run_close(&r);
    }
}
