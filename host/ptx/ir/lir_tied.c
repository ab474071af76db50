/* lir_tied.c - ties results to the variable that they are copied into, by renaming
 * (lir_tie_operands). ptx_compile.c runs the pass once per kernel, before the scheduler.
 *
 * Front ends update a loop variable in a vreg of its own, which a copy then puts into the variable
 * (a 64-bit sum is made part by part, and must not overwrite what it still reads). The scheduler
 * would move the update away from the copy, above the last reads of the old value. No later pass
 * could then give both the same register, and the copy would stay in the loop. Where nothing
 * between the two touches the variable, the update writes the variable itself, and readers of the
 * result read the variable.
 *
 * The other way round, where a copy is changed under a guard (d = s; @p d = f(s)), readers of s
 * read d instead. If nothing else needs s, its live interval ends at the copy, and both may share
 * one register.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"
#include "ptx/ir/lir_passes.h"

/* @return the instruction reads vreg w. */
static bool reads(const struct lir_inst *in, lir_vreg w) {
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        unsigned n = lir_src_vregs(in, i);
        if (n && w >= in->src[i] && w < in->src[i] + n) return true;
    }
    return false;
}

/* @return the instruction writes vreg w. */
static bool writes(const struct lir_inst *in, lir_vreg w) {
    unsigned n = lir_dst_vregs(in);
    return n && w >= in->dst && w < in->dst + n;
}

/* @return an unguarded copy of a vreg. */
static bool is_copy(const struct lir_inst *in) {
    return in->m.op == MIR_MOV && in->guard == LIR_PT && in->dst && in->src[0] &&
           in->m.src[0].kind == MIR_SRC_REG && !in->m.src[0].mods;
}

/* Counts the reads of s behind its definition `step` in this block, by operands of one vreg, up to
 * the second write of d: there d, from the copy on, holds the same. With `rename` they read d.
 * @return reads */
static uint32_t reads_as_copy(struct lir_inst *step, lir_vreg s, lir_vreg d, bool rename) {
    uint32_t n = 0;
    bool copied = false;
    for (struct lir_inst *in = step->next; in; in = in->next) {
        for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
            if (lir_src_vregs(in, i) != 1 || in->src[i] != s) continue;
            n++;
            if (rename) in->src[i] = d;
        }
        if (!writes(in, d)) continue;
        if (copied) break;
        copied = true;
    }
    return n;
}

/* The instruction that may write the copy's result itself: nothing between the two reads or writes
 * that vreg, and all readers of the instruction's result can read it there. NULL: none. */
static struct lir_inst *step_of(const struct lir_fn *fn, const struct lir_inst *copy) {
    const struct lir_info *s = lir_vreg_info(fn, copy->src[0]);
    if (!s->def || s->def->block != copy->block || s->def->guard != LIR_PT) return NULL;
    if (lir_dst_vregs(s->def) != 1 || fn->scratch[copy->dst] || fn->scratch[copy->src[0]])
        return NULL;
    for (struct lir_inst *in = copy->prev; in; in = in->prev) {
        if (in == s->def)
            return reads_as_copy(in, copy->src[0], copy->dst, false) == s->n_use ? in : NULL;
        if (reads(in, copy->dst) || writes(in, copy->dst)) return NULL;
    }
    return NULL;
}

/* Counts the reads of s, by operands of one vreg, between the copy and the guarded change of its
 * result d. With `rename` they read d. @return reads; 0: no such change follows */
static uint32_t reads_until_change(struct lir_inst *copy, bool rename) {
    lir_vreg d = copy->dst, s = copy->src[0];
    uint32_t n = 0;
    for (struct lir_inst *in = copy->next; in; in = in->next) {
        for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
            if (!lir_src_vregs(in, i) || in->src[i] != s || lir_src_vregs(in, i) > 1) continue;
            n++;
            if (rename) in->src[i] = d;
        }
        if (writes(in, s)) return 0;
        if (writes(in, d)) return in->guard != LIR_PT && lir_dst_vregs(in) == 1 ? n : 0;
    }
    return 0;
}

/* Renames the readers of s to d if all of them lie between the copy and the guarded change of d. */
static void read_the_copy(const struct lir_fn *fn, struct lir_inst *copy) {
    uint32_t n = reads_until_change(copy, false);
    const struct lir_info *s = lir_vreg_info(fn, copy->src[0]);
    if (n && s->single && s->n_use == n + 1 && fn->group_size[copy->dst] == 1)
        reads_until_change(copy, true);
}

/* Looks at each copy: in loops ties the update to its variable and removes the copy, else lets
 * readers of the source read the copy. */
void lir_tie_operands(struct lir_fn *fn) {
    lir_cfg_build(fn);
    lir_analyze(fn);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        bool loop = fn->blocks[b]->loop_depth > 0;
        for (struct lir_inst *in = fn->blocks[b]->first, *next; in; in = next) {
            next = in->next;
            if (!is_copy(in)) continue;
            struct lir_inst *step = loop ? step_of(fn, in) : NULL;
            if (step) {
                reads_as_copy(step, in->src[0], in->dst, true);
                step->dst = in->dst;
                lir_remove(in);
            } else {
                read_the_copy(fn, in);
            }
        }
    }
}
