/* lir_vector.c - accesses to adjacent places of shared and local memory become one wider access.
 * lir_optimize runs the pass (lir_vectorize) once, after lir_legalize.
 *
 *       LDS v1, [v9+0x10]                LDS.64 v20:, [v9+0x10]
 *       ...                       ==>    ...
 *       LDS v2, [v9+0x14]
 *
 * NVIDIA's compiler does the same where the address is known to be aligned for the wider access.
 * The pass computes the low bits known to be zero for all vregs at once. Loads move up to the first
 * of a pair, stores down to the last; a second round makes 128 bits out of 64. The vregs that are
 * loaded or stored become one group under a new name everywhere, so that nothing has to be copied.
 *
 * Only weak, unguarded accesses of 32 or 64 bits take part, and nothing moves across instructions
 * that order memory or may touch the same bytes.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"

enum {
    FAR = 96,        /* instructions between the two of a pair, at most */
    MAX_STORES = 16, /* stores that a load may move across, at most */
    ALL_ZEROS = 32,  /* low zero bits of the value 0 */
};

/* State of the pass; the tables are those of the present round. */
struct vector {
    struct lir_fn *fn;
    uint8_t *zeros;   /* [vreg] low bits that are known to be zero */
    lir_vreg *rename; /* [vreg] its new name, 0: as before */
    uint32_t n_vregs; /* entries of the tables; later vregs have none */
};

/* ---- alignment ------------------------------------------------------------------------------ */

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Low bits of operand i that are known to be zero. */
static unsigned zeros_of(const struct vector *v, const struct lir_inst *in, unsigned i) {
    const struct mir_src *s = &in->m.src[i];
    if (s->kind == MIR_SRC_NONE) return ALL_ZEROS;
    if (s->mods & (MIR_SRC_NOT | MIR_SRC_ABS)) return 0;
    if (s->kind == MIR_SRC_IMM) return s->value ? (unsigned)__builtin_ctz(s->value) : ALL_ZEROS;
    if (s->kind != MIR_SRC_REG) return 0;
    return in->src[i] ? v->zeros[in->src[i]] : ALL_ZEROS;
}

/* The same of the result of SHF. */
static unsigned zeros_of_shift(const struct vector *v, const struct lir_inst *in) {
    bool low = (in->m.type == MIR_U32 || in->m.type == MIR_S32) && !(in->m.flags & MIR_HI);
    if (!low || in->m.flags & MIR_RIGHT || in->m.src[1].kind != MIR_SRC_IMM ||
        in->m.src[1].value > 31)
        return 0;
    return least(zeros_of(v, in, 0) + in->m.src[1].value, ALL_ZEROS);
}

/* The same of the result of LOP3. */
static unsigned zeros_of_logic(const struct vector *v, const struct lir_inst *in) {
    unsigned a = zeros_of(v, in, 0), b = zeros_of(v, in, 1), c = zeros_of(v, in, 2);
    if (in->m.sub == 0xc0) return a > b ? a : b; /* a & b */
    return in->m.sub & 1 ? 0 : least(a, least(b, c));
}

/* The same of the first vreg that the instruction writes, given v->zeros of its operands. */
static unsigned zeros_of_result(const struct vector *v, const struct lir_inst *in) {
    unsigned a = zeros_of(v, in, 0), b = zeros_of(v, in, 1), c = zeros_of(v, in, 2);
    switch (in->m.op) {
    case MIR_MOV: return a;
    case MIR_IADD3: return in->m.flags & MIR_X ? 0 : least(a, least(b, c));
    case MIR_IMAD:
        if (in->m.flags & (MIR_HI | MIR_X)) return 0;
        return least(least(a + b, ALL_ZEROS), c);
    case MIR_LEA:
        if (in->m.flags & (MIR_HI | MIR_X)) return 0;
        return least(a + in->m.sub, b);
    case MIR_SHF: return zeros_of_shift(v, in);
    case MIR_LOP3: return zeros_of_logic(v, in);
    case MIR_SEL:
    case MIR_IMNMX: return least(a, b);
    default: return 0;
    }
}

/* Fills v->zeros: starts with all bits zero and lowers it at each definition, until nothing
 * changes. */
static void find_zeros(struct vector *v) {
    for (lir_vreg w = 0; w < v->n_vregs; w++) v->zeros[w] = ALL_ZEROS;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < v->fn->n_blocks; b++)
            for (const struct lir_inst *in = v->fn->blocks[b]->first; in; in = in->next) {
                unsigned n = lir_dst_vregs(in);
                for (unsigned k = 0; k < n; k++) {
                    unsigned z = k ? 0 : zeros_of_result(v, in);
                    if (z >= v->zeros[in->dst + k]) continue;
                    v->zeros[in->dst + k] = (uint8_t)z;
                    again = true;
                }
            }
    }
}

