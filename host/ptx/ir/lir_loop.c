/* lir_loop.c - finds loops that can be copied, and decides which names their copies change.
 * lir_unroll.c calls it for each block that may be a latch; contracts are in lir_loop.h.
 *
 * Copies rename a vreg only where that is right without SSA form. If a vreg has one definition that
 * every iteration passes, reads before it (in layout order, which is a topological order here) see
 * the previous copy, and reads after it see this one. If no value comes in from the previous
 * iteration, every copy may have a vreg of its own. All others keep their name.
 *
 * The functions write the loop's tables only; they change no instruction.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_loop.h"

#include <string.h>

/* ---- form ----------------------------------------------------------------------------------- */

/* @return whether the instruction may stand in a loop that is copied. Excluded are: subroutines,
 * which ptxas does not copy either; operations between lanes; operations on all predicates; fences
 * and system calls; terminators other than BRA and EXIT. */
bool lir_loop_may_copy(const struct lir_inst *in) {
    enum {
        NEVER = MIR_CALLS | MIR_SLOW_PATH | MIR_CONVERGENCE | MIR_EXCHANGE | MIR_ALL_PREDICATES
    };
    mir_mem m = lir_mem(in);
    if (lir_is_terminator(in)) return in->m.op == MIR_BRA || in->m.op == MIR_EXIT;
    return !(lir_traits(in) & NEVER) && m != MIR_MEM_SYS && m != MIR_MEM_FENCE;
}

/* @return the block lies between header and latch in the layout. */
static bool inside(const struct lir_loop *l, const struct lir_block *b) {
    return b->id >= l->header->id && b->id <= l->latch->id;
}

/* @return whether blocks[latch] ends a loop that can be copied: checks the latch's branch, the
 * edges of all blocks between header and latch, and all instructions. Fills `l` but for its tables,
 * which are the caller's; after false its content is of no use. Needs lir_cfg_build, lir_number. */
bool lir_loop_at(struct lir_fn *fn, uint32_t latch, struct lir_loop *l) {
    struct lir_block *b = fn->blocks[latch];
    const struct lir_inst *last = b->last;
    if (!last || last->m.op != MIR_BRA || last->guard == LIR_PT || last->n_targets != 1 ||
        b->n_succ != 2 || last->targets[0]->id > latch || latch + 1 == fn->n_blocks)
        return false;
    l->fn = fn;
    l->header = last->targets[0];
    l->latch = b;
    l->exit = fn->blocks[latch + 1];
    l->block = fn->blocks + l->header->id;
    l->n_blocks = latch + 1 - l->header->id;
    l->breaks = false;
    l->first_pos = UINT32_MAX;
    for (uint32_t i = 0; i < l->n_blocks; i++) {
        b = l->block[i];
        for (uint32_t k = 0; k < b->n_pred; k++) /* ways in, ways back */
            if (b == l->header ? inside(l, b->pred[k]) && b->pred[k] != l->latch
                               : !inside(l, b->pred[k]) || b->pred[k]->id >= b->id)
                return false;
        for (uint32_t k = 0; k < b->n_succ && b != l->latch; k++)
            l->breaks |= !inside(l, b->succ[k]);
        l->breaks |= b->exits;
        for (const struct lir_inst *in = b->first; in; in = in->next) {
            if (!lir_loop_may_copy(in)) return false;
            if (l->first_pos == UINT32_MAX) l->first_pos = in->pos;
        }
    }
    return true;
}

/* ---- vregs and predicates ------------------------------------------------------------------- */

/* @return the name (a vreg, or n_vregs + a predicate) is live at the head of the block. */
static bool is_live(const struct lir_liveness *live, const struct lir_block *b, uint32_t name) {
    return lir_live_name(live, live->in[b->id], name);
}

/* Resets the table entry of a vreg, and fills in its liveness at the header and behind the loop. */
static void forget_vreg(struct lir_loop *l, const struct lir_liveness *live, lir_vreg w) {
    l->vreg[w] = (struct loop_vreg){
        .always = true, .in = is_live(live, l->header, w), .out = is_live(live, l->exit, w)};
}

/* The same for a predicate. */
static void forget_pred(struct lir_loop *l, const struct lir_liveness *live, uint32_t p) {
    const uint32_t name = live->n_vregs + p;
    l->pred[p] = (struct loop_pred){
        .always = true, .in = is_live(live, l->header, name), .out = is_live(live, l->exit, name)};
}

/* Resets the entries of all vregs (whole groups) and predicates that the instruction names. */
static void forget(struct lir_loop *l, const struct lir_liveness *live, const struct lir_inst *in) {
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; n && k < l->fn->group_size[in->dst]; k++)
        forget_vreg(l, live, l->fn->group[in->dst] + k);
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0) continue;
        lir_vreg g = l->fn->group[in->src[i]];
        for (unsigned k = 0; k < l->fn->group_size[g]; k++) forget_vreg(l, live, g + k);
    }
    for (unsigned i = 0; i < 2; i++) forget_pred(l, live, in->pdst[i]);
    for (unsigned i = 0; i < 3; i++) forget_pred(l, live, in->psrc[i] >> 1);
    forget_pred(l, live, in->guard >> 1);
}

