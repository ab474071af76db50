/* programs_memory.c - memory instructions of every width in every space, clocks, and wrong
 * addresses, functionally and under the fake timing model (timed.h). A function without parameters
 * is one test program, which ops.c runs by the table at the end of this file. */
#include "programs.h"

/* ---- widths: a value goes from global memory through `via` and back, 16 bytes a thread */

enum via { VIA_NOTHING, VIA_SHARED, VIA_LOCAL };
/* Emits the kernel: each thread loads `width` bytes at IN + thread * stride, passes them through
 * `via`, and stores them to OUT and EXTRA. */
static void width_kernel(struct kernel *k, unsigned width, mir_type type, enum via via,
                         uint32_t stride, uint8_t sem) {
    k->shared_bytes = 2048;
    k->local_bytes = 64;
    index_of_thread(k);
    element(k, 4, IN, stride);
    element(k, 6, OUT, 16);
    EMIT(k, LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = (uint8_t)width, .type = type,
         .sem = sem, .wbar = 0);
    EMIT(k, SHF, .dst = 12, .src = {REG(0), IMM(4)});
    EMIT(k, NOP, .wait = 1);
    if (via == VIA_SHARED) {
        EMIT(k, STS, .src = {REG(12), REG(8)}, .width = (uint8_t)width, .imm = 512);
        EMIT(k, LDS, .dst = 16, .src = {REG(12)}, .width = (uint8_t)width, .type = type, .imm = 512,
             .wbar = 0);
        EMIT(k, MOV, .dst = 8, .src = {REG(16)}, .wait = 1);
        for (uint8_t i = 1; i < width / 4; i++) EMIT(k, MOV, .dst = 8 + i, .src = {REG(16 + i)});
    } else if (via == VIA_LOCAL) {
        EMIT(k, STL, .src = {RZ, REG(8)}, .width = (uint8_t)width, .imm = 32);
        EMIT(k, LDL, .dst = 16, .src = {RZ}, .width = (uint8_t)width, .type = type, .imm = 32,
             .wbar = 0);
        EMIT(k, MOV, .dst = 8, .src = {REG(16)}, .wait = 1);
        for (uint8_t i = 1; i < width / 4; i++) EMIT(k, MOV, .dst = 8 + i, .src = {REG(16 + i)});
    }
    /* Stores the loaded words, and again with one store of that width 4 words further on. */
    for (uint8_t i = 0; i < (width + 3) / 4; i++) STORE(k, 6, 8 + i, .imm = 4 * i);
    element(k, 6, EXTRA, 16);
    EMIT(k, STG, .src = {REG(6), REG(8)}, GLOBAL, .width = (uint8_t)width, .sem = sem);
    EMIT(k, EXIT);
}
struct width_check {
    struct arrays *s;
    unsigned width;
    mir_type type;
    uint32_t stride, threads;
};
/* Compares OUT with IN's values, extended to registers, and EXTRA with IN's bytes. */
static void verify_width(struct machine *m, void *user) {
    const struct width_check *x = user;
    (void)m;
    for (uint32_t t = 0; t < x->threads; t++) {
        uint8_t in[16] = {0}, stored[16] = {0};
        uint32_t want[4] = {0};
        memcpy(in, (uint8_t *)x->s->in + t * x->stride, x->width);
        memcpy(stored, in, x->width);
        memcpy(want, in, 16);
        if (x->type == MIR_S8) want[0] = (uint32_t)(int8_t)in[0];
        if (x->type == MIR_S16) want[0] = (uint32_t)(int16_t)(in[0] | in[1] << 8);
        for (unsigned i = 0; i < (x->width + 3) / 4; i++)
            cr_assert_eq(x->s->out[4 * t + i], want[i], "width %u type %u thread %u word %u",
                         x->width, x->type, t, i);
        cr_assert_eq(memcmp(&x->s->extra[4 * t], stored, 16), 0, "width %u: stored by thread %u",
                     x->width, t);
    }
}
/* Tests all widths through one memory space. */
static void widths(enum via via) {
    static const struct {
        unsigned width;
        mir_type type;
    } forms[] = {{1, MIR_U8},  {1, MIR_S8},  {2, MIR_U16},   {2, MIR_S16},
                 {4, MIR_U32}, {8, MIR_U64}, {16, MIR_B128}, {2, MIR_F16}};
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        for (unsigned v = 0; v < 3; v++) { /* consecutive, scattered, strong */
            struct arrays s;
            struct kernel k = {0};
            set_up_arrays(&s);
            struct width_check x = {&s, forms[i].width, forms[i].type, v == 1 ? 48 : forms[i].width,
                                    57};
            width_kernel(&k, x.width, x.type, via, x.stride, v == 2 ? MIR_RELAXED : MIR_WEAK);
            run_everywhere(&k, &s.m, 1, x.threads, true, verify_width, &x);
            tear_down_arrays(&s);
        }
}
static void global_widths(void) {
    widths(VIA_NOTHING);
}
static void shared_widths(void) {
    widths(VIA_SHARED);
}
static void local_widths(void) {
    widths(VIA_LOCAL);
}