/* ---- candidates ----------------------------------------------------------------------------- */

/* @return an access of `width` bytes that may become part of a wider one. */
static bool is_candidate(const struct lir_inst *in, unsigned width) {
    switch (in->m.op) {
    case MIR_LDS:
    case MIR_STS:
    case MIR_LDL:
    case MIR_STL: break;
    default: return false;
    }
    return in->m.width == width && in->m.sem == MIR_WEAK && in->guard == LIR_PT;
}

/* @return the access reads memory; the other candidates write. */
static bool is_load(const struct lir_inst *in) {
    return lir_mem(in) == MIR_MEM_LOAD;
}

/* @return the accesses differ in their offset only. */
static bool same_kind(const struct lir_inst *a, const struct lir_inst *b) {
    return a->m.op == b->m.op && a->m.space == b->m.space && a->m.cache == b->m.cache &&
           a->m.src[0].kind == b->m.src[0].kind && a->src[0] == b->src[0];
}

/* *offset = the offset of the other half of the aligned access of twice the width that `in` belongs
 * to. @return false: its address is not known to be aligned for it */
static bool partner_offset(const struct vector *v, const struct lir_inst *in, int32_t *offset) {
    int32_t width = in->m.width, at = in->m.imm;
    uint32_t wide = 2 * (uint32_t)width;
    if (in->m.src[0].kind == MIR_SRC_REG && in->src[0] &&
        (in->src[0] >= v->n_vregs || 1u << least(v->zeros[in->src[0]], 31) < wide))
        return false;
    if (((uint32_t)at & (uint32_t)(width - 1)) != 0) return false;
    *offset = (uint32_t)at & (uint32_t)width ? at - width : at + width;
    return true;
}

/* @return the instruction writes one of the n vregs from w on. */
static bool writes(const struct lir_inst *in, lir_vreg w, unsigned n) {
    unsigned vregs = lir_dst_vregs(in);
    return vregs && w && in->dst < w + n && w < in->dst + vregs;
}

/* @return w is a whole group of n vregs, none of which has got a new name in this round. */
static bool own_group(const struct vector *v, lir_vreg w, unsigned n) {
    const struct lir_fn *fn = v->fn;
    if (w == 0 || w >= v->n_vregs || fn->group[w] != w || fn->group_size[w] != n) return false;
    for (unsigned k = 0; k < n; k++)
        if (v->rename[w + k] || fn->unspillable[w + k]) return false;
    return true;
}

