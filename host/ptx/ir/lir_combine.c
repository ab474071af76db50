/* lir_combine.c - several instructions into one, as the hardware's richer forms allow. lir_optimize
 * runs the pass (lir_combine) again and again, until no pass changes anything.
 *
 * This file: sums of three, multiply-add, shift-add, three-input logic, sign changes into float
 * operands, and logic on a comparison into the comparison. Addresses are in lir_combine_address.c,
 * products and sums of floats in lir_combine_fma.c. The combine_* functions of this file follow
 * the conventions of lir_combine.h: they change `in` alone, in place, and return whether they did.
 * Those of lir_combine_address.c may also insert instructions beside `in` or before the definition
 * of its address, which they may change, and make vregs and predicates.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"
#include "ptx/ir/lir_combine.h"

/* ---- 32-bit sums ---------------------------------------------------------------------------- */

/* @return a 32-bit sum without carry in or out. */
static bool plain_sum(const struct lir_inst *in) {
    return in->m.op == MIR_IADD3 && !(in->m.flags & MIR_X) && !in->pdst[0] && !in->pdst[1];
}

/* IADD3 of a sum, a product or a shift left: becomes a sum of three, an IMAD, or a LEA. The inner
 * result must have no other use, or the new sum must need no third operand. Constants of both sums
 * are added. */
static bool combine_sum(struct combine *c, struct lir_inst *in) {
    if (!plain_sum(in)) return false;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        struct lir_inst *d = source_def(c, in, i, 1);
        if (!d || d == in) continue;
        bool negate = in->m.src[i].mods & MIR_SRC_NEG;
        if (in->m.src[i].mods & ~MIR_SRC_NEG) continue;
        if (plain_sum(d)) {
            struct lir_src part[6];
            unsigned n = 0, held = 0;
            uint32_t sum = 0;
            bool ok = true;
            for (unsigned k = 0; k < MIR_MAX_SRC; k++) {
                struct lir_src s = lir_get_src(in, k);
                if (k == i || s.kind == MIR_SRC_NONE || is_rz(in, k)) continue;
                if (s.kind == MIR_SRC_IMM)
                    sum += s.mods & MIR_SRC_NEG ? -s.value : s.value;
                else
                    part[n++] = s;
            }
            for (unsigned k = 0; k < MIR_MAX_SRC; k++) {
                struct lir_src s = lir_get_src(d, k);
                if (s.kind == MIR_SRC_NONE || is_rz(d, k)) continue;
                if (negate) s.mods ^= MIR_SRC_NEG;
                ok &= !(s.mods & MIR_SRC_NOT);
                if (s.kind == MIR_SRC_IMM)
                    sum += s.mods & MIR_SRC_NEG ? -s.value : s.value;
                else
                    part[n++] = s;
            }
            if (sum) part[n++] = lir_imm(sum);
            for (unsigned k = 0; k < n; k++) held += part[k].kind != MIR_SRC_REG;
            /* a sum used elsewhere too is worth repeating only if that costs nothing */
            if (!ok || n > 3 || held > 1 || (!used_once(c, d->dst) && n > 2)) continue;
            unsigned at = 0;
            if (n && part[0].kind != MIR_SRC_REG && n > 1) {
                struct lir_src t = part[0];
                part[0] = part[1];
                part[1] = t;
            }
            for (; at < 3; at++) lir_set_src(in, at, at < n ? part[at] : RZ_SOURCE);
            return c->changed = true;
        }
        if (!used_once(c, d->dst)) continue;
        /* the other addends, of which one may remain */
        struct lir_src rest = RZ_SOURCE;
        unsigned others = 0;
        for (unsigned k = 0; k < MIR_MAX_SRC; k++)
            if (k != i && !is_rz(in, k)) {
                rest = lir_get_src(in, k);
                others++;
            }
        if (others > 1) continue;
        if (d->m.op == MIR_IMAD && !(d->m.flags & (MIR_HI | MIR_WIDE | MIR_X)) && is_rz(d, 2)) {
            struct lir_src a = lir_get_src(d, 0), b = lir_get_src(d, 1);
            if (rest.kind != MIR_SRC_REG && b.kind != MIR_SRC_REG) continue;
            if (negate) a.mods ^= MIR_SRC_NEG;
            lir_vreg dst = in->dst;
            lir_pref guard = in->guard;
            unsigned type = d->m.type;
            lir_reset(in, MIR_IMAD);
            in->guard = guard;
            lir_set_dst(in, dst);
            in->m.type = (uint8_t)type;
            lir_set_src(in, 0, a);
            lir_set_src(in, 1, b);
            lir_set_src(in, 2, rest);
            return c->changed = true;
        }
        if (d->m.op == MIR_SHF && d->m.type == MIR_U32 && !(d->m.flags & (MIR_RIGHT | MIR_WRAP)) &&
            d->m.src[1].kind == MIR_SRC_IMM && d->m.src[1].value < 32 && !negate && plain(rest) &&
            d->m.src[0].kind == MIR_SRC_REG && !d->m.src[0].mods) {
            lir_vreg dst = in->dst;
            lir_pref guard = in->guard;
            struct lir_src a = lir_get_src(d, 0);
            uint32_t n = d->m.src[1].value;
            lir_reset(in, MIR_LEA);
            in->guard = guard;
            lir_set_dst(in, dst);
            in->m.sub = (uint8_t)n;
            lir_set_src(in, 0, a);
            lir_set_src(in, 1, rest);
            lir_set_src(in, 2, RZ_SOURCE);
            return c->changed = true;
        }
    }
    return false;
}

