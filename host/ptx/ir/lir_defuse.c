/* lir_defuse.c - definitions and uses of each vreg and predicate, and which vregs behave like SSA
 * values.
 *
 * lir_analyze fills the tables fn->vreg_info and fn->pred_info. The queries behind it read them;
 * contracts are in lir_analysis.h.
 *
 * "single": one definition, without guard, that dominates every use. A copy of a single vreg may be
 * used in its place wherever the copy is: the copy's definition dominates the use and the
 * original's dominates the copy, so no path redefines the original in between.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"

#include <string.h>

/* @return `def` comes before `use` on every path. Needs numbered instructions. */
bool lir_comes_first(const struct lir_inst *def, const struct lir_inst *use) {
    if (def->block == use->block) return def->pos < use->pos;
    return lir_dominates(def->block, use->block);
}

/* Counts a definition of the vreg or predicate `v` in its table entry. */
static void note_def(struct lir_info *v, struct lir_inst *in) {
    v->def = v->n_def == 0 ? in : NULL;
    v->n_def++;
    v->single = v->n_def == 1 && in->guard == LIR_PT;
}

/* Counts a use of `v`; one that its definition does not dominate makes it not single. */
static void note_use(struct lir_info *v, const struct lir_inst *in) {
    v->n_use++;
    if (v->single && !lir_comes_first(v->def, in)) v->single = false;
}

/* Fills fn->vreg_info and fn->pred_info (made larger if there are more vregs than room): counts all
 * definitions, then all uses, and finds which are single. Numbers the instructions. Needs
 * lir_cfg_build. */
void lir_analyze(struct lir_fn *fn) {
    if (fn->n_info_vregs < fn->n_vregs) {
        fn->n_info_vregs = fn->n_vregs + fn->n_vregs / 2;
        fn->vreg_info = ARENA_ARRAY(fn->arena, struct lir_info, fn->n_info_vregs);
    }
    if (fn->n_info_preds < fn->n_preds) {
        fn->n_info_preds = fn->n_preds + fn->n_preds / 2;
        fn->pred_info = ARENA_ARRAY(fn->arena, struct lir_info, fn->n_info_preds);
    }
    memset(fn->vreg_info, 0, fn->n_info_vregs * sizeof *fn->vreg_info);
    memset(fn->pred_info, 0, fn->n_info_preds * sizeof *fn->pred_info);
    fn->n_known_vregs = fn->n_vregs;
    fn->n_known_preds = fn->n_preds;
    lir_number(fn);
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        for (struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) {
            unsigned n = lir_dst_vregs(in);
            for (unsigned k = 0; k < n; k++) note_def(&fn->vreg_info[in->dst + k], in);
            for (unsigned k = 0; k < 2; k++)
                if (in->pdst[k]) note_def(&fn->pred_info[in->pdst[k]], in);
        }
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        for (struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) {
            for (unsigned k = 0; k < MIR_MAX_SRC; k++) {
                unsigned n = lir_src_vregs(in, k);
                for (unsigned j = 0; j < n; j++) note_use(&fn->vreg_info[in->src[k] + j], in);
            }
            for (unsigned k = 0; k < 3; k++)
                if (in->psrc[k] >> 1) note_use(&fn->pred_info[in->psrc[k] >> 1], in);
            if (in->guard >> 1) note_use(&fn->pred_info[in->guard >> 1], in);
        }
}

/* ---- queries -------------------------------------------------------------------------------- */

/* @return what the last lir_analyze found of vreg w. Of one made since then nothing is known: two
 * definitions and two uses are assumed. */
const struct lir_info *lir_vreg_info(const struct lir_fn *fn, lir_vreg w) {
    static const struct lir_info unknown = {.n_def = 2, .n_use = 2};
    return w < fn->n_known_vregs ? &fn->vreg_info[w] : &unknown;
}

/* @return the same of predicate p. */
const struct lir_info *lir_pred_info(const struct lir_fn *fn, uint32_t p) {
    static const struct lir_info unknown = {.n_def = 2, .n_use = 2};
    return p < fn->n_known_preds ? &fn->pred_info[p] : &unknown;
}

/* @return the instruction that defines exactly the n vregs from w on, unguarded, all of them
 * single; NULL: there is none. */
struct lir_inst *lir_def_of(const struct lir_fn *fn, lir_vreg w, unsigned n) {
    if (w == 0) return NULL;
    struct lir_inst *def = lir_vreg_info(fn, w)->def;
    if (!def || def->dst != w || lir_dst_vregs(def) != n || def->guard != LIR_PT) return NULL;
    for (unsigned k = 0; k < n; k++)
        if (!lir_vreg_info(fn, w + k)->single) return NULL;
    return def;
}

/* @return vreg w is not written from `from` to `to`, in this order in one block. Gives up (false)
 * after FAR instructions. */
static bool unwritten(const struct lir_inst *from, const struct lir_inst *to, lir_vreg w) {
    enum { FAR = 200 };
    unsigned n = 0;
    if (from->block != to->block) return false;
    for (const struct lir_inst *in = from; in && in != to; in = in->next) {
        unsigned vregs = lir_dst_vregs(in);
        if (vregs && w >= in->dst && w < in->dst + vregs) return false;
        if (++n > FAR) return false;
        if (!in->next) return false; /* `to` stands before `from`: around a loop */
    }
    return true;
}

/* @return whether the sources of `def`, predicates included, hold the same values at `use`. Single
 * sources always do; other vregs must be unwritten between the two in one block. */
bool lir_sources_reach(const struct lir_fn *fn, const struct lir_inst *def,
                       const struct lir_inst *use) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_vregs(def, i);
        for (unsigned k = 0; k < n; k++)
            if (!lir_vreg_info(fn, def->src[i] + k)->single &&
                !unwritten(def, use, def->src[i] + k))
                return false;
    }
    for (unsigned i = 0; i < 3; i++)
        if (def->psrc[i] >> 1 && !lir_pred_info(fn, def->psrc[i] >> 1)->single) return false;
    return true;
}
