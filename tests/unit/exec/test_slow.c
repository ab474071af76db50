/* test_slow.c - exec/ops/slow_path.c: which parts of the slow paths of division and square root an
 * operand takes, and how many instructions that counts. */
#include <criterion/criterion.h>
#include <string.h>

#include "assemble.h"
#include "mir/mir_slow.h"

static unsigned steps_of(mir_slow slow, uint32_t parts) {
    unsigned count, n = 0;
    const struct mir_slow_part *part = mir_slow_parts(slow, &count);
    for (unsigned i = 0; i < count; i++)
        if (parts >> i & 1) n += mir_slow_steps(&part[i]);
    return n;
}

struct outcome {
    struct exec_record record; /* of the slow path */
    unsigned records;
    struct exec_counts counts;
};

/* Executes `inst` with operands `first` in R0:1 and R2:3; lanes from `from` on have the other
 * operands. */
static struct outcome run(struct mir_inst inst, const uint64_t first[2], const uint64_t other[2],
                          uint32_t from, bool trace) {
    struct machine m;
    struct kernel k = {0};
    struct outcome o = {0};
    struct exec_record record[64];
    struct exec_access access[64];
    struct exec_trace t = {.record = record, .access = access, .capacity = 64};
    struct exec_pool *pool;
    struct exec_cta *cta;
    machine_init(&m, 1 << 16);
    EMIT(&k, S2R, .dst = 8, .sub = MIR_SR_TID_X);
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_LT, .src = {REG(8), IMM(from)});
    for (uint8_t i = 0; i < 4; i++)
        EMIT(&k, SEL, .dst = i, .psrc = {0, MIR_PT, MIR_PT},
             .src = {IMM(first[i / 2] >> 32 * (i % 2)), IMM(other[i / 2] >> 32 * (i % 2))});
    inst.dst = 4;
    inst.src[0] = (struct mir_src)REG(0);
    if (inst.op == MIR_FDIVS || inst.op == MIR_DDIVS) inst.src[1] = (struct mir_src)REG(2);
    kernel_add(&k, inst);
    EMIT(&k, EXIT);
    struct exec_launch l = kernel_launch(&k, &m, 1, 32);
    struct heddle_diag d = {0};
    l.immediate = !trace;
    cr_assert_eq(exec_launch_prepare(&l, &d), HEDDLE_OK, "%s", d.text);
    cr_assert_eq(exec_pool_create(&pool), HEDDLE_OK);
    cr_assert_eq(exec_cta_create(&cta, pool, &l, 0, 0), HEDDLE_OK);
    cr_assert_eq(exec_warp_run(exec_cta_warp(cta, 0), 100, trace ? &t : NULL), EXEC_EXITED);
    exec_cta_counts(cta, &o.counts);
    o.records = t.num_records;
    o.record = record[k.count - 2];
    exec_cta_release(pool, cta);
    exec_pool_free(pool);
    exec_launch_finish(&l);
    machine_fini(&m);
    return o;
}

#define F32(o, s, ...) INST(o, .sub = (s), .type = MIR_F32, .ptx_count = 1, __VA_ARGS__)
#define DIV32 F32(FDIVS, 0)
#define DIV32_FTZ F32(FDIVS, 0, .flags = MIR_FTZ)
#define RCP32 F32(FSQRTS, 1)
#define RCP32_RZ F32(FSQRTS, 1, .round = MIR_ROUND_ZERO)
#define SQRT32 F32(FSQRTS, 0)
#define DIV64 INST(DDIVS, .type = MIR_F64)
#define RCP64 INST(DSQRTS, .sub = 1, .type = MIR_F64)
#define SQRT64 INST(DSQRTS, .type = MIR_F64)
#define D(high) ((uint64_t)(high) << 32)
#define MINUS UINT32_C(0x80000000)
#define P(slow, name) mir_slow_parts_of(MIR_SLOW_##slow##_##name)

