/* ops.c - runs the cases of single operations; see ops.h. value_KIND() returns a random value of a
 * kind, often an edge value; the random state is seeded by the operation, so that runs repeat. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "ops.h"

enum {
    CTAS = 24,    /* CTAs of one warp each: the number of sets of inputs */
    INPUTS = 16,  /* R0..R15 */
    OUTPUTS = 17, /* R0..R15, predicates */
    VARIANTS = 6,
};

static uint64_t random_state;
static uint64_t random64(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t pick32(const uint32_t *list, size_t n) {
    return list[random64() % n];
}
#define PICK(list) pick32(list, sizeof(list) / sizeof *(list))

static uint32_t value_int(void) {
    static const uint32_t edges[] = {
        0,          1,          2,          3,          4,          7,          8,
        15,         16,         30,         31,         32,         33,         63,
        64,         65,         0x7f,       0x80,       0xff,       0x100,      0x7fff,
        0x8000,     0xffff,     0x10000,    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
        0xfffffffe, 0xffffffff, 0xffff8000, 0xffffff80, 0x55555555, 0x01234567, 0x89abcdef};
    return random64() & 1 ? PICK(edges) : (uint32_t)(random64() >> (random64() & 31) >> 8);
}
static uint32_t value_f32(void) {
    static const uint32_t edges[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000,
        0xc0200000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x00800001,
        0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
        0x4b000000, 0x4b7fffff, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff,
        0x4f800000, 0x5f000000, 0x5effffff, 0xdf000000, 0x5f7fffff, 0x5f800000, 0x477fe000,
        0x477ff000, 0x33000000, 0x33800000, 0x42fe0000, 0x43000000, 0x437f0000, 0x43800000,
        0x3effffff, 0x3f000001};
    switch (random64() & 3) {
    case 0: return PICK(edges);
    case 1: return (uint32_t)random64();
    default: /* values near one */
        return ((uint32_t)random64() & 0x807fffff) | (uint32_t)(0x60 + random64() % 0x40) << 23;
    }
}
static uint64_t value_f64(void) {
    static const uint64_t edges[] = {0,
                                     0x8000000000000000,
                                     0x3ff0000000000000,
                                     0xbff8000000000000,
                                     1,
                                     0x800fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0xffefffffffffffff,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0xfff8000000000123,
                                     0x7ff0000000000001,
                                     0x4330000000000000,
                                     0x41dfffffffc00000,
                                     0x41e0000000000000,
                                     0xc1e0000000000000,
                                     0xc1e0000000200000,
                                     0x41efffffffe00000,
                                     0x41f0000000000000,
                                     0x43e0000000000000,
                                     0x43dfffffffffffff,
                                     0xc3e0000000000000,
                                     0x43f0000000000000,
                                     0x43efffffffffffff,
                                     0x47efffffe0000000,
                                     0x47effffff0000000,
                                     0x3810000000000000,
                                     0x36a0000000000000,
                                     0x3690000000000000,
                                     0x3fe0000000000000,
                                     0x4004000000000000,
                                     0x40effc0000000000};
    switch (random64() & 3) {
    case 0: return edges[random64() % (sizeof edges / sizeof *edges)];
    case 1: return random64();
    default: return (random64() & 0x800fffffffffffff) | (0x3e0 + random64() % 0x40) << 52;
    }
}
static uint32_t value_half(bool bf16) {
    static const uint32_t edges[] = {0,      0x8000, 0x3c00, 0xbc00, 1,      0x8001,
                                     0x3ff,  0x400,  0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                     0x7e00, 0x7c01, 0x3800, 0x3f80, 0xbf80, 0x80,
                                     0x7f,   0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x4248};
    uint32_t near = (uint32_t)random64() & 0x83ff;
    near |= bf16 ? (uint32_t)(0x78 + random64() % 16) << 7 : (uint32_t)(10 + random64() % 12) << 10;
    switch (random64() % 3) {
    case 0: return PICK(edges);
    case 1: return (uint32_t)random64() & 0xffff;
    default: return near & 0xffff;
    }
}

/* Returns a test value of the kind, 64 bits wide if `wide`. */
static uint64_t value_of(enum value_kind kind, bool wide) {
    if (wide && (kind == VALUES_F32 || kind == VALUES_F16 || kind == VALUES_BF16)) {
        uint64_t low = value_of(kind, false);
        return low | value_of(kind, false) << 32;
    }
    switch (kind) {
    case VALUES_F32: return value_f32();
    case VALUES_F64: return value_f64();
    case VALUES_F16: return value_half(false) | value_half(false) << 16;
    case VALUES_BF16: return value_half(true) | value_half(true) << 16;
    case VALUES_SMALL: return random64() % 40;
    default: return wide ? (uint64_t)value_int() << 32 | value_int() : value_int();
    }
}

/* Applies source modifiers to x, independently of the executor. */
static uint64_t modified(uint64_t x, unsigned mods, enum value_kind kind, bool wide,
                         const struct mir_inst *inst) {
    uint64_t sign = kind == VALUES_F32                                ? 0x80000000
                    : kind == VALUES_F64                              ? UINT64_C(1) << 63
                    : inst->type == MIR_F16 || inst->type == MIR_BF16 ? 0x8000
                                                                      : 0x80008000;
    if (kind == VALUES_INT || kind == VALUES_SMALL) {
        int64_t s = wide ? (int64_t)x : (int32_t)x;
        if (mods & MIR_SRC_ABS && s < 0) s = (int64_t)(0 - (uint64_t)s);
        if (mods & MIR_SRC_NEG) s = (int64_t)(0 - (uint64_t)s);
        if (mods & MIR_SRC_NOT) s = ~s;
        return wide ? (uint64_t)s : (uint32_t)s;
    }
    if (mods & MIR_SRC_ABS) x &= ~sign;
    if (mods & MIR_SRC_NEG) x ^= sign;
    return x;
}

/* Returns variant v of the case's instruction: 0 with registers, 1 and 4 under a guard, from 2 on
 * with random modifiers, immediates and constants. Writes constants into the machine's bank 0. */
static struct mir_inst variant(const struct op_case *c, unsigned v, struct machine *m) {
    struct mir_inst inst = c->inst;
    if (v == 1 || v == 4) inst.guard = v == 1 ? 0 : 0 | MIR_PNOT;
    for (unsigned i = 0; i < MIR_MAX_SRC && v >= 2; i++) {
        struct mir_src *s = &inst.src[i];
        if (s->kind != MIR_SRC_REG || c->fixed >> i & 1) continue;
        bool wide = c->wide >> i & 1;
        unsigned where = (unsigned)(random64() % (v == 3 ? 3 : 4));
        if (where == 0 && v != 2) {
            uint64_t x = value_of(c->kind, wide);
            *s = (struct mir_src){.kind = MIR_SRC_IMM,
                                  .value = (uint32_t)(wide && c->kind == VALUES_F64 ? x >> 32 : x)};
        } else if (where == 1 && v != 2) {
            uint64_t x = value_of(c->kind, wide);
            machine_param(m, 64 + 8 * i, &x, 8);
            *s = (struct mir_src){
                .kind = MIR_SRC_CONST, .bank = 0, .value = MIR_C0_PARAMS + 64 + 8 * i};
        }
        s->mods = (uint8_t)random64() & c->mods;
        /* The order of negation and complement of one operand is not defined, so use one of
         * them. */
        if (s->mods & MIR_SRC_NOT) s->mods = MIR_SRC_NOT;
    }
    return inst;
}

/* Returns source i of the instruction for one lane before modifiers, from the inputs, the immediate
 * or bank 0. */
static uint64_t source_value(const struct op_case *c, const struct mir_inst *inst, unsigned i,
                             uint32_t (*in)[32], unsigned lane, const struct machine *m) {
    const struct mir_src *s = &inst->src[i];
    bool wide = c->wide >> i & 1;
    uint64_t x = 0;
    switch (s->kind) {
    case MIR_SRC_REG:
        if (s->reg == MIR_RZ) return 0;
        return in[s->reg][lane] | (wide ? (uint64_t)in[s->reg + 1][lane] << 32 : 0);
    case MIR_SRC_IMM:
        if (wide && c->kind == VALUES_F64) return (uint64_t)s->value << 32;
        if (wide && (inst->type == MIR_S32 || inst->type2 == MIR_S64 || inst->type == MIR_S64))
            return (uint64_t)(int64_t)(int32_t)s->value;
        return s->value;
    case MIR_SRC_CONST: memcpy(&x, m->bank0 + s->value, wide ? 8 : 4); return x;
    default: return 0;
    }
}

static bool pred_value(uint8_t p, uint32_t preds) {
    bool v = (p & 7) == MIR_PT || preds >> (p & 7) & 1;
    return v != ((p & MIR_PNOT) != 0);
}

/* Computes the expected outputs of one warp by the case's reference. */
static void expect(const struct op_case *c, const struct mir_inst *inst, const struct machine *m,
                   uint32_t (*in)[32], struct ref *x) {
    uint32_t mask = 0;
    for (unsigned l = 0; l < 32; l++)
        if (pred_value(inst->guard, in[12][l] & 0x7f)) mask |= UINT32_C(1) << l;
    for (unsigned l = 0; l < 32; l++) {
        uint32_t preds = in[12][l] & 0x7f;
        x[l] = (struct ref){.inst = inst,
                            .preds = preds,
                            .preds_out = preds,
                            .lane = l,
                            .mask = mask,
                            .all = x,
                            .reg = (const uint32_t(*)[32])in,
                            .p = pred_value(inst->psrc[0], preds),
                            .q = pred_value(inst->psrc[1], preds),
                            .r = pred_value(inst->psrc[2], preds),
                            .P = pred_value(inst->pdst[0], preds),
                            .Q = pred_value(inst->pdst[1], preds)};
        uint64_t *after[3] = {&x[l].a, &x[l].b, &x[l].c};
        for (unsigned i = 0; i < 3; i++) {
            x[l].raw[i] = source_value(c, inst, i, in, l, m);
            *after[i] = modified(x[l].raw[i], inst->src[i].mods, c->kind, c->wide >> i & 1, inst);
        }
        for (unsigned i = 0; i < 4; i++) x[l].d[i] = in[8 + i][l];
    }
    for (unsigned l = 0; l < 32; l++)
        if (mask >> l & 1) c->reference(&x[l]);
}

/* Emits the kernel of a test: loads R0 to R15 and P0 to P6 (from R12), executes `inst`, and stores
 * all of them. */
static void emit_frame(struct kernel *k, const struct mir_inst *inst) {
    EMIT(k, S2R, .dst = 20, .sub = MIR_SR_CTAID_X);
    EMIT(k, S2R, .dst = 21, .sub = MIR_SR_LANEID);
    EMIT(k, IMAD, .dst = 22, .src = {REG(20), IMM(INPUTS * 32), REG(21)});
    emit_element(k, 24, 0, 22);
    EMIT(k, IMAD, .dst = 22, .src = {REG(20), IMM(OUTPUTS * 32), REG(21)});
    emit_element(k, 26, 8, 22);
    for (uint8_t r = 0; r < INPUTS; r++) LOAD(k, r, 24, .imm = r * 128);
    EMIT(k, R2P, .src = {REG(12), IMM(0x7f)});
    kernel_add(k, *inst);
    for (uint8_t r = 0; r < INPUTS; r++) STORE(k, 26, r, .imm = r * 128);
    EMIT(k, P2R, .dst = 23, .src = {RZ, IMM(0x7f)});
    STORE(k, 26, 23, .imm = 16 * 128);
    EMIT(k, EXIT);
}

static float as_float(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}

/* Fails the test if one lane's registers or predicates differ from the reference's. */
static void compare_lane(const struct op_case *c, unsigned v, const struct ref *x,
                         uint32_t (*in)[32], uint32_t (*out)[32]) {
    unsigned l = x->lane, words = mir_dst_words(x->inst);
    uint32_t want[16], preds = x->preds_out;
    for (unsigned r = 0; r < 16; r++) want[r] = in[r][l];
    for (unsigned i = 0; i < words; i++) want[x->inst->dst + i] = x->d[i];
    const bool pred[2] = {x->P, x->Q};
    for (unsigned i = 0; i < 2; i++)
        if (x->inst->pdst[i] != MIR_PT)
            preds = (preds & ~(1u << x->inst->pdst[i])) | (uint32_t)pred[i] << x->inst->pdst[i];
    if (x->skip) return;
    char text[128];
    mir_print_inst(text, sizeof text, x->inst, false);
    if (x->within > 0) {
        double got = (double)as_float(out[x->inst->dst][l]);
        bool same = got == x->near || (got != got && x->near != x->near);
        cr_assert(same || (got - x->near <= x->within && x->near - got <= x->within),
                  "%s variant %u: %s: a 0x%llx: got %.9g, want %.9g within %g", c->name, v, text,
                  (unsigned long long)x->a, got, x->near, x->within);
        want[x->inst->dst] = out[x->inst->dst][l];
    }
    for (unsigned r = 0; r < 16; r++)
        cr_assert_eq(
            out[r][l], want[r],
            "%s variant %u: %s: lane %u, a 0x%llx b 0x%llx c 0x%llx p %d q %d r %d: R%u is "
            "0x%08x, want 0x%08x",
            c->name, v, text, l, (unsigned long long)x->a, (unsigned long long)x->b,
            (unsigned long long)x->c, x->p, x->q, x->r, r, out[r][l], want[r]);
    cr_assert_eq(
        out[16][l] & 0x7f, preds,
        "%s variant %u: %s: lane %u, a 0x%llx b 0x%llx c 0x%llx p %d q %d r %d: predicates "
        "are 0x%02x, want 0x%02x",
        c->name, v, text, l, (unsigned long long)x->a, (unsigned long long)x->b,
        (unsigned long long)x->c, x->p, x->q, x->r, out[16][l] & 0x7f, preds);
}

/* Runs variant v of the case on new random inputs and compares all lanes. */
static void run_variant(const struct op_case *c, unsigned v, struct machine *m,
                        uint32_t (*in)[INPUTS][32], uint32_t (*out)[OUTPUTS][32]) {
    struct kernel k = {0};
    struct mir_inst inst = variant(c, v, m);
    struct heddle_diag diag = {0};
    for (unsigned t = 0; t < CTAS; t++)
        for (unsigned l = 0; l < 32; l++) {
            for (unsigned r = 0; r < INPUTS; r += 2) {
                bool wide = r / 2 < 3 && c->wide >> (r / 2) & 1;
                uint64_t x = r < 6 ? value_of(c->kind, wide) : random64();
                in[t][r][l] = (uint32_t)x;
                in[t][r + 1][l] = wide || r >= 6 ? (uint32_t)(x >> 32) : (uint32_t)random64();
            }
            if (random64() % 8 == 0) { /* sometimes equal operands */
                in[t][2][l] = in[t][0][l];
                in[t][3][l] = in[t][1][l];
            }
        }
    emit_frame(&k, &inst);
    heddle_err e = kernel_run(&k, m, CTAS, 32, NULL, NULL, &diag);
    cr_assert_eq(e, HEDDLE_OK, "%s variant %u: %s", c->name, v, diag.text);
    for (unsigned t = 0; t < CTAS; t++) {
        struct ref x[32];
        expect(c, &inst, m, in[t], x);
        for (unsigned l = 0; l < 32; l++) compare_lane(c, v, &x[l], in[t], out[t]);
    }
}

void run_op_case(const struct op_case *c) {
    struct machine m;
    machine_init(&m, 1 << 20);
    uint32_t(*in)[INPUTS][32] = machine_alloc(&m, sizeof(*in) * CTAS);
    uint32_t(*out)[OUTPUTS][32] = machine_alloc(&m, sizeof(*out) * CTAS);
    machine_param_pointer(&m, 0, in);
    machine_param_pointer(&m, 8, out);
    random_state = UINT64_C(0x9e3779b97f4a7c15) ^ c->inst.op;
    for (unsigned v = 0; v < VARIANTS; v++) run_variant(c, v, &m, in, out);
    machine_fini(&m);
}

void run_op_cases(const struct op_case_list *list) {
    for (unsigned i = 0; i < list->count; i++) run_op_case(&list->cases[i]);
}

Test(ops, integer) {
    run_op_cases(&integer_cases);
}
Test(ops, single) {
    run_op_cases(&float_cases);
}
Test(ops, twice) {
    run_op_cases(&double_cases);
}
Test(ops, half) {
    run_op_cases(&half_cases);
}
Test(ops, convert) {
    run_op_cases(&convert_cases);
}
Test(ops, warp) {
    run_op_cases(&warp_cases);
}

Test(ops, matrix) {
    run_op_cases(&matrix_cases);
}

static void run_programs(const struct op_program *p, unsigned count) {
    for (unsigned i = 0; i < count; i++) p[i].test();
}
Test(ops, control) {
    run_programs(control_programs, num_control_programs);
}
Test(ops, tiles) {
    run_programs(tile_programs, num_tile_programs);
}
Test(ops, memory) {
    run_programs(memory_programs, num_memory_programs);
}
Test(ops, atomic) {
    run_programs(atomic_programs, num_atomic_programs);
}
Test(ops, order) {
    run_programs(order_programs, num_order_programs);
}

Test(ops, system) {
    run_programs(system_programs, num_system_programs);
}

Test(ops, textures) {
    run_programs(texture_programs, num_texture_programs);
}

static void note_programs(bool *tested, const struct op_program *p, unsigned count) {
    for (unsigned i = 0; i < count; i++) tested[p[i].op] = true;
}

/* Every row of mir_ops.def has a test. */
Test(ops, all_rows_tested) {
    bool tested[MIR_OP_COUNT] = {false};
    const struct op_case_list *lists[] = {&integer_cases, &float_cases, &double_cases, &half_cases,
                                          &convert_cases, &warp_cases,  &matrix_cases};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        for (unsigned j = 0; j < lists[i]->count; j++) tested[lists[i]->cases[j].inst.op] = true;
    note_programs(tested, control_programs, num_control_programs);
    note_programs(tested, tile_programs, num_tile_programs);
    note_programs(tested, memory_programs, num_memory_programs);
    note_programs(tested, atomic_programs, num_atomic_programs);
    note_programs(tested, order_programs, num_order_programs);
    note_programs(tested, system_programs, num_system_programs);
    note_programs(tested, texture_programs, num_texture_programs);
#define OP(id, ...) cr_expect(tested[MIR_##id], "operation " #id " has no test");
#include "tables/mir_ops.def"
#undef OP
}
