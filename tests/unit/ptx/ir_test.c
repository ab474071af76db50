/* ir_test.c - the compiler's IR without PTX: columns of mir_ops.def that must agree, and results of
 * single passes. */
#include <criterion/criterion.h>

#include "common/arena.h"
#include "mir/mir_slow.h"
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"
#include "ptx/ir/lir.h"

static bool has(unsigned op, unsigned traits) {
    return mir_op_traits(op) & traits;
}

static bool is_slow(unsigned op) {
    for (unsigned sub = 0; sub < 2; sub++) {
        struct mir_inst in = {.op = (uint16_t)op, .sub = (uint8_t)sub};
        if (mir_slow_of(&in) != MIR_SLOW_COUNT) return true;
    }
    return false;
}

Test(ir, traits_agree_with_the_other_columns) {
    for (unsigned op = 0; op < MIR_OP_COUNT; op++) {
        const char *name = mir_op_name(op);
        mir_class class = mir_op_class(op);
        if (has(op, MIR_TERMINATOR | MIR_CALLS))
            cr_expect_eq(class, MIR_CLASS_BRANCH, "%s ends a block in another pipe", name);
        if (has(op, MIR_COMMUTES))
            cr_expect_geq(mir_op_sources(op), 2, "%s exchanges what it has not", name);
        if (mir_op_constants(op) != MIR_CONST_NO)
            cr_expect_geq(mir_op_sources(op), 1, "%s has no source to be a constant", name);
        if (mir_class_pipe(class) == MIR_PIPE_TENSOR)
            cr_expect(has(op, MIR_DIVERGENT), "%s: lanes hold different elements", name);
        cr_expect_eq(has(op, MIR_SLOW_PATH), is_slow(op), "%s and slow_paths.def", name);
    }
}

Test(ir, pipes_of_floats_have_float_sources) {
    for (unsigned op = 0; op < MIR_OP_COUNT; op++) {
        struct mir_inst in = {.op = (uint16_t)op, .type = MIR_F16X2};
        mir_type t = mir_source_float(&in);
        switch (mir_op_class(op)) {
        case MIR_CLASS_FP32: cr_expect_eq(t, MIR_F32, "%s", mir_op_name(op)); break;
        case MIR_CLASS_FP64: cr_expect_eq(t, MIR_F64, "%s", mir_op_name(op)); break;
        case MIR_CLASS_FP16: cr_expect_eq(t, MIR_F16X2, "%s", mir_op_name(op)); break;
        case MIR_CLASS_IMAD: cr_expect_eq(t, MIR_TYPE_NONE, "%s", mir_op_name(op)); break;
        default: break;
        }
    }
}

/* Returns the source of F2I.S32 of a negated immediate of the type, after the passes that fold
 * constants. */
static struct lir_src converted(struct arena *arena, mir_type type, uint32_t bits) {
    struct lir_fn *fn = lir_fn_create(arena, "f");
    struct lir_block *b = lir_block_create(fn);
    struct lir_inst *in = lir_inst_create(fn, MIR_F2I);
    lir_block_append(fn, b);
    in->m.type = MIR_S32;
    in->m.type2 = (uint8_t)type;
    in->m.flags = MIR_FTZ; /* lir_fold does not change it */
    in->m.dst = 0;
    in->dst = lir_new_vregs(fn, 1);
    lir_set_src(in, 0, lir_neg(lir_imm(bits)));
    lir_append(b, in);
    lir_append(b, lir_inst_create(fn, MIR_EXIT));
    lir_cfg_build(fn);
    lir_propagate(fn);
    lir_legalize(fn);
    return lir_get_src(in, 0);
}

/* The sign of a half is its bit 15. Where no pass can apply the negation to the immediate, it stays
 * as a modifier on a register. */
Test(ir, sign_of_an_immediate_is_that_of_its_type) {
    struct arena arena;
    arena_init(&arena);
    struct lir_src s = converted(&arena, MIR_F32, 0x3f800000);
    cr_expect(s.kind == MIR_SRC_IMM && s.value == 0xbf800000 && !s.mods);
    s = converted(&arena, MIR_F16, 0x3c00);
    cr_expect(s.kind == MIR_SRC_REG && s.mods == MIR_SRC_NEG, "kind %u, bits %#x, modifiers %u",
              s.kind, s.value, s.mods);
    arena_free(&arena);
}

/* Registers come in units of eight, and a sub-core has 16,384 of them. Whole CTAs count where their
 * size is known, and their shared memory. */
Test(ir, registers_that_cost_no_warp) {
    static const struct {
        uint32_t regs, cta_warps, shared, most, room;
    } row[] = {{0, 0, 0, 255, 32},       {24, 0, 0, 255, 32},     {33, 0, 0, 255, 40},
               {40, 0, 0, 255, 40},      {73, 0, 0, 255, 80},     {76, 8, 0, 255, 80},
               {81, 8, 0, 255, 128},     {129, 8, 0, 255, 255},   {129, 0, 0, 255, 168},
               {129, 0, 0, 160, 160},    {33, 32, 0, 64, 64},     {20, 8, 49152, 255, 128},
               {20, 8, 40000, 255, 128}, {20, 8, 20000, 255, 64}, {20, 8, 200000, 255, 20},
               {200, 32, 0, 255, 200},   {255, 1, 0, 255, 255}};
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        const struct lir_fn fn = {.max_regs = row[i].most,
                                  .shared_bytes = row[i].shared,
                                  .room = {.registers = 65536,
                                           .subcores = 4,
                                           .warps = 64,
                                           .shared_bytes = 96 << 10,
                                           .cta_warps = row[i].cta_warps}};
        const uint32_t room = lir_room_for(&fn, row[i].regs);
        cr_expect_eq(room, row[i].room, "row %u: %u registers", i, room);
    }
}
