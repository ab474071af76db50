/* lir_combine_offset.c - separates the constant part of a 32-bit address from its arithmetic.
 * Called by combine_address (lir_combine_address.c), part of the combining pass.
 *
 *       LEA v1 = (v2 << 2) + v3, v3 = v4 + 0x400        LEA v5 = (v2 << 2) + v4
 *       LDS [v1]                                ==>     LDS [v5 + 0x400]
 *
 * An offset costs nothing, and addresses that differ only in their constants then share the rest.
 * Here the definition becomes t + constant; combine_address puts that constant into the accesses.
 *
 * Each separate_* function handles one operation: where it finds a constant in `def` it splits the
 * definition (split) and returns true; otherwise it changes nothing.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_combine.h"

enum { FARTHEST = 1 << 20 }; /* bytes; larger constants stay where they are */

/* @return `d` is x + constant and nothing more; *x and *constant are set. */
static bool is_offset(const struct lir_inst *d, struct lir_src *x, uint32_t *constant) {
    if (!d || d->m.op != MIR_IADD3 || d->m.flags & MIR_X || d->pdst[0] || d->pdst[1] ||
        d->m.src[1].kind != MIR_SRC_IMM || d->m.src[1].mods || !is_rz(d, 2) ||
        d->m.src[0].kind != MIR_SRC_REG || d->m.src[0].mods || d->src[0] == 0)
        return false;
    *x = lir_get_src(d, 0);
    *constant = d->m.src[1].value;
    return true;
}

/* The same of the definition of operand i, if its sources still hold at `in`. */
static bool offset_operand(const struct combine *c, const struct lir_inst *in, unsigned i,
                           struct lir_src *x, uint32_t *constant) {
    return !in->m.src[i].mods && is_offset(source_def(c, in, i, 1), x, constant);
}

/* @return operand i is an immediate other than 0; *constant is set. */
static bool is_constant(const struct lir_inst *in, unsigned i, uint32_t *constant) {
    *constant = in->m.src[i].value;
    return in->m.src[i].kind == MIR_SRC_IMM && !in->m.src[i].mods && *constant;
}

/* Inserts a copy of `def` in front of it, with a new vreg as result, and makes `def` the sum of
 * that vreg and the constant. @return the copy, from which the caller removes the constant */
static struct lir_inst *split(struct combine *c, struct lir_inst *def, uint32_t constant) {
    struct lir_inst *rest = lir_new_before(c->fn, def, def->m.op);
    struct mir_inst m = def->m;
    lir_vreg d = def->dst;
    m.ptx_count = 0;
    m.special = 0;
    rest->m = m;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) rest->src[i] = def->src[i];
    lir_set_dst(rest, lir_new_vregs(c->fn, 1));
    lir_reset(def, MIR_IADD3);
    lir_set_dst(def, d);
    lir_set_src(def, 0, lir_reg(rest->dst));
    lir_set_src(def, 1, lir_imm(constant));
    lir_set_src(def, 2, RZ_SOURCE);
    return rest;
}

/* @return the constant, as a signed number, lies within FARTHEST and is not 0. */
static bool is_near(uint32_t constant) {
    return constant && constant + FARTHEST < 2 * FARTHEST;
}

/* Splits `def` at the constant; operand i of what remains becomes `left`. */
static void separate(struct combine *c, struct lir_inst *def, unsigned i, struct lir_src left,
                     uint32_t constant) {
    lir_set_src(split(c, def, constant), i, left);
}

/* IADD3 with a constant beside two other addends, or with an addend that is x + constant. */
static bool separate_sum(struct combine *c, struct lir_inst *def) {
    struct lir_src x;
    uint32_t k;
    unsigned addends = 0;
    if (def->m.flags & MIR_X) return false;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) addends += !is_rz(def, i);
    if (addends < 2) return false;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        if (addends == 3 && is_constant(def, i, &k) && is_near(k)) {
            separate(c, def, i, RZ_SOURCE, k);
            return true;
        }
        bool other_constant = false; /* then `def` is x + constant already */
        for (unsigned o = 0; o < MIR_MAX_SRC; o++)
            other_constant |= o != i && def->m.src[o].kind == MIR_SRC_IMM;
        if (!other_constant && offset_operand(c, def, i, &x, &k) && is_near(k)) {
            separate(c, def, i, x, k);
            return true;
        }
    }
    return false;
}

/* LEA that adds a constant or x + constant, or that shifts x + constant (the constant is shifted
 * too). */
static bool separate_lea(struct combine *c, struct lir_inst *def) {
    struct lir_src x;
    uint32_t k;
    if (def->m.flags & (MIR_HI | MIR_X)) return false;
    if (is_constant(def, 1, &k) && is_near(k)) {
        separate(c, def, 1, RZ_SOURCE, k);
        return true;
    }
    if (offset_operand(c, def, 1, &x, &k) && is_near(k)) {
        separate(c, def, 1, x, k);
        return true;
    }
    if (offset_operand(c, def, 0, &x, &k) && is_near(k) && is_near(k << def->m.sub)) {
        separate(c, def, 0, x, k << def->m.sub);
        return true;
    }
    return false;
}

/* IMAD that adds a constant or x + constant, or that multiplies x + constant by a constant. */
static bool separate_product(struct combine *c, struct lir_inst *def) {
    struct lir_src x;
    uint32_t k, factor;
    if (def->m.flags & (MIR_HI | MIR_WIDE | MIR_X)) return false;
    if (is_constant(def, 2, &k) && is_near(k)) {
        separate(c, def, 2, RZ_SOURCE, k);
        return true;
    }
    if (offset_operand(c, def, 2, &x, &k) && is_near(k)) {
        separate(c, def, 2, x, k);
        return true;
    }
    if (!def->m.src[0].mods && is_constant(def, 1, &factor) && is_near(factor) &&
        offset_operand(c, def, 0, &x, &k) && is_near(k) && is_near(k * factor)) {
        separate(c, def, 0, x, k * factor);
        return true;
    }
    return false;
}

/* SHF that shifts x + constant left by a constant. */
static bool separate_shift(struct combine *c, struct lir_inst *def) {
    struct lir_src x;
    uint32_t k, by;
    if (def->m.type != MIR_U32 || def->m.flags & (MIR_RIGHT | MIR_WRAP | MIR_HI) ||
        !is_constant(def, 1, &by) || by > 31 || !offset_operand(c, def, 0, &x, &k) || !is_near(k) ||
        !is_near(k << by))
        return false;
    separate(c, def, 0, x, k << by);
    return true;
}

/* Makes `def` the sum of a new vreg and a constant, which combine_address then moves into the
 * accesses; an instruction before it computes the vreg. Does nothing unless memory accesses are the
 * only readers of the definition. @return it did */
bool combine_separate_offset(struct combine *c, struct lir_inst *def) {
    if (def->pdst[0] || def->pdst[1] ||
        c->n_address[def->dst] != lir_vreg_info(c->fn, def->dst)->n_use)
        return false;
    bool separated = false;
    switch (def->m.op) {
    case MIR_IADD3: separated = separate_sum(c, def); break;
    case MIR_LEA: separated = separate_lea(c, def); break;
    case MIR_IMAD: separated = separate_product(c, def); break;
    case MIR_SHF: separated = separate_shift(c, def); break;
    default: break;
    }
    c->changed |= separated;
    return separated;
}
