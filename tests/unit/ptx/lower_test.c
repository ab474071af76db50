/* lower_test.c - the compiler's output for given PTX: instruction selection, counts of PTX
 * instructions, memory layout, calls, register pressure, messages. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- helpers -------------------------------------------------------------------------------- */

#define PROLOGUE "MOV RZ, c[0x0][0x28]\n"

/* Expects that `body`, compiled as a kernel of three pointers and an int, gives exactly the code
 * `want` behind the prologue. */
static void makes(const char *body, const char *want) {
    char text[16384];
    struct run r;
    snprintf(text, sizeof text,
             "%s.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c,"
             " .param .u32 n)\n{\n%s%s\n}\n",
             RUN_HEAD, RUN_REGS, body);
    run_open(&r, text, NULL);
    const char *made = run_listing(&r.module->functions[0]);
    cr_expect(!strncmp(made, PROLOGUE, strlen(PROLOGUE)), "%s", made);
    cr_expect_str_eq(made + strlen(PROLOGUE), want, "%s gives\n%s", body, made);
    run_close(&r);
}

/* Expects that the compiler refuses the text as unsupported with exactly this message. */
static void refuses(const char *text, const char *message) {
    struct ptx_options o;
    struct mir_module *m;
    struct heddle_diag diag = {.text = ""};
    ptx_options_default(&o);
    heddle_err e = ptx_compile(text, strlen(text), "t.ptx", &o, &m, &diag);
    cr_expect_eq(e, HEDDLE_ERR_PTX_UNSUPPORTED, "%d: %s", e, diag.text);
    cr_expect_null(m);
    cr_expect_str_eq(diag.text, message, "message is\n%s", diag.text);
}

static void refuses_body(const char *body, const char *why, const char *source, const char *mark) {
    char text[4096], message[2048];
    snprintf(text, sizeof text, "%s.entry k(.param .u64 a)\n{\n%s%s\n}\n", RUN_HEAD, RUN_REGS,
             body);
    snprintf(message, sizeof message, "t.ptx:7:1: error: kernel 'k': %s\n    %s\n    %s", why,
             source, mark);
    refuses(text, message);
}

/* ---- selection ------------------------------------------------------------------------------ */

Test(ptx_lower, vector_add) {
    makes("ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 "
          "%r2, [n];\n"
          "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
          "mad.lo.s32 %r1, %r3, %r4, %r5; setp.ge.s32 %p1, %r1, %r2; @%p1 bra L;\n"
          "cvta.to.global.u64 %rd4, %rd1; mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5;\n"
          "cvta.to.global.u64 %rd7, %rd2; add.s64 %rd8, %rd7, %rd5; ld.global.f32 %f1, [%rd8];\n"
          "ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f2, %f1; cvta.to.global.u64 %rd9, %rd3;\n"
          "add.s64 %rd10, %rd9, %rd5; st.global.f32 [%rd10], %f3;\nL: ret;",
          "S2R R0, SR_CTAID.X\nS2R R1, SR_TID.X\nIMAD R0, R0, c[0x0][0x0], R1\n"
          "ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT\n@P0 BRA 14\nMOV R1, 0x4\n"
          "IMAD.WIDE R2:, R0, R1, c[0x0][0x160]\nIMAD.WIDE R4:, R0, R1, c[0x0][0x168]\n"
          "LDG.E R6, [R2:]\nLDG.E R7, [R4:]\nIMAD.WIDE R0:, R0, R1, c[0x0][0x170]\n"
          "FADD R6, R6, R7\nSTG.E [R0:], R6\nEXIT\n");
}

#define STORE " ld.param.u64 %rd30, [c]; st.global.u32 [%rd30], %r30;"
#define AT "MOV R0, c[0x0][0x170]\nMOV R1, c[0x0][0x174]\n"

