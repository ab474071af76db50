/* programs_control.c - divergence, warp syncs and CTA barriers: small programs, run functionally
 * and under the fake timing model (timed.h). NAME_value(t) is the result that thread t of program
 * NAME must store in its word. A function without parameters is one such program, which ops.c runs
 * by the table at the end of this file. */
#include "control.h"

/* Emits the end of a program: stores R4 + 1000 * the number of lanes that are active together. */
static void end_together(struct kernel *k) {
    EMIT(k, ACTIVEMASK, .dst = 5);
    EMIT(k, POPC, .dst = 5, .src = {REG(5)});
    EMIT(k, IMAD, .dst = 4, .src = {REG(5), IMM(1000), REG(4)});
    end(k, 4);
}

/* if (lane < 10) r = lane * 3; else if (lane < 20) r = 7; else r = lane; then adds the number of
 * active lanes. */
static uint32_t nested_value(uint32_t t) {
    uint32_t l = t % 32;
    return (l < 10 ? l * 3 : l < 20 ? 7 : l) + 32 * 1000;
}
static void nested(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    uint32_t outer = EMIT(&k, BSSY, .sub = 0);
    setp(&k, 0, MIR_CMP_LT, 0, 10);
    uint32_t otherwise = EMIT(&k, BRA, .guard = 0 | MIR_PNOT);
    EMIT(&k, IMAD, .dst = 4, .src = {REG(0), IMM(3)});
    uint32_t out = EMIT(&k, BRA);
    PATCH(&k, otherwise);
    uint32_t inner = EMIT(&k, BSSY, .sub = 1);
    setp(&k, 1, MIR_CMP_LT, 0, 20);
    uint32_t not_middle = EMIT(&k, BRA, .guard = 1 | MIR_PNOT);
    EMIT(&k, MOV, .dst = 4, .src = {IMM(7)});
    uint32_t middle_out = EMIT(&k, BRA);
    PATCH(&k, not_middle);
    EMIT(&k, MOV, .dst = 4, .src = {REG(0)});
    PATCH(&k, middle_out);
    PATCH(&k, inner);
    EMIT(&k, BSYNC, .sub = 1);
    PATCH(&k, out);
    PATCH(&k, outer);
    EMIT(&k, BSYNC, .sub = 0);
    end_together(&k);
    check("nested if", &k, &s, 2, 64, nested_value);
}

/* Loops with a different trip count in every lane: the sum of 0..lane. */
static uint32_t loop_value(uint32_t t) {
    uint32_t l = t % 32;
    return l * (l + 1) / 2 + 32 * 1000;
}
static void loops(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    uint32_t ssy = EMIT(&k, BSSY, .sub = 3);
    uint32_t top = HERE(&k);
    EMIT(&k, IADD3, .dst = 5, .src = {REG(5), REG(6)});
    EMIT(&k, IADD3, .dst = 6, .src = {REG(6), IMM(1)});
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_LE, .src = {REG(6), REG(0)});
    EMIT(&k, BRA, .guard = 0, .imm = (int32_t)top);
    PATCH(&k, ssy);
    EMIT(&k, BSYNC, .sub = 3);
    EMIT(&k, VOTE, .dst = 7, .sub = MIR_VOTE_ANY);
    EMIT(&k, POPC, .dst = 7, .src = {REG(7)});
    EMIT(&k, IMAD, .dst = 5, .src = {REG(7), IMM(1000), REG(5)});
    end(&k, 5);
    check("loops", &k, &s, 1, 96, loop_value);
}

/* A loop that some lanes leave in the middle (BREAK), the others at its end. */
static uint32_t break_value(uint32_t t) {
    return (t % 32 < 8 ? 5 : 9) + 1000 * 32;
}
static void leave_loop(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    uint32_t outer = EMIT(&k, BSSY, .sub = 0); /* all meet at the end */
    uint32_t inner = EMIT(&k, BSSY, .sub = 1); /* lanes that stay meet behind the loop */
    uint32_t top = HERE(&k);
    EMIT(&k, IADD3, .dst = 4, .src = {REG(4), IMM(1)});
    setp(&k, 1, MIR_CMP_LT, 0, 8);
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .psrc = {1, MIR_PT, MIR_PT}, .cmp = MIR_CMP_EQ,
         .src = {REG(4), IMM(5)});
    EMIT(&k, BREAK, .guard = 1, .sub = 1);
    uint32_t leave = EMIT(&k, BRA, .guard = 1);
    setp(&k, 2, MIR_CMP_LT, 4, 9);
    EMIT(&k, BRA, .guard = 2, .imm = (int32_t)top);
    PATCH(&k, inner);
    EMIT(&k, BSYNC, .sub = 1);
    PATCH(&k, leave);
    PATCH(&k, outer);
    EMIT(&k, BSYNC, .sub = 0);
    end_together(&k);
    check("break", &k, &s, 1, 64, break_value);
}