/* ---- LDSM */

enum { ROWS_AT = 256, ROW_APART = 48 }; /* of the rows in shared memory, bytes */
/* The row, in order of place, that lane l names; different for all lanes. */
static uint32_t row_of(uint32_t l) {
    return (5 * l + 3) % 32;
}
/* Half h of the row at place p. */
static uint32_t half_of(uint32_t p, uint32_t h) {
    return 0x100 * (p + 1) + h;
}
/* Lane l writes the row at place l and loads its part of the matrices: n, transposed if `turned`,
 * by a generic address if `generic`, from sectors that are strong if `sem` says so. */
static void rows_kernel(struct kernel *k, unsigned n, bool turned, bool generic, uint8_t sem) {
    k->shared_bytes = ROWS_AT + 32 * ROW_APART;
    index_of_thread(k);
    element(k, 4, OUT, 16);
    EMIT(k, IMAD, .dst = 12, .src = {REG(0), IMM(ROW_APART), RZ});
    EMIT(k, IMAD, .dst = 13, .src = {REG(0), IMM(0x1000100), IMM(0x1000100)});
    for (uint8_t i = 0; i < 4; i++) {
        EMIT(k, IADD3, .dst = 8 + i, .src = {REG(13), IMM(0x10000 * (2 * i + 1) + 2 * i), RZ});
        EMIT(k, STS, .src = {REG(12), REG(8 + i)}, .imm = ROWS_AT + 4 * i, .sem = sem);
        EMIT(k, MOV, .dst = 16 + i, .src = {IMM(0)});
    }
    EMIT(k, WARPSYNC);
    EMIT(k, IMAD, .dst = 14, .src = {REG(0), IMM(5), IMM(3)});
    EMIT(k, LOP3, .dst = 14, .sub = 0xc0, .src = {REG(14), IMM(31), RZ});
    EMIT(k, IMAD, .dst = 14, .src = {REG(14), IMM(ROW_APART), RZ});
    EMIT(k, MOV, .dst = 15, .src = {IMM(MIR_SHARED_WINDOW >> 32)});
    EMIT(k, LDSM, .dst = 16, .src = {REG(14)}, .imm = ROWS_AT, .width = 16, .wbar = 0,
         .sub = (uint8_t)(n | (turned ? MIR_LDSM_TRANSPOSED : 0)),
         .flags = generic ? MIR_ADDR64 : 0,
         .space = generic ? MIR_SPACE_GENERIC : MIR_SPACE_SHARED);
    EMIT(k, NOP, .wait = 1);
    for (uint8_t i = 0; i < 4; i++) STORE(k, 4, 16 + i, .imm = 4 * i);
    EMIT(k, EXIT);
}
/* All forms of LDSM, on weak and strong sectors, with the records that the timing model gets. */
static void rows_of_matrices(void) {
    for (unsigned form = 0; form < 24; form++) {
        const unsigned n = 1u << form % 3;
        const bool turned = form / 3 & 1, generic = form / 6 & 1, strong = form / 12;
        struct arrays s;
        struct kernel k = {0};
        static uint32_t want[4 * 32];
        set_up_arrays(&s);
        rows_kernel(&k, n, turned, generic, strong ? MIR_VOLATILE : MIR_WEAK);
        memset(want, 0, sizeof want);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < 2; j++) {
                    const uint32_t row = turned ? 2 * (l % 4) + j : l / 4;
                    const uint32_t column = turned ? l / 4 : 2 * (l % 4) + j;
                    want[4 * l + i] |= half_of(row_of(8 * i + row), column) << 16 * j;
                }
        struct expected_words x = {s.out, want, 4 * 32, "LDSM"};
        run_everywhere(&k, &s.m, 1, 32, true, verify_list, &x);
        tear_down_arrays(&s);
    }
}

