/* ocl_printf.c - calls of printf in LLVM IR, as text, become calls of vprintf: PTX has no variadic
 * functions. As in CUDA, the arguments are packed into a structure on the stack, and vprintf gets
 * its address. Vectors (%v4f) are split into elements, and the format is written anew. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

enum { MAX_FIELDS = 128 };

/* One argument of a printf call: a type and a value of LLVM IR. */
struct argument {
    char *type, *value;
};

/* What vprintf gets: types and values, vectors split into elements. */
struct values {
    struct argument field[MAX_FIELDS];
    int count;
};

/* The end of one argument that begins at p: a ',' or ')' outside brackets and strings. */
static const char *argument_end(const char *p) {
    int depth = 0;
    for (; *p && *p != '\n'; p++) {
        if (*p == '"') {
            p = strchr(p + 1, '"');
            if (!p) return NULL;
        } else if (strchr("([{<", *p)) {
            depth++;
        } else if (depth && strchr(")]}>", *p)) {
            depth--;
        } else if (!depth && (*p == ',' || *p == ')')) {
            return p;
        }
    }
    return NULL;
}

/* The end of the type at p: i32, double, <4 x float>, i8 addrspace(4)*. */
static const char *type_end(const char *p) {
    if (*p == '<') {
        p = strchr(p, '>');
        if (!p) return NULL;
        p++;
    } else {
        p += strcspn(p, " *,)");
    }
    for (;;) {
        if (strncmp(p, " addrspace(", 11) == 0) {
            p = strchr(p, ')');
            if (!p) return NULL;
            p++;
        } else if (*p == '*') {
            p++;
        } else {
            return p;
        }
    }
}

/* Skips attributes of an argument: noundef, signext, align 4. */
static const char *skip_attributes(const char *p) {
    static const char *const words[] = {"noundef", "signext",   "zeroext",
                                        "nonnull", "nocapture", "readonly"};
    for (;;) {
        p += strspn(p, " ");
        bool found = false;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            size_t n = strlen(words[i]);
            if (strncmp(p, words[i], n) == 0 && p[n] == ' ') {
                p += n;
                found = true;
            }
        }
        if (!found) return p;
    }
}

static bool read_argument(const char **p, struct argument *a) {
    *p += strspn(*p, " ");
    const char *end = argument_end(*p), *type = end ? type_end(*p) : NULL;
    if (!type || type > end) return false;
    const char *value = skip_attributes(type);
    a->type = strndup(*p, (size_t)(type - *p));
    a->value = strndup(value, (size_t)(end - value));
    *p = *end == ',' ? end + 1 : end;
    return true;
}

/* A call of printf in the line: "%5 = tail call i32 (i8 addrspace(4)*, ...) @printf(" and on; else
 * NULL. */
static const char *printf_call(const char *line, const char *end) {
    static const char mark[] = "@printf(";
    const char *p = memmem(line, (size_t)(end - line), mark, sizeof mark - 1);
    if (!p || !memmem(line, (size_t)(p - line), "call ", 5)) return NULL;
    return p + sizeof mark - 1;
}

/* Adds one value to those that vprintf gets. */
static bool add_field(struct values *v, const char *type, const char *format, ...) {
    if (v->count == MAX_FIELDS) return false;
    va_list list;
    va_start(list, format);
    struct argument *f = &v->field[v->count++];
    f->type = strdup(type);
    if (vasprintf(&f->value, format, list) < 0) f->value = NULL;
    va_end(list);
    return f->type && f->value;
}

/* A conversion of a format: %, flags, width and precision; vN; a length; the conversion. */
struct conversion {
    const char *start, *end; /* of the whole */
    int plain;               /* bytes up to the vector or the length */
    unsigned lanes;          /* of %vN; 0: none */
    char length[3], kind;
};

static struct conversion read_conversion(const char *p) {
    struct conversion c = {.start = p};
    const char *q = p + 1;
    q += strspn(q, "-+ #0123456789.");
    c.plain = (int)(q - p);
    if (*q == 'v') c.lanes = (unsigned)strtoul(q + 1, (char **)&q, 10);
    size_t n = strspn(q, "hl");
    snprintf(c.length, sizeof c.length, "%.*s", (int)n, q);
    q += n;
    c.kind = *q;
    c.end = *q ? q + 1 : q;
    return c;
}

