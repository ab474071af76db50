/* lower_compare.c - the handlers of setp, set, selp and slct, and of min and max of doubles.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. */
#include "ptx/lower/lower_float.h"
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_packed.h"
#include "ptx/lower/lower_short.h"

/* ---- setp ----------------------------------------------------------------------------------- */

/* The operator that joins a comparison with operand c; `and` if the instruction names none. */
static mir_bool bool_op(ptx_word op) {
    return op == PTX_W_or_ ? MIR_OR : op == PTX_W_xor_ ? MIR_XOR : MIR_AND;
}

/* Decodes the comparison of an integer type from lo->mods: lo, ls, hi, hs are unsigned.
 * @return false: it is none of an integer type; the caller reports that. */
static bool integer_comparison(struct lower *lo, struct ty t, mir_cmp *cmp, bool *is_signed) {
    struct mods *m = &lo->mods;
    *cmp = m->cmp;
    *is_signed = ty_is_signed(t) && !m->cmp_unsigned;
    if (m->mulmode == PTX_W_lo || m->mulmode == PTX_W_hi) { /* here .lo and .hi mean < and > */
        *cmp = m->mulmode == PTX_W_lo ? MIR_CMP_LT : MIR_CMP_GT;
        *is_signed = false;
        return !(m->seen & M_CMP);
    }
    if (!(m->seen & M_CMP) || *cmp > MIR_CMP_GE) return false;
    return t.cls != TY_B || *cmp == MIR_CMP_EQ || *cmp == MIR_CMP_NE;
}

/* Emits P = (a cmp b) bop with, Q = !(a cmp b) bop with (q 0: none), by the comparison in
 * lo->mods. a is operand `at`, b the next one. Reports a comparison that type t does not have. */
