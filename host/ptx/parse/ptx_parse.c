/* ptx_parse.c - the module level of the parser, its tokens and its messages. */
#include "ptx/parse/ptx_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ------------------------------------------------------------------------------- */

static size_t append(struct heddle_diag *d, size_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static size_t append(struct heddle_diag *d, size_t n, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int k = vsnprintf(d->text + n, sizeof d->text - n, format, ap);
    va_end(ap);
    n += k > 0 ? (size_t)k : 0;
    return n < sizeof d->text ? n : sizeof d->text - 1;
}

/* The source line with a caret under [begin, end); long lines are shown around the place. */
static void append_source(struct heddle_diag *d, size_t n, const char *text, size_t len,
                          size_t line_begin, size_t begin, size_t end) {
    enum { SHOWN = 96, BEFORE = 48 };
    if (begin > len) begin = len;
    size_t line_end = begin > line_begin ? begin : line_begin; /* a \r may come before the place */
    while (line_end < len && text[line_end] != '\n' && text[line_end] != '\r') line_end++;
    if (line_end == line_begin) return; /* nothing to show */
    size_t from = line_begin;
    if (line_end - line_begin > SHOWN && begin - line_begin > BEFORE) from = begin - BEFORE;
    size_t to = line_end - from > SHOWN ? from + SHOWN : line_end;
    n = append(d, n, "\n    ");
    for (size_t i = from; i < to && n + 2 < sizeof d->text; i++) {
        unsigned char c = (unsigned char)text[i];
        d->text[n++] = c < ' ' ? ' ' : c < 0x7f ? (char)c : '?';
        d->text[n] = '\0';
    }
    n = append(d, n, "\n    ");
    for (size_t i = from; i < begin && i < to && n + 2 < sizeof d->text; i++) {
        d->text[n++] = ' ';
        d->text[n] = '\0';
    }
    n = append(d, n, "^");
    for (size_t i = begin + 1; i < end && i < to && n + 2 < sizeof d->text; i++) {
        d->text[n++] = '~';
        d->text[n] = '\0';
    }
}

static heddle_err fail_at(struct heddle_diag *diag, heddle_err e, const char *name,
                          const char *text, size_t len, uint32_t begin, uint32_t end,
                          const char *format, va_list ap) {
    if (!diag) return e;
    size_t line = 1, line_begin = 0;
    for (size_t i = 0; i < begin && i < len; i++)
        if (text[i] == '\n') {
            line++;
            line_begin = i + 1;
        }
    char why[600];
    vsnprintf(why, sizeof why, format, ap);
    diag->err = e;
    size_t n = append(diag, 0, "%.200s:%zu:%zu: error: %s", name, line, begin - line_begin + 1,
                      why);
    append_source(diag, n, text, len, line_begin, begin, end);
    return e;
}

heddle_err ptx_fail_at(struct heddle_diag *diag, heddle_err e, const char *name, const char *text,
                       size_t len, uint32_t begin, uint32_t end, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fail_at(diag, e, name, text, len, begin, end, format, ap);
    va_end(ap);
    return e;
}

static void error_at(struct ptx_parser *p, const struct ptx_token *t, const char *format,
                     va_list ap) {
    if (p->failed) return;
    p->failed = true;
    fail_at(p->diag, HEDDLE_ERR_PTX_SYNTAX, p->name, p->lx.text, p->lx.len, t->begin, t->end,
            format, ap);
    p->tok.kind = PTX_T_EOF;
}

void ptx_error_at(struct ptx_parser *p, const struct ptx_token *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    error_at(p, t, format, ap);
    va_end(ap);
}

void ptx_error(struct ptx_parser *p, const char *format, ...) {
    va_list ap;
    struct ptx_token t = p->tok;
    va_start(ap, format);
    error_at(p, &t, format, ap);
    va_end(ap);
}

/* ---- tokens --------------------------------------------------------------------------------- */

void ptx_advance(struct ptx_parser *p) {
    if (p->failed) return;
    ptx_lex_next(&p->lx, &p->tok);
    if (p->tok.kind == PTX_T_ERROR) ptx_error(p, "%s", p->lx.error);
}

bool ptx_is_punct(const struct ptx_parser *p, unsigned punct) {
    return p->tok.kind == PTX_T_PUNCT && p->tok.punct == punct;
}

bool ptx_is_dot(const struct ptx_parser *p, ptx_word word) {
    return p->tok.kind == PTX_T_DOT && p->tok.word == word;
}

bool ptx_accept_punct(struct ptx_parser *p, unsigned punct) {
    if (!ptx_is_punct(p, punct)) return false;
    ptx_advance(p);
    return true;
}

bool ptx_accept_dot(struct ptx_parser *p, ptx_word word) {
    if (!ptx_is_dot(p, word)) return false;
    ptx_advance(p);
    return true;
}

void ptx_expect_punct(struct ptx_parser *p, unsigned punct, const char *what) {
    if (!ptx_accept_punct(p, punct))
        ptx_error(p, "expected '%c' here: %s is missing", (char)punct, what);
}

ptx_word ptx_expect_name(struct ptx_parser *p, const char *what) {
    ptx_word w = p->tok.word;
    if (p->tok.kind != PTX_T_IDENT) {
        ptx_error(p,
                  "expected %s here; a name begins with a letter, or with _ $ %% and one more "
                  "character",
                  what);
        return PTX_W_NONE;
    }
    ptx_advance(p);
    return w;
}

bool ptx_enter(struct ptx_parser *p) {
    if (p->depth >= PTX_MAX_DEPTH) {
        ptx_error(p, "nested more than %d deep; flatten the braces or parentheses", PTX_MAX_DEPTH);
        return false;
    }
    p->depth++;
    return true;
}

void ptx_leave(struct ptx_parser *p) {
    if (p->depth) p->depth--;
}

/* ---- module directives ---------------------------------------------------------------------- */

/* .version MAJOR.MINOR: the lexer sees a decimal number, so its text is read again. */
static void parse_version(struct ptx_parser *p) {
    struct ptx_module *m = p->module;
    struct ptx_token t = p->tok;
    unsigned major = 0, minor = 0;
    char buf[16];
    size_t n = t.end - t.begin;
    if (t.kind != PTX_T_CONST || n >= sizeof buf) {
        ptx_error(p, "expected a version like 7.5 behind .version");
        return;
    }
    memcpy(buf, p->lx.text + t.begin, n);
    buf[n] = '\0';
    if (sscanf(buf, "%u.%u", &major, &minor) != 2 || major == 0) {
        ptx_error(p, "expected a version like 7.5 behind .version");
        return;
    }
    if (major > 9) {
        ptx_error(p,
                  "PTX version %u.%u is newer than 9.x, the newest understood; compile for an "
                  "older toolkit or update Heddle",
                  major, minor);
        return;
    }
    m->version_major = major;
    m->version_minor = minor;
    m->version_line = t.line;
    ptx_advance(p);
}

/* .target sm_75, debug, texmode_independent, ... */
static void parse_target(struct ptx_parser *p) {
    struct ptx_module *m = p->module;
    do {
        struct ptx_token t = p->tok;
        const char *w = ptx_words_text(p->words, ptx_expect_name(p, "a target like sm_70"));
        if (p->failed) return;
        unsigned sm = 0;
        char suffix = 0;
        int n = sscanf(w, "sm_%u%c", &sm, &suffix);
        if (n >= 1 && sm >= 10 && sm < 1000) {
            m->sm = sm;
            m->sm_suffix = n == 2 ? suffix : 0;
        } else if (strcmp(w, "debug") == 0) {
            m->target_debug = true;
        } else if (strcmp(w, "texmode_unified") && strcmp(w, "texmode_independent") &&
                   strcmp(w, "texmode_raw") && strcmp(w, "map_f64_to_f32")) {
            ptx_error_at(p, &t,
                         "target '%s' is not known; write sm_NN, debug, texmode_unified, "
                         "texmode_independent or map_f64_to_f32",
                         w);
        }
    } while (ptx_accept_punct(p, ','));
}

/* .file INDEX "NAME" [, TIME, SIZE] */
void ptx_parse_file(struct ptx_parser *p) {
    struct ptx_file *f = ARENA_NEW(p->arena, struct ptx_file);
    f->index = ptx_parse_u32(p, "a file number");
    if (p->tok.kind != PTX_T_STRING) {
        ptx_error(p, "expected the file's name in quotes behind its number");
        return;
    }
    f->name = p->tok.word;
    ptx_advance(p);
    while (ptx_accept_punct(p, ',')) (void)ptx_parse_int(p, "time stamp or size of a file");
    f->next = p->module->files;
    p->module->files = f;
}

/* .section NAME { DWARF data }: debuggers' business, skipped unread. */
void ptx_parse_section(struct ptx_parser *p) {
    if (p->tok.kind == PTX_T_DOT || p->tok.kind == PTX_T_IDENT)
        ptx_advance(p);
    else
        ptx_error(p, "expected a section name like .debug_info");
    if (!ptx_is_punct(p, '{')) {
        ptx_error(p, "expected '{' here: the contents of the section are missing");
        return;
    }
    struct ptx_token open = p->tok;
    if (!ptx_lex_skip_braces(&p->lx)) {
        ptx_error_at(p, &open, "this section does not end; close it with }");
        return;
    }
    ptx_advance(p);
}

/* .alias NAME, TARGET; */
static void parse_alias(struct ptx_parser *p) {
    struct ptx_alias *a = ARENA_NEW(p->arena, struct ptx_alias);
    a->line = p->tok.line;
    a->name = ptx_expect_name(p, "the name of an alias");
    ptx_expect_punct(p, ',', "the comma between alias and function");
    a->target = ptx_expect_name(p, "the function the alias stands for");
    ptx_expect_punct(p, ';', "the semicolon behind .alias");
    a->next = p->module->aliases;
    p->module->aliases = a;
}

struct module_tail {
    struct ptx_var **vars;
    struct ptx_func **funcs;
};

static void parse_module_item(struct ptx_parser *p, struct module_tail *tail) {
    struct ptx_module *m = p->module;
    unsigned linkage = PTX_LINK_INTERNAL;
    if (ptx_accept_punct(p, ';')) return;
    while (ptx_parse_linkage(p, &linkage)) {
    }
    if (p->failed) return;
    if (ptx_is_dot(p, PTX_W_entry) || ptx_is_dot(p, PTX_W_func)) {
        *tail->funcs = ptx_parse_func(p, linkage);
        if (*tail->funcs) tail->funcs = &(*tail->funcs)->next;
    } else if (ptx_at_space(p)) {
        *tail->vars = ptx_parse_vars(p, linkage);
        ptx_expect_punct(p, ';', "the semicolon behind a declaration");
        while (*tail->vars) tail->vars = &(*tail->vars)->next;
    } else if (ptx_accept_dot(p, PTX_W_version)) {
        parse_version(p);
    } else if (ptx_accept_dot(p, PTX_W_target)) {
        parse_target(p);
    } else if (ptx_accept_dot(p, PTX_W_address_size)) {
        struct ptx_token t = p->tok;
        m->addr_size = ptx_parse_u32(p, "the address size");
        if (m->addr_size != 32 && m->addr_size != 64)
            ptx_error_at(p, &t, "the address size is 32 or 64; correct the number");
    } else if (ptx_accept_dot(p, PTX_W_file)) {
        ptx_parse_file(p);
    } else if (ptx_accept_dot(p, PTX_W_section)) {
        ptx_parse_section(p);
    } else if (ptx_accept_dot(p, PTX_W_alias)) {
        parse_alias(p);
    } else if (ptx_accept_dot(p, PTX_W_pragma)) {
        do {
            if (p->tok.kind != PTX_T_STRING) ptx_error(p, "expected a string behind .pragma");
            ptx_advance(p);
        } while (ptx_accept_punct(p, ','));
        ptx_expect_punct(p, ';', "the semicolon behind .pragma");
    } else if (ptx_accept_dot(p, PTX_W_loc)) {
        for (int i = 0; i < 3; i++) (void)ptx_parse_u32(p, "a number of .loc");
    } else if (p->tok.kind == PTX_T_DOT) {
        ptx_error(p,
                  "directive '.%s' is not known at module scope; expected a declaration, .entry "
                  "or .func",
                  ptx_words_text(p->words, p->tok.word));
    } else {
        ptx_error(p, "expected a directive at module scope; instructions stand inside .entry or "
                     ".func");
    }
}

heddle_err ptx_parse(const char *text, size_t len, const char *name, struct arena *arena,
                     struct ptx_module **out, struct heddle_diag *diag) {
    *out = NULL;
    if (len > UINT32_MAX - 16)
        return heddle_fail(diag, HEDDLE_ERR_PTX_SYNTAX,
                           "%.200s: error: PTX texts of 4 GiB and more are not supported; split "
                           "the module",
                           name);
    struct ptx_module *m = ARENA_NEW(arena, struct ptx_module);
    struct ptx_parser p = {.arena = arena, .module = m, .name = name, .diag = diag};
    p.words = m->words = ARENA_NEW(arena, struct ptx_words);
    ptx_words_init(p.words, arena);
    m->text = text;
    m->len = len;
    m->addr_size = 64;
    ptx_lex_init(&p.lx, text, (uint32_t)len, p.words);
    struct module_tail tail = {&m->vars, &m->funcs};
    ptx_advance(&p);
    if (!ptx_is_dot(&p, PTX_W_version))
        ptx_error(&p, p.tok.kind == PTX_T_EOF ? "the PTX is empty; compile the program again"
                                              : "PTX begins with .version; is the file PTX text?");
    while (p.tok.kind != PTX_T_EOF) parse_module_item(&p, &tail);
    if (!p.failed && m->sm == 0)
        ptx_error(&p, "the module names no target; put .target sm_NN behind .version");
    if (p.failed) return HEDDLE_ERR_PTX_SYNTAX;
    *out = m;
    return HEDDLE_OK;
}