/* ---- logic ---------------------------------------------------------------------------------- */

static bool same_src(struct lir_src a, struct lir_src b) {
    return a.kind == b.kind && a.value == b.value && a.bank == b.bank && a.mods == b.mods;
}

/* Index of `s` in a list of different sources (room for 6); appends it if new, *n counts. */
static unsigned input_index(struct lir_src *list, unsigned *n, struct lir_src s) {
    for (unsigned i = 0; i < *n; i++)
        if (same_src(list[i], s)) return i;
    if (*n < 6) list[*n] = s;
    return (*n)++;
}

/* LOP3 of a LOP3 with no other use: one LOP3 with a new table, if they have three different inputs
 * at most. */
static bool combine_logic(struct combine *c, struct lir_inst *in) {
    if (in->pdst[0]) return false;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        struct lir_inst *d = source_def(c, in, i, 1);
        if (!d || d->m.op != MIR_LOP3 || d->pdst[0] || in->m.src[i].mods || !used_once(c, d->dst))
            continue;
        struct lir_src list[6];
        unsigned n = 0, outer[3] = {0}, inner[3] = {0}, held = 0;
        static const unsigned var[3] = {0xf0, 0xcc, 0xaa}, shift[3] = {4, 2, 1};
        unsigned t = in->m.sub, u = d->m.sub;
        for (unsigned k = 0; k < 3; k++) { /* inputs that a table ignores stay out */
            bool looks = ((t & var[k]) >> shift[k]) != (t & ~var[k] & 0xff);
            outer[k] = k == i || !looks ? 9 : input_index(list, &n, lir_get_src(in, k));
            looks = ((u & var[k]) >> shift[k]) != (u & ~var[k] & 0xff);
            inner[k] = !looks ? 9 : input_index(list, &n, lir_get_src(d, k));
        }
        if (n == 0 || n > 3) continue;
        for (unsigned k = 0; k < n; k++) held += list[k].kind != MIR_SRC_REG;
        if (held > 1) continue;
        unsigned table = 0;
        for (unsigned row = 0; row < 8; row++) { /* bit 2 of the row: list[0], ... */
            unsigned x = 0, y = 0;
            for (unsigned k = 0; k < 3; k++)
                if (inner[k] != 9) x |= (row >> (2 - inner[k]) & 1) << (2 - k);
            unsigned value = u >> x & 1;
            for (unsigned k = 0; k < 3; k++) {
                if (k == i)
                    y |= value << (2 - k);
                else if (outer[k] != 9)
                    y |= (row >> (2 - outer[k]) & 1) << (2 - k);
            }
            table |= (t >> y & 1) << row;
        }
        in->m.sub = (uint8_t)table;
        for (unsigned k = 0; k < 3; k++) lir_set_src(in, k, k < n ? list[k] : RZ_SOURCE);
        if (in->m.src[0].kind != MIR_SRC_REG) lir_swap(in);
        return c->changed = true;
    }
    return false;
}