Test(ptx_lower, offsets_go_into_the_access) {
    makes("ld.param.u64 %rd1, [a]; add.s64 %rd2, %rd1, 64; add.s64 %rd3, %rd2, -8;"
          "ld.global.u32 %r1, [%rd3+4]; st.global.u32 [%rd2], %r1;",
          "MOV R0, c[0x0][0x160]\nMOV R1, c[0x0][0x164]\nLDG.E R2, [R0:+0x3c]\n"
          "STG.E [R0:+0x40], R2\nEXIT\n");
    makes("mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; add.s32 %r3, %r2, 16; st.shared.u32 [%r3+4], "
          "%r1;",
          "S2R R0, SR_TID.X\nSHF.L.U32 R1, R0, 0x2, RZ\nSTS [R1+0x14], R0\nEXIT\n");
    makes("st.shared.u32 [sh+64], 5;", "MOV R0, 0x5\nSTS [0x40], R0\nEXIT\n");
}

Test(ptx_lower, richer_forms) {
    makes("mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mul.lo.s32 %r3, %r1, %r2; add.s32 %r30, %r3, "
          "7;" STORE,
          "S2R R0, SR_TID.X\nS2R R1, SR_TID.Y\nMOV R2, c[0x0][0x170]\nMOV R3, c[0x0][0x174]\n"
          "IMAD R0, R0, R1, 0x7\nSTG.E [R2:], R0\nEXIT\n");
    makes("mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; shl.b32 %r3, %r1, 5; add.s32 %r30, %r2, "
          "%r3;" STORE,
          "S2R R0, SR_TID.X\nS2R R1, SR_TID.Y\nMOV R2, c[0x0][0x170]\nMOV R3, c[0x0][0x174]\n"
          "LEA R0, R0, R1, RZ, 0x5\nSTG.E [R2:], R0\nEXIT\n");
    makes("mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; not.b32 %r3, %r1; and.b32 %r4, %r3, %r2;"
          "xor.b32 %r30, %r4, 255;" STORE,
          "S2R R0, SR_TID.X\nS2R R1, SR_TID.Y\nMOV R2, c[0x0][0x170]\nMOV R3, c[0x0][0x174]\n"
          "LOP3.LUT R0, R0, 0xff, R1, 0xc6\nSTG.E [R2:], R0\nEXIT\n");
}

Test(ptx_lower, dead_results) {
    struct run r;
    run_open(&r,
             RUN_HEAD
             ".entry k(.param .u64 a)\n{" RUN_REGS "ld.param.u64 %rd1, [a];\n"
             "atom.global.add.u32 %r1, [%rd1], 1; atom.shared.max.s32 %r2, [sh+16], 7;\n"
             "atom.global.cas.b32 %r3, [%rd1+4], 1, 2; atom.add.f32 %f1, [%rd1+8], 0f3F800000;\n"
             "ld.global.u32 %r4, [%rd1]; ld.volatile.global.u32 %r5, [%rd1];\n"
             "add.s32 %r6, %r4, %r5; ret; }",
             NULL);
    const struct mir_function *f = &r.module->functions[0];
    cr_expect_eq(run_count(f, MIR_RED), 2u, "%s", run_listing(f));
    cr_expect_eq(run_count(f, MIR_REDS), 1u);
    cr_expect_eq(run_count(f, MIR_ATOMG), 1u, "a CAS has no reduction");
    cr_expect_eq(run_count(f, MIR_LDG), 1u, "the volatile load stays, the other one goes");
    cr_expect_eq(run_count(f, MIR_IADD3), 0u);
    for (uint32_t i = 0; i < f->num_inst; i++)
        if (f->code[i].op == MIR_RED || f->code[i].op == MIR_ATOMG)
            cr_expect_eq(mir_memory_class(&f->code[i]), MIR_POSTED);
    run_close(&r);
}

/* ---- convergence ---------------------------------------------------------------------------- */

