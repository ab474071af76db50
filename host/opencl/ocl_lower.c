/* ocl_lower.c - rewrites the LLVM IR of a linked program, as text, for the PTX back end:
 *
 * - The attributes target-cpu and target-features go: libclc's functions have others than the
 *   program's, and LLVM inlines only between equal ones.
 * - A kernel's pointer to constant memory points to a buffer, which is global memory. If a kernel
 *   of the program has such a parameter, all of the program's constant memory (address space 4)
 *   becomes global memory (1), because a function may be given either.
 * - The types of images and samplers are opaque; they get a size, because the back end asks for the
 *   alignment of what a kernel's parameters point to.
 * - A kernel that another kernel calls is inlined.
 * - printf becomes vprintf: ocl_printf.c. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

/* True if a parameter in this line points to constant memory. A sampler does not: clang makes it a
 * pointer, but here it is a number. */
static bool points_to_constant(const char *line, const char *end) {
    static const char space[] = " addrspace(4)*", sampler[] = "%opencl.sampler_t";
    const size_t length = sizeof space - 1, before = sizeof sampler - 1;
    for (const char *p = line; (p = memmem(p, (size_t)(end - p), space, length)); p += length)
        if ((size_t)(p - line) < before || memcmp(p - before, sampler, before) != 0) return true;
    return false;
}

/* True if a kernel has a parameter that points to constant memory. */
static bool has_constant_parameter(const char *ir) {
    for (const char *p = ir; (p = strstr(p, "\ndefine ")); p++) {
        const char *line = p + 1, *end = strchrnul(line, '\n');
        if (memmem(line, (size_t)(end - line), " spir_kernel ", 13) &&
            points_to_constant(line, end))
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

/* Makes functions that are not to be inlined (clang says so of kernels) such that are, if a kernel
 * is called: PTX has no calls of kernels. The words stand in the lists of attributes. */
static void inline_kernels(struct ocl_text *text) {
    static const struct {
        const char *word, *with;
    } change[] = {{" noinline", " alwaysinline"}, {" optnone", ""}};
    struct ocl_text out = {0};
    if (!strstr(text->bytes, " call spir_kernel ")) return;
    for (const char *p = text->bytes, *end; *p; p = end) {
        end = strchrnul(p, '\n');
        if (*end) end++;
        bool list = strncmp(p, "attributes #", 12) == 0;
        for (unsigned k = 0; list && k < sizeof change / sizeof change[0]; k++) {
            const size_t length = strlen(change[k].word);
            const char *at = memmem(p, (size_t)(end - p), change[k].word, length);
            if (!at) continue;
            ocl_append(&out, p, (size_t)(at - p));
            ocl_print(&out, "%s", change[k].with);
            p = at + length;
        }
        ocl_append(&out, p, (size_t)(end - p));
    }
    free(text->bytes);
    *text = out;
}

bool ocl_lower(const char *ir, struct ocl_text *out, struct ocl_text *log) {
    struct ocl_text text = {0};
    bool good = ocl_lower_printf(ir, &text, log);
    if (good && text.bytes) {
        overwrite(text.bytes, "\"target-cpu\"=\"", '"', "");
        overwrite(text.bytes, "\"target-features\"=\"", '"', "");
        overwrite(text.bytes, "= type opaque", 0, "= type { i8 }");
        inline_kernels(&text);
        if (has_constant_parameter(ir)) overwrite(text.bytes, "addrspace(4)", 0, "addrspace(1)");
    }
    *out = text;
    return good;
}

void ocl_mask_rotates(struct ocl_text *ptx) {
    static const char declared[] = ".reg .u32 %amt2;\n", shift[] = ".b64 \t%lhs, ";
    struct ocl_text out = {0};
    const char *from = ptx->bytes;
    for (const char *at; (at = strstr(from, declared));) {
        at += sizeof declared - 1;
        const char *first = strstr(at, shift), *end = first ? strchr(first, ';') : NULL;
        const char *amount = first ? strchr(first + sizeof shift - 1, ',') : NULL;
        const char *second = end ? strchr(end + 1, ';') : NULL; /* sub.u32 %amt2, 64, AMOUNT */
        if (!second || !amount || amount > end) break;
        amount += 2;
        ocl_append(&out, from, (size_t)(at - from));
        ocl_print(&out,
                  "\tand.b32 \t%%amt2, %.*s, 63;\n%.*s%%amt2;\n\tsub.u32 \t%%amt2, 64, %%amt2",
                  (int)(end - amount), amount, (int)(amount - at), at);
        from = second;
    }
    if (!out.size) return;
    ocl_append(&out, from, strlen(from));
    free(ptx->bytes);
    *ptx = out;
}
