/* compile.c - compiles PTX text to MIR for a GPU. The server calls compile_texts() when a program
 * loads a module; `heddle ptx` calls the others. All run on the main thread. Functions that return
 * heddle_err explain an error in *diag; on success the caller frees *out with mir_module_free(). */
#include "cli/compile.h"

#include <glib.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "common/memory.h"
#include "ptx/ptx_target.h"

/* Reads a file into *text, which the caller frees with g_free(); *bytes: its length. @return false
 * after printing an error. */
bool compile_read(const char *file, char **text, size_t *bytes) {
    GError *error = NULL;
    gsize n = 0;
    if (!g_file_get_contents(file, text, &n, &error)) {
        cli_error("%s", error->message);
        g_error_free(error);
        return false;
    }
    *bytes = n;
    return true;
}

heddle_err compile_ptx(const struct config *config, struct mir_module **out, const char *text,
                       size_t bytes, const char *name, struct heddle_diag *diag) {
    struct ptx_options o;
    ptx_options_default(&o);
    ptx_target_options(config, &o);
    return ptx_compile(text, bytes, name, &o, out, diag);
}

heddle_err compile_texts(const struct config *config, struct mir_module **out,
                         const struct server_ptx *ptx, unsigned n, const char *name,
                         struct heddle_diag *diag) {
    struct ptx_piece *piece = heddle_alloc_array(n, sizeof *piece, "pieces of PTX");
    for (unsigned i = 0; i < n; i++) piece[i] = (struct ptx_piece){ptx[i].text, ptx[i].bytes};
    heddle_err e = ptx_target_compile(config, piece, n, name, out, diag);
    free(piece);
    return e;
}
