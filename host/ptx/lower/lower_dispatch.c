/* lower_dispatch.c - walks the statements of a body and passes each instruction to its handler,
 * by tables/ptx_ops.def.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). lower_kernel.c calls lower_statements() for a kernel's body; lower_call.c calls
 * it, as lo->statements, for the body of a device function. It sets lo->stmt, lo->inst,
 * lo->mods, lo->guard, lo->loc and lo->pending for the handlers, binds labels and variables in
 * lo->scope, and reports instructions and modifiers without a handler. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_packed.h"
#include "ptx/lower/lower.h"

#include <string.h>

/* ---- instructions --------------------------------------------------------------------------- */

/* The handler of an opcode. *allowed receives the modifiers it understands (enum mod_seen).
 * NULL: the opcode has no handler, *allowed is unchanged. */
static lower_handler *find_handler(ptx_word op, uint32_t *allowed) {
    switch (op) {
#define OP(word, handler, mods) \
    case PTX_W_##word:          \
        *allowed = (mods);      \
        return handler;
#include "tables/ptx_ops.def"
#undef OP
    default: return NULL;
    }
}

/* Lowers one instruction: decodes modifiers and guard and calls the handler, which emits the
 * code. Integers packed in a word go to lower_packed_int(). Ends with lo->inst NULL and
 * lo->guard PT. */
static void lower_instruction(struct lower *lo, const struct ptx_stmt *s) {
    uint32_t allowed = 0;
    lo->inst = &s->inst;
    lo->pending++;
    lower_handler *handler = find_handler(s->inst.op, &allowed);
    mods_decode(&lo->mods, &s->inst);
    if (!handler || (lo->mods.seen & ~allowed)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    /* a scope without semantics and an eviction hint change no value */
    lo->guard = LIR_PT;
    if (s->inst.guarded) {
        struct lower_symbol *p = lower_lookup(lo, s->inst.guard);
        if (!p || p->kind != SYM_PRED) {
            lower_error(lo, "the guard '%s' is no declared predicate; declare it with .reg .pred",
                        ptx_words_text(lo->words, s->inst.guard));
            return;
        }
        lo->guard = lir_p(p->pred) ^ s->inst.guard_inverted;
    }
    const struct lir_block *block = lo->cur;
    struct lir_inst *last = lo->cur->last;
    lower_special_begin(lo);
    bool packed = lo->mods.n_ty && lo->mods.ty[0].packed && !ty_is_float(lo->mods.ty[0]);
    if (!packed)
        handler(lo);
    else if (s->inst.op == PTX_W_add || s->inst.op == PTX_W_min || s->inst.op == PTX_W_max)
        lower_packed_int(lo);
    else
        lower_unsupported(lo, "%s", "");
    lower_special_end(lo, block, last);
    lo->guard = LIR_PT;
    lo->inst = NULL;
}

/* ---- statements ----------------------------------------------------------------------------- */

/* Binds the labels of a block on entry, because a label may be used before its definition. */
static void bind_labels(struct lower *lo, const struct ptx_stmt *list) {
    for (const struct ptx_stmt *s = list; s; s = s->next) {
        if (s->kind != PTX_STMT_LABEL) continue;
        struct lower_symbol *sym = ARENA_NEW(lo->arena, struct lower_symbol);
        const struct ptx_stmt *after = s->next;
        if (after &&
            (after->kind == PTX_STMT_BRANCHTARGETS || after->kind == PTX_STMT_CALLTARGETS ||
             after->kind == PTX_STMT_CALLPROTOTYPE)) {
            sym->kind = SYM_TARGETS;
            sym->stmt = after;
        } else {
            sym->kind = SYM_LABEL;
            sym->block = lir_block_create(lo->fn);
        }
        scope_bind(lo, lo->scope, s->label, sym);
    }
}

/* The source line of .loc as MIR has it. Of a function of another file that was inlined, such as an
 * intrinsic of a header, it is the line of the call. */
static uint32_t source_place(const struct ptx_loc *l) {
    const bool elsewhere = l->at_line && l->at_file != l->file;
    const uint32_t file = elsewhere ? l->at_file : l->file, line = elsewhere ? l->at_line : l->line;
    return (file & 0xfff) << 20 | (line & 0xfffff);
}

/* A pragma: "nounroll" is for the block, "heddle_locked" for the store behind it
 * (docs/ptx-forms.md). Others are ignored, as ptxas ignores what it does not know. */
static void lower_pragma(struct lower *lo, const char *text) {
    if (!strcmp(text, "nounroll")) lo->cur->no_unroll = true;
    if (!strcmp(text, "heddle_locked")) lo->locked = true;
}

/* Reports .pragma "heddle_locked" that no store has used. */
static void check_locked(struct lower *lo) {
    if (!lo->locked || lo->failed) return;
    lower_error(lo, ".pragma \"heddle_locked\" stands right before a store (st) to global memory");
}

/* Lowers statements until the first error. A label starts its block; a nested block has a scope
 * of its own. */
static void lower_list(struct lower *lo, const struct ptx_stmt *list) {
    bind_labels(lo, list);
    for (const struct ptx_stmt *s = list; s && !lo->failed; s = s->next) {
        if (s->kind != PTX_STMT_INST && s->kind != PTX_STMT_LOC) check_locked(lo);
        lo->stmt = s;
        if (lo->failed) break;
        switch (s->kind) {
        case PTX_STMT_INST:
            lower_instruction(lo, s);
            check_locked(lo);
            break;
        case PTX_STMT_LABEL: {
            struct lower_symbol *sym = lo->lm->binding[s->label];
            if (sym->kind != SYM_LABEL) break;
            if (sym->block->id != UINT32_MAX) {
                lower_error(lo, "label '%s' stands twice in this block; rename one",
                            ptx_words_text(lo->words, s->label));
                break;
            }
            lower_start_block(lo, sym->block);
            break;
        }
        case PTX_STMT_VARS:
            for (const struct ptx_var *v = s->vars; v; v = v->next) lower_declare(lo, v);
            break;
        case PTX_STMT_BLOCK:
            scope_push(lo, false);
            lower_list(lo, s->block);
            scope_pop(lo);
            break;
        case PTX_STMT_LOC: lo->loc = source_place(&s->loc); break;
        case PTX_STMT_PRAGMA: lower_pragma(lo, ptx_words_text(lo->words, s->pragma)); break;
        default: break; /* targets, prototypes: read by their users */
        }
    }
    check_locked(lo);
}

/* Lowers a body's statements; binds its labels and variables in lo->scope. */
void lower_statements(struct lower *lo, const struct ptx_stmt *s) {
    lower_list(lo, s);
}
