/* ptx_link.c - joins PTX texts (ptx_link.h). Callers are the loaders of fat binaries, which hold
 * one text per source file (cli/compile.c).
 *
 * It parses all texts first and notes which names each defines. Then it reads the tokens of each
 * text again, collects the edits, and copies the text with them. The text between edits stays as it
 * is. Each unit has an arena of its own; all memory but the result is freed at the end.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "ptx/parse/ptx_lex.h"
#include "ptx/parse/ptx_parse.h"

enum { STRONG = 1, TAKEN = 2 }; /* of a name: a strong definition exists; a weak one is written */

/* State shared by all texts. */
struct link {
    struct arena arena;
    struct ptx_words names; /* of definitions that other texts see */
    uint8_t *state;         /* of each, STRONG | TAKEN */
    uint32_t cap_state;
    uint32_t files; /* .file numbers given so far */
};

/* One text. */
struct unit {
    const char *text;
    uint32_t len;
    unsigned number; /* from 0 */
    struct arena arena;
    struct ptx_module *ast;
    bool *internal; /* [word] a name private to this text */
    uint32_t num_words;
    uint32_t files; /* one more than its largest .file number */
};

/* The state of a name that texts share; enters the name if it is new. Valid until the next call. */
static uint8_t *state_of(struct link *l, const char *text) {
    ptx_word w = ptx_words_intern(&l->names, text, strlen(text));
    if (w >= l->cap_state) {
        uint32_t cap = 2 * w + 64;
        uint8_t *more = arena_alloc(&l->arena, cap); /* zeroed */
        if (l->state) memcpy(more, l->state, l->cap_state);
        l->state = more;
        l->cap_state = cap;
    }
    return &l->state[w];
}

/* ---- definitions of a text */

/* Notes a definition or declaration: in u->internal, or as strong in the shared table. */
static void note(struct link *l, struct unit *u, ptx_word name, unsigned linkage, bool defines) {
    if (linkage == PTX_LINK_INTERNAL) u->internal[name] = true;
    if (linkage == PTX_LINK_VISIBLE && defines)
        *state_of(l, ptx_words_text(u->ast->words, name)) |= STRONG;
}

/* Notes all names that the text defines, and its largest file number. */
static void note_definitions(struct link *l, struct unit *u) {
    u->num_words = u->ast->words->count;
    u->internal = ARENA_ARRAY(&u->arena, bool, u->num_words);
    for (const struct ptx_var *v = u->ast->vars; v; v = v->next)
        note(l, u, v->name, v->linkage, true);
    for (const struct ptx_func *f = u->ast->funcs; f; f = f->next)
        if (!f->is_entry) note(l, u, f->name, f->linkage, f->has_body);
    for (const struct ptx_file *f = u->ast->files; f; f = f->next)
        if (f->index >= u->files) u->files = f->index + 1;
}

/* ---- edits of a text */

/* A change of the bytes [begin, end): they are dropped, a suffix is written, or another number. */
struct edit {
    uint32_t begin, end;
    enum { EDIT_DROP, EDIT_SUFFIX, EDIT_NUMBER } kind;
    uint64_t number; /* EDIT_NUMBER */
};
/* Edits in rising order. */
struct edits {
    struct edit *edit;
    uint32_t n, cap;
};

/* Appends an edit to the list. */
static void add(struct unit *u, struct edits *list, struct edit e) {
    *ARENA_PUSH(&u->arena, list->edit, list->n, list->cap) = e;
}

/* A directive or a definition at module scope, while its tokens are read. */
struct group {
    uint32_t begin, line; /* of its first token */
    uint32_t first_edit;  /* index of its first edit */
    bool by_line;         /* ends with its line, not with a semicolon or a body */
    bool weak, is_function, is_section, is_head; /* is_head: .version, .target, .address_size */
    ptx_word name, directive; /* first name; directive just read, whose number may follow */
    unsigned depth, parens;   /* open braces, parentheses */
};

/* Starts a group at its first token. */
static void begin_group(struct group *g, const struct ptx_token *t, uint32_t first_edit) {
    ptx_word w = t->kind == PTX_T_DOT ? t->word : PTX_W_NONE;
    *g = (struct group){.begin = t->begin, .line = t->line, .first_edit = first_edit};
    g->is_head = w == PTX_W_version || w == PTX_W_target || w == PTX_W_address_size;
    g->is_section = w == PTX_W_section;
    g->by_line = g->is_head || w == PTX_W_file;
}

/* Takes one of its tokens into account. @return it is the last one */
static bool take(struct group *g, const struct ptx_token *t) {
    if (t->kind == PTX_T_DOT) {
        g->weak |= t->word == PTX_W_weak || t->word == PTX_W_common;
        g->is_function |= t->word == PTX_W_func || t->word == PTX_W_entry;
    }
    if (t->kind == PTX_T_IDENT && !g->name && !g->parens && !g->depth) g->name = t->word;
    bool names_file = t->kind == PTX_T_DOT || t->word == PTX_W_inlined_at;
    g->directive = names_file ? t->word : PTX_W_NONE; /* of the next token */
    if (t->kind != PTX_T_PUNCT) return false;
    if (t->punct == '(') g->parens++;
    if (t->punct == ')' && g->parens) g->parens--;
    if (t->punct == '{') g->depth++;
    if (t->punct == '}' && g->depth) return --g->depth == 0 && g->is_function;
    return t->punct == ';' && g->depth == 0;
}

/* @return the group defines a weak name that has a definition already; else notes that it has one
 * now. Declarations, which have no body, may occur any number of times. */
