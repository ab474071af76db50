/* ptx_assemble.c - runs NVIDIA's ptxas on PTX and returns the cubin; see ptx_assemble.h.
 * isa_compile.c and tools/expansions call it. It runs ptxas as a child process with files in a new
 * temporary folder, waits for it, and removes them, also after an error. Functions run on the
 * thread that calls them and explain an error in *diag. */
#include "project/ptx_assemble.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Runs a command and waits for its end. *said: its standard output, then its standard error, freed
 * with g_free(); *status: how it ended, as g_spawn_sync() gives it. @return HEDDLE_ERR_IO: it could
 * not be started; *said is then NULL. */
static heddle_err run(gchar **argv, gchar **said, gint *status, struct heddle_diag *diag) {
    gchar *errors = NULL, *text = NULL;
    GError *error = NULL;
    *said = NULL;
    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text, &errors, status,
                      &error)) {
        heddle_fail(diag, HEDDLE_ERR_IO,
                    "cannot run ptxas: %.300s; it is part of NVIDIA's CUDA toolkit: put it on PATH",
                    error->message);
        g_error_free(error);
        return HEDDLE_ERR_IO;
    }
    *said = g_strconcat(text, errors, NULL);
    g_free(text);
    g_free(errors);
    return HEDDLE_OK;
}

/* Writes `text` to the file `ptx`, runs the command and reads the file `cubin`: *bytes, which the
 * caller frees with g_free(), and *size. `file` stands in messages. @return HEDDLE_ERR_IO;
 * HEDDLE_ERR_PTX_UNSUPPORTED: ptxas refuses the text. */
static heddle_err assemble(gchar **argv, const char *ptx, const char *text, const char *cubin,
                           gchar **bytes, gsize *size, const char *file, struct heddle_diag *diag) {
    gchar *said = NULL;
    gint status = 0;
    if (!g_file_set_contents(ptx, text, -1, NULL))
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %.300s", ptx);
    heddle_err e = run(argv, &said, &status, diag);
    if (!e && status != 0)
        e = heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED, "%.200s: ptxas %s refuses it:\n%.600s",
                        file, argv[1], said);
    if (!e && !g_file_get_contents(cubin, bytes, size, NULL))
        e = heddle_fail(diag, HEDDLE_ERR_IO, "%.200s: ptxas wrote no cubin", file);
    g_free(said);
    return e;
}

/* Assembles PTX for sm_`capability`. `ptxas`: its path, NULL: on PATH; `lines`: with a line table.
 * *cubin: `*size` bytes, which the caller frees with free(). @return HEDDLE_ERR_IO: no folder,
 * ptxas or cubin; HEDDLE_ERR_PTX_UNSUPPORTED: ptxas refuses the text. *cubin is then not set. */
heddle_err ptx_assemble(uint8_t **cubin, size_t *size, const char *ptxas, const char *file,
                        const char *text, unsigned capability, bool lines,
                        struct heddle_diag *diag) {
    GError *error = NULL;
    gchar *folder = g_dir_make_tmp("heddle-sass-XXXXXX", &error);
    if (!folder) {
        heddle_fail(diag, HEDDLE_ERR_IO, "%.500s", error->message);
        g_error_free(error);
        return HEDDLE_ERR_IO;
    }
    gchar *ptx = g_build_filename(folder, "in.ptx", NULL);
    gchar *out = g_build_filename(folder, "out.cubin", NULL);
    gchar *arch = g_strdup_printf("-arch=sm_%u", capability);
    gchar *argv[] = {(gchar *)(ptxas ? ptxas : "ptxas"),  arch, ptx, (gchar *)"-o", out,
                     lines ? (gchar *)"-lineinfo" : NULL, NULL};
    gchar *bytes = NULL;
    gsize count = 0;
    heddle_err e = assemble(argv, ptx, text, out, &bytes, &count, file, diag);
    if (!e) {
        *cubin = heddle_alloc(count, "a cubin");
        *size = count;
        memcpy(*cubin, bytes, count);
    }
    g_remove(ptx);
    g_remove(out);
    g_rmdir(folder);
    g_free(bytes);
    g_free(arch);
    g_free(out);
    g_free(ptx);
    g_free(folder);
    return e;
}

/* *version: that of ptxas (NULL: on PATH), such as "V13.0.88", which the caller frees with free().
 * Takes every tool that prints ", V" and a version. @return HEDDLE_ERR_IO; *version is then not
 * set. */
heddle_err ptx_assemble_version(char **version, const char *ptxas, struct heddle_diag *diag) {
    gchar *argv[] = {(gchar *)(ptxas ? ptxas : "ptxas"), (gchar *)"--version", NULL};
    gchar *said = NULL;
    gint status = 0;
    heddle_err e = run(argv, &said, &status, diag);
    if (e) return e;
    const char *at = strstr(said, ", V");
    if (status != 0 || !at) {
        e = heddle_fail(diag, HEDDLE_ERR_IO, "ptxas does not say its version");
    } else {
        gchar *found = g_strndup(at + 2, strcspn(at + 2, " \n"));
        *version = heddle_copy_text(found, "ptxas's version");
        g_free(found);
    }
    g_free(said);
    return e;
}
