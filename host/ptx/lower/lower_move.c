/* lower_move.c - handlers of mov, cvt, cvta and isspacep.
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

/* ---- mov ------------------------------------------------------------------------------------ */

/* Emits mov.b32 d, {lo, hi} and similar: joins the elements, lowest first, into d. */
static void pack(struct lower *lo, struct ty t, const struct ptx_operand *v) {
    unsigned each = v->n_sub ? t.bits / v->n_sub : 0;
    if (each < 8 || each * v->n_sub != t.bits || (each & (each - 1))) {
        lower_error(lo, "%u elements do not make up .b%u; use 2 or 4", v->n_sub, t.bits);
        return;
    }
    struct ty et = {TY_B, (uint8_t)each, false};
    struct value parts = {.n = ty_words(t)};
    if (each >= 32) {
        for (unsigned i = 0; i < v->n_sub; i++) {
            struct value e = src(lo, v->sub[i], et);
            for (unsigned k = 0; k < e.n; k++) parts.w[i * e.n + k] = e.w[k];
        }
    } else {
        unsigned per_word = 32 / each;
        for (unsigned w = 0; w < parts.n; w++) {
            struct lir_src acc = src1(lo, v->sub[w * per_word], et);
            for (unsigned i = 1; i < per_word; i++) {
                struct lir_src e = src1(lo, v->sub[w * per_word + i], et);
                lir_vreg d = tmp(lo);
                /* bytes of e go to position i */
                uint32_t sel = each == 16 ? 0x5410 : i == 1 ? 0x3240 : i == 2 ? 0x3410 : 0x4210;
                emit3(lo, MIR_PRMT, d, acc, lir_imm(sel), e);
                acc = lir_reg(d);
            }
            parts.w[w] = acc;
        }
    }
    struct dest d = dst(lo, opd(lo, 0), t);
    /* through temporaries, because d may be one of the elements; later passes remove the copies */
    lir_vreg x = lir_new_vregs(lo->fn, d.n);
    move_value(lo, x, &parts);
    for (unsigned k = 0; k < d.n; k++) emit1(lo, MIR_MOV, d.word + k, lir_reg(x + k));
    finish(lo, &d);
}

/* Emits mov.b64 {lo, hi}, a and similar: splits a into the elements. */
static void unpack(struct lower *lo, struct ty t, const struct ptx_operand *v) {
    unsigned each = v->n_sub ? t.bits / v->n_sub : 0;
    if (each < 8 || each * v->n_sub != t.bits || (each & (each - 1))) {
        lower_error(lo, "%u elements do not make up .b%u; use 2 or 4", v->n_sub, t.bits);
        return;
    }
    struct ty et = {TY_B, (uint8_t)each, false};
    struct value a = src(lo, opd(lo, 1), t), copy = a;
    lir_vreg x = lir_new_vregs(lo->fn, a.n);
    move_value(lo, x, &a); /* a destination may be part of a */
    for (unsigned k = 0; k < a.n; k++) copy.w[k] = lir_reg(x + k);
    for (unsigned i = 0; i < v->n_sub; i++) {
        if (v->sub[i]->kind == PTX_OPD_SINK) continue;
        struct dest d = dst(lo, v->sub[i], et);
        if (each >= 32) {
            for (unsigned k = 0; k < d.n; k++) emit1(lo, MIR_MOV, d.word + k, copy.w[i * d.n + k]);
        } else {
            unsigned bit = i * each;
            struct lir_src w = copy.w[bit / 32];
            if (bit % 32 == 0) {
                emit1(lo, MIR_MOV, d.word, w); /* the upper half is undefined */
            } else {
                uint32_t byte = bit % 32 / 8;
                uint32_t sel = each == 16 ? 0x7632 : 0x4440 | byte;
                emit3(lo, MIR_PRMT, d.word, w, lir_imm(sel), RZ_SRC);
            }
        }
        finish(lo, &d);
    }
}

