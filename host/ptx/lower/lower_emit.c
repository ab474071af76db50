/* lower_emit.c - the base of the lowering: reports errors at the instruction at hand, and
 * appends instructions and blocks to the kernel.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). All other files of the lowering call these functions; their contracts stand in
 * lower.h. Emission appends to lo->cur and takes instructions from the arena of lo->fn. A
 * message goes to lm->diag and lm->err; nothing is printed. */
#include "ptx/lower/lower.h"
#include "ptx/parse/ptx_message.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- messages ------------------------------------------------------------------------------- */

/* Reports an error at a line (from 1) of the module: fills lm->diag and sets lm->err to
 * HEDDLE_ERR_PTX_UNSUPPORTED, over any earlier one. Finds the begin of the line in the module's
 * text, past its indentation. @return false. */
bool lower_module_error(struct lower_module *lm, uint32_t line, const char *format, ...) {
    char why[600];
    va_list ap;
    va_start(ap, format);
    vsnprintf(why, sizeof why, format, ap);
    va_end(ap);
    uint32_t at = ptx_line_begin(lm->ast->text, lm->ast->len, line);
    lm->err = ptx_fail_at(lm->diag, HEDDLE_ERR_PTX_UNSUPPORTED, lm->name, lm->ast->text,
                          lm->ast->len, at, at, "%s", why);
    return false;
}

/* Records the first error of a kernel, HEDDLE_ERR_PTX_UNSUPPORTED: sets lo->failed, lm->err and
 * lm->diag, with the place of the instruction at hand, or else of the statement. Ignores later
 * ones. */
static void fail(struct lower *lo, const char *why) {
    struct lower_module *lm = lo->lm;
    if (lo->failed) return;
    lo->failed = true;
    uint32_t begin = lo->inst ? lo->inst->begin : 0, end = lo->inst ? lo->inst->end : 0;
    if (!lo->inst) {
        lower_module_error(lm, lo->stmt ? lo->stmt->line : lo->kernel->line, "kernel '%s': %s",
                           ptx_words_text(lo->words, lo->kernel->name), why);
        return;
    }
    lm->err = ptx_fail_at(lm->diag, HEDDLE_ERR_PTX_UNSUPPORTED, lm->name, lm->ast->text,
                          lm->ast->len, begin, end, "kernel '%s': %s",
                          ptx_words_text(lo->words, lo->kernel->name), why);
}

/* Reports an error at the instruction at hand: formats the reason and records it by fail():
 * lo->failed, lm->err, lm->diag. The caller returns; what it emits afterwards is not used. */
void lower_error(struct lower *lo, const char *format, ...) {
    char why[500];
    va_list ap;
    va_start(ap, format);
    vsnprintf(why, sizeof why, format, ap);
    va_end(ap);
    fail(lo, why);
}

/* Writes the opcode with its modifiers, as written, into out[0..size). */
static void instruction_name(const struct lower *lo, char *out, size_t size) {
    size_t n = (size_t)snprintf(out, size, "%s", ptx_words_text(lo->words, lo->inst->op));
    for (uint32_t i = 0; i < lo->inst->n_mod && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, ".%s",
                              ptx_words_text(lo->words, lo->inst->mod[i]));
}

/* Refuses the instruction at hand, by name; without one, reports the reason alone. Recorded as in
 * lower_error(); an empty reason is left out. */
void lower_unsupported(struct lower *lo, const char *format, ...) {
    char name[160], detail[300];
    va_list ap;
    if (!lo->inst) {
        va_start(ap, format);
        vsnprintf(detail, sizeof detail, format, ap);
        va_end(ap);
        lower_error(lo, "not supported: %s", detail);
        return;
    }
    instruction_name(lo, name, sizeof name);
    va_start(ap, format);
    vsnprintf(detail, sizeof detail, format, ap);
    va_end(ap);
    lower_error(lo, "PTX instruction '%s' is not supported%s%s", name, detail[0] ? ": " : "",
                detail);
}

/* ---- emission ------------------------------------------------------------------------------- */

/* Appends b to the function and makes it lo->cur. */
static void append_block(struct lower *lo, struct lir_block *b) {
    lir_block_append(lo->fn, b);
    lo->cur = b;
}

/* Starts a new block if the current one ends with a branch. Pending counts go to the new block. */
static void leave_ended_block(struct lower *lo) {
    if (lo->cur->last && lir_is_terminator(lo->cur->last))
        append_block(lo, lir_block_create(lo->fn));
}

/* Appends an instruction to lo->cur; if that ends with a branch, a new block becomes lo->cur first.
 * Moves lo->pending, the count of PTX instructions, into the new instruction. @return it,
 * unguarded. */
struct lir_inst *emit(struct lower *lo, unsigned op) {
    leave_ended_block(lo);
    struct lir_inst *in = lir_inst_create(lo->fn, op);
    in->m.ptx_line = lo->stmt ? lo->stmt->line : 0;
    in->m.loc = lo->loc;
    in->m.ptx_count = (uint16_t)lo->pending;
    lo->pending = 0;
    lir_append(lo->cur, in);
    return in;
}

/* Emits d = op(a, b, c); a source MIR_SRC_NONE is absent, d 0: no result. emit2() and emit1() leave
 * the further sources absent. @return the instruction. */
struct lir_inst *emit3(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a,
                       struct lir_src b, struct lir_src c) {
    struct lir_inst *in = emit(lo, op);
    if (d) {
        in->dst = d;
        in->m.dst = 0;
    }
    lir_set_src(in, 0, a);
    lir_set_src(in, 1, b);
    lir_set_src(in, 2, c);
    return in;
}

struct lir_inst *emit2(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a,
                       struct lir_src b) {
    return emit3(lo, op, d, a, b, NO_SRC);
}

struct lir_inst *emit1(struct lower *lo, unsigned op, lir_vreg d, struct lir_src a) {
    const struct lir_src none = NO_SRC;
    return emit3(lo, op, d, a, none, none);
}

/* Emits BRA to target, taken by the lanes of guard; the list of targets is in lo->arena. @return
 * it. */
struct lir_inst *lower_branch(struct lower *lo, struct lir_block *target, lir_pref guard) {
    struct lir_inst *in = emit(lo, MIR_BRA);
    in->targets = ARENA_ARRAY(lo->arena, struct lir_block *, 1);
    in->targets[0] = target;
    in->n_targets = 1;
    in->guard = guard;
    return in;
}

/* Moves lo->pending, the count of PTX instructions not yet in any instruction, to the last
 * instruction of lo->cur, or to the empty block's lost_count. */
void lower_flush_count(struct lower *lo) {
    if (!lo->pending) return;
    leave_ended_block(lo);
    struct lir_block *b = lo->cur;
    if (b->last) {
        b->last->m.ptx_count = (uint16_t)(b->last->m.ptx_count + lo->pending);
    } else {
        b->lost_count += lo->pending;
        b->lost_line = lo->stmt ? lo->stmt->line : 0;
        b->lost_loc = lo->loc;
    }
    lo->pending = 0;
}

/* Flushes the count, then appends b and makes it lo->cur. */
void lower_start_block(struct lower *lo, struct lir_block *b) {
    lower_flush_count(lo);
    append_block(lo, b);
}