static void compare(struct lower *lo, struct ty t, unsigned at, uint32_t p, uint32_t q,
                    mir_bool bop, lir_pref with) {
    if (!ty_is_float(t)) {
        mir_cmp cmp;
        bool is_signed;
        if (t.bits < 16 || t.bits > 64 || (lo->mods.seen & M_FTZ) ||
            !integer_comparison(lo, t, &cmp, &is_signed)) {
            lower_unsupported(lo, "%s", "");
            return;
        }
        struct value a, b;
        if (t.bits == 64) {
            a = src(lo, opd(lo, at), t);
            b = src(lo, opd(lo, at + 1), t);
        } else {
            a = value_of_word(src32(lo, opd(lo, at), t));
            b = value_of_word(src32(lo, opd(lo, at + 1), t));
        }
        compare_int_into(lo, p, q, cmp, is_signed, &a, &b, bop, with);
        return;
    }
    if (!(lo->mods.seen & M_CMP) || lo->mods.cmp_unsigned || lo->mods.mulmode ||
        (ty_is_half(t) && !t.packed && q)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a, b;
    if (t.bits == 64) {
        a = src_f64(lo, opd(lo, at));
        b = src_f64(lo, opd(lo, at + 1));
    } else {
        a = src1(lo, opd(lo, at), t);
        b = src1(lo, opd(lo, at + 1), t);
    }
    struct lir_inst *in = emit2(lo,
                                t.bits == 64    ? MIR_DSETP
                                : ty_is_half(t) ? MIR_HSETP2
                                                : MIR_FSETP,
                                0, a, b);
    in->m.type = (uint8_t)ty_mir(t);
    in->m.cmp = (uint8_t)lo->mods.cmp;
    in->m.bop = (uint8_t)bop;
    if (lo->mods.ftz) in->m.flags |= MIR_FTZ;
    in->psrc[0] = with;
    in->pdst[0] = p;
    in->pdst[1] = q;
}

/* setp.cmp.type p[|q], a, b;  setp.cmp.bop.type p[|q], a, b, c; */
void lower_setp(struct lower *lo) {
    bool combined = lo->mods.op != PTX_W_NONE;
    if (!operands(lo, combined ? 4 : 3, combined ? 4 : 3)) return;
    if (lo->mods.n_ty != 1) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    const struct ptx_operand *o = opd(lo, 0);
    struct pdest p, q = {0, 0};
    lir_pref with = combined ? src_pred(lo, opd(lo, 3)) : LIR_PT;
    if (o->kind == PTX_OPD_PAIR) {
        p = dst_pred(lo, o->sub[0]);
        q = dst_pred(lo, o->sub[1]);
    } else {
        p = dst_pred(lo, o);
    }
    compare(lo, lo->mods.ty[0], 1, p.pred, q.pred, bool_op(lo->mods.op), with);
    finish_pred(lo, &p);
    finish_pred(lo, &q);
}

/* set.cmp.dtype.stype d, a, b: all ones or 1.0. */
void lower_set(struct lower *lo) {
    struct mods *m = &lo->mods;
    bool combined = m->op != PTX_W_NONE;
    if (!operands(lo, combined ? 4 : 3, combined ? 4 : 3)) return;
    struct ty dt = m->ty[0], st = m->ty[1];
    if (m->n_ty == 2 && ty_is_half(st) && (m->seen & M_CMP) && !m->cmp_unsigned && dt.bits <= 32 &&
        dt.bits >= 16 && dt.cls != TY_B && (dt.bits == 32 || !st.packed)) {
        lower_set_half(lo, dt, st, combined ? src_pred(lo, opd(lo, 3)) : LIR_PT, bool_op(m->op));
        return;
    }
    if (m->n_ty != 2 || dt.bits != 32 || dt.packed || ty_is_half(st) || dt.cls == TY_B) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    lir_pref with = combined ? src_pred(lo, opd(lo, 3)) : LIR_PT;
    uint32_t p = lir_new_pred(lo->fn);
    compare(lo, st, 1, p, 0, bool_op(m->op), with);
    struct dest d = dst(lo, opd(lo, 0), dt);
    uint32_t yes = dt.cls == TY_F ? 0x3f800000 : UINT32_MAX;
    emit2(lo, MIR_SEL, d.word, RZ_SRC, lir_imm(yes))->psrc[0] = lir_pnot(lir_p(p));
    finish(lo, &d);
}

/* ---- selection ------------------------------------------------------------------------------ */

/* Emits d = p ? a : b word by word, by FSEL or SEL. */
static void select_value(struct lower *lo, lir_vreg d, const struct value *a, const struct value *b,
                         lir_pref p, bool is_float) {
    for (unsigned k = 0; k < a->n; k++)
        emit2(lo, is_float ? MIR_FSEL : MIR_SEL, d + k, a->w[k], b->w[k])->psrc[0] = p;
}

/* min and max of doubles: no instruction of their own, but a DSETP that says which operand it is,
 * a selection of each word, and the quiet bit where both are NaN, as ptxas has it. */
void lower_minmax_f64(struct lower *lo, bool max) {
    struct ty t = lo->mods.ty[0];
    if (lo->mods.nan) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    const uint32_t first = lir_new_pred(lo->fn), neither = lir_new_pred(lo->fn);
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
    struct lir_inst *in = emit2(lo, MIR_DSETP, 0, src_f64(lo, opd(lo, 1)), src_f64(lo, opd(lo, 2)));
    in->m.type = (uint8_t)ty_mir(t);
    in->m.sub = max ? MIR_DSETP_MAX : MIR_DSETP_MIN;
    in->pdst[0] = first;
    in->pdst[1] = neither;
    struct dest d = dst(lo, opd(lo, 0), t);
    emit2(lo, MIR_SEL, d.word, a.w[0], b.w[0])->psrc[0] = lir_p(first);
    emit2(lo, MIR_FSEL, d.word + 1, a.w[1], b.w[1])->psrc[0] = lir_p(first);
    in = emit3(lo, MIR_LOP3, d.word + 1, lir_reg(d.word + 1), lir_imm(0x80000), RZ_SRC);
    in->m.sub = LUT_A | LUT_B;
    in->guard = lir_p(neither);
    finish(lo, &d);
}

/* selp d, a, b, p: p ? a : b. */
void lower_selp(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 4, 4)) return;
    if (t.bits < 16 || t.bits > 64) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
    lir_pref p = src_pred(lo, opd(lo, 3));
    struct dest d = dst(lo, opd(lo, 0), t);
    select_value(lo, d.word, &a, &b, p, t.cls == TY_F && t.bits == 32 && !t.packed);
    finish(lo, &d);
}

/* slct.dtype.stype d, a, b, c: c >= 0 ? a : b */
void lower_slct(struct lower *lo) {
    struct ty t = lo->mods.ty[0], ct = lo->mods.ty[1];
    if (!operands(lo, 4, 4)) return;
    if (lo->mods.n_ty != 2 || ct.bits != 32 || (ct.cls != TY_S && ct.cls != TY_F)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
    struct value c = src(lo, opd(lo, 3), ct), zero = value_of_word(RZ_SRC);
    struct dest d = dst(lo, opd(lo, 0), t);
    uint32_t p;
    if (ct.cls == TY_S) {
        p = compare_int(lo, MIR_CMP_GE, true, &c, &zero);
    } else {
        p = lir_new_pred(lo->fn);
        struct lir_inst *in = emit2(lo, MIR_FSETP, 0, c.w[0], RZ_SRC);
        in->m.type = MIR_F32;
        in->m.cmp = MIR_CMP_GE;
        in->pdst[0] = p;
        if (lo->mods.ftz) in->m.flags |= MIR_FTZ;
    }
    select_value(lo, d.word, &a, &b, lir_p(p), false);
    finish(lo, &d);
}