/* Generic addresses: lane mod 3 chooses shared, local or global memory; each lane adds 1 to its
 * word. */
static void generic(void) {
    struct arrays s;
    struct kernel k = {0};
    static uint32_t want[64];
    set_up_arrays(&s);
    k.shared_bytes = 256;
    k.local_bytes = 16;
    index_of_thread(&k);
    EMIT(&k, S2R, .dst = 1, .sub = MIR_SR_TID_X);
    element(&k, 4, OUT, 4);                                                      /* global */
    EMIT(&k, F2I, .dst = 3, .type = MIR_U32, .type2 = MIR_F32, .src = {IMM(0)}); /* 0 */
    EMIT(&k, IMAD, .dst = 8, .flags = MIR_HI, .src = {REG(0), IMM(0x55555556)}); /* lane / 3 */
    EMIT(&k, IMAD, .dst = 8, .src = {REG(8), IMM(-3), REG(0)});                  /* lane mod 3 */
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(8), IMM(1)});
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(8), IMM(2)});
    EMIT(&k, SHF, .guard = 0, .dst = 4, .src = {REG(1), IMM(2)});
    EMIT(&k, MOV, .guard = 0, .dst = 5, .src = {IMM(MIR_SHARED_WINDOW >> 32)});
    EMIT(&k, MOV, .guard = 1, .dst = 4, .src = {IMM(8)});
    EMIT(&k, MOV, .guard = 1, .dst = 5, .src = {IMM(MIR_LOCAL_WINDOW >> 32)});
    EMIT(&k, IADD3, .dst = 9, .src = {REG(1), IMM(100)});
    EMIT(&k, ST, .src = {REG(4), REG(9)}, .flags = MIR_ADDR64);
    EMIT(&k, LD, .dst = 10, .src = {REG(4)}, .flags = MIR_ADDR64, .wbar = 0);
    EMIT(&k, IADD3, .dst = 10, .src = {REG(10), REG(8)}, .wait = 1);
    element(&k, 6, OUT, 4);
    STORE(&k, 6, 10);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 64; t++) want[t] = t + 100 + t % 32 % 3;
    struct expected_words x = {s.out, want, 64, "generic"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    /* One record per space, one instruction. */
    struct exec_launch l = kernel_launch(&k, &s.m, 1, 64);
    struct timed_result r;
    cr_assert_eq(timed_run(&l, 5, false, &r), HEDDLE_OK);
    cr_assert_eq(r.counts.warp_inst, 2 * k.count);
    cr_assert_eq(r.records, 2 * (k.count + 4));
    tear_down_arrays(&s);
}

