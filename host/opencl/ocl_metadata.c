/* ocl_metadata.c - what OpenCL must know of kernels. clang writes it as metadata of LLVM
 * IR, and PTX has no place for it; so comments at the end of the PTX keep it, and PTX is all that
 * a program's binary needs:
 *
 *   //heddle-opencl kernel NAME X Y Z ATTRIBUTES
 *   //heddle-opencl arg SPACE ACCESS QUALIFIER TYPE NAME
 *
 * with tabs between the fields. X Y Z: reqd_work_group_size, or 0. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

#define KERNEL "//heddle-opencl kernel\t"
#define ARG "//heddle-opencl arg\t"

/* The list of a metadata node, "!7 = !{" and on; NULL: there is none. */
static const char *node_of(const char *ir, unsigned number) {
    char start[32];
    snprintf(start, sizeof start, "\n!%u = !{", number);
    const char *p = strstr(ir, start);
    return p ? p + strlen(start) : NULL;
}

/* The list of a function's attachment `name`; `line` is its definition. */
static const char *attached(const char *ir, const char *line, const char *name) {
    const char *end = strchr(line, '\n');
    char key[64];
    unsigned number;
    snprintf(key, sizeof key, " !%s !", name);
    const char *p = strstr(line, key);
    if (!p || p > end || sscanf(p + strlen(key), "%u", &number) != 1) return NULL;
    return node_of(ir, number);
}

/* Takes the next element, "i32 5" or !"text", from *p. @return false: no more. */
static bool element(const char **p, char *out, size_t size) {
    if (!*p) return false;
    *p += strspn(*p, ", ");
    if (**p == '}' || !**p) return false;
    const char *start, *end;
    if (strncmp(*p, "!\"", 2) == 0) {
        start = *p + 2;
        end = strchr(start, '"');
        *p = end ? end + 1 : "";
    } else {
        start = *p + strcspn(*p, " ") + 1;
        end = start + strcspn(start, ",}");
        *p = end;
    }
    snprintf(out, size, "%.*s", end ? (int)(end - start) : 0, start);
    return true;
}

/* Writes vec_type_hint as OpenCL C has it, of a node like "<4 x i32> undef, i32 1": a vector and
 * whether it is signed. */
static void write_hint(const char *node, struct ocl_text *out) {
    static const char *const types[][3] = {
        {"i8", "char", "uchar"},  {"i16", "short", "ushort"},  {"i32", "int", "uint"},
        {"i64", "long", "ulong"}, {"float", "float", "float"}, {"double", "double", "double"},
        {"half", "half", "half"},
    };
    char type[16], count[8] = "";
    int is_signed = 0;
    if (sscanf(node, "<%7[0-9] x %15[a-z0-9]> undef, i32 %d", count, type, &is_signed) != 3) {
        count[0] = '\0';
        if (sscanf(node, "%15[a-z0-9] undef, i32 %d", type, &is_signed) != 2) return;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i][0], type) == 0)
            ocl_print(out, "%svec_type_hint(%s%s)", out->size ? " " : "",
                      types[i][is_signed ? 1 : 2], count);
}

/* Writes an attribute of three sizes, and copies these to `size`. */
static void write_sizes(const char *node, const char *name, char size[3][32],
                        struct ocl_text *out) {
    for (int i = 0; i < 3; i++) element(&node, size[i], sizeof size[i]);
    ocl_print(out, "%s%s(%s,%s,%s)", out->size ? " " : "", name, size[0], size[1], size[2]);
}