/* Splits a vector into its elements, as vprintf takes them, and writes their conversions. */
static bool split_vector(const struct conversion *c, const struct argument *a, unsigned number,
                         struct values *v, struct ocl_text *out, struct ocl_text *format) {
    bool real = strchr("aAeEfFgG", c->kind) != NULL, wide = strcmp(c->length, "l") == 0;
    bool sign = c->kind == 'd' || c->kind == 'i', good = true;
    char element[16];
    if (sscanf(a->type, "<%*u x %15[a-z0-9]>", element) != 1) return false;
    const char *type = real ? "double" : wide ? "i64" : "i32";
    for (unsigned i = 0; i < c->lanes && good; i++) {
        ocl_print(format, "%s%.*s%s%c", i ? "," : "", c->plain, c->start, wide && !real ? "l" : "",
                  c->kind);
        int name = v->count;
        ocl_print(out, "  %%heddle.p%u.e%d = extractelement %s %s, i32 %u\n", number, name, a->type,
                  a->value, i);
        bool same = strcmp(element, type) == 0;
        if (!same)
            ocl_print(out, "  %%heddle.p%u.x%d = %s %s %%heddle.p%u.e%d to %s\n", number, name,
                      real   ? "fpext"
                      : sign ? "sext"
                             : "zext",
                      element, number, name, type);
        good = add_field(v, type, "%%heddle.p%u.%c%d", number, same ? 'e' : 'x', name);
    }
    return good;
}

/* The text of the constant that an argument points to, in LLVM's spelling: to its closing quote. */
static const char *constant_text(const char *ir, const char *value, size_t *length) {
    const char *name = strchr(value, '@');
    char key[256];
    if (!name) return NULL;
    snprintf(key, sizeof key, "\n%.*s = ", (int)strcspn(name, " ,)"), name);
    const char *p = strstr(ir, key), *end = p ? strchr(p + 1, '\n') : NULL;
    const char *text = p ? strstr(p, " c\"") : NULL;
    if (!text || !end || text > end) return NULL;
    *length = strcspn(text + 3, "\"");
    return text + 3;
}

/* Turns arguments, of which some are vectors, into values, and makes a format for them: *format
 * gets its definition, and a[0] its address. */
static bool split_vectors(const char *ir, struct argument *a, int count, unsigned number,
                          struct values *v, struct ocl_text *out, struct ocl_text *constants) {
    struct ocl_text format = {0};
    size_t length = 0, bytes = 0;
    const char *p = constant_text(ir, a[0].value, &length), *end = p + length;
    int next = 1;
    bool good = p != NULL;
    while (good && p < end) {
        if (*p != '%' || p[1] == '%') {
            size_t n = *p == '%' ? 2 : 1;
            ocl_append(&format, p, n);
            p += n;
            continue;
        }
        struct conversion c = read_conversion(p);
        good = c.kind && c.end <= end && next < count;
        if (!good) break;
        if (c.lanes) {
            good = split_vector(&c, &a[next], number, v, out, &format);
        } else {
            ocl_append(&format, p, (size_t)(c.end - p));
            good = a[next].type[0] != '<' && add_field(v, a[next].type, "%s", a[next].value);
        }
        next++;
        p = c.end;
    }
    for (size_t i = 0; good && i < format.size; bytes++) i += format.bytes[i] == '\\' ? 3 : 1;
    if (good) {
        ocl_print(constants,
                  "@heddle.format%u = internal addrspace(4) constant [%zu x i8] c\"%s\"\n", number,
                  bytes, format.bytes);
        free(a[0].value);
        if (asprintf(&a[0].value,
                     "getelementptr ([%zu x i8], [%zu x i8] addrspace(4)* @heddle.format%u, i64 0, "
                     "i64 0)",
                     bytes, bytes, number) < 0)
            a[0].value = NULL;
    }
    free(format.bytes);
    return good && a[0].value;
}