/* Indexed constants of bank 3. */
static void indexed_constants(void) {
    struct arrays s;
    struct kernel k = {0};
    uint32_t table[64], want[32];
    set_up_arrays(&s);
    for (uint32_t i = 0; i < 64; i++) table[i] = i * i + 7;
    for (uint32_t i = 0; i < 32; i++) want[i] = table[2 * i + 1] + table[5];
    index_of_thread(&k);
    element(&k, 6, OUT, 4);
    EMIT(&k, SHF, .dst = 4, .src = {REG(0), IMM(3)});
    EMIT(&k, LDC, .dst = 8, .sub = MIR_BANK_USER, .src = {REG(4)}, .width = 8, .wbar = 0);
    EMIT(&k, LDC, .dst = 10, .sub = MIR_BANK_USER, .imm = 20, .wbar = 0);
    EMIT(&k, IADD3, .dst = 9, .src = {REG(9), REG(10)}, .wait = 1);
    STORE(&k, 6, 9);
    EMIT(&k, EXIT);
    struct exec_launch l = kernel_launch(&k, &s.m, 1, 32);
    l.bank[MIR_BANK_USER] = (const uint8_t *)table;
    l.bank_size[MIR_BANK_USER] = sizeof table;
    struct exec_counts c;
    struct exec_fault f;
    struct heddle_diag d = {0};
    cr_assert_eq(exec_run_immediate(&l, 1, 1024, &c, &f, &d), HEDDLE_OK, "%s", d.text);
    struct expected_words x = {s.out, want, 32, "LDC"};
    verify_list(&s.m, &x);
    l.bank_size[MIR_BANK_USER] = 100;
    cr_assert_eq(exec_run_immediate(&l, 1, 1024, &c, &f, &d), HEDDLE_ERR_ILLEGAL_ADDRESS);
    cr_assert_eq(f.address, 96);
    cr_assert_eq(f.bytes, 8);
    tear_down_arrays(&s);
}

/* Clocks: in a timed launch the value that the timing model gives, in an immediate one a growing
 * number. */
static void clocks(void) {
    struct arrays s;
    struct kernel k = {0};
    set_up_arrays(&s);
    index_of_thread(&k);
    element(&k, 4, OUT, 16);
    EMIT(&k, CS2R, .dst = 8, .sub = MIR_SR_CLOCK64);
    EMIT(&k, CS2R, .dst = 10, .sub = MIR_SR_GLOBALTIMER);
    EMIT(&k, STG, .src = {REG(4), REG(8)}, GLOBAL, .width = 16);
    EMIT(&k, EXIT);
    cr_assert_eq(kernel_run(&k, &s.m, 1, 32, NULL, NULL, NULL), HEDDLE_OK);
    cr_assert_lt(s.out[0], s.out[2]);
    static struct by_hand h;
    begin_by_hand(&h, &k, &s.m, 32);
    struct exec_warp *w = h.warp;
    struct exec_record *record = h.record;
    struct exec_trace *t = &h.trace;
    cr_assert_eq(exec_warp_run(w, 100, t), EXEC_WAIT_INFLIGHT); /* at the store */
    uint32_t n = t->num_records;
    cr_assert_not(exec_warp_ready(w));
    cr_assert_eq(exec_cta_ready(h.cta), 0);
    exec_perform(w, record[n - 1].inflight, UINT32_MAX, 0x987654321);
    exec_perform(w, record[n - 2].inflight, UINT32_MAX, 0x123456789);
    cr_assert(exec_complete(w, record[n - 1].inflight, UINT32_MAX));
    cr_assert_not(exec_warp_ready(w));
    cr_assert_not(exec_complete(w, record[n - 2].inflight, 0xffff));
    cr_assert(exec_complete(w, record[n - 2].inflight, 0xffff0000));
    cr_assert_eq(exec_cta_ready(h.cta), 1);
    cr_assert_eq(exec_warp_run(w, 100, t), EXEC_EXITED);
    cr_assert_eq(record[t->num_records - 1].flags, EXEC_REC_END);
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t want[4] = {0x23456789, 1, 0x87654321, 9};
        cr_assert_eq(memcmp(&s.out[4 * i], want, 16), 0, "lane %u", i);
    }
    end_by_hand(&h);
    tear_down_arrays(&s);
}

