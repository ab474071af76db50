/* ptx_lex.c - the lexer: one pass over the text, with a class table for characters. The parser and
 * the linker (ptx_link.c) call ptx_lex_next on the thread that compiles.
 *
 * A lex_* function with a token `t` reads at lx->pos the kind of token that its name says, fills
 * `t`, and moves lx->pos behind it; on an error it makes `t` an error token and leaves lx->pos.
 * Names are entered in lx->words.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_lex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Classes of characters, as bits. */
enum { CH_SPACE = 1, CH_FIRST = 2, CH_DIGIT = 4, CH_HEX = 8, CH_IDENT = 16 };

/* What may begin and continue a name, by PTX's lexical rules; 256 entries, one per byte. */
#define H (CH_FIRST | CH_IDENT | CH_HEX) /* letter that is a hexadecimal digit */
#define L (CH_FIRST | CH_IDENT)          /* other letters, _ and $ */
#define D (CH_DIGIT | CH_HEX | CH_IDENT)
#define S CH_SPACE
#define P CH_FIRST /* % */
static const unsigned char ch_class[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, S, S, S, S, S, 0, 0, /* tab, newline, ... */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /**/
    S, 0, 0, 0, L, P, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /*  !"#$%&'()*+,-./ */
    D, D, D, D, D, D, D, D, D, D, 0, 0, 0, 0, 0, 0, /* 0123456789:;<=>? */
    0, H, H, H, H, H, H, L, L, L, L, L, L, L, L, L, /* @ABCDEFGHIJKLMNO */
    L, L, L, L, L, L, L, L, L, L, L, 0, 0, 0, 0, L, /* PQRSTUVWXYZ[\]^_ */
    0, H, H, H, H, H, H, L, L, L, L, L, L, L, L, L, /* `abcdefghijklmno */
    L, L, L, L, L, L, L, L, L, L, L, 0, 0, 0, 0, 0, /* pqrstuvwxyz{|}~  */
};
#undef H
#undef L
#undef D
#undef S
#undef P

/* Class and character at a position; 0 beyond the text. */
static unsigned class_at(const struct ptx_lexer *lx, uint32_t pos) {
    return pos < lx->len ? ch_class[(unsigned char)lx->text[pos]] : 0;
}

static char char_at(const struct ptx_lexer *lx, uint32_t pos) {
    return pos < lx->len ? lx->text[pos] : '\0';
}

/* Leaves out zeros at the end: fat binaries hold PTX with its terminating zero, sometimes more than
 * one. */
void ptx_lex_init(struct ptx_lexer *lx, const char *text, uint32_t len, struct ptx_words *words) {
    *lx = (struct ptx_lexer){.text = text, .len = len, .line = 1, .words = words};
    while (lx->len && text[lx->len - 1] == '\0') lx->len--;
}

/* Counts a line at the newline at lx->pos. */
static void lex_newline(struct ptx_lexer *lx) {
    lx->line++;
    lx->line_begin = lx->pos + 1;
}

/* Moves lx->pos to the end of the line. */
static void lex_skip_line(struct ptx_lexer *lx) {
    while (lx->pos < lx->len && lx->text[lx->pos] != '\n') lx->pos++;
}

/* Skips white space, comments and line markers. @return false: at a comment that does not end */
static bool lex_skip_space(struct ptx_lexer *lx) {
    while (lx->pos < lx->len) {
        char c = lx->text[lx->pos];
        if (c == '\n') {
            lex_newline(lx);
            lx->pos++;
        } else if (class_at(lx, lx->pos) & CH_SPACE) {
            lx->pos++;
        } else if (c == '/' && char_at(lx, lx->pos + 1) == '/') {
            lex_skip_line(lx);
        } else if (c == '/' && char_at(lx, lx->pos + 1) == '*') {
            uint32_t begin = lx->pos;
            uint32_t line = lx->line, line_begin = lx->line_begin;
            lx->pos += 2;
            while (lx->pos < lx->len &&
                   !(lx->text[lx->pos] == '*' && char_at(lx, lx->pos + 1) == '/')) {
                if (lx->text[lx->pos] == '\n') lex_newline(lx);
                lx->pos++;
            }
            if (lx->pos >= lx->len) {
                lx->pos = begin;
                lx->line = line;
                lx->line_begin = line_begin;
                return false;
            }
            lx->pos += 2;
        } else if (c == '#' || (c == '@' && char_at(lx, lx->pos + 1) == '@')) {
            lex_skip_line(lx); /* "# 1 file" of a preprocessor; @@DWARF of PTX 1.x */
        } else {
            break;
        }
    }
    return true;
}

/* Makes `t` an error token and sets lx->error, a static text. */
static void lex_error(struct ptx_lexer *lx, struct ptx_token *t, const char *why) {
    t->kind = PTX_T_ERROR;
    t->end = t->begin + (t->begin < lx->len);
    lx->error = why;
}

