/* lower_declare.c - variables of a body: registers, local and shared memory, call parameters.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(), while it lowers a kernel. These functions bind names in lo->scope and assign
 * offsets in local and shared memory. They take symbols from lo->arena, create registers in
 * lo->fn, report errors in `lo`, and emit no code. lower_kernel.c calls lower_kernel_shared()
 * before a kernel's body; lower_dispatch.c calls lower_declare() for each declaration. */
#include "ptx/lower/lower_call.h"

/* ---- shared memory of a kernel -------------------------------------------------------------- */

/* Reserves static shared memory for v: advances lo->static_shared. @return its offset. */
static uint64_t place(struct lower *lo, const struct ptx_var *v) {
    uint64_t align = var_align(v);
    uint64_t at = (lo->static_shared + align - 1) & ~(align - 1);
    lo->static_shared = at + var_bytes(v);
    return at;
}

static void collect(struct lower *lo, const struct ptx_stmt *list);

/* Places the module's shared variable that the operand names, once per kernel. If it names a
 * function with a body, walks that body, once per kernel (seen_for). */
static void collect_operand(struct lower *lo, const struct ptx_operand *o) {
    if (o->kind == PTX_OPD_NAME) {
        struct lower_symbol *s = lo->lm->binding[o->name];
        if (!s) return;
        if (s->kind == SYM_VAR && s->space == PTX_SPACE_SHARED && !s->placed &&
            !s->var->incomplete) {
            s->placed = true;
            s->offset = place(lo, s->var);
        } else if (s->kind == SYM_FUNC && s->func->has_body && s->seen_for != lo->kernel) {
            s->seen_for = lo->kernel;
            collect(lo, s->func->body);
        }
    }
    for (uint32_t i = 0; i < o->n_sub; i++) collect_operand(lo, o->sub[i]);
}

/* Does lo->place hold the variable v of a body? */
static bool has_place(const struct lower *lo, const struct ptx_var *v) {
    for (uint32_t i = 0; i < lo->n_places; i++)
        if (lo->place[i].var == v) return true;
    return false;
}

/* Places the shared variables that the statements declare or name: adds to lo->place, sets
 * offsets of module-scope symbols, and advances lo->static_shared. */
static void collect(struct lower *lo, const struct ptx_stmt *list) {
    for (const struct ptx_stmt *s = list; s; s = s->next) {
        if (s->kind == PTX_STMT_BLOCK) collect(lo, s->block);
        if (s->kind == PTX_STMT_VARS)
            for (const struct ptx_var *v = s->vars; v; v = v->next)
                if (v->space == PTX_SPACE_SHARED && !v->incomplete && !has_place(lo, v))
                    *ARENA_PUSH(lo->arena, lo->place, lo->n_places, lo->cap_places) =
                        (struct shared_place){.var = v, .offset = place(lo, v)};
        if (s->kind == PTX_STMT_INST)
            for (uint32_t i = 0; i < s->inst.n_opd; i++) collect_operand(lo, s->inst.opd[i]);
    }
}

/* Gives offsets to the shared variables of a kernel and its callees; sets lo->place and
 * lo->static_shared, whose end is where dynamic shared memory begins. Marks functions in
 * seen_for. */
void lower_kernel_shared(struct lower *lo, const struct ptx_func *kernel) {
    struct lower_module *lm = lo->lm;
    for (uint32_t i = 0; i < lm->n_shared; i++) lm->shared[i]->placed = false;
    lo->static_shared = 0;
    collect(lo, kernel->body);
    /* dynamic shared memory follows the static part, with the strictest alignment of its names */
    uint64_t align = 1;
    for (uint32_t i = 0; i < lm->n_shared; i++)
        if (lm->shared[i]->var->incomplete && var_align(lm->shared[i]->var) > align)
            align = var_align(lm->shared[i]->var);
    lo->static_shared = (lo->static_shared + align - 1) & ~(align - 1);
    for (uint32_t i = 0; i < lm->n_shared; i++)
        if (lm->shared[i]->var->incomplete) lm->shared[i]->offset = lo->static_shared;
}

/* Binds a shared variable of a body at its offset in lo->place; an extern one at the begin of
 * dynamic shared memory. */
static void declare_shared(struct lower *lo, const struct ptx_var *v) {
    struct lower_symbol *s = ARENA_NEW(lo->arena, struct lower_symbol);
    s->kind = SYM_VAR;
    s->space = PTX_SPACE_SHARED;
    s->ty = ty_of_word(v->type);
    s->elem_bytes = s->ty.bits / 8u * v->vec;
    s->size = var_bytes(v);
    s->var = v;
    s->offset = lo->static_shared; /* extern inside a body: dynamic shared memory */
    for (uint32_t i = 0; i < lo->n_places; i++)
        if (lo->place[i].var == v) s->offset = lo->place[i].offset;
    scope_bind(lo, lo->scope, v->name, s);
}

/* ---- local memory --------------------------------------------------------------------------- */

/* Reserves `bytes` bytes of local memory for s: advances frame_bytes of lo->sub, or local_bytes
 * of lo->fn. */
void lower_place_local(struct lower *lo, struct lower_symbol *s, uint64_t bytes, uint32_t align) {
    uint32_t *end = lo->sub ? &lo->sub->frame_bytes : &lo->fn->local_bytes;
    *end = (*end + align - 1) & ~(align - 1);
    s->offset = *end;
    s->based = lo->sub != NULL;
    *end += (uint32_t)bytes;
}

/* Binds a variable in local memory and reserves its bytes. Reports more than 512 KiB per thread. */
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

/* ---- declarations --------------------------------------------------------------------------- */

/* A new symbol of a call's parameter, with one register per four bytes. Reports more than 16
 * KiB. Binds no name. */
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
    s->words = ARENA_ARRAY(lo->arena, lir_vreg, s->n_words + 3);
    for (uint32_t i = 0; i < s->n_words; i++) s->words[i] = lir_new_vregs(lo->fn, 1);
    return s;
}

/* Binds a register, a range of registers, or a variable in memory; reports other state spaces. */
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
            scope_bind(lo, lo->scope, v->name, scope_new_register(lo, v));
        }
        break;
    case PTX_SPACE_LOCAL: declare_local(lo, v); break;
    case PTX_SPACE_PARAM: scope_bind(lo, lo->scope, v->name, lower_declare_param(lo, v)); break;
    case PTX_SPACE_SHARED: declare_shared(lo, v); break;
    default:
        lower_unsupported(lo, "a variable of this state space inside a body; declare it at module "
                              "scope");
    }
}
