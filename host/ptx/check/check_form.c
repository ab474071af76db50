/* check_form.c - compiles the rows of tables/ptx_forms.def, and finds the row of an instruction.
 *
 * The modifiers of an instruction are a set: their order does not matter, but for types, which are
 * counted in the order written, and for words that belong to the operation's name (mul.lo,
 * cp.async), which come first.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row as written. */
static const struct {
    uint32_t op;
    const char *modifiers, *operands;
} rows[] = {
#define SET(name, words)
#define FORM(word, modifiers, operands) {PTX_W_##word, modifiers, operands},
#include "tables/ptx_forms.def"
#undef FORM
#undef SET
};

/* Lists of words that rows name: $int. */
static const struct {
    const char *name, *words;
} sets[] = {
#define SET(name, words) {#name, words},
#define FORM(word, modifiers, operands)
#include "tables/ptx_forms.def"
#undef FORM
#undef SET
};

void forms_init(struct forms *f, struct arena *arena, struct ptx_words *words) {
    *f = (struct forms){.arena = arena, .words = words};
}

unsigned form_space(ptx_word w) {
    switch (w) {
    case PTX_W_global: return PTX_SPACE_GLOBAL;
    case PTX_W_shared:
    case PTX_W_shared_cta:
    case PTX_W_shared_cluster: return PTX_SPACE_SHARED;
    case PTX_W_local: return PTX_SPACE_LOCAL;
    case PTX_W_const_: return PTX_SPACE_CONST;
    case PTX_W_param:
    case PTX_W_param_entry:
    case PTX_W_param_func: return PTX_SPACE_PARAM;
    default: return PTX_SPACE_NONE;
    }
}

/* ---- compiling a row ------------------------------------------------------------------------ */

/* The words of set `name[0..n)`. */
static const char *set_words(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strlen(sets[i].name) == n && !strncmp(sets[i].name, name, n)) return sets[i].words;
    return "";
}

/* Appends the words of `text[0..n)`, separated by bars; sets are replaced by their words.
 * @return the new number */
static uint32_t add_words(struct forms *f, const char *text, size_t n, ptx_word **list,
                          uint32_t count, uint32_t *cap) {
    for (size_t at = 0; at < n;) {
        size_t len = 0;
        while (at + len < n && text[at + len] != '|') len++;
        if (text[at] == '$') {
            const char *words = set_words(text + at + 1, len - 1);
            count = add_words(f, words, strlen(words), list, count, cap);
        } else {
            *ARENA_PUSH(f->arena, *list, count, *cap) = ptx_words_intern(f->words, text + at, len);
        }
        at += len + 1;
    }
    return count;
}

/* Adds the group `text[0..n)`: [a|b] may be missing, .a|b stands at its place. */
static void add_group(struct forms *f, struct form *form, const char *text, size_t n) {
    struct form_group *g = &form->group[form->n_groups++];
    uint32_t cap = 0;
    ptx_word *list = NULL;
    if (text[0] == '[') {
        g->optional = true;
        text++;
        n -= 2;
    } else if (text[0] == '.') {
        g->fixed = true;
        text++;
        n--;
    }
    g->n = (uint8_t)add_words(f, text, n, &list, 0, &cap);
    g->word = list;
    g->is_type = !g->fixed && g->n && check_type_of(list[0]).cls != CHECK_NONE;
}

/* Reads the type of an operand behind its letter: a digit, with x for twice its size, or :word.
 * @return behind it */
static const char *operand_type(struct forms *f, struct form_operand *o, const char *t) {
    o->slot = -1;
    if (*t >= '0' && *t <= '4') {
        o->slot = (int8_t)(*t++ - '0');
        if (*t == 'x') {
            o->doubled = true;
            t++;
        }
    } else if (*t == ':') {
        size_t n = strspn(++t, "abcdefghijklmnopqrstuvwxyz0123456789");
        o->word = ptx_words_intern(f->words, t, n);
        o->type = check_type_of(o->word);
        t += n;
    }
    return t;
}

