/* lower_module.c - module-scope variables and functions: creates their symbols and initial
 * values.
 *
 * Part of the PTX compiler, in the `heddle` process: ptx_compile.c calls the exported functions
 * before any kernel is lowered, on the thread that calls ptx_compile(). They fill lm->binding
 * and lm->mir, take memory from lm->arena and the MIR module's arena, and report errors by
 * lower_module_error(). They emit no code. A function that returns bool returns false after it
 * has reported an error, unless its name is a question. */
#include "mir/mir_module.h"
#include "ptx/lower/lower.h"

#include <string.h>

/* The text of a word, for messages. */
static const char *word(const struct lower_module *lm, ptx_word w) {
    return ptx_words_text(lm->words, w);
}

/* ---- initial values ------------------------------------------------------------------------- */

/* The initial value of a variable, while it is filled. */
struct image {
    struct lower_module *lm;
    struct lower_symbol *owner; /* the variable */
    uint8_t *bytes;             /* its memory, owned by the MIR module */
    uint64_t size;              /* bytes */
    struct ty ty;               /* of an element */
};

/* Writes a constant at byte `at`, converted to the type of an element. */
static bool put_constant(struct image *im, uint64_t at, const struct ptx_init *i) {
    uint64_t bits = i->value.bits;
    unsigned n = im->ty.bits / 8u;
    double d;
    float f;
    uint32_t low = (uint32_t)bits;
    if (i->value.kind == PTX_CONST_F32 && im->ty.bits == 64) {
        memcpy(&f, &low, sizeof f);
        d = f;
        memcpy(&bits, &d, sizeof bits);
    } else if (i->value.kind == PTX_CONST_F64 && im->ty.bits == 32) {
        memcpy(&d, &bits, sizeof d);
        f = (float)d;
        memcpy(&low, &f, sizeof low);
        bits = low;
    } else if (i->value.kind == PTX_CONST_INT && im->ty.cls == TY_F && im->ty.bits >= 32) {
        d = i->value.is_unsigned ? (double)bits : (double)(int64_t)bits;
        f = (float)d;
        if (im->ty.bits == 64)
            memcpy(&bits, &d, sizeof bits);
        else
            memcpy(&bits, &f, sizeof f);
    }
    if (n == 0 || n > 8 || at + n > im->size)
        return lower_module_error(im->lm, i->line,
                                  "this initial value lies outside its variable; "
                                  "correct the initialiser");
    memcpy(im->bytes + at, &bits, n);
    return true;
}

/* Writes the address of a function or variable at byte `at`. The address of a .global variable
 * is known only when the module is loaded, so it becomes a relocation of lm->mir. A function is
 * marked `taken`. A kernel has no address: its bytes stay 0, and code that names the variable is
 * refused (lower_lookup()). NVIDIA's device runtime has such variables in each program
 * that is linked with it, whether or not the program uses them. */
static bool put_address(struct image *im, uint64_t at, const struct ptx_init *i) {
    struct lower_module *lm = im->lm;
    struct lower_symbol *s = lm->binding[i->name];
    if (s && s->kind == SYM_FUNC && s->func->has_body && !s->func->is_entry) {
        uint64_t value = lower_function_address(s) + (uint64_t)i->addend;
        unsigned n = i->mask ? 1 : im->ty.bits / 8u;
        if (i->mask) value = (value & i->mask) >> __builtin_ctzll(i->mask);
        if (at + n > im->size || n > 8)
            return lower_module_error(lm, i->line, "this address lies outside its variable");
        memcpy(im->bytes + at, &value, n);
        s->taken = true;
        return true;
    }
    if (s && s->kind == SYM_FUNC && s->func->is_entry) {
        im->owner->launches = i->name;
        lm->has_launches = true;
        return true;
    }
    if (!s || (s->kind != SYM_GLOBAL && s->kind != SYM_VAR))
        return lower_module_error(lm, i->line,
                                  "the address of '%s' cannot be an initial value; "
                                  "only addresses of variables and functions are supported",
                                  word(lm, i->name));
    if (i->mask || im->ty.bits != 64 || at + 8 > im->size)
        return lower_module_error(lm, i->line,
                                  "the address of '%s' is supported as a whole, in a "
                                  ".u64 or .b64 variable, only",
                                  word(lm, i->name));
    if (s->kind == SYM_VAR && !(i->generic && s->space == PTX_SPACE_CONST)) {
        uint64_t value = s->offset + (uint64_t)i->addend;
        memcpy(im->bytes + at, &value, 8);
        return true;
    }
    struct mir_module *m = lm->mir;
    *ARENA_PUSH(mir_module_arena(m), m->relocs, m->num_relocs, lm->cap_relocs) = (struct mir_reloc){
        .where = im->owner->index, .target = s->index, .offset = at, .addend = i->addend};
    return true;
}

/* Bytes of one element of dimension `level`, that is, of all dimensions below it. */
static uint64_t stride(const struct ptx_var *v, unsigned level) {
    uint64_t n = ty_of_word(v->type).bits / 8u;
    if (level < v->n_dims) n *= v->vec;
    for (unsigned d = level + 1; d < v->n_dims; d++) n *= v->dim[d];
    return n;
}

