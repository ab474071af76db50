/* lir_guarded.c - guarded results go straight to the variable that keeps its old value in the other
 * lanes (lir_join_guarded). lir_optimize runs the pass for guards that the front end wrote,
 * ptx_compile.c behind lir_if_convert for those that stand in place of branches.
 *
 * A guarded load of a vector writes a group of its own, from which guarded copies bring the words
 * to their variables. Such a copy reads both, the loaded word and the variable's old value. Neither
 * can have the other's register, so the copies stay, directly behind the load, and wait for it.
 * Instead, the group takes the old values first; then the copies back need no guard:
 *
 *       @p LDG.64 g:                   MOV g, a;  MOV g + 1, b
 *       @p MOV a, g             ==>    @p LDG.64 g:
 *       @p MOV b, g + 1                MOV a, g;  MOV b, g + 1
 *
 * A variable's value now lies in one place at a time, and coalescing removes both copies.
 *
 * A result that is only read under its own guard keeps nothing: it is scratch (lir_mark_scratch).
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_edit.h"
#include "ptx/ir/lir_passes.h"

/* ---- results that keep nothing -------------------------------------------------------------- */

/* Notes in `open` the vregs with one definition, a guarded one, that the instruction reads under
 * another guard, or where that definition need not come first. */
static void note_reads(const struct lir_fn *fn, const struct lir_inst *in, bool *open) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        const unsigned n = lir_src_vregs(in, i);
        for (unsigned k = 0; k < n; k++) {
            const lir_vreg w = in->src[i] + k;
            const struct lir_inst *def = fn->vreg_info[w].def;
            if (!def || def->guard == LIR_PT || open[w]) continue;
            open[w] = in->guard != def->guard || !lir_comes_first(def, in);
        }
    }
}

/* Marks scratch what is defined once, under the guard of all its reads. The guard's predicate is
 * single: then it cannot have changed between the definition and a read, for the way from there to
 * the read would also lead around the definition. */
static void mark_scratch(struct lir_fn *fn) {
    bool *open = ARENA_ARRAY(fn->arena, bool, fn->n_vregs);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next)
            note_reads(fn, in, open);
    for (lir_vreg w = 1; w < fn->n_vregs; w++) {
        const struct lir_inst *def = fn->vreg_info[w].def;
        if (!def || def->guard == LIR_PT || open[w]) continue;
        if (fn->pred_info[def->guard >> 1].single) fn->scratch[w] = true;
    }
}

/* ---- copies --------------------------------------------------------------------------------- */

/* @return the instruction reads, or writes, vreg w. */
static bool reads(const struct lir_inst *in, lir_vreg w) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        const unsigned n = lir_src_vregs(in, i);
        if (n && w >= in->src[i] && w < in->src[i] + n) return true;
    }
    return false;
}
static bool writes(const struct lir_inst *in, lir_vreg w) {
    const unsigned n = lir_dst_vregs(in);
    return n && w >= in->dst && w < in->dst + n;
}

/* @return a plain copy of vreg w under the guard. */
static bool copies(const struct lir_inst *in, lir_vreg w, lir_pref guard) {
    return in->m.op == MIR_MOV && in->guard == guard && in->dst && in->src[0] == w &&
           in->m.src[0].kind == MIR_SRC_REG && !in->m.src[0].mods;
}

/* The first copy of vreg w under the guard of its definition, in the same block, if nothing touches
 * the copy's result in between. NULL: there is none. */
static struct lir_inst *copy_of(const struct lir_fn *fn, struct lir_inst *def, lir_vreg w) {
    const uint32_t p = def->guard >> 1;
    struct lir_inst *copy = def->next;
    while (copy && !copies(copy, w, def->guard)) {
        if (copy->pdst[0] == p || copy->pdst[1] == p || writes(copy, w)) return NULL;
        copy = copy->next;
    }
    if (!copy || fn->scratch[copy->dst] || !lir_share_place(fn, w, copy->dst)) return NULL;
    for (const struct lir_inst *in = copy->prev; in != def; in = in->prev)
        if (reads(in, copy->dst) || writes(in, copy->dst)) return NULL;
    return writes(def, copy->dst) ? NULL : copy;
}

/* Vreg w, which `def` writes under its guard, takes the old value of the copy's result before,
 * unless nobody needs one, `def` included, or there is none: no other definition, nor this one in
 * an earlier iteration. The copy loses its guard, and what it counts under it. */
static void keep_in(struct lir_fn *fn, struct lir_inst *def, lir_vreg w, struct lir_inst *copy) {
    if ((!copy->fresh || reads(def, copy->dst)) &&
        (lir_vreg_info(fn, copy->dst)->n_def > 1 || lir_leads_to(fn, def->block, def->block))) {
        struct lir_inst *old = lir_new_before(fn, def, MIR_MOV);
        lir_set_dst(old, w);
        lir_set_src(old, 0, lir_reg(copy->dst));
        fn->scratch[w] = def->fresh = false;
    }
    if (copy->m.flags & MIR_IF) {
        def->m.ptx_count = (uint16_t)(def->m.ptx_count + copy->m.ptx_count);
        copy->m.ptx_count = 0;
        copy->m.flags &= (uint16_t)~MIR_IF;
    }
    copy->guard = LIR_PT;
}

/* What becomes of a guarded definition: the copies of its words, NULL: none. */
struct guarded {
    struct lir_inst *def;
    struct lir_inst *copy[4];
    unsigned n;
};

/* The first word of the result whose copy writes the vreg; n: none. */
static unsigned word_kept_in(const struct guarded *g, lir_vreg w) {
    unsigned k = 0;
    while (k < g->n && !(g->copy[k] && g->copy[k]->dst == w)) k++;
    return k;
}

/* An operand of the definition that reads old values reads them in the result's group, where they
 * lie by then; else they could not share its registers. Where it cannot, the copies stay. */
static void read_in_group(struct lir_fn *fn, struct guarded *g, bool rename) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        const unsigned n = lir_src_vregs(g->def, i);
        unsigned first = g->n, kept = 0;
        for (unsigned k = n; k-- > 0;) {
            const unsigned word = word_kept_in(g, g->def->src[i] + k);
            if (word < g->n) kept++;
            first = word;
        }
        if (!kept) continue;
        bool whole = kept == n && first + n <= g->n;
        for (unsigned k = 0; k < n && whole; k++)
            whole = word_kept_in(g, g->def->src[i] + k) == first + k;
        whole &= (g->def->dst + first - fn->group[g->def->dst]) % n == 0;
        if (whole && rename) g->def->src[i] = g->def->dst + first;
        for (unsigned k = 0; k < g->n && !whole; k++)
            if (g->copy[k] && reads(g->def, g->copy[k]->dst)) g->copy[k] = NULL;
    }
}

/* Marks results scratch, then goes over the guarded definitions of scratch vregs. */
bool lir_join_guarded(struct lir_fn *fn) {
    bool changed = false;
    lir_analyze(fn);
    mark_scratch(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            struct guarded g = {.def = in, .n = in->guard == LIR_PT ? 0 : lir_dst_vregs(in)};
            for (unsigned k = 0; k < g.n; k++)
                if (fn->scratch[in->dst + k] && lir_vreg_info(fn, in->dst + k)->def == in)
                    g.copy[k] = copy_of(fn, in, in->dst + k);
            read_in_group(fn, &g, false);
            for (unsigned k = 0; k < g.n; k++) {
                if (!g.copy[k]) continue;
                keep_in(fn, in, in->dst + k, g.copy[k]);
                changed = true;
            }
            read_in_group(fn, &g, true);
        }
    return changed;
}
