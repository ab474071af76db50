/* readable_name.c - kernel names for people; see readable_name.h. The C++ runtime library reads
 * mangled names. The server registers kernels with it, and commands look for kernels that the user
 * names; any thread. */
#include "common/readable_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

static const char NAME[] = "a kernel's name";
/* a longer name is not read: what it stands for may be much longer still */
enum { LONGEST = 4096 };

/* Of libstdc++ (cxxabi.h, which is C++): a block of malloc(). *status: 0, -1 without memory, -2 for
 * text that is no mangled name. */
char *__cxa_demangle(const char *mangled, char *out, size_t *size, int *status);

/* @return the bracket that `end` closes, which is the last one of the text; NULL: there is none. */
static char *opening(char *text, char *end) {
    const char closes = *end, opens = closes == ')' ? '(' : '<';
    unsigned depth = 0;
    for (char *p = end; p >= text; p--) {
        depth += *p == closes;
        depth -= *p == opens;
        if (!depth) return p;
    }
    return NULL;
}

/* Cuts off what the last character closes, if that is `closes` and something stands before it. */
static void cut(char *text, char closes) {
    const size_t n = strlen(text);
    char *begin = n && text[n - 1] == closes ? opening(text, text + n - 1) : NULL;
    if (begin && begin > text) *begin = '\0';
}

/* Takes parameters and the return type, which is void, from the text. @return its begin. */
static char *without_signature(char *text) {
    static const char type[] = "void ";
    cut(text, ')');
    return strncmp(text, type, sizeof type - 1) ? text : text + sizeof type - 1;
}

char *readable_name(const char *mangled) {
    int status = 0;
    /* other text might be read as a type: "i" as int */
    if (strncmp(mangled, "_Z", 2) != 0 || strlen(mangled) > LONGEST)
        return heddle_copy_text(mangled, NAME);
    char *whole = __cxa_demangle(mangled, NULL, NULL, &status);
    if (status == -1) heddle_out_of_memory(NAME, strlen(mangled));
    if (!whole) return heddle_copy_text(mangled, NAME);
    char *name = heddle_copy_text(without_signature(whole), NAME);
    free(whole);
    return name;
}

/* A copy without signature and blanks, which the caller frees. */
static char *bare(const char *name) {
    char *copy = heddle_copy_text(name, NAME), *from = without_signature(copy), *to = copy;
    for (; *from; from++)
        if (*from != ' ') *to++ = *from;
    *to = '\0';
    return copy;
}

readable_fit readable_name_fit(const char *mangled, const char *readable, const char *wanted) {
    char *is = bare(readable), *asked = bare(wanted);
    readable_fit fit = READABLE_NOT;
    if (!strcmp(mangled, wanted) || !strcmp(is, asked)) {
        fit = READABLE_WHOLE;
    } else if (*asked) {
        const bool part = strstr(is, asked) || strstr(mangled, wanted);
        cut(is, '>');
        fit = !strcmp(is, asked) ? READABLE_PLAIN : part ? READABLE_PART : READABLE_NOT;
    }
    free(is);
    free(asked);
    return fit;
}
