/* lir_combine_address.c - the part of the combining pass that makes addresses: constants go into
 * the offset of memory instructions, 64-bit sums and scaled indices become IMAD.WIDE and LEA.
 *
 * lir_combine calls the combine_* functions for one instruction each; lir_combine.h has their
 * contracts and conventions. Some also insert instructions beside `in`, as their comments say.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_combine.h"

/* ---- addresses ------------------------------------------------------------------------------ */

enum { OFFSET_LIMIT = 1 << 23 }; /* of a memory instruction: 24 bits, signed */

/* @return the instruction has an address operand, LDC included. */
bool combine_is_memory(const struct lir_inst *in) {
    if (in->m.op >= MIR_OP_COUNT) return false;
    return mir_op_has_address(in->m.op) || in->m.op == MIR_LDC;
}

/* Makes `base` the address register of `in` and adds `extra` bytes to its offset. @return false:
 * the offset would not fit; nothing has changed */
static bool add_offset(struct combine *c, struct lir_inst *in, struct lir_src base, int64_t extra) {
    int64_t sum = in->m.imm + extra;
    bool absolute = base.kind == MIR_SRC_NONE;
    if (!absolute && (sum >= OFFSET_LIMIT || sum < -OFFSET_LIMIT)) return false;
    if (absolute && (sum < 0 || sum > INT32_MAX)) return false;
    in->m.imm = (int32_t)sum;
    lir_set_src(in, 0, base);
    return c->changed = true;
}

/* Puts a constant summand of the address of `in` into its offset. Looks at the definition of the
 * address: a sum with a constant, a constant, or arithmetic from which combine_separate_offset can
 * take a constant (which changes the definition too). @return it changed `in` */
bool combine_address(struct combine *c, struct lir_inst *in) {
    bool wide = in->m.flags & MIR_ADDR64;
    struct lir_inst *def = source_def(c, in, 0, wide ? 2 : 1);
    if (wide) {
        if (!def || def->m.op != LIR_ADD64 || def->m.src[1].kind != MIR_SRC_IMM ||
            def->m.src[0].kind != MIR_SRC_REG || def->src[0] == 0)
            return false;
        return add_offset(c, in, lir_get_src(def, 0), (int32_t)def->m.src[1].value);
    }
    if (in->m.src[0].kind == MIR_SRC_REG && in->src[0] == 0)
        return add_offset(c, in, (struct lir_src){.kind = MIR_SRC_NONE}, 0);
    if (!def) { /* the low word of a 64-bit sum: shared and local addresses */
        lir_vreg w = in->m.src[0].kind == MIR_SRC_REG ? in->src[0] : 0;
        def = w ? lir_vreg_info(c->fn, w)->def : NULL;
        if (!def || def->dst != w || def->m.op != LIR_ADD64 || !lir_vreg_info(c->fn, w)->single ||
            def->m.src[1].kind != MIR_SRC_IMM || !lir_sources_reach(c->fn, def, in) ||
            def->m.src[0].kind != MIR_SRC_REG || def->src[0] == 0)
            return false;
        return add_offset(c, in, lir_get_src(def, 0), (int32_t)def->m.src[1].value);
    }
    if (def->m.op == MIR_MOV && def->m.src[0].kind == MIR_SRC_IMM)
        return add_offset(c, in, (struct lir_src){.kind = MIR_SRC_NONE}, def->m.src[0].value);
    bool sum = def->m.op == MIR_IADD3 && !(def->m.flags & MIR_X) && is_rz(def, 2) &&
               def->m.src[1].kind == MIR_SRC_IMM;
    if (!sum && !combine_separate_offset(c, def)) return false;
    if (def->m.src[1].kind != MIR_SRC_IMM || def->m.src[0].kind != MIR_SRC_REG ||
        def->src[0] == 0 || def->m.src[0].mods || def->m.src[1].mods)
        return false;
    return add_offset(c, in, lir_get_src(def, 0), (int32_t)def->m.src[1].value);
}

/* Makes an LDC of 4 or 8 bytes at a constant offset a MOV of a constant operand; for 8 bytes a
 * second MOV is inserted behind `in`. @return it changed `in` */