/* 0f or 0d with exactly `digits` hexadecimal digits. */
static void lex_hex_float(struct ptx_lexer *lx, struct ptx_token *t, unsigned digits) {
    uint64_t bits = 0;
    uint32_t p = lx->pos + 2;
    for (unsigned i = 0; i < digits; i++, p++) {
        if (!(class_at(lx, p) & CH_HEX)) {
            lex_error(lx, t,
                      digits == 8 ? "0f wants eight hexadecimal digits behind it"
                                  : "0d wants sixteen hexadecimal digits behind it");
            return;
        }
        char c = (char)(lx->text[p] | 0x20);
        bits = bits << 4 | (uint64_t)(c >= 'a' ? c - 'a' + 10 : c - ('0' | 0x20));
    }
    t->value = (struct ptx_const){.kind = digits == 8 ? PTX_CONST_F32 : PTX_CONST_F64,
                                  .bits = bits};
    lx->pos = p;
}

/* A decimal float, which ends at offset `end`. */
static void lex_decimal_float(struct ptx_lexer *lx, struct ptx_token *t, uint32_t end) {
    char buf[64];
    uint32_t n = end - lx->pos;
    if (n >= sizeof buf) {
        lex_error(lx, t,
                  "this number has too many digits; write it as 0d and 16 hexadecimal digits");
        return;
    }
    memcpy(buf, lx->text + lx->pos, n);
    buf[n] = '\0';
    errno = 0;
    double d = strtod(buf, NULL);
    if (errno == ERANGE) {
        lex_error(lx, t, "this number does not fit into a double; use 0d and 16 digits");
        return;
    }
    t->value = (struct ptx_const){.kind = PTX_CONST_F64};
    memcpy(&t->value.bits, &d, sizeof d);
    lx->pos = end;
}

/* Digits of the base, and an optional U. */
static void lex_integer(struct ptx_lexer *lx, struct ptx_token *t, unsigned base) {
    uint64_t v = 0;
    uint32_t p = lx->pos, first = p;
    bool overflow = false;
    for (;; p++) {
        if (!(class_at(lx, p) & CH_HEX)) break;
        char c = lx->text[p];
        unsigned d = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
        if (d >= base) break;
        overflow |= v > (UINT64_MAX - d) / base;
        v = v * base + d;
    }
    if (p == first) {
        lex_error(lx, t, "a number wants digits behind its prefix");
        return;
    }
    if (overflow) {
        lex_error(lx, t, "this number does not fit into 64 bits");
        return;
    }
    bool u = char_at(lx, p) == 'U' || char_at(lx, p) == 'u';
    p += u;
    if (class_at(lx, p) & CH_IDENT) {
        lex_error(lx, t, "a name cannot begin with a digit, and this is no number");
        return;
    }
    /* PTX: an integer is signed unless it has a U or does not fit */
    t->value = (struct ptx_const){
        .kind = PTX_CONST_INT, .is_unsigned = u || v > INT64_MAX, .bits = v};
    lx->pos = p;
}

/* Any number, by its prefix and form. */
static void lex_number(struct ptx_lexer *lx, struct ptx_token *t) {
    t->kind = PTX_T_CONST;
    char c0 = lx->text[lx->pos], c1 = (char)(char_at(lx, lx->pos + 1) | 0x20);
    if (c0 == '0' && c1 == 'f') {
        lex_hex_float(lx, t, 8);
        return;
    }
    if (c0 == '0' && c1 == 'd') {
        lex_hex_float(lx, t, 16);
        return;
    }
    if (c0 == '0' && (c1 == 'x' || c1 == 'b')) {
        lx->pos += 2;
        lex_integer(lx, t, c1 == 'x' ? 16 : 2);
        return;
    }
    uint32_t p = lx->pos;
    while (class_at(lx, p) & CH_DIGIT) p++;
    bool is_float = false;
    if (char_at(lx, p) == '.' && !(class_at(lx, p + 1) & CH_FIRST)) {
        is_float = true;
        p++;
        while (class_at(lx, p) & CH_DIGIT) p++;
    }
    if ((char_at(lx, p) | 0x20) == 'e') {
        uint32_t e = p + 1;
        if (char_at(lx, e) == '+' || char_at(lx, e) == '-') e++;
        if (class_at(lx, e) & CH_DIGIT) {
            is_float = true;
            for (p = e; class_at(lx, p) & CH_DIGIT;) p++;
        }
    }
    if (is_float)
        lex_decimal_float(lx, t, p);
    else
        lex_integer(lx, t, c0 == '0' ? 8 : 10);
}

/* A string on one line; its word is the text between the quotes, escapes as written. */
static void lex_string(struct ptx_lexer *lx, struct ptx_token *t) {
    uint32_t p = lx->pos + 1;
    while (p < lx->len && lx->text[p] != '"' && lx->text[p] != '\n')
        p += lx->text[p] == '\\' && p + 1 < lx->len ? 2 : 1;
    if (char_at(lx, p) != '"') {
        lex_error(lx, t, "this string does not end on its line; close it with \"");
        return;
    }
    t->kind = PTX_T_STRING;
    t->word = ptx_words_intern(lx->words, lx->text + lx->pos + 1, p - lx->pos - 1);
    lx->pos = p + 1;
}