/* A jump table, and a function called from two places. */
static uint32_t table_value(uint32_t t) {
    return (t % 4 + 1) * 100 + 1;
}
static void jump_table(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    uint32_t ssy = EMIT(&k, BSSY, .sub = 0), out[4];
    EMIT(&k, LOP3, .dst = 5, .sub = 0xc0, .src = {REG(0), IMM(3)});
    EMIT(&k, IMAD, .dst = 5, .src = {REG(5), IMM(2), IMM(HERE(&k) + 2)});
    EMIT(&k, BRX, .src = {REG(5)});
    for (uint32_t i = 0; i < 4; i++) {
        EMIT(&k, MOV, .dst = 4, .src = {IMM((i + 1) * 100)});
        out[i] = EMIT(&k, BRA);
    }
    for (uint32_t i = 0; i < 4; i++) PATCH(&k, out[i]);
    PATCH(&k, ssy);
    EMIT(&k, BSYNC, .sub = 0);
    EMIT(&k, IADD3, .dst = 4, .src = {REG(4), IMM(1)});
    end(&k, 4);
    check("jump table", &k, &s, 1, 32, table_value);
}
static uint32_t call_value(uint32_t t) {
    return t % 32 < 16 ? 2 * t + 1 : 2 * (t + 5);
}
static void call(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    EMIT(&k, MOV, .dst = 4, .src = {REG(1)});
    uint32_t ssy = EMIT(&k, BSSY, .sub = 0);
    setp(&k, 0, MIR_CMP_LT, 0, 16);
    uint32_t high = EMIT(&k, BRA, .guard = 0 | MIR_PNOT);
    uint32_t call1 = EMIT(&k, CALL, .dst = 6);
    EMIT(&k, IADD3, .dst = 4, .src = {REG(4), IMM(1)});
    uint32_t out = EMIT(&k, BRA);
    PATCH(&k, high);
    EMIT(&k, IADD3, .dst = 4, .src = {REG(4), IMM(5)});
    uint32_t call2 = EMIT(&k, CALL, .dst = 6);
    PATCH(&k, out);
    PATCH(&k, ssy);
    EMIT(&k, BSYNC, .sub = 0);
    end(&k, 4);
    PATCH(&k, call1);
    PATCH(&k, call2);
    EMIT(&k, IMAD, .dst = 4, .src = {REG(4), IMM(2)});
    EMIT(&k, RET, .src = {REG(6)});
    check("call", &k, &s, 2, 32, call_value);
}

/* Odd lanes exit; a barrier of the other lanes does not wait for them. */
static uint32_t exit_value(uint32_t t) {
    return t & 1 ? 1 : 0x55555555;
}
static void early_exit(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    uint32_t ssy = EMIT(&k, BSSY, .sub = 0);
    EMIT(&k, LOP3, .dst = 4, .sub = 0xc0, .src = {REG(0), IMM(1)});
    setp(&k, 0, MIR_CMP_NE, 4, 0);
    STORE(&k, 2, 4, .guard = 0);
    EMIT(&k, EXIT, .guard = 0);
    PATCH(&k, ssy);
    EMIT(&k, BSYNC, .sub = 0);
    EMIT(&k, WARPSYNC);
    EMIT(&k, BAR);
    EMIT(&k, ACTIVEMASK, .dst = 4);
    end(&k, 4);
    check("early exit", &k, &s, 1, 64, exit_value);
}

/* Lane 0 spins until lane 31 has written a word behind the branch, in both orders of the branch's
 * sides. The lanes that could write wait at the convergence barrier meanwhile. */