/* Bits of vreg w that may be set, from its definition and a few levels of definitions before it.
 * All bits if unknown. */
static uint32_t possible_bits(const struct combine *c, lir_vreg w, unsigned depth) {
    const struct lir_info *v = lir_vreg_info(c->fn, w);
    if (w == 0) return 0;
    if (!v->single || depth > 4) return UINT32_MAX;
    const struct lir_inst *d = v->def;
    switch (d->m.op) {
    case MIR_LDG:
    case MIR_LDS:
    case MIR_LDL:
    case MIR_LD:
    case MIR_LDC: return d->m.type == MIR_U8 ? 0xff : d->m.type == MIR_U16 ? 0xffff : UINT32_MAX;
    case MIR_POPC: return 0x3f;
    case MIR_S2R:
        return d->m.sub <= MIR_SR_TID_Y    ? 0x7ff
               : d->m.sub == MIR_SR_TID_Z  ? 0x7f
               : d->m.sub == MIR_SR_LANEID ? 0x1f
                                           : UINT32_MAX;
    case MIR_LOP3:
        if (d->m.sub == 0xc0 && d->m.src[1].kind == MIR_SRC_IMM)
            return d->m.src[1].value &
                   (d->m.src[0].kind == MIR_SRC_REG ? possible_bits(c, d->src[0], depth + 1)
                                                    : UINT32_MAX);
        return UINT32_MAX;
    case MIR_SHF:
        if (d->m.type == MIR_U32 && d->m.flags & MIR_RIGHT && d->m.src[1].kind == MIR_SRC_IMM &&
            d->m.src[1].value < 32)
            return UINT32_MAX >> d->m.src[1].value;
        return UINT32_MAX;
    case MIR_PRMT:
        if (d->m.sub == 0 && d->m.src[1].kind == MIR_SRC_IMM && is_rz(d, 2)) {
            uint32_t sel = d->m.src[1].value, bits = 0;
            for (unsigned i = 0; i < 4; i++)
                if ((sel >> 4 * i & 15) < 4) bits |= 0xffu << 8 * i;
            if (sel & 0x8888) return UINT32_MAX;
            return bits;
        }
        return UINT32_MAX;
    case MIR_SEL:
        if (d->m.src[0].kind == MIR_SRC_REG && d->m.src[1].kind == MIR_SRC_IMM)
            return possible_bits(c, d->src[0], depth + 1) | d->m.src[1].value;
        return UINT32_MAX;
    case MIR_MOV: return d->m.src[0].kind == MIR_SRC_IMM ? d->m.src[0].value : UINT32_MAX;
    default: return UINT32_MAX;
    }
}

/* Makes `in` a MOV of its operand 0. @return true */
static bool to_copy(struct combine *c, struct lir_inst *in) {
    struct lir_src s = lir_get_src(in, 0);
    lir_vreg d = in->dst;
    lir_pref guard = in->guard;
    lir_reset(in, MIR_MOV);
    in->guard = guard;
    lir_set_dst(in, d);
    lir_set_src(in, 0, s);
    return c->changed = true;
}

/* A mask (LOP3) or sign extension (PRMT) that changes nothing becomes a copy: the operand has no
 * other bits, or its load has extended it. */