/* .word, .word::word, .1d: all characters of names, and pairs of colons between them. */
static void lex_dotted(struct ptx_lexer *lx, struct ptx_token *t) {
    uint32_t p = lx->pos + 1;
    while (class_at(lx, p) & CH_IDENT) {
        while (class_at(lx, p) & CH_IDENT) p++;
        if (char_at(lx, p) == ':' && char_at(lx, p + 1) == ':' && (class_at(lx, p + 2) & CH_IDENT))
            p += 2;
    }
    t->kind = PTX_T_DOT;
    t->word = ptx_words_intern(lx->words, lx->text + lx->pos + 1, p - lx->pos - 1);
    lx->pos = p;
}

/* The code of two characters of punctuation; 0: they are not one token. */
static uint16_t two_chars(char a, char b) {
    switch (a) {
    case '<': return b == '<' ? PTX_P_SHL : b == '=' ? PTX_P_LE : 0;
    case '>': return b == '>' ? PTX_P_SHR : b == '=' ? PTX_P_GE : 0;
    case '=': return b == '=' ? PTX_P_EQ : 0;
    case '!': return b == '=' ? PTX_P_NE : 0;
    case '&': return b == '&' ? PTX_P_ANDAND : 0;
    case '|': return b == '|' ? PTX_P_OROR : 0;
    default: return 0;
    }
}

/* @return digits and an exponent at offset p, behind a dot, and no name: ".5", ".5e3", but not
 * ".2d". */
static bool is_leading_dot_float(const struct ptx_lexer *lx, uint32_t p) {
    if (!(class_at(lx, p) & CH_DIGIT)) return false;
    while (class_at(lx, p) & CH_DIGIT) p++;
    return !(class_at(lx, p) & CH_IDENT) || (char_at(lx, p) | 0x20) == 'e';
}

/* Reads the next token into *t and moves lx->pos behind it; at the end EOF again and again, after a
 * bad character PTX_T_ERROR with the reason in lx->error. Skips white space, then decides by the
 * first character which lex_* function reads the token. */
void ptx_lex_next(struct ptx_lexer *lx, struct ptx_token *t) {
    uint32_t before = lx->pos;
    bool ended = lex_skip_space(lx);
    *t = (struct ptx_token){.kind = PTX_T_EOF,
                            .spaced = lx->pos != before || before == 0,
                            .line = lx->line,
                            .col = lx->pos - lx->line_begin + 1,
                            .begin = lx->pos,
                            .end = lx->pos};
    if (!ended) {
        lex_error(lx, t, "this comment does not end; close it with */");
        return;
    }
    if (lx->pos >= lx->len) return;
    char c = lx->text[lx->pos];
    unsigned cls = class_at(lx, lx->pos);
    if (cls & CH_FIRST) {
        uint32_t p = lx->pos + 1;
        while (class_at(lx, p) & CH_IDENT) p++;
        if (c == '%' && p == lx->pos + 1) { /* the remainder operator */
            t->kind = PTX_T_PUNCT;
            t->punct = '%';
        } else {
            t->kind = PTX_T_IDENT;
            t->word = ptx_words_intern(lx->words, lx->text + lx->pos, p - lx->pos);
        }
        lx->pos = p;
    } else if (cls & CH_DIGIT) {
        lex_number(lx, t);
    } else if (c == '.' && (class_at(lx, lx->pos + 1) & CH_IDENT)) {
        if (t->spaced && is_leading_dot_float(lx, lx->pos + 1)) {
            uint32_t p = lx->pos + 1;
            while (class_at(lx, p) & CH_DIGIT) p++;
            if ((char_at(lx, p) | 0x20) == 'e') {
                p++;
                if (char_at(lx, p) == '+' || char_at(lx, p) == '-') p++;
                while (class_at(lx, p) & CH_DIGIT) p++;
            }
            t->kind = PTX_T_CONST;
            lex_decimal_float(lx, t, p);
        } else {
            lex_dotted(lx, t);
        }
    } else if (c == '"') {
        lex_string(lx, t);
    } else if (strchr("{}()[]<>,;:@!|&^~+-*/?=.", c) && c) {
        t->kind = PTX_T_PUNCT;
        t->punct = two_chars(c, char_at(lx, lx->pos + 1));
        lx->pos += t->punct ? 2 : 1;
        if (!t->punct) t->punct = (unsigned char)c;
    } else {
        lex_error(lx, t, "this character has no place in PTX; is the file PTX text?");
        return;
    }
    if (t->kind != PTX_T_ERROR) t->end = lx->pos;
}

/* Skips past the brace that closes the one just read: counts braces outside of comments and
 * strings. Moves lx->pos; strings are entered as words. @return false: the text ends first. */
bool ptx_lex_skip_braces(struct ptx_lexer *lx) {
    for (unsigned depth = 1; depth > 0;) {
        if (!lex_skip_space(lx) || lx->pos >= lx->len) return false;
        char c = lx->text[lx->pos];
        if (c == '"') {
            struct ptx_token t = {.begin = lx->pos};
            lex_string(lx, &t);
            if (t.kind == PTX_T_ERROR) return false;
            continue;
        }
        depth += c == '{';
        depth -= c == '}';
        lx->pos++;
    }
    return true;
}