/* Adds the operand that `text` begins with. */
static void add_operand(struct forms *f, struct form *form, const char *text) {
    struct form_operand *o = &form->operand[form->n_operands++];
    char *end;
    o->lo = INT64_MIN;
    o->hi = INT64_MAX;
    if (*text == '?') {
        o->optional = true;
        text++;
    } else if (form->least == form->n_operands - 1) {
        form->least++;
    }
    if (*text >= '1' && *text <= '9') {
        o->count = (uint8_t)strtoul(text, &end, 10);
        text = end + 1; /* behind the * */
    }
    o->kind = *text++;
    text = operand_type(f, o, text);
    o->step = 1;
    if (*text == '=') {
        o->lo = strtoll(text + 1, &end, 10);
        o->hi = strtoll(end + 2, &end, 10); /* behind the .. */
        text = end;
        if (*text == '%') {
            o->step = strtoll(text + 1, &end, 10);
            text = end;
        }
    }
    for (; *text && *text != ' '; text++) {
        if (*text == '_') o->may_sink = true;
        if (*text == '/') o->pair = 1;
        if (*text == '!') o->first_stands = true;
        if (*text == '|') o->pair = 2;
        if (*text == '&') o->pair = 3;
    }
}

/* Compiles the rows of an operation, in their order. */
static void compile(struct forms *f, ptx_word op) {
    struct form **tail = &f->of[op];
    f->compiled[op] = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].op != op) continue;
        struct form *form = ARENA_NEW(f->arena, struct form);
        for (const char *t = rows[i].modifiers; *t;) {
            size_t n = strcspn(t, " ");
            if (n) add_group(f, form, t, n);
            t += n + (t[n] == ' ');
        }
        for (const char *t = rows[i].operands; *t;) {
            size_t n = strcspn(t, " ");
            if (n) add_operand(f, form, t);
            t += n + (t[n] == ' ');
        }
        *tail = form;
        tail = &form->next;
    }
}

/* ---- finding the form of an instruction ------------------------------------------------------ */

/* The text of a word. */
static const char *text(const struct forms *f, ptx_word w) {
    return ptx_words_text(f->words, w);
}

static bool has(const struct form_group *g, ptx_word w) {
    for (unsigned i = 0; i < g->n; i++)
        if (g->word[i] == w) return true;
    return false;
}

/* An attempt to fit a row to an instruction. */
struct attempt {
    const struct form *form;
    ptx_word got[FORM_MAX_GROUPS]; /* the word of each group; NONE: none yet */
    ptx_word type[FORM_MAX_TYPES]; /* of the type suffixes */
    unsigned n_types, matched;     /* matched: modifiers that fit, to choose the best reason */
    struct form_reason why;
};

/* The group that takes the modifier at place i; -1: none, and a->why says why. */
static int take(const struct forms *f, struct attempt *a, const struct ptx_inst *in, uint32_t i) {
    ptx_word w = in->mod[i];
    bool is_type = check_type_of(w).cls != CHECK_NONE;
    int used = -1;
    const struct form *form = a->form;
    if (i < form->n_groups && form->group[i].fixed) {
        if (has(&form->group[i], w)) return (int)i;
        snprintf(a->why.text, sizeof a->why.text, "'.%.40s' does not go with it", text(f, w));
        return -1;
    }
    for (unsigned k = 0; k < form->n_groups; k++) {
        const struct form_group *g = &form->group[k];
        if (g->fixed || (is_type && !g->is_type)) continue;
        if (is_type && a->got[k]) continue; /* the next suffix */
        if (has(g, w)) {
            if (!a->got[k]) return (int)k;
            used = (int)k;
        }
        if (is_type && !g->optional) break; /* types are counted in their order */
    }
    if (used >= 0 && a->got[used] == w)
        snprintf(a->why.text, sizeof a->why.text, "modifier '.%.40s' stands twice", text(f, w));
    else if (used >= 0)
        snprintf(a->why.text, sizeof a->why.text,
                 "modifiers '.%.40s' and '.%.40s' exclude each other", text(f, a->got[used]),
                 text(f, w));
    else
        snprintf(a->why.text, sizeof a->why.text, "%s '.%.40s' does not go with it",
                 is_type ? "type" : "modifier", text(f, w));
    return -1;
}

