/* programs_order.c - memory ordering: a thread's own accesses, fences, release and acquire, flags
 * between CTAs and warps, and the wait bits of records. A function without parameters is one test
 * program, which ops.c runs by the table at the end of this file; results are the same functionally
 * and under the fake timing model (timed.h). */
#include "programs.h"

/* A thread's own `red`, volatile store, plain store and loads of one word, in program order. */
static void own_order(void) {
    struct arrays s;
    struct kernel k = {0};
    static uint32_t want[64 * 4];
    set_up_arrays(&s);
    index_of_thread(&k);
    element(&k, 4, EXTRA, 4);
    element(&k, 6, OUT, 16);
    EMIT(&k, RED, .src = {REG(4), IMM(5)}, .sub = MIR_ATOM_ADD, GLOBAL, .sem = MIR_RELAXED);
    LOAD(&k, 8, 4, .wbar = 0); /* 5: sees the red */
    EMIT(&k, IADD3, .dst = 9, .src = {REG(8), IMM(1)}, .wait = 1);
    STORE(&k, 4, 9); /* 6 */
    EMIT(&k, RED, .src = {REG(4), IMM(10)}, .sub = MIR_ATOM_ADD, GLOBAL, .sem = MIR_RELAXED);
    LOAD(&k, 9, 4, .sem = MIR_VOLATILE, .wbar = 0); /* 16 */
    STORE(&k, 4, 1, .sem = MIR_VOLATILE);           /* thread */
    LOAD(&k, 10, 4, .wbar = 1);                     /* thread */
    EMIT(&k, ATOMG, .dst = 11, .src = {REG(4), IMM(3)}, .sub = MIR_ATOM_ADD, GLOBAL,
         .sem = MIR_RELAXED, .wbar = 2); /* thread */
    EMIT(&k, STG, .src = {REG(6), REG(8)}, GLOBAL, .width = 16, .wait = 7);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t w[4] = {5, 16, t, t};
        memcpy(&want[4 * t], w, 16);
    }
    struct expected_words x = {s.out, want, 256, "own order"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    tear_down_arrays(&s);
}

/* The same in shared memory, where a thread's words lie in one sector with others'. */
static void own_order_shared(void) {
    struct arrays s;
    struct kernel k = {0};
    static uint32_t want[64 * 4];
    set_up_arrays(&s);
    k.shared_bytes = 256;
    index_of_thread(&k);
    EMIT(&k, SHF, .dst = 4, .src = {REG(1), IMM(2)});
    element(&k, 6, OUT, 16);
    EMIT(&k, STS, .src = {REG(4), IMM(1)});
    EMIT(&k, REDS, .src = {REG(4), IMM(5)}, .sub = MIR_ATOM_ADD, .sem = MIR_RELAXED);
    EMIT(&k, LDS, .dst = 8, .src = {REG(4)}, .wbar = 0);                      /* 6 */
    EMIT(&k, STS, .src = {REG(4), REG(1)});                                   /* thread */
    EMIT(&k, LDS, .dst = 9, .src = {REG(4)}, .sem = MIR_VOLATILE, .wbar = 0); /* thread */
    EMIT(&k, ATOMS, .dst = 10, .src = {REG(4), IMM(9)}, .sub = MIR_ATOM_EXCH, .sem = MIR_RELAXED,
         .wbar = 1);                                      /* thread */
    EMIT(&k, LDS, .dst = 11, .src = {REG(4)}, .wbar = 1); /* 9 */
    EMIT(&k, STG, .src = {REG(6), REG(8)}, GLOBAL, .width = 16, .wait = 3);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t w[4] = {6, t, t, 9};
        memcpy(&want[4 * t], w, 16);
    }
    struct expected_words x = {s.out, want, 256, "own order, shared"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    tear_down_arrays(&s);
}

