/* lower_classify.c - the handlers of testp and copysign, which work on the bits of floats.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_packed.h"
#include "ptx/lower/lower_short.h"

/* testp: compares exponent and fraction of the magnitude as one unsigned number. */
void lower_testp(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    struct mods *m = &lo->mods;
    if (!operands(lo, 2, 2)) return;
    if (t.cls != TY_F || t.bits < 32 || t.packed || m->n_extra != 1 || (m->seen & M_CMP)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    bool wide = t.bits == 64;
    uint32_t inf = wide ? 0x7ff00000 : 0x7f800000, least = wide ? 0x00100000 : 0x00800000;
    struct value a = src(lo, opd(lo, 1), t);
    struct value v = a;
    v.w[a.n - 1] = lop3(lo, LUT_A & LUT_B, a.w[a.n - 1], lir_imm(0x7fffffff), RZ_SRC);
    struct value infinity = wide ? value_imm64((uint64_t)inf << 32) : value_of_word(lir_imm(inf));
    struct value normal = wide ? value_imm64((uint64_t)least << 32) : value_of_word(lir_imm(least));
    struct value zero = wide ? value_imm64(0) : value_of_word(lir_imm(0));
    struct pdest d = dst_pred(lo, opd(lo, 0));
    uint32_t first = lir_new_pred(lo->fn);
    switch (m->extra[0]) {
    case PTX_W_finite:
        compare_int_into(lo, d.pred, 0, MIR_CMP_LT, false, &v, &infinity, MIR_AND, LIR_PT);
        break;
    case PTX_W_infinite:
        compare_int_into(lo, d.pred, 0, MIR_CMP_EQ, false, &v, &infinity, MIR_AND, LIR_PT);
        break;
    case PTX_W_number:
        compare_int_into(lo, d.pred, 0, MIR_CMP_LE, false, &v, &infinity, MIR_AND, LIR_PT);
        break;
    case PTX_W_notanumber:
        compare_int_into(lo, d.pred, 0, MIR_CMP_GT, false, &v, &infinity, MIR_AND, LIR_PT);
        break;
    case PTX_W_normal:
        compare_int_into(lo, first, 0, MIR_CMP_GE, false, &v, &normal, MIR_AND, LIR_PT);
        compare_int_into(lo, d.pred, 0, MIR_CMP_LT, false, &v, &infinity, MIR_AND, lir_p(first));
        break;
    case PTX_W_subnormal:
        compare_int_into(lo, first, 0, MIR_CMP_NE, false, &v, &zero, MIR_AND, LIR_PT);
        compare_int_into(lo, d.pred, 0, MIR_CMP_LT, false, &v, &normal, MIR_AND, lir_p(first));
        break;
    default: lower_unsupported(lo, "%s", ""); return;
    }
    finish_pred(lo, &d);
}

/* d = |b| with the sign of a */
void lower_copysign(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 3, 3)) return;
    if (t.cls != TY_F || t.bits < 32 || t.packed) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t), b = src(lo, opd(lo, 2), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    unsigned top = d.n - 1;
    if (top) emit1(lo, MIR_MOV, d.word, b.w[0]);
    emit3(lo, MIR_LOP3, d.word + top, a.w[top], lir_imm(0x80000000), b.w[top])->m.sub =
        (uint8_t)((LUT_A & LUT_B) | (LUT_C & ~LUT_B));
    finish(lo, &d);
}