/* mov of registers, constants, addresses and predicates; a vector operand is packed or unpacked. */
void lower_mov(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    if (!operands(lo, 2, 2)) return;
    if (lo->mods.n_ty != 1) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (t.cls == TY_PRED) {
        lir_pref a = src_pred(lo, opd(lo, 1));
        struct pdest d = dst_pred(lo, opd(lo, 0));
        struct lir_inst *in = emit(lo, MIR_PLOP3);
        in->pdst[0] = d.pred;
        in->psrc[0] = a;
        in->m.sub = LUT_A;
        finish_pred(lo, &d);
        return;
    }
    if (opd(lo, 1)->kind == PTX_OPD_VEC) {
        pack(lo, t, opd(lo, 1));
        return;
    }
    if (opd(lo, 0)->kind == PTX_OPD_VEC) {
        unpack(lo, t, opd(lo, 0));
        return;
    }
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    if (t.cls == TY_F) a = literal(lo, a); /* an operand of its users */
    move_value(lo, d.word, &a);
    finish(lo, &d);
}

/* ---- cvt ------------------------------------------------------------------------------------ */

/* Emits cvt from float st to integer dt into d. Narrow results saturate. */
static void convert_float_to_int(struct lower *lo, const struct dest *d, struct ty dt,
                                 struct ty st) {
    struct lir_src a = st.bits == 64 ? src_f64(lo, opd(lo, 1)) : src1(lo, opd(lo, 1), st);
    struct ty wide = dt; /* narrow results saturate in 32 bits first */
    bool narrow = dt.bits < 32;
    if (narrow) wide.bits = 32;
    lir_vreg x = narrow ? tmp(lo) : d->word;
    struct lir_inst *in = emit1(lo, MIR_F2I, x, a);
    in->m.type = (uint8_t)ty_mir(wide);
    in->m.type2 = (uint8_t)ty_mir(st);
    in->m.round = (uint8_t)lo->mods.round;
    if (lo->mods.ftz) in->m.flags |= MIR_FTZ;
    if (narrow) {
        in = emit1(lo, MIR_I2I, d->word, lir_reg(x));
        in->m.type = (uint8_t)ty_mir(dt);
        in->m.type2 = (uint8_t)ty_mir(wide);
        in->m.flags |= MIR_SAT;
    }
}

/* Emits cvt from integer st to float dt into d. */
static void convert_int_to_float(struct lower *lo, const struct dest *d, struct ty dt,
                                 struct ty st) {
    struct lir_src a;
    struct ty from = st;
    if (st.bits == 64) {
        struct value v = src(lo, opd(lo, 1), st);
        a = as_group(lo, &v);
    } else {
        a = src32(lo, opd(lo, 1), st);
        from.bits = 32;
    }
    struct lir_inst *in = emit1(lo, MIR_I2F, d->word, a);
    in->m.type = (uint8_t)ty_mir(dt);
    in->m.type2 = (uint8_t)ty_mir(from);
    in->m.round = (uint8_t)lo->mods.round;
    if (lo->mods.sat) in->m.flags |= MIR_SAT;
}

/* Emits cvt from float st to float dt into d: FRND for .rni and the like, an addition or a move
 * for the same type, else F2F. */
static void convert_float_to_float(struct lower *lo, const struct dest *d, struct ty dt,
                                   struct ty st) {
    struct lir_src a = st.bits == 64 ? src_f64(lo, opd(lo, 1)) : src1(lo, opd(lo, 1), st);
    struct lir_inst *in;
    if (lo->mods.integral) {
        in = emit1(lo, MIR_FRND, d->word, a);
        in->m.type = in->m.type2 = (uint8_t)ty_mir(dt);
    } else if (dt.bits == st.bits && dt.cls == st.cls && dt.bits == 32) {
        /* the same type: saturation and flushing alone */
        in = emit2(lo, MIR_FADD, d->word, a, lir_neg(RZ_SRC));
        in->m.type = MIR_F32;
    } else if (dt.bits == st.bits && dt.cls == st.cls) {
        struct value v = src(lo, opd(lo, 1), st);
        move_value(lo, d->word, &v);
        return;
    } else {
        in = emit1(lo, MIR_F2F, d->word, a);
        in->m.type = (uint8_t)ty_mir(dt);
        in->m.type2 = (uint8_t)ty_mir(st);
    }
    in->m.round = (uint8_t)lo->mods.round;
    if (lo->mods.ftz) in->m.flags |= MIR_FTZ;
    if (lo->mods.sat) in->m.flags |= MIR_SAT;
}