Test(ptx_lower, warpsync_where_lanes_may_be_apart) {
    struct run r;
    run_open(&r,
             RUN_HEAD ".entry together()\n{" RUN_REGS "mov.u32 %r1, %tid.x;\n"
                      "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; st.shared.u32 [sh+0], %r2; ret; }\n"
                      ".entry apart()\n{" RUN_REGS
                      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @%p1 bra L;\n"
                      "st.shared.u32 [sh+4], %r1; ret; L:\n"
                      "shfl.sync.idx.b32 %r2, %r1, 0, 31, 127; st.shared.u32 [sh+0], %r2; ret; }\n"
                      ".entry again()\n{" RUN_REGS
                      "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @%p1 bra L;\n"
                      "st.shared.u32 [sh+4], %r1; ret; L:\n"
                      "shfl.sync.idx.b32 %r2, %r1, 0, 31, 127;\n"
                      "shfl.sync.idx.b32 %r3, %r2, 1, 31, -1;\n"
                      "shfl.sync.idx.b32 %r4, %r3, 2, 31, -1; st.shared.u32 [sh+0], %r4; ret; }\n",
             NULL);
    cr_expect_eq(run_count(run_function(&r, "together"), MIR_WARPSYNC), 0u);
    cr_expect_eq(run_count(run_function(&r, "apart"), MIR_WARPSYNC), 1u);
    /* behind the one of all lanes, but not behind that of some, there is no need for another */
    cr_expect_eq(run_count(run_function(&r, "again"), MIR_WARPSYNC), 2u);
    run_close(&r);
}

/* ---- counting PTX instructions -------------------------------------------------------------- */

/* Straight-line code: every PTX instruction counts, even if passes remove it. */
Test(ptx_lower, counts_of_vanished_instructions) {
    struct run r;
    run_open(&r,
             RUN_HEAD
             ".entry k(.param .u64 a)\n{" RUN_REGS
             "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd2, %rd1;\n"
             "mov.u32 %r1, 5; mov.u32 %r2, %r1; add.s32 %r3, %r2, 4; mul.lo.s32 %r4, %r3, 0;\n"
             "add.s64 %rd3, %rd2, 8; st.global.u32 [%rd3], %r3; bra.uni L; L: ret; }",
             NULL);
    const struct mir_function *f = &r.module->functions[0];
    unsigned sum = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) sum += f->code[i].ptx_count;
    cr_expect_eq(sum, 10u, "%s", run_listing(f));
    run_close(&r);
}

/* A conditional exit and a jump back become one branch; the jump counts when it is taken. */
Test(ptx_lower, branch_over_a_jump) {
    struct run r;
    run_open(&r,
             RUN_HEAD ".entry k(.param .u64 a)\n{" RUN_REGS
                      "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x;\n"
                      "L: add.s32 %r2, %r2, 5; sub.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 0;\n"
                      "@%p1 bra M; bra.uni L; M: st.global.u32 [%rd1], %r2; ret; }",
             NULL);
    cr_expect_eq(run_count(&r.module->functions[0], MIR_BRA), 1u, "%s",
                 run_listing(&r.module->functions[0]));
    uint64_t param = (uint64_t)(uintptr_t)r.base;
    for (unsigned threads = 1; threads <= 32; threads++) {
        cr_assert_eq(run_kernel(&r, "k", 1, threads, &param, 8, 0), HEDDLE_OK, "%s", r.diag.text);
        /* `threads` iterations of four instructions, with a jump in all but the last */
        cr_expect_eq(r.counts.ptx_warp_inst, 2 + 4 * threads + (threads - 1) + 2, "%u: %llu",
                     threads, (unsigned long long)r.counts.ptx_warp_inst);
    }
    run_close(&r);
}

Test(ptx_lower, counts_when_executed) {
    static const char text[] = RUN_HEAD
        ".entry k(.param .u64 a)\n{" RUN_REGS
        "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1];\n"                   /* 2 */
        "mov.u32 %r2, 0;\n"                                                      /* 1 */
        "L: add.s32 %r2, %r2, 3; mov.u32 %r5, %r2; sub.s32 %r1, %r1, 1;\n"       /* 3 */
        "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra M;\n"            /* 3 */
        "mov.u32 %r6, 1; mov.u32 %r7, 2;\n"                                      /* 2 odd */
        "M: setp.ne.u32 %p2, %r1, 0; @%p2 bra L;\n"                              /* 2 */
        "@!%p2 st.global.u32 [%rd1], %r2; @%p2 st.global.u32 [%rd1], 0; ret; }"; /* 3 */
    for (int optimise = 0; optimise < 2; optimise++) {
        struct ptx_options o;
        struct run r;
        ptx_options_default(&o);
        o.no_optimize = !optimise;
        run_open(&r, text, &o);
        uint32_t *word = (uint32_t *)r.base;
        uint64_t param = (uint64_t)(uintptr_t)word;
        *word = 10;
        cr_assert_eq(run_kernel(&r, "k", 1, 64, &param, 8, 0), HEDDLE_OK, "%s", r.diag.text);
        /* the second warp runs after the first and reads 30; 10 and 30 iterations in all */
        cr_expect_eq(*word, 90u);
        uint64_t rounds = 10 + 30, odd = 5 + 15;
        cr_expect_eq(r.counts.ptx_warp_inst, 2 * 3 + rounds * 8 + odd * 2 + 2 * 3, "%llu",
                     (unsigned long long)r.counts.ptx_warp_inst);
        run_close(&r);
    }
}