static uint32_t spin_value(uint32_t t) {
    return t % 32 == 0 ? 77 : 78;
}
static void spin(bool write_behind, uint32_t op_in_loop, const char *name) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    EMIT(&k, S2R, .dst = 10, .sub = MIR_SR_CTAID_X);
    emit_element(&k, 8, FLAGS, 10);
    EMIT(&k, MOV, .dst = 4, .src = {IMM(78)});
    uint32_t ssy = EMIT(&k, BSSY, .sub = 0);
    setp(&k, 0, MIR_CMP_EQ, 0, 0);
    uint32_t others = EMIT(&k, BRA, .guard = 0 | MIR_PNOT);
    uint32_t top = HERE(&k);
    if (op_in_loop == MIR_YIELD) EMIT(&k, YIELD);
    if (op_in_loop == MIR_NANOSLEEP) EMIT(&k, NANOSLEEP, .src = {IMM(100)});
    LOAD(&k, 4, 8, .sem = MIR_VOLATILE, .scope = MIR_SCOPE_SYS, .wbar = 0);
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(4), IMM(0)}, .wait = 1);
    EMIT(&k, BRA, .guard = 1, .imm = (int32_t)top);
    uint32_t out = EMIT(&k, BRA);
    PATCH(&k, others);
    EMIT(&k, MOV, .dst = 5, .src = {IMM(77)});
    setp(&k, 2, MIR_CMP_EQ, 0, 31);
    if (!write_behind) STORE(&k, 8, 5, .guard = 2, .sem = MIR_VOLATILE);
    PATCH(&k, out);
    PATCH(&k, ssy);
    EMIT(&k, BSYNC, .sub = 0);
    if (write_behind) STORE(&k, 8, 5, .guard = 2, .sem = MIR_VOLATILE);
    end(&k, 4);
    check_values(name, &k, &s, 2, 32, spin_value);
}
static void spin_beside(void) {
    spin(false, MIR_NOP, "spin on a lane beside");
}
static void spin_behind(void) {
    spin(true, MIR_NOP, "spin on a lane behind BSYNC");
}
static void spin_yield(void) {
    spin(false, MIR_YIELD, "spin with YIELD");
}
static void spin_sleep(void) {
    spin(true, MIR_NANOSLEEP, "spin with NANOSLEEP");
}

/* Every lane takes the same lock in a loop, `while (CAS) ;`. The winner waits at the convergence
 * barrier behind the loop while the others spin. */
static uint32_t lock_value(uint32_t t) {
    return t == 0 ? 64 : 0;
}
static void lane_lock(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    emit_element(&k, 8, FLAGS, MIR_RZ);
    emit_element(&k, 2, OUT, MIR_RZ);
    uint32_t ssy = EMIT(&k, BSSY, .sub = 0);
    uint32_t top = HERE(&k);
    EMIT(&k, ATOMG, .dst = 4, .sub = MIR_ATOM_CAS, .src = {REG(8), IMM(0), IMM(1)},
         .flags = MIR_ADDR64, .sem = MIR_ACQUIRE, .space = MIR_SPACE_GLOBAL, .wbar = 0);
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_NE, .src = {REG(4), IMM(0)}, .wait = 1);
    EMIT(&k, BRA, .guard = 0, .imm = (int32_t)top);
    PATCH(&k, ssy);
    EMIT(&k, BSYNC, .sub = 0);
    LOAD(&k, 5, 2, .wbar = 1);
    EMIT(&k, IADD3, .dst = 5, .src = {REG(5), IMM(1)}, .wait = 2);
    STORE(&k, 2, 5);
    EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    EMIT(&k, STG, .src = {REG(8), IMM(0)}, .flags = MIR_ADDR64, .space = MIR_SPACE_GLOBAL);
    EMIT(&k, EXIT);
    struct expectation x = {&s, 2, lock_value, "a lock for every lane"};
    run_everywhere(&k, &s.m, 2, 32, false, verify_words, &x);
    tear_down(&s);
}

/* Loops of up to 310 iterations with a volatile access in each. The lanes that finish first stop
 * waiting at BSYNC, but the shuffle behind it still has all lanes. */
static uint32_t long_value(uint32_t t) {
    return (t % 32 ^ 31) * 10 + 1;
}
static void long_loops(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    emit_element(&k, 8, FLAGS, MIR_RZ);
    EMIT(&k, IMAD, .dst = 5, .src = {REG(0), IMM(10), IMM(1)});
    uint32_t ssy = EMIT(&k, BSSY, .sub = 0);
    uint32_t top = HERE(&k);
    LOAD(&k, 7, 8, .sem = MIR_VOLATILE, .wbar = 0);
    EMIT(&k, IADD3, .dst = 6, .src = {REG(6), REG(7), IMM(1)}, .wait = 1);
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_LT, .src = {REG(6), REG(5)});
    EMIT(&k, BRA, .guard = 0, .imm = (int32_t)top);
    PATCH(&k, ssy);
    EMIT(&k, BSYNC, .sub = 0);
    EMIT(&k, SHFL, .dst = 4, .sub = MIR_SHFL_BFLY, .imm = -1, .src = {REG(6), IMM(31), IMM(31)});
    end(&k, 4);
    check("long loops", &k, &s, 1, 64, long_value);
}