static bool is_second(struct link *l, const struct unit *u, const struct group *g, bool has_body) {
    if (!g->weak || !g->name || (g->is_function && !has_body)) return false;
    uint8_t *state = state_of(l, ptx_words_text(u->ast->words, g->name));
    if (*state) return true;
    *state |= TAKEN;
    return false;
}

/* Adds the token's own edit: a suffix for a private name (not in the first text), a new number for
 * a source file. */
static void edit_token(const struct link *l, struct unit *u, struct edits *list,
                       const struct group *g, const struct ptx_token *t) {
    bool file = g->directive == PTX_W_file || g->directive == PTX_W_loc ||
                g->directive == PTX_W_inlined_at;
    if (file && t->kind == PTX_T_CONST)
        add(u, list, (struct edit){t->begin, t->end, EDIT_NUMBER, t->value.bits + l->files});
    if (t->kind == PTX_T_IDENT && t->word < u->num_words && u->internal[t->word] && u->number)
        add(u, list, (struct edit){t->end, t->end, EDIT_SUFFIX, 0});
}

/* Ends a group; `drop`: it is dropped, with the edits of its tokens. */
static void end_group(struct unit *u, struct edits *list, const struct group *g, uint32_t end,
                      bool drop) {
    if (!drop) return;
    list->n = g->first_edit;
    add(u, list, (struct edit){g->begin, end, EDIT_DROP, 0});
}

/* Fills `list` with the edits of the text. Reads all of its tokens. */
static heddle_err find_edits(struct link *l, struct unit *u, struct edits *list) {
    struct ptx_lexer lx;
    struct ptx_token t;
    struct group g = {0};
    bool in_group = false;
    ptx_lex_init(&lx, u->text, u->len, u->ast->words);
    for (ptx_lex_next(&lx, &t); t.kind != PTX_T_EOF; ptx_lex_next(&lx, &t)) {
        if (t.kind == PTX_T_ERROR) return HEDDLE_ERR_PTX_SYNTAX;
        if (in_group && g.by_line && t.line != g.line) {
            end_group(u, list, &g, t.begin, g.is_head && u->number);
            in_group = false;
        }
        if (!in_group) begin_group(&g, &t, list->n);
        in_group = true;
        edit_token(l, u, list, &g, &t);
        bool last = take(&g, &t);
        if (g.is_section && g.depth) { /* DWARF: its words are not PTX */
            if (!ptx_lex_skip_braces(&lx)) return HEDDLE_ERR_PTX_SYNTAX;
            last = true;
        }
        if (!last) continue;
        bool has_body = t.kind == PTX_T_PUNCT && t.punct == '}';
        end_group(u, list, &g, t.end, is_second(l, u, &g, has_body));
        in_group = false;
    }
    return HEDDLE_OK;
}

/* Writes the text with its edits to `out`, and adds its source files to l->files. */
static heddle_err write_unit(struct link *l, struct unit *u, FILE *out) {
    struct edits list = {0};
    uint32_t at = 0;
    heddle_err e = find_edits(l, u, &list);
    if (e) return e;
    for (uint32_t i = 0; i < list.n; i++) {
        const struct edit *d = &list.edit[i];
        fwrite(u->text + at, 1, d->begin - at, out);
        if (d->kind == EDIT_SUFFIX) fprintf(out, "$unit%u", u->number);
        if (d->kind == EDIT_NUMBER) fprintf(out, "%llu", (unsigned long long)d->number);
        at = d->end;
    }
    fwrite(u->text + at, 1, u->len - at, out);
    fputc('\n', out);
    l->files += u->files;
    return HEDDLE_OK;
}

/* Joins n >= 1 texts: parses all of them, then writes them one behind the other to *out, which ends
 * with NUL; the caller frees it with free(). @return HEDDLE_OK with *out_len set;
 * HEDDLE_ERR_PTX_SYNTAX (text in diag) or HEDDLE_ERR_NOMEM, with *out NULL. */
heddle_err ptx_link(const struct ptx_piece *piece, unsigned n, const char *name, char **out,
                    size_t *out_len, struct heddle_diag *diag) {
    struct link l = {0};
    struct unit *unit = heddle_alloc_array(n, sizeof *unit, "texts of PTX");
    heddle_err e = HEDDLE_OK;
    unsigned parsed = 0;
    arena_init(&l.arena);
    ptx_words_init(&l.names, &l.arena);
    *out = NULL;
    for (; parsed < n && !e; parsed++) {
        struct unit *u = &unit[parsed];
        char text_name[256];
        snprintf(text_name, sizeof text_name, "%s.%u", name, parsed + 1);
        u->text = piece[parsed].text;
        u->len = (uint32_t)strnlen(u->text, piece[parsed].len);
        u->number = parsed;
        arena_init(&u->arena);
        e = ptx_parse(u->text, u->len, text_name, &u->arena, &u->ast, diag);
        if (!e) note_definitions(&l, u);
    }
    FILE *joined = e ? NULL : open_memstream(out, out_len);
    if (!e && !joined) e = HEDDLE_ERR_NOMEM;
    for (unsigned i = 0; i < n && !e; i++) e = write_unit(&l, &unit[i], joined);
    /* fclose() shrinks the text; it does not report that this failed */
    if (joined && (fclose(joined) != 0 || !*out) && !e) e = HEDDLE_ERR_NOMEM;
    if (e) {
        free(*out);
        *out = NULL;
        if (diag && !*diag->text) heddle_fail(diag, e, "%s: the texts cannot be linked", name);
    }
    for (unsigned i = 0; i < parsed; i++) arena_free(&unit[i].arena);
    arena_free(&l.arena);
    free(unit);
    return e;
}
