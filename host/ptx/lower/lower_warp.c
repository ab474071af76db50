/* lower_warp.c - handlers of instructions in which lanes of a warp or warps of a CTA cooperate:
 * shuffles, votes, barriers.
 *
 * A .sync instruction names the lanes that take part, so a WARPSYNC is emitted before it.
 * lir_converge removes the WARPSYNC where all lanes are converged.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. Instructions of a warp or
 * CTA carry lo->guard themselves, because lanes whose guard is false must not take part. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_short.h"
#include "ptx/lower/lower.h"

/* Emits, under lo->guard, the WARPSYNC that the next instruction needs for its mask of lanes. */
void lower_meet(struct lower *lo, struct lir_src mask) {
    struct lir_inst *in = emit1(lo, MIR_WARPSYNC, 0, mask);
    in->guard = lo->guard;
    in->m.sub = 1; /* on behalf of the next instruction, not written by the program */
}

/* shfl d[|p], a, b, c [, mask] in the modes idx, up, down and bfly. */
void lower_shfl(struct lower *lo) {
    struct mods *m = &lo->mods;
    bool sync = (m->seen & M_SYNC) != 0;
    static const struct {
        ptx_word word;
        mir_shfl mode;
    } modes[] = {{PTX_W_idx, MIR_SHFL_IDX},
                 {PTX_W_up, MIR_SHFL_UP},
                 {PTX_W_down, MIR_SHFL_DOWN},
                 {PTX_W_bfly, MIR_SHFL_BFLY}};
    if (!operands(lo, sync ? 5 : 4, sync ? 5 : 4)) return;
    int mode = -1;
    for (unsigned i = 0; i < 4; i++)
        if (m->n_extra == 1 && m->extra[0] == modes[i].word) mode = (int)modes[i].mode;
    if (mode < 0 || m->ty[0].bits != 32) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    const struct ptx_operand *o = opd(lo, 0);
    struct lir_src a = src1(lo, opd(lo, 1), m->ty[0]), b = src1(lo, opd(lo, 2), u32);
    struct lir_src c = src1(lo, opd(lo, 3), u32);
    if (sync) lower_meet(lo, src1(lo, opd(lo, 4), u32));
    struct dest d = dst(lo, o->kind == PTX_OPD_PAIR ? o->sub[0] : o, m->ty[0]);
    struct pdest p = {0, 0};
    if (o->kind == PTX_OPD_PAIR) p = dst_pred(lo, o->sub[1]);
    if (lo->failed) return;
    /* lanes where the guard is false must not take part, so the instruction itself is guarded */
    struct lir_inst *in = emit3(lo, MIR_SHFL, d.word, a, b, c);
    if (d.real) lir_mark_scratch(lo->fn, d.word);
    in->m.sub = (uint8_t)mode;
    in->m.imm = -1; /* all active lanes; the WARPSYNC has joined them */
    in->pdst[0] = p.pred;
    in->guard = lo->guard;
    finish(lo, &d);
    finish_pred(lo, &p);
}

/* vote.all, .any, .uni with a predicate as result, .ballot with a mask of lanes. */
void lower_vote(struct lower *lo) {
    struct mods *m = &lo->mods;
    bool sync = (m->seen & M_SYNC) != 0;
    if (!operands(lo, sync ? 3 : 2, sync ? 3 : 2)) return;
    ptx_word mode = m->n_extra == 1 ? m->extra[0] : m->seen & M_UNI ? PTX_W_uni : PTX_W_NONE;
    lir_pref p = src_pred(lo, opd(lo, 1));
    struct lir_src mask = sync ? src1(lo, opd(lo, 2), u32) : lir_imm(UINT32_MAX);
    if (sync) lower_meet(lo, mask);
    struct dest d = {0};
    struct pdest pd = {0, 0};
    if (mode == PTX_W_ballot)
        d = dst(lo, opd(lo, 0), u32);
    else if (mode == PTX_W_all || mode == PTX_W_any || mode == PTX_W_uni)
        pd = dst_pred(lo, opd(lo, 0));
    else
        lower_unsupported(lo, "%s", "");
    if (lo->failed) return;
    struct lir_inst *in = emit1(lo, MIR_VOTE, d.word, mask);
    if (d.real) lir_mark_scratch(lo->fn, d.word);
    in->m.sub = mode == PTX_W_any || mode == PTX_W_ballot ? MIR_VOTE_ANY
                : mode == PTX_W_all                       ? MIR_VOTE_ALL
                                                          : MIR_VOTE_EQ;
    in->psrc[0] = p;
    in->pdst[0] = pd.pred;
    in->guard = lo->guard;
    if (mode == PTX_W_ballot) finish(lo, &d);
    finish_pred(lo, &pd);
}