static bool combine_extension(struct combine *c, struct lir_inst *in) {
    if (in->m.src[0].kind != MIR_SRC_REG || in->m.src[0].mods || in->src[0] == 0) return false;
    if (in->m.op == MIR_LOP3) {
        if (in->m.sub != 0xc0 || in->m.src[1].kind != MIR_SRC_IMM || in->pdst[0]) return false;
        uint32_t bits = possible_bits(c, in->src[0], 0);
        return (bits & ~in->m.src[1].value) == 0 && to_copy(c, in);
    }
    if (in->m.sub || in->m.src[1].kind != MIR_SRC_IMM) return false;
    uint32_t sel = in->m.src[1].value;
    const struct lir_info *v = lir_vreg_info(c->fn, in->src[0]);
    if (!v->single || (sel != 0x8880 && sel != 0x9910)) return false;
    const struct lir_inst *d = v->def;
    bool byte = sel == 0x8880;
    if (lir_mem(d) == MIR_MEM_LOAD && (d->m.type == MIR_S8 || (!byte && d->m.type == MIR_S16)))
        return to_copy(c, in);
    uint32_t bits = possible_bits(c, in->src[0], 0);
    return bits <= (byte ? 0x7fu : 0x7fffu) && to_copy(c, in);
}

/* ---- signs of floats ------------------------------------------------------------------------ */

/* @return the hardware has these modifiers on a float operand of the operation. */
static bool takes_sign(const struct lir_inst *in, unsigned i, unsigned mods) {
    (void)i;
    switch (in->m.op) {
    case MIR_FADD:
    case MIR_FSETP:
    case MIR_FMNMX:
    case MIR_FMUL:
    case MIR_MUFU: return true;
    case MIR_FFMA: return !(mods & MIR_SRC_ABS); /* the hardware has no |a| there */
    default: return false;
    }
}

/* Operand i is FADD(a, -0), by which the front end writes neg and abs: reads `a` with modifiers
 * instead. */
static bool combine_float_sign(struct combine *c, struct lir_inst *in, unsigned i) {
    struct lir_inst *d = source_def(c, in, i, 1);
    if (!d || d->m.op != MIR_FADD || d->m.flags || d->m.src[1].kind != MIR_SRC_REG ||
        d->src[1] != 0 || d->m.src[1].mods != MIR_SRC_NEG || d->m.src[0].kind != MIR_SRC_REG)
        return false;
    unsigned inner = d->m.src[0].mods, outer = in->m.src[i].mods;
    if (!takes_sign(in, i, inner | outer)) return false;
    struct lir_src s = lir_get_src(d, 0);
    /* outer(inner(a)): an outer |.| hides the inner sign */
    s.mods = (uint8_t)(outer & MIR_SRC_ABS ? outer : inner ^ (outer & MIR_SRC_NEG));
    lir_set_src(in, i, s);
    return c->changed = true;
}

/* The same for doubles, where the front end changes the sign bit of the high word with LOP3. */
static bool combine_double_sign(struct combine *c, struct lir_inst *in, unsigned i) {
    if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0) return false;
    const struct lir_info *lo = lir_vreg_info(c->fn, in->src[i]);
    const struct lir_info *hi = lir_vreg_info(c->fn, in->src[i] + 1);
    if (!lo->single || !hi->single || lo->def->m.op != MIR_MOV || hi->def->m.op != MIR_LOP3 ||
        lo->def->m.src[0].kind != MIR_SRC_REG || hi->def->m.src[0].kind != MIR_SRC_REG ||
        hi->def->m.src[1].kind != MIR_SRC_IMM)
        return false;
    lir_vreg a = lo->def->src[0];
    if (a == 0 || hi->def->src[0] != a + 1 || c->fn->group[a] != c->fn->group[a + 1] ||
        (a - c->fn->group[a]) % 2 || !lir_vreg_info(c->fn, a)->single ||
        !lir_vreg_info(c->fn, a + 1)->single)
        return false;
    unsigned inner;
    if (hi->def->m.sub == 0x3c && hi->def->m.src[1].value == 0x80000000)
        inner = MIR_SRC_NEG;
    else if (hi->def->m.sub == 0xc0 && hi->def->m.src[1].value == 0x7fffffff)
        inner = MIR_SRC_ABS;
    else
        return false;
    unsigned outer = in->m.src[i].mods;
    if (inner == MIR_SRC_ABS && (in->m.op == MIR_DFMA || in->m.op == MIR_DMUL)) return false;
    struct lir_src s = lir_reg(a);
    s.mods = (uint8_t)(outer & MIR_SRC_ABS ? outer : inner ^ (outer & MIR_SRC_NEG));
    lir_set_src(in, i, s);
    return c->changed = true;
}