/* The wait bits of each record, in program order: `want` holds those that each must have. */
static void wait_bits(void) {
    enum { DRAIN = EXEC_WAIT_POSTED };
    struct arrays s;
    struct kernel k = {0};
    uint8_t want[64] = {0};
    set_up_arrays(&s);
    index_of_thread(&k);
    element(&k, 4, OUT, 4);
    element(&k, 6, EXTRA, 4);
#define RED_(imm_) EMIT(&k, RED, .src = {REG(4), IMM(1)}, .sub = MIR_ATOM_ADD, GLOBAL, .imm = imm_)
#define FENCE() EMIT(&k, MEMBAR, .sem = MIR_SC)
    FENCE(); /* nothing to wait for */
    RED_(0);
    want[FENCE()] = DRAIN;
    FENCE(); /* drained already */
    LOAD(&k, 8, 4, .sem = MIR_VOLATILE, .wbar = 0);
    want[FENCE()] = 1; /* no earlier record has waited for it */
    LOAD(&k, 8, 4, .sem = MIR_VOLATILE, .wbar = 0);
    EMIT(&k, IADD3, .dst = 9, .src = {REG(8), IMM(1)}, .wait = 1);
    FENCE(); /* the addition has waited */
    RED_(0);
    LOAD(&k, 8, 6);                                    /* another sector */
    want[LOAD(&k, 8, 4, .wbar = 3)] = DRAIN;           /* the same */
    want[STORE(&k, 6, 9, .sem = MIR_RELEASE)] = 8;     /* after the load */
    want[STORE(&k, 6, 9, .sem = MIR_RELEASE)] = DRAIN; /* after the store */
    want[LOAD(&k, 10, 4, .sem = MIR_ACQUIRE, .wbar = 2)] = 0;
    want[LOAD(&k, 11, 4, .imm = 1024)] = 4; /* after the acquire */
    LOAD(&k, 11, 4, .imm = 1024);
    for (int i = 0; i < 15; i++) RED_(2048 + 128 * i); /* with the store: 16 */
    want[RED_(2048 + 128 * 15)] = DRAIN;               /* one too many */
    RED_(0);
    want[EMIT(&k, EXIT)] = DRAIN;
    MUST(k.count == 41);
    static struct by_hand h;
    begin_by_hand(&h, &k, &s.m, 8);
    struct exec_warp *w = h.warp;
    struct exec_record *record = h.record;
    struct exec_trace *t = &h.trace;
    for (uint32_t done = 0; exec_warp_run(w, 1, t) != EXEC_EXITED; done = t->num_records) {
        /* it waits: the reported wait bits are those of the next record */
        if (t->num_records == done) {
            uint32_t next = record[done - 1].pc + 1;
            cr_assert_eq(exec_warp_wait(w), want[next] | k.code[next].wait, "hold before %u", next);
            for (uint32_t i = 0; i < done; i++) {
                if (record[i].inflight == EXEC_NO_INFLIGHT) continue;
                exec_perform(w, record[i].inflight, UINT32_MAX, 0);
                cr_assert(exec_complete(w, record[i].inflight, UINT32_MAX));
                record[i].inflight = EXEC_NO_INFLIGHT;
            }
            cr_assert(exec_warp_ready(w));
        }
    }
    for (uint32_t i = 0; i < t->num_records; i++)
        cr_assert_eq(record[i].wait, want[i], "record %u waits for 0x%x", i, record[i].wait);
    end_by_hand(&h);
    tear_down_arrays(&s);
}

/* More strong operations than can be in flight, without waits between them. */
static void many_in_flight(void) {
    struct arrays s;
    struct kernel k = {0};
    static uint32_t want[64];
    set_up_arrays(&s);
    index_of_thread(&k);
    element(&k, 4, IN, 4);
    element(&k, 6, EXTRA, 4);
    element(&k, 8, OUT, 4);
    for (uint8_t i = 0; i < 40; i++)
        LOAD(&k, 20 + i, 4, .sem = MIR_RELAXED, .imm = 256 * i, .wbar = i % 6);
    for (uint8_t i = 0; i < 40; i++)
        STORE(&k, 6, 20 + i, .sem = MIR_RELAXED, .imm = 256 * i, .wait = 1u << (i % 6));
    for (uint8_t i = 0; i < 12; i++) EMIT(&k, CS2R, .dst = 100 + i, .sub = MIR_SR_CLOCK_LO);
    for (uint8_t i = 0; i < 40; i++) EMIT(&k, IADD3, .dst = 10, .src = {REG(10), REG(20 + i)});
    STORE(&k, 8, 10);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 64; t++)
        for (uint32_t i = 0; i < 40; i++) want[t] += s.in[t + 64 * i];
    struct expected_words x = {s.out, want, 64, "many in flight"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    struct expected_words y = {s.extra, s.in, 40 * 64, "many in flight, stored"};
    verify_list(&s.m, &y);
    tear_down_arrays(&s);
}

/* Message passing between CTAs. CTA 0 writes 32 plain words and raises a flag, CTA 1 waits for the
 * flag and reads. `how`: 0 fences and a volatile flag, 1 release and acquire, 2 release and acquire
 * without waiting (checks the words only if the flag was set), 3 an exchange as flag. */