/* ---- memory layout -------------------------------------------------------------------------- */

Test(ptx_lower, variables) {
    struct run r;
    static const char text[] = RUN_HEAD
        ".global .align 4 .u32 g[2][2] = {{1, 2}, {3}};\n.const .align 8 .f64 pi = 3.5;\n"
        ".const .b8 t[3] = {7, 8, 9};\n.global .u64 p[2] = {g+4, generic(t)};\n"
        ".shared .align 16 .b8 s1[40]; .extern .shared .align 16 .b8 dyn[];\n.shared .b32 "
        "unused[99];\n"
        ".entry k(.param .u64 out)\n{" RUN_REGS ".shared .align 8 .b8 s2[8];\n"
        "ld.param.u64 %rd1, [out]; mov.u64 %rd2, p; ld.global.u64 %rd3, [%rd2]; ld.global.u32 %r1, "
        "[%rd3];\n"
        "st.global.u32 [%rd1], %r1; ld.const.f64 %fd1, [pi]; st.global.f64 [%rd1+8], %fd1;\n"
        "ld.const.u8 %r2, [t+2]; st.global.u32 [%rd1+4], %r2; ld.global.u32 %r3, [g+8];\n"
        "st.global.u32 [%rd1+16], %r3; mov.u32 %r4, s2; mov.u32 %r5, dyn; mov.u32 %r6, s1;\n"
        "st.global.v2.u32 [%rd1+24], {%r4, %r5}; st.global.u32 [%rd1+32], %r6;\n"
        "ld.global.u64 %rd4, [p+8]; ld.u8 %r7, [%rd4+1]; st.global.u32 [%rd1+20], %r7; ret; }";
    run_open(&r, text, NULL);
    uint64_t param = (uint64_t)(uintptr_t)r.base;
    cr_assert_eq(run_kernel(&r, "k", 1, 1, &param, 8, 64), HEDDLE_OK, "%s", r.diag.text);
    const uint32_t *w = (const uint32_t *)r.base;
    double pi;
    memcpy(&pi, w + 2, 8);
    cr_expect_eq(w[0], 2u);
    cr_expect_eq(w[1], 9u);
    cr_expect_eq(pi, 3.5);
    cr_expect_eq(w[4], 3u);
    cr_expect_eq(w[5], 8u);
    /* s2 comes first, since the compiler meets its declaration first; then s1; then dynamic memory,
     * aligned */
    cr_expect_eq(w[6], 0u);
    cr_expect_eq(w[8], 16u);
    cr_expect_eq(w[7], 64u);
    cr_expect_eq(r.module->functions[0].shared_bytes, 64u);
    cr_expect_eq(r.module->num_symbols, 4u);
    cr_expect_eq(r.module->const_bytes, 11u);
    run_close(&r);
}

Test(ptx_lower, parameters_and_bounds) {
    struct run r;
    run_open(&r,
             RUN_HEAD
             ".entry k(.param .u8 a, .param .align 8 .b8 s[12], .param .u16 b, .param .f64 d)\n"
             ".maxntid 1024, 1, 1 .minnctapersm 2\n{ ret; }\n"
             ".entry l() .reqntid 32, 2\n{ bar.sync 3; ret; }\n",
             NULL);
    const struct mir_function *f = run_function(&r, "k");
    static const uint32_t at[4] = {0, 8, 20, 24}, size[4] = {1, 12, 2, 8};
    cr_assert_eq(f->num_params, 4u);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(f->params[i].offset, at[i]);
        cr_expect_eq(f->params[i].size, size[i]);
    }
    cr_expect_eq(f->param_bytes, 32u);
    cr_expect_eq(f->max_threads, 1024u);
    cr_expect_eq(f->min_ctas, 2u);
    f = run_function(&r, "l");
    cr_expect_eq(f->reqntid[0], 32u);
    cr_expect_eq(f->reqntid[1], 2u);
    cr_expect_eq(f->num_barriers, 4u);
    run_close(&r);
}

