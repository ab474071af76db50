/* text.h - a buffer for PTX text that a test generates piece by piece. */
#ifndef TEST_PTX_TEXT_H
#define TEST_PTX_TEXT_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>

struct text {
    char *at;
    size_t room, n;
    unsigned line; /* lines so far */
};

/* Appends formatted text; fails the test when the buffer is full. */
__attribute__((format(printf, 2, 3))) static inline void add(struct text *t, const char *format,
                                                             ...) {
    va_list a;
    va_start(a, format);
    int n = vsnprintf(t->at + t->n, t->room - t->n, format, a);
    va_end(a);
    cr_assert(n >= 0 && (size_t)n < t->room - t->n);
    for (int i = 0; i < n; i++) t->line += t->at[t->n + (size_t)i] == '\n';
    t->n += (size_t)n;
}

#endif
