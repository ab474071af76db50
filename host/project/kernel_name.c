/* kernel_name.c - compares names of kernels in profiles and in PTX; see kernel_name.h.
 * ptx_kernels.c calls it on the main thread of `heddle project`. Nothing is kept but the handle
 * of the C++ runtime library, which demangles whole names; what the path of a name needs is read
 * here. */
#include "project/kernel_name.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A text of limited room. */
struct text {
    char *at;
    size_t size, used;
};

static void add(struct text *t, const char *from, size_t length) {
    for (size_t i = 0; i < length && t->used + 1 < t->size; i++) t->at[t->used++] = from[i];
    t->at[t->used] = '\0';
}
/* Adds a scope or name, behind "::" if it is not the first one. */
static void add_part(struct text *t, const char *from, size_t length) {
    bool unnamed = !strncmp(from, "_GLOBAL__N_", 11) || *from == '(' || *from == '<';
    if (t->used) add(t, "::", 2);
    add(t, unnamed ? "*" : from, unnamed ? 1 : length);
}

/* ---- mangled names (Itanium C++ ABI), as far as template arguments have to be skipped
 * ----------- */

static const char *skip_encoded(const char *p);

/* Behind "<length><name>"; NULL: malformed. *name, *length: the name. */
static const char *source_name(const char *p, const char **name, size_t *length) {
    char *end;
    unsigned long n = strtoul(p, &end, 10);
    if (end == p || n == 0 || n > strlen(end)) return NULL;
    *name = end;
    *length = n;
    return end + n;
}

/* Behind a list that ends in E; `p` is its first element. */
static const char *skip_list(const char *p) {
    while (p && *p && *p != 'E') p = skip_encoded(p);
    return p && *p ? p + 1 : NULL;
}

/* Behind one element of a mangled type, name, literal or expression. NULL: malformed. */
static const char *skip_encoded(const char *p) {
    const char *name;
    size_t length;
    if (!p || !*p) return NULL;
    if (isdigit((unsigned char)*p)) return source_name(p, &name, &length);
    switch (*p) {
    case 'N':
    case 'I':
    case 'J':
    case 'X':
    case 'F': return skip_list(p + 1);
    case 'L': /* a literal: its type, then a value up to E */
        p = p[1] == '_' ? p + 1 : skip_encoded(p + 1);
        while (p && *p && *p != 'E') p++;
        return p && *p ? p + 1 : NULL;
    case 'S':
    case 'T': /* a substitution or a parameter: S_, S0_, T_, or St and others */
        if (*p == 'S' && islower((unsigned char)p[1])) return p + 2;
        p = strchr(p, '_');
        return p ? p + 1 : NULL;
    case 'D': return p[1] ? p + 2 : NULL;
    default: return p + 1;
    }
}

/* The path of a mangled name. @return false: it is none that is understood. */
static bool mangled_path(struct text *out, const char *p) {
    const char *name;
    size_t length;
    bool nested = p[2] == 'N';
    p += nested ? 3 : 2;
    do {
        while (nested && (*p == 'K' || *p == 'V')) p++; /* const member functions */
        if (*p == 'L') p++;                             /* internal linkage */
        p = source_name(p, &name, &length);
        if (!p) return false;
        add_part(out, name, length);
        if (nested && *p == 'I') p = skip_encoded(p);
    } while (p && nested && *p && *p != 'E');
    return p != NULL;
}

/* ---- C++ ------------------------------------------------------------------------------------- */

