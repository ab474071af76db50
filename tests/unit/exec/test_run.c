/* test_run.c - whole kernels executed functionally: values, instruction counts, and launches that
 * are refused. */
#include <criterion/criterion.h>

#include "assemble.h"

/* Emits: out[i] = a[i] + b[i] for i < n, with a, b, out and n as parameters. */
static void vector_add(struct kernel *k) {
    emit_global_index(k, 0, 1);
    EMIT(k, ISETP, .pdst = {0, MIR_PT}, .type = MIR_U32, .cmp = MIR_CMP_GE,
         .src = {REG(0), PARAM(24)});
    EMIT(k, EXIT, .guard = 0);
    emit_element(k, 2, 0, 0);
    emit_element(k, 4, 8, 0);
    emit_element(k, 6, 16, 0);
    LOAD(k, 8, 2);
    LOAD(k, 9, 4);
    EMIT(k, FADD, .dst = 8, .src = {REG(8), REG(9)});
    STORE(k, 6, 8);
    EMIT(k, EXIT);
}

Test(run, vector_add) {
    enum { N = 1000 };
    struct machine m;
    struct kernel k = {0};
    machine_init(&m, 1 << 20);
    float *a = machine_alloc(&m, N * 4), *b = machine_alloc(&m, N * 4),
          *c = machine_alloc(&m, N * 4);
    for (int i = 0; i < N; i++) {
        a[i] = 0.5f * (float)i;
        b[i] = 1000.0f - (float)i;
    }
    machine_param_pointer(&m, 0, a);
    machine_param_pointer(&m, 8, b);
    machine_param_pointer(&m, 16, c);
    machine_param_word(&m, 24, N);
    vector_add(&k);
    struct exec_counts counts;
    struct heddle_diag diag = {0};
    cr_assert_eq(kernel_run(&k, &m, 8, 128, &counts, NULL, &diag), HEDDLE_OK, "%s", diag.text);
    for (int i = 0; i < N; i++) cr_assert_eq(c[i], a[i] + b[i], "element %d: %g", i, (double)c[i]);
    /* 32 warps of 13 instructions; 24 lanes of the last one leave after the first five. */
    cr_assert_eq(counts.warp_inst, 32 * 13);
    cr_assert_eq(counts.ptx_warp_inst, 32 * 13);
    cr_assert_eq(mir_all_kinds(counts.thread_inst), 1024 * 4 + 24 + 1000 * 8);
    machine_fini(&m);
}

/* Every thread of a three-dimensional grid writes its number at its index. */
Test(run, grid_and_block) {
    struct machine m;
    struct kernel k = {0};
    machine_init(&m, 1 << 20);
    enum { CTAS = 3 * 2 * 2, THREADS = 5 * 7 * 2 };
    uint32_t *out = machine_alloc(&m, CTAS * THREADS * 16);
    machine_param_pointer(&m, 0, out);
    static const mir_sreg s[] = {MIR_SR_CTAID_X, MIR_SR_CTAID_Y, MIR_SR_CTAID_Z,
                                 MIR_SR_TID_X,   MIR_SR_TID_Y,   MIR_SR_TID_Z};
    for (uint8_t i = 0; i < 6; i++) EMIT(&k, S2R, .dst = i, .sub = s[i]);
    EMIT(&k, IMAD, .dst = 10, .src = {REG(5), IMM(7), REG(4)});
    EMIT(&k, IMAD, .dst = 10, .src = {REG(10), IMM(5), REG(3)}); /* thread */
    EMIT(&k, IMAD, .dst = 11, .src = {REG(2), IMM(2), REG(1)});
    EMIT(&k, IMAD, .dst = 11, .src = {REG(11), IMM(3), REG(0)}); /* CTA */
    EMIT(&k, IMAD, .dst = 11, .src = {REG(11), IMM(THREADS), REG(10)});
    EMIT(&k, IMAD, .dst = 12, .flags = MIR_WIDE, .src = {REG(11), IMM(16), PARAM(0)});
    EMIT(&k, S2R, .dst = 16, .sub = MIR_SR_WARPID);
    EMIT(&k, S2R, .dst = 17, .sub = MIR_SR_NWARPID);
    EMIT(&k, IADD3, .dst = 18, .src = {REG(11), IMM(1)});
    EMIT(&k, STG, .src = {REG(12), REG(16)}, .flags = MIR_ADDR64, .width = 16);
    EMIT(&k, EXIT);
    struct exec_launch l = kernel_launch(&k, &m, 1, 1);
    memcpy(l.grid, (uint32_t[]){3, 2, 2}, 12);
    memcpy(l.block, (uint32_t[]){5, 7, 2}, 12);
    struct exec_counts c;
    struct exec_fault f;
    struct heddle_diag d = {0};
    cr_assert_eq(exec_run_immediate(&l, 3, 5, &c, &f, &d), HEDDLE_OK, "%s", d.text);
    for (uint32_t i = 0; i < CTAS * THREADS; i++) {
        cr_assert_eq(out[4 * i], i % THREADS / 32, "warp of thread %u", i);
        cr_assert_eq(out[4 * i + 1], l.sm_warps);
        cr_assert_eq(out[4 * i + 2], i + 1);
    }
    cr_assert_eq(mir_all_kinds(c.thread_inst), (uint64_t)CTAS * THREADS * k.count);
    machine_fini(&m);
}

