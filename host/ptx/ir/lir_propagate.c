/* lir_propagate.c - copies and constants into the instructions that use them; constant folding
 * (lir_fold.c). lir_optimize runs the pass (lir_propagate) again and again, until no pass changes
 * anything.
 *
 * Copies of single vregs are followed everywhere, copies of the others as long as neither side is
 * written again in the same block. A constant goes into an operand only if the hardware has that
 * form, if need be after exchanging operands.
 *
 * The functions with a `struct prop` read lir_analyze's tables and the state of the walk in it.
 * They change operands of `in` in place; those that return bool return whether they did. The copies
 * stay for lir_dce to remove.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"

/* State of the walk over the function. */
struct prop {
    struct lir_fn *fn;
    bool changed;
    /* copies within the current block; the version of a vreg is its number of definitions so far */
    uint32_t *version;
    lir_vreg *copy;       /* [vreg] the vreg that it is a copy of; itself: of none */
    uint32_t *copy_at;    /* version of the vreg when copied */
    uint32_t *copy_of_at; /* version of the source when copied */
    uint32_t n;           /* vregs */
};

/* ---- constants with modifiers --------------------------------------------------------------- */

/* @return the sources are floats of 32 or 64 bits, so bit 31 of an immediate is the sign (a
 * double's immediate is its high word). */
static bool has_sign_on_top(const struct lir_inst *in) {
    mir_type t = in->m.op < MIR_OP_COUNT ? mir_source_float(&in->m) : MIR_TYPE_NONE;
    return t == MIR_F32 || t == MIR_TF32 || t == MIR_F64;
}

/* `s` as a source of `in`, with its modifiers applied to its value if it is an immediate and the
 * operation's type is known; else as it was. */
static struct lir_src fold_mods(const struct lir_inst *in, struct lir_src s) {
    if (s.kind != MIR_SRC_IMM || !s.mods) return s;
    unsigned op = in->m.op;
    if (has_sign_on_top(in)) {
        if (s.mods & MIR_SRC_ABS) s.value &= 0x7fffffff;
        if (s.mods & MIR_SRC_NEG) s.value ^= 0x80000000;
        s.mods = 0;
    } else if (op == MIR_IADD3 && s.value == 0 && s.mods == MIR_SRC_NEG && in->pdst[0]) {
        s = RZ_SOURCE; /* -0 gives a carry, as ~0 + 1: a register keeps the modifier */
        s.mods = MIR_SRC_NEG;
    } else if (op == MIR_IADD3 || op == MIR_IMAD || op == MIR_LOP3 || op == MIR_MOV) {
        if (s.mods & MIR_SRC_NOT) s.value = ~s.value;
        if (s.mods & MIR_SRC_NEG) s.value = -s.value;
        s.mods = 0;
    }
    return s;
}

/* ---- constants into operands ---------------------------------------------------------------- */

/* Puts s into operand i if that form exists; tries the exchanged form for operand 0. */
static bool put_constant(struct lir_inst *in, unsigned i, struct lir_src s) {
    s.mods |= lir_get_src(in, i).mods;
    s = fold_mods(in, s);
    if (s.kind == MIR_SRC_IMM && s.mods) return false;
    if (lir_operand_fits(in, i, s)) {
        lir_set_src(in, i, s);
        return true;
    }
    if (i == 0 && in->m.src[1].kind == MIR_SRC_REG && lir_swap(in)) {
        if (lir_operand_fits(in, 1, s)) {
            lir_set_src(in, 1, s);
            return true;
        }
        lir_swap(in);
    }
    return false;
}

/* ---- one operand ---------------------------------------------------------------------------- */

/* The MOV that is the only definition of w; NULL: there is none. */
static const struct lir_inst *mov_of(const struct prop *p, lir_vreg w) {
    const struct lir_info *v = &p->fn->vreg_info[w];
    return v->single && v->def->m.op == MIR_MOV && v->def->dst == w ? v->def : NULL;
}

/* @return w may be read at any place that its definition dominates. */
static bool is_stable(const struct prop *p, lir_vreg w) {
    return w == 0 || p->fn->vreg_info[w].single;
}

/* The last of a chain of copies: the MOV whose source is not a copy; NULL: w is not a copy. */
static const struct lir_inst *last_mov(const struct prop *p, lir_vreg w) {
    const struct lir_inst *def = mov_of(p, w);
    for (unsigned guard = 0; def && guard < 8; guard++) {
        lir_vreg s = def->m.src[0].kind == MIR_SRC_REG && !def->m.src[0].mods ? def->src[0] : 0;
        const struct lir_inst *before = s ? mov_of(p, s) : NULL;
        if (!before) break;
        def = before;
    }
    return def;
}

/* The source of the copy in this block that w holds, if neither side has been written since; else
 * w. */
static lir_vreg local_copy(const struct prop *p, lir_vreg w) {
    if (p->copy[w] == w || p->copy_at[w] != p->version[w]) return w;
    lir_vreg s = p->copy[w];
    return p->copy_of_at[w] == p->version[s] ? s : w;
}