/* ---- calls ---------------------------------------------------------------------------------- */

Test(ptx_lower, calls_are_inlined) {
    struct run r;
    static const char text[] = RUN_HEAD
        ".func (.param .b32 r) twice(.param .b32 x)\n{ .reg .b32 %r<4>;\n"
        "ld.param.u32 %r1, [x]; add.s32 %r2, %r1, %r1; st.param.b32 [r+0], %r2; ret; }\n"
        ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 s[16])\n{ .reg .b64 %rd<4>;\n"
        "ld.param.b64 %rd1, [s]; ld.param.b64 %rd2, [s+8]; st.param.b64 [r], %rd2; st.param.b64 "
        "[r+8], %rd1; ret; }\n"
        ".func (.param .b32 r) pick(.param .align 4 .b8 s[8], .param .b32 i)\n{ .reg .b64 %rd<5>; "
        ".reg .b32 %r<4>;\n"
        "mov.b64 %rd1, s; ld.param.u32 %r1, [i]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, "
        "%rd2;\n"
        "ld.local.u32 %r2, [%rd3]; st.param.b32 [r], %r2; ret; }\n"
        ".func (.reg .b32 r) early(.reg .b32 x)\n{ .reg .pred %p; setp.gt.s32 %p, x, 10; mov.u32 "
        "r, 1; @%p ret;\n"
        "mov.u32 r, 2; ret; }\n"
        ".entry k(.param .u64 out)\n{" RUN_REGS "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); "
        "ld.param.b32 %r2, [b]; }\n"
        "{ .param .align 8 .b8 a[16]; .param .align 8 .b8 b[16]; st.param.b64 [a], %rd1; "
        "cvt.u64.u32 %rd2, %r2;\n"
        "st.param.b64 [a+8], %rd2; call (b), swap, (a); ld.param.b64 %rd3, [b]; }\n"
        "{ .param .align 4 .b8 a[8]; .param .b32 i; .param .b32 b; st.param.b32 [a], 70; "
        "st.param.b32 [a+4], %r1;\n"
        "and.b32 %r3, %r1, 1; st.param.b32 [i], %r3; call (b), pick, (a, i); ld.param.b32 %r4, "
        "[b]; }\n"
        "call (%r5), early, (%r1);\n"
        "mul.wide.u32 %rd4, %r1, 16; add.s64 %rd4, %rd1, %rd4; st.global.u64 [%rd4], %rd3;\n"
        "st.global.v2.u32 [%rd4+8], {%r4, %r5}; ret; }";
    run_open(&r, text, NULL);
    uint64_t param = (uint64_t)(uintptr_t)r.base;
    cr_assert_eq(run_kernel(&r, "k", 1, 32, &param, 8, 0), HEDDLE_OK, "%s", r.diag.text);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *w = (const uint32_t *)r.base + 4 * i;
        cr_expect_eq(w[0], 2 * i);
        cr_expect_eq(w[2], i & 1 ? i : 70);
        cr_expect_eq(w[3], i > 10 ? 1u : 2u);
    }
    run_close(&r);
}

/* A generic address of a parameter, in a body that begins with a label, to which it jumps back. */
Test(ptx_lower, parameters_in_memory_of_a_body_that_begins_with_a_label) {
    struct run r;
    run_open(&r,
             RUN_HEAD
             ".entry k(.param .u64 out, .param .u32 n)\n{" RUN_REGS
             "TOP: mov.b64 %rd2, n; cvta.param.u64 %rd3, %rd2; ld.u32 %r1, [%rd3];\n"
             "ld.param.u64 %rd1, [out]; red.global.add.u32 [%rd1], %r1;\n"
             "atom.global.add.u32 %r2, [%rd1+4], 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra TOP; ret; }",
             NULL);
    struct {
        uint64_t out;
        uint32_t n;
    } params = {(uint64_t)(uintptr_t)r.base, 1234};
    cr_assert_eq(run_kernel(&r, "k", 1, 1, &params, 12, 0), HEDDLE_OK, "%s", r.diag.text);
    cr_expect_eq(*(const uint32_t *)r.base, 2 * 1234u);
    run_close(&r);
}