/* Registers, shared and local memory start as zeros in every CTA. */
Test(run, begins_with_zeros) {
    struct machine m;
    struct kernel k = {.shared_bytes = 64, .local_bytes = 16};
    machine_init(&m, 1 << 20);
    uint32_t *out = machine_alloc(&m, 64 * 32 * 4);
    machine_param_pointer(&m, 0, out);
    emit_global_index(&k, 0, 1);
    emit_element(&k, 2, 0, 0);
    EMIT(&k, LDS, .dst = 8, .imm = 60);
    EMIT(&k, LDL, .dst = 9, .imm = 12);
    EMIT(&k, IADD3, .dst = 10, .src = {REG(8), REG(9), REG(10)});
    STORE(&k, 2, 10);
    EMIT(&k, STS, .src = {RZ, IMM(-1)}, .imm = 60);
    EMIT(&k, STL, .src = {RZ, IMM(-1)}, .imm = 12);
    EMIT(&k, MOV, .dst = 10, .src = {IMM(-1)});
    EMIT(&k, EXIT);
    memset(out, 0xff, 64 * 32 * 4);
    cr_assert_eq(kernel_run(&k, &m, 64, 32, NULL, NULL, NULL), HEDDLE_OK);
    for (int i = 0; i < 64 * 32; i++) cr_assert_eq(out[i], 0, "thread %d", i);
    machine_fini(&m);
}

/* Expects that the launch is refused with `err` and a message that names the kernel and the
 * place. */