static void message(unsigned how, bool spin) {
    struct arrays s;
    struct kernel k = {0};
    set_up_arrays(&s);
    EMIT(&k, S2R, .dst = 1, .sub = MIR_SR_TID_X);
    EMIT(&k, S2R, .dst = 2, .sub = MIR_SR_CTAID_X);
    element(&k, 4, EXTRA, 4);
    EMIT(&k, IMAD, .dst = 6, .flags = MIR_WIDE, .src = {RZ, RZ, PARAM(EXTRA)}); /* flag: +1024 */
    element(&k, 8, OUT, 8);
    uint8_t store_sem = how == 0 ? MIR_VOLATILE : MIR_RELEASE;
    uint8_t load_sem = how == 0 ? MIR_VOLATILE : MIR_ACQUIRE;
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_NE, .src = {REG(2), IMM(0)});
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(1), IMM(0)});
    uint32_t reader = EMIT(&k, BRA, .guard = 0);
    EMIT(&k, IADD3, .dst = 10, .src = {REG(1), IMM(500)});
    STORE(&k, 4, 10);
    STORE(&k, 4, 10, .sem = MIR_RELAXED, .imm = 128); /* a posted store before the flag */
    EMIT(&k, WARPSYNC);
    EMIT(&k, MOV, .dst = 11, .src = {IMM(1)});
    if (how == 0) EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    if (how == 3)
        EMIT(&k, ATOMG, .guard = 1, .src = {REG(6), REG(11)}, .sub = MIR_ATOM_EXCH, GLOBAL,
             .imm = 1024, .sem = MIR_RELEASE);
    else
        STORE(&k, 6, 11, .guard = 1, .sem = store_sem, .imm = 1024);
    EMIT(&k, EXIT);
    PATCH(&k, reader);
    uint32_t top = HERE(&k);
    LOAD(&k, 12, 6, .sem = load_sem, .imm = 1024, .wbar = 0);
    if (spin) {
        EMIT(&k, ISETP, .pdst = {2, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(12), IMM(0)},
             .wait = 1);
        EMIT(&k, BRA, .guard = 2, .imm = (int32_t)top);
    }
    if (how == 0) EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    LOAD(&k, 13, 4, .wbar = 1);
    LOAD(&k, 14, 4, .wbar = 1, .imm = 128);
    EMIT(&k, ISETP, .pdst = {2, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(12), IMM(0)}, .wait = 3);
    /* flag not set: nothing to check */
    EMIT(&k, IADD3, .guard = 2, .dst = 13, .src = {REG(1), IMM(500)});
    EMIT(&k, IADD3, .guard = 2, .dst = 14, .src = {REG(1), IMM(500)});
    EMIT(&k, STG, .src = {REG(8), REG(13)}, GLOBAL, .wait = 2);
    STORE(&k, 8, 14, .imm = 4);
    EMIT(&k, EXIT);
    uint32_t want[64];
    for (uint32_t t = 0; t < 64; t++) want[t] = 500 + t / 2;
    struct expected_words x = {s.out, want, 64, "message"};
    for (int i = 0; i < 8; i++) run_everywhere(&k, &s.m, 2, 32, false, verify_list, &x);
    tear_down_arrays(&s);
}
static void fence_message(void) {
    message(0, true);
    message(0, false);
}
static void release_message(void) {
    message(1, true);
    message(2, false);
    message(3, true);
}

/* The last CTA to arrive at a counter adds the partial sums of all CTAs: plain stores, fence,
 * atomic.
 * */
static void last_block(void) {
    struct arrays s;
    struct kernel k = {0};
    set_up_arrays(&s);
    EMIT(&k, S2R, .dst = 1, .sub = MIR_SR_CTAID_X);
    EMIT(&k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    element(&k, 4, EXTRA, 4);
    EMIT(&k, IMAD, .dst = 6, .flags = MIR_WIDE, .src = {RZ, RZ, PARAM(EXTRA)});
    EMIT(&k, IMAD, .dst = 8, .flags = MIR_WIDE, .src = {RZ, RZ, PARAM(OUT)});
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(0), IMM(0)});
    EMIT(&k, EXIT, .guard = 0 | MIR_PNOT);
    EMIT(&k, IADD3, .dst = 10, .src = {REG(1), IMM(1)});
    STORE(&k, 4, 10);
    EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    EMIT(&k, ATOMG, .dst = 11, .src = {REG(6), IMM(15)}, .sub = MIR_ATOM_INC, GLOBAL, .imm = 2048,
         .sem = MIR_RELAXED, .wbar = 0);
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_NE, .src = {REG(11), IMM(15)}, .wait = 1);
    EMIT(&k, EXIT, .guard = 1);
    EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    for (uint8_t i = 0; i < 16; i++) {
        LOAD(&k, 12, 6, .imm = 4 * i, .wbar = 1);
        EMIT(&k, IADD3, .dst = 13, .src = {REG(13), REG(12)}, .wait = 2);
    }
    STORE(&k, 8, 13);
    EMIT(&k, EXIT);
    uint32_t want[1] = {16 * 17 / 2};
    struct expected_words x = {s.out, want, 1, "last block"};
    run_everywhere(&k, &s.m, 16, 32, false, verify_list, &x);
    tear_down_arrays(&s);
}

