/* lower_special.c - tags the instructions that count special operations (mir/mir_special.h):
 * divisions, roots, transcendental functions and others that hardware expands.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls ptx_compile().
 * lower_dispatch.c calls lower_special_begin() and lower_special_end() around every handler;
 * handlers of sequences with several ways call lower_tag(). Only tags change. */
#include "ptx/lower/lower.h"
#include "ptx/lower/lower_mods.h"

#include <stdio.h>

/* The number of the special operation at hand plus 1; 0: it is none. PTX rounds half precision to
 * nearest where it says nothing, and the table says ".rn". */
static uint16_t form_at_hand(const struct lower *lo) {
    char form[160];
    const struct ptx_inst *in = lo->inst;
    size_t n = (size_t)snprintf(form, sizeof form, "%s", ptx_words_text(lo->words, in->op));
    bool add_or_multiply = in->op == PTX_W_add || in->op == PTX_W_sub || in->op == PTX_W_mul;
    bool half = lo->mods.n_ty && ty_is_half(lo->mods.ty[0]);
    if (add_or_multiply && half && !(lo->mods.seen & M_ROUND))
        n += (size_t)snprintf(form + n, sizeof form - n, ".rn");
    for (uint32_t i = 0; i < in->n_mod && n < sizeof form; i++)
        n += (size_t)snprintf(form + n, sizeof form - n, ".%s",
                              ptx_words_text(lo->words, in->mod[i]));
    return n < sizeof form ? (uint16_t)(mir_special_find(form) + 1) : 0;
}

/* Before a handler: sets lo->special to the form at hand, or 0, and clears lo->special_counted. */
void lower_special_begin(struct lower *lo) {
    lo->special = form_at_hand(lo);
    lo->special_counted = false;
}

/* @return whether the instruction at hand has a guard that its code does not have: all lanes
 * compute, and a copy of the result is guarded. */
static bool copied_under_guard(const struct lower *lo) {
    return lo->inst->guarded && lo->guard != LIR_PT;
}

/* Makes the emitted instruction count the special operation at hand, in the `ways`
 * MIR_SPECIAL_COUNTS, MIR_SPECIAL_SLOW or both; notes in *lo that one counts. */
static void tag(struct lower *lo, struct lir_inst *in, unsigned ways) {
    in->m.special = (uint16_t)(lo->special | ways);
    if (ways & MIR_SPECIAL_COUNTS) lo->special_counted = true;
}

/* Handlers call it for an emitted instruction. Does nothing without a special operation at hand, or
 * where its copy is guarded: lower_special_end() then tags the copy. */
void lower_tag(struct lower *lo, struct lir_inst *in, unsigned ways) {
    if (lo->special && !copied_under_guard(lo)) tag(lo, in, ways);
}

/* @return whether the untagged instruction is executed by the lanes that execute the operation, and
 * stays when its neighbours are combined. */
static bool counts(const struct lower *lo, const struct lir_inst *in) {
    if (in->m.special || lir_is_terminator(in)) return false;
    if (copied_under_guard(lo)) return in->guard == lo->guard;
    return in->guard == LIR_PT && in->m.op != MIR_MOV;
}

/* @return the last instruction of a list for which counts() holds, else `found`. An addition may
 * become part of the multiplication before it, so that one is preferred. */
static struct lir_inst *last_of(const struct lower *lo, struct lir_inst *first,
                                struct lir_inst *found) {
    for (struct lir_inst *in = first; in; in = in->next) {
        bool sum = in->m.op == MIR_IADD3 || in->m.op == LIR_ADD64;
        if (counts(lo, in) && !(sum && found && found->m.op == MIR_IMAD)) found = in;
    }
    return found;
}

/* After a handler: if nothing counts the operation at hand, tags the last suitable instruction
 * emitted since. `block`, `last`: lo->cur and its last instruction (NULL: none) before the handler.
 * Without a suitable one, or after an error, the operation is not counted. Clears lo->special. */
void lower_special_end(struct lower *lo, const struct lir_block *block, struct lir_inst *last) {
    if (lo->special && !lo->special_counted && !lo->failed) {
        struct lir_inst *found = last_of(lo, last ? last->next : block->first, NULL);
        for (uint32_t b = block->id + 1; b < lo->fn->n_blocks; b++)
            found = last_of(lo, lo->fn->blocks[b]->first, found);
        if (found) tag(lo, found, MIR_SPECIAL_COUNTS);
    }
    lo->special = 0;
}
