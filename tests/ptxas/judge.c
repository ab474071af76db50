/* judge.c - runs ptxas on files of many statements and compiles by Heddle, in this process. */
#include "ptxas/judge.h"

#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "mir/mir_module.h"
#include "ptx/ptx.h"

/* Assembles a text. *said: what ptxas printed. @return it was accepted */
static bool assemble(const char *ptxas, const char *text, const char *target, char **said) {
    char *folder = g_dir_make_tmp("heddle-ptxas-XXXXXX", NULL);
    char *file = g_build_filename(folder, "m.ptx", NULL);
    char *out = g_build_filename(folder, "m.cubin", NULL);
    char *arch = g_strconcat("-arch=", target, NULL);
    char *argv[] = {(char *)ptxas, arch, "-O0", "-w", file, "-o", out, NULL};
    char *output = NULL, *errors = NULL;
    int status = 0;
    if (!g_file_set_contents(file, text, -1, NULL) ||
        !g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, &errors, &status,
                      NULL)) {
        fprintf(stderr, "cannot run %s\n", ptxas);
        exit(2);
    }
    *said = g_strconcat(errors, output, WIFSIGNALED(status) ? PTXAS_CRASHED : "", NULL);
    g_free(output);
    g_free(errors);
    g_unlink(file);
    g_unlink(out);
    g_rmdir(folder);
    g_free(arch);
    g_free(file);
    g_free(out);
    g_free(folder);
    return status == 0;
}

static unsigned count_lines(const char *text) {
    unsigned n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

/* Takes the errors of ptxas's output for the statements index[0..n), whose first is on line
 * `base` + 1. @return how many statements got a message */
static unsigned take_errors(const char *said, unsigned base, const unsigned *index, unsigned n,
                            char **message) {
    unsigned found = 0;
    gchar **lines = g_strsplit(said, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        const char *at = strstr(lines[i], ", line "), *text = at ? strchr(at, ';') : NULL;
        if (!text || g_str_has_prefix(text, "; warning")) continue;
        unsigned line = (unsigned)strtoul(at + 7, NULL, 10);
        const char *why = strchr(text, ':');
        if (line <= base || line > base + n || message[index[line - base - 1]]) continue;
        message[index[line - base - 1]] = g_strdup(why ? why + 2 : text);
        found++;
    }
    g_strfreev(lines);
    return found;
}

/* The same for statements index[0..n): asks again without those refused until all are accepted,
 * and halves the list where a message names no line. */
static void judge_some(const char *ptxas, const struct frame *f, char *const *statement,
                       unsigned *index, unsigned n, char **message) {
    while (n > 0) {
        GString *text = g_string_new(f->before);
        char *said;
        for (unsigned i = 0; i < n; i++)
            g_string_append_printf(text, "{ %s }\n", statement[index[i]]);
        g_string_append(text, f->after);
        bool ok = assemble(ptxas, text->str, f->target, &said);
        g_string_free(text, TRUE);
        if (!ok && !take_errors(said, count_lines(f->before), index, n, message)) {
            if (n == 1) {
                message[index[0]] = g_strdup(g_strchomp(said));
            } else {
                judge_some(ptxas, f, statement, index, n / 2, message);
                judge_some(ptxas, f, statement, index + n / 2, n - n / 2, message);
            }
            ok = true;
        }
        g_free(said);
        if (ok) return;
        unsigned left = 0;
        for (unsigned i = 0; i < n; i++)
            if (!message[index[i]]) index[left++] = index[i];
        n = left;
    }
}

void judge_ptxas(const char *ptxas, const struct frame *f, char *const *statement, unsigned n,
                 char **message) {
    enum { TOGETHER = 120 };
    unsigned index[TOGETHER];
    for (unsigned from = 0; from < n; from += TOGETHER) {
        unsigned k = 0;
        for (; k < TOGETHER && from + k < n; k++) {
            index[k] = from + k;
            message[from + k] = NULL;
        }
        judge_some(ptxas, f, statement, index, k, message);
        /* after one overflow ptxas sees them in valid constants, too, and after some errors of
         * syntax at the next brace: ask alone */
        for (k = from; k < n && k < from + TOGETHER; k++)
            if (message[k] &&
                (strstr(message[k], "Constant overflow") || strstr(message[k], "error near '{'"))) {
                unsigned one = k;
                g_clear_pointer(&message[k], g_free);
                judge_some(ptxas, f, statement, &one, 1, message);
            }
    }
}

char *judge_ptxas_module(const char *ptxas, const char *text, const char *target) {
    char *said;
    if (!assemble(ptxas, text, target, &said)) return g_strchomp(said);
    g_free(said);
    return NULL;
}

char *judge_heddle_module(const char *text) {
    struct ptx_options o;
    struct mir_module *m = NULL;
    struct heddle_diag diag = {0};
    ptx_options_default(&o);
    o.no_optimize = true;
    if (ptx_compile(text, strlen(text), "m.ptx", &o, &m, &diag) != HEDDLE_OK)
        return g_strdup(diag.text);
    mir_module_free(m);
    return NULL;
}

char *judge_heddle(const struct frame *f, const char *statement) {
    char *text = g_strdup_printf("%s{ %s }\n%s", f->before, statement, f->after);
    char *message = judge_heddle_module(text);
    g_free(text);
    return message;
}
