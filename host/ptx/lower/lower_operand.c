/* lower_operand.c - PTX operands as words: registers, constants, special registers, addresses.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). Handlers call these functions; contracts of the exported ones stand in lower.h.
 * A source emits code into lo->cur only if no MIR source can hold it (a special register, an
 * extension). A destination emits its guarded copy in finish(). Operands that are not declared
 * or do not fit their type are reported in `lo`, and the result is then a placeholder.
 * lower_lookup() may bind a register of a range. */
#include "ptx/lower/lower.h"

#include <string.h>

/* ---- constants ------------------------------------------------------------------------------ */

static uint64_t double_bits(double d) {
    uint64_t b;
    memcpy(&b, &d, sizeof b);
    return b;
}

static uint32_t float_bits(float f) {
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

/* The bits of a constant as an operand of type t. By PTX's rules a float is converted to the
 * type, but 0f bits in an untyped or integer operand are kept. @return false: the constant does
 * not fit; the caller reports it. */
static bool constant_bits(struct lower *lo, const struct ptx_const *c, struct ty t,
                          uint64_t *bits) {
    double d = 0;
    float f;
    uint32_t low = (uint32_t)c->bits;
    if (c->kind == PTX_CONST_INT) {
        if (!ty_is_float(t)) {
            *bits = c->bits;
            return true;
        }
        d = c->is_unsigned ? (double)c->bits : (double)(int64_t)c->bits;
    } else if (c->kind == PTX_CONST_F32) {
        if (t.bits <= 32) {
            *bits = low;
            return t.bits == 32;
        }
        memcpy(&f, &low, sizeof f);
        d = f;
    } else {
        memcpy(&d, &c->bits, sizeof d);
    }
    if (t.bits == 64)
        *bits = double_bits(d);
    else if (t.bits == 32 && !t.packed)
        *bits = float_bits((float)d);
    else
        return false;
    (void)lo;
    return true;
}

/* ---- addresses as values -------------------------------------------------------------------- */

/* The address of a variable, plus the operand's offset. A .global variable's is read from its
 * address slot; a variable in a subroutine's frame counts from lo->stack; others have a constant
 * offset in their state space. Emits code for the first two. */
static struct value variable_address(struct lower *lo, const struct lower_symbol *s,
                                     const struct ptx_operand *o) {
    int64_t extra = o->offset * (o->indexed ? (int64_t)s->elem_bytes : 1);
    if (s->kind == SYM_GLOBAL) {
        lir_vreg base = tmp_pair(lo);
        uint32_t slot = lo->lm->mir->symbols[s->index].address_slot;
        emit1(lo, MIR_MOV, base, lir_const(MIR_BANK_ADDRESS, 8 * slot));
        emit1(lo, MIR_MOV, base + 1, lir_const(MIR_BANK_ADDRESS, 8 * slot + 4));
        if (extra == 0) return value_of_pair(base);
        lir_vreg sum = tmp_pair(lo);
        struct value a = value_of_pair(base), b = value_imm64((uint64_t)extra);
        add64(lo, sum, &a, &b);
        return value_of_pair(sum);
    }
    if (s->based) { /* in the frame of a subroutine */
        lir_vreg sum = tmp(lo);
        uint32_t offset = (uint32_t)((int64_t)s->offset + extra);
        emit3(lo, MIR_IADD3, sum, lir_reg(lo->stack), lir_imm(offset), RZ_SRC);
        return (struct value){.w = {lir_reg(sum), RZ_SRC}, .n = 2};
    }
    /* other variables have a constant offset in their space */
    return value_imm64((uint64_t)((int64_t)s->offset + extra));
}

/* ---- sources -------------------------------------------------------------------------------- */

/* A value of n words (at least one), all zero. */
static struct value zero_value(unsigned n) {
    struct value v = {.n = n ? n : 1};
    for (unsigned i = 0; i < v.n; i++) v.w[i] = RZ_SRC;
    return v;
}

/* 0 to 3 for .x .y .z .w or .r .g .b .a; 4 for none of them. */
static unsigned member_index(ptx_word m) {
    switch (m) {
    case PTX_W_x:
    case PTX_W_r: return 0;
    case PTX_W_y:
    case PTX_W_g: return 1;
    case PTX_W_z:
    case PTX_W_b: return 2;
    case PTX_W_w:
    case PTX_W_a: return 3;
    default: return 4;
    }
}

/* The text of a word, for messages. */
static const char *text(struct lower *lo, ptx_word w) {
    return ptx_words_text(lo->words, w);
}

/* The registers of a symbol, or of the element that o names; as many as t has. Reports a missing
 * element or a register that is too small. */
static struct value register_value(struct lower *lo, const struct lower_symbol *s,
                                   const struct ptx_operand *o, struct ty t) {
    unsigned element = 0;
    if (o->member) {
        element = member_index(o->member);
        if (element >= s->vec) {
            lower_error(lo, "register '%s' has no element '.%s'", text(lo, o->name),
                        text(lo, o->member));
            return zero_value(ty_words(t));
        }
    } else if (s->vec > 1) {
        lower_error(lo, "'%s' is a vector register; name one of its elements, as in %s.x",
                    text(lo, o->name), text(lo, o->name));
        return zero_value(ty_words(t));
    }
    struct value v = {.n = ty_words(s->ty)};
    for (unsigned i = 0; i < v.n; i++) v.w[i] = lir_reg(s->word[element] + i);
    if (t.bits && v.n < ty_words(t)) {
        lower_error(lo, "register '%s' of %u bits is used as one of %u bits; convert it with cvt",
                    text(lo, o->name), s->ty.bits, t.bits);
        return zero_value(ty_words(t));
    }
    if (t.bits && v.n > ty_words(t)) v.n = ty_words(t); /* ld, st, cvt may read narrower */
    return v;
}

/* The value of operand o as type t: words of a register, constant, address or special register.
 * Emits code only where no source can hold it. Taking a function's address marks it `taken`. */
struct value src(struct lower *lo, const struct ptx_operand *o, struct ty t) {
    struct value v = zero_value(t.bits ? ty_words(t) : 1);
    uint64_t bits = 0;
    if (lo->failed) return v;
    if (o->kind == PTX_OPD_CONST) {
        if (!constant_bits(lo, &o->value, t, &bits)) {
            lower_unsupported(lo,
                              "a constant of this form does not fit the type of the instruction");
            return v;
        }
        for (unsigned i = 0; i < v.n; i++) v.w[i] = lir_imm(i < 2 ? (uint32_t)(bits >> 32 * i) : 0);
        return v;
    }
    if (o->kind == PTX_OPD_SINK) {
        lower_error(lo, "'_' cannot be read; it stands for a result that is not wanted");
        return v;
    }
    if (o->kind != PTX_OPD_NAME) {
        lower_unsupported(lo, "this operand is of a kind the instruction does not take here");
        return v;
    }
    struct lower_symbol *s = lower_lookup(lo, o->name);
    if (!s) {
        if (special_register(lo, o, t, &v)) return v;
        lower_error(lo, "'%s' is not declared; declare it with .reg or name a variable",
                    text(lo, o->name));
        return v;
    }
    switch (s->kind) {
    case SYM_REG: return register_value(lo, s, o, t);
    case SYM_VAR:
    case SYM_GLOBAL:
    case SYM_KPARAM: {
        struct value a = variable_address(lo, s, o);
        if (a.n > v.n) a.n = v.n;
        return a;
    }
    case SYM_PARAM:
        if (s->in_memory) {
            struct value a = variable_address(lo, s, o);
            if (a.n > v.n) a.n = v.n;
            return a;
        }
        lower_unsupported(lo, "the address of parameter '%s' is taken", text(lo, o->name));
        return v;
    case SYM_TEXREF: /* the handle that the launch binds */
        for (unsigned i = 0; i < v.n && i < 2; i++)
            v.w[i] = lir_const(MIR_BANK_TEXTURE, 8 * s->index + 4 * i);
        return v;
    case SYM_PRED:
        lower_error(lo, "predicate '%s' is used where a value is wanted; use selp",
                    text(lo, o->name));
        return v;
    case SYM_FUNC: {
        if (!s->func->has_body || s->func->is_entry) {
            lower_unsupported(lo, "the address of '%s', which is no function of this module",
                              text(lo, o->name));
            return v;
        }
        struct value a = value_imm64(lower_function_address(s));
        s->taken = true;
        if (a.n > v.n) a.n = v.n;
        return a;
    }
    default:
        lower_error(lo, "'%s' is no register, variable or number", text(lo, o->name));
        return v;
    }
}

/* Word 0 of src(). */
struct lir_src src1(struct lower *lo, const struct ptx_operand *o, struct ty t) {
    return src(lo, o, t).w[0];
}

/* Word 0 of src(), extended to 32 bits; emits the extension. */
struct lir_src src32(struct lower *lo, const struct ptx_operand *o, struct ty t) {
    return extend(lo, src1(lo, o, t), t.bits, ty_is_signed(t));
}

/* @return the double in the constant bank of literals, if it is a constant whose low word is not
 * zero and the bank has room; else v. */
struct value literal(struct lower *lo, struct value v) {
    if (v.n != 2 || v.w[0].kind != MIR_SRC_IMM || v.w[1].kind != MIR_SRC_IMM || !v.w[0].value)
        return v;
    struct lir_src low = lir_literal(lo->fn, (uint64_t)v.w[1].value << 32 | v.w[0].value);
    if (low.kind == MIR_SRC_NONE) return v;
    struct lir_src high = low;
    high.value += 4;
    return (struct value){.w = {low, high}, .n = 2};
}

/* @return a double as one source; emits moves unless its words are adjacent or an immediate
 * serves. */
struct lir_src src_f64(struct lower *lo, const struct ptx_operand *o) {
    struct value v = src(lo, o, (struct ty){TY_F, 64, false});
    /* an immediate holds the high word of a double whose low word is zero */
    if (v.w[0].kind == MIR_SRC_IMM && v.w[1].kind == MIR_SRC_IMM && v.w[0].value == 0 &&
        v.w[1].value != 0)
        return v.w[1];
    v = literal(lo, v);
    return as_group(lo, &v);
}

/* @return a predicate operand, a constant or a register, with its negation. Emits no code; reports
 * an operand that is none. */
lir_pref src_pred(struct lower *lo, const struct ptx_operand *o) {
    if (lo->failed) return LIR_PT;
    if (o->kind == PTX_OPD_CONST && o->value.kind == PTX_CONST_INT)
        return o->value.bits ? LIR_PT : LIR_NOT_PT;
    if (o->kind == PTX_OPD_NAME) {
        struct lower_symbol *s = lower_lookup(lo, o->name);
        if (s && s->kind == SYM_PRED) return lir_p(s->pred) ^ o->inverted;
        if (!s && strcmp(text(lo, o->name), "%is_explicit_cluster") == 0)
            return LIR_NOT_PT ^ o->inverted;
        lower_error(lo,
                    s ? "'%s' is no predicate; compare it with setp"
                      : "'%s' is not declared; declare it with .reg .pred",
                    text(lo, o->name));
        return LIR_PT;
    }
    lower_unsupported(lo, "a predicate is wanted here");
    return LIR_PT;
}

/* ---- destinations --------------------------------------------------------------------------- */

/* Does the operand, or a part of it, name w? */
static bool names(const struct ptx_operand *o, ptx_word w) {
    if (o->kind == PTX_OPD_NAME && o->name == w) return true;
    for (uint32_t i = 0; i < o->n_sub; i++)
        if (names(o->sub[i], w)) return true;
    return false;
}

/* Is the register written by this instruction also read by it? */
static bool is_read(const struct lower *lo, ptx_word w) {
    for (uint32_t i = 1; i < lo->inst->n_opd; i++)
        if (names(lo->inst->opd[i], w)) return true;
    return false;
}

/* The destination o, to be written as type t; emits nothing. It is a temporary, which finish()
 * copies, if the instruction is guarded, the register is wider than t, or several words are
 * written while it is read. */
struct dest dst(struct lower *lo, const struct ptx_operand *o, struct ty t) {
    struct dest d = {.n = ty_words(t)};
    d.word = lir_new_vregs(lo->fn, d.n);
    if (lo->failed || o->kind == PTX_OPD_SINK) return d;
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    if (!s || s->kind != SYM_REG) {
        if (o->kind == PTX_OPD_NAME && !s)
            lower_error(lo, "'%s' is not declared; declare it with .reg", text(lo, o->name));
        else
            lower_unsupported(lo, "the destination is no register");
        return d;
    }
    unsigned element = o->member ? member_index(o->member) : 0;
    if (element >= s->vec || (s->vec > 1 && !o->member)) {
        lower_error(lo, "'%s' has %u elements; name one of them, as in .x", text(lo, o->name),
                    s->vec);
        return d;
    }
    unsigned have = ty_words(s->ty);
    if (have < d.n) {
        lower_error(lo, "register '%s' of %u bits cannot take a result of %u bits",
                    text(lo, o->name), s->ty.bits, t.bits);
        return d;
    }
    /* words are written one by one, so a register that is also read needs a temporary */
    bool in_place = d.n > 1 && is_read(lo, o->name);
    if (have == d.n && lo->guard == LIR_PT && !in_place) {
        d.word = s->word[element];
        return d;
    }
    d.real = s->word[element];
    return d;
}

/* Emits the guarded copy of a temporary to the register; nothing without a temporary. */
void finish(struct lower *lo, const struct dest *d) {
    if (!d->real) return;
    for (unsigned i = 0; i < d->n; i++)
        emit1(lo, MIR_MOV, d->real + i, lir_reg(d->word + i))->guard = lo->guard;
}

/* @return a predicate to write: the register, or a new one if the instruction is guarded, which
 * finish_pred() copies. 0 for `_`. Emits no code. */
struct pdest dst_pred(struct lower *lo, const struct ptx_operand *o) {
    struct pdest d = {.pred = 0};
    if (lo->failed || o->kind == PTX_OPD_SINK) return d;
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    if (!s || s->kind != SYM_PRED) {
        lower_error(lo,
                    "a declared predicate is wanted as destination; declare it with .reg .pred");
        return d;
    }
    d.pred = s->pred;
    if (lo->guard != LIR_PT) {
        d.real = s->pred;
        d.pred = lir_new_pred(lo->fn);
    }
    return d;
}

/* Emits the guarded copy of a temporary predicate; nothing without one. */
void finish_pred(struct lower *lo, const struct pdest *d) {
    if (!d->real) return;
    struct lir_inst *in = emit(lo, MIR_PLOP3);
    in->pdst[0] = d->real;
    in->psrc[0] = lir_p(d->pred);
    in->m.sub = LUT_A;
    in->guard = lo->guard;
}

/* Reports a number of operands outside least ... most. @return false: reported, or failed
 * before. */
bool operands(struct lower *lo, unsigned least, unsigned most) {
    unsigned n = lo->inst->n_opd;
    if (lo->failed) return false;
    if (n >= least && n <= most) return true;
    if (least == most)
        lower_error(lo, "this instruction takes %u operands, not %u", least, n);
    else
        lower_error(lo, "this instruction takes %u to %u operands, not %u", least, most, n);
    return false;
}

/* ---- special registers ---------------------------------------------------------------------- */

/* Emits S2R of special register `sreg` (mir_sreg). @return a new register. */
lir_vreg lower_read_sreg(struct lower *lo, unsigned sreg) {
    lir_vreg d = tmp(lo);
    emit(lo, MIR_S2R)->m.sub = (uint8_t)sreg;
    struct lir_inst *in = lo->cur->last;
    in->dst = d;
    in->m.dst = 0;
    return d;
}

/* Emits CS2R of a clock. @return a new group of `words` registers. */
static lir_vreg read_clock(struct lower *lo, unsigned sreg, unsigned words) {
    lir_vreg d = lir_new_vregs(lo->fn, words);
    struct lir_inst *in = emit(lo, MIR_CS2R);
    in->m.sub = (uint8_t)sreg;
    in->dst = d;
    in->m.dst = 0;
    return d;
}

/* Sets v to word x, y or z of a launch dimension, from byte `first` of constant bank 0; .w is
 * zero. Emits no code. @return false: `member` is none of them. */
static bool launch_word(struct lower *lo, struct value *v, ptx_word member, uint32_t first) {
    unsigned i = member_index(member);
    if (i > 3) return false;
    /* .w of a four-element register is zero */
    v->w[0] = i == 3 ? RZ_SRC : lir_const(MIR_BANK_LAUNCH, first + 4 * i);
    (void)lo;
    return true;
}

/* Special registers with a constant value: a cluster is one CTA, no shared memory is reserved,
 * and the driver sets no environment registers. @return false: o names none; %pm is reported. */
static bool known_register(struct lower *lo, const struct ptx_operand *o, struct value *v) {
    static const struct {
        const char *name;
        uint32_t value; /* 0 or 1; 2: as %nctaid, 3: as %ctaid */
    } known[] = {{"%cluster_ctaid", 0},
                 {"%cluster_nctaid", 1},
                 {"%nclusterid", 2},
                 {"%clusterid", 3},
                 {"%cluster_ctarank", 0},
                 {"%cluster_nctarank", 1},
                 {"%reserved_smem_offset_begin", 0},
                 {"%reserved_smem_offset_end", 0},
                 {"%reserved_smem_offset_cap", 0},
                 {"%current_graph_exec", 0}};
    const char *name = text(lo, o->name);
    unsigned i = member_index(o->member), k = 0, n = sizeof known / sizeof *known;
    while (k < n && strcmp(known[k].name, name) != 0) k++;
    if (k == n && strncmp(name, "%pm", 3) == 0)
        lower_unsupported(lo, "performance counter %s", name);
    if (k == n) {
        bool is_env = strncmp(name, "%envreg", 7) == 0;
        v->w[0] = v->w[v->n > 1] = RZ_SRC;
        return is_env;
    }
    if (known[k].value == 2) return launch_word(lo, v, o->member, MIR_C0_NCTAID_X);
    if (known[k].value == 3) {
        if (i > 3) return false;
        v->w[0] = i == 3 ? RZ_SRC : lir_reg(lower_read_sreg(lo, MIR_SR_CTAID_X + i));
        return true;
    }
    v->w[0] = lir_imm(known[k].value);
    if (v->n > 1) v->w[1] = RZ_SRC;
    return true;
}

/* Sets *v to the value of the special register o; emits the read unless it is in constant bank
 * 0. @return false: o names none. */
bool special_register(struct lower *lo, const struct ptx_operand *o, struct ty t, struct value *v) {
    unsigned i = member_index(o->member);
    lir_vreg d;
    switch (o->name) {
    case PTX_W_sr_ntid: return launch_word(lo, v, o->member, MIR_C0_NTID_X);
    case PTX_W_sr_nctaid: return launch_word(lo, v, o->member, MIR_C0_NCTAID_X);
    case PTX_W_sr_tid:
    case PTX_W_sr_ctaid:
        if (i > 3) return false;
        v->w[0] = i == 3 ? RZ_SRC
                         : lir_reg(lower_read_sreg(
                               lo, (o->name == PTX_W_sr_tid ? MIR_SR_TID_X : MIR_SR_CTAID_X) + i));
        return true;
    case PTX_W_sr_dynamic_smem_size:
        v->w[0] = lir_const(MIR_BANK_LAUNCH, MIR_C0_DYNAMIC_SHARED);
        return true;
    case PTX_W_sr_aggr_smem_size:
    case PTX_W_sr_total_smem_size:
        v->w[0] = lir_const(MIR_BANK_LAUNCH, MIR_C0_TOTAL_SHARED);
        return true;
    case PTX_W_sr_gridid:
        for (unsigned k = 0; k < v->n && k < 2; k++)
            v->w[k] = lir_const(MIR_BANK_LAUNCH, MIR_C0_GRIDID + 4 * k);
        return true;
    case PTX_W_sr_envreg1: /* the driver's: high and low word of the grid's workspace */
        v->w[0] = lir_const(MIR_BANK_LAUNCH, MIR_C0_WORKSPACE + 4);
        return true;
    case PTX_W_sr_envreg2: v->w[0] = lir_const(MIR_BANK_LAUNCH, MIR_C0_WORKSPACE); return true;
    case PTX_W_sr_envreg3: /* of the PE: low and high word of its state, its number */
        v->w[0] = lir_const(MIR_BANK_LAUNCH, MIR_C0_SHMEM);
        return true;
    case PTX_W_sr_envreg4: v->w[0] = lir_const(MIR_BANK_LAUNCH, MIR_C0_SHMEM + 4); return true;
    case PTX_W_sr_envreg5: v->w[0] = lir_const(MIR_BANK_LAUNCH, MIR_C0_SHMEM_PE); return true;
    case PTX_W_sr_laneid: v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_LANEID)); return true;
    case PTX_W_sr_warpid: v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_WARPID)); return true;
    case PTX_W_sr_nwarpid: v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_NWARPID)); return true;
    case PTX_W_sr_smid: v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_SMID)); return true;
    case PTX_W_sr_nsmid: v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_NSMID)); return true;
    case PTX_W_sr_lanemask_eq:
        v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_LANEMASK_EQ));
        return true;
    case PTX_W_sr_lanemask_lt:
        v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_LANEMASK_LT));
        return true;
    case PTX_W_sr_lanemask_le:
        v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_LANEMASK_LE));
        return true;
    case PTX_W_sr_lanemask_gt:
        v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_LANEMASK_GT));
        return true;
    case PTX_W_sr_lanemask_ge:
        v->w[0] = lir_reg(lower_read_sreg(lo, MIR_SR_LANEMASK_GE));
        return true;
    case PTX_W_sr_clock: v->w[0] = lir_reg(read_clock(lo, MIR_SR_CLOCK_LO, 1)); return true;
    case PTX_W_sr_clock_hi: v->w[0] = lir_reg(read_clock(lo, MIR_SR_CLOCK_HI, 1)); return true;
    case PTX_W_sr_clock64:
    case PTX_W_sr_globaltimer:
        if (t.bits != 64) return false;
        d = read_clock(lo, o->name == PTX_W_sr_clock64 ? MIR_SR_CLOCK64 : MIR_SR_GLOBALTIMER, 2);
        *v = value_of_pair(d);
        return true;
    case PTX_W_sr_globaltimer_lo:
    case PTX_W_sr_globaltimer_hi:
        d = read_clock(lo, MIR_SR_GLOBALTIMER, 2);
        v->w[0] = lir_reg(d + (o->name == PTX_W_sr_globaltimer_hi));
        return true;
    default: return known_register(lo, o, v);
    }
}