/* One step for operand i, a single vreg: reads the source of its copy, or its constant. */
static bool propagate_vreg(struct prop *p, struct lir_inst *in, unsigned i) {
    lir_vreg w = in->src[i];
    const struct lir_inst *def = mov_of(p, w);
    if (def) {
        struct lir_src s = lir_get_src(def, 0);
        if (s.kind == MIR_SRC_IMM && s.value == 0) s = RZ_SOURCE;
        if (s.mods) return false;
        if (s.kind == MIR_SRC_REG) {
            if (is_stable(p, s.value)) {
                s.mods = lir_get_src(in, i).mods;
                lir_set_src(in, i, s);
                return true;
            }
        } else if (s.kind == MIR_SRC_IMM || s.kind == MIR_SRC_CONST) {
            /* a constant with other uses too: their readers take it themselves */
            if (in->m.op == MIR_MOV && p->fn->vreg_info[w].n_use > 1) return false;
            return put_constant(in, i, s);
        }
    }
    lir_vreg s = local_copy(p, w);
    if (s == w) return false;
    struct lir_src r = lir_reg(s);
    r.mods = lir_get_src(in, i).mods;
    lir_set_src(in, i, r);
    return true;
}

/* One step for operand i, a group of n vregs: zeros, the group that it is a copy of, a pair in the
 * constant bank, or an immediate. */
static bool propagate_group(struct prop *p, struct lir_inst *in, unsigned i, unsigned n) {
    lir_vreg w = in->src[i];
    struct lir_fn *fn = p->fn;
    struct lir_src s[4];
    bool zeros = true, regs = true, consts = true, imms = true, local = true;
    for (unsigned k = 0; k < n; k++) {
        const struct lir_inst *def = last_mov(p, w + k);
        lir_vreg l = local_copy(p, w + k);
        local &= l == local_copy(p, w) + k && l != w + k && fn->group[l] == fn->group[l - k];
        if (!def) {
            s[k].kind = MIR_SRC_NONE;
            zeros = regs = consts = imms = false;
            continue;
        }
        s[k] = lir_get_src(def, 0);
        bool zero = (s[k].kind == MIR_SRC_IMM || s[k].kind == MIR_SRC_REG) && s[k].value == 0;
        zeros &= zero;
        imms &= s[k].kind == MIR_SRC_IMM || zero;
        regs &= s[k].kind == MIR_SRC_REG && s[k].value && s[k].value == s[0].value + k &&
                is_stable(p, s[k].value) && fn->group[s[k].value] == fn->group[s[0].value];
        consts &= s[k].kind == MIR_SRC_CONST && s[k].bank == s[0].bank &&
                  s[k].value == s[0].value + 4 * k;
    }
    struct lir_src r = {.kind = MIR_SRC_NONE};
    if (zeros)
        r = RZ_SOURCE;
    else if (regs && (s[0].value - fn->group[s[0].value]) % n == 0)
        r = lir_reg(s[0].value);
    else if (local && (local_copy(p, w) - fn->group[local_copy(p, w)]) % n == 0)
        r = lir_reg(local_copy(p, w));
    if (r.kind == MIR_SRC_REG) {
        r.mods = lir_get_src(in, i).mods;
        lir_set_src(in, i, r);
        return true;
    }
    if (n != 2) return false;
    if (consts && s[0].value % 8 == 0) return put_constant(in, i, lir_const(s[0].bank, s[0].value));
    if (!imms) return false;
    uint32_t low = s[0].value, high = s[1].value;
    if (in->m.op == LIR_ADD64) {
        if ((int64_t)((uint64_t)high << 32 | low) == (int32_t)low)
            return put_constant(in, i, lir_imm(low));
        return false;
    }
    /* conversions of doubles take no immediate */
    bool is_double = lir_class(in) == MIR_CLASS_FP64;
    return is_double && low == 0 && put_constant(in, i, lir_imm(high));
}

/* Propagates into all operands of `in`, through chains of up to eight copies. Sets p->changed. */
static void propagate_operands(struct prop *p, struct lir_inst *in) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        if (in->m.src[i].kind == MIR_SRC_IMM) {
            struct lir_src s = lir_get_src(in, i);
            if (s.mods) lir_set_src(in, i, fold_mods(in, s));
            s = lir_get_src(in, i);
            /* zero becomes RZ, so that another operand may be the constant */
            if (s.kind == MIR_SRC_IMM && s.value == 0 && in->m.op != MIR_MOV &&
                in->m.op != MIR_BAR && in->m.op != MIR_WARPSYNC && in->m.op != MIR_NANOSLEEP &&
                in->m.op != MIR_VOTE && in->m.op != MIR_SHFL) {
                lir_set_src(in, i, RZ_SOURCE);
                p->changed = true;
            }
        }
        if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0) continue;
        unsigned n = lir_src_vregs(in, i);
        for (unsigned guard = 0; guard < 8; guard++) { /* chains of copies */
            if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0) break;
            bool c = n == 1 ? propagate_vreg(p, in, i) : n > 1 && propagate_group(p, in, i, n);
            if (!c) break;
            p->changed = true;
        }
    }
}