/* Fits a row. @return it fits */
static bool fits(const struct forms *f, struct attempt *a, const struct ptx_inst *in) {
    const struct form *form = a->form;
    for (uint32_t i = 0; i < in->n_mod; i++) {
        int k = take(f, a, in, i);
        if (k < 0) return false;
        a->got[k] = in->mod[i];
        a->matched++;
        if (form->group[k].is_type && a->n_types < FORM_MAX_TYPES)
            a->type[a->n_types++] = in->mod[i];
    }
    for (unsigned k = 0; k < form->n_groups; k++) {
        const struct form_group *g = &form->group[k];
        if (g->optional || a->got[k]) continue;
        int n = snprintf(a->why.text, sizeof a->why.text, "it wants ");
        for (unsigned i = 0; i < g->n && n < 120; i++)
            n += snprintf(a->why.text + n, sizeof a->why.text - (size_t)n, "%s.%.20s",
                          i == 0          ? ""
                          : i + 1 == g->n ? " or "
                                          : ", ",
                          text(f, g->word[i]));
        return false;
    }
    return true;
}

/* Fills in what the modifiers mean for the operands. */
static void fill(struct form_use *u, const struct attempt *a, const struct ptx_inst *in) {
    u->form = a->form;
    u->vec = 1;
    for (uint32_t i = 0; i < in->n_mod; i++) {
        if (u->space == PTX_SPACE_NONE) u->space = form_space(in->mod[i]);
        if (in->mod[i] == PTX_W_v2) u->vec = 2;
        if (in->mod[i] == PTX_W_v4) u->vec = 4;
        if (in->mod[i] == PTX_W_v8) u->vec = 8;
        if (in->mod[i] == PTX_W_l2_cache_hint) u->hint = true;
    }
    for (unsigned i = 0; i < a->form->n_operands; i++) {
        struct form_operand *o = &u->operand[i];
        *o = a->form->operand[i];
        if (o->slot >= 0) {
            o->word = a->type[o->slot];
            o->type = check_type_of(o->word);
            if (o->doubled) o->type.bits = (uint8_t)(2 * o->type.bits);
        }
    }
}

struct form_use *forms_find(struct forms *f, const struct ptx_inst *in) {
    uint32_t hash = in->op;
    for (uint32_t i = 0; i < in->n_mod; i++) hash = hash * 31 + in->mod[i];
    hash ^= hash >> 10;
    struct form_use **slot = &f->use[hash % FORM_NAMES];
    for (struct form_use *u = *slot; u; u = u->next)
        if (u->op == in->op && u->n_mod == in->n_mod &&
            (!in->n_mod || !memcmp(u->mod, in->mod, in->n_mod * sizeof *in->mod)))
            return u;
    struct form_use *u = ARENA_NEW(f->arena, struct form_use);
    u->op = in->op;
    u->mod = in->mod;
    u->n_mod = in->n_mod;
    u->next = *slot;
    *slot = u;
    if (in->op >= PTX_W_COUNT) return u;
    if (!f->compiled[in->op]) compile(f, in->op);
    u->known = f->of[in->op] != NULL;
    unsigned best = 0;
    for (const struct form *form = f->of[in->op]; form; form = form->next) {
        struct attempt a = {.form = form};
        if (fits(f, &a, in)) {
            struct form_use *other = NULL;
            if (u->form) {
                other = ARENA_NEW(f->arena, struct form_use);
                *other = *u; /* the former one, behind this one */
            }
            fill(u, &a, in);
            u->other = other;
            continue;
        }
        if (form == f->of[in->op] || a.matched > best) {
            best = a.matched;
            u->why = a.why;
        }
    }
    return u;
}
