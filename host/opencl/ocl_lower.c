/* ocl_lower.c - rewrites the LLVM IR of a linked program, as text, for the PTX back end:
 *
 * - The attributes target-cpu and target-features go: libclc's functions have others than the
 *   program's, and LLVM inlines only between equal ones.
 * - A kernel's pointer to constant memory points to a buffer, which is global memory. If a kernel
 *   of the program has such a parameter, all of the program's constant memory (address space 4)
 *   becomes global memory (1), because a function may be given either.
 * - printf is variadic, which PTX has not: its arguments are packed into a structure on the stack,
 *   and vprintf gets its address, as in CUDA. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

enum { MAX_ARGS = 64 };

/* One argument of a printf call: a type and a value of LLVM IR. */
struct argument {
    char *type, *value;
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

/* Writes a call of printf as one of vprintf; `number` makes its names unique. */
static bool lower_call(const char *line, const char *p, unsigned number, struct ocl_text *out,
                       struct ocl_text *stack, struct ocl_text *log) {
    struct argument a[MAX_ARGS];
    int count = 0;
    bool good = true;
    while (good && *p != ')') {
        good = count < MAX_ARGS && read_argument(&p, &a[count]);
        if (good) count++;
    }
    good = good && count;
    if (!good) ocl_print(log, "error: a call of printf cannot be translated\n");
    for (int i = 1; i < count && good; i++)
        if (a[i].type[0] == '<') {
            ocl_print(log, "error: printf of vectors (%%v) is not supported; print the elements\n");
            good = false;
        }
    if (good) {
        /* pointers are printed, or read as %s, as generic ones */
        struct ocl_text types = {0};
        for (int i = 1; i < count; i++)
            ocl_print(&types, "%s%s", i > 1 ? ", " : "",
                      strchr(a[i].type, '*') ? "i8*" : a[i].type);
        const char *fields = count > 1 ? types.bytes : "i64";
        ocl_print(stack, "  %%heddle.p%u = alloca { %s }, align 8\n", number, fields);
        for (int i = 1; i < count; i++) {
            const char *type = strchr(a[i].type, '*') ? "i8*" : a[i].type;
            ocl_print(out,
                      "  %%heddle.p%u.%d = getelementptr { %s }, { %s }* %%heddle.p%u, i32 0, "
                      "i32 %d\n",
                      number, i, fields, fields, number, i - 1);
            if (strchr(a[i].type, '*')) {
                ocl_print(out, "  %%heddle.p%u.c%d = addrspacecast %s %s to i8*\n", number, i,
                          a[i].type, a[i].value);
                ocl_print(out, "  store i8* %%heddle.p%u.c%d, i8** %%heddle.p%u.%d\n", number, i,
                          number, i);
            } else {
                ocl_print(out, "  store %s %s, %s* %%heddle.p%u.%d\n", type, a[i].value, type,
                          number, i);
            }
        }
        ocl_print(out, "  %%heddle.p%u.f = addrspacecast %s %s to i8*\n", number, a[0].type,
                  a[0].value);
        ocl_print(out, "  %%heddle.p%u.s = bitcast { %s }* %%heddle.p%u to i8*\n", number, fields,
                  number);
        int result = (int)strspn(line, " ");
        int name = (int)strcspn(line + result, " ");
        bool assigned = line[result] == '%';
        ocl_print(out, "  %.*s%scall i32 @vprintf(i8* %%heddle.p%u.f, i8* %%heddle.p%u.s)\n",
                  assigned ? name : 0, line + result, assigned ? " = " : "", number, number);
        free(types.bytes);
    }
    while (count) {
        free(a[--count].type);
        free(a[count].value);
    }
    return good;
}

/* Rewrites all printf calls. The stack space of a function's calls goes to its beginning: PTX has
 * no allocation elsewhere. */
static bool lower_printf(const char *ir, struct ocl_text *out, struct ocl_text *log) {
    struct ocl_text stack = {0}, body = {0};
    unsigned calls = 0;
    bool good = true, inside = false;
    for (const char *line = ir, *end; good && *line; line = end) {
        end = strchrnul(line, '\n');
        if (*end) end++;
        const char *call = inside ? printf_call(line, end) : NULL;
        if (call) {
            good = lower_call(line, call, calls++, &body, &stack, log);
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
    free(stack.bytes);
    free(body.bytes);
    if (calls) ocl_print(out, "\ndeclare i32 @vprintf(i8*, i8*)\n");
    return good;
}

/* True if a kernel has a parameter that points to constant memory. */
static bool has_constant_parameter(const char *ir) {
    for (const char *p = ir; (p = strstr(p, "\ndefine ")); p++) {
        const char *line = p + 1, *end = strchrnul(line, '\n');
        if (memmem(line, (size_t)(end - line), " spir_kernel ", 13) &&
            memmem(line, (size_t)(end - line), " addrspace(4)*", 14))
            return true;
    }
    return false;
}

/* Overwrites each occurrence of a text up to `end` by `with`, of the same length or shorter, filled
 * up with blanks. */
static void overwrite(char *text, const char *what, char end, const char *with) {
    for (char *p = text; (p = strstr(p, what));) {
        char *last = end ? strchr(p + strlen(what), end) : p + strlen(what) - 1;
        if (!last) return;
        size_t length = (size_t)(last - p) + 1, n = strlen(with);
        memset(p, ' ', length);
        memcpy(p, with, n);
        p += length;
    }
}

bool ocl_lower(const char *ir, struct ocl_text *out, struct ocl_text *log) {
    struct ocl_text text = {0};
    bool good = lower_printf(ir, &text, log);
    if (good && text.bytes) {
        overwrite(text.bytes, "\"target-cpu\"=\"", '"', "");
        overwrite(text.bytes, "\"target-features\"=\"", '"', "");
        if (has_constant_parameter(ir)) overwrite(text.bytes, "addrspace(4)", 0, "addrspace(1)");
    }
    *out = text;
    return good;
}
