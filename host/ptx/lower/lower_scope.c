/* lower_scope.c - what names mean: scopes, declarations, statements.
 *
 * A name's meaning is one array entry (lm->binding). A scope remembers what it changed and puts it
 * back. Ranges (%r<100>) bind a name when it is first used. */
#include "ptx/lower/ptx_lower.h"

#include <string.h>

/* ---- scopes --------------------------------------------------------------------------------- */

void scope_bind(struct lower *lo, struct lower_scope *s, ptx_word w, struct lower_symbol *sym) {
    *ARENA_PUSH(lo->arena, s->entry, s->n_entries, s->cap_entries) = (struct scope_entry){
        .word = w, .before = lo->lm->binding[w], .after = sym};
    lo->lm->binding[w] = sym;
}

struct lower_scope *scope_push(struct lower *lo, bool is_frame) {
    struct lower_scope *s = ARENA_NEW(lo->arena, struct lower_scope);
    s->outer = lo->scope;
    s->is_frame = is_frame;
    return lo->scope = s;
}

static void scope_undo(struct lower *lo, const struct lower_scope *s) {
    for (uint32_t i = s->n_entries; i-- > 0;)
        lo->lm->binding[s->entry[i].word] = s->entry[i].before;
}

void scope_pop(struct lower *lo) {
    scope_undo(lo, lo->scope);
    lo->scope = lo->scope->outer;
}

void scope_hide(struct lower *lo) {
    for (const struct lower_scope *s = lo->scope; s; s = s->is_frame ? NULL : s->outer)
        scope_undo(lo, s);
}

static void show(struct lower *lo, const struct lower_scope *s) {
    if (!s->is_frame && s->outer) show(lo, s->outer);
    for (uint32_t i = 0; i < s->n_entries; i++)
        lo->lm->binding[s->entry[i].word] = s->entry[i].after;
}

void scope_show(struct lower *lo) {
    show(lo, lo->scope);
}

/* ---- registers ------------------------------------------------------------------------------ */

static struct lower_symbol *new_register(struct lower *lo, const struct ptx_var *v) {
    struct lower_symbol *s = ARENA_NEW(lo->arena, struct lower_symbol);
    s->ty = ty_of_word(v->type);
    s->vec = v->vec;
    if (s->ty.cls == TY_PRED) {
        s->kind = SYM_PRED;
        s->pred = lir_new_pred(lo->fn);
        return s;
    }
    s->kind = SYM_REG;
    for (unsigned i = 0; i < v->vec && i < 4; i++)
        s->word[i] = lir_new_words(lo->fn, ty_words(s->ty));
    return s;
}

/* A name of a range: its prefix and a number below the range's size, without leading zeros. */
struct lower_symbol *scope_range_lookup(struct lower *lo, ptx_word w) {
    const struct ptx_word_entry *e = &lo->words->entry[w];
    uint32_t digits = e->len;
    while (digits > 0 && e->text[digits - 1] >= '0' && e->text[digits - 1] <= '9') digits--;
    if (digits == e->len || e->len - digits > 9) return NULL;
    for (struct lower_scope *s = lo->scope; s; s = s->is_frame ? NULL : s->outer)
        for (uint32_t i = 0; i < s->n_ranges; i++) {
            const struct scope_range *r = &s->range[i];
            if (r->prefix_len < digits || r->prefix_len >= e->len ||
                memcmp(r->prefix, e->text, r->prefix_len))
                continue;
            uint32_t n = 0;
            for (uint32_t k = r->prefix_len; k < e->len; k++)
                n = 10 * n + (uint32_t)(e->text[k] - '0');
            if (n >= r->var->range || (e->text[r->prefix_len] == '0' && e->len - r->prefix_len > 1))
                continue;
            struct lower_symbol *sym = new_register(lo, r->var);
            scope_bind(lo, s, w, sym);
            return sym;
        }
    return NULL;
}

struct lower_symbol *lower_lookup(struct lower *lo, ptx_word w) {
    struct lower_symbol *s = lo->lm->binding[w];
    return s ? s : scope_range_lookup(lo, w);
}

/* ---- variables ------------------------------------------------------------------------------ */

uint64_t var_bytes(const struct ptx_var *v) {
    uint64_t bytes = (uint64_t)ty_of_word(v->type).bits / 8 * v->vec;
    for (unsigned i = 0; i < v->n_dims; i++) {
        if (v->dim[i] && bytes > (UINT64_C(1) << 46) / v->dim[i]) return UINT64_C(1) << 46;
        bytes *= v->dim[i];
    }
    return bytes;
}