/* Whether the text at p begins a scope without a name. */
static size_t unnamed(const char *p) {
    static const char *const names[] = {"(anonymous namespace)", "<unnamed>", "_NV_ANON_NAMESPACE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(p, names[i], strlen(names[i]))) return strlen(names[i]);
    return 0;
}

/* The path of a C++ name: what stands before the parameters, behind the last blank, without
 * template arguments. */
static void plain_path(struct text *out, const char *p) {
    const char *part = NULL;
    unsigned depth = 0;
    for (;; p++) {
        size_t skip = depth ? 0 : unnamed(p);
        bool end = !*p || (!depth && !skip && (*p == '(' || *p == '['));
        bool scope = !depth && p[0] == ':' && p[1] == ':';
        bool inside = depth || *p == '<' || *p == ' ' || end || scope;
        if (part && inside && !depth) add_part(out, part, (size_t)(p - part));
        if (inside && !depth) part = NULL;
        if (end) return;
        if (*p == ' ' && !depth) { /* what came before was the return type */
            const char *next = p + strspn(p, " ");
            bool tail = *next == '(' || *next == '<' || *next == '[';
            if (*next && (!tail || unnamed(next))) out->used = 0;
            out->at[out->used] = '\0';
        } else if (skip) {
            add_part(out, "(", 1);
            p += skip - 1;
        } else if (*p == '<') {
            depth++;
        } else if (*p == '>') {
            if (depth) depth--;
        } else if (scope) {
            p++;
        } else if (!depth && !part) {
            part = p;
        }
    }
}

/* out: the path of a name. */
void kernel_name_path(char *out, size_t size, const char *name) {
    struct text t = {out, size, 0};
    *out = '\0';
    if (!strncmp(name, "_Z", 2)) {
        if (mangled_path(&t, name)) return;
        t.used = 0;
        add(&t, name, strlen(name));
        return;
    }
    plain_path(&t, name);
}

/* Whether one scope or name matches another; "*" matches all. The two end at "::" or NUL. */
static bool ends_alike(const char *a, size_t a_length, const char *b, size_t b_length) {
    if ((a_length == 1 && *a == '*') || (b_length == 1 && *b == '*')) return true;
    return a_length == b_length && !strncmp(a, b, a_length);
}

/* The last part of text[0..length): its begin. */
static const char *last_part(const char *text, size_t length) {
    const char *p = text + length;
    while (p > text && !(p - text >= 2 && p[-1] == ':' && p[-2] == ':')) p--;
    return p;
}

/* @return whether the paths are equal from the end of both to the begin of one. */
bool kernel_name_paths_match(const char *a, const char *b) {
    size_t left = strlen(a), right = strlen(b);
    while (left && right) {
        const char *x = last_part(a, left), *y = last_part(b, right);
        if (!ends_alike(x, (size_t)(a + left - x), y, (size_t)(b + right - y))) return false;
        left = x == a ? 0 : (size_t)(x - a) - 2;
        right = y == b ? 0 : (size_t)(y - b) - 2;
    }
    return *a && *b;
}

/* ---- whole names ----------------------------------------------------------------------------- */

/* Whether a word of a name at p, with a letter neither before nor behind it. */
static bool is_word(const char *begin, const char *p, const char *word) {
    size_t n = strlen(word);
    bool before = p > begin && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
    return !before && !strncmp(p, word, n) && !isalnum((unsigned char)p[n]) && p[n] != '_';
}

/* Whether p begins a cast in front of a number, as in "(int)4"; @return its length. */
static size_t cast_at(const char *p) {
    const char *end = *p == '(' ? strchr(p, ')') : NULL;
    bool number = end && (isdigit((unsigned char)end[1]) || end[1] == '-');
    return number ? (size_t)(end - p) + 1 : 0;
}

/* out: a C++ name from its path on, without what compilers write differently: blanks, const,
 * casts of numbers and their suffixes, true and false. */
static void normalize(struct text *out, const char *name) {
    *out->at = '\0';
    for (const char *p = name; *p; p++) {
        size_t cast = cast_at(p);
        if (cast) {
            p += cast - 1;
        } else if (is_word(name, p, "const")) {
            p += 4;
        } else if (is_word(name, p, "true")) {
            add(out, "1", 1);
            p += 3;
        } else if (is_word(name, p, "false")) {
            add(out, "0", 1);
            p += 4;
        } else if (isdigit((unsigned char)*p) && (p == name || strchr("<,() -", p[-1]))) {
            size_t n = strspn(p, "0123456789");
            add(out, p, n);
            p += n - 1 + strspn(p + n, "ulUL");
        } else if (*p != ' ') {
            add(out, p, 1);
        }
    }
}

/* Removes "void" in front: only templates have it, and not by all tools. */
static const char *without_void(const char *text) {
    return strncmp(text, "void", 4) ? text : text + 4;
}

/* @return whether the C++ runtime library demangles `mangled` to `name`. */
bool kernel_name_is(const char *mangled, const char *name) {
    static char *(*demangle)(const char *, char *, size_t *, int *);
    char a[2048], b[2048];
    struct text left = {a, sizeof a, 0}, right = {b, sizeof b, 0};
    int status = 0;
    if (!demangle) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
        void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
        if (!found) return false;
        memcpy(&demangle, &found, sizeof demangle);
    }
    char *whole = demangle(mangled, NULL, NULL, &status);
    if (!whole) return false;
    normalize(&left, whole);
    normalize(&right, name);
    free(whole);
    return !strcmp(without_void(a), without_void(b));
}
