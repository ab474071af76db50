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
    PTX_T_ERROR,  /* the lexer's `error` says why */
    PTX_T_IDENT,  /* word */
    PTX_T_DOT,    /* .word */
    PTX_T_CONST,  /* value */
    PTX_T_STRING, /* word holds the contents */
    PTX_T_PUNCT,  /* punct: a character, or one of the two-character codes below */
};

/* Punctuation of two characters. */
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

/* A token. */
struct ptx_token {
    uint8_t kind;           /* enum ptx_token_kind */
    bool spaced;            /* white space before it */
    uint16_t punct;         /* PUNCT */
    ptx_word word;          /* IDENT, DOT, STRING */
    uint32_t line, col;     /* from 1 */
    uint32_t begin, end;    /* byte span in the text */
    struct ptx_const value; /* CONST */
};

/* State of reading a text. */
struct ptx_lexer {
    const char *text;
    uint32_t len, pos;         /* bytes */
    uint32_t line, line_begin; /* present line, from 1, and the offset of its first byte */
    struct ptx_words *words;   /* names are entered here */
    const char *error;         /* static text of a PTX_T_ERROR */
};

/* Starts at the beginning of text[0..len), less zeros at its end. The caller keeps `text`; `len` is
 * below 4 GiB. */
void ptx_lex_init(struct ptx_lexer *lx, const char *text, uint32_t len, struct ptx_words *words);

/* Reads the next token into *t; at the end EOF again and again. */
void ptx_lex_next(struct ptx_lexer *lx, struct ptx_token *t);

/* Skips past the brace that closes the one just read, over words that are not PTX (a DWARF
 * section). @return false: the text ends first */
bool ptx_lex_skip_braces(struct ptx_lexer *lx);

#endif
