/* ptxas.c - runs NVIDIA's ptxas on a PTX text and collects counts of each kernel. ptxas_compare.c
 * calls it on the main thread of `heddle ptx`; it starts a child process and waits for it.
 * Functions that return heddle_err explain an error in *diag.
 *
 * Registers and spills come from what `ptxas -v` prints on standard error, a paragraph for each
 * kernel:
 *
 *   ptxas info    : Compiling entry function 'NAME' for 'sm_75'
 *   ptxas info    : Function properties for NAME
 *       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *   ptxas info    : Used 24 registers, used 0 barriers, 376 bytes cmem[0]
 *
 * Instructions are counted in the cubin (cubin.c). */
#include "cli/ptxas.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* ---- what ptxas says ------------------------------------------------------------------------ */

/* Kernel i of the result. */
static struct ptxas_kernel *kernel_at(const struct ptxas_result *r, guint i) {
    return &g_array_index(r->kernels, struct ptxas_kernel, i);
}
static guint num_kernels(const struct ptxas_result *r) {
    return r->kernels ? r->kernels->len : 0;
}
/* GLib's clear function of r->kernels, called when the list is freed: frees the name of a
 * kernel. */
static void clear_kernel(void *kernel) {
    g_free(((struct ptxas_kernel *)kernel)->name);
}

/* Appends a kernel without counts to the result; `length`: of its name. @return it, valid until the
 * next one is added. */
static struct ptxas_kernel *add_kernel(struct ptxas_result *r, const char *name, size_t length) {
    const struct ptxas_kernel k = {.name = g_strndup(name, length)};
    if (!r->kernels) {
        r->kernels = g_array_new(FALSE, FALSE, sizeof k);
        g_array_set_clear_func(r->kernels, clear_kernel);
    }
    g_array_append_val(r->kernels, k);
    return kernel_at(r, r->kernels->len - 1);
}

/* Adds to the result every kernel that ptxas's output `text` names, with its registers and spilled
 * bytes (the larger of spill stores and loads). */
static void read_messages(const char *text, struct ptxas_result *r) {
    static const char entry[] = "Compiling entry function '", of[] = "Function properties for ";
    gchar **line = g_strsplit(text, "\n", -1);
    struct ptxas_kernel *k = NULL;
    bool own = false; /* properties of the kernel itself, not of a function it calls */
    for (unsigned i = 0; line[i]; i++) {
        const char *at = strstr(line[i], entry);
        if (at) {
            at += sizeof entry - 1;
            k = add_kernel(r, at, strcspn(at, "'"));
            own = false;
            continue;
        }
        if (!k) continue;
        at = strstr(line[i], of);
        if (at) {
            own = strcmp(at + sizeof of - 1, k->name) == 0;
            continue;
        }
        unsigned frame, stores, loads, used;
        if (sscanf(line[i], " %u bytes stack frame, %u bytes spill stores, %u bytes spill loads",
                   &frame, &stores, &loads) == 3) {
            if (own) k->spill_bytes = stores > loads ? stores : loads;
        } else if ((at = strstr(line[i], ": Used ")) && sscanf(at, ": Used %u registers", &used)) {
            k->registers = used;
        }
    }
    g_strfreev(line);
}

/* Fills diag with HEDDLE_ERR_PTX_UNSUPPORTED and ptxas's error lines, or with all of its output if
 * there are none. */
static void refusal(const char *file, const char *said, struct heddle_diag *diag) {
    gchar **line = g_strsplit(said, "\n", -1);
    GString *why = g_string_new(NULL);
    for (unsigned i = 0; line[i]; i++)
        if (strstr(line[i], "error   :") || strstr(line[i], "fatal   :"))
            g_string_append_printf(why, "\n    %s", line[i]);
    heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED, "%.200s: ptxas -arch=sm_75 refuses it:%.700s",
                file, why->len ? why->str : said);
    g_string_free(why, TRUE);
    g_strfreev(line);
}

/* ---- running it ----------------------------------------------------------------------------- */

/* Counts the code of every kernel of the result in the file `cubin`. @return HEDDLE_ERR_IO: there
 * is no such file, or it lacks a kernel. */
