/* frames.c - reads the forms, and takes kernels of PTX files apart, line by line: clang and nvcc
 * write a statement on each line. */
#include "ptxas/frames.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptxas/mutate.h"
#include "unit/ptx/forms_frame.h"

static char *read_text(const char *file) {
    char *text;
    if (g_file_get_contents(file, &text, NULL, NULL)) return text;
    fprintf(stderr, "cannot read %s\n", file);
    exit(2);
}

/* The frame of forms of a version. `wide`: registers that it has. */
static struct frame frame_of(const char *head, const char *wide, const char *target) {
    return (struct frame){.before = g_strconcat(head, FORMS_MODULE, mutate_variables, FORMS_KERNEL,
                                                wide, ".local .align 16 .b8 zlocal[64];\n",
                                                mutate_registers, NULL),
                          .after = g_strdup("zend: ret;\n}\n"),
                          .target = g_strdup(target)};
}

struct frame forms_frame(void) {
    return frame_of(FORMS_HEAD, FORMS_WIDE, "sm_90a");
}

void sources_of_forms(GPtrArray *all, const char *forms) {
    static const char *const families[] = {
        "async",  "atomics", "bits",   "compare", "control", "float", "half",  "integer",
        "memory", "move",    "tensor", "texture", "video",   "warp",  "older", "newer"};
    for (unsigned i = 0; i < G_N_ELEMENTS(families); i++) {
        struct source *s = g_new0(struct source, 1);
        char *file = g_strdup_printf("%s/%s.txt", forms, families[i]);
        char *text = read_text(file);
        gchar **lines = g_strsplit(text, "\n", -1);
        s->name = g_strdup(families[i]);
        s->frame = !strcmp(families[i], "older") ? frame_of(FORMS_HEAD_OLDER, "", "sm_75")
                   : !strcmp(families[i], "newer")
                       ? frame_of(FORMS_HEAD_NEWER, FORMS_WIDE, "sm_100")
                       : forms_frame();
        s->statement = g_ptr_array_new_with_free_func(g_free);
        for (unsigned k = 0; lines[k]; k++)
            if (lines[k][0] && lines[k][0] != '#')
                g_ptr_array_add(s->statement, g_strdup(lines[k]));
        g_strfreev(lines);
        g_free(text);
        g_free(file);
        g_ptr_array_add(all, s);
    }
}

/* Takes the body of a kernel apart: lines[from] is behind its brace. @return behind its end */
static unsigned take_body(struct source *s, gchar **lines, unsigned from, GString *declared,
                          GString *labels) {
    GString *block = g_string_new(NULL);
    int depth = 1;
    unsigned i = from;
    for (; lines[i]; i++) {
        char *comment = strstr(lines[i], "//");
        if (comment) *comment = '\0';
        g_strstrip(lines[i]);
        const char *t = lines[i];
        for (const char *c = t; *c; c++)
            if (!strchr(t, ';') || t[0] == '{' || t[0] == '}') depth += (*c == '{') - (*c == '}');
        if (depth == 0) break;
        if (depth > 1 || block->len || t[0] == '{') { /* in nested braces */
            g_string_append_printf(block, "%s ", t);
            if (depth > 1) continue;
            g_ptr_array_add(s->statement, g_strdup(block->str));
            g_string_truncate(block, 0);
        } else if (t[0] == '.' && !g_str_has_prefix(t, ".loc") && !g_str_has_prefix(t, ".pragma")) {
            g_string_append_printf(declared, "%s\n", t);
        } else if (t[0] && t[strlen(t) - 1] == ':') {
            g_string_append_printf(labels, "%s\n", t);
        } else if (t[0] && t[0] != '.' && t[strlen(t) - 1] == ';') {
            g_ptr_array_add(s->statement, g_strdup(t));
        }
    }
    g_string_free(block, TRUE);
    return i + 1;
}

void sources_of_file(GPtrArray *all, const char *file) {
    char *text = read_text(file), *name = g_path_get_basename(file);
    gchar **pieces = g_strsplit(text, ".target sm_70", -1);
    g_free(text);
    text = g_strjoinv(".target sm_75", pieces);
    g_strfreev(pieces);
    gchar **lines = g_strsplit(text, "\n", -1);
    GString *module = g_string_new(NULL); /* all but the bodies of kernels */
    GPtrArray *kernels = g_ptr_array_new();
    for (unsigned i = 0; lines[i];) {
        bool entry = strstr(lines[i], ".entry") && !strstr(lines[i], "//");
        if (!entry) {
            g_string_append_printf(module, "%s\n", lines[i++]);
            continue;
        }
        GString *head = g_string_new(NULL), *declared = g_string_new(NULL);
        GString *labels = g_string_new(NULL);
        struct source *s = g_new0(struct source, 1);
        for (; lines[i] && lines[i][0] != '{'; i++) g_string_append_printf(head, "%s\n", lines[i]);
        s->name = g_strdup_printf("%s:%u", name, kernels->len);
        s->statement = g_ptr_array_new_with_free_func(g_free);
        i = take_body(s, lines, i + 1, declared, labels);
        s->frame.before = g_strdup_printf("%s{\n%s.local .align 16 .b8 zlocal[64];\n%s", head->str,
                                          declared->str, mutate_registers);
        s->frame.after = g_strdup_printf("%szend: ret;\n}\n", labels->str);
        g_ptr_array_add(kernels, s);
        g_string_free(head, TRUE);
        g_string_free(declared, TRUE);
        g_string_free(labels, TRUE);
    }
    const char *at = strstr(module->str, "\n.target ");
    for (unsigned i = 0; i < kernels->len; i++) {
        struct source *s = kernels->pdata[i];
        char *kernel = s->frame.before;
        s->frame.before = g_strconcat(module->str, mutate_variables, kernel, NULL);
        s->frame.target = at ? g_strndup(at + 9, strcspn(at + 9, ", \n")) : g_strdup("sm_75");
        g_free(kernel);
        g_ptr_array_add(all, s);
    }
    g_ptr_array_free(kernels, TRUE);
    g_string_free(module, TRUE);
    g_strfreev(lines);
    g_free(text);
    g_free(name);
}