/* Lanes of both sides of a branch exchange words at a WARPSYNC each, then shuffle where all meet.
 */
static uint32_t sync_value(uint32_t t) {
    uint32_t l = t % 32;
    return (l ^ 16) * 10 + (l ^ 1);
}
static void warpsync(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    k.shared_bytes = 128;
    begin(&k);
    EMIT(&k, SHF, .dst = 5, .src = {REG(0), IMM(2)});
    EMIT(&k, IMAD, .dst = 6, .src = {REG(0), IMM(10)});
    EMIT(&k, LOP3, .dst = 7, .sub = 0x3c, .src = {REG(5), IMM(64)});
    setp(&k, 0, MIR_CMP_LT, 0, 16);
    uint32_t high = EMIT(&k, BRA, .guard = 0 | MIR_PNOT);
    EMIT(&k, STS, .src = {REG(5), REG(6)});
    EMIT(&k, WARPSYNC, .src = {IMM(-1)});
    EMIT(&k, LDS, .dst = 4, .src = {REG(7)});
    uint32_t out = EMIT(&k, BRA);
    PATCH(&k, high);
    for (int i = 0; i < 3; i++) EMIT(&k, NOP);
    for (int i = 0; i < 2; i++) EMIT(&k, ULDC);
    EMIT(&k, STS, .src = {REG(5), REG(6)});
    EMIT(&k, WARPSYNC);
    EMIT(&k, LDS, .dst = 4, .src = {REG(7)});
    PATCH(&k, out);
    /* No BSYNC: the vote's member mask brings them together. */
    EMIT(&k, VOTE, .dst = 8, .sub = MIR_VOTE_ALL, .src = {IMM(-1)});
    EMIT(&k, SHFL, .dst = 9, .sub = MIR_SHFL_BFLY, .imm = -1, .src = {REG(0), IMM(1), IMM(31)});
    EMIT(&k, IADD3, .dst = 4, .src = {REG(4), REG(9)});
    end(&k, 4);
    check("warp sync", &k, &s, 1, 64, sync_value);
}

/* Tree reduction in shared memory over 128 threads, with a barrier per step. */
static uint32_t tree_value(uint32_t t) {
    return t % 128 == 0 ? 127 * 128 / 2 : 0;
}
static void barrier_tree(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    k.shared_bytes = 512;
    begin(&k);
    EMIT(&k, S2R, .dst = 4, .sub = MIR_SR_TID_X);
    EMIT(&k, SHF, .dst = 5, .src = {REG(4), IMM(2)});
    EMIT(&k, STS, .src = {REG(5), REG(4)});
    for (uint32_t step = 64; step; step /= 2) {
        EMIT(&k, BAR);
        setp(&k, 0, MIR_CMP_LT, 4, step);
        EMIT(&k, LDS, .guard = 0, .dst = 6, .src = {REG(5)}, .wbar = 0);
        EMIT(&k, LDS, .guard = 0, .dst = 7, .src = {REG(5)}, .imm = (int32_t)(4 * step), .wbar = 0);
        EMIT(&k, IADD3, .guard = 0, .dst = 6, .src = {REG(6), REG(7)}, .wait = 1);
        EMIT(&k, STS, .guard = 0, .src = {REG(5), REG(6)});
    }
    setp(&k, 0, MIR_CMP_EQ, 4, 0);
    EMIT(&k, SEL, .dst = 6, .psrc = {0, MIR_PT, MIR_PT}, .src = {REG(6), RZ});
    end(&k, 6);
    check("barrier", &k, &s, 2, 128, tree_value);
}

/* Warps 0 and 1 produce and arrive at barrier 1; warps 2 and 3 wait for it, then release them at
 * barrier 2. */