enum {
    ONE = 0x3f800000,
    INF = 0x7f800000,
    NAN32 = 0x7fc00000,
    SUB = 0x00400000,
    TINY = 0x00800000,
    HUGE = 0x7f000000,
    D_ONE = 0x3ff00000,
    D_INF = 0x7ff00000,
    D_NAN = 0x7ff80000,
    D_SUB = 0x00080000,
    D_TINY = 0x00100000,
    D_HUGE = 0x7fe00000,
};

Test(slow, paths_of_operands) {
    const struct {
        struct mir_inst inst;
        uint64_t a, b;
        uint32_t parts;
    } row[] = {
        {DIV32, 0, ONE, P(DIV32, ZERO)},
        {DIV32, MINUS, ONE, P(DIV32, ZERO)},
        {DIV32, ONE, MINUS | INF, P(DIV32, ZERO)},
        {DIV32, ONE, 0, P(DIV32, INFINITE)},
        {DIV32, INF, SUB, P(DIV32, INFINITE)},
        {DIV32, 0, MINUS, P(DIV32, ZEROS)},
        {DIV32, INF, INF, P(DIV32, INFINITIES)},
        {DIV32, 0, NAN32, P(DIV32, NAN)},
        {DIV32, MINUS | NAN32, INF, P(DIV32, NAN)},
        {DIV32, ONE, ONE, P(DIV32, NORMAL)},
        {DIV32, HUGE, TINY, P(DIV32, OVERFLOW)},
        {DIV32, TINY, HUGE, P(DIV32, UNDERFLOW)},
        {DIV32, TINY, MINUS | 0x40000000, P(DIV32, SUBNORMAL)},
        {DIV32, SUB, ONE, P(DIV32, SUBNORMAL) | P(DIV32, SCALED)},
        {DIV32, SUB, SUB, P(DIV32, NORMAL) | P(DIV32, SCALED)},
        {DIV32, HUGE, MINUS | SUB, P(DIV32, OVERFLOW) | P(DIV32, SCALED)},
        {DIV32_FTZ, SUB, ONE, P(DIV32, ZERO)},
        {DIV32_FTZ, TINY, 0x40000000, P(DIV32, UNDERFLOW)},
        {RCP32, MINUS, 0, P(RCP32, ZERO)},
        {RCP32, SUB, 0, P(RCP32, SUBNORMAL)},
        {RCP32, HUGE, 0, P(RCP32, LARGE)},
        {RCP32, INF, 0, P(RCP32, SPECIAL)},
        {RCP32, NAN32, 0, P(RCP32, SPECIAL)},
        {RCP32_RZ, ONE, 0, P(RCP32, NORMAL)},
        {SQRT32, MINUS, 0, P(SQRT32, ZERO)},
        {SQRT32, MINUS | ONE, 0, P(SQRT32, NEGATIVE)},
        {SQRT32, MINUS | INF, 0, P(SQRT32, NEGATIVE)},
        {SQRT32, MINUS | NAN32, 0, P(SQRT32, NAN)},
        {SQRT32, INF, 0, P(SQRT32, INFINITE)},
        {SQRT32, SUB, 0, P(SQRT32, SMALL)},
        {SQRT32, 0x0cffffff, 0, P(SQRT32, SMALL)},
        {SQRT32, 0x0d000000, 0, P(SQRT32, NORMAL)},
        {DIV64, 0, D(D_ONE), P(DIV64, SPECIAL) | P(DIV64, SCALED)},
        {DIV64, D(D_ONE), 0, P(DIV64, SPECIAL)},
        {DIV64, D(D_ONE), D(D_INF), P(DIV64, SPECIAL)},
        {DIV64, D(D_INF), D(D_INF), P(DIV64, INVALID)},
        {DIV64, D(MINUS), 0, P(DIV64, INVALID) | P(DIV64, SCALED)},
        {DIV64, D(D_NAN), D(D_NAN), P(DIV64, NAN_A)},
        {DIV64, 1, D(D_NAN), P(DIV64, NAN_B) | P(DIV64, SCALED)},
        {DIV64, D(D_ONE), D(D_ONE), P(DIV64, NORMAL)},
        {DIV64, D(D_HUGE), D(D_SUB), P(DIV64, NORMAL)},
        {DIV64, D(D_TINY), D(0x40000000), P(DIV64, SUBNORMAL)},
        {DIV64, D(D_SUB), D(D_ONE), P(DIV64, SUBNORMAL) | P(DIV64, SCALED)},
        {RCP64, D(D_NAN), 0, P(RCP64, NAN)},
        {RCP64, D(MINUS), 0, P(RCP64, EDGE)},
        {RCP64, D(D_INF), 0, P(RCP64, EDGE)},
        {RCP64, D(D_SUB), 0, P(RCP64, SMALL)},
        {RCP64, D(D_HUGE), 0, P(RCP64, LARGE)},
        {SQRT64, D(MINUS), 0, P(SQRT64, ZERO)},
        {SQRT64, D(MINUS | D_ONE), 0, P(SQRT64, NEGATIVE)},
        {SQRT64, D(D_INF), 0, P(SQRT64, SPECIAL)},
        {SQRT64, D(D_NAN), 0, P(SQRT64, SPECIAL)},
        {SQRT64, 1, 0, P(SQRT64, SUBNORMAL)},
        {SQRT64, D(D_TINY), 0, P(SQRT64, NORMAL)},
    };
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        uint64_t operands[2] = {row[i].a, row[i].b};
        struct outcome o = run(row[i].inst, operands, operands, 32, true);
        struct outcome untimed = run(row[i].inst, operands, operands, 32, false);
        unsigned steps = steps_of(mir_slow_of(&row[i].inst), row[i].parts);
        cr_assert_eq(o.records, 8, "row %u", i);
        cr_assert_eq(o.record.flags, EXEC_REC_SLOW, "row %u", i);
        cr_assert_eq(o.record.slow_parts, row[i].parts, "row %u: parts %x, not %x", i,
                     o.record.slow_parts, row[i].parts);
        cr_assert_eq(o.counts.warp_inst, 7 + steps, "row %u", i);
        cr_assert_eq(o.counts.ptx_warp_inst, 8, "row %u", i);
        cr_assert_eq(mir_all_kinds(o.counts.thread_inst), 32 * (7 + steps), "row %u", i);
        cr_assert_eq(memcmp(&untimed.counts, &o.counts, sizeof o.counts), 0, "row %u", i);
    }
}