static void refuse(struct kernel *k, struct exec_launch *l, heddle_err err, const char *text) {
    struct heddle_diag d = {0};
    (void)k;
    cr_assert_eq(exec_launch_prepare(l, &d), err, "%s: %s", text, d.text);
    cr_assert_str_eq(d.text, text);
    cr_assert_null(l->program);
    exec_launch_finish(l); /* nothing to do */
}
Test(run, refusals) {
    struct machine m;
    machine_init(&m, 1 << 20);
    struct kernel k = {0};
    EMIT(&k, EXIT);
    struct exec_launch l = kernel_launch(&k, &m, 1, 1025);
    refuse(&k, &l, HEDDLE_ERR_LAUNCH, "kernel test: block of 1025 x 1 x 1 threads");
    l = kernel_launch(&k, &m, 0, 32);
    refuse(&k, &l, HEDDLE_ERR_LAUNCH, "kernel test: grid of 0 x 1 x 1 CTAs");
    struct exec_memory bare = m.memory;
    bare.touched = NULL;
    l = kernel_launch(&k, &m, 1, 32);
    l.immediate = false;
    l.memory = &bare;
    refuse(&k, &l, HEDDLE_ERR_ARGUMENT, "memory not made by exec_memory_init");

    static const struct {
        struct mir_inst inst;
        const char *text;
    } bad[] = {
        {INST(BRA, .imm = 7),
         "kernel test, instruction 0 (BRA), PTX line 1: branch to instruction 7"},
        {INST(DADD, .dst = 2, .src = {REG(254), REG(2)}),
         "kernel test, instruction 0 (DADD), PTX line 1: operand beyond R254: register 254"},
        {INST(DADD, .dst = 254, .src = {REG(4), REG(2)}),
         "kernel test, instruction 0 (DADD), PTX line 1: result beyond R254: register 254"},
        {INST(BSYNC, .sub = 16),
         "kernel test, instruction 0 (BSYNC), PTX line 1: no such convergence barrier: 16"},
        {INST(MOV, .dst = 1, .src = {CONST(9, 0)}),
         "kernel test, instruction 0 (MOV), PTX line 1: no such constant bank: 9"},
        {INST(LDG, .dst = 1, .src = {REG(2)}, .width = 3),
         "kernel test, instruction 0 (LDG), PTX line 1: access of width 3"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        k = (struct kernel){0};
        kernel_add(&k, bad[i].inst);
        EMIT(&k, EXIT);
        l = kernel_launch(&k, &m, 1, 32);
        refuse(&k, &l, HEDDLE_ERR_INTERNAL, bad[i].text);
    }
    machine_fini(&m);
}

/* Unsupported forms are reported when they are executed, not before. */
Test(run, unsupported) {
    static const struct {
        struct mir_inst inst;
        heddle_err err;
        const char *text;
    } cases[] = {
        {INST(SHFL, .sub = 9, .imm = -1), HEDDLE_ERR_PTX_UNSUPPORTED,
         "PTX not supported: mode of SHFL in kernel test, CTA (0,0,0), thread (0,0,0), "
         "instruction 1 (SHFL), PTX line 2"},
        {INST(HADD2, .type = MIR_F16X2, .round = MIR_ROUND_UP), HEDDLE_ERR_PTX_UNSUPPORTED,
         "PTX not supported: rounding mode of half precision in kernel test, CTA (0,0,0), thread "
         "(0,0,0), instruction 1 (HADD2), PTX line 2"},
        {INST(ISETP, .cmp = MIR_CMP_LTU), HEDDLE_ERR_PTX_UNSUPPORTED,
         "PTX not supported: unordered integer comparison in kernel test, CTA (0,0,0), thread "
         "(0,0,0), instruction 1 (ISETP), PTX line 2"},
        {INST(S2R, .sub = MIR_SR_CLOCK_LO), HEDDLE_ERR_PTX_UNSUPPORTED,
         "PTX not supported: S2R of this register (clocks are read by CS2R) in kernel test, CTA "
         "(0,0,0), thread (0,0,0), instruction 1 (S2R), PTX line 2"},
        {INST(RED, .src = {RZ, RZ}, .sub = MIR_ATOM_MIN, .type = MIR_F32),
         HEDDLE_ERR_PTX_UNSUPPORTED,
         "PTX not supported: type of atomic minimum or maximum in kernel test, CTA (0,0,0), thread "
         "(0,0,0), instruction 1 (RED), PTX line 2"},
        {INST(MOV, .dst = 1, .src = {CONST(0, MIR_C0_SIZE)}), HEDDLE_ERR_ILLEGAL_ADDRESS,
         "illegal address: read beyond the end of a constant bank: read of 4 bytes at constant "
         "address 0x815c in kernel test, CTA (0,0,0), thread (0,0,0), instruction 1 (MOV), PTX "
         "line 2"},
        {INST(BRX, .src = {IMM(77)}), HEDDLE_ERR_ILLEGAL_ADDRESS,
         "illegal address: indirect branch to an instruction that is not there in kernel test, CTA "
         "(0,0,0), thread (0,0,0), instruction 1 (BRX), PTX line 2"},
    };
    struct machine m;
    machine_init(&m, 1 << 20);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel over = {0}, into = {0};
        struct heddle_diag d = {0};
        EMIT(&over, BRA, .imm = 2);
        kernel_add(&over, cases[i].inst);
        EMIT(&over, EXIT);
        cr_assert_eq(kernel_run(&over, &m, 1, 32, NULL, NULL, &d), HEDDLE_OK, "%s", d.text);
        EMIT(&into, NOP);
        kernel_add(&into, cases[i].inst);
        EMIT(&into, EXIT);
        cr_assert_eq(kernel_run(&into, &m, 1, 32, NULL, NULL, &d), cases[i].err, "%s", d.text);
        cr_assert_str_eq(d.text, cases[i].text);
    }
    machine_fini(&m);
}