static heddle_err count_code(const char *file, const char *cubin, struct ptxas_result *r,
                             struct heddle_diag *diag) {
    gchar *bytes = NULL;
    gsize size = 0;
    heddle_err e = HEDDLE_OK;
    if (!g_file_get_contents(cubin, &bytes, &size, NULL))
        return heddle_fail(diag, HEDDLE_ERR_IO, "%.200s: ptxas wrote no cubin", file);
    for (uint32_t i = 0; i < num_kernels(r) && !e; i++)
        if (!cubin_count((const uint8_t *)bytes, size, kernel_at(r, i)->name,
                         &kernel_at(r, i)->code))
            e = heddle_fail(diag, HEDDLE_ERR_IO,
                            "%.200s: ptxas's cubin has no code of kernel %.200s", file,
                            kernel_at(r, i)->name);
    g_free(bytes);
    return e;
}

/* Writes the text into `folder`, runs ptxas there, collects the result in *out and removes its
 * files. @return HEDDLE_ERR_IO (a file, or ptxas cannot be run) or PTX_UNSUPPORTED (ptxas refuses
 * the text). */
static heddle_err assemble(const char *program, const char *file, const char *text,
                           const char *folder, struct ptxas_result *out, struct heddle_diag *diag) {
    gchar *ptx = g_build_filename(folder, "in.ptx", NULL);
    gchar *cubin = g_build_filename(folder, "out.cubin", NULL);
    gchar *argv[] = {
        (gchar *)program, (gchar *)"-arch=sm_75", (gchar *)"-v", ptx, (gchar *)"-o", cubin, NULL};
    gchar *said = NULL;
    gint status = 0;
    GError *error = NULL;
    heddle_err e = HEDDLE_OK;
    if (!g_file_set_contents(ptx, text, -1, &error)) {
        e = heddle_fail(diag, HEDDLE_ERR_IO, "%.500s", error->message);
    } else if (!g_spawn_sync(NULL, argv, NULL,
                             G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL,
                             NULL, &said, &status, &error)) {
        e = heddle_fail(diag, HEDDLE_ERR_IO, "cannot run ptxas: %.500s", error->message);
    } else if (status != 0) {
        refusal(file, said, diag);
        e = HEDDLE_ERR_PTX_UNSUPPORTED;
    } else {
        read_messages(said, out);
        e = count_code(file, cubin, out, diag);
    }
    if (error) g_error_free(error);
    g_remove(ptx);
    g_remove(cubin);
    g_free(said);
    g_free(cubin);
    g_free(ptx);
    return e;
}

/* Runs ptxas (`program`, NULL: the one on PATH) on the PTX `text` for sm_75 in a temporary
 * directory, which it removes, and fills *out, which the caller clears; `file` stands in messages.
 * @return HEDDLE_ERR_IO or PTX_UNSUPPORTED; *out is then empty. */
heddle_err ptxas_run(const char *program, const char *file, const char *text,
                     struct ptxas_result *out, struct heddle_diag *diag) {
    *out = (struct ptxas_result){0};
    gchar *path = g_find_program_in_path(program ? program : "ptxas");
    if (!path)
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "%.300s is not there, or cannot be run: it is part of NVIDIA's CUDA "
                           "toolkit; put it on PATH, or name it with --ptxas FILE",
                           program ? program : "ptxas");
    GError *error = NULL;
    gchar *folder = g_dir_make_tmp("heddle-ptxas-XXXXXX", &error);
    heddle_err e;
    if (!folder) {
        e = heddle_fail(diag, HEDDLE_ERR_IO, "%.500s", error->message);
        g_error_free(error);
    } else {
        e = assemble(path, file, text, folder, out, diag);
        g_rmdir(folder);
    }
    if (e) ptxas_result_clear(out);
    g_free(folder);
    g_free(path);
    return e;
}

/* Frees the kernels of the result. */
void ptxas_result_clear(struct ptxas_result *r) {
    if (r->kernels) g_array_unref(r->kernels);
    *r = (struct ptxas_result){0};
}

/* The kernel of that name, or NULL. */
const struct ptxas_kernel *ptxas_find(const struct ptxas_result *r, const char *name) {
    for (uint32_t i = 0; i < num_kernels(r); i++)
        if (strcmp(kernel_at(r, i)->name, name) == 0) return kernel_at(r, i);
    return NULL;
}
