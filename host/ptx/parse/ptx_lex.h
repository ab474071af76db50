/* ptx_lex.h - the tokens of PTX.
 *
 * A dotted word (".global", ".m16n16k16", ".L2::128B") is one token, its word without the dot.
 * Comments, C preprocessor line markers and the @@DWARF lines of PTX 1.x are skipped. The lexer
 * never reads beyond text[len) and reports the first bad character as an error token. */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/parse/ptx_ast.h"

enum ptx_token_kind {
    PTX_T_EOF,
    PTX_T_ERROR,  /* `error` of the lexer says why */
    PTX_T_IDENT,  /* word */
    PTX_T_DOT,    /* .word */
    PTX_T_CONST,  /* value */
    PTX_T_STRING, /* word holds the contents */
    PTX_T_PUNCT,  /* punct: a character, or one of the two-character codes below */
};

enum {
    PTX_P_SHL = 256,
    PTX_P_SHR,
    PTX_P_LE,
    PTX_P_GE,
    PTX_P_EQ,
    PTX_P_NE,
    PTX_P_ANDAND,
    PTX_P_OROR
};

struct ptx_token {
    uint8_t kind; /* enum ptx_token_kind */
    bool spaced;  /* white space before it */
    uint16_t punct;
    ptx_word word;
    uint32_t line, col; /* from 1 */
    uint32_t begin, end;
    struct ptx_const value;
};

struct ptx_lexer {
    const char *text;
    uint32_t len, pos;
    uint32_t line, line_begin;
    struct ptx_words *words;
    const char *error; /* static text of a PTX_T_ERROR */
};

/* `len` below 4 GiB. */
void ptx_lex_init(struct ptx_lexer *lx, const char *text, uint32_t len, struct ptx_words *words);

/* The next token; EOF again and again at the end. */
void ptx_lex_next(struct ptx_lexer *lx, struct ptx_token *t);

/* Skips to behind the brace that closes the one just read, over words that are no PTX (a DWARF
 * section). False when the text ends first. */
bool ptx_lex_skip_braces(struct ptx_lexer *lx);

#endif