/* Writes a call of printf as one of vprintf; `number` makes its names unique. */
static void write_call(const char *line, const struct argument *format, const struct values *v,
                       unsigned number, struct ocl_text *out, struct ocl_text *stack) {
    struct ocl_text types = {0};
    for (int i = 0; i < v->count; i++) /* pointers are printed, or read as %s, as generic ones */
        ocl_print(&types, "%s%s", i ? ", " : "",
                  strchr(v->field[i].type, '*') ? "i8*" : v->field[i].type);
    const char *fields = v->count ? types.bytes : "i64";
    ocl_print(stack, "  %%heddle.p%u = alloca { %s }, align 8\n", number, fields);
    for (int i = 0; i < v->count; i++) {
        const struct argument *f = &v->field[i];
        ocl_print(out,
                  "  %%heddle.p%u.a%d = getelementptr { %s }, { %s }* %%heddle.p%u, i32 0, "
                  "i32 %d\n",
                  number, i, fields, fields, number, i);
        if (strchr(f->type, '*')) {
            ocl_print(out, "  %%heddle.p%u.c%d = addrspacecast %s %s to i8*\n", number, i, f->type,
                      f->value);
            ocl_print(out, "  store i8* %%heddle.p%u.c%d, i8** %%heddle.p%u.a%d\n", number, i,
                      number, i);
        } else {
            ocl_print(out, "  store %s %s, %s* %%heddle.p%u.a%d\n", f->type, f->value, f->type,
                      number, i);
        }
    }
    ocl_print(out, "  %%heddle.p%u.f = addrspacecast %s %s to i8*\n", number, format->type,
              format->value);
    ocl_print(out, "  %%heddle.p%u.s = bitcast { %s }* %%heddle.p%u to i8*\n", number, fields,
              number);
    int blank = (int)strspn(line, " "), name = (int)strcspn(line + blank, " ");
    bool assigned = line[blank] == '%';
    ocl_print(out, "  %.*s%scall i32 @vprintf(i8* %%heddle.p%u.f, i8* %%heddle.p%u.s)\n",
              assigned ? name : 0, line + blank, assigned ? " = " : "", number, number);
    free(types.bytes);
}

/* Rewrites the call in `line`, whose arguments begin at p. */
static bool lower_call(const char *ir, const char *line, const char *p, unsigned number,
                       struct ocl_text *out, struct ocl_text *stack, struct ocl_text *constants) {
    struct argument a[MAX_FIELDS + 1];
    struct values *v = calloc(1, sizeof *v);
    int count = 0;
    bool good = v != NULL, vectors = false;
    while (good && *p != ')') {
        good = count <= MAX_FIELDS && read_argument(&p, &a[count]);
        if (good && count && a[count].type[0] == '<') vectors = true;
        if (good) count++;
    }
    good = good && count;
    if (good && vectors) good = split_vectors(ir, a, count, number, v, out, constants);
    for (int i = 1; i < count && good && !vectors; i++)
        good = add_field(v, a[i].type, "%s", a[i].value);
    if (good) write_call(line, &a[0], v, number, out, stack);
    while (count) {
        free(a[--count].type);
        free(a[count].value);
    }
    while (v && v->count) {
        free(v->field[--v->count].type);
        free(v->field[v->count].value);
    }
    free(v);
    return good;
}

/* Rewrites all printf calls. The stack space of a function's calls goes to its beginning: PTX has
 * no allocation elsewhere. */
bool ocl_lower_printf(const char *ir, struct ocl_text *out, struct ocl_text *log) {
    struct ocl_text stack = {0}, body = {0}, constants = {0};
    unsigned calls = 0;
    bool good = true, inside = false;
    for (const char *line = ir, *end; good && *line; line = end) {
        end = strchrnul(line, '\n');
        if (*end) end++;
        const char *call = inside ? printf_call(line, end) : NULL;
        if (call) {
            good = lower_call(ir, line, call, calls++, &body, &stack, &constants);
            if (!good)
                ocl_print(log, "error: a call of printf cannot be translated: its format must be a "
                               "literal that suits its arguments\n");
        } else if (inside && *line != '}') {
            /* a label of the first block stays in front of the stack's space */
            bool label = !body.size && isdigit((unsigned char)*line);
            ocl_append(label ? out : &body, line, (size_t)(end - line));
        } else {
            if (stack.size) ocl_append(out, stack.bytes, stack.size);
            if (body.size) ocl_append(out, body.bytes, body.size);
            free(stack.bytes);
            free(body.bytes);
            stack = body = (struct ocl_text){0};
            ocl_append(out, line, (size_t)(end - line));
            inside = strncmp(line, "define ", 7) == 0;
        }
    }
    if (good && constants.size) ocl_append(out, constants.bytes, constants.size);
    free(constants.bytes);
    free(stack.bytes);
    free(body.bytes);
    if (calls) ocl_print(out, "\ndeclare i32 @vprintf(i8*, i8*)\n");
    return good;
}
