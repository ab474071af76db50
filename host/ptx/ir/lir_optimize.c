/* lir_optimize.c - the order of the optimising passes. ptx_compile.c calls lir_optimize once per
 * kernel.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"

enum { MAX_ROUNDS = 12, MAX_NESTED = 6 }; /* of clean; levels of loops unrolled */

/* Repeats propagation, combining, CSE and DCE until nothing changes, MAX_ROUNDS times at most.
 * Needs and keeps control flow. */
static void clean(struct lir_fn *fn) {
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        bool changed = lir_propagate(fn);
        changed |= lir_combine(fn);
        if (lir_gives_up(fn)) break;
        changed |= lir_cse(fn);
        changed |= lir_dce(fn);
        if (!changed || lir_gives_up(fn)) break;
        lir_cfg_build(fn); /* branches may have become constant */
    }
}

/* Renumbers the vregs so that those no instruction names leave no gaps, which keeps bit sets small.
 * Groups stay together. Changes all operands and the tables of `fn` by vreg; lir_analyze is
 * stale. */
static void compact(struct lir_fn *fn) {
    lir_vreg *to = ARENA_ARRAY(fn->arena, lir_vreg, fn->n_vregs);
    bool *used = ARENA_ARRAY(fn->arena, bool, fn->n_vregs);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            if (in->dst) used[fn->group[in->dst]] = true;
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                if (in->m.src[i].kind == MIR_SRC_REG && in->src[i])
                    used[fn->group[in->src[i]]] = true;
        }
    uint32_t n = 1;
    for (lir_vreg w = 1; w < fn->n_vregs; w++) {
        if (fn->group[w] != w || !used[w]) continue;
        unsigned size = fn->group_size[w];
        for (unsigned k = 0; k < size; k++) to[w + k] = n + k;
        n += size;
    }
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            in->dst = to[in->dst];
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                if (in->m.src[i].kind == MIR_SRC_REG) in->src[i] = to[in->src[i]];
        }
    for (lir_vreg w = 1; w < fn->n_vregs; w++) { /* numbers only fall: in place, in rising order */
        if (!used[fn->group[w]] || !to[w]) continue;
        lir_vreg first = fn->group[w];
        uint8_t size = fn->group_size[w];
        bool scratch = fn->scratch[w], fixed = fn->unspillable[w];
        fn->group[to[w]] = to[w] - (w - first);
        fn->group_size[to[w]] = size;
        fn->scratch[to[w]] = scratch;
        fn->unspillable[to[w]] = fixed;
    }
    fn->n_vregs = n;
}

/* The order matters: clean before unrolling, so that bounds are constants; webs behind it, since
 * ptxas does not unroll loops that step a register more than once; lir_expand before the
 * passes that need real operations; lir_legalize again after each pass that may place constants.
 * Returns early if the compilation is given up. */
void lir_optimize(struct lir_fn *fn) {
    lir_cfg_build(fn);
    lir_merge_blocks(fn);
    lir_join_guarded(fn);
    clean(fn);
    for (unsigned round = 0; round < MAX_NESTED && !lir_gives_up(fn) && lir_unroll(fn);
         round++) { /* inner loops first */
        lir_merge_blocks(fn);
        clean(fn);
        lir_merge_blocks(fn);
    }
    if (lir_gives_up(fn)) return;
    lir_expand(fn);
    lir_split_webs(fn);
    clean(fn);
    if (lir_gives_up(fn)) return;
    lir_merge_blocks(fn);
    lir_combine_late(fn);
    lir_dce(fn);
    lir_legalize(fn);
    lir_cse(fn);
    lir_propagate(fn);
    lir_legalize(fn);
    lir_dce(fn);
    if (lir_gives_up(fn)) return;
    lir_vectorize(fn);
    lir_hoist_constants(fn);
    compact(fn);
}
