/* check_names.c - messages, scopes, and what names stand for.
 *
 * ck->meaning holds what each name stands for in the scope at hand; a scope records what it changes
 * and restores it when it ends.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check.h"
#include "ptx/parse/ptx_message.h"

#include <stdio.h>
#include <string.h>

/* ---- messages ------------------------------------------------------------------------------- */

/* Records the first error, at bytes [begin, end) of the text. */
static void fail(struct check *ck, uint32_t begin, uint32_t end, const char *why) {
    if (ck->err) return;
    const char *what = !ck->func ? "" : ck->func->is_entry ? "kernel '" : "function '";
    ck->err = ptx_fail_at(ck->diag, HEDDLE_ERR_PTX_UNSUPPORTED, ck->name, ck->ast->text,
                          ck->ast->len, begin, end, "%s%s%s%s", what,
                          ck->func ? check_text(ck, ck->func->name) : "", ck->func ? "': " : "",
                          why);
}

bool check_error(struct check *ck, const char *format, ...) {
    char why[500];
    va_list ap;
    if (ck->err) return false;
    va_start(ap, format);
    vsnprintf(why, sizeof why, format, ap);
    va_end(ap);
    fail(ck, ck->inst->begin, ck->inst->end, why);
    return false;
}

bool check_error_at(struct check *ck, uint32_t line, const char *format, ...) {
    char why[500];
    va_list ap;
    if (ck->err) return false;
    va_start(ap, format);
    vsnprintf(why, sizeof why, format, ap);
    va_end(ap);
    uint32_t at = ptx_line_begin(ck->ast->text, ck->ast->len, line);
    fail(ck, at, at, why);
    return false;
}

/* Writes the opcode with its modifiers, as written, into out[0..size). */
static void instruction_name(const struct check *ck, char *name, size_t size) {
    size_t n = (size_t)snprintf(name, size, "%s", check_text(ck, ck->inst->op));
    for (uint32_t i = 0; i < ck->inst->n_mod && n < size; i++)
        n += (size_t)snprintf(name + n, size - n, ".%s", check_text(ck, ck->inst->mod[i]));
}

void check_gates(struct check *ck, const char *what, const struct check_gate *g) {
    char name[160];
    if (!what) instruction_name(ck, name, sizeof name);
    if (!what) what = name;
    if (g->version > ck->version)
        check_error(ck, "'%s' needs .version %u.%u; the module has %u.%u", what, g->version / 10,
                    g->version % 10, ck->version / 10, ck->version % 10);
    if (g->target > ck->ast->sm)
        check_error(ck, "'%s' needs .target sm_%u; the module has sm_%u", what, g->target,
                    ck->ast->sm);
    if (g->until_version && ck->version >= g->until_version && ck->ast->sm >= g->until_target)
        check_error(ck, "'%s' ended with .version %u.%u; write its newer form", what,
                    g->until_version / 10, g->until_version % 10);
}

bool check_unsupported(struct check *ck, const char *why) {
    char name[160];
    if (ck->lenient) return false;
    instruction_name(ck, name, sizeof name);
    return check_error(ck, "PTX instruction '%s' is not supported: %s", name, why);
}

/* ---- scopes --------------------------------------------------------------------------------- */

void check_push(struct check *ck) {
    struct check_scope *s = ARENA_NEW(ck->arena, struct check_scope);
    s->outer = ck->scope;
    ck->scope = s;
}

void check_pop(struct check *ck) {
    const struct check_scope *s = ck->scope;
    for (uint32_t i = s->n_bindings; i-- > 0;)
        ck->meaning[s->binding[i].word] = s->binding[i].outside;
    ck->scope = s->outer;
}

/* Binds w in scope s (NULL: the module). */
static struct check_name *bind(struct check *ck, struct check_scope *s, ptx_word w) {
    struct check_name *n = ARENA_NEW(ck->arena, struct check_name);
    if (s)
        *ARENA_PUSH(ck->arena, s->binding, s->n_bindings,
                    s->cap_bindings) = (struct check_binding){.word = w, .outside = ck->meaning[w]};
    n->scope = s;
    n->vec = 1;
    ck->meaning[w] = n;
    return n;
}

struct check_name *check_bind(struct check *ck, ptx_word w, uint32_t line, unsigned kind) {
    const struct check_name *before = ck->meaning[w];
    if (before && before->scope == ck->scope && before->kind != CHECK_SPECIAL)
        check_error_at(ck, line, "'%s' is declared twice in this block; rename one",
                       check_text(ck, w));
    struct check_name *n = bind(ck, ck->scope, w);
    n->kind = (uint8_t)kind;
    return n;
}

