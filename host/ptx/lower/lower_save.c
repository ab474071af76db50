/* lower_save.c - saves the words and predicates of a subroutine that are live across its calls
 * of subroutines, because another activation would overwrite them.
 *
 * Part of the PTX compiler, in the `heddle` process: ptx_compile.c calls
 * lower_save_across_calls() after a kernel is lowered and its control-flow graph is built, on
 * the thread that calls ptx_compile(). It does not append to lo->cur: it inserts stores and
 * loads of the stack around the recorded call sites. */
#include "ptx/ir/lir_liveness.h"
#include "ptx/lower/lower_call.h"

/* Creates, in no block, a load or store of word `slot` of the stack. */
static struct lir_inst *stack_access(struct lower *lo, unsigned op, uint32_t slot) {
    struct lir_inst *in = lir_inst_create(lo->fn, op);
    in->m.space = MIR_SPACE_LOCAL;
    in->m.cache = op == MIR_STL ? MIR_CACHE_WB : MIR_CACHE_CA;
    in->m.width = 4;
    in->m.type = MIR_U32;
    in->m.imm = (int32_t)(4 * slot);
    lir_set_src(in, 0, lir_reg(lo->stack));
    return in;
}

/* Inserts the store of word w before the call and its load after it. */
static void save_word(struct lower *lo, const struct call_site *c, uint32_t slot, lir_vreg w) {
    struct lir_inst *store = stack_access(lo, MIR_STL, slot);
    struct lir_inst *load = stack_access(lo, MIR_LDL, slot);
    lir_set_src(store, 1, lir_reg(w));
    load->dst = w;
    load->m.dst = 0;
    lir_insert_after(c->down, store);
    lir_insert_before(c->up, load);
}

/* Inserts the store of predicate p, as a word of 0 or 1, before the call and its restoration
 * after it. Creates two registers. */
static void save_pred(struct lower *lo, const struct call_site *c, uint32_t slot, uint32_t p) {
    lir_vreg down = lir_new_vregs(lo->fn, 1), up = lir_new_vregs(lo->fn, 1);
    struct lir_inst *select = lir_inst_create(lo->fn, MIR_SEL);
    struct lir_inst *compare = lir_inst_create(lo->fn, MIR_ISETP);
    struct lir_inst *store = stack_access(lo, MIR_STL, slot);
    struct lir_inst *load = stack_access(lo, MIR_LDL, slot);
    select->dst = down;
    select->m.dst = 0;
    lir_set_src(select, 0, RZ_SRC);
    lir_set_src(select, 1, lir_imm(1));
    select->psrc[0] = lir_pnot(lir_p(p));
    lir_set_src(store, 1, lir_reg(down));
    load->dst = up;
    load->m.dst = 0;
    lir_set_src(compare, 0, lir_reg(up));
    lir_set_src(compare, 1, RZ_SRC);
    compare->m.cmp = MIR_CMP_NE;
    compare->m.type = MIR_U32;
    compare->m.bop = MIR_AND;
    compare->pdst[0] = p;
    lir_insert_after(c->down, store);
    lir_insert_after(c->down, select);
    lir_insert_before(c->up, load);
    lir_insert_before(c->up, compare);
}

/* Is the word private to an activation of subroutine s? */
static bool is_own(const struct lower *lo, const struct lower_sub *s, uint32_t w) {
    if (w == lo->stack) return false;
    if (w >= s->word_from && w < s->word_to) return true;
    if (w == s->site) return true;
    for (uint32_t i = 0; i < s->n_args + s->n_rets; i++)
        for (uint32_t k = 0; k < symbol_words(s->formal[i]); k++)
            if (symbol_word(s->formal[i], k) == w) return true;
    return false;
}

/* Inserts saves of the words and predicates that are live after one call and not saved yet;
 * marks c->saved, counts c->slots, and sets the amounts by which the call moves the stack
 * pointer. n_words and n_preds are the counts before the first save. @return whether it inserted
 * any. */
static bool save_site(struct lower *lo, struct call_site *c, const struct lir_liveness *live,
                      uint32_t n_words, uint32_t n_preds) {
    const uint64_t *in = live->in[c->up->block->id];
    uint32_t before = c->slots;
    if (!c->saved) c->saved = ARENA_ARRAY(lo->arena, bool, n_words + n_preds);
    for (uint32_t w = 1; w < n_words; w++) {
        if (!lir_live_vreg(live, in, w) || c->saved[w] || !is_own(lo, c->caller, w) ||
            (w >= c->result_from && w < c->result_to))
            continue;
        c->saved[w] = true;
        save_word(lo, c, c->slots++, w);
    }
    for (uint32_t p = 1; p < n_preds; p++) {
        if (!lir_live_pred(live, in, p) || c->saved[n_words + p] || p < c->caller->pred_from ||
            p >= c->caller->pred_to)
            continue;
        c->saved[n_words + p] = true;
        save_pred(lo, c, c->slots++, p);
    }
    uint32_t bytes = (4 * c->slots + 15) & ~15u;
    lir_set_src(c->down, 1, lir_imm(-bytes));
    lir_set_src(c->up, 1, lir_imm(bytes));
    return c->slots != before;
}

/* Saves and restores live values around all calls of subroutines by subroutines. Repeats until
 * nothing changes, because a save reads its word: a word that a later call saves is live across
 * an earlier call, which must save it too. */
void lower_save_across_calls(struct lower *lo) {
    uint32_t n_words = lo->fn->n_vregs, n_preds = lo->fn->n_preds;
    for (bool changed = lo->subs != NULL; changed;) {
        struct lir_liveness live;
        changed = false;
        lir_liveness_build(lo->fn, &live, lo->arena);
        for (struct lower_sub *s = lo->subs; s; s = s->next)
            for (struct call_site *c = s->sites; c; c = c->next)
                if (c->caller && c->up->block->reachable)
                    changed |= save_site(lo, c, &live, n_words, n_preds);
    }
}