/* ---- predicates ----------------------------------------------------------------------------- */

/* *cmp becomes the opposite of the comparison, true where the other is false, NaN included. @return
 * false: there is none (HSETP2) */
static bool invert(const struct lir_inst *in, unsigned *cmp) {
    static const uint8_t other[] = {
        [MIR_CMP_F] = MIR_CMP_T,    [MIR_CMP_LT] = MIR_CMP_GEU,  [MIR_CMP_EQ] = MIR_CMP_NEU,
        [MIR_CMP_LE] = MIR_CMP_GTU, [MIR_CMP_GT] = MIR_CMP_LEU,  [MIR_CMP_NE] = MIR_CMP_EQU,
        [MIR_CMP_GE] = MIR_CMP_LTU, [MIR_CMP_NUM] = MIR_CMP_NAN, [MIR_CMP_NAN] = MIR_CMP_NUM,
        [MIR_CMP_LTU] = MIR_CMP_GE, [MIR_CMP_EQU] = MIR_CMP_NE,  [MIR_CMP_LEU] = MIR_CMP_GT,
        [MIR_CMP_GTU] = MIR_CMP_LE, [MIR_CMP_NEU] = MIR_CMP_EQ,  [MIR_CMP_GEU] = MIR_CMP_LT,
        [MIR_CMP_T] = MIR_CMP_F};
    if (in->m.op == MIR_HSETP2) return false;
    *cmp = other[in->m.cmp];
    if (in->m.op == MIR_ISETP && *cmp >= MIR_CMP_LTU && *cmp <= MIR_CMP_GEU)
        *cmp = *cmp - MIR_CMP_LTU + MIR_CMP_LT; /* integers are never unordered */
    return true;
}

static bool is_comparison(const struct lir_inst *in) {
    return in->m.op == MIR_ISETP || in->m.op == MIR_FSETP || (in->m.op == MIR_DSETP && !in->m.sub);
}

/* PLOP3 that computes p and q, p or q, or p xor q, where p is a comparison with no other use:
 * becomes the comparison, combined with q. */
static bool combine_plop3(struct combine *c, struct lir_inst *in) {
    mir_bool bop;
    unsigned t = in->m.sub;
    if (in->pdst[1] || in->psrc[2] >> 1) return false;
    if (t == 0xc0)
        bop = MIR_AND;
    else if (t == 0xfc)
        bop = MIR_OR;
    else if (t == 0x3c)
        bop = MIR_XOR;
    else
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct lir_info *v = lir_pred_info(c->fn, in->psrc[i] >> 1);
        if (!(in->psrc[i] >> 1) || !v->single || v->n_use != 1 || !is_comparison(v->def)) continue;
        struct lir_inst *d = v->def;
        unsigned cmp = d->m.cmp;
        if (d->pdst[0] != in->psrc[i] >> 1 || d->pdst[1] || d->psrc[0] != LIR_PT ||
            d->m.bop != MIR_AND || !lir_sources_reach(c->fn, d, in))
            continue;
        if (in->psrc[i] & 1 && ((d->m.flags & MIR_EX) || !invert(d, &cmp))) continue;
        uint32_t p = in->pdst[0];
        lir_pref with = in->psrc[1 - i], guard = in->guard;
        uint16_t count = in->m.ptx_count;
        uint32_t line = in->m.ptx_line, loc = in->m.loc;
        in->m = d->m;
        in->m.ptx_count = count;
        in->m.ptx_line = line;
        in->m.loc = loc;
        in->m.cmp = (uint8_t)cmp;
        in->m.bop = (uint8_t)bop;
        for (unsigned k = 0; k < MIR_MAX_SRC; k++) in->src[k] = d->src[k];
        in->psrc[0] = with;
        in->psrc[1] = d->psrc[1];
        in->psrc[2] = LIR_PT;
        in->pdst[0] = p;
        in->guard = guard;
        return c->changed = true;
    }
    return false;
}

