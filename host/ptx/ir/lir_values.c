/* lir_values.c - who defines a word, who reads it, and which words behave like SSA values.
 *
 * "single": one definition, without guard, that dominates every use. A copy of a single word may
 * be used in its place wherever the copy is (the copy's definition dominates the use, the
 * original's dominates the copy, so no path redefines the original in between). */
#include "ptx/ir/lir.h"

#include <string.h>

static bool def_reaches(const struct lir_inst *def, const struct lir_inst *use) {
    if (def->block == use->block) return def->pos < use->pos;
    return lir_dominates(def->block, use->block);
}

static void note_def(struct lir_info *v, struct lir_inst *in) {
    v->def = v->n_def == 0 ? in : NULL;
    v->n_def++;
    v->single = v->n_def == 1 && in->guard == LIR_PT;
}

static void note_use(struct lir_info *v, const struct lir_inst *in) {
    v->n_use++;
    if (v->single && !def_reaches(v->def, in)) v->single = false;
}

void lir_analyze(struct lir_fn *fn) {
    if (fn->n_info_words < fn->n_words) {
        fn->n_info_words = fn->n_words + fn->n_words / 2;
        fn->word_info = ARENA_ARRAY(fn->arena, struct lir_info, fn->n_info_words);
    }
    if (fn->n_info_preds < fn->n_preds) {
        fn->n_info_preds = fn->n_preds + fn->n_preds / 2;
        fn->pred_info = ARENA_ARRAY(fn->arena, struct lir_info, fn->n_info_preds);
    }
    memset(fn->word_info, 0, fn->n_info_words * sizeof *fn->word_info);
    memset(fn->pred_info, 0, fn->n_info_preds * sizeof *fn->pred_info);
    fn->n_known_words = fn->n_words;
    fn->n_known_preds = fn->n_preds;
    lir_number(fn);
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        for (struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) {
            unsigned n = lir_dst_words(in);
            for (unsigned k = 0; k < n; k++) note_def(&fn->word_info[in->dst + k], in);
            for (unsigned k = 0; k < 2; k++)
                if (in->pdst[k]) note_def(&fn->pred_info[in->pdst[k]], in);
        }
    for (uint32_t i = 0; i < fn->n_blocks; i++)
        for (struct lir_inst *in = fn->blocks[i]->first; in; in = in->next) {
            for (unsigned k = 0; k < MIR_MAX_SRC; k++) {
                unsigned n = lir_src_words(in, k);
                for (unsigned j = 0; j < n; j++) note_use(&fn->word_info[in->src[k] + j], in);
            }
            for (unsigned k = 0; k < 3; k++)
                if (in->psrc[k] >> 1) note_use(&fn->pred_info[in->psrc[k] >> 1], in);
            if (in->guard >> 1) note_use(&fn->pred_info[in->guard >> 1], in);
        }
}
