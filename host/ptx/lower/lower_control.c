/* lower_control.c - handlers of branches, returns and exit. They end the current block or, for a
 * guarded instruction with branches inside, emit a branch around it. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_short.h"
#include "ptx/lower/lower.h"

static struct lir_block *label(struct lower *lo, ptx_word w) {
    struct lower_symbol *s = lo->lm->binding[w];
    if (s && s->kind == SYM_LABEL) return s->block;
    lower_error(lo, "label '%s' does not stand in this function", ptx_words_text(lo->words, w));
    return NULL;
}

void lower_bra(struct lower *lo) {
    if (!operands(lo, 1, 1)) return;
    if (opd(lo, 0)->kind != PTX_OPD_NAME) {
        lower_error(lo, "a branch wants a label");
        return;
    }
    struct lir_block *target = label(lo, opd(lo, 0)->name);
    if (target) lower_branch(lo, target, lo->guard);
}

/* brx.idx i, list: a chain of comparisons and branches. PTX leaves an index outside the list
 * undefined; here it takes the last target. */
void lower_brx(struct lower *lo) {
    if (!operands(lo, 2, 2)) return;
    struct lower_symbol *s = opd(lo, 1)->kind == PTX_OPD_NAME ? lo->lm->binding[opd(lo, 1)->name]
                                                              : NULL;
    if (lo->mods.n_extra != 1 || lo->mods.extra[0] != PTX_W_idx || !s || s->kind != SYM_TARGETS ||
        s->stmt->kind != PTX_STMT_BRANCHTARGETS || s->stmt->targets.n == 0) {
        lower_unsupported(lo, "brx.idx wants an index and the name of a .branchtargets list");
        return;
    }
    struct value i = value_of_word(src1(lo, opd(lo, 0), u32));
    struct lir_block *after = NULL;
    if (lo->guard != LIR_PT) {
        after = lir_block_create(lo->fn);
        lower_branch(lo, after, lir_pnot(lo->guard));
    }
    for (uint32_t k = 0; k < s->stmt->targets.n && !lo->failed; k++) {
        struct lir_block *target = label(lo, s->stmt->targets.name[k]);
        lir_pref p = LIR_PT;
        if (!target) return;
        if (k + 1 < s->stmt->targets.n) {
            struct value number = value_of_word(lir_imm(k));
            p = lir_p(compare_int(lo, MIR_CMP_EQ, false, &i, &number));
        }
        lower_branch(lo, target, p);
    }
    if (after) lower_start_block(lo, after);
}

void lower_under_guard(struct lower *lo, void (*what)(struct lower *lo)) {
    struct lir_block *skip = NULL;
    if (lo->guard != LIR_PT) {
        skip = lir_block_create(lo->fn);
        lower_branch(lo, skip, lir_pnot(lo->guard));
        lo->guard = LIR_PT;
    }
    what(lo);
    if (skip && !lo->failed) lower_start_block(lo, skip);
}

void lower_exit(struct lower *lo) {
    if (operands(lo, 0, 0)) emit(lo, MIR_EXIT)->guard = lo->guard;
}

void lower_ret(struct lower *lo) {
    if (!operands(lo, 0, 0)) return;
    if (lo->frame->ret)
        lower_branch(lo, lo->frame->ret, lo->guard);
    else
        emit(lo, MIR_EXIT)->guard = lo->guard;
}

void lower_trap(struct lower *lo) {
    if (operands(lo, 0, 0)) emit(lo, MIR_TRAP)->guard = lo->guard;
}

void lower_nanosleep(struct lower *lo) {
    if (!operands(lo, 1, 1)) return;
    emit1(lo, MIR_NANOSLEEP, 0, src1(lo, opd(lo, 0), u32))->guard = lo->guard;
}

/* pmevent triggers a hardware counter, which Heddle does not have: emits a NOP. */
void lower_pmevent(struct lower *lo) {
    if (operands(lo, 1, 1)) emit(lo, MIR_NOP)->guard = lo->guard;
}