/* The state of sectors: allocations of odd sizes, and strong bits that last for a launch. */
Test(memory, state) {
    struct exec_memory m;
    const uint64_t base = UINT64_C(0x7e8000000000);
    cr_assert_eq(exec_memory_init(&m, base + 32, EXEC_REGION), HEDDLE_ERR_ARGUMENT);
    cr_assert_eq(exec_memory_init(&m, base, 100), HEDDLE_ERR_ARGUMENT);
    cr_assert_eq(exec_memory_init(&m, base, UINT64_C(16) << 30), HEDDLE_OK);
    exec_memory_allow(&m, base + EXEC_REGION, 70);
    const uint8_t *s = m.state + EXEC_REGION / EXEC_SECTOR;
    cr_assert_eq(s[-1], 0);
    cr_assert_eq(s[0], 32);
    cr_assert_eq(s[1], 32);
    cr_assert_eq(s[2], 6);
    cr_assert_eq(s[3], 0);
    exec_memory_begin(&m);
    m.state[EXEC_REGION / EXEC_SECTOR + 1] |= EXEC_SECTOR_STRONG;
    m.touched[1] = 1;
    exec_memory_begin(&m); /* a second launch at the same time: the bits stay */
    cr_assert_eq(s[1], 32 | EXEC_SECTOR_STRONG);
    exec_memory_end(&m);
    exec_memory_end(&m);
    exec_memory_begin(&m);
    cr_assert_eq(s[1], 32);
    cr_assert_eq(m.touched[1], 0);
    exec_memory_end(&m);
    exec_memory_forbid(&m, base + EXEC_REGION, 70);
    for (int i = 0; i < 3; i++) cr_assert_eq(s[i], 0);
    for (unsigned n = 1; n < 40; n++) { /* ranges of many sectors, from every sector on */
        const uint64_t at = base + EXEC_REGION + n * EXEC_SECTOR;
        exec_memory_allow(&m, at, n * EXEC_SECTOR + 5);
        for (unsigned i = 0; i < 100; i++)
            cr_assert_eq(s[i], i < n || i > 2 * n ? 0 : i == 2 * n ? 5 : EXEC_SECTOR);
        exec_memory_forbid(&m, at, n * EXEC_SECTOR + 5);
        for (unsigned i = 0; i < 100; i++) cr_assert_eq(s[i], 0);
    }
    exec_memory_fini(&m);
    exec_memory_fini(&m);
}

/* Expects that sectors [from, to) of the state have a value. */
static void expect_states(const struct exec_memory *m, uint64_t from, uint64_t to, uint8_t value) {
    for (uint64_t i = from; i < to; i++)
        if (m->state[i] != value) cr_assert_fail("sector %lu: %u, not %u", i, m->state[i], value);
}

/* Allocations of many megabytes, whose state is mapped: every boundary is where it should be, and
 * the bytes of one do not show in another. */
Test(memory, state_of_large_allocations) {
    const uint64_t base = UINT64_C(0x7e8000000000), size = UINT64_C(4) << 30;
    const uint64_t all = size / EXEC_SECTOR;
    static const uint64_t sectors[] = {524287, 524288, 524289, 5000000};
    struct exec_memory m, other;
    cr_assert_eq(exec_memory_init(&m, base, size), HEDDLE_OK);
    cr_assert_eq(exec_memory_init(&other, base, size), HEDDLE_OK);
    for (unsigned k = 0; k < sizeof sectors / sizeof *sectors; k++)
        for (uint64_t first = 4090; first < 4102; first++) {
            const uint64_t at = base + first * EXEC_SECTOR, end = first + sectors[k];
            exec_memory_allow(&m, at, sectors[k] * EXEC_SECTOR + 9);
            expect_states(&m, first - 100, first, 0);
            expect_states(&m, first, end, EXEC_SECTOR);
            expect_states(&m, end, end + 1, 9);
            expect_states(&m, end + 1, end + 10000, 0);
            m.state[first + 70000] |= EXEC_SECTOR_STRONG; /* only there */
            exec_memory_allow(&other, at, sectors[k] * EXEC_SECTOR);
            expect_states(&other, first, end, EXEC_SECTOR);
            exec_memory_forbid(&m, at, sectors[k] * EXEC_SECTOR + 9);
            expect_states(&m, first - 100, end + 10000, 0);
            expect_states(&other, first, end, EXEC_SECTOR);
            exec_memory_forbid(&other, at, sectors[k] * EXEC_SECTOR);
        }
    /* a block between two that stay */
    exec_memory_allow(&m, base, size);
    exec_memory_forbid(&m, base + size / 4, size / 2);
    expect_states(&m, 0, all / 4, EXEC_SECTOR);
    expect_states(&m, all / 4, all / 4 * 3, 0);
    expect_states(&m, all / 4 * 3, all, EXEC_SECTOR);
    exec_memory_fini(&m);
    exec_memory_fini(&other);
}