/* Volatile flags in shared memory: each warp waits for the previous one. */
static void shared_flags(void) {
    struct arrays s;
    struct kernel k = {0};
    static uint32_t want[128];
    set_up_arrays(&s);
    k.shared_bytes = 64;
    index_of_thread(&k);
    EMIT(&k, S2R, .dst = 3, .sub = MIR_SR_WARPID);
    element(&k, 4, OUT, 4);
    EMIT(&k, SHF, .dst = 6, .src = {REG(3), IMM(2)});
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(3), IMM(0)});
    uint32_t first = EMIT(&k, BRA, .guard = 0);
    uint32_t top = HERE(&k);
    EMIT(&k, LDS, .dst = 7, .src = {REG(6)}, .imm = -4, .sem = MIR_VOLATILE, .wbar = 0);
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(7), IMM(0)}, .wait = 1);
    EMIT(&k, BRA, .guard = 1, .imm = (int32_t)top);
    PATCH(&k, first);
    EMIT(&k, IADD3, .dst = 7, .src = {REG(7), IMM(5)});
    EMIT(&k, STS, .src = {REG(6), REG(7)}, .sem = MIR_VOLATILE);
    STORE(&k, 4, 7);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 128; t++) want[t] = 5 * (t / 32 + 1);
    struct expected_words x = {s.out, want, 128, "shared flags"};
    run_everywhere(&k, &s.m, 1, 128, false, verify_list, &x);
    tear_down_arrays(&s);
}

/* Records of branches say whether they divide their warp: not one that all lanes or none follow,
 * nor a computed one with one target. */
static void divided_branches(void) {
    static const bool divides[] = {false, true, false, false, true};
    struct arrays s;
    struct kernel k = {0};
    static struct by_hand h;
    set_up_arrays(&s);
    EMIT(&k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    unsigned seen = 0;
    for (unsigned limit = 0; limit <= 32; limit += 16) { /* lanes below it */
        EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_LT, .src = {REG(0), IMM(limit)});
        uint32_t branch = EMIT(&k, BRA, .guard = 0);
        PATCH(&k, branch); /* both ways go on here */
        EMIT(&k, WARPSYNC, .src = {IMM(UINT32_MAX)});
    }
    EMIT(&k, MOV, .dst = 4, .src = {IMM(HERE(&k) + 2)});
    EMIT(&k, BRX, .src = {REG(4)});
    EMIT(&k, LOP3, .dst = 5, .sub = 0xc0, .src = {REG(0), IMM(1), REG(255)});
    EMIT(&k, IADD3, .dst = 4, .src = {REG(5), IMM(HERE(&k) + 2), REG(255)});
    EMIT(&k, BRX, .src = {REG(4)});
    EMIT(&k, NOP);
    EMIT(&k, EXIT);
    begin_by_hand(&h, &k, &s.m, 32);
    while (exec_warp_run(h.warp, 8, &h.trace) == EXEC_RAN) {
    }
    for (uint32_t i = 0; i < h.trace.num_records; i++) {
        const struct exec_record *r = &h.record[i];
        const unsigned op = h.launch.function->code[r->pc].op;
        if (op != MIR_BRA && op != MIR_BRX) continue;
        cr_assert_lt(seen, sizeof divides);
        cr_assert_eq((r->flags & EXEC_REC_DIVERGED) != 0, divides[seen], "branch %u", seen);
        seen++;
    }
    cr_assert_eq(seen, sizeof divides);
    end_by_hand(&h);
    tear_down_arrays(&s);
}

const struct op_program order_programs[] = {
    {MIR_BRA, divided_branches}, {MIR_RED, own_order},    {MIR_REDS, own_order_shared},
    {MIR_LDG, many_in_flight},   {MIR_MEMBAR, wait_bits}, {MIR_MEMBAR, fence_message},
    {MIR_STG, release_message},  {MIR_ATOMG, last_block}, {MIR_LDS, shared_flags},
};
const unsigned num_order_programs = sizeof order_programs / sizeof *order_programs;
