/* check_declare.c - declarations: types, sizes and initial values of variables, heads of functions.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check.h"

/* Is the type one that registers and variables may have? References to textures are. */
static bool is_storable(const struct ptx_var *v) {
    struct check_type t = check_type_of(v->type);
    switch (v->type) {
    case PTX_W_texref:
    case PTX_W_samplerref:
    case PTX_W_surfref: return true;
    case PTX_W_u16x2:
    case PTX_W_s16x2:
    case PTX_W_f32x2: return false;
    default:
        if (t.cls == CHECK_PRED) return v->space == PTX_SPACE_REG;
        if (t.packed && v->space == PTX_SPACE_PARAM) return false;
        return t.cls != CHECK_BFLOAT && t.bits >= 8;
    }
}

/* The number of elements in the braces of an initial value, nested or not. */
static uint64_t count_values(const struct ptx_init *i) {
    uint64_t n = 0;
    for (; i; i = i->next) n += i->kind == PTX_INIT_LIST ? count_values(i->list) : 1;
    return n;
}

/* Checks that initial values are integers for integers and floats for floats. */
static void check_values(struct check *ck, const struct ptx_var *v, const struct ptx_init *i) {
    bool is_float = check_type_of(v->type).cls == CHECK_FLOAT;
    for (; i; i = i->next) {
        if (i->kind == PTX_INIT_LIST)
            check_values(ck, v, i->list);
        else if (i->kind == PTX_INIT_CONST && (i->value.kind == PTX_CONST_INT) == is_float)
            check_error_at(ck, i->line, "an initial value of '%s' is %s, its type .%s is %s",
                           check_text(ck, v->name),
                           is_float ? "an integer" : "a floating-point number",
                           check_text(ck, v->type), is_float ? "not" : "none");
    }
}

/* Checks the initial value of a variable. */
static void check_initial(struct check *ck, const struct ptx_var *v) {
    uint64_t room = v->vec;
    for (unsigned i = 0; i < v->n_dims; i++) room *= v->dim[i];
    if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST && v->space != PTX_SPACE_TEX) {
        check_error_at(ck, v->line, "'%s' cannot have an initial value in its state space",
                       check_text(ck, v->name));
        return;
    }
    if (check_type_of(v->type).cls == CHECK_FLOAT && check_type_of(v->type).bits == 16)
        check_error_at(ck, v->line, "'%s' of type .%s cannot have an initial value; use .b16",
                       check_text(ck, v->name), check_text(ck, v->type));
    check_values(ck, v, v->init);
    if (v->init->kind == PTX_INIT_LIST && v->init->list && !v->incomplete &&
        v->init->list->kind != PTX_INIT_FIELD && count_values(v->init->list) > room)
        check_error_at(ck, v->line, "'%s' has more initial values than elements",
                       check_text(ck, v->name));
}

void check_variable_head(struct check *ck, const struct ptx_var *v) {
    const struct check_gate g = gate_of_type(v->type);
    const char *name = check_text(ck, v->name), *type = check_text(ck, v->type);
    if (g.version > ck->version || g.target > ck->ast->sm)
        check_error_at(ck, v->line, "type .%s needs .version %u.%u and .target sm_%u", type,
                       g.version / 10, g.version % 10, g.target);
    if (!is_storable(v))
        check_error_at(ck, v->line, "'%s' cannot have type .%s in its state space", name, type);
    if (v->vec > 4 || v->vec * check_type_of(v->type).bits > 128 ||
        (v->vec > 1 && v->space == PTX_SPACE_PARAM))
        check_error_at(ck, v->line, "'%s' cannot be a vector of %u elements of type .%s", name,
                       v->vec, type);
    if (v->space == PTX_SPACE_REG && v->n_dims)
        check_error_at(ck, v->line,
                       "registers have neither dimensions nor initial values; use "
                       ".local");
    bool sized = v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST ||
                 v->space == PTX_SPACE_SHARED || v->space == PTX_SPACE_LOCAL;
    for (unsigned i = 0; i < v->n_dims; i++)
        if (sized && v->linkage != PTX_LINK_EXTERN && !v->dim[i] && !v->init)
            check_error_at(ck, v->line, "'%s' has no size; only .extern variables have none", name);
    if (v->linkage == PTX_LINK_COMMON && v->space != PTX_SPACE_GLOBAL)
        check_error_at(ck, v->line, "'%s' is .common, which .global variables alone are", name);
    if (v->init) check_initial(ck, v);
}

void check_function_head(struct check *ck, const struct ptx_func *f) {
    for (const struct ptx_var *v = f->params; v; v = v->next)
        if (v->space != PTX_SPACE_PARAM && (f->is_entry || v->space != PTX_SPACE_REG))
            check_error_at(ck, v->line, "'%s' is no parameter; declare it with .param",
                           check_text(ck, v->name));
    for (const struct ptx_var *v = f->rets; v; v = v->next)
        if (v->space != PTX_SPACE_PARAM && v->space != PTX_SPACE_REG)
            check_error_at(ck, v->line, "'%s' is no result; declare it with .param or .reg",
                           check_text(ck, v->name));
    if (f->perf.maxntid[0] && f->perf.reqntid[0])
        check_error_at(ck, f->line, ".maxntid and .reqntid exclude each other");
    if (f->perf.maxnctapersm && ck->version >= 21)
        check_error_at(ck, f->line, ".maxnctapersm ended with .version 2.1; use .minnctapersm");
    if (f->perf.noreturn && f->is_entry)
        check_error_at(ck, f->line, ".noreturn is for functions; a kernel has none");
}

/* Bytes of a variable, at most 2^40. */
static uint64_t bytes_of(const struct ptx_var *v) {
    uint64_t bytes = check_type_of(v->type).bits / 8u * (uint64_t)v->vec;
    for (unsigned i = 0; i < v->n_dims && bytes < UINT64_C(1) << 40; i++) bytes *= v->dim[i];
    return bytes;
}

void check_constant_memory(struct check *ck) {
    enum { MOST = 64 << 10 };
    uint64_t bytes = 0;
    for (const struct ptx_var *v = ck->ast->vars; v; v = v->next) {
        if (v->space != PTX_SPACE_CONST || v->linkage == PTX_LINK_EXTERN) continue;
        bytes += bytes_of(v);
        if (bytes > MOST)
            check_error_at(ck, v->line, "the .const variables exceed 64 KiB; put '%s' into .global",
                           check_text(ck, v->name));
    }
}
