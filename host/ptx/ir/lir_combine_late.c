/* lir_combine_late.c - combinations that would hide what earlier passes look for. lir_optimize runs
 * the pass once, after lir_expand.
 *
 *       LOP3 v1 = v2 & 8              LOP3 %p1 = v2 & 8
 *       ISETP.NE %p1 = v1, 0    ==>
 *
 *       SHF.R.U32 v1 = v2 >> 31       LEA.HI v3 = (v2 << 1 as 64 bits) high + v4
 *       IADD3 v3 = v1 + v4      ==>
 *
 * The second instruction of each pair changes in place; lir_dce removes the first.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"
#include "ptx/ir/lir_combine.h"

/* State of the pass. */
struct late {
    struct combine c;
    bool *inverted; /* [pred] holds the opposite of what its readers expect */
    uint32_t n_preds;
};

/* ---- tests of bits -------------------------------------------------------------------------- */

/* @return `in` compares the result of the LOP3 `d` with zero, or with the one bit that `d` masks.
 * *is_zero: the predicate is true if the result is zero. */
static bool asks_for_zero(const struct lir_inst *in, const struct lir_inst *d, bool *is_zero) {
    if (in->m.cmp != MIR_CMP_EQ && in->m.cmp != MIR_CMP_NE) return false;
    *is_zero = in->m.cmp == MIR_CMP_EQ;
    if (is_rz(in, 1)) return true;
    /* (a & bit) == bit */
    uint32_t bit = in->m.src[1].kind == MIR_SRC_IMM ? in->m.src[1].value : 0;
    if (in->m.src[1].mods || !bit || bit & (bit - 1) || d->m.sub != 0xc0 ||
        d->m.src[1].kind != MIR_SRC_IMM || d->m.src[1].value != bit)
        return false;
    *is_zero = !*is_zero;
    return true;
}

/* Makes the comparison `in` a LOP3 that writes the predicate, true if the result is not zero. Where
 * the comparison asked for zero it marks the predicate in l->inverted. @return it did */
static bool late_test(struct late *l, struct lir_inst *in) {
    const struct lir_fn *fn = l->c.fn;
    uint32_t p = in->pdst[0];
    bool is_zero;
    if (in->m.bop != MIR_AND || in->psrc[0] != LIR_PT || in->pdst[1] || in->m.flags & MIR_EX ||
        in->m.src[0].mods || p == 0)
        return false;
    struct lir_inst *d = source_def(&l->c, in, 0, 1);
    if (!d || d->m.op != MIR_LOP3 || d->pdst[0] || !used_once(&l->c, d->dst) ||
        !asks_for_zero(in, d, &is_zero))
        return false;
    if (is_zero && (!lir_pred_info(fn, p)->single || p >= l->n_preds)) return false;
    lir_pref guard = in->guard;
    lir_reset(in, MIR_LOP3);
    in->guard = guard;
    in->m.sub = d->m.sub;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) lir_set_src(in, i, lir_get_src(d, i));
    in->pdst[0] = p;
    if (is_zero) l->inverted[p] = true;
    return true;
}

/* Complements every read of the predicates in l->inverted. */
static void invert_readers(struct late *l) {
    for (uint32_t b = 0; b < l->c.fn->n_blocks; b++)
        for (struct lir_inst *in = l->c.fn->blocks[b]->first; in; in = in->next) {
            for (unsigned i = 0; i < 3; i++)
                if (in->psrc[i] >> 1 < l->n_preds && l->inverted[in->psrc[i] >> 1])
                    in->psrc[i] = lir_pnot(in->psrc[i]);
            if (in->guard >> 1 < l->n_preds && l->inverted[in->guard >> 1])
                in->guard = lir_pnot(in->guard);
        }
}

/* ---- shifts right and sums ------------------------------------------------------------------ */

/* Makes `in`, a sum with a logical shift right that has no other use, a LEA.HI. @return it did */
static bool late_shift(struct late *l, struct lir_inst *in) {
    if (in->m.flags & MIR_X || in->pdst[0] || in->pdst[1] || !is_rz(in, 2)) return false;
    for (unsigned i = 0; i < 2; i++) {
        struct lir_inst *d = source_def(&l->c, in, i, 1);
        struct lir_src other = lir_get_src(in, 1 - i);
        if (!d || in->m.src[i].mods || !plain(other) || !used_once(&l->c, d->dst)) continue;
        if (d->m.op != MIR_SHF || d->m.type != MIR_U32 || !(d->m.flags & MIR_RIGHT) ||
            d->m.flags & (MIR_WRAP | MIR_HI) || d->m.src[1].kind != MIR_SRC_IMM ||
            d->m.src[1].value == 0 || d->m.src[1].value > 31 || d->m.src[0].kind != MIR_SRC_REG ||
            d->m.src[0].mods)
            continue;
        struct lir_src x = lir_get_src(d, 0);
        uint32_t by = d->m.src[1].value;
        lir_vreg dst = in->dst;
        lir_pref guard = in->guard;
        lir_reset(in, MIR_LEA);
        in->guard = guard;
        lir_set_dst(in, dst);
        in->m.sub = (uint8_t)(32 - by);
        in->m.flags = MIR_HI;
        lir_set_src(in, 0, x);
        lir_set_src(in, 1, other);
        lir_set_src(in, 2, RZ_SOURCE);
        return true;
    }
    return false;
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* Tries both rewrites on each instruction, then complements the readers of inverted predicates. */
void lir_combine_late(struct lir_fn *fn) {
    struct late l = {.c.fn = fn, .n_preds = fn->n_preds};
    bool any = false;
    lir_analyze(fn);
    l.inverted = ARENA_ARRAY(fn->arena, bool, fn->n_preds);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            if (in->m.op == MIR_ISETP) any |= late_test(&l, in);
            if (in->m.op == MIR_IADD3) any |= late_shift(&l, in);
        }
    if (any) invert_readers(&l);
}