/* ---- pressure ------------------------------------------------------------------------------- */

/* Compiles n loads that are all needed at the end, so that n registers are live at once. */
static void many_alive(unsigned n, uint32_t max_regs, const char *bounds, bool spills) {
    static char text[1 << 18];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        RUN_HEAD ".entry k(.param .u64 a) %s\n{ .reg .b32 %%r<2000>, %%sum; .reg .b64 %%rd<9>;\n"
                 "ld.param.u64 %%rd1, [a]; mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd2, %%r0, 4;\n"
                 "add.s64 %%rd3, %%rd1, %%rd2; mov.u32 %%sum, 1;\n",
        bounds);
    for (unsigned i = 1; i <= n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "ld.volatile.global.u32 %%r%u, [%%rd3+%u];\n", i, 4 * i);
    for (unsigned i = 1; i <= n; i++) /* an order that needs them all */
        at += (size_t)snprintf(text + at, sizeof text - at, "mad.lo.u32 %%sum, %%sum, 3, %%r%u;\n",
                               i);
    for (unsigned i = 1; i <= n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "xor.b32 %%sum, %%sum, %%r%u;\n", i);
    snprintf(text + at, sizeof text - at, "st.global.u32 [%%rd3+32768], %%sum; ret; }");
    struct ptx_options o;
    struct run r;
    ptx_options_default(&o);
    o.max_regs = max_regs;
    run_open(&r, text, &o);
    const struct mir_function *f = &r.module->functions[0];
    uint32_t *w = (uint32_t *)r.base;
    for (unsigned i = 0; i < 2048; i++) w[i] = i * 2654435761u;
    uint64_t param = (uint64_t)(uintptr_t)w;
    cr_assert_eq(run_kernel(&r, "k", 1, 32, &param, 8, 0), HEDDLE_OK, "%s", r.diag.text);
    for (unsigned t = 0; t < 32; t++) {
        uint32_t want = 1;
        for (unsigned i = 1; i <= n; i++) want = want * 3 + w[t + i];
        for (unsigned i = 1; i <= n; i++) want ^= w[t + i];
        cr_expect_eq(w[t + 8192], want, "thread %u", t);
    }
    uint32_t limit = max_regs ? max_regs : 255;
    cr_expect_leq(f->num_regs, limit, "%u registers", f->num_regs);
    cr_expect_eq(run_count(f, MIR_STL) > 0, spills, "%u stores, %u registers",
                 run_count(f, MIR_STL), f->num_regs);
    cr_expect_eq(f->local_bytes > 0, spills);
    run_close(&r);
}

Test(ptx_lower, spills) {
    many_alive(20, 0, "", false);
    many_alive(20, 16, "", true);
    many_alive(100, 40, "", true);
    many_alive(200, 0, "", false);
    many_alive(300, 0, "", true);
    many_alive(1500, 0, "", true);
}

Test(ptx_lower, launch_bounds_limit_registers) {
    many_alive(100, 0, ".maxntid 1024", true); /* 64 registers */
    many_alive(50, 0, ".maxntid 1024", false);
    many_alive(50, 0, ".maxnreg 32", true);
}

