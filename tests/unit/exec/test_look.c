/* test_look.c - exec/check/look.c: which warps that run will never do anything that others
 * notice. */
#include <criterion/criterion.h>

#include "assemble.h"

enum { THREADS = 64, STEPS = 40 };

/* What the loop of the kernel does besides reading the word at its parameter until it is not 0. */
enum loop { ONLY_READS, COUNTS, WRITES, ASKS_CLOCK, MEETS, LANE_0_READS };

static void build(struct kernel *k, enum loop loop) {
    EMIT(k, MOV, .dst = 7, .src = {IMM(0)});
    EMIT(k, S2R, .dst = 0, .sub = MIR_SR_TID_X);
    EMIT(k, MOV, .dst = 1, .src = {IMM(0)});
    emit_element(k, 2, 0, 1);
    EMIT(k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_NE, .src = {REG(0), IMM(0)});
    uint32_t skip = UINT32_MAX;
    if (loop == LANE_0_READS) skip = EMIT(k, BRA, .guard = 1, .imm = 0);
    const uint32_t top = HERE(k);
    LOAD(k, 6, 2, .sem = MIR_RELAXED, .scope = MIR_SCOPE_GPU);
    if (loop == COUNTS) EMIT(k, IADD3, .dst = 7, .src = {REG(7), IMM(1), RZ});
    if (loop == WRITES) STORE(k, 2, 6);
    if (loop == ASKS_CLOCK) EMIT(k, CS2R, .dst = 5, .sub = MIR_SR_CLOCK_LO);
    if (loop == MEETS) EMIT(k, BAR, .imm = 0);
    EMIT(k, ISETP, .pdst = {2, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(6), IMM(0)});
    EMIT(k, BRA, .guard = 2, .imm = (int32_t)top);
    if (skip != UINT32_MAX) k->code[skip].imm = (int32_t)HERE(k);
    EMIT(k, BAR, .imm = 0); /* where the others wait for lane 0 */
    EMIT(k, EXIT);
}

/* Runs the kernel and looks between its steps, as its owner does. *acts: whether it has acted in
 * between. @return whether all warps were found to wait for ever. */
static bool settles(enum loop loop, bool *acts) {
    struct machine m;
    struct kernel k = {0};
    struct exec_immediate *x;
    struct heddle_diag d = {0};
    machine_init(&m, 1 << 20);
    uint32_t *word = machine_alloc(&m, 32);
    *word = 0;
    machine_param_pointer(&m, 0, word);
    build(&k, loop);
    struct exec_launch l = kernel_launch(&k, &m, 2, THREADS);
    l.immediate = true;
    cr_assert_eq(exec_immediate_create(&x, &l, 2, 37, &d), HEDDLE_OK, "%s", d.text);
    uint64_t first = 0;
    bool settled = false;
    *acts = false;
    for (unsigned i = 0; i < STEPS && !settled; i++) {
        cr_assert(!exec_immediate_run(x, 3));
        struct exec_look look = {.how = i == 3 ? EXEC_LOOK_BEGIN : EXEC_LOOK_AGAIN};
        if (i < 3) look.how = EXEC_LOOK_COUNT;
        exec_immediate_look(x, &look);
        cr_assert_eq(look.ctas, 2);
        if (i == 3) first = look.acts;
        *acts |= i > 3 && look.acts != first;
        settled = i > 3 && !look.busy;
        cr_assert(settled || look.busy <= 4);
    }
    *word = 1;
    if (settled) cr_assert(exec_immediate_run(x, 0), "it ends when the word is there");
    exec_immediate_end(x, &(struct exec_counts){0}, &(struct exec_fault){0}, NULL);
    machine_fini(&m);
    return settled;
}

Test(look, a_loop_that_only_reads_goes_on_for_ever) {
    bool acts;
    cr_assert(settles(ONLY_READS, &acts));
    cr_assert_not(acts);
}

/* Its other lanes wait at a CTA barrier, and so does the other warp. */
Test(look, a_lane_may_read_for_its_cta) {
    bool acts;
    cr_assert(settles(LANE_0_READS, &acts));
    cr_assert_not(acts);
}

Test(look, a_loop_that_counts_may_end) {
    bool acts;
    cr_assert_not(settles(COUNTS, &acts));
    cr_assert_not(acts);
}

Test(look, loops_that_act) {
    static const enum loop loops[] = {WRITES, ASKS_CLOCK, MEETS};
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
        bool acts;
        settles(loops[i], &acts);
        cr_assert(acts, "loop %u", i);
    }
}