uint32_t var_align(const struct ptx_var *v) {
    uint32_t natural = ty_of_word(v->type).bits / 8u * v->vec;
    if (v->align > natural) return v->align;
    return v->align ? v->align : natural ? natural : 1;
}

static void declare_local(struct lower *lo, const struct ptx_var *v) {
    struct lower_symbol *s = ARENA_NEW(lo->arena, struct lower_symbol);
    uint32_t align = var_align(v);
    uint64_t bytes = var_bytes(v);
    s->kind = SYM_VAR;
    s->space = PTX_SPACE_LOCAL;
    s->ty = ty_of_word(v->type);
    s->elem_bytes = s->ty.bits / 8u * v->vec;
    s->size = bytes;
    if (bytes > (512u << 10) || lo->fn->local_bytes + bytes > (512u << 10)) {
        lower_error(lo, "the local variables of a thread exceed 512 KiB; make '%s' smaller",
                    ptx_words_text(lo->words, v->name));
        return;
    }
    lower_place_local(lo, s, bytes, align);
    scope_bind(lo, lo->scope, v->name, s);
}

/* .param inside a body, formal parameters of device functions: words, one per four bytes. */
struct lower_symbol *lower_declare_param(struct lower *lo, const struct ptx_var *v) {
    struct lower_symbol *s = ARENA_NEW(lo->arena, struct lower_symbol);
    s->ty = ty_of_word(v->type);
    s->kind = SYM_PARAM;
    s->space = PTX_SPACE_PARAM;
    s->elem_bytes = s->ty.bits / 8u * v->vec;
    s->size = var_bytes(v);
    if (s->size > 16384) {
        lower_error(lo, "parameter '%s' of %llu bytes is larger than 16 KiB; pass a pointer",
                    ptx_words_text(lo->words, v->name), (unsigned long long)s->size);
        s->size = 4;
    }
    s->n_words = (uint32_t)((s->size + 3) / 4);
    s->words = ARENA_ARRAY(lo->arena, lir_word, s->n_words + 3);
    for (uint32_t i = 0; i < s->n_words; i++) s->words[i] = lir_new_words(lo->fn, 1);
    return s;
}

void lower_declare(struct lower *lo, const struct ptx_var *v) {
    switch (v->space) {
    case PTX_SPACE_REG:
        if (v->n_dims || v->init) {
            lower_error(lo, "registers have neither dimensions nor initial values; use .local");
        } else if (ty_of_word(v->type).bits == 0) {
            lower_unsupported(lo, "registers of type .%s", ptx_words_text(lo->words, v->type));
        } else if (v->vec > 4) {
            lower_unsupported(lo, "vector registers of more than four elements");
        } else if (v->is_range) {
            const struct ptx_word_entry *e = &lo->words->entry[v->name];
            *ARENA_PUSH(lo->arena, lo->scope->range, lo->scope->n_ranges, lo->scope->cap_ranges) =
                (struct scope_range){.prefix = e->text, .prefix_len = e->len, .var = v};
        } else {
            scope_bind(lo, lo->scope, v->name, new_register(lo, v));
        }
        break;
    case PTX_SPACE_LOCAL: declare_local(lo, v); break;
    case PTX_SPACE_PARAM: scope_bind(lo, lo->scope, v->name, lower_declare_param(lo, v)); break;
    case PTX_SPACE_SHARED: lower_declare_shared(lo, v); break;
    default:
        lower_unsupported(lo, "a variable of this state space inside a body; declare it at module "
                              "scope");
    }
}

/* ---- statements ----------------------------------------------------------------------------- */

/* Labels may be used before they stand: every block binds its own on entry. */
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

static void lower_list(struct lower *lo, const struct ptx_stmt *list) {
    bind_labels(lo, list);
    for (const struct ptx_stmt *s = list; s && !lo->failed; s = s->next) {
        lo->stmt = s;
        switch (s->kind) {
        case PTX_STMT_INST: lower_instruction(lo, s); break;
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
        case PTX_STMT_LOC:
            /* of an inlined place, the line in the inlined function itself */
            lo->loc = (s->loc.file & 0xfff) << 20 | (s->loc.line & 0xfffff);
            break;
        case PTX_STMT_PRAGMA:
            if (!strcmp(ptx_words_text(lo->words, s->pragma), "nounroll"))
                lo->cur->no_unroll = true;
            break;
        default: break; /* other pragmas, targets, prototypes: read where they are used */
        }
    }
}

void lower_statements(struct lower *lo, const struct ptx_stmt *s) {
    lower_list(lo, s);
}