static uint32_t named_value(uint32_t t) {
    return t % 128 < 64 ? 1000 + t % 128 : 1000 + t % 128 - 64;
}
static void named_barriers(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    k.shared_bytes = 256;
    begin(&k);
    EMIT(&k, S2R, .dst = 4, .sub = MIR_SR_TID_X);
    EMIT(&k, LOP3, .dst = 5, .sub = 0xc0, .src = {REG(4), IMM(63)});
    EMIT(&k, SHF, .dst = 5, .src = {REG(5), IMM(2)});
    EMIT(&k, IADD3, .dst = 6, .src = {REG(4), IMM(1000)});
    setp(&k, 0, MIR_CMP_LT, 4, 64);
    uint32_t consumer = EMIT(&k, BRA, .guard = 0 | MIR_PNOT);
    EMIT(&k, STS, .src = {REG(5), REG(6)});
    EMIT(&k, BAR, .sub = MIR_BAR_ARV, .imm = 1, .src = {{0}, IMM(128)});
    EMIT(&k, MOV, .dst = 7, .src = {IMM(2)});
    EMIT(&k, BAR, .src = {REG(7), IMM(128)});
    uint32_t out = EMIT(&k, BRA);
    PATCH(&k, consumer);
    EMIT(&k, BAR, .imm = 1, .src = {{0}, IMM(128)});
    EMIT(&k, LDS, .dst = 6, .src = {REG(5)}, .wbar = 0);
    EMIT(&k, BAR, .sub = MIR_BAR_ARV, .imm = 2, .src = {{0}, IMM(128)}, .wait = 1);
    PATCH(&k, out);
    end(&k, 6);
    check("named barriers", &k, &s, 1, 128, named_value);
}

/* Barriers with a reduction over all threads' predicates: count, all, any. One warp exits
 * before. */
static uint32_t reduction_value(uint32_t t) {
    return t >= 96 ? 0 : 24 * 100 + 0 * 10 + 1;
}
static void barrier_reduction(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    setp(&k, 0, MIR_CMP_GE, 1, 96);
    EMIT(&k, EXIT, .guard = 0);
    setp(&k, 1, MIR_CMP_LT, 0, 8);
    EMIT(&k, BAR, .sub = MIR_BAR_RED_POPC, .dst = 4, .psrc = {1, MIR_PT, MIR_PT});
    EMIT(&k, BAR, .sub = MIR_BAR_RED_AND, .pdst = {2, MIR_PT}, .psrc = {1, MIR_PT, MIR_PT});
    EMIT(&k, BAR, .sub = MIR_BAR_RED_OR, .pdst = {3, MIR_PT}, .psrc = {1, MIR_PT, MIR_PT});
    EMIT(&k, IMAD, .dst = 4, .src = {REG(4), IMM(100)});
    EMIT(&k, IADD3, .guard = 2, .dst = 4, .src = {REG(4), IMM(10)});
    EMIT(&k, IADD3, .guard = 3, .dst = 4, .src = {REG(4), IMM(1)});
    end(&k, 4);
    check("barrier reduction", &k, &s, 1, 128, reduction_value);
}

/* Both sides of a branch reach a barrier of the same number: the warp arrives once. */
static uint32_t parts_value(uint32_t t) {
    return t % 32 < 5 ? 1 : 2;
}
static void barrier_parts(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    setp(&k, 0, MIR_CMP_LT, 0, 5);
    uint32_t high = EMIT(&k, BRA, .guard = 0 | MIR_PNOT);
    EMIT(&k, BAR);
    EMIT(&k, MOV, .dst = 4, .src = {IMM(1)});
    uint32_t out = EMIT(&k, BRA);
    PATCH(&k, high);
    EMIT(&k, BAR);
    EMIT(&k, MOV, .dst = 4, .src = {IMM(2)});
    PATCH(&k, out);
    end(&k, 4);
    check("barrier on two sides", &k, &s, 1, 64, parts_value);
}

/* Some lanes of each warp wait at the barrier when the others exit. */
static uint32_t left_value(uint32_t t) {
    return t % 32 < 3 ? 0 : 9;
}
static void barrier_left(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    begin(&k);
    setp(&k, 0, MIR_CMP_LT, 0, 3);
    uint32_t leave = EMIT(&k, BRA, .guard = 0);
    EMIT(&k, BAR);
    EMIT(&k, MOV, .dst = 4, .src = {IMM(9)});
    EMIT(&k, BAR);
    end(&k, 4);
    PATCH(&k, leave);
    end(&k, 4);
    check("barrier when others end", &k, &s, 2, 96, left_value);
}

/* Expects that a functional run of the kernel ends with this error, and that its message contains
 * `text`. */
