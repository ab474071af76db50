/* ptx_parse.c - the module level of the parser (ptx_parse): directives, variables, functions.
 * ptx_compile and ptx_link call it, on the thread that compiles.
 *
 * Every parse_* function starts at the present token (p->tok), reads the tokens of its construct,
 * and puts what it found into p->module. Errors are recorded as ptx_parser.h says, so most
 * functions return no status.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_parser.h"

#include <stdio.h>
#include <string.h>

/* ---- module directives ---------------------------------------------------------------------- */

/* MAJOR.MINOR behind .version. The lexer sees a decimal number, so its text is read again. */
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

/* NAME, TARGET; behind .alias */
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

/* A function or kernel with its body, from .entry or .func on. @return its node, not yet in a
 * list */
static struct ptx_func *parse_func(struct ptx_parser *p, unsigned linkage) {
    struct ptx_func *f = ptx_parse_func_head(p, linkage);
    if (!f->has_body) return f;
    f->body = ptx_parse_block(p);
    f->end_line = p->tok.line;
    return f;
}

/* The ends of the module's lists, where new nodes go. */
struct module_tail {
    struct ptx_var **vars;
    struct ptx_func **funcs;
};

/* One directive, variable declaration or function at module scope. */
static void parse_module_item(struct ptx_parser *p, struct module_tail *tail) {
    struct ptx_module *m = p->module;
    unsigned linkage = PTX_LINK_INTERNAL;
    if (ptx_accept_punct(p, ';')) return;
    if (ptx_parse_linkage(p, &linkage)) {
        unsigned second;
        if (ptx_parse_linkage(p, &second))
            ptx_error(p, "a declaration has one of .extern, .visible, .weak and .common");
    }
    if (p->failed) return;
    if (ptx_is_dot(p, PTX_W_entry) || ptx_is_dot(p, PTX_W_func)) {
        *tail->funcs = parse_func(p, linkage);
        if (*tail->funcs) tail->funcs = &(*tail->funcs)->next;
    } else if (ptx_at_space(p)) {
        *tail->vars = ptx_parse_vars(p, linkage);
        ptx_expect_punct(p, ';', "the semicolon behind a declaration");
        while (*tail->vars) tail->vars = &(*tail->vars)->next;
    } else if (ptx_is_dot(p, PTX_W_version)) {
        if (m->version_line) ptx_error(p, "a module has one .version; remove this one");
        ptx_advance(p);
        parse_version(p);
    } else if (ptx_accept_dot(p, PTX_W_target)) {
        parse_target(p);
    } else if (ptx_accept_dot(p, PTX_W_address_size)) {
        struct ptx_token t = p->tok;
        if (m->addr_size_given)
            ptx_error_at(p, &t, "a module has one .address_size; remove this one");
        m->addr_size_given = true;
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

/* Parses text[0..len), which must stay as long as the tree: makes the module and the parser in
 * `arena`, reads items until the text ends, and checks that there is a target. @return HEDDLE_OK
 * with *out set; HEDDLE_ERR_PTX_SYNTAX with *out NULL and the first error in diag. */
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