/* Emits the clamp of a 64-bit integer of type st to the range of dt, into d. For 64-bit st. */
static void saturate64(struct lower *lo, const struct dest *d, struct ty dt, struct ty st,
                       const struct value *a) {
    bool ss = ty_is_signed(st), ds = ty_is_signed(dt);
    uint64_t max = dt.bits == 64 ? (ds ? INT64_MAX : UINT64_MAX)
                                 : (UINT64_C(1) << (dt.bits - ds)) - 1;
    uint64_t min = ds ? ~max : 0;
    struct value maxv = value_imm64(max), minv = value_imm64(min);
    lir_vreg x = tmp_pair(lo), y = tmp_pair(lo);
    struct value v = *a;
    if (!(ss && max >= INT64_MAX)) { /* the source can exceed the maximum */
        uint32_t p = compare_int(lo, MIR_CMP_GT, ss, &v, &maxv);
        for (unsigned k = 0; k < 2; k++)
            emit2(lo, MIR_SEL, x + k, v.w[k], maxv.w[k])->psrc[0] = lir_pnot(lir_p(p));
        v = value_of_pair(x);
    }
    if (ss) {
        uint32_t p = compare_int(lo, MIR_CMP_LT, true, &v, &minv);
        for (unsigned k = 0; k < 2; k++)
            emit2(lo, MIR_SEL, y + k, v.w[k], minv.w[k])->psrc[0] = lir_pnot(lir_p(p));
        v = value_of_pair(y);
    }
    for (unsigned k = 0; k < d->n; k++) emit1(lo, MIR_MOV, d->word + k, v.w[k]);
}

/* Emits cvt from integer st to integer dt into d, with .sat: clamped. */
static void convert_int_to_int(struct lower *lo, const struct dest *d, struct ty dt, struct ty st) {
    bool is_signed = ty_is_signed(st);
    if (lo->mods.sat) {
        if (st.bits == 64 || dt.bits == 64) {
            struct value a = src(lo, opd(lo, 1), st);
            if (st.bits < 64) { /* widening: only a negative value to unsigned is clamped */
                struct lir_src w = src32(lo, opd(lo, 1), st);
                if (is_signed && !ty_is_signed(dt)) {
                    lir_vreg m = tmp(lo);
                    struct lir_inst *in = emit2(lo, MIR_IMNMX, m, w, RZ_SRC);
                    in->m.type = MIR_S32;
                    in->psrc[0] = LIR_NOT_PT;
                    w = lir_reg(m);
                    is_signed = false;
                }
                emit1(lo, LIR_EXT64, d->word, w)->m.type = is_signed ? MIR_S32 : MIR_U32;
                return;
            }
            saturate64(lo, d, dt, st, &a);
            return;
        }
        struct lir_inst *in = emit1(lo, MIR_I2I, d->word, src32(lo, opd(lo, 1), st));
        st.bits = 32;
        in->m.type = (uint8_t)ty_mir(dt);
        in->m.type2 = (uint8_t)ty_mir(st);
        in->m.flags |= MIR_SAT;
        return;
    }
    if (dt.bits > 32 && st.bits <= 32) {
        struct lir_src a = src32(lo, opd(lo, 1), st);
        emit1(lo, LIR_EXT64, d->word, a)->m.type = is_signed ? MIR_S32 : MIR_U32;
        return;
    }
    if (dt.bits > st.bits) { /* to at most 32 bits */
        struct lir_src a = src32(lo, opd(lo, 1), st);
        emit1(lo, MIR_MOV, d->word, a);
        return;
    }
    /* narrowing, or the same width: the low bits; 8 bits are extended, since registers hold 16 */
    struct value a = src(lo, opd(lo, 1), st);
    a.n = d->n;
    if (dt.bits == 8) a.w[0] = extend(lo, a.w[0], 8, ty_is_signed(dt));
    move_value(lo, d->word, &a);
}

/* Emits the upper word of cvt's result if its register has 64 bits and its type at most 32. */
static void widen_register(struct lower *lo, struct ty dt) {
    const struct ptx_operand *o = opd(lo, 0);
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    if (!s || s->kind != SYM_REG || s->ty.bits <= dt.bits || s->ty.bits < 64 || dt.bits > 32)
        return;
    lir_vreg w = s->word[0], high = tmp(lo);
    if (ty_is_signed(dt)) {
        struct lir_inst *in = emit2(lo, MIR_SHF, high, lir_reg(w), lir_imm(31));
        in->m.flags |= MIR_RIGHT;
        in->m.type = MIR_S32;
    } else {
        emit1(lo, MIR_MOV, high, RZ_SRC);
    }
    emit1(lo, MIR_MOV, w + 1, lir_reg(high))->guard = lo->guard;
}

