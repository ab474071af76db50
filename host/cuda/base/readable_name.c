/* readable_name.c - kernel names for people; see readable_name.h. Understands the part of C++'s
 * mangling that reports need: a chain of plain names. Runs in the server, on its thread, when
 * module.c registers a kernel. Pure functions. */
#include "cuda/base/readable_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Appends the name in "<length><name>" to the text in out (`size` bytes, a string), behind "::" if
 * out is not empty; what does not fit is cut. @return the text behind the name in p; NULL: there is
 * no such name. */
static const char *source_name(const char *p, char *out, size_t size) {
    char *end;
    unsigned long n = strtoul(p, &end, 10);
    if (end == p || n == 0 || n > strlen(end)) return NULL;
    size_t have = strlen(out);
    snprintf(out + have, size - have, "%s%.*s", have ? "::" : "", (int)n, end);
    return end + n;
}

/* Scopes and name of a mangled name without parameters, cut to 511 bytes ("a::b" from "_ZN1a1bEv");
 * a copy of any other text. The caller frees it. */
char *readable_name(const char *mangled) {
    char out[512] = "";
    const char *p = mangled;
    bool good = strncmp(p, "_Z", 2) == 0;
    if (good) {
        p += 2;
        bool nested = *p == 'N';
        if (nested) p++;
        do p = source_name(p, out, sizeof out);
        while (p && nested && isdigit((unsigned char)*p));
        good = p != NULL;
    }
    const char *text = good && *out ? out : mangled;
    return heddle_copy_text(text, "a kernel's name");
}