/* In functional execution, a wait of 16 million cycles takes only hundreds of clock reads. */
static void long_wait(void) {
    struct arrays s;
    struct kernel k = {0};
    set_up_arrays(&s);
    EMIT(&k, CS2R, .dst = 8, .sub = MIR_SR_CLOCK_LO);
    uint32_t top = HERE(&k);
    EMIT(&k, CS2R, .dst = 9, .sub = MIR_SR_CLOCK_LO);
    EMIT(&k, IADD3, .dst = 9, .src = {REG(9), REGM(8, MIR_SRC_NEG)});
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_LT, .src = {REG(9), IMM(1 << 24)});
    EMIT(&k, BRA, .guard = 0, .imm = (int32_t)top);
    EMIT(&k, EXIT);
    struct exec_counts c;
    cr_assert_eq(kernel_run(&k, &s.m, 1, 32, &c, NULL, NULL), HEDDLE_OK);
    cr_assert_gt(c.warp_inst, 100);
    cr_assert_lt(c.warp_inst, 4000);
    tear_down_arrays(&s);
}

/* A prefetch of a wrong address has no effect. */
static void prefetch(void) {
    struct arrays s;
    struct kernel k = {0};
    set_up_arrays(&s);
    index_of_thread(&k);
    element(&k, 4, OUT, 4);
    EMIT(&k, PREFETCH, .src = {REG(4)}, GLOBAL);
    EMIT(&k, PREFETCH, .src = {RZ}, GLOBAL);
    STORE(&k, 4, 1);
    EMIT(&k, EXIT);
    uint32_t want[64];
    for (uint32_t t = 0; t < 64; t++) want[t] = t;
    struct expected_words x = {s.out, want, 64, "prefetch"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    tear_down_arrays(&s);
}

/* ---- wrong addresses */

struct wrong {
    const char *name;
    struct mir_inst inst; /* address in R4:5 = OUT + imm */
    heddle_err err;
    int64_t address; /* relative to OUT for global */
    uint32_t thread;
    const char *text;
};
/* Each case must fault at the expected lane with the expected error, address and message; immediate
 * and timed. */
static void wrong_addresses(void) {
    static const struct wrong cases[] = {
        {"behind", INST(LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .imm = WORDS * 4 - 4),
         HEDDLE_ERR_ILLEGAL_ADDRESS, WORDS * 4, 1, "read of 4 bytes at global address"},
        {"in front", INST(STG, .src = {REG(4), REG(0)}, GLOBAL, .imm = -8),
         HEDDLE_ERR_ILLEGAL_ADDRESS, -8, 0, "write of 4 bytes at global address"},
        {"odd", INST(LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .imm = 2), HEDDLE_ERR_MISALIGNED, 2, 0,
         "misaligned address: read of 4 bytes"},
        {"wide odd", INST(LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = 16),
         HEDDLE_ERR_MISALIGNED, 4, 1, "read of 16 bytes"},
        {"null", INST(STG, .src = {RZ, REG(0)}, GLOBAL), HEDDLE_ERR_ILLEGAL_ADDRESS, INT64_MIN, 0,
         "at global address 0x0"},
        {"atomic", INST(RED, .src = {REG(4), REG(0)}, GLOBAL, .imm = 64 * 1024 * 1024),
         HEDDLE_ERR_ILLEGAL_ADDRESS, 64 * 1024 * 1024, 0, "write of 4 bytes"},
        {"shared", INST(LDS, .dst = 8, .src = {REG(6)}, .imm = 64), HEDDLE_ERR_ILLEGAL_ADDRESS,
         INT64_MIN, 9, "beyond the CTA's shared memory: read of 4 bytes at shared address 0x64"},
        {"stack", INST(STL, .src = {REG(6), REG(0)}, .width = 8), HEDDLE_ERR_MISALIGNED, INT64_MIN,
         1, "write of 8 bytes at local address 0x4"},
        {"deep stack", INST(STL, .src = {REG(6), REG(0)}), HEDDLE_ERR_ILLEGAL_ADDRESS, INT64_MIN, 5,
         "beyond the thread's stack"},
        {"row", INST(LDSM, .dst = 8, .src = {REG(6)}, .sub = 1, .width = 16), HEDDLE_ERR_MISALIGNED,
         INT64_MIN, 1, "read of 16 bytes at shared address 0x4"},
        {"rows of global memory",
         INST(LDSM, .dst = 8, .src = {REG(16)}, .sub = 4, .width = 16, .flags = MIR_ADDR64),
         HEDDLE_ERR_ILLEGAL_ADDRESS, 0, 0, "matrices lie in shared memory: read of 16 bytes"},
        {"generic shared", INST(LD, .dst = 8, .src = {REG(10)}, .flags = MIR_ADDR64),
         HEDDLE_ERR_ILLEGAL_ADDRESS, INT64_MIN, 0, "at shared address 0x1000"},
        {"local atomic", INST(ATOM, .dst = 8, .src = {REG(12), REG(0)}, .flags = MIR_ADDR64),
         HEDDLE_ERR_ILLEGAL_ADDRESS, INT64_MIN, 0, "atomic operation on local memory"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arrays s;
        struct kernel k = {.shared_bytes = 100, .local_bytes = 20};
        struct exec_fault f;
        struct heddle_diag d = {0};
        set_up_arrays(&s);
        index_of_thread(&k);
        element(&k, 4, OUT, 4);
        EMIT(&k, SHF, .dst = 6, .src = {REG(0), IMM(2)});
        EMIT(&k, MOV, .dst = 10, .src = {IMM(0x1000)});
        EMIT(&k, MOV, .dst = 11, .src = {IMM(MIR_SHARED_WINDOW >> 32)});
        EMIT(&k, MOV, .dst = 12, .src = {IMM(8)});
        EMIT(&k, MOV, .dst = 13, .src = {IMM(MIR_LOCAL_WINDOW >> 32)});
        element(&k, 16, OUT, 16);
        kernel_add(&k, cases[i].inst);
        EMIT(&k, EXIT);
        heddle_err e = kernel_run(&k, &s.m, 1, 32, NULL, &f, &d);
        cr_assert_eq(e, cases[i].err, "%s: %s", cases[i].name, d.text);
        cr_assert(strstr(d.text, cases[i].text), "%s: '%s' in '%s'", cases[i].name, cases[i].text,
                  d.text);
        if (cases[i].address != INT64_MIN)
            cr_assert_eq(f.address, (uintptr_t)s.out + (uint64_t)cases[i].address, "%s",
                         cases[i].name);
        cr_assert_eq(f.thread[0], cases[i].thread, "%s: thread %u", cases[i].name, f.thread[0]);
        cr_assert_eq(f.write, cases[i].inst.op != MIR_LDG && cases[i].inst.op != MIR_LDS &&
                                  cases[i].inst.op != MIR_LD && cases[i].inst.op != MIR_LDSM);
        /* The same in a timed launch. */
        struct exec_launch l = kernel_launch(&k, &s.m, 1, 32);
        struct timed_result r;
        cr_assert_eq(timed_run(&l, 3, false, &r), cases[i].err, "%s, timed", cases[i].name);
        cr_assert_eq(r.fault.address, f.address);
        tear_down_arrays(&s);
    }
}

const struct op_program memory_programs[] = {
    {MIR_LDG, global_widths},
    {MIR_STG, global_widths},
    {MIR_LDS, shared_widths},
    {MIR_STS, shared_widths},
    {MIR_LDL, local_widths},
    {MIR_STL, local_widths},
    {MIR_LD, generic},
    {MIR_ST, generic},
    {MIR_LDC, indexed_constants},
    {MIR_CS2R, clocks},
    {MIR_CS2R, long_wait},
    {MIR_PREFETCH, prefetch},
    {MIR_LDG, wrong_addresses},
    {MIR_LDSM, rows_of_matrices},
};
const unsigned num_memory_programs = sizeof memory_programs / sizeof *memory_programs;