bool combine_ldc(struct combine *c, struct lir_inst *in) {
    if (in->m.width < 4 || in->m.width > 8 || in->m.imm % 4 ||
        !(in->m.src[0].kind == MIR_SRC_NONE || is_rz(in, 0)))
        return false;
    unsigned vregs = in->m.width / 4u, bank = in->m.sub;
    uint32_t at = (uint32_t)in->m.imm;
    lir_vreg d = in->dst;
    lir_pref guard = in->guard;
    lir_reset(in, MIR_MOV);
    in->guard = guard;
    lir_set_dst(in, d);
    lir_set_src(in, 0, lir_const(bank, at));
    if (vregs == 2) {
        struct lir_inst *m = lir_inst_create(c->fn, MIR_MOV);
        m->m.ptx_line = in->m.ptx_line;
        m->m.loc = in->m.loc;
        m->guard = guard;
        lir_set_dst(m, d + 1);
        lir_set_src(m, 0, lir_const(bank, at + 4));
        lir_insert_after(in, m);
    }
    return c->changed = true;
}

/* ---- 64-bit sums ---------------------------------------------------------------------------- */

/* Makes `in` an IMAD.WIDE: a * b + sum, into its vregs. */
static void make_wide(struct lir_inst *in, struct lir_src a, struct lir_src b, struct lir_src sum,
                      unsigned type) {
    lir_vreg d = in->dst;
    lir_reset(in, MIR_IMAD);
    lir_set_dst(in, d);
    in->m.flags = MIR_WIDE;
    in->m.type = (uint8_t)type;
    lir_set_src(in, 0, a);
    lir_set_src(in, 1, b);
    lir_set_src(in, 2, sum);
}

/* Makes of `in` the 64-bit sum x + (y << shift): a LEA for the low word is inserted before it, with
 * its carry in a new predicate, and `in` becomes the LEA for the high word. @return false: not
 * possible */
static bool make_lea64(struct combine *c, struct lir_inst *in, struct lir_src y, unsigned shift,
                       struct lir_src x) {
    struct lir_fn *fn = c->fn;
    lir_vreg d = in->dst;
    struct lir_src xh = x, yh = y;
    if (x.kind == MIR_SRC_REG && x.value) xh.value++;
    if (x.kind == MIR_SRC_CONST) xh.value += 4;
    if (x.kind == MIR_SRC_IMM || y.kind != MIR_SRC_REG) return false;
    if (y.value) yh.value++;
    /* the second LEA reads x and y after the first one has written d */
    if (d == x.value || d == y.value) return false;
    uint32_t p = lir_new_pred(fn);
    struct lir_inst *low = lir_new_before(fn, in, MIR_LEA);
    lir_set_dst(low, d);
    lir_set_src(low, 0, y);
    lir_set_src(low, 1, x);
    low->m.sub = (uint8_t)shift;
    low->pdst[0] = p;
    lir_reset(in, MIR_LEA);
    lir_set_dst(in, d + 1);
    lir_set_src(in, 0, y);
    lir_set_src(in, 1, xh);
    lir_set_src(in, 2, yh);
    in->m.sub = (uint8_t)shift;
    in->m.flags = MIR_HI | MIR_X;
    in->psrc[0] = lir_p(p);
    return c->changed = true;
}

/* @return the 64-bit operand i consists of a vreg and zero; *x is that vreg. */
static bool zero_extended(const struct combine *c, const struct lir_inst *in, unsigned i,
                          struct lir_src *x) {
    if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0) return false;
    const struct lir_inst *low = lir_def_of(c->fn, in->src[i], 1);
    const struct lir_inst *high = lir_def_of(c->fn, in->src[i] + 1, 1);
    if (!low || !high || low->m.op != MIR_MOV || high->m.op != MIR_MOV || !is_rz(high, 0) ||
        high->m.src[0].mods || low->m.src[0].kind != MIR_SRC_REG || low->m.src[0].mods ||
        low->src[0] == 0 || !lir_sources_reach(c->fn, low, in))
        return false;
    *x = lir_get_src(low, 0);
    return true;
}

/* Makes `in` sum + x, x extended as `type` says: a wide product with one. May insert a MOV of the 1
 * before it. */