/* Directs a narrow result to a temporary, to be extended, if its register has at least 32 bits.
 * A 16-bit register needs no extension, because its upper half is undefined. Changes *d, emits
 * no code. */
static void extend_result(struct lower *lo, struct dest *d, struct ty dt) {
    const struct ptx_operand *o = opd(lo, 0);
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    if (!s || s->kind != SYM_REG || s->ty.bits < 32 || dt.bits >= 32 || ty_is_float(dt)) return;
    if (d->real == 0) { /* extend on the way into the register */
        d->real = d->word;
        d->word = tmp(lo);
    }
}

/* cvt. Packed types, TF32 and eight-bit floats go to lower_cvt_more(). */
void lower_cvt(struct lower *lo) {
    struct mods *m = &lo->mods;
    if ((m->n_extra || m->ty[0].packed || lo->inst->n_opd > 2) && lower_cvt_more(lo)) return;
    if (!operands(lo, 2, 2)) return;
    struct ty dt = m->ty[0], st = m->ty[1];
    if (m->n_ty != 2 || dt.cls == TY_PRED || st.cls == TY_PRED || dt.cls == TY_B ||
        st.cls == TY_B || dt.packed || st.packed || dt.bits > 64 || st.bits > 64) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct dest d = dst(lo, opd(lo, 0), dt);
    bool df = ty_is_float(dt), sf = ty_is_float(st);
    extend_result(lo, &d, dt);
    if (df && sf)
        convert_float_to_float(lo, &d, dt, st);
    else if (sf)
        convert_float_to_int(lo, &d, dt, st);
    else if (df)
        convert_int_to_float(lo, &d, dt, st);
    else
        convert_int_to_int(lo, &d, dt, st);
    if (d.real && dt.bits < 32 && !df && !lo->failed) {
        struct lir_src e = extend(lo, lir_reg(d.word), dt.bits, ty_is_signed(dt));
        d.word = e.value;
    }
    finish(lo, &d);
    if (!lo->failed) widen_register(lo, dt);
}

/* ---- generic addresses ---------------------------------------------------------------------- */

/* The upper word of generic addresses of the shared or local window. */
static uint32_t window_high(unsigned space) {
    return space == PTX_SPACE_SHARED  ? (uint32_t)(MIR_SHARED_WINDOW >> 32)
           : space == PTX_SPACE_LOCAL ? (uint32_t)(MIR_LOCAL_WINDOW >> 32)
                                      : 0;
}

/* Emits the read of the generic address of offset 0 of the module's constant memory. It lies in
 * device memory; the first .const variable's address slot holds its address. */
static struct value const_base(struct lower *lo) {
    const struct mir_module *m = lo->lm->mir;
    struct value v = {.n = 2};
    for (uint32_t i = 0; i < m->num_symbols; i++) {
        if (m->symbols[i].space != MIR_SPACE_CONST) continue;
        uint32_t slot = m->symbols[i].address_slot;
        lir_vreg w = tmp_pair(lo);
        emit1(lo, MIR_MOV, w, lir_const(MIR_BANK_ADDRESS, 8 * slot));
        emit1(lo, MIR_MOV, w + 1, lir_const(MIR_BANK_ADDRESS, 8 * slot + 4));
        return value_of_pair(w);
    }
    lower_error(lo, "the module has no .const variables");
    v.w[0] = v.w[1] = RZ_SRC;
    return v;
}

/* The generic address from which parameters count. Constant bank 0 has no generic addresses, so
 * the first call reserves a copy in local memory (lo->param_copy, param_copy_at), which
 * copy_params() fills. Emits no code. */
static struct value param_base(struct lower *lo) {
    struct lir_fn *fn = lo->fn;
    if (!lo->param_copy) {
        lo->param_copy = true;
        fn->local_bytes = (fn->local_bytes + 15) & ~15u;
        lo->param_copy_at = fn->local_bytes;
        fn->local_bytes += (lo->param_bytes + 15) & ~15u;
    }
    uint64_t at = MIR_LOCAL_WINDOW + lo->param_copy_at - MIR_C0_PARAMS;
    return value_imm64(at);
}