Test(ptx_lower, many_predicates) {
    struct run r;
    char text[8192];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "%s.entry k(.param .u64 a)\n{%s"
        "ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0;\n",
        RUN_HEAD, RUN_REGS);
    for (unsigned i = 0; i < 14; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "setp.gt.u32 %%p%u, %%r1, %u;\n", i,
                               2 * i);
    at += (size_t)snprintf(text + at, sizeof text - at, "bar.sync 0;\n");
    for (unsigned i = 0; i < 14; i++) /* backwards, and as guards, so that all stay live */
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "@%%p%u add.s32 %%r2, %%r2, %u; selp.u32 %%r3, %u, 0, %%p%u; "
                               "xor.b32 %%r2, %%r2, %%r3;\n",
                               13 - i, i + 1, 256 << i, 13 - i);
    snprintf(text + at, sizeof text - at,
             "mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd3, %%rd1, %%rd2; st.global.u32 [%%rd3], "
             "%%r2; ret; }");
    run_open(&r, text, NULL);
    uint64_t param = (uint64_t)(uintptr_t)r.base;
    cr_assert_eq(run_kernel(&r, "k", 1, 32, &param, 8, 0), HEDDLE_OK, "%s", r.diag.text);
    for (unsigned t = 0; t < 32; t++) {
        uint32_t want = 0;
        for (unsigned i = 0; i < 14; i++)
            if (t > 2 * (13 - i)) want = (want + i + 1) ^ (256u << i);
        cr_expect_eq(((uint32_t *)r.base)[t], want, "thread %u", t);
    }
    run_close(&r);
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Expects that the instruction, whose name is `name`, is refused by that name. */
static void refuses_type(const char *name, const char *operands) {
    char body[128], why[128], mark[128];
    snprintf(body, sizeof body, "%s %s;", name, operands);
    snprintf(why, sizeof why,
             "PTX instruction '%s' is not supported: type '%s' does not go with it", name,
             strrchr(name, '.'));
    memset(mark, '~', sizeof mark);
    mark[0] = '^';
    mark[strlen(body) - 1] = '\0';
    refuses_body(body, why, body, mark);
}

/* Types that PTX does not have for an instruction of integers or bits. */
Test(ptx_lower, types_that_an_instruction_lacks) {
    refuses_type("rem.f32", "%f1, %f2, %f3");
    refuses_type("rem.f64", "%fd1, %fd2, %fd3");
    refuses_type("rem.b32", "%r1, %r2, %r3");
    refuses_type("div.b64", "%rd1, %rd2, %rd3");
    refuses_type("addc.f32", "%f1, %f2, %f3");
    refuses_type("subc.f64", "%fd1, %fd2, %fd3");
    refuses_type("addc.u16", "%h1, %h2, %h3");
    refuses_type("not.f32", "%f1, %f2");
    refuses_type("cnot.f64", "%fd1, %fd2");
    refuses_type("popc.f32", "%r1, %f2");
    refuses_type("popc.b16", "%r1, %h2");
    refuses_type("clz.f64", "%r1, %fd2");
}

Test(ptx_lower, operands_that_do_not_fit) {
    refuses_body("add.f32 %f1, %f2, 1;",
                 "operand 3 is an integer; a register or number of type .f32 is wanted there",
                 "add.f32 %f1, %f2, 1;", "^~~~~~~~~~~~~~~~~~~");
    refuses_body("mov.u32 %r1, %f2;",
                 "operand 2 is '%f2', a register of type .f32; a register, a number or a name of "
                 "type .u32 is wanted there",
                 "mov.u32 %r1, %f2;", "^~~~~~~~~~~~~~~~");
    refuses_body("add.rn.rz.f32 %f1, %f2, %f3;",
                 "PTX instruction 'add.rn.rz.f32' is not supported: modifiers '.rn' and '.rz' "
                 "exclude each other",
                 "add.rn.rz.f32 %f1, %f2, %f3;", "^~~~~~~~~~~~~~~~~~~~~~~~~~~");
}