/* ---- copies under a guard ------------------------------------------------------------------- */

/* t = op; @p d = t, with no other use of t, in one block: the copy becomes the operation itself,
 * under the guard. */
static bool combine_guarded_copy(struct combine *c, struct lir_inst *in) {
    if (in->guard == LIR_PT || in->m.src[0].kind != MIR_SRC_REG || in->m.src[0].mods) return false;
    struct lir_inst *d = lir_def_of(c->fn, in->src[0], 1);
    if (!d || d->block != in->block || !used_once(c, d->dst) || !lir_is_pure(d) || d->pdst[0] ||
        d->pdst[1] || d->m.op == MIR_MOV || d->m.op >= MIR_OP_COUNT ||
        !lir_sources_reach(c->fn, d, in))
        return false;
    lir_vreg dst = in->dst;
    lir_pref guard = in->guard;
    uint16_t count = in->m.ptx_count, special = in->m.special;
    uint32_t line = in->m.ptx_line, loc = in->m.loc;
    in->m = d->m;
    in->m.ptx_count = count;
    if (special) in->m.special = special;
    in->m.ptx_line = line;
    in->m.loc = loc;
    for (unsigned k = 0; k < 3; k++) {
        in->src[k] = d->src[k];
        in->psrc[k] = d->psrc[k];
    }
    lir_set_dst(in, dst);
    in->guard = guard;
    return c->changed = true;
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* Tries the rewrites for the instruction's operation. */
static bool combine_inst(struct combine *c, struct lir_inst *in) {
    switch (in->m.op) {
    case LIR_ADD64: return combine_add64(c, in);
    case LIR_SHL64: return combine_shl64(c, in);
    case MIR_IADD3: return combine_sum(c, in);
    case MIR_LOP3: return combine_extension(c, in) || combine_logic(c, in);
    case MIR_PRMT: return combine_extension(c, in);
    case MIR_FADD:
    case MIR_FMUL:
    case MIR_FFMA:
    case MIR_FSETP:
    case MIR_FMNMX:
    case MIR_MUFU: {
        bool any = false;
        for (unsigned i = 0; i < MIR_MAX_SRC; i++) any |= combine_float_sign(c, in, i);
        return combine_fma(c, in) || any;
    }
    case MIR_DADD:
    case MIR_DMUL:
    case MIR_DFMA:
    case MIR_DSETP: {
        bool any = false;
        for (unsigned i = 0; i < MIR_MAX_SRC; i++) any |= combine_double_sign(c, in, i);
        return combine_fma(c, in) || any;
    }
    case MIR_HADD2: return combine_fma(c, in);
    case MIR_PLOP3: return combine_plop3(c, in);
    case MIR_MOV: return combine_guarded_copy(c, in);
    default: return false;
    }
}

/* Goes over all instructions twice: addresses first, since an offset costs nothing while a sum
 * inside a LEA cannot become an offset; then the rest. Changes instructions in place and inserts
 * some with new vregs and predicates; removes none. Its tables lie in fn->arena. Needs and keeps
 * control flow; analyses definitions itself, which are stale afterwards. @return it changed
 * something */
bool lir_combine(struct lir_fn *fn) {
    struct combine c = {.fn = fn};
    lir_analyze(fn);
    c.n_address = ARENA_ARRAY(fn->arena, uint32_t, fn->n_vregs);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next)
            if (combine_is_memory(in) && !(in->m.flags & MIR_ADDR64) &&
                in->m.src[0].kind == MIR_SRC_REG)
                c.n_address[in->src[0]]++;
    combine_count_products(&c);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            if (combine_is_memory(in) && !(in->m.op == MIR_LDC && combine_ldc(&c, in)))
                combine_address(&c, in);
        }
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            /* counts of uses go stale, which only misses a rewrite: the pass is repeated */
            c.changed |= combine_inst(&c, in);
        }
    return c.changed;
}
