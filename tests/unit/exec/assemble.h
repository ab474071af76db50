/* assemble.h - kernels written by hand in MIR, and a machine to run them on, for the tests and
 * benchmarks of the executor.
 *
 *   struct kernel k = {0};
 *   EMIT(&k, IADD3, .dst = 2, .src = {REG(0), IMM(5)});
 *   uint32_t loop = HERE(&k); */
#ifndef HEDDLE_TESTS_EXEC_ASSEMBLE_H
#define HEDDLE_TESTS_EXEC_ASSEMBLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "exec/exec.h"

/* EMIT begins with defaults and lets the caller override them. */
#pragma GCC diagnostic ignored "-Woverride-init"

/* Checked in every build. */
#define MUST(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

enum { KERNEL_MAX = 512 };
struct kernel {
    struct mir_inst code[KERNEL_MAX];
    uint32_t count, shared_bytes, local_bytes;
    struct mir_function function;
};

static inline uint32_t kernel_add(struct kernel *k, struct mir_inst inst) {
    MUST(k->count < KERNEL_MAX);
    inst.ptx_line = k->count + 1;
    k->code[k->count] = inst;
    return k->count++;
}

#define REG(r) \
    { .kind = MIR_SRC_REG, .reg = (r) }
#define REGM(r, m) \
    { .kind = MIR_SRC_REG, .reg = (r), .mods = (m) }
#define RZ REG(MIR_RZ)
#define IMM(v) \
    { .kind = MIR_SRC_IMM, .value = (uint32_t)(v) }
#define CONST(b, o) \
    { .kind = MIR_SRC_CONST, .bank = (b), .value = (o) }
#define PARAM(o) CONST(MIR_BANK_LAUNCH, MIR_C0_PARAMS + (o))
#define INST(o, ...)                                                                      \
    {                                                                                     \
        .op = MIR_##o, .guard = MIR_PT, .dst = MIR_RZ, .pdst = {MIR_PT, MIR_PT},          \
        .psrc = {MIR_PT, MIR_PT, MIR_PT}, .wbar = MIR_NO_BARRIER, .rbar = MIR_NO_BARRIER, \
        .ptx_count = 1, .type = MIR_U32, .width = 4, .stall = 2, __VA_ARGS__              \
    }
#define EMIT(k, o, ...) kernel_add((k), (struct mir_inst)INST(o, __VA_ARGS__))
#define HERE(k) ((k)->count)
/* Branches: HERE marks a place to branch back to; PATCH sets the target of a forward branch to the
 * next instruction. */
#define PATCH(k, at) ((k)->code[at].imm = (int32_t)(k)->count)

/* The device memory of a test: allocations follow one another, with a gap of one sector between
 * them. */
struct machine {
    struct exec_memory memory;
    uint8_t *bytes;
    uint64_t size, used;
    uint8_t bank0[MIR_C0_SIZE];
};

static inline void machine_init(struct machine *m, uint64_t size) {
    memset(m, 0, sizeof *m);
    m->size = (size + EXEC_REGION - 1) / EXEC_REGION * EXEC_REGION;
    uint8_t *p = mmap(NULL, m->size + EXEC_REGION, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(p != MAP_FAILED);
    m->bytes = (uint8_t *)(((uintptr_t)p + EXEC_REGION - 1) / EXEC_REGION * EXEC_REGION);
    MUST(exec_memory_init(&m->memory, (uintptr_t)m->bytes, m->size) == HEDDLE_OK);
}
static inline void machine_fini(struct machine *m) {
    exec_memory_fini(&m->memory);
}

static inline void *machine_alloc(struct machine *m, uint64_t bytes) {
    uint8_t *p = m->bytes + m->used;
    MUST(m->used + bytes + 512 <= m->size);
    exec_memory_allow(&m->memory, (uintptr_t)p, bytes);
    m->used += (bytes + 255) / 256 * 256 + 256;
    return p;
}
static inline void machine_param(struct machine *m, uint32_t offset, const void *p, size_t n) {
    memcpy(m->bank0 + MIR_C0_PARAMS + offset, p, n);
}
static inline void machine_param_pointer(struct machine *m, uint32_t offset, const void *p) {
    uint64_t a = (uintptr_t)p;
    machine_param(m, offset, &a, 8);
}
static inline void machine_param_word(struct machine *m, uint32_t offset, uint32_t x) {
    machine_param(m, offset, &x, 4);
}

/* Makes a launch of the kernel on the machine, and fills constant bank 0. */
static inline struct exec_launch kernel_launch(struct kernel *k, struct machine *m, uint32_t ctas,
                                               uint32_t threads) {
    k->function = (struct mir_function){
        .name = "test",
        .code = k->code,
        .num_inst = k->count,
        .num_regs = 8,
        .shared_bytes = k->shared_bytes,
        .local_bytes = k->local_bytes,
    };
    struct exec_launch l = {
        .function = &k->function,
        .grid = {ctas, 1, 1},
        .block = {threads, 1, 1},
        .shared_bytes = k->shared_bytes,
        .memory = &m->memory,
        .immediate = true,
        .num_sms = 80,
        .sm_warps = 64,
    };
    l.bank[0] = m->bank0;
    l.bank_size[0] = sizeof m->bank0;
    memcpy(m->bank0 + MIR_C0_NTID_X, &threads, 4);
    memcpy(m->bank0 + MIR_C0_NCTAID_X, &ctas, 4);
    return l;
}

/* dst: (pair) = parameter pointer at `offset` + index register * 4. */
static inline void emit_element(struct kernel *k, uint8_t dst, uint32_t offset, uint8_t index) {
    EMIT(k, IMAD, .dst = dst, .flags = MIR_WIDE, .src = {REG(index), IMM(4), PARAM(offset)});
}
/* dst = ctaid.x * ntid.x + tid.x; uses dst and tmp. */
static inline void emit_global_index(struct kernel *k, uint8_t dst, uint8_t tmp) {
    EMIT(k, S2R, .dst = dst, .sub = MIR_SR_CTAID_X);
    EMIT(k, S2R, .dst = tmp, .sub = MIR_SR_TID_X);
    EMIT(k, IMAD, .dst = dst, .src = {REG(dst), CONST(0, MIR_C0_NTID_X), REG(tmp)});
}
#define LOAD(k, d, a, ...)                                                                    \
    EMIT(k, LDG, .dst = (d), .src = {REG(a)}, .flags = MIR_ADDR64, .space = MIR_SPACE_GLOBAL, \
         __VA_ARGS__)
#define STORE(k, a, d, ...)                                                               \
    EMIT(k, STG, .src = {REG(a), REG(d)}, .flags = MIR_ADDR64, .space = MIR_SPACE_GLOBAL, \
         __VA_ARGS__)

/* Runs the kernel functionally, without a timing model. */
static inline heddle_err kernel_run(struct kernel *k, struct machine *m, uint32_t ctas,
                                    uint32_t threads, struct exec_counts *counts,
                                    struct exec_fault *fault, struct heddle_diag *diag) {
    struct exec_launch l = kernel_launch(k, m, ctas, threads);
    struct exec_counts c;
    struct exec_fault f;
    struct heddle_diag d;
    return exec_run_immediate(&l, 4, 1024, counts ? counts : &c, fault ? fault : &f,
                              diag ? diag : &d);
}

#endif