static void expect_fault(struct kernel *k, uint32_t threads, heddle_err err, const char *text) {
    struct setting s;
    struct heddle_diag diag = {0};
    struct exec_fault fault;
    set_up(&s);
    heddle_err e = kernel_run(k, &s.m, 1, threads, NULL, &fault, &diag);
    cr_assert_eq(e, err, "%s: got %s: %s", text, heddle_err_text(e), diag.text);
    cr_assert(strstr(diag.text, text), "'%s' in '%s'", text, diag.text);
    tear_down(&s);
}
static void trap(void) {
    struct kernel k = {0};
    EMIT(&k, S2R, .dst = 0, .sub = MIR_SR_TID_X);
    setp(&k, 0, MIR_CMP_EQ, 0, 37);
    EMIT(&k, TRAP, .guard = 0);
    EMIT(&k, EXIT);
    expect_fault(&k, 64, HEDDLE_ERR_TRAP,
                 "trap instruction executed in kernel test, CTA (0,0,0), thread (37,0,0), "
                 "instruction 2 (BPT.TRAP), PTX line 3");
}
static void barrier_misuse(void) {
    struct kernel apart = {0}, never = {0}, count = {0}, off = {0}, other = {0};
    /* Lanes of a warp at barriers 0 and 1. */
    EMIT(&apart, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    setp(&apart, 0, MIR_CMP_LT, 0, 5);
    EMIT(&apart, BAR, .guard = 0);
    EMIT(&apart, BAR, .imm = 1);
    EMIT(&apart, EXIT);
    expect_fault(&apart, 32, HEDDLE_ERR_BARRIER, "lanes of a warp arrive at different barriers");
    /* Half a warp waits at a barrier for lanes that wait for it at BSYNC. */
    EMIT(&never, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    uint32_t ssy = EMIT(&never, BSSY, .sub = 0);
    setp(&never, 0, MIR_CMP_LT, 0, 5);
    EMIT(&never, BAR, .guard = 0);
    PATCH(&never, ssy);
    EMIT(&never, BSYNC, .sub = 0);
    EMIT(&never, EXIT);
    expect_fault(&never, 32, HEDDLE_ERR_BARRIER,
                 "lanes of a warp wait at a CTA barrier for lanes that wait for them");
    EMIT(&count, BAR, .src = {{0}, IMM(33)});
    EMIT(&count, EXIT);
    expect_fault(&count, 64, HEDDLE_ERR_BARRIER, "thread count is not a multiple of 32");
    EMIT(&off, NOP);
    expect_fault(&off, 32, HEDDLE_ERR_INTERNAL, "execution ran off the end of the code");
    /* Warp 0 names two warps at the barrier, warp 1 four. */
    EMIT(&other, S2R, .dst = 0, .sub = MIR_SR_WARPID);
    EMIT(&other, IMAD, .dst = 1, .src = {REG(0), IMM(64), IMM(64)});
    EMIT(&other, BAR, .src = {{0}, REG(1)});
    EMIT(&other, EXIT);
    expect_fault(&other, 64, HEDDLE_ERR_BARRIER, "different thread counts");
}
static void deadlock(void) {
    struct kernel k = {0};
    EMIT(&k, BAR, .imm = 3, .src = {{0}, IMM(96)});
    EMIT(&k, EXIT);
    expect_fault(&k, 64, HEDDLE_ERR_DEADLOCK,
                 "CTA (0,0,0), warp 1 waits at CTA barrier 3, where 2 of 3 warps have arrived, "
                 "instruction 0 (BAR), PTX line 1");
}

const struct op_program control_programs[] = {
    {MIR_BSSY, nested},        {MIR_BSYNC, loops},
    {MIR_BRA, loops},          {MIR_BREAK, leave_loop},
    {MIR_BRX, jump_table},     {MIR_CALL, call},
    {MIR_RET, call},           {MIR_EXIT, early_exit},
    {MIR_YIELD, spin_yield},   {MIR_NANOSLEEP, spin_sleep},
    {MIR_BSYNC, spin_beside},  {MIR_BSYNC, spin_behind},
    {MIR_BSYNC, lane_lock},    {MIR_BSYNC, long_loops},
    {MIR_WARPSYNC, warpsync},  {MIR_NOP, warpsync},
    {MIR_ULDC, warpsync},      {MIR_BAR, barrier_tree},
    {MIR_BAR, named_barriers}, {MIR_BAR, barrier_reduction},
    {MIR_BAR, barrier_parts},  {MIR_BAR, barrier_left},
    {MIR_TRAP, trap},          {MIR_BAR, barrier_misuse},
    {MIR_BAR, deadlock},
};
const unsigned num_control_programs = sizeof control_programs / sizeof *control_programs;