/* Fills in what a declared register is. */
static void set_register(struct check_name *n, const struct ptx_var *v) {
    n->kind = CHECK_REG;
    n->vec = v->vec;
    n->type = check_type_of(v->type);
    n->type_word = v->type;
}

/* Is w a name of the range v: its prefix and a number below its size, without leading zeros? */
static bool in_range(const struct check *ck, const struct ptx_var *v, ptx_word w) {
    const struct ptx_word_entry *e = &ck->words->entry[w], *prefix = &ck->words->entry[v->name];
    uint32_t n = 0, len = prefix->len;
    if (e->len <= len || e->len - len > 9 || memcmp(prefix->text, e->text, len)) return false;
    for (uint32_t k = len; k < e->len; k++) {
        if (e->text[k] < '0' || e->text[k] > '9') return false;
        n = 10 * n + (uint32_t)(e->text[k] - '0');
    }
    return n < v->range && (e->text[len] != '0' || e->len - len == 1);
}

void check_declare(struct check *ck, const struct ptx_var *v) {
    struct check_scope *s = ck->scope;
    if (v->space == PTX_SPACE_REG && v->is_range && s) {
        for (uint32_t i = 0; i < s->n_ranges; i++)
            if (s->range[i].var->name == v->name)
                check_error_at(ck, v->line, "registers '%s<...>' are declared twice in this block",
                               check_text(ck, v->name));
        for (uint32_t i = 0; i < s->n_bindings; i++)
            if (in_range(ck, v, s->binding[i].word) && ck->meaning[s->binding[i].word]->scope == s)
                check_error_at(ck, v->line, "'%s' is declared twice in this block; rename one",
                               check_text(ck, s->binding[i].word));
        *ARENA_PUSH(ck->arena, s->range, s->n_ranges,
                    s->cap_ranges) = (struct check_range){.var = v};
        return;
    }
    for (uint32_t i = 0; s && i < s->n_ranges; i++)
        if (in_range(ck, s->range[i].var, v->name))
            check_error_at(ck, v->line, "'%s' is declared twice in this block; rename one",
                           check_text(ck, v->name));
    struct check_name *n = check_bind(ck, v->name, v->line, CHECK_VAR);
    n->space = v->space;
    n->type = check_type_of(v->type);
    n->type_word = v->type;
    if (v->space == PTX_SPACE_REG) set_register(n, v);
}

/* ---- lookup --------------------------------------------------------------------------------- */

/* Binds a name of a range. @return NULL: no range has the name */
static struct check_name *lookup_range(struct check *ck, ptx_word w) {
    const struct ptx_word_entry *e = &ck->words->entry[w];
    if (e->len == 0 || e->text[e->len - 1] < '0' || e->text[e->len - 1] > '9') return NULL;
    for (struct check_scope *s = ck->scope; s; s = s->outer)
        for (uint32_t i = 0; i < s->n_ranges; i++)
            if (in_range(ck, s->range[i].var, w)) {
                struct check_name *name = bind(ck, s, w);
                set_register(name, s->range[i].var);
                return name;
            }
    return NULL;
}

/* The special registers: name, type, elements. */
static const struct {
    const char *name;
    ptx_word type;
    uint8_t vec;
} specials[] = {
#define SPECIAL(name, type, vec) {name, PTX_W_##type, vec},
#include "ptx/check/special_registers.def"
#undef SPECIAL
};

/* Binds a special register for the whole module. @return NULL: there is none of the name */
static struct check_name *lookup_special(struct check *ck, ptx_word w) {
    const char *t = check_text(ck, w);
    if (t[0] != '%') return NULL;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (strcmp(specials[i].name, t)) continue;
        struct check_name *n = bind(ck, NULL, w);
        n->kind = CHECK_SPECIAL;
        n->vec = specials[i].vec;
        n->gate = gate_of_register(t);
        n->old_width = !strcmp(t, "%gridid");
        n->type_word = specials[i].type;
        n->type = check_type_of(n->type_word);
        return n;
    }
    return NULL;
}

struct check_name *check_lookup(struct check *ck, ptx_word w) {
    struct check_name *n = w < ck->n_meaning ? ck->meaning[w] : NULL;
    if (!n && w < ck->n_meaning) n = lookup_range(ck, w);
    if (!n && w < ck->n_meaning) n = lookup_special(ck, w);
    if (n && n->kind == CHECK_FUNC) n->mentioned = true;
    if (n && n->kind == CHECK_SPECIAL && ck->inst) check_gates(ck, check_text(ck, w), &n->gate);
    return n;
}
