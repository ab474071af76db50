/* ptx_message.c - messages about a place of a PTX text, with its line and a caret. Parser and
 * lowering call ptx_fail_at and ptx_vfail_at on the thread that compiles. Everything is written to
 * the caller's diag; nothing else changes. Offsets are bytes.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_message.h"

#include <stdio.h>

/* Appends at offset n of d->text. @return the new end of the text */
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

/* Appends the source line that begins at `line_begin`, with a caret under [begin, end), at offset n
 * of d->text. Long lines are cut to 96 bytes around the place; control and non-ASCII characters are
 * replaced. */
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

/* Writes a message about bytes [begin, end) of the text to diag (may be NULL): place, reason, the
 * line and a caret. Line and column come from counting newlines up to `begin`. @return e. */
heddle_err ptx_vfail_at(struct heddle_diag *diag, heddle_err e, const char *name, const char *text,
                        size_t len, uint32_t begin, uint32_t end, const char *format, va_list ap) {
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

/* The same with variable arguments. */
heddle_err ptx_fail_at(struct heddle_diag *diag, heddle_err e, const char *name, const char *text,
                       size_t len, uint32_t begin, uint32_t end, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    ptx_vfail_at(diag, e, name, text, len, begin, end, format, ap);
    va_end(ap);
    return e;
}

uint32_t ptx_line_begin(const char *text, size_t len, uint32_t line) {
    size_t at = 0;
    for (uint32_t l = 1; l < line && at < len; at++) l += text[at] == '\n';
    while (at < len && (text[at] == ' ' || text[at] == '\t')) at++;
    return (uint32_t)at;
}