/* match.any and match.all of 32 or 64 bits: d = the lanes of the mask with equal values; of .all,
 * d|p also writes p = all are equal. Emits the WARPSYNC of the mask first. */
void lower_match(struct lower *lo) {
    struct mods *m = &lo->mods;
    struct ty t = m->ty[0];
    bool all = mods_has_extra(m, PTX_W_all);
    if (!operands(lo, 3, 3)) return;
    if (m->n_extra != 1 || (!all && !mods_has_extra(m, PTX_W_any)) || t.bits < 32 || t.bits > 64) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    const struct ptx_operand *o = opd(lo, 0);
    struct value av = src(lo, opd(lo, 1), t);
    struct lir_src a = as_group(lo, &av), mask = src1(lo, opd(lo, 2), u32);
    lower_meet(lo, mask);
    struct dest d = dst(lo, o->kind == PTX_OPD_PAIR ? o->sub[0] : o, u32);
    struct pdest p = {0, 0};
    if (o->kind == PTX_OPD_PAIR) p = dst_pred(lo, o->sub[1]);
    if (lo->failed) return;
    struct lir_inst *in = emit2(lo, MIR_MATCH, d.word, a, mask);
    if (d.real) lir_mark_scratch(lo->fn, d.word);
    in->m.type = t.bits == 64 ? MIR_U64 : MIR_U32;
    in->m.sub = all;
    in->pdst[0] = p.pred;
    in->guard = lo->guard;
    finish(lo, &d);
    finish_pred(lo, &p);
}

/* redux: one reduction of 32-bit integers over the lanes of the mask. */
void lower_redux(struct lower *lo) {
    struct mods *m = &lo->mods;
    struct ty t = m->ty[0];
    unsigned op = m->op == PTX_W_add    ? MIR_ATOM_ADD
                  : m->op == PTX_W_min  ? MIR_ATOM_MIN
                  : m->op == PTX_W_max  ? MIR_ATOM_MAX
                  : m->op == PTX_W_and_ ? MIR_ATOM_AND
                  : m->op == PTX_W_or_  ? MIR_ATOM_OR
                  : m->op == PTX_W_xor_ ? MIR_ATOM_XOR
                                        : MIR_ATOM_CAS;
    if (!operands(lo, 3, 3)) return;
    if (op == MIR_ATOM_CAS || t.bits != 32 || ty_is_float(t)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), t), mask = src1(lo, opd(lo, 2), u32);
    lower_meet(lo, mask);
    struct dest d = dst(lo, opd(lo, 0), t);
    struct lir_inst *in = emit2(lo, MIR_REDUX, d.word, a, mask);
    if (d.real) lir_mark_scratch(lo->fn, d.word);
    in->m.type = ty_is_signed(t) ? MIR_S32 : MIR_U32;
    in->m.sub = (uint8_t)op;
    in->guard = lo->guard;
    finish(lo, &d);
}

/* elect: the lowest lane of the mask is the leader; d = its number, p = true in that lane only. */
void lower_elect(struct lower *lo) {
    if (!operands(lo, 2, 2)) return;
    const struct ptx_operand *o = opd(lo, 0);
    if (o->kind != PTX_OPD_PAIR) {
        lower_unsupported(lo, "the result is a register and a predicate");
        return;
    }
    struct lir_src mask = src1(lo, opd(lo, 1), u32);
    lower_meet(lo, mask);
    lir_vreg mirrored = tmp(lo), leader = tmp(lo);
    emit1(lo, MIR_BREV, mirrored, mask);
    struct lir_inst *in = emit1(lo, MIR_FLO, leader, lir_reg(mirrored));
    in->m.type = MIR_U32;
    in->m.sub = 1;
    struct value who = value_of_word(lir_reg(leader));
    struct value me = value_of_word(lir_reg(lower_read_sreg(lo, MIR_SR_LANEID)));
    struct dest d = dst(lo, o->sub[0], u32);
    struct pdest p = dst_pred(lo, o->sub[1]);
    if (lo->failed) return;
    move_value(lo, d.word, &who);
    compare_int_into(lo, p.pred, 0, MIR_CMP_EQ, false, &who, &me, MIR_AND, LIR_PT);
    finish(lo, &d);
    finish_pred(lo, &p);
}

/* Emits a NOP for griddepcontrol, because no launch overlaps its predecessor here, and for
 * setmaxnreg, because registers are not moved between warps. */
