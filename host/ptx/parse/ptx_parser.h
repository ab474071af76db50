/* ptx_parser.h - what the files of the parser share; private to ptx_parse*.c and ptx_token.c.
 *
 * The levels, each on those before it: tokens and errors (ptx_token.c), constants
 * (ptx_parse_const.c), debuggers' directives (ptx_parse_debug.c), declarations (ptx_parse_decl.c),
 * statements (ptx_parse_stmt.c), the module (ptx_parse.c).
 *
 * Conventions: a function that takes `p` reads tokens from p->tok on and leaves p->tok at the first
 * token behind what it read. Nodes are allocated in p->arena.
 *
 * Errors: the first one is kept in p->diag and sets p->failed; from then on every token is EOF, so
 * that all loops end by themselves and no function needs to return a status. Results after an error
 * are placeholders. `what` in the parameters names the missing thing in an error message. */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "ptx/parse/ptx_lex.h"
#include "ptx/parse/ptx_parse.h"

enum { PTX_MAX_DEPTH = 200, PTX_MAX_OPERANDS = 1 << 16 };

/* State of one ptx_parse. */
struct ptx_parser {
    struct ptx_lexer lx;
    struct ptx_token tok; /* the next token, not yet consumed */
    struct arena *arena;
    struct ptx_words *words;
    struct ptx_module *module;
    const char *name;         /* of the file, for messages */
    struct heddle_diag *diag; /* the caller's; NULL: no messages */
    bool failed;
    unsigned depth; /* of nested braces, parentheses, operands */
};

/* Tokens. ptx_advance reads the next one; ptx_is_* tell whether the present one is this one;
 * ptx_accept_* consume it if so, and tell whether they did. */
void ptx_advance(struct ptx_parser *p);
bool ptx_is_punct(const struct ptx_parser *p, unsigned punct);
bool ptx_is_dot(const struct ptx_parser *p, ptx_word word);
bool ptx_accept_punct(struct ptx_parser *p, unsigned punct);
bool ptx_accept_dot(struct ptx_parser *p, ptx_word word);
/* `what` completes "expected ... here": "a comma between operands". */
void ptx_expect_punct(struct ptx_parser *p, unsigned punct, const char *what);
/* Consumes a name; `what` completes "expected ... here". */
ptx_word ptx_expect_name(struct ptx_parser *p, const char *what);

/* Records an error at the present token, or at another one. The text ends with what to do. */
void ptx_error(struct ptx_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ptx_error_at(struct ptx_parser *p, const struct ptx_token *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Depth of nesting. ptx_enter returns false and records an error at PTX_MAX_DEPTH. */
bool ptx_enter(struct ptx_parser *p);
void ptx_leave(struct ptx_parser *p);

/* A constant expression. The value of a float is a double unless it is a lone 0f literal. */
struct ptx_const ptx_parse_const(struct ptx_parser *p);
/* A constant expression that is an integer; of 32 bits (a count, an alignment, a line), or 64. */
uint32_t ptx_parse_u32(struct ptx_parser *p, const char *what);
int64_t ptx_parse_int(struct ptx_parser *p, const char *what);
/* Applies a unary minus. */
struct ptx_const ptx_const_negate(struct ptx_const v);
/* Continues an expression whose first operand has been read. */
struct ptx_const ptx_parse_const_rest(struct ptx_parser *p, struct ptx_const first);
/* Behind a minus: reports a float in hexadecimal digits, as ptxas does. */
void ptx_refuse_hex_float(struct ptx_parser *p);
/* One operand of an expression: literal, WARP_SZ, cast, parenthesis, unary operator. */
struct ptx_const ptx_parse_const_unary(struct ptx_parser *p);

/* @return the present token is a state space, with which a declaration begins. */
bool ptx_at_space(const struct ptx_parser *p);
/* A declaration from its space up to its semicolon, comma (param) or parenthesis, which stays.
 * @return the variables that it declares */
struct ptx_var *ptx_parse_vars(struct ptx_parser *p, unsigned linkage);
/* Parameters in parentheses. */
struct ptx_var *ptx_parse_param_list(struct ptx_parser *p);
/* .extern, .visible, .weak or .common. @return false: none of these, *linkage stays */
bool ptx_parse_linkage(struct ptx_parser *p, unsigned *linkage);

/* The head of a function from .entry or .func through its semicolon or, with has_body, its opening
 * brace. */
struct ptx_func *ptx_parse_func_head(struct ptx_parser *p, unsigned linkage);
/* .callprototype, from behind its word through its semicolon. */
struct ptx_func *ptx_parse_prototype(struct ptx_parser *p);

/* Directives for debuggers, from behind their word. A file goes into p->module; a section is
 * skipped. */
void ptx_parse_section(struct ptx_parser *p);
void ptx_parse_file(struct ptx_parser *p);

/* Statements through the closing brace. @return the first one */
struct ptx_stmt *ptx_parse_block(struct ptx_parser *p);

#endif
