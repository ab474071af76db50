/* lower_control.c - handlers of branches, returns, exit, traps and waits.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. A branch, a return or an
 * exit ends lo->cur; the next instruction starts a new block. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_short.h"
#include "ptx/lower/lower.h"

/* The block of label w of the function at hand. @return NULL: reported. */
static struct lir_block *label(struct lower *lo, ptx_word w) {
    struct lower_symbol *s = lo->lm->binding[w];
    if (s && s->kind == SYM_LABEL) return s->block;
    lower_error(lo, "label '%s' does not stand in this function", ptx_words_text(lo->words, w));
    return NULL;
}

/* bra label: a branch under lo->guard. */
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

/* Lowers by what(), inside a branch if the instruction is guarded. Sets lo->guard to PT. */
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

/* exit: ends the thread. */
void lower_exit(struct lower *lo) {
    if (operands(lo, 0, 0)) emit(lo, MIR_EXIT)->guard = lo->guard;
}

/* ret: branches to the end of an inlined function or subroutine; in a kernel, exits the thread. */
void lower_ret(struct lower *lo) {
    if (!operands(lo, 0, 0)) return;
    if (lo->frame->ret)
        lower_branch(lo, lo->frame->ret, lo->guard);
    else
        emit(lo, MIR_EXIT)->guard = lo->guard;
}

/* trap and brkpt: emit a TRAP. */
void lower_trap(struct lower *lo) {
    if (operands(lo, 0, 0)) emit(lo, MIR_TRAP)->guard = lo->guard;
}

/* nanosleep: the operand is a time in nanoseconds. */
void lower_nanosleep(struct lower *lo) {
    if (!operands(lo, 1, 1)) return;
    emit1(lo, MIR_NANOSLEEP, 0, src1(lo, opd(lo, 0), u32))->guard = lo->guard;
}

/* pmevent triggers a hardware counter, which Heddle does not have: emits a NOP. */
void lower_pmevent(struct lower *lo) {
    if (operands(lo, 1, 1)) emit(lo, MIR_NOP)->guard = lo->guard;
}
