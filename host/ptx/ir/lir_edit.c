/* lir_edit.c - changes instructions in place, and adds some beside them. All passes call these
 * functions; contracts are in lir_edit.h. They change the instruction and its block's list, nothing
 * else.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_edit.h"

/* Makes `in` an instruction of operation `op` without operands, results and guard: sets all fields
 * to their defaults but place, line, location, PTX count and in->guard. The tag of a special
 * operation stays unless the result is a mere copy: then nothing is left to count. */
void lir_reset(struct lir_inst *in, unsigned op) {
    struct mir_inst m = {.op = (uint16_t)op,
                         .guard = MIR_PT,
                         .dst = MIR_RZ,
                         .pdst = {MIR_PT, MIR_PT},
                         .psrc = {MIR_PT, MIR_PT, MIR_PT},
                         .wbar = MIR_NO_BARRIER,
                         .rbar = MIR_NO_BARRIER,
                         .stall = 1,
                         .ptx_count = in->m.ptx_count,
                         .special = op == MIR_MOV ? 0 : in->m.special,
                         .ptx_line = in->m.ptx_line,
                         .loc = in->m.loc};
    in->m = m;
    in->contract = in->apart = false;
    in->dst = 0;
    for (unsigned i = 0; i < 3; i++) {
        in->src[i] = 0;
        in->psrc[i] = LIR_PT;
    }
    in->pdst[0] = in->pdst[1] = 0;
    in->n_targets = 0;
}

/* Makes w the first vreg that the instruction writes; 0: none. */
void lir_set_dst(struct lir_inst *in, lir_vreg w) {
    in->dst = w;
    in->m.dst = w ? 0 : MIR_RZ;
}

/* @return a new instruction in front of `at`, with its PTX line and location, no guard and a PTX
 * count of 0. */
struct lir_inst *lir_new_before(struct lir_fn *fn, struct lir_inst *at, unsigned op) {
    struct lir_inst *in = lir_inst_create(fn, op);
    in->m.ptx_line = at->m.ptx_line;
    in->m.loc = at->m.loc;
    lir_insert_before(at, in);
    return in;
}

/* ---- exchanging operands -------------------------------------------------------------------- */

/* The comparison that gives the same result with its operands exchanged. */
static unsigned reversed(unsigned cmp) {
    switch (cmp) {
    case MIR_CMP_LT: return MIR_CMP_GT;
    case MIR_CMP_GT: return MIR_CMP_LT;
    case MIR_CMP_LE: return MIR_CMP_GE;
    case MIR_CMP_GE: return MIR_CMP_LE;
    case MIR_CMP_LTU: return MIR_CMP_GTU;
    case MIR_CMP_GTU: return MIR_CMP_LTU;
    case MIR_CMP_LEU: return MIR_CMP_GEU;
    case MIR_CMP_GEU: return MIR_CMP_LEU;
    default: return cmp;
    }
}

/* The table of LOP3 with its first two inputs exchanged. */
static unsigned swapped_table(unsigned t) {
    unsigned r = 0;
    for (unsigned i = 0; i < 8; i++) /* i = 4a + 2b + c */
        if (t >> ((i & 1) | (i & 2) << 1 | (i & 4) >> 1) & 1) r |= 1u << i;
    return r;
}

/* Exchanges operands 0 and 1 so that the result stays the same: comparisons are reversed, the
 * predicate of a selection is complemented, a table is permuted. @return false: not possible,
 * nothing has changed */
bool lir_swap(struct lir_inst *in) {
    switch (in->m.op) {
    case MIR_ISETP:
    case MIR_FSETP:
    case MIR_DSETP:
        if (in->m.sub) return false;
        in->m.cmp = (uint8_t)reversed(in->m.cmp);
        break;
    case MIR_SEL:
    case MIR_FSEL: in->psrc[0] = lir_pnot(in->psrc[0]); break;
    case MIR_LOP3: in->m.sub = (uint8_t)swapped_table(in->m.sub); break;
    default:
        if (!lir_is_commutative(in)) return false;
    }
    struct lir_src a = lir_get_src(in, 0);
    lir_set_src(in, 0, lir_get_src(in, 1));
    lir_set_src(in, 1, a);
    return true;
}