static void write_kernel(const char *ir, const char *line, const char *name, int length,
                         struct ocl_text *ptx) {
    char group[3][32] = {"0", "0", "0"}, hint[3][32] = {"0", "0", "0"}, text[4][512];
    struct ocl_text attributes = {0};
    const char *vector = attached(ir, line, "vec_type_hint"),
               *hinted = attached(ir, line, "work_group_size_hint"),
               *required = attached(ir, line, "reqd_work_group_size");
    if (vector) write_hint(vector, &attributes);
    if (hinted) write_sizes(hinted, "work_group_size_hint", hint, &attributes);
    if (required) write_sizes(required, "reqd_work_group_size", group, &attributes);
    ocl_print(ptx, KERNEL "%.*s\t%s\t%s\t%s\t%s\n", length, name, group[0], group[1], group[2],
              attributes.bytes ? attributes.bytes : "");
    free(attributes.bytes);
    const char *spaces = attached(ir, line, "kernel_arg_addr_space"),
               *access = attached(ir, line, "kernel_arg_access_qual"),
               *type = attached(ir, line, "kernel_arg_type"),
               *qualifier = attached(ir, line, "kernel_arg_type_qual"),
               *names = attached(ir, line, "kernel_arg_name");
    char space[32];
    while (element(&spaces, space, sizeof space)) {
        const char **lists[] = {&access, &qualifier, &type, &names};
        for (int i = 0; i < 4; i++)
            if (!element(lists[i], text[i], sizeof text[i])) text[i][0] = '\0';
        ocl_print(ptx, ARG "%s\t%s\t%s\t%s\t%s\n", space, text[0], text[1], text[2], text[3]);
    }
}

void ocl_write_metadata(const char *ir, struct ocl_text *ptx) {
    for (const char *p = ir; (p = strstr(p, "\ndefine ")); p++) {
        const char *line = p + 1, *end = strchr(line, '\n'), *at = strchr(line, '@');
        const char *kernel = strstr(line, " spir_kernel ");
        if (!end || !at || at > end || !kernel || kernel > at) continue;
        write_kernel(ir, line, at + 1, (int)strcspn(at + 1, "("), ptx);
    }
}

/* ---- reading */

/* Splits a line into fields at tabs, each copied; missing ones are "". */
static void fields_of(const char *p, char **out, int count) {
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(p, "\t\n");
        out[i] = strndup(p, length);
        p += length;
        if (*p == '\t') p++;
    }
}

static bool read_kernel(cl_program program, const char *p) {
    struct ocl_kernel_info *grown = realloc(program->kernels,
                                            (program->num_kernels + 1) * sizeof *grown);
    if (!grown) return false;
    program->kernels = grown;
    char *f[5];
    fields_of(p, f, 5);
    struct ocl_kernel_info *k = &grown[program->num_kernels++];
    *k = (struct ocl_kernel_info){.name = f[0], .attributes = f[4]};
    for (int i = 0; i < 3; i++) {
        k->group[i] = f[1 + i] ? strtoul(f[1 + i], NULL, 10) : 0;
        free(f[1 + i]);
    }
    return true;
}

static bool read_arg(struct ocl_kernel_info *k, const char *p) {
    struct ocl_arg_info *grown = realloc(k->args, (k->num_args + 1) * sizeof *grown);
    if (!grown) return false;
    k->args = grown;
    char *f[5];
    fields_of(p, f, 5);
    grown[k->num_args++] = (struct ocl_arg_info){f[0] ? atoi(f[0]) : 0, f[1], f[2], f[3], f[4]};
    free(f[0]);
    return true;
}

bool ocl_read_metadata(cl_program program) {
    bool good = true;
    for (const char *p = program->ptx; good && (p = strstr(p, "//heddle-opencl ")); p++) {
        if (strncmp(p, KERNEL, strlen(KERNEL)) == 0)
            good = read_kernel(program, p + strlen(KERNEL));
        else if (strncmp(p, ARG, strlen(ARG)) == 0 && program->num_kernels)
            good = read_arg(&program->kernels[program->num_kernels - 1], p + strlen(ARG));
    }
    return good && program->num_kernels;
}

void ocl_free_metadata(cl_program program) {
    for (unsigned i = 0; i < program->num_kernels; i++) {
        struct ocl_kernel_info *k = &program->kernels[i];
        for (unsigned j = 0; j < k->num_args; j++) {
            free(k->args[j].access);
            free(k->args[j].qualifier);
            free(k->args[j].type);
            free(k->args[j].name);
        }
        free(k->args);
        free(k->name);
        free(k->attributes);
    }
    free(program->kernels);
    program->kernels = NULL;
    program->num_kernels = 0;
}