/* ---- predicates ----------------------------------------------------------------------------- */

/* The predicate that `r` is a plain copy or complement of, `r` itself if of none. Sets p->changed
 * if it differs. */
static lir_pref propagate_pred(struct prop *p, lir_pref r) {
    for (unsigned guard = 0; guard < 8 && r >> 1; guard++) {
        const struct lir_info *v = &p->fn->pred_info[r >> 1];
        if (!v->single || v->def->m.op != MIR_PLOP3 || v->def->pdst[0] != r >> 1 ||
            (v->def->m.sub != 0xf0 && v->def->m.sub != 0x0f))
            break;
        lir_pref s = v->def->psrc[0];
        if (s >> 1 && !p->fn->pred_info[s >> 1].single) break;
        r = s ^ (r & 1) ^ (v->def->m.sub == 0x0f);
        p->changed = true;
    }
    return r;
}

/* Takes constant inputs of PLOP3 into its table. A table of one input reads it as input 0. Sets
 * p->changed. */
static void fold_plop3(struct prop *p, struct lir_inst *in) {
    static const unsigned var[3] = {0xf0, 0xcc, 0xaa}, shift[3] = {4, 2, 1};
    unsigned t = in->m.sub;
    lir_pref q[3] = {in->psrc[0], in->psrc[1], in->psrc[2]};
    if (in->pdst[1]) return;
    for (unsigned i = 0; i < 3; i++) {
        if (q[i] >> 1) continue;
        unsigned keep = q[i] & 1 ? t & ~var[i]
                                 : t & var[i]; /* rows in which the input has its value */
        t = (q[i] & 1 ? keep | keep << shift[i] : keep | keep >> shift[i]) & 0xff;
        q[i] = LIR_PT;
    }
    for (unsigned i = 1; i < 3; i++)
        if (t == var[i] || t == (uint8_t)~var[i]) {
            q[0] = q[i];
            q[i] = LIR_PT;
            t = t == var[i] ? 0xf0 : 0x0f;
        }
    if (t == 0 || t == 0xff) {
        q[0] = t ? LIR_PT : LIR_NOT_PT;
        q[1] = q[2] = LIR_PT;
        t = 0xf0;
    }
    if (t == 0xf0 && in->m.sub == 0xf0 && q[0] == in->psrc[0]) q[1] = q[2] = LIR_PT;
    for (unsigned i = 0; i < 3; i++) {
        p->changed |= q[i] != in->psrc[i];
        in->psrc[i] = q[i];
    }
    p->changed |= t != in->m.sub;
    in->m.sub = (uint8_t)t;
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* Raises the versions of the vregs that `in` writes, and remembers `in` if it is a copy. */
static void note_definition(struct prop *p, const struct lir_inst *in) {
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++) p->version[in->dst + k]++;
    if (in->m.op == MIR_MOV && in->guard == LIR_PT && in->m.src[0].kind == MIR_SRC_REG &&
        in->src[0] && !in->m.src[0].mods && in->src[0] != in->dst) {
        p->copy[in->dst] = in->src[0];
        p->copy_at[in->dst] = p->version[in->dst];
        p->copy_of_at[in->dst] = p->version[in->src[0]];
    }
}

/* One walk over the blocks in layout order: operands, predicates, folding. Instructions that are
 * never executed (guard !PT) are removed. @return something changed */
bool lir_propagate(struct lir_fn *fn) {
    struct prop p = {.fn = fn, .n = fn->n_vregs};
    p.version = ARENA_ARRAY(fn->arena, uint32_t, p.n);
    p.copy = ARENA_ARRAY(fn->arena, lir_vreg, p.n);
    p.copy_at = ARENA_ARRAY(fn->arena, uint32_t, p.n);
    p.copy_of_at = ARENA_ARRAY(fn->arena, uint32_t, p.n);
    lir_analyze(fn);
    for (uint32_t w = 0; w < p.n; w++) p.copy[w] = w;
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        /* a new block: earlier copies are not valid */
        struct lir_inst *in, *next;
        for (in = fn->blocks[b]->first; in; in = in->next) {
            unsigned n = lir_dst_vregs(in);
            for (unsigned k = 0; k < n; k++) p.copy[in->dst + k] = in->dst + k;
        }
        for (in = fn->blocks[b]->first; in; in = next) {
            next = in->next;
            propagate_operands(&p, in);
            for (unsigned i = 0; i < 3; i++) in->psrc[i] = propagate_pred(&p, in->psrc[i]);
            in->guard = propagate_pred(&p, in->guard);
            if (in->m.op == MIR_PLOP3) fold_plop3(&p, in);
            if (in->guard == LIR_NOT_PT) { /* never executed */
                lir_remove(in);
                p.changed = true;
                continue;
            }
            p.changed |= lir_fold(fn, in);
            note_definition(&p, in);
        }
        for (in = fn->blocks[b]->first; in; in = in->next) { /* not valid in the next block */
            unsigned n = lir_dst_vregs(in);
            for (unsigned k = 0; k < n; k++) p.copy[in->dst + k] = in->dst + k;
        }
    }
    return p.changed;
}