/* Lanes that diverge: the warp runs the parts of both groups, each lane only its own. */
Test(slow, lanes_of_different_paths) {
    uint64_t zero[2] = {0, ONE}, normal[2] = {TINY, 0x40000000};
    struct outcome o = run((struct mir_inst)DIV32, zero, normal, 10, true);
    uint32_t a = P(DIV32, ZERO), b = P(DIV32, SUBNORMAL);
    cr_assert_eq(o.record.slow_parts, a | b);
    cr_assert_eq(o.counts.warp_inst, 7 + steps_of(MIR_SLOW_DIV32, a | b));
    cr_assert_eq(mir_all_kinds(o.counts.thread_inst),
                 32 * 7 + 10 * steps_of(MIR_SLOW_DIV32, a) + 22 * steps_of(MIR_SLOW_DIV32, b));
    /* MUFU and other non-integer instructions, in the longer path only */
    cr_assert_eq(o.counts.thread_inst[MIR_KIND_SPECIAL], 22);
    cr_assert_eq(mir_mix_count(o.counts.thread_inst, MIR_MIX_FP32), 22 * (8 + 3));
}

/* A slow path whose guard no lane has: it counts as one instruction. */
Test(slow, nobody) {
    struct mir_inst inst = DIV32;
    uint64_t zeros[2] = {0, 0};
    inst.guard = 0 | MIR_PNOT;
    struct outcome o = run(inst, zeros, zeros, 32, true);
    cr_assert_eq(o.record.flags, 0);
    cr_assert_eq(o.counts.warp_inst, 8);
}