/* Counts the instruction's definitions, and notes whether every iteration passes them. */
static void note_definitions(struct lir_loop *l, struct lir_inst *in) {
    bool always = in->guard == LIR_PT && lir_dominates(in->block, l->latch);
    unsigned n = lir_dst_vregs(in);
    for (unsigned k = 0; k < n; k++) {
        l->vreg[in->dst + k].n_def++;
        l->vreg[in->dst + k].always &= always;
    }
    for (unsigned i = 0; i < 2; i++) {
        struct loop_pred *p = &l->pred[in->pdst[i]];
        if (!in->pdst[i]) continue;
        p->n_def++;
        p->always &= always;
    }
}

/* The loop_kind of a vreg or predicate. in: a value comes in; wanted: its value is needed at an
 * early exit. */
static uint8_t kind_of(uint32_t n_def, bool always, bool in, bool wanted) {
    if (wanted) return LOOP_KEEP;
    if (n_def == 1 && always) return LOOP_CHAIN;
    return in ? LOOP_KEEP : LOOP_LOCAL;
}

/* @return the name is live where lanes leave the loop in the middle of an iteration. */
static bool wanted_early(const struct lir_loop *l, const struct lir_liveness *live, uint32_t name) {
    for (uint32_t i = 0; l->breaks && i < l->n_blocks; i++)
        for (uint32_t k = 0; k < l->block[i]->n_succ; k++)
            if (!inside(l, l->block[i]->succ[k]) && l->block[i] != l->latch &&
                is_live(live, l->block[i]->succ[k], name))
                return true;
    return false;
}

/* Sets the kind of a group's vregs: one for all, since they get new names together. */
static void choose_group(struct lir_loop *l, const struct lir_liveness *live, lir_vreg g) {
    uint8_t kind = LOOP_CHAIN;
    bool in = false;
    for (unsigned k = 0; k < l->fn->group_size[g]; k++) {
        const struct loop_vreg *w = &l->vreg[g + k];
        uint8_t own = kind_of(w->n_def, w->always, w->in, wanted_early(l, live, g + k));
        if (own < kind) kind = own;
        in |= w->in;
    }
    if (kind == LOOP_LOCAL && in) kind = LOOP_KEEP;
    for (unsigned k = 0; k < l->fn->group_size[g]; k++) l->vreg[g + k].kind = kind;
}

/* Fills l->vreg and l->pred for the vregs and predicates that the loop uses: resets the entries of
 * all names in the loop, counts definitions, then chooses the kinds. `live`: of the function. */
void lir_loop_vregs(struct lir_loop *l, const struct lir_liveness *live) {
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) forget(l, live, in);
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (struct lir_inst *in = l->block[i]->first; in; in = in->next) note_definitions(l, in);
    for (uint32_t i = 0; i < l->n_blocks; i++)
        for (const struct lir_inst *in = l->block[i]->first; in; in = in->next) {
            if (lir_dst_vregs(in)) choose_group(l, live, l->fn->group[in->dst]);
            for (unsigned k = 0; k < 2; k++) {
                struct loop_pred *p = &l->pred[in->pdst[k]];
                const uint32_t name = live->n_vregs + in->pdst[k];
                p->kind = kind_of(p->n_def, p->always, p->in, wanted_early(l, live, name));
            }
        }
}

/* ---- values at the entry -------------------------------------------------------------------- */

/* @return the instruction writes vreg w. */
static bool writes(const struct lir_inst *in, lir_vreg w) {
    unsigned n = lir_dst_vregs(in);
    return n && w >= in->dst && w < in->dst + n;
}

/* @return whether vreg w holds a constant when the loop is entered; *value is it. Searches
 * backwards from the header's only other predecessor, while each block has one predecessor. */
bool lir_loop_start(const struct lir_loop *l, lir_vreg w, uint32_t *value) {
    const struct lir_block *b = NULL;
    for (uint32_t k = 0; k < l->header->n_pred; k++) {
        if (l->header->pred[k] == l->latch) continue;
        if (b) return false;
        b = l->header->pred[k];
    }
    for (uint32_t far = 0; b && far < l->fn->n_blocks; far++) {
        for (const struct lir_inst *in = b->last; in; in = in->prev) {
            if (!writes(in, w)) continue;
            const struct mir_src *s = &in->m.src[0];
            if (in->m.op != MIR_MOV || in->guard != LIR_PT || s->mods) return false;
            *value = s->kind == MIR_SRC_IMM ? s->value : 0;
            return s->kind == MIR_SRC_IMM || (s->kind == MIR_SRC_REG && in->src[0] == 0);
        }
        b = b->n_pred == 1 ? b->pred[0] : NULL;
    }
    return false;
}
