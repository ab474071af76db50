/* lower_scope.c - the symbols of names: scopes, registers, sizes of variables.
 *
 * lm->binding holds the symbol of each name. A scope records the entries that it changes and
 * restores them when it ends. A range (%r<100>) binds a name when it is first used, so that
 * unused registers cost nothing.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). The functions change lm->binding and lo->scope, take memory from lo->arena,
 * create registers in lo->fn, and emit no code. Contracts: lower.h. */
#include "ptx/lower/lower.h"

#include <string.h>

/* ---- scopes --------------------------------------------------------------------------------- */

/* Binds w to sym and records its former symbol in s. */
void scope_bind(struct lower *lo, struct lower_scope *s, ptx_word w, struct lower_symbol *sym) {
    *ARENA_PUSH(lo->arena, s->entry, s->n_entries, s->cap_entries) = (struct scope_entry){
        .word = w, .before = lo->lm->binding[w], .after = sym};
    lo->lm->binding[w] = sym;
}

/* Makes a new scope lo->scope. */
struct lower_scope *scope_push(struct lower *lo, bool is_frame) {
    struct lower_scope *s = ARENA_NEW(lo->arena, struct lower_scope);
    s->outer = lo->scope;
    s->is_frame = is_frame;
    return lo->scope = s;
}

/* Restores the symbols that the names of scope s had before it. */
static void scope_undo(struct lower *lo, const struct lower_scope *s) {
    for (uint32_t i = s->n_entries; i-- > 0;)
        lo->lm->binding[s->entry[i].word] = s->entry[i].before;
}

/* Restores the names of lo->scope and leaves it. */
void scope_pop(struct lower *lo) {
    scope_undo(lo, lo->scope);
    lo->scope = lo->scope->outer;
}

/* Hides the names of the function at hand; see lower.h. */
void scope_hide(struct lower *lo) {
    for (const struct lower_scope *s = lo->scope; s; s = s->is_frame ? NULL : s->outer)
        scope_undo(lo, s);
}

/* Binds the names of the function's scopes again, from its outermost scope to s. */
static void show(struct lower *lo, const struct lower_scope *s) {
    if (!s->is_frame && s->outer) show(lo, s->outer);
    for (uint32_t i = 0; i < s->n_entries; i++)
        lo->lm->binding[s->entry[i].word] = s->entry[i].after;
}

/* Undoes scope_hide(). */
void scope_show(struct lower *lo) {
    show(lo, lo->scope);
}

/* ---- registers ------------------------------------------------------------------------------ */

/* Creates a symbol with new registers or a new predicate for v. Binds no name, emits no code.
 * @return it. */
struct lower_symbol *scope_new_register(struct lower *lo, const struct ptx_var *v) {
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
        s->word[i] = lir_new_vregs(lo->fn, ty_words(s->ty));
    return s;
}

/* Binds a name of a range: its prefix and a number below the range's size, without leading zeros.
 * @return NULL: no range has the name. */
static struct lower_symbol *range_lookup(struct lower *lo, ptx_word w) {
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
            struct lower_symbol *sym = scope_new_register(lo, r->var);
            scope_bind(lo, s, w, sym);
            return sym;
        }
    return NULL;
}

/* The symbol of w; NULL: none. May create and bind a register of a range. */
struct lower_symbol *lower_lookup(struct lower *lo, ptx_word w) {
    struct lower_symbol *s = lo->lm->binding[w];
    if (s && s->launches)
        lower_error(
            lo,
            "dynamic parallelism is not supported: '%s' has the address of kernel '%s', for "
            "launches by kernels; launch it from the host",
            ptx_words_text(lo->words, w), ptx_words_text(lo->words, s->launches));
    return s ? s : range_lookup(lo, w);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* @return bytes of a variable with all its elements; at most 2^46, without overflow. */
uint64_t var_bytes(const struct ptx_var *v) {
    uint64_t bytes = (uint64_t)ty_of_word(v->type).bits / 8 * v->vec;
    for (unsigned i = 0; i < v->n_dims; i++) {
        if (v->dim[i] && bytes > (UINT64_C(1) << 46) / v->dim[i]) return UINT64_C(1) << 46;
        bytes *= v->dim[i];
    }
    return bytes;
}

/* Alignment in bytes: the declared one, else the size of an element. */
uint32_t var_align(const struct ptx_var *v) {
    uint32_t natural = ty_of_word(v->type).bits / 8u * v->vec;
    if (v->align > natural) return v->align;
    return v->align ? v->align : natural ? natural : 1;
}