/* Writes initialiser i at byte `at`; a list fills dimension `level` of v, element by element. */
static bool put(struct image *im, const struct ptx_var *v, unsigned level, uint64_t at,
                const struct ptx_init *i) {
    switch (i->kind) {
    case PTX_INIT_CONST: return put_constant(im, at, i);
    case PTX_INIT_SYMBOL: return put_address(im, at, i);
    case PTX_INIT_LIST: {
        uint64_t step = stride(v, level);
        for (const struct ptx_init *e = i->list; e; e = e->next, at += step)
            if (!put(im, v, level + 1, at, e)) return false;
        return true;
    }
    default: return lower_module_error(im->lm, i->line, "samplers and textures are not supported");
    }
}

/* The number of elements of an open first dimension: those of its initialiser. */
static uint64_t count_elements(const struct ptx_init *i) {
    uint64_t n = 0;
    for (const struct ptx_init *e = i ? i->list : NULL; e; e = e->next) n++;
    return n;
}

/* ---- symbols -------------------------------------------------------------------------------- */

enum { MAX_VARIABLE = 1 << 30, MAX_CONST = 64 << 10 };

/* Adds a .global or .const variable to lm->mir->symbols and binds its name. Completes an open
 * first dimension of v from its initialiser. Assigns an address slot and, for .const, an offset
 * in the module's 64 KiB. */
static bool declare_symbol(struct lower_module *lm, struct ptx_var *v) {
    struct mir_module *m = lm->mir;
    struct arena *a = mir_module_arena(m);
    struct lower_symbol *s = ARENA_NEW(lm->arena, struct lower_symbol);
    bool is_const = v->space == PTX_SPACE_CONST;
    if (v->incomplete && v->init) v->dim[0] = count_elements(v->init);
    uint64_t size = var_bytes(v);
    if (size > (is_const ? MAX_CONST : MAX_VARIABLE))
        return lower_module_error(lm, v->line,
                                  "variable '%s' of %llu bytes is too large; at most %d "
                                  "are possible",
                                  word(lm, v->name), (unsigned long long)size,
                                  is_const ? MAX_CONST : MAX_VARIABLE);
    s->ty = ty_of_word(v->type);
    s->elem_bytes = s->ty.bits / 8u * v->vec;
    s->size = size;
    s->space = v->space;
    s->kind = is_const ? SYM_VAR : SYM_GLOBAL;
    s->index = m->num_symbols;
    struct mir_symbol *d = ARENA_PUSH(a, m->symbols, m->num_symbols, lm->cap_symbols);
    *d = (struct mir_symbol){.name = mir_module_text(m, word(lm, v->name)),
                             .space = is_const ? MIR_SPACE_CONST : MIR_SPACE_GLOBAL,
                             .align = var_align(v),
                             .size = size};
    if (is_const) {
        d->offset = (m->const_bytes + d->align - 1) & ~(uint64_t)(d->align - 1);
        s->offset = d->offset;
        if (d->offset + size > MAX_CONST)
            return lower_module_error(lm, v->line,
                                      "the .const variables of the module exceed 64 KiB "
                                      "with '%s'; move some to .global",
                                      word(lm, v->name));
        d->address_slot = m->const_bytes ? UINT32_MAX : m->address_slots++; /* one slot for all */
        m->const_bytes = (uint32_t)(d->offset + size);
    } else {
        d->address_slot = m->address_slots++;
    }
    lm->binding[v->name] = s;
    return true;
}

/* Is it a texture or surface reference? */
static bool is_reference(const struct ptx_var *v) {
    return v->type == PTX_W_texref || v->type == PTX_W_surfref;
}

/* Declares a texture or surface reference. A launch puts its handle into MIR_BANK_TEXTURE. */
static bool declare_reference(struct lower_module *lm, const struct ptx_var *v) {
    struct mir_module *m = lm->mir;
    if (v->n_dims || v->init)
        return lower_module_error(lm, v->line,
                                  "'%s': an array of texture or surface references, or one with "
                                  "an initial value, is not supported",
                                  word(lm, v->name));
    struct lower_symbol *s = ARENA_NEW(lm->arena, struct lower_symbol);
    s->kind = SYM_TEXREF;
    s->index = m->num_texrefs;
    *ARENA_PUSH(mir_module_arena(m), m->texrefs, m->num_texrefs,
                lm->cap_texrefs) = (struct mir_texref){
        .name = mir_module_text(m, word(lm, v->name)), .surface = v->type == PTX_W_surfref};
    lm->binding[v->name] = s;
    return true;
}

/* Creates the bytes of a variable's initial value, if it has one. */
static bool initialise(struct lower_module *lm, const struct ptx_var *v) {
    struct lower_symbol *s = lm->binding[v->name];
    struct mir_symbol *d = &lm->mir->symbols[s->index];
    if (!v->init) return true;
    struct image im = {.lm = lm, .owner = s, .size = d->size, .ty = s->ty};
    im.bytes = arena_alloc(mir_module_arena(lm->mir), d->size);
    d->init = im.bytes;
    return put(&im, v, 0, 0, v->init);
}

