/* lir_inplace.c - results that are copied into their place are made there.
 *
 * A variable of a loop is stepped into a word of its own, which a copy then puts into the variable
 * (a 64-bit sum is made word by word, and must not overwrite what it still reads). The scheduler
 * would move the step away from the copy, above the last reads of the old value, and no later pass
 * could give both one register: the copy would stay in the loop. Where the copy is the only reader
 * and nothing between the two has to do with the variable, the step writes the variable. */
#include "ptx/lir_passes.h"

static bool reads(const struct lir_inst *in, lir_word w) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_words(in, i);
        if (n && w >= in->src[i] && w < in->src[i] + n) return true;
    }
    return false;
}

static bool writes(const struct lir_inst *in, lir_word w) {
    unsigned n = lir_dst_words(in);
    return n && w >= in->dst && w < in->dst + n;
}

static bool is_copy(const struct lir_inst *in) {
    return in->m.op == MIR_MOV && in->guard == LIR_PT && in->dst && in->src[0] &&
           in->m.src[0].kind == MIR_SRC_REG && !in->m.src[0].mods;
}

/* The step whose result the copy alone reads, if it may write the copy's word itself. */
static struct lir_inst *step_of(const struct lir_fn *fn, const struct lir_inst *copy) {
    const struct lir_info *s = lir_word_info(fn, copy->src[0]);
    if (!s->def || s->n_use != 1 || s->def->block != copy->block || s->def->guard != LIR_PT)
        return NULL;
    if (lir_dst_words(s->def) != 1 || fn->scratch[copy->dst] || fn->scratch[copy->src[0]])
        return NULL;
    for (struct lir_inst *in = copy->prev; in; in = in->prev) {
        if (in == s->def) return in;
        if (reads(in, copy->dst) || writes(in, copy->dst)) return NULL;
    }
    return NULL;
}

void lir_in_place(struct lir_fn *fn) {
    lir_cfg_build(fn);
    lir_analyze(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        if (fn->blocks[b]->loop_depth == 0) continue;
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            if (!is_copy(in)) continue;
            struct lir_inst *step = step_of(fn, in);
            if (!step) continue;
            step->dst = in->dst;
            lir_remove(in);
        }
    }
}