/* .pragma "heddle_locked" is for the store right behind it. */
Test(ptx_lower, locked_stores) {
#define LOCKED ".pragma \"heddle_locked\"; "
    makes(LOCKED "st.volatile.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r1;",
          "STG.E.LOCKED.VOLATILE [R0:], R2\nSTG.E [R0:+0x4], R2\nEXIT\n");
    makes(LOCKED "st.release.sys.global.u32 [%rd1], %r1;",
          "STG.E.LOCKED.RELEASE.SYS [R0:], R2\nEXIT\n");
    static const char *const wrong[] = {
        LOCKED,
        LOCKED "ld.global.u32 %r1, [%rd1];",
        LOCKED "st.shared.u32 [%r1], %r1;",
        LOCKED "L: st.global.u32 [%rd1], %r1;",
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses_body(wrong[i],
                     ".pragma \"heddle_locked\" stands right before a store (st) to global memory",
                     wrong[i], "^");
#undef LOCKED
}

Test(ptx_lower, messages) {
    refuses_body("foo.bar.b32 %r1, %r2;", "PTX instruction 'foo.bar.b32' is not supported",
                 "foo.bar.b32 %r1, %r2;", "^~~~~~~~~~~~~~~~~~~~");
    refuses_body("add.s32.frob %r1, %r2, 1;",
                 "PTX instruction 'add.s32.frob' is not supported: modifier '.frob' does not go "
                 "with it",
                 "add.s32.frob %r1, %r2, 1;", "^~~~~~~~~~~~~~~~~~~~~~~~");
    refuses_body("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f5,%f6}];",
                 "PTX instruction 'tex.2d.v4.f32.f32' is not supported: a sampler of its own "
                 "(texmode_independent)",
                 "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f5,%f6}];",
                 "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~");
    refuses_body("add.s32 %r1, %r99, 1;",
                 "'%r99' is not declared; declare it with .reg or name a variable",
                 "add.s32 %r1, %r99, 1;", "^~~~~~~~~~~~~~~~~~~~");
    refuses_body("add.s32 %r1, %rd2, 1, 2;", "this instruction takes 3 operands, not 4",
                 "add.s32 %r1, %rd2, 1, 2;", "^~~~~~~~~~~~~~~~~~~~~~~");
    refuses_body("bra NOWHERE;", "label 'NOWHERE' does not stand in this function", "bra NOWHERE;",
                 "^~~~~~~~~~~");
    refuses_body(
        "@%q bra L; L:", "the guard '%q' is no declared predicate; declare it with .reg .pred",
        "@%q bra L; L:", "^~~~~~~~~");
    refuses_body("call printf, (%r1);",
                 "PTX instruction 'call' is not supported: the function called is not declared",
                 "call printf, (%r1);", "^~~~~~~~~~~~~~~~~~");
    refuses_body("call %rd1, (%r1), P;",
                 "PTX instruction 'call' is not supported: an indirect call names its "
                 ".callprototype or .calltargets",
                 "call %rd1, (%r1), P;", "^~~~~~~~~~~~~~~~~~~");
    refuses(RUN_HEAD
            ".extern .func (.param .b32 r) elsewhere(.param .b64 a);\n.entry k()\n{\n" RUN_REGS
            "call (%r1), elsewhere, (%rd1);\n}\n",
            "t.ptx:8:1: error: kernel 'k': PTX instruction 'call' is not supported: function "
            "'elsewhere' has no body in this module, and modules are not linked\n"
            "    call (%r1), elsewhere, (%rd1);\n    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~");
    refuses(
        RUN_HEAD ".extern .global .u32 g;\n.entry k() { ret; }",
        "t.ptx:4:1: error: variable 'g' is .extern, and modules are not linked with others; define "
        "it here\n    .extern .global .u32 g;\n    ^");
    refuses(RUN_HEAD ".global .u64 g = k;\n.entry k()\n{\n" RUN_REGS
                     "ld.global.u64 %rd1, [g];\n}\n",
            "t.ptx:8:1: error: kernel 'k': dynamic parallelism is not supported: 'g' has the "
            "address of kernel 'k', for launches by kernels; launch it from the host\n"
            "    ld.global.u64 %rd1, [g];\n    ^~~~~~~~~~~~~~~~~~~~~~~");
    refuses(RUN_HEAD ".const .u64 h = g;\n.global .u64 g[2] = {0, k};\n.entry k()\n{\n" RUN_REGS
                     "ld.const.u64 %rd1, [h];\n}\n",
            "t.ptx:9:1: error: kernel 'k': dynamic parallelism is not supported: 'h' has the "
            "address of kernel 'k', for launches by kernels; launch it from the host\n"
            "    ld.const.u64 %rd1, [h];\n    ^~~~~~~~~~~~~~~~~~~~~~");
}
