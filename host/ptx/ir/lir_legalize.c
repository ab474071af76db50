/* lir_legalize.c - replaces what the hardware does not have: pseudo operations (lir_expand) and
 * operand forms (lir_legalize). lir_optimize runs both passes; ptx_compile.c does so without
 * optimisation.
 *
 * The *_before functions insert an instruction in front of `at` that writes vreg d.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"

/* ---- pseudo operations ---------------------------------------------------------------------- */

/* The low (k = 0) or high word of a 64-bit source; an immediate is sign-extended. */
static struct lir_src half(struct lir_src s, unsigned k) {
    if (s.kind == MIR_SRC_REG && s.value) s.value += k;
    if (s.kind == MIR_SRC_CONST) s.value += 4 * k;
    if (s.kind == MIR_SRC_IMM) s.value = k ? 0 - (s.value >> 31) : s.value; /* the sign */
    return s;
}

/* Inserts d = a + b. @return the instruction */
static struct lir_inst *sum_before(struct lir_fn *fn, struct lir_inst *at, lir_vreg d,
                                   struct lir_src a, struct lir_src b) {
    struct lir_inst *in = lir_new_before(fn, at, MIR_IADD3);
    lir_set_dst(in, d);
    lir_set_src(in, 0, a);
    lir_set_src(in, 1, b);
    lir_set_src(in, 2, RZ_SOURCE);
    return in;
}

/* Inserts d = the SHF of a (type U64: of the pair c:a) by `by` bits, with these flags. @return the
 * instruction */
static struct lir_inst *shift_before(struct lir_fn *fn, struct lir_inst *at, lir_vreg d,
                                     struct lir_src a, uint32_t by, struct lir_src c, mir_type type,
                                     unsigned flags) {
    struct lir_inst *in = lir_new_before(fn, at, MIR_SHF);
    lir_set_dst(in, d);
    lir_set_src(in, 0, a);
    lir_set_src(in, 1, lir_imm(by));
    lir_set_src(in, 2, c);
    in->m.type = (uint8_t)type;
    in->m.flags |= (uint16_t)flags;
    return in;
}

static void mov_before(struct lir_fn *fn, struct lir_inst *at, lir_vreg d, struct lir_src s) {
    struct lir_inst *in = lir_new_before(fn, at, MIR_MOV);
    lir_set_dst(in, d);
    lir_set_src(in, 0, s);
}

/* Replaces one pseudo operation by MIR operations in front of it, and removes it. */
static void expand(struct lir_fn *fn, struct lir_inst *in) {
    struct lir_src a = lir_get_src(in, 0), b = lir_get_src(in, 1);
    lir_vreg d = in->dst;
    if (in->m.op == LIR_ADD64) {
        struct lir_inst *low = sum_before(fn, in, d, half(a, 0), half(b, 0));
        low->pdst[0] = lir_new_pred(fn);
        struct lir_inst *high = sum_before(fn, in, d + 1, half(a, 1), half(b, 1));
        high->m.flags |= MIR_X;
        high->psrc[0] = lir_p(low->pdst[0]);
        high->psrc[1] = LIR_NOT_PT;
    } else if (in->m.op == LIR_SHL64) {
        uint32_t n = (uint32_t)in->m.imm;
        /* the high word first: d may be a */
        if (n == 0) {
            mov_before(fn, in, d + 1, half(a, 1));
            mov_before(fn, in, d, half(a, 0));
        } else if (n >= 32) {
            shift_before(fn, in, d + 1, half(a, 0), n - 32, RZ_SOURCE, MIR_U32, 0);
            mov_before(fn, in, d, RZ_SOURCE);
        } else {
            shift_before(fn, in, d + 1, half(a, 0), n, half(a, 1), MIR_U64, MIR_HI);
            shift_before(fn, in, d, half(a, 0), n, RZ_SOURCE, MIR_U32, 0);
        }
    } else { /* LIR_EXT64 */
        if (in->m.type == MIR_S32)
            shift_before(fn, in, d + 1, a, 31, RZ_SOURCE, MIR_S32, MIR_RIGHT);
        else
            mov_before(fn, in, d + 1, RZ_SOURCE);
        mov_before(fn, in, d, a);
    }
    lir_remove(in);
}

/* Replaces all pseudo operations. */
void lir_expand(struct lir_fn *fn) {
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            if (in->m.op >= MIR_OP_COUNT) expand(fn, in);
        }
}

/* ---- operand forms -------------------------------------------------------------------------- */

/* Loads operand i into new vregs in front of `in`, which then reads these. Modifiers stay at the
 * operand. */
static void to_register(struct lir_fn *fn, struct lir_inst *in, unsigned i) {
    struct lir_src s = lir_get_src(in, i);
    unsigned n = lir_operand_vregs(in, i);
    if (n == 0) n = 1;
    lir_vreg w = lir_new_vregs(fn, n);
    uint8_t mods = s.mods;
    s.mods = 0;
    for (unsigned k = 0; k < n; k++) {
        struct lir_src part = s;
        if (s.kind == MIR_SRC_CONST)
            part.value += 4 * k;
        else if (n == 2) /* the immediate of a double is its high word */
            part = k ? s : RZ_SOURCE;
        mov_before(fn, in, w + k, part);
    }
    struct lir_src r = lir_reg(w);
    r.mods = mods;
    lir_set_src(in, i, r);
}

/* @return the hardware takes operand i as it is. */
static bool fits(const struct lir_inst *in, unsigned i) {
    struct lir_src s = lir_get_src(in, i);
    return s.kind == MIR_SRC_NONE || s.kind == MIR_SRC_REG ||
           (lir_operand_fits(in, i, s) && !(s.kind == MIR_SRC_IMM && s.mods));
}

/* Exchanges operands where that helps, and moves those that do not fit to registers. */
void lir_legalize(struct lir_fn *fn) {
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            if (!fits(in, 0) && in->m.src[1].kind == MIR_SRC_REG) lir_swap(in);
            for (unsigned i = MIR_MAX_SRC; i-- > 0;)
                if (!fits(in, i)) to_register(fn, in, i);
        }
}
