/* check_module.c - walks the functions of a module and checks each instruction.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check_module.h"
#include "ptx/check/check.h"

#include <string.h>

/* ---- statements ----------------------------------------------------------------------------- */

/* Checks the guard of the instruction at hand. */
static void check_guard(struct check *ck) {
    const struct check_name *n = check_lookup(ck, ck->inst->guard);
    if (!n || n->kind != CHECK_REG || n->type.cls != CHECK_PRED || n->vec > 1)
        check_error(ck, "the guard '%s' is no declared predicate; declare it with .reg .pred",
                    check_text(ck, ck->inst->guard));
}

/* Marks the functions that an operand names. */
static void mention(struct check *ck, const struct ptx_operand *o) {
    if (o->kind == PTX_OPD_NAME) (void)check_lookup(ck, o->name);
    for (uint32_t i = 0; i < o->n_sub; i++) mention(ck, o->sub[i]);
}

/* Does the word name an operation of tables/ptx_ops.def? */
static bool is_operation(ptx_word w) {
    switch (w) {
#define OP(word, handler, modifiers) case PTX_W_##word:
#include "tables/ptx_ops.def"
#undef OP
        return true;
    default: return false;
    }
}

/* Is it an operation of PTX that Heddle lacks, in a function that nothing calls? */
static bool is_lacking(const struct check *ck) {
    static const char *const lacking[] = {
        "mapa",    "getctarank", "sured",     "wgmma",
        "tcgen05", "multimem",   "tensormap", "clusterlaunchcontrol"};
    if (!ck->lenient) return true; /* the lowering refuses it */
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        if (!strcmp(lacking[i], check_text(ck, ck->inst->op))) return true;
    return false;
}

static void check_instruction(struct check *ck, const struct ptx_stmt *s) {
    ck->inst = &s->inst;
    struct form_use *u = forms_find(&ck->forms, &s->inst);
    if (u->known && !u->form)
        check_unsupported(ck, u->why.text);
    else if (u->form)
        check_operands(ck, u);
    if (u->form && !ck->err) {
        if (!u->gated) {
            u->gate = gate_of(ck->words, &s->inst);
            u->gated = true;
        }
        struct check_gate g = u->gate;
        gate_of_operands(&g, &s->inst);
        check_gates(ck, NULL, &g);
    }
    if (s->inst.op == PTX_W_call) check_call(ck);
    if (!u->known && s->inst.op != PTX_W_call && !is_operation(s->inst.op) && !is_lacking(ck))
        check_error(ck, "PTX instruction '%s' is not supported", check_text(ck, s->inst.op));
    if (s->inst.guarded) check_guard(ck);
    if (!u->form)
        for (uint32_t i = 0; i < s->inst.n_opd; i++) mention(ck, s->inst.opd[i]);
    ck->inst = NULL;
}

/* Binds the labels of a block on entry, because a label may be used before it stands. */
static void bind_labels(struct check *ck, const struct ptx_stmt *list) {
    for (const struct ptx_stmt *s = list; s; s = s->next) {
        if (s->kind != PTX_STMT_LABEL) continue;
        const struct ptx_stmt *after = s->next;
        bool targets = after && (after->kind == PTX_STMT_BRANCHTARGETS ||
                                 after->kind == PTX_STMT_CALLTARGETS ||
                                 after->kind == PTX_STMT_CALLPROTOTYPE);
        check_bind(ck, s->label, s->line, targets ? CHECK_TARGETS : CHECK_LABEL);
    }
}

static void check_list(struct check *ck, const struct ptx_stmt *list) {
    bind_labels(ck, list);
    for (const struct ptx_stmt *s = list; s && !ck->err; s = s->next) {
        ck->stmt = s;
        switch (s->kind) {
        case PTX_STMT_INST: check_instruction(ck, s); break;
        case PTX_STMT_VARS:
            for (const struct ptx_var *v = s->vars; v; v = v->next) {
                check_variable_head(ck, v);
                check_declare(ck, v);
            }
            break;
        case PTX_STMT_BLOCK:
            check_push(ck);
            check_list(ck, s->block);
            check_pop(ck);
            break;
        case PTX_STMT_CALLTARGETS:
            for (uint32_t i = 0; i < s->targets.n; i++) {
                const struct check_name *n = check_lookup(ck, s->targets.name[i]);
                if (!n || n->kind != CHECK_FUNC)
                    check_error_at(ck, s->line, "'%s' is no function; a call cannot reach it",
                                   check_text(ck, s->targets.name[i]));
            }
            break;
        case PTX_STMT_BRANCHTARGETS:
            for (uint32_t i = 0; i < s->targets.n; i++) {
                const struct check_name *n = check_lookup(ck, s->targets.name[i]);
                if (!n || n->kind != CHECK_LABEL)
                    check_error_at(ck, s->line, "label '%s' does not stand in this function",
                                   check_text(ck, s->targets.name[i]));
            }
            break;
        default: break;
        }
    }
}

/* ---- the module ----------------------------------------------------------------------------- */

/* Checks a function's body. `lenient`: as check.h says. */
static void check_function(struct check *ck, const struct ptx_func *f, bool lenient) {
    ck->func = f;
    ck->lenient = lenient;
    check_push(ck);
    for (const struct ptx_var *v = f->rets; v; v = v->next) {
        check_variable_head(ck, v);
        check_declare(ck, v);
        if (ck->meaning[v->name]) ck->meaning[v->name]->is_result = true;
    }
    for (const struct ptx_var *v = f->params; v; v = v->next) {
        check_variable_head(ck, v);
        check_declare(ck, v);
        if (ck->meaning[v->name]) ck->meaning[v->name]->is_input = true;
    }
    check_list(ck, f->body);
    check_pop(ck);
    ck->func = NULL;
}