static void add_extended(struct combine *c, struct lir_inst *in, struct lir_src x,
                         struct lir_src sum, unsigned type) {
    struct lir_src one = lir_imm(1);
    if (sum.kind == MIR_SRC_CONST) { /* it takes the place of the only constant */
        lir_vreg w = lir_new_vregs(c->fn, 1);
        struct lir_inst *m = lir_new_before(c->fn, in, MIR_MOV);
        lir_set_dst(m, w);
        lir_set_src(m, 0, one);
        one = lir_reg(w);
    }
    make_wide(in, x, one, sum, type);
    c->changed = true;
}

/* Combines a 64-bit sum with the definition of an operand. Tries in turn: sums of two constants; a
 * zero-extended operand, a product, a sign-extended operand (all become IMAD.WIDE); a shift (LEA).
 * May insert an instruction before `in`, and make vregs and a predicate. @return it changed `in` */
bool combine_add64(struct combine *c, struct lir_inst *in) {
    if (in->guard != LIR_PT) return false;
    if (in->m.src[1].kind == MIR_SRC_IMM) { /* (x + i) + j */
        struct lir_inst *d = source_def(c, in, 0, 2);
        if (!d || d->m.op != LIR_ADD64 || d->m.src[1].kind != MIR_SRC_IMM) return false;
        int64_t sum = (int64_t)(int32_t)d->m.src[1].value + (int32_t)in->m.src[1].value;
        if (sum != (int32_t)sum) return false;
        lir_set_src(in, 0, lir_get_src(d, 0));
        lir_set_src(in, 1, lir_imm((uint32_t)sum));
        return c->changed = true;
    }
    for (unsigned i = 0; i < 2; i++) {
        struct lir_src other = lir_get_src(in, 1 - i);
        struct lir_inst *d = source_def(c, in, i, 2);
        struct lir_src x;
        if (!plain(other)) continue;
        if (!in->m.src[i].mods && zero_extended(c, in, i, &x)) {
            add_extended(c, in, x, other, MIR_U32);
            return true;
        }
        if (!d) continue;
        if (d->m.op == MIR_IMAD && d->m.flags & MIR_WIDE && is_rz(d, 2)) {
            bool constant = d->m.src[1].kind != MIR_SRC_REG;
            if (constant && other.kind == MIR_SRC_CONST) {
                /* c takes the only constant: the factor goes to a register, shared by CSE */
                lir_vreg w = lir_new_vregs(c->fn, 1);
                struct lir_inst *m = lir_new_before(c->fn, in, MIR_MOV);
                lir_set_dst(m, w);
                lir_set_src(m, 0, lir_get_src(d, 1));
                make_wide(in, lir_get_src(d, 0), lir_reg(w), other, d->m.type);
                return c->changed = true;
            }
            make_wide(in, lir_get_src(d, 0), lir_get_src(d, 1), other, d->m.type);
            return c->changed = true;
        }
        if (d->m.op == LIR_EXT64 && d->m.src[0].kind == MIR_SRC_REG && d->src[0]) {
            add_extended(c, in, lir_get_src(d, 0), other, d->m.type);
            return true;
        }
        if (d->m.op == LIR_SHL64 && d->m.imm > 0 && d->m.imm < 32 &&
            make_lea64(c, in, lir_get_src(d, 0), (unsigned)d->m.imm, other))
            return true;
    }
    return false;
}

/* A shifted extension becomes an IMAD.WIDE; a shift of a shift becomes one shift. */
bool combine_shl64(struct combine *c, struct lir_inst *in) {
    struct lir_inst *d = source_def(c, in, 0, 2);
    if (!d || in->m.imm > 30 || in->m.imm == 0) return false;
    if (d->m.op == LIR_EXT64 && d->m.src[0].kind == MIR_SRC_REG && d->src[0]) {
        make_wide(in, lir_get_src(d, 0), lir_imm(1u << in->m.imm), RZ_SOURCE, d->m.type);
        return c->changed = true;
    }
    if (d->m.op == LIR_SHL64 && d->m.imm + in->m.imm < 64) {
        in->m.imm += d->m.imm;
        lir_set_src(in, 0, lir_get_src(d, 0));
        return c->changed = true;
    }
    return false;
}
