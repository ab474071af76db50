/* test_immediate.c - exec/immediate.c, whole launches executed functionally: host threads, the
 * first fault, CTAs that wait for each other. */
#include <criterion/criterion.h>

#include "assemble.h"

enum { CTAS = 100, THREADS = 64 };

/* out[i] = 3 * i + 1 for every thread of the grid. */
static void fill_kernel(struct kernel *k) {
    emit_global_index(k, 0, 1);
    emit_element(k, 2, 0, 0);
    EMIT(k, IMAD, .dst = 4, .src = {REG(0), IMM(3), IMM(1)});
    STORE(k, 2, 4);
    EMIT(k, EXIT);
}

/* Runs the kernel's CTAS CTAs on `threads` host threads. Its output has room for the first `ctas`
 * CTAs; later CTAs fault. */
static heddle_err run(uint32_t threads, uint32_t ctas, struct exec_counts *counts,
                      struct exec_fault *fault, struct heddle_diag *diag) {
    struct machine m;
    struct kernel k = {0};
    machine_init(&m, 1 << 20);
    uint32_t *out = machine_alloc(&m, ctas * THREADS * 4);
    machine_param_pointer(&m, 0, out);
    fill_kernel(&k);
    struct exec_launch l = kernel_launch(&k, &m, CTAS, THREADS);
    l.threads = threads;
    heddle_err e = exec_run_immediate(&l, 16, 1024, counts, fault, diag);
    for (uint32_t i = 0; i < ctas * THREADS; i++)
        cr_assert_eq(out[i], 3 * i + 1, "%u threads, element %u: %u", threads, i, out[i]);
    machine_fini(&m);
    return e;
}

Test(immediate, any_number_of_threads_gives_the_same) {
    static const uint32_t threads[] = {0, 1, 2, 3, 16, 1000};
    for (unsigned i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct exec_counts c;
        struct exec_fault f;
        struct heddle_diag d = {0};
        cr_assert_eq(run(threads[i], CTAS, &c, &f, &d), HEDDLE_OK, "%s", d.text);
        cr_assert_eq(c.warp_inst, CTAS * THREADS / 32 * 7);
        cr_assert_eq(mir_all_kinds(c.thread_inst), CTAS * THREADS * 7);
        cr_assert_eq(f.err, HEDDLE_OK);
    }
}

/* All CTAs from 37 on fault: the launch reports the fault of CTA 37, and the CTAs before it have
 * completed. */
Test(immediate, the_fault_is_that_of_the_lowest_cta) {
    char first[1024] = "";
    for (uint32_t threads = 1; threads < 6; threads++) {
        struct exec_counts c;
        struct exec_fault f;
        struct heddle_diag d = {0};
        cr_assert_eq(run(threads, 37, &c, &f, &d), HEDDLE_ERR_ILLEGAL_ADDRESS, "%s", d.text);
        cr_assert_eq(f.cta[0], 37, "%u threads: CTA %u", threads, f.cta[0]);
        if (threads == 1) memcpy(first, d.text, sizeof first);
        cr_assert(d.text[0]);
    }
    cr_assert(strstr(first, "(37,0,0)"), "%s", first);
}

/* exec_launch.progress: the second call cancels the launch. */
static void cancel(void *user, uint64_t ctas_done) {
    static _Atomic unsigned calls;
    struct exec_launch *l = user;
    cr_assert_eq(ctas_done, 0);
    static struct exec_standing standing;
    if (++calls % 2) return;
    memset(&standing, 0, sizeof standing);
    exec_launch_cancel(l, &standing);
}

/* CTAs that never end: a launch that is cancelled ends, on all its threads. */
Test(immediate, a_cancelled_launch_ends) {
    for (uint32_t threads = 1; threads < 5; threads++) {
        struct machine m;
        struct kernel k = {0};
        machine_init(&m, 1 << 20);
        EMIT(&k, BRA, .imm = 0);
        EMIT(&k, EXIT);
        struct exec_launch l = kernel_launch(&k, &m, 64, 64);
        struct exec_counts c;
        struct exec_fault f;
        struct heddle_diag d = {0};
        l.immediate = true;
        l.threads = threads;
        l.progress = cancel;
        l.progress_user = &l;
        cr_assert_eq(exec_run_immediate(&l, 64, 1024, &c, &f, &d), HEDDLE_ERR_STOPPED);
        cr_assert_str_eq(d.text, "kernel test was given up after 0 of 64 CTAs");
        cr_assert_gt(c.warp_inst, 0);
        const struct exec_standing *s = l.standing;
        cr_assert_eq(s->num_places, 1);
        cr_assert_eq(s->place[0].warps, s->warps);
        cr_assert(s->warps && s->warps % 2 == 0 && !s->others, "%llu warps, %llu others",
                  (unsigned long long)s->warps, (unsigned long long)s->others);
        cr_assert(strstr(s->place[0].text, "warp 0 could run, instruction 0 (BRA)"));
    }
}

/* CTA 0 reads an ordinary word until CTA 5 has written it. Nothing in the code shows that they wait
 * for each other, so CTA 0 runs alone at first. */
Test(immediate, ctas_that_wait_without_a_sign_become_resident) {
    struct machine m;
    struct kernel k = {0};
    machine_init(&m, 1 << 20);
    uint32_t *flag = machine_alloc(&m, 32);
    machine_param_pointer(&m, 0, flag);
    *flag = 0;
    EMIT(&k, S2R, .dst = 0, .sub = MIR_SR_CTAID_X);
    emit_element(&k, 2, 0, 255);
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(0), IMM(0)});
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(0), IMM(5)});
    EMIT(&k, MOV, .dst = 5, .src = {IMM(1)});
    EMIT(&k, STG, .guard = 1, .src = {REG(2), REG(5)}, .flags = MIR_ADDR64,
         .space = MIR_SPACE_GLOBAL);
    uint32_t top = HERE(&k);
    LOAD(&k, 6, 2);
    EMIT(&k, ISETP, .pdst = {2, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(6), IMM(0)});
    EMIT(&k, PLOP3, .pdst = {2, MIR_PT}, .psrc = {2, 0, MIR_PT}, .sub = 0xc0);
    EMIT(&k, BRA, .guard = 2, .imm = (int32_t)top);
    EMIT(&k, EXIT);
    struct exec_launch l = kernel_launch(&k, &m, 8, 32);
    struct exec_counts c;
    struct exec_fault f;
    struct heddle_diag d = {0};
    cr_assert_eq(exec_run_immediate(&l, 8, 64, &c, &f, &d), HEDDLE_OK, "%s", d.text);
    cr_assert_eq(*flag, 1);
    machine_fini(&m);
}