/* Checks that the module's version has its target. Newer ones than the table has are let pass. */
static void check_head(struct check *ck) {
    const struct ptx_module *m = ck->ast;
    uint32_t least = gate_target_version(m->sm, m->sm_suffix);
    if (!least && m->sm <= gate_newest_target())
        check_error_at(ck, m->version_line, "there is no target sm_%u", m->sm);
    else if (ck->version < least)
        check_error_at(ck, m->version_line,
                       "target sm_%u needs .version %u.%u; the module has "
                       "%u.%u",
                       m->sm, least / 10, least % 10, ck->version / 10, ck->version % 10);
}

/* Marks the functions whose addresses are initial values. */
static void mention_initialisers(struct check *ck, const struct ptx_init *i) {
    for (; i; i = i->next) {
        if (i->kind == PTX_INIT_SYMBOL) (void)check_lookup(ck, i->name);
        mention_initialisers(ck, i->list);
    }
}

static uint32_t alignment(const struct ptx_var *v) {
    return v->align ? v->align : check_type_of(v->type).bits / 8;
}

/* Are two lists of parameters the same but for names? */
static bool same_parameters(const struct ptx_var *a, const struct ptx_var *b) {
    for (; a && b; a = a->next, b = b->next)
        if (a->space != b->space || a->type != b->type || a->vec != b->vec ||
            a->n_dims != b->n_dims || memcmp(a->dim, b->dim, sizeof a->dim) ||
            alignment(a) != alignment(b))
            return false;
    return !a && !b;
}

/* Checks a function against its declaration before: the same parameters and linkage. A declaration
 * that is .visible or .weak may be repeated without that word. */
static void check_again(struct check *ck, const struct ptx_func *before, const struct ptx_func *f) {
    const char *name = check_text(ck, f->name);
    const bool shorter = f->linkage == PTX_LINK_INTERNAL && before->linkage != PTX_LINK_EXTERN;
    if (before->has_body && !f->has_body)
        check_error_at(ck, f->line, "'%s' is declared behind its definition", name);
    else if (f->linkage != before->linkage && !shorter)
        check_error_at(ck, f->line, "'%s' has another linkage than in its declaration in line %u",
                       name, before->line);
    else if (!same_parameters(before->params, f->params) || !same_parameters(before->rets, f->rets))
        check_error_at(ck, f->line, "'%s' has other parameters than in its declaration in line %u",
                       name, before->line);
}

/* Binds variables and functions. A function may be declared any number of times. */
static void bind_module(struct check *ck, bool linked) {
    for (const struct ptx_var *v = ck->ast->vars; v; v = v->next) {
        struct check_name *n = ck->meaning[v->name];
        check_variable_head(ck, v);
        if (n && n->defined && v->linkage != PTX_LINK_EXTERN)
            check_error_at(ck, v->line, "variable '%s' is declared twice; rename one",
                           check_text(ck, v->name));
        if (!n) n = check_bind(ck, v->name, v->line, CHECK_VAR); /* .extern may come again */
        n->defined |= v->linkage != PTX_LINK_EXTERN;
        n->space = v->space;
        n->type = check_type_of(v->type);
        n->type_word = v->type;
    }
    for (const struct ptx_func *f = ck->ast->funcs; f; f = f->next) {
        struct check_name *n = ck->meaning[f->name];
        if (n && (n->kind != CHECK_FUNC || (n->func && n->func->is_entry != f->is_entry)))
            check_error_at(ck, f->line, "'%s' is declared as something else before",
                           check_text(ck, f->name));
        else if (n && n->func && !linked)
            check_again(ck, n->func, f);
        if (f->has_body && f->linkage == PTX_LINK_EXTERN)
            check_error_at(ck, f->line, "'%s' is .extern, but has a body", check_text(ck, f->name));
        check_function_head(ck, f);
        if (!n) n = check_bind(ck, f->name, f->line, CHECK_FUNC);
        n->kind = CHECK_FUNC;
        n->func = f;
    }
    for (const struct ptx_alias *a = ck->ast->aliases; a; a = a->next)
        if (!ck->meaning[a->name]) check_bind(ck, a->name, a->line, CHECK_FUNC);
}

heddle_err check_module(struct ptx_module *m, const char *name, bool linked, struct arena *arena,
                        struct heddle_diag *diag) {
    struct check *ck = ARENA_NEW(arena, struct check);
    ck->arena = arena;
    ck->ast = m;
    ck->words = m->words;
    ck->name = name;
    ck->diag = diag;
    ck->n_meaning = m->words->count;
    ck->meaning = ARENA_ARRAY(arena, struct check_name *, ck->n_meaning);
    forms_init(&ck->forms, arena, m->words);
    ck->version = 10 * m->version_major + m->version_minor;
    check_head(ck);
    bind_module(ck, linked);
    check_constant_memory(ck);
    for (const struct ptx_var *v = m->vars; v; v = v->next) mention_initialisers(ck, v->init);
    for (const struct ptx_func *f = m->funcs; f && !ck->err; f = f->next)
        if (f->has_body && f->is_entry) check_function(ck, f, false);
    /* callers before callees, which mostly stand before them */
    const struct ptx_func **list = NULL;
    uint32_t n = 0, cap = 0;
    for (const struct ptx_func *f = m->funcs; f; f = f->next)
        if (f->has_body && !f->is_entry) *ARENA_PUSH(arena, list, n, cap) = f;
    while (n-- > 0 && !ck->err) {
        const struct check_name *fn = ck->meaning[list[n]->name];
        check_function(ck, list[n], !fn || !fn->mentioned);
    }
    return ck->err;
}
