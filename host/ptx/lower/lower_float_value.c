/* lower_float_value.c - conversions, clamping and magnitude of floats, for several families of
 * instructions.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). All but lower_sign_bits() append unguarded instructions to lo->cur and return
 * the result in a new register. They report no errors. Contracts: lower_float.h. */
#include "ptx/lower/lower.h"
#include "ptx/lower/lower_float.h"

/* Emits F2F: s converted from type `from` to type `to`. */
struct lir_src lower_float_to(struct lower *lo, struct lir_src s, mir_type to, mir_type from,
                              mir_round round) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit1(lo, MIR_F2F, d, s);
    in->m.type = (uint8_t)to;
    in->m.type2 = (uint8_t)from;
    in->m.round = (uint8_t)round;
    return lir_reg(d);
}

/* max(s, 0); a NaN stays a NaN. */
struct lir_src lower_relu(struct lower *lo, struct lir_src s, struct ty t) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, ty_is_half(t) ? MIR_HMNMX2 : MIR_FMNMX, d, s, RZ_SRC);
    in->m.type = (uint8_t)ty_mir(t);
    in->m.sub = 1;
    in->psrc[0] = LIR_NOT_PT;
    return lir_reg(d);
}

/* The mask of the sign bits of a word of type t. Emits no code. */
uint32_t lower_sign_bits(struct ty t) {
    return t.packed ? 0x80008000 : t.bits == 16 ? 0x8000 : 0x80000000;
}

/* Emits |s|: clears its sign bits. */
struct lir_src lower_magnitude(struct lower *lo, struct lir_src s, struct ty t) {
    return lop3(lo, LUT_A & LUT_B, s, lir_imm(~lower_sign_bits(t)), RZ_SRC);
}
