/* ptx_message.h - messages about a place of a PTX text: "NAME:LINE:COL: error: ...", the source
 * line, and a caret under the place. Used by the parser and the lowering. */
#ifndef PTX_MESSAGE_H
#define PTX_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Fills diag (may be NULL) with a message about bytes [begin, end) of text[0..len). `name` stands
 * for the file. @return e. */
heddle_err ptx_fail_at(struct heddle_diag *diag, heddle_err e, const char *name, const char *text,
                       size_t len, uint32_t begin, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 8, 9)));
/* The same with a va_list. */
heddle_err ptx_vfail_at(struct heddle_diag *diag, heddle_err e, const char *name, const char *text,
                        size_t len, uint32_t begin, uint32_t end, const char *format, va_list ap)
    __attribute__((format(printf, 8, 0)));

/* @return the byte at which a line (from 1) of text[0..len) begins, past its indentation; len:
 * there is no such line. */
uint32_t ptx_line_begin(const char *text, size_t len, uint32_t line);

#endif