void lower_nothing(struct lower *lo) {
    if (operands(lo, 0, 1)) emit(lo, MIR_NOP)->guard = lo->guard;
}

/* activemask: the mask of active lanes. */
void lower_activemask(struct lower *lo) {
    if (!operands(lo, 1, 1)) return;
    struct dest d = dst(lo, opd(lo, 0), u32);
    if (lo->failed) return;
    struct lir_inst *in = emit(lo, MIR_ACTIVEMASK);
    in->dst = d.word;
    in->m.dst = 0;
    if (d.real) lir_mark_scratch(lo->fn, d.word);
    in->guard = lo->guard;
    finish(lo, &d);
}

/* ---- CTA barriers --------------------------------------------------------------------------- */

/* Sets the operands of a CTA barrier: its number, a constant in imm or a register in source 0,
 * and the number of threads in source 1. Sets MIR_WHOLE for an aligned barrier. Reports a number
 * above 15. */
static void set_barrier(struct lower *lo, struct lir_inst *in, struct lir_src number,
                        struct lir_src threads) {
    if (number.kind == MIR_SRC_IMM) {
        in->m.imm = (int32_t)number.value;
        if (number.value > 15) lower_error(lo, "a CTA has barriers 0 to 15, not %u", number.value);
    } else {
        lir_set_src(in, 0, number);
    }
    lir_set_src(in, 1, threads);
    in->guard = lo->guard;
    bool aligned = lo->inst->op == PTX_W_bar; /* `barrier` needs .aligned */
    for (uint32_t i = 0; i < lo->inst->n_mod; i++) aligned |= lo->inst->mod[i] == PTX_W_aligned;
    if (aligned) in->m.flags |= MIR_WHOLE;
}

/* Lowers bar.red.popc, .and, .or. */
static void reduce_barrier(struct lower *lo, bool popc) {
    unsigned n = lo->inst->n_opd;
    if (!operands(lo, 3, 4)) return;
    struct lir_src number = src1(lo, opd(lo, 1), u32);
    struct lir_src threads = n == 4 ? src1(lo, opd(lo, 2), u32) : NO_SRC;
    lir_pref p = src_pred(lo, opd(lo, n - 1));
    struct dest d = {0};
    struct pdest pd = {0, 0};
    if (popc)
        d = dst(lo, opd(lo, 0), u32);
    else
        pd = dst_pred(lo, opd(lo, 0));
    if (lo->failed) return;
    struct lir_inst *in = emit(lo, MIR_BAR);
    in->m.sub = popc                        ? MIR_BAR_RED_POPC
                : lo->mods.op == PTX_W_and_ ? MIR_BAR_RED_AND
                                            : MIR_BAR_RED_OR;
    in->psrc[0] = p;
    in->pdst[0] = pd.pred;
    if (popc) {
        in->dst = d.word;
        in->m.dst = 0;
        if (d.real) lir_mark_scratch(lo->fn, d.word);
    }
    set_barrier(lo, in, number, threads);
    if (popc) finish(lo, &d);
    finish_pred(lo, &pd);
}

/* bar and barrier: .sync, .arrive, .red; bar.warp.sync becomes a WARPSYNC. */
void lower_bar(struct lower *lo) {
    struct mods *m = &lo->mods;
    bool warp = mods_has_extra(m, PTX_W_warp), arrive = mods_has_extra(m, PTX_W_arrive);
    bool red = mods_has_extra(m, PTX_W_red), popc = mods_has_extra(m, PTX_W_popc);
    if (m->n_extra != (unsigned)(warp + arrive + red + popc) || warp + arrive + red > 1 ||
        ((m->seen & M_SCOPE) && m->scope != MIR_SCOPE_CTA) || popc > red ||
        (red && popc == (m->op == PTX_W_and_ || m->op == PTX_W_or_)) || (!red && m->op)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (red) {
        reduce_barrier(lo, popc);
        return;
    }
    if (warp) {
        if (!operands(lo, 1, 1)) return;
        emit1(lo, MIR_WARPSYNC, 0, src1(lo, opd(lo, 0), u32))->guard = lo->guard;
        return;
    }
    if (!operands(lo, arrive ? 2 : 0, 2)) return;
    unsigned n = lo->inst->n_opd;
    struct lir_src number = n ? src1(lo, opd(lo, 0), u32) : lir_imm(0);
    struct lir_src threads = n == 2 ? src1(lo, opd(lo, 1), u32) : NO_SRC;
    struct lir_inst *in = emit(lo, MIR_BAR);
    in->m.sub = arrive ? MIR_BAR_ARV : MIR_BAR_SYNC;
    set_barrier(lo, in, number, threads);
}
