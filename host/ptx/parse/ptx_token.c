/* ptx_token.c - the parser's tokens, its errors, and the depth of nesting. All files of the parser
 * call these functions; contracts and the rule for errors are in ptx_parser.h.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_parser.h"

#include <stdarg.h>

#include "ptx/parse/ptx_message.h"

/* ---- errors --------------------------------------------------------------------------------- */

/* Records the error unless there is one already: writes p->diag, sets p->failed, and makes the
 * present token EOF. */
static void error_at(struct ptx_parser *p, const struct ptx_token *t, const char *format,
                     va_list ap) {
    if (p->failed) return;
    p->failed = true;
    ptx_vfail_at(p->diag, HEDDLE_ERR_PTX_SYNTAX, p->name, p->lx.text, p->lx.len, t->begin, t->end,
                 format, ap);
    p->tok.kind = PTX_T_EOF;
}

/* Records an error at token `t`, by error_at. */
void ptx_error_at(struct ptx_parser *p, const struct ptx_token *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    error_at(p, t, format, ap);
    va_end(ap);
}

/* The same at the present token. */
void ptx_error(struct ptx_parser *p, const char *format, ...) {
    va_list ap;
    struct ptx_token t = p->tok;
    va_start(ap, format);
    error_at(p, &t, format, ap);
    va_end(ap);
}

/* ---- tokens --------------------------------------------------------------------------------- */

/* Reads the next token into p->tok; an error token becomes an error. Does nothing after an
 * error. */
void ptx_advance(struct ptx_parser *p) {
    if (p->failed) return;
    ptx_lex_next(&p->lx, &p->tok);
    if (p->tok.kind == PTX_T_ERROR) ptx_error(p, "%s", p->lx.error);
}

/* @return the present token is this punctuation (ptx_is_dot: this dotted word). Nothing is
 * consumed. */
bool ptx_is_punct(const struct ptx_parser *p, unsigned punct) {
    return p->tok.kind == PTX_T_PUNCT && p->tok.punct == punct;
}

bool ptx_is_dot(const struct ptx_parser *p, ptx_word word) {
    return p->tok.kind == PTX_T_DOT && p->tok.word == word;
}

/* Consumes the present token if it is this punctuation. @return it did */
bool ptx_accept_punct(struct ptx_parser *p, unsigned punct) {
    if (!ptx_is_punct(p, punct)) return false;
    ptx_advance(p);
    return true;
}

/* Consumes the present token if it is this dotted word. @return it did */
bool ptx_accept_dot(struct ptx_parser *p, ptx_word word) {
    if (!ptx_is_dot(p, word)) return false;
    ptx_advance(p);
    return true;
}

/* Consumes the punctuation, or records the error that `what` is missing. */
void ptx_expect_punct(struct ptx_parser *p, unsigned punct, const char *what) {
    if (!ptx_accept_punct(p, punct))
        ptx_error(p, "expected '%c' here: %s is missing", (char)punct, what);
}

/* Consumes a name; `what` completes "expected ... here". @return it; PTX_W_NONE, with an error
 * recorded: there is none. */
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

/* Raises p->depth, which ptx_leave lowers. @return false: PTX_MAX_DEPTH is reached, an error is
 * recorded. */
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
