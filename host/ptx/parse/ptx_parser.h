/* ptx_parser.h - what the files of the parser share; private to ptx_parse*.c and ptx_token.c.
 *
 * The levels, each on those before it: tokens and errors, constants, debuggers' directives,
 * declarations, statements, the module (ptx_parse.c).
 *
 * Errors: the first one is kept in `diag`; from then on every token is EOF, so that all loops end
 * by themselves and no function needs to return a status. */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "ptx/parse/ptx_lex.h"
#include "ptx/parse/ptx_parse.h"

enum { PTX_MAX_DEPTH = 200, PTX_MAX_OPERANDS = 1 << 16 };

struct ptx_parser {
    struct ptx_lexer lx;
    struct ptx_token tok; /* the token to be looked at */
    struct arena *arena;
    struct ptx_words *words;
    struct ptx_module *module;
    const char *name;
    struct heddle_diag *diag;
    bool failed;
    unsigned depth; /* of nested braces, parentheses, operands */
};

/* Tokens (ptx_token.c) */
void ptx_advance(struct ptx_parser *p);
bool ptx_is_punct(const struct ptx_parser *p, unsigned punct);
bool ptx_is_dot(const struct ptx_parser *p, ptx_word word);
bool ptx_accept_punct(struct ptx_parser *p, unsigned punct);
bool ptx_accept_dot(struct ptx_parser *p, ptx_word word);
/* `what` completes "expected ... here": "a comma between operands". */
void ptx_expect_punct(struct ptx_parser *p, unsigned punct, const char *what);
ptx_word ptx_expect_name(struct ptx_parser *p, const char *what);

/* Errors: at the present token, or at another one. The text ends with what to do. */
void ptx_error(struct ptx_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ptx_error_at(struct ptx_parser *p, const struct ptx_token *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Depth of nesting: enter is false (and an error stands) when it is too deep. */
bool ptx_enter(struct ptx_parser *p);
void ptx_leave(struct ptx_parser *p);

/* Constant expressions. The value of a float is a double unless it is a lone 0f literal. */
struct ptx_const ptx_parse_const(struct ptx_parser *p);
/* An integer that fits into 32 bits (a count, an alignment, a line). */
uint32_t ptx_parse_u32(struct ptx_parser *p, const char *what);
int64_t ptx_parse_int(struct ptx_parser *p, const char *what);
/* Applies a unary minus. */
struct ptx_const ptx_const_negate(struct ptx_const v);
/* Goes on with an expression whose first operand has been read. */
struct ptx_const ptx_parse_const_rest(struct ptx_parser *p, struct ptx_const first);
/* One operand of an expression: literal, WARP_SZ, cast, parenthesis, unary operator. */
struct ptx_const ptx_parse_const_unary(struct ptx_parser *p);

/* Declarations: from behind the linkage word; the list ends before its semicolon, comma (param)
 * or parenthesis. */
bool ptx_at_space(const struct ptx_parser *p);
struct ptx_var *ptx_parse_vars(struct ptx_parser *p, unsigned linkage);
struct ptx_var *ptx_parse_param_list(struct ptx_parser *p);
bool ptx_parse_linkage(struct ptx_parser *p, unsigned *linkage);

/* A function from .entry or .func up to its semicolon or, with has_body, its opening brace. */
struct ptx_func *ptx_parse_func_head(struct ptx_parser *p, unsigned linkage);
/* .callprototype, behind its word. */
struct ptx_func *ptx_parse_prototype(struct ptx_parser *p);

/* Directives for debuggers, behind their word. */
void ptx_parse_section(struct ptx_parser *p);
void ptx_parse_file(struct ptx_parser *p);

/* Statements up to and with the closing brace. */
struct ptx_stmt *ptx_parse_block(struct ptx_parser *p);

#endif
