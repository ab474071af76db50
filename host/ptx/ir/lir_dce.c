/* lir_dce.c - dead code: removes instructions whose results nothing reads, and drops single
 * results. lir_optimize runs the pass (lir_dce).
 *
 * When it removes an instruction it subtracts its reads from the counts of uses in fn->vreg_info
 * and fn->pred_info, so that chains of dead instructions go in few rounds. trim() does not: the
 * counts may be too high until the next lir_analyze(), which only keeps an instruction longer.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"

/* Subtracts the reads of `in` from the counts of uses. */
static void drop_uses(struct lir_fn *fn, const struct lir_inst *in) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_vregs(in, i);
        for (unsigned k = 0; k < n; k++) fn->vreg_info[in->src[i] + k].n_use--;
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] >> 1) fn->pred_info[in->psrc[i] >> 1].n_use--;
    if (in->guard >> 1) fn->pred_info[in->guard >> 1].n_use--;
}

/* Reads of vreg w by the instruction itself, which do not keep it alive. */
static unsigned own_uses(const struct lir_inst *in, lir_vreg w) {
    unsigned uses = 0;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_vregs(in, i);
        uses += n && w >= in->src[i] && w < in->src[i] + n;
    }
    return uses;
}

/* @return the instruction has no effect and nothing reads its results. */
static bool is_dead(const struct lir_fn *fn, const struct lir_inst *in) {
    unsigned n = lir_dst_vregs(in);
    if (lir_has_effect(in)) return false;
    for (unsigned k = 0; k < n; k++) {
        const struct lir_info *v = &fn->vreg_info[in->dst + k];
        if (v->n_use > (v->n_def == 1 ? own_uses(in, in->dst + k) : 0)) return false;
    }
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && fn->pred_info[in->pdst[i]].n_use) return false;
    return true;
}

/* @return the instruction writes vregs and nothing reads them. */
static bool results_unused(const struct lir_fn *fn, const struct lir_inst *in) {
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++)
        if (fn->vreg_info[in->dst + k].n_use) return false;
    return n > 0;
}

/* An atomic whose old value nothing reads loses its result and becomes a reduction where one
 * exists; the timing model then posts it instead of leaving it pending. @return it changed */
static bool weaken_atomic(const struct lir_fn *fn, struct lir_inst *in) {
    unsigned op = in->m.op;
    bool known = op == MIR_ATOM || op == MIR_ATOMG || op == MIR_ATOMS || op == MIR_SYS;
    if (!known || !results_unused(fn, in)) return false;
    lir_set_dst(in, 0);
    if (op == MIR_SYS) return true;
    if (in->m.sub != MIR_ATOM_CAS && in->m.sub != MIR_ATOM_EXCH)
        in->m.op = op == MIR_ATOMS ? MIR_REDS : MIR_RED;
    return true;
}

/* Drops results of a live instruction that nothing reads: an atomic's value, predicates, the high
 * word of a wide product (unless the addend has modifiers) or of an extension, which becomes a MOV.
 * @return it changed */
static bool trim(const struct lir_fn *fn, struct lir_inst *in) {
    bool changed = weaken_atomic(fn, in);
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i] && !fn->pred_info[in->pdst[i]].n_use) {
            in->pdst[i] = 0;
            changed = true;
        }
    /* a wide product whose high word nothing reads */
    if (in->m.op == MIR_IMAD && in->m.flags & MIR_WIDE && in->dst &&
        fn->vreg_info[in->dst + 1].n_use == 0 && !(in->m.src[2].mods)) {
        in->m.flags &= (uint16_t)~MIR_WIDE;
        changed = true;
    }
    if (in->m.op == LIR_EXT64 && fn->vreg_info[in->dst + 1].n_use == 0) {
        in->m.op = MIR_MOV;
        in->m.type = 0;
        changed = true;
    }
    return changed;
}

/* Goes over the function from its end, until a round removes nothing. @return it changed
 * something */
bool lir_dce(struct lir_fn *fn) {
    bool changed = false;
    lir_analyze(fn);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = fn->n_blocks; b-- > 0;)
            for (struct lir_inst *in = fn->blocks[b]->last, *prev; in; in = prev) {
                prev = in->prev;
                bool self = in->m.op == MIR_MOV && in->m.src[0].kind == MIR_SRC_REG &&
                            in->src[0] == in->dst && !in->m.src[0].mods;
                if (self || is_dead(fn, in)) {
                    drop_uses(fn, in);
                    lir_remove(in);
                    again = changed = true;
                } else {
                    changed |= trim(fn, in);
                }
            }
    }
    return changed;
}