/* Binds a .shared variable and adds it to lm->shared; each kernel places it (lower_declare.c). */
static void declare_module_shared(struct lower_module *lm, const struct ptx_var *v) {
    struct lower_symbol *s = ARENA_NEW(lm->arena, struct lower_symbol);
    s->kind = SYM_VAR;
    s->space = PTX_SPACE_SHARED;
    s->ty = ty_of_word(v->type);
    s->elem_bytes = s->ty.bits / 8u * v->vec;
    s->size = var_bytes(v);
    s->var = v;
    lm->binding[v->name] = s;
    *ARENA_PUSH(lm->arena, lm->shared, lm->n_shared, lm->cap_shared) = s;
}

/* Does the module define the variable that v declares .extern? */
static bool is_defined_elsewhere(const struct lower_module *lm, const struct ptx_var *v) {
    for (const struct ptx_var *o = lm->ast->vars; o; o = o->next)
        if (o != v && o->name == v->name && o->linkage != PTX_LINK_EXTERN) return true;
    return false;
}

/* Declares all variables of the module: fills lm->mir's symbols and lm->binding. An extern one must
 * be defined here too. @return false: an error, in lm->diag and lm->err. */
bool lower_module_variables(struct lower_module *lm) {
    for (struct ptx_var *v = lm->ast->vars; v; v = v->next) {
        if (v->space == PTX_SPACE_SHARED) {
            declare_module_shared(lm, v);
        } else if (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) {
            if (ty_of_word(v->type).bits == 0 && !is_reference(v))
                return lower_module_error(lm, v->line,
                                          "variable '%s' of type .%s is not supported: a "
                                          "texture has its sampler with it (texmode_unified)",
                                          word(lm, v->name), word(lm, v->type));
            if (v->linkage == PTX_LINK_EXTERN) {
                if (is_defined_elsewhere(lm, v)) continue;
                return lower_module_error(lm, v->line,
                                          "variable '%s' is .extern, and modules are "
                                          "not linked with others; define it here",
                                          word(lm, v->name));
            }
            if (lm->binding[v->name])
                return lower_module_error(lm, v->line, "'%s' is declared twice; remove one",
                                          word(lm, v->name));
            if (is_reference(v) ? !declare_reference(lm, v) : !declare_symbol(lm, v)) return false;
        } else {
            return lower_module_error(lm, v->line,
                                      "'%s': a variable of this state space has no "
                                      "place at module scope",
                                      word(lm, v->name));
        }
    }
    return true;
}

/* Does the module hold it in memory: a .global or .const variable? */
static bool is_held(const struct ptx_var *v) {
    return (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) &&
           v->linkage != PTX_LINK_EXTERN && !is_reference(v);
}

/* A variable with the address of one that holds a kernel's leads to that kernel, too. */
static void spread_launches(struct lower_module *lm) {
    const struct mir_module *m = lm->mir;
    struct lower_symbol **of = ARENA_ARRAY(lm->arena, struct lower_symbol *, m->num_symbols);
    for (const struct ptx_var *v = lm->ast->vars; v; v = v->next)
        if (is_held(v)) of[lm->binding[v->name]->index] = lm->binding[v->name];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < m->num_relocs; i++) {
            struct lower_symbol *where = of[m->relocs[i].where], *to = of[m->relocs[i].target];
            if (where->launches || !to->launches) continue;
            where->launches = to->launches;
            changed = true;
        }
    }
}

/* Fills the initial values of all .global and .const variables. */
bool lower_module_initialise(struct lower_module *lm) {
    for (const struct ptx_var *v = lm->ast->vars; v; v = v->next)
        if (is_held(v) && !initialise(lm, v)) return false;
    if (lm->has_launches) spread_launches(lm);
    return true;
}

/* Binds functions and aliases in lm->binding; a definition replaces a declaration. @return false:
 * an error, in lm->diag and lm->err. */
bool lower_module_functions(struct lower_module *lm) {
    for (const struct ptx_func *f = lm->ast->funcs; f; f = f->next) {
        struct lower_symbol *s = lm->binding[f->name];
        if (s && s->kind == SYM_FUNC && s->func->has_body) {
            if (f->has_body)
                return lower_module_error(lm, f->line, "'%s' is defined twice; remove one",
                                          word(lm, f->name));
            continue;
        }
        if (s && s->kind != SYM_FUNC)
            return lower_module_error(lm, f->line, "'%s' is a variable and a function; rename one",
                                      word(lm, f->name));
        s = ARENA_NEW(lm->arena, struct lower_symbol);
        s->kind = SYM_FUNC;
        s->func = f;
        s->index = lm->n_functions++;
        lm->binding[f->name] = s;
    }
    for (const struct ptx_alias *a = lm->ast->aliases; a; a = a->next) {
        if (!lm->binding[a->target] || lm->binding[a->target]->kind != SYM_FUNC)
            return lower_module_error(
                lm, a->line, "alias '%s' stands for no function of this module", word(lm, a->name));
        lm->binding[a->name] = lm->binding[a->target];
    }
    return true;
}
