/* ocl_text.c - texts that grow: build logs, LLVM IR, PTX. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

/* Without memory the text stays as it was; a build then fails for its missing parts. */
void ocl_append(struct ocl_text *t, const char *bytes, size_t size) {
    char *grown = realloc(t->bytes, t->size + size + 1);
    if (!grown) return;
    memcpy(grown + t->size, bytes, size);
    t->bytes = grown;
    t->size += size;
    grown[t->size] = '\0';
}

void ocl_print(struct ocl_text *t, const char *format, ...) {
    char *text = NULL;
    va_list list;
    va_start(list, format);
    int n = vasprintf(&text, format, list);
    va_end(list);
    if (n < 0) return;
    ocl_append(t, text, (size_t)n);
    free(text);
}