/* Emits the conversion between an address of a state space and a generic one. A global address is
 * its own generic address. Shared and local windows set the high word. Constants and parameters
 * count from a base (const_base(), param_base()). */
void lower_cvta(struct lower *lo) {
    struct mods *m = &lo->mods;
    bool to = mods_has_extra(m, PTX_W_to);
    struct ty t = m->ty[0];
    if (!operands(lo, 2, 2)) return;
    if (m->n_extra > to || t.bits != 64 || m->space == PTX_SPACE_NONE) {
        lower_unsupported(lo, "addresses are 64 bits wide");
        return;
    }
    struct value a = src(lo, opd(lo, 1), t);
    struct dest d = dst(lo, opd(lo, 0), t);
    if (m->space == PTX_SPACE_CONST || m->space == PTX_SPACE_PARAM) {
        struct value base = m->space == PTX_SPACE_CONST ? const_base(lo) : param_base(lo);
        if (lo->failed) return;
        if (to)
            sub64(lo, d.word, &a, &base);
        else
            add64(lo, d.word, &a, &base);
    } else {
        if (m->space != PTX_SPACE_GLOBAL) a.w[1] = to ? RZ_SRC : lir_imm(window_high(m->space));
        emit1(lo, MIR_MOV, d.word, a.w[0]);
        emit1(lo, MIR_MOV, d.word + 1, a.w[1]);
    }
    finish(lo, &d);
}

/* Lowers isspacep.const and .param: is the address in their range? */
static void is_in_range(struct lower *lo, unsigned space) {
    struct value a = src(lo, opd(lo, 1), (struct ty){TY_B, 64, false});
    bool none = space == PTX_SPACE_CONST ? !lo->lm->mir->const_bytes : !lo->param_bytes;
    uint32_t bytes = space == PTX_SPACE_CONST ? lo->lm->mir->const_bytes : lo->param_bytes;
    struct value base = none                       ? value_imm64(0)
                        : space == PTX_SPACE_CONST ? const_base(lo)
                                                   : param_base(lo);
    if (space == PTX_SPACE_PARAM && !none) base = value_imm64(MIR_LOCAL_WINDOW + lo->param_copy_at);
    struct value size = value_imm64(none ? 0 : bytes);
    lir_vreg offset = tmp_pair(lo);
    if (lo->failed) return;
    sub64(lo, offset, &a, &base);
    struct value at = value_of_pair(offset);
    struct pdest d = dst_pred(lo, opd(lo, 0));
    compare_int_into(lo, d.pred, 0, MIR_CMP_LT, false, &at, &size, MIR_AND, LIR_PT);
    finish_pred(lo, &d);
}

/* isspacep: tests the upper word of the address against the windows. */
void lower_isspacep(struct lower *lo) {
    unsigned space = lo->mods.space;
    if (!operands(lo, 2, 2)) return;
    if (lo->mods.n_extra && mods_is(lo, lo->mods.extra[0], "shared::cluster"))
        space = PTX_SPACE_SHARED; /* a cluster is one CTA */
    if (space == PTX_SPACE_CONST || space == PTX_SPACE_PARAM) {
        is_in_range(lo, space);
        return;
    }
    if (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_SHARED && space != PTX_SPACE_LOCAL) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct value a = src(lo, opd(lo, 1), (struct ty){TY_B, 64, false});
    struct value high = value_of_word(a.w[1]);
    struct pdest d = dst_pred(lo, opd(lo, 0));
    struct value shared = value_of_word(lir_imm(window_high(PTX_SPACE_SHARED)));
    struct value local = value_of_word(lir_imm(window_high(PTX_SPACE_LOCAL)));
    if (space == PTX_SPACE_GLOBAL) {
        uint32_t first = compare_int(lo, MIR_CMP_NE, false, &high, &shared);
        compare_int_into(lo, d.pred, 0, MIR_CMP_NE, false, &high, &local, MIR_AND, lir_p(first));
    } else {
        compare_int_into(lo, d.pred, 0, MIR_CMP_EQ, false, &high,
                         space == PTX_SPACE_SHARED ? &shared : &local, MIR_AND, LIR_PT);
    }
    finish_pred(lo, &d);
}