/* @return the load is the only definition of its n vregs, a group of their own. */
static bool loaded_once(const struct vector *v, const struct lir_inst *in, unsigned n) {
    return own_group(v, in->dst, n) && lir_def_of(v->fn, in->dst, n) == in;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* The later load that `a` can be merged with; NULL if there is none. */
static struct lir_inst *find_load(const struct vector *v, struct lir_inst *a) {
    const struct lir_inst *store[MAX_STORES];
    unsigned n = a->m.width / 4u, n_stores = 0, far = 0;
    int32_t offset;
    if (!loaded_once(v, a, n) || !partner_offset(v, a, &offset) || writes(a, a->src[0], 1))
        return NULL;
    for (struct lir_inst *b = a->next; b && ++far < FAR; b = b->next) {
        if (is_candidate(b, a->m.width) && same_kind(a, b) && b->m.imm == offset) {
            for (unsigned i = 0; i < n_stores; i++)
                if (lir_may_conflict(v->fn, store[i], b)) return NULL;
            return loaded_once(v, b, n) ? b : NULL;
        }
        if (lir_touches_memory(b)) {
            if (!is_load(b)) {
                if (n_stores == MAX_STORES) return NULL;
                store[n_stores++] = b;
            } else if (b->m.sem != MIR_WEAK) {
                return NULL;
            }
        } else if (lir_has_effect(b)) {
            return NULL;
        }
        if (writes(b, a->src[0], 1)) return NULL;
    }
    return NULL;
}

/* The later store that `a` can become part of; NULL if there is none. */
static struct lir_inst *find_store(const struct vector *v, struct lir_inst *a) {
    unsigned n = a->m.width / 4u, far = 0;
    int32_t offset;
    if (a->m.src[1].kind != MIR_SRC_REG || a->m.src[1].mods || !partner_offset(v, a, &offset))
        return NULL;
    for (struct lir_inst *b = a->next; b && ++far < FAR; b = b->next) {
        if (is_candidate(b, a->m.width) && same_kind(a, b) && b->m.imm == offset)
            return b->m.src[1].kind == MIR_SRC_REG && !b->m.src[1].mods ? b : NULL;
        if (lir_touches_memory(b) ? lir_may_conflict(v->fn, a, b) : lir_has_effect(b)) return NULL;
        if (writes(b, a->src[0], 1) || writes(b, a->src[1], n)) return NULL;
    }
    return NULL;
}

/* Renames vregs [w, w + n) to [to, to + n) at the end of the round. */
static void call_them(struct vector *v, lir_vreg w, unsigned n, lir_vreg to) {
    for (unsigned k = 0; k < n; k++) {
        v->rename[w + k] = to + k;
        v->fn->scratch[to + k] = v->fn->scratch[w + k];
    }
}

/* Doubles the width of the access, and gives it the offset. */
static void widen(struct lir_inst *in, int32_t offset) {
    in->m.width = (uint8_t)(2 * in->m.width);
    in->m.type = in->m.width == 8 ? MIR_U64 : MIR_B128;
    in->m.imm = offset;
}

/* Merges the load with a later one: `a` becomes the wider load into a new group, the other one
 * goes. @return it did */
static bool merge_load(struct vector *v, struct lir_inst *a) {
    struct lir_inst *b = find_load(v, a);
    if (!b) return false;
    unsigned n = a->m.width / 4u;
    bool first = a->m.imm < b->m.imm;
    lir_vreg low = first ? a->dst : b->dst, high = first ? b->dst : a->dst;
    lir_vreg g = lir_new_vregs(v->fn, 2 * n);
    call_them(v, low, n, g);
    call_them(v, high, n, g + n);
    widen(a, first ? a->m.imm : b->m.imm);
    lir_set_dst(a, g);
    lir_remove(b);
    return true;
}

/* Merges the store with a later one, which becomes the wider store; `a` goes. @return it did */
static bool merge_store(struct vector *v, struct lir_inst *a) {
    struct lir_inst *b = find_store(v, a);
    if (!b) return false;
    struct lir_fn *fn = v->fn;
    unsigned n = a->m.width / 4u;
    bool first = a->m.imm < b->m.imm;
    lir_vreg low = first ? a->src[1] : b->src[1], high = first ? b->src[1] : a->src[1], g = low;
    bool adjacent = low && high == low + n && fn->group[low] == fn->group[high] &&
                    fn->group[low] + fn->group_size[fn->group[low]] >= high + n &&
                    (low - fn->group[low]) % (2 * n) == 0;
    if (low >= v->n_vregs || high >= v->n_vregs) return false;
    for (unsigned k = 0; k < n; k++)
        if ((low && v->rename[low + k]) || (high && v->rename[high + k])) return false;
    if (!adjacent && (low || high)) {
        if (low == high || !own_group(v, low, n) || !own_group(v, high, n)) return false;
        g = lir_new_vregs(fn, 2 * n);
        call_them(v, low, n, g);
        call_them(v, high, n, g + n);
    }
    lir_set_src(b, 1, lir_reg(g));
    widen(b, first ? a->m.imm : b->m.imm);
    lir_remove(a);
    return true;
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* The vreg's name after this round. */
static lir_vreg new_name(const struct vector *v, lir_vreg w) {
    return w < v->n_vregs && v->rename[w] ? v->rename[w] : w;
}

/* Gives all operands their new names. */
static void rename_all(struct vector *v) {
    for (uint32_t b = 0; b < v->fn->n_blocks; b++)
        for (struct lir_inst *in = v->fn->blocks[b]->first; in; in = in->next) {
            in->dst = new_name(v, in->dst);
            for (unsigned i = 0; i < MIR_MAX_SRC; i++) in->src[i] = new_name(v, in->src[i]);
        }
}

/* Merges all pairs of loads (or stores) of `width` bytes. Analyses the function first if there are
 * candidates. @return it merged some */
static bool merge_round(struct vector *v, unsigned width, bool loads) {
    struct lir_fn *fn = v->fn;
    bool merged = false, any = false;
    for (uint32_t b = 0; b < fn->n_blocks && !any; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in && !any; in = in->next)
            any = is_candidate(in, width) && is_load(in) == loads;
    if (!any) return false;
    lir_analyze(fn);
    v->n_vregs = fn->n_vregs;
    v->zeros = ARENA_ARRAY(fn->arena, uint8_t, fn->n_vregs);
    v->rename = ARENA_ARRAY(fn->arena, lir_vreg, fn->n_vregs);
    find_zeros(v);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next; /* merge_store removes `in`, never the one behind it ... */
            if (!is_candidate(in, width) || is_load(in) != loads) continue;
            merged |= loads ? merge_load(v, in) : merge_store(v, in);
            if (loads) next = in->next; /* ... merge_load keeps `in` and may remove the next */
        }
    if (merged) rename_all(v);
    return merged;
}

/* Pairs of 32 bits first, then pairs of 64; loads before stores. */
void lir_vectorize(struct lir_fn *fn) {
    struct vector v = {.fn = fn};
    for (unsigned width = 4; width <= 8; width *= 2) {
        merge_round(&v, width, true);
        merge_round(&v, width, false);
    }
}
